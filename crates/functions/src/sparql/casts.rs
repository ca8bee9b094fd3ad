//! Casts: a term in, a literal of one of XML Schema's types out.
//!
//! Texts are read without the space around them.
//!
//! Source: SPARQL 1.1, §17.5; XPath and XQuery Functions and Operators 3.1, §19.

use trimorph_types::rdf::lexical::{self, Moment, Span};
use trimorph_types::rdf::names::XSD;
use trimorph_types::rdf::{Term, literal, write_canonical, write_double};
use trimorph_types::{Decimal, LocalDateTime, LogicalType, Value};

use super::decimals;
use super::found::{Found, by_terms, found, of_terms};
use super::meaning::{Meaning, day_time, year_month};
use super::moments::SpanType;
use super::number::{Number, integer_range};
use super::temporal::{date_time_value, date_value, time_value};
use super::term_vectors;
use crate::function::{Function, result};

/// The cast to a type that is derived from integer.
macro_rules! derived {
    ($name:literal) => {
        crate::function::Function::new(
            concat!("sparql.xsd.", $name),
            (1, 1),
            result::any,
            |context, args| by_terms(context, args, |_, a| found(derived(&a[0], $name))),
            concat!("sparql.xsd.", $name, "(a)"),
        )
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("xsd.string", (1, 1), result::string, |_, a| found(string(&a[0])), "xsd.string(a)"),
    of_terms!("xsd.boolean", (1, 1), result::bool, |_, a| found(boolean(&a[0])), "xsd.boolean(a)"),
    of_terms!("xsd.integer", (1, 1), result::any, |_, a| found(integer(&a[0])), "xsd.integer(a)")
        .typed(|_, args, at| decimals::integers(args, at)),
    of_terms!("xsd.decimal", (1, 1), decimals, |_, a| found(decimal(&a[0])), "xsd.decimal(a)")
        .typed(|_, args, at| decimals::cast(args, at)),
    of_terms!("xsd.float", (1, 1), result::any, |_, a| found(float(&a[0])), "xsd.float(a)"),
    of_terms!("xsd.double", (1, 1), result::float, |_, a| found(double(&a[0])), "xsd.double(a)")
        .typed(|_, args, at| decimals::doubles(args, at)),
    of_terms!("xsd.dateTime", (1, 1), result::any, |_, a| found(date_time(&a[0])), "xsd.dateTime(a)"),
    of_terms!("xsd.date", (1, 1), result::any, |_, a| found(date(&a[0])), "xsd.date(a)")
        .typed(|_, args, at| term_vectors::dates(args, at)),
    of_terms!("xsd.time", (1, 1), result::any, |_, a| found(time(&a[0])), "xsd.time(a)"),
    of_terms!("xsd.duration", (1, 1), result::any, |_, a| span(a, SpanType::Any), "xsd.duration(a)"),
    of_terms!(
        "xsd.dayTimeDuration",
        (1, 1),
        result::any,
        |_, a| span(a, SpanType::Time),
        "xsd.dayTimeDuration(a)"
    ),
    of_terms!(
        "xsd.yearMonthDuration",
        (1, 1),
        result::any,
        |_, a| span(a, SpanType::Months),
        "xsd.yearMonthDuration(a)"
    ),
    derived!("long"),
    derived!("int"),
    derived!("short"),
    derived!("byte"),
    derived!("unsignedLong"),
    derived!("unsignedInt"),
    derived!("unsignedShort"),
    derived!("unsignedByte"),
    derived!("nonNegativeInteger"),
    derived!("positiveInteger"),
    derived!("nonPositiveInteger"),
    derived!("negativeInteger"),
];

fn decimals(_: &[LogicalType]) -> LogicalType {
    LogicalType::Decimal
}

/// The text of what is read as text: strings, and what other kinds of literals have no meaning.
fn read_text<'a>(meaning: &Meaning<'a>) -> Option<&'a str> {
    match meaning {
        Meaning::Text(text) => Some(text.trim_matches([' ', '\t', '\r', '\n'])),
        _ => None,
    }
}

fn string(value: &Value) -> Option<Value> {
    let canonical = |value: &Value| {
        let mut text = String::new();
        write_canonical(&mut text, value).ok()?.then(|| Value::string(text))
    };
    match Meaning::of(value) {
        Meaning::Text(text) => Some(Value::string(text)),
        Meaning::Tagged(literal) | Meaning::Opaque(literal) => Some(Value::String(literal.lexical.clone())),
        Meaning::Resource(iri) => matches!(Term::of(value), Term::Iri(_)).then(|| Value::string(iri)),
        Meaning::Bool(x) => Some(Value::string(if x { "true" } else { "false" })),
        Meaning::Number(number) => Some(Value::string(match (number, number.exact()) {
            (_, Some(exact)) => exact.to_string(),
            (Number::Float(x), _) => float_text(x.into(), || x.to_string()),
            (number, _) => float_text(number.to_double(), || number.to_double().to_string()),
        })),
        Meaning::DateTime(x) => canonical(&date_time_value(x)?),
        Meaning::Date(x) => canonical(&date_value(x)?),
        Meaning::Time(x) => canonical(&time_value(x)?),
        Meaning::Span(kind, x) => canonical(&kind.value(x)?),
        Meaning::PartOfDate(..) | Meaning::Other => canonical(value),
    }
}

/// From 10^-6 up to 10^6 as a decimal, else with an exponent.
fn float_text(x: f64, plain: impl FnOnce() -> String) -> String {
    if x == 0.0 || (1e-6..1e6).contains(&x.abs()) {
        return plain();
    }
    let mut text = String::new();
    // A string takes all that is written.
    _ = write_double(&mut text, x);
    text
}

fn boolean(value: &Value) -> Option<Value> {
    let meaning = Meaning::of(value);
    Some(Value::Bool(match &meaning {
        Meaning::Bool(x) => *x,
        Meaning::Number(x) => x.compare(Number::Int(0)).is_some_and(std::cmp::Ordering::is_ne),
        _ => lexical::boolean(read_text(&meaning)?)?,
    }))
}

/// The number that a cast to a numeric type starts from; a text is read as `datatype`.
fn number(value: &Value, datatype: &str) -> Option<Number> {
    let meaning = Meaning::of(value);
    match &meaning {
        Meaning::Number(number) => Some(*number),
        Meaning::Bool(x) => Some(Number::Int((*x).into())),
        _ => Number::read(read_text(&meaning)?, datatype),
    }
}

/// A finite number as the nearest decimal that 38 digits write.
fn exact(number: Number) -> Option<Decimal> {
    if let Some(exact) = number.exact() {
        return Some(exact);
    }
    // The shortest text that reads back as the number.
    let text = match number {
        Number::Float(x) => x.to_string(),
        number => number.to_double().to_string(),
    };
    let digits = usize::from(Decimal::DIGITS_MAX)
        + usize::from(text.contains('.'))
        + usize::from(text.starts_with('-'));
    // A text of digits and one point: no digit before the point may be lost.
    let cut = if text.find('.').unwrap_or(text.len()) > digits {
        &text[..]
    } else {
        &text[..text.len().min(digits)]
    };
    Decimal::parse(cut)
}

fn whole(value: &Value, datatype: &str) -> Option<Decimal> {
    let number = number(value, datatype)?;
    // Towards zero. Floats beyond 38 digits have no decimal.
    Decimal::new(exact(number)?.whole(), 0)
}

fn integer(value: &Value) -> Option<Value> {
    if let Value::Int(_) = value {
        return Some(value.clone());
    }
    Some(Number::integer(whole(value, "integer")?).value())
}

/// A literal of a type that is derived from integer, if the number is in its range.
fn derived(value: &Value, name: &str) -> Option<Value> {
    let number = whole(value, "integer")?;
    let (min, max) = integer_range(name)?;
    let fits = (min..=max).contains(&number.unscaled());
    fits.then(|| literal(&number.to_string(), &format!("{}{name}", XSD)))
}

fn decimal(value: &Value) -> Option<Value> {
    exact(number(value, "decimal")?).map(Value::Decimal)
}

fn float(value: &Value) -> Option<Value> {
    Some(Number::Float(number(value, "float")?.to_float()).value())
}

fn double(value: &Value) -> Option<Value> {
    Some(Value::Float(number(value, "double")?.to_double()))
}

fn date_time(value: &Value) -> Option<Value> {
    let meaning = Meaning::of(value);
    date_time_value(match meaning {
        // A day is its midnight.
        Meaning::DateTime(moment) | Meaning::Date(moment) => moment,
        _ => lexical::date_time(read_text(&meaning)?)?,
    })
}

fn date(value: &Value) -> Option<Value> {
    let meaning = Meaning::of(value);
    date_value(match meaning {
        Meaning::DateTime(Moment { local, offset }) => {
            let seconds = local.seconds - local.seconds.rem_euclid(86_400);
            Moment { local: LocalDateTime { seconds, nanos: 0 }, offset }
        }
        Meaning::Date(moment) => moment,
        _ => lexical::date(read_text(&meaning)?)?,
    })
}

fn time(value: &Value) -> Option<Value> {
    let meaning = Meaning::of(value);
    time_value(match meaning {
        Meaning::DateTime(moment) | Meaning::Time(moment) => moment,
        _ => lexical::time(read_text(&meaning)?)?,
    })
}

/// Parts that the type does not have are left out.
fn span(args: &[Value], kind: SpanType) -> Found {
    let meaning = Meaning::of(&args[0]);
    let span = match (&meaning, kind) {
        (Meaning::Span(_, span), SpanType::Any) => Some(*span),
        (Meaning::Span(_, span), SpanType::Months) => Some(Span { nanos: 0, ..*span }),
        (Meaning::Span(_, span), SpanType::Time) => Some(Span { months: 0, ..*span }),
        (_, kind) => read_text(&meaning).and_then(|text| match kind {
            SpanType::Any => lexical::duration(text),
            SpanType::Months => year_month(text),
            SpanType::Time => day_time(text),
        }),
    };
    found(span.and_then(|span| kind.value(span)))
}

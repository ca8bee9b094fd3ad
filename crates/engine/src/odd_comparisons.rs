//! Comparisons that are never true: a finished plan in, notices out.
//!
//! A property that is a number in all nodes is never equal to a text, whatever the text says. Looked for when
//! somebody asks for the notices of a result, with the values that its parameters have.
//!
//! Only what is certain is said: the property of a variable that is a node, whose columns all have one type,
//! compared with a literal, a parameter, a list of these, or a function whose result has one type.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, Plan, VarId, Vars};
use trimorph_base::{Notice, Span};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_types::{LogicalType, Value};

use crate::params::Params;

/// Notices of one query.
const NOTICES_MAX: usize = 10;

/// What is compared with a property.
struct Other {
    ty: LogicalType,
    /// The value, if it is known.
    value: Option<Value>,
    /// How it is written, if it is a parameter.
    parameter: Option<Arc<str>>,
    /// Whether the property is asked for what it begins with, and the like.
    is_test: bool,
}

/// What the search goes by.
struct Search<'a> {
    catalog: CatalogView<'a>,
    vars: &'a Vars,
    params: &'a Params,
    found: Vec<Notice>,
}

/// The comparisons of a plan that are never true, in the order of the text.
pub(crate) fn odd_comparisons(plan: &Plan, vars: &Vars, snapshot: &Snapshot, params: &Params) -> Vec<Notice> {
    let catalog = CatalogView::new(snapshot.catalog());
    let mut search = Search { catalog, vars, params, found: Vec::new() };
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        plan.for_each_expr(&mut |expr| search.expression(expr));
        if let Plan::KeyLookup { lookup, .. } = plan
            && let Some(other) = search.other(&lookup.key)
        {
            // A look-up has no place in the text: the property's name says which it is.
            search.compare(lookup.var, &lookup.property, &other, None);
        }
        left.extend(plan.children());
    }
    let mut found = search.found;
    found.sort_by_key(|notice| notice.span.start);
    found.dedup();
    found.truncate(NOTICES_MAX);
    found
}

impl Search<'_> {
    fn expression(&mut self, expr: &Expr) {
        let mut left = vec![expr];
        while let Some(expr) = left.pop() {
            if let Expr::Op(op, args, _) = expr
                && let [a, b] = &args[..]
            {
                self.operator(*op, a, b);
            }
            expr.for_each_child(&mut |child| left.push(child));
        }
    }

    fn operator(&mut self, op: Op, a: &Expr, b: &Expr) {
        let property = |expr: &Expr| match expr {
            Expr::Property(of, name, span) => match &**of {
                Expr::Var(var) => Some((*var, Arc::clone(name), *span)),
                _ => None,
            },
            _ => None,
        };
        match op {
            Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                for (one, other) in [(a, b), (b, a)] {
                    if let Some((var, name, span)) = property(one)
                        && let Some(other) = self.other(other)
                    {
                        self.compare(var, &name, &other, Some(span));
                    }
                }
            }
            Op::In => {
                if let Some((var, name, span)) = property(a)
                    && let Some(other) = self.items(b)
                {
                    self.compare(var, &name, &other, Some(span));
                }
            }
            Op::StartsWith | Op::EndsWith | Op::Contains | Op::Regex => {
                if let Some((var, name, span)) = property(a) {
                    let ty = LogicalType::String;
                    let text = Other { ty, value: None, parameter: None, is_test: true };
                    self.compare(var, &name, &text, Some(span));
                }
            }
            _ => {}
        }
    }

    /// What an expression is, if its type is certain.
    fn other(&self, expr: &Expr) -> Option<Other> {
        let of = |value: &Value, parameter| {
            let ty = value.logical_type();
            (!value.is_null()).then(|| Other { ty, value: Some(value.clone()), parameter, is_test: false })
        };
        match expr {
            Expr::Const(value) => of(value, None),
            Expr::Param(name) => of(self.params.get(name)?, Some(Arc::clone(name))),
            Expr::Call(name, ..) => {
                let ty = (trimorph_functions::lookup(name)?.result)(&[]);
                (ty != LogicalType::Any).then_some(Other { ty, value: None, parameter: None, is_test: false })
            }
            _ => None,
        }
    }

    /// What all items of a list are.
    fn items(&self, expr: &Expr) -> Option<Other> {
        let all = |items: Vec<Option<Other>>| {
            let mut items = items.into_iter();
            let first = items.next()??;
            items.all(|item| item.is_some_and(|item| kind(item.ty) == kind(first.ty))).then_some(first)
        };
        match expr {
            Expr::List(items) => all(items.iter().map(|item| self.other(item)).collect()),
            Expr::Const(Value::List(items)) => {
                all(items.iter().map(|item| self.other(&Expr::Const(item.clone()))).collect())
            }
            Expr::Param(name) => match self.params.get(name)? {
                Value::List(items) => {
                    let parameter = Some(Arc::clone(name));
                    let found =
                        all(items.iter().map(|item| self.other(&Expr::Const(item.clone()))).collect())?;
                    Some(Other { parameter, ..found })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The type that a property has in all nodes that have it.
    fn type_of(&self, name: &Arc<str>) -> Option<LogicalType> {
        let columns = self.catalog.node_columns(Some(std::slice::from_ref(name)));
        let mut known = None;
        for (table, column) in columns {
            let ty = self.catalog.column_type(table, column)?;
            let is_certain = self.catalog.has_one_type(table, column) && kind(ty) != Kind::Unknown;
            if !is_certain || known.is_some_and(|known| kind(known) != kind(ty)) {
                return None;
            }
            known = Some(ty);
        }
        known
    }

    fn compare(&mut self, var: VarId, name: &Arc<str>, other: &Other, span: Option<Span>) {
        if self.vars.get(var).ty != LogicalType::Node {
            return;
        }
        let Some(ty) = self.type_of(name) else { return };
        if kind(ty) == kind(other.ty) || kind(other.ty) == Kind::Unknown {
            return;
        }
        let given = match &other.parameter {
            Some(parameter) => format!("the parameter \"${parameter}\" is {}", other.ty.name()),
            None => format!("is compared with {}", other.ty.name()),
        };
        let joined = if other.parameter.is_some() { ", and " } else { " and " };
        let primary = format!("\"{name}\" is {}{joined}{given}: this is never true", ty.name());
        let span = span.unwrap_or(Span { start: 0, end: 0 });
        self.found.push(Notice { detail: "NeverTrue", primary, hint: hint(ty, other), span });
    }
}

/// Types of which values may be equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Number,
    One(LogicalType),
}

fn kind(ty: LogicalType) -> Kind {
    match ty {
        LogicalType::Any => Kind::Unknown,
        LogicalType::Int | LogicalType::Float | LogicalType::Decimal => Kind::Number,
        other => Kind::One(other),
    }
}

/// Whether the text of a date, a time or a duration may begin so.
fn is_of_times(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, 'P' | '-' | '+')
}

/// What to write so that the comparison can be true.
fn hint(property: LogicalType, other: &Other) -> Option<String> {
    if other.is_test {
        return Some("write toString(…) around the property".to_owned());
    }
    let written = match (&other.parameter, &other.value) {
        (Some(name), _) => format!("${name}"),
        (None, Some(Value::String(text))) if text.len() <= 40 && text.starts_with(is_of_times) => {
            format!("'{text}'")
        }
        (None, Some(Value::Int(number))) => number.to_string(),
        _ => "…".to_owned(),
    };
    let is_text = other.ty == LogicalType::String;
    match property {
        LogicalType::Date
        | LogicalType::DateTime
        | LogicalType::LocalDateTime
        | LogicalType::Time
        | LogicalType::LocalTime
        | LogicalType::Duration => {
            Some(format!("write {}({written})", property.name().replace(' ', "").to_lowercase()))
        }
        LogicalType::Int | LogicalType::Float | LogicalType::Decimal if is_text => match &other.value {
            Some(Value::String(text)) if other.parameter.is_none() && text.trim().parse::<f64>().is_ok() => {
                Some(format!("write {} without quotes", text.trim()))
            }
            _ => Some(format!("pass a number, or write toInteger({written})")),
        },
        LogicalType::String if matches!(kind(other.ty), Kind::Number) => {
            match (&other.parameter, &other.value) {
                (None, Some(Value::Int(number))) => Some(format!("write '{number}'")),
                _ => Some(format!("pass a text, or write toString({written})")),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Database};
    use trimorph_types::Value;

    #[test]
    fn what_is_never_true_is_said_with_what_to_write() {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        let make = "UNWIND range(1, 9) AS i CREATE (:A {id: i, name: 'n' + i, born: date('2000-01-01'), mixed: i}), \
                    (:B {mixed: 'text', half: i / 2.0})";
        connection.query(make, &[]).unwrap();
        let params = [
            ("text", Value::string("7")),
            ("number", Value::Int(7)),
            ("list", Value::list(vec![Value::string("7")])),
        ];
        for (condition, expected) in [
            (
                "a.id = '7'",
                &[
                    "\"id\" is INTEGER and is compared with STRING: this is never true (write 7 without quotes)",
                ][..],
            ),
            (
                "'x' < a.id",
                &[
                    "\"id\" is INTEGER and is compared with STRING: this is never true (pass a number, or write toInteger(…))",
                ],
            ),
            (
                "a.id = $text",
                &[
                    "\"id\" is INTEGER, and the parameter \"$text\" is STRING: this is never true (pass a number, or write toInteger($text))",
                ],
            ),
            (
                "a.id IN $list",
                &[
                    "\"id\" is INTEGER, and the parameter \"$list\" is STRING: this is never true (pass a number, or write toInteger($list))",
                ],
            ),
            (
                "a.name = 7",
                &["\"name\" is STRING and is compared with INTEGER: this is never true (write '7')"],
            ),
            (
                "a.name = $number",
                &[
                    "\"name\" is STRING, and the parameter \"$number\" is INTEGER: this is never true (pass a text, or write toString($number))",
                ],
            ),
            (
                "a.born >= '2000-01-01'",
                &[
                    "\"born\" is DATE and is compared with STRING: this is never true (write date('2000-01-01'))",
                ],
            ),
            (
                "a.born STARTS WITH '2000'",
                &[
                    "\"born\" is DATE and is compared with STRING: this is never true (write toString(…) around the property)",
                ],
            ),
            ("a.id = 7.0 AND a.half = 1 AND a.id <> 'x' AND a.name = 'n1'", &[]),
            ("a.mixed = 'text' OR a.mixed = 1 OR a.born = date('2000-01-01')", &[]),
            ("a.id = null OR a.id IN [] OR a.id IN [1, 'x'] OR a.id = a.name OR a.id = $none", &[]),
        ] {
            let text = format!("MATCH (a) WHERE {condition} RETURN count(*)");
            let all = [&params[..], &[("none", Value::Null)]].concat();
            let result = connection.query(&text, &all).unwrap();
            let found: Vec<String> = result
                .notices()
                .iter()
                .map(|n| format!("{} ({})", n.message, n.hint.as_deref().unwrap_or_default()))
                .collect();
            assert_eq!(found, expected, "{condition}");
        }
    }

    #[test]
    fn an_empty_database_says_so() {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        let notices = |text: &str| connection.query(text, &[]).unwrap().notices().len();
        assert_eq!(notices("MATCH (n:A) RETURN n"), 1);
        assert_eq!(notices("MATCH (n)-->() RETURN count(*)"), 1);
        assert_eq!(notices("RETURN 1"), 0);
        assert_eq!(notices("MATCH (n) DETACH DELETE n"), 0);
        assert_eq!(notices("MERGE (:A)"), 0);
        assert_eq!(notices("MATCH (n:A) RETURN n"), 0);
    }
}

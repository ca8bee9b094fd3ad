//! Functions of texts. Positions and lengths count characters, from 1.
//!
//! A text has a language or none; what is made of it has the same. A second text must have none, or the same
//! (SPARQL 1.1, §17.4.3.1.2, "compatible"). Base directions are part of the tag.

use std::fmt::Write as _;
use std::sync::Arc;

use trimorph_types::{Literal, LiteralKind, LogicalType, Value};
use trimorph_vector::{Positions, Vector};

use super::found::{Found, Miss, found, of_terms};
use super::number::Number;
use crate::context::Context;
use crate::function::{Function, result};
use crate::kernel::Argument;
use crate::kernels::texts::{self, TextTest};
use crate::letter_case;
use crate::string::byte_of;

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("strlen", (1, 1), result::int, strlen, "strlen(text): the number of characters")
        .typed(texts::length),
    of_terms!(
        "substr",
        (2, 3),
        alike,
        substr,
        "substr(text, start[, length]): part of a text, from position 1"
    )
    .typed(substr_of_texts),
    of_terms!("ucase", (1, 1), alike, ucase, "ucase(text): in upper case").typed(texts::to_upper),
    of_terms!("lcase", (1, 1), alike, lcase, "lcase(text): in lower case").typed(texts::to_lower),
    of_terms!(
        "strstarts",
        (2, 2),
        result::bool,
        |_, a| test(a, |text, part| text.starts_with(part)),
        "strstarts(text, part): whether the text begins with the part"
    )
    .typed(|_, args, at| texts::test_texts(TextTest::StartsWith, args[0], args[1], at)),
    of_terms!(
        "strends",
        (2, 2),
        result::bool,
        |_, a| test(a, |text, part| text.ends_with(part)),
        "strends(text, part): whether the text ends with the part"
    )
    .typed(|_, args, at| texts::test_texts(TextTest::EndsWith, args[0], args[1], at)),
    of_terms!(
        "contains",
        (2, 2),
        result::bool,
        |_, a| test(a, |text, part| text.contains(part)),
        "contains(text, part): whether the part is in the text"
    )
    .typed(|_, args, at| texts::test_texts(TextTest::Contains, args[0], args[1], at)),
    of_terms!(
        "strbefore",
        (2, 2),
        alike,
        |_, a| cut(a, |text, part| text.split_once(part).map(|(before, _)| before)),
        "strbefore(text, part): what stands before the first such part"
    )
    .typed(|_, args, at| texts::before_part(args, at)),
    of_terms!(
        "strafter",
        (2, 2),
        alike,
        |_, a| cut(a, |text, part| text.split_once(part).map(|(_, after)| after)),
        "strafter(text, part): what stands behind the first such part"
    )
    .typed(|_, args, at| texts::behind_part(args, at)),
    of_terms!("concat", (0, usize::MAX), joined, concat, "concat(text, …): one text of all")
        .typed(|_, args, at| texts::concat_each(args, at)),
    of_terms!(
        "encode_for_uri",
        (1, 1),
        result::string,
        encode_for_uri,
        "encode_for_uri(text): with %XX for what has a meaning in IRIs"
    ),
    of_terms!(
        "langmatches",
        (2, 2),
        result::bool,
        lang_matches,
        "langmatches(tag, range): whether a language is in a range"
    ),
];

/// A string of strings; with a language, a literal.
pub(super) fn alike(args: &[LogicalType]) -> LogicalType {
    if args.first() == Some(&LogicalType::String) { LogicalType::String } else { LogicalType::Any }
}

fn joined(args: &[LogicalType]) -> LogicalType {
    let plain = args.iter().all(|arg| *arg == LogicalType::String);
    if plain { LogicalType::String } else { LogicalType::Any }
}

/// A text and its language.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) tag: Option<&'a Arc<str>>,
}

impl<'a> Text<'a> {
    /// A text with or without a language.
    pub(super) fn of(value: &'a Value) -> Found<Self> {
        match value {
            Value::String(text) => Ok(Self { text, tag: None }),
            Value::Literal(literal) => match &literal.kind {
                LiteralKind::Language(tag) => Ok(Self { text: &literal.lexical, tag: Some(tag) }),
                LiteralKind::Datatype(_) => Err(Miss::Error),
            },
            _ => Err(Miss::Error),
        }
    }

    /// A text without language.
    pub(super) fn plain(value: &'a Value) -> Found<&'a str> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(Miss::Error),
        }
    }

    /// Another text in the same language.
    pub(super) fn like(self, text: impl Into<Arc<str>>) -> Value {
        match self.tag {
            None => Value::string(text),
            Some(tag) => Value::Literal(Arc::new(Literal::in_language(text, tag.clone()))),
        }
    }

    /// Two texts of which the second has no language, or that of the first.
    fn two(args: &'a [Value]) -> Found<(Self, &'a str)> {
        let (first, second) = (Self::of(&args[0])?, Self::of(&args[1])?);
        let fits = match (first.tag, second.tag) {
            (_, None) => true,
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (None, Some(_)) => false,
        };
        if fits { Ok((first, second.text)) } else { Err(Miss::Error) }
    }
}

fn strlen(_: &Context<'_>, args: &[Value]) -> Found {
    let letters = Text::of(&args[0])?.text.chars().count();
    found(i64::try_from(letters).ok()).map(Value::Int)
}

fn substr(_: &Context<'_>, args: &[Value]) -> Found {
    let text = Text::of(&args[0])?;
    let (start, end) = match (&args[1], args.get(2)) {
        (Value::Int(start), None) => (*start, i64::MAX),
        (Value::Int(start), Some(Value::Int(length))) => (*start, start.saturating_add(*length)),
        (start, length) => {
            let start = found(Number::of(start))?.to_double().round();
            let end = match length {
                Some(length) => start + found(Number::of(length))?.to_double().round(),
                None => f64::INFINITY,
            };
            // No character has a position below or at NaN.
            if start.is_nan() || end.is_nan() { (1, 1) } else { (position(start), position(end)) }
        }
    };
    let (from, len) = part_between(start, end);
    let rest = &text.text[byte_of(text.text, from)..];
    Ok(text.like(&rest[..byte_of(rest, len)]))
}

/// The characters before a part and within it, where it is from one position to before another.
fn part_between(start: i64, end: i64) -> (usize, usize) {
    let from = usize::try_from(start.max(1) - 1).unwrap_or(usize::MAX);
    let to = usize::try_from(end.max(1) - 1).unwrap_or(usize::MAX).max(from);
    (from, to - from)
}

/// `substr` of texts without languages, the same part of each.
fn substr_of_texts<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (text, start, end) = match args {
        [text, Argument::One(Value::Int(start))] => (text, *start, i64::MAX),
        [text, Argument::One(Value::Int(start)), Argument::One(Value::Int(length))] => {
            (text, *start, start.saturating_add(*length))
        }
        _ => return None,
    };
    let (from, len) = part_between(start, end);
    let [from, len] = [from, len].map(|count| Value::Int(i64::try_from(count).unwrap_or(i64::MAX)));
    texts::substring(context, &[*text, Argument::One(&from), Argument::One(&len)], at)
}

/// Positions beyond any text are brought to the ends of the range.
#[expect(clippy::cast_possible_truncation, reason = "the cast stops at the ends of the range")]
const fn position(number: f64) -> i64 {
    number as i64
}

fn ucase(context: &Context<'_>, args: &[Value]) -> Found {
    let text = Text::of(&args[0])?;
    Ok(text.like(letter_case::upper(text.text, context.steps())?))
}

fn lcase(context: &Context<'_>, args: &[Value]) -> Found {
    let text = Text::of(&args[0])?;
    Ok(text.like(letter_case::lower(text.text, context.steps())?))
}

fn test(args: &[Value], holds: fn(&str, &str) -> bool) -> Found {
    let (text, part) = Text::two(args)?;
    Ok(Value::Bool(holds(text.text, part)))
}

/// Where there is no such part, the empty text without language.
fn cut(args: &[Value], part_of: for<'t> fn(&'t str, &str) -> Option<&'t str>) -> Found {
    let (text, part) = Text::two(args)?;
    Ok(part_of(text.text, part).map_or_else(|| Value::string(""), |part| text.like(part)))
}

/// In the language that all have, or in none.
fn concat(context: &Context<'_>, args: &[Value]) -> Found {
    let mut steps = context.steps();
    let mut out = String::new();
    let mut tag = args.first().map(Text::of).transpose()?.and_then(|text| text.tag);
    for arg in args {
        steps.step()?;
        let text = Text::of(arg)?;
        out.push_str(text.text);
        tag = tag.filter(|tag| text.tag.is_some_and(|other| tag.eq_ignore_ascii_case(other)));
    }
    Ok(Text { text: "", tag }.like(out))
}

fn encode_for_uri(_: &Context<'_>, args: &[Value]) -> Found {
    let Text { text, .. } = Text::of(&args[0])?;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(byte.into());
        } else {
            _ = write!(out, "%{byte:02X}");
        }
    }
    Ok(Value::string(out))
}

/// Basic filtering: the range is the tag, or what the tag begins with, up to a hyphen.
///
/// Source: RFC 4647, §3.3.1.
fn lang_matches(_: &Context<'_>, args: &[Value]) -> Found {
    let (tag, range) = (Text::plain(&args[0])?, Text::plain(&args[1])?);
    let matches = if range == "*" {
        !tag.is_empty()
    } else {
        let (tag, range) = (tag.as_bytes(), range.as_bytes());
        let starts = tag.get(..range.len()).is_some_and(|start| start.eq_ignore_ascii_case(range));
        starts && !range.is_empty() && matches!(tag.get(range.len()), None | Some(b'-'))
            || tag.is_empty() && range.is_empty()
    };
    Ok(Value::Bool(matches))
}

//! Functions of strings. Positions and lengths count Unicode characters, not bytes.

use std::sync::Arc;

use trimorph_base::Diagnostic;
use trimorph_types::{ListBuilder, Value};

use crate::context::Context;
use crate::error::{Answer, bad_argument, negative, wrong_type};
use crate::function::{Function, result};
use crate::kernels::texts;
use crate::letter_case;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new("left", (2, 2), result::string, left, "left(text, n): the first n characters")
        .typed(texts::left),
    Function::new("right", (2, 2), result::string, right, "right(text, n): the last n characters")
        .typed(texts::right),
    Function::new(
        "substring",
        (2, 3),
        result::string,
        substring,
        "substring(text, start[, length]): part of a text, from position 0",
    )
    .typed(texts::substring),
    Function::new(
        "replace",
        (3, 4),
        result::string,
        replace,
        "replace(text, search, replacement[, limit]): text with search replaced",
    )
    .typed(texts::replace),
    Function::new(
        "split",
        (2, 2),
        result::list,
        split,
        "split(text, delimiter): the parts between delimiters (one or a list of them)",
    )
    .typed(texts::split),
    Function::new("trim", (1, 2), result::string, trim, "trim(text): without whitespace at both ends")
        .typed(texts::trim),
    Function::new(
        "btrim",
        (1, 2),
        result::string,
        trim,
        "btrim(text[, characters]): without whitespace or the given characters at both ends",
    )
    .typed(texts::trim),
    Function::new(
        "ltrim",
        (1, 2),
        result::string,
        trim_start,
        "ltrim(text[, characters]): the same at the start",
    )
    .typed(texts::trim_start),
    Function::new(
        "rtrim",
        (1, 2),
        result::string,
        trim_end,
        "rtrim(text[, characters]): the same at the end",
    )
    .typed(texts::trim_end),
    Function::new("toUpper", (1, 1), result::string, to_upper, "toUpper(text): in upper case")
        .typed(texts::to_upper),
    Function::new("upper", (1, 1), result::string, to_upper, "upper(text): in upper case")
        .typed(texts::to_upper),
    Function::new("toLower", (1, 1), result::string, to_lower, "toLower(text): in lower case")
        .typed(texts::to_lower),
    Function::new("lower", (1, 1), result::string, to_lower, "lower(text): in lower case")
        .typed(texts::to_lower),
    Function::new(
        "char_length",
        (1, 1),
        result::int,
        char_length,
        "char_length(text): the number of characters",
    )
    .typed(texts::length),
    Function::new(
        "character_length",
        (1, 1),
        result::int,
        char_length,
        "character_length(text): the number of characters",
    )
    .typed(texts::length),
];

fn text<'v>(function: &str, value: &'v Value) -> Result<&'v Arc<str>, Diagnostic> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong_type(function, "a STRING", other)),
    }
}

/// A count of characters; what is beyond `usize` is beyond any text.
fn count(function: &str, argument: &str, value: &Value) -> Result<usize, Diagnostic> {
    match value {
        Value::Int(n) if *n < 0 => Err(negative(function, argument, *n)),
        Value::Int(n) => Ok(usize::try_from(*n).unwrap_or(usize::MAX)),
        other => Err(wrong_type(function, "an INTEGER", other)),
    }
}

/// The byte at which character `position` starts; the end of the text if it is shorter.
pub(crate) fn byte_of(text: &str, position: usize) -> usize {
    // Characters of ASCII are bytes.
    if text.as_bytes().get(..position).is_some_and(<[u8]>::is_ascii) {
        return position;
    }
    text.char_indices().nth(position).map_or(text.len(), |(byte, _)| byte)
}

fn left(_: &Context<'_>, args: &[Value]) -> Answer {
    let (text, n) = (text("left()", &args[0])?, count("left()", "length", &args[1])?);
    Ok(Value::string(&text[..byte_of(text, n)]))
}

fn right(_: &Context<'_>, args: &[Value]) -> Answer {
    let (text, n) = (text("right()", &args[0])?, count("right()", "length", &args[1])?);
    let skipped = text.chars().count().saturating_sub(n);
    Ok(Value::string(&text[byte_of(text, skipped)..]))
}

fn substring(_: &Context<'_>, args: &[Value]) -> Answer {
    let text = text("substring()", &args[0])?;
    let from = &text[byte_of(text, count("substring()", "start", &args[1])?)..];
    let length = args.get(2).map_or(Ok(usize::MAX), |n| count("substring()", "length", n))?;
    Ok(Value::string(&from[..byte_of(from, length)]))
}

fn replace(context: &Context<'_>, args: &[Value]) -> Answer {
    let [original, search, replacement] = [0, 1, 2].map(|i| text("replace()", &args[i]));
    let (original, search, replacement) = (original?, search?, replacement?);
    let limit = args.get(3).map_or(Ok(usize::MAX), |limit| count("replace()", "limit", limit))?;
    let (mut text, mut end, mut steps) = (String::new(), 0, context.steps());
    for (at, found) in original.match_indices(&**search).take(limit) {
        steps.step()?;
        text.push_str(&original[end..at]);
        text.push_str(replacement);
        end = at + found.len();
    }
    text.push_str(&original[end..]);
    Ok(Value::string(text))
}

fn split(context: &Context<'_>, args: &[Value]) -> Answer {
    let whole = text("split()", &args[0])?;
    let delimiters = match &args[1] {
        Value::List(items) => {
            items.iter().map(|item| text("split()", item).cloned()).collect::<Result<Vec<_>, _>>()?
        }
        one => vec![text("split()", one)?.clone()],
    };
    let (mut parts, mut steps) = (ListBuilder::new(), context.steps());
    if delimiters.iter().any(|delimiter| delimiter.is_empty()) {
        for c in whole.chars() {
            steps.step()?;
            parts.push(Value::string(c.to_string()));
        }
        return Ok(parts.finish());
    }
    let (mut start, mut at) = (0, 0);
    while let Some(rest) = whole.get(at..).filter(|rest| !rest.is_empty()) {
        steps.step()?;
        // The first delimiter in the list wins where several start.
        if let Some(delimiter) = delimiters.iter().find(|delimiter| rest.starts_with(&***delimiter)) {
            parts.push(Value::string(&whole[start..at]));
            at += delimiter.len();
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push(Value::string(&whole[start..]));
    Ok(parts.finish())
}

/// Whether `c` goes: whitespace, or one of the characters of the second argument.
fn trimmed(function: &'static str, args: &[Value]) -> Result<impl Fn(char) -> bool + use<>, Diagnostic> {
    let characters: Option<Arc<str>> = args.get(1).map(|set| text(function, set).cloned()).transpose()?;
    if characters.as_ref().is_some_and(|set| set.is_empty()) {
        return Err(bad_argument(format!("{function} expects at least one character to trim")));
    }
    Ok(move |c: char| characters.as_ref().map_or_else(|| c.is_whitespace(), |set| set.contains(c)))
}

fn trim(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::string(text("trim()", &args[0])?.trim_matches(trimmed("trim()", args)?)))
}

fn trim_start(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::string(text("ltrim()", &args[0])?.trim_start_matches(trimmed("ltrim()", args)?)))
}

fn trim_end(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::string(text("rtrim()", &args[0])?.trim_end_matches(trimmed("rtrim()", args)?)))
}

fn to_upper(context: &Context<'_>, args: &[Value]) -> Answer {
    letter_case::upper(text("toUpper()", &args[0])?, context.steps()).map(Value::string)
}

fn to_lower(context: &Context<'_>, args: &[Value]) -> Answer {
    letter_case::lower(text("toLower()", &args[0])?, context.steps()).map(Value::string)
}

fn char_length(_: &Context<'_>, args: &[Value]) -> Answer {
    let letters = text("char_length()", &args[0])?.chars().count();
    Ok(Value::Int(i64::try_from(letters).unwrap_or(i64::MAX)))
}

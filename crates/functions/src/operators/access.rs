//! `container[index]`, `list[from..to]` and `subject.name`.

use trimorph_base::{Diagnostic, ErrorKind, nearest};
use trimorph_types::Value;
use trimorph_types::temporal::{component, component_names};

use crate::context::Context;
use crate::error::{Answer, type_name, wrong_type};

/// `container[index]`: an element of a list (from the end if negative), an entry of a map, a property of an
/// entity.
pub fn index(context: &Context<'_>, container: &Value, index: &Value) -> Answer {
    match (container, index) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::List(items), Value::Int(position)) => {
            Ok(place(*position, items.len()).and_then(|at| items.get(at)).cloned().unwrap_or_default())
        }
        (Value::List(_), other) => Err(bad_key("ListElementAccessByNonInteger", "a LIST", "INTEGER", other)),
        (Value::Map(entries), Value::String(key)) => Ok(entries.get(key).cloned().unwrap_or_default()),
        (Value::Node(_) | Value::Relationship(_), Value::String(key)) => {
            context.graph.property(container, key)
        }
        (Value::Map(_) | Value::Node(_) | Value::Relationship(_), other) => {
            Err(bad_key("MapElementAccessByNonString", "a MAP", "STRING", other))
        }
        (other, _) => {
            Err(of_text(wrong_type("element access", "a LIST, MAP, NODE or RELATIONSHIP", other), other))
        }
    }
}

/// A text is no list of its characters here, as it is in Python and Kuzu.
fn of_text(error: Diagnostic, value: &Value) -> Diagnostic {
    match value {
        Value::String(_) => {
            error.hint("write substring(text, start, length), left(text, n) or right(text, n)")
        }
        _ => error,
    }
}

fn bad_key(detail: &'static str, container: &str, expected: &str, key: &Value) -> Diagnostic {
    let primary = format!("an element of {container} is accessed by {expected}, not {}", type_name(key));
    Diagnostic::runtime(ErrorKind::TypeError, detail, primary)
}

/// The index of `position`, counted from the end if negative.
fn place(position: i64, len: usize) -> Option<usize> {
    match usize::try_from(position) {
        Ok(at) => Some(at),
        Err(_) => len.checked_sub(usize::try_from(position.unsigned_abs()).ok()?),
    }
}

/// `list[from..to]`, `None` being a bound that is not written; a bound that is null gives null.
pub fn slice(list: &Value, from: Option<&Value>, to: Option<&Value>) -> Answer {
    if list.is_null() || [from, to].iter().flatten().any(|bound| bound.is_null()) {
        return Ok(Value::Null);
    }
    let Value::List(items) = list else {
        return Err(of_text(wrong_type("list slicing", "a LIST", list), list));
    };
    let bound = |value: Option<&Value>, absent: usize| match value {
        None => Ok(absent),
        Some(Value::Int(position)) if *position < 0 => Ok(place(*position, items.len()).unwrap_or(0)),
        Some(Value::Int(position)) => {
            Ok(usize::try_from(*position).map_or(items.len(), |at| at.min(items.len())))
        }
        Some(other) => Err(wrong_type("list slicing", "INTEGER bounds", other)),
    };
    let (from, to) = (bound(from, 0)?, bound(to, items.len())?);
    Ok(Value::list(items.get(from..to).unwrap_or_default().to_vec()))
}

/// `subject.name`: a property of an entity, an entry of a map, a component of a temporal value or duration.
pub fn property_of(context: &Context<'_>, subject: &Value, name: &str) -> Answer {
    match subject {
        Value::Null => Ok(Value::Null),
        Value::Map(entries) => Ok(entries.get(name).cloned().unwrap_or_default()),
        Value::Node(_) | Value::Relationship(_) => context.graph.property(subject, name),
        _ => match component(subject, name) {
            Some(value) => Ok(value),
            None => Err(no_such_property(subject, name)),
        },
    }
}

fn no_such_property(subject: &Value, name: &str) -> Diagnostic {
    let components = component_names(subject);
    if components.is_empty() {
        return wrong_type("property access", "a NODE, RELATIONSHIP, MAP or temporal value", subject);
    }
    let primary = format!("{} has no component \"{name}\"", type_name(subject));
    let error = Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentValue", primary);
    if let (Value::LocalDateTime(_) | Value::Date(_), "epochSeconds" | "epochMillis") = (subject, name) {
        return error.hint(format!("it has no zone: write datetime(…).{name}"));
    }
    match nearest(name, components) {
        Some(near) => error.hint(format!("did you mean \"{near}\"?")),
        None => error,
    }
}

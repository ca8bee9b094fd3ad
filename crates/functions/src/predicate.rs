//! Functions about null, emptiness and type: coalesce, nullIf, exists, isEmpty, isNaN, valueType.

use trimorph_types::{LogicalType, Value, equals};

use crate::context::Context;
use crate::error::{Answer, wrong_type};
use crate::function::{Function, result};
use crate::kernels::predicate as kernels;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "coalesce",
        (1, usize::MAX),
        common,
        coalesce,
        "coalesce(a, b, …): the first argument that is not null",
    )
    .sees_null()
    .by_need(),
    Function::new("nullIf", (2, 2), result::first, null_if, "nullIf(a, b): null if a = b, else a")
        .sees_null()
        .by_equality(),
    Function::new("exists", (1, 1), result::bool, exists, "exists(a): whether a is not null")
        .sees_null()
        .typed(kernels::exists),
    Function::new(
        "isEmpty",
        (1, 1),
        result::bool,
        is_empty,
        "isEmpty(a): whether a list, map or string has nothing in it",
    )
    .typed(|context, args, at| {
        crate::kernels::texts::is_empty(args, at)
            .or_else(|| crate::kernels::lists::is_empty(context, args, at))
    }),
    Function::new("isNaN", (1, 1), result::bool, is_nan, "isNaN(x): whether the number is not a number")
        .typed(kernels::is_nan),
    Function::new("valueType", (1, 1), result::string, value_type, "valueType(a): the name of a's type")
        .sees_null(),
];

/// The type all arguments share.
fn common(args: &[LogicalType]) -> LogicalType {
    let first = result::first(args);
    if args.iter().all(|kind| *kind == first) { first } else { LogicalType::Any }
}

fn coalesce(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(args.iter().find(|arg| !arg.is_null()).cloned().unwrap_or_default())
}

fn null_if(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(if equals(&args[0], &args[1]) == Some(true) { Value::Null } else { args[0].clone() })
}

fn exists(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::Bool(!args[0].is_null()))
}

fn is_empty(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::Bool(match &args[0] {
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::String(text) => text.is_empty(),
        other => return Err(wrong_type("isEmpty()", "a LIST, MAP or STRING", other)),
    }))
}

fn is_nan(_: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::Float(x) => Ok(Value::Bool(x.is_nan())),
        Value::Int(_) | Value::Decimal(_) => Ok(Value::Bool(false)),
        other => Err(wrong_type("isNaN()", "a number", other)),
    }
}

fn value_type(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(Value::string(type_text(&args[0])))
}

/// `INTEGER NOT NULL`, `LIST<STRING NOT NULL> NOT NULL`, `NULL`.
fn type_text(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::List(items) => {
            let mut kinds: Vec<String> = items.iter().map(type_text).collect();
            kinds.sort();
            kinds.dedup();
            let nullable = kinds.iter().any(|kind| kind == "NULL");
            if nullable && kinds.len() > 1 {
                kinds.retain(|kind| kind != "NULL");
                kinds.iter_mut().for_each(|kind| *kind = kind.trim_end_matches(" NOT NULL").to_owned());
            }
            let inner = if kinds.is_empty() { "NOTHING".to_owned() } else { kinds.join(" | ") };
            format!("LIST<{inner}> NOT NULL")
        }
        Value::DateTime(_) => "ZONED DATETIME NOT NULL".into(),
        Value::Time(_) => "ZONED TIME NOT NULL".into(),
        other => format!("{} NOT NULL", other.logical_type().name()),
    }
}

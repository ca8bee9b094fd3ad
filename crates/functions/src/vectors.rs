//! How near two vectors are, that is two lists of as many numbers: `vector.similarity.…`, from 0 to 1.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::context::Context;
use crate::error::{Answer, bad_argument, wrong_type};
use crate::function::{Function, result};
use crate::kernels::nearness;
use crate::list::items;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "vector.similarity.cosine",
        (2, 2),
        result::float,
        cosine,
        "vector.similarity.cosine(a, b): how much two lists of numbers point the same way, from 0 to 1",
    )
    .typed(nearness::cosine),
    Function::new(
        "vector.similarity.euclidean",
        (2, 2),
        result::float,
        euclidean,
        "vector.similarity.euclidean(a, b): how near two lists of numbers are, 1 / (1 + distance²)",
    )
    .typed(nearness::euclidean),
];

/// The numbers of both lists, of which there are as many.
fn pairs(function: &str, args: &[Value]) -> Result<[Vec<f64>; 2], Diagnostic> {
    let [a, b] = [items(function, &args[0])?, items(function, &args[1])?];
    if a.len() != b.len() || a.is_empty() {
        let primary =
            format!("{function} expects lists of as many numbers, not of {} and {}", a.len(), b.len());
        return Err(bad_argument(primary));
    }
    let numbers = |list: &[Value]| list.iter().map(|value| number(function, value)).collect::<Result<_, _>>();
    Ok([numbers(a)?, numbers(b)?])
}

#[expect(clippy::cast_precision_loss, reason = "as toFloat does")]
fn number(function: &str, value: &Value) -> Result<f64, Diagnostic> {
    match value {
        Value::Float(x) => Ok(*x),
        Value::Int(x) => Ok(*x as f64),
        other => Err(wrong_type(function, "lists of numbers", other)),
    }
}

fn cosine(_: &Context<'_>, args: &[Value]) -> Answer {
    let [a, b] = pairs("vector.similarity.cosine()", args)?;
    let without = || bad_argument("vector.similarity.cosine() expects vectors with a direction, not zeros");
    nearness::cosine_of(&a, &b).map(Value::Float).ok_or_else(without)
}

fn euclidean(_: &Context<'_>, args: &[Value]) -> Answer {
    let [a, b] = pairs("vector.similarity.euclidean()", args)?;
    Ok(Value::Float(nearness::euclidean_of(&a, &b)))
}

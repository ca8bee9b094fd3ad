//! How near two vectors are, that is two lists of as many numbers: `vector.similarity.…`, from 0 to 1.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::context::Context;
use crate::error::{Answer, bad_argument, wrong_type};
use crate::function::{Function, result};
use crate::list::items;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "vector.similarity.cosine",
        (2, 2),
        result::float,
        cosine,
        "vector.similarity.cosine(a, b): how much two lists of numbers point the same way, from 0 to 1",
    ),
    Function::new(
        "vector.similarity.euclidean",
        (2, 2),
        result::float,
        euclidean,
        "vector.similarity.euclidean(a, b): how near two lists of numbers are, 1 / (1 + distance²)",
    ),
];

/// Both lists, number by number.
fn pairs(function: &str, args: &[Value]) -> Result<Vec<(f64, f64)>, Diagnostic> {
    let [a, b] = [items(function, &args[0])?, items(function, &args[1])?];
    if a.len() != b.len() || a.is_empty() {
        let primary =
            format!("{function} expects lists of as many numbers, not of {} and {}", a.len(), b.len());
        return Err(bad_argument(primary));
    }
    a.iter().zip(b).map(|(a, b)| Ok((number(function, a)?, number(function, b)?))).collect()
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
    let pairs = pairs("vector.similarity.cosine()", args)?;
    let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let [of_a, of_b] = [sum(|(a, _)| a * a), sum(|(_, b)| b * b)];
    // One root is more exact than two, where the product has room.
    let lengths = if (of_a * of_b).is_normal() { (of_a * of_b).sqrt() } else { of_a.sqrt() * of_b.sqrt() };
    if lengths == 0.0 {
        return Err(bad_argument("vector.similarity.cosine() expects vectors with a direction, not zeros"));
    }
    // Rounding must not lead beyond what a cosine can be.
    let cosine = (sum(|(a, b)| a * b) / lengths).clamp(-1.0, 1.0);
    Ok(Value::Float(f64::midpoint(1.0, cosine)))
}

fn euclidean(_: &Context<'_>, args: &[Value]) -> Answer {
    let pairs = pairs("vector.similarity.euclidean()", args)?;
    Ok(Value::Float(1.0 / (1.0 + pairs.iter().map(|(a, b)| (a - b) * (a - b)).sum::<f64>())))
}

//! Aggregates over a list that holds one value for each solution; null is an error in that solution.
//!
//! Source: SPARQL 1.1, §18.5.1. An error makes every aggregate an error but SAMPLE, which leaves it out.

use trimorph_types::Value;

use super::arithmetic::{Operator, combine};
use super::found::{Found, Miss, found, of_values, term_of};
use super::number::Number;
use super::order::{Place, place};
use super::terms::text_of;
use super::texts::Text;
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_values!(
        "sum",
        (1, 1),
        result::any,
        |context, args| Ok(sum(context, args)?.0.value()),
        "sum(list): the sum of numbers, 0 of none"
    ),
    of_values!("avg", (1, 1), result::any, avg, "avg(list): the mean of numbers, 0 of none"),
    of_values!(
        "min",
        (1, 1),
        result::any,
        |context, args| extremum(context, args, false),
        "min(list): the first in SPARQL's order"
    ),
    of_values!(
        "max",
        (1, 1),
        result::any,
        |context, args| extremum(context, args, true),
        "max(list): the last in SPARQL's order"
    ),
    of_values!("sample", (1, 1), result::any, sample, "sample(list): one of the values"),
    of_values!(
        "group_concat",
        (1, 2),
        result::string,
        group_concat,
        "group_concat(list[, separator]): the texts of all, a blank between them"
    ),
];

fn items(args: &[Value]) -> Found<&[Value]> {
    match &args[0] {
        Value::List(items) => Ok(items),
        _ => Err(Miss::Error),
    }
}

/// The sum, and of how many numbers.
fn sum(context: &Context<'_>, args: &[Value]) -> Found<(Number, i64)> {
    let items = items(args)?;
    let (mut sum, mut count, mut steps) = (Number::Int(0), 0, context.steps());
    for item in items {
        steps.step()?;
        let number = match item {
            Value::Int(n) => Number::Int(*n),
            item => found(Number::of(&term_of(context, item)?))?,
        };
        sum = found(combine(Operator::Add, sum, number))?;
        count += 1;
    }
    Ok((sum, count))
}

fn avg(context: &Context<'_>, args: &[Value]) -> Found {
    let (sum, count) = sum(context, args)?;
    if count == 0 {
        return Ok(Value::Int(0));
    }
    found(combine(Operator::Div, sum, Number::Int(count))).map(Number::value)
}

fn extremum(context: &Context<'_>, args: &[Value], last: bool) -> Found {
    let items = items(args)?;
    let mut best: Option<(&Value, Place)> = None;
    let mut steps = context.steps();
    for item in items {
        steps.step()?;
        if item.is_null() {
            return Err(Miss::Error);
        }
        match (&best, item) {
            (Some((Value::Int(known), _)), Value::Int(n)) if (n <= known) == last => continue,
            (Some((Value::String(known), _)), Value::String(text)) if (text <= known) == last => continue,
            _ => {}
        }
        let place = place(&term_of(context, item)?);
        let is_better = best.as_ref().is_none_or(|(_, known)| {
            let order = place.cmp(known);
            if last { order.is_gt() } else { order.is_lt() }
        });
        if is_better {
            best = Some((item, place));
        }
    }
    found(best.map(|(item, _)| item.clone()))
}

fn sample(_: &Context<'_>, args: &[Value]) -> Found {
    found(items(args)?.iter().find(|item| !item.is_null()).cloned())
}

fn group_concat(context: &Context<'_>, args: &[Value]) -> Found {
    let separator = args.get(1).map_or(Ok(" "), Text::plain)?;
    let mut out = String::new();
    let mut steps = context.steps();
    for (i, item) in items(args)?.iter().enumerate() {
        steps.step()?;
        if i > 0 {
            out.push_str(separator);
        }
        match item {
            Value::String(text) => out.push_str(text),
            item => match text_of(&term_of(context, item)?)? {
                Value::String(text) => out.push_str(&text),
                _ => return Err(Miss::Error),
            },
        }
    }
    Ok(Value::string(out))
}

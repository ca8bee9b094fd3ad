//! Functions of lists, and of strings where a string is a sequence: size, head, last, tail, reverse, range.

use trimorph_types::{ListBuilder, Value};

use crate::context::Context;
use crate::error::{Answer, out_of_range, type_name, wrong_type};
use crate::function::{Function, result};
use crate::kernels::{lists, texts};
use crate::steps::Steps;
use trimorph_base::{Diagnostic, ErrorKind};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "size",
        (1, 1),
        result::int,
        size,
        "size(a): the number of elements of a list or characters of a string",
    )
    .typed(|context, args, at| texts::length(context, args, at).or_else(|| lists::size(context, args, at))),
    Function::new("head", (1, 1), result::any, head, "head(list): the first element").typed(lists::head),
    Function::new("last", (1, 1), result::any, last, "last(list): the last element").typed(lists::last),
    Function::new("tail", (1, 1), result::list, tail, "tail(list): all elements but the first")
        .typed(lists::tail),
    Function::new("reverse", (1, 1), result::first, reverse, "reverse(a): a list or string backwards").typed(
        |context, args, at| texts::reverse(context, args, at).or_else(|| lists::reverse(context, args, at)),
    ),
    Function::new(
        "range",
        (2, 3),
        result::list,
        range,
        "range(start, end[, step]): integers from start to end, both included",
    )
    .typed(lists::range),
];

/// Elements of the longest list `range` makes: 2^27, 3 GiB of values. What is longer is a mistake, and
/// allocating it could end the process.
const RANGE_LEN_MAX: i128 = 1 << 27;

/// The elements of a list that a function is given.
pub(crate) fn items<'v>(function: &str, value: &'v Value) -> Result<&'v [Value], Diagnostic> {
    match value {
        Value::List(items) => Ok(items),
        other => Err(wrong_type(function, "a LIST", other)),
    }
}

/// A list of these elements.
pub(crate) fn list_of<'v>(items: impl Iterator<Item = &'v Value>, mut steps: Steps<'_>) -> Answer {
    let mut list = ListBuilder::with_room(Vec::with_capacity(items.size_hint().0));
    for item in items {
        steps.step()?;
        list.push(item.clone());
    }
    Ok(list.finish())
}

fn size(_: &Context<'_>, args: &[Value]) -> Answer {
    let count = match &args[0] {
        Value::List(items) => items.len(),
        Value::String(text) => text.chars().count(),
        Value::Map(entries) => entries.len(),
        other => return Err(wrong_type("size()", "a LIST or STRING", other)),
    };
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn head(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(items("head()", &args[0])?.first().cloned().unwrap_or_default())
}

fn last(_: &Context<'_>, args: &[Value]) -> Answer {
    Ok(items("last()", &args[0])?.last().cloned().unwrap_or_default())
}

fn tail(context: &Context<'_>, args: &[Value]) -> Answer {
    list_of(items("tail()", &args[0])?.iter().skip(1), context.steps())
}

fn reverse(context: &Context<'_>, args: &[Value]) -> Answer {
    match &args[0] {
        Value::List(items) => list_of(items.iter().rev(), context.steps()),
        Value::String(text) => Ok(Value::string(text.chars().rev().collect::<String>())),
        other => Err(wrong_type("reverse()", "a LIST or STRING", other)),
    }
}

fn range(context: &Context<'_>, args: &[Value]) -> Answer {
    let mut bounds = [0, 0, 1];
    for (bound, arg) in bounds.iter_mut().zip(args) {
        let Value::Int(number) = arg else {
            let primary = format!("range() expects INTEGER, not {}", type_name(arg));
            return Err(Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentType", primary));
        };
        *bound = *number;
    }
    let [start, end, step] = bounds;
    if step == 0 {
        return Err(out_of_range("the step of range() cannot be zero"));
    }
    // In 128 bits nothing here overflows; there are elements only if the step leads from start towards end.
    let distance = i128::from(end) - i128::from(start);
    let count =
        if distance.signum() * i128::from(step.signum()) < 0 { 0 } else { distance / i128::from(step) + 1 };
    if count > RANGE_LEN_MAX {
        return Err(out_of_range(format!("range() of {count} elements is too long for a list")));
    }
    let mut numbers = Vec::new();
    numbers
        .try_reserve_exact(usize::try_from(count).unwrap_or(0))
        .map_err(|_| out_of_range(format!("range() of {count} elements does not fit in memory")))?;
    let (mut list, mut steps) = (ListBuilder::with_room(numbers), context.steps());
    let mut next = Some(start);
    for _ in 0..count {
        steps.step()?;
        let number = next.unwrap_or(end);
        list.push(Value::Int(number));
        next = number.checked_add(step);
    }
    Ok(list.finish())
}

//! Functions of lists as wholes, `coll.…`: sorted, without doubles, flat, with an element more or less.
//!
//! Elements are ordered as `ORDER BY` does and told apart as `DISTINCT` does; `coll.indexOf` compares as `=`.

use std::collections::HashSet;

use trimorph_base::Diagnostic;
use trimorph_types::{Grouping, ListBuilder, Value, equals, order};

use crate::context::Context;
use crate::error::{Answer, out_of_range, wrong_type};
use crate::function::{Function, result};
use crate::kernels::lists::SORTED_AT_ONCE;
use crate::list::{items, list_of};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new(
        "coll.distinct",
        (1, 1),
        result::list,
        distinct,
        "coll.distinct(list): each element once, where it is first",
    )
    .typed(crate::kernels::lists::distinct),
    Function::new(
        "coll.flatten",
        (1, 2),
        result::list,
        flatten,
        "coll.flatten(list[, depth]): the elements of the lists within, one level or as many as depth says",
    ),
    Function::new(
        "coll.indexOf",
        (2, 2),
        result::int,
        index_of,
        "coll.indexOf(list, value): the first place of a value, from 0; -1 if it is not there",
    ),
    Function::new(
        "coll.insert",
        (3, 3),
        result::list,
        insert,
        "coll.insert(list, index, value): with a value more, at this place from 0",
    )
    .sees_null(),
    Function::new(
        "coll.max",
        (1, 1),
        result::any,
        |_, args| {
            Ok(present("coll.max()", &args[0])?.max_by(|a, b| order(a, b)).cloned().unwrap_or_default())
        },
        "coll.max(list): the greatest element in the order of ORDER BY, nulls apart; null of none",
    )
    .typed(crate::kernels::extremes::max),
    Function::new(
        "coll.min",
        (1, 1),
        result::any,
        |_, args| {
            Ok(present("coll.min()", &args[0])?.min_by(|a, b| order(a, b)).cloned().unwrap_or_default())
        },
        "coll.min(list): the least element in the order of ORDER BY, nulls apart; null of none",
    )
    .typed(crate::kernels::extremes::min),
    Function::new(
        "coll.remove",
        (2, 2),
        result::list,
        remove,
        "coll.remove(list, index): without the element at this place, from 0",
    ),
    Function::new(
        "coll.sort",
        (1, 1),
        result::list,
        sort,
        "coll.sort(list): the elements in the order of ORDER BY; nulls come last",
    )
    .typed(crate::kernels::lists::sort),
];

fn present<'v>(function: &str, list: &'v Value) -> Result<impl Iterator<Item = &'v Value>, Diagnostic> {
    Ok(items(function, list)?.iter().filter(|item| !item.is_null()))
}

/// A merge sort from the bottom up, which can be stopped between elements: what the standard library's
/// comparison says must hold to the end.
fn sort(context: &Context<'_>, args: &[Value]) -> Answer {
    let mut steps = context.steps();
    let mut sorted: Vec<&Value> = items("coll.sort()", &args[0])?.iter().collect();
    for part in sorted.chunks_mut(SORTED_AT_ONCE) {
        steps.look()?;
        part.sort_by(|a, b| order(a, b));
    }
    let mut run = SORTED_AT_ONCE;
    while run < sorted.len() {
        let mut merged = Vec::with_capacity(sorted.len());
        for pair in sorted.chunks(run * 2) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let (Some((a, others)), Some((b, rest))) = (left.split_first(), right.split_first()) {
                steps.step()?;
                if order(a, b).is_le() {
                    merged.push(*a);
                    left = others;
                } else {
                    merged.push(*b);
                    right = rest;
                }
            }
            merged.extend(left.iter().chain(right));
        }
        sorted = merged;
        run *= 2;
    }
    list_of(sorted.into_iter(), context.steps())
}

fn distinct(context: &Context<'_>, args: &[Value]) -> Answer {
    let mut seen = HashSet::new();
    let first =
        items("coll.distinct()", &args[0])?.iter().filter(|item| seen.insert(Grouping((*item).clone())));
    list_of(first, context.steps())
}

fn index_of(context: &Context<'_>, args: &[Value]) -> Answer {
    let mut steps = context.steps();
    for (place, item) in items("coll.indexOf()", &args[0])?.iter().enumerate() {
        steps.step()?;
        if equals(item, &args[1]) == Some(true) {
            return Ok(Value::Int(i64::try_from(place).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

/// A place in a list that has `end` of them.
fn place(function: &str, index: &Value, end: usize) -> Result<usize, Diagnostic> {
    let Value::Int(index) = index else { return Err(wrong_type(function, "an INTEGER", index)) };
    let place = usize::try_from(*index).ok().filter(|place| *place < end);
    place.ok_or_else(|| out_of_range(format!("{function} has no place {index}: there are {end}, from 0")))
}

fn insert(context: &Context<'_>, args: &[Value]) -> Answer {
    if args[..2].iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let list = items("coll.insert()", &args[0])?;
    let (before, after) = list.split_at(place("coll.insert()", &args[1], list.len() + 1)?);
    list_of(before.iter().chain([&args[2]]).chain(after), context.steps())
}

fn remove(context: &Context<'_>, args: &[Value]) -> Answer {
    let list = items("coll.remove()", &args[0])?;
    let at = place("coll.remove()", &args[1], list.len())?;
    list_of(list[..at].iter().chain(&list[at + 1..]), context.steps())
}

fn flatten(context: &Context<'_>, args: &[Value]) -> Answer {
    let depth = match args.get(1) {
        None => 1,
        Some(Value::Int(depth)) if *depth >= 0 => *depth,
        Some(Value::Int(depth)) => {
            return Err(out_of_range(format!("coll.flatten() cannot go {depth} deep")));
        }
        Some(other) => return Err(wrong_type("coll.flatten()", "an INTEGER", other)),
    };
    let (mut flat, mut steps) = (ListBuilder::new(), context.steps());
    // Lists within lists, the innermost last: a query may nest them deeper than calls can.
    let mut open = vec![(items("coll.flatten()", &args[0])?.iter(), depth)];
    while let Some((inner, depth)) = open.last_mut() {
        steps.step()?;
        match inner.next() {
            Some(Value::List(list)) if *depth > 0 => {
                let depth = *depth - 1;
                open.push((list.iter(), depth));
            }
            Some(item) => flat.push(item.clone()),
            None => drop(open.pop()),
        }
    }
    Ok(flat.finish())
}

//! The vector evaluator: all selected positions of one group at once.
//!
//! Typed fast paths: properties are gathered column by column; comparisons of integers, floats, dates,
//! instants, strings, nodes and edges with a constant or a vector; AND, OR, NOT, IS NULL; integer and float
//! arithmetic. Everything else goes through the scalar evaluator position by position. Values at positions
//! not selected are arbitrary.
//!
//! Source: GF-CL §6.2 (filters and expressions on flat/flat, flat/list, list/list).

use trimorph_algebra::Op;
use trimorph_base::NodeId;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Nodes, Nulls, Values, Vector};

use super::arithmetic::arithmetic;
use super::compare::compare;
use super::differs::differs;
use super::evaluated::{Evaluated, evaluate_shallow, positions};
use super::made::Made;
use super::property::{property, property_nulls};
use super::{Ex, Row};
use crate::{Context, ExecError};

/// Evaluates `ex` over `group`. Other groups it reads must be flat.
pub(crate) fn evaluate<'a, 's>(
    ex: &Ex,
    chunk: &'a Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<Evaluated<'a, 's>, ExecError> {
    match ex {
        Ex::Const(v) => return Ok(Evaluated::Const(v.clone())),
        Ex::Slot(place) if place.group == group => {
            return Ok(Evaluated::Ref(&chunk.groups[group].vectors[place.slot]));
        }
        Ex::Slot(_) => return Ok(Evaluated::Const(Row::new(chunk, usize::MAX, 0).eval(ex, cx)?)),
        Ex::Property { base, columns, .. } => {
            if let Evaluated::Ref(vector) = evaluate_shallow(base, chunk, group)
                && let Some(out) = property(vector, columns, &chunk.groups[group], cx)
            {
                return Ok(Evaluated::Own(out));
            }
        }
        Ex::Op(op, args, _) => {
            if let Some(out) = operator(*op, args, chunk, group, cx)? {
                return Ok(Evaluated::Own(out));
            }
        }
        Ex::In(value, members, _) => {
            let value = evaluate(value, chunk, group, cx)?;
            if let Some(out) = value.vector().and_then(|v| members.among(v, &chunk.groups[group])) {
                return Ok(Evaluated::Own(out));
            }
        }
        Ex::HasLabel { base, tables, .. } => {
            if let Evaluated::Ref(Vector { values: Values::Node(nodes), nulls }) =
                evaluate_shallow(base, chunk, group)
            {
                let g = &chunk.groups[group];
                let mut out = vec![false; g.len];
                positions(g).for_each(g.len, |i| {
                    out[i] =
                        !nulls.get(i) && tables.get(nodes.id(i).table().0 as usize).copied().unwrap_or(false);
                });
                return Ok(Evaluated::Own(Vector { values: Values::Bool(out), nulls: nulls.clone() }));
            }
        }
        Ex::Call(function, args, _) if function.name == "coalesce" => {
            if let Some(out) = first_present(args, chunk, group) {
                return Ok(Evaluated::Own(out));
            }
        }
        _ => {}
    }
    by_row(ex, chunk, group, cx)
}

/// The first of several node vectors of the group that is not null.
fn first_present<'s>(args: &[Ex], chunk: &Chunk<'s>, group: usize) -> Option<Vector<'s>> {
    let g = &chunk.groups[group];
    let mut parts = Vec::with_capacity(args.len());
    for arg in args {
        match evaluate_shallow(arg, chunk, group) {
            Evaluated::Ref(Vector { values: Values::Node(nodes), nulls }) => parts.push((nodes, nulls)),
            // Rows an optional part has nothing for come with nulls of no type.
            Evaluated::Ref(Vector { values: Values::Any(values), .. })
                if values.iter().all(Value::is_null) => {}
            _ => return None,
        }
    }
    let table = parts.first()?.0.table();
    let table = table.filter(|t| parts.iter().all(|(nodes, _)| nodes.table() == Some(*t)));
    let mut ids = vec![NodeId(0); g.len];
    let mut nulls = Nulls::NONE;
    positions(g).for_each(g.len, |i| match parts.iter().find(|(_, nulls)| !nulls.get(i)) {
        Some((nodes, _)) => ids[i] = nodes.id(i),
        None => nulls.set(i, g.len),
    });
    Some(Vector { values: Values::Node(Nodes::Ids { table, ids }), nulls })
}

fn by_row<'a, 's>(
    ex: &Ex,
    chunk: &'a Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<Evaluated<'a, 's>, ExecError> {
    if !reads_group(ex, group) {
        // One evaluation serves all positions, unless it draws lots.
        if !draws(ex) {
            return Ok(Evaluated::Const(Row::new(chunk, usize::MAX, 0).eval(ex, cx)?));
        }
    }
    let g = &chunk.groups[group];
    let mut out = vec![Value::Null; g.len];
    let mut failed = None;
    let (mut row, mut made) = (Row::new(chunk, group, 0), Made::new(cx));
    positions(g).for_each(g.len, |i| {
        if failed.is_none() {
            row.position = i;
            match made.step().and_then(|()| row.eval(ex, cx)).and_then(|v| made.add(&v).map(|()| v)) {
                Ok(v) => out[i] = v,
                Err(d) => failed = Some(d),
            }
        }
    });
    match failed {
        Some(d) => {
            cx.leave((out, row.locals));
            Err(d.into())
        }
        None => Ok(Evaluated::Own(typed(out))),
    }
}

/// Gives a vector of general values a type, where all are of one that has typed vectors.
fn typed<'s>(values: Vec<Value>) -> Vector<'s> {
    if !values.is_empty() && values.iter().all(|v| matches!(v, Value::Int(_))) {
        return Vector::new(Values::Int(
            values.iter().map(|v| if let Value::Int(i) = v { *i } else { 0 }).collect(),
        ));
    }
    if !values.is_empty() && values.iter().all(|v| matches!(v, Value::Bool(_))) {
        return Vector::new(Values::Bool(values.iter().map(|v| matches!(v, Value::Bool(true))).collect()));
    }
    Vector::new(Values::Any(values))
}

fn children(ex: &Ex) -> Vec<&Ex> {
    match ex {
        Ex::Const(_) | Ex::Param(_) | Ex::Slot(_) | Ex::Local(_) => Vec::new(),
        Ex::Property { base, .. } | Ex::HasLabel { base, .. } | Ex::In(base, ..) => vec![base],
        Ex::Op(_, args, _) | Ex::Call(_, args, _) | Ex::List(args) | Ex::Path(args) => args.iter().collect(),
        Ex::Chain(first, rest) => std::iter::once(&**first).chain(rest.iter().map(|(_, e, _)| e)).collect(),
        Ex::Map(entries) => entries.iter().map(|(_, e)| e).collect(),
        Ex::MapProjection { base, entries, .. } => {
            std::iter::once(&**base).chain(entries.iter().map(|(_, e)| e)).collect()
        }
        Ex::Case { branches, otherwise } => {
            branches.iter().flat_map(|(w, t)| [w, t]).chain(std::iter::once(&**otherwise)).collect()
        }
        Ex::ListComprehension { list, filter, map, .. } => {
            std::iter::once(list).chain(filter).chain(map).map(|b| &**b).collect()
        }
        Ex::Quantifier { list, predicate, .. } => vec![list, predicate],
        Ex::Reduce { init, list, body, .. } => vec![init, list, body],
    }
}

fn reads_group(ex: &Ex, group: usize) -> bool {
    matches!(ex, Ex::Slot(p) if p.group == group) || children(ex).into_iter().any(|c| reads_group(c, group))
}

fn draws(ex: &Ex) -> bool {
    matches!(ex, Ex::Call(f, ..) if !f.deterministic) || children(ex).into_iter().any(draws)
}

fn operator<'s>(
    op: Op,
    args: &[Ex],
    chunk: &Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let g = &chunk.groups[group];
    match (op, args) {
        (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, [a, b]) => {
            let (a, b) = (evaluate(a, chunk, group, cx)?, evaluate(b, chunk, group, cx)?);
            Ok(compare(op, &a, &b, g))
        }
        (Op::Differs, [first, others @ ..]) => Ok(differs(first, others, chunk, group)),
        (Op::IsNull | Op::IsNotNull, [a]) => {
            if let Some(nulls) = property_nulls(a, chunk, group, cx) {
                let mut out = vec![false; g.len];
                positions(g).for_each(g.len, |i| out[i] = nulls.get(i) == (op == Op::IsNull));
                return Ok(Some(Vector::new(Values::Bool(out))));
            }
            let a = evaluate(a, chunk, group, cx)?;
            let Some(v) = a.vector() else { return Ok(None) };
            let mut out = vec![false; g.len];
            positions(g).for_each(g.len, |i| out[i] = v.is_null(i) == (op == Op::IsNull));
            Ok(Some(Vector::new(Values::Bool(out))))
        }
        (Op::Not, [a]) => {
            let a = evaluate(a, chunk, group, cx)?;
            let Some(Vector { values: Values::Bool(v), nulls }) = a.vector() else { return Ok(None) };
            Ok(Some(Vector { values: Values::Bool(v.iter().map(|b| !b).collect()), nulls: nulls.clone() }))
        }
        (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod, [a, b]) => {
            let (a, b) = (evaluate(a, chunk, group, cx)?, evaluate(b, chunk, group, cx)?);
            Ok(arithmetic(op, &a, &b, g))
        }
        _ => Ok(None),
    }
}

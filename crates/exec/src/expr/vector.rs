//! The vector evaluator: all selected positions of one group at once.
//!
//! Typed fast paths: properties are gathered column by column; comparisons of integers, floats, dates, instants, strings, nodes
//! and edges with a constant or a vector; AND, OR, NOT, IS NULL; integer and float arithmetic. Everything else goes through the
//! scalar evaluator position by position. Values at positions not selected are arbitrary.
//!
//! Source: GF-CL §6.2 (filters and expressions on flat/flat, flat/list, list/list).

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_base::{NodeId, TableId};
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Group, Nodes, Nulls, Selection, Values, Vector};

use super::range::swapped;
use super::{Ex, PropertyColumns, Row};
use crate::{Context, ExecError};

/// The result of an evaluation over a group.
pub(crate) enum Evaluated<'a, 's> {
    /// One value for all positions.
    Const(Value),
    /// A vector of the chunk.
    Ref(&'a Vector<'s>),
    /// A vector made now.
    Own(Vector<'s>),
}

impl<'s> Evaluated<'_, 's> {
    /// As a vector of `len` positions.
    pub(crate) fn into_vector(self, len: usize) -> Vector<'s> {
        match self {
            Self::Const(v) => constant(&v, len),
            Self::Ref(v) => v.clone(),
            Self::Own(v) => v,
        }
    }

    fn vector(&self) -> Option<&Vector<'s>> {
        match self {
            Self::Const(_) => None,
            Self::Ref(v) => Some(v),
            Self::Own(v) => Some(v),
        }
    }
}

/// A vector with the same value everywhere.
fn constant<'s>(value: &Value, len: usize) -> Vector<'s> {
    Vector::new(match value {
        Value::Bool(b) => Values::Bool(vec![*b; len]),
        Value::Int(i) => Values::Int(vec![*i; len]),
        Value::Float(f) => Values::Float(vec![*f; len]),
        Value::Node(n) => Values::Node(Nodes::Ids { table: Some(n.table()), ids: vec![*n; len] }),
        other => Values::Any(vec![other.clone(); len]),
    })
}

/// The positions of `group` that are meant.
fn positions(group: &Group<'_>) -> Selection {
    match group.flat {
        Some(i) => Selection::List(vec![u32::try_from(i).unwrap_or(u32::MAX)]),
        None => group.selection.clone(),
    }
}

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

/// A vector of the chunk if `ex` is one, else an arbitrary constant.
fn evaluate_shallow<'a, 's>(ex: &Ex, chunk: &'a Chunk<'s>, group: usize) -> Evaluated<'a, 's> {
    match ex {
        Ex::Slot(place) if place.group == group => Evaluated::Ref(&chunk.groups[group].vectors[place.slot]),
        _ => Evaluated::Const(Value::Null),
    }
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
    let mut row = Row::new(chunk, group, 0);
    positions(g).for_each(g.len, |i| {
        if failed.is_none() {
            row.position = i;
            match row.eval(ex, cx) {
                Ok(v) => out[i] = v,
                Err(d) => failed = Some(d),
            }
        }
    });
    match failed {
        Some(d) => Err(d.into()),
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
        Ex::Const(_) | Ex::Slot(_) | Ex::Local(_) => Vec::new(),
        Ex::Property { base, .. } | Ex::HasLabel { base, .. } => vec![base],
        Ex::Op(_, args, _) | Ex::Call(_, args, _) | Ex::List(args) | Ex::Path(args) => args.iter().collect(),
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

/// Reads a property of nodes or edges; `None` where it cannot be read column by column.
fn property<'s>(
    vector: &Vector<'s>,
    columns: &PropertyColumns,
    group: &Group<'s>,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let len = group.len;
    let selection = positions(group);
    match &vector.values {
        Values::Node(Nodes::Range(first)) if matches!(selection, Selection::All) => {
            match columns.nodes.get(first.table().0 as usize).copied().flatten() {
                Some(column) => Some(cx.reader.node_column(first.table(), column).scan(first.row(), len)),
                None => Some(Vector::nulls(len)),
            }
        }
        Values::Node(nodes) => {
            let present: Vec<u32> = if vector.nulls.is_none() {
                selection.to_vec(len)
            } else {
                selection.to_vec(len).into_iter().filter(|i| !vector.nulls.get(*i as usize)).collect()
            };
            let mut out = match nodes.table() {
                Some(table) => read_nodes(nodes, table, &present, columns, len, cx),
                None => read_mixed(nodes, &present, columns, len, cx)?,
            };
            out.nulls = out.nulls.union(&vector.nulls, len);
            hide_nulls(&mut out, &vector.nulls, len);
            Some(out)
        }
        Values::Edge(Edges::Slots { table, first, .. }) => match columns.edges.get(*table).copied().flatten()
        {
            Some(column) => Some(cx.reader.edge_column(*table, column).scan(*first, len)),
            None => Some(Vector::nulls(len)),
        },
        Values::Edge(Edges::Run(first)) => {
            let table = first.table().0 as usize;
            match columns.edges.get(table).copied().flatten() {
                Some(column) => {
                    let slot = cx.reader.edge_table(table).slot(*first);
                    Some(cx.reader.edge_column(table, column).scan(slot, len))
                }
                None => Some(Vector::nulls(len)),
            }
        }
        Values::Edge(Edges::Ids(ids)) if vector.nulls.is_none() => {
            let present = selection.to_vec(len);
            let table = present.first().map(|i| ids[*i as usize].table())?;
            if present.iter().any(|i| ids[*i as usize].table() != table) {
                return None;
            }
            let table = table.0 as usize;
            match columns.edges.get(table).copied().flatten() {
                Some(column) => {
                    let view = cx.reader.edge_table(table);
                    let rows = present.iter().map(|i| (*i as usize, view.slot(ids[*i as usize])));
                    Some(cx.reader.edge_column(table, column).gather(rows, len))
                }
                None => Some(Vector::nulls(len)),
            }
        }
        _ => None,
    }
}

/// General vectors keep nulls as values.
fn hide_nulls(vector: &mut Vector<'_>, nulls: &Nulls, len: usize) {
    if let Values::Any(values) = &mut vector.values {
        for (i, v) in values.iter_mut().enumerate().take(len) {
            if nulls.get(i) {
                *v = Value::Null;
            }
        }
    }
}

fn read_nodes<'s>(
    nodes: &Nodes<'s>,
    table: TableId,
    present: &[u32],
    columns: &PropertyColumns,
    len: usize,
    cx: &Context<'s>,
) -> Vector<'s> {
    let Some(column) = columns.nodes.get(table.0 as usize).copied().flatten() else {
        return Vector::nulls(len);
    };
    let column = cx.reader.node_column(table, column);
    match nodes {
        // The two forms that matter get their own loop; the rest is rare.
        Nodes::Ids { ids, .. } => {
            column.gather(present.iter().map(|i| (*i as usize, ids[*i as usize].row())), len)
        }
        _ => column.gather(present.iter().map(|i| (*i as usize, nodes.id(*i as usize).row())), len),
    }
}

/// Nodes of several tables: one gather a table, merged if all give the same type.
fn read_mixed<'s>(
    nodes: &Nodes<'s>,
    present: &[u32],
    columns: &PropertyColumns,
    len: usize,
    cx: &Context<'s>,
) -> Option<Vector<'s>> {
    let mut by_table: Vec<(TableId, Vec<u32>)> = Vec::new();
    for i in present {
        let table = nodes.id(*i as usize).table();
        match by_table.iter_mut().find(|(t, _)| *t == table) {
            Some((_, list)) => list.push(*i),
            None => by_table.push((table, vec![*i])),
        }
    }
    let mut out: Option<Vector<'s>> = None;
    let mut missing = Nulls::NONE;
    for (table, list) in &by_table {
        if columns.nodes.get(table.0 as usize).copied().flatten().is_none() {
            list.iter().for_each(|i| missing.set(*i as usize, len));
            continue;
        }
        let part = read_nodes(nodes, *table, list, columns, len, cx);
        match &mut out {
            None => out = Some(part),
            Some(out) => {
                if !out.assign(&part, list, len) {
                    return None;
                }
            }
        }
    }
    let mut out = out.unwrap_or_else(|| Vector::nulls(len));
    out.nulls = out.nulls.union(&missing, len);
    Some(out)
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
        (Op::In, [a, Ex::Const(Value::List(items))]) => {
            let a = evaluate(a, chunk, group, cx)?;
            Ok(a.vector().and_then(|v| member(v, items, g)))
        }
        (Op::Add | Op::Sub | Op::Mul, [a, b]) => {
            let (a, b) = (evaluate(a, chunk, group, cx)?, evaluate(b, chunk, group, cx)?);
            Ok(arithmetic(op, &a, &b, g))
        }
        _ => Ok(None),
    }
}

/// The nulls of a property of nodes, without reading its values.
fn property_nulls(ex: &Ex, chunk: &Chunk<'_>, group: usize, cx: &Context<'_>) -> Option<Nulls> {
    let Ex::Property { base, columns, .. } = ex else { return None };
    let Evaluated::Ref(Vector { values: Values::Node(nodes), nulls }) = evaluate_shallow(base, chunk, group)
    else {
        return None;
    };
    let g = &chunk.groups[group];
    let mut out = nulls.clone();
    positions(g).for_each(g.len, |i| {
        if !nulls.get(i) {
            let id = nodes.id(i);
            let column = columns.nodes.get(id.table().0 as usize).copied().flatten();
            if column.is_none_or(|c| cx.reader.node_column(id.table(), c).is_null(id.row())) {
                out.set(i, g.len);
            }
        }
    });
    Some(out)
}

/// Whether each value is among constants of its own type; `None` where that needs the general operator.
fn member<'s>(v: &Vector<'s>, items: &[Value], g: &Group<'s>) -> Option<Vector<'s>> {
    let mut out = vec![false; g.len];
    match &v.values {
        Values::Int(v) => {
            let wanted: Vec<i64> = items
                .iter()
                .map(|i| if let Value::Int(i) = i { Some(*i) } else { None })
                .collect::<Option<_>>()?;
            let wanted: rustc_hash::FxHashSet<i64> = wanted.into_iter().collect();
            positions(g).for_each(g.len, |i| out[i] = wanted.contains(&v[i]));
        }
        Values::String(v) => {
            let wanted: Vec<&str> = items
                .iter()
                .map(|i| if let Value::String(s) = i { Some(&**s) } else { None })
                .collect::<Option<_>>()?;
            let wanted: rustc_hash::FxHashSet<&str> = wanted.into_iter().collect();
            positions(g).for_each(g.len, |i| out[i] = wanted.contains(v[i].as_str()));
        }
        _ => return None,
    }
    // An empty list has no member, not even an unknown one.
    let nulls = if items.is_empty() { Nulls::NONE } else { v.nulls.clone() };
    Some(Vector { values: Values::Bool(out), nulls })
}

/// Whether an order satisfies a comparison.
#[inline(always)]
fn satisfies(op: Op, order: Ordering) -> bool {
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn compare<'s>(op: Op, a: &Evaluated<'_, 's>, b: &Evaluated<'_, 's>, g: &Group<'s>) -> Option<Vector<'s>> {
    match (a, b) {
        (Evaluated::Const(Value::Null), _) | (_, Evaluated::Const(Value::Null)) => {
            Some(Vector { values: Values::Bool(vec![false; g.len]), nulls: Nulls::all(g.len) })
        }
        (Evaluated::Const(a), b) => compare_constant(swapped(op)?, b.vector()?, a, g),
        (a, Evaluated::Const(b)) => compare_constant(op, a.vector()?, b, g),
        (a, b) => compare_vectors(op, a.vector()?, b.vector()?, g),
    }
}

/// One loop per operator, so that the loop has no branch on it.
macro_rules! compare_loop {
    ($op:expr, $g:expr, $a:expr, $b:expr) => {{
        let (mut out, g) = (vec![false; $g.len], $g);
        let (a, b) = ($a, $b);
        match $op {
            Op::Eq => positions(g).for_each(g.len, |i| out[i] = a(i) == b(i)),
            Op::Ne => positions(g).for_each(g.len, |i| out[i] = a(i) != b(i)),
            Op::Lt => positions(g).for_each(g.len, |i| out[i] = a(i) < b(i)),
            Op::Le => positions(g).for_each(g.len, |i| out[i] = a(i) <= b(i)),
            Op::Gt => positions(g).for_each(g.len, |i| out[i] = a(i) > b(i)),
            _ => positions(g).for_each(g.len, |i| out[i] = a(i) >= b(i)),
        }
        Values::Bool(out)
    }};
}

fn compare_constant<'s>(op: Op, a: &Vector<'s>, b: &Value, g: &Group<'s>) -> Option<Vector<'s>> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let values = match (&a.values, b) {
        (Values::Int(a), Value::Int(b)) => compare_loop!(op, g, |i: usize| a[i], |_| *b),
        (Values::Float(a), Value::Float(b)) => compare_loop!(op, g, |i: usize| a[i], |_| *b),
        (Values::Date(a), Value::Date(b)) => compare_loop!(op, g, |i: usize| a[i], |_| b.days),
        (Values::LocalTime(a), Value::LocalTime(b)) => compare_loop!(op, g, |i: usize| a[i], |_| b.nanos),
        (Values::DateTime(a), Value::DateTime(b)) => {
            let b = nanos(b.seconds, b.nanos)?;
            // Equality of zoned instants also asks for the zone; only order is decided by the instant alone.
            if matches!(op, Op::Eq | Op::Ne) {
                return None;
            }
            compare_loop!(op, g, |i: usize| a[i], |_| b)
        }
        (Values::LocalDateTime(a), Value::LocalDateTime(b)) => {
            let b = nanos(b.seconds, b.nanos)?;
            compare_loop!(op, g, |i: usize| a[i], |_| b)
        }
        (Values::String(a), Value::String(b)) => {
            let mut out = vec![false; g.len];
            positions(g).for_each(g.len, |i| out[i] = satisfies(op, a[i].as_str().cmp(b)));
            Values::Bool(out)
        }
        (Values::Node(a), Value::Node(b)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| a.id(i), |_| *b)
        }
        (Values::Edge(a), Value::Relationship(b)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| a.id(i), |_| b.id)
        }
        _ => return None,
    };
    Some(Vector { values, nulls: a.nulls.clone() })
}

fn compare_vectors<'s>(op: Op, a: &Vector<'s>, b: &Vector<'s>, g: &Group<'s>) -> Option<Vector<'s>> {
    let values = match (&a.values, &b.values) {
        (Values::Int(x), Values::Int(y))
        | (Values::LocalTime(x), Values::LocalTime(y))
        | (Values::LocalDateTime(x), Values::LocalDateTime(y))
        | (Values::DateTime(x), Values::DateTime(y)) => {
            compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i])
        }
        (Values::Float(x), Values::Float(y)) => compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i]),
        (Values::Date(x), Values::Date(y)) => compare_loop!(op, g, |i: usize| x[i], |i: usize| y[i]),
        (Values::String(x), Values::String(y)) => {
            let mut out = vec![false; g.len];
            positions(g).for_each(g.len, |i| out[i] = satisfies(op, x[i].as_str().cmp(y[i].as_str())));
            Values::Bool(out)
        }
        (Values::Node(x), Values::Node(y)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| x.id(i), |i: usize| y.id(i))
        }
        (Values::Edge(x), Values::Edge(y)) if matches!(op, Op::Eq | Op::Ne) => {
            compare_loop!(op, g, |i: usize| x.id(i), |i: usize| y.id(i))
        }
        _ => return None,
    };
    Some(Vector { values, nulls: a.nulls.union(&b.nulls, g.len) })
}

/// Integer and float arithmetic. An overflow is left to the scalar evaluator, which has the message.
fn arithmetic<'s>(op: Op, a: &Evaluated<'_, 's>, b: &Evaluated<'_, 's>, g: &Group<'s>) -> Option<Vector<'s>> {
    enum Side<'x, T> {
        One(T),
        Many(&'x [T]),
    }
    impl<T: Copy> Side<'_, T> {
        #[inline(always)]
        fn at(&self, i: usize) -> T {
            match self {
                Self::One(v) => *v,
                Self::Many(v) => v[i],
            }
        }
    }
    fn ints<'x>(e: &'x Evaluated<'_, '_>) -> Option<Side<'x, i64>> {
        match (e, e.vector().map(|v| &v.values)) {
            (Evaluated::Const(Value::Int(i)), _) => Some(Side::One(*i)),
            (_, Some(Values::Int(v))) => Some(Side::Many(v)),
            _ => None,
        }
    }
    fn floats<'x>(e: &'x Evaluated<'_, '_>) -> Option<Side<'x, f64>> {
        match (e, e.vector().map(|v| &v.values)) {
            (Evaluated::Const(Value::Float(f)), _) => Some(Side::One(*f)),
            (_, Some(Values::Float(v))) => Some(Side::Many(v)),
            _ => None,
        }
    }
    if let (
        Op::Add | Op::Sub,
        Some(Vector { values: Values::DateTime(v), nulls }),
        Evaluated::Const(Value::Duration(d)),
    ) = (op, a.vector(), b)
        && d.months == 0
    {
        // In UTC a day is 24 hours.
        let seconds = d.days.checked_mul(86_400)?.checked_add(d.seconds)?;
        let shift = seconds.checked_mul(1_000_000_000)?.checked_add(d.nanos.into())?;
        let shift = if op == Op::Add { shift } else { shift.checked_neg()? };
        let mut out = vec![0i64; g.len];
        let mut overflow = false;
        positions(g).for_each(g.len, |i| {
            let (value, over) = v[i].overflowing_add(shift);
            out[i] = value;
            overflow |= over && !nulls.get(i);
        });
        return (!overflow).then(|| Vector { values: Values::DateTime(out), nulls: nulls.clone() });
    }
    let none = Nulls::NONE;
    let nulls = |e: &Evaluated<'_, 's>| e.vector().map_or(none.clone(), |v| v.nulls.clone());
    if let (Some(x), Some(y)) = (ints(a), ints(b)) {
        let nulls = nulls(a).union(&nulls(b), g.len);
        let mut out = vec![0i64; g.len];
        let mut overflow = false;
        positions(g).for_each(g.len, |i| {
            let (x, y) = (x.at(i), y.at(i));
            let (value, over) = match op {
                Op::Add => x.overflowing_add(y),
                Op::Sub => x.overflowing_sub(y),
                _ => x.overflowing_mul(y),
            };
            out[i] = value;
            overflow |= over;
        });
        return (!overflow).then_some(Vector { values: Values::Int(out), nulls });
    }
    if let (Some(x), Some(y)) = (floats(a), floats(b)) {
        let nulls = nulls(a).union(&nulls(b), g.len);
        let mut out = vec![0f64; g.len];
        positions(g).for_each(g.len, |i| {
            let (x, y) = (x.at(i), y.at(i));
            out[i] = match op {
                Op::Add => x + y,
                Op::Sub => x - y,
                _ => x * y,
            };
        });
        return Some(Vector { values: Values::Float(out), nulls });
    }
    None
}

/// Keeps the selected positions of `group` for which `predicate` is true.
pub(crate) fn filter<'s>(
    predicate: &Ex,
    chunk: &mut Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Result<(), ExecError> {
    if let Ex::Op(Op::And, parts, _) = predicate {
        for part in parts {
            filter(part, chunk, group, cx)?;
        }
        return Ok(());
    }
    let len = chunk.groups[group].len;
    let mut selection = chunk.groups[group].selection.clone();
    match evaluate(predicate, chunk, group, cx)? {
        Evaluated::Const(v) => {
            if !matches!(v, Value::Bool(true)) {
                check_boolean(&v)?;
                selection = Selection::List(Vec::new());
            }
        }
        result => {
            let vector = result.vector().ok_or(ExecError::Cancelled)?;
            match &vector.values {
                Values::Bool(v) if vector.nulls.is_none() => selection.retain(len, |i| v[i]),
                Values::Bool(v) => selection.retain(len, |i| v[i] && !vector.nulls.get(i)),
                Values::Any(v) => {
                    let mut wrong = None;
                    selection.retain(len, |i| match &v[i] {
                        Value::Bool(b) => *b,
                        Value::Null => false,
                        other => {
                            wrong = Some(other.clone());
                            false
                        }
                    });
                    if let Some(v) = wrong {
                        check_boolean(&v)?;
                    }
                }
                _ => check_boolean(&vector.value(selection_first(&selection), &|id| cx.edge_value(id)))?,
            }
        }
    }
    chunk.groups[group].selection = selection;
    Ok(())
}

fn selection_first(selection: &Selection) -> usize {
    match selection {
        Selection::All => 0,
        Selection::List(list) => list.first().map_or(0, |i| *i as usize),
    }
}

/// A predicate must be a Boolean or null.
pub(crate) fn check_boolean(value: &Value) -> Result<(), ExecError> {
    match value {
        Value::Bool(_) | Value::Null => Ok(()),
        other => Err(super::scalar::type_error("a Boolean", other).into()),
    }
}

//! The vector evaluator: all positions of one group that are meant, at once.
//!
//! 1. What has a kernel for the types at hand is computed by it, over vectors with a type.
//! 2. What has none is applied value by value to operands that are vectors already, or, where operands are
//!    lists or maps, evaluated row by row.
//! 3. Where anything fails, the whole expression is evaluated row by row: that tells which error comes first,
//!    or that there is none for the rows that are meant. Functions of the program are not called again.
//!
//! Values at positions that are not meant are arbitrary.
//!
//! Source: GF-CL §6.2 (filters and expressions on flat/flat, flat/list, list/list).

use std::sync::Arc;

use trimorph_algebra::{FUNCTION_FAILED, Op};
use trimorph_base::{NodeId, Span};
use trimorph_functions::{
    Argument, Function, Kernel, component, difference_component, list_contains, list_slice, split_part,
};
use trimorph_types::Value;
use trimorph_vector::{Chosen, Chunk, Edges, Nodes, Nulls, Positions, Values, Vector};

use super::arithmetic::negated;
use super::asked_texts::asked;
use super::binary::{binary, constants};
use super::bodies::is_open;
use super::chain::{addends, chain};
use super::choice::{case, coalesce, null_if};
use super::contains_any::contains_any;
use super::differs::differs;
use super::elements::{comprehension, quantifier};
use super::evaluated::{Evaluated, Outcome, Over};
use super::general::{by_row, by_value, is_small};
use super::logic::{self, connect, not};
use super::maps::{fields, list, maps};
use super::named_properties::named_properties;
use super::operands::{call, operate};
use super::outer_list::{one_list, runs_of_lists};
use super::own_properties::{keys, properties};
use super::path_nodes::path_nodes;
use super::property::{lengths, property, property_nulls};
use super::reduction::reduction;
use super::reduction_parts::reduction_by_part;
use super::user_call::call_all;
use super::{Ex, Members, Row};
use crate::context::Settings;
use crate::layout::Place;
use crate::{Context, ExecError};

/// Positions from which on the elements of a list that is the same for all are put into sets.
const MEMBERS_ROWS_MIN: usize = 16;

/// Evaluates `ex` over `group`. Other groups it reads must be flat.
pub(crate) fn evaluate<'a, 's>(
    ex: &Ex,
    chunk: &'a Chunk<'s>,
    group: usize,
    cx: &Context<'s>,
) -> Outcome<'a, 's> {
    let over = Over::group(chunk, group);
    match evaluate_over(ex, over, cx) {
        Err(ExecError::Query(error)) if error.detail == FUNCTION_FAILED => Err(error.into()),
        // Memory as well: rows one after the other need less of it than side by side.
        Err(ExecError::Query(_) | ExecError::Memory(_)) => by_row(ex, over, cx),
        outcome => outcome,
    }
}

/// Evaluates `ex` over some positions. An error says only that there is one: see `evaluate`.
pub(super) fn evaluate_over<'a, 's>(ex: &Ex, over: Over<'a, '_, 's>, cx: &Context<'s>) -> Outcome<'a, 's> {
    match ex {
        Ex::Const(v) => Ok(Evaluated::Const(v.clone())),
        Ex::Slot(place) if place.group == over.group => {
            Ok(Evaluated::Ref(&over.chunk.groups[over.group].vectors[place.slot]))
        }
        Ex::Slot(_) => Ok(Evaluated::Const(Row::new(over.chunk, usize::MAX, 0).eval(ex, cx)?)),
        Ex::Property { .. } => property_access(ex, over, cx),
        Ex::Op(op, args, span) => operator(ex, *op, args, *span, over, cx),
        Ex::In(value, members, _) if is_small(value) => among(value, members, over, cx),
        Ex::ContainsAny { text, parts, wanted, asked } if is_small(text) => {
            contains_any((text, parts, *wanted, asked), over, cx, evaluate_over)
        }
        Ex::ContainsAny { asked, .. } => evaluate_over(asked, over, cx),
        Ex::HasLabel { base, nodes: test, edge_tables } => match over.slot(base) {
            Some(Vector { values: Values::Node(nodes), nulls }) => {
                // What was deleted has no labels, whatever its table says.
                let gone = cx.reader.is_after_deletion();
                let whole = !gone && nulls.is_none();
                let known = nodes.table().filter(|_| whole).and_then(|table| test.of_table(table));
                if let Some(known) = known {
                    return Ok(Evaluated::Const(Value::Bool(known)));
                }
                if whole
                    && over.at.is_all()
                    && let Some(out) =
                        test.of_rows(nodes, over.at.len, cx).filter(|out| out.len() == over.at.len)
                {
                    return Ok(Evaluated::Own(Vector::new(Values::Bool(out))));
                }
                let mut out = vec![false; over.at.len];
                let mut known = test.of_many(over.at.len);
                over.at.for_each(|i| {
                    let node = nodes.id(i);
                    out[i] = !nulls.get(i)
                        && if gone { test.passes_checked(node, cx) } else { known.passes(node, cx) };
                });
                Ok(Evaluated::Own(Vector { values: Values::Bool(out), nulls: nulls.clone() }))
            }
            Some(Vector { values: Values::Edge(edges @ (Edges::Ids(_) | Edges::Run(_))), nulls }) => {
                let mut out = vec![false; over.at.len];
                over.at.for_each(|i| {
                    let edge = edges.id(i);
                    out[i] = !nulls.get(i)
                        && edge_tables.get(usize::from(edge.table().0)).is_some_and(|is| *is)
                        && !cx.is_edge_gone(edge);
                });
                Ok(Evaluated::Own(Vector { values: Values::Bool(out), nulls: nulls.clone() }))
            }
            _ => by_row(ex, over, cx),
        },
        Ex::Call(function, args, span) => function_call(ex, function, args, *span, over, cx),
        Ex::User(function, args, span) => match operands(args, over, cx)? {
            Some(args) => call_all(function, &args, *span, over, cx),
            None => by_row(ex, over, cx),
        },
        Ex::Chain(first, rest) => {
            let rest: Vec<_> = rest.iter().map(|(op, right, span)| (*op, right, *span)).collect();
            chain(ex, (first, &rest), over, cx, evaluate_over)
        }
        Ex::Case { branches, otherwise } => case(branches, otherwise, over, cx, evaluate_over),
        Ex::ListComprehension { local, list, filter, map } if is_small(ex) => {
            let parts = (*local, filter.as_deref(), map.as_deref());
            let list = evaluate_over(list, over, cx)?;
            match comprehension(&list, parts, over, cx, evaluate_over)? {
                Some(out) => Ok(Evaluated::Own(out)),
                None => by_row(ex, over, cx),
            }
        }
        Ex::Quantifier { kind, local, list, predicate } if is_small(list) && is_open(predicate, *local) => {
            let list = evaluate_over(list, over, cx)?;
            match quantifier((*kind, *local), &list, predicate, over, cx, evaluate_over)? {
                Some(out) => Ok(Evaluated::Own(out)),
                None => by_row(ex, over, cx),
            }
        }
        Ex::Reduce { acc, init, list, body, .. } if is_small(ex) => {
            let list = evaluate_over(list, over, cx)?;
            if let Some(out) = reduction_by_part((init, &list), (*acc, body), over, cx, evaluate_over)? {
                return Ok(Evaluated::Own(out));
            }
            let start = evaluate_over(init, over, cx)?;
            match reduction((&start, &list), (*acc, body), over, cx, evaluate_over)? {
                Some(out) => Ok(Evaluated::Own(out)),
                None => by_row(ex, over, cx),
            }
        }
        Ex::List(items) if is_small(ex) => match list(items, over, cx, evaluate_over)? {
            Some(out) => Ok(out),
            None => by_row(ex, over, cx),
        },
        Ex::Map(entries) if is_small(ex) => match maps(entries, Nulls::NONE, over, cx, evaluate_over)? {
            Some(out) => Ok(out),
            None => by_row(ex, over, cx),
        },
        Ex::MapProjection { base, all: true, entries } if entries.iter().all(|(_, e)| is_small(e)) => {
            let Some(entities) = over.slot(base) else { return by_row(ex, over, cx) };
            let made = match fields(entries, over, cx, evaluate_over)? {
                Some(fields) => properties(entities, fields, over, cx)?,
                None => None,
            };
            match made {
                Some(out) => Ok(out),
                None => by_row(ex, over, cx),
            }
        }
        Ex::MapProjection { base, all: false, entries } if is_small(ex) => {
            // Of null nothing is known.
            let nulls = match evaluate_over(base, over, cx)? {
                Evaluated::Const(Value::Null) => return Ok(Evaluated::Const(Value::Null)),
                Evaluated::Const(_) => Some(Nulls::NONE),
                base => {
                    base.vector().filter(|v| !matches!(v.values, Values::Any(_))).map(|v| v.nulls.clone())
                }
            };
            let made = nulls.map(|nulls| maps(entries, nulls, over, cx, evaluate_over)).transpose()?;
            match made.flatten() {
                Some(out) => Ok(out),
                None => by_row(ex, over, cx),
            }
        }
        _ => by_row(ex, over, cx),
    }
}

/// The elements of a list that is the same for all positions, where it pays to have them as sets.
fn outer_members<'s>(list: Place, over: Over<'_, '_, 's>, cx: &Context<'s>) -> Option<Arc<Members>> {
    let group = over.chunk.groups.get(list.group)?;
    let vector = group.vectors.get(list.slot)?;
    let position = if list.group == over.group { one_list(vector, over.at)? } else { group.flat? };
    let Settings { budget, cancel, .. } = &*cx.settings;
    let edge = |id| cx.edge_value(id);
    cx.outer_lists.members((vector, position), over.at.count(), &edge, budget, cancel)
}

/// Elements that are compared in the time that one takes to be put into a set.
const SET_COST: usize = 8;

/// Which values are among the elements of the lists beside them, where each list is beside many rows that
/// come one after the other.
fn among_runs<'s>(
    value: &Ex,
    list: Place,
    over: Over<'_, '_, 's>,
    cx: &Context<'s>,
) -> Result<Option<Vector<'s>>, ExecError> {
    let vector = match over.chunk.groups.get(list.group).and_then(|group| group.vectors.get(list.slot)) {
        Some(vector) if list.group == over.group => vector,
        _ => return Ok(None),
    };
    let positions = over.at.to_vec();
    let Some(runs) = runs_of_lists(vector, &positions) else { return Ok(None) };
    let evaluated = evaluate_over(value, over, cx)?;
    let Some(values) = evaluated.vector() else { return Ok(None) };
    let Settings { budget, cancel, .. } = &*cx.settings;
    let edge = |id| cx.edge_value(id);
    let (mut out, mut nulls) = (vec![false; over.at.len], Nulls::NONE);
    for run in runs {
        let [first, ..] = positions[run.clone()] else { continue };
        let part = Positions { len: over.at.len, chosen: Chosen::List(&positions[run.clone()]) };
        let rows = run.len() / SET_COST;
        match cx.outer_lists.members((vector, first as usize), rows, &edge, budget, cancel) {
            Some(members) => {
                if members.mark(values, part, &mut out, &mut nulls).is_none() {
                    return Ok(None);
                }
            }
            None => {
                let found = list_contains(evaluated.argument(), Argument::Each(vector), part);
                let Some(Vector { values: Values::Bool(found), nulls: unknown }) = found else {
                    return Ok(None);
                };
                part.for_each(|i| {
                    out[i] = found[i];
                    if unknown.get(i) {
                        nulls.set(i, over.at.len);
                    }
                });
            }
        }
    }
    Ok(Some(Vector { values: Values::Bool(out), nulls }))
}

/// Which values are among some elements.
fn among<'a, 's>(value: &Ex, members: &Members, over: Over<'a, '_, 's>, cx: &Context<'s>) -> Outcome<'a, 's> {
    let value = evaluate_over(value, over, cx)?;
    match value.vector().map(|v| members.among(v, over.at)) {
        Some(Some(out)) => Ok(Evaluated::Own(out)),
        Some(None) => by_value(&[value], over, cx, |v| members.has(&v[0], &cx.settings.cancel)),
        None => {
            let Evaluated::Const(value) = value else { return Ok(value) };
            Ok(Evaluated::Const(members.has(&value, &cx.settings.cancel)?))
        }
    }
}

/// The operands as vectors; `None` where they are not to be held side by side.
fn operands<'a, 's>(
    args: &[Ex],
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Result<Option<Vec<Evaluated<'a, 's>>>, ExecError> {
    if !args.iter().all(is_small) {
        return Ok(None);
    }
    args.iter().map(|arg| evaluate_over(arg, over, cx)).collect::<Result<_, _>>().map(Some)
}

/// Whether a function gives the length of a text.
pub(super) fn is_length(function: &Function) -> bool {
    matches!(function.name, "size" | "char_length" | "character_length")
}

fn function_call<'a, 's>(
    ex: &Ex,
    function: &'static Function,
    args: &[Ex],
    span: Span,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Outcome<'a, 's> {
    if matches!(function.kernel, Kernel::ByNeed) {
        return match first_present(args, over) {
            Some(out) => Ok(Evaluated::Own(out)),
            None => coalesce(args, over, cx, evaluate_over),
        };
    }
    if let [Ex::Property { base, columns, .. }] = args
        && is_length(function)
        && let Some(out) = over.slot(base).and_then(|vector| lengths(vector, columns, over.at, cx))
    {
        return Ok(Evaluated::Own(out));
    }
    if let ("nodes", [Ex::Path(parts)]) = (function.name, args) {
        let parts = operands(parts, over, cx)?;
        return match parts.and_then(|parts| path_nodes(&parts, over, cx)) {
            Some(out) => Ok(Evaluated::Own(out)),
            None => by_row(ex, over, cx),
        };
    }
    let Some(args) = operands(args, over, cx)?.filter(|args| function.accepts(args.len())) else {
        return by_row(ex, over, cx);
    };
    if function.deterministic
        && let Some(values) = constants(&args)
    {
        return Ok(Evaluated::Const(call(function, &values, span, cx)?));
    }
    if function.null_in_null_out && args.iter().any(|arg| matches!(arg, Evaluated::Const(Value::Null))) {
        return Ok(Evaluated::Const(Value::Null));
    }
    // As of properties that a table does not have.
    if function.null_in_null_out && args.iter().any(|arg| is_all_null(arg, over)) {
        return Ok(Evaluated::Const(Value::Null));
    }
    if let ("keys" | "properties", [Evaluated::Ref(entities)]) = (function.name, &args[..]) {
        let made = match function.name {
            "keys" => keys(entities, over.at, cx).map(Evaluated::Own),
            _ => properties(entities, Vec::new(), over, cx)?,
        };
        if let Some(out) = made {
            return Ok(out);
        }
    }
    if matches!(function.kernel, Kernel::ByEquality) {
        return null_if(args, over, cx, |values| call(function, values, span, cx));
    }
    if let Kernel::Typed(kernel) = function.kernel {
        let given: Vec<Argument<'_, 's>> = args.iter().map(Evaluated::argument).collect();
        if let Some(out) = kernel(&cx.functions(&cx.graph()), &given, over.at) {
            return Ok(Evaluated::Own(out));
        }
        // Ranges too long to be parts of one are made row by row.
        if function.name == "range" {
            return by_row(ex, over, cx);
        }
    }
    by_value(&args, over, cx, |values| call(function, values, span, cx))
}

fn operator<'a, 's>(
    ex: &Ex,
    op: Op,
    args: &[Ex],
    span: Span,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Outcome<'a, 's> {
    if let Some(out) = logic::at_hand(op, args, over) {
        return Ok(Evaluated::Own(out));
    }
    match (op, args) {
        (Op::And | Op::Or, _) => return connect(ex, (op, args), over, cx, evaluate_over),
        (Op::Differs, [first, others @ ..]) => {
            return match differs(first, others, over) {
                Some(out) => Ok(Evaluated::Own(out)),
                None => by_row(ex, over, cx),
            };
        }
        (Op::Index, [Ex::Call(function, parts, _), Ex::Const(Value::Int(index))]) => {
            // One part of a text needs no list of all.
            if function.name == "split"
                && let [text, Ex::Const(Value::String(delimiter))] = &parts[..]
                && is_small(text)
                && let text = evaluate_over(text, over, cx)?
                && let Some(out) = split_part(text.argument(), delimiter, *index, over.at)
            {
                return Ok(Evaluated::Own(out));
            }
        }
        (Op::Index, [base @ Ex::Slot(_), key @ (Ex::Slot(_) | Ex::Const(_))]) => {
            if let Some(out) = named_properties((base, key, span), over, cx, evaluate_over) {
                return out;
            }
        }
        (Op::In, [value, Ex::Slot(list)]) if is_small(value) => {
            if let Some(members) = outer_members(*list, over, cx) {
                return among(value, &members, over, cx);
            }
            if let Some(out) = among_runs(value, *list, over, cx)? {
                return Ok(Evaluated::Own(out));
            }
        }
        (Op::Add, [Ex::Op(Op::Add, ..), _]) => {
            if let Some((first, rest)) = addends(ex) {
                return chain(ex, (first, &rest), over, cx, evaluate_over);
            }
        }
        (Op::IsNull | Op::IsNotNull, [a]) => {
            if let Some(nulls) = property_nulls(a, over, cx) {
                let out = nulls.booleans(op == Op::IsNull, over.at.len);
                return Ok(Evaluated::Own(Vector::new(Values::Bool(out))));
            }
        }
        _ => {}
    }
    if let Some(out) = asked(op, args, over, cx) {
        return Ok(Evaluated::Own(out));
    }
    let Some(args) = operands(args, over, cx)? else { return by_row(ex, over, cx) };
    if let Some(values) = constants(&args) {
        return Ok(Evaluated::Const(operate(op, &values, span, cx)?));
    }
    // A property that nothing has.
    if compares(op) && args.iter().any(|arg| is_all_null(arg, over)) {
        return Ok(Evaluated::Const(Value::Null));
    }
    // A list that is the same for all positions, which a flat row has.
    if let (Op::In, [value, Evaluated::Const(list)]) = (op, &args[..])
        && over.at.count() >= MEMBERS_ROWS_MIN
        && let Some(vector) = value.vector()
        && let Some(members) = Members::of(list, &cx.settings.budget, &cx.settings.cancel)
        && let Some(out) = members.among(vector, over.at)
    {
        return Ok(Evaluated::Own(out));
    }
    let out = match (op, &args[..]) {
        (_, [a, b]) => binary(op, a, b, over, cx),
        (Op::Slice, [list, from, to]) => list_slice(list.argument(), from.argument(), to.argument(), over.at),
        (Op::IsNull | Op::IsNotNull, [a]) => a.vector().map(|v| null_test(op, v, over)),
        (Op::Not, [a]) => not(a, over.at),
        (Op::Neg, [a]) => negated(a, over.at),
        _ => None,
    };
    match out {
        Some(out) => Ok(Evaluated::Own(out)),
        None => by_value(&args, over, cx, |values| operate(op, values, span, cx)),
    }
}

/// Whether an operator compares two operands, and gives null where one is null, whatever the other is.
pub(super) fn compares(op: Op) -> bool {
    use Op::{Contains, EndsWith, Eq, Ge, Gt, Le, Lt, Ne, StartsWith};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | StartsWith | EndsWith | Contains)
}

/// Whether nothing but null is meant.
fn is_all_null(evaluated: &Evaluated<'_, '_>, over: Over<'_, '_, '_>) -> bool {
    match evaluated.vector() {
        Some(Vector { values: Values::Any(values), .. }) => {
            let mut is = true;
            over.at.for_each(|i| is &= values[i].is_null());
            is
        }
        _ => false,
    }
}

/// `base.key`: a property of nodes or edges, a component of temporal values, an entry of maps.
fn property_access<'a, 's>(ex: &Ex, over: Over<'a, '_, 's>, cx: &Context<'s>) -> Outcome<'a, 's> {
    let Ex::Property { base, key, columns, span } = ex else { return by_row(ex, over, cx) };
    if cx.reader.is_after_deletion() {
        // Each is asked whether it is still there.
        return by_row(ex, over, cx);
    }
    // Nothing in the table has it, which is told once for all.
    if let Some(Vector { values: Values::Node(nodes), .. }) = over.slot(base)
        && let Some(table) = nodes.table()
        && columns.of_nodes(table, &cx.reader).is_none()
    {
        return Ok(Evaluated::Const(Value::Null));
    }
    if let Some(vector) = over.slot(base)
        && let Some(out) = property(vector, columns, over.at, cx)
    {
        return Ok(Evaluated::Own(out));
    }
    // An edge that is known by its slot only has properties, and no value.
    let is_edge = match &**base {
        Ex::Slot(_) => over.slot(base).is_none_or(|v| matches!(v.values, Values::Edge(_))),
        _ => false,
    };
    if is_edge || !is_small(base) {
        return by_row(ex, over, cx);
    }
    if let Ex::Call(function, args, _) = &**base
        && function.name.starts_with("duration.")
        && let Some(args) = operands(args, over, cx)?
        && args.iter().any(|arg| arg.vector().is_some())
    {
        let given: Vec<Argument<'_, 's>> = args.iter().map(Evaluated::argument).collect();
        let names = (function.name, &**key);
        if let Some(out) = difference_component(&cx.functions(&cx.graph()), names, &given, over.at) {
            return Ok(Evaluated::Own(out));
        }
    }
    let base = [evaluate_over(base, over, cx)?];
    let Some(vector) = base[0].vector() else {
        return by_row(ex, over, cx);
    };
    let out = match &vector.values {
        Values::Node(_) | Values::Edge(_) => property(vector, columns, over.at, cx),
        Values::Map(maps) => Some(maps.under(key, &vector.nulls)),
        _ => component(vector, key, over.at),
    };
    match out {
        Some(out) => Ok(Evaluated::Own(out)),
        None => {
            let row = Row::new(over.chunk, over.group, 0);
            by_value(&base, over, cx, |v| row.property(&v[0], key, columns, cx).map_err(|d| d.at(*span)))
        }
    }
}

/// `IS NULL`, or `IS NOT NULL`.
fn null_test<'s>(op: Op, vector: &Vector<'s>, over: Over<'_, '_, 's>) -> Vector<'s> {
    let asked = op == Op::IsNull;
    let out = match &vector.values {
        Values::Any(_) => {
            let mut out = vec![false; over.at.len];
            over.at.for_each(|i| out[i] = vector.is_null(i) == asked);
            out
        }
        _ => vector.nulls.booleans(asked, over.at.len),
    };
    Vector::new(Values::Bool(out))
}

/// The first of several node vectors of the group that is not null.
fn first_present<'s>(args: &[Ex], over: Over<'_, '_, 's>) -> Option<Vector<'s>> {
    let mut parts = Vec::with_capacity(args.len());
    for arg in args {
        match over.slot(arg)? {
            Vector { values: Values::Node(nodes), nulls } => parts.push((nodes, nulls)),
            // Rows an optional part has nothing for come with nulls of no type.
            Vector { values: Values::Any(values), .. } if values.iter().all(Value::is_null) => {}
            _ => return None,
        }
    }
    let table = parts.first()?.0.table();
    let table = table.filter(|t| parts.iter().all(|(nodes, _)| nodes.table() == Some(*t)));
    let mut ids = vec![NodeId(0); over.at.len];
    let mut nulls = Nulls::NONE;
    over.at.for_each(|i| match parts.iter().find(|(_, nulls)| !nulls.get(i)) {
        Some((nodes, _)) => ids[i] = nodes.id(i),
        None => nulls.set(i, over.at.len),
    });
    Some(Vector { values: Values::Node(Nodes::Ids { table, ids }), nulls })
}

//! A comparison of a text property with a constant as a value of each row, where the column's texts are
//! compressed: each is compared as it lies, and none is taken out; of what is to contain a text, those are
//! that have all of its bytes.
//!
//! Texts of a dictionary are not: their comparison is one of each entry, and a look-up by code.

use std::cmp::Ordering;

use trimorph_algebra::Op;
use trimorph_base::TableId;
use trimorph_functions::{Argument, TextTest, test_texts};
use trimorph_store::{Comparison, Condition, PropertyColumn};
use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use super::Ex;
use super::evaluated::Over;
use super::property_filter::Run;
use super::range::swapped;
use crate::Context;

/// True, false or null for each position; `None` where it is to be evaluated otherwise.
pub(super) fn asked<'s>(op: Op, args: &[Ex], over: Over<'_, '_, 's>, cx: &Context<'s>) -> Option<Vector<'s>> {
    let (property, op, text) = match args {
        [property, Ex::Const(Value::String(text))] => (property, op, text),
        [Ex::Const(Value::String(text)), property] => (property, swapped(op)?, text),
        _ => return None,
    };
    if op == Op::Contains {
        return containing(property, text, over, cx);
    }
    let order: fn(Ordering) -> bool = match op {
        Op::Eq | Op::Ne | Op::StartsWith => Ordering::is_eq,
        Op::Lt => Ordering::is_lt,
        Op::Le => Ordering::is_le,
        Op::Gt => Ordering::is_gt,
        Op::Ge => Ordering::is_ge,
        _ => return None,
    };
    let (column, first) = column_of(property, over, cx)?;
    if !column.has_compressed_texts(first) {
        return None;
    }
    let (is_equal, is_prefix) = (matches!(op, Op::Eq | Op::Ne), op == Op::StartsWith);
    let condition = Condition::Text {
        equal: is_equal.then_some(&**text),
        prefix: is_prefix.then_some(&**text),
        order: (!is_equal && !is_prefix).then_some((&**text, order)),
        passes: &|other| if is_prefix { other.starts_with(&**text) } else { order(other.cmp(text)) },
    };
    let mut passed = Vec::new();
    column.select(&mut Comparison::default(), &condition, first, over.at.len, &mut passed)?;
    let nulls = column.scan_nulls(first, over.at.len)?;
    let mut out = vec![op == Op::Ne; over.at.len];
    passed.iter().for_each(|i| out[*i as usize] = op != Op::Ne);
    Some(Vector { values: Values::Bool(out), nulls })
}

/// The column of a property of nodes, or edges, whose rows follow each other, and the first row.
fn column_of<'a, 's>(
    property: &Ex,
    over: Over<'_, '_, 's>,
    cx: &'a Context<'s>,
) -> Option<(PropertyColumn<'a, 's>, u64)> {
    let Ex::Property { base, columns, .. } = property else { return None };
    let Vector { values, nulls } = over.slot(base)?;
    if !nulls.is_none() || !over.at.is_dense() || cx.reader.is_after_deletion() {
        return None;
    }
    let Run { edges, table, first } = Run::of(values, cx)?;
    let column = match edges {
        true => columns.of_edges(table, &cx.reader),
        false => columns.of_nodes(TableId(u16::try_from(table).ok()?), &cx.reader),
    };
    Some((column?, first))
}

/// Whether each text contains `part`: only those that have all bytes of it are taken out.
fn containing<'s>(property: &Ex, part: &str, over: Over<'_, '_, 's>, cx: &Context<'s>) -> Option<Vector<'s>> {
    let (column, first) = column_of(property, over, cx)?;
    let (found, are_all) = column.scan_containing(first, over.at.len, part)?;
    let nulls = column.scan_nulls(first, over.at.len)?;
    let mut out = vec![false; over.at.len];
    if are_all {
        found.iter().for_each(|i| out[*i as usize] = true);
    } else if !found.is_empty() {
        let rows = found.iter().enumerate().map(|(k, i)| (k, first + u64::from(*i)));
        let texts = column.gather(rows, found.len());
        let part = Value::string(part);
        let given = (Argument::Each(&texts), Argument::One(&part));
        let asked = test_texts(TextTest::Contains, given.0, given.1, Positions::all(found.len()))?;
        let Values::Bool(contain) = asked.values else { return None };
        found.iter().zip(contain).for_each(|(i, contains)| out[*i as usize] = contains);
    }
    Some(Vector { values: Values::Bool(out), nulls })
}

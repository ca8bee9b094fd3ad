//! Ranges of many rows at once: `range(a, b)` and `range(a, b, step)` of vectors of integers.

use trimorph_types::Value;
use trimorph_vector::{Chunk, Values, Vector};

use super::evaluated::Evaluated;
use super::general::is_small;
use super::items::Items;
use super::{Ex, evaluate};
use crate::Context;

/// The ranges of rows of the first group, where `ex` is a `range()` whose bounds are vectors of integers.
/// What fails is left to who goes through the rows one after the other, and tells what it is.
pub(crate) fn ranges<'s>(
    ex: &Ex,
    chunk: &Chunk<'s>,
    positions: &[u32],
    cx: &Context<'s>,
) -> Option<Vec<Items>> {
    let Ex::Call(function, args, _) = ex else { return None };
    if function.name != "range" || !(2..=3).contains(&args.len()) || !args.iter().all(is_small) {
        return None;
    }
    let mut bounds = vec![[0, 0, 1]; positions.len()];
    for (place, arg) in args.iter().enumerate() {
        let evaluated = evaluate(arg, chunk, 0, cx).ok()?;
        match (&evaluated, evaluated.vector()) {
            (Evaluated::Const(Value::Int(bound)), _) => bounds.iter_mut().for_each(|b| b[place] = *bound),
            (_, Some(Vector { values: Values::Int(ints), nulls })) => {
                for (bounds, p) in bounds.iter_mut().zip(positions) {
                    if nulls.get(*p as usize) {
                        return None;
                    }
                    bounds[place] = *ints.get(*p as usize)?;
                }
            }
            _ => return None,
        }
    }
    bounds.iter().map(|bounds| Items::range(&bounds.map(Value::Int))).collect()
}

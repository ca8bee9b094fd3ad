//! What is computed of one integer property alone by functions that have no kernel, or with decimals: once
//! for each number.
//!
//! `FLOOR(?length / 50)` of three million rows with six hundred lengths is computed six hundred times, and
//! looked up. A kernel is faster than a look-up, so this is for functions that are called value by value, and
//! for arithmetic of decimals, whose kernels take several times as long as one.
//!
//! 1. Numbers of a batch that were not met before are computed, together; their results follow those that are
//!    kept.
//! 2. Rows take the results at the places of their numbers.
//! 3. Where most numbers are new ones, or results are large, nothing is kept any more.

use rustc_hash::FxHashMap;
use trimorph_functions::Kernel;
use trimorph_types::Value;
use trimorph_vector::{Nulls, Positions, Values, Vector};

use super::Ex;
use super::bodies::rewrite;
use super::evaluated::Over;
use super::kept_results::{ResultBytes, lone};
use super::vector::evaluate_over;
use crate::Context;
use crate::rows::append;

/// Numbers whose results are kept.
const NUMBERS_MAX: usize = 1 << 16;
/// Rows after which it is asked whether numbers come again.
const ROWS_MIN: usize = 1 << 13;
/// Rows a number has at least, on average: a look-up costs an eighth of a call.
const ROWS_PER_NUMBER_MIN: usize = 4;

/// What a body gives for the numbers that were met.
pub(super) struct NumberMemo<'s> {
    /// Of a number, or of null, the place of its result.
    places: FxHashMap<Option<i64>, u32>,
    results: Vector<'s>,
    rows: usize,
    /// For the results.
    held: ResultBytes,
}

/// Whether a body calls what is computed value by value, or as slowly.
pub(super) fn calls_by_value(body: &Ex) -> bool {
    let is_decimal = |arg: &Ex| matches!(arg, Ex::Const(Value::Decimal(_)));
    let mut found = false;
    rewrite(body, &mut |part| {
        if let Ex::Call(function, args, _) = part {
            // A quotient of integers is a decimal.
            found |= matches!(function.kernel, Kernel::General)
                || function.name == "sparql.div"
                || args.iter().any(is_decimal);
        }
        None
    });
    found
}

impl<'s> NumberMemo<'s> {
    pub(super) fn new() -> Self {
        Self { places: FxHashMap::default(), results: Vector::empty(), rows: 0, held: ResultBytes::default() }
    }

    /// The results for a vector of integers; `None` where they are computed as well row by row, from now on.
    pub(super) fn evaluate(
        &mut self,
        body: &Ex,
        vector: &Vector<'s>,
        at: Positions<'_>,
        cx: &Context<'s>,
    ) -> Option<Vector<'s>> {
        let Values::Int(numbers) = &vector.values else { return None };
        let (mut new, mut nulls) = (Vec::new(), Nulls::NONE);
        let mut taken = vec![0; at.len];
        at.for_each(|i| {
            let number = (!vector.nulls.get(i)).then_some(numbers[i]);
            // Fewer than 2^32: a batch has fewer rows, and before it there are at most `NUMBERS_MAX`.
            let next = self.places.len() as u32;
            taken[i] = *self.places.entry(number).or_insert_with(|| {
                new.push(number.unwrap_or_default());
                if number.is_none() {
                    nulls.set(new.len() - 1, at.len);
                }
                next
            });
        });
        self.rows += at.count();
        if !new.is_empty() {
            self.compute(body, Vector { values: Values::Int(new), nulls }, cx)?;
        }
        let kept = self.places.len();
        let are_few = kept <= NUMBERS_MAX
            && (self.rows < ROWS_MIN || kept.saturating_mul(ROWS_PER_NUMBER_MIN) <= self.rows);
        are_few.then(|| self.results.gather(&taken))
    }

    fn compute(&mut self, body: &Ex, new: Vector<'s>, cx: &Context<'s>) -> Option<()> {
        let len = new.listed();
        let chunk = lone(new, len);
        let out = evaluate_over(body, Over::group(&chunk, 0), cx).ok()?.into_vector(len);
        if !self.held.take(&out, len, cx) {
            return None;
        }
        append(&mut self.results, &out, &Positions::all(len).to_vec(), &|id| cx.edge_value(id));
        Some(())
    }
}

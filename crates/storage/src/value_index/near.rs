//! Where whole numbers stand in an index that has nearly all of them: takes a number, gives its position by
//! looking from where it would stand if they followed each other evenly.
//!
//! Keys are such numbers as a rule. The search asks two values then, where halving asks as many as the
//! number of rows has bits, each of them somewhere else in the column.
//!
//! Source: Peterson, "Addressing for Random-Access Storage" (interpolation search); Bentley and Yao, "An
//! Almost Optimal Algorithm for Unbounded Searching" (the steps from there on).

use trimorph_types::Value;

use super::{ValueIndexView, ValueOf};

/// Numbers from the first to the last for each row, at most: where they lie further apart, the guess is no
/// better than the middle.
const SPARSE_MAX: i128 = 4;

impl ValueIndexView<'_> {
    /// About where a value stands; none where nothing tells.
    pub(super) fn guess(&self, value: &Value) -> Option<u64> {
        let (Some([Value::Int(first), Value::Int(last)]), Value::Int(value)) = (self.extremes.get(), value)
        else {
            return None;
        };
        let (rows, place) = (i128::from(self.len()), i128::from(*value) - i128::from(*first));
        let span = i128::from(*last) - i128::from(*first);
        // With many rows to a number, nothing tells which of them are how often there.
        let is_even = rows <= span + 1 && span <= rows * SPARSE_MAX && (0..=span).contains(&place);
        if is_even { u64::try_from(place * (rows - 1) / span.max(1)).ok() } else { None }
    }

    /// The first position of which a predicate, true up to some position and false from there on, is false:
    /// looked for from `guess` on, in steps of twice the length each.
    ///
    /// **Cost**: values of rows, twice as many as the distance from the guess has bits, and two.
    pub(super) fn partition_near(
        &self,
        guess: u64,
        value_of: &ValueOf<'_>,
        is_low: impl Fn(&Value) -> bool,
    ) -> u64 {
        let is_low = |position| self.row(position).is_some_and(|row| is_low(&value_of(row)));
        let len = self.len();
        let (mut low, mut high, mut step) = (guess.min(len), guess.min(len), 1);
        while low > 0 && !is_low(low - 1) {
            high = low - 1;
            low = high.saturating_sub(step);
            step = step.saturating_mul(2);
        }
        if high == guess.min(len) {
            step = 1;
            while high < len && is_low(high) {
                low = high + 1;
                high = high.saturating_add(step).min(len);
                step = step.saturating_mul(2);
            }
        }
        while low < high {
            let middle = low.midpoint(high);
            if is_low(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

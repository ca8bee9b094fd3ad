//! Sums and means of decimals, by group: integers of 128 bits of one scale, the longest seen so far, and how
//! many terms each has.
//!
//! Hot loop: [`DecimalSums::add`], a multiplication of 64 bits and an addition a row. What needs more, as a
//! decimal of 20 digits does, is left to accumulators.

use trimorph_algebra::AggregateKind;
use trimorph_functions::aggregate::Accumulator;
use trimorph_types::{Decimal, Value};
use trimorph_vector::{Decimals, Positions, SCALE_MAX, Values, Vector};

use super::functions::{function, mean_overflow};
use super::number_sums::pick;
use super::rows::Rows;
use crate::ExecError;
use crate::rows::{MANY, overflow};

/// The sums of groups.
pub(super) struct DecimalSums {
    /// Times 10^-scale.
    sums: Vec<i128>,
    counts: Vec<u64>,
    scale: u8,
}

/// 10^n for `n` up to [`SCALE_MAX`].
#[inline(always)]
fn power(n: u8) -> i64 {
    Decimal::power(n).unwrap_or(0)
}

impl DecimalSums {
    /// Sums of no terms, of so many groups.
    pub(super) fn new(groups: usize) -> Self {
        Self { sums: vec![0; groups], counts: vec![0; groups], scale: 0 }
    }

    pub(super) fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0);
        self.counts.resize(groups, 0);
    }

    /// Groups, those there is room for, and bytes of each.
    pub(super) fn cells(&self) -> (usize, usize, usize) {
        (self.sums.len(), self.sums.capacity(), size_of::<i128>() + size_of::<u64>())
    }

    /// Brings all sums to a scale; `false`, and nothing done, where one does not fit.
    fn raise(&mut self, scale: u8) -> bool {
        let Some(more) = scale.checked_sub(self.scale).filter(|more| *more > 0) else { return true };
        let unit = i128::from(power(more));
        if scale > SCALE_MAX || self.sums.iter().any(|sum| sum.checked_mul(unit).is_none()) {
            return false;
        }
        self.sums.iter_mut().for_each(|sum| *sum *= unit);
        self.scale = scale;
        true
    }

    /// Takes rows in; `false`, and nothing done, where one of them has too many digits, or a sum would.
    pub(super) fn add(&mut self, rows: &Rows<'_, '_>, decimals: &Decimals) -> Result<bool, ExecError> {
        if let Some((units, scale)) = decimals.units() {
            let longest = self.scale.max(scale);
            if !self.raise(longest) {
                return Ok(false);
            }
            let unit = i128::from(power(longest - scale));
            return self.add_terms(rows, |p| i128::from(units[p]) * unit);
        }
        let decimals = decimals.each();
        let (mut scale, mut are_small) = (self.scale, true);
        for d in rows.positions.iter().map(|p| decimals[*p as usize]) {
            scale = scale.max(d.scale());
            are_small &= i64::try_from(d.unscaled()).is_ok();
        }
        if !are_small || !self.raise(scale) {
            return Ok(false);
        }
        self.add_terms(rows, |p| {
            let d = decimals[p];
            i128::from(d.unscaled() as i64) * i128::from(power(scale - d.scale()))
        })
    }

    /// Takes in products of two numbers of 64 bits, which fit.
    #[inline(always)]
    fn add_terms(&mut self, rows: &Rows<'_, '_>, term: impl Fn(usize) -> i128) -> Result<bool, ExecError> {
        let Self { sums, counts, .. } = self;
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            let count = counts[n].checked_add(weight).ok_or_else(mean_overflow)?;
            let mut term = term(p);
            if weight != 1 {
                term = term.checked_mul(weight.into()).ok_or_else(decimal_overflow)?;
            }
            (sums[n], counts[n]) = (sums[n].checked_add(term).ok_or_else(decimal_overflow)?, count);
            Ok(())
        })?;
        Ok(true)
    }

    /// Some groups for themselves.
    pub(super) fn pick(&self, groups: &[u32]) -> Self {
        Self { sums: pick(&self.sums, groups), counts: pick(&self.counts, groups), scale: self.scale }
    }

    /// Takes in another's, whose groups have these numbers here; gives it back, and nothing is done, where
    /// sums would have too many digits.
    pub(super) fn merge(&mut self, mut other: Self, renumber: &[u32]) -> Result<Option<Self>, ExecError> {
        let scale = self.scale.max(other.scale);
        if !self.raise(scale) || !other.raise(scale) {
            return Ok(Some(other));
        }
        for (n, (sum, count)) in renumber.iter().zip(other.sums.into_iter().zip(other.counts)) {
            let n = *n as usize;
            self.sums[n] = self.sums[n].checked_add(sum).ok_or_else(decimal_overflow)?;
            self.counts[n] = self.counts[n].checked_add(count).ok_or_else(mean_overflow)?;
        }
        Ok(None)
    }

    /// The same as accumulators.
    ///
    /// **Errors**: a sum of more digits than a decimal has.
    pub(super) fn accumulators(&self, kind: AggregateKind) -> Result<Vec<Accumulator>, ExecError> {
        let terms = self.sums.iter().zip(&self.counts);
        terms.map(|(sum, count)| self.accumulator(kind, *sum, *count)).collect()
    }

    fn accumulator(&self, kind: AggregateKind, sum: i128, count: u64) -> Result<Accumulator, ExecError> {
        match Decimal::new(sum, self.scale) {
            _ if count == 0 => Ok(Accumulator::new(function(kind))),
            Some(sum) => Ok(Accumulator::of_decimals(function(kind), sum, count)),
            None => Err(decimal_overflow()),
        }
    }

    /// Sums or means. Of nothing a sum is the integer 0, as of any other type, and a mean null.
    ///
    /// **Errors**: a sum of more digits than a decimal has.
    pub(super) fn into_column<'s>(self, kind: AggregateKind) -> Result<Vector<'s>, ExecError> {
        let groups = self.sums.len();
        let is_sum = kind == AggregateKind::Sum && !self.counts.contains(&0);
        if is_sum {
            let few: Option<Vec<i64>> = self.sums.iter().map(|sum| i64::try_from(*sum).ok()).collect();
            if let Some(few) = few {
                return Ok(Vector::new(Values::Decimal(Decimals::of_units(few, self.scale))));
            }
            let sums =
                self.sums.iter().map(|sum| Decimal::new(*sum, self.scale).ok_or_else(decimal_overflow));
            return Ok(Vector::new(Values::Decimal(Decimals::Each(sums.collect::<Result<_, _>>()?))));
        }
        let values = self.accumulators(kind)?.into_iter().map(Accumulator::finish);
        Ok(Vector::of_values(values.collect::<Result<Vec<Value>, _>>()?, Positions::all(groups)))
    }
}

fn decimal_overflow() -> ExecError {
    trimorph_functions::decimal_overflow("sum()").into()
}

#[cfg(test)]
mod tests {
    use super::super::rows::Weights;
    use super::*;

    /// Sums and means against accumulators that take value by value: scales that grow, groups without rows,
    /// weights, numbers of many digits.
    #[test]
    fn sums_are_those_of_accumulators() {
        let text = |value: Value| format!("{value:?}");
        let mut random = trimorph_base::Random::new(11);
        let mut left = 0;
        for round in 0..60_u64 {
            let groups = [1, 4, 300][random.below(3)];
            let kind = if round % 2 == 0 { AggregateKind::Sum } else { AggregateKind::Avg };
            let mut sums = DecimalSums::new(groups);
            let mut expected: Vec<Accumulator> =
                (0..groups).map(|_| Accumulator::new(function(kind))).collect();
            let mut is_left = false;
            for _ in 0..4 {
                let scale = random.below(if round % 7 == 6 { 30 } else { 9 }) as u8;
                let digits = if round % 5 == 4 { i128::from(i64::MAX) * 7 } else { 1_000_003 };
                let decimals: Vec<Decimal> = (0..500)
                    .map(|_| Decimal::new((random.bits() as i128 - (1 << 62)) % digits, scale).unwrap())
                    .collect();
                let column = match round % 3 {
                    0 => Decimals::Each(decimals.clone()),
                    _ => Decimals::packed(decimals.clone()),
                };
                let arg = Vector::new(Values::Decimal(column.clone()));
                let positions: Vec<u32> = (0..500).collect();
                let numbers: Vec<u32> =
                    positions.iter().map(|_| random.below(groups.max(2) - 1) as u32).collect();
                let rows = Rows {
                    arg: Some(&arg),
                    parameter: None,
                    constant: None,
                    numbers: &numbers,
                    positions: &positions,
                    weights: Weights::All(1 + round % 3),
                    shared: None,
                    is_of_chunk: false,
                };
                is_left = !sums.add(&rows, &column).unwrap();
                if is_left {
                    break;
                }
                rows.each(|n, p, weight| Ok(expected[n].update(&Value::Decimal(decimals[p]), weight)?))
                    .unwrap();
            }
            left += u32::from(is_left);
            let all: Vec<u32> = (0..groups as u32).collect();
            let mut both = DecimalSums::new(groups);
            assert!(both.merge(sums.pick(&all), &all).unwrap().is_none());
            for (own, state) in expected.iter().zip(both.accumulators(kind).unwrap()) {
                assert_eq!(text(own.clone().finish().unwrap()), text(state.finish().unwrap()));
            }
            let column = both.into_column(kind).unwrap();
            for (i, expected) in expected.into_iter().enumerate() {
                assert_eq!(text(column.value(i, &|_| Value::Null)), text(expected.finish().unwrap()));
            }
        }
        assert!(left > 0 && left < 30);
    }
}

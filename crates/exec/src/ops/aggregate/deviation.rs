//! Deviations of integers that are not too large: the sums of numbers and of their squares, both exact, so
//! that a number costs a multiplication and no rounding, and the order does not matter.
//!
//! Invariant: numbers are below 2^40, and there are fewer than 2^40 of them in all groups; so squares stay
//! below 2^120.

use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::Value;

use crate::ExecError;

/// What numbers and their number must stay below.
const LARGE: u64 = 1 << 40;

/// What a deviation is computed of.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

/// Numbers that are about to come, looked at first.
pub(super) struct Coming {
    /// How many there are then, in all groups.
    pub(super) count: u64,
    is_small: bool,
}

impl Coming {
    /// After so many.
    pub(super) fn after(count: u64) -> Self {
        Self { count, is_small: true }
    }

    #[inline]
    pub(super) fn add(&mut self, number: i64, weight: u64) {
        self.count = self.count.saturating_add(weight);
        self.is_small &= number.unsigned_abs() < LARGE;
    }

    /// Whether all of them can be taken.
    pub(super) fn fit(&self) -> bool {
        self.is_small && self.count < LARGE
    }
}

impl Moments {
    /// Takes a number that was looked at.
    #[inline]
    pub(super) fn add(&mut self, number: i64, weight: u64) {
        let term = i128::from(number) * i128::from(weight);
        self.count += weight;
        self.sum += term;
        self.squares += term * i128::from(number);
    }

    /// The same of so many numbers: zeros may come and go.
    pub(super) fn with_count(self, count: u64) -> Self {
        Self { count, ..self }
    }

    /// Takes what another has seen; both together keep the invariant.
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The sum of squared distances from the mean.
    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    fn distances(self) -> f64 {
        let count = i128::from(self.count.max(1));
        // Σx² - (Σx)² / n, of which only the last division is rounded: Σx = q n + r.
        let (whole, rest) = (self.sum.div_euclid(count), self.sum.rem_euclid(count));
        let (taken, part) = ((rest * self.sum).div_euclid(count), (rest * self.sum).rem_euclid(count));
        (self.squares - whole * self.sum - taken) as f64 - part as f64 / count as f64
    }

    /// The same as an accumulator.
    #[expect(clippy::cast_precision_loss, reason = "a deviation is approximate")]
    pub(super) fn accumulator(self, function: AggregateFunction) -> Accumulator {
        let mean = self.sum as f64 / self.count.max(1) as f64;
        Accumulator::of_deviation(function, self.count, mean, self.distances().max(0.0))
    }

    /// The deviation.
    pub(super) fn finish(self, function: AggregateFunction) -> Result<f64, ExecError> {
        match self.accumulator(function).finish()? {
            Value::Float(deviation) => Ok(deviation),
            _ => Ok(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the accumulator that takes one number after the other, by weights, merged in the middle.
    #[test]
    fn moments_give_the_deviations_of_accumulators() {
        let mut random = trimorph_base::Random::new(11);
        let mut random = move || random.bits() >> 12;
        for round in 0..500 {
            for function in [AggregateFunction::StDev, AggregateFunction::StDevP] {
                let (mut first, mut second) = (Moments::default(), Moments::default());
                let mut oracle = Accumulator::new(function);
                let spread = [1, 10, 1 << 39, 1_000_000][round % 4];
                for k in 0..round % 50 {
                    let number = (random() % spread).cast_signed() - (spread / 3).cast_signed();
                    let weight = 1 + random() % 3;
                    let part = if k % 2 == 0 { &mut first } else { &mut second };
                    part.add(number, weight);
                    oracle.update(&Value::Int(number), weight).unwrap();
                }
                first.merge(second);
                let Value::Float(expected) = oracle.finish().unwrap() else { panic!("no float") };
                let found = first.finish(function).unwrap();
                let difference = (found - expected).abs();
                assert!(difference <= expected.abs() * 1e-9 + 1e-9, "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_seen() {
        let fit = |before, number, weight| {
            let mut coming = Coming::after(before);
            coming.add(number, weight);
            coming.fit()
        };
        assert!(fit(0, -5, 1) && fit((1 << 40) - 2, 1, 1));
        assert!(
            !fit(0, 1 << 40, 1) && !fit(0, i64::MIN, 1) && !fit(0, 1, u64::MAX) && !fit((1 << 40) - 1, 1, 1)
        );
    }
}

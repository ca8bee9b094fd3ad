//! Sums and means of floats, or of floats and integers, by group: a sum of the former with its rounding
//! errors apart, one of the latter in 128 bits, and how many terms each has. With a float among them the sum
//! is a float.
//!
//! Hot loop: [`NumberSums::add_within`], an addition and its exact error a row, without a branch. It is used
//! while no sum can leave the range of floats, which one look at a chunk's terms says.

use trimorph_algebra::AggregateKind;
use trimorph_functions::aggregate::{Accumulator, FloatSum};
use trimorph_types::Value;
use trimorph_vector::{Nulls, Number, Numbers, Positions, Values, Vector};

use super::functions::{function, integer_value, mean_overflow, sum_overflow};
use super::rows::{FEW, Rows, Weights};
use crate::ExecError;
use crate::rows::{MANY, overflow};

/// The sums of groups.
#[derive(Default)]
pub(super) struct NumberSums {
    sums: Vec<FloatSum>,
    counts: Vec<u64>,
    /// What no sum is further from zero than.
    reach: f64,
    /// Of integers and their numbers, once there are any.
    integers: Option<IntegerSums>,
    /// Room for the sums of a chunk's rows where groups are few.
    lanes: Option<Box<[[Cell; FEW]; LANES]>>,
}

/// What rows of a chunk add to a group.
#[derive(Clone, Copy, Default)]
struct Cell {
    sum: FloatSum,
    rows: u32,
}

#[derive(Clone, Default)]
struct IntegerSums {
    sums: Vec<i128>,
    counts: Vec<u64>,
}

impl IntegerSums {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0);
        self.counts.resize(groups, 0);
    }

    #[inline(always)]
    fn add(&mut self, group: usize, sum: i128, count: u64) -> Result<(), ExecError> {
        self.sums[group] = self.sums[group].checked_add(sum).ok_or_else(sum_overflow)?;
        self.counts[group] = self.counts[group].checked_add(count).ok_or_else(mean_overflow)?;
        Ok(())
    }
}

/// Sums below this stay in range whatever a rounding adds.
const REACH_MAX: f64 = 1e300;
/// Sums of one group that take turns: each would wait for the row before it.
const LANES: usize = 4;
/// Rows from which on clearing the lanes pays.
const ROWS_MIN: usize = 512;

impl NumberSums {
    /// Sums of no terms, of so many groups.
    pub(super) fn new(groups: usize) -> Self {
        let (sums, counts) = (vec![FloatSum::default(); groups], vec![0; groups]);
        Self { sums, counts, ..Self::default() }
    }

    /// Sums of so many integers each.
    pub(super) fn of_integers(sums: Vec<i128>, counts: Vec<u64>) -> Self {
        let floats = Self::new(sums.len());
        Self { integers: Some(IntegerSums { sums, counts }), ..floats }
    }

    pub(super) fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, FloatSum::default());
        self.counts.resize(groups, 0);
        if let Some(integers) = &mut self.integers {
            integers.resize(groups);
        }
    }

    /// Groups, those there is room for, and bytes of each.
    pub(super) fn cells(&self) -> (usize, usize, usize) {
        let integers = if self.integers.is_some() { size_of::<i128>() + size_of::<u64>() } else { 0 };
        (self.sums.len(), self.sums.capacity(), size_of::<FloatSum>() + size_of::<u64>() + integers)
    }

    fn integers(&mut self) -> &mut IntegerSums {
        let groups = self.sums.len();
        self.integers.get_or_insert_with(|| IntegerSums { sums: vec![0; groups], counts: vec![0; groups] })
    }

    /// Takes rows of integers in.
    pub(super) fn add_integers(&mut self, rows: &Rows<'_, '_>, ints: &[i64]) -> Result<(), ExecError> {
        let integers = self.integers();
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            integers.add(n, i128::from(ints[p]) * i128::from(weight), weight)
        })
    }

    /// Takes rows of both types in.
    pub(super) fn add_numbers(&mut self, rows: &Rows<'_, '_>, numbers: &Numbers) -> Result<(), ExecError> {
        self.integers();
        if let Weights::All(1) = rows.weights {
            let reach = self.reach + reach_of(rows.positions, |p| numbers.parts(p).0);
            if reach < REACH_MAX {
                self.reach = reach;
                let Self { sums, counts, integers: Some(integers), .. } = self else { return Ok(()) };
                return rows.each(|n, p, _| {
                    // Both are added, one of them nothing: which one it is is guessed wrong too often.
                    let (float, int, is_float) = numbers.parts(p);
                    sums[n].add_within(float);
                    counts[n] += u64::from(is_float);
                    integers.add(n, i128::from(int), u64::from(!is_float))
                });
            }
        }
        self.reach = f64::INFINITY;
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            match numbers.get(p) {
                Number::Float(float) => self.add_float(n, float, weight),
                Number::Int(int) => self.integers().add(n, i128::from(int) * i128::from(weight), weight),
            }
        })
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "a float sum is approximate")]
    fn add_float(&mut self, group: usize, float: f64, weight: u64) -> Result<(), ExecError> {
        self.sums[group].add(float, weight as f64);
        self.counts[group] = self.counts[group].checked_add(weight).ok_or_else(mean_overflow)?;
        Ok(())
    }

    /// Takes rows of floats in.
    pub(super) fn add(&mut self, rows: &Rows<'_, '_>, floats: &[f64]) -> Result<(), ExecError> {
        if let Weights::All(1) = rows.weights {
            // NaN and what is infinite are beyond any reach.
            let reach = self.reach + reach_of(rows.positions, |p| floats[p]);
            if reach < REACH_MAX {
                self.reach = reach;
                return self.add_within(rows, floats);
            }
        }
        self.reach = f64::INFINITY;
        rows.each(|n, p, weight| {
            if weight == MANY {
                return Err(overflow());
            }
            self.add_float(n, floats[p], weight)
        })
    }

    /// Takes rows in, each once, that keep all sums in range.
    fn add_within(&mut self, rows: &Rows<'_, '_>, floats: &[f64]) -> Result<(), ExecError> {
        let groups = self.sums.len();
        if groups > FEW || rows.positions.len() < ROWS_MIN {
            return rows.each(|n, p, _| {
                self.sums[n].add_within(floats[p]);
                self.counts[n] += 1;
                Ok(())
            });
        }
        let Self { sums, counts, lanes, .. } = self;
        let turns = lanes.get_or_insert_with(|| Box::new([[Cell::default(); FEW]; LANES]));
        turns.iter_mut().for_each(|lane| lane[..groups].fill(Cell::default()));
        let mut turn = 0;
        rows.each(|n, p, _| {
            let cell = &mut turns[turn % LANES][n % FEW];
            cell.sum.add_within(floats[p]);
            cell.rows += 1;
            turn += 1;
            Ok(())
        })?;
        for lane in turns.iter() {
            for ((sum, count), cell) in sums.iter_mut().zip(counts.iter_mut()).zip(&lane[..groups]) {
                sum.merge(cell.sum);
                *count += u64::from(cell.rows);
            }
        }
        Ok(())
    }

    /// Some groups for themselves.
    pub(super) fn pick(&self, groups: &[u32]) -> Self {
        let integers = self.integers.as_ref().map(|integers| IntegerSums {
            sums: pick(&integers.sums, groups),
            counts: pick(&integers.counts, groups),
        });
        Self {
            sums: pick(&self.sums, groups),
            counts: pick(&self.counts, groups),
            reach: self.reach,
            integers,
            lanes: None,
        }
    }

    /// Takes in another's, whose groups have these numbers here.
    pub(super) fn merge(&mut self, other: Self, renumber: &[u32]) -> Result<(), ExecError> {
        self.reach += other.reach;
        let numbers = renumber.iter().map(|n| *n as usize);
        for (n, (sum, count)) in numbers.clone().zip(other.sums.into_iter().zip(other.counts)) {
            self.sums[n].merge(sum);
            self.counts[n] = self.counts[n].checked_add(count).ok_or_else(mean_overflow)?;
        }
        if let Some(others) = other.integers {
            let integers = self.integers();
            for (n, (sum, count)) in numbers.zip(others.sums.into_iter().zip(others.counts)) {
                integers.add(n, sum, count)?;
            }
        }
        Ok(())
    }

    /// The sum and number of integers of a group.
    fn integer(&self, group: usize) -> (i128, u64) {
        self.integers.as_ref().map_or((0, 0), |integers| (integers.sums[group], integers.counts[group]))
    }

    /// The same as accumulators.
    ///
    /// **Errors**: more terms than 64 bits count.
    pub(super) fn accumulators(&self, kind: AggregateKind) -> Result<Vec<Accumulator>, ExecError> {
        let function = function(kind);
        let accumulator = |group: usize| {
            let (sum, count) = self.integer(group);
            let mut state = Accumulator::of_floats(function, self.sums[group], self.counts[group]);
            state.merge(Accumulator::of_integers(function, sum, count))?;
            Ok(state)
        };
        (0..self.sums.len()).map(accumulator).collect()
    }

    /// Sums or means. Of nothing a sum is the integer 0, as of any other type, and a mean null.
    ///
    /// **Errors**: a sum of integers beyond 64 bits.
    #[expect(clippy::cast_precision_loss, reason = "a sum or mean with a float is approximate")]
    pub(super) fn into_column<'s>(self, kind: AggregateKind) -> Result<Vector<'s>, ExecError> {
        let (is_mean, groups) = (kind == AggregateKind::Avg, self.counts.len());
        let mut floats = Vec::with_capacity(groups);
        for (group, (sum, count)) in self.sums.iter().zip(&self.counts).enumerate() {
            let (mut sum, (ints, of)) = (*sum, self.integer(group));
            if of > 0 {
                sum.add(ints as f64, 1.0);
            }
            let terms = count.checked_add(of).ok_or_else(mean_overflow)?;
            floats.push(sum.divided(if is_mean { terms as f64 } else { 1.0 }));
        }
        // Those that have no float.
        let others: Vec<usize> = (0..groups).filter(|group| self.counts[*group] == 0).collect();
        if !is_mean && !others.is_empty() {
            let mut values: Vec<Value> = floats.into_iter().map(Value::Float).collect();
            for group in others {
                let sum = self.integer(group).0;
                values[group] = match kind {
                    AggregateKind::NumberSum => integer_value(sum),
                    _ => Value::Int(i64::try_from(sum).map_err(|_| sum_overflow())?),
                };
            }
            return Ok(Vector::of_values(values, Positions::all(groups)));
        }
        let mut nulls = Nulls::NONE;
        let empty = others.into_iter().filter(|group| self.integer(*group).1 == 0);
        empty.for_each(|group| nulls.set(group, groups));
        Ok(Vector { values: Values::Float(floats), nulls })
    }
}

/// How far from zero a sum of terms can be: side by side, since one sum would wait for itself at every term.
fn reach_of(positions: &[u32], term: impl Fn(usize) -> f64) -> f64 {
    let mut lanes = [0.0; 2 * LANES];
    let (rows, rest) = positions.as_chunks::<{ 2 * LANES }>();
    for row in rows {
        lanes.iter_mut().zip(row).for_each(|(lane, p)| *lane += term(*p as usize).abs());
    }
    rest.iter().fold(lanes.iter().sum(), |sum, p| sum + term(*p as usize).abs())
}

/// The values at these positions.
pub(super) fn pick<T: Copy>(values: &[T], positions: &[u32]) -> Vec<T> {
    positions.iter().map(|p| values[*p as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums by group against accumulators that take value by value: few groups and many, with nulls, near the
    /// end of the range, infinite and none.
    #[test]
    fn sums_are_those_of_accumulators() {
        let mut random = trimorph_base::Random::new(7);
        let mut below = move |n: u64| (random.bits() >> 12) % n;
        for round in 0..60 {
            let groups = [1usize, 5, 300][round % 3];
            let mut sums = NumberSums::new(0);
            sums.resize(groups);
            let kind = if round % 2 == 0 { AggregateKind::Sum } else { AggregateKind::Avg };
            let mut expected: Vec<Accumulator> =
                (0..groups).map(|_| Accumulator::new(function(kind))).collect();
            for _ in 0..3 {
                let len = [40usize, 2000][round % 2];
                let value = |below: &mut dyn FnMut(u64) -> u64| match round % 20 {
                    17 => f64::MAX / 4.0,
                    18 if below(100) == 0 => f64::INFINITY,
                    19 if below(100) == 0 => f64::NAN,
                    _ => (below(2_000_001) as f64 - 1e6) * [1.0, 1e-9, 1e12][below(3) as usize],
                };
                let floats: Vec<f64> = (0..len).map(|_| value(&mut below)).collect();
                let mut nulls = Nulls::NONE;
                if round % 4 > 1 {
                    (0..len).filter(|_| below(5) == 0).for_each(|i| nulls.set(i, len));
                }
                let mut numbers = Numbers::default();
                for (i, float) in floats.iter().enumerate() {
                    let is_int = below(3) == 0 || i % groups == 0;
                    numbers.push(if is_int { Number::Int(*float as i64) } else { Number::Float(*float) });
                }
                let ints: Vec<i64> = floats.iter().map(|float| *float as i64 / 2).collect();
                let values = match round / 3 % 3 {
                    0 => Values::Float(floats),
                    1 => Values::Number(numbers),
                    _ if below(2) == 0 => Values::Int(ints),
                    _ => Values::Number(numbers),
                };
                let arg = Vector { values, nulls };
                let positions: Vec<u32> = (0..len as u32).collect();
                // The last group has no rows.
                let groups_of_rows: Vec<u32> =
                    (0..len).map(|_| below((groups as u64 - 1).max(1)) as u32).collect();
                let rows = Rows {
                    arg: Some(&arg),
                    parameter: None,
                    constant: None,
                    numbers: &groups_of_rows,
                    positions: &positions,
                    weights: Weights::All(1 + u64::from(round % 5 == 4)),
                    shared: None,
                    is_of_chunk: false,
                };
                match &arg.values {
                    Values::Float(floats) => sums.add(&rows, floats).unwrap(),
                    Values::Int(ints) => sums.add_integers(&rows, ints).unwrap(),
                    Values::Number(numbers) => sums.add_numbers(&rows, numbers).unwrap(),
                    other => panic!("{other:?}"),
                }
                let value = |p: usize| arg.value(p, &|_| Value::Null);
                rows.each(|n, p, weight| Ok(expected[n].update(&value(p), weight)?)).unwrap();
            }
            let halves: Vec<u32> = (0..groups as u32).collect();
            let states = sums.accumulators(kind).unwrap();
            let mut both = NumberSums::new(groups);
            both.merge(sums.pick(&halves), &halves).unwrap();
            for (own, state) in expected.iter().zip(states) {
                let texts = [own.clone(), state].map(|state| format!("{:?}", state.finish().is_ok()));
                assert_eq!(texts[0], texts[1]);
            }
            let column = both.into_column(kind).unwrap();
            for (i, expected) in expected.into_iter().enumerate() {
                let (found, expected) = (column.value(i, &|_| Value::Null), expected.finish().unwrap());
                match (&found, &expected) {
                    (Value::Float(a), Value::Float(b)) => {
                        let near = (a - b).abs() <= b.abs() * 1e-13 + 1e-9;
                        assert!(near || a == b || a.is_nan() && b.is_nan(), "{a} is not {b}");
                    }
                    _ => assert_eq!(format!("{found:?}"), format!("{expected:?}")),
                }
            }
        }
    }
}

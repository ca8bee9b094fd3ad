//! Rows of few groups: what they add to each is put together in small arrays first.
//!
//! Rows that follow each other are mostly of the same few groups, so that each would wait for the one before
//! to be written. Several arrays take turns, and sums stay 64 bits wide: none of a chunk is longer.

use trimorph_algebra::AggregateKind;
use trimorph_vector::Values;

use super::rows::{Rows, Weights};
use super::states::{Column, States, integers};

/// Groups up to which they are few: a power of two.
const FEW: usize = 256;
/// Arrays that take turns.
const LANES: usize = 4;
/// Rows from which on clearing the arrays pays.
const ROWS_MIN: usize = 512;
/// Rows whose values of 40 bits have sums of 64 bits.
const ROWS_MAX: usize = 1 << 23;

/// What rows add to each group.
fn folded<T: Copy>(
    rows: &Rows<'_, '_>,
    start: T,
    value: impl Fn(usize) -> T,
    both: impl Fn(T, T) -> T,
) -> [T; FEW] {
    let mut lanes = [[start; FEW]; LANES];
    let (numbers, last_numbers) = rows.numbers.as_chunks::<LANES>();
    let (positions, last_positions) = rows.positions.as_chunks::<LANES>();
    let mut add = |lane: usize, number: u32, position: u32| {
        let cell = &mut lanes[lane][number as usize % FEW];
        *cell = both(*cell, value(position as usize));
    };
    for (numbers, positions) in numbers.iter().zip(positions) {
        for lane in 0..LANES {
            add(lane, numbers[lane], positions[lane]);
        }
    }
    for (number, position) in last_numbers.iter().zip(last_positions) {
        add(0, *number, *position);
    }
    let [mut out, rest @ ..] = lanes;
    for lane in rest {
        out.iter_mut().zip(lane).for_each(|(a, b)| *a = both(*a, b));
    }
    out
}

/// The sums of integers by group, where none of them can have more than 64 bits.
fn sums(rows: &Rows<'_, '_>, ints: &[i64]) -> Option<[i64; FEW]> {
    let bits =
        rows.positions.iter().fold(0, |bits, p| bits | (ints[*p as usize] ^ (ints[*p as usize] >> 63)));
    (bits >> 40 == 0 && rows.positions.len() <= ROWS_MAX)
        .then(|| folded(rows, 0, |p| ints[p], |a: i64, b| a.wrapping_add(b)))
}

/// How many rows there are of each group.
fn counts(rows: &Rows<'_, '_>) -> [u32; FEW] {
    folded(rows, 0, |_| 1, |a: u32, b| a + b)
}

impl Column<'_> {
    /// Takes rows in where that pays and each stands for one tuple and has a value; else does nothing.
    pub(super) fn add_few(&mut self, rows: &Rows<'_, '_>, groups: usize) -> bool {
        let each_once = matches!(rows.weights, Weights::All(1)) && rows.are_plain();
        if groups > FEW || rows.positions.len() < ROWS_MIN || !each_once {
            return false;
        }
        match (&mut self.states, rows.arg.map(|arg| (&arg.values, arg.logical_type()))) {
            (States::Count(all), _) => {
                all.iter_mut().zip(counts(rows)).for_each(|(count, more)| *count += u64::from(more));
            }
            (States::Sums { values, seen }, Some((Values::Int(ints), _))) => {
                let Some(sums) = sums(rows, ints) else { return false };
                let mut all = Vec::with_capacity(values.len());
                for (value, more) in values.iter().zip(sums) {
                    let Some(sum) = value.checked_add(more.into()) else { return false };
                    all.push(sum);
                }
                *values = all;
                rows.numbers.iter().for_each(|number| seen[*number as usize] = true);
            }
            (States::Means { sums: all, counts: of }, Some((Values::Int(ints), _))) => {
                let Some(sums) = sums(rows, ints) else { return false };
                let fits = all.iter().zip(&sums).all(|(sum, more)| sum.checked_add((*more).into()).is_some());
                let counts = counts(rows);
                if !fits
                    || of.iter().zip(counts).any(|(count, more)| count.checked_add(more.into()).is_none())
                {
                    return false;
                }
                all.iter_mut().zip(sums).for_each(|(sum, more)| *sum += i128::from(more));
                of.iter_mut().zip(counts).for_each(|(count, more)| *count += u64::from(more));
            }
            (States::Extremes { kind, ty, values, seen }, Some((other, other_type))) => {
                let Some(ints) = integers(other) else { return false };
                if *ty != other_type && seen.iter().any(|s| *s) {
                    return false;
                }
                *ty = other_type;
                let largest = *kind == AggregateKind::Max;
                let found = if largest {
                    folded(rows, i64::MIN, |p| ints[p], i64::max)
                } else {
                    folded(rows, i64::MAX, |p| ints[p], i64::min)
                };
                // Of a group without rows the array has what is worse than all.
                for (value, more) in values.iter_mut().zip(found) {
                    *value = if largest { more.max(*value) } else { more.min(*value) };
                }
                rows.numbers.iter().for_each(|number| seen[*number as usize] = true);
            }
            _ => return false,
        }
        true
    }
}

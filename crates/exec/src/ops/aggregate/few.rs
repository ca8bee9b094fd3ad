//! Rows of few groups: what they add to each is put together in small arrays first.
//!
//! Rows that follow each other are mostly of the same few groups, so that each would wait for the one before
//! to be written. Several arrays take turns, and sums stay 64 bits wide: none of a chunk is longer.

use std::borrow::Cow;

use trimorph_algebra::AggregateKind;
use trimorph_vector::Values;

use super::rows::{FEW, FewSums, Rows, Weights};
use super::states::{Column, States, integers};

/// Arrays that take turns.
const LANES: usize = 4;
/// Rows from which on clearing the arrays pays.
const ROWS_MIN: usize = 512;
/// Rows whose values of 40 bits have sums of 64 bits.
const ROWS_MAX: usize = 1 << 23;

/// What rows add to each group, each the value beside its group's number.
fn folded<T: Copy, V: Copy>(
    numbers: &[u32],
    values: &[V],
    start: T,
    both: impl Fn(T, V) -> T,
    join: impl Fn(T, T) -> T,
) -> [T; FEW] {
    let mut lanes = [[start; FEW]; LANES];
    let (numbers, last_numbers) = numbers.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    let mut add = |lane: usize, number: u32, value: V| {
        let cell = &mut lanes[lane][number as usize % FEW];
        *cell = both(*cell, value);
    };
    for (numbers, values) in numbers.iter().zip(values) {
        for lane in 0..LANES {
            add(lane, numbers[lane], values[lane]);
        }
    }
    for (number, value) in last_numbers.iter().zip(last_values) {
        add(0, *number, *value);
    }
    let [mut out, rest @ ..] = lanes;
    for lane in rest {
        out.iter_mut().zip(lane).for_each(|(a, b)| *a = join(*a, b));
    }
    out
}

/// The values at these positions: as they lie where these are the first ones in their order.
fn at<'v>(positions: &[u32], ints: &'v [i64]) -> Cow<'v, [i64]> {
    // Without a branch, so that it is done in vectors.
    let moved = positions.iter().zip(0u32..).fold(0, |moved, (p, i)| moved | (p ^ i));
    match ints.get(..positions.len()) {
        Some(first) if moved == 0 => Cow::Borrowed(first),
        _ => positions.iter().map(|p| ints[*p as usize]).collect(),
    }
}

/// The sums of integers by group, where none of them can have more than 64 bits.
fn sums(rows: &Rows<'_, '_>, ints: &[i64]) -> FewSums {
    let found = || {
        let ints = at(rows.positions, ints);
        let bits = ints.iter().fold(0, |bits, int| bits | (int ^ (int >> 63)));
        let add = |a: i64, b: i64| a.wrapping_add(b);
        (bits >> 40 == 0 && ints.len() <= ROWS_MAX).then(|| folded(rows.numbers, &ints, 0, add, add))
    };
    let Some(shared) = rows.shared.filter(|_| rows.is_of_chunk) else { return found() };
    let known = shared.sums.borrow().filter(|(of, _)| *of == ints.as_ptr());
    match known {
        Some((_, sums)) => sums,
        None => shared.sums.borrow_mut().insert((ints.as_ptr(), found())).1,
    }
}

/// How many rows there are of each group.
fn counts(rows: &Rows<'_, '_>) -> [u32; FEW] {
    let found = || folded(rows.numbers, rows.numbers, 0, |a: u32, _| a + 1, |a, b| a + b);
    rows.shared.map_or_else(found, |shared| *shared.counts.get_or_init(found))
}

/// Notes of which groups there were rows.
fn note_seen(seen: &mut [bool], rows: &Rows<'_, '_>) {
    seen.iter_mut().zip(counts(rows)).for_each(|(seen, count)| *seen |= count > 0);
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
                note_seen(seen, rows);
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
                let ints = at(rows.positions, ints);
                let found = if largest {
                    folded(rows.numbers, &ints, i64::MIN, i64::max, i64::max)
                } else {
                    folded(rows.numbers, &ints, i64::MAX, i64::min, i64::min)
                };
                // Of a group without rows the array has what is worse than all.
                for (value, more) in values.iter_mut().zip(found) {
                    *value = if largest { more.max(*value) } else { more.min(*value) };
                }
                note_seen(seen, rows);
            }
            _ => return false,
        }
        true
    }
}

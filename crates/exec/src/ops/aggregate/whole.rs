//! Aggregates over a whole chunk whose rows are all of one group: the selected rows of a vector are folded in
//! a typed loop, without a list of the rows and of their groups.
//!
//! Hot loop: [`fold`], one load and an operation or two a row, no branch on what is null. `max` takes a third
//! of the time it took with the lists (`bench/gfcl`, figure 10, `Column::add` in a profile).

use trimorph_algebra::AggregateKind;
use trimorph_functions::aggregate::Accumulator;
use trimorph_types::LogicalType;
use trimorph_vector::{Group, Nulls, Number, Selection, Values, Vector};

use super::deviation::{Coming, Moments};
use super::functions::{function, mean_overflow, sum_overflow};
use super::states::{Column, States, integers};
use crate::ExecError;
use crate::rows::MANY;

/// The nulls among positions `64 × k..`, as bits.
#[inline(always)]
fn word(nulls: &Nulls, k: usize) -> u64 {
    nulls.words().get(k).copied().unwrap_or(0)
}

/// Folds over the values at the selected positions, with `blank` for nulls: what changes no result.
#[inline(always)]
fn fold<A>(
    values: &[i64],
    nulls: &Nulls,
    selection: &Selection,
    blank: i64,
    start: A,
    step: impl Fn(A, i64) -> A,
) -> A {
    match (selection, nulls.is_none()) {
        (Selection::All, true) => values.iter().fold(start, |a, v| step(a, *v)),
        (Selection::All, false) => values
            .chunks(64)
            .enumerate()
            .fold(start, |a, (k, values)| fold_block(values, word(nulls, k), blank, a, &step)),
        (Selection::List(list), _) => list.iter().fold(start, |a, p| {
            let p = *p as usize;
            let null = (word(nulls, p >> 6) >> (p & 63)) & 1 == 1;
            step(a, if null { blank } else { values[p] })
        }),
    }
}

/// The same for 64 positions and the bits of their nulls.
#[inline(always)]
fn fold_block<A>(values: &[i64], nulls: u64, blank: i64, start: A, step: impl Fn(A, i64) -> A) -> A {
    let mut filled = [0; 64];
    for ((f, v), null) in filled.iter_mut().zip(values).zip(spread(nulls).as_flattened()) {
        // As a select it would become a branch.
        let null = i64::from(*null != 0).wrapping_neg();
        *f = (*v & !null) | (blank & null);
    }
    filled[..values.len()].iter().fold(start, |a, v| step(a, *v))
}

/// A byte for each bit, the lowest first: what a vector instruction compares a run of rows with.
#[inline(always)]
fn spread(bits: u64) -> [[u8; 8]; 8] {
    // Each byte's eight copies keep a bit each.
    bits.to_le_bytes().map(|b| ((u64::from(b) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201).to_le_bytes())
}

/// The number of selected positions that are not null.
fn count(len: usize, nulls: &Nulls, selection: &Selection) -> usize {
    match selection {
        _ if nulls.is_none() => selection.count(len),
        Selection::All => {
            let within = |k: usize| u64::MAX >> (64 - (len - k * 64).min(64));
            let words = nulls.words().iter().take(len.div_ceil(64)).enumerate();
            len - words.map(|(k, word)| (word & within(k)).count_ones() as usize).sum::<usize>()
        }
        Selection::List(list) => list.iter().filter(|p| !nulls.get(**p as usize)).count(),
    }
}

/// The sum of the values that are not null.
fn sum(values: &[i64], nulls: &Nulls, selection: &Selection) -> i128 {
    // Halves are summed apart, so that neither overflows below 2^31 rows and the loop is one of 64-bit words.
    let (high, low) = fold(values, nulls, selection, 0, (0i64, 0u64), |(high, low), value| {
        (high + (value >> 32), low + (value.cast_unsigned() & 0xffff_ffff))
    });
    (i128::from(high) << 32) + i128::from(low)
}

/// The best of `kept`, which may be `worst`, and of the values that are not null, of which there is one: the
/// largest where `best` gives the larger of two, the least where it gives the lesser.
#[inline(always)]
fn extreme(
    best: impl Fn(i64, i64) -> i64,
    worst: i64,
    kept: i64,
    values: &[i64],
    nulls: &Nulls,
    selection: &Selection,
) -> i64 {
    if nulls.is_none() || *selection != Selection::All {
        return fold(values, nulls, selection, worst, kept, best);
    }
    values.chunks(64).enumerate().fold(kept, |kept, (k, values)| {
        // A block none of whose values, null or not, is better than what is kept needs no look at its nulls.
        // Few are.
        let any = values.iter().fold(worst, |a, v| best(a, *v));
        if best(any, kept) == kept { kept } else { fold_block(values, word(nulls, k), worst, kept, &best) }
    })
}

impl Column<'_> {
    /// Whether values of a type that lie within bounds change nothing: the largest or the smallest of group
    /// `number` is as good as any of them.
    pub(super) fn is_beyond(&self, number: u32, (of, low, high): (LogicalType, i64, i64)) -> bool {
        let States::Extremes { kind, ty, values, seen } = &self.states else { return false };
        let n = number as usize;
        seen.get(n) == Some(&true)
            && *ty == of
            && match kind {
                AggregateKind::Max => values[n] >= high,
                _ => values[n] <= low,
            }
    }

    /// Takes the selected rows of `group` into the group of that number, each for `weight` tuples; false if
    /// that needs a list of rows.
    pub(super) fn add_whole(
        &mut self,
        number: u32,
        arg: &Vector<'_>,
        group: &Group<'_>,
        weight: u64,
    ) -> Result<bool, ExecError> {
        if self.distinct.is_some() || weight == 0 {
            return Ok(false);
        }
        let (n, selection, nulls) = (number as usize, &group.selection, &arg.nulls);
        if let Values::Float(floats) = &arg.values
            && weight == 1
            && matches!(self.kind, AggregateKind::Sum | AggregateKind::Avg)
        {
            let Some(state) = self.states.generalise(self.kind)?.get_mut(n) else { return Ok(false) };
            if *selection == Selection::All && nulls.is_none() {
                return Ok(state.update_floats(&floats[..group.len])?);
            }
            let mut present = selection.to_vec(group.len);
            present.retain(|p| !nulls.get(*p as usize));
            let present: Vec<f64> = present.iter().map(|p| floats[*p as usize]).collect();
            return Ok(state.update_floats(&present)?);
        }
        if let Values::Number(numbers) = &arg.values
            && weight == 1
            && matches!(self.kind, AggregateKind::Sum | AggregateKind::Avg)
        {
            let function = function(self.kind);
            let Some(state) = self.states.generalise(self.kind)?.get_mut(n) else { return Ok(false) };
            let (mut floats, mut sum, mut ints) = (Vec::new(), 0i128, 0u64);
            let mut take = |p: usize| match numbers.get(p) {
                _ if nulls.get(p) => {}
                Number::Float(float) => floats.push(float),
                // There are fewer than 2^64.
                Number::Int(int) => (sum, ints) = (sum + i128::from(int), ints + 1),
            };
            selection.for_each(group.len, &mut take);
            state.merge(Accumulator::of_integers(function, sum, ints))?;
            return Ok(state.update_floats(&floats)?);
        }
        if let States::Best(best) = &mut self.states
            && *selection == Selection::All
            && nulls.is_none()
            && best.add_whole(n, arg, group.len)
        {
            return Ok(true);
        }
        let Some(values) = integers(&arg.values).and_then(|v| v.get(..group.len)) else { return Ok(false) };
        let rows = count(group.len, nulls, selection);
        if rows == 0 {
            return Ok(true);
        }
        match &mut self.states {
            States::Count(counts) => {
                let Some(count) = counts.get_mut(n) else { return Ok(false) };
                *count = count.saturating_add((rows as u64).saturating_mul(weight));
            }
            States::Sums { values: sums, seen } if matches!(arg.values, Values::Int(_)) => {
                let (Some(total), Some(seen)) = (sums.get_mut(n), seen.get_mut(n)) else { return Ok(false) };
                // Terms that are too many to be counted are looked at one by one.
                if weight == MANY {
                    return Ok(false);
                }
                let sum =
                    sum(values, nulls, selection).checked_mul(weight.into()).ok_or_else(sum_overflow)?;
                *total = total.checked_add(sum).ok_or_else(sum_overflow)?;
                *seen = true;
            }
            States::Means { sums, counts } if matches!(arg.values, Values::Int(_)) => {
                let (Some(total), Some(seen)) = (sums.get_mut(n), counts.get_mut(n)) else {
                    return Ok(false);
                };
                if weight == MANY {
                    return Ok(false);
                }
                let sum =
                    sum(values, nulls, selection).checked_mul(weight.into()).ok_or_else(mean_overflow)?;
                let rows = (rows as u64).checked_mul(weight).ok_or_else(mean_overflow)?;
                *total = total.checked_add(sum).ok_or_else(mean_overflow)?;
                *seen = seen.checked_add(rows).ok_or_else(mean_overflow)?;
            }
            States::Extremes { kind, ty, values: extremes, seen } => {
                if *ty != arg.logical_type() && seen.iter().any(|seen| *seen) {
                    return Ok(false);
                }
                *ty = arg.logical_type();
                let (Some(kept), Some(seen)) = (extremes.get_mut(n), seen.get_mut(n)) else {
                    return Ok(false);
                };
                let start = |worst: i64| if *seen { *kept } else { worst };
                *kept = if *kind == AggregateKind::Max {
                    extreme(i64::max, i64::MIN, start(i64::MIN), values, nulls, selection)
                } else {
                    extreme(i64::min, i64::MAX, start(i64::MAX), values, nulls, selection)
                };
                *seen = true;
            }
            States::Deviations { moments, taken } if matches!(arg.values, Values::Int(_)) => {
                let Some(moments) = moments.get_mut(n) else { return Ok(false) };
                // As large as any, or zero.
                let most = fold(values, nulls, selection, 0, 0u64, |most, v| most | v.unsigned_abs());
                let mut coming = Coming::after(*taken);
                coming.add(
                    most.min(i64::MAX.cast_unsigned()).cast_signed(),
                    weight.saturating_mul(rows as u64),
                );
                if !coming.fit() {
                    return Ok(false);
                }
                *taken = coming.count;
                let sums = fold(values, nulls, selection, 0, Moments::default(), |mut all, v| {
                    all.add(v, weight);
                    all
                });
                // What is null was taken as zero.
                moments.merge(sums.with_count(weight.saturating_mul(rows as u64)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum, least, largest and number of rows picked by hand against those of the loops.
    #[test]
    fn a_whole_chunk_is_what_its_rows_are() {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        for round in 0..600 {
            let len = [0, 1, 63, 64, 65, 200][round % 6];
            // Neighbours of both ends, so that halves carry.
            let wide = |v: u64| {
                [i64::MAX, i64::MIN, -1, 1 << 32, 0][v as usize % 5].wrapping_add((v >> 8 & 3).cast_signed())
            };
            let values: Vec<i64> = (0..len).map(|_| wide(random())).collect();
            let mut nulls = Nulls::NONE;
            let share = [0, 1, 50, 100][round / 6 % 4];
            (0..len).filter(|_| random() % 100 < share).for_each(|i| nulls.set(i, len));
            let mut group = Group::default();
            group.reset(len);
            if round % 2 == 1 {
                group.selection.retain(len, |_| random() % 3 > 0);
            }
            let weight = 1 + random() % 3;
            let arg = Vector { values: Values::Int(values.clone()), nulls: nulls.clone() };
            let rows: Vec<i64> = group
                .selection
                .to_vec(len)
                .iter()
                .filter(|p| !nulls.get(**p as usize))
                .map(|p| values[*p as usize])
                .collect();
            let result = |kind| {
                let mut column = Column::new(kind, false, true);
                column.resize(1);
                assert!(column.add_whole(0, &arg, &group, weight).unwrap());
                column.states
            };
            let States::Count(counts) = result(AggregateKind::Count) else { panic!("no counts") };
            assert_eq!(counts, [rows.len() as u64 * weight]);
            let States::Sums { values: sums, seen } = result(AggregateKind::Sum) else { panic!("no sums") };
            let sum: i128 = rows.iter().map(|v| i128::from(*v) * i128::from(weight)).sum();
            assert_eq!((sums, seen), (vec![sum], vec![!rows.is_empty()]));
            for (kind, expected) in
                [(AggregateKind::Min, rows.iter().min()), (AggregateKind::Max, rows.iter().max())]
            {
                let States::Extremes { values, seen, .. } = result(kind) else { panic!("no extremes") };
                assert_eq!(seen[0].then_some(&values[0]), expected, "{kind:?} of {rows:?}");
            }
        }
    }
}

//! States that leave one worker's table for another's.

use trimorph_algebra::AggregateKind;
use trimorph_functions::aggregate::Accumulator;

use super::deviation::Coming;
use super::distinct::DistinctValues;
use super::functions::{function, mean_overflow, sum_overflow};
use super::number_sums::pick;
use super::owners::Owners;
use super::rows::{Rows, Weights};
use super::states::{Column, Ledger, States, keep_extreme};
use crate::ExecError;
use trimorph_vector::Vector;

/// Some groups' states of one aggregate.
pub(super) struct Export<'s> {
    pub(super) states: States<'s>,
    pub(super) distinct: Option<DistinctValues>,
}

impl<'s> Column<'s> {
    /// The states of other owners' groups, by owner. They stay behind too, emptied or not: nobody looks at
    /// them any more.
    pub(super) fn export(&mut self, owners: &Owners) -> Vec<Export<'s>> {
        // Where the values themselves are kept they are told apart again.
        let set = self.distinct.as_ref().filter(|_| self.kept.is_none());
        let mut distinct = set.map(|set| set.copy_to(owners).into_iter());
        let mut take = |owner: usize, positions: &[u32]| match &mut self.states {
            States::Count(counts) => States::Count(pick(counts, positions)),
            States::Sums { values, seen } => {
                States::Sums { values: pick(values, positions), seen: pick(seen, positions) }
            }
            States::Means { sums, counts } => {
                States::Means { sums: pick(sums, positions), counts: pick(counts, positions) }
            }
            States::Numbers(sums) => States::Numbers(sums.pick(positions)),
            States::Decimals(sums) => States::Decimals(sums.pick(positions)),
            States::Extremes { kind, ty, values, seen } => States::Extremes {
                kind: *kind,
                ty: *ty,
                values: pick(values, positions),
                seen: pick(seen, positions),
            },
            States::Best(best) => States::Best(Box::new(best.of_groups(positions))),
            States::Deviations { moments, taken } => {
                States::Deviations { moments: pick(moments, positions), taken: *taken }
            }
            States::Lists(collected) => States::Lists(if owner == owners.own {
                Box::default()
            } else {
                Box::new(collected.of_owner(owner, owners))
            }),
            States::Ranks(ranks) => States::Ranks(if owner == owners.own {
                Box::default()
            } else {
                Box::new(ranks.of_owner(owner, owners))
            }),
            States::General(states) => {
                let empty = || Accumulator::new(function(self.kind));
                let taken = positions.iter().map(|p| std::mem::replace(&mut states[*p as usize], empty()));
                States::General(taken.collect())
            }
        };
        let owned = owners.members.iter().enumerate();
        owned
            .map(|(owner, members)| Export {
                states: take(owner, if owner == owners.own { &[] } else { members }),
                distinct: distinct.as_mut().and_then(Iterator::next),
            })
            .collect()
    }

    /// All states.
    pub(super) fn into_export(self) -> Export<'s> {
        let distinct = self.distinct.filter(|_| self.kept.is_none());
        Export { states: self.states, distinct: distinct.map(|set| set.into_values()) }
    }

    /// How many distinct values there are, over all groups.
    pub(super) fn distinct_values(&self) -> usize {
        self.distinct.as_ref().map_or(0, |set| usize::try_from(set.len()).unwrap_or(usize::MAX))
    }

    /// How many values are kept one by one, over all groups.
    pub(super) fn kept_values(&self) -> usize {
        match &self.states {
            States::Lists(collected) => collected.values(),
            States::Ranks(ranks) => ranks.numbers(),
            _ => 0,
        }
    }

    /// Of one group: leaves the distinct values that hash to `own` and counts these, gives the others by
    /// owner.
    pub(super) fn split_values(&mut self, own: usize, count: usize) -> Vec<DistinctValues> {
        let Some(set) = self.distinct.as_mut().filter(|_| self.kept.is_none()) else { return Vec::new() };
        let values = set.split(own, count);
        if let States::Count(counts) = &mut self.states {
            counts.iter_mut().for_each(|c| *c = set.len());
        }
        values
    }

    /// Takes in values of the one group, from another worker's `split_values`.
    pub(super) fn merge_values(&mut self, values: DistinctValues) {
        if let (Some(seen), States::Count(counts)) = (&mut self.distinct, &mut self.states) {
            seen.merge(values, &[0], |group, values| counts[group as usize] += values);
        }
    }

    /// Counts that all groups have from now on.
    pub(super) fn set_counts(&mut self, count: u64) {
        if let States::Count(counts) = &mut self.states {
            counts.iter_mut().for_each(|c| *c = count);
        }
    }

    /// Counts more values of the one group.
    pub(super) fn add_count(&mut self, more: u64) {
        if let States::Count(counts) = &mut self.states
            && let Some(count) = counts.first_mut()
        {
            *count = count.saturating_add(more);
        }
    }

    /// Ends counting distinct values: what was counted is added up from now on.
    pub(super) fn forget_values(&mut self) {
        if self.kept.is_none() {
            self.distinct = None;
        }
    }

    /// Takes in a value for each of the groups that `numbers` are.
    fn add_column(
        &mut self,
        column: &Vector<'s>,
        numbers: &[u32],
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<(), ExecError> {
        let positions: Vec<u32> = (0..numbers.len()).map(|i| i as u32).collect();
        let (arg, weights) = (Some(column), Weights::All(1));
        let (parameter, constant, positions) = (None, None, &positions[..]);
        let (shared, is_of_chunk) = (None, false);
        let rows = Rows { arg, parameter, constant, numbers, positions, weights, shared, is_of_chunk };
        self.add(&rows, ledger)
    }

    /// Moves another worker's states in, its groups renumbered.
    pub(super) fn merge(
        &mut self,
        from: Export<'s>,
        renumber: &[u32],
        ledger: &mut Ledger<'_, 's>,
    ) -> Result<(), ExecError> {
        if self.kept.is_some() {
            return self.merge_kept(from.states, renumber, ledger);
        }
        if let (Some(seen), Some(other)) = (&mut self.distinct, from.distinct) {
            // Of what is not kept, only counts are merged with DISTINCT (see `AggregateSpec::mergeable`).
            if let States::Count(counts) = &mut self.states {
                seen.merge(other, renumber, |group, values| counts[group as usize] += values);
            }
            return Ok(());
        }
        let mut theirs = from.states;
        // Sums of integers beside such of all numbers are such too.
        match (&mut self.states, &mut theirs) {
            (States::Decimals(_), other) => other.sum_decimals(),
            (own, States::Decimals(_)) => own.sum_decimals(),
            (States::Numbers(_), other) => other.sum_numbers(),
            (own, States::Numbers(_)) => own.sum_numbers(),
            _ => {}
        }
        let from = match theirs {
            // Others are rows, one a group.
            states if matches!(states, States::Best(_)) || matches!(self.states, States::Best(_)) => {
                match states.extremes() {
                    Ok(column) => return column.map_or(Ok(()), |c| self.add_column(&c, renumber, ledger)),
                    Err(states) => states,
                }
            }
            states => states,
        };
        let from = match (&mut self.states, from) {
            (States::Ranks(own), States::Ranks(other)) => match own.merge(*other, renumber) {
                Ok(()) => return Ok(()),
                Err(other) => States::Ranks(Box::new(other)),
            },
            (States::Decimals(own), States::Decimals(other)) => match own.merge(other, renumber)? {
                None => return Ok(()),
                Some(other) => States::Decimals(other),
            },
            (_, from) => from,
        };
        let numbers = renumber.iter().map(|n| *n as usize);
        let mut grown = 0;
        match (&mut self.states, from) {
            (States::Count(a), States::Count(b)) => {
                for (n, count) in numbers.zip(b) {
                    a[n] = a[n].saturating_add(count);
                }
            }
            (States::Sums { values, seen }, States::Sums { values: v, seen: s }) => {
                for (n, (value, present)) in numbers.zip(v.into_iter().zip(s)) {
                    values[n] = values[n].checked_add(value).ok_or_else(sum_overflow)?;
                    seen[n] |= present;
                }
            }
            (States::Means { sums, counts }, States::Means { sums: s, counts: c }) => {
                for (n, (sum, count)) in numbers.zip(s.into_iter().zip(c)) {
                    sums[n] = sums[n].checked_add(sum).ok_or_else(mean_overflow)?;
                    counts[n] = counts[n].checked_add(count).ok_or_else(mean_overflow)?;
                }
            }
            (States::Numbers(sums), States::Numbers(others)) => sums.merge(others, renumber)?,
            (States::Deviations { moments, taken }, States::Deviations { moments: others, taken: more })
                if Coming::after(taken.saturating_add(more)).fit() =>
            {
                *taken += more;
                numbers.zip(others).for_each(|(n, other)| moments[n].merge(other));
            }
            (
                States::Extremes { kind, ty, values, seen },
                States::Extremes { ty: other, values: v, seen: s, .. },
            ) if *ty == other || !seen.contains(&true) || !s.contains(&true) => {
                // Where nothing was seen the type says nothing.
                if !seen.contains(&true) {
                    *ty = other;
                }
                let largest = *kind == AggregateKind::Max;
                for (n, (value, present)) in numbers.zip(v.into_iter().zip(s)) {
                    if present {
                        keep_extreme(largest, &mut values[n], &mut seen[n], value);
                    }
                }
            }
            (States::Lists(collected), States::Lists(other)) => collected.merge(*other, renumber, ledger.cx),
            (states, mut other) => {
                other.generalise_lists(ledger.cx)?;
                other.generalise(self.kind)?;
                states.generalise_lists(ledger.cx)?;
                let states = states.generalise(self.kind)?;
                if let States::General(other) = other {
                    for (n, state) in numbers.zip(other) {
                        let before = states[n].heap_bytes();
                        states[n].merge(state)?;
                        grown += states[n].heap_bytes().saturating_sub(before);
                    }
                }
            }
        }
        self.general_bytes += grown;
        Ok(())
    }
}

//! Facts that somebody broke become true again once nobody can find what broke them: that all values of a
//! column are of its type, that rows have the labels of their table. Beside readers and writers: a database
//! that is always written to would go without them for good.
//!
//! 1. Who is about to write what breaks one says so, then asks whether it is broken, and breaks it if not. He
//!    counts until he is over.
//! 2. Where nobody counts, what was written is looked through for what somebody may see who reads now or
//!    later. What is behind the first version of a row that all of them see does not matter.
//! 3. Under the lock of the snapshot: if nobody has counted since, what main's data bear out is published.
//!    Who has an older main version reads with facts that hold of that one, too.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use trimorph_base::{LabelId, TableId};
use trimorph_catalog::{LabelsVary, Schema};
use trimorph_mvcc::Timestamp;
use trimorph_store::{ColumnPlace, FactsAgain};
use trimorph_types::Value;

use crate::merges_left::Merging;
use crate::shared::Shared;

/// How long until facts are looked at again the first time; then twice as long each time.
const AGAIN_FIRST: Duration = Duration::from_millis(200);
/// And at most: a reader may stay that still sees what breaks one.
const AGAIN_MOST: Duration = Duration::from_secs(5);
/// The looks take one part in so many of the time.
const AGAIN_PART: u32 = 64;

impl Shared {
    /// As [`Self::restore_facts`] for who comes by often; how long until he should come again for that, none
    /// where there is nothing that could be true again.
    pub(crate) fn restore_facts_in_time(&self) -> Option<Duration> {
        let mut merging = self.merging();
        let began = Instant::now();
        if let Some((at, _)) = merging.facts_again
            && began < at
        {
            return Some(at - began);
        }
        if !self.restore_facts(&mut merging) {
            merging.facts_again = None;
            return None;
        }
        let now = Instant::now();
        let after = merging.facts_again.map_or(AGAIN_FIRST, |(_, before)| (before * 2).min(AGAIN_MOST));
        let after = after.max((now - began) * AGAIN_PART);
        merging.facts_again = Some((now + after, after));
        Some(after)
    }

    /// Says again what is true again; whether more may be later. Nobody cleans the delta meanwhile.
    ///
    /// **Cost**: a look at all tables and columns, and for each fact that could be true at what was written
    /// to its table.
    pub(crate) fn restore_facts(&self, _: &mut Merging) -> bool {
        if self.follower.is_some() {
            return false;
        }
        let base = self.base();
        let mut again = base.main().facts_again();
        if again.is_empty() {
            return false;
        }
        let Some(begun) = self.live.breaking_facts() else { return true };
        let transactions = &self.live.transactions;
        let oldest = transactions.snapshots().oldest(|| transactions.published());
        let could_be = again.one_type.len();
        again.one_type.retain(|(column, ty)| {
            let delta = &self.live.delta;
            // Columns have 32 bits in the delta.
            !match *column {
                ColumnPlace::Nodes(table, at) => {
                    delta.nodes(table).is_some_and(|nodes| nodes.has_other_types(at as u32, *ty, oldest))
                }
                ColumnPlace::Edges(table, at) => {
                    delta.edges(table).is_some_and(|edges| edges.has_other_types(at as u32, *ty, oldest))
                }
            }
        });
        let mut waits = again.one_type.len() < could_be;
        for (table, vary) in &mut again.labels {
            *vary = self.labels_seen(base.schema(), *table, oldest);
            waits |= vary.do_vary();
        }
        let known = &base.catalog().unrecorded_facts().node_tables;
        again.labels.retain(|(table, vary)| {
            known.get(usize::from(table.0)).is_some_and(|known| known.labels_vary != *vary)
        });
        if again.is_empty() {
            return waits;
        }
        !self.say_again(&again, begun) || waits
    }

    /// By which labels rows of a table differ from it, as far as somebody may see what was written.
    fn labels_seen(&self, schema: &Schema, table: TableId, oldest: Timestamp) -> LabelsVary {
        let own = schema.node_tables.get(usize::from(table.0)).map_or(&[][..], |info| &info.labels);
        let mut vary = LabelsVary::No;
        let Some(nodes) = self.live.delta.nodes(table) else { return vary };
        nodes.each_labels(oldest, |labels| {
            let Value::List(names) = &labels else { return };
            let id = |name: &Value| match name {
                Value::String(name) => schema.labels.id(name).and_then(|id| u16::try_from(id).ok()),
                _ => None,
            };
            let ids: Option<Vec<LabelId>> = names.iter().map(|name| id(name).map(LabelId)).collect();
            match ids {
                Some(ids) => {
                    let others = ids.iter().filter(|label| !own.contains(label));
                    let lacks = own.iter().filter(|label| !ids.contains(label));
                    let by: Vec<LabelId> = others.chain(lacks).copied().collect();
                    if !by.is_empty() {
                        vary.add(by);
                    }
                }
                None => vary = LabelsVary::Any,
            }
        });
        vary
    }

    /// Publishes what is true again; whether it did: not where somebody began to break facts after the first
    /// `begun` who did.
    fn say_again(&self, again: &FactsAgain, begun: u64) -> bool {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        if self.live.breaking_facts() != Some(begun) {
            return false;
        }
        let mut main = snapshot.main().clone();
        main.say_again(again);
        *snapshot = self.snapshot_of(Arc::new(main));
        true
    }
}

#[cfg(test)]
mod tests;

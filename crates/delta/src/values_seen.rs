//! Takes a column, tells what anybody may find in what was written to it: values of another type than the
//! column's, sets of labels.
//!
//! A row's versions are asked from the newest on, up to the first that everybody sees: what is behind it
//! nobody reads. Values of main are not looked at.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use trimorph_mvcc::{Stamp, Timestamp};
use trimorph_types::{LogicalType, Value};

use crate::cells::Cells;
use crate::pages::{Pages, Version};
use crate::{EdgeDelta, LABELS, NodeDelta};

impl NodeDelta {
    /// Whether a column of type `ty` may have values of another type for somebody who reads at `oldest` or
    /// later, or has not committed. Nobody cleans meanwhile.
    ///
    /// **Cost**: a look at each row that was written near one that got a value of the column.
    pub fn has_other_types(&self, column: u32, ty: LogicalType, oldest: Timestamp) -> bool {
        let is_other = |cells: &Cells, at| cells.is_of_other_type(at, ty).then_some(());
        self.find_seen(column, oldest, is_other).is_some()
    }

    /// Gives all sets of labels that rows may have for the same, some of them several times.
    ///
    /// **Cost**: as of [`Self::has_other_types`].
    pub fn each_labels(&self, oldest: Timestamp, mut take: impl FnMut(Value)) {
        self.find_seen(LABELS, oldest, |cells, at| {
            take(cells.value(at));
            None::<()>
        });
    }

    fn find_seen<T>(
        &self,
        column: u32,
        oldest: Timestamp,
        mut find: impl FnMut(&Cells, usize) -> Option<T>,
    ) -> Option<T> {
        (0..self.heads.end()).find_map(|number| {
            let zone = self.heads.by_number(number).filter(|zone| zone.has_written(column))?;
            let mut heads = zone.slots().iter().map(|head| head.load(Ordering::Acquire));
            heads.find_map(|head| self.pages.find_seen(head, column, oldest, &mut find))
        })
    }
}

impl EdgeDelta {
    /// As [`NodeDelta::has_other_types`], of a column of edges.
    ///
    /// **Cost**: a look at each edge that was written.
    pub fn has_other_types(&self, column: u32, ty: LogicalType, oldest: Timestamp) -> bool {
        let mut is_other = |cells: &Cells, at| cells.is_of_other_type(at, ty).then_some(());
        self.heads.iter().any(|shard| {
            // No page is locked while a map is.
            let heads: Vec<Version> = {
                let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
                shard.values().map(|head| head.load(Ordering::Acquire)).collect()
            };
            heads.into_iter().any(|head| self.pages.find_seen(head, column, oldest, &mut is_other).is_some())
        })
    }
}

impl Pages {
    /// The first that `find` finds of a chain, from its newest version on: it gets cells of the column and a
    /// place there, and locks nothing.
    fn find_seen<T>(
        &self,
        newest: Version,
        column: u32,
        oldest: Timestamp,
        find: &mut impl FnMut(&Cells, usize) -> Option<T>,
    ) -> Option<T> {
        self.walk_of(newest, column, |_, place, body, at| {
            let stamp = body.stamps.get(at)?.load();
            if stamp == Stamp::NEVER {
                return None;
            }
            let found = place.and_then(|place| find(body.columns.get(place)?, at));
            // Who comes from now on reads at a later time, too.
            if found.is_some() || stamp.is_at_most(oldest) { Some(found) } else { None }
        })?
    }
}

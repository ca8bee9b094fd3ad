//! The rows of one table that commits made, changed or took away, and their values, zone by zone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use trimorph_types::Value;

use super::{Commits, When};
use crate::NodeDelta;
use crate::heads::ZONE_ROWS;
use crate::pages::{Body, Event, Page};

/// Rows that commits wrote to.
#[derive(Clone, Debug, Default)]
pub struct RowsWritten {
    /// Rows that came and are there, ascending.
    pub came: Vec<u64>,
    /// Rows that went, ascending; some may have come only just before.
    pub went: Vec<u64>,
    /// Zones of 1,024 rows that got values, by column; [`crate::LABELS`] among them.
    pub columns: BTreeMap<u32, BTreeSet<u64>>,
}

impl RowsWritten {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.came.is_empty() && self.went.is_empty() && self.columns.is_empty()
    }
}

impl NodeDelta {
    /// The rows that commits wrote to.
    ///
    /// **Cost**: a look at each version of the table.
    pub fn written(&self, commits: Commits) -> RowsWritten {
        let mut found = RowsWritten::default();
        for number in 0..self.heads.end() {
            let Some(zone) = self.heads.by_number(number) else { continue };
            for row in (number * ZONE_ROWS..).take(ZONE_ROWS as usize) {
                let mut existence = None;
                self.pages.walk(zone.head(row), |page: &Page, body: &Body, at: usize| {
                    match commits.when(body.stamps.get(at)?) {
                        When::Otherwise => return None,
                        When::Before => return (page.shape.event != Event::Changed).then_some(()),
                        When::Within => {}
                    }
                    for column in &page.shape.columns {
                        found.columns.entry(*column).or_default().insert(number);
                    }
                    if page.shape.event == Event::Changed {
                        return None;
                    }
                    // What is below was there before and went, or has nothing of what counts.
                    existence = Some(page.shape.event);
                    Some(())
                });
                match existence {
                    Some(Event::Came) => found.came.push(row),
                    Some(Event::Went) => found.went.push(row),
                    _ => {}
                }
            }
        }
        found
    }

    /// Gives `put` the values that commits gave to a column of rows, ascending.
    pub fn values(&self, column: u32, rows: Range<u64>, commits: Commits, put: &mut dyn FnMut(u64, Value)) {
        let mut at = rows.start;
        while at < rows.end {
            let next = ((at / ZONE_ROWS + 1) * ZONE_ROWS).min(rows.end);
            if let Some(zone) = self.heads.zone(at).filter(|zone| zone.has_written(column)) {
                for row in at..next {
                    let value = self.pages.walk_of(zone.head(row), column, |page, place, body, at| {
                        let is_last = place.is_some() || page.shape.event != Event::Changed;
                        match commits.when(body.stamps.get(at)?) {
                            When::Within if is_last => {
                                let cells = place.and_then(|place| body.columns.get(place));
                                Some(cells.map(|cells| cells.value(at)))
                            }
                            When::Before if is_last => Some(None),
                            _ => None,
                        }
                    });
                    if let Some(value) = value.flatten() {
                        put(row, value);
                    }
                }
            }
            at = next;
        }
    }
}

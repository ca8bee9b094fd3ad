//! Edges that came or went by commits, and edges whose values they wrote.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use trimorph_base::{EdgeId, EdgeTableId};
use trimorph_types::Value;

use super::{Commits, When};
use crate::pages::{Body, Event, Page};
use crate::topology::{EdgeEnds, Topology};
use crate::{Delta, EdgeDelta};

/// Edges of one edge table that commits wrote.
#[derive(Clone, Debug, Default)]
pub struct EdgesWritten {
    /// Edges that came and are there.
    pub came: Vec<EdgeEnds>,
    /// Edges of main that went.
    pub went: Vec<EdgeEnds>,
    /// Edges that got values, ascending; some may be gone.
    pub changed: Vec<EdgeId>,
}

impl Topology {
    /// The edges that came or went, by edge table.
    ///
    /// **Cost**: a look at each record.
    fn written(&self, commits: Commits, out: &mut BTreeMap<EdgeTableId, EdgesWritten>) {
        for (_, record) in self.numbered_records() {
            let came = commits.made(&record.begin);
            let ends = || {
                let (source, target) = record.ends();
                EdgeEnds { edge: record.edge(), source, target }
            };
            let of_table = |out: &mut BTreeMap<EdgeTableId, EdgesWritten>, edge: EdgeEnds| {
                let of = out.entry(edge.edge.table()).or_default();
                if came { of.came.push(edge) } else { of.went.push(edge) }
            };
            match (commits.when(&record.begin), commits.when(&record.end)) {
                (When::Within, When::Otherwise) | (When::Before, When::Within) => of_table(out, ends()),
                _ => {}
            }
        }
    }
}

impl EdgeDelta {
    /// The edges that got values.
    fn written(&self, commits: Commits) -> Vec<EdgeId> {
        let mut found = Vec::new();
        for shard in &self.heads {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            for (edge, head) in &*shard {
                let made = |_: &Page, body: &Body, at: usize| {
                    body.stamps.get(at).is_some_and(|stamp| commits.made(stamp)).then_some(())
                };
                if self.pages.walk(head.load(std::sync::atomic::Ordering::Acquire), made).is_some() {
                    found.push(EdgeId(*edge));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The value that commits gave to a column of an edge.
    pub fn value_within(&self, edge: EdgeId, column: u32, commits: Commits) -> Option<Value> {
        let found = self.pages.walk(self.head(edge), |page: &Page, body: &Body, at: usize| {
            let place = page.place_of(column);
            if place.is_none() && page.shape.event == Event::Changed {
                return None;
            }
            match commits.when(body.stamps.get(at)?) {
                // What an edge that was in its place before had is not its own.
                When::Within => {
                    Some(place.and_then(|at_column| body.columns.get(at_column)).map(|cells| cells.value(at)))
                }
                When::Before => Some(None),
                When::Otherwise => None,
            }
        });
        found.flatten()
    }
}

impl Delta {
    /// The edges that commits wrote, by edge table.
    pub fn edges_written(&self, commits: Commits) -> BTreeMap<EdgeTableId, EdgesWritten> {
        let mut all = BTreeMap::new();
        self.topology().written(commits, &mut all);
        for (table, edges) in self.all_edges() {
            let changed = edges.written(commits);
            if !changed.is_empty() {
                all.entry(table).or_default().changed = changed;
            }
        }
        all
    }
}

//! Prepared batches in, the delta out, on several threads.
//!
//! 1. Rows are parts by their zones, edges by the zone of their source, values of edges by the edge: what
//!    happens to one row or edge is one part's, in order. Parts do not meet.
//! 2. A thread goes over the whole batch and does what is of its part; of a large operation it takes the rows
//!    that are.

use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_delta::{Delta, EdgeEnds, WriteError};
use trimorph_mvcc::Timestamp;
use trimorph_store::{Main, Pins};
use trimorph_types::Value;
use trimorph_vector::Vector;

use super::prepare::Prepared;

/// Rows that follow each other are one part's: as many as a zone of the delta has.
const ROWS_OF_PART: u64 = 1_024;

/// A batch: operations, and the commits they belong to.
pub(super) type Batch<'b> = [(Timestamp, Prepared<'b>)];

/// Puts a batch into the delta.
///
/// **Errors**: as many changes as there are numbers; some are there then.
pub(super) fn apply(delta: &Delta, main: &Main, batch: &Batch<'_>, threads: usize) -> Result<(), WriteError> {
    let parts = if batch.len() < SMALL { 1 } else { threads.max(1) as u64 };
    let part = |own: u64| Part { delta, main, own, parts }.apply(batch);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..parts).map(|own| scope.spawn(move || part(own))).collect();
        let first = part(0);
        let lost = || Err(WriteError::Full);
        others.into_iter().map(|other| other.join().unwrap_or_else(|_| lost())).fold(first, Result::and)
    })
}

/// Operations that are not worth a thread.
const SMALL: usize = 64;

#[derive(Clone, Copy)]
struct Part<'a> {
    delta: &'a Delta,
    main: &'a Main,
    own: u64,
    parts: u64,
}

impl Part<'_> {
    fn has(&self, row: u64) -> bool {
        row / ROWS_OF_PART % self.parts == self.own
    }

    /// Neighbours in a page are parts of their own: nothing that is theirs is shared.
    fn has_place(&self, place: u64) -> bool {
        (place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % self.parts == self.own
    }

    fn apply(&self, batch: &Batch<'_>) -> Result<(), WriteError> {
        let (mut positions, mut rows): (Vec<u32>, Vec<u64>) = Default::default();
        for (at, prepared) in batch {
            match prepared {
                Prepared::Nodes { table, event, rows: all, columns, key } => {
                    let own = |row: &u64| self.has(*row).then_some(*row);
                    let Some(rows) = pick(all, own, &mut positions, &mut rows) else { continue };
                    let main_rows = self.main.node_tables.get(usize::from(table.0)).map_or(0, |t| t.rows);
                    let nodes = self.delta.nodes_to_write(*table, main_rows, Vec::new());
                    nodes.replay(*at, *event, &by_reference(columns), &positions, rows)?;
                    if let Some((_, keys)) = key.and_then(|key| columns.get(key)) {
                        let index = self.delta.keys_to_write(*table);
                        for (position, row) in positions.iter().zip(rows) {
                            index.insert(&keys.value(*position as usize, &|_| Value::Null), *row);
                        }
                    }
                }
                Prepared::Values { table, edges, columns } => {
                    let own = |edge: &EdgeId| self.has_place(edge.place()).then_some(edge.place());
                    let Some(places) = pick(edges, own, &mut positions, &mut rows) else { continue };
                    let edges: Vec<EdgeId> = places.iter().map(|place| EdgeId::new(*table, *place)).collect();
                    let delta = self.delta.edges_to_write(*table);
                    delta.replay(*at, &by_reference(columns), &positions, &edges)?;
                }
                Prepared::Edges { came, ends } => {
                    self.edges(*at, *came, ends);
                    if *came {
                        self.forget_values(*at, ends)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Edges that came have nothing of those that were in their places before: in main, or told of by the
    /// log.
    fn forget_values(&self, at: Timestamp, ends: &[EdgeEnds]) -> Result<(), WriteError> {
        let Some(first) = ends.first() else { return Ok(()) };
        let table = first.edge.table();
        let main = &self.main.edge_tables[usize::from(table.0)];
        let (written, pins) = (self.delta.edges(table), Arc::<Pins<'_>>::default());
        let view = (!main.columns.is_empty()).then(|| main.view(&pins));
        let is_in_main = |edge: EdgeId| {
            view.as_ref().is_some_and(|view| {
                let (page, position) = view.place(edge);
                // What cannot be read may be there: who has nothing of it says so.
                position < view.positions_end(page) || pins.failure().is_some()
            })
        };
        let own = ends.iter().map(|ends| ends.edge).filter(|edge| self.has_place(edge.place()));
        let again: Vec<EdgeId> = own
            .filter(|edge| written.as_ref().is_some_and(|w| w.has_versions(*edge)) || is_in_main(*edge))
            .collect();
        if again.is_empty() {
            return Ok(());
        }
        self.delta.edges_to_write(table).replay_came(at, &again)
    }

    fn edges(&self, at: Timestamp, came: bool, ends: &[EdgeEnds]) {
        let Some(first) = ends.first() else { return };
        let positions = self.delta.positions(first.edge.table());
        let places = &self.main.edge_tables[usize::from(first.edge.table().0)].places();
        for ends in ends.iter().filter(|ends| self.has(ends.source.row())) {
            // Also of one that went: its position is given back when nobody can see it any more.
            let (page, position) = places.place(ends.edge);
            positions.restore(page, position + 1);
            if came {
                self.delta.topology().replay_insert(at, *ends);
            } else {
                self.delta.topology().replay_delete(at, *ends);
            }
        }
    }
}

/// The rows that are this part's, and their positions; none if there are none.
fn pick<'r, T>(
    all: &[T],
    own: impl Fn(&T) -> Option<u64>,
    positions: &mut Vec<u32>,
    rows: &'r mut Vec<u64>,
) -> Option<&'r [u64]> {
    positions.clear();
    rows.clear();
    for (position, item) in all.iter().enumerate() {
        if let Some(row) = own(item) {
            // A record has at most 2^20 rows.
            positions.push(position as u32);
            rows.push(row);
        }
    }
    (!rows.is_empty()).then_some(&rows[..])
}

fn by_reference<'v, 'b>(columns: &'v [(u32, Vector<'b>)]) -> Vec<(u32, &'v Vector<'b>)> {
    columns.iter().map(|(column, vector)| (*column, vector)).collect()
}

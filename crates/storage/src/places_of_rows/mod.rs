//! A row of a node table in; out, the columns and edge tables that have a value or an edge of it in main,
//! without a look at the others, by [characteristic sets](crate::CharacteristicSets).
//!
//! Who looks at all places instead says so; once that has cost what making sets does, they are made, of a
//! segment at a time (`build`).

mod build;
#[cfg(test)]
mod tests;

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHasher;
use trimorph_base::{NodeId, Reservation};

use crate::Main;
use crate::adjacency::Adjacency;
use crate::characteristic_sets::{CharacteristicSets, Pieces, Place, PlacesOfRows, Rows};
use crate::column::{Column, SEGMENT_ROWS};

/// Looks at places in the time in which a place is gone through: a word for 64 rows (1 to 2 us of a segment
/// of 65,536, and 0.1 us for a place that is asked for a row).
const LOOKS_OF_PLACE: u64 = 16;

fn stamp_of(pieces: impl Iterator<Item = u64>) -> u64 {
    let mut state = FxHasher::default();
    let mut any = false;
    pieces.for_each(|id| {
        any = true;
        state.write_u64(id);
    });
    if any { state.finish() | 1 } else { 0 }
}

/// What tells the piece of a column from others; 0 where no row has a value.
fn column_stamp(column: &Column, segment: usize) -> u64 {
    let there = column.segments.get(segment).filter(|_| !column.is_empty_at(segment));
    stamp_of(there.map(|slot| slot.piece().id()).into_iter())
}

/// What tells the pieces of lists from others; 0 where no row has an edge.
fn lists_stamp(lists: &Adjacency, segment: usize) -> u64 {
    match lists {
        Adjacency::Column(column) => {
            let there = column.segments.get(segment).filter(|slot| slot.given().edges() > 0);
            stamp_of(there.map(|slot| slot.piece().id()).into_iter())
        }
        Adjacency::Csr(csr) => {
            let each = SEGMENT_ROWS / csr.segment_rows.count();
            let there = csr.segments.iter().skip(segment * each).take(each);
            stamp_of(there.filter(|slot| slot.given().edges() > 0).map(|slot| slot.piece().id()))
        }
    }
}

impl Main {
    /// The lists of an edge table from or to nodes of a table.
    fn lists_of(&self, edges: usize, of: Rows) -> Option<&Adjacency> {
        let table = self.edge_tables.get(edges)?;
        match of.forward {
            true => (table.source == of.table).then_some(&table.forward),
            false => table.backward.iter().find(|(to, _)| *to == of.table).map(|(_, lists)| lists),
        }
    }

    /// The pieces that some rows have in each place.
    fn pieces_of(&self, of: Rows) -> Pieces {
        let table = self.node_tables.get(usize::from(of.table.0)).filter(|_| of.forward);
        let columns = table.map_or(&[][..], |table| &table.columns);
        let lists = (0..self.edge_tables.len()).map(|edges| self.lists_of(edges, of));
        Pieces {
            columns: columns.iter().map(|column| column_stamp(column, of.segment)).collect(),
            edges: lists.map(|lists| lists.map_or(0, |lists| lists_stamp(lists, of.segment))).collect(),
        }
    }

    /// The columns and edge tables that have something of the rows of a node's segment: of statements that
    /// begin there, or of edges that lead there. None as long as looking at all `places` of them for one row
    /// after the other has not cost what making sets does.
    ///
    /// **Cost**: a lock; a look at each place where sets were made for another version.
    pub fn places_of_rows(
        &self,
        node: NodeId,
        forward: bool,
        places: usize,
        room: impl FnOnce() -> Reservation,
    ) -> Option<PlacesOfRows> {
        let segment = usize::try_from(node.row()).ok()? / SEGMENT_ROWS;
        let of = Rows { table: node.table(), segment, forward };
        let CharacteristicSets { shared, version } = &self.sets;
        let known = {
            let mut all = shared.lock();
            let known = all.entry(of).or_default();
            let looks = known.made.as_ref().map_or(places, |made| made.changed.len());
            known.looks += looks as u64;
            let rows = self.node_tables.get(usize::from(of.table.0))?.rows;
            let rows = rows.saturating_sub((segment * SEGMENT_ROWS) as u64);
            let cost = places as u64 * LOOKS_OF_PLACE + rows.min(SEGMENT_ROWS as u64);
            let pays = known.looks >= cost.saturating_mul(1 << known.refused.min(20));
            if pays {
                // Others go on without meanwhile.
                known.looks = 0;
            } else if known.version == *version || known.made.is_none() {
                return known.made.clone();
            }
            known.made.clone().filter(|_| !pays)
        };
        let found = match known {
            Some(made) => Some(self.changed_since(of, made)),
            None => build::sets_of(self, of, room()).map(|sets| {
                shared.charge_to(sets.held.budget());
                PlacesOfRows { sets: Arc::new(sets), changed: Arc::default() }
            }),
        };
        let mut all = shared.lock();
        let known = all.entry(of).or_default();
        match &found {
            Some(_) => (known.made, known.version) = (found.clone(), *version),
            None => known.refused += 1,
        }
        found.or_else(|| known.made.clone().filter(|_| known.version == *version))
    }

    fn changed_since(&self, of: Rows, made: PlacesOfRows) -> PlacesOfRows {
        let (now, then) = (self.pieces_of(of), &made.sets.pieces);
        let changed = |now: &[u64], then: &[u64], place: fn(u32) -> Place| {
            let then = then.iter().copied().chain(std::iter::repeat(0));
            let numbered = (0u32..).zip(now.iter().copied().zip(then));
            let changed = numbered.filter(|(_, (now, then))| *now != 0 && now != then);
            changed.map(|(at, _)| place(at)).collect::<Vec<_>>()
        };
        let mut places = changed(&now.columns, &then.columns, Place::Column);
        places.extend(changed(&now.edges, &then.edges, Place::Edges));
        PlacesOfRows { changed: places.into(), ..made }
    }
}

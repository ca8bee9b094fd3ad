//! The characteristic sets of a segment: columns and lists in; out, the set of each row.
//!
//! 1. Place by place the rows that have something there are noted, as pairs.
//! 2. Pairs are put in the order of rows; those of a row are its set, in the order of places.
//! 3. Equal sets get one code.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_base::Reservation;
use trimorph_vfs::Pins;

use crate::Main;
use crate::characteristic_sets::{Pieces, Place, Rows, SegmentSets};
use crate::column::{ColumnView, SEGMENT_ROWS};

/// Values and edges of a segment above which there are no sets: half of all places in each of its rows, if
/// there are as few as may be. Finding such a set saves nothing.
const PAIRS_MAX: usize = 1 << 22;

/// Rows and the places that have something of them.
struct Pairs {
    /// The row, and below the number of the place.
    pairs: Vec<u32>,
    places: Vec<Place>,
    held: Reservation,
}

impl Pairs {
    /// Takes the rows of a place; gives whether there was room.
    fn take(&mut self, place: Place, rows: impl FnOnce(&mut dyn FnMut(usize))) -> bool {
        let Ok(number) = u16::try_from(self.places.len()) else { return false };
        self.places.push(place);
        // No row is larger than a segment.
        rows(&mut |row| self.pairs.push((row as u32) << 16 | u32::from(number)));
        // As they are, and once more in the order of rows.
        let bytes = self.pairs.capacity() * 4 + self.pairs.len() * 2;
        self.pairs.len() <= PAIRS_MAX && self.held.resize(bytes).is_ok()
    }

    /// Where the places of each row begin, and they.
    fn by_row(&self, rows: usize) -> (Vec<u32>, Vec<u16>) {
        let mut starts = vec![0u32; rows + 1];
        let row_of = |pair: &u32| ((pair >> 16) as usize).min(rows.saturating_sub(1));
        self.pairs.iter().for_each(|pair| starts[row_of(pair) + 1] += 1);
        (1..starts.len()).for_each(|row| starts[row] += starts[row - 1]);
        let (mut next, mut places) = (starts.clone(), vec![0u16; self.pairs.len()]);
        for pair in &self.pairs {
            let at = &mut next[row_of(pair)];
            // The lower half.
            places[*at as usize] = *pair as u16;
            *at += 1;
        }
        (starts, places)
    }

    fn sets(self, rows: usize, pieces: Pieces) -> Option<SegmentSets> {
        let (row_starts, row_places) = self.by_row(rows);
        let mut known: FxHashMap<&[u16], u16> = FxHashMap::default();
        let (mut starts, mut members) = (vec![0u32], Vec::new());
        let mut codes = Vec::with_capacity(rows);
        for bounds in row_starts.windows(2) {
            let set = row_places.get(bounds[0] as usize..bounds[1] as usize)?;
            // There are no more sets than rows, which two bytes number.
            let next = u16::try_from(known.len()).ok();
            let code = *match known.get(set) {
                Some(code) => code,
                None => {
                    members.extend_from_slice(set);
                    starts.push(u32::try_from(members.len()).ok()?);
                    known.entry(set).or_insert(next?)
                }
            };
            codes.push(code);
        }
        let Self { places, mut held, .. } = self;
        let bytes = size_of_val(&*places)
            + (codes.len() + members.len()) * size_of::<u16>()
            + starts.len() * size_of::<u32>()
            + (pieces.columns.len() + pieces.edges.len()) * size_of::<u64>();
        held.resize(bytes).ok()?;
        let (places, codes) = (places.into_boxed_slice(), codes.into_boxed_slice());
        let (starts, members) = (starts.into_boxed_slice(), members.into_boxed_slice());
        Some(SegmentSets { places, codes, starts, members, pieces, held })
    }
}

/// The sets of some rows; none where a piece cannot be had, there is no room, or they are too much.
#[cold]
pub(super) fn sets_of(main: &Main, of: Rows, held: Reservation) -> Option<SegmentSets> {
    let table = main.node_tables.get(usize::from(of.table.0))?;
    let first = (of.segment * SEGMENT_ROWS) as u64;
    let rows = usize::try_from(table.rows.checked_sub(first)?).ok()?.min(SEGMENT_ROWS);
    let pieces = main.pieces_of(of);
    let mut pairs = Pairs { pairs: Vec::new(), places: Vec::new(), held };
    for (at, _) in (0u32..).zip(&pieces.columns).filter(|(_, stamp)| **stamp != 0) {
        let pins = Arc::<Pins<'_>>::default();
        let view = ColumnView::pinned(table.columns.get(at as usize)?, &pins);
        let fits = pairs.take(Place::Column(at), |put| view.each_with_value(first, rows, put));
        if !fits || pins.failure().is_some() {
            return None;
        }
    }
    for (at, _) in (0u32..).zip(&pieces.edges).filter(|(_, stamp)| **stamp != 0) {
        let pins = Arc::<Pins<'_>>::default();
        let view = main.lists_of(at as usize, of)?.view(&pins);
        let fits = pairs.take(Place::Edges(at), |put| view.each_with_edges(first, rows, put));
        if !fits || pins.failure().is_some() {
            return None;
        }
    }
    pairs.sets(rows, pieces)
}

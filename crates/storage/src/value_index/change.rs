//! An index and what changed in its column in, the next index out.
//!
//! 1. Rows that had a value are found where they stand, by it; those that have one now, where they belong: in
//!    the order of their values, each from the place of the one before.
//! 2. Pieces that lose or get rows are written anew, in two where they grow too long; others are shared.
//! 3. Where a good part of all rows changed, all is sorted anew.

use std::sync::Arc;

use trimorph_types::{Value, order};
use trimorph_vfs::{Pins, RegionOptions, lay_out};

use super::by_hash::Moved;
use super::{GivenRows, Of, PIECE_ROWS, SortedRows, ValueIndex, ValueOf, finish};
use crate::RewriteError;
use crate::slot::Slot;

/// Changes are applied one by one while they are fewer than this part of the rows.
const CHANGED_PART: u64 = 8;
/// Rows of each piece of one that has grown too long.
const SPLIT_ROWS: usize = PIECE_ROWS * 3 / 4;

/// What changed in a column.
pub(crate) struct Changed<'a> {
    /// The values before.
    pub(crate) before: &'a ValueOf<'a>,
    /// The values now.
    pub(crate) after: &'a ValueOf<'a>,
    /// Rows that may have another value now, ascending, each once.
    pub(crate) rows: &'a [u64],
    /// Whose they are now.
    pub(crate) of: Of,
}

impl ValueIndex {
    /// Whether so many rows changed that all is to be sorted anew.
    pub(crate) fn is_outgrown(&self, rows: &[u64]) -> bool {
        rows.len() as u64 > self.len() / CHANGED_PART
    }

    /// The index of a column that has changed.
    ///
    /// **Errors**: a piece that cannot be had. **Cost**: two searches for each row that changed, of as many
    /// values as the rows between two such have bits, twice; and its pieces.
    pub(crate) fn changed(&self, change: &Changed<'_>, options: RegionOptions) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let view = self.view(&pins);
        let (mut went, mut now) = (Vec::<(Value, u64)>::new(), Vec::<(Value, u64)>::new());
        for row in change.rows {
            let (was, is) = ((change.before)(*row), (change.after)(*row));
            if order(&was, &is).is_eq() {
                continue;
            }
            if !was.is_null() {
                went.push((was, *row));
            }
            if !is.is_null() {
                now.push((is, *row));
            }
        }
        let gone: Vec<u64> = view.places(&mut went, change.before);
        let places = view.places(&mut now, change.before);
        let came: Vec<(u64, u64)> = places.into_iter().zip(now.iter().map(|(_, row)| *row)).collect();
        let pieces = self.next_pieces(&view, &gone, &came);
        super::settle(&pins)?;
        let written = pieces
            .iter()
            .filter_map(|piece| piece.as_ref().err().map(|rows| finish(rows, change.of)))
            .collect();
        let mut made = lay_out(written, options)?.into_iter();
        let mut slots = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match (piece, &mut made) {
                (Ok(number), _) => slots.extend(self.pieces.get(number).cloned()),
                (Err(rows), made) => {
                    if let Some(piece) = made.next() {
                        let given = GivenRows { of: change.of, len: rows.len() as u32 };
                        slots.push(Slot::<SortedRows>::read(piece, given)?);
                    }
                }
            }
        }
        let mut next = Self::of(slots);
        if self.by_hash.budget().is_some() {
            let came: Vec<(u64, &Value)> =
                came.iter().zip(&now).map(|((at, _), (is, _))| (*at, is)).collect();
            let moved = Moved { gone: &gone, came: &came, rows: self.len() };
            let by_hash = {
                let pins = Arc::<Pins<'_>>::default();
                let own = next.view(&pins);
                self.by_hash.moved(&moved, &|position| own.row(position).map(change.after))
            };
            next.by_hash = Arc::new(by_hash);
        }
        Ok(next)
    }

    /// The pieces of the next index: one of this index, or new rows.
    fn next_pieces(
        &self,
        view: &super::ValueIndexView<'_>,
        gone: &[u64],
        came: &[(u64, u64)],
    ) -> Vec<Result<usize, Vec<u64>>> {
        let mut pieces = Vec::with_capacity(self.pieces.len() + 1);
        let (mut gone, mut came) = (gone.iter().peekable(), came.iter().peekable());
        let mut first = 0;
        for (number, end) in self.ends.iter().enumerate() {
            let is_last = number + 1 == self.ends.len();
            let loses = gone.peek().is_some_and(|at| **at < *end);
            let gets = came.peek().is_some_and(|(at, _)| *at < *end || is_last);
            if !loses && !gets {
                pieces.push(Ok(number));
                first = *end;
                continue;
            }
            let mut rows = Vec::with_capacity(PIECE_ROWS);
            let piece = view.piece(number);
            let old = (0..piece.len()).filter_map(|at| piece.get(at));
            for (at, row) in (first..).zip(old) {
                while let Some((_, new)) = came.next_if(|(to, _)| *to <= at) {
                    rows.push(*new);
                }
                if gone.next_if(|gone| **gone <= at).is_none() {
                    rows.push(row);
                }
            }
            if is_last {
                rows.extend(came.by_ref().map(|(_, new)| *new));
            }
            first = *end;
            match rows.len() {
                0 => {}
                len if len > PIECE_ROWS => {
                    pieces.extend(rows.chunks(SPLIT_ROWS).map(|part| Err(part.to_vec())));
                }
                _ => pieces.push(Err(rows)),
            }
        }
        pieces
    }
}

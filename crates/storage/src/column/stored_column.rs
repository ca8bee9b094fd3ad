//! A column as a main version has it: its segments, its dictionary, its FSST table.

use std::sync::{Arc, OnceLock};

use self_cell::self_cell;
use trimorph_encoding::FsstTable;
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, Decoder, Piece, PieceWriter};

use super::blobs::put_blob;
use super::codes::Codes;
use super::format::{ENCODINGS, Given, LISTS, NO_VALUES, Summary, tells_exceptions};
use super::segment::Segment;
use super::stored_dictionary::Dictionary;
use crate::slot::{Content, Load, Slot, loads};

/// A column, read in place.
#[derive(Debug)]
pub struct Column {
    pub(crate) ty: LogicalType,
    pub(crate) segments: Vec<Arc<Slot<Segment>>>,
    pub(crate) dictionary: Dictionary,
    pub(crate) fsst: Option<Arc<Slot<Fsst>>>,
    /// The codes of all segments side by side, once all were touched.
    codes: OnceLock<ColumnCodes>,
}

/// Whether no row of a segment has a value, as far as the directory tells.
pub(super) fn is_empty(segment: &Slot<Segment>) -> bool {
    let is_null = |summary: Summary| {
        ENCODINGS.get(usize::from(summary.encoding)) == Some(&NO_VALUES) && !summary.exceptions
    };
    segment.given().summary.is_some_and(is_null)
}

type MaybeCodes<'c> = Option<Codes<'c>>;

self_cell! {
    struct ColumnCodes {
        owner: Vec<Arc<Slot<Segment>>>,
        #[covariant]
        dependent: MaybeCodes,
    }
}

impl std::fmt::Debug for ColumnCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ColumnCodes")
    }
}

impl Column {
    /// The type of its values; `Any` for general values.
    pub fn logical_type(&self) -> LogicalType {
        self.ty
    }

    pub(crate) fn new(
        ty: LogicalType,
        segments: Vec<Arc<Slot<Segment>>>,
        dictionary: Dictionary,
        fsst: Option<Arc<Slot<Fsst>>>,
    ) -> Self {
        Self { ty, segments, dictionary, fsst, codes: OnceLock::new() }
    }

    /// What is known of a segment of `rows` rows.
    pub(crate) fn given(&self, rows: usize, summary: Option<Summary>) -> Given {
        let (entries, fsst) = (self.dictionary.len(), self.fsst.is_some());
        Given { ty: self.ty, rows, entries, fsst, summary }
    }

    /// Short names of the encodings its segments use, with how many use each.
    pub fn encodings(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for summary in self.segments.iter().filter_map(|s| s.given().summary) {
            let name = ENCODINGS.get(usize::from(summary.encoding)).copied().unwrap_or("unknown");
            match counts.iter_mut().find(|(n, _)| *n == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts
    }

    /// Whether some values are of another type than the column's.
    pub(crate) fn has_exceptions(&self) -> bool {
        self.segments.iter().any(|s| s.given().has_exceptions())
    }

    /// The codes of all segments, where all are packed integers; all must have been touched.
    pub(super) fn codes(&self) -> Option<&Codes<'_>> {
        // A column that was declared and never written to has no codes, and all its rows are null.
        let touched = !self.segments.is_empty() && self.segments.iter().all(|s| s.touched().is_some());
        let codes = if touched {
            Some(self.codes.get_or_init(|| {
                ColumnCodes::new(self.segments.clone(), |slots| {
                    Codes::new(slots.iter().map(|slot| slot.touched()?.view().codes()))
                })
            }))
        } else {
            None
        };
        codes?.borrow_dependent().as_ref()
    }

    /// Whether some row has a value, as far as the directory tells.
    pub(crate) fn has_values(&self) -> bool {
        self.segments.iter().any(|segment| !is_empty(segment))
    }

    /// Whether no row of a segment has a value, as far as the directory tells.
    pub(crate) fn is_empty_at(&self, segment: usize) -> bool {
        self.segments.get(segment).is_none_or(|segment| is_empty(segment))
    }

    /// How many segments there are.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Whether some row may have a value, or a list with it, that [`hash_of`](super::hash_of) gives this for.
    /// True where nobody knows yet.
    ///
    /// **Cost**: a look at a filter for each segment.
    pub fn may_have(&self, hash: u64) -> bool {
        let mut there = self.segments.iter().filter(|segment| !is_empty(segment));
        there.any(|segment| segment.touched().is_none_or(|segment| segment.filter.may_have(hash)))
    }

    /// Whether all values are of the column's type. General values but lists and terms are not looked at:
    /// they may be of any.
    pub(crate) fn has_one_type(&self) -> bool {
        // Lists that are kept as such have nothing else beside them.
        let is_list = |summary: Summary| summary.encoding == LISTS && !summary.exceptions;
        let are_lists = |slot: &Slot<Segment>| is_empty(slot) || slot.given().summary.is_some_and(is_list);
        match self.ty {
            LogicalType::List => self.segments.iter().all(|slot| are_lists(slot)),
            ty => tells_exceptions(ty) && !self.has_exceptions(),
        }
    }

    /// All its pieces, in the order of a directory.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        let fsst = self.fsst.iter().map(|f| f.piece());
        fsst.chain(self.dictionary.pieces.iter().map(|p| p.piece()))
            .chain(self.segments.iter().map(|s| s.piece()))
    }

    /// What can be brought into memory, what others need first.
    pub(crate) fn slots(&self) -> impl Iterator<Item = &dyn Load> {
        let fsst = self.fsst.iter().map(|slot| &**slot as &dyn Load);
        fsst.chain(loads(&self.dictionary.pieces)).chain(loads(&self.segments))
    }
}

/// The FSST table of a column, in a piece of its own.
#[derive(Debug)]
pub(crate) struct Fsst(FsstTable);

impl Content for Fsst {
    type Given = ();
    type View<'v> = FsstTable;

    fn read(piece: &Arc<Piece>, (): &()) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let blob = piece.read_blob(&mut meta)?;
        FsstTable::from_bytes(blob.as_slice()).map(Self).ok_or(meta.error("an FSST table"))
    }

    fn view(&self) -> &FsstTable {
        &self.0
    }
}

impl Fsst {
    pub(crate) fn write(table: &FsstTable) -> Vec<u8> {
        let mut piece = PieceWriter::new();
        put_blob(table.to_bytes(), &mut piece);
        piece.finish()
    }
}

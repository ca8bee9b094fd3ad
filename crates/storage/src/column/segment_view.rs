//! A segment resolved into slices: which rows have a value, and what encodes the values.

use std::ops::Range;

use trimorph_encoding::{DecimalsView, LinearView, PackedView, RankView, RunsView, StringsView};
use trimorph_types::{Decimal, LogicalType, Zone};
use trimorph_vector::Nulls;

use super::codes::{Present, Source};
use super::data::{BLOCK_ELEMENTS, Data, Presence, StoredLists};
use super::format::{Stored, ZoneRange};

pub(super) enum PresenceView<'s> {
    All,
    None,
    Some(RankView<'s>),
}

pub(super) enum DataView<'s> {
    Ints(PackedView<'s>),
    Linear(LinearView<'s>),
    Runs(RunsView<'s>),
    Floats(&'s [f64]),
    Decimals(DecimalsView<'s>),
    Fixed(FixedView<'s>),
    Zoned(ZonedView<'s>),
    Dictionary(PackedView<'s>),
    Strings { ends: PackedView<'s>, text: &'s str },
    Compressed(StringsView<'s>),
    Values(StringsView<'s>),
    CompressedValues(StringsView<'s>),
    Lists(Box<ListsView<'s>>),
}

impl<'s> PresenceView<'s> {
    pub(super) fn of(presence: &'s Presence) -> Self {
        match presence {
            Presence::All => Self::All,
            Presence::None => Self::None,
            Presence::Some(bits) => Self::Some(bits.view()),
        }
    }

    /// How many of `len` rows from `local` on have a value.
    pub(super) fn count(&self, local: usize, len: usize) -> usize {
        match self {
            Self::All => len,
            Self::None => 0,
            Self::Some(rank) => {
                let windows = (0..len).step_by(64).map(|k| (rank.window(local + k), len - k));
                windows.map(|(window, left)| (window & first_bits(left)).count_ones() as usize).sum()
            }
        }
    }

    /// Calls `visit` on those of some rows that have a value, or on those that have none.
    pub(super) fn each(&self, rows: Range<usize>, present: bool, mut visit: impl FnMut(usize)) {
        match self {
            Self::Some(rank) => {
                for from in rows.clone().step_by(64) {
                    let window = if present { rank.window(from) } else { !rank.window(from) };
                    let mut left = window & first_bits(rows.end - from);
                    while left != 0 {
                        visit(from + left.trailing_zeros() as usize);
                        left &= left - 1;
                    }
                }
            }
            _ if matches!(self, Self::All) == present => rows.for_each(visit),
            _ => {}
        }
    }

    /// Of `len` rows from `local` on: which have no value, where the values of the others begin, and how many
    /// these are.
    pub(super) fn run(&self, local: usize, len: usize) -> (Nulls, usize, usize) {
        match self {
            Self::All => (Nulls::NONE, local, len),
            Self::None => (Nulls::all(len), 0, 0),
            Self::Some(rank) => {
                let (mut nulls, mut count) = (Nulls::NONE, 0);
                for k in (0..len).step_by(64) {
                    let within = first_bits(len - k);
                    let window = rank.window(local + k) & within;
                    nulls.set_run(k, !window & within, len);
                    count += window.count_ones() as usize;
                }
                (nulls, rank.look(local).0, count)
            }
        }
    }
}

/// The first `len` bits of a word, or all of it.
fn first_bits(len: usize) -> u64 {
    if len == 0 { 0 } else { u64::MAX >> (64 - len.min(64)) }
}

impl<'s> DataView<'s> {
    pub(super) fn of(data: &'s Data) -> Self {
        match data {
            Data::Ints(ints) => Self::Ints(ints.view()),
            Data::Linear { slope, codes } => Self::Linear(LinearView { slope: *slope, codes: codes.view() }),
            Data::Runs { starts, values } => {
                Self::Runs(RunsView { starts: starts.view(), values: values.view() })
            }
            Data::Decimals(decimals) => match decimals.view() {
                Some(view) => Self::Decimals(view),
                // The exponent was checked when the column was read.
                None => Self::Floats(&[]),
            },
            Data::Zoned(zoned) => Self::Zoned(ZonedView {
                instants: Box::new(Self::of(&zoned.instants)),
                codes: zoned.codes.view(),
                zones: &zoned.zones,
            }),
            Data::Fixed { scale, units } => {
                Self::Fixed(FixedView { scale: *scale, units: Box::new(Self::of(units)) })
            }
            Data::Floats(bytes) => {
                Self::Floats(bytemuck::try_cast_slice(bytes.as_slice()).unwrap_or_default())
            }
            Data::Dictionary(codes) => Self::Dictionary(codes.view()),
            Data::Strings { ends, text } => Self::Strings { ends: ends.view(), text: text.as_str() },
            Data::Compressed { ends, bytes } => {
                Self::Compressed(StringsView { ends: ends.view(), bytes: bytes.as_slice() })
            }
            Data::Values { ends, bytes, compressed } => {
                let values = StringsView { ends: ends.view(), bytes: bytes.as_slice() };
                if *compressed { Self::CompressedValues(values) } else { Self::Values(values) }
            }
            Data::Lists(lists) => Self::Lists(Box::new(ListsView::of(lists))),
        }
    }
}

impl DataView<'_> {
    #[inline(always)]
    pub(super) fn integer(&self, place: usize) -> i64 {
        match self {
            Self::Ints(ints) => ints.get(place),
            Self::Linear(linear) => linear.get(place),
            Self::Runs(runs) => runs.get(place),
            _ => 0,
        }
    }

    /// Integers at places `from..`, in an integral column.
    pub(super) fn unpack(&self, from: usize, out: &mut [i64]) {
        match self {
            Self::Ints(ints) => ints.unpack(from, out),
            Self::Linear(linear) => linear.unpack(from, out),
            Self::Runs(runs) => runs.unpack(from, out),
            _ => {}
        }
    }

    /// Floats at places `from..`, in a column of floats.
    pub(super) fn unpack_floats(&self, from: usize, out: &mut [f64]) {
        match self {
            Self::Decimals(decimals) => decimals.unpack(from, out),
            Self::Floats(floats) => match floats.get(from..from + out.len()) {
                Some(floats) => out.copy_from_slice(floats),
                None => out.fill(0.0),
            },
            _ => self.unpack(from, bytemuck::cast_slice_mut(out)),
        }
    }

    #[inline(always)]
    pub(super) fn float(&self, place: usize) -> f64 {
        match self {
            Self::Floats(floats) => floats.get(place).copied().unwrap_or(0.0),
            Self::Decimals(decimals) => decimals.get(place),
            Self::Runs(runs) => f64::from_bits(runs.get(place).cast_unsigned()),
            _ => 0.0,
        }
    }
}

/// Decimals read in place.
pub(super) struct FixedView<'s> {
    pub(super) scale: u8,
    pub(super) units: Box<DataView<'s>>,
}

impl<'s> FixedView<'s> {
    /// The value at a place.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> Decimal {
        Decimal::of_units(self.units.integer(place), self.scale)
    }
}

/// Instants of zones, in slices.
pub(super) struct ZonedView<'s> {
    pub(super) instants: Box<DataView<'s>>,
    pub(super) codes: PackedView<'s>,
    pub(super) zones: &'s [Zone],
}

impl<'s> ZonedView<'s> {
    /// The instant at a place and the number of its zone.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> (i64, u8) {
        // There are at most 256 zones.
        (self.instants.integer(place), self.codes.get(place) as u8)
    }
}

impl DataView<'_> {
    /// The decimal at a place, in a column of these, as an integer and its scale.
    #[inline(always)]
    pub(super) fn units(&self, place: usize) -> (i64, u8) {
        if let Self::Fixed(fixed) = self { (fixed.units.integer(place), fixed.scale) } else { (0, 0) }
    }
}

/// Lists of a segment, in slices.
pub(super) struct ListsView<'s> {
    pub(super) ends: PackedView<'s>,
    pub(super) element: LogicalType,
    blocks: Vec<Block<'s>>,
}

/// Which elements are not null, and these.
pub(super) type Block<'s> = (PresenceView<'s>, DataView<'s>);

impl<'s> ListsView<'s> {
    fn of(lists: &'s StoredLists) -> Self {
        let blocks = lists.blocks.iter();
        let blocks =
            blocks.map(|(presence, data)| (PresenceView::of(presence), DataView::of(data))).collect();
        Self { ends: lists.ends.view(), element: lists.element, blocks }
    }

    /// The elements of the list at a place.
    #[inline]
    pub(super) fn range(&self, place: usize) -> Range<usize> {
        let end = |i: usize| usize::try_from(self.ends.get(i)).unwrap_or(0);
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    /// The value of an element: its block, and its place among those that are not null.
    #[inline]
    pub(super) fn element(&self, element: usize) -> Option<(&DataView<'s>, usize)> {
        let (presence, data) = self.blocks.get(element / BLOCK_ELEMENTS)?;
        let local = element % BLOCK_ELEMENTS;
        let place = match presence {
            PresenceView::All => Some(local),
            PresenceView::None => None,
            PresenceView::Some(rank) => rank.place(local),
        };
        place.map(|place| (data, place))
    }

    /// The blocks that some elements are in, with which of a block these are.
    pub(super) fn parts(&self, range: Range<usize>) -> impl Iterator<Item = (&Block<'s>, Range<usize>)> {
        let first = range.start / BLOCK_ELEMENTS;
        let last = if range.is_empty() { first } else { range.end.div_ceil(BLOCK_ELEMENTS) };
        (first..last).filter_map(move |at| {
            let begin = at * BLOCK_ELEMENTS;
            let local = range.start.max(begin) - begin..range.end.min(begin + BLOCK_ELEMENTS) - begin;
            Some((self.blocks.get(at)?, local))
        })
    }
}

pub(crate) struct SegmentView<'s> {
    pub(super) presence: PresenceView<'s>,
    pub(super) data: DataView<'s>,
    pub(super) zones: &'s [ZoneRange],
    /// Rows it has: fewer than a whole segment at the end of a table, and of each source segment's edges.
    pub(super) rows: usize,
    pub(super) stored: &'s Stored,
}

impl<'s> SegmentView<'s> {
    pub(super) fn new(segment: &'s Stored) -> Self {
        let (presence, data) = (PresenceView::of(&segment.presence), DataView::of(&segment.data));
        Self { presence, data, zones: segment.zones(), rows: segment.rows, stored: segment }
    }

    /// How many rows are read in the time in which all values are taken out: as many as there are values, and
    /// one for each 64 rows, of which a word tells who has one.
    pub(super) fn cost_of_values(&self) -> u64 {
        let values = match &self.presence {
            PresenceView::All => self.rows,
            PresenceView::None => 0,
            PresenceView::Some(rank) => rank.rank(self.rows.saturating_sub(1)) + 1,
        };
        (values + self.rows / 64) as u64
    }

    /// The segment as packed integers, if it is.
    pub(super) fn codes(&self) -> Option<Source<'s>> {
        let present = match self.presence {
            PresenceView::All => Present::All,
            PresenceView::None => Present::None,
            PresenceView::Some(rank) => Present::Some(rank),
        };
        match (&self.data, present) {
            (DataView::Ints(ints) | DataView::Dictionary(ints), _) => Some(Source::new(*ints, present)),
            (DataView::Linear(linear), _) => {
                Some(Source { slope: linear.slope, ..Source::new(linear.codes, present) })
            }
            (DataView::Runs(runs), _) => {
                Some(Source { runs: Some(runs.starts), ..Source::new(runs.values, present) })
            }
            (DataView::Decimals(decimals), _) => {
                let integers = Source::new(decimals.integers(), present);
                Some(Source { decimals: Some(*decimals), ..integers })
            }
            (DataView::Floats(floats), _) => Some(Source::plain(bytemuck::cast_slice(floats), present)),
            // Without rows any data will do.
            (_, Present::None) => Some(Source::plain(&[], present)),
            _ => None,
        }
    }

    /// The integer at a place, in an integral column.
    #[inline(always)]
    pub(super) fn integer(&self, place: usize) -> i64 {
        self.data.integer(place)
    }

    /// Where the value of local row `i` is among the values present.
    #[inline(always)]
    pub(super) fn place(&self, i: usize) -> Option<usize> {
        match &self.presence {
            PresenceView::All => (i < self.rows).then_some(i),
            PresenceView::None => None,
            PresenceView::Some(rank) => rank.place(i),
        }
    }
}

pub(super) fn text_at<'s>(ends: &PackedView<'s>, text: &'s str, i: usize) -> &'s str {
    let start = if i == 0 { 0 } else { usize::try_from(ends.get(i - 1)).unwrap_or(usize::MAX) };
    text.get(start..usize::try_from(ends.get(i)).unwrap_or(0)).unwrap_or_default()
}

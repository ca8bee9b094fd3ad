//! Marks: which lists along one edge table and direction changes touched, by rows of the node table walked
//! from. What is not marked is main's.
//!
//! A *segment* of 65,536 rows has a word with a bit for each zone of 1,024 rows; a zone that is marked has 16
//! words with a bit for each row. Who goes over many rows asks the word of zones, and the rows of those zones
//! only where it says so: a change costs the lists it touched, not the others of their zone.
//!
//! Segments come in chunks that double and never move, so a look takes no lock.
//!
//! Invariants: a row's bit is set before its zone's, and both before an edge of the row can be found; bits
//! are taken back only by who holds the zone's latch alone.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::heads::ZONE_ROWS;

/// Zones of a segment.
const ZONES: u64 = 64;
/// Words of a zone.
const WORDS: usize = (ZONE_ROWS / 64) as usize;
/// Chunks that the rows of any table have: beyond, nothing is marked.
const CHUNKS: usize = 44 - 16;

/// The rows of a zone.
type Rows = [AtomicU64; WORDS];

/// The zones of 65,536 rows.
#[derive(Debug, Default)]
struct Segment {
    zones: AtomicU64,
    /// Once a zone was marked.
    rows: OnceLock<Box<[OnceLock<Box<Rows>>]>>,
}

#[derive(Debug, Default)]
struct Marked {
    chunks: [OnceLock<Box<[Segment]>>; CHUNKS],
    /// How many zones there are.
    count: AtomicUsize,
}

/// Lists of one node table that changes touched along one edge table and direction.
#[derive(Clone, Debug, Default)]
pub struct Marks(Arc<Marked>);

/// Which rows of a zone are marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkedZone<'m>(&'m Rows);

impl MarkedZone<'_> {
    /// Whether a row is, which is of the zone.
    #[inline]
    pub(crate) fn has(self, row: u64) -> bool {
        let (word, bit) = ((row % ZONE_ROWS / 64) as usize, row % 64);
        self.0.get(word).is_some_and(|word| word.load(Ordering::Acquire) >> bit & 1 == 1)
    }

    /// The first row of it that is, from one on and before another.
    fn first(self, from: u64, end: u64) -> Option<u64> {
        let mut row = from;
        while row < end {
            let word = self.0.get((row % ZONE_ROWS / 64) as usize)?.load(Ordering::Acquire) >> (row % 64);
            if word != 0 {
                return Some(row + u64::from(word.trailing_zeros())).filter(|found| *found < end);
            }
            row = (row / 64 + 1) * 64;
        }
        None
    }
}

impl Segment {
    fn rows_of(&self, zone: u64) -> Option<&Rows> {
        self.rows.get()?.get((zone % ZONES) as usize)?.get().map(|rows| &**rows)
    }

    /// Whether a row of a zone from the `from`-th up to before the `to`-th is marked.
    fn meet(&self, zone: u64, from: u64, to: u64) -> bool {
        let Some(rows) = self.rows_of(zone) else { return false };
        let mut row = from;
        while row < to {
            let end = (row / 64 * 64 + 64).min(to);
            let bits = u64::MAX >> (64 - (end - row)) << (row % 64);
            if rows.get((row / 64) as usize).is_some_and(|word| word.load(Ordering::Acquire) & bits != 0) {
                return true;
            }
            row = end;
        }
        false
    }
}

impl Marked {
    /// Chunk and place of a segment.
    #[inline]
    fn place(segment: u64) -> Option<(usize, usize)> {
        let chunk = (segment + 1).ilog2();
        (chunk < CHUNKS as u32).then(|| (chunk as usize, (segment + 1 - (1 << chunk)) as usize))
    }

    #[inline]
    fn segment(&self, zone: u64) -> Option<&Segment> {
        let (chunk, at) = Self::place(zone / ZONES)?;
        self.chunks.get(chunk)?.get()?.get(at)
    }

    fn rows_to_write(&self, zone: u64) -> Option<(&Segment, &Rows)> {
        let (chunk, at) = Self::place(zone / ZONES)?;
        let segments = self.chunks.get(chunk)?;
        let segments = segments.get_or_init(|| (0..1u64 << chunk).map(|_| Segment::default()).collect());
        let segment = segments.get(at)?;
        let zones = segment.rows.get_or_init(|| (0..ZONES).map(|_| OnceLock::new()).collect());
        let rows = zones.get((zone % ZONES) as usize)?.get_or_init(Box::default);
        Some((segment, rows))
    }
}

impl Marks {
    /// Whether something came to or went from one of the lists of `len` rows from `first` on.
    ///
    /// **Cost**: some 2 ns for each 65,536 rows, and 16 words for each zone that is marked.
    #[inline]
    pub fn meet(&self, first: u64, len: u64) -> bool {
        if len == 0 {
            return false;
        }
        let end = first.saturating_add(len);
        let (zone, last) = (first / ZONE_ROWS, end.div_ceil(ZONE_ROWS));
        let mut number = zone / ZONES;
        while number * ZONES < last
            && let Some((chunk, at)) = Marked::place(number)
        {
            let Some(segments) = self.0.chunks[chunk].get() else {
                number = (2 << chunk) - 1;
                continue;
            };
            let (from, to) = (zone.max(number * ZONES), last.min((number + 1) * ZONES));
            if let Some(segment) = segments.get(at) {
                let wanted = u64::MAX >> (ZONES - (to - from)) << (from % ZONES);
                let marked = segment.zones.load(Ordering::Acquire) & wanted;
                if marked != 0 && Self::meet_rows(segment, (number * ZONES, marked), first, end) {
                    return true;
                }
            }
            number += 1;
        }
        false
    }

    /// The first of `len` rows from `first` on that is marked.
    ///
    /// **Cost**: a look at each zone of 1,024 rows, and at the words of those that have a mark.
    pub fn first(&self, first: u64, len: u64) -> Option<u64> {
        let (mut row, end) = (first, first.saturating_add(len));
        while row < end {
            let zone = row / ZONE_ROWS;
            let stop = end.min((zone + 1).saturating_mul(ZONE_ROWS));
            if let Some(found) = self.of_zone(zone).and_then(|marked| marked.first(row, stop)) {
                return Some(found);
            }
            row = stop;
        }
        None
    }

    /// Which rows of a zone are marked; none where no row of it is.
    pub(crate) fn of_zone(&self, zone: u64) -> Option<MarkedZone<'_>> {
        let segment = self.0.segment(zone)?;
        let is_marked = segment.zones.load(Ordering::Acquire) >> (zone % ZONES) & 1 == 1;
        if is_marked { segment.rows_of(zone).map(MarkedZone) } else { None }
    }

    /// The same in those zones of a segment that are marked; the segment's first is given beside them.
    fn meet_rows(segment: &Segment, (base, mut marked): (u64, u64), first: u64, end: u64) -> bool {
        while marked != 0 {
            let zone = base + u64::from(marked.trailing_zeros());
            marked &= marked - 1;
            let start = zone * ZONE_ROWS;
            let (from, to) = (first.max(start) - start, end.min(start + ZONE_ROWS) - start);
            if segment.meet(zone, from, to) {
                return true;
            }
        }
        false
    }

    /// Whether no zone is marked.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.count.load(Ordering::Acquire) == 0
    }

    /// Something is about to come to the lists of rows, which are all in `zone`, or to go from them. Who says
    /// so holds the zone's latch with others.
    pub(crate) fn set(&self, zone: u64, rows: impl Iterator<Item = u64>) {
        let Some((segment, words)) = self.0.rows_to_write(zone) else { return };
        // Rows come in order as a rule: one store for those of a word.
        let (mut at, mut bits) = (0, 0);
        for row in rows.map(|row| row % ZONE_ROWS) {
            if row / 64 != at {
                put(words, at, bits);
                (at, bits) = (row / 64, 0);
            }
            bits |= 1 << (row % 64);
        }
        put(words, at, bits);
        let bit = 1 << (zone % ZONES);
        // Most zones are marked already, by others: a look leaves the word with all of them.
        if segment.zones.load(Ordering::Acquire) & bit == 0
            && segment.zones.fetch_or(bit, Ordering::AcqRel) & bit == 0
        {
            self.0.count.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Of a zone only these rows have changes. Who says so holds the zone's latch alone.
    pub(crate) fn keep(&self, zone: u64, rows: impl Iterator<Item = u64>) {
        let Some(segment) = self.0.segment(zone) else { return };
        let Some(words) = segment.rows_of(zone) else { return };
        let mut kept = [0u64; WORDS];
        for row in rows.map(|row| row % ZONE_ROWS) {
            if let Some(word) = kept.get_mut((row / 64) as usize) {
                *word |= 1 << (row % 64);
            }
        }
        for (word, bits) in words.iter().zip(kept) {
            word.store(bits, Ordering::Release);
        }
        let bit = 1 << (zone % ZONES);
        if kept.iter().all(|bits| *bits == 0) && segment.zones.fetch_and(!bit, Ordering::AcqRel) & bit != 0 {
            self.0.count.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Marks {
    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let segments = self.0.chunks.iter().filter_map(OnceLock::get).flat_map(|segments| segments.iter());
        let of_segment = |segment: &Segment| {
            let zones = segment.rows.get().map_or(0, |zones| {
                let marked = zones.iter().filter(|rows| rows.get().is_some()).count();
                zones.len() * size_of::<OnceLock<Box<Rows>>>() + marked * size_of::<Rows>()
            });
            size_of::<Segment>() + zones
        };
        size_of::<Marked>() + segments.map(of_segment).sum::<usize>()
    }
}

fn put(words: &Rows, at: u64, bits: u64) {
    if let Some(word) = words.get(at as usize)
        && word.load(Ordering::Acquire) & bits != bits
    {
        word.fetch_or(bits, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trimorph_base::Random;

    use super::*;

    /// Marks against a set of rows.
    #[test]
    fn meet_what_was_set_and_kept() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (marks, mut model) = (Marks::default(), BTreeSet::new());
            // Rows of several segments, most of them near the borders of zones.
            let row = |random: &mut Random| {
                let zone = [0, 1, 63, 64, 65, 127, 128, 400][random.below(8)];
                let within = [0, 1, 63, 64, 500, 1_022, 1_023][random.below(7)];
                (zone, zone * ZONE_ROWS + within)
            };
            for step in 0..80 {
                let (zone, one) = row(&mut random);
                match random.below(4) {
                    0 => {
                        let of_zone = zone * ZONE_ROWS..(zone + 1) * ZONE_ROWS;
                        let kept: Vec<u64> =
                            model.range(of_zone.clone()).copied().filter(|_| random.below(3) == 0).collect();
                        model.retain(|row| !of_zone.contains(row) || kept.contains(row));
                        marks.keep(zone, kept.into_iter());
                    }
                    _ => {
                        let more = row(&mut random).1 % ZONE_ROWS + zone * ZONE_ROWS;
                        model.extend([one, more]);
                        marks.set(zone, [one, more].into_iter());
                    }
                }
                let context = format!("seed {seed} step {step}");
                assert_eq!(marks.is_empty(), model.is_empty(), "{context}");
                for _ in 0..20 {
                    let (first, len) = (row(&mut random).1, [0, 1, 2, 64, 1_024, 70_000][random.below(6)]);
                    let wanted = model.range(first..first + len).next().is_some();
                    assert_eq!(marks.meet(first, len), wanted, "{context}: {len} from {first}");
                }
            }
            assert_eq!(marks.meet(0, u64::MAX), !model.is_empty());
        }
    }
}

//! Row set: some rows of a table, as exactly as is cheap: a few rows, or a bit for each row of the zones of
//! 1,024 rows that have some, or a bit for each zone, or all.
//!
//! A set may say more than was put in, never less: what meets it wrongly is a conflict that need not have
//! been.

use std::collections::BTreeMap;

/// Rows that are kept one by one. Beyond, zones are.
const ROWS_MAX: usize = 256;
/// Zones of which each row has a bit. Who asks for what a person wrote reads some hundred rows all over a
/// table, the newest among them, where others write; beyond, such a set is larger than what it can spare.
const EXACT_MAX: usize = 256;
/// Rows of a zone.
const ZONE_ROWS: u64 = 1_024;
/// Zones of a segment: the bits of a word.
const ZONES: u64 = 64;

/// A bit for each row of a zone.
type Bits = [u64; (ZONE_ROWS / 64) as usize];

/// Some rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowSet {
    /// No row.
    #[default]
    Empty,
    /// These rows, ascending.
    Rows(Vec<u64>),
    /// Rows by their zones, none of which is without any.
    Exact(BTreeMap<u64, Box<Bits>>),
    /// Rows of some zones: by segment of 64 zones, a bit each.
    Zones(BTreeMap<u64, u64>),
    /// All rows, also those that there are not yet.
    All,
}

fn word_of(row: u64) -> (usize, u64) {
    // Below the number of words.
    ((row % ZONE_ROWS / 64) as usize, 1 << (row % 64))
}

fn has_zone(zones: &BTreeMap<u64, u64>, zone: u64) -> bool {
    zones.get(&(zone / ZONES)).is_some_and(|bits| bits >> (zone % ZONES) & 1 == 1)
}

impl RowSet {
    /// Whether no row is in it.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Puts a row in. **Cost**: a binary search; a row behind the last one costs less.
    #[inline]
    pub fn insert(&mut self, row: u64) {
        match self {
            Self::All => {}
            Self::Zones(zones) => {
                let zone = row / ZONE_ROWS;
                *zones.entry(zone / ZONES).or_default() |= 1 << (zone % ZONES);
            }
            Self::Rows(rows) if rows.last() < Some(&row) && rows.len() < ROWS_MAX => rows.push(row),
            _ => self.insert_slowly(row),
        }
    }

    fn insert_slowly(&mut self, row: u64) {
        match self {
            Self::Empty => *self = Self::Rows(vec![row]),
            Self::Rows(rows) => {
                if let Err(place) = rows.binary_search(&row) {
                    if rows.len() < ROWS_MAX {
                        rows.insert(place, row);
                    } else {
                        self.widen();
                        self.insert(row);
                    }
                }
            }
            Self::Exact(zones) => {
                let (word, bit) = word_of(row);
                zones.entry(row / ZONE_ROWS).or_default()[word] |= bit;
                self.narrow();
            }
            Self::Zones(_) | Self::All => {}
        }
    }

    /// From rows to bits of their zones.
    fn widen(&mut self) {
        let rows = match std::mem::take(self) {
            Self::Rows(rows) => rows,
            Self::Empty => Vec::new(),
            other => return *self = other,
        };
        *self = Self::Exact(BTreeMap::new());
        rows.into_iter().for_each(|row| self.insert(row));
    }

    /// From bits of zones to zones, where there are too many.
    fn narrow(&mut self) {
        if matches!(self, Self::Exact(zones) if zones.len() > EXACT_MAX) {
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        self.widen();
        if let Self::Exact(exact) = self {
            let zones = std::mem::take(exact);
            *self = Self::Zones(BTreeMap::new());
            zones.into_keys().for_each(|zone| self.insert(zone * ZONE_ROWS));
        }
    }

    /// Puts `len` rows from `first` on in. **Cost**: by words of bits, or by zones, if there are many.
    pub fn insert_run(&mut self, first: u64, len: u64) {
        // Rows that are looked up come one by one, by the hundred thousand.
        if len == 1 || len as usize <= ROWS_MAX && matches!(self, Self::Empty | Self::Rows(_)) {
            return (first..first.saturating_add(len)).for_each(|row| self.insert(row));
        }
        if len == 0 {
            return;
        }
        let end = first.saturating_add(len);
        let zones = first / ZONE_ROWS..end.div_ceil(ZONE_ROWS);
        if zones.end - zones.start > EXACT_MAX as u64 {
            self.coarsen();
        } else {
            self.widen();
        }
        match self {
            Self::Exact(exact) => {
                for zone in zones {
                    let bits = exact.entry(zone).or_default();
                    let begin = zone * ZONE_ROWS;
                    set_bits(bits, first.saturating_sub(begin), (end - begin).min(ZONE_ROWS));
                }
                self.narrow();
            }
            _ => zones.for_each(|zone| self.insert(zone * ZONE_ROWS)),
        }
    }

    /// Puts all rows in.
    pub fn insert_all(&mut self) {
        *self = Self::All;
    }

    /// Puts the rows of another set in.
    pub fn merge(&mut self, other: &Self) {
        match other {
            Self::Empty => {}
            Self::Rows(rows) => rows.iter().for_each(|row| self.insert(*row)),
            Self::All => *self = Self::All,
            Self::Exact(more) => {
                self.widen();
                match self {
                    Self::Exact(own) => {
                        for (zone, bits) in more {
                            let own = own.entry(*zone).or_default();
                            own.iter_mut().zip(bits.iter()).for_each(|(own, more)| *own |= more);
                        }
                        self.narrow();
                    }
                    _ => more.keys().for_each(|zone| self.insert(zone * ZONE_ROWS)),
                }
            }
            Self::Zones(more) => {
                self.coarsen();
                if let Self::Zones(zones) = self {
                    more.iter().for_each(|(at, bits)| *zones.entry(*at).or_default() |= bits);
                }
            }
        }
    }

    /// Whether a row is in it, or may be.
    pub fn may_contain(&self, row: u64) -> bool {
        match self {
            Self::Empty => false,
            Self::Rows(rows) => rows.binary_search(&row).is_ok(),
            Self::Exact(zones) => {
                let (word, bit) = word_of(row);
                zones.get(&(row / ZONE_ROWS)).is_some_and(|bits| bits[word] & bit != 0)
            }
            Self::Zones(zones) => has_zone(zones, row / ZONE_ROWS),
            Self::All => true,
        }
    }

    /// Whether a row is in both sets, or may be.
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, _) | (_, Self::Empty) => false,
            (Self::All, _) | (_, Self::All) => true,
            (Self::Rows(rows), set) | (set, Self::Rows(rows)) => rows.iter().any(|row| set.may_contain(*row)),
            (Self::Exact(a), Self::Exact(b)) => {
                let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
                few.iter().any(|(zone, bits)| {
                    many.get(zone).is_some_and(|more| bits.iter().zip(more.iter()).any(|(a, b)| a & b != 0))
                })
            }
            (Self::Exact(exact), Self::Zones(zones)) | (Self::Zones(zones), Self::Exact(exact)) => {
                exact.keys().any(|zone| has_zone(zones, *zone))
            }
            (Self::Zones(few), Self::Zones(many)) => {
                let (few, many) = if few.len() <= many.len() { (few, many) } else { (many, few) };
                few.iter().any(|(at, bits)| many.get(at).is_some_and(|more| bits & more != 0))
            }
        }
    }

    /// What it holds, in bytes, about.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Empty | Self::All => 0,
            Self::Rows(rows) => rows.capacity() * 8,
            Self::Exact(zones) => zones.len() * (24 + size_of::<Bits>()),
            Self::Zones(zones) => zones.len() * 24,
        }
    }
}

/// Sets the bits of a zone from `low` up to `high`.
fn set_bits(bits: &mut Bits, low: u64, high: u64) {
    for (word, bits) in bits.iter_mut().enumerate() {
        let first = word as u64 * 64;
        let (low, high) = (low.clamp(first, first + 64) - first, high.clamp(first, first + 64) - first);
        if low < high {
            // Between 1 and 64 of them.
            *bits |= u64::MAX >> (64 - (high - low)) << low;
        }
    }
}

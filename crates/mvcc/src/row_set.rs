//! Row set: some rows of a table, as exactly as is cheap: a few rows, or zones of 1,024 rows, or all.
//!
//! A set may say more than was put in, never less: what meets it wrongly is a conflict that need not have
//! been.

use std::collections::BTreeMap;

/// Rows that are kept one by one. Beyond, zones are.
const ROWS_MAX: usize = 256;
/// Rows of a zone.
const ZONE_ROWS: u64 = 1_024;
/// Zones of a segment: the bits of a word.
const ZONES: u64 = 64;

/// Some rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RowSet {
    /// No row.
    #[default]
    Empty,
    /// These rows, ascending.
    Rows(Vec<u64>),
    /// Rows of some zones: by segment of 64 zones, a bit each.
    Zones(BTreeMap<u64, u64>),
    /// All rows, also those that there are not yet.
    All,
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
            Self::Zones(_) | Self::All => {}
        }
    }

    /// From rows to their zones.
    fn widen(&mut self) {
        let rows = match std::mem::take(self) {
            Self::Rows(rows) => rows,
            other => return *self = other,
        };
        *self = Self::Zones(BTreeMap::new());
        rows.into_iter().for_each(|row| self.insert(row));
    }

    /// Puts `len` rows from `first` on in. **Cost**: by zones, if there are many.
    pub fn insert_run(&mut self, first: u64, len: u64) {
        if len as usize <= ROWS_MAX && matches!(self, Self::Empty | Self::Rows(_)) {
            return (first..first + len).for_each(|row| self.insert(row));
        }
        self.widen();
        if let Self::Empty = self {
            *self = Self::Zones(BTreeMap::new());
        }
        let end = first.saturating_add(len);
        (first / ZONE_ROWS..end.div_ceil(ZONE_ROWS)).for_each(|zone| self.insert(zone * ZONE_ROWS));
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
            Self::Zones(more) => {
                if let Self::Empty | Self::Rows(_) = self {
                    self.widen();
                }
                match self {
                    Self::Empty => *self = Self::Zones(more.clone()),
                    Self::Zones(zones) => more.iter().for_each(|(at, bits)| {
                        *zones.entry(*at).or_default() |= bits;
                    }),
                    Self::Rows(_) | Self::All => {}
                }
            }
        }
    }

    /// Whether a row is in it, or may be.
    pub fn may_contain(&self, row: u64) -> bool {
        match self {
            Self::Empty => false,
            Self::Rows(rows) => rows.binary_search(&row).is_ok(),
            Self::Zones(zones) => {
                let zone = row / ZONE_ROWS;
                zones.get(&(zone / ZONES)).is_some_and(|bits| bits >> (zone % ZONES) & 1 == 1)
            }
            Self::All => true,
        }
    }

    /// Whether a row is in both sets, or may be.
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, _) | (_, Self::Empty) => false,
            (Self::All, _) | (_, Self::All) => true,
            (Self::Rows(rows), set) | (set, Self::Rows(rows)) => rows.iter().any(|row| set.may_contain(*row)),
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
            Self::Zones(zones) => zones.len() * 24,
        }
    }
}

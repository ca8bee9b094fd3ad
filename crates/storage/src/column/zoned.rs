//! Instants of several zones: nanoseconds since 1970 in UTC, as instants of UTC are kept, and for each the
//! number of its zone in the segment's table of zones.
//!
//! A column of instants in which some have another zone than UTC is one with values of another type: what
//! compares integers as they lie asks for that, and reads values here.

use trimorph_types::{Value, Zone};
use trimorph_vector::{Nulls, Values, Vector, Zoned};

use super::format::split;
use super::pairs::Pairs;
use super::segment_view::{DataView, PresenceView, ZonedView};
use super::view::{ColumnView, scan_present};

impl<'s> ColumnView<'s> {
    /// The value at a place.
    pub(super) fn zoned_value(zoned: &ZonedView<'_>, place: usize) -> Value {
        let (instant, code) = zoned.get(place);
        let zone = zoned.zones.get(usize::from(code)).cloned().unwrap_or(Zone::UTC);
        Vector::new(Values::Zoned(Zoned::all(vec![instant], zone))).value(0, &|_| Value::Null)
    }

    /// The values of `len` rows from one on.
    pub(super) fn scan_zoned(
        zoned: &ZonedView<'_>,
        presence: &PresenceView<'_>,
        local: usize,
        len: usize,
    ) -> Option<Vector<'static>> {
        let (mut instants, mut codes, mut nulls) = (vec![0; len], vec![0; len], Nulls::NONE);
        match presence {
            PresenceView::All => {
                zoned.instants.unpack(local, &mut instants);
                zoned.codes.unpack(local, &mut codes);
            }
            PresenceView::None => nulls = Nulls::all(len),
            PresenceView::Some(rank) => {
                let unpack = |place, out: &mut [i64]| zoned.instants.unpack(place, out);
                scan_present(rank, unpack, local, &mut instants, &mut nulls);
                let unpack = |place, out: &mut [i64]| zoned.codes.unpack(place, out);
                scan_present(rank, unpack, local, &mut codes, &mut nulls);
            }
        }
        let codes = codes.into_iter().map(|code| code as u8).collect();
        let shown = Zoned::new(instants, codes, zoned.zones.to_vec())?;
        Some(Vector { values: Values::Zoned(shown), nulls })
    }

    /// Reads rows of a column of instants where none of their segments has values of another type; `None`
    /// elsewhere, and where there are too many zones.
    pub(super) fn gather_zoned(&self, rows: &mut dyn Pairs, len: usize) -> Option<Vector<'s>> {
        let (mut instants, mut codes, mut nulls) = (vec![0; len], vec![0_u8; len], Nulls::NONE);
        // All zones, and the numbers here of those of the segment that is read.
        let (mut zones, mut numbers, mut of) = (Vec::<Zone>::new(), Vec::<u8>::new(), None);
        for (i, row) in rows {
            let (segment, local) = split(row);
            let Some(view) = self.segment(segment) else {
                nulls.set(i, len);
                continue;
            };
            if view.stored.exceptions.is_some() {
                return None;
            }
            let Some(place) = view.place(local) else {
                nulls.set(i, len);
                continue;
            };
            if of != Some(segment) {
                of = Some(segment);
                numbers.clear();
                let own = if let DataView::Zoned(zoned) = &view.data { zoned.zones } else { &[Zone::UTC] };
                for zone in own {
                    let number = zones.iter().position(|known| known == zone).unwrap_or(zones.len());
                    if number == zones.len() {
                        zones.push(zone.clone());
                    }
                    numbers.push(u8::try_from(number).ok()?);
                }
            }
            let (instant, code) = match &view.data {
                DataView::Zoned(zoned) => zoned.get(place),
                other => (other.integer(place), 0),
            };
            instants[i] = instant;
            codes[i] = numbers.get(usize::from(code)).copied().unwrap_or(0);
        }
        if zones.is_empty() {
            zones.push(Zone::UTC);
        }
        let zoned = Zoned::new(instants, codes, zones)?;
        Some(Vector { values: Values::Zoned(zoned), nulls })
    }
}

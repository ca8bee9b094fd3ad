//! Instants of several zones: nanoseconds since 1970 in UTC, as instants of UTC are kept, and for each the
//! number of its zone in the segment's table of zones.
//!
//! A column of instants in which some have another zone than UTC is one with values of another type: what
//! compares integers as they lie asks for that, and reads values here.

use trimorph_encoding::{PackedView, value_codec};
use trimorph_types::{DateTime, Value, Zone};
use trimorph_vector::{Nulls, Values, Vector, Zoned};
use trimorph_vfs::{CodecError, Decoder, Encoder, Piece};

use super::blobs::Ints;
use super::data::Data;
use super::format::split;
use super::pairs::Pairs;
use super::segment_view::{DataView, PresenceView};
use super::view::{ColumnView, scan_present};

/// Zones of a segment: a vector numbers no more.
pub(super) const ZONES_MAX: usize = 256;

/// Instants of zones, in place.
#[derive(Clone, Debug)]
pub(crate) struct StoredZoned {
    pub(super) instants: Box<Data>,
    codes: Ints,
    zones: Box<[Zone]>,
}

impl StoredZoned {
    /// Reads what follows the instants: the numbers of zones, and these.
    pub(super) fn read(
        piece: &Piece,
        meta: &mut Decoder<'_>,
        instants: Data,
        len: usize,
    ) -> Result<Self, CodecError> {
        let codes = Ints::read(piece, meta, len)?;
        let count = meta.count(ZONES_MAX)?;
        let zone = |meta: &mut Decoder<'_>| match value_codec::decode(meta)? {
            Value::DateTime(shown) => Ok(shown.zone),
            _ => Err(meta.error("a zone")),
        };
        let zones = (0..count).map(|_| zone(meta)).collect::<Result<Box<[Zone]>, CodecError>>()?;
        if (0..len).any(|i| usize::try_from(codes.view().get(i)).map_or(true, |code| code >= zones.len())) {
            return Err(meta.error("the number of a zone"));
        }
        Ok(Self { instants: Box::new(instants), codes, zones })
    }

    pub(super) fn view(&self) -> ZonedView<'_> {
        ZonedView {
            instants: Box::new(DataView::of(&self.instants)),
            codes: self.codes.view(),
            zones: &self.zones,
        }
    }

    /// Bytes of the values.
    pub(super) fn size(&self) -> usize {
        self.instants.size() + self.codes.codes.len()
    }
}

/// Writes zones: each as the first instant of 1970 there.
pub(super) fn put_zones(zones: Vec<Zone>, meta: &mut Encoder) {
    meta.u64(zones.len() as u64);
    for zone in zones {
        value_codec::encode(&Value::DateTime(DateTime { seconds: 0, nanos: 0, zone }), meta);
    }
}

/// Instants of zones, in slices.
pub(super) struct ZonedView<'s> {
    instants: Box<DataView<'s>>,
    codes: PackedView<'s>,
    zones: &'s [Zone],
}

impl<'s> ZonedView<'s> {
    /// The instant at a place and the number of its zone.
    #[inline(always)]
    fn get(&self, place: usize) -> (i64, u8) {
        // There are at most 256 zones.
        (self.instants.integer(place), self.codes.get(place) as u8)
    }

    /// The value at a place.
    pub(super) fn value(&self, place: usize) -> Value {
        let (instant, code) = self.get(place);
        let zone = self.zones.get(usize::from(code)).cloned().unwrap_or(Zone::UTC);
        Vector::new(Values::Zoned(Zoned::all(vec![instant], zone))).value(0, &|_| Value::Null)
    }

    /// The values of `len` rows from one on.
    pub(super) fn scan(&self, presence: &PresenceView<'s>, local: usize, len: usize) -> Option<Vector<'s>> {
        let (mut instants, mut codes, mut nulls) = (vec![0; len], vec![0; len], Nulls::NONE);
        match presence {
            PresenceView::All => {
                self.instants.unpack(local, &mut instants);
                self.codes.unpack(local, &mut codes);
            }
            PresenceView::None => nulls = Nulls::all(len),
            PresenceView::Some(rank) => {
                let unpack = |place, out: &mut [i64]| self.instants.unpack(place, out);
                scan_present(rank, unpack, local, &mut instants, &mut nulls);
                let unpack = |place, out: &mut [i64]| self.codes.unpack(place, out);
                scan_present(rank, unpack, local, &mut codes, &mut nulls);
            }
        }
        let codes = codes.into_iter().map(|code| code as u8).collect();
        let zoned = Zoned::new(instants, codes, self.zones.to_vec())?;
        Some(Vector { values: Values::Zoned(zoned), nulls })
    }
}

impl<'s> ColumnView<'s> {
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

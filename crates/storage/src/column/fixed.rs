//! Decimals of a segment as integers of one scale: 12.5 and 0.75 are 1250 and 75 hundredths. The scale is the
//! longest that a value of the segment has, so that each comes back as it was.
//!
//! Source: fixed-point numbers of SQL (`DECIMAL(p, s)`); the scale is the segment's, not the column's, as
//! other encodings are.

use trimorph_encoding::value_codec;
use trimorph_types::{Decimal, Value};
use trimorph_vector::{Nulls, Values, Vector};
use trimorph_vfs::Decoder;

use super::encoded::{Encoded, encode_ints};
use super::format::FIXED;
use super::segment_view::{DataView, PresenceView};
use super::view::{ColumnView, scan_present};

/// Encodes general values; `None` where one is no decimal, or does not fit 64 bits at the scale of all, or
/// there are none.
pub(super) fn encode_fixed<'v>(values: impl Iterator<Item = &'v [u8]>) -> Option<Encoded> {
    let decimal = |bytes: &[u8]| match value_codec::decode(&mut Decoder::new(bytes)) {
        Ok(Value::Decimal(decimal)) => Some(decimal),
        _ => None,
    };
    let decimals = values.map(decimal).collect::<Option<Vec<Decimal>>>()?;
    let scale = decimals.iter().map(|d| d.scale()).max()?;
    let units = decimals.iter().map(|d| d.units(scale)).collect::<Option<Vec<i64>>>()?;
    Some(Encoded::Fixed { scale, units: Box::new(encode_ints(&units)) })
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

    /// The values of `len` rows from one on. **Cost**: integers are unpacked without a branch per value.
    pub(super) fn scan(&self, presence: &PresenceView<'s>, local: usize, len: usize) -> Vector<'s> {
        let (mut units, mut nulls) = (vec![0; len], Nulls::NONE);
        match presence {
            PresenceView::All => self.units.unpack(local, &mut units),
            PresenceView::None => nulls = Nulls::all(len),
            PresenceView::Some(rank) => {
                let unpack = |place, out: &mut [i64]| self.units.unpack(place, out);
                scan_present(rank, unpack, local, &mut units, &mut nulls);
            }
        }
        let decimals = units.into_iter().map(|units| Decimal::of_units(units, self.scale));
        Vector { values: Values::Decimal(decimals.collect()), nulls }
    }
}

impl DataView<'_> {
    /// The decimal at a place, in a column of these.
    #[inline(always)]
    pub(super) fn decimal(&self, place: usize) -> Decimal {
        if let Self::Fixed(fixed) = self { fixed.get(place) } else { Decimal::default() }
    }
}

impl ColumnView<'_> {
    /// Whether all segments have their decimals so, or no values.
    pub(super) fn is_fixed(&self) -> bool {
        self.column
            .segments
            .iter()
            .all(|slot| slot.given().summary.is_some_and(|summary| [FIXED, 0].contains(&summary.encoding)))
    }
}

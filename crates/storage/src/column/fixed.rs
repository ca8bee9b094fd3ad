//! Decimals of a segment as integers of one scale: 12.5 and 0.75 are 1250 and 75 hundredths. The scale is the
//! longest that a value of the segment has, so that each comes back as it was.
//!
//! Source: fixed-point numbers of SQL (`DECIMAL(p, s)`); the scale is the segment's, not the column's, as
//! other encodings are.

use trimorph_vector::{Decimals, Nulls, Values, Vector};

use super::format::{FIXED, Summary};
use super::segment_view::{FixedView, PresenceView};
use super::stored_column::is_empty;
use super::view::{ColumnView, scan_present};

impl ColumnView<'_> {
    /// The values of `len` rows from one on. **Cost**: integers are unpacked without a branch per value.
    pub(super) fn scan_fixed(
        fixed: &FixedView<'_>,
        presence: &PresenceView<'_>,
        local: usize,
        len: usize,
    ) -> Vector<'static> {
        let (mut units, mut nulls) = (vec![0; len], Nulls::NONE);
        match presence {
            PresenceView::All => fixed.units.unpack(local, &mut units),
            PresenceView::None => nulls = Nulls::all(len),
            PresenceView::Some(rank) => {
                let unpack = |place, out: &mut [i64]| fixed.units.unpack(place, out);
                scan_present(rank, unpack, local, &mut units, &mut nulls);
            }
        }
        Vector { values: Values::Decimal(Decimals::of_units(units, fixed.scale)), nulls }
    }

    /// Whether all segments have their decimals so, or no values.
    pub(super) fn is_fixed(&self) -> bool {
        let is_fixed = |summary: Summary| summary.encoding == FIXED;
        self.column.segments.iter().all(|slot| is_empty(slot) || slot.given().summary.is_some_and(is_fixed))
    }
}

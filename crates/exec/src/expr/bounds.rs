//! What the values of a property lie between in a group, by zone maps: nothing is read.

use trimorph_base::TableId;
use trimorph_store::PropertyColumn;
use trimorph_types::LogicalType;
use trimorph_vector::Group;

use super::Ex;
use super::evaluated::Over;
use super::property_filter::Run;
use crate::Context;

/// The type of a property of the nodes or relationships of group `number`, and what its integers, dates or
/// instants lie between there; `None` where zone maps do not say.
pub(crate) fn bounds_of(
    ex: &Ex,
    (group, number): (&Group<'_>, usize),
    cx: &Context<'_>,
) -> Option<(LogicalType, i64, i64)> {
    let (column, first) = run_of(ex, (group, number), cx)?;
    let (low, high) = column.bounds(first, group.len)?;
    Some((column.certain_type()?, low, high))
}

/// The column of a property of nodes or relationships that follow each other, and where the first of them
/// has it.
fn run_of<'r, 's>(
    ex: &'r Ex,
    (group, number): (&Group<'_>, usize),
    cx: &'r Context<'s>,
) -> Option<(PropertyColumn<'r, 's>, u64)> {
    let Ex::Property { base, columns, .. } = ex else { return None };
    let Ex::Slot(place) = **base else { return None };
    let vector = group.vectors.get(place.slot).filter(|_| place.group == number)?;
    let run = Run::of(&vector.values, cx).filter(|_| vector.nulls.is_none())?;
    let column = match run.edges {
        true => columns.of_edges(run.table, &cx.reader),
        false => columns.of_nodes(TableId(u16::try_from(run.table).ok()?), &cx.reader),
    }?;
    Some((column, run.first))
}

impl Over<'_, '_, '_> {
    /// The type of a property of nodes or relationships that follow each other, where all of its values have
    /// one.
    pub(super) fn property_type(&self, ex: &Ex, cx: &Context<'_>) -> Option<LogicalType> {
        let (column, _) = run_of(ex, (&self.chunk.groups[self.group], self.group), cx)?;
        column.certain_type()
    }
}

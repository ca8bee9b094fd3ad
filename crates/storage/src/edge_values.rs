//! An edge table in, the indexes of its columns out. What is indexed are places of edges: they stay when the
//! properties of an edge move, because its page got other edges.

use std::sync::Arc;

use trimorph_base::{CancelToken, PAGE_ROWS};
use trimorph_types::Value;
use trimorph_vfs::{Pins, RegionOptions};

use crate::column::{Column, ColumnView};
use crate::value_index::{Changed, Of, ValueIndex, settle, sorted};
use crate::{EdgeTable, RewriteError};

impl ValueIndex {
    /// The index of a column of the edges out of `source_rows` rows.
    ///
    /// **Errors**: a piece that cannot be had; [`RewriteError::Cancelled`]. **Cost**: a look at each edge,
    /// and a sort; 24 bytes an edge.
    pub(crate) fn build_of_edges(
        table: &EdgeTable,
        column: &Column,
        source_rows: u64,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::<Pins<'_>>::default();
        let (view, values) = (table.view(&pins), ColumnView::pinned(column, &pins));
        let each = |give: &mut dyn FnMut(u64, Value) -> bool| {
            for page in 0..source_rows.div_ceil(PAGE_ROWS) {
                for position in view.positions_of(page) {
                    let edge = table.id(page, position);
                    if !give(edge.place(), values.value(view.slot(edge))) {
                        return;
                    }
                }
            }
        };
        let sorted = sorted(column, &each, &|place| view.value_at(&values, place), cancel)?;
        settle(&pins)?;
        Self::lay(&sorted, Of::Edges, options)
    }
}

/// The indexes of an edge table that has become `after`, in which the edges at some places, ascending, have
/// come, gone or got values; in a table of `source_rows` source rows.
///
/// **Errors**: a piece that cannot be had. **Cost**: as of a node table's.
pub(crate) fn changed_indexes(
    before: &EdgeTable,
    after: &EdgeTable,
    places: &[u64],
    source_rows: u64,
    options: RegionOptions,
) -> Result<Vec<(usize, ValueIndex)>, RewriteError> {
    let pins = Arc::<Pins<'_>>::default();
    let (was, is) = (before.view(&pins), after.view(&pins));
    let mut indexes = Vec::with_capacity(before.value_indexes.len());
    for (column, index) in &before.value_indexes {
        let (Some(old), Some(new)) = (before.columns.get(*column), after.columns.get(*column)) else {
            continue;
        };
        let next = if places.is_empty() {
            index.clone()
        } else if index.is_outgrown(places) {
            ValueIndex::build_of_edges(after, new, source_rows, options, &CancelToken::default())?
        } else {
            let (old, new) = (ColumnView::pinned(old, &pins), ColumnView::pinned(new, &pins));
            let before = |place: u64| was.value_at(&old, place);
            let after = |place: u64| is.value_at(&new, place);
            let change = Changed { before: &before, after: &after, rows: places, of: Of::Edges };
            index.changed(&change, options)?
        };
        settle(&pins)?;
        indexes.push((*column, next));
    }
    Ok(indexes)
}

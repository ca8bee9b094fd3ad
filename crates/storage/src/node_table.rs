//! A node table: the columns of the nodes of one label set, and the index of its key.

use std::sync::Arc;

use trimorph_base::LabelId;
use trimorph_catalog::{LabelsVary, Names};
use trimorph_vfs::Piece;

use crate::RewriteError;
use crate::column::{Column, ColumnView};
use crate::key_index::KeyIndex;
use crate::slot::{Load, loads};
use crate::value_index::ValueIndex;

/// Segments whose labels are looked at to say by which rows differ: where more have any it is by all. Chosen:
/// some milliseconds.
const LABELS_READ: usize = 64;

/// A node table.
#[derive(Clone, Debug, Default)]
pub struct NodeTable {
    /// Rows.
    pub rows: u64,
    /// Columns, as the catalog lists them.
    pub columns: Vec<Arc<Column>>,
    /// Index of the key property, if it has one.
    pub key_index: Option<KeyIndex>,
    /// Indexes of values, each with the column it is of.
    pub value_indexes: Vec<(usize, ValueIndex)>,
    /// Indexes of the values of several columns together: rows that have a value in the first of them.
    pub composite_indexes: Vec<(Vec<usize>, ValueIndex)>,
    /// The labels of rows that have others than the table, as [`row_labels`] reads them. None where no row
    /// ever had.
    pub labels: Option<Arc<Column>>,
    /// True at rows that nobody has, without a value at others. None where there never was such a row.
    pub missing: Option<Arc<Column>>,
}

impl NodeTable {
    /// What can be brought into memory.
    pub fn slots(&self) -> impl Iterator<Item = &dyn Load> {
        let key = self.key_index.iter().flat_map(|index| loads(&index.pieces));
        let values = self.all_value_indexes().flat_map(|index| loads(&index.pieces));
        self.all_columns().flat_map(|column| column.slots()).chain(key).chain(values)
    }

    /// All its pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        let key = self.key_index.iter().flat_map(|k| k.pieces.iter().map(|p| p.piece()));
        let values = self.all_value_indexes().flat_map(|index| index.pieces.iter().map(|p| p.piece()));
        self.all_columns().flat_map(|c| c.pieces()).chain(key).chain(values)
    }

    /// The index of the values of several columns together, if there is one.
    pub fn composite_index(&self, columns: &[usize]) -> Option<&ValueIndex> {
        self.composite_indexes.iter().find(|(of, _)| of == columns).map(|(_, index)| index)
    }

    /// By which labels rows differ from the table, which has its `own`.
    ///
    /// **Cost**: a look at each row of segments where some differ, up to [`LABELS_READ`] of them. What cannot
    /// be read is told to who asks for it.
    pub(crate) fn labels_vary(&self, names: &Names, own: &[LabelId]) -> LabelsVary {
        let Some(labels) = &self.labels else { return LabelsVary::No };
        let some = || (0..labels.segment_count()).filter(|segment| !labels.is_empty_at(*segment));
        if some().count() > LABELS_READ {
            return LabelsVary::Any;
        }
        let mut vary = LabelsVary::No;
        vary.add([]);
        let view = ColumnView::new(labels);
        for segment in some() {
            let Some(sets) = view.label_sets(segment) else { return LabelsVary::Any };
            for set in sets {
                let ids = set.iter().map(|name| names.id(name).and_then(|id| u16::try_from(id).ok()));
                let Some(ids) = ids.map(|id| id.map(LabelId)).collect::<Option<Vec<_>>>() else {
                    return LabelsVary::Any;
                };
                vary.add(own.iter().filter(|label| !ids.contains(label)).copied());
                vary.add(ids.into_iter().filter(|label| !own.contains(label)));
            }
        }
        vary
    }

    fn all_value_indexes(&self) -> impl Iterator<Item = &ValueIndex> {
        let single = self.value_indexes.iter().map(|(_, index)| index);
        single.chain(self.composite_indexes.iter().map(|(_, index)| index))
    }

    /// The index of the values of a column, if there is one.
    pub fn value_index(&self, column: usize) -> Option<&ValueIndex> {
        self.value_indexes.iter().find(|(of, _)| *of == column).map(|(_, index)| index)
    }

    /// Columns, and what is kept as they are.
    fn all_columns(&self) -> impl Iterator<Item = &Arc<Column>> {
        self.columns.iter().chain(&self.labels).chain(&self.missing)
    }

    /// Rows that nobody has, ascending.
    ///
    /// **Errors**: a piece that cannot be had. **Cost**: a look at each row where some are missing.
    pub fn missing_rows(&self) -> Result<Vec<u64>, RewriteError> {
        let Some(missing) = &self.missing else { return Ok(Vec::new()) };
        let pins = Arc::default();
        let view = ColumnView::pinned(missing, &pins);
        let rows = (0..self.rows).filter(|row| !view.is_null(*row)).collect();
        match pins.failure() {
            Some(error) => Err(RewriteError::Read(error)),
            None => Ok(rows),
        }
    }
}

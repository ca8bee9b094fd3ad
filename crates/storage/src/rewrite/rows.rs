//! Rows put behind the last of a node table: takes their values, gives a main version whose other pieces are
//! shared.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_types::Value;
use trimorph_vfs::RegionOptions;

use super::nodes::NodeChanges;
use super::{RewriteError, check};
use crate::Main;
use crate::column::{ColumnView, ZONE_ROWS};
use crate::key_index::hash_of;

impl Main {
    /// This version with `rows` behind the last of node table `table`: values in the order of the catalog's
    /// columns, the key among them.
    ///
    /// **Errors**: a table there is not; too many values; a key that is there already, or none. **Cost**: the
    /// last segment of each column, and the pieces of the key index that the keys belong to.
    pub fn with_rows(
        &self,
        table: TableId,
        rows: &[Vec<Value>],
        options: RegionOptions,
    ) -> Result<Self, RewriteError> {
        let at = usize::from(table.0);
        let Some(old) = self.node_tables.get(at) else {
            return Err(RewriteError::Unknown(format!("there is no node table {at}")));
        };
        if let Some(row) = rows.iter().find(|row| row.len() != old.columns.len()) {
            let text = format!("a row of {} values for a table of {} columns", row.len(), old.columns.len());
            return Err(RewriteError::Unknown(text));
        }
        self.check_keys(at, rows)?;
        let end = old.rows + rows.len() as u64;
        let came: Vec<u64> = (old.rows..end).collect();
        let zones: BTreeSet<u64> = came.iter().map(|row| row / ZONE_ROWS as u64).collect();
        let columns: BTreeMap<usize, BTreeSet<u64>> =
            (0..old.columns.len()).map(|column| (column, zones.clone())).collect();
        let values = |column: Option<usize>, wanted: Range<u64>, put: &mut dyn FnMut(u64, Value)| {
            let Some(column) = column else { return };
            for row in wanted.start.max(old.rows)..wanted.end.min(end) {
                put(row, rows[(row - old.rows) as usize][column].clone());
            }
        };
        let changes =
            NodeChanges { came: &came, went: &[], columns: &columns, labels: None, values: &values };
        let mut next = self.clone();
        next.merge_nodes(table, &changes, options)?;
        Ok(next)
    }

    /// Whether the keys of new rows are keys, and no other row has them.
    fn check_keys(&self, at: usize, rows: &[Vec<Value>]) -> Result<(), RewriteError> {
        let table = &self.node_tables[at];
        let (Some(index), Some(key)) = (&table.key_index, self.catalog.schema.node_tables[at].key) else {
            return Ok(());
        };
        let pins = Arc::default();
        let (column, view) = (ColumnView::pinned(&table.columns[key], &pins), index.view(&pins));
        let mut seen = HashSet::new();
        for key in rows.iter().map(|row| &row[key]) {
            hash_of(key).ok_or_else(|| RewriteError::Unknown("keys are integers or strings".into()))?;
            if view.find(key, &column).is_some() || !seen.insert(format!("{key:?}")) {
                return Err(RewriteError::DuplicateKey(format!("{key:?}")));
            }
        }
        check(&pins)
    }
}

//! Rows put behind the last of a node table: takes their values, gives a main version whose other pieces are
//! shared.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_catalog::CharacteristicSet;
use trimorph_types::Value;
use trimorph_vfs::{RegionOptions, lay_out};

use super::columns::{Source, rewrite};
use super::{RewriteError, check};
use crate::column::{ColumnView, SEGMENT_ROWS};
use crate::key_index::{KeyEntries, KeyIndex, hash_of};
use crate::slot::Slot;
use crate::{Main, NodeTable};

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
        let (old, info) = match (self.node_tables.get(at), self.catalog.schema.node_tables.get(at)) {
            (Some(old), Some(info)) => (old, info),
            _ => return Err(RewriteError::Unknown(format!("there is no node table {at}"))),
        };
        if let Some(row) = rows.iter().find(|row| row.len() != old.columns.len()) {
            let text = format!("a row of {} values for a table of {} columns", row.len(), old.columns.len());
            return Err(RewriteError::Unknown(text));
        }
        let end = old.rows + rows.len() as u64;
        if end >= u64::from(u32::MAX) {
            return Err(RewriteError::Unknown(format!("more than {} rows in one node table", u32::MAX)));
        }
        let first_segment = old.rows as usize / SEGMENT_ROWS;
        let segment_start = (first_segment * SEGMENT_ROWS) as u64;
        let mut sources: Vec<Source> = (segment_start..old.rows).map(Source::Old).collect();
        sources.extend((0..rows.len()).map(Source::New));
        let mut catalog = (*self.catalog).clone();
        let mut columns = Vec::with_capacity(old.columns.len());
        let stats = &mut catalog.statistics.node_tables[at];
        for (i, column) in old.columns.iter().enumerate() {
            let replaced = first_segment..column.segments.len();
            let value = |row: usize| rows[row][i].clone();
            let (column, known) = rewrite(column, &stats.properties[i], replaced, &sources, &value, options)?;
            stats.properties[i] = known;
            columns.push(Arc::new(column));
        }
        let key_index = match (&old.key_index, info.key) {
            (Some(index), Some(key)) => {
                let keys: Vec<&Value> = rows.iter().map(|row| &row[key]).collect();
                Some(with_keys(index, old, key, &keys, options)?)
            }
            _ => None,
        };
        stats.rows = end;
        count_sets(&mut stats.characteristic_sets, rows);
        catalog.facts_mut().node_tables[at].one_type =
            columns.iter().map(|column| column.has_one_type()).collect();
        let mut next = self.clone();
        next.node_tables[at] = Arc::new(NodeTable { rows: end, columns, key_index });
        next.catalog = Arc::new(catalog);
        Ok(next)
    }
}

/// Counts the rows by which properties they have.
fn count_sets(sets: &mut Vec<CharacteristicSet>, rows: &[Vec<Value>]) {
    for row in rows {
        let properties: Vec<u32> = (0..).zip(row).filter(|(_, v)| !v.is_null()).map(|(i, _)| i).collect();
        match sets.iter_mut().find(|set| set.properties == properties) {
            Some(set) => set.count += 1,
            None => sets.push(CharacteristicSet { properties, count: 1 }),
        }
    }
}

/// The key index with the keys of the next rows.
fn with_keys(
    index: &KeyIndex,
    table: &NodeTable,
    key: usize,
    keys: &[&Value],
    options: RegionOptions,
) -> Result<KeyIndex, RewriteError> {
    let pins = Arc::default();
    let (column, view) = (ColumnView::pinned(&table.columns[key], &pins), index.view(&pins));
    let mut pieces: BTreeMap<usize, Vec<(u64, u32)>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (row, key) in (table.rows..).zip(keys) {
        let hash =
            hash_of(key).ok_or_else(|| RewriteError::Unknown("keys are integers or strings".into()))?;
        if view.find(key, &column).is_some() || !seen.insert(format!("{key:?}")) {
            return Err(RewriteError::DuplicateKey(format!("{key:?}")));
        }
        // Checked: a table has fewer than 2^32 rows.
        pieces.entry(index.piece(hash)).or_default().push((hash, u32::try_from(row).unwrap_or(u32::MAX)));
    }
    let hash_at = |row: u32| hash_of(&column.value(row.into())).unwrap_or(0);
    let write = |(number, rows): (&usize, &Vec<(u64, u32)>)| index.write_piece(*number, rows, hash_at, &pins);
    let written = pieces.iter().map(write).collect();
    check(&pins)?;
    let mut next = index.clone();
    for (number, piece) in pieces.keys().zip(lay_out(written, options)?) {
        next.pieces[*number] = Slot::<KeyEntries>::read(piece, table.rows + keys.len() as u64)?;
    }
    Ok(next)
}

//! Node tables of a load: batches of columns in, a table with its key index and its entry in the catalog out.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use trimorph_base::{LabelId, PropertyId, TableId};
use trimorph_catalog::{
    Catalog, CharacteristicSet, LabelsVary, NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo,
    PropertyStats,
};
use trimorph_types::LogicalType;
use trimorph_vfs::{Piece, RegionOptions, lay_out};

use super::beside::NodePart;
use super::errors::{no_memory, too_large, unreadable};
use super::keys::KeySpace;
use super::{BulkError, ColumnBatch, ColumnData, NodeBatch, NodeSpec};
use crate::column::{Column, ColumnBytes, ColumnWriter, WrittenColumn};
use crate::key_index::{KeyEntries, KeyIndex, TakeHashes};
use crate::slot::Slot;
use crate::value_index::{Of, WrittenIndex};
use crate::{ComponentBytes, NodeTable, row_labels};

/// A node table that is being filled.
pub(super) struct NodeTableState {
    pub(super) spec: NodeSpec,
    pub(super) space: Option<usize>,
    pub(super) rows: u64,
    pub(super) key: Option<ColumnWriter>,
    pub(super) columns: Vec<ColumnWriter>,
    /// Which properties occur together, as a bit set over the spec's properties.
    pub(super) sets: FxHashMap<Box<[u64]>, u64>,
}

impl NodeTableState {
    /// What a database is told of it.
    pub(super) fn part(&self) -> NodePart {
        let key = self.spec.key_property.iter().map(|name| {
            (name.clone(), self.key.as_ref().map_or(LogicalType::Int, ColumnWriter::logical_type))
        });
        NodePart {
            labels: self.spec.labels.clone(),
            has_key: self.spec.key_property.is_some(),
            properties: key.chain(self.spec.properties.iter().cloned()).collect(),
            rows: self.rows,
        }
    }
}

/// Most rows of a node table: one past the last fits 32 bits, and one more for none.
const ROWS_MAX: u64 = u32::MAX as u64 - 1;

/// Refuses a node table of more than [`ROWS_MAX`] rows.
pub(super) fn check_rows(rows: u64) -> Result<(), BulkError> {
    if rows > ROWS_MAX { Err(too_large("rows in one node table", ROWS_MAX)) } else { Ok(()) }
}

/// An id of 16 bits.
pub(super) fn small(id: usize, what: &str) -> Result<u16, BulkError> {
    u16::try_from(id).map_err(|_| too_large(what, 1 << 16))
}

/// Appends the rows of a batch for which `keep` holds (all when absent).
pub(super) fn append_kept(state: &mut NodeTableState, batch: &NodeBatch, rows: usize, keep: Option<&[bool]>) {
    if let (Some(keys), Some(_)) = (&batch.keys, &state.spec.key_property) {
        let ty = if matches!(keys, ColumnData::Int(_)) { LogicalType::Int } else { LogicalType::String };
        let writer = state.key.get_or_insert_with(|| ColumnWriter::new(ty));
        writer.append(&ColumnBatch { data: keys.clone(), nulls: None }, keep);
    }
    for (writer, column) in state.columns.iter_mut().zip(&batch.columns) {
        writer.append(column, keep);
    }
    let mut set = vec![0u64; batch.columns.len().div_ceil(64).max(1)];
    for i in (0..rows).filter(|i| keep.is_none_or(|k| k[*i])) {
        set.fill(0);
        for (p, column) in batch.columns.iter().enumerate() {
            let null = column.nulls.as_ref().is_some_and(|n| n[i])
                || matches!(&column.data, ColumnData::Values(v) if v[i].is_null());
            set[p / 64] |= u64::from(!null) << (p % 64);
        }
        match state.sets.get_mut(&set[..]) {
            Some(count) => *count += 1,
            None => drop(state.sets.insert(set.clone().into(), 1)),
        }
        state.rows += 1;
    }
}

/// Finished columns of a table: not yet in a region.
#[derive(Default)]
struct Written {
    columns: Vec<WrittenColumn>,
    pieces: Vec<Vec<u8>>,
    /// Types and statistics.
    counted: Vec<(LogicalType, PropertyStats)>,
    bytes: ComponentBytes,
}

/// What was written, the columns, and the pieces behind theirs.
type Laid = (Written, Vec<Arc<Column>>, Vec<Arc<Piece>>);

impl Written {
    fn add(&mut self, ty: LogicalType, (mut column, stats, size): FinishedParts) {
        self.bytes.node_properties += size.data;
        self.bytes.nulls += size.nulls;
        self.pieces.append(&mut column.pieces);
        self.columns.push(column);
        self.counted.push((ty, stats));
    }

    /// Puts all in a region: the columns, and the slots of the pieces behind theirs.
    fn lay(mut self, more: Vec<Vec<u8>>, options: RegionOptions) -> Result<Laid, BulkError> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.extend(more);
        let total: usize = pieces.iter().map(Vec::len).sum();
        self.bytes.overhead += total.saturating_sub(self.bytes.total());
        let mut pieces = lay_out(pieces, options).map_err(no_memory)?.into_iter();
        let columns = (self.columns.iter())
            .map(|column| column.read(&mut pieces).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unreadable)?;
        Ok((self, columns, pieces.collect()))
    }
}

/// What is left of a column writer that is finished.
type FinishedParts = (WrittenColumn, PropertyStats, ColumnBytes);

/// A node table that is built, but not yet in the catalog.
pub(super) struct BuiltNodes {
    table: NodeTable,
    labels: Vec<String>,
    /// Labels that rows have by themselves.
    row_labels: Vec<String>,
    /// Names of the columns, the key's first.
    names: Vec<String>,
    /// Types and statistics of the columns.
    columns: Vec<(LogicalType, PropertyStats)>,
    sets: Vec<CharacteristicSet>,
    has_key: bool,
    bytes: ComponentBytes,
}

/// Builds the columns and the key index.
pub(super) fn finish_nodes(
    mut state: NodeTableState,
    id: TableId,
    spaces: &[Arc<RwLock<KeySpace>>],
    options: RegionOptions,
) -> Result<BuiltNodes, BulkError> {
    if state.spec.key_property.is_some() {
        // A table that never got a row has its key column all the same.
        state.key.get_or_insert_with(|| ColumnWriter::new(LogicalType::Int));
    }
    let has_key = state.key.is_some();
    let mut written = Written::default();
    for writer in state.key.into_iter().chain(state.columns) {
        written.add(writer.logical_type(), writer.finish());
    }
    let (mut more, mut key_bits) = (Vec::new(), None);
    if let Some(space) = state.space.filter(|_| has_key) {
        let space = spaces[space].read().unwrap_or_else(PoisonError::into_inner);
        let rows = state.rows as usize;
        let (bits, entries, size) = KeyIndex::write(rows, |take: &mut TakeHashes<'_>| space.hashes(id, take));
        written.bytes.key_indexes += size;
        more = entries;
        key_bits = Some(bits);
    }
    let (written, columns, rest) = written.lay(more, options)?;
    let key_index = match key_bits {
        None => None,
        Some(bits) => {
            let slots = rest.into_iter().map(|piece| Slot::<KeyEntries>::read(piece, state.rows));
            KeyIndex::of(bits, slots.collect::<Result<_, _>>().map_err(unreadable)?)
        }
    };
    let table = NodeTable { rows: state.rows, columns, key_index, ..NodeTable::default() };
    let names = state.spec.key_property.into_iter().chain(state.spec.properties.into_iter().map(|p| p.0));
    Ok(BuiltNodes {
        table,
        labels: state.spec.labels,
        row_labels: Vec::new(),
        names: names.collect(),
        columns: written.counted,
        sets: characteristic_sets(&state.sets, u32::from(has_key)),
        has_key,
        bytes: written.bytes,
    })
}

/// The sets of properties that rows have, the most frequent first; the first `keys` columns are in all.
fn characteristic_sets(sets: &FxHashMap<Box<[u64]>, u64>, keys: u32) -> Vec<CharacteristicSet> {
    let bits = |bits: &[u64]| -> Vec<u32> {
        let words = (0..).zip(bits.iter());
        let set = words.flat_map(|(w, word)| {
            (0..u64::BITS).filter(move |b| word >> b & 1 == 1).map(move |b| w * u64::BITS + b)
        });
        (0..keys).chain(set.map(|p| p + keys)).collect()
    };
    let mut all: Vec<CharacteristicSet> =
        sets.iter().map(|(set, count)| CharacteristicSet { properties: bits(set), count: *count }).collect();
    all.sort_by(|a, b| (b.count, &a.properties).cmp(&(a.count, &b.properties)));
    all
}

/// A finished column of a table whose rows are known by their numbers.
pub struct NumberedColumn {
    name: String,
    ty: LogicalType,
    parts: FinishedParts,
}

impl NumberedColumn {
    /// Of what was written.
    pub fn new(name: String, writer: ColumnWriter) -> Self {
        Self { name, ty: writer.logical_type(), parts: writer.finish() }
    }

    /// Bytes of its pieces.
    pub fn bytes(&self) -> usize {
        self.parts.2.data + self.parts.2.nulls
    }
}

/// The finished index of a column of such a table.
pub struct NumberedIndex(WrittenIndex);

impl NumberedIndex {
    /// Of the rows in the order of the column's values, of a table of so many rows.
    pub fn new(in_order: impl Iterator<Item = u64>, rows: u64) -> Self {
        Self(WrittenIndex::new(in_order, Of::Rows(rows)))
    }
}

/// A node table whose rows are known by their numbers: it has no keys.
pub struct NumberedNodes {
    /// The label set, in the order labels are shown.
    pub labels: Vec<String>,
    /// The labels of rows that have others.
    pub row_labels: Option<NumberedLabels>,
    /// How many rows it has; each column has as many.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<NumberedColumn>,
    /// Which of them rows have together, the most frequent first; some may be missing.
    pub sets: Vec<CharacteristicSet>,
    /// The index of a column, and that column's place.
    pub index: Option<(usize, NumberedIndex)>,
}

/// Labels that rows of a table have by themselves.
pub struct NumberedLabels {
    /// The labels.
    pub names: Vec<String>,
    /// Sets of them by number, each in the order labels are shown.
    pub sets: Vec<Vec<u32>>,
    /// For each row, one more than the index of its set; 0 where it has the table's labels.
    pub rows: Vec<u32>,
}

impl NumberedLabels {
    /// The column that keeps them.
    fn column(&self) -> ColumnWriter {
        let name = |label: &u32| self.names.get(*label as usize).map_or("", |name| name);
        let texts: Vec<String> =
            self.sets.iter().map(|set| row_labels::text_of(set.iter().map(name))).collect();
        let mut writer = ColumnWriter::new(LogicalType::String);
        for set in &self.rows {
            let text = (*set as usize).checked_sub(1).and_then(|set| texts.get(set));
            writer.push_text(text.map(String::as_bytes));
        }
        writer
    }
}

/// Builds a table of columns that are finished.
pub(super) fn finish_numbered(nodes: NumberedNodes, options: RegionOptions) -> Result<BuiltNodes, BulkError> {
    check_rows(nodes.rows)?;
    let (mut written, mut names) = (Written::default(), Vec::new());
    for column in nodes.columns {
        names.push(column.name);
        written.add(column.ty, column.parts);
    }
    // Behind all that the catalog knows.
    if let Some(labels) = &nodes.row_labels {
        let writer = labels.column();
        written.add(writer.logical_type(), writer.finish());
    }
    let (mut written, mut columns, _) = written.lay(Vec::new(), options)?;
    let labels = columns.split_off(names.len()).pop();
    written.counted.truncate(names.len());
    let mut value_indexes = Vec::new();
    if let Some((column, NumberedIndex(index))) = nodes.index {
        let index = index.lay(options);
        let failed = |error| BulkError::TooLarge(format!("could not build an index: {error}"));
        value_indexes.push((column, index.map_err(failed)?));
    }
    Ok(BuiltNodes {
        table: NodeTable { rows: nodes.rows, columns, value_indexes, labels, ..NodeTable::default() },
        labels: nodes.labels,
        row_labels: nodes.row_labels.map_or_else(Vec::new, |labels| labels.names),
        names,
        columns: written.counted,
        sets: nodes.sets,
        has_key: false,
        bytes: written.bytes,
    })
}

impl BuiltNodes {
    /// Enters the table in the catalog, behind those that are there.
    pub(super) fn describe(self, catalog: &mut Catalog) -> Result<(NodeTable, ComponentBytes), BulkError> {
        let Self { table, labels, row_labels, names, columns, sets, has_key, bytes } = self;
        for label in &row_labels {
            small(catalog.schema.labels.intern(label), "labels")?;
        }
        let labels: Vec<LabelId> = (labels.iter())
            .map(|l| Ok(LabelId(small(catalog.schema.labels.intern(l), "labels")?)))
            .collect::<Result<_, BulkError>>()?;
        let (mut properties, mut counted) = (Vec::new(), Vec::new());
        for (name, (ty, stats)) in names.iter().zip(columns) {
            let id = u32::try_from(catalog.schema.properties.intern(name))
                .map_err(|_| too_large("properties", 1 << 32))?;
            properties.push(PropertyInfo { id: PropertyId(id), ty });
            counted.push(stats);
        }
        let one_type = table.columns.iter().map(|c| c.has_one_type()).collect();
        let mut labels_vary = LabelsVary::No;
        if table.labels.is_some() {
            let names = &catalog.schema.labels;
            let ids = row_labels.iter().filter_map(|label| names.id(label)).map(|id| LabelId(id as u16));
            labels_vary.add(ids.chain(labels.iter().copied()));
        }
        // Loads refuse keys that are null.
        let facts = NodeTableFacts { one_type, labels_vary, keyless: false };
        let stats = NodeTableStats { rows: table.rows, properties: counted, characteristic_sets: sets };
        let key = has_key.then_some(0);
        catalog.add_node_table(NodeTableInfo { labels, properties, key }, facts, stats);
        Ok((table, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text is in the book's page on limits. (Nobody can load so much in a test.)
    #[test]
    fn node_tables_of_more_than_32_bits_are_refused() {
        assert!(check_rows(4_294_967_294).is_ok());
        let rows = check_rows(4_294_967_295).unwrap_err().to_string();
        assert_eq!(rows, "more than 4294967294 rows in one node table");
    }
}

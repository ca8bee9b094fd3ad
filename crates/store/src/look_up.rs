//! Looking up single nodes and edges: rows by key, and the properties of one thing.

use std::sync::Arc;

use trimorph_base::{EdgeId, LabelId, NodeId, TableId};
use trimorph_delta::{KeyDelta, LABELS, NodeDelta};
use trimorph_storage::column::{ColumnView, LabelRows, SEGMENT_ROWS, ZONE_ROWS};
use trimorph_storage::row_labels;
use trimorph_types::{Keys, Map, Value};
use trimorph_vector::{Vector, by_id};

use crate::{PropertyColumn, Reader};

impl<'s> Reader<'s> {
    /// Whether labels of rows of a table may be others than the table's.
    pub fn labels_vary(&self, table: TableId) -> bool {
        let facts = self.catalog().unrecorded_facts().node_tables.get(table.0 as usize);
        facts.is_some_and(|facts| facts.labels_vary.do_vary())
    }

    /// Whether rows of a table may differ from it by a label.
    pub fn labels_vary_by(&self, table: TableId, label: LabelId) -> bool {
        let facts = self.catalog().unrecorded_facts().node_tables.get(usize::from(table.0));
        facts.is_some_and(|facts| facts.labels_vary.by(label))
    }

    /// The labels of a node, in the order they are shown.
    pub fn labels(&self, node: NodeId) -> Vec<Arc<str>> {
        let own = self.own_labels(node);
        own.and_then(|own| row_labels(&own)).unwrap_or_else(|| self.schema().label_names(node.table()))
    }

    /// What stands for the labels of a node, if it may have others than its table: nodes with the same value
    /// in one table have the same labels.
    pub fn own_labels(&self, node: NodeId) -> Option<Value> {
        if let Some(recording) = self.recording() {
            recording.rows(node, 1);
        }
        let table = Some(node.table()).filter(|table| self.labels_vary(*table))?;
        let changed = || self.node_changes(table)?.value(node.row(), LABELS, &self.moment()?.reading());
        changed().or_else(|| Some(self.main_labels(table)?.value(node.row())))
    }

    /// Hands over the sets of labels of those of `len` rows from `first` on that are there, and how many of
    /// the rows have each: one set may come several times.
    ///
    /// **Cost**: where segments know the labels of their rows, and nothing was written, a look for each set,
    /// and one for 64 rows where some are not there; else a look at each row.
    pub fn label_sets(&self, first: NodeId, len: usize, take: &mut dyn FnMut(&[Arc<str>], u64)) {
        let (table, end) = (first.table(), first.row() + len as u64);
        let mut row = first.row();
        while row < end {
            let until = end.min((row / SEGMENT_ROWS as u64 + 1) * SEGMENT_ROWS as u64);
            let node = NodeId::new(table, row);
            let merged = self.merged_run(node, until - row);
            let is_counted = merged > 0 && self.label_sets_of_main(node, merged, take);
            let run = match merged {
                0 => (until - row).min(ZONE_ROWS as u64 - row % ZONE_ROWS as u64),
                run => run,
            };
            if !is_counted {
                self.label_sets_by_row(node, run as usize, take);
            }
            row += run;
        }
    }

    /// How many of `len` rows from `first` on are main's and have the labels that it says, or are gone as it
    /// says.
    fn merged_run(&self, first: NodeId, len: u64) -> u64 {
        let rows = self.rows_of_main(first.table()).saturating_sub(first.row()).min(len);
        match self.node_changes(first.table()) {
            _ if self.notes_reads() => 0,
            None => rows,
            Some(delta) => {
                let labels = delta.clean_run(first.row(), rows, Some(LABELS));
                delta.clean_run(first.row(), labels, None)
            }
        }
    }

    /// The sets of rows of one segment that nothing was written to; whether they are known.
    fn label_sets_of_main(&self, first: NodeId, len: u64, take: &mut dyn FnMut(&[Arc<str>], u64)) -> bool {
        let (row, rows) = (first.row(), len as usize);
        let missing = self.missing(first.table());
        let gone = missing.map_or(0, |missing| missing.count_values(row, rows));
        let mut left = len - gone;
        let varying = self.main_labels(first.table()).filter(|labels| !labels.are_null(row, rows));
        if let Some(varying) = varying {
            let Some(known) = varying.label_rows(row, len) else { return false };
            let start = (row % SEGMENT_ROWS as u64) as usize;
            let mut is_there = missing.filter(|_| gone > 0).map(ColumnView::null_test);
            for code in (1..=u16::MAX).take(known.codes() - 1) {
                let own = known.rows(code);
                let from = own.partition_point(|own| usize::from(*own) < start);
                let to = own.partition_point(|own| usize::from(*own) < start + rows);
                let own = &own[from..to];
                let count = match &mut is_there {
                    None => own.len(),
                    Some(is_there) => {
                        own.iter().filter(|own| is_there(row - start as u64 + u64::from(**own))).count()
                    }
                } as u64;
                left -= count;
                if let (true, Some(labels)) = (count > 0, known.labels(code)) {
                    take(labels, count);
                }
            }
        }
        if left > 0 {
            take(&self.schema().label_names(first.table()), left);
        }
        true
    }

    fn label_sets_by_row(&self, first: NodeId, len: usize, take: &mut dyn FnMut(&[Arc<str>], u64)) {
        let there = self.existing(first, len);
        let rows = there.unwrap_or_else(|| (0..len as u32).collect());
        let labels = self.label_rows(first, rows.len() as u64);
        let is_written = self.have_labels_written(first, len);
        let mut counts = vec![0u64; labels.map_or(0, LabelRows::codes)];
        for row in rows {
            let node = NodeId::new(first.table(), first.row() + u64::from(row));
            let local = (node.row() % SEGMENT_ROWS as u64) as usize;
            let code = labels
                .and_then(|labels| labels.code(local))
                .filter(|_| !is_written || !self.have_labels_written(node, 1));
            match code.and_then(|code| counts.get_mut(usize::from(code))) {
                Some(count) => *count += 1,
                None => take(&self.labels(node), 1),
            }
        }
        let of_table = self.schema().label_names(first.table());
        for (code, count) in (0..=u16::MAX).zip(counts).filter(|(_, count)| *count > 0) {
            take(labels.and_then(|labels| labels.labels(code)).unwrap_or(&of_table), count);
        }
    }

    /// Which rows of the segment of a node have which labels in main, where rows have others than their
    /// table, once what was asked for has paid for making that: `asked` nodes now. `None` where nodes are to
    /// be asked one by one.
    #[inline]
    pub fn label_rows(&self, node: NodeId, asked: u64) -> Option<&'s LabelRows> {
        // Who notes what he reads names the nodes that he asks for.
        let main = self.main_labels(node.table()).filter(|_| !self.notes_reads());
        main?.label_rows(node.row(), asked)
    }

    /// Whether some of `len` nodes from `first` on may have other labels than main says, or are not there.
    #[inline]
    pub fn have_labels_written(&self, first: NodeId, len: usize) -> bool {
        let len = len as u64;
        let is_written = |delta: &Arc<NodeDelta>| match len {
            1 => delta.is_row_written(first.row(), LABELS),
            _ => delta.clean_run(first.row(), len, Some(LABELS)) < len,
        };
        self.node_changes(first.table()).is_some_and(is_written)
    }

    /// Those of some rows of a table of whose labels main does not know: their places among the rows,
    /// ascending, and what stands for their labels, null where these are the table's or the row is gone.
    ///
    /// **Cost**: a load a row, and a look at each that was written.
    pub fn labels_written(
        &self,
        table: TableId,
        rows: impl Iterator<Item = u64>,
    ) -> impl Iterator<Item = (u32, Value)> {
        let known = self.node_changes(table).zip(self.moment()).map(|(changes, moment)| {
            let (places, versions) = changes.written_rows(rows, LABELS);
            let values = changes.values_of(&versions, LABELS, &moment.reading());
            places.into_iter().zip(values).filter_map(|(place, value)| Some((place, value?)))
        });
        known.into_iter().flatten()
    }

    /// Whether main has other labels than their table's of some of `len` nodes from `first` on.
    pub fn have_own_labels(&self, first: NodeId, len: usize) -> bool {
        self.main_labels(first.table()).is_some_and(|labels| !labels.are_null(first.row(), len))
    }

    /// Whether some of `len` nodes from `first` on may have other labels than their table. Who notes what he
    /// reads asks each.
    pub fn may_have_own_labels(&self, first: NodeId, len: usize) -> bool {
        self.notes_reads() || self.have_labels_written(first, len) || self.have_own_labels(first, len)
    }

    /// The row of `table` whose key property is `key`. `None` also where the table has no key.
    ///
    /// **Cost**: one probe of the hash index.
    pub fn find_key(&self, table: TableId, key: &Value) -> Option<u64> {
        let column = self.schema().node_tables[table.0 as usize].key?;
        if let Some(recording) = self.recording() {
            recording.key(table, KeyDelta::hash_of(key));
        }
        let found = self.find_main_key(table, column, key);
        if !self.has_node_changes(table) {
            // Who finds a row reads its key.
            if let (Some(recording), Some(row)) = (self.recording(), found) {
                recording.values(table, column, row, 1);
            }
            return found;
        }
        let column = PropertyColumn::of_nodes(table, column, self);
        let came = self.moment()?.delta().keys(table);
        let came = came.map(|keys| keys.rows(key)).unwrap_or_default();
        // Who has the key may have lost it since, or be gone: then it has no value.
        found.into_iter().chain(came).find(|row| is_same_key(&column.value(*row), key))
    }

    fn find_main_key(&self, table: TableId, column: usize, key: &Value) -> Option<u64> {
        self.key_index(table)?.find(key, self.node_column(table, column))
    }

    /// The same for the keys at `positions` of a vector: a row of `table` each, or [`NO_ROW`]; none at all
    /// where the table has no key.
    ///
    /// **Cost**: as many probes, whose cache misses are waited for together.
    ///
    /// [`NO_ROW`]: crate::NO_ROW
    pub fn find_keys(&self, table: TableId, keys: &Vector<'_>, positions: &[u32], rows: &mut Vec<u32>) {
        rows.clear();
        if self.has_node_changes(table) || self.recording().is_some() {
            let key = |p: &u32| keys.value(*p as usize, &|_| Value::Null);
            let row = |key: Value| self.find_key(table, &key).and_then(|row| u32::try_from(row).ok());
            return rows.extend(positions.iter().map(|p| row(key(p)).unwrap_or(crate::NO_ROW)));
        }
        let Some(index) = self.key_index(table) else { return };
        if let Some(column) = self.schema().node_tables[table.0 as usize].key {
            index.find_all(keys, positions, self.node_column(table, column), rows);
        }
    }

    /// A property of a node; null if it has none of that name.
    pub fn node_property(&self, node: NodeId, name: &str) -> Value {
        match self.schema().node_property(node.table(), name) {
            Some(column) if node.is_node() => {
                PropertyColumn::of_nodes(node.table(), column, self).value(node.row())
            }
            _ => Value::Null,
        }
    }

    /// A property of an edge; null if it has none of that name.
    pub fn edge_property(&self, edge: EdgeId, name: &str) -> Value {
        match self.schema().edge_property(edge.table(), name) {
            Some(column) if edge.is_edge() => {
                let column = PropertyColumn::of_edges(edge.table().0 as usize, column, self);
                column.value(column.slot(edge))
            }
            _ => Value::Null,
        }
    }

    /// All properties of a node.
    pub fn node_properties(&self, node: NodeId) -> Map {
        if let Some(recording) = self.recording() {
            recording.all_properties();
        }
        let table = self.schema().node_tables.get(node.table().0 as usize);
        let Some(info) = table.filter(|_| node.is_node()) else { return Map::new() };
        (info.properties.iter().enumerate())
            .map(|(i, p)| {
                (
                    self.schema().property_name(p.id),
                    PropertyColumn::of_nodes(node.table(), i, self).value(node.row()),
                )
            })
            .filter(|(_, v)| !v.is_null())
            .collect()
    }

    /// All properties of an edge.
    pub fn edge_properties(&self, edge: EdgeId) -> Map {
        if let Some(recording) = self.recording() {
            recording.all_properties();
        }
        let table = edge.table().0 as usize;
        let Some(info) = self.schema().edge_tables.get(table).filter(|_| edge.is_edge()) else {
            return Map::new();
        };
        let slot = self.edge_slot(edge);
        (info.properties.iter().enumerate())
            .map(|(i, p)| {
                (self.schema().property_name(p.id), PropertyColumn::of_edges(table, i, self).value(slot))
            })
            .filter(|(_, v)| !v.is_null())
            .collect()
    }
}

impl<'s> Reader<'s> {
    /// All properties of nodes of one table, read column by column.
    pub fn properties_of_nodes(&self, table: TableId, nodes: &[NodeId]) -> Vec<Map> {
        if let Some(recording) = self.recording() {
            recording.all_properties();
        }
        let info = self.schema().node_tables.get(usize::from(table.0));
        let properties = info.map_or(&[][..], |info| &info.properties);
        let columns = properties.iter().enumerate().map(|(place, property)| {
            let column = PropertyColumn::of_nodes(table, place, self);
            (self.schema().property_name(property.id), column.gather_nodes(nodes))
        });
        maps(columns.collect(), nodes.len())
    }

    /// The same of edges, which the table must have.
    pub fn properties_of_edges(&self, table: usize, edges: &[EdgeId]) -> Vec<Map> {
        if let Some(recording) = self.recording() {
            recording.all_properties();
        }
        let info = self.schema().edge_tables.get(table);
        let properties = info.map_or(&[][..], |info| &info.properties);
        let slots: Vec<u64> = match properties {
            [] => Vec::new(),
            _ => edges.iter().map(|edge| self.edge_slot(*edge)).collect(),
        };
        let columns = properties.iter().enumerate().map(|(place, property)| {
            let column = PropertyColumn::of_edges(table, place, self);
            let values = column.gather(slots.iter().copied().enumerate(), slots.len());
            (self.schema().property_name(property.id), values)
        });
        maps(columns.collect(), edges.len())
    }
}

/// What each row has under the names of columns, nulls left out. Rows that have the same names share them.
fn maps(mut columns: Vec<(Arc<str>, Vector<'_>)>, len: usize) -> Vec<Map> {
    columns.sort_by(|a, b| a.0.cmp(&b.0));
    let mut keys = Keys::default();
    // The columns that the row before had.
    let mut had: Vec<bool> = vec![false; columns.len()];
    (0..len)
        .map(|i| {
            let is_there = |(_, column): &(_, Vector<'_>)| !column.is_null(i);
            if columns.iter().zip(&had).any(|(column, had)| is_there(column) != *had) {
                had = columns.iter().map(is_there).collect();
                keys = columns.iter().filter(|c| is_there(c)).map(|(name, _)| Arc::clone(name)).collect();
            }
            // No property is an edge.
            let values = columns.iter().filter(|c| is_there(c)).map(|(_, column)| column.value(i, &by_id));
            // Names ascend, and there is a value for each.
            Map::of_keys(Arc::clone(&keys), values.collect()).unwrap_or_default()
        })
        .collect()
}

/// Whether two values are one key: keys are strings and integers.
fn is_same_key(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        _ => false,
    }
}

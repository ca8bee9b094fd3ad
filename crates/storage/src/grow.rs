//! A main version with tables and columns that have nothing in it yet: what is written before the next merge
//! has somewhere to go. Pieces are shared.

use std::sync::Arc;

use trimorph_base::{CancelToken, EdgePlaces, EdgeTableId, PAGE_ROWS, TableId, TypeId};
use trimorph_catalog::{
    Catalog, EdgeTableFacts, EdgeTableInfo, LabelsVary, NodeTableFacts, NodeTableInfo, PropertyInfo,
};
use trimorph_catalog::{EdgeTableStats, NodeTableStats, PropertyStats};
use trimorph_vfs::RegionOptions;

use crate::adjacency::{Adjacency, VertexColumn};
use crate::column::Column;
use crate::{EdgeMerge, EdgeTable, Main, NodeTable, RewriteError, ValueIndex};

#[cfg(test)]
mod tests;

/// The forward direction of a table without edges: a vertex column until a source gets its second edge. So
/// each edge has its row's position, and what was written edge by edge, in any order, is merged into one.
fn no_edges() -> Adjacency {
    Adjacency::Column(VertexColumn::new(&[], Vec::new()))
}

impl Main {
    /// Adds a node table without rows or columns; gives its id.
    pub fn add_node_table(&mut self, labels: Vec<trimorph_base::LabelId>) -> TableId {
        let id = self.node_tables.len() as u16;
        let info = NodeTableInfo { labels, properties: Vec::new(), key: None };
        let catalog = Arc::make_mut(&mut self.catalog);
        catalog.add_node_table(info, NodeTableFacts::default(), NodeTableStats::default());
        self.node_tables.push(Arc::new(NodeTable::default()));
        TableId(id)
    }

    /// Adds an edge table without edges, which may get any: of its facts only those hold that say nothing.
    pub fn add_edge_table(&mut self, ty: TypeId, source: TableId) -> EdgeTableId {
        let id = EdgeTableId(self.edge_tables.len() as u16);
        let rows = self.node_tables.get(usize::from(source.0)).map_or(0, |table| table.rows);
        self.put_edge_table(ty, source, EdgePlaces::new(id, rows.div_ceil(PAGE_ROWS), |_| 0))
    }

    /// The same with as many bits of a position as the edge table was made with; none if that cannot be.
    pub fn add_stored_edge_table(&mut self, ty: TypeId, source: TableId, bits: u8) -> Option<EdgeTableId> {
        let id = EdgeTableId(u16::try_from(self.edge_tables.len()).ok()?);
        Some(self.put_edge_table(ty, source, EdgePlaces::stored(id, bits, Vec::new())?))
    }

    fn put_edge_table(&mut self, ty: TypeId, source: TableId, places: EdgePlaces) -> EdgeTableId {
        let id = places.table();
        let table = EdgeTable::new(places, source, no_edges(), Vec::new(), None);
        let facts = EdgeTableFacts {
            single: false,
            edges_max: u64::MAX,
            // Who puts one in says so.
            self_loops_max: 0,
            targets: Vec::new(),
            one_type: Vec::new(),
        };
        let info = EdgeTableInfo { ty, source, properties: Vec::new() };
        Arc::make_mut(&mut self.catalog).add_edge_table((info, facts, EdgeTableStats::default()));
        self.edge_tables.push(Arc::new(table));
        id
    }

    /// Adds a column without values to a node table; gives its place.
    pub fn add_node_column(&mut self, table: TableId, info: PropertyInfo) -> usize {
        let at = usize::from(table.0);
        let column = empty_column(&info);
        let nodes = Arc::make_mut(&mut self.node_tables[at]);
        nodes.columns.push(column);
        let catalog = Arc::make_mut(&mut self.catalog);
        let one_type = has_type(&info);
        catalog.schema.node_tables[at].properties.push(info);
        let nulls = nodes.rows;
        let stats = PropertyStats { nulls, ..PropertyStats::default() };
        catalog.count(|statistics| statistics.node_tables[at].properties.push(stats.clone()));
        catalog.facts_mut().node_tables[at].one_type.push(one_type);
        nodes.columns.len() - 1
    }

    /// Adds a column without values to an edge table; gives its place.
    pub fn add_edge_column(&mut self, table: EdgeTableId, info: PropertyInfo) -> usize {
        let at = usize::from(table.0);
        let column = empty_column(&info);
        let edges = Arc::make_mut(&mut self.edge_tables[at]);
        edges.columns.push(column);
        let catalog = Arc::make_mut(&mut self.catalog);
        let one_type = has_type(&info);
        catalog.schema.edge_tables[at].properties.push(info);
        catalog.count(|statistics| statistics.edge_tables[at].properties.push(PropertyStats::default()));
        catalog.facts_mut().edge_tables[at].one_type.push(one_type);
        edges.columns.len() - 1
    }
}

impl Main {
    /// Makes the index of a column of a node table, if there is none.
    ///
    /// **Errors**: a column there is not; a piece that cannot be had; that it was cancelled. **Cost**: a sort
    /// of the column's values.
    pub fn index_values(
        &mut self,
        table: TableId,
        column: usize,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<(), RewriteError> {
        let unknown =
            || RewriteError::Unknown(format!("there is no column {column} of node table {}", table.0));
        let nodes = self.node_tables.get_mut(usize::from(table.0)).ok_or_else(unknown)?;
        if nodes.value_index(column).is_some() {
            return Ok(());
        }
        let values = nodes.columns.get(column).ok_or_else(unknown)?;
        let index = ValueIndex::build(values, nodes.rows, options, cancel)?;
        Arc::make_mut(nodes).value_indexes.push((column, index));
        Ok(())
    }

    /// Makes the index of several columns of a node table together, if there is none.
    ///
    /// **Errors**: as [`Self::index_values`].
    pub fn index_together(
        &mut self,
        table: TableId,
        columns: &[usize],
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<(), RewriteError> {
        let unknown =
            || RewriteError::Unknown(format!("there are no columns {columns:?} of node table {}", table.0));
        let nodes = self.node_tables.get_mut(usize::from(table.0)).ok_or_else(unknown)?;
        if nodes.composite_index(columns).is_some() {
            return Ok(());
        }
        let all: Option<Vec<&Column>> =
            columns.iter().map(|column| nodes.columns.get(*column).map(|c| &**c)).collect();
        let all = all.filter(|all| !all.is_empty()).ok_or_else(unknown)?;
        let index = ValueIndex::build_composite(&all, nodes.rows, options, cancel)?;
        Arc::make_mut(nodes).composite_indexes.push((columns.to_vec(), index));
        Ok(())
    }

    /// Takes the index of several columns away.
    pub fn drop_index_together(&mut self, table: TableId, columns: &[usize]) {
        if let Some(nodes) = self.node_tables.get_mut(usize::from(table.0))
            && nodes.composite_index(columns).is_some()
        {
            Arc::make_mut(nodes).composite_indexes.retain(|(of, _)| of != columns);
        }
    }

    /// Takes the index of a column away.
    pub fn drop_value_index(&mut self, table: TableId, column: usize) {
        if let Some(nodes) = self.node_tables.get_mut(usize::from(table.0))
            && nodes.value_index(column).is_some()
        {
            Arc::make_mut(nodes).value_indexes.retain(|(of, _)| *of != column);
        }
    }
}

impl Main {
    /// Makes the index of a column of an edge table, if there is none.
    ///
    /// **Errors**: as [`Self::index_values`].
    pub fn index_edge_values(
        &mut self,
        table: EdgeTableId,
        column: usize,
        options: RegionOptions,
        cancel: &CancelToken,
    ) -> Result<(), RewriteError> {
        let unknown =
            || RewriteError::Unknown(format!("there is no column {column} of edge table {}", table.0));
        let edges = self.edge_tables.get_mut(usize::from(table.0)).ok_or_else(unknown)?;
        if edges.value_index(column).is_some() {
            return Ok(());
        }
        let values = edges.columns.get(column).ok_or_else(unknown)?;
        let rows = self.node_tables.get(usize::from(edges.source.0)).map_or(0, |table| table.rows);
        let index = ValueIndex::build_of_edges(edges, values, rows, options, cancel)?;
        Arc::make_mut(edges).value_indexes.push((column, index));
        Ok(())
    }

    /// Takes the index of a column of an edge table away.
    pub fn drop_edge_value_index(&mut self, table: EdgeTableId, column: usize) {
        if let Some(edges) = self.edge_tables.get_mut(usize::from(table.0))
            && edges.value_index(column).is_some()
        {
            Arc::make_mut(edges).value_indexes.retain(|(of, _)| *of != column);
        }
    }
}

/// Indexes of columns that have no value, as those which were declared since: nothing is found there, and all
/// that was written is in the delta. Without them who has an older main version would look through all rows.
fn index_nothing(table: &mut Arc<NodeTable>, newer: &NodeTable, known: usize) {
    let is_empty = |rows: u64, column: usize| rows == 0 || column >= known;
    for (column, _) in &newer.value_indexes {
        if is_empty(table.rows, *column) && table.value_index(*column).is_none() {
            Arc::make_mut(table).value_indexes.push((*column, ValueIndex::of(Vec::new())));
        }
    }
    for (columns, _) in &newer.composite_indexes {
        let first = columns.first().is_some_and(|first| is_empty(table.rows, *first));
        if first && table.composite_index(columns).is_none() {
            Arc::make_mut(table).composite_indexes.push((columns.clone(), ValueIndex::of(Vec::new())));
        }
    }
}

impl Main {
    /// This version's data with the tables, columns and facts of one that has more of them: what was declared
    /// since has nothing in it.
    pub fn grown_like(&self, newer: &Self) -> Self {
        let mut catalog = (*newer.catalog).clone();
        // They were made for other data.
        catalog.estimates = None;
        let mut node_tables = Vec::with_capacity(newer.node_tables.len());
        for (at, info) in newer.catalog.schema.node_tables.iter().enumerate() {
            let mut table = self.node_tables.get(at).cloned().unwrap_or_default();
            let known = table.columns.len();
            let mut stats = self.catalog.statistics.node_tables.get(at).cloned().unwrap_or_default();
            for info in info.properties.iter().skip(table.columns.len()) {
                Arc::make_mut(&mut table).columns.push(empty_column(info));
                stats.properties.push(PropertyStats { nulls: table.rows, ..PropertyStats::default() });
            }
            // Indexes that were made since, of data that are the same, and none that were dropped.
            if self.merged_at == newer.merged_at
                && let Some(newer) = newer.node_tables.get(at)
                && newer.rows == table.rows
                && !(indexed(&newer.value_indexes).eq(indexed(&table.value_indexes))
                    && indexed(&newer.composite_indexes).eq(indexed(&table.composite_indexes)))
            {
                let table = Arc::make_mut(&mut table);
                table.value_indexes = newer.value_indexes.clone();
                table.composite_indexes = newer.composite_indexes.clone();
            }
            if self.merged_at != newer.merged_at
                && let Some(newer) = newer.node_tables.get(at)
            {
                index_nothing(&mut table, newer, known);
            }
            catalog.statistics.node_tables[at] = stats;
            node_tables.push(table);
        }
        let mut edge_tables = Vec::with_capacity(newer.edge_tables.len());
        for (at, info) in newer.catalog.schema.edge_tables.iter().enumerate() {
            let declared = &newer.edge_tables[at];
            let mut table = self.edge_tables.get(at).cloned().unwrap_or_else(|| {
                let places = (*declared.places).clone();
                Arc::new(EdgeTable::new(places, info.source, no_edges(), Vec::new(), None))
            });
            let mut stats = self.catalog.statistics.edge_tables.get(at).cloned().unwrap_or_default();
            let known = table.columns.len();
            for info in info.properties.iter().skip(table.columns.len()) {
                Arc::make_mut(&mut table).columns.push(empty_column(info));
                stats.properties.push(PropertyStats::default());
            }
            if self.merged_at != newer.merged_at {
                for (column, _) in &declared.value_indexes {
                    if *column >= known && table.value_index(*column).is_none() {
                        Arc::make_mut(&mut table).value_indexes.push((*column, ValueIndex::of(Vec::new())));
                    }
                }
            }
            if self.merged_at == newer.merged_at
                && declared.forward.edges() == table.forward.edges()
                && !indexed(&declared.value_indexes).eq(indexed(&table.value_indexes))
            {
                Arc::make_mut(&mut table).value_indexes = declared.value_indexes.clone();
            }
            // Parts of pages are only added.
            if declared.places.overflow().len() > table.places.overflow().len() {
                Arc::make_mut(&mut table).places = Arc::clone(&declared.places);
            }
            catalog.statistics.edge_tables[at] = stats;
            edge_tables.push(table);
        }
        let (bytes, merged_at, sets) = (self.bytes, self.merged_at, self.sets.clone());
        Self { catalog: Arc::new(catalog), node_tables, edge_tables, bytes, merged_at, sets }
    }

    /// Takes back facts that the data do not bear out: values of columns that are of another type, rows that
    /// lack the key.
    pub fn weaken_facts(&mut self) {
        let lacking = keyless(&self.catalog);
        let catalog = Arc::make_mut(&mut self.catalog);
        let facts = catalog.facts_mut();
        for (facts, table) in facts.node_tables.iter_mut().zip(&self.node_tables) {
            weaken(&mut facts.one_type, &table.columns);
        }
        (facts.node_tables.iter_mut().zip(lacking)).for_each(|(facts, lacks)| facts.keyless |= lacks);
        for (facts, table) in facts.edge_tables.iter_mut().zip(&self.edge_tables) {
            weaken(&mut facts.one_type, &table.columns);
        }
    }

    /// Says of the data what is true of them, if nobody is about to change them.
    pub fn restore_facts(&mut self) {
        let lacking = keyless(&self.catalog);
        let catalog = Arc::make_mut(&mut self.catalog);
        let facts = catalog.facts_mut();
        let one_type = |columns: &[Arc<Column>]| columns.iter().map(|column| column.has_one_type()).collect();
        for (facts, table) in facts.node_tables.iter_mut().zip(&self.node_tables) {
            facts.one_type = one_type(&table.columns);
            // By which of them is known from the writers.
            match (&table.labels, &facts.labels_vary) {
                (None, _) => facts.labels_vary = LabelsVary::No,
                (Some(_), LabelsVary::No) => facts.labels_vary = LabelsVary::Any,
                (Some(_), _) => {}
            }
        }
        (facts.node_tables.iter_mut().zip(lacking)).for_each(|(facts, lacks)| facts.keyless = lacks);
        for (facts, table) in facts.edge_tables.iter_mut().zip(&self.edge_tables) {
            let is_column = |lists: &Adjacency| matches!(lists, Adjacency::Column(_));
            facts.one_type = one_type(&table.columns);
            facts.edges_max = table.forward.edges();
            facts.single |= is_column(&table.forward);
            for target in &mut facts.targets {
                let lists = table.backward.iter().find(|(of, _)| *of == target.table);
                target.single |= lists.is_some_and(|(_, lists)| is_column(lists));
            }
        }
        self.forget_empty_targets();
    }

    /// Takes target tables that no edge leads to from the facts: where all nodes have left a table for
    /// another, plans would look for edges to it for good. Who is about to write one puts the table back. The
    /// lists stay, until they are [compacted](Self::compact).
    ///
    /// Right only where nobody reads by these facts what an older version or a delta has.
    pub(crate) fn forget_empty_targets(&mut self) {
        let is_empty = |table: &EdgeTable, target: TableId| {
            table.backward.iter().all(|(of, lists)| *of != target || lists.edges() == 0)
        };
        let known = &self.catalog.unrecorded_facts().edge_tables;
        let mut tables = known.iter().zip(&self.edge_tables);
        if !tables.any(|(facts, table)| facts.targets.iter().any(|target| is_empty(table, target.table))) {
            return;
        }
        let facts = Arc::make_mut(&mut self.catalog).facts_mut();
        for (facts, table) in facts.edge_tables.iter_mut().zip(&self.edge_tables) {
            facts.targets.retain(|target| !is_empty(table, target.table));
        }
    }

    /// Writes edge tables anew that have lists of target tables which no edge leads to, without these: where
    /// one table is left, neighbours are rows of it and nothing is asked for each of them. Tells whether
    /// there were any. Facts stay as they are.
    ///
    /// **Errors**: a piece that cannot be had; that it was cancelled. **Cost**: all lists and properties of
    /// these edge tables.
    pub fn compact(&mut self, options: RegionOptions, cancel: &CancelToken) -> Result<bool, RewriteError> {
        let mut has_changed = false;
        for at in 0..self.edge_tables.len() {
            let table = &self.edge_tables[at];
            let used = table.backward.iter().filter(|(_, lists)| lists.edges() > 0);
            let used: Vec<TableId> = used.map(|(of, _)| *of).collect();
            if used.len() == table.backward.len() || used.is_empty() {
                continue;
            }
            if cancel.is_cancelled() {
                return Err(RewriteError::Cancelled);
            }
            self.with_targets(at, used, options)?;
            has_changed = true;
        }
        Ok(has_changed)
    }

    /// Writes an edge table anew with lists of these target tables. Its facts stay as they are.
    fn with_targets(
        &mut self,
        at: usize,
        targets: Vec<TableId>,
        options: RegionOptions,
    ) -> Result<(), RewriteError> {
        let nothing = EdgeMerge {
            inserted: Vec::new(),
            deleted: Vec::new(),
            changed: Vec::new(),
            targets,
            values: &|_, _, _| None,
        };
        let (id, known) = (self.edge_tables[at].id, self.catalog.unrecorded_facts().edge_tables[at].clone());
        self.merge_edges(id, nothing, options)?;
        // What writers may break stays broken.
        Arc::make_mut(&mut self.catalog).facts_mut().edge_tables[at] = known;
        Ok(())
    }

    /// Gives each edge table all pages that its catalog entry says it has, though nothing is in them: what is
    /// to be written to files needs them.
    ///
    /// **Errors**: a piece that cannot be had, where lists must be written anew.
    pub fn complete(&mut self, options: RegionOptions) -> Result<(), RewriteError> {
        for at in 0..self.edge_tables.len() {
            let table = &self.edge_tables[at];
            let has_pages = table.columns.is_empty()
                || table.pages.are_stored()
                || matches!(table.forward, Adjacency::Column(_));
            if !has_pages {
                let targets = table.backward.iter().map(|(of, _)| *of).collect();
                self.with_targets(at, targets, options)?;
            }
        }
        Ok(())
    }
}

/// The columns of a table that have an index.
fn indexed<C>(indexes: &[(C, ValueIndex)]) -> impl Iterator<Item = &C> {
    indexes.iter().map(|(columns, _)| columns)
}

fn weaken(one_type: &mut [bool], columns: &[Arc<Column>]) {
    for (one, column) in one_type.iter_mut().zip(columns) {
        *one &= column.has_one_type();
    }
}

/// Of each node table, whether rows of a main version lack its key: places of rows that are gone do, too.
pub(crate) fn keyless(catalog: &Catalog) -> Vec<bool> {
    let tables = catalog.schema.node_tables.iter().zip(&catalog.statistics.node_tables);
    let lacks = |key: usize, stats: &NodeTableStats| stats.properties.get(key).is_none_or(|p| p.nulls > 0);
    tables.map(|(info, stats)| info.key.is_some_and(|key| lacks(key, stats))).collect()
}

/// Whether values of the column can be of its type and no other.
fn has_type(info: &PropertyInfo) -> bool {
    empty_column(info).has_one_type()
}

fn empty_column(info: &PropertyInfo) -> Arc<Column> {
    Arc::new(Column::new(info.ty, Vec::new(), Default::default(), None))
}

//! A main version with tables and columns that have nothing in it yet: what is written before the next merge
//! has somewhere to go. Pieces are shared.

use std::sync::Arc;

use trimorph_base::{EdgePlaces, EdgeTableId, PAGE_ROWS, TableId, TypeId};
use trimorph_catalog::{EdgeTableFacts, EdgeTableInfo, NodeTableFacts, NodeTableInfo, PropertyInfo};
use trimorph_catalog::{EdgeTableStats, NodeTableStats, PropertyStats};

use crate::adjacency::{Adjacency, Csr, SegmentRows};
use crate::column::Column;
use crate::{EdgeTable, Main, NodeTable};

impl Main {
    /// Adds a node table without rows or columns; gives its id.
    pub fn add_node_table(&mut self, labels: Vec<trimorph_base::LabelId>) -> TableId {
        let id = self.node_tables.len() as u16;
        let info = NodeTableInfo { labels, properties: Vec::new(), key: None };
        let catalog = Arc::make_mut(&mut self.catalog);
        catalog.add_node_table(info, NodeTableFacts::default(), NodeTableStats::default());
        self.node_tables.push(Arc::new(NodeTable { rows: 0, columns: Vec::new(), key_index: None }));
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
        let lists = Csr::new(&[], Vec::new(), SegmentRows::default(), vec![0]);
        let table = EdgeTable::new(places, source, Adjacency::Csr(lists), Vec::new(), None);
        let facts = EdgeTableFacts {
            single: false,
            edges_max: u64::MAX,
            self_loops_max: u64::MAX,
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
        let stats = &mut catalog.statistics.node_tables[at].properties;
        stats.push(PropertyStats { nulls, ..PropertyStats::default() });
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
        catalog.statistics.edge_tables[at].properties.push(PropertyStats::default());
        catalog.facts_mut().edge_tables[at].one_type.push(one_type);
        edges.columns.len() - 1
    }
}

/// Whether values of the column can be of its type and no other.
fn has_type(info: &PropertyInfo) -> bool {
    empty_column(info).has_one_type()
}

fn empty_column(info: &PropertyInfo) -> Arc<Column> {
    Arc::new(Column::new(info.ty, Vec::new(), Default::default(), None))
}

//! What a database holds: tables, rows, encodings, bytes by component.

use trimorph_store::{ComponentBytes, Main};
use trimorph_types::LogicalType;
use trimorph_vfs::PoolCounts;

use crate::Lag;

/// A column: name, type, encodings with the number of segments that use each.
pub type ColumnStats = (String, LogicalType, Vec<(&'static str, usize)>);

/// A node table.
#[derive(Clone, Debug)]
pub struct NodeTableStats {
    /// Its labels.
    pub labels: Vec<String>,
    /// Rows.
    pub rows: u64,
    /// Columns: name, type, encodings with the number of segments that use each.
    pub columns: Vec<ColumnStats>,
    /// The key property.
    pub key: Option<String>,
}

/// An edge table.
#[derive(Clone, Debug)]
pub struct EdgeTableStats {
    /// The edge label.
    pub label: String,
    /// Labels of the source table.
    pub source: Vec<String>,
    /// Labels of each target table, and its edges.
    pub targets: Vec<(Vec<String>, u64)>,
    /// Edges.
    pub edges: u64,
    /// Whether the forward direction is a vertex column.
    pub single_forward: bool,
    /// Columns, as in [`NodeTableStats`].
    pub columns: Vec<ColumnStats>,
}

/// What a database holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// Node tables.
    pub node_tables: Vec<NodeTableStats>,
    /// Edge tables.
    pub edge_tables: Vec<EdgeTableStats>,
    /// Bytes by component, with their names; the rows of GF-CL's table 2.
    pub components: Vec<(&'static str, usize)>,
    /// Their sum.
    pub total_bytes: usize,
    /// Bytes of all pieces, as they lie on disk, and in memory once they are touched.
    pub piece_bytes: usize,
    /// Bytes of what was written and is not merged, and of what is merged and somebody still reads.
    pub delta_bytes: usize,
    /// How far behind its writer a database is that was opened read-only; none of one that this process
    /// writes.
    pub following: Option<Lag>,
    /// Bytes of memory that pieces of files take now.
    pub resident_bytes: usize,
    /// Pieces read from files since the database was opened, those read again included.
    pub pieces_read: u64,
    /// Their bytes.
    pub bytes_read: u64,
    /// Pieces that left memory because it was short.
    pub pieces_dropped: u64,
}

impl Stats {
    pub(crate) fn of(main: &Main, counts: PoolCounts) -> Self {
        let (schema, statistics) = (&main.catalog.schema, &main.catalog.statistics);
        let facts = main.catalog.unrecorded_facts();
        let labels = |t| schema.label_names(t).iter().map(ToString::to_string).collect::<Vec<_>>();
        let node_tables = (schema.table_ids().zip(&schema.node_tables).zip(&main.node_tables))
            .map(|((id, info), table)| NodeTableStats {
                labels: labels(id),
                rows: statistics.rows(id),
                columns: (info.properties.iter().zip(&table.columns))
                    .map(|(p, c)| (schema.property_name(p.id).to_string(), p.ty, c.encodings()))
                    .collect(),
                key: info.key.map(|k| schema.property_name(info.properties[k].id).to_string()),
            })
            .collect();
        let edge_tables = (schema.edge_table_ids().zip(&schema.edge_tables).zip(&main.edge_tables))
            .map(|((id, info), table)| EdgeTableStats {
                label: schema.type_name(id).to_string(),
                source: labels(info.source),
                targets: (statistics.edge_tables[id.0 as usize].backward.iter())
                    .map(|(target, counted)| (labels(*target), counted.edges))
                    .collect(),
                edges: statistics.edges(id),
                single_forward: facts.edge_tables[id.0 as usize].single,
                columns: (info.properties.iter().zip(&table.columns))
                    .map(|(p, c)| (schema.property_name(p.id).to_string(), p.ty, c.encodings()))
                    .collect(),
            })
            .collect();
        let bytes: &ComponentBytes = &main.bytes;
        Self {
            node_tables,
            edge_tables,
            components: bytes.rows().to_vec(),
            total_bytes: bytes.total(),
            piece_bytes: main.piece_bytes(),
            delta_bytes: 0,
            following: None,
            resident_bytes: counts.resident_bytes,
            pieces_read: counts.pieces_read,
            bytes_read: counts.bytes_read,
            pieces_dropped: counts.pieces_dropped,
        }
    }

    /// Nodes in all tables.
    pub fn nodes(&self) -> u64 {
        self.node_tables.iter().map(|t| t.rows).sum()
    }

    /// Edges in all tables.
    pub fn edges(&self) -> u64 {
        self.edge_tables.iter().map(|t| t.edges).sum()
    }
}

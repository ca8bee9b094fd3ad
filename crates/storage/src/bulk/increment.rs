//! The end of a load beside a database: tables and edges in, an increment out.
//!
//! 1. Edges that waited are resolved: what is refused is refused before anything is given away.
//! 2. The database says where rows go; ends of edges are renumbered, if they must be.
//! 3. Columns of nodes as any load makes them; edges as columns of ends, positions and properties, in the
//!    order of the files.

use std::sync::{Arc, PoisonError, RwLock};

use trimorph_base::{NodeId, PropertyId, TableId};
use trimorph_catalog::{Catalog, LabelsVary, NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo};
use trimorph_types::LogicalType;
use trimorph_vfs::lay_out;

use super::beside::{EdgePart, Increment, LoadPart, NodePart};
use super::builder::{in_parallel, lock};
use super::edges::{EdgeTableInput, input_of, join_inputs};
use super::errors::{no_memory, unreadable};
use super::keys::KeySpace;
use super::nodes::finish_nodes;
use super::{BulkBuilder, BulkError, ColumnBatch, ColumnData};
use crate::column::ColumnWriter;
use crate::{Main, NodeTable};

/// Names of the columns of ends and positions: for who looks at the files.
const ENDS: [&str; 3] = ["(source)", "(target)", "(position)"];

impl BulkBuilder<'_> {
    /// Builds what is to be put into the database that the load goes on beside, on `threads` threads.
    ///
    /// **Errors**: as [`Self::finish`]; what the database says.
    pub fn finish_beside(self, threads: usize) -> Result<Increment, BulkError> {
        let beside = self.beside.ok_or(BulkError::Declaration("no database to be loaded beside".into()))?;
        let spaces: Vec<Arc<RwLock<KeySpace>>> =
            lock(&self.spaces).iter().map(|(_, s)| Arc::clone(s)).collect();
        let inputs = self.edge_inputs(&spaces, threads)?;
        beside.check()?;
        let mut states = Vec::new();
        for state in std::mem::take(&mut *lock(&self.nodes)) {
            let state =
                Arc::into_inner(state).map(|m| m.into_inner().unwrap_or_else(PoisonError::into_inner));
            let still = "a node table is still being appended to";
            states.push(state.ok_or(BulkError::Declaration(still.into()))?);
        }
        let specs: Vec<_> = states.iter().map(|state| state.spec.clone()).collect();
        let parts: Vec<NodePart> = states.iter().map(|state| state.part()).collect();
        if self.cancel.is_cancelled() {
            return Err(BulkError::Cancelled);
        }
        let placed = beside.place_nodes(&parts)?;
        let (mut main, mut catalog) = (Main::default(), Catalog::default());
        let tables = in_parallel(states.into_iter().enumerate().collect(), threads, |(i, state)| {
            finish_nodes(state, self.table_of(i)?, &spaces, self.options)
        });
        for built in tables {
            let (table, _) = built?.describe(&mut catalog)?;
            main.node_tables.push(Arc::new(table));
        }
        drop(spaces);
        lock(&self.spaces).clear();
        let mut of: Vec<LoadPart> =
            placed.iter().map(|(table, first)| LoadPart::Nodes { table: *table, first: *first }).collect();
        let own = beside.first_table();
        let renumbered = |node: NodeId| {
            let own = usize::from(node.table().0).checked_sub(own).and_then(|own| placed.get(own));
            own.map_or(node, |(table, first)| NodeId::new(*table, first + node.row()))
        };
        for mut input in self.renumber(inputs, &renumbered)? {
            input.close();
            let properties = input.properties.clone();
            let part = EdgePart { label: input.label.clone(), source: input.source, properties };
            let (table, positions) = beside.place_edges(&part, &|take| {
                input.each_block(&mut |block| {
                    block.iter().for_each(|(source, target)| take((*source).into(), *target));
                });
            })?;
            of.push(LoadPart::Edges { table, fresh: positions.is_none() });
            main.node_tables.push(Arc::new(self.edge_columns(input, positions, &mut catalog)?));
        }
        main.catalog = Arc::new(catalog);
        let updates = std::mem::take(&mut *lock(&self.updates));
        Ok(Increment { main, parts: of, specs, updates })
    }

    /// Edges with the ends that they are to have, by label and source table.
    fn renumber(
        &self,
        inputs: Vec<EdgeTableInput>,
        renumbered: &dyn Fn(NodeId) -> NodeId,
    ) -> Result<Vec<EdgeTableInput>, BulkError> {
        let mut out: Vec<EdgeTableInput> = Vec::new();
        let stays = |table: TableId| renumbered(NodeId::new(table, 0)) == NodeId::new(table, 0);
        for input in inputs {
            if stays(input.source) && input.targets().into_iter().all(stays) {
                join_inputs(vec![input], &mut out);
                continue;
            }
            if self.cancel.is_cancelled() {
                return Err(BulkError::Cancelled);
            }
            let source: TableId = renumbered(NodeId::new(input.source, 0)).table();
            let label = input.label.clone();
            input_of(&label, source, &mut out).append_mapped(input, renumbered);
        }
        Ok(out)
    }

    /// The edges of one table as columns.
    fn edge_columns(
        &self,
        input: EdgeTableInput,
        positions: Option<Vec<u64>>,
        catalog: &mut Catalog,
    ) -> Result<NodeTable, BulkError> {
        let int = || ColumnWriter::new(LogicalType::Int);
        let (mut sources, mut targets) = (int(), int());
        input.each_block(&mut |block| {
            let of = |numbers: Vec<i64>| ColumnBatch { data: ColumnData::Int(numbers), nulls: None };
            sources.append(&of(block.iter().map(|(source, _)| i64::from(*source)).collect()), None);
            targets.append(&of(block.iter().map(|(_, target)| target.0.cast_signed()).collect()), None);
        });
        let mut writers = vec![(ENDS[0], LogicalType::Int, sources), (ENDS[1], LogicalType::Int, targets)];
        if let Some(positions) = positions {
            let mut writer = int();
            for run in positions.chunks(1 << 14) {
                let data = ColumnData::Int(run.iter().map(|at| at.cast_signed()).collect());
                writer.append(&ColumnBatch { data, nulls: None }, None);
            }
            writers.push((ENDS[2], LogicalType::Int, writer));
        }
        let rows = input.len() as u64;
        for ((name, ty), runs) in input.properties.iter().zip(input.property_runs()) {
            let mut writer = ColumnWriter::new(*ty);
            runs.for_each(|run| writer.append(&run, None));
            writers.push((name, *ty, writer));
        }
        let (mut pieces, mut written) = (Vec::new(), Vec::new());
        let (mut properties, mut counted) = (Vec::new(), Vec::new());
        for (name, ty, writer) in writers {
            let (mut column, stats, _) = writer.finish();
            pieces.append(&mut column.pieces);
            written.push(column);
            // As many as properties of one load.
            let id = PropertyId(catalog.schema.properties.intern(name) as u32);
            properties.push(PropertyInfo { id, ty });
            counted.push(stats);
        }
        let mut pieces = lay_out(pieces, self.options).map_err(no_memory)?.into_iter();
        let columns = written.iter().map(|column| column.read(&mut pieces).map(Arc::new));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
        let facts = NodeTableFacts {
            one_type: columns.iter().map(|c| c.has_one_type()).collect(),
            labels_vary: LabelsVary::No,
            keyless: false,
        };
        let stats = NodeTableStats { rows, properties: counted, ..NodeTableStats::default() };
        catalog.add_node_table(NodeTableInfo { labels: Vec::new(), properties, key: None }, facts, stats);
        Ok(NodeTable { rows, columns, ..NodeTable::default() })
    }
}

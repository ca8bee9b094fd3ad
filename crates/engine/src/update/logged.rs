//! What a clause did, as the log will have it: encoded when it is done, in the order it is done, so that a
//! row that is written twice is right without a second thought, and a commit has nothing left to collect.

use trimorph_base::{EdgeId, EdgeTableId, LabelId, TableId};
use trimorph_delta::EdgeEnds;
use trimorph_log::{Column, Operation, ROWS_MAX};
use trimorph_vector::Vector;

use super::Writing;
use crate::Error;

/// Values of some columns, ascending, one for each row.
pub(super) type ByColumn = Vec<(u32, Vector<'static>)>;

impl Writing {
    fn done(&mut self, operation: &Operation<'_>) -> Result<(), Error> {
        // Nothing but a value that nests too deep to be stored.
        self.log.push(operation).map_err(|error| Error::Storage(error.to_string()))
    }

    /// Nodes came.
    pub(super) fn log_nodes(&mut self, table: TableId, rows: &[u64], columns: ByColumn) -> Result<(), Error> {
        self.in_parts(rows, columns, |rows, columns| Operation::Nodes {
            table,
            rows: rows.into(),
            columns: columns.into(),
        })
    }

    /// Nodes got values.
    pub(super) fn log_values(
        &mut self,
        table: TableId,
        rows: &[u64],
        columns: ByColumn,
    ) -> Result<(), Error> {
        self.in_parts(rows, columns, |rows, columns| Operation::NodeValues {
            table,
            rows: rows.into(),
            columns: columns.into(),
        })
    }

    /// Edges got values.
    pub(super) fn log_edge_values(
        &mut self,
        table: EdgeTableId,
        edges: &[EdgeId],
        columns: ByColumn,
    ) -> Result<(), Error> {
        let places: Vec<u64> = edges.iter().map(|edge| edge.place()).collect();
        self.in_parts(&places, columns, |places, columns| Operation::EdgeValues {
            table,
            places: places.into(),
            columns: columns.into(),
        })
    }

    /// Nodes went.
    pub(super) fn log_nodes_deleted(&mut self, table: TableId, rows: &[u64]) -> Result<(), Error> {
        rows.chunks(ROWS_MAX)
            .try_for_each(|rows| self.done(&Operation::NodesDeleted { table, rows: rows.into() }))
    }

    /// Nodes of a table have these labels now: the number of a set for each.
    pub(super) fn log_labels(
        &mut self,
        table: TableId,
        rows: &[u64],
        sets: &[Vec<LabelId>],
        chosen: &[u64],
    ) -> Result<(), Error> {
        rows.chunks(ROWS_MAX).zip(chosen.chunks(ROWS_MAX)).try_for_each(|(rows, chosen)| {
            let (rows, sets, chosen) = (rows.into(), sets.into(), chosen.into());
            self.done(&Operation::Labels { table, rows, sets, chosen })
        })
    }

    /// Edges of one edge table came, or went.
    pub(super) fn log_edges(
        &mut self,
        table: EdgeTableId,
        edges: &[EdgeEnds],
        came: bool,
    ) -> Result<(), Error> {
        for edges in edges.chunks(ROWS_MAX) {
            let places = edges.iter().map(|ends| ends.edge.place()).collect();
            let sources = edges.iter().map(|ends| ends.source.row()).collect();
            let targets = edges.iter().map(|ends| ends.target.0).collect();
            self.done(&match came {
                true => Operation::Edges { table, places, sources, targets, columns: (&[]).into() },
                false => Operation::EdgesDeleted { table, places, sources, targets },
            })?;
        }
        Ok(())
    }

    /// Logs a batch, in as many records as it takes.
    fn in_parts<'r>(
        &mut self,
        rows: &'r [u64],
        columns: ByColumn,
        operation: impl Fn(&'r [u64], Vec<Column<'static>>) -> Operation<'r>,
    ) -> Result<(), Error> {
        let column = |(column, values)| Column { column, values };
        if rows.len() <= ROWS_MAX {
            return self.done(&operation(rows, columns.into_iter().map(column).collect()));
        }
        for (part, rows) in rows.chunks(ROWS_MAX).enumerate() {
            let from = part * ROWS_MAX;
            // A batch has fewer rows than 2^32.
            let positions: Vec<u32> = (from as u32..(from + rows.len()) as u32).collect();
            let columns = columns.iter().map(|(at, values)| column((*at, values.gather(&positions))));
            self.done(&operation(rows, columns.collect()))?;
        }
        Ok(())
    }
}

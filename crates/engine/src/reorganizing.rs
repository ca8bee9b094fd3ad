//! `REORGANIZE`: nodes whose labels came after they were made move to the tables of these labels, some
//! thousands in a transaction, beside readers and writers.
//!
//! Where nodes have IRIs, the literals that tell them apart get indexes, as a load makes them. In pauses such
//! nodes move, and such literals get theirs, without being asked for (`regrouping.rs`).
//!
//! Each transaction is whole: who is stopped in the middle has moved some nodes and lost none.

use std::sync::Arc;

use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_store::Reader;

use crate::literal_indexes::{LiteralIndex, literal_indexes};
use crate::params::Params;
use crate::update::elsewhere;
use crate::{Connection, Error};

/// Nodes that move together: enough that most relationships between them are made once.
const MOVED_AT_ONCE: usize = 20_000;
/// Nodes that stay where they are because writers are faster.
const STAYING: usize = 8;
/// Rows that are looked at between two looks at the flag that cancels.
const ROWS: u64 = 4_096;

impl Connection {
    /// Moves nodes to the tables of their labels, and merges; gives the number of those that moved. Their ids
    /// and those of their relationships change; properties, labels and IRIs do not. Nodes that others write
    /// all the time may stay.
    ///
    /// **Errors**: an open transaction; a connection that may not write; what writing fails with: then some
    /// have moved. [`Error::Cancelled`]. **Cost**: as deleting the nodes and making them again.
    pub fn reorganize(&self, cancel: &CancelToken) -> Result<u64, Error> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        if self.in_transaction() {
            let text = "REORGANIZE makes transactions of its own; commit or roll back the open one first";
            return Err(Error::Transaction(text.to_owned()));
        }
        let tables: Vec<TableId> = {
            let snapshot = self.shared().snapshot();
            let reader = Reader::new(&snapshot);
            reader.schema().table_ids().filter(|table| reader.labels_vary(*table)).collect()
        };
        let mut moved = 0;
        for table in tables {
            let mut from = Some(0);
            while let Some(first) = from {
                let (nodes, next) = self.elsewhere_from(table, first, MOVED_AT_ONCE, cancel)?;
                moved += self.move_now(&nodes, cancel)?;
                from = next;
            }
        }
        self.shared().compact(cancel)?;
        self.index_literals(cancel)?;
        Ok(moved)
    }

    /// Makes the indexes of literals that a load makes, where nodes have IRIs.
    pub(crate) fn index_literals(&self, cancel: &CancelToken) -> Result<(), Error> {
        let wanted = literal_indexes(self.shared().snapshot().catalog());
        wanted.iter().try_for_each(|one| self.index_literal(one, cancel))
    }

    /// Makes one of them.
    pub(crate) fn index_literal(&self, one: &LiteralIndex, cancel: &CancelToken) -> Result<(), Error> {
        let [name, of] = [&one.name, &one.of].map(|text| text.replace('`', "``"));
        let text = format!("CREATE INDEX `{name}` IF NOT EXISTS FOR (n) ON (n.`{of}`)");
        self.execute_until(&text, Arc::default(), cancel.clone()).map(drop)
    }

    /// Nodes of a table, from a row on, that have other labels than it, some `most` of them; and the row to
    /// go on with. Nothing is held longer than this takes: what moved is merged and cleaned meanwhile.
    pub(crate) fn elsewhere_from(
        &self,
        table: TableId,
        mut first: u64,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<(Vec<NodeId>, Option<u64>), Error> {
        let snapshot = self.shared().snapshot();
        let reader = Reader::new(&snapshot);
        let (end, mut found) = (reader.rows(table), Vec::new());
        while first < end && found.len() < most {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let len = ROWS.min(end - first) as usize;
            let there = reader.existing(NodeId::new(table, first), len);
            let node = |position: u32| NodeId::new(table, first + u64::from(position));
            let rows = there.unwrap_or_else(|| (0..len as u32).collect()).into_iter().map(node);
            found.extend(rows.filter(|node| elsewhere(&reader, *node).is_some()));
            first += len as u64;
        }
        // What cannot be read has no labels and no rows.
        reader.failure().map_or(Ok(()), Err)?;
        Ok((found, (first < end).then_some(first)))
    }

    fn move_now(&self, nodes: &[NodeId], cancel: &CancelToken) -> Result<u64, Error> {
        if nodes.is_empty() {
            return Ok(0);
        }
        let program = self.program_of_nothing();
        let params: std::sync::Arc<Params> = Default::default();
        let settings = Arc::new(self.settings(&params, cancel.clone()));
        let mut waiting = vec![nodes];
        let mut moved = 0;
        while let Some(nodes) = waiting.pop() {
            let done = self.committed(cancel, |writing| {
                self.statement("REORGANIZE", &program, &params, &settings).move_nodes(writing, nodes)
            });
            match done {
                // Few are written all the time: those stay where they are. And of few there is less to hold,
                // once what was moved before is merged.
                Err(Error::Conflict(_) | Error::Memory(_)) if nodes.len() > STAYING => {
                    self.shared().merge(cancel)?;
                    let (some, others) = nodes.split_at(nodes.len() / 2);
                    waiting.extend([others, some]);
                }
                Err(Error::Conflict(_)) => {}
                done => moved += done?,
            }
        }
        Ok(moved)
    }
}

//! A bulk load whose nodes have their rows before it begins: finished columns and edges by node in, a main
//! version out.
//!
//! Whoever loads statements knows a node's table only when all that is said of the node was read. So there
//! are no key spaces here: columns come finished, in the order of their rows, and edges with both ends.
//!
//! Source: `docs/design/loading.md`, "Statements".

use trimorph_base::{MemoryBudget, NodeId, TableId};
use trimorph_catalog::Catalog;
use trimorph_types::LogicalType;

use super::builder::{BulkBuilder, in_parallel};
use super::edges::{EdgeTableInput, Rows};
use super::nodes::{NumberedNodes, finish_numbered};
use super::{BulkError, ColumnBatch, Verdict};
use crate::Main;

/// The edges of one label from one node table.
pub struct NumberedEdges(EdgeTableInput);

impl NumberedEdges {
    /// None yet.
    pub fn new(label: &str, source: TableId) -> Self {
        Self(EdgeTableInput::new(label, source))
    }

    /// None yet; edges without properties, which may come several times and are made once.
    pub fn once(label: &str, source: TableId) -> Self {
        Self(EdgeTableInput::once(label, source))
    }

    /// Adds edges with their properties: nodes of the source table, and where each edge leads to.
    pub fn append(
        &mut self,
        from: &[NodeId],
        to: &[NodeId],
        properties: &[(String, LogicalType)],
        columns: &[ColumnBatch],
    ) {
        self.0.append(properties, columns, (from, to), &Rows::Range(0..from.len()));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Builds a main version of tables, whose numbers are their places, and of their edges, on `threads` threads.
///
/// **Errors**: more rows, edges or tables than ids can tell apart; memory; cancellation.
pub fn build_numbered(
    nodes: Vec<NumberedNodes>,
    mut edges: Vec<NumberedEdges>,
    how: &NumberedOptions<'_>,
) -> Result<Main, BulkError> {
    let builder = BulkBuilder::new(how.regions, how.cancel.clone(), Box::new(|_| Verdict::Abort))
        .with_budget(how.budget);
    let (mut catalog, mut main) = (Catalog::default(), Main::default());
    if nodes.len() > usize::from(u16::MAX) {
        return Err(super::errors::too_large("node tables", 1 << 16));
    }
    for built in in_parallel(nodes, how.threads, |nodes| finish_numbered(nodes, how.regions)) {
        let (table, bytes) = built?.describe(&mut catalog)?;
        main.bytes.add(&bytes);
        main.node_tables.push(std::sync::Arc::new(table));
    }
    edges.retain(|edges| !edges.is_empty());
    edges.sort_by(|a, b| (&a.0.label, a.0.source).cmp(&(&b.0.label, b.0.source)));
    let inputs = edges.into_iter().map(|edges| edges.0).collect();
    builder.build_edges(inputs, how.threads, &mut catalog, &mut main)?;
    main.catalog = std::sync::Arc::new(catalog);
    Ok(main)
}

/// How [`build_numbered`] works.
pub struct NumberedOptions<'a> {
    /// Where pieces lie.
    pub regions: trimorph_vfs::RegionOptions,
    /// What is held is charged here.
    pub budget: &'a MemoryBudget,
    /// Stops it.
    pub cancel: trimorph_base::CancelToken,
    /// On how many threads.
    pub threads: usize,
}

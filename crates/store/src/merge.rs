//! Merge: takes a main version, the delta and a time, gives the main version that has all commits up to
//! then; its other pieces are shared.
//!
//! 1. Node tables: which rows came, changed or went, zone by zone; the segments they lie in are written anew,
//!    column by column, values taken from the delta a segment at a time.
//! 2. Edge tables, whose ends are there now: edges that came or went keep their places.
//!
//! Writers and readers go on meanwhile: what is merged is finished, and stays in the delta until it is
//! cleaned.
//!
//! Source: `docs/design/transactions.md`, "Merge".

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use trimorph_base::{CancelToken, EdgeTableId, TableId};
use trimorph_delta::{Commits, Delta, EdgeEnds, EdgesWritten, LABELS, NodeDelta};
use trimorph_mvcc::Timestamp;
use trimorph_storage::{EdgeMerge, Main, NodeChanges, PlacedEdge, RewriteError};
use trimorph_types::Value;
use trimorph_vfs::RegionOptions;

/// Why a merge gave up: nothing is changed.
#[derive(Debug)]
pub enum MergeError {
    /// Somebody asked it to stop.
    Cancelled,
    /// A new version could not be made.
    Rewrite(RewriteError),
}

impl From<RewriteError> for MergeError {
    fn from(error: RewriteError) -> Self {
        Self::Rewrite(error)
    }
}

/// What a merge did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeReport {
    /// Nodes that came, and those that went.
    pub nodes: (u64, u64),
    /// Edges that came, and those that went.
    pub edges: (u64, u64),
    /// Edges that got values, new ones among them.
    pub edges_changed: u64,
}

/// The main version that has what `main` has and the commits up to `to`, which are all published; `main` has
/// every table and column that they use.
///
/// **Errors**: [`MergeError`]. **Cost**: a look at all of the delta, and the segments that are written.
pub fn merged(
    main: &Main,
    delta: &Delta,
    to: Timestamp,
    options: RegionOptions,
    cancel: &CancelToken,
) -> Result<(Main, MergeReport), MergeError> {
    let commits = Commits { from: Timestamp(main.merged_at), to };
    let (mut next, mut report) = (main.clone(), MergeReport::default());
    let check = || if cancel.is_cancelled() { Err(MergeError::Cancelled) } else { Ok(()) };
    for table in delta.written_tables() {
        check()?;
        if let Some(nodes) = delta.nodes(table) {
            merge_nodes(&mut next, table, &nodes, commits, options, &mut report)?;
        }
    }
    for (table, written) in delta.edges_written(commits) {
        check()?;
        merge_edges(&mut next, delta, table, &written, commits, options, &mut report)?;
    }
    next.merged_at = to.0;
    Ok((next, report))
}

fn merge_nodes(
    main: &mut Main,
    table: TableId,
    nodes: &NodeDelta,
    commits: Commits,
    options: RegionOptions,
    report: &mut MergeReport,
) -> Result<(), RewriteError> {
    let mut written = nodes.written(commits);
    if written.is_empty() {
        return Ok(());
    }
    report.nodes.0 += written.came.len() as u64;
    report.nodes.1 += written.went.len() as u64;
    let labels = written.columns.remove(&LABELS);
    let columns: BTreeMap<usize, BTreeSet<u64>> =
        written.columns.into_iter().map(|(column, zones)| (column as usize, zones)).collect();
    let values = |column: Option<usize>, rows: Range<u64>, put: &mut dyn FnMut(u64, Value)| {
        // Columns have 32 bits in the delta.
        nodes.values(column.map_or(LABELS, |column| column as u32), rows, commits, put);
    };
    let changes = NodeChanges {
        came: &written.came,
        went: &written.went,
        columns: &columns,
        labels: labels.as_ref(),
        values: &values,
    };
    main.merge_nodes(table, &changes, options)
}

fn merge_edges(
    main: &mut Main,
    delta: &Delta,
    id: EdgeTableId,
    written: &EdgesWritten,
    commits: Commits,
    options: RegionOptions,
    report: &mut MergeReport,
) -> Result<(), RewriteError> {
    let at = usize::from(id.0);
    let (Some(table), Some(facts)) =
        (main.edge_tables.get(at).cloned(), main.catalog.unrecorded_facts().edge_tables.get(at))
    else {
        return Err(RewriteError::Unknown(format!("there is no edge table {at}")));
    };
    report.edges.0 += written.came.len() as u64;
    report.edges.1 += written.went.len() as u64;
    report.edges_changed += written.changed.len() as u64;
    let placed = |edges: &[EdgeEnds]| {
        let placed = edges.iter().map(|EdgeEnds { edge, source, target }| PlacedEdge {
            source: source.row(),
            target: *target,
            position: table.place(*edge).1,
        });
        placed.collect::<Vec<_>>()
    };
    let properties = delta.edges(id);
    let values = |column: usize, page: u64, position: u64| {
        properties.as_ref()?.value_within(table.id(page, position), column as u32, commits)
    };
    let known = table.backward.iter().map(|(of, _)| *of);
    let changes = EdgeMerge {
        inserted: placed(&written.came),
        deleted: placed(&written.went),
        changed: written.changed.iter().map(|edge| table.place(*edge)).collect(),
        targets: known.chain(facts.targets.iter().map(|target| target.table)).collect(),
        values: &values,
    };
    main.merge_edges(id, changes, options)
}

//! Nodes whose labels came later, moved in pauses to the tables of these labels: what `REORGANIZE` does when
//! it is asked, done without being asked where many such nodes are.
//!
//! Statements of RDF that come one by one make most nodes before anything says of which class they are. Such
//! nodes are in the table without labels, with those of all other classes: scans by class ask each row, and a
//! column has the values of all classes. Queries take two to three times as long as after a load.
//!
//! 1. Only nodes that IRIs tell apart move, and of these only those whose relationships say nothing of
//!    themselves: ids of nodes and of relationships change, IRIs do not.
//! 2. It begins in a pause, when nobody has a transaction open that may write, where a part of all nodes with
//!    IRIs would move, so that moving costs less than writing them did, or so few that it costs nothing: one
//!    such node has all scans by its label look at the table that it is in.
//! 3. A few move in each transaction, which is undone where somebody has begun another one meanwhile: what
//!    that may have seen has not changed under it. Who begins one while it commits waits until it has.
//!    Between two of them the thread rests as long as the last one took.
//! 4. When all have moved, edge tables are written without the lists of tables that were left.
//! 5. Literals that tell few subjects apart get the indexes that a load makes, one at a time, in the same
//!    pauses: where nothing wants to move, too. What somebody dropped, or left out, stays so.
//!
//! It is looked for nodes again only when so much was written that as many may be elsewhere, and for literals
//! when something was merged.
//!
//! Source: Poseidon §6 (emergent schema); `docs/design/one-graph.md`.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, NodeId, TableId};
use trimorph_mvcc::{Intent, Isolation};
use trimorph_store::Reader;
use trimorph_store::neighbours::Neighbours;
use trimorph_types::iri_names::ID;

use crate::definitions::DEFINITIONS_MAX;
use crate::elsewhere::Regrouping;
use crate::handle::Handle;
use crate::literal_indexes::literal_indexes;
use crate::maintenance::PAUSE;
use crate::own_config::OwnConfig;
use crate::params::Params;
use crate::shared::Shared;
use crate::transaction::Way;
use crate::update::{Writing, says};
use crate::{Connection, Error};

/// Nodes that move from here on, and this part of all that have IRIs: moving a node costs a tenth of what
/// inserting its statements in hundreds does (SNB 0.1, a quarter of its statements in any order).
const ELSEWHERE_MIN: u64 = 1_000;
const ELSEWHERE_SHARE: u64 = 8;
/// And up to here: they move in a moment. Chosen.
const FEW: u64 = 1_000;
/// Nodes that move in one transaction, and relationships at them: a few hundredths of a second, so that who
/// meets it tries again and comes through.
const NODES_AT_ONCE: usize = 500;
const EDGES_AT_ONCE: u64 = 5_000;
/// A node with more moves by itself, if it has no more than these. Chosen.
const EDGES_OF_ONE: u64 = 50_000;
/// How long until it is looked again whether nobody has a transaction open.
const OPEN_AGAIN: Duration = Duration::from_secs(1);
/// Rows whose labels are looked at together.
const ROWS: u64 = 1 << 14;

/// Nodes with IRIs that are elsewhere.
struct Elsewhere {
    tables: Vec<TableId>,
    count: u64,
    /// From how many on they move.
    least: u64,
}

impl Shared {
    /// Makes the next index of literals that pays beside writers who make no pause, if what they wrote has
    /// just been merged: who writes all day long has them, too.
    pub(crate) fn index_beside(self: &Arc<Self>) {
        if !self.works_unasked() || self.ready_to_write().is_err() {
            return;
        }
        let mut known = self.regrouping.lock().unwrap_or_else(PoisonError::into_inner);
        let base = self.base();
        if base.schema().property_id(ID).is_none() || known.indexed_in == Some(base.main().merged_at) {
            return;
        }
        let own = OwnConfig::of(&self.config);
        let connection = Connection::new(Handle::at_work(Arc::clone(self)), own);
        // What fails now is tried again in a pause.
        let _ = connection.index_next(&mut known, &CancelToken::default());
    }

    /// Whether the thread that merges does what nobody asked for.
    fn works_unasked(&self) -> bool {
        self.config.background_merges && !self.config.read_only && self.follower.is_none()
    }

    /// Moves some nodes, if it is time to; how long to wait before the next time, or none if nothing is to be
    /// done.
    pub(crate) fn regroup(self: &Arc<Self>) -> Option<Duration> {
        if !self.works_unasked() {
            return None;
        }
        let mut known = self.regrouping.lock().unwrap_or_else(PoisonError::into_inner);
        let base = self.base();
        let is_idle = || {
            let stay = known.left.is_empty() && self.live.pressure.written() < known.looked_at;
            stay && known.indexed_in == Some(base.main().merged_at)
        };
        if base.schema().property_id(ID).is_none() || is_idle() {
            return None;
        }
        let own = known.own;
        let others = self.live.transactions.published().0.saturating_sub(own);
        let wait = known.wait(others, PAUSE);
        if !wait.is_zero() {
            return Some(wait);
        }
        if !self.live.transactions.list().is_empty() || self.ready_to_write().is_err() {
            return Some(OPEN_AGAIN);
        }
        let began = Instant::now();
        let own = OwnConfig::of(&self.config);
        let connection = Connection::new(Handle::at_work(Arc::clone(self)), own);
        match connection.regroup_some(&mut known) {
            Ok(()) => {}
            // Somebody has begun to write, and has not ended.
            Err(Error::Conflict(_)) => return Some(OPEN_AGAIN),
            // Who asks for it is told why.
            Err(_) => {
                known.left.clear();
                known.looked_at = self.live.pressure.written() + ELSEWHERE_MIN;
                known.indexed_in = Some(base.main().merged_at);
            }
        }
        known.rests_until = Some(Instant::now() + began.elapsed());
        let is_done = known.left.is_empty() && known.indexed_in == Some(base.main().merged_at);
        (!is_done).then(|| began.elapsed())
    }
}

impl Connection {
    /// Looks for nodes that are elsewhere, moves the next ones, or makes the next index of literals.
    fn regroup_some(&self, known: &mut Regrouping) -> Result<(), Error> {
        let cancel = CancelToken::default();
        let Some(table) = known.left.last().copied() else {
            if self.shared().live.pressure.written() < known.looked_at {
                return self.index_next(known, &cancel);
            }
            let found = self.elsewhere()?;
            let came = found.count.saturating_sub(known.stayed);
            let is_worth_it = came >= found.least || came > 0 && found.count <= FEW;
            match is_worth_it {
                true => (known.left, known.from, known.moved) = (found.tables, 0, 0),
                false => {
                    known.looked_at = self.shared().live.pressure.written() + FEW.min(found.least - came)
                }
            }
            return Ok(());
        };
        let (nodes, next) = self.elsewhere_from(table, known.from, NODES_AT_ONCE, &cancel)?;
        let (nodes, next) = self.movable(&nodes, next);
        let moved = self.moved_alone(&nodes, &cancel)?;
        known.moved += moved;
        known.own += u64::from(moved > 0);
        known.from = next.unwrap_or(0);
        if next.is_none() {
            known.left.pop();
        }
        if !known.left.is_empty() {
            return Ok(());
        }
        // Of few nothing is left behind that anybody notices.
        if known.moved > FEW {
            self.shared().compact(&cancel)?;
        }
        let found = self.elsewhere()?;
        known.stayed = found.count;
        known.looked_at = self.shared().live.pressure.written() + FEW;
        Ok(())
    }

    /// Makes the next index of literals that pays, if there is one that was never there.
    fn index_next(&self, known: &mut Regrouping, cancel: &CancelToken) -> Result<(), Error> {
        let base = self.shared().base();
        let definitions = &base.catalog().definitions;
        known.had.extend(definitions.iter().filter_map(|one| match one.properties[..] {
            [property] => Some(property),
            _ => None,
        }));
        let mut wanted = literal_indexes(base.catalog()).into_iter();
        let room = definitions.iter().len() < DEFINITIONS_MAX;
        match wanted.find(|one| room && !known.had.contains(&one.property)) {
            Some(next) => {
                known.had.insert(next.property);
                self.index_literal(&next, cancel)
            }
            None => {
                known.indexed_in = Some(base.main().merged_at);
                Ok(())
            }
        }
    }

    /// Nodes with IRIs that are in other tables than their labels say.
    ///
    /// **Cost**: a look at the labels of each row of tables where they vary.
    fn elsewhere(&self) -> Result<Elsewhere, Error> {
        let snapshot = self.shared().snapshot();
        let reader = Reader::new(&snapshot);
        let schema = reader.schema();
        let (mut tables, mut count, mut all) = (Vec::new(), 0, 0);
        for table in schema.table_ids().filter(|table| schema.node_property(*table, ID).is_some()) {
            let rows = reader.rows(table);
            all += rows;
            if !reader.labels_vary(table) {
                continue;
            }
            let (mut own, before) = (schema.label_names(table), count);
            own.sort();
            for first in (0..rows).step_by(ROWS as usize) {
                let len = ROWS.min(rows - first);
                reader.label_sets(NodeId::new(table, first), len as usize, &mut |labels, rows| {
                    let mut labels = labels.to_vec();
                    labels.sort();
                    count += if labels == own { 0 } else { rows };
                });
            }
            if count > before {
                tables.push(table);
            }
        }
        reader.failure().map_or(Ok(()), Err)?;
        Ok(Elsewhere { tables, count, least: ELSEWHERE_MIN.max(all / ELSEWHERE_SHARE) })
    }

    /// Those of some nodes of one table that may move without being asked for, as many as move in one
    /// transaction, one with many relationships by itself; and the row to go on with, where `next` is the one
    /// behind them all.
    fn movable(&self, nodes: &[NodeId], next: Option<u64>) -> (Vec<NodeId>, Option<u64>) {
        let snapshot = self.shared().snapshot();
        let reader = Reader::new(&snapshot);
        let (mut movable, mut edges) = (Vec::new(), 0);
        for node in nodes {
            let Some(own) = degree(&reader, *node).filter(|own| *own <= EDGES_OF_ONE) else { continue };
            let is_enough = edges + own > EDGES_AT_ONCE && !movable.is_empty();
            if movable.len() == NODES_AT_ONCE || is_enough {
                return (movable, Some(node.row()));
            }
            if !reader.node_property(*node, ID).is_null() {
                movable.push(*node);
                edges += own;
            }
        }
        (movable, next)
    }

    /// Moves nodes in a transaction, and commits it if nobody has begun another one that may write.
    fn moved_alone(&self, nodes: &[NodeId], cancel: &CancelToken) -> Result<u64, Error> {
        if nodes.is_empty() {
            return Ok(0);
        }
        let shared = self.shared();
        let (program, params) = (self.program_of_nothing(), Arc::<Params>::default());
        let settings = Arc::new(self.settings(&params, cancel.clone()));
        let _way = Way::after(shared, 0, None);
        let began = (Isolation::Snapshot, Intent::Write);
        let mut writing = Writing::begin(shared, began, cancel.clone(), None);
        self.ready_to_write()?;
        let statement = self.statement("REORGANIZE", &program, &params, &settings);
        let moved = statement.move_nodes(&mut writing, nodes)?;
        let _alone = shared.regrouped.write().unwrap_or_else(PoisonError::into_inner);
        if shared.live.transactions.list().len() > 1 {
            return Err(Error::Conflict("somebody else has begun to write".to_owned()));
        }
        writing.commit(shared).map(|()| moved)
    }
}

/// The relationships of a node; none where some may say something of themselves, and are terms of their own.
fn degree(reader: &Reader<'_>, node: NodeId) -> Option<u64> {
    let mut all = 0;
    for (at, info) in reader.schema().edge_tables.iter().enumerate() {
        let degree = |forward| Neighbours::all(reader, at, forward, node.table()).degree(node.row());
        let forward = if info.source == node.table() { degree(true) } else { 0 };
        let own = forward + degree(false);
        if own > 0 && says(reader.schema(), at) {
            return None;
        }
        all += own;
    }
    Some(all)
}

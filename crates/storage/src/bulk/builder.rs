//! The sink of a bulk load: nodes are encoded as they come, edges wait as keys until every node is there.
//!
//! 1. `append_nodes`: keys are entered into their space (a duplicate is a rejected row), columns go to their
//!    writers.
//! 2. `append_edges`: keys to node ids, and edges to the (edge label, source node table) that they belong to,
//!    packed. A batch with an end that is not there yet waits, and so do those after it.
//! 3. `finish`: node tables; the edges that waited (a dangling end is a rejected row); then for each (edge
//!    label, source node table): sort, both directions, property pages. Edge tables are built in parallel,
//!    but no two large ones.
//!
//! **Cost**: at most twice the memory of what was loaded, and 512 MB; `tests/memory/main.rs` measures it.
//! What is kept is charged to the budget as it comes, columns by estimate.
//!
//! Source: GF-CL §4–5; design §3.

use std::cmp::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use trimorph_base::{
    CancelToken, EdgeId, EdgeTableId, MemoryBudget, PropertyId, Reservation, TableId, TypeId,
};
use trimorph_catalog::{Catalog, KnownEdgeTable};
use trimorph_vfs::RegionOptions;

use super::beside::{Beside, OnConflict, Update};
use super::column_estimate::estimate_bytes;
use super::edges::{EdgeTableInput, build_edge_table, join_inputs, route_edges, route_waiting};
use super::errors::too_large;
use super::finder::Finder;
use super::input::IS_KNOWN;
use super::keys::{KeySpace, key_at};
use super::nodes::{NodeTableState, append_kept, check_rows, finish_nodes, small};
use super::picked::{picked, rest};
use super::waiting_edges::{BatchEnds, WaitingEdges};
use super::{
    BulkError, BulkSink, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, NodeBatch, NodeHandle, NodeSpec,
    Rejected, Verdict,
};
use crate::adjacency::SegmentRows;
use crate::column::ColumnWriter;
use crate::{ComponentBytes, EdgeTable, Main};

/// What decides about rejected rows.
pub type RejectFn<'a> = dyn FnMut(Rejected) -> Verdict + Send + 'a;

pub(super) struct EdgeState {
    spec: EdgeSpec,
    from: usize,
    to: usize,
    /// By source node table.
    inputs: Vec<EdgeTableInput>,
    waiting: Vec<WaitingEdges>,
}

/// The sink. `'a` is the life of the callback for rejected rows.
pub struct BulkBuilder<'a> {
    pub(super) options: RegionOptions,
    pub(super) cancel: CancelToken,
    reject: Mutex<Box<RejectFn<'a>>>,
    pub(super) spaces: Mutex<Vec<Space>>,
    pub(super) nodes: Mutex<Vec<Arc<Mutex<NodeTableState>>>>,
    edges: Mutex<Vec<Arc<Mutex<EdgeState>>>>,
    memory: Mutex<Reservation>,
    segment_edges: u64,
    /// What the database has already, if it has anything.
    pub(super) beside: Option<&'a dyn Beside>,
    on_conflict: OnConflict,
    /// What rows give to nodes that are there already.
    pub(super) updates: Mutex<Vec<Update>>,
}

/// A key space and its name.
pub(super) type Space = (String, Arc<RwLock<KeySpace>>);

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> BulkBuilder<'a> {
    /// An empty load.
    pub fn new(options: RegionOptions, cancel: CancelToken, reject: Box<RejectFn<'a>>) -> Self {
        Self {
            options,
            cancel,
            reject: Mutex::new(reject),
            spaces: Mutex::default(),
            nodes: Mutex::default(),
            edges: Mutex::default(),
            memory: Mutex::new(MemoryBudget::unlimited().reservation()),
            segment_edges: SegmentRows::EDGES,
            beside: None,
            on_conflict: OnConflict::Error,
            updates: Mutex::default(),
        }
    }

    /// The same, with what the load keeps charged to `budget`; over budget is an error of the load.
    #[must_use]
    pub fn with_budget(self, budget: &MemoryBudget) -> Self {
        Self { memory: Mutex::new(budget.reservation()), ..self }
    }

    /// The same, with at most so many edges in a segment of lists, on average, instead of 131,072; but no
    /// segment has fewer than 2,048 rows. A change to a list writes its segments anew: fewer edges make it
    /// cheaper, and a table of more pieces.
    #[must_use]
    pub fn with_segment_edges(self, segment_edges: u64) -> Self {
        Self { segment_edges, ..self }
    }

    /// The same beside what a database has: keys are looked up there, too, and what is loaded is put there by
    /// [`Self::finish_beside`].
    #[must_use]
    pub fn with_beside(self, beside: &'a dyn Beside, on_conflict: OnConflict) -> Self {
        Self { beside: Some(beside), on_conflict, ..self }
    }

    /// The number by which keys know a node table: behind those of the database.
    pub(super) fn table_of(&self, handle: usize) -> Result<TableId, BulkError> {
        let first = self.beside.map_or(0, |beside| beside.first_table());
        u16::try_from(first + handle).map(TableId).map_err(|_| too_large("node tables", 1 << 16))
    }

    /// Leaves the rows out whose keys nodes of the database have, after doing with them what was asked.
    fn without_known(
        &self,
        handle: NodeHandle,
        space: &str,
        batch: NodeBatch,
    ) -> Result<NodeBatch, BulkError> {
        let (Some(beside), Some(keys)) = (self.beside, &batch.keys) else { return Ok(batch) };
        let Some(found) = beside.find(space, keys) else { return Ok(batch) };
        let known: Vec<(usize, trimorph_base::NodeId)> =
            (0..).zip(found).filter_map(|(i, node)| Some((i, node?))).collect();
        if known.is_empty() {
            return Ok(batch);
        }
        match self.on_conflict {
            OnConflict::Skip => {}
            OnConflict::Error => {
                for (i, _) in &known {
                    let Some(key) = key_at(keys, *i) else { continue };
                    let reason = format!("a node with key {key} in key space \"{space}\" {IS_KNOWN}");
                    let line = batch.origin.lines.line(*i);
                    self.rejected(Rejected { file: batch.origin.file, line, reason })?;
                }
            }
            OnConflict::Merge => {
                let rows: Vec<usize> = known.iter().map(|(i, _)| *i).collect();
                let columns = picked(&batch.columns, &rows);
                self.charge(columns.iter().map(|c| estimate_bytes(&c.data)).sum())?;
                let nodes = known.iter().map(|(_, node)| *node).collect();
                lock(&self.updates).push(Update { handle, nodes, columns });
            }
        }
        let known: std::collections::HashSet<usize> = known.into_iter().map(|(i, _)| i).collect();
        Ok(rest(&batch, |i| !known.contains(&i)))
    }

    /// Memory to sort and write so many edges, until dropped.
    fn working_memory(&self, edges: usize) -> Result<Reservation, BulkError> {
        let mut held = lock(&self.memory).budget().reservation();
        held.grow(edges * 16).map_err(BulkError::Memory)?;
        Ok(held)
    }

    pub(super) fn charge(&self, bytes: usize) -> Result<(), BulkError> {
        lock(&self.memory).grow(bytes).map_err(BulkError::Memory)
    }

    fn space(&self, name: &str) -> usize {
        let mut spaces = lock(&self.spaces);
        if let Some(i) = spaces.iter().position(|(n, _)| n == name) {
            return i;
        }
        spaces.push((name.to_owned(), Arc::default()));
        spaces.len() - 1
    }

    fn rejected(&self, row: Rejected) -> Result<(), BulkError> {
        match (lock(&self.reject))(row.clone()) {
            Verdict::Skip => Ok(()),
            Verdict::Abort => Err(BulkError::Rejected(row)),
        }
    }

    /// Builds the main version, on `threads` threads.
    ///
    /// **Errors**: a dangling edge that is not to be skipped; more edges or tables than ids can tell apart;
    /// cancellation.
    pub fn finish(self, threads: usize) -> Result<Main, BulkError> {
        let nodes = std::mem::take(&mut *lock(&self.nodes));
        let spaces: Vec<Arc<RwLock<KeySpace>>> =
            lock(&self.spaces).iter().map(|(_, s)| Arc::clone(s)).collect();
        let mut catalog = Catalog::default();
        let mut main = Main::default();
        let tables = in_parallel(nodes.into_iter().enumerate().collect(), threads, |(i, state)| {
            let state =
                Arc::into_inner(state).map(|m| m.into_inner().unwrap_or_else(PoisonError::into_inner));
            let state =
                state.ok_or(BulkError::Declaration("a node table is still being appended to".into()))?;
            let id = TableId(u16::try_from(i).map_err(|_| too_large("node tables", 1 << 16))?);
            finish_nodes(state, id, &spaces, self.options)
        });
        for built in tables {
            let (table, bytes) = built?.describe(&mut catalog)?;
            main.bytes.add(&bytes);
            main.node_tables.push(Arc::new(table));
        }
        let inputs = self.edge_inputs(&spaces, threads)?;
        // Keys are resolved: the spaces, most of the memory of a load, can go.
        drop(spaces);
        lock(&self.spaces).clear();
        self.build_edges(inputs, threads, &mut catalog, &mut main)?;
        main.catalog = Arc::new(catalog);
        Ok(main)
    }

    /// All edges by (edge label, source table); keys that are left are resolved.
    pub(super) fn edge_inputs(
        &self,
        spaces: &[Arc<RwLock<KeySpace>>],
        threads: usize,
    ) -> Result<Vec<EdgeTableInput>, BulkError> {
        let states = std::mem::take(&mut *lock(&self.edges));
        let resolved = in_parallel(states, threads, |state| {
            let mut state = lock(&state);
            // Nothing writes any more, so a second lock on the same space cannot wait.
            let (from, to) = (read(&spaces[state.from]), read(&spaces[state.to]));
            let finder = |space, name| Finder { space, name, beside: self.beside };
            let (from_name, to_name) = (state.spec.from_space.clone(), state.spec.to_space.clone());
            let (from, to) = (finder(&from, &from_name), finder(&to, &to_name));
            let mut own = std::mem::take(&mut state.inputs);
            // A batch's memory is given back as its edges go to their table.
            for batch in std::mem::take(&mut state.waiting) {
                if self.cancel.is_cancelled() {
                    return Err(BulkError::Cancelled);
                }
                route_waiting(&state.spec, &batch, &from, &to, &mut own, &mut |r| self.rejected(r))?;
            }
            Ok(own)
        });
        let mut inputs: Vec<EdgeTableInput> = Vec::new();
        for own in resolved {
            join_inputs(own?, &mut inputs);
        }
        inputs.sort_by(|a, b| (&a.label, a.source).cmp(&(&b.label, b.source)));
        Ok(inputs)
    }

    pub(super) fn build_edges(
        &self,
        inputs: Vec<EdgeTableInput>,
        threads: usize,
        catalog: &mut Catalog,
        main: &mut Main,
    ) -> Result<(), BulkError> {
        if inputs.len() > EdgeId::TABLES_MAX {
            return Err(too_large("edge tables", EdgeId::TABLES_MAX as u64));
        }
        let rows: Vec<u64> = main.node_tables.iter().map(|t| t.rows).collect();
        let mut jobs = Vec::new();
        for (i, input) in inputs.into_iter().enumerate() {
            let id = EdgeTableId(u16::try_from(i).map_err(|_| too_large("edge tables", 1 << 16))?);
            let ty = TypeId(small(catalog.schema.types.intern(&input.label), "edge labels")?);
            let properties: Vec<PropertyId> = input
                .properties
                .iter()
                .map(|(name, _)| {
                    Ok(PropertyId(
                        u32::try_from(catalog.schema.properties.intern(name))
                            .map_err(|_| too_large("properties", 1 << 32))?,
                    ))
                })
                .collect::<Result<_, BulkError>>()?;
            jobs.push((id, ty, properties, input));
        }
        // Largest first, so that no thread is left alone with it at the end.
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(jobs[*i].3.len()));
        let mut slots: Vec<Option<_>> = jobs.into_iter().map(Some).collect();
        let queue = Mutex::new(order.into_iter().rev().filter_map(|i| slots[i].take()).collect::<Vec<_>>());
        let done = Mutex::new(Vec::new());
        let gate = Gate::default();
        let work = || {
            loop {
                let Some((id, ty, properties, input)) = lock(&queue).pop() else { return };
                if self.cancel.is_cancelled() {
                    lock(&done).push(Err(BulkError::Cancelled));
                    return;
                }
                let edges = input.len();
                let _turn = gate.enter(edges);
                let built = self.working_memory(edges).and_then(|_held| {
                    let how = (self.segment_edges, None);
                    build_edge_table(input, id, ty, &properties, &rows, how, self.options)
                });
                lock(&done).push(built);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(work);
            }
            work();
        });
        let mut built: Vec<(EdgeTable, KnownEdgeTable, ComponentBytes)> = done
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .into_iter()
            .collect::<Result<_, _>>()?;
        built.sort_by_key(|(table, _, _)| table.id);
        for (table, known, bytes) in built {
            main.bytes.add(&bytes);
            main.edge_tables.push(Arc::new(table));
            catalog.add_edge_table(known);
        }
        Ok(())
    }
}

/// Edges under way at once beyond the first edge table: 16 million take 128 MB to 256 MB to sort.
const EDGES_UNDER_WAY_MAX: usize = 1 << 24;

/// Lets edge tables be built at the same time while they are small together.
#[derive(Default)]
struct Gate {
    edges: Mutex<usize>,
    left: Condvar,
}

/// A turn of a [`Gate`], until dropped.
struct Turn<'a>(&'a Gate, usize);

impl Gate {
    fn enter(&self, edges: usize) -> Turn<'_> {
        let mut now = lock(&self.edges);
        while *now > 0 && *now + edges > EDGES_UNDER_WAY_MAX {
            now = self.left.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        *now += edges;
        Turn(self, edges)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.edges) -= self.1;
        self.0.left.notify_all();
    }
}

/// Does `work` with each item on so many threads; gives what came of it in the order of items.
pub fn in_parallel<T: Send, R: Send>(items: Vec<T>, threads: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    let queue = Mutex::new(items.into_iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(count));
    let run = || {
        loop {
            let Some((i, item)) = lock(&queue).next() else { return };
            let result = work(item);
            lock(&done).push((i, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

impl BulkSink for BulkBuilder<'_> {
    fn known_keys(&self, space: &str) -> Option<trimorph_types::LogicalType> {
        self.beside?.key_type(space)
    }

    fn declare_nodes(&self, spec: NodeSpec) -> Result<NodeHandle, BulkError> {
        let space = spec.key_space.as_deref().map(|name| self.space(name));
        if spec.key_property.is_some() && space.is_none() {
            return Err(BulkError::Declaration(format!(
                "node table {:?} has a key property but no key space",
                spec.labels
            )));
        }
        if let Some(beside) = self.beside {
            beside.declare(&spec);
        }
        let mut nodes = lock(&self.nodes);
        let mut sorted = spec.labels.clone();
        sorted.sort();
        for other in nodes.iter() {
            let mut labels = lock(other).spec.labels.clone();
            labels.sort();
            if labels == sorted {
                return Err(BulkError::Declaration(format!("label set {sorted:?} is declared twice")));
            }
        }
        let columns = spec.properties.iter().map(|(_, ty)| ColumnWriter::new(*ty)).collect();
        nodes.push(Arc::new(Mutex::new(NodeTableState {
            spec,
            space,
            rows: 0,
            key: None,
            columns,
            sets: FxHashMap::default(),
        })));
        u32::try_from(nodes.len() - 1).map(NodeHandle).map_err(|_| too_large("node tables", 1 << 16))
    }

    fn declare_edges(&self, spec: EdgeSpec) -> Result<EdgeHandle, BulkError> {
        let (from, to) = (self.space(&spec.from_space), self.space(&spec.to_space));
        let mut edges = lock(&self.edges);
        edges.push(Arc::new(Mutex::new(EdgeState {
            spec,
            from,
            to,
            inputs: Vec::new(),
            waiting: Vec::new(),
        })));
        u32::try_from(edges.len() - 1).map(EdgeHandle).map_err(|_| too_large("edge declarations", 1 << 32))
    }

    fn append_nodes(&self, table: NodeHandle, batch: NodeBatch) -> Result<(), BulkError> {
        if self.cancel.is_cancelled() {
            return Err(BulkError::Cancelled);
        }
        let state = lock(&self.nodes).get(table.0 as usize).cloned();
        let state = state.ok_or(BulkError::Declaration("append to an undeclared node table".into()))?;
        let mut state = lock(&state);
        let state = &mut *state;
        let rows = batch
            .keys
            .as_ref()
            .map(ColumnData::len)
            .or(batch.columns.first().map(|c| c.data.len()))
            .unwrap_or(0);
        let fits = batch.columns.len() == state.columns.len()
            && batch
                .columns
                .iter()
                .all(|c| c.data.len() == rows && c.nulls.as_ref().is_none_or(|n| n.len() == rows))
            && batch.keys.is_some() == state.space.is_some();
        if !fits {
            return Err(BulkError::Declaration(format!(
                "a batch of {:?} does not fit its declaration",
                state.spec.labels
            )));
        }
        let (mut batch, mut rows) = (batch, rows);
        if let (Some(space), true) = (state.space, self.beside.is_some()) {
            let name = lock(&self.spaces)[space].0.clone();
            batch = self.without_known(table, &name, batch)?;
            rows = batch.keys.as_ref().map_or(rows, ColumnData::len);
        }
        let mut keep: Option<Vec<bool>> = None;
        if let (Some(keys), Some(space)) = (&batch.keys, state.space) {
            let (name, space) = {
                let spaces = lock(&self.spaces);
                (spaces[space].0.clone(), Arc::clone(&spaces[space].1))
            };
            let mut space = space.write().unwrap_or_else(PoisonError::into_inner);
            let space_bytes = space.bytes();
            let row = u32::try_from(state.rows).unwrap_or(u32::MAX);
            let table = self.table_of(table.0 as usize)?;
            if !matches!(keys, ColumnData::Int(_) | ColumnData::String { .. }) {
                return Err(BulkError::Declaration("keys are integers or strings".into()));
            }
            space.insert_all(keys, table, row, |i, key| {
                let reason = format!("duplicate key {key} in key space \"{name}\"");
                let line = batch.origin.lines.line(i);
                keep.get_or_insert_with(|| vec![true; rows])[i] = false;
                self.rejected(Rejected { file: batch.origin.file, line, reason })
            })?;
            self.charge(space.bytes().saturating_sub(space_bytes) + estimate_bytes(keys))?;
        }
        self.charge(batch.columns.iter().map(|c| estimate_bytes(&c.data)).sum())?;
        append_kept(state, &batch, rows, keep.as_deref());
        check_rows(state.rows)
    }

    fn append_edges(&self, table: EdgeHandle, batch: EdgeBatch) -> Result<(), BulkError> {
        if self.cancel.is_cancelled() {
            return Err(BulkError::Cancelled);
        }
        let state = lock(&self.edges).get(table.0 as usize).cloned();
        let state = state.ok_or(BulkError::Declaration("append to an undeclared edge label".into()))?;
        let mut state = lock(&state);
        let rows = batch.from_keys.len();
        let fits = batch.to_keys.len() == rows
            && batch.columns.len() == state.spec.properties.len()
            && batch
                .columns
                .iter()
                .all(|c| c.data.len() == rows && c.nulls.as_ref().is_none_or(|n| n.len() == rows));
        if !fits {
            return Err(BulkError::Declaration(format!(
                "a batch of \"{}\" does not fit its declaration",
                state.spec.label
            )));
        }
        let (from, to) = {
            let spaces = lock(&self.spaces);
            (Arc::clone(&spaces[state.from].1), Arc::clone(&spaces[state.to].1))
        };
        let (from_space, to_space) = (state.spec.from_space.clone(), state.spec.to_space.clone());
        // Always in the order of the spaces, or two readers that wait behind writers would wait for each
        // other.
        let find = |from: &KeySpace, to: &KeySpace| -> Option<BatchEnds> {
            let from = Finder { space: from, name: &from_space, beside: self.beside };
            let to = Finder { space: to, name: &to_space, beside: self.beside };
            Some((from.find_all(&batch.from_keys)?, to.find_all(&batch.to_keys)?))
        };
        let found = match state.from.cmp(&state.to) {
            Ordering::Less => {
                let from = read(&from);
                find(&from, &read(&to))
            }
            Ordering::Equal => {
                let both = read(&from);
                find(&both, &both)
            }
            Ordering::Greater => {
                let to = read(&to);
                find(&read(&from), &to)
            }
        };
        let state = &mut *state;
        let bytes = match &found {
            Some((from, to)) if state.waiting.is_empty() => {
                route_edges(&state.spec, &batch.columns, (from, to), &mut state.inputs)
            }
            found => {
                let waiting = WaitingEdges::new(batch, found.as_ref())?;
                let bytes = waiting.bytes();
                state.waiting.push(waiting);
                bytes
            }
        };
        self.charge(bytes)
    }
}

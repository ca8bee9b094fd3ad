//! An open transaction that writes: what it sees, what it has written, how it ends.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use trimorph_base::{
    CancelToken, EdgeTableId, MemoryBudget, NodeId, Reservation, SmallMap, TableId, return_spare_memory,
};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_delta::{WriteError, Writer, Written, WrittenEdges};
use trimorph_log::{LogMark, TransactionWriter};
use trimorph_mvcc::{
    Changes, Conflict, Failed, Inside, Intent, Isolation, Open, Overlap, Reading, Registered, Stamp,
    Timestamp, Turn, View,
};
use trimorph_store::{DatabaseError, Failures, Live, Main, Moment, ReadLog, Snapshot};

use super::touched::{Lacking, Touched, meets_new_constraint};
use crate::shared::Shared;
use crate::{Error, SideEffects};

/// Runs of versions, of up to 1,024 each, that are written between two looks at the memory limit.
const UNCHARGED_RUNS_MAX: usize = 16;
/// Bytes to be logged that are not charged: small transactions ask for nothing.
const LOG_UNCHARGED_MAX: usize = 1 << 20;
/// Edges that weigh as much as a run.
const EDGES_OF_RUN: usize = 512;

/// An open transaction. Dropped without a commit, it is undone.
pub(crate) struct Writing {
    pub(super) live: Arc<Live>,
    /// The main version when it began: later ones have commits that it does not see.
    main: Arc<Main>,
    /// That main version with what was declared since, and the catalog that has all of it.
    grown: Mutex<Option<(Arc<Catalog>, Snapshot)>>,
    /// Whether what it does is logged.
    is_logged: bool,
    /// What it has done, in order, as the log will have it.
    pub(super) log: TransactionWriter,
    pub(super) open: Option<Open>,
    registered: Arc<Registered>,
    /// What statements before this one saw, at read committed.
    earlier: Vec<Weak<Registered>>,
    /// What it wants to do, when it begins.
    intent: Intent,
    /// What it finds when it writes is not used for other things meanwhile; none before it writes.
    inside: Option<Inside>,
    level: Isolation,
    cancel: CancelToken,
    /// What it reads, if it must be serializable.
    reads: Option<Arc<ReadLog>>,
    /// What plans are made of, as it was when the transaction began.
    catalog: Arc<Catalog>,
    /// Runs of versions that were there when the memory limit was last looked at.
    charged: usize,
    /// Versions and edges of which the others were told.
    told: u64,
    /// What is to be logged, as far as it was charged to the memory limit.
    log_held: Option<Reservation>,
    /// The number that the next clause writes at.
    statement: u32,
    pub(super) nodes: SmallMap<TableId, Written>,
    pub(super) edges: SmallMap<EdgeTableId, Written>,
    pub(super) topology: WrittenEdges,
    pub(super) changes: Changes,
    /// Whether anything was deleted.
    pub(super) has_deleted: bool,
    /// Whether nobody else had begun anything in which he may write, as far as somebody asked; whether nodes
    /// may move to the tables of labels that the statement at work gives them; whether any did.
    is_alone: bool,
    pub(super) may_move: bool,
    pub(super) has_moved: bool,
    /// Nodes that went while they may have had edges.
    pub(super) deleted: Vec<NodeId>,
    /// Nodes that the statement that is at work has deleted RDF statements of.
    pub(super) unstated: Vec<NodeId>,
    /// What the clause that is at work has written, as far as constraints may be about it.
    pub(super) touched: Touched,
    /// What lacks something that a definition demands.
    pub(super) lacking: Lacking,
    /// Whether it wrote, or was about to write, a value of another type than its column's, or labels.
    breaks_facts: bool,
    /// What its statements could not read.
    failures: Arc<Failures>,
    /// What the statement that is at work has done.
    pub(super) effects: SideEffects,
}

/// How much a transaction had written at some time.
pub(crate) struct Mark {
    nodes: SmallMap<TableId, usize>,
    edges: SmallMap<EdgeTableId, usize>,
    topology: usize,
    log: LogMark,
}

impl Writing {
    /// Begins a transaction, which writes or may write, and may commit under `turn` while others wait.
    pub(crate) fn begin(
        shared: &Shared,
        (level, intent): (Isolation, Intent),
        cancel: CancelToken,
        turn: Option<&Turn<'_>>,
    ) -> Self {
        let (base, (live, (open, registered))) = shared.base_with(|live, merged| {
            if intent != Intent::Read {
                live.begin_to_write();
            }
            (Arc::clone(live), live.transactions.begin(level, (merged, intent), cancel.clone(), turn))
        });
        let catalog = Arc::clone(base.catalog());
        Self {
            live,
            main: Arc::clone(base.shared_main()),
            grown: Mutex::default(),
            is_logged: shared.is_logged(),
            log: TransactionWriter::new(),
            open: Some(open),
            inside: (intent == Intent::Write).then(|| registered.enter()),
            registered: Arc::new(registered),
            earlier: Vec::new(),
            intent,
            level,
            cancel,
            // Who does not write is serial at the time that he reads.
            reads: (level == Isolation::Serializable && intent != Intent::Read).then(Arc::default),
            catalog,
            charged: 0,
            told: 0,
            log_held: None,
            statement: 0,
            nodes: SmallMap::new(),
            edges: SmallMap::new(),
            topology: WrittenEdges::new(),
            changes: Changes::default(),
            has_deleted: false,
            is_alone: false,
            may_move: false,
            has_moved: false,
            deleted: Vec::new(),
            unstated: Vec::new(),
            touched: Touched::default(),
            lacking: Lacking::default(),
            breaks_facts: false,
            failures: Arc::default(),
            effects: SideEffects::default(),
        }
    }

    /// The main version that it reads, with all tables and columns that there are now.
    ///
    /// **Cost**: two locks; where a merge has published another one since, a look at all tables each time
    /// something is declared.
    pub(crate) fn base(&self, shared: &Shared) -> Snapshot {
        self.newest(shared).telling(Some(&self.failures))
    }

    fn newest(&self, shared: &Shared) -> Snapshot {
        let newest = shared.base();
        if shared.follower.is_some() {
            // It declares nothing, and what others have loaded since is in newer ones.
            return newest.over(Arc::clone(&self.main));
        }
        if newest.main().merged_at == self.main.merged_at {
            return newest;
        }
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((catalog, base)) = &*grown
            && Arc::ptr_eq(catalog, newest.catalog())
        {
            return base.clone();
        }
        let mut main = self.main.grown_like(newest.main());
        // What became true with a later version need not hold of this one.
        main.weaken_facts();
        main.keep_labels_varying(&self.main);
        // What the newest version and the delta have together is about what it sees: a merge that took what
        // others wrote leaves its own to be estimated.
        let estimates = Arc::new(newest.catalog().estimated().clone());
        Arc::make_mut(&mut main.catalog).estimates = Some(estimates);
        let base = newest.over(Arc::new(main));
        *grown = Some((Arc::clone(newest.catalog()), base.clone()));
        base
    }

    /// Whether what it does is logged.
    pub(super) fn is_logged(&self) -> bool {
        self.is_logged
    }

    /// Its isolation level.
    pub(crate) fn level(&self) -> Isolation {
        self.level
    }

    /// Its handle's number, never used again.
    pub(crate) fn number(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.handle().number())
    }

    /// What it reads.
    pub(crate) fn read(&self) -> Timestamp {
        self.registered.read()
    }

    /// Undoes it all and begins anew, at a later time; under the same turn: who has it waits for himself
    /// else.
    pub(crate) fn begin_again(&mut self, shared: &Shared) {
        let mut next = Self::begin(shared, (self.level, self.intent), self.cancel.clone(), None);
        if let (Some(next), Some(own)) = (&mut next.open, &self.open) {
            next.in_place_of(own);
        }
        drop(std::mem::replace(self, next));
    }

    /// A statement begins: at read committed it sees what is committed now.
    pub(crate) fn begin_statement(&mut self, shared: &Shared) {
        // What failed before was told, and undone.
        self.failures.clear();
        if self.level == Isolation::ReadCommitted {
            if shared.follower.is_some() {
                // What it reads from now on may be another delta.
                return self.begin_again(shared);
            }
            let intent = if self.inside.is_some() { Intent::Write } else { self.intent };
            let (base, registered) =
                shared.base_with(|live, merged| live.transactions.snapshot(merged, intent));
            self.inside = self.inside.is_some().then(|| registered.enter());
            // Who has results of statements before sees what they saw.
            self.earlier.retain(|earlier| earlier.strong_count() > 0);
            self.earlier.push(Arc::downgrade(&self.registered));
            self.registered = Arc::new(registered);
            self.main = Arc::clone(base.shared_main());
        }
    }

    /// It writes from now on.
    ///
    /// **Errors**: it was begun to read; it has been open for so long, and others have written so much, that
    /// who was faster is not known any more: it may read on, or be begun again.
    pub(crate) fn begin_to_write(&mut self) -> Result<(), Error> {
        if self.inside.is_some() {
            return Ok(());
        }
        if self.intent == Intent::Read {
            let text = "the transaction was begun to read only; what writes belongs into another one";
            return Err(Error::Transaction(text.to_owned()));
        }
        self.registered.begin_to_write().map_err(|_| {
            let why =
                "this transaction has only read so far, and others have written too much since it began";
            Error::Conflict(format!("{why} to tell what it may write; try again"))
        })?;
        self.inside = Some(self.registered.enter());
        Ok(())
    }

    /// Nodes that statements give labels may move, if nobody else has begun anything in which he may write:
    /// what that may have seen does not change under it.
    pub(crate) fn let_nodes_move(&mut self, shared: &Shared) {
        self.is_alone = shared.live.transactions.list().len() == 1;
    }

    /// Whether statements that are given by IRIs are inserted next: what they ask for has no ids.
    pub(super) fn inserts_data(&mut self, inserts: bool) {
        self.may_move = inserts && self.is_alone;
    }

    /// It is about to write a value of another type than its column's, or labels: until it is over nobody is
    /// told again that there are no such.
    pub(super) fn break_facts(&mut self) {
        if !self.breaks_facts {
            self.breaks_facts = true;
            self.live.begin_to_break_facts();
        }
    }

    /// A plan was made of the catalog that it sees.
    pub(super) fn note_plan(&self, reliances: &Arc<Reliances>) {
        if let Some(reads) = &self.reads {
            reads.plan(reliances);
        }
    }

    /// What was written until now.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.iter().map(|(table, written)| (*table, written.len())).collect(),
            edges: self.edges.iter().map(|(table, written)| (*table, written.len())).collect(),
            topology: self.topology.len(),
            log: self.log.mark(),
        }
    }

    /// Undoes what was written since `mark`; what was written before stays. Its changes are kept among those
    /// that others are asked against: that may cost a conflict, never miss one.
    pub(crate) fn undo_to(&mut self, mark: &Mark) {
        self.failures.clear();
        let Some(open) = self.open.take() else { return };
        let author = self.author(&open);
        let nodes = self.nodes.iter_mut().map(|(table, written)| {
            (*table, written.split_off(mark.nodes.get(table).copied().unwrap_or(0).min(written.len())))
        });
        let nodes = nodes.collect();
        let edges = self.edges.iter_mut().map(|(table, written)| {
            (*table, written.split_off(mark.edges.get(table).copied().unwrap_or(0).min(written.len())))
        });
        let edges = edges.collect();
        let topology = self.topology.split_off(mark.topology.min(self.topology.len()));
        self.stamp_these(&author, Stamp::NEVER, (&nodes, &edges, &topology));
        self.open = Some(open);
        self.deleted.clear();
        self.touched = Touched::default();
        self.log.undo_to(mark.log);
        self.end_clause();
    }

    pub(super) fn live(&self) -> &Live {
        &self.live
    }

    /// What it sees: of its own writes those of clauses that are over.
    fn view(&self, statement: u32) -> View {
        let own = self.open.as_ref().map(Open::handle);
        let merged = Timestamp(self.main.merged_at);
        View { own, statement, ..View::at(self.registered.read()).over(merged) }
    }

    /// What the next clause reads, over a main version.
    pub(crate) fn snapshot(&self, base: Snapshot) -> Snapshot {
        // Who reads its results looks for himself, and may do so when it is over.
        self.snapshot_at(base, self.statement, false).telling(None)
    }

    /// The same for a part of the statement that is at work.
    pub(super) fn snapshot_for_part(&self, base: Snapshot) -> Snapshot {
        self.snapshot_at(base, self.statement, self.inside.is_some()).telling(None)
    }

    /// The same with what the clause that is at work has written.
    pub(super) fn snapshot_within(&self, base: Snapshot) -> Snapshot {
        self.snapshot_at(base, self.statement + 1, self.inside.is_some())
    }

    fn snapshot_at(&self, base: Snapshot, statement: u32, is_held: bool) -> Snapshot {
        let view = self.view(statement);
        let registered = Arc::clone(&self.registered);
        let moment = Moment::new(Arc::clone(&self.live), view, registered).held(is_held);
        let base = base.at(match &self.open {
            Some(open) => moment.of_transaction(Arc::clone(open.outcome())),
            None => moment,
        });
        base.noting(self.reads.clone()).after_deletion(self.has_deleted)
    }

    /// Who writes, for the delta.
    pub(super) fn writer(&self) -> Writer<'_> {
        debug_assert!(self.inside.is_some(), "it has not said that it writes");
        let view = self.view(self.statement + 1);
        let reading = Reading { view, transactions: &self.live.transactions };
        Writer { reading, statement: self.statement }
    }

    /// Versions and edges that it has written and not undone.
    pub(crate) fn written(&self) -> u64 {
        let runs = self.nodes.values().chain(self.edges.values()).flatten();
        runs.map(|(_, len)| *len as u64).sum::<u64>() + self.topology.len() as u64
    }

    /// Whether it has written much since this was last said: some ten thousand versions in batches, or far
    /// fewer one by one.
    pub(crate) fn has_written_much(&mut self) -> bool {
        let runs: usize = self.nodes.values().chain(self.edges.values()).map(Vec::len).sum();
        let written = runs + self.topology.len() / EDGES_OF_RUN;
        let has = written >= self.charged + UNCHARGED_RUNS_MAX;
        if has {
            self.charged = written;
            self.tell();
        }
        has
    }

    /// Tells how much it has written since it last told.
    fn tell(&mut self) {
        // What a statement wrote that failed is not there any more, and was told.
        let written = self.written().max(self.told);
        self.live.pressure.add(written - self.told);
        self.told = written;
    }

    /// Charges what is to be logged to the memory limit, if that is much.
    ///
    /// **Errors**: it does not fit.
    pub(crate) fn charge_log(&mut self, budget: &MemoryBudget) -> Result<(), Error> {
        let bytes = self.log.size();
        let held = self.log_held.as_ref().map_or(0, Reservation::bytes);
        if bytes < held + LOG_UNCHARGED_MAX && (held == 0 || bytes >= held / 2) {
            return Ok(());
        }
        let held = self.log_held.get_or_insert_with(|| budget.reservation());
        held.resize(bytes).map_err(Error::Memory)
    }

    /// A clause that wrote is over: the next one sees what it wrote.
    pub(super) fn end_clause(&mut self) {
        self.statement += 1;
    }

    /// Whether it would not commit, because others have changed what it read and have committed since, or
    /// are about to.
    pub(crate) fn is_overtaken(&self, shared: &Shared) -> bool {
        let (Some(open), Some(reads)) = (&self.open, &self.reads) else { return false };
        let reads = || reads.reads_since(&self.catalog, shared.base().catalog());
        self.live.transactions.overtaken(open, reads).is_some()
    }

    /// Whether all could be read that writing had to look at.
    ///
    /// **Errors**: a part of the database that could not: what was written does not fit what is there.
    pub(crate) fn check_read(&self) -> Result<(), Error> {
        let failure = self.failures.first().map(DatabaseError::from);
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Commits what was written.
    ///
    /// **Errors**: a conflict, or a constraint that it violates as a whole; then it is undone.
    pub(crate) fn commit(mut self, shared: &Shared) -> Result<(), Error> {
        self.check_lacking(shared)?;
        self.check_read()?;
        // Who begins one now waits until it is over, and sees what moved where it is.
        let alone = self.has_moved.then(|| shared.regrouped.write().unwrap_or_else(PoisonError::into_inner));
        if alone.is_some() && shared.live.transactions.list().len() > 1 {
            return Err(Error::Conflict("somebody else has begun to write".to_owned()));
        }
        let Some(open) = self.open.take() else { return Ok(()) };
        let changes = std::mem::take(&mut self.changes);
        let author = self.author(&open);
        if changes.is_empty() {
            // It is serial at the time that it read.
            self.live.transactions.undo(&open, |stamp| self.stamp(&author, stamp));
            self.end_views(None);
            return Ok(());
        }
        // What others made in the catalog for commits before this one is there now.
        let reads = || match &self.reads {
            Some(reads) => reads.reads_since(&self.catalog, shared.base().catalog()),
            None => Default::default(),
        };
        let (handle, operations) = (open.handle().number(), std::mem::take(&mut self.log));
        let wrote = (changes.nodes.keys().copied().collect(), changes.edges.keys().copied().collect());
        let before = &self.catalog.definitions;
        let log = |at| {
            // Who makes a constraint waits for those that have a timestamp, and looks at what they wrote.
            if shared.in_newest(|main| meets_new_constraint(before, &main.catalog, &wrote)) {
                return Err(Error::Conflict("a constraint was made meanwhile; try again".to_owned()));
            }
            match shared.journal.get() {
                Some(journal) if !operations.is_empty() => journal.commit(operations, handle, at),
                _ => Ok(()),
            }
        };
        let done = self.live.transactions.commit(open, changes, reads, log, |stamp| {
            self.stamp(&author, stamp);
        });
        self.end_views(done.as_ref().ok().copied());
        match done {
            Ok(_) => {
                // A merge meanwhile had to leave what can be merged from now on.
                shared.is_committed(self.told);
                Ok(())
            }
            Err(Failed::Conflict(Conflict::Read(overlap))) => Err(overlapping(&overlap, shared)),
            Err(Failed::Conflict(conflict)) => Err(conflicting(&conflict)),
            Err(Failed::Log(error)) => Err(error),
        }
    }

    /// It has committed, or was undone: its results need what they see, and no more.
    fn end_views(&self, committed: Option<Timestamp>) {
        let earlier = self.earlier.iter().filter_map(Weak::upgrade);
        earlier.chain([Arc::clone(&self.registered)]).for_each(|registered| registered.end(committed));
    }

    pub(super) fn author(&self, open: &Open) -> View {
        View { own: Some(open.handle()), ..self.view(self.statement) }
    }

    /// Writes the last stamp into all its versions.
    pub(super) fn stamp(&self, view: &View, stamp: Stamp) {
        self.stamp_these(view, stamp, (&self.nodes, &self.edges, &self.topology));
    }

    fn stamp_these(&self, view: &View, stamp: Stamp, (nodes, edges, topology): Versions<'_>) {
        let reading = Reading { view: *view, transactions: &self.live.transactions };
        let writer = Writer { reading, statement: self.statement };
        let delta = &self.live.delta;
        for (table, written) in nodes {
            if let Some(nodes) = delta.nodes(*table) {
                nodes.stamp(&writer, written, stamp);
            }
        }
        for (table, written) in edges {
            if let Some(edges) = delta.edges(*table) {
                edges.stamp(&writer, written, stamp);
            }
        }
        delta.topology().stamp(&writer, topology, stamp);
        if stamp == Stamp::NEVER && !(nodes.is_empty() && edges.is_empty() && topology.is_empty()) {
            self.live.pressure.add_undone();
        }
    }
}

/// Versions of nodes, of properties of edges, and edges.
type Versions<'a> = (&'a SmallMap<TableId, Written>, &'a SmallMap<EdgeTableId, Written>, &'a WrittenEdges);

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            let author = self.author(&open);
            self.live.transactions.undo(&open, |stamp| self.stamp(&author, stamp));
            self.end_views(None);
        }
        let was_told = self.told > 0;
        self.tell();
        if was_told {
            // Who was told while it was open found nothing to merge; from now on there may be.
            self.live.pressure.tell();
        }
        if self.breaks_facts {
            self.live.end_breaking_facts();
            // Who looked meanwhile could not say that there are none.
            self.live.pressure.tell();
        }
        if self.intent != Intent::Read {
            self.live.end_writing();
        }
        return_spare_memory();
    }
}

/// A conflict as users see it.
pub(super) fn conflicting(conflict: &Conflict) -> Error {
    let why = match conflict {
        Conflict::Open(_) => "another transaction has written the same and is still open",
        Conflict::Newer(_) => "another transaction has written the same and committed since this one began",
        Conflict::Read(_) => "another transaction has changed what this one read",
    };
    Error::Conflict(format!("{why}; try again"))
}

/// A conflict with what was read, by name.
pub(super) fn overlapping(overlap: &Overlap, shared: &Shared) -> Error {
    let base = shared.base();
    let schema = base.schema();
    let nodes = |table: TableId| {
        let labels = schema.label_names(table);
        let labels: String = labels.iter().map(|label| format!(":{label}")).collect();
        if labels.is_empty() { "nodes without labels".to_owned() } else { format!("nodes ({labels})") }
    };
    let edges = |table: EdgeTableId| format!("relationships [:{}]", schema.type_name(table));
    let what = match overlap {
        Overlap::Nodes(table) => nodes(*table),
        Overlap::NodeColumn(table, column) => {
            let info = schema.node_tables.get(usize::from(table.0));
            let name = info.and_then(|info| info.properties.get(*column)).map(|p| schema.property_name(p.id));
            format!("property \"{}\" of {}", name.unwrap_or_default(), nodes(*table))
        }
        Overlap::Edges(table) => edges(*table),
        Overlap::EdgeColumn(table, column) => {
            let info = schema.edge_tables.get(usize::from(table.0));
            let name = info.and_then(|info| info.properties.get(*column)).map(|p| schema.property_name(p.id));
            format!("property \"{}\" of {}", name.unwrap_or_default(), edges(*table))
        }
        Overlap::Key(index) => match u16::try_from(*index) {
            Ok(table) => format!("a key of {}", nodes(TableId(table))),
            Err(_) => "a key of an index".to_owned(),
        },
    };
    Error::Conflict(format!("another transaction has changed what this one read: {what}; try again"))
}

/// Why something could not be written, as users see it.
pub(super) fn not_written(error: WriteError) -> Error {
    match error {
        WriteError::Conflict(conflict) => conflicting(&conflict),
        WriteError::Full => Error::Storage("a table has four billion changes that are not merged".into()),
    }
}

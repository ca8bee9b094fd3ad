//! An open transaction that writes: what it sees, what it has written, how it ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{CancelToken, EdgeTableId, NodeId, TableId};
use trimorph_delta::{WriteError, Writer, Written, WrittenEdges};
use trimorph_log::TransactionWriter;
use trimorph_mvcc::{Changes, Conflict, Failed, Isolation, Open, ReadSet, Reading, Registered, Stamp, View};
use trimorph_store::{Live, Moment, Snapshot};

use crate::Error;
use crate::durable::Journal;

/// An open transaction. Dropped without a commit, it is undone.
pub(crate) struct Writing {
    live: Arc<Live>,
    journal: Option<Arc<Journal>>,
    /// What it has done, in order, as the log will have it.
    pub(super) log: TransactionWriter,
    open: Option<Open>,
    registered: Arc<Registered>,
    level: Isolation,
    /// The number that the next clause writes at.
    statement: u32,
    pub(super) nodes: BTreeMap<TableId, Written>,
    pub(super) edges: BTreeMap<EdgeTableId, Written>,
    pub(super) topology: WrittenEdges,
    pub(super) changes: Changes,
    /// Nodes that went while they may have had edges.
    pub(super) deleted: Vec<NodeId>,
}

impl Writing {
    /// Begins a transaction.
    pub(crate) fn begin(
        live: &Arc<Live>,
        journal: Option<Arc<Journal>>,
        level: Isolation,
        cancel: CancelToken,
    ) -> Self {
        live.begin_to_write();
        let (open, registered) = live.transactions.begin(level, cancel, None);
        Self {
            live: Arc::clone(live),
            journal: journal.filter(|journal| journal.is_kept()),
            log: TransactionWriter::new(),
            open: Some(open),
            registered: Arc::new(registered),
            level,
            statement: 0,
            nodes: BTreeMap::new(),
            edges: BTreeMap::new(),
            topology: WrittenEdges::new(),
            changes: Changes::default(),
            deleted: Vec::new(),
        }
    }

    /// Whether what it does is logged.
    pub(super) fn is_logged(&self) -> bool {
        self.journal.is_some()
    }

    pub(super) fn live(&self) -> &Live {
        &self.live
    }

    /// What it sees: of its own writes those of clauses that are over.
    fn view(&self, statement: u32) -> View {
        View { read: self.registered.read(), own: self.open.as_ref().map(Open::handle), statement }
    }

    /// What the next clause reads, over a main version.
    pub(crate) fn snapshot(&self, base: Snapshot) -> Snapshot {
        self.snapshot_at(base, self.statement)
    }

    /// The same with what the clause that is at work has written.
    pub(super) fn snapshot_within(&self, base: Snapshot) -> Snapshot {
        self.snapshot_at(base, self.statement + 1)
    }

    fn snapshot_at(&self, base: Snapshot, statement: u32) -> Snapshot {
        let view = self.view(statement);
        let moment = Moment::new(Arc::clone(&self.live), view, Arc::clone(&self.registered));
        base.at(match &self.open {
            Some(open) => moment.of_transaction(Arc::clone(open.outcome())),
            None => moment,
        })
    }

    /// Who writes, for the delta.
    pub(super) fn writer(&self) -> Writer<'_> {
        let view = self.view(self.statement + 1);
        let reading = Reading { view, transactions: &self.live.transactions };
        Writer { reading, statement: self.statement, level: self.level }
    }

    /// A clause that wrote is over: the next one sees what it wrote.
    pub(super) fn end_clause(&mut self) {
        self.statement += 1;
    }

    /// Commits what was written.
    pub(crate) fn commit(mut self) -> Result<(), Error> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let changes = std::mem::take(&mut self.changes);
        let author = self.author(&open);
        let reads = ReadSet::default();
        let (handle, operations) = (open.handle().number(), std::mem::take(&mut self.log));
        let log = |at| match &self.journal {
            Some(journal) if !operations.is_empty() => journal.commit(operations, handle, at),
            _ => Ok(()),
        };
        let done = self.live.transactions.commit(open, changes, &reads, log, |stamp| {
            self.stamp(&author, stamp);
        });
        match done {
            Ok(_) => Ok(()),
            Err(Failed::Conflict(conflict)) => Err(conflicting(&conflict)),
            Err(Failed::Log(error)) => Err(error),
        }
    }

    fn author(&self, open: &Open) -> View {
        View { read: self.registered.read(), own: Some(open.handle()), statement: self.statement }
    }

    /// Writes the last stamp into all its versions.
    fn stamp(&self, view: &View, stamp: Stamp) {
        let reading = Reading { view: *view, transactions: &self.live.transactions };
        let writer = Writer { reading, statement: self.statement, level: self.level };
        let delta = &self.live.delta;
        for (table, written) in &self.nodes {
            if let Some(nodes) = delta.nodes(*table) {
                nodes.stamp(&writer, written, stamp);
            }
        }
        for (table, written) in &self.edges {
            if let Some(edges) = delta.edges(*table) {
                edges.stamp(&writer, written, stamp);
            }
        }
        delta.topology().stamp(&writer, &self.topology, stamp);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            let author = self.author(&open);
            self.live.transactions.undo(&open, |stamp| self.stamp(&author, stamp));
        }
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

/// Why something could not be written, as users see it.
pub(super) fn not_written(error: WriteError) -> Error {
    match error {
        WriteError::Conflict(conflict) => conflicting(&conflict),
        WriteError::Full => Error::Storage("a table has four billion changes that are not merged".into()),
    }
}

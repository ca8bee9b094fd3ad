//! Snapshot: the state of the database that a query reads from start to end.

use std::sync::Arc;

use trimorph_base::{MemoryBudget, TableId};
use trimorph_catalog::{Catalog, Reliances, Schema};
use trimorph_storage::Main;
use trimorph_vfs::{Failures, Pins};

use crate::{Moment, ReadLog};

/// A main version and what is seen of the delta, held for as long as somebody reads them. Cloning shares
/// them.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    main: Arc<Main>,
    /// What is seen of the delta; none of a database that was never written to.
    moment: Option<Arc<Moment>>,
    /// What a reader may pin, in bytes, before it lets go; none where all fits.
    pinned_bytes_max: Option<usize>,
    /// Where readers note what they read; none where nobody will ask.
    reads: Option<Arc<ReadLog>>,
    /// Whether the transaction that sees it has deleted something.
    after_deletion: bool,
    /// What is made beside pieces to find things faster is charged to this; none where nobody counts.
    room: Option<MemoryBudget>,
    /// Who is told what readers cannot read; none where each looks for itself.
    failures: Option<Arc<Failures>>,
}

/// Pieces of files may take this part of the memory limit before readers let go of what they do not need at
/// once: queries need the other half.
const KEPT_PART: usize = 2;
/// What one reader may pin then, as a part of the limit: there are others, and a morsel touches more before
/// it can let go.
const PINNED_PART: usize = 16;

impl Snapshot {
    /// The snapshot of a main version without a delta.
    pub fn new(main: Arc<Main>) -> Self {
        Self {
            main,
            moment: None,
            pinned_bytes_max: None,
            reads: None,
            after_deletion: false,
            room: None,
            failures: None,
        }
    }

    /// The same within a memory limit, in bytes; what is made beside pieces to find things faster is charged
    /// to `room`.
    pub fn within(main: Arc<Main>, limit: usize, room: &MemoryBudget) -> Self {
        let fits = main.stored_bytes() <= limit / KEPT_PART;
        let pinned_bytes_max = (!fits).then_some(limit / PINNED_PART);
        Self { pinned_bytes_max, room: Some(room.clone()), ..Self::new(main) }
    }

    /// The same with what `moment` sees of the delta.
    pub fn at(self, moment: Moment) -> Self {
        Self { moment: Some(Arc::new(moment)), ..self }
    }

    /// The same over the main version of `base`, which has the same commits.
    pub fn over(&self, main: Arc<Main>) -> Self {
        Self { main, ..self.clone() }
    }

    /// The same, whose readers note in `log` what they read.
    pub fn noting(self, log: Option<Arc<ReadLog>>) -> Self {
        Self { reads: log, ..self }
    }

    /// The same, whose readers tell somebody what they cannot read.
    pub fn telling(self, failures: Option<&Arc<Failures>>) -> Self {
        Self { failures: failures.cloned(), ..self }
    }

    /// The same, of a transaction that may have deleted something: its statements still have what they found
    /// before.
    pub fn after_deletion(self, after_deletion: bool) -> Self {
        Self { after_deletion, ..self }
    }

    /// Whether nodes and edges that a statement has found may be deleted by its own transaction.
    pub fn is_after_deletion(&self) -> bool {
        self.after_deletion
    }

    /// A plan was made for it by somebody who has no transaction in his hands.
    pub fn note_plan(&self, reliances: &Arc<Reliances>) {
        if let Some(reads) = &self.reads {
            reads.plan(reliances);
        }
    }

    pub(crate) fn read_log(&self) -> Option<&Arc<ReadLog>> {
        self.reads.as_ref()
    }

    /// What is seen of the delta, if there is one.
    #[inline]
    pub fn moment(&self) -> Option<&Moment> {
        self.moment.as_deref()
    }

    /// Pins for a reader.
    pub(crate) fn pins(&self) -> Pins<'_> {
        let pins = Pins::new(self.pinned_bytes_max);
        let pins = match &self.room {
            Some(room) => pins.with_room(room),
            None => pins,
        };
        match &self.failures {
            Some(failures) => pins.telling(failures),
            None => pins,
        }
    }

    /// Schema, facts, statistics.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.main.catalog
    }

    /// Names and tables.
    pub fn schema(&self) -> &Schema {
        &self.main.catalog.schema
    }

    /// One past the last row of a node table; none of one that there is not. Not all rows before need be
    /// there.
    pub fn rows(&self, table: TableId) -> u64 {
        let main = self.main.node_tables.get(table.0 as usize).map_or(0, |t| t.rows);
        let delta = self.moment().and_then(|moment| moment.delta().changed_nodes(table));
        delta.map_or(main, |delta| delta.rows_end().max(main))
    }

    /// The main version, shared.
    pub fn shared_main(&self) -> &Arc<Main> {
        &self.main
    }

    /// The main version.
    pub fn main(&self) -> &Main {
        &self.main
    }
}

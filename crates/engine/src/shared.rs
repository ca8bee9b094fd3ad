//! What a database and its connections share.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use trimorph_algebra::Procedures;
use trimorph_base::{MemoryBudget, Workers};
use trimorph_exec::SpillArea;
use trimorph_mvcc::View;
use trimorph_store::{Checkpoint, Live, Moment, Snapshot};
use trimorph_vfs::Pool;

use crate::Config;
use crate::plan_cache::PlanCache;
use crate::procedures::Registry;
use crate::sessions::Sessions;

/// What connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) plans: PlanCache,
    pub(crate) budget: MemoryBudget,
    /// Where queries put rows that memory has no room for.
    pub(crate) spill: Option<Arc<SpillArea>>,
    /// Threads that queries share.
    pub(crate) workers: Workers,
    /// What brings pieces of the directory's files into memory.
    pub(crate) pool: Arc<Pool>,
    pub(crate) procedures: Arc<Registry>,
    /// The main version, as who reads without the delta sees it.
    pub(crate) snapshot: RwLock<Snapshot>,
    /// What was changed since, and who is when.
    pub(crate) live: Arc<Live>,
    /// The transactions that connections have begun.
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) dir: Option<PathBuf>,
    /// What the directory's files hold.
    pub(crate) checkpoint: Mutex<Checkpoint>,
    /// Held while the database is open for writing.
    pub(crate) _lock: Option<File>,
}

impl Shared {
    /// What is committed now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        if !self.live.was_written() {
            return self.base();
        }
        let registered = Arc::new(self.live.transactions.snapshot());
        let view = View::at(registered.read());
        // The catalog after the time: what changes rely on was made before they could be seen.
        self.base().at(Moment::new(Arc::clone(&self.live), view, registered))
    }

    /// The main version without the delta.
    pub(crate) fn base(&self) -> Snapshot {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The procedures there are now.
    pub(crate) fn procedures(&self) -> Arc<Procedures> {
        self.procedures.current()
    }
}

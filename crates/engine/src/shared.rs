//! What a database and its connections share.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use trimorph_algebra::Procedures;
use trimorph_base::{MemoryBudget, Workers};
use trimorph_exec::SpillArea;
use trimorph_store::{Checkpoint, Snapshot};
use trimorph_vfs::Pool;

use crate::Config;
use crate::plan_cache::PlanCache;
use crate::procedures::Registry;

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
    pub(crate) snapshot: RwLock<Snapshot>,
    pub(crate) dir: Option<PathBuf>,
    /// What the directory's files hold.
    pub(crate) checkpoint: Mutex<Checkpoint>,
    /// Held while the database is open for writing.
    pub(crate) _lock: Option<File>,
}

impl Shared {
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The procedures there are now.
    pub(crate) fn procedures(&self) -> Arc<Procedures> {
        self.procedures.current()
    }
}

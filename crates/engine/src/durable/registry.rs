//! The databases that this process has open for writing, by their directories: the same path opened twice is
//! one database.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use trimorph_base::Process;

/// What is registered: whoever registers knows what it is.
type Anything = dyn Any + Send + Sync;

/// What a process has open; none while somebody opens it.
#[derive(Default)]
struct Known {
    process: Process,
    databases: HashMap<PathBuf, Option<Weak<Anything>>>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

/// What this process has open: what it was forked with is not its own.
fn lock() -> MutexGuard<'static, Option<Known>> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.as_ref().is_none_or(|known| !known.process.is_this()) {
        *known = Some(Known::default());
    }
    known
}

/// A place in the registry: given up when it is dropped, so that the path can be opened anew.
#[derive(Debug)]
pub(crate) struct Registered(PathBuf, Process);

/// What is known of a path.
pub(crate) enum Claimed {
    /// It is open.
    Open(Arc<Anything>),
    /// It is not: others who ask wait until it is.
    New(Registered),
}

/// Asks for the database of a directory, whose path is canonical. Waits while another thread opens or closes
/// it.
pub(crate) fn claim(path: PathBuf) -> Claimed {
    let mut known = lock();
    loop {
        let all = &mut known.get_or_insert_default().databases;
        match all.get(&path) {
            None => {
                all.insert(path.clone(), None);
                return Claimed::New(Registered(path, Process::default()));
            }
            Some(Some(open)) => {
                if let Some(open) = open.upgrade() {
                    return Claimed::Open(open);
                }
            }
            Some(None) => {}
        }
        known = CHANGED.wait(known).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The database of a directory, whose path is canonical, if this process has it open to write. Waits while
/// another thread opens or closes it.
pub(crate) fn find(path: &Path) -> Option<Arc<Anything>> {
    let mut known = lock();
    loop {
        if let Some(open) = known.as_ref()?.databases.get(path)?.as_ref().and_then(Weak::upgrade) {
            return Some(open);
        }
        known = CHANGED.wait(known).unwrap_or_else(PoisonError::into_inner);
    }
}

impl Registered {
    /// It is open now.
    pub(crate) fn publish(&self, open: Arc<Anything>) {
        let mut known = lock();
        known.get_or_insert_default().databases.insert(self.0.clone(), Some(Arc::downgrade(&open)));
        drop(known);
        CHANGED.notify_all();
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // A child may have opened the path itself.
        if !self.1.is_this() {
            return;
        }
        lock().get_or_insert_default().databases.remove(&self.0);
        CHANGED.notify_all();
    }
}

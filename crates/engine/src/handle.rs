//! What holds a database open: databases and connections. With the last of them it is closed, and nobody is
//! at work on its files any more: another process can open its directory at once.
//!
//! The thread that merges holds the database, too, while it is at work. So the last handle lets go of its
//! own share first, and then waits until the thread has let go as well (`handles.rs`).

use std::ops::Deref;
use std::sync::Arc;

use crate::handles::Handles;
use crate::shared::Shared;

/// One that holds the database open.
#[derive(Debug)]
pub(crate) struct Handle {
    // Dropped in this order.
    shared: Arc<Shared>,
    _counted: Option<Counted>,
}

#[derive(Debug)]
struct Counted(Arc<Handles>);

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let handles = Arc::clone(&shared.handles);
        handles.come();
        Self { shared, _counted: Some(Counted(handles)) }
    }

    /// Of the thread that merges, which holds the database within
    /// [`Handles::at_work`](crate::handles::Handles::at_work): the last of the others waits for it.
    pub(crate) fn at_work(shared: Arc<Shared>) -> Self {
        Self { shared, _counted: None }
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.shared))
    }
}

impl Deref for Handle {
    type Target = Arc<Shared>;

    fn deref(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.go();
    }
}

//! The open transactions of a database: listed, and ended when they take too long, are left alone, or
//! somebody says so.
//!
//! A thread looks after those that have a limit. It is started with the first of them and ends with the last,
//! or with the database.
//!
//! A transaction is ended by undoing it, so that nobody meets it any more. While a statement of it is at
//! work it cannot be: then the statement is stopped, and undoes it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, forks};
use trimorph_mvcc::{Isolation, Timestamp};

pub(crate) const BY_TIMEOUT: &str =
    "the transaction took longer than its timeout, and all it wrote was undone";
pub(crate) const BY_IDLENESS: &str =
    "the transaction was left idle for longer than may be, and all it wrote was undone";
pub(crate) const BY_SOMEBODY: &str = "the transaction was terminated, and all it wrote was undone";

/// What is told of an open transaction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenTransaction {
    /// Its number, by which it can be ended.
    pub number: u64,
    /// What it sees of others.
    pub isolation: Isolation,
    /// How long it has been open.
    pub age: Duration,
    /// Whether a statement of it is at work.
    pub is_running: bool,
    /// That statement, or the last one.
    pub statement: Arc<str>,
    /// Commits since it began: what they replaced is kept for it.
    pub commits_pinned: u64,
}

/// What has transactions that others may end.
pub(crate) trait HasTransaction: Send + Sync {
    /// Undoes the transaction of this number, if it is open; waits for who has it in his hands. No statement
    /// of it is at work, and none begins any more.
    fn end(&self, number: u64, why: &'static str);
}

/// An open transaction, as others see it.
pub(crate) struct Session {
    pub(crate) number: u64,
    isolation: Isolation,
    read: Timestamp,
    began: Instant,
    deadline: Option<Instant>,
    owner: Weak<dyn HasTransaction>,
    now: Mutex<Now>,
}

/// What it does now.
#[derive(Debug)]
struct Now {
    /// The flag of the statement that is at work.
    running: Option<CancelToken>,
    statement: Arc<str>,
    used: Instant,
    /// Why it is to be ended.
    doom: Option<&'static str>,
}

/// The open transactions of a database.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    state: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    open: BTreeMap<u64, Arc<Session>>,
    /// The thread that looks after them, as long as there are any.
    watcher: Option<Thread>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Sessions {
    /// The database is gone: so is the thread, at once.
    fn drop(&mut self) {
        if let Some(watcher) = &lock(&self.state).watcher {
            watcher.unpark();
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("number", &self.number)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A statement begins. Gives why there is to be none, if the transaction is to be ended.
    pub(crate) fn begin_statement(&self, text: &str, cancel: &CancelToken) -> Result<(), &'static str> {
        let mut now = lock(&self.now);
        match now.doom {
            Some(why) => Err(why),
            None => {
                (now.running, now.statement) = (Some(cancel.clone()), text.into());
                Ok(())
            }
        }
    }

    /// A statement is over. Gives why the transaction is to be ended, if it is.
    pub(crate) fn end_statement(&self) -> Option<&'static str> {
        let mut now = lock(&self.now);
        (now.running, now.used) = (None, Instant::now());
        now.doom
    }

    /// Ends it: at once, or by the statement that is at work. Gives whether it is over.
    fn end(&self, why: &'static str) -> bool {
        {
            let mut now = lock(&self.now);
            now.doom.get_or_insert(why);
            if let Some(running) = &now.running {
                running.cancel();
                return false;
            }
        }
        // Who begins a statement now finds that it is to be ended.
        if let Some(owner) = self.owner.upgrade() {
            owner.end(self.number, why);
        }
        true
    }

    /// When somebody has to look, and what for.
    fn limit(&self, idle: Option<Duration>) -> Option<(Instant, &'static str)> {
        let now = lock(&self.now);
        let idle = idle.filter(|_| now.running.is_none()).map(|idle| (now.used + idle, BY_IDLENESS));
        let late = self.deadline.map(|deadline| (deadline, BY_TIMEOUT));
        idle.into_iter().chain(late).min_by_key(|(at, _)| *at)
    }
}

impl Sessions {
    /// A transaction begins. `idle` is how long transactions may be left alone.
    pub(crate) fn begin(
        self: &Arc<Self>,
        (number, isolation, read): (u64, Isolation, Timestamp),
        timeout: Option<Duration>,
        idle: Option<Duration>,
        owner: Weak<dyn HasTransaction>,
    ) -> Arc<Session> {
        let began = Instant::now();
        let now = Now { running: None, statement: "".into(), used: began, doom: None };
        let session = Arc::new(Session {
            number,
            isolation,
            read,
            began,
            deadline: timeout.and_then(|timeout| began.checked_add(timeout)),
            owner,
            now: Mutex::new(now),
        });
        let mut table = lock(&self.state);
        table.open.insert(number, Arc::clone(&session));
        if table.watcher.is_none() && (idle.is_some() || session.deadline.is_some()) {
            let sessions = Arc::downgrade(self);
            let watch = move || watch(&sessions, idle);
            let thread = std::thread::Builder::new().name("trimorph-sessions".into()).spawn(watch);
            // Without a thread a transaction has no limits: it is still one.
            table.watcher = thread.ok().map(|thread| thread.thread().clone());
        } else if let Some(watcher) = &table.watcher {
            // It may have an earlier limit than those before.
            watcher.unpark();
        }
        drop(table);
        session
    }

    /// A transaction is over.
    pub(crate) fn end(&self, number: u64) {
        lock(&self.state).open.remove(&number);
    }

    /// The open transactions, in the order they began. `published` is the last commit.
    pub(crate) fn list(&self, published: Timestamp) -> Vec<OpenTransaction> {
        let open: Vec<Arc<Session>> = lock(&self.state).open.values().cloned().collect();
        let told = open.iter().filter(|session| session.owner.strong_count() > 0).filter_map(|session| {
            let now = lock(&session.now);
            (now.doom.is_none() || now.running.is_some()).then(|| OpenTransaction {
                number: session.number,
                isolation: session.isolation,
                age: session.began.elapsed(),
                is_running: now.running.is_some(),
                statement: Arc::clone(&now.statement),
                commits_pinned: published.0.saturating_sub(session.read.0),
            })
        });
        told.collect()
    }

    /// Ends a transaction; false if there is none of this number.
    pub(crate) fn terminate(&self, number: u64) -> bool {
        let session = lock(&self.state).open.get(&number).cloned();
        let session = session.filter(|session| lock(&session.now).doom.is_none());
        session.inspect(|session| self.end_by(session, BY_SOMEBODY)).is_some()
    }

    /// Ends a transaction for a reason; what is over is not listed any more.
    fn end_by(&self, session: &Session, why: &'static str) {
        if session.end(why) {
            self.end(session.number);
        }
    }

    /// Ends what is over its limits; gives when to look again, or nothing where nobody need look.
    fn look(&self, idle: Option<Duration>) -> Option<Duration> {
        let mut table = lock(&self.state);
        table.open.retain(|_, session| session.owner.strong_count() > 0);
        if table.open.is_empty() {
            table.watcher = None;
            return None;
        }
        let open: Vec<Arc<Session>> = table.open.values().cloned().collect();
        drop(table);
        let at = Instant::now();
        let mut next = LOOK_MAX;
        for session in open {
            match session.limit(idle) {
                Some((limit, why)) if limit <= at => self.end_by(&session, why),
                Some((limit, _)) => next = next.min(limit - at),
                None => {}
            }
        }
        Some(next)
    }
}

/// The longest time between two looks: a statement that is over may have left its transaction alone.
const LOOK_MAX: Duration = Duration::from_secs(1);
/// The shortest.
const LOOK_MIN: Duration = Duration::from_millis(5);

/// Looks after transactions as long as there are any. It sleeps without a lock, which a process that is
/// forked meanwhile would wait for: at work it holds up who forks.
fn watch(sessions: &Weak<Sessions>, idle: Option<Duration>) {
    loop {
        let next = {
            let _at_work = forks::at_work();
            sessions.upgrade().and_then(|sessions| sessions.look(idle))
        };
        let Some(next) = next else { return };
        std::thread::park_timeout(next.max(LOOK_MIN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Owner;

    impl HasTransaction for Owner {
        fn end(&self, _: u64, _: &'static str) {}
    }

    /// It sleeps for a second, and would be there as long.
    #[test]
    fn the_thread_ends_with_the_database() {
        let (sessions, owner): (Arc<Sessions>, Arc<dyn HasTransaction>) = (Arc::default(), Arc::new(Owner));
        let of = (1, Isolation::Snapshot, Timestamp(0));
        let session = sessions.begin(of, None, None, Arc::downgrade(&owner));
        let weak = Arc::downgrade(&sessions);
        let thread = std::thread::spawn(move || watch(&weak, None));
        lock(&sessions.state).watcher = Some(thread.thread().clone());
        std::thread::sleep(Duration::from_millis(100));
        let began = Instant::now();
        drop(sessions);
        assert!(thread.join().is_ok() && began.elapsed() < LOOK_MAX / 2, "{:?}", began.elapsed());
        drop(session);
    }
}

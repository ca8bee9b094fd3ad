//! Units of work in, batches into the sink out, in order, on several threads, with a bounded number under
//! way.
//!
//! 1. One worker at a time reads a unit (a chunk of text, a row group) and queues it, numbered.
//! 2. Workers parse them in any order; what is parsed waits until all units before it are.
//! 3. In that order, refused rows get their verdict and batches join the lane of their table.
//! 4. Workers append the batches of a lane one by one; lanes are independent of each other, but edges come
//!    after the nodes of their unit and of those before it, so that the sink knows their ends.
//!
//! A worker takes what is furthest: it appends if it can, else parses, else reads. So no more is under way
//! than keeps all of them busy, and what one has read is parsed while the cache has it. The calling thread
//! only waits, reports progress and looks for cancellation.
//!
//! Invariants: a table gets its batches in file order, at any number of threads. At most `threads + 2` units
//! are under way (read, but not all appended), each charged to the memory budget.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use trimorph_base::Reservation;
use trimorph_store::bulk::{BulkSink, EdgeHandle, NodeBatch, NodeHandle, Rejected, Verdict};

use crate::gather::Batch;
use crate::progress::{Meter, Phase, ProgressState};
use crate::{LoadError, LoadOptions, Rejects};

/// A unit of work: can be parsed on any thread.
pub(crate) trait Work: Send {
    fn run(self: Box<Self>) -> Parsed;
}

/// A unit of work and the bytes of memory it takes.
pub(crate) type Unit = (Box<dyn Work>, usize);

/// Where units come from.
pub(crate) trait Feed: Send {
    /// The next unit; `None` at the end.
    fn next(&mut self) -> Result<Option<Unit>, LoadError>;
    /// Stored bytes read so far.
    fn bytes_done(&self) -> u64;
}

/// What a unit came to.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) file: u32,
    pub(crate) batches: Vec<Batch>,
    pub(crate) rejects: Vec<(Rejected, Option<String>)>,
    pub(crate) rows: u64,
    pub(crate) values: u64,
    pub(crate) bytes: u64,
    pub(crate) without_end: u64,
    pub(crate) error: Option<LoadError>,
}

/// Totals of a run.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) rows: u64,
    pub(crate) values: u64,
    pub(crate) bytes: u64,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    pub(crate) without_end: u64,
    pub(crate) rows_by_file: Vec<u64>,
}

#[derive(Default)]
struct Lane {
    busy: bool,
    waiting: VecDeque<(u64, Batch)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum LaneKey {
    Nodes(NodeHandle),
    Edges(EdgeHandle),
}

#[derive(Default)]
struct State {
    queue: VecDeque<(u64, Box<dyn Work>)>,
    /// Units under way: batches not yet appended (`None` before it is their turn), and the memory they hold.
    under_way: HashMap<u64, (Option<usize>, Reservation)>,
    parsed: BTreeMap<u64, Parsed>,
    next_turn: u64,
    lanes: Vec<Lane>,
    lane_of: HashMap<LaneKey, usize>,
    /// Units with batches of nodes not yet appended, and how many.
    nodes_to_come: BTreeMap<u64, usize>,
    next_unit: u64,
    /// A worker reads.
    reading: bool,
    /// What was read and waits for memory.
    held: Option<Unit>,
    all_read: bool,
    /// Stored bytes read so far.
    bytes_done: u64,
    stop: Option<LoadError>,
    stopped: bool,
    totals: Totals,
}

struct Shared<'a, S> {
    sink: &'a S,
    rejects: &'a Rejects,
    options: &'a LoadOptions,
    feed: Mutex<&'a mut dyn Feed>,
    state: Mutex<State>,
    /// There may be something for a worker to do.
    changed: Condvar,
    /// All is done, or nothing more will be.
    ended: Condvar,
}

/// Runs everything `feed` gives through `sink`.
pub(crate) fn run(
    feed: &mut dyn Feed,
    files: usize,
    bytes_total: u64,
    sink: &impl BulkSink,
    options: &LoadOptions,
    rejects: &Rejects,
    meter: &mut Meter<'_>,
) -> Result<Totals, LoadError> {
    let state =
        State { totals: Totals { rows_by_file: vec![0; files], ..Totals::default() }, ..State::default() };
    let shared = Shared {
        sink,
        rejects,
        options,
        feed: Mutex::new(feed),
        state: Mutex::new(state),
        changed: Condvar::new(),
        ended: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| shared.work());
        }
        shared.watch(bytes_total, meter);
    });
    let mut state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.stop.take() {
        Some(error) => Err(error),
        None => Ok(state.totals),
    }
}

impl<S: BulkSink> Shared<'_, S> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calling thread: reports progress and looks for cancellation until all is done.
    fn watch(&self, bytes_total: u64, meter: &mut Meter<'_>) {
        let mut state = self.lock();
        loop {
            if self.options.cancel.is_cancelled() {
                state.fail(LoadError::Cancelled);
                self.changed.notify_all();
            }
            let ended = state.stopped || state.is_done();
            if ended || meter.is_due() {
                let now = progress_of(&state, bytes_total, self.rejects);
                drop(state);
                meter.report(&now);
                if ended {
                    return;
                }
                state = self.lock();
                continue;
            }
            let waited = self.ended.wait_timeout(state, Duration::from_millis(30));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A worker: appends what is in order, else parses, else reads, else waits.
    fn work(&self) {
        let _guard = StopOnPanic(self);
        let under_way_max = self.options.threads.max(1) + 2;
        let mut state = self.lock();
        loop {
            if state.stopped || state.is_done() {
                drop(state);
                self.changed.notify_all();
                self.ended.notify_all();
                return;
            }
            if let Some((lane, seq, batch)) = state.next_batch() {
                drop(state);
                let is_nodes = matches!(batch, Batch::Nodes(..));
                let appended = self.append(batch);
                state = self.lock();
                state.lanes[lane].busy = false;
                if let Err(error) = appended {
                    state.fail(error);
                }
                state.batch_done(seq, is_nodes);
                self.changed.notify_all();
                continue;
            }
            if let Some((seq, work)) = state.queue.pop_front() {
                drop(state);
                let parsed = work.run();
                state = self.lock();
                state.parsed.insert(seq, parsed);
                state.take_turns(self.rejects);
                self.changed.notify_all();
                continue;
            }
            if let Some(unit) = state.held.take() {
                if state.take_unit(unit, self.options) {
                    continue;
                }
            } else if !state.reading && !state.all_read && state.under_way.len() < under_way_max {
                state.reading = true;
                drop(state);
                let (read, bytes_done) = self.read();
                state = self.lock();
                state.reading = false;
                state.bytes_done = bytes_done;
                match read {
                    Ok(Some(unit)) => drop(state.take_unit(unit, self.options)),
                    Ok(None) => state.all_read = true,
                    Err(error) => state.fail(error),
                }
                self.changed.notify_all();
                continue;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn read(&self) -> (Result<Option<Unit>, LoadError>, u64) {
        let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        let read = feed.next();
        (read, feed.bytes_done())
    }

    fn append(&self, batch: Batch) -> Result<(), LoadError> {
        let appended = match batch {
            Batch::Nodes(handle, batch) => self.sink.append_nodes(handle, batch),
            Batch::Edges(handle, batch) => self.sink.append_edges(handle, batch),
        };
        appended.map_err(|error| self.rejects.explain(error))
    }
}

/// A worker that dies (a bug, or a sink that panics) must not leave the others waiting for it.
struct StopOnPanic<'a, 'b, S: BulkSink>(&'a Shared<'b, S>);

impl<S: BulkSink> Drop for StopOnPanic<'_, '_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().fail(LoadError::Cancelled);
            self.0.changed.notify_all();
            self.0.ended.notify_all();
        }
    }
}

impl State {
    fn fail(&mut self, error: LoadError) {
        self.stopped = true;
        self.stop.get_or_insert(error);
        self.queue.clear();
    }

    fn is_done(&self) -> bool {
        self.all_read && self.held.is_none() && self.under_way.is_empty()
    }

    /// Queues what was read if there is memory for it; else holds it, which helps only while units under way
    /// will give memory back. Gives whether anything came of it.
    fn take_unit(&mut self, (work, bytes): Unit, options: &LoadOptions) -> bool {
        let mut reservation = options.budget.reservation();
        match reservation.grow(bytes) {
            Ok(()) => {
                self.under_way.insert(self.next_unit, (None, reservation));
                self.queue.push_back((self.next_unit, work));
                self.next_unit += 1;
                true
            }
            Err(over) if self.under_way.is_empty() => {
                self.fail(LoadError::Memory(over));
                true
            }
            Err(_) => {
                self.held = Some((work, bytes));
                false
            }
        }
    }

    fn next_batch(&mut self) -> Option<(usize, u64, Batch)> {
        let first = self.nodes_to_come.first_key_value().map_or(u64::MAX, |(seq, _)| *seq);
        let may_come = |lane: &Lane| {
            let next = lane.waiting.front();
            !lane.busy && next.is_some_and(|(seq, b)| *seq < first || matches!(b, Batch::Nodes(..)))
        };
        let at = self.lanes.iter().position(may_come)?;
        let lane = &mut self.lanes[at];
        let (seq, batch) = lane.waiting.pop_front()?;
        lane.busy = true;
        Some((at, seq, batch))
    }

    fn batch_done(&mut self, seq: u64, is_nodes: bool) {
        if is_nodes && let Some(left) = self.nodes_to_come.get_mut(&seq) {
            *left -= 1;
            if *left == 0 {
                self.nodes_to_come.remove(&seq);
            }
        }
        if let Some((Some(left), _)) = self.under_way.get_mut(&seq) {
            *left -= 1;
            if *left == 0 {
                self.under_way.remove(&seq);
            }
        }
    }

    fn take_turns(&mut self, rejects: &Rejects) {
        while !self.stopped
            && let Some(parsed) = self.parsed.remove(&self.next_turn)
        {
            let seq = self.next_turn;
            self.next_turn += 1;
            self.take_turn(seq, parsed, rejects);
        }
    }

    fn take_turn(&mut self, seq: u64, parsed: Parsed, rejects: &Rejects) {
        for (rejected, row) in parsed.rejects {
            if rejects.refuse(&rejected, row.as_deref()) == Verdict::Abort {
                let text = rejects.describe(&rejected);
                return self.fail(LoadError::Rejected { text, rejected, hint: None });
            }
        }
        if let Some(error) = parsed.error {
            return self.fail(error);
        }
        self.totals.rows += parsed.rows;
        self.totals.values += parsed.values;
        self.totals.bytes += parsed.bytes;
        self.totals.without_end += parsed.without_end;
        if let Some(rows) = self.totals.rows_by_file.get_mut(parsed.file as usize) {
            *rows += parsed.rows;
        }
        if parsed.batches.is_empty() {
            self.under_way.remove(&seq);
        } else if let Some((left, _)) = self.under_way.get_mut(&seq) {
            *left = Some(parsed.batches.len());
        }
        for batch in parsed.batches {
            let key = match &batch {
                Batch::Nodes(handle, batch) => {
                    self.totals.nodes += node_rows(batch) as u64;
                    *self.nodes_to_come.entry(seq).or_insert(0) += 1;
                    LaneKey::Nodes(*handle)
                }
                Batch::Edges(handle, batch) => {
                    self.totals.edges += batch.from_keys.len() as u64;
                    LaneKey::Edges(*handle)
                }
            };
            let lane = *self.lane_of.entry(key).or_insert_with(|| {
                self.lanes.push(Lane::default());
                self.lanes.len() - 1
            });
            self.lanes[lane].waiting.push_back((seq, batch));
        }
    }
}

fn node_rows(batch: &NodeBatch) -> usize {
    match (&batch.keys, batch.columns.first()) {
        (Some(keys), _) => keys.len(),
        (None, Some(column)) => column.data.len(),
        (None, None) => 0,
    }
}

fn progress_of(state: &State, bytes_total: u64, rejects: &Rejects) -> ProgressState {
    ProgressState {
        bytes_done: state.bytes_done,
        bytes_total,
        rows: state.totals.rows,
        rejected: rejects.count(),
        phase: Phase::Load,
    }
}

//! Units of work in, batches into the sink out, in order, on several threads, with a bounded number under
//! way.
//!
//! 1. The calling thread reads units (chunks of text, row groups) and queues them, numbered.
//! 2. Workers parse them in any order; what is parsed waits until all units before it are.
//! 3. In that order, refused rows get their verdict and batches join the lane of their table.
//! 4. Workers append the batches of a lane one by one; lanes are independent of each other.
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
pub(crate) trait Feed {
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
    all_read: bool,
    stop: Option<LoadError>,
    stopped: bool,
    totals: Totals,
}

struct Shared<'a, S> {
    sink: &'a S,
    rejects: &'a Rejects,
    options: &'a LoadOptions,
    state: Mutex<State>,
    changed: Condvar,
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
    let shared = Shared { sink, rejects, options, state: Mutex::new(state), changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| shared.work());
        }
        shared.read(feed, bytes_total, meter);
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

    /// The calling thread: reads, and reports progress while it waits.
    fn read(&self, feed: &mut dyn Feed, bytes_total: u64, meter: &mut Meter<'_>) {
        let under_way_max = self.options.threads.max(1) + 2;
        let mut seq = 0;
        let mut held: Option<Unit> = None;
        let mut at_end = false;
        loop {
            if meter.is_due() {
                let now = progress_of(&self.lock(), feed, bytes_total, self.rejects);
                meter.report(&now);
            }
            let mut state = self.lock();
            if self.options.cancel.is_cancelled() {
                state.fail(LoadError::Cancelled);
            }
            if state.stopped || (at_end && state.under_way.is_empty()) {
                state.all_read = true;
                let last = progress_of(&state, feed, bytes_total, self.rejects);
                drop(state);
                self.changed.notify_all();
                meter.report(&last);
                return;
            }
            if let Some((work, bytes)) = held.take() {
                let mut reservation = self.options.budget.reservation();
                match reservation.grow(bytes) {
                    Ok(()) => {
                        state.under_way.insert(seq, (None, reservation));
                        state.queue.push_back((seq, work));
                        seq += 1;
                        drop(state);
                        self.changed.notify_all();
                        continue;
                    }
                    // Waiting for units under way to give memory back helps only if there are any.
                    Err(over) if state.under_way.is_empty() => {
                        state.fail(LoadError::Memory(over));
                        continue;
                    }
                    Err(_) => held = Some((work, bytes)),
                }
            } else if !at_end && state.under_way.len() < under_way_max {
                drop(state);
                match feed.next() {
                    Ok(Some(unit)) => held = Some(unit),
                    Ok(None) => at_end = true,
                    Err(error) => self.lock().fail(error),
                }
                continue;
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(30));
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// A worker: appends what is in order, else parses, else waits.
    fn work(&self) {
        let _guard = StopOnPanic(self);
        let mut state = self.lock();
        loop {
            if state.stopped {
                return;
            }
            if let Some((lane, seq, batch)) = state.next_batch() {
                drop(state);
                let appended = self.append(batch);
                state = self.lock();
                state.lanes[lane].busy = false;
                if let Err(error) = appended {
                    state.fail(error);
                }
                state.batch_done(seq);
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
            if state.all_read && state.under_way.is_empty() {
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
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
        }
    }
}

impl State {
    fn fail(&mut self, error: LoadError) {
        self.stopped = true;
        self.stop.get_or_insert(error);
        self.queue.clear();
    }

    fn next_batch(&mut self) -> Option<(usize, u64, Batch)> {
        let at = self.lanes.iter().position(|lane| !lane.busy && !lane.waiting.is_empty())?;
        let lane = &mut self.lanes[at];
        let (seq, batch) = lane.waiting.pop_front()?;
        lane.busy = true;
        Some((at, seq, batch))
    }

    fn batch_done(&mut self, seq: u64) {
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
                return self.fail(LoadError::Rejected { text, rejected });
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

fn progress_of(state: &State, feed: &dyn Feed, bytes_total: u64, rejects: &Rejects) -> ProgressState {
    ProgressState {
        bytes_done: feed.bytes_done(),
        bytes_total,
        rows: state.totals.rows,
        rejected: rejects.count(),
        phase: Phase::Load,
    }
}

//! Execution: one running query. Owns its snapshot and plan, and is pulled a batch at a time: nothing is
//! computed that is not fetched, unless a pipeline breaker needs it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use self_cell::self_cell;
use trimorph_algebra::BoundQuery;
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_store::{Reader, Snapshot};
use trimorph_vector::{Chunk, Vector};

use crate::lower::Lowering;
use crate::operator::{BoxOperator, Operator};
use crate::parameters::check_entities;
use crate::{Context, ExecError, Settings};

struct Owner {
    snapshot: Snapshot,
}

struct Running<'s> {
    context: Context<'s>,
    root: BoxOperator<'s>,
    chunk: Chunk<'s>,
    slots: Vec<usize>,
    done: bool,
    /// Positions of the chunk, the one that comes next, and how often it was given already.
    positions: Vec<u32>,
    at: usize,
    given: u64,
}

/// Rows given at once where a position stands for many: what a batch takes does not depend on how often its
/// rows come.
const ROWS_MAX: usize = 1 << 16;

impl Running<'_> {
    /// Pulls the next chunk, on `stack`, if the one before has been given; `false` if there is none.
    fn advance(&mut self, stack: Stack) -> Result<bool, ExecError> {
        self.context.check()?;
        if self.at < self.positions.len() {
            return Ok(true);
        }
        if self.done {
            return Ok(false);
        }
        let Self { root, chunk, context, .. } = self;
        let more = stack.run(move || context.settle(root.next(chunk, &*context)))?;
        if !more {
            return Ok(false);
        }
        self.positions = self.chunk.groups[0].positions();
        (self.at, self.given) = (0, 0);
        Ok(true)
    }

    /// The next positions, each as often as its row is meant.
    fn batch(&mut self) -> Vec<u32> {
        let group = &self.chunk.groups[0];
        if group.multiplicity.is_none() {
            self.at = 0;
            return std::mem::take(&mut self.positions);
        }
        let mut out = Vec::new();
        while let Some(p) = self.positions.get(self.at) {
            let left = group.multiplicity_at(*p as usize) - self.given;
            let room = ROWS_MAX - out.len();
            let times = usize::try_from(left).map_or(room, |left| left.min(room));
            out.extend(std::iter::repeat_n(*p, times));
            self.given += times as u64;
            if (times as u64) < left {
                break;
            }
            (self.at, self.given) = (self.at + 1, 0);
        }
        out
    }
}

self_cell!(
    struct Cell {
        owner: Owner,
        #[not_covariant]
        dependent: Running,
    }
);

/// One running query.
pub struct Execution {
    cell: Cell,
    profile: Option<ProfileCell>,
    stack: Stack,
}

/// The stack that a query runs on, if its plan is too deep for one that may be small.
#[derive(Clone, Copy)]
struct Stack(Option<usize>);

/// Operators and expressions within each other up to which a query runs on the caller's stack. 512 KiB, what
/// a thread may have on some systems, are 4 KiB for each.
const CALLERS_DEPTH_MAX: usize = 128;
/// Stack for each level of a deep plan: what lowering takes for one in a dev build, several times.
const LEVEL_BYTES: usize = 16 << 10;
/// Stack beside that.
const STACK_BYTES: usize = 2 << 20;

impl Stack {
    fn of(query: &BoundQuery) -> Self {
        let depth = query.depth.unwrap_or_else(|| query.plan.depth() + query.plan.expression_depth());
        Self((depth > CALLERS_DEPTH_MAX).then(|| STACK_BYTES + depth * LEVEL_BYTES))
    }

    fn run<T: Send>(self, work: impl FnOnce() -> Result<T, ExecError> + Send) -> Result<T, ExecError> {
        match self.0 {
            None => work(),
            Some(bytes) => trimorph_base::on_stack_of(bytes, work).unwrap_or_else(|| Err(no_thread())),
        }
    }
}

fn no_thread() -> ExecError {
    let text = "could not start a thread for a query with a plan this deep";
    ExecError::Query(
        Diagnostic::runtime(ErrorKind::Unsupported, "NoThread", text).hint("try again with fewer threads"),
    )
}

impl Drop for Execution {
    /// Operators drop their inputs, which is calls within calls too.
    fn drop(&mut self) {
        if self.stack.0.is_some() {
            self.cell.with_dependent_mut(|_, running| {
                let root: BoxOperator<'_> = Box::new(crate::ops::Empty);
                let root = std::mem::replace(&mut running.root, root);
                // Without a thread the caller's stack has to do.
                let _ = self.stack.run(move || {
                    drop(root);
                    Ok(())
                });
            });
        }
    }
}

impl Execution {
    /// Starts a query that the optimizer has planned.
    ///
    /// **Errors**: a parameter without a value or with an entity of another database, a LIMIT that is no
    /// count; nothing has been read yet.
    pub fn start(
        query: Arc<BoundQuery>,
        snapshot: Snapshot,
        mut settings: Settings,
    ) -> Result<Self, ExecError> {
        let stack = Stack::of(&query);
        settings.stack_bytes = stack.0;
        let settings = Arc::new(settings);
        let profile = settings.profile.then(ProfileCell::default);
        let cells = profile.clone();
        let cell = Cell::try_new(Owner { snapshot }, |owner| {
            let reader = Reader::new(&owner.snapshot);
            let checked = check_entities(&settings.parameters, &reader);
            reader.failure().map_or(Ok(()), |error| Err(ExecError::from(error)))?;
            checked?;
            let lowered = Arc::clone(&settings);
            let (root, group_slots, slots) =
                stack.run(move || Lowering::new(query, &owner.snapshot, lowered, cells).root())?;
            let context = Context::new(&owner.snapshot, settings);
            Ok::<_, ExecError>(Running {
                context,
                root,
                chunk: Chunk::with_slots(&[group_slots]),
                slots,
                done: false,
                positions: Vec::new(),
                at: 0,
                given: 0,
            })
        })?;
        Ok(Self { cell, profile, stack })
    }

    /// Hands the next batch to `take`: the columns, the positions that are rows, in order (a position stands
    /// there as often as the row is meant), and the context that turns edges into values. `None` when there
    /// is no more.
    pub fn next<T>(
        &mut self,
        take: impl FnOnce(&[&Vector<'_>], &[u32], &Context<'_>) -> T,
    ) -> Result<Option<T>, ExecError> {
        self.cell.with_dependent_mut(|_, running| {
            match running.advance(self.stack) {
                Ok(true) => {}
                Ok(false) => {
                    running.done = true;
                    return Ok(None);
                }
                Err(e) => {
                    running.done = true;
                    running.positions.clear();
                    return Err(e);
                }
            }
            let positions = running.batch();
            let group = &running.chunk.groups[0];
            let columns: Vec<&Vector<'_>> = running.slots.iter().map(|s| &group.vectors[*s]).collect();
            let taken = take(&columns, &positions, &running.context);
            // Entities are read when they are taken.
            let taken = running.context.settle(Ok(Some(taken)));
            running.done |= taken.is_err();
            taken
        })
    }

    /// Pieces that were read from files because of this query.
    pub fn pieces_read(&self) -> u64 {
        self.cell.with_dependent(|_, running| running.context.reader.pieces_read())
    }

    /// What each operator did, by its place in the plan; empty unless the query runs with `profile`.
    pub fn profile(&self) -> Profile {
        self.profile.as_ref().map(ProfileCell::read).unwrap_or_default()
    }
}

/// What one operator did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileLine {
    /// Tuples its chunks stood for.
    pub tuples: u64,
    /// Positions in its chunks' selections, summed over groups: what was materialised.
    pub positions: u64,
    /// Chunks.
    pub chunks: u64,
    /// Nanoseconds inside it and its inputs.
    pub nanos: u64,
}

/// By place in the plan (child indices from the root).
pub type Profile = HashMap<Vec<usize>, ProfileLine>;

#[derive(Debug, Default)]
struct Counters {
    tuples: AtomicU64,
    positions: AtomicU64,
    chunks: AtomicU64,
    nanos: AtomicU64,
}

/// Counters shared by all twins of all operators.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProfileCell(Arc<Mutex<HashMap<Vec<usize>, Arc<Counters>>>>);

impl ProfileCell {
    /// `groups` is how many groups the operator's chunks have; those after are filled further up.
    pub(crate) fn wrap<'s>(
        &self,
        path: Vec<usize>,
        groups: usize,
        inner: BoxOperator<'s>,
    ) -> BoxOperator<'s> {
        let counters =
            Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(path).or_default());
        Box::new(Profiled { inner, groups, counters })
    }

    fn read(&self) -> Profile {
        let get = |a: &AtomicU64| a.load(Ordering::Relaxed);
        (self.0.lock().unwrap_or_else(PoisonError::into_inner).iter())
            .map(|(path, c)| {
                let line = ProfileLine {
                    tuples: get(&c.tuples),
                    positions: get(&c.positions),
                    chunks: get(&c.chunks),
                    nanos: get(&c.nanos),
                };
                (path.clone(), line)
            })
            .collect()
    }
}

struct Profiled<'s> {
    inner: BoxOperator<'s>,
    groups: usize,
    counters: Arc<Counters>,
}

impl<'s> Operator<'s> for Profiled<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let start = Instant::now();
        let result = self.inner.next(chunk, cx);
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters.nanos.fetch_add(nanos, Ordering::Relaxed);
        if matches!(result, Ok(true)) {
            let tuples = chunk
                .groups
                .iter()
                .take(self.groups)
                .filter_map(|g| g.tuples())
                .fold(1u64, u64::saturating_mul);
            let positions: usize = chunk.groups.iter().take(self.groups).map(|g| g.positions().len()).sum();
            self.counters.tuples.fetch_add(tuples, Ordering::Relaxed);
            self.counters.positions.fetch_add(positions as u64, Ordering::Relaxed);
            self.counters.chunks.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self { inner: self.inner.fork(), groups: self.groups, counters: Arc::clone(&self.counters) })
    }
}

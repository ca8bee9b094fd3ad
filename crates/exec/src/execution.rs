//! Execution: one running query. Owns its snapshot and operators, and is pulled a batch at a time: nothing is
//! computed that is not fetched, unless a pipeline breaker needs it.

use std::borrow::Cow;
use std::sync::Arc;

use self_cell::self_cell;
use trimorph_algebra::BoundQuery;
use trimorph_base::{CancelToken, free_elsewhere};
use trimorph_store::Snapshot;
use trimorph_vector::{Chunk, Values, Vector};

use crate::build::Builder;
use crate::operator::BoxOperator;
use crate::parallel::on_each;
use crate::parameters::check_entities;
use crate::physical::{PhysicalOptions, PhysicalPlan, Start};
use crate::profile::{Profile, ProfileCell};
use crate::round::{Run, round};
use crate::running::Running;
use crate::stack::Stack;
use crate::{Context, ExecError, GivenRows, Settings};

struct Owner {
    snapshot: Snapshot,
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

impl Drop for Execution {
    /// Operators drop their inputs, which is calls within calls too.
    fn drop(&mut self) {
        if self.stack.0.is_some() {
            self.cell.with_dependent_mut(|_, running| {
                let root: BoxOperator<'_> = Box::new(crate::ops::Empty);
                self.stack.drop(std::mem::replace(&mut running.root, root));
            });
        }
    }
}

impl Execution {
    /// Plans a query that the optimizer has planned, and starts it.
    ///
    /// **Errors**: as [`Self::run`].
    pub fn start(query: &BoundQuery, snapshot: Snapshot, settings: Settings) -> Result<Self, ExecError> {
        let options = PhysicalOptions { factorise: settings.factorise, access: settings.access };
        Self::run(&PhysicalPlan::of_snapshot(query, &snapshot, options)?, snapshot, settings)
    }

    /// Starts a plan that was made for the catalog of the snapshot.
    ///
    /// **Errors**: a parameter without a value or with an entity of another database, a LIMIT that is no
    /// count; nothing has been read yet.
    pub fn run(plan: &PhysicalPlan, snapshot: Snapshot, settings: Settings) -> Result<Self, ExecError> {
        Self::run_from(None, plan, snapshot, Arc::new(settings))
    }

    /// The same from rows that are there, where the plan starts from an argument.
    pub fn run_from(
        rows: Option<Arc<GivenRows>>,
        plan: &PhysicalPlan,
        snapshot: Snapshot,
        mut settings: Arc<Settings>,
    ) -> Result<Self, ExecError> {
        let stack = plan.stack;
        if (settings.stack_bytes, settings.breakers) != (stack.0, plan.breakers) {
            let settings = Arc::make_mut(&mut settings);
            (settings.stack_bytes, settings.breakers) = (stack.0, plan.breakers);
        }
        let profile = settings.profile.then(ProfileCell::default);
        let counters = profile.clone();
        let cell = Cell::try_new(Owner { snapshot }, |owner| {
            let context = Context::new(&owner.snapshot, Arc::clone(&settings));
            let checked = check_entities(&settings.parameters, &context.reader);
            context.reader.failure().map_or(Ok(()), |error| Err(ExecError::from(error)))?;
            checked?;
            let (root, context) = stack.run(move || {
                let bound = Start::new(&context).bind(plan)?;
                let builder = Builder::new(settings, &owner.snapshot, (bound, rows), counters);
                Ok((builder.build(&plan.root)?, context))
            })?;
            let chunk = Chunk::with_slots(&[plan.group_slots]);
            // Who never asks for rows holds nothing up.
            context.reader.leave();
            Ok::<_, ExecError>(Running::new(context, root, chunk, plan.columns.clone()))
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
        let stack = self.stack;
        self.at_work(|running| {
            if !running.pull(stack)? {
                return Ok(None);
            }
            let positions = running.batch();
            let group = &running.chunk.groups[0];
            // Those who take them tell columns of a type from others: integers beside floats are none.
            let columns = running.slots.iter().map(|s| match &group.vectors[*s] {
                numbers @ Vector { values: Values::Number(_), .. } => {
                    Cow::Owned(numbers.clone().without_numbers())
                }
                other => Cow::Borrowed(other),
            });
            let columns: Vec<Cow<'_, Vector<'_>>> = columns.collect();
            let columns: Vec<&Vector<'_>> = columns.iter().map(AsRef::as_ref).collect();
            let taken = take(&columns, &positions, &running.context);
            // Entities are read when they are taken.
            let taken = running.context.settle(Ok(Some(taken)));
            running.done |= taken.is_err();
            taken
        })
    }

    /// Calls `make` with runs of the next rows, on all threads of the settings at once; gives what it made of
    /// each, in the order of the rows. `first` is taken and handed on with the first run. `None` when there
    /// are no more rows; then it stays. See [`crate::Run`].
    ///
    /// **Errors**: the query's; rows that were computed before are lost.
    pub fn next_round<S: Send, T: Send + 'static>(
        &mut self,
        run_rows: usize,
        first: &mut Option<S>,
        make: impl Fn(Option<S>, Run<'_, '_>, &Context<'_>) -> T + Sync,
    ) -> Result<Option<Vec<T>>, ExecError> {
        let stack = self.stack;
        self.at_work(|running| {
            let made = round(running, stack, run_rows, first, make);
            running.done |= made.is_err();
            made
        })
    }

    /// Takes a step. Between steps, for which nobody may ever ask, it has nothing of the delta in its hands.
    fn at_work<T>(&mut self, step: impl FnOnce(&mut Running<'_>) -> T) -> T {
        self.cell.with_dependent_mut(|_, running| {
            running.context.reader.enter();
            let made = step(running);
            running.context.reader.leave();
            made
        })
    }

    /// Calls `make` with each item, on all threads of the settings; gives what it made, in their order.
    pub fn on_each<I: Send, T: Send + 'static>(
        &self,
        items: Vec<I>,
        make: impl Fn(I) -> T + Sync,
    ) -> Result<Vec<T>, ExecError> {
        self.cell.with_dependent(|_, running| on_each(items, &running.context, |item, _| Ok(make(item))))
    }

    /// Threads that work on it, the caller's included.
    pub fn threads(&self) -> usize {
        self.cell.with_dependent(|_, running| running.context.settings.threads)
    }

    /// Lets go of it; on another thread where somebody asked it to stop, as that may take long.
    pub fn discard(self) {
        let is_cancelled =
            self.cell.with_dependent(|_, running| running.context.settings.cancel.is_cancelled());
        if is_cancelled {
            free_elsewhere(self);
        }
    }

    /// What stops it.
    pub fn cancel_token(&self) -> CancelToken {
        self.cell.with_dependent(|_, running| running.context.settings.cancel.clone())
    }

    /// Pieces that were read from files because of this query.
    pub fn pieces_read(&self) -> u64 {
        self.cell.with_dependent(|_, running| running.context.reader.pieces_read())
    }

    /// Bytes that the query has put into temporary files so far.
    pub fn spilled_bytes(&self) -> u64 {
        self.cell.with_dependent(|_, running| running.context.spilling.query_bytes())
    }

    /// What each operator did, by its place in the plan; empty unless the query runs with `profile`.
    pub fn profile(&self) -> Profile {
        self.profile.as_ref().map(ProfileCell::read).unwrap_or_default()
    }
}

//! Connections: text in, a lazy result out.

mod small;
mod transacting;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use trimorph_algebra::{BoundQuery, Plan, Procedures};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, on_stack_of, return_spare_memory};
use trimorph_catalog::CatalogView;
use trimorph_cypher::ast::Mode;
use trimorph_exec::{ExecError, Execution, GivenRows, PhysicalOptions, PhysicalPlan, Settings};
use trimorph_functions::Clock;
use trimorph_mvcc::{Intent, Isolation};
use trimorph_store::Snapshot;
use trimorph_types::Value;

use crate::commands::{Answer, Command, shown_by_a_call};
use crate::copy_statement::{Language, begins as is_copy};
use crate::estimator::Sampler;
use crate::functions::Registry;
use crate::handle::Handle;
use crate::own_config::OwnConfig;
use crate::params::Params;
use crate::plan::{self, PlanForm};
use crate::plan_cache::Made;
use crate::planned::Planned;
use crate::read_command::read_command;
use crate::result::QueryResult;
use crate::shared::Shared;
use crate::transaction::{
    BY_CONFLICT, LATE_TRIES, Running, State, TRIES, Way, back_off, ended, no_transaction,
};
use crate::update::{Program, Statement, Writing};
use crate::{Error, Notice, Row, SideEffects, TransactionOptions, entity::Entities, running_functions};

/// Bytes of text that are planned on the caller's stack. A longer text may hold hundreds of levels of
/// brackets, and a thread is little compared with the rest of its planning.
const CALLERS_TEXT_MAX: usize = 1_024;
/// The stack that longer texts are planned on: for the most levels that the parser lets through, several
/// times.
const PLANNING_STACK_BYTES: usize = 32 << 20;

pub(crate) fn no_thread(text: &str) -> Error {
    let primary = "could not start a thread to plan a query this long";
    let error = Diagnostic::runtime(ErrorKind::Unsupported, "NoThread", primary);
    Error::query(error.hint("try again with fewer threads"), text)
}

/// A connection. Queries of one connection run one at a time on the caller's thread.
pub struct Connection {
    shared: Handle,
    own: OwnConfig,
    cancel: Mutex<CancelToken>,
    transaction: Arc<Mutex<State>>,
    /// Versions and edges that its last transaction wrote; the next one is expected to write as many.
    last_written: AtomicU64,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Connection");
        shown
            .field("dir", &self.shared.dir)
            .field("read_only", &self.own.is_read_only)
            .finish_non_exhaustive()
    }
}

fn named(params: &[(&str, Value)]) -> Params {
    params.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect()
}

/// A query that was parsed and planned. It is planned again by itself when something has changed that the
/// plan relied on.
#[derive(Clone)]
pub struct Prepared {
    text: Arc<str>,
    made: Made,
    /// How its plan is shown, if it is for that.
    form: PlanForm,
}

/// The rows of a statement that writes, and what it did.
pub(crate) type Done = (Arc<GivenRows>, SideEffects);

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("text", &self.text).finish_non_exhaustive()
    }
}

impl Prepared {
    #[cfg(test)]
    pub(crate) fn planned(&self) -> &Planned {
        match &self.made {
            Made::Read(planned) => planned,
            Made::Write(_) => unreachable!("a statement that reads"),
        }
    }

    /// Names in the text that nothing has, as of the data the plan was made for.
    pub fn notices(&self) -> Vec<Notice> {
        let query = match &self.made {
            Made::Read(planned) => &*planned.query,
            Made::Write(program) => &program.query,
        };
        Notice::list(&query.notices, &self.text)
    }
}

impl Connection {
    pub(crate) fn new(shared: Handle, own: OwnConfig) -> Self {
        let (cancel, transaction) = Default::default();
        // The first time nobody knows.
        Self { shared, own, cancel, transaction, last_written: AtomicU64::new(1) }
    }

    /// Whether it writes nothing.
    pub(crate) fn is_read_only(&self) -> bool {
        self.own.is_read_only
    }

    /// Whether its statements may read and write files.
    pub(crate) fn may_use_files(&self) -> bool {
        self.own.file_access
    }

    /// Makes what a transaction needs that is open and is about to write.
    ///
    /// **Errors**: a connection that may not; a bulk load beside it.
    pub(crate) fn ready_to_write(&self) -> Result<(), Error> {
        if self.own.is_read_only {
            return Err(Error::ReadOnly);
        }
        self.shared.ready_to_write()
    }

    /// Stops the query that runs on this connection now, from any thread; within 100 ms as a rule.
    pub fn interrupt(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Runs an openCypher query with parameters given as pairs.
    pub fn query(&self, text: &str, params: &[(&str, Value)]) -> Result<QueryResult, Error> {
        self.execute(text, Arc::new(named(params)))
    }

    /// As [`Self::query`], with a time that it may take, from now until its last row was fetched; whatever
    /// [`Config::timeout`](crate::Config::timeout) says.
    ///
    /// **Errors**: as [`Self::execute`]; [`Error::Timeout`], here or from the result. A statement that writes
    /// is undone then.
    ///
    /// ```
    /// use std::time::Duration;
    /// use trimorph::{Config, Database, Error};
    ///
    /// # fn main() -> Result<(), Error> {
    /// let connection = Database::in_memory(Config::new()).connect();
    /// let text = "UNWIND range(1, $n) AS a UNWIND range(1, $n) AS b RETURN sum(a % b)";
    /// let long = Duration::from_secs(60);
    /// let sum: i64 = connection.query_within(text, &[("n", 10.into())], long)?.one()?;
    /// assert_eq!(sum, 215);
    ///
    /// let short = Duration::from_millis(20);
    /// let result = connection.query_within(text, &[("n", 10_000_000.into())], short);
    /// let late = result.and_then(|rows| rows.one::<i64>());
    /// assert!(matches!(late, Err(Error::Timeout)), "{late:?}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn query_within(
        &self,
        text: &str,
        params: &[(&str, Value)],
        timeout: Duration,
    ) -> Result<QueryResult, Error> {
        self.execute_within(text, Arc::new(named(params)), timeout)
    }

    /// Runs an openCypher query.
    ///
    /// **Errors**: a text that does not parse or bind, with line, column and hint; a parameter without a
    /// value. Errors of evaluation come from the result.
    pub fn execute(&self, text: &str, params: Arc<Params>) -> Result<QueryResult, Error> {
        self.execute_until(text, params, CancelToken::default())
    }

    /// As [`Self::execute`]; `cancel` stops the planning and what was planned, as [`Self::interrupt`] does.
    pub fn execute_until(
        &self,
        text: &str,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        self.shared.can_be_read_here()?;
        let cancel = self.limited(cancel);
        self.watch(&cancel);
        let (asked, form) = plan::asked(text).map_err(|d| Error::query(d, text))?;
        let done = self.execute_limited(&asked, params, cancel.clone());
        done.map(|result| result.drawn(form)).map_err(|error| error.stopped_by(&cancel))
    }

    /// Runs an openCypher query, which may take `timeout` from now until its last row was fetched.
    ///
    /// **Errors**: as [`Self::execute`]; [`Error::Timeout`], here or from the result. A statement that writes
    /// is undone then.
    pub fn execute_within(
        &self,
        text: &str,
        params: Arc<Params>,
        timeout: Duration,
    ) -> Result<QueryResult, Error> {
        let cancel = CancelToken::default();
        // What is beyond the clock's end is never.
        let limited = Instant::now().checked_add(timeout).map(|end| cancel.until(end));
        self.execute_until(text, params, limited.unwrap_or(cancel))
    }

    /// With the deadline of this handle's queries, if it has none of its own.
    fn limited(&self, cancel: CancelToken) -> CancelToken {
        let end = || {
            let timeout = self.own.timeout?;
            Instant::now().checked_add(timeout)
        };
        match end() {
            Some(end) if !cancel.has_deadline() => cancel.until(end),
            _ => cancel,
        }
    }

    fn execute_limited(
        &self,
        text: &str,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let is_alone = !self.in_transaction();
        // What was planned before is no command.
        if is_alone
            && let Some(made) = self.shared.plans.kept(text, &self.shared.procedures())
            && let Some(done) = self.run_kept(text, &made, &params, &cancel)
        {
            return done;
        }
        if let Some(command) = read_command(text) {
            let command = command.map_err(|d| Error::query(d, text))?;
            let answer = self.obey(command, &cancel)?;
            return self.tell(text, answer, params, cancel);
        }
        if is_copy(text, Language::Cypher) {
            return self.copy(text, Language::Cypher, params, cancel);
        }
        if let Some(call) = shown_by_a_call(text) {
            return self.execute_limited(&call, params, cancel);
        }
        if let Some(statement) = trimorph_cypher::parse_schema(text) {
            let statement = statement.map_err(|d| Error::exec(ExecError::from(d), text))?;
            let (answer, effects) = self.obey_schema(statement, text, &params, &cancel)?;
            let given = self.tell(text, answer, params, cancel)?;
            return Ok(given.with_side_effects(effects));
        }
        self.shared.count_written();
        return_spare_memory();
        if !is_alone {
            return self.within_transaction(text, params, cancel);
        }
        let snapshot = self.shared.snapshot();
        match self.plan(text, Some(&params), &snapshot, &cancel)? {
            Made::Read(planned) => self.run(text, &planned, params, snapshot, cancel),
            Made::Write(program) => self.write(text, &program, params, cancel),
        }
    }

    /// The rows that a command answers with, as a result.
    pub(crate) fn tell(
        &self,
        text: &str,
        answer: Answer,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let (procedures, snapshot) = (self.shared.procedures(), self.shared.snapshot());
        // It is done: who reads late is not told that it was stopped.
        let settings = Settings { cancel: CancelToken::default(), ..self.settings(&params, cancel) };
        let planned = self.shown(text, answer.query, Mode::Normal, procedures, &snapshot)?;
        self.start(text, &planned, params, Some(answer.rows), snapshot, settings.into())
    }

    /// The plan of the query within a `COPY`, before anything of it runs.
    pub(crate) fn planned_for_copy(
        &self,
        query: &str,
        params: &Params,
        cancel: &CancelToken,
    ) -> Result<Made, Error> {
        self.plan(query, Some(params), &self.shared.snapshot(), cancel)
    }

    /// What it shares with the other connections of its database.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Does what a statement about transactions says.
    fn obey(&self, command: Command, cancel: &CancelToken) -> Result<Answer, Error> {
        match command {
            Command::Begin(isolation, read_only) => {
                let options = TransactionOptions { isolation, read_only, ..TransactionOptions::default() };
                self.begin_with(options)?;
            }
            Command::Commit => self.commit()?,
            Command::Rollback => self.rollback()?,
            Command::Checkpoint if self.own.is_read_only => return Err(Error::ReadOnly),
            Command::Checkpoint => self.shared.checkpoint_and_tidy(cancel)?,
            Command::Reorganize => return Ok(Answer::count("moved", self.reorganize(cancel)?)),
            Command::ShowDatabase => {
                return Ok(Answer::database(&self.shared.standing(self.own.is_read_only)));
            }
            Command::Terminate(numbers) => {
                let done = numbers.into_iter().map(|number| (number, self.terminate(number)));
                return Ok(Answer::terminated(done.collect()));
            }
        }
        Ok(Answer::nothing())
    }

    /// The transaction, once no statement of it is at work.
    ///
    /// **Errors**: one is, and may be the one that waits for the function that asks.
    fn transaction(&self) -> Result<MutexGuard<'_, State>, Error> {
        if !running_functions::is_running() {
            return Ok(self.transaction.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match self.transaction.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let text =
                    "a function that a query calls cannot ask a connection that is at work in a transaction";
                Err(Error::Transaction(text.to_owned()))
            }
        }
    }

    /// Parses and plans a query.
    pub fn prepare(&self, text: &str) -> Result<Prepared, Error> {
        self.prepare_until(text, &CancelToken::default())
    }

    /// As [`Self::prepare`], which `cancel` stops as [`Self::interrupt`] does.
    pub fn prepare_until(&self, text: &str, cancel: &CancelToken) -> Result<Prepared, Error> {
        self.watch(cancel);
        if is_copy(text, Language::Cypher) {
            let primary = "COPY cannot be prepared";
            let error = Diagnostic::compile(ErrorKind::Unsupported, "CopyPrepared", primary);
            return Err(Error::query(error.hint("run it as it is"), text));
        }
        let (asked, form) = plan::asked(text).map_err(|d| Error::query(d, text))?;
        let made = self.plan(&asked, None, &self.shared.snapshot(), cancel)?;
        Ok(Prepared { text: asked.into(), made, form })
    }

    /// Runs a prepared query.
    pub fn execute_prepared(&self, prepared: &Prepared, params: Arc<Params>) -> Result<QueryResult, Error> {
        self.execute_prepared_until(prepared, params, CancelToken::default())
    }

    /// Runs a prepared query, which `cancel` stops as [`Self::interrupt`] does: a signal handler may set a
    /// flag but take no lock.
    pub fn execute_prepared_until(
        &self,
        prepared: &Prepared,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        self.shared.can_be_read_here()?;
        let cancel = self.limited(cancel);
        self.watch(&cancel);
        let done = self.execute_prepared_limited(prepared, params, cancel.clone());
        done.map(|result| result.drawn(prepared.form)).map_err(|error| error.stopped_by(&cancel))
    }

    fn execute_prepared_limited(
        &self,
        prepared: &Prepared,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        if !self.in_transaction()
            && let Some(done) = self.run_kept(&prepared.text, &prepared.made, &params, &cancel)
        {
            return done;
        }
        self.execute_until(&prepared.text, params, cancel)
    }

    /// Runs what a text became when it was planned, by itself; none where that is not right any more.
    fn run_kept(
        &self,
        text: &str,
        made: &Made,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Option<Result<QueryResult, Error>> {
        self.shared.count_written();
        return_spare_memory();
        let procedures = self.shared.procedures();
        let (params, cancel) = (Arc::clone(params), cancel.clone());
        match made {
            Made::Read(planned) => {
                let snapshot = self.shared.snapshot();
                let holds = planned.holds_in(snapshot.catalog(), &procedures);
                holds.then(|| self.run(text, planned, params, snapshot, cancel))
            }
            Made::Write(program) => {
                let holds = self.shared.in_newest(|main| program.holds_in(&main.catalog, &procedures));
                holds.then(|| self.write(text, program, params, cancel))
            }
        }
    }

    /// From now on [`Self::interrupt`] sets this flag.
    pub(crate) fn watch(&self, cancel: &CancelToken) {
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
    }

    /// The plan of a text on the snapshot that it will run on, from the cache or made until `cancel` says
    /// stop.
    fn plan(
        &self,
        text: &str,
        params: Option<&Params>,
        snapshot: &Snapshot,
        cancel: &CancelToken,
    ) -> Result<Made, Error> {
        let procedures = self.shared.procedures();
        if let Some(made) = self.shared.plans.get(text, snapshot.catalog(), &procedures) {
            return Ok(made);
        }
        let work = || self.made(text, params, snapshot, procedures, cancel);
        let made = match text.len() <= CALLERS_TEXT_MAX {
            true => work(),
            false => on_stack_of(PLANNING_STACK_BYTES, work).unwrap_or_else(|| Err(no_thread(text))),
        }?;
        // What EXPLAIN shows is made with the parameters it is asked with, each time.
        if made.mode() != Mode::Explain {
            self.shared.plans.put(text, made.clone());
        }
        Ok(made)
    }

    /// A statement within a transaction, as a program: one that only reads has one part.
    fn bound(
        &self,
        text: &str,
        snapshot: &Snapshot,
        procedures: &Arc<Procedures>,
        cancel: &CancelToken,
    ) -> Result<Arc<Program>, Error> {
        if let Some(program) = self.shared.plans.program(text, snapshot.catalog(), procedures) {
            return Ok(program);
        }
        let work = || {
            let wrong = |d: Diagnostic| Error::exec(ExecError::from(d), text);
            let statement = trimorph_cypher::parse_until(text, cancel).map_err(wrong)?;
            let catalog = CatalogView::new(snapshot.catalog());
            let bound = trimorph_cypher::bind_until(&statement, &catalog, &Registry, procedures, cancel);
            let bound = bound.map_err(wrong)?;
            Ok(self.program(bound, statement.mode, &catalog, snapshot, Arc::clone(procedures)))
        };
        let program = match text.len() <= CALLERS_TEXT_MAX {
            true => work(),
            false => on_stack_of(PLANNING_STACK_BYTES, work).unwrap_or_else(|| Err(no_thread(text))),
        }?;
        match program.mode {
            Mode::Explain => {}
            _ if program.query.plan.updates() => {
                self.shared.plans.put(text, Made::Write(Arc::clone(&program)));
            }
            _ => self.shared.plans.put_program(text, Arc::clone(&program)),
        }
        Ok(program)
    }

    pub(crate) fn program(
        &self,
        bound: BoundQuery,
        mode: Mode,
        catalog: &CatalogView<'_>,
        snapshot: &Snapshot,
        procedures: Arc<Procedures>,
    ) -> Arc<Program> {
        Arc::new(Program::new(bound, mode, catalog.reliances(), snapshot.catalog(), procedures))
    }

    fn made(
        &self,
        text: &str,
        params: Option<&Params>,
        snapshot: &Snapshot,
        procedures: Arc<Procedures>,
        cancel: &CancelToken,
    ) -> Result<Made, Error> {
        let wrong = |d: Diagnostic| Error::exec(ExecError::from(d), text);
        let statement = trimorph_cypher::parse_until(text, cancel).map_err(wrong)?;
        let catalog = CatalogView::new(snapshot.catalog());
        let bound = trimorph_cypher::bind_until(&statement, &catalog, &Registry, &procedures, cancel)
            .map_err(wrong)?;
        if bound.plan.updates() {
            return Ok(Made::Write(self.program(bound, statement.mode, &catalog, snapshot, procedures)));
        }
        let options = match self.shared.config.switches.optimize {
            true => trimorph_optimizer::Options::default(),
            false => trimorph_optimizer::Options::plain(),
        };
        let options = options.within(self.shared.budget.limit_bytes());
        let estimator = Sampler::new(snapshot, params);
        let optimized =
            trimorph_optimizer::optimize_until(bound, &catalog, Some(&estimator), options, cancel)
                .map_err(wrong)?;
        let config = &self.shared.config;
        let options =
            PhysicalOptions { factorise: config.switches.factorise, access: config.switches.access };
        let physical =
            PhysicalPlan::new(&optimized.query, &catalog, options).map_err(|e| Error::exec(e, text))?;
        let (query, reliances) = (Arc::new(optimized.query), catalog.reliances());
        let physical = Arc::new(physical);
        let basis = snapshot.catalog();
        Ok(Made::Read(Planned::new(query, physical, statement.mode, reliances, basis, procedures)))
    }

    pub(crate) fn run(
        &self,
        text: &str,
        planned: &Planned,
        params: Arc<Params>,
        snapshot: Snapshot,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let settings = Settings { profile: planned.mode == Mode::Profile, ..self.settings(&params, cancel) };
        self.start(text, planned, params, None, snapshot, settings.into())
    }

    /// The rows of a text that reads, on a snapshot that a query reads already: what is read counts as read
    /// by its transaction.
    pub(crate) fn rows_on(
        &self,
        text: &str,
        snapshot: &Snapshot,
        cancel: &CancelToken,
    ) -> Result<Vec<Row>, Error> {
        let Made::Read(planned) = self.plan(text, None, snapshot, cancel)? else {
            return Err(Error::query(Diagnostic::internal("a text that is to read writes"), text));
        };
        snapshot.note_plan(planned.reliances());
        self.run(text, &planned, Arc::default(), snapshot.clone(), cancel.clone())?.rows()
    }

    /// How queries of this connection are run.
    pub(crate) fn settings(&self, params: &Arc<Params>, cancel: CancelToken) -> Settings {
        let config = &self.shared.config;
        Settings {
            threads: config.threads,
            workers: self.shared.workers.clone(),
            patient: true,
            vector_size: config.switches.vector_size,
            factorise: config.switches.factorise,
            access: config.switches.access,
            budget: self.shared.budget.clone(),
            spill: self.shared.spill.clone(),
            cancel,
            parameters: Arc::clone(params),
            clock: Clock::now(),
            profile: false,
            stack_bytes: None,
            breakers: 0,
        }
    }

    /// Runs a statement that writes, in a transaction of its own that is committed when it is over. If it
    /// meets a conflict it is run again.
    pub(crate) fn write(
        &self,
        text: &str,
        program: &Program,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let settings = Arc::new(self.settings(&params, cancel.clone()));
        if program.mode == Mode::Explain {
            let none = program.no_rows();
            return self.answered(text, program, params, none, settings, self.shared.snapshot());
        }
        let done = self
            .committed(&cancel, |writing| self.statement(text, program, &params, &settings).run(writing))?;
        self.is_written(text, program, params, settings, done)
    }

    /// The result of a statement that was written.
    fn is_written(
        &self,
        text: &str,
        program: &Program,
        params: Arc<Params>,
        settings: Arc<Settings>,
        (rows, effects): Done,
    ) -> Result<QueryResult, Error> {
        // Without columns nothing is read of what is there now.
        let snapshot = match program.query.columns.is_empty() && program.mode == Mode::Normal {
            true => self.shared.base(),
            false => self.shared.snapshot(),
        };
        let given = self.answered(text, program, params, rows, settings, snapshot)?;
        Ok(given.with_side_effects(effects))
    }

    /// Does `work` in a transaction of its own and commits it; again, where it meets a conflict.
    pub(crate) fn committed<T>(
        &self,
        cancel: &CancelToken,
        mut work: impl FnMut(&mut Writing) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut tries = 0;
        loop {
            let expected = self.last_written.load(Ordering::Relaxed).max(1);
            self.shared.wait_for_room(expected, cancel);
            let way = Way::after(&self.shared, tries, None);
            let level = self.own.isolation;
            let mut writing =
                Writing::begin(&self.shared, (level, Intent::Write), cancel.clone(), way.turn());
            // Now that it is open: a bulk load that begins sees it.
            self.ready_to_write()?;
            self.shared.start_merging();
            let done = work(&mut writing);
            self.last_written.store(writing.written(), Ordering::Relaxed);
            match done.and_then(|rows| writing.commit(&self.shared).map(|()| rows)) {
                Err(Error::Conflict(_)) if tries < TRIES && !cancel.is_cancelled() => {}
                done => return done,
            }
            drop(way);
            back_off(tries);
            tries += 1;
        }
    }

    pub(crate) fn statement<'a>(
        &'a self,
        text: &'a str,
        program: &'a Program,
        params: &'a Arc<Params>,
        settings: &'a Arc<Settings>,
    ) -> Statement<'a> {
        Statement { shared: &self.shared, text, program, params, settings, is_small: false }
    }

    /// Runs a statement within the open transaction. If it fails it is undone, and the transaction goes on; a
    /// conflict ends it.
    fn within_transaction(
        &self,
        text: &str,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        if let Some(shown) = self.plan_within(text, &params, &cancel)? {
            return Ok(shown);
        }
        let settings = Arc::new(self.settings(&params, cancel.clone()));
        let procedures = self.shared.procedures();
        self.within(text, params.clone(), cancel, |running| {
            self.run_within(running, text, &params, &settings, &procedures)
        })
    }

    /// The plan of a text that is to be shown and only reads, within the open transaction; none of any other
    /// text.
    fn plan_within(
        &self,
        text: &str,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Result<Option<QueryResult>, Error> {
        let words = ["EXPLAIN", "PROFILE", "//", "/*"];
        let begins = |word: &str| {
            text.trim_start().get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        let mut state = self.transaction()?;
        let (State::Open(running), true) = (&mut *state, words.into_iter().any(begins)) else {
            return Ok(None);
        };
        if running.session.begin_statement(text, cancel).is_err() {
            return Ok(None);
        }
        running.writing.begin_statement(&self.shared);
        let snapshot = running.writing.snapshot(running.writing.base(&self.shared));
        let shown = match self.plan(text, Some(params), &snapshot, cancel) {
            Ok(Made::Read(planned)) if planned.mode != Mode::Normal => {
                Some(self.run(text, &planned, Arc::clone(params), snapshot, cancel.clone()))
            }
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        };
        match running.session.end_statement() {
            // It is told why by who runs its next statement.
            Some(_) => Ok(None),
            None => shown.transpose(),
        }
    }

    /// The same with what runs it.
    pub(crate) fn within(
        &self,
        text: &str,
        params: Arc<Params>,
        cancel: CancelToken,
        mut work: impl FnMut(&mut Running) -> Result<(Arc<Program>, Done), Error>,
    ) -> Result<QueryResult, Error> {
        let mut state = self.transaction()?;
        let settings = Arc::new(self.settings(&params, cancel.clone()));
        let mut tries = 0;
        let (program, (rows, effects)) = loop {
            let running = match &mut *state {
                State::Open(running) => running,
                State::Ended(why) => return Err(ended(why)),
                State::None => return Err(no_transaction()),
            };
            let done = match running.session.begin_statement(text, &cancel) {
                Ok(()) => work(running),
                Err(_) => Err(Error::Cancelled),
            };
            let doom = running.session.end_statement();
            // Who writes and has been overtaken would not commit: nobody has seen its answer yet.
            let is_late = done.as_ref().is_ok_and(|(program, _)| program.query.plan.updates())
                && running.may_begin_again()
                && tries < LATE_TRIES
                && running.writing.is_overtaken(&self.shared);
            let is_conflict = is_late || matches!(done, Err(Error::Conflict(_)));
            if is_late {
                // Those that are about to commit have: their locks are not waited for, only the log.
                self.shared.live().transactions.settle();
            }
            if is_conflict && doom.is_none() && running.may_begin_again() && tries < TRIES {
                if running.writing.level() != Isolation::ReadCommitted {
                    running.writing.begin_again(&self.shared);
                }
                back_off(tries);
                tries += 1;
                continue;
            }
            if let Some(why) = doom.or(is_conflict.then_some(BY_CONFLICT)) {
                self.shared.sessions.end(running.session.number);
                *state = State::Ended(why);
                return Err(done.err().filter(|_| doom.is_none()).unwrap_or_else(|| ended(why)));
            }
            let done = done?;
            running.has_answered = true;
            break done;
        };
        let State::Open(running) = &*state else { return Err(no_transaction()) };
        let snapshot = running.writing.snapshot(running.writing.base(&self.shared));
        let given = self.answered(text, &program, params, rows, settings, snapshot)?;
        Ok(given.with_side_effects(effects))
    }

    /// Runs a statement once; what it wrote is undone if it fails.
    fn run_within(
        &self,
        running: &mut Running,
        text: &str,
        params: &Arc<Params>,
        settings: &Arc<Settings>,
        procedures: &Arc<Procedures>,
    ) -> Result<(Arc<Program>, Done), Error> {
        let writing = &mut running.writing;
        writing.begin_statement(&self.shared);
        let snapshot = writing.snapshot(writing.base(&self.shared));
        let program = self.bound(text, &snapshot, procedures, &settings.cancel)?;
        if program.mode == Mode::Explain {
            let none = program.no_rows();
            return Ok((program, (none, SideEffects::default())));
        }
        if program.query.plan.updates() {
            self.ready_to_write()?;
            writing.begin_to_write()?;
            self.shared.start_merging();
        }
        let mark = writing.mark();
        let done = self.statement(text, &program, params, settings).run(writing);
        let done = done.and_then(|done| writing.check_read().map(|()| done));
        if done.is_err() {
            writing.undo_to(&mark);
        }
        done.map(|done| (program, done))
    }

    /// The result of a statement that ran, and whose rows are there: handed out as those of any query.
    pub(crate) fn answered(
        &self,
        text: &str,
        program: &Program,
        params: Arc<Params>,
        rows: Arc<GivenRows>,
        settings: Arc<Settings>,
        snapshot: Snapshot,
    ) -> Result<QueryResult, Error> {
        let planned = match program.shown.get() {
            Some(planned) => planned.clone(),
            None => {
                let procedures = Arc::clone(program.procedures());
                let made = self.shown(text, program.query.clone(), program.mode, procedures, &snapshot)?;
                program.shown.get_or_init(|| made).clone()
            }
        };
        if program.mode == Mode::Normal && program.query.columns.is_empty() {
            // Nothing is left to be done: who keeps the result does not keep the rows that it was given.
            let entities = Entities::new(snapshot);
            return Ok(QueryResult::new(text, None, planned, Arc::default(), entities));
        }
        // It is done, and maybe committed: who reads late is not told that it was stopped.
        let settings = Settings { cancel: CancelToken::default(), ..Arc::unwrap_or_clone(settings) };
        self.start(text, &planned, params, Some(rows), snapshot, settings.into())
    }

    /// A plan that hands out rows that are there.
    fn shown(
        &self,
        text: &str,
        query: BoundQuery,
        mode: Mode,
        procedures: Arc<Procedures>,
        snapshot: &Snapshot,
    ) -> Result<Planned, Error> {
        let catalog = CatalogView::new(snapshot.catalog());
        let shown = BoundQuery {
            plan: Plan::Argument(query.columns.iter().map(|(_, var)| *var).collect()),
            columns: query.columns.clone(),
            vars: query.vars.clone(),
            parameters: Vec::new(),
            notices: query.notices.clone(),
            depth: None,
            answer: query.answer,
        };
        let config = &self.shared.config;
        let options =
            PhysicalOptions { factorise: config.switches.factorise, access: config.switches.access };
        let physical = PhysicalPlan::new(&shown, &catalog, options).map_err(|e| Error::exec(e, text))?;
        let kept = if mode == Mode::Normal { shown } else { query };
        let reliances = catalog.reliances();
        let (kept, physical) = (Arc::new(kept), Arc::new(physical));
        Ok(Planned::new(kept, physical, mode, reliances, snapshot.catalog(), procedures))
    }

    /// Starts a plan; what returns nothing, or shows its plan, runs to its end.
    fn start(
        &self,
        text: &str,
        planned: &Planned,
        params: Arc<Params>,
        rows: Option<Arc<GivenRows>>,
        snapshot: Snapshot,
        settings: Arc<Settings>,
    ) -> Result<QueryResult, Error> {
        let entities = Entities::new(snapshot.clone());
        let gives_rows = planned.mode == Mode::Normal && !planned.query.columns.is_empty();
        if gives_rows && let Some(few) = planned.physical.few_rows(rows.as_deref(), &snapshot, &settings) {
            return Ok(QueryResult::new(text, None, planned.clone(), params, entities).with_rows(few));
        }
        let execution = Execution::run_from(rows, &planned.physical, snapshot, settings);
        let execution = execution.map_err(|e| Error::exec(e, text))?;
        let (execution, kept) = (Some(execution), planned.clone());
        let mut result = QueryResult::new(text, execution, kept, params, entities);
        match planned.mode {
            Mode::Explain => result.replace_by_plan(),
            Mode::Profile => {
                while result.next_row()?.is_some() {}
                result.replace_by_plan();
            }
            // Nothing is returned: what the query is run for happens now.
            Mode::Normal if planned.query.columns.is_empty() => result.run_for_effect()?,
            Mode::Normal => {}
        }
        Ok(result)
    }
}

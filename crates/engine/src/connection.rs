//! Connections: text in, a lazy result out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_algebra::{BoundQuery, Plan, Procedures, Vars};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, on_stack_of};
use trimorph_catalog::CatalogView;
use trimorph_cypher::ast::Mode;
use trimorph_exec::{ExecError, Execution, PhysicalOptions, PhysicalPlan, Settings};
use trimorph_functions::Clock;
use trimorph_mvcc::Isolation;
use trimorph_store::Snapshot;
use trimorph_types::{LogicalType, Value};

use crate::estimator::Sampler;
use crate::functions::Registry;
use crate::params::Params;
use crate::plan_cache::Planned;
use crate::result::QueryResult;
use crate::shared::Shared;
use crate::update::{Statement, Writing};
use crate::{Error, Notice, entity::Entities};

/// Bytes of text that are planned on the caller's stack. A longer text may hold hundreds of levels of
/// brackets, and a thread is little compared with the rest of its planning.
const CALLERS_TEXT_MAX: usize = 1_024;
/// The stack that longer texts are planned on: for the most levels that the parser lets through, several
/// times.
const PLANNING_STACK_BYTES: usize = 32 << 20;

fn no_thread(text: &str) -> Error {
    let primary = "could not start a thread to plan a query this long";
    let error = Diagnostic::runtime(ErrorKind::Unsupported, "NoThread", primary);
    Error::query(error.hint("try again with fewer threads"), text)
}

/// A connection. Queries of one connection run one at a time on the caller's thread.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    cancel: Mutex<CancelToken>,
    transaction: Mutex<Transaction>,
}

/// The transaction of a connection.
#[derive(Default)]
enum Transaction {
    /// Each statement has its own.
    #[default]
    None,
    /// Begun, and neither committed nor rolled back.
    Open(Box<Writing>),
    /// A statement of it failed: all it wrote is undone, and it waits to be ended.
    Failed,
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Open(_) => "Open",
            Self::Failed => "Failed",
        })
    }
}

/// A statement that is about transactions.
enum Control {
    Begin,
    Commit,
    Rollback,
}

impl Control {
    /// `BEGIN`, `COMMIT` and `ROLLBACK`, with or without `TRANSACTION` behind.
    fn of(text: &str) -> Option<Self> {
        let mut words = text.trim().trim_end_matches(';').split_whitespace();
        let control = match words.next()?.to_ascii_uppercase().as_str() {
            "BEGIN" => Self::Begin,
            "COMMIT" => Self::Commit,
            "ROLLBACK" => Self::Rollback,
            _ => return None,
        };
        let rest = words.next().is_none_or(|word| word.eq_ignore_ascii_case("TRANSACTION"));
        (rest && words.next().is_none()).then_some(control)
    }
}

/// A query that gives nothing.
fn nothing() -> BoundQuery {
    BoundQuery {
        plan: Plan::Unit,
        columns: Vec::new(),
        vars: Vars::default(),
        parameters: Vec::new(),
        notices: Vec::new(),
        depth: None,
    }
}

fn no_transaction() -> Error {
    Error::Transaction("there is no open transaction; begin one first".to_owned())
}

/// A query that was parsed and planned. It is planned again by itself when something has changed that the
/// plan relied on.
#[derive(Clone, Debug)]
pub struct Prepared {
    text: Arc<str>,
    /// None of a statement that writes.
    planned: Option<Planned>,
}

/// What becomes of a text.
enum Made {
    /// A plan that reads.
    Read(Planned),
    /// A statement that writes, whose parts are planned when they run.
    Write(Box<BoundQuery>, Mode),
}

impl Prepared {
    #[cfg(test)]
    pub(crate) fn planned(&self) -> &Planned {
        self.planned.as_ref().unwrap()
    }

    /// Names in the text that nothing has, as of the data the plan was made for.
    pub fn notices(&self) -> Vec<Notice> {
        self.planned
            .as_ref()
            .map_or_else(Vec::new, |planned| Notice::list(&planned.query.notices, &self.text))
    }
}

impl Connection {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, cancel: Mutex::default(), transaction: Mutex::default() }
    }

    /// Stops the query that runs on this connection now, from any thread; within 100 ms as a rule.
    pub fn interrupt(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Runs an openCypher query with parameters given as pairs.
    pub fn query(&self, text: &str, params: &[(&str, Value)]) -> Result<QueryResult, Error> {
        let params = params.iter().map(|(k, v)| (Arc::from(*k), v.clone())).collect();
        self.execute(text, Arc::new(params))
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
        self.watch(&cancel);
        if let Some(control) = Control::of(text) {
            match control {
                Control::Begin => self.begin(),
                Control::Commit => self.commit(),
                Control::Rollback => self.rollback(),
            }?;
            let (query, procedures) = (nothing(), self.shared.procedures());
            let settings = self.settings(&params, cancel);
            return self.given(
                text,
                query,
                Mode::Normal,
                params,
                procedures,
                settings,
                self.shared.snapshot(),
            );
        }
        if self.in_transaction() {
            return self.within_transaction(text, params, cancel);
        }
        let snapshot = self.shared.snapshot();
        match self.plan(text, Some(&params), &snapshot, &cancel)? {
            Made::Read(planned) => self.run(text, &planned, params, snapshot, cancel),
            Made::Write(query, mode) => self.write(text, *query, mode, params, cancel),
        }
    }

    /// Begins a transaction: statements of this connection are parts of it until it is committed or rolled
    /// back, and see what they wrote. It reads what was committed when it began, and conflicts with whoever
    /// writes the same first.
    ///
    /// **Errors**: one is open; a database that cannot be written to.
    pub fn begin(&self) -> Result<(), Error> {
        let mut transaction = self.transaction();
        if !matches!(*transaction, Transaction::None) {
            let text = "a transaction is open already; commit it or roll it back first";
            return Err(Error::Transaction(text.to_owned()));
        }
        let writing = self.shared.begin(Isolation::Snapshot, CancelToken::default())?;
        *transaction = Transaction::Open(Box::new(writing));
        Ok(())
    }

    /// Commits the transaction.
    ///
    /// **Errors**: none is open; [`Error::Conflict`], and one that failed before: then it is rolled back.
    pub fn commit(&self) -> Result<(), Error> {
        match std::mem::take(&mut *self.transaction()) {
            Transaction::Open(writing) => writing.commit(),
            Transaction::Failed => {
                let text = "a statement of the transaction failed: it is rolled back, not committed";
                Err(Error::Transaction(text.to_owned()))
            }
            Transaction::None => Err(no_transaction()),
        }
    }

    /// Undoes the transaction.
    ///
    /// **Errors**: none is open.
    pub fn rollback(&self) -> Result<(), Error> {
        match std::mem::take(&mut *self.transaction()) {
            Transaction::None => Err(no_transaction()),
            // Dropped, it is undone.
            Transaction::Open(_) | Transaction::Failed => Ok(()),
        }
    }

    /// Whether a transaction was begun and not ended.
    pub fn in_transaction(&self) -> bool {
        !matches!(*self.transaction(), Transaction::None)
    }

    fn transaction(&self) -> MutexGuard<'_, Transaction> {
        self.transaction.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parses and plans a query.
    pub fn prepare(&self, text: &str) -> Result<Prepared, Error> {
        self.prepare_until(text, &CancelToken::default())
    }

    /// As [`Self::prepare`], which `cancel` stops as [`Self::interrupt`] does.
    pub fn prepare_until(&self, text: &str, cancel: &CancelToken) -> Result<Prepared, Error> {
        self.watch(cancel);
        let planned = match self.plan(text, None, &self.shared.snapshot(), cancel)? {
            Made::Read(planned) => Some(planned),
            // Its parts are planned when they run.
            Made::Write(..) => None,
        };
        Ok(Prepared { text: text.into(), planned })
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
        self.watch(&cancel);
        let snapshot = self.shared.snapshot();
        match &prepared.planned {
            Some(planned)
                if !self.in_transaction()
                    && planned.holds_in(snapshot.catalog(), &self.shared.procedures()) =>
            {
                self.run(&prepared.text, planned, params, snapshot, cancel)
            }
            _ => self.execute_until(&prepared.text, params, cancel),
        }
    }

    /// From now on [`Self::interrupt`] sets this flag.
    fn watch(&self, cancel: &CancelToken) {
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
        if let Some(planned) = self.shared.plans.get(text, snapshot.catalog(), &procedures) {
            return Ok(Made::Read(planned));
        }
        let work = || self.made(text, params, snapshot, procedures, cancel);
        let planned = match text.len() <= CALLERS_TEXT_MAX {
            true => work(),
            false => on_stack_of(PLANNING_STACK_BYTES, work).unwrap_or_else(|| Err(no_thread(text))),
        }?;
        // What EXPLAIN shows is made with the parameters it is asked with, each time.
        if let Made::Read(planned) = &planned
            && planned.mode != Mode::Explain
        {
            self.shared.plans.put(text, planned.clone());
        }
        Ok(planned)
    }

    /// A statement with its names looked up, and how it is to be run.
    fn bound(
        &self,
        text: &str,
        snapshot: &Snapshot,
        procedures: &Procedures,
        cancel: &CancelToken,
    ) -> Result<(BoundQuery, Mode), Error> {
        let work = || {
            let wrong = |d: Diagnostic| Error::exec(ExecError::from(d), text);
            let statement = trimorph_cypher::parse_until(text, cancel).map_err(wrong)?;
            let catalog = CatalogView::new(snapshot.catalog());
            let bound = trimorph_cypher::bind_until(&statement, &catalog, &Registry, procedures, cancel);
            Ok((bound.map_err(wrong)?, statement.mode))
        };
        match text.len() <= CALLERS_TEXT_MAX {
            true => work(),
            false => on_stack_of(PLANNING_STACK_BYTES, work).unwrap_or_else(|| Err(no_thread(text))),
        }
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
            return Ok(Made::Write(Box::new(bound), statement.mode));
        }
        let options = match self.shared.config.optimize {
            true => trimorph_optimizer::Options::default(),
            false => trimorph_optimizer::Options::plain(),
        };
        let estimator = Sampler::new(snapshot, params);
        let optimized =
            trimorph_optimizer::optimize_until(bound, &catalog, Some(&estimator), options, cancel)
                .map_err(wrong)?;
        let config = &self.shared.config;
        let options = PhysicalOptions { factorise: config.factorise, access: config.access };
        let physical =
            PhysicalPlan::new(&optimized.query, &catalog, options).map_err(|e| Error::exec(e, text))?;
        let (query, reliances) = (Arc::new(optimized.query), catalog.reliances());
        let physical = Arc::new(physical);
        let basis = snapshot.catalog();
        Ok(Made::Read(Planned::new(query, physical, statement.mode, reliances, basis, procedures)))
    }

    fn run(
        &self,
        text: &str,
        planned: &Planned,
        params: Arc<Params>,
        snapshot: Snapshot,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let settings = Settings { profile: planned.mode == Mode::Profile, ..self.settings(&params, cancel) };
        self.start(text, planned, params, snapshot, settings)
    }

    /// How queries of this connection are run.
    fn settings(&self, params: &Arc<Params>, cancel: CancelToken) -> Settings {
        let config = &self.shared.config;
        Settings {
            threads: config.threads,
            workers: self.shared.workers.clone(),
            patient: true,
            vector_size: config.vector_size,
            factorise: config.factorise,
            access: config.access,
            budget: self.shared.budget.clone(),
            spill: self.shared.spill.clone(),
            cancel,
            rows: None,
            parameters: Arc::clone(params),
            clock: Clock::now(),
            profile: false,
            stack_bytes: None,
        }
    }

    /// Runs a statement that writes, in a transaction of its own that is committed when it is over.
    fn write(
        &self,
        text: &str,
        query: BoundQuery,
        mode: Mode,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let procedures = self.shared.procedures();
        let settings = self.settings(&params, cancel.clone());
        let mut rows = Arc::default();
        if mode != Mode::Explain {
            let mut writing = self.shared.begin(Isolation::Snapshot, settings.cancel.clone())?;
            rows = self.statement(text, &query, &params, &settings).run(&mut writing)?;
            writing.commit()?;
        }
        let settings = Settings { rows: Some(rows), ..settings };
        self.given(text, query, mode, params, procedures, settings, self.shared.snapshot())
    }

    fn statement<'a>(
        &'a self,
        text: &'a str,
        query: &'a BoundQuery,
        params: &'a Arc<Params>,
        settings: &Settings,
    ) -> Statement<'a> {
        let cancel = settings.cancel.clone();
        Statement { shared: &self.shared, text, query, params, settings: settings.clone(), cancel }
    }

    /// Runs a statement within the open transaction. If it fails, so does the transaction.
    fn within_transaction(
        &self,
        text: &str,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let mut transaction = self.transaction();
        let Transaction::Open(writing) = &mut *transaction else {
            let text = "a statement of the transaction failed: roll it back, then begin again";
            return Err(Error::Transaction(text.to_owned()));
        };
        let settings = self.settings(&params, cancel);
        let procedures = self.shared.procedures();
        let done = self.bound(text, &writing.snapshot(self.shared.base()), &procedures, &settings.cancel);
        let done = done.and_then(|(query, mode)| {
            let rows = match mode {
                Mode::Explain => Arc::default(),
                _ => self.statement(text, &query, &params, &settings).run(writing)?,
            };
            Ok((query, mode, rows))
        });
        let (query, mode, rows) = match done {
            Ok(done) => done,
            Err(error) => {
                *transaction = Transaction::Failed;
                return Err(error);
            }
        };
        let snapshot = writing.snapshot(self.shared.base());
        let settings = Settings { rows: Some(rows), ..settings };
        self.given(text, query, mode, params, procedures, settings, snapshot)
    }

    /// The result of a statement whose rows are there; they are handed out as those of any query.
    #[expect(clippy::too_many_arguments, reason = "each is a part of a result")]
    fn given(
        &self,
        text: &str,
        query: BoundQuery,
        mode: Mode,
        params: Arc<Params>,
        procedures: Arc<Procedures>,
        settings: Settings,
        snapshot: Snapshot,
    ) -> Result<QueryResult, Error> {
        let catalog = CatalogView::new(snapshot.catalog());
        let shown = BoundQuery {
            plan: Plan::Argument(query.columns.iter().map(|(_, var)| *var).collect()),
            columns: query.columns.clone(),
            vars: query.vars.clone(),
            parameters: Vec::new(),
            notices: query.notices.clone(),
            depth: None,
        };
        let config = &self.shared.config;
        let options = PhysicalOptions { factorise: config.factorise, access: config.access };
        let physical = PhysicalPlan::new(&shown, &catalog, options).map_err(|e| Error::exec(e, text))?;
        let kept = if mode == Mode::Normal { shown } else { query };
        let reliances = catalog.reliances();
        let (kept, physical) = (Arc::new(kept), Arc::new(physical));
        let planned = Planned::new(kept, physical, mode, reliances, snapshot.catalog(), procedures);
        self.start(text, &planned, params, snapshot, settings)
    }

    /// Starts a plan; what returns nothing, or shows its plan, runs to its end.
    fn start(
        &self,
        text: &str,
        planned: &Planned,
        params: Arc<Params>,
        snapshot: Snapshot,
        settings: Settings,
    ) -> Result<QueryResult, Error> {
        let entities = Entities::new(snapshot.clone());
        let columns = planned.query.columns.iter().map(|(n, _)| n.clone()).collect();
        let types: Vec<LogicalType> =
            planned.query.columns.iter().map(|(_, v)| planned.query.vars.get(*v).ty).collect();
        let execution =
            Execution::run(&planned.physical, snapshot, settings).map_err(|e| Error::exec(e, text))?;
        let mut result = QueryResult::new(text, columns, types, execution, planned.clone(), params, entities);
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

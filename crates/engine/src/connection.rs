//! Connections: text in, a lazy result out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use trimorph_base::CancelToken;
use trimorph_cypher::ast::Mode;
use trimorph_exec::{Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::HashJoins;
use trimorph_types::{LogicalType, Value};

use crate::database::Shared;
use crate::estimator::Sampler;
use crate::functions::Registry;
use crate::plan_cache::Planned;
use crate::result::QueryResult;
use crate::{Error, Notice, entity::Entities};

/// Query parameters by name.
pub type Params = BTreeMap<Arc<str>, Value>;

/// A connection. Queries of one connection run one at a time on the caller's thread.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    cancel: Mutex<CancelToken>,
}

/// A query that was parsed and planned. It is planned again by itself when the data has changed.
#[derive(Clone, Debug)]
pub struct Prepared {
    text: Arc<str>,
    planned: Planned,
}

impl Prepared {
    /// Names in the text that nothing has, as of the data the plan was made for.
    pub fn notices(&self) -> Vec<Notice> {
        Notice::list(&self.planned.query.notices, &self.text)
    }
}

impl Connection {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, cancel: Mutex::default() }
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
    /// **Errors**: a text that does not parse or bind, with line, column and hint; a parameter without a value. Errors of
    /// evaluation come from the result.
    pub fn execute(&self, text: &str, params: Arc<Params>) -> Result<QueryResult, Error> {
        // What interrupts the planning stops what was planned.
        let cancel = CancelToken::default();
        self.watch(&cancel);
        let planned = self.plan(text, Some(&params))?;
        self.run(text, &planned, params, cancel)
    }

    /// Parses and plans a query.
    pub fn prepare(&self, text: &str) -> Result<Prepared, Error> {
        Ok(Prepared { text: text.into(), planned: self.plan(text, None)? })
    }

    /// Runs a prepared query.
    pub fn execute_prepared(&self, prepared: &Prepared, params: Arc<Params>) -> Result<QueryResult, Error> {
        self.execute_prepared_until(prepared, params, CancelToken::default())
    }

    /// Runs a prepared query, which `cancel` stops as [`Self::interrupt`] does: a signal handler may set a flag but take no lock.
    pub fn execute_prepared_until(
        &self,
        prepared: &Prepared,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        self.watch(&cancel);
        let snapshot = self.shared.snapshot();
        if prepared.planned.basis.is(&self.shared.basis(&snapshot)) {
            self.run(&prepared.text, &prepared.planned, params, cancel)
        } else {
            self.run(&prepared.text, &self.plan(&prepared.text, Some(&params))?, params, cancel)
        }
    }

    /// From now on [`Self::interrupt`] sets this flag.
    fn watch(&self, cancel: &CancelToken) {
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
    }

    fn plan(&self, text: &str, params: Option<&Params>) -> Result<Planned, Error> {
        let snapshot = self.shared.snapshot();
        let basis = self.shared.basis(&snapshot);
        if let Some(planned) = self.shared.plans.get(text, &basis) {
            return Ok(planned);
        }
        let statement = trimorph_cypher::parse(text).map_err(|d| Error::query(d, text))?;
        let bound = trimorph_cypher::bind(&statement, &basis.catalog, &Registry, &basis.procedures)
            .map_err(|d| Error::query(d, text))?;
        let on = self.shared.config.optimize;
        let hash_join = if on { HashJoins::Cost } else { HashJoins::Off };
        let options =
            trimorph_optimizer::Options { reorder: on, count: on, intersect: on, semi_join: on, hash_join };
        let query = trimorph_optimizer::optimize(
            bound,
            &basis.catalog,
            Some(&Sampler::new(&snapshot, params)),
            options,
        );
        let planned = Planned { query: Arc::new(query), mode: statement.mode, basis };
        self.shared.plans.put(text, planned.clone());
        Ok(planned)
    }

    fn run(
        &self,
        text: &str,
        planned: &Planned,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let snapshot = self.shared.snapshot();
        let config = &self.shared.config;
        let settings = Settings {
            threads: config.threads,
            vector_size: config.vector_size,
            factorise: config.factorise,
            access: config.access,
            budget: self.shared.budget.clone(),
            cancel,
            parameters: params,
            clock: Clock::now(),
            profile: planned.mode == Mode::Profile,
        };
        let entities = Entities::new(snapshot.clone());
        let columns = planned.query.columns.iter().map(|(n, _)| n.clone()).collect();
        let types: Vec<LogicalType> =
            planned.query.columns.iter().map(|(_, v)| planned.query.vars.get(*v).ty).collect();
        let execution = Execution::start(Arc::clone(&planned.query), snapshot, settings)
            .map_err(|e| Error::exec(e, text))?;
        let mut result = QueryResult::new(text, columns, types, execution, planned.clone(), entities);
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

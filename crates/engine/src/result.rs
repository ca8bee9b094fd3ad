//! A query's result: rows or Arrow batches, computed as they are fetched.

use std::collections::VecDeque;
use std::sync::Arc;

use trimorph_algebra::{Answer, BoundQuery, Plan};
use trimorph_base::CancelToken;
use trimorph_exec::{Context, Execution, Run};
use trimorph_store::Snapshot;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Vector;

use crate::odd_comparisons::odd_comparisons;
use crate::params::Params;
use crate::plan::{PlanForm, PlanTree};
use crate::planned::Planned;
use crate::{Entities, Error, Notice, SideEffects};

/// One row.
pub type Row = Vec<Value>;

impl Drop for QueryResult {
    fn drop(&mut self) {
        if let Some(execution) = self.0.execution.take() {
            execution.discard();
        }
    }
}

/// A query that was run, and on what.
pub(crate) struct Origin {
    pub(crate) text: String,
    pub(crate) planned: Planned,
    pub(crate) params: Arc<Params>,
    pub(crate) snapshot: Snapshot,
}

/// A lazy result. A small statement hands it on as often as it does anything else: it is one pointer.
pub struct QueryResult(Box<Parts>);

struct Parts {
    text: String,
    columns: Arc<[String]>,
    types: Arc<[LogicalType]>,
    execution: Option<Execution>,
    rows: VecDeque<Row>,
    planned: Planned,
    params: Arc<Params>,
    entities: Entities,
    /// What is to be known of the rows; what is to be known of the text is kept with the plan.
    notices: Vec<Notice>,
    /// What columns have turned out to be; empty until then.
    type_names: Vec<String>,
    effects: SideEffects,
    /// Of an execution that is over.
    spilled_bytes: u64,
    /// The plan that the rows are the lines of.
    tree: Option<PlanTree>,
    /// How it is written.
    form: PlanForm,
    /// Its columns have terms of RDF.
    has_terms: bool,
}

/// Whether a plan reads nodes, and writes nothing.
fn looks_at_nodes(plan: &Plan) -> bool {
    let mut left = vec![plan];
    let mut looks = false;
    while let Some(plan) = left.pop() {
        looks |= matches!(plan, Plan::NodeScan(_) | Plan::Empty(_));
        left.extend(plan.children());
    }
    looks && !plan.updates()
}

impl QueryResult {
    pub(crate) fn new(
        text: &str,
        execution: Option<Execution>,
        planned: Planned,
        params: Arc<Params>,
        entities: Entities,
    ) -> Self {
        Self(Box::new(Parts {
            text: text.to_owned(),
            columns: Arc::clone(&planned.columns),
            types: Arc::clone(&planned.types),
            execution,
            rows: VecDeque::new(),
            planned,
            params,
            entities,
            notices: Vec::new(),
            type_names: Vec::new(),
            effects: SideEffects::default(),
            spilled_bytes: 0,
            tree: None,
            form: PlanForm::default(),
            has_terms: false,
        }))
    }

    /// All its rows are there.
    pub(crate) fn with_rows(mut self, rows: Vec<Row>) -> Self {
        self.0.rows = rows.into();
        self
    }

    /// An answer of SPARQL.
    pub(crate) fn with_terms(mut self) -> Self {
        self.0.has_terms = true;
        self
    }

    pub(crate) fn has_terms(&self) -> bool {
        self.0.has_terms
    }

    /// The query that it answers.
    pub(crate) fn query(&self) -> &BoundQuery {
        &self.0.planned.query
    }

    /// What it takes to run the query again on the same snapshot.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            text: self.0.text.clone(),
            planned: self.0.planned.clone(),
            params: Arc::clone(&self.0.params),
            snapshot: self.0.entities.snapshot().clone(),
        }
    }

    /// What the statement did to the graph. It is done, and committed if it was a transaction by itself,
    /// before any row is fetched.
    pub fn side_effects(&self) -> SideEffects {
        self.0.effects
    }

    /// Bytes that the query put into temporary files, as far as its rows have been computed.
    pub fn spilled_bytes(&self) -> u64 {
        self.0.spilled_bytes + self.0.execution.as_ref().map_or(0, Execution::spilled_bytes)
    }

    /// The column names, shared with whoever keeps them.
    pub fn names(&self) -> Arc<[String]> {
        Arc::clone(&self.0.columns)
    }

    /// Lets go of the rows that were not fetched, and of what computes them: from now on there are none.
    pub fn end(&mut self) {
        self.0.rows.clear();
        self.end_execution();
    }

    fn end_execution(&mut self) {
        self.0.spilled_bytes = self.spilled_bytes();
        self.0.execution = None;
    }

    pub(crate) fn with_side_effects(mut self, effects: SideEffects) -> Self {
        self.0.effects = effects;
        self
    }

    /// What its rows are.
    pub fn answer(&self) -> Answer {
        self.0.planned.query.answer
    }

    /// The column names.
    pub fn columns(&self) -> &[String] {
        &self.0.columns
    }

    /// The column types as far as they are known before rows are; `Any` where they are not.
    pub fn types(&self) -> &[LogicalType] {
        &self.0.types
    }

    /// The names of the column types: those of [`Self::types`] as openCypher writes them, and once
    /// [`Self::arrow`] or a stream has looked at values, what they are, down to the types within lists and
    /// maps, such as `LIST<INTEGER>`.
    pub fn type_names(&self) -> Vec<String> {
        if self.0.type_names.is_empty() {
            self.0.types.iter().map(|ty| ty.name().to_owned()).collect()
        } else {
            self.0.type_names.clone()
        }
    }

    pub(crate) fn set_type_names(&mut self, names: Vec<String>) {
        self.0.type_names = names;
    }

    /// What stops the query.
    pub(crate) fn cancel_token(&self) -> CancelToken {
        self.0.execution.as_ref().map(Execution::cancel_token).unwrap_or_default()
    }

    /// Labels, relationship types and properties of the query that nothing in the graph has, in the order of
    /// the text, ten at most, or that the graph is empty; comparisons that are never true; then columns that
    /// [`Self::arrow`] and streams had to make text, once they did.
    pub fn notices(&self) -> Vec<Notice> {
        let mut all = Notice::list(&self.0.planned.query.notices, &self.0.text);
        let query = &self.0.planned.query;
        let snapshot = self.0.entities.snapshot();
        if looks_at_nodes(&query.plan) && snapshot.catalog().schema.node_tables.is_empty() {
            let hint = "load files (trimorph load, db.load), or CREATE something";
            all.push(Notice::of_result("EmptyDatabase", "the database is empty".to_owned(), hint));
        } else {
            let odd = odd_comparisons(&query.plan, &query.vars, snapshot, &self.0.params);
            all.extend(Notice::list(&odd, &self.0.text));
        }
        all.extend_from_slice(&self.0.notices);
        all
    }

    pub(crate) fn push_notice(&mut self, notice: Notice) {
        if !self.0.notices.contains(&notice) {
            self.0.notices.push(notice);
        }
    }

    /// Reads nodes and relationships of the snapshot this result is of.
    pub fn entities(&self) -> &Entities {
        &self.0.entities
    }

    /// A value's openCypher text form.
    pub fn format(&self, value: &Value) -> String {
        trimorph_types::format_value(value, &self.0.entities)
    }

    /// Whether all rows that are left were computed.
    pub fn is_computed(&self) -> bool {
        self.0.execution.is_none()
    }

    /// The next row.
    pub fn next_row(&mut self) -> Result<Option<Row>, Error> {
        while self.0.rows.is_empty() && self.buffer_batch()? {}
        Ok(self.0.rows.pop_front())
    }

    /// Rows that were computed and not fetched. Taking some out is fetching them.
    pub fn buffered(&mut self) -> &mut VecDeque<Row> {
        &mut self.0.rows
    }

    /// Computes the next batch and appends its rows, of which there may be none, to [`Self::buffered`];
    /// `false` at the end.
    pub fn buffer_batch(&mut self) -> Result<bool, Error> {
        let rows = &mut self.0.rows;
        let more = Self::pull(&mut self.0.execution, &self.0.text, |columns, positions, cx| {
            for p in positions {
                rows.push_back(
                    columns.iter().map(|c| c.value(*p as usize, &|id| cx.edge_value(id))).collect(),
                );
            }
        })?;
        Ok(more.is_some())
    }

    /// All rows not fetched yet.
    pub fn rows(mut self) -> Result<Vec<Row>, Error> {
        let mut out = Vec::new();
        while let Some(row) = self.next_row()? {
            out.push(row);
        }
        Ok(out)
    }

    /// Hands over the next batch of vectors; rows already taken apart by `next_row` are not seen again.
    pub(crate) fn next_batch<T>(
        &mut self,
        take: impl FnOnce(&[&Vector<'_>], &[u32], &Context<'_>) -> T,
    ) -> Result<Option<T>, Error> {
        Self::pull(&mut self.0.execution, &self.0.text, take)
    }

    /// Hands over the next rows in runs that all threads of the query work on at once, each about `rows`
    /// long; `first` goes with the first run. What was made of each, in the order of the rows.
    pub(crate) fn next_round<S: Send, T: Send + 'static>(
        &mut self,
        rows: usize,
        first: &mut Option<S>,
        make: impl Fn(Option<S>, Run<'_, '_>, &Context<'_>) -> T + Sync,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(execution) = &mut self.0.execution else { return Ok(None) };
        let made = execution.next_round(rows, first, make);
        made.map_err(|e| Error::exec(e, &self.0.text).stopped_by(&execution.cancel_token()))
    }

    /// What `make` gives for each item, on all threads of the query.
    pub(crate) fn on_each<I: Send, T: Send + 'static>(
        &self,
        items: Vec<I>,
        make: impl Fn(I) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        match &self.0.execution {
            Some(execution) if execution.threads() > 1 && items.len() > 1 => {
                execution.on_each(items, make).map_err(|e| Error::exec(e, &self.0.text))
            }
            _ => Ok(items.into_iter().map(make).collect()),
        }
    }

    /// Threads that compute its rows.
    pub(crate) fn threads(&self) -> usize {
        self.0.execution.as_ref().map_or(1, Execution::threads)
    }

    fn pull<T>(
        execution: &mut Option<Execution>,
        text: &str,
        take: impl FnOnce(&[&Vector<'_>], &[u32], &Context<'_>) -> T,
    ) -> Result<Option<T>, Error> {
        match execution {
            Some(execution) => {
                let next = execution.next(take);
                next.map_err(|e| Error::exec(e, text).stopped_by(&execution.cancel_token()))
            }
            None => Ok(None),
        }
    }

    /// Runs to the end. Rows without columns are no rows.
    pub(crate) fn run_for_effect(&mut self) -> Result<(), Error> {
        while self.next_batch(|_, _, _| ())?.is_some() {}
        self.end_execution();
        Ok(())
    }

    pub(crate) fn drain_rows(&mut self) -> VecDeque<Row> {
        std::mem::take(&mut self.0.rows)
    }

    /// The plan with estimates for the parameters of this run, as text for people; after `EXPLAIN` and
    /// `PROFILE` in the form that was asked for, and after `PROFILE` with what each operator did.
    pub fn plan(&self) -> String {
        self.plan_tree().write(self.0.form)
    }

    /// The plan's operators, for programs, and for the other forms it can be written in.
    pub fn plan_tree(&self) -> PlanTree {
        if let Some(tree) = &self.0.tree {
            return tree.clone();
        }
        let profile = self.0.execution.as_ref().map(Execution::profile).unwrap_or_default();
        let query = &self.0.planned.query;
        let mut tree = PlanTree::new(
            &query.plan,
            &query.vars,
            self.0.entities.snapshot(),
            &self.0.params,
            &self.0.planned.physical,
            &profile,
        );
        if !profile.is_empty() {
            tree.pieces_read = self.0.execution.as_ref().map_or(0, Execution::pieces_read);
        }
        tree
    }

    /// Turns the result into one column with the lines of the plan.
    pub(crate) fn replace_by_plan(&mut self) {
        self.0.tree = Some(self.plan_tree());
        self.0.columns = ["plan".into()].into();
        self.0.types = [LogicalType::String].into();
        self.end_execution();
        self.draw(self.0.form);
    }

    /// The same with its plan in a form.
    pub(crate) fn drawn(mut self, form: PlanForm) -> Self {
        if form != self.0.form {
            self.draw(form);
        }
        self
    }

    /// The plan's lines in another form, if the rows are these.
    fn draw(&mut self, form: PlanForm) {
        self.0.form = form;
        if let Some(tree) = &self.0.tree {
            self.0.rows = tree.write(form).lines().map(|l| vec![Value::string(l)]).collect();
        }
    }
}

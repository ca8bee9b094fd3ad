//! SPARQL on a connection: text in, a lazy result out, by the same plans and transactions as Cypher.
//!
//! 1. A query is planned, kept and run as any other.
//! 2. An update is one statement: its operations run one after the other in one transaction, and each is
//!    bound when those before it are done, since it may ask for what they made.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, on_stack_of};
use trimorph_catalog::CatalogView;
use trimorph_cypher::ast::Mode;
use trimorph_exec::{ExecError, GivenRows, PhysicalOptions, PhysicalPlan};
use trimorph_sparql::{Around, Given, GraphName, Operation, Parsed, Statement as Text};
use trimorph_store::statements::{Asked, Graphs, Known, Statements};
use trimorph_store::{Reader, Snapshot};
use trimorph_types::Value;

use crate::connection::Done;
use crate::copy_statement::{Language, begins as is_copy};
use crate::estimator::Sampler;
use crate::params::Params;
use crate::plan;
use crate::plan_cache::Made;
use crate::planned::Planned;
use crate::update::Writing;
use crate::{Connection, Error, QueryResult, SideEffects};

/// The stack that texts are parsed and planned on: their grammar goes down by recursion.
const STACK_BYTES: usize = 64 << 20;

/// Bytes of text that are planned on the caller's stack.
const CALLERS_TEXT_MAX: usize = 400;

fn mode_of(mode: trimorph_sparql::Mode) -> Mode {
    match mode {
        trimorph_sparql::Mode::Normal => Mode::Normal,
        trimorph_sparql::Mode::Explain => Mode::Explain,
        trimorph_sparql::Mode::Profile => Mode::Profile,
    }
}

/// The key of a text among kept plans: no Cypher text begins so. A plan knows which variables are given.
fn key_of(text: &str, given: &[Given], base: Option<&str>) -> String {
    let mut key = format!("sparql {}\n", base.unwrap_or_default());
    for (name, ty) in given {
        key.push_str(name);
        key.push_str(ty.name());
        key.push(' ');
    }
    key.push('\n');
    key.push_str(text);
    key
}

/// The variables that parameters give values to.
///
/// **Errors**: a value that is no term; a name that the text does not have.
fn given(text: &str, params: &Params) -> Result<Vec<Given>, Error> {
    let mut names = Vec::new();
    for (name, value) in params {
        let is_term = matches!(value, Value::Null | Value::Iri(_) | Value::Node(_))
            || trimorph_types::rdf::datatype(value).is_some();
        if !is_term {
            let primary = format!("the parameter \"{name}\" is a {}, which is no term", value.logical_type());
            let error = Diagnostic::compile(ErrorKind::ArgumentError, "InvalidParameter", primary);
            return Err(wrong(text)(error.hint("give several values by VALUES, or ask once for each")));
        }
        if !has_variable(text, name) {
            let primary = format!("the text has no variable ?{name}");
            let error = Diagnostic::compile(ErrorKind::ArgumentError, "UnknownParameter", primary);
            return Err(wrong(text)(error.hint("a parameter is the value of a variable of the text")));
        }
        // What has no value is a variable as any other.
        if !value.is_null() {
            names.push((Arc::clone(name), value.logical_type()));
        }
    }
    Ok(names)
}

/// Whether a SPARQL text has a variable of this name, as far as its letters tell.
pub fn has_variable(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| text[..at].ends_with(['?', '$']) && !text[at + name.len()..].starts_with(is_part))
}

fn wrong(text: &str) -> impl Fn(Diagnostic) -> Error + '_ {
    move |diagnostic| Error::exec(ExecError::from(diagnostic), text)
}

impl Connection {
    /// Runs a SPARQL query or update.
    ///
    /// What a query answers says [`QueryResult::answer`]: solutions, a row with one boolean, or rows of
    /// subject, predicate and object. Terms are IRIs (blank nodes begin with `_:`) and literals.
    ///
    /// **Errors**: a text that does not parse, with line, column and hint; what is not supported.
    pub fn sparql(&self, text: &str) -> Result<QueryResult, Error> {
        self.sparql_until(text, Params::new(), None, CancelToken::default())
    }

    /// The same with values for variables: `?name` or `$name` has the value of the parameter `name` wherever
    /// it stands. A null is no value.
    ///
    /// **Errors**: a value that is no term, a name that the text does not have.
    pub fn sparql_with(&self, text: &str, params: Params) -> Result<QueryResult, Error> {
        self.sparql_until(text, params, None, CancelToken::default())
    }

    /// As [`Self::sparql_with`]; relative IRIs are relative to `base`, unless the text says another; `cancel`
    /// stops the planning and what was planned, as [`Self::interrupt`] does.
    pub fn sparql_until(
        &self,
        text: &str,
        params: impl Into<Arc<Params>>,
        base: Option<&str>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        self.shared().can_be_read_here()?;
        self.watch(&cancel);
        let (asked, form) = plan::asked(text).map_err(wrong(text))?;
        Ok(self.sparql_asked(&asked, params.into(), base, cancel)?.drawn(form).with_terms())
    }

    fn sparql_asked(
        &self,
        text: &str,
        params: Arc<Params>,
        base: Option<&str>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        if is_copy(text, Language::Sparql) {
            return self.copy(text, Language::Sparql, params, cancel);
        }
        let given = given(text, &params)?;
        let key = key_of(text, &given, base);
        if !self.in_transaction() {
            self.shared().count_written();
            let snapshot = self.shared().snapshot();
            let procedures = self.shared().procedures();
            match self.shared().plans.get(&key, snapshot.catalog(), &procedures) {
                Some(Made::Read(planned)) => return self.run(text, &planned, params, snapshot, cancel),
                Some(Made::Write(program)) => return self.write(text, &program, params, cancel),
                None => {}
            }
        }
        let parsed = on_stack(text, || trimorph_sparql::parse(text, base).map_err(wrong(text)))?;
        let mode = mode_of(parsed.mode);
        match &parsed.statement {
            Text::Query(_) if !self.in_transaction() => {
                let snapshot = self.shared().snapshot();
                let planned =
                    on_stack(text, || self.planned_query(text, (&parsed, &given), &snapshot, &cancel))?;
                if mode != Mode::Explain {
                    self.shared().plans.put(&key, Made::Read(planned.clone()));
                }
                self.run(text, &planned, params, snapshot, cancel)
            }
            Text::Query(query) => {
                let settings = Arc::new(self.settings(&params, cancel.clone()));
                self.within(text, Arc::clone(&params), cancel.clone(), |running| {
                    running.writing.begin_statement(self.shared());
                    let snapshot = running.writing.snapshot(running.writing.base(self.shared()));
                    let catalog = CatalogView::new(snapshot.catalog());
                    let bound = on_stack(text, || {
                        trimorph_sparql::bind(query, self.around(&given), &catalog, &cancel)
                            .map_err(|error| wrong(text)(parsed.placed(error)))
                    });
                    let program = self.program_of(bound?, mode, &catalog, &snapshot);
                    if mode == Mode::Explain {
                        return Ok((program, Done::default()));
                    }
                    let done =
                        self.statement(text, &program, &params, &settings).run(&mut running.writing)?;
                    Ok((program, done))
                })
            }
            Text::Update(update) => {
                let settings = Arc::new(self.settings(&params, cancel.clone()));
                let base = update.base_iri.as_ref().map(|base| base.as_str());
                let work = |writing: &mut Writing| {
                    let (mut effects, mut last) = (SideEffects::default(), None);
                    for operation in &update.operations {
                        if mode == Mode::Normal
                            && let Some((insert, data)) = trimorph_sparql::data(operation)
                        {
                            let program = self.program_of_nothing();
                            let statement = self.statement(text, &program, &params, &settings);
                            effects = effects.plus(statement.run_data(writing, insert, data)?);
                            last = Some(program);
                            continue;
                        }
                        if let Operation::Create { silent, graph } = operation {
                            if mode == Mode::Normal && !silent {
                                self.check_is_no_graph(writing, graph.as_str(), text)?;
                            }
                            continue;
                        }
                        if let Operation::Load { silent, source, destination } = operation {
                            if mode == Mode::Normal {
                                let graph = match destination {
                                    GraphName::NamedNode(graph) => Some(graph.as_str()),
                                    GraphName::DefaultGraph => None,
                                };
                                let loaded =
                                    self.load_from(writing, source.as_str(), graph, *silent, &cancel);
                                effects = effects.plus(loaded?);
                            }
                            continue;
                        }
                        let snapshot = writing.snapshot(writing.base(self.shared()));
                        let catalog = CatalogView::new(snapshot.catalog());
                        // One operation that comes again is neither bound nor planned again.
                        let is_alone = mode == Mode::Normal && update.operations.len() == 1;
                        let (plans, procedures) = (&self.shared().plans, self.shared().procedures());
                        let kept = match is_alone {
                            true => plans.program(&key, snapshot.catalog(), &procedures),
                            false => None,
                        };
                        let program = match kept {
                            Some(program) => program,
                            None => {
                                let bound = on_stack(text, || {
                                    trimorph_sparql::bind_update(
                                        operation,
                                        self.around(&given),
                                        base,
                                        &catalog,
                                        &cancel,
                                    )
                                    .map_err(|error| wrong(text)(parsed.placed(error)))
                                });
                                let Some(bound) = bound? else { continue };
                                self.program_of(bound, mode, &catalog, &snapshot)
                            }
                        };
                        if is_alone {
                            plans.put(&key, Made::Write(Arc::clone(&program)));
                        }
                        if mode != Mode::Explain {
                            let done = self.statement(text, &program, &params, &settings).run(writing)?;
                            effects = effects.plus(done.1);
                        }
                        last = Some(program);
                    }
                    let program = last.unwrap_or_else(|| self.program_of_nothing());
                    Ok((program, (Arc::<GivenRows>::default(), effects)))
                };
                if self.in_transaction() {
                    return self.within(text, Arc::clone(&params), cancel.clone(), |running| {
                        let writing = &mut running.writing;
                        writing.begin_statement(self.shared());
                        self.ready_to_write()?;
                        writing.begin_to_write()?;
                        self.shared().start_merging();
                        let mark = writing.mark();
                        let done = work(writing);
                        if done.is_err() {
                            writing.undo_to(&mark);
                        }
                        done
                    });
                }
                // Whom others met tries again without.
                let mut is_first = true;
                let (program, (rows, effects)) = self.committed(&cancel, |writing| {
                    if std::mem::take(&mut is_first) {
                        writing.let_nodes_move(self.shared());
                    }
                    work(writing)
                })?;
                let given =
                    self.answered(text, &program, params, rows, settings, self.shared().snapshot())?;
                Ok(given.with_side_effects(effects))
            }
        }
    }

    /// Parses a text and runs nothing.
    ///
    /// **Errors**: those of [`Self::sparql`] that the text alone decides.
    pub fn check_sparql(&self, text: &str, base: Option<&str>) -> Result<(), Error> {
        let snapshot = self.shared().snapshot();
        on_stack(text, || {
            let parsed = trimorph_sparql::parse(text, base).map_err(wrong(text))?;
            let (catalog, cancel) = (CatalogView::new(snapshot.catalog()), CancelToken::default());
            let bound = match &parsed.statement {
                Text::Query(query) => {
                    trimorph_sparql::bind(query, self.around(&[]), &catalog, &cancel).map(drop)
                }
                Text::Update(update) => update.operations.iter().try_for_each(|operation| {
                    trimorph_sparql::bind_update(operation, self.around(&[]), base, &catalog, &cancel)
                        .map(drop)
                }),
            };
            match bound {
                Err(error) if error.kind == ErrorKind::SyntaxError => Err(wrong(text)(error)),
                _ => Ok(()),
            }
        })
    }

    /// Nothing is made by `CREATE GRAPH`, since a graph is there while it has statements; but who asks for a
    /// new one is told that he has none.
    ///
    /// **Errors**: there are statements in the graph.
    fn check_is_no_graph(&self, writing: &Writing, graph: &str, text: &str) -> Result<(), Error> {
        let snapshot = writing.snapshot(writing.base(self.shared()));
        let reader = Reader::new(&snapshot);
        let known = Known::of(&reader);
        let finder = Statements::new(&reader, &known);
        let graphs = Graphs::One(graph.into());
        let found = finder.find(&Asked::default(), &graphs, &mut |_| ControlFlow::Break(()));
        if let Some(error) = reader.failure() {
            return Err(error.into());
        }
        if found.is_continue() {
            return Ok(());
        }
        let primary = format!("there is a graph <{graph}> already");
        let error = Diagnostic::runtime(ErrorKind::ConstraintVerificationFailed, "GraphExists", primary);
        Err(Error::query(error.hint("write CREATE SILENT GRAPH if it may be there"), text))
    }

    fn around<'a>(&'a self, given: &'a [Given]) -> Around<'a> {
        Around { given, service: self.shared().service.as_ref() }
    }

    /// The plan of a query.
    fn planned_query(
        &self,
        text: &str,
        (parsed, given): (&Parsed, &[Given]),
        snapshot: &Snapshot,
        cancel: &CancelToken,
    ) -> Result<Planned, Error> {
        let Text::Query(query) = &parsed.statement else {
            return Err(wrong(text)(Diagnostic::internal("an update was planned as a query")));
        };
        let catalog = CatalogView::new(snapshot.catalog());
        let bound = trimorph_sparql::bind(query, self.around(given), &catalog, cancel)
            .map_err(|error| wrong(text)(parsed.placed(error)))?;
        let config = &self.shared().config;
        let options = match config.switches.optimize {
            true => trimorph_optimizer::Options::default(),
            false => trimorph_optimizer::Options::plain(),
        };
        let options = options.within(self.shared().budget.limit_bytes());
        let estimator = Sampler::new(snapshot, None);
        let optimized =
            trimorph_optimizer::optimize_until(bound, &catalog, Some(&estimator), options, cancel)
                .map_err(wrong(text))?;
        let options =
            PhysicalOptions { factorise: config.switches.factorise, access: config.switches.access };
        let physical =
            PhysicalPlan::new(&optimized.query, &catalog, options).map_err(|e| Error::exec(e, text))?;
        let reliances = catalog.reliances();
        let (basis, procedures) = (snapshot.catalog(), self.shared().procedures());
        let (query, physical) = (Arc::new(optimized.query), Arc::new(physical));
        Ok(Planned::new(query, physical, mode_of(parsed.mode), reliances, basis, procedures))
    }
}

/// Runs what goes down by recursion where there is room for it.
fn on_stack<T: Send>(text: &str, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    if text.len() <= CALLERS_TEXT_MAX {
        return work();
    }
    on_stack_of(STACK_BYTES, work).unwrap_or_else(|| Err(crate::connection::no_thread(text)))
}

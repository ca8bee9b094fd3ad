//! Statements that write: a sequence of reads with writes between.
//!
//! ```text
//! program    the statement, cut into reads and writes; plans that are kept
//! mod        runs it: what reads as any query, from the rows that the part before has left
//! merge      MERGE: rows that find nothing make it, once for all that ask the same
//! changes    the changes of one clause, for all its rows, by columns
//! edges      edges that come and go
//! second_edges  edges that are the second of a node, which broke that it has one
//! second_literals
//!               relationships that a property makes the same statement again
//! touched    what a clause wrote that definitions may be about
//! constraints  that, asked against them; edge_constraints, constraint_errors
//! labels     labels that come and go
//! loaded     what a bulk load does as a transaction
//! logged     what a clause did, as the log will have it
//! schema     tables and columns that changes need; facts that they may break
//! statements  statements of RDF that come and go
//! streamed   an update of rows that are read meanwhile, a part of them at a time
//! writing    an open transaction: what it sees, what it has written, how it ends
//! rows       rows between two parts
//! ```
//!
//! Invariant: a part sees what all parts before it wrote and nothing of what follows it, and its plan is made
//! for the tables that there are then. Its rows are all there before what follows it writes, unless it makes
//! no difference (`streamed`).

mod changes;
mod constraint_errors;
mod constraints;
mod edge_constraints;
mod edges;
mod labels;
mod loaded;
mod logged;
mod merge;
mod moves;
mod program;
mod rows;
mod said;
mod schema;
mod second_edges;
mod second_literals;
mod statements;
mod streamed;
mod touched;
mod unstated;
mod writing;
mod written;

use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Expr, Update, VarId};
use trimorph_base::{Diagnostic, NodeId, Reservation};
use trimorph_catalog::CatalogView;
use trimorph_exec::{ExecError, Execution, PhysicalOptions, PhysicalPlan, Settings, check_parameter};
use trimorph_store::Snapshot;
use trimorph_types::Value;

use crate::estimator::Sampler;
use crate::params::Params;
use crate::shared::Shared;
use crate::{Error, SideEffects};
pub(crate) use edges::free_positions;
pub(crate) use moves::{elsewhere, says};
pub(crate) use program::Program;
use program::{Computed, Given, Kept, Looked, Part, Read, Then, Write, given_value};
use rows::Rows;
pub(crate) use writing::Writing;

/// Rows between two looks at the flag that cancels.
const ROWS_UNCHECKED: usize = 1 << 12;

/// A part that only reads and has begun to run.
enum Begun {
    /// Its rows were few, and are there.
    Few(Rows),
    Many(Box<Execution>),
}

/// One statement that writes.
pub(crate) struct Statement<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) text: &'a str,
    pub(crate) program: &'a Program,
    pub(crate) params: &'a Arc<Params>,
    pub(crate) settings: &'a Arc<Settings>,
    /// Whether it ends where it turns out to read more than a few rows: nobody stands by to stop it.
    pub(crate) is_small: bool,
}

impl Statement<'_> {
    /// Whether what rows have may be deleted already. What patterns found this transaction found: only itself
    /// can have deleted it since, and who else does is met where it is written. Parameters are older.
    fn may_be_gone(&self, writing: &Writing) -> bool {
        writing.has_deleted || self.params.values().any(holds_entities)
    }

    /// Runs the statement within a transaction; gives its result: rows of the query's columns.
    ///
    /// **Errors**: what its parts fail with; what it wrote until then is undone with the transaction.
    pub(crate) fn run(
        &self,
        writing: &mut Writing,
    ) -> Result<(Arc<trimorph_exec::GivenRows>, SideEffects), Error> {
        writing.effects = SideEffects::default();
        writing.unstated.clear();
        let mut held = self.shared.budget.reservation();
        let rows = self.part(writing, &self.program.whole, Rows::unit(), &mut held)?;
        self.delete_unstated(writing)?;
        self.check_deleted(writing)?;
        Ok((rows.into_given(), writing.effects))
    }

    /// The rows of a part that starts from `given`, and what it writes.
    fn part(
        &self,
        writing: &mut Writing,
        part: &Part,
        given: Rows,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let rows = match &part.write {
            Some(write) => self.write(writing, write, given, (part.needed(), held))?,
            None => given,
        };
        let mut rows = match &part.then {
            Then::Nothing => rows.restricted(&part.wanted),
            Then::Unit => Rows::unit(),
            Then::Read(read) => self.read(writing, read, rows, held)?,
        };
        self.give(writing, &mut rows, &part.given)?;
        Ok(rows)
    }

    /// Gives all rows the same values.
    ///
    /// **Errors**: a parameter without a value, or with an entity that is not there.
    fn give(&self, writing: &Writing, rows: &mut Rows, given: &Given) -> Result<(), Error> {
        for (var, value) in given {
            let known = given_value(value, self.params).ok_or_else(|| self.missing(value))?;
            if let Expr::Param(name) = value {
                let snapshot = || writing.snapshot(writing.base(self.shared));
                check_parameter(name, known, snapshot).map_err(|d| self.wrong(d))?;
            }
            rows.set(*var, vec![known.clone(); rows.len()]);
        }
        Ok(())
    }

    /// What changes the graph: gives all variables of its rows, those that are needed at least.
    fn write(
        &self,
        writing: &mut Writing,
        write: &Write,
        given: Rows,
        (needed, held): (Option<&[VarId]>, &mut Reservation),
    ) -> Result<Rows, Error> {
        match write {
            Write::Update { input, update } => self.updated(writing, (input, update), given, (needed, held)),
            Write::Merge { input, look, merge, on_create, on_match } => {
                let rows = self.part(writing, input, given, held)?;
                self.merge(writing, rows, &Looked { look, merge, on_create, on_match }, held)
            }
            Write::Apply { input, subplan, inner, kind } => {
                let rows = self.part(writing, input, given, held)?;
                self.applied(writing, rows, (subplan, inner, kind), held)
            }
            Write::Union { inputs, vars } => {
                let mut out = Rows::of(vars.clone());
                for input in inputs {
                    out.extend(&self.part(writing, input, given.clone(), held)?);
                }
                Ok(out)
            }
        }
    }

    /// The rows of a subplan that writes, for each row.
    fn applied(
        &self,
        writing: &mut Writing,
        rows: Rows,
        (subplan, inner, kind): (&Part, &[VarId], &ApplyKind),
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        match kind {
            ApplyKind::Effects { together: true } => {
                self.part(writing, subplan, rows.clone(), held)?;
                Ok(rows)
            }
            ApplyKind::Effects { together: false } => {
                for row in 0..rows.len() {
                    self.check(row)?;
                    self.part(writing, subplan, rows.pick(&[row]), held)?;
                }
                Ok(rows)
            }
            _ => {
                let mut out = Rows::of(rows.vars().iter().chain(inner).copied().collect());
                for row in 0..rows.len() {
                    self.check(row)?;
                    let mut found = self.part(writing, subplan, rows.pick(&[row]), held)?;
                    let is_optional = matches!(kind, ApplyKind::Optional) && found.len() == 0;
                    if is_optional {
                        found.push(inner.iter().map(|_| Value::Null));
                    }
                    for var in rows.vars() {
                        found.set(*var, vec![rows.value(*var, row).clone(); found.len()]);
                    }
                    out.extend(&found);
                }
                Ok(out)
            }
        }
    }

    /// Computes the values of an update for rows that are there, and does what it says. Where rows take
    /// turns, those with the same node or edge see what the ones before them set.
    fn update(
        &self,
        writing: &mut Writing,
        mut rows: Rows,
        computed: &Computed,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let update = &computed.update;
        self.give(writing, &mut rows, &computed.given)?;
        let turns = if update.takes_turns { turns(&rows, update) } else { None };
        let read = computed.read(rows.vars(), &self.program.query);
        let mut take_turn = |mut part: Rows| {
            self.check(0)?;
            if let Some(read) = read {
                part = self.read(writing, read, part, held)?;
            }
            let part = self.changed(writing, part, &update.changes)?;
            self.end_clause(writing)?;
            Ok::<_, Error>(part)
        };
        let Some(turns) = turns else { return take_turn(rows) };
        let parts = turns.iter().map(|turn| take_turn(rows.pick(turn))).collect::<Result<Vec<_>, _>>()?;
        // Back into the order that rows had.
        let Some(first) = parts.first() else { return Ok(rows) };
        let mut all = Rows::of(first.vars().to_vec());
        parts.iter().for_each(|part| all.extend(part));
        let mut place = vec![0; all.len()];
        turns.iter().flatten().enumerate().for_each(|(at, row)| place[*row] = at);
        Ok(all.pick(&place))
    }

    /// A clause has written: what it wrote keeps to the constraints and fits the memory limit, and what comes
    /// after it sees it.
    fn end_clause(&self, writing: &mut Writing) -> Result<(), Error> {
        self.check_definitions(writing)?;
        writing.end_clause();
        self.shared.charge_clause(writing, &self.settings.cancel)
    }

    /// Begins to run a part that only reads.
    fn begin(&self, writing: &Writing, read: &Read, given: Rows) -> Result<Begun, Error> {
        let snapshot = writing.snapshot_for_part(writing.base(self.shared));
        let physical = self.planned(writing, read, &snapshot)?;
        if let Some(few) = physical.few_rows(Some(given.given()), &snapshot, self.settings) {
            return Ok(Begun::Few(Rows::of_each(read.wanted.clone(), few)));
        }
        if self.is_small {
            self.program.is_large();
            return Err(Error::Cancelled);
        }
        let (given, settings) = (Some(given.into_given()), Arc::clone(self.settings));
        let execution = Execution::run_from(given, &physical, snapshot, settings);
        execution.map(Box::new).map(Begun::Many).map_err(|error| Error::exec(error, self.text))
    }

    /// Runs a part that only reads.
    fn read(
        &self,
        writing: &Writing,
        read: &Read,
        given: Rows,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let len = given.len();
        let mut execution = match self.begin(writing, read, given)? {
            Begun::Few(rows) => return Ok(rows),
            Begun::Many(execution) => execution,
        };
        let failed = |error| Error::exec(error, self.text);
        let mut out = Rows::of(read.wanted.clone());
        // One row of each is the rule where it starts from many.
        out.reserve(len);
        let mut bytes = held.bytes();
        while let Some(more) =
            execution.next(|columns, positions, cx| out.take(columns, positions, cx)).map_err(failed)?
        {
            bytes += more;
            held.resize(bytes).map_err(Error::Memory)?;
        }
        Ok(out)
    }

    /// The plan of a part: the one that is kept, or a new one.
    fn planned(
        &self,
        writing: &Writing,
        read: &Read,
        snapshot: &Snapshot,
    ) -> Result<Arc<PhysicalPlan>, Error> {
        if let Some(kept) = read.kept(snapshot.catalog()) {
            writing.note_plan(&kept.reliances);
            return Ok(kept.physical);
        }
        let wrong = |d: Diagnostic| Error::exec(ExecError::from(d), self.text);
        let config = &self.shared.config;
        let catalog = CatalogView::new(snapshot.catalog());
        let options = match config.switches.optimize {
            true => trimorph_optimizer::Options::default(),
            false => trimorph_optimizer::Options::plain(),
        };
        let options = options.within(self.shared.budget.limit_bytes());
        let estimator = Sampler::new(snapshot, Some(self.params));
        let query = read.query.clone();
        let optimized = trimorph_optimizer::optimize_until(
            query,
            &catalog,
            Some(&estimator),
            options,
            &self.settings.cancel,
        )
        .map_err(wrong)?;
        let options =
            PhysicalOptions { factorise: config.switches.factorise, access: config.switches.access };
        let physical = PhysicalPlan::new(&optimized.query, &catalog, options);
        let reliances = Arc::new(catalog.reliances());
        writing.note_plan(&reliances);
        let physical = Arc::new(physical.map_err(|e| Error::exec(e, self.text))?);
        let true_in = Arc::downgrade(snapshot.catalog());
        read.keep(Kept { physical: Arc::clone(&physical), reliances, true_in });
        Ok(physical)
    }

    /// A parameter has no value.
    fn missing(&self, value: &Expr) -> Error {
        let name = if let Expr::Param(name) = value { &**name } else { "" };
        self.wrong(trimorph_exec::missing_parameter(name))
    }

    /// Stops if somebody asked.
    fn check(&self, row: usize) -> Result<(), Error> {
        if row.is_multiple_of(ROWS_UNCHECKED) && self.settings.cancel.is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// A diagnostic of this statement.
    fn wrong(&self, diagnostic: Diagnostic) -> Error {
        Error::query(diagnostic, self.text)
    }
}

/// Which rows go together: none has a node or edge that is set in another row of its turn, and rows of the
/// same one are in their order; none where all go together, each having its own.
fn turns(rows: &Rows, update: &Update) -> Option<Vec<Vec<usize>>> {
    use trimorph_algebra::Change;
    let mut targets: Vec<VarId> = (update.changes.iter())
        .filter_map(|change| match change {
            Change::SetProperty { target, .. }
            | Change::SetProperties { target, .. }
            | Change::AddLabels { target, .. }
            | Change::RemoveLabels { target, .. } => Some(*target),
            _ => None,
        })
        .collect();
    targets.sort_unstable();
    targets.dedup();
    let id_of = |value: &Value| match value {
        Value::Node(NodeId(id)) => Some(*id),
        Value::Relationship(relationship) => Some(relationship.id.0),
        _ => None,
    };
    if let [target] = targets[..] {
        let ids = || rows.column(target).unwrap_or_default().iter().filter_map(id_of);
        if ids().is_sorted_by(|a, b| a < b) {
            return None;
        }
        let mut ids: Vec<u64> = ids().collect();
        ids.sort_unstable();
        if ids.is_sorted_by(|a, b| a < b) {
            return None;
        }
    }
    // The turn after the last one that had the entity.
    let mut next: std::collections::HashMap<u64, usize> = std::collections::HashMap::new();
    let mut turns: Vec<Vec<usize>> = Vec::new();
    for row in 0..rows.len() {
        let ids = targets.iter().filter_map(|target| id_of(rows.value(*target, row)));
        let ids: Vec<u64> = ids.collect();
        let turn = ids.iter().filter_map(|id| next.get(id)).copied().max().unwrap_or(0);
        next.extend(ids.into_iter().map(|id| (id, turn + 1)));
        if turns.len() <= turn {
            turns.resize(turn + 1, Vec::new());
        }
        turns[turn].push(row);
    }
    (turns.len() > 1).then_some(turns)
}

/// Whether a value is an entity or has one in it.
fn holds_entities(value: &Value) -> bool {
    match value {
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => true,
        Value::List(items) => items.iter().any(holds_entities),
        Value::Map(entries) => entries.values().any(holds_entities),
        _ => false,
    }
}

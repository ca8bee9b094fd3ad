//! Statements that write: a sequence of reads with writes between.
//!
//! ```text
//! mod        the statement: its plan is cut at what changes the graph; what is between is planned and run
//!            as any query, from the rows that the part before has left
//! merge      MERGE: rows that find nothing make it, once for all that ask the same
//! changes    the changes of one clause, for all its rows, by columns
//! edges      edges that come and go
//! touched    what a clause wrote that definitions may be about
//! constraints  that, asked against them
//! loaded     what a bulk load does as a transaction
//! logged     what a clause did, as the log will have it
//! schema     tables and columns that changes need; facts that they may break
//! writing    an open transaction: what it sees, what it has written, how it ends
//! rows       rows between two parts
//! ```
//!
//! Invariant: all rows of a part are there before what follows it writes; a part sees what all parts before
//! it wrote, and its plan is made for the tables that there are then.

mod changes;
mod constraints;
mod edges;
mod loaded;
mod logged;
mod merge;
mod rows;
mod schema;
mod touched;
mod writing;

use std::sync::Arc;

use trimorph_algebra::{ApplyKind, BoundQuery, Plan, Update, VarId};
use trimorph_base::{CancelToken, Diagnostic, NodeId, Reservation};
use trimorph_catalog::CatalogView;
use trimorph_exec::{ExecError, Execution, PhysicalOptions, PhysicalPlan, Settings};
use trimorph_store::Snapshot;
use trimorph_types::Value;

use crate::estimator::Sampler;
use crate::params::Params;
use crate::shared::Shared;
use crate::{Error, SideEffects};
use rows::Rows;
pub(crate) use writing::Writing;

/// Rows between two looks at the flag that cancels.
const ROWS_UNCHECKED: usize = 1 << 12;

/// One statement that writes.
pub(crate) struct Statement<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) text: &'a str,
    pub(crate) query: &'a BoundQuery,
    pub(crate) params: &'a Arc<Params>,
    pub(crate) settings: Settings,
    pub(crate) cancel: CancelToken,
}

impl Statement<'_> {
    /// Runs the statement within a transaction; gives its result: rows of the query's columns.
    ///
    /// **Errors**: what its parts fail with; what it wrote until then is undone with the transaction.
    pub(crate) fn run(
        &self,
        writing: &mut Writing,
    ) -> Result<(Arc<trimorph_exec::GivenRows>, SideEffects), Error> {
        writing.effects = SideEffects::default();
        let wanted: Vec<VarId> = self.query.columns.iter().map(|(_, var)| *var).collect();
        let mut held = self.shared.budget.reservation();
        let rows = self.rows(writing, self.query.plan.clone(), Rows::unit(), &wanted, &mut held)?;
        self.check_deleted(writing)?;
        Ok((rows.into_given(), writing.effects))
    }

    /// The rows of a plan that starts from `given`, and what it writes.
    fn rows(
        &self,
        writing: &mut Writing,
        mut plan: Plan,
        given: Rows,
        wanted: &[VarId],
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let Some(node) = cut(&mut plan) else { return self.read(writing, plan, given, wanted, held) };
        let rows = self.write(writing, node, given, held)?;
        if let Plan::Argument(_) = plan {
            return Ok(rows.restricted(wanted));
        }
        self.read(writing, plan, rows, wanted, held)
    }

    /// What changes the graph: gives all variables of its rows.
    fn write(
        &self,
        writing: &mut Writing,
        node: Plan,
        given: Rows,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        match node {
            Plan::Update { input, update } => {
                let mut wanted = input.vars();
                if update.takes_turns {
                    let rows = self.rows(writing, *input, given, &wanted, held)?;
                    return self.update(writing, rows, &update, held);
                }
                let mut plan = *input;
                if !update.values.is_empty() {
                    wanted.extend(update.values.iter().map(|(var, _)| *var));
                    plan = Plan::Extra { input: Box::new(plan), items: update.values.clone() };
                }
                let rows = self.rows(writing, plan, given, &wanted, held)?;
                let rows = self.changed(writing, rows, &update.changes)?;
                writing.end_clause();
                self.shared.charge_clause(writing)?;
                Ok(rows)
            }
            Plan::Merge { input, subplan, merge } => {
                let wanted = input.vars();
                let rows = self.rows(writing, *input, given, &wanted, held)?;
                self.merge(writing, rows, &subplan, &merge, held)
            }
            Plan::Apply { input, subplan, kind } => {
                let wanted = input.vars();
                let rows = self.rows(writing, *input, given, &wanted, held)?;
                self.applied(writing, rows, &subplan, &kind, held)
            }
            Plan::Union { inputs, vars } => {
                let mut out = Rows::of(vars.clone());
                for input in inputs {
                    out.extend(&self.rows(writing, input, given.clone(), &vars, held)?);
                }
                Ok(out)
            }
            other => self.read(writing, other, given, &[], held),
        }
    }

    /// The rows of a subplan that writes, for each row.
    fn applied(
        &self,
        writing: &mut Writing,
        rows: Rows,
        subplan: &Plan,
        kind: &ApplyKind,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let mut inner_vars = subplan.vars();
        inner_vars.retain(|var| !rows.vars().contains(var));
        match kind {
            ApplyKind::Effects { together: true } => {
                self.rows(writing, subplan.clone(), rows.clone(), &[], held)?;
                Ok(rows)
            }
            ApplyKind::Effects { together: false } => {
                for row in 0..rows.len() {
                    self.check(row)?;
                    self.rows(writing, subplan.clone(), rows.pick(&[row]), &[], held)?;
                }
                Ok(rows)
            }
            _ => {
                let mut out = Rows::of(rows.vars().iter().chain(&inner_vars).copied().collect());
                for row in 0..rows.len() {
                    self.check(row)?;
                    let one = rows.pick(&[row]);
                    let mut found = self.rows(writing, subplan.clone(), one, &inner_vars, held)?;
                    let is_optional = matches!(kind, ApplyKind::Optional) && found.len() == 0;
                    if is_optional {
                        found.push(inner_vars.iter().map(|_| Value::Null));
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
        rows: Rows,
        update: &Update,
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        let mut wanted = rows.vars().to_vec();
        wanted.extend(update.values.iter().map(|(var, _)| *var));
        let turns = if update.takes_turns { turns(&rows, update) } else { vec![(0..rows.len()).collect()] };
        let mut parts = Vec::with_capacity(turns.len());
        for turn in &turns {
            self.check(0)?;
            let mut part = if turns.len() == 1 { rows.clone() } else { rows.pick(turn) };
            if !update.values.is_empty() {
                let argument = Box::new(Plan::Argument(part.vars().to_vec()));
                let plan = Plan::Extra { input: argument, items: update.values.clone() };
                part = self.read(writing, plan, part, &wanted, held)?;
            }
            parts.push(self.changed(writing, part, &update.changes)?);
            writing.end_clause();
            self.shared.charge_clause(writing)?;
        }
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        // Back into the order that rows had.
        let Some(first) = parts.first() else { return Ok(rows) };
        let mut all = Rows::of(first.vars().to_vec());
        parts.iter().for_each(|part| all.extend(part));
        let mut place = vec![0; all.len()];
        turns.iter().flatten().enumerate().for_each(|(at, row)| place[*row] = at);
        Ok(all.pick(&place))
    }

    /// Runs a part that only reads.
    fn read(
        &self,
        writing: &Writing,
        plan: Plan,
        given: Rows,
        wanted: &[VarId],
        held: &mut Reservation,
    ) -> Result<Rows, Error> {
        if let Plan::Argument(_) = plan {
            return Ok(given.restricted(wanted));
        }
        let snapshot = writing.snapshot(writing.base(self.shared));
        let columns = wanted.iter().map(|var| (format!("v{}", var.0), *var)).collect();
        let query = self.part(plan, columns);
        let physical = self.planned(writing, query, &snapshot)?;
        let settings = Settings { rows: Some(given.into_given()), ..self.settings.clone() };
        let failed = |error| Error::exec(error, self.text);
        let mut execution = Execution::run(&physical, snapshot, settings).map_err(failed)?;
        let mut out = Rows::of(wanted.to_vec());
        let mut bytes = held.bytes();
        while let Some(more) = execution
            .next(|columns, positions, cx| {
                let mut more = 0;
                for p in positions {
                    let row = columns.iter().map(|c| c.value(*p as usize, &|id| cx.edge_value(id)));
                    let row: Vec<Value> = row.collect();
                    more += row.iter().map(|v| size_of::<Value>() + v.owned_bytes() as usize).sum::<usize>();
                    out.push(row.into_iter());
                }
                more
            })
            .map_err(failed)?
        {
            bytes += more;
            held.resize(bytes).map_err(Error::Memory)?;
        }
        Ok(out)
    }

    /// A query of its own of a part's plan.
    fn part(&self, plan: Plan, columns: Vec<(String, VarId)>) -> BoundQuery {
        BoundQuery {
            plan,
            columns,
            vars: self.query.vars.clone(),
            parameters: self.query.parameters.clone(),
            notices: Vec::new(),
            depth: None,
        }
    }

    fn planned(
        &self,
        writing: &Writing,
        query: BoundQuery,
        snapshot: &Snapshot,
    ) -> Result<PhysicalPlan, Error> {
        let wrong = |d: Diagnostic| Error::exec(ExecError::from(d), self.text);
        let config = &self.shared.config;
        let catalog = CatalogView::new(snapshot.catalog());
        let options = match config.optimize {
            true => trimorph_optimizer::Options::default(),
            false => trimorph_optimizer::Options::plain(),
        };
        let estimator = Sampler::new(snapshot, Some(self.params));
        let optimized =
            trimorph_optimizer::optimize_until(query, &catalog, Some(&estimator), options, &self.cancel)
                .map_err(wrong)?;
        let options = PhysicalOptions { factorise: config.factorise, access: config.access };
        let physical = PhysicalPlan::new(&optimized.query, &catalog, options);
        writing.note_plan(catalog.reliances());
        physical.map_err(|e| Error::exec(e, self.text))
    }

    /// Stops if somebody asked.
    fn check(&self, row: usize) -> Result<(), Error> {
        if row.is_multiple_of(ROWS_UNCHECKED) && self.cancel.is_cancelled() {
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

/// Takes the topmost operator that changes the graph out of a plan, which then starts from its rows; none if
/// nothing changes it.
fn cut(plan: &mut Plan) -> Option<Plan> {
    let writes = match &*plan {
        Plan::Update { .. } | Plan::Merge { .. } => true,
        Plan::Apply { subplan, .. } => subplan.updates(),
        Plan::Union { inputs, .. } => inputs.iter().any(Plan::updates),
        _ => false,
    };
    if writes {
        let argument = Plan::Argument(plan.vars());
        return Some(std::mem::replace(plan, argument));
    }
    cut(plan.children_mut().into_iter().next()?)
}

/// Which rows go together: none has a node or edge that is set in another row of its turn, and rows of the
/// same one are in their order.
fn turns(rows: &Rows, update: &Update) -> Vec<Vec<usize>> {
    use trimorph_algebra::Change;
    let targets: Vec<VarId> = (update.changes.iter())
        .filter_map(|change| match change {
            Change::SetProperty { target, .. }
            | Change::SetProperties { target, .. }
            | Change::AddLabels { target, .. }
            | Change::RemoveLabels { target, .. } => Some(*target),
            _ => None,
        })
        .collect();
    // The turn after the last one that had the entity.
    let mut next: std::collections::HashMap<u64, usize> = std::collections::HashMap::new();
    let mut turns: Vec<Vec<usize>> = Vec::new();
    for row in 0..rows.len() {
        let ids = targets.iter().filter_map(|target| match rows.value(*target, row) {
            Value::Node(NodeId(id)) => Some(*id),
            Value::Relationship(relationship) => Some(relationship.id.0),
            _ => None,
        });
        let ids: Vec<u64> = ids.collect();
        let turn = ids.iter().filter_map(|id| next.get(id)).copied().max().unwrap_or(0);
        next.extend(ids.into_iter().map(|id| (id, turn + 1)));
        if turns.len() <= turn {
            turns.resize(turn + 1, Vec::new());
        }
        turns[turn].push(row);
    }
    if turns.is_empty() { vec![Vec::new()] } else { turns }
}

//! A statement that writes, cut into parts: takes a bound query, gives its reads with the writes between, so
//! that a statement that comes again is neither cut nor planned again.
//!
//! 1. A plan is cut at its topmost operator that changes the graph: what is above it starts from its rows,
//!    what is below it is cut likewise.
//! 2. A part that reads is planned when it first runs, for the tables that there are then, and the plan is
//!    kept while what it relied on is true.
//! 3. Values that are constants or parameters are not read for: they are put into rows as they are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use trimorph_algebra::{ApplyKind, BoundQuery, Change, Expr, Merge, Plan, Procedures, Update, VarId};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_cypher::ast::Mode;
use trimorph_exec::{GivenRows, PhysicalPlan};
use trimorph_types::Value;

use crate::params::Params;
use crate::planned::Planned;

/// A statement that writes.
#[derive(Debug)]
pub(crate) struct Program {
    /// The whole, with its columns.
    pub(crate) query: BoundQuery,
    /// How it is to be run.
    pub(crate) mode: Mode,
    pub(super) whole: Part,
    procedures: Arc<Procedures>,
    /// What binding took from the catalog.
    reliances: Reliances,
    true_in: Mutex<Weak<Catalog>>,
    /// What hands its rows out.
    pub(crate) shown: OnceLock<Planned>,
    /// Whether it writes little, once its parts were planned; and whether it turned out not to.
    is_small: OnceLock<bool>,
    is_large: AtomicBool,
}

/// Rows in, rows out: a write, a read above it, or one of both.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) write: Option<Box<Write>>,
    pub(super) then: Then,
    /// What its rows get in the end.
    pub(super) given: Given,
    /// The variables of its rows.
    pub(super) wanted: Vec<VarId>,
}

/// What is done with the rows of the write, or those that are given.
#[derive(Debug)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// One row without values stands for them.
    Unit,
    /// They are read from.
    Read(Box<Read>),
}

/// An operator that changes the graph.
#[derive(Debug)]
pub(super) enum Write {
    Update { input: Part, update: Computed },
    Merge { input: Part, look: Read, merge: Merge, on_create: Vec<Computed>, on_match: Vec<Computed> },
    Apply { input: Part, subplan: Part, inner: Vec<VarId>, kind: ApplyKind },
    Union { inputs: Vec<Part>, vars: Vec<VarId> },
}

/// Values that are the same for all rows.
pub(super) type Given = Vec<(VarId, Expr)>;

/// An update whose values are computed for rows that are there.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) update: Update,
    /// Values that rows are given before the others are computed.
    pub(super) given: Given,
    /// Made for the variables of the first rows: later ones have the same.
    read: OnceLock<Read>,
}

/// A `MERGE` and the reads that belong to it.
#[derive(Clone, Copy)]
pub(super) struct Looked<'p> {
    pub(super) look: &'p Read,
    pub(super) merge: &'p Merge,
    pub(super) on_create: &'p [Computed],
    pub(super) on_match: &'p [Computed],
}

/// A part that only reads.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) query: BoundQuery,
    pub(super) wanted: Vec<VarId>,
    kept: Mutex<Option<Kept>>,
}

/// A plan and what it relied on.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) physical: Arc<PhysicalPlan>,
    pub(super) reliances: Arc<Reliances>,
    /// The catalog that it was last found true in.
    pub(super) true_in: Weak<Catalog>,
}

impl Program {
    /// Of a bound query that changes the graph, and what binding it relied on.
    pub(crate) fn new(
        query: BoundQuery,
        mode: Mode,
        reliances: Reliances,
        catalog: &Arc<Catalog>,
        procedures: Arc<Procedures>,
    ) -> Self {
        let wanted: Vec<VarId> = query.columns.iter().map(|(_, var)| *var).collect();
        let whole = Part::of(query.plan.clone(), &wanted, &query);
        let true_in = Mutex::new(Arc::downgrade(catalog));
        let (shown, is_small, is_large) = Default::default();
        Self { query, mode, whole, procedures, reliances, true_in, shown, is_small, is_large }
    }

    /// The procedures that it was bound with.
    pub(crate) fn procedures(&self) -> &Arc<Procedures> {
        &self.procedures
    }

    /// Whether what it reads is few rows found by key, as a rule, so that it is done in microseconds.
    pub(crate) fn is_small(&self) -> bool {
        !self.is_large.load(Ordering::Relaxed)
            && match self.is_small.get() {
                Some(is_small) => *is_small,
                None => self.whole.is_small().is_some_and(|is| *self.is_small.get_or_init(|| is)),
            }
    }

    /// It is not, whatever its plans look like.
    pub(crate) fn is_large(&self) {
        self.is_large.store(true, Ordering::Relaxed);
    }

    /// Its rows where it is not run: none, of its columns.
    pub(crate) fn no_rows(&self) -> Arc<GivenRows> {
        let vars: Vec<VarId> = self.query.columns.iter().map(|(_, var)| *var).collect();
        let columns = vec![Vec::new(); vars.len()];
        Arc::new(GivenRows { vars, columns, len: 0 })
    }

    /// Whether binding the text again would give the same.
    pub(crate) fn holds_in(&self, catalog: &Arc<Catalog>, procedures: &Arc<Procedures>) -> bool {
        if !Arc::ptr_eq(&self.procedures, procedures) {
            return false;
        }
        let mut true_in = self.true_in.lock().unwrap_or_else(PoisonError::into_inner);
        // While it is pointed to weakly, no other catalog can be at the same place.
        if std::ptr::eq(true_in.as_ptr(), Arc::as_ptr(catalog)) {
            return true;
        }
        let holds = self.reliances.hold_in(catalog);
        if holds {
            *true_in = Arc::downgrade(catalog);
        }
        holds
    }
}

impl Part {
    /// Of a plan whose rows have `wanted`.
    fn of(mut plan: Plan, wanted: &[VarId], of: &BoundQuery) -> Self {
        let write = cut(&mut plan).map(|node| Box::new(Write::of(node, of)));
        let mut given = Given::new();
        let mut read = wanted.to_vec();
        if let Plan::Extra { input, items } = &mut plan
            && items.iter().all(is_given)
        {
            given = std::mem::take(items);
            plan = std::mem::replace(input, Plan::Unit);
            read.retain(|var| given.iter().all(|(own, _)| own != var));
        }
        let then = match plan {
            Plan::Argument(_) => Then::Nothing,
            Plan::Unit if read.is_empty() => Then::Unit,
            plan => Then::Read(Box::new(Read::new(plan, read, of))),
        };
        Self { write, then, given, wanted: wanted.to_vec() }
    }

    /// Whether it reads and writes few rows; none before its parts are planned.
    fn is_small(&self) -> Option<bool> {
        let write = self.write.as_ref().map_or(Some(true), |write| write.is_small())?;
        match &self.then {
            Then::Read(read) => Some(write && read.is_small()?),
            Then::Nothing | Then::Unit => Some(write),
        }
    }

    /// The variables that rows of its write must have; none where all may be read.
    pub(super) fn needed(&self) -> Option<&[VarId]> {
        match &self.then {
            Then::Nothing => Some(&self.wanted),
            Then::Unit => Some(&[]),
            Then::Read(_) => None,
        }
    }
}

impl Write {
    fn is_small(&self) -> Option<bool> {
        match self {
            Self::Update { input, update } => Some(input.is_small()? && update.is_small()?),
            Self::Merge { input, look, merge, on_create, on_match } => {
                let mut all = on_create.iter().chain(on_match).map(Computed::is_small);
                let updates = all.try_fold(true, |all, one| Some(all & one?))?;
                Some(
                    input.is_small()?
                        && look.is_small()?
                        && updates
                        && merge.create.iter().all(is_small_change),
                )
            }
            Self::Apply { .. } | Self::Union { .. } => Some(false),
        }
    }

    fn of(node: Plan, of: &BoundQuery) -> Self {
        match node {
            Plan::Update { input, mut update } => {
                let mut wanted = input.vars();
                let mut plan = *input;
                if !update.takes_turns {
                    let computed = |value: &mut (VarId, Expr)| !is_given(value);
                    let items: Vec<_> = update.values.extract_if(.., computed).collect();
                    if !items.is_empty() {
                        wanted.extend(items.iter().map(|(var, _)| *var));
                        plan = Plan::Extra { input: Box::new(plan), items };
                    }
                }
                Self::Update { input: Part::of(plan, &wanted, of), update: Computed::new(update) }
            }
            Plan::Merge { input, subplan, merge } => {
                let mut wanted = input.vars();
                let input = Part::of(*input, &wanted, of);
                let given = wanted.clone();
                wanted.extend(subplan.vars().into_iter().filter(|var| !given.contains(var)));
                let plan = Plan::Apply {
                    input: Box::new(Plan::Argument(given)),
                    subplan,
                    kind: ApplyKind::Optional,
                };
                let look = Read::new(plan, wanted, of);
                let mut merge = merge;
                let computed = |updates: &mut Vec<Update>| {
                    std::mem::take(updates).into_iter().map(Computed::new).collect()
                };
                let on_create = computed(&mut merge.on_create);
                let on_match = computed(&mut merge.on_match);
                Self::Merge { input, look, merge, on_create, on_match }
            }
            Plan::Apply { input, subplan, kind } => {
                let wanted = input.vars();
                let mut inner = subplan.vars();
                inner.retain(|var| !wanted.contains(var));
                let input = Part::of(*input, &wanted, of);
                let inner = if matches!(kind, ApplyKind::Effects { .. }) { Vec::new() } else { inner };
                let subplan = Part::of(*subplan, &inner, of);
                Self::Apply { input, subplan, inner, kind }
            }
            Plan::Union { inputs, vars } => {
                let inputs = inputs.into_iter().map(|input| Part::of(input, &vars, of)).collect();
                Self::Union { inputs, vars }
            }
            // `cut` gives no other.
            other => Self::Union { inputs: vec![Part::of(other, &[], of)], vars: Vec::new() },
        }
    }
}

/// Whether a change is as much work as there are rows: what goes may have any number of relationships, and
/// what is known of statements has to be looked for.
fn is_small_change(change: &Change) -> bool {
    match change {
        Change::CreateNode { .. } | Change::CreateEdge { .. } | Change::CreatePath { .. } => true,
        Change::SetProperty { .. } | Change::SetProperties { .. } => true,
        Change::AddLabels { .. } | Change::RemoveLabels { .. } => false,
        Change::InsertStatement(_) | Change::DeleteStatement(_) | Change::Delete { .. } => false,
    }
}

impl Computed {
    /// What is computed is planned when there are rows.
    fn is_small(&self) -> Option<bool> {
        let reads = if self.update.values.is_empty() { true } else { self.read.get()?.is_small()? };
        Some(reads && self.update.changes.iter().all(is_small_change))
    }

    fn new(mut update: Update) -> Self {
        let given = update.values.extract_if(.., |value| is_given(value)).collect();
        Self { update, given, read: OnceLock::new() }
    }

    /// What computes its values for rows of these variables; none where there is nothing to compute.
    pub(super) fn read(&self, vars: &[VarId], of: &BoundQuery) -> Option<&Read> {
        if self.update.values.is_empty() {
            return None;
        }
        Some(self.read.get_or_init(|| {
            let mut wanted = vars.to_vec();
            wanted.extend(self.update.values.iter().map(|(var, _)| *var));
            let argument = Box::new(Plan::Argument(vars.to_vec()));
            let plan = Plan::Extra { input: argument, items: self.update.values.clone() };
            Read::new(plan, wanted, of)
        }))
    }
}

impl Read {
    /// A plan by itself: its rows have `wanted`.
    fn new(plan: Plan, wanted: Vec<VarId>, of: &BoundQuery) -> Self {
        let columns = wanted.iter().map(|var| (format!("v{}", var.0), *var)).collect();
        let query = BoundQuery {
            plan,
            columns,
            vars: of.vars.clone(),
            parameters: of.parameters.clone(),
            notices: Vec::new(),
            depth: None,
            answer: of.answer,
        };
        Self { query, wanted, kept: Mutex::default() }
    }

    fn is_small(&self) -> Option<bool> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map(|kept| kept.physical.may_be_few())
    }

    /// The plan that is kept, if it is right in a catalog.
    pub(super) fn kept(&self, catalog: &Arc<Catalog>) -> Option<Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.as_mut()?;
        if !std::ptr::eq(known.true_in.as_ptr(), Arc::as_ptr(catalog)) {
            if !known.reliances.hold_in(catalog) {
                *kept = None;
                return None;
            }
            known.true_in = Arc::downgrade(catalog);
        }
        Some(known.clone())
    }

    /// Keeps a plan.
    pub(super) fn keep(&self, plan: Kept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
    }
}

/// Whether a value is a constant or a parameter.
fn is_given((_, value): &(VarId, Expr)) -> bool {
    matches!(value, Expr::Const(_) | Expr::Param(_))
}

/// The value of a constant or a parameter; none of anything else, or of a parameter that has no value.
pub(super) fn given_value<'v>(value: &'v Expr, params: &'v Params) -> Option<&'v Value> {
    match value {
        Expr::Const(value) => Some(value),
        Expr::Param(name) => params.get(name),
        _ => None,
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

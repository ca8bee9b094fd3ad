//! What lowering works with: where in the plan it is, what is made so far, and the steps that all operators
//! share.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Expr, Op, Plan, VarId};
use trimorph_base::{Diagnostic, Phase};
use trimorph_catalog::CatalogView;

use crate::ExecError;
use crate::expr::{Count, Ex, compile};
use crate::layout::{Layout, Place};
use crate::ops::{self, CursorSpec};
use crate::physical::{Node, PhysicalOptions, PlanPath, Spec};
use crate::volatile::is_volatile;

pub(super) type Vars = BTreeSet<VarId>;

/// An operator and what its chunks look like.
pub(super) struct Lowered {
    pub(super) node: Node,
    pub(super) layout: Layout,
}

/// Lowers one query.
pub(super) struct Lowering<'q> {
    pub(super) query: &'q BoundQuery,
    pub(super) catalog: &'q CatalogView<'q>,
    pub(super) options: PhysicalOptions,
    /// The variables of the rows of the apply around the plan being lowered, the row number last.
    pub(super) argument: Option<Vec<VarId>>,
    /// Row-number variables of the applies around.
    pub(super) numbers: Vec<VarId>,
    /// The row number that the rows of the subplan being lowered carry; none where rows go through it one at
    /// a time.
    pub(super) carried: Option<VarId>,
    /// Whether the apply around hands in one row in all, of which nothing is looked at.
    pub(super) has_one_row: bool,
    /// Where in the plan tree this lowering is: child indices from the root.
    pub(super) path: PlanPath,
    /// Whether the extend lowered next is looked at by a filter only.
    pub(super) filtered_extend: bool,
    /// Whether only some rows of the plan being lowered may be asked for.
    pub(super) is_limited: bool,
    /// Whether an aggregation above takes the rows of the plan being lowered as they come, from all threads.
    pub(super) is_shared: bool,
    /// Whether the rows of the plan being lowered are aggregated, and nothing but computed with before.
    pub(super) is_folded: bool,
    /// Whether the rows of the plan being lowered are counted, and nothing but computed with before: their
    /// order is of no matter.
    pub(super) is_counted: bool,
    /// Whether all rows of the plan being lowered are asked for before any that is made of them is given.
    pub(super) is_whole: bool,
    /// Whether the DISTINCT that is lowered next may give rows again: a join makes one of them.
    pub(super) keeps_repeated: bool,
    /// Keys of joins around that are asked where the plan being lowered first has them.
    pub(super) passed: Vec<Passed>,
    /// What makes the rows of spools around, by their numbers.
    pub(super) spools: HashMap<u32, (Arc<Node>, Layout)>,
    /// Nodes made so far.
    pub(super) nodes: Cell<usize>,
    /// Variables made so far.
    pub(super) made_vars: Cell<u32>,
}

/// A key that a join passes down to its probe side.
pub(super) struct Passed {
    /// The node or edge.
    pub(super) var: VarId,
    /// Its property that is the key; none where the node itself is.
    pub(super) property: Option<Arc<str>>,
    /// The number by which the keys are found.
    pub(super) keys: usize,
}

pub(super) fn internal(text: &str) -> ExecError {
    ExecError::Query(Diagnostic { phase: Phase::Compile, ..Diagnostic::internal(text) })
}

pub(super) fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Vars {
    let mut vars = Vars::new();
    for expr in exprs {
        expr.for_each_free_var(&mut |v| {
            vars.insert(v);
        });
    }
    vars
}

/// The variables that rows have of which expressions are computed: those that they speak of, and all there
/// are where one gives something else for each row, of which none may stand for several then.
pub(super) fn asked_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>, input: &Plan) -> Vars {
    let exprs: Vec<&Expr> = exprs.into_iter().collect();
    let mut vars = vars_of(exprs.iter().copied());
    if exprs.into_iter().any(is_volatile) {
        vars.extend(input.vars());
    }
    vars
}

pub(super) fn conjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Op(Op::And, parts, _) => parts.iter().for_each(|p| conjuncts(p, out)),
        other => out.push(other),
    }
}

impl<'q> Lowering<'q> {
    pub(super) fn new(query: &'q BoundQuery, catalog: &'q CatalogView<'q>, options: PhysicalOptions) -> Self {
        Self {
            query,
            catalog,
            options,
            argument: None,
            numbers: Vec::new(),
            carried: None,
            has_one_row: false,
            path: PlanPath::default(),
            filtered_extend: false,
            is_limited: false,
            is_shared: false,
            is_folded: false,
            is_counted: false,
            is_whole: false,
            keeps_repeated: false,
            passed: Vec::new(),
            spools: HashMap::new(),
            nodes: Cell::new(0),
            made_vars: Cell::new(0),
        }
    }

    /// The node of an operator for the part of the plan that is being lowered.
    pub(super) fn node(&self, spec: Spec, inputs: impl IntoIterator<Item = Node>) -> Node {
        let number = self.nodes.get();
        self.nodes.set(number + 1);
        let inputs: Vec<Arc<Node>> = inputs.into_iter().map(Arc::new).collect();
        let forkable = match &spec {
            Spec::NodeScan(_) | Spec::Deal(_) => true,
            Spec::Union(_) => inputs.iter().all(|input| input.forkable),
            spec => spec.is_pipelined() && inputs.first().is_some_and(|input| input.forkable),
        };
        Node { spec, inputs, forkable, number, path: self.path.clone(), gives: Vec::new() }
    }

    /// Whether a variable is one of the query's: row numbers are none.
    pub(super) fn is_named(&self, var: VarId) -> bool {
        (var.0 as usize) < self.query.vars.count()
    }

    /// A variable that no text has.
    pub(super) fn made_var(&self) -> VarId {
        let number = self.made_vars.get();
        self.made_vars.set(number + 1);
        // Those of the query come first, row numbers last.
        VarId(u32::MAX / 2 + number)
    }

    pub(super) fn compile(&self, expr: &Expr, layout: &Layout) -> Result<Ex, ExecError> {
        Ok(compile(expr, layout, self.catalog)?)
    }

    /// A count that LIMIT or SKIP was given.
    pub(super) fn count(&self, expr: &Expr) -> Result<Count, ExecError> {
        Ok(Count::Of(self.compile(expr, &Layout::default())?))
    }

    pub(super) fn place(&self, layout: &Layout, var: VarId) -> Result<Place, ExecError> {
        layout.place(var).ok_or_else(|| {
            let name = if self.is_named(var) { &self.query.vars.get(var).name } else { "row number" };
            internal(&format!("variable \"{name}\" is not bound where it is used"))
        })
    }

    pub(super) fn slot(&self, layout: &Layout, var: VarId) -> Result<usize, ExecError> {
        Ok(self.place(layout, var)?.slot)
    }

    /// Makes chunks of one group that has `vars`.
    pub(super) fn pack(&self, lowered: Lowered, vars: &Vars, eager: bool) -> Result<Lowered, ExecError> {
        if lowered.layout.groups.len() == 1 {
            return Ok(lowered);
        }
        let vars: Vec<VarId> = vars.iter().copied().collect();
        let exprs: Vec<Expr> = vars.iter().map(|v| Expr::Var(*v)).collect();
        let Lowered { node, layout } = self.flatten(lowered, &exprs.iter().collect::<Vec<_>>());
        let places = vars.iter().map(|v| self.place(&layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let spec = ops::PackSpec { slots: layout.slots(), places, eager };
        Ok(Lowered { node: self.node(Spec::Pack(Arc::new(spec)), [node]), layout: rows_layout(&vars) })
    }

    /// As [`Self::pack`], for an operator that goes through the rows on one thread: they are made on all.
    pub(super) fn gather(&self, lowered: Lowered, vars: &Vars, eager: bool) -> Result<Lowered, ExecError> {
        let Lowered { node, layout } = self.pack(lowered, vars, eager)?;
        // A scan by itself is no work.
        if !node.forkable || !self.numbers.is_empty() || matches!(node.spec, Spec::NodeScan(_)) {
            return Ok(Lowered { node, layout });
        }
        let spec = ops::GatherSpec { slots: layout.groups[0].slots, eager };
        Ok(Lowered { node: self.node(Spec::Gather(spec), [node]), layout })
    }

    /// Below a DISTINCT of `vars`: where several threads make the rows, each leaves out what it made before.
    pub(super) fn thin(&self, lowered: Lowered, vars: &Vars) -> Result<Lowered, ExecError> {
        let Lowered { node, layout } = self.pack(lowered, vars, false)?;
        if !node.forkable || !self.numbers.is_empty() || matches!(node.spec, Spec::NodeScan(_)) {
            return Ok(Lowered { node, layout });
        }
        let slots = vars.iter().map(|v| self.slot(&layout, *v)).collect::<Result<Vec<_>, _>>()?;
        Ok(Lowered { node: self.node(Spec::Thin(slots.into()), [node]), layout })
    }

    /// For a step along edges from rows that one thread makes and that may be many, since they come from an
    /// earlier step or from groups: all threads are to take it. So they are where a scan may leave few rows,
    /// all in one morsel. Other rows stay as they are; so do those that have an order.
    pub(super) fn deal(&self, lowered: Lowered, vars: &Vars) -> Result<Lowered, ExecError> {
        if !self.numbers.is_empty() {
            return Ok(lowered);
        }
        if is_filtered_scan(&lowered.node) && lowered.layout.groups.len() == 1 {
            let Lowered { node, layout } = lowered;
            let spec = Spec::DealFew(layout.groups[0].slots);
            return Ok(Lowered { node: self.node(spec, [node]), layout });
        }
        if !is_dealt(&lowered.node) {
            return Ok(lowered);
        }
        self.dealt(lowered, vars)
    }

    /// Chunks of one group that twins of what is above may take: dealt, where there is no scan to share.
    pub(super) fn dealt(&self, lowered: Lowered, vars: &Vars) -> Result<Lowered, ExecError> {
        let Lowered { node, layout } = self.pack(lowered, vars, false)?;
        if node.forkable {
            return Ok(Lowered { node, layout });
        }
        let spec = Spec::Deal(layout.groups[0].slots);
        Ok(Lowered { node: self.node(spec, [node]), layout })
    }

    /// Flattens all unflat groups that `exprs` read but the last.
    pub(super) fn flatten(&self, mut lowered: Lowered, exprs: &[&Expr]) -> Lowered {
        loop {
            let groups = lowered.layout.unflat_groups(exprs);
            if groups.len() <= 1 {
                return lowered;
            }
            let cursor = cursor(&lowered.layout, groups[0]);
            lowered.node = self.node(Spec::Flatten(cursor), [lowered.node]);
            lowered.layout.groups[groups[0]].flat = true;
        }
    }

    /// The slot of the row number that goes along, if one does.
    pub(super) fn number_slot(&self, layout: &Layout) -> Result<Option<usize>, ExecError> {
        self.carried.map(|number| self.slot(layout, number)).transpose()
    }

    /// Adds the row number that goes along to what is needed.
    pub(super) fn with_number(&self, mut needed: Vars) -> Vars {
        needed.extend(self.carried);
        needed
    }

    /// Slots of a one-group layout to keep, and the layout that has them followed by `new`.
    pub(super) fn keep(
        &self,
        layout: &Layout,
        needed: &Vars,
        new: &[VarId],
    ) -> Result<(Vec<usize>, Layout), ExecError> {
        let kept: Vec<VarId> = needed.iter().copied().filter(|v| !new.contains(v)).collect();
        let slots = kept.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let mut out = rows_layout(&kept);
        for var in new {
            out.add(*var, 0);
        }
        Ok((slots, out))
    }
}

/// A fresh layout: one unflat group with these variables, in this order.
pub(super) fn rows_layout(vars: &[VarId]) -> Layout {
    let mut layout = Layout::default();
    let group = layout.add_group(false);
    for var in vars {
        layout.add(*var, group);
    }
    layout
}

/// Whether rows are those of a scan that meet a condition, and no step was taken from them.
fn is_filtered_scan(mut node: &Node) -> bool {
    let mut is_filtered = false;
    loop {
        match &node.spec {
            Spec::NodeScan(_) => return is_filtered,
            Spec::Filter(_) => is_filtered = true,
            Spec::Compute(_) | Spec::ColumnExtend(_) | Spec::CountExtend(_) | Spec::Compact(_) => {}
            _ => return false,
        }
        let Some(input) = node.inputs.first() else { return false };
        node = input;
    }
}

/// Whether a pipeline starts from few rows and has taken a step from them, or starts from groups.
fn is_dealt(mut node: &Node) -> bool {
    let mut many = false;
    loop {
        match &node.spec {
            Spec::Unit => return many,
            Spec::Aggregate(..) | Spec::Distinct(_) | Spec::SpoolRead(_) => return true,
            Spec::ListExtend(_) | Spec::BatchExtend(_) | Spec::VarExtend(_) => many = true,
            spec if !spec.is_pipelined() => return false,
            _ => {}
        }
        let Some(input) = node.inputs.first() else { return false };
        node = input;
    }
}

/// Whether a variable that is needed is in `group`.
pub(super) fn group_needed(layout: &Layout, group: usize, needed: &Vars) -> bool {
    needed.iter().filter_map(|v| layout.place(*v)).any(|p| p.group == group)
}

/// A cursor over `group`, which leaves the other unflat groups as it found them.
pub(super) fn cursor(layout: &Layout, group: usize) -> CursorSpec {
    let others: Vec<usize> =
        (0..layout.groups.len()).filter(|g| *g != group && !layout.groups[*g].flat).collect();
    CursorSpec { group, others: others.into() }
}

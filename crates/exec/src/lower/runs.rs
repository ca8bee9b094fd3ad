//! Which rows come in runs: of rows that a scan of nodes gives and steps in its order keep together, all
//! those of one node are seen before those of the next. Groups by that node need no table, groups by it and
//! other keys a small one, and they are given as soon as they are over (`ops::RunAggregate`). In a subplan
//! that many rows of an apply go through at once the same is so of the rows' numbers.

use trimorph_algebra::{ApplyKind, Expr, Plan, VarId};

use super::lowering::{Lowering, Vars, vars_of};
use crate::ops::{ApplyMode, RunKey, Within};
use crate::physical::{Node, Spec};
use crate::volatile::is_volatile;

/// Rows whose nodes come one after the other.
struct Runs {
    /// The node.
    node: VarId,
    /// What is the same in all rows of one node, the node among it.
    fixed: Vars,
    /// Whether there is one row of each node.
    is_once: bool,
    /// Whether they come out of an aggregation, which must have been one in runs.
    is_of_runs: bool,
}

impl Runs {
    fn of(node: VarId) -> Self {
        Self { node, fixed: Vars::from([node]), is_once: true, is_of_runs: false }
    }

    /// Several rows may come of one.
    fn repeated(self) -> Self {
        Self { is_once: false, ..self }
    }

    fn is_fixed(&self, expr: &Expr) -> bool {
        vars_of([expr]).is_subset(&self.fixed) && !is_volatile(expr)
    }
}

impl Lowering<'_> {
    /// The node among `keys` of which all rows come one after the other. `made` is what `input` was lowered
    /// to.
    pub(super) fn key_in_runs(&self, input: &Plan, keys: &[(VarId, Expr)], made: &Node) -> Option<RunKey> {
        // What costs least is asked first.
        let is_node =
            |key: &Expr| matches!(key, Expr::Var(var) if self.is_node(*var) || self.carried == Some(*var));
        // Rows of an apply that carry no number may be those of any.
        let is_source: &dyn Fn(&Spec) -> bool = match (self.numbers.is_empty(), self.carried) {
            (true, _) => &is_source,
            (false, Some(_)) => &|spec| matches!(spec, Spec::Argument | Spec::EachRow(_) | Spec::Sort(..)),
            (false, None) => return None,
        };
        if !keys.iter().any(|(_, key)| is_node(key)) || !keeps_runs(made, is_source) {
            return None;
        }
        let runs = self.runs(input)?;
        let key = keys.iter().position(|(_, key)| matches!(key, Expr::Var(var) if *var == runs.node))?;
        if runs.is_of_runs && !keeps_runs(made, &|spec| matches!(spec, Spec::NodeScan(_))) {
            return None;
        }
        let mut others = (0..keys.len()).filter(|place| !runs.is_fixed(&keys[*place].1));
        let within = match (others.next(), others.next()) {
            (None, _) => Within::One,
            (Some(other), None) => Within::By(other),
            _ => Within::Several,
        };
        Some(RunKey { key, within })
    }

    /// Whether each row of a plan has a node of its own, as far as the plan tells.
    pub(super) fn comes_once(&self, plan: &Plan, node: VarId) -> bool {
        self.runs(plan).is_some_and(|runs| runs.is_once && runs.node == node)
    }

    /// The node of which all rows that a plan gives come one after the other, as far as the plan tells.
    fn runs(&self, plan: &Plan) -> Option<Runs> {
        match plan {
            Plan::NodeScan(scan) => Some(Runs::of(scan.var)),
            Plan::Argument(vars) => {
                let mut runs = Runs::of(self.carried?);
                runs.fixed.extend(vars);
                Some(runs)
            }
            Plan::Filter { input, .. } | Plan::SemiJoin { input, .. } | Plan::ExtendCount { input, .. } => {
                self.runs(input)
            }
            Plan::ExtendInto { input, .. }
            | Plan::Intersect { input, .. }
            | Plan::Unwind { input, .. }
            | Plan::VarExtend { input, .. } => Some(self.runs(input)?.repeated()),
            Plan::Extend { input, step } => {
                let mut runs = self.runs(input)?;
                let access = self.step(step);
                let is_single =
                    access.by_table.iter().all(|all| all.len() <= 1 && all.iter().all(|a| a.single));
                if is_single && runs.fixed.contains(&step.from) {
                    runs.fixed.extend(step.edge.into_iter().chain([step.to]));
                }
                Some(if is_single { runs } else { runs.repeated() })
            }
            Plan::Extra { input, items } => {
                let mut runs = self.runs(input)?;
                let fixed: Vec<VarId> =
                    items.iter().filter(|(_, expr)| runs.is_fixed(expr)).map(|(var, _)| *var).collect();
                runs.fixed.extend(fixed);
                Some(runs)
            }
            // The number goes along.
            Plan::Project { input, items } if self.carried.is_some() => {
                let mut runs = self.runs(input)?;
                let fixed = items.iter().filter(|(_, expr)| runs.is_fixed(expr)).map(|(var, _)| *var);
                let fixed: Vec<VarId> = fixed.collect();
                runs.fixed.extend(fixed);
                (Some(runs.node) == self.carried).then_some(runs)
            }
            Plan::Project { input, items } => {
                let runs = self.runs(input)?;
                let is_node = |expr: &Expr| matches!(expr, Expr::Var(var) if *var == runs.node);
                let (node, _) = items.iter().find(|(_, expr)| is_node(expr))?;
                let fixed = items.iter().filter(|(_, expr)| runs.is_fixed(expr)).map(|(var, _)| *var);
                Some(Runs { node: *node, fixed: fixed.collect(), ..runs })
            }
            Plan::Apply { input, subplan, kind } => {
                let mut runs = self.runs(input)?;
                if let ApplyKind::Inner | ApplyKind::Optional = kind {
                    // Rows without a match come after those that have one: in between there may be others of
                    // the same node, unless there is one.
                    return runs.is_once.then(|| runs.repeated());
                }
                let is_fixed =
                    if let ApplyKind::Paired { node, .. } = kind { runs.fixed.contains(node) } else { true };
                if let ApplyKind::Count(var) | ApplyKind::Mark(var) = kind.answer()
                    && is_fixed
                    && super::apply::arguments_of(subplan)
                        .is_some_and(|arguments| arguments.iter().all(|a| runs.fixed.contains(a)))
                {
                    runs.fixed.insert(*var);
                }
                Some(runs)
            }
            // Groups have the number as one more key.
            Plan::Aggregate { input, keys, .. } if self.carried.is_some() => {
                let runs = self.runs(input)?;
                let (vars, exprs): (Vec<VarId>, Vec<&Expr>) =
                    keys.iter().map(|(var, key)| (*var, key)).unzip();
                let mut fixed = Vars::from([runs.node]);
                fixed.extend(
                    vars.iter().zip(exprs).filter(|(_, key)| runs.is_fixed(key)).map(|(var, _)| *var),
                );
                let is_once = keys.is_empty();
                (Some(runs.node) == self.carried).then_some(Runs { fixed, is_once, ..runs })
            }
            // Each group is one row.
            Plan::Aggregate { input, keys, aggregates } => match &keys[..] {
                [(var, Expr::Var(_))] if self.is_node(*var) => {
                    let mut runs = Runs::of(*var);
                    runs.fixed.extend(aggregates.iter().map(|(var, _)| *var));
                    Some(runs)
                }
                _ => self.groups_of_runs(input, keys),
            },
            Plan::Distinct { input, .. } | Plan::Skip { input, .. } | Plan::Limit { input, .. }
                if self.carried.is_some() =>
            {
                Some(self.runs(input)?.repeated())
            }
            // By the number first.
            Plan::Sort { .. } if self.carried.is_some() => Some(Runs::of(self.carried?).repeated()),
            Plan::Distinct { input, vars } if vars.len() > 1 => {
                let keys: Vec<(VarId, Expr)> = vars.iter().map(|var| (*var, Expr::Var(*var))).collect();
                self.groups_of_runs(input, &keys)
            }
            _ => None,
        }
    }

    /// The node whose groups follow each other: those of a run are given before those of the next.
    fn groups_of_runs(&self, input: &Plan, keys: &[(VarId, Expr)]) -> Option<Runs> {
        let runs = self.runs(input)?;
        let is_node = |expr: &Expr| matches!(expr, Expr::Var(var) if *var == runs.node);
        let (node, _) = keys.iter().find(|(_, expr)| is_node(expr))?;
        let fixed = keys.iter().filter(|(_, expr)| runs.is_fixed(expr)).map(|(var, _)| *var);
        Some(Runs { node: *node, fixed: fixed.collect(), is_once: false, is_of_runs: true })
    }
}

/// Whether rows begin here, each node's together.
fn is_source(spec: &Spec) -> bool {
    matches!(spec, Spec::NodeScan(_) | Spec::Aggregate(..))
}

/// What an operator makes of its rows.
enum Made {
    /// One at most of each, in their order.
    OneOfEach,
    /// Any number of each, those of one after those of the other.
    Many,
    /// The same, but for the rows of which nothing is made: these come behind others.
    ManyAndLate,
    /// Each is handed to one thread or another.
    Dealt,
    InAnyOrder,
}

fn made(node: &Node) -> Made {
    match &node.spec {
        Spec::Filter(_)
        | Spec::Compact(_)
        | Spec::Compute(_)
        | Spec::ColumnExtend(_)
        | Spec::CountExtend(_)
        | Spec::SemiJoin(_)
        | Spec::JoinFilter(_)
        | Spec::Skip(_, Some(_))
        | Spec::Limit(_, Some(_))
        | Spec::RunAggregate(_) => Made::OneOfEach,
        Spec::Flatten(_)
        | Spec::Pack(_)
        | Spec::ListExtend(_)
        | Spec::BatchExtend(_)
        | Spec::ScanExtend(_)
        | Spec::VarExtend(_)
        | Spec::ExpandInto(_)
        | Spec::Intersect(_)
        | Spec::Unwind(_) => Made::Many,
        Spec::Deal(_) | Spec::DealFew(_) => Made::Dealt,
        Spec::Apply(spec) => {
            let ApplyMode::Join { optional, .. } = spec.mode else { return Made::OneOfEach };
            let is_argument = |spec: &Spec| matches!(spec, Spec::Argument);
            match node.inputs.get(1).is_some_and(|subplan| keeps_runs(subplan, &is_argument)) {
                true if optional => Made::ManyAndLate,
                true => Made::Many,
                false => Made::InAnyOrder,
            }
        }
        _ => Made::InAnyOrder,
    }
}

/// Whether each operator down to where the rows begin gives what it makes of one row before what it makes of
/// the next, to the same thread.
fn keeps_runs(mut node: &Node, is_source: &dyn Fn(&Spec) -> bool) -> bool {
    let mut is_apart = false;
    while !is_source(&node.spec) {
        match made(node) {
            Made::OneOfEach => {}
            // Rows of one node may be dealt to several threads, or some of them come behind those of others.
            Made::Many | Made::ManyAndLate if is_apart => return false,
            Made::Many => {}
            Made::Dealt | Made::ManyAndLate => is_apart = true,
            Made::InAnyOrder => return false,
        }
        let Some(input) = node.inputs.first() else { return false };
        node = input;
    }
    true
}

//! How many properties of each node a query reads, how often it asks for relationships of each, and by which
//! it groups: what it costs that a plan reaches the node in any order, instead of one after the other.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use trimorph_algebra::{AggregateKind, Expr, Plan, VarId};

/// A row of a group whose rows come in any order, where there are more groups than a cache has room for: more
/// than of one whose rows come together. In rows made, measured on messages by post at scale 1: 10 ns, and 55
/// where the different values of each group are counted.
const SCATTERED_COST: f64 = 1.0;
const SCATTERED_VALUES_COST: f64 = 4.0;
/// The same where groups have a value as well: they are looked up by a hash, and may be nearly as many as
/// rows. Persons and names of tags at scale 1: 280 ns, most of it memory that comes new.
const SCATTERED_PAIRS_COST: f64 = 10.0;

/// The properties that are read of nodes, and what it costs that the rows of groups by a node do not come
/// together.
#[derive(Debug, Default)]
pub(super) struct Reads {
    properties: HashMap<VarId, BTreeSet<Arc<str>>>,
    groups: HashMap<VarId, Scattered>,
    /// Subqueries that were noted.
    asked: usize,
}

/// Rows of groups by a node that do not come together.
#[derive(Clone, Debug)]
pub(super) struct Scattered {
    /// What each costs more.
    pub(super) cost: f64,
    /// The properties that groups have besides, and of which nodes or relationships.
    pub(super) values: Vec<(VarId, Arc<str>)>,
}

/// How many properties of a node are read: of all that are reached by conditions, and of those that pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    pub(super) asked: f64,
    pub(super) passing: f64,
}

impl Reads {
    /// Those of all variables of a plan. A variable that only has another name counts with it.
    pub(super) fn of(plan: &Plan) -> Self {
        let (mut reads, mut names) = (Self::default(), Vec::new());
        let mut left = vec![(plan, true)];
        // Outermost first: a name is read above where it is given.
        while let Some((plan, is_whole)) = left.pop() {
            if is_whole && let Plan::Aggregate { keys, .. } = plan {
                // What was noted above is read of groups, not of rows.
                for (name, key) in keys {
                    if matches!(key, Expr::Var(var) if var == name) {
                        reads.properties.remove(name);
                    }
                }
            }
            if !is_of_few(plan) {
                plan.for_each_expr(&mut |expr| reads.note(expr));
            }
            reads.note_groups(plan);
            reads.note_asked(plan);
            if let Plan::Project { items, .. } | Plan::Extra { items, .. } = plan {
                names.extend(items.iter().filter_map(|(name, expr)| match expr {
                    Expr::Var(var) => Some((*name, *var)),
                    _ => None,
                }));
            }
            // A subquery is asked for rows that go on; in a branch nobody knows what others read.
            let children = plan.children();
            let is_branch = children.len() > 1 && !matches!(plan, Plan::Apply { .. });
            let child = |(at, child)| (child, is_whole && at == 0 && !is_branch);
            left.extend(children.into_iter().enumerate().map(child));
        }
        for (name, var) in names {
            if let Some(own) = reads.properties.get(&name).cloned() {
                reads.properties.entry(var).or_default().extend(own);
            }
            if let Some(scattered) = reads.groups.get(&name).cloned() {
                reads.groups.entry(var).or_insert(scattered);
            }
        }
        reads
    }

    fn note_groups(&mut self, plan: &Plan) {
        let Plan::Aggregate { keys, aggregates, .. } = plan else { return };
        let has_values = aggregates.iter().any(|(_, a)| a.distinct || a.kind == AggregateKind::Collect);
        let cost = if has_values { SCATTERED_VALUES_COST } else { SCATTERED_COST };
        for (_, key) in keys {
            if let Expr::Var(var) = key {
                let mut values = Vec::new();
                let others = keys.iter().filter(|(_, other)| !matches!(other, Expr::Var(_)));
                others.for_each(|(_, other)| {
                    for_each_property(other, &mut |of, name| values.push((of, Arc::clone(name))));
                });
                values.retain(|(of, _)| of != var);
                let cost = if values.is_empty() { cost } else { cost.max(SCATTERED_PAIRS_COST) };
                self.groups.insert(*var, Scattered { cost, values });
            }
        }
    }

    /// What a subquery asks of a node of the rows is read of it as a property is.
    fn note_asked(&mut self, plan: &Plan) {
        let Plan::Apply { subplan, .. } = plan else { return };
        let mut below = &**subplan;
        while let Plan::Match { input, graph } = below {
            if let Plan::Argument(given) = &**input {
                let name: Arc<str> = format!("(subquery {})", self.asked).into();
                self.asked += 1;
                let is_asked = |var: &VarId| {
                    graph.edges.iter().any(|edge| edge.from == *var || edge.to == *var)
                        || graph.counts.iter().any(|(node, _)| node == var)
                };
                for var in given.iter().filter(|var| is_asked(var)) {
                    self.properties.entry(*var).or_default().insert(Arc::clone(&name));
                }
            }
            below = input;
        }
    }

    /// What it costs that rows of a grouping by a node do not come together, if there is such a grouping.
    pub(super) fn scattered(&self, node: VarId) -> Option<&Scattered> {
        self.groups.get(&node)
    }

    fn note(&mut self, expr: &Expr) {
        for_each_property(expr, &mut |var, name| {
            _ = self.properties.entry(var).or_default().insert(Arc::clone(name))
        });
    }

    /// Of a variable, of which some conditions ask.
    #[expect(clippy::cast_precision_loss, reason = "a few")]
    pub(super) fn of_node<'e>(&self, node: VarId, conditions: impl Iterator<Item = &'e Expr>) -> Read {
        let Some(all) = self.properties.get(&node) else { return Read::default() };
        let mut asked = BTreeSet::new();
        for condition in conditions {
            for_each_property(condition, &mut |var, name| {
                if var == node {
                    asked.insert(name);
                }
            });
        }
        let passing = all.iter().filter(|name| !asked.contains(name)).count();
        Read { asked: asked.len() as f64, passing: passing as f64 }
    }
}

fn for_each_property<'e>(expr: &'e Expr, visit: &mut dyn FnMut(VarId, &'e Arc<str>)) {
    let mut left = vec![expr];
    while let Some(expr) = left.pop() {
        if let Expr::Property(base, name, _) = expr
            && let Expr::Var(var) = **base
        {
            visit(var, name);
        }
        expr.for_each_child(&mut |child| left.push(child));
    }
}

/// Whether an operator computes of the rows that a limit leaves.
fn is_of_few(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Sort { input, limit: None, .. } => input,
            _ => return false,
        };
        if let Plan::Limit { .. } | Plan::Sort { limit: Some(_), .. } = plan {
            return true;
        }
    }
}

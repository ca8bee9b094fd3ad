//! Takes a top-k by an indexed property of a relationship, gives one over the relationships that come first
//! by the index: its other rows need not be made.
//!
//! For patterns of one relationship of which nothing is asked but the tables of its ends, and that it has the
//! property: other conditions let nobody know how many come before the last that is wanted.

use std::sync::Arc;

use trimorph_algebra::{EdgeLookup, Expr, Extend, LookupBy, NodeScan, Op, Plan, SortKey, VarId};

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn order_edges(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let catalog = planning.catalog;
    if catalog.has_no_indexes() {
        return Ok(plan);
    }
    let found = |step: &Extend, scan: &NodeScan, wanted: Wanted<'_>| {
        let types = (!step.types.is_empty()).then_some(&*step.types);
        let tables = catalog.edge_tables(types);
        let is_found = !tables.is_empty() && catalog.is_edge_indexed(&tables, &wanted.property);
        is_found.then(|| EdgeLookup {
            step: step.clone(),
            from_tables: (!catalog.are_all(scan.tables.len())).then(|| scan.tables.clone()),
            property: wanted.property,
            key: wanted.limit.clone(),
            by: LookupBy::First { descending: wanted.descending, ties: wanted.ties, nulls: wanted.nulls },
        })
    };
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Sort { input, keys, limit: Some(limit), .. } = &mut plan
            && let [SortKey { expr, descending }, others @ ..] = &keys[..]
            && is_fixed(limit)
        {
            let ties = !others.is_empty();
            let below = Below { key: expr.clone(), nulls: true };
            below.replace(input, &|step, scan, property, nulls| {
                found(step, scan, Wanted { property, limit, descending: *descending, ties, nulls })
            });
        }
        Ok(plan)
    })
}

/// Whether an expression is the same however often it is asked: the sort asks, too.
fn is_fixed(limit: &Expr) -> bool {
    match limit {
        Expr::Const(_) | Expr::Param(_) => true,
        Expr::Op(Op::Add, args, _) => args.iter().all(is_fixed),
        _ => false,
    }
}

/// What is wanted of relationships.
struct Wanted<'a> {
    property: Arc<str>,
    limit: &'a Expr,
    descending: bool,
    ties: bool,
    nulls: bool,
}

/// What is known at a place below the sort.
struct Below {
    /// The key as it is called there.
    key: Expr,
    /// Whether it may be null.
    nulls: bool,
}

/// Gives the look-up that stands for a step from the nodes of a scan.
type Found<'a> = dyn Fn(&Extend, &NodeScan, Arc<str>, bool) -> Option<EdgeLookup> + 'a;

impl Below {
    /// Puts the look-up in the place of the step that it stands for.
    fn replace(self, plan: &mut Plan, found: &Found<'_>) {
        match plan {
            Plan::Project { input, items } => {
                if let Some(key) = self.beneath(items, true) {
                    Self { key, ..self }.replace(input, found);
                }
            }
            Plan::Extra { input, items } => {
                if let Some(key) = self.beneath(items, false) {
                    Self { key, ..self }.replace(input, found);
                }
            }
            Plan::Filter { input, predicate } if self.says_there_is_one(predicate) => {
                Self { nulls: false, ..self }.replace(input, found);
            }
            Plan::Extend { input, step } => {
                if let Some(lookup) = self.instead_of(input, step, found) {
                    *plan = Plan::EdgeLookup { input: Box::new(Plan::Unit), lookup };
                }
            }
            _ => {}
        }
    }

    /// The look-up that stands for a step.
    fn instead_of(&self, input: &Plan, step: &Extend, found: &Found<'_>) -> Option<EdgeLookup> {
        let Plan::NodeScan(scan) = input else { return None };
        let (var, property) = property_of(&self.key)?;
        let is_of_one = scan.var == step.from && step.edge == Some(var) && step.from != step.to;
        is_of_one.then(|| found(step, scan, Arc::clone(property), self.nulls))?
    }

    /// The key below what computes some items.
    fn beneath(&self, items: &[(VarId, Expr)], gives_nothing_else: bool) -> Option<Expr> {
        let of = match &self.key {
            Expr::Var(var) => *var,
            key => property_of(key)?.0,
        };
        match items.iter().find(|(var, _)| *var == of) {
            Some((_, expr)) => match (&self.key, expr) {
                (Expr::Var(_), expr @ (Expr::Var(_) | Expr::Property(..))) => Some(expr.clone()),
                (Expr::Property(_, name, span), Expr::Var(_)) => {
                    Some(Expr::Property(Box::new(expr.clone()), Arc::clone(name), *span))
                }
                _ => None,
            },
            None => (!gives_nothing_else).then(|| self.key.clone()),
        }
    }

    /// Whether a condition says that the key is not null, and nothing else.
    fn says_there_is_one(&self, predicate: &Expr) -> bool {
        let Expr::Op(Op::IsNotNull, args, _) = predicate else { return false };
        match (&args[..], property_of(&self.key)) {
            ([arg], Some(key)) => property_of(arg) == Some(key),
            _ => false,
        }
    }
}

/// The variable that a property is of, and its name.
fn property_of(expr: &Expr) -> Option<(VarId, &Arc<str>)> {
    match expr {
        Expr::Property(base, name, _) => match **base {
            Expr::Var(var) => Some((var, name)),
            _ => None,
        },
        _ => None,
    }
}

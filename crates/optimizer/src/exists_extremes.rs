//! `EXISTS { … WHERE n.x > m.x }` of rows that are joined by keys asks whether the greatest is greater: the
//! joined side is grouped by the keys, and no pairs are made. So `NOT EXISTS { (p)<--(n) WHERE n.date >
//! m.date }`, the latest of each, takes the time of the rows and not of their pairs. Whether one differs asks
//! the least and the greatest: of nodes, by their identities.
//!
//! Invariant: of values of one type in one order, some is greater than a value if and only if the greatest
//! is, whatever that value is, and some differs from it if and only if the least or the greatest does; where
//! the greatest cannot be compared with it, none can. Floats are left alone: NaN is greatest in the order of
//! `max`, and greater than nothing. What is drawn, as `rand()` is, is drawn for each pair.

use std::sync::Arc;

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, BandKind, Expr, Op, Plan, VarId, Vars};
use trimorph_base::Span;
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, conjunction, conjuncts, vars_of};

/// The pass.
pub(crate) fn exists_extremes(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (vars, catalog) = (&mut *planning.vars, planning.catalog);
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Apply { subplan, kind: ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_), .. } =
            &mut plan
        {
            let of_range = unordered(subplan);
            let asked = of_range.as_ref().unwrap_or(subplan);
            if let Some(compared) = compared(asked, vars, catalog) {
                let kinds = compared.kinds.iter();
                let extremes = kinds.map(|kind| (vars.anonymous(compared.ty), *kind)).collect();
                if let Some(of_range) = of_range {
                    **subplan = of_range;
                }
                grouped(subplan, compared, extremes);
            }
        }
        Ok(plan)
    })
}

/// A range join by one bound, as of what many rows count among what hangs on a node (`bounded_calls`), as a
/// comparison of all that is joined.
fn unordered(subplan: &Plan) -> Option<Plan> {
    let Plan::RangeJoin { left, right, on, band } = subplan else { return None };
    let (op, (bound, may_equal)) = match (band.low, band.high) {
        (Some(low), None) => ([Op::Gt, Op::Ge], low),
        (None, Some(high)) => ([Op::Lt, Op::Le], high),
        _ => return None,
    };
    let (Plan::Extra { input: left, items: bounds }, Plan::Extra { input: right, items: keys }) =
        (&**left, &**right)
    else {
        return None;
    };
    let ([(of_bound, low)], [(of_key, key)]) = (&bounds[..], &keys[..]) else { return None };
    if band.kind != BandKind::Between || *of_bound != bound || *of_key != band.key {
        return None;
    }
    let input = Box::new(Plan::HashJoin { left: left.clone(), right: right.clone(), on: on.clone() });
    let predicate = Expr::op(op[usize::from(may_equal)], vec![key.clone(), low.clone()]);
    Some(Plan::Filter { input, predicate })
}

/// A comparison of a value of the joined side with one of the other.
struct Compared {
    /// The property, or the identity of the node, and the type of all its values.
    value: Expr,
    ty: LogicalType,
    /// Which of them are asked: one of these has to meet the condition.
    kinds: Vec<AggregateKind>,
    /// The other conditions.
    rest: Vec<Expr>,
    /// The comparison, and where the value stands in it.
    condition: Expr,
    place: usize,
}

/// The comparison, if it is all that is asked of the side which a subquery joins.
fn compared(subplan: &Plan, vars: &Vars, catalog: &CatalogView<'_>) -> Option<Compared> {
    let Plan::Filter { input, predicate } = subplan else { return None };
    let Plan::HashJoin { left, right, on } = &**input else { return None };
    if on.is_empty() || starts_from_rows(right) || calls_volatile(predicate) {
        return None;
    }
    let own: VarSet = right.vars().into_iter().filter(|var| !on.contains(var)).collect();
    let mut conditions = Vec::new();
    conjuncts(predicate.clone(), &mut conditions);
    let is_own = |condition: &Expr| vars_of([condition]).iter().any(|var| own.contains(var));
    let (asked, rest): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(is_own);
    // One that the others follow from.
    (0..asked.len()).find_map(|at| {
        let mut others = asked.clone();
        let condition = of_nodes(others.swap_remove(at), vars);
        let Sides { args, order, is_strict } = sides(&condition)?;
        let place = args.iter().position(is_own)?;
        let (value, beside) = (&args[place], &args[1 - place]);
        if is_own(beside) {
            return None;
        }
        let ty = match value {
            Expr::Property(base, name, _) => {
                let Expr::Var(of) = **base else { return None };
                let follows = |other: &Expr| is_strict && is_implied(other, of, name, defined(left, beside));
                if !own.contains(&of) || !others.iter().all(follows) {
                    return None;
                }
                ordered_type(name, catalog)?
            }
            Expr::Call(..) if is_identity(value) && others.is_empty() => LogicalType::Int,
            _ => return None,
        };
        let kinds = match order {
            Some(greater_first) if greater_first == (place == 0) => vec![AggregateKind::Max],
            Some(_) => vec![AggregateKind::Min],
            None => vec![AggregateKind::Min, AggregateKind::Max],
        };
        Some(Compared {
            value: value.clone(),
            ty,
            kinds,
            rest: rest.clone(),
            condition: condition.clone(),
            place,
        })
    })
}

/// Whether a condition says that a node is another one than that whose property of the same name is beside:
/// then they are, where one's is greater or different.
fn is_implied(condition: &Expr, of: VarId, name: &Arc<str>, beside: &Expr) -> bool {
    let Expr::Op(Op::Ne, sides, _) = condition else { return false };
    let (Some(Expr::Var(a)), Some(Expr::Var(b))) = (sides.first(), sides.get(1)) else { return false };
    let other = if *a == of { *b } else { *a };
    let Expr::Property(base, key, _) = beside else { return false };
    (*a == of || *b == of) && key == name && matches!(**base, Expr::Var(var) if var == other)
}

/// The sides of a comparison.
struct Sides<'e> {
    args: &'e [Expr],
    /// Whether the first is to be the greater one; none where they are to differ.
    order: Option<bool>,
    /// Whether equal ones do not do.
    is_strict: bool,
}

/// What is compared, if it is.
fn sides(condition: &Expr) -> Option<Sides<'_>> {
    let (args, order, is_strict) = match condition {
        Expr::Op(Op::Gt, args, _) => (args, Some(true), true),
        Expr::Op(Op::Ge, args, _) => (args, Some(true), false),
        Expr::Op(Op::Lt, args, _) => (args, Some(false), true),
        Expr::Op(Op::Le, args, _) => (args, Some(false), false),
        Expr::Op(Op::Ne, args, _) => (args, None, true),
        Expr::Call(name, args, _) => match &**name {
            "sparql.gt" => (args, Some(true), true),
            "sparql.ge" => (args, Some(true), false),
            "sparql.lt" => (args, Some(false), true),
            "sparql.le" => (args, Some(false), false),
            _ => return None,
        },
        _ => return None,
    };
    (args.len() == 2).then_some(Sides { args, order, is_strict })
}

/// What gives the identity of a node.
const IDENTITY: &str = "id";

/// Whether that is the identity of one of the variables.
fn is_identity(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(name, args, _) if &**name == IDENTITY && matches!(args[..], [Expr::Var(_)]))
}

/// That two nodes differ, asked of their identities; other conditions as they are.
fn of_nodes(condition: Expr, vars: &Vars) -> Expr {
    let is_node = |side: &Expr| matches!(side, Expr::Var(var) if vars.get(*var).ty == LogicalType::Node);
    match condition {
        Expr::Op(Op::Ne, args, span) if args.iter().all(is_node) => {
            let id = |node: Expr| Expr::Call(IDENTITY.into(), vec![node], span);
            Expr::Op(Op::Ne, args.into_iter().map(id).collect(), span)
        }
        other => other,
    }
}

/// What a variable was computed of, where that is seen.
fn defined<'p>(plan: &'p Plan, expr: &'p Expr) -> &'p Expr {
    match (plan, expr) {
        (Plan::Extra { items, .. }, Expr::Var(var)) => {
            items.iter().find(|(item, _)| item == var).map_or(expr, |(_, item)| item)
        }
        _ => expr,
    }
}

/// The type of all values of a property, of whatever has it, if they have one order.
pub(crate) fn ordered_type(name: &Arc<str>, catalog: &CatalogView<'_>) -> Option<LogicalType> {
    use LogicalType as T;
    let names = Some(std::slice::from_ref(name));
    let of_nodes = catalog.node_columns(names).into_iter().map(|(table, column)| {
        catalog.column_type(table, column).filter(|_| catalog.has_one_type(table, column))
    });
    let of_edges = catalog.edge_columns(names).into_iter().map(|(table, column)| {
        catalog.edge_column_type(table, column).filter(|_| catalog.has_one_edge_type(table, column))
    });
    let mut types = of_nodes.chain(of_edges);
    let first = types.next()??;
    let is_ordered =
        matches!(first, T::Int | T::String | T::Date | T::LocalTime | T::LocalDateTime | T::DateTime);
    (is_ordered && types.all(|ty| ty == Some(first))).then_some(first)
}

/// Whether a plan takes the rows of the subquery up.
pub(crate) fn starts_from_rows(plan: &Plan) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        if matches!(plan, Plan::Argument(_)) {
            return true;
        }
        left.extend(plan.children());
    }
    false
}

/// The subquery over groups of the joined side.
fn grouped(subplan: &mut Plan, compared: Compared, extremes: Vec<(VarId, AggregateKind)>) {
    let Plan::Filter { input, .. } = std::mem::replace(subplan, Plan::Unit) else { return };
    let Plan::HashJoin { left, right, on } = *input else { return };
    let Compared { value, mut rest, condition, place, .. } = compared;
    let keys = on.iter().map(|var| (*var, Expr::Var(*var))).collect();
    let span = Span::default();
    let aggregate = |kind| Aggregate {
        kind,
        arg: Some(value.clone()),
        parameter: None,
        distinct: false,
        order: None,
        span,
    };
    let aggregates = extremes.iter().map(|(var, kind)| (*var, aggregate(*kind))).collect();
    let groups = Plan::Aggregate { input: right, keys, aggregates };
    let of_extreme = |extreme: VarId| {
        let instead = |mut args: Vec<Expr>| {
            args[place] = Expr::Var(extreme);
            args
        };
        match condition.clone() {
            Expr::Op(op, args, span) => Expr::Op(op, instead(args), span),
            Expr::Call(name, args, span) => Expr::Call(name, instead(args), span),
            other => other,
        }
    };
    let mut asked = extremes.iter().map(|(extreme, _)| of_extreme(*extreme));
    let first = asked.next();
    rest.extend(first.map(|first| asked.fold(first, |all, next| Expr::op(Op::Or, vec![all, next]))));
    let input = Box::new(Plan::HashJoin { left, right: Box::new(groups), on });
    let predicate = conjunction(rest).unwrap_or(Expr::op(Op::And, Vec::new()));
    *subplan = Plan::Filter { input, predicate };
}

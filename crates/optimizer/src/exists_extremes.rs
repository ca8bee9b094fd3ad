//! `EXISTS { … WHERE n.x > m.x }` of rows that are joined by keys asks whether the greatest is greater: the
//! joined side is grouped by the keys, and no pairs are made. So `NOT EXISTS { (p)<--(n) WHERE n.date >
//! m.date }`, the latest of each, takes the time of the rows and not of their pairs.
//!
//! Invariant: of values of one type in one order, some is greater than a value if and only if the greatest
//! is, whatever that value is; where the greatest cannot be compared with it, none can. Floats are left
//! alone: NaN is greatest in the order of `max`, and greater than nothing. What is drawn, as `rand()` is, is
//! drawn for each pair.

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, Expr, Op, Plan, VarId};
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
            && let Some(compared) = compared(subplan, catalog)
        {
            let extreme = vars.anonymous(compared.ty);
            grouped(subplan, compared, extreme);
        }
        Ok(plan)
    })
}

/// A comparison of a value of the joined side with one of the other.
struct Compared {
    /// The property, and the type of all its values.
    property: Expr,
    ty: LogicalType,
    kind: AggregateKind,
    /// The other conditions.
    rest: Vec<Expr>,
    /// The comparison, and where the property stands in it.
    condition: Expr,
    place: usize,
}

/// The comparison, if it is all that is asked of the side which a subquery joins.
fn compared(subplan: &Plan, catalog: &CatalogView<'_>) -> Option<Compared> {
    let Plan::Filter { input, predicate } = subplan else { return None };
    let Plan::HashJoin { left, right, on } = &**input else { return None };
    if on.is_empty() || starts_from_rows(right) || calls_volatile(predicate) {
        return None;
    }
    let own: VarSet = right.vars().into_iter().filter(|var| !on.contains(var)).collect();
    let mut conditions = Vec::new();
    conjuncts(predicate.clone(), &mut conditions);
    let is_own = |condition: &Expr| vars_of([condition]).iter().any(|var| own.contains(var));
    let (mut asked, rest): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(is_own);
    let at = asked.iter().position(|condition| sides(condition).is_some())?;
    let condition = asked.swap_remove(at);
    let (args, greater_first, is_strict) = sides(&condition)?;
    let place = args.iter().position(is_own)?;
    let Expr::Property(base, name, _) = &args[place] else { return None };
    let Expr::Var(of) = **base else { return None };
    if is_own(&args[1 - place]) || !own.contains(&of) {
        return None;
    }
    // Another than itself is what is greater by the same property.
    let implied = |condition: &Expr| {
        let Expr::Op(Op::Ne, sides, _) = condition else { return false };
        let (Some(Expr::Var(a)), Some(Expr::Var(b))) = (sides.first(), sides.get(1)) else { return false };
        let other = if *a == of { *b } else { *a };
        let same = |expr: &Expr| matches!(expr, Expr::Property(base, key, _) if key == name && matches!(**base, Expr::Var(var) if var == other));
        is_strict && (*a == of || *b == of) && same(defined(left, &args[1 - place]))
    };
    if !asked.iter().all(implied) {
        return None;
    }
    let ty = ordered_type(name, catalog)?;
    let kind = if greater_first == (place == 0) { AggregateKind::Max } else { AggregateKind::Min };
    let property = args[place].clone();
    Some(Compared { property, ty, kind, rest, condition, place })
}

/// What is compared, whether the first is to be the greater one, and whether equal ones do not do.
fn sides(condition: &Expr) -> Option<(&[Expr], bool, bool)> {
    let (args, greater_first, is_strict) = match condition {
        Expr::Op(Op::Gt, args, _) => (args, true, true),
        Expr::Op(Op::Ge, args, _) => (args, true, false),
        Expr::Op(Op::Lt, args, _) => (args, false, true),
        Expr::Op(Op::Le, args, _) => (args, false, false),
        Expr::Call(name, args, _) => match &**name {
            "sparql.gt" => (args, true, true),
            "sparql.ge" => (args, true, false),
            "sparql.lt" => (args, false, true),
            "sparql.le" => (args, false, false),
            _ => return None,
        },
        _ => return None,
    };
    (args.len() == 2).then_some((args, greater_first, is_strict))
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
fn ordered_type(name: &std::sync::Arc<str>, catalog: &CatalogView<'_>) -> Option<LogicalType> {
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
fn grouped(subplan: &mut Plan, compared: Compared, extreme: VarId) {
    let Plan::Filter { input, .. } = std::mem::replace(subplan, Plan::Unit) else { return };
    let Plan::HashJoin { left, right, on } = *input else { return };
    let Compared { property, kind, mut rest, condition, place, .. } = compared;
    let keys = on.iter().map(|var| (*var, Expr::Var(*var))).collect();
    let span = Span::default();
    let aggregate = Aggregate { kind, arg: Some(property), parameter: None, distinct: false, span };
    let groups = Plan::Aggregate { input: right, keys, aggregates: vec![(extreme, aggregate)] };
    let instead = |mut args: Vec<Expr>| {
        args[place] = Expr::Var(extreme);
        args
    };
    rest.push(match condition {
        Expr::Op(op, args, span) => Expr::Op(op, instead(args), span),
        Expr::Call(name, args, span) => Expr::Call(name, instead(args), span),
        other => other,
    });
    let input = Box::new(Plan::HashJoin { left, right: Box::new(groups), on });
    let predicate = conjunction(rest).unwrap_or(Expr::op(Op::And, Vec::new()));
    *subplan = Plan::Filter { input, predicate };
}

//! What is asked of all rows that are joined by values, as `COLLECT { MATCH (n:Post) WHERE n.browser =
//! m.browser RETURN max(n.length) }`, is asked of groups of these rows: of all rows that have the same values
//! in what the subquery looks at. The groups are made once, and each outer row meets one, or a few.
//!
//! 1. `EXISTS` and `COUNT` look at what conditions compare: rows that are equal there are one row, or so
//!    many.
//! 2. Aggregates are those of the groups, merged.
//! 3. The first rows of an order are among the first of each group.
//!
//! Invariant: conditions look at a joined row through the values that its group is made by and in no other
//! way, so that they hold for all rows of a group or for none. Where rows are joined by equal values alone,
//! an outer row meets one group at most, and any aggregate of the group is that of the row. What is computed
//! of rows that no outer row may meet cannot fail. What is drawn, as `rand()` is, is drawn for each joined
//! row: where something is, no groups are made.
//!
//! It pays where groups are a fraction of the rows, by statistics.
//!
//! Source: Yan and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995; Neumann and Kemper,
//! "Unnesting Arbitrary Queries", BTW 2015.

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, Band, Expr, GroupLimit, Plan, SortKey, VarId};
use trimorph_base::{Span, TableId};
use trimorph_types::{LogicalType, Value};

use crate::cannot_fail::cannot_fail;
use crate::degrees::rows_of;
use crate::estimate::Estimate;
use crate::exists_extremes::starts_from_rows;
use crate::heads::is_same;
use crate::merging::merged;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::value_counts::values_of;
use crate::{Halt, VarSet, calls_volatile, conjunction, conjuncts, replaced, vars_of};

/// So many rows a group, on the mean, make it worth making groups. Chosen.
const ROWS_OF_GROUP: f64 = 4.0;
/// Outer rows of which each meets a group that make it worth making all of so many groups. Chosen.
const OUTER_OF_GROUP: f64 = 2.0;
/// First rows of a group up to which it pays to know the worst of them. Chosen.
const FIRST_MAX: i64 = 1_000;

/// The pass.
pub(crate) fn join_groups(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let needed = planning.needed.clone();
    bottom_up(plan, &needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Apply { input, subplan, kind } => asked(input, subplan, kind, planning),
            Plan::Aggregate { input, keys, aggregates } => aggregated(input, keys, aggregates, planning),
            Plan::Sort { input, keys, limit: Some(limit), of_group: None } => {
                let input = Box::new(sorted(*input, &keys, &limit, planning));
                Plan::Sort { input, keys, limit: Some(limit), of_group: None }
            }
            plan => plan,
        })
    })
}

/// 1. `EXISTS` and `COUNT`.
fn asked(input: Box<Plan>, mut subplan: Box<Plan>, kind: ApplyKind, planning: &mut Planning<'_>) -> Plan {
    let count = match kind {
        ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_) => None,
        ApplyKind::Count(count) => Some(count),
        _ => return Plan::Apply { input, subplan, kind },
    };
    // What a projection gives is not looked at.
    if let Plan::Project { input: below, items } = &mut *subplan
        && items.iter().all(|(_, item)| cannot_fail(item, planning.vars))
    {
        *subplan = std::mem::replace(below, Plan::Unit);
    }
    let Some(mut joined) = Joined::of(&subplan).filter(Joined::makes_pairs) else {
        return Plan::Apply { input, subplan, kind };
    };
    let Some(count) = count else {
        if let Some(groups) = joined.groups(Vec::new(), planning) {
            *subplan = joined.over(groups);
        }
        return Plan::Apply { input, subplan, kind };
    };
    let rows = planning.vars.anonymous(LogicalType::Int);
    let all = Aggregate { kind: AggregateKind::CountStar, arg: None, ..sum_of(rows) };
    let Some(groups) = joined.groups(vec![(rows, all)], planning) else {
        return Plan::Apply { input, subplan, kind };
    };
    let below = Box::new(joined.over(groups));
    let aggregates = vec![(count, sum_of(rows))];
    *subplan = Plan::Aggregate { input: below, keys: Vec::new(), aggregates };
    Plan::Apply { input, subplan, kind: ApplyKind::Inner }
}

/// 2. Aggregates of the joined rows.
fn aggregated(
    mut input: Box<Plan>,
    mut keys: Vec<(VarId, Expr)>,
    mut aggregates: Vec<(VarId, Aggregate)>,
    planning: &mut Planning<'_>,
) -> Plan {
    // What is projected is named by what it is made of.
    if let Plan::Project { input: below, items } = &mut *input
        && !found(below, planning).is_empty()
    {
        let args = aggregates.iter_mut().filter_map(|(_, aggregate)| aggregate.arg.as_mut());
        for expr in keys.iter_mut().map(|(_, key)| key).chain(args) {
            *expr = replaced(std::mem::replace(expr, Expr::truth()), items);
        }
        *input = std::mem::replace(below, Plan::Unit);
    }
    for joined in found(&input, planning) {
        if let Some((groups, keys, aggregates)) = grouped(joined, &input, &keys, &aggregates, planning) {
            return Plan::Aggregate { input: Box::new(groups), keys, aggregates };
        }
    }
    Plan::Aggregate { input, keys, aggregates }
}

/// The rows that may be grouped before they are joined: those of the subquery, also of an optional one, or
/// either side of a join.
fn found(input: &Plan, planning: &Planning<'_>) -> Vec<Joined> {
    match input {
        Plan::Apply { subplan, kind: ApplyKind::Optional, .. } => Joined::of(subplan).into_iter().collect(),
        other => Joined::of(other).map_or_else(|| Joined::either(other, planning), |joined| vec![joined]),
    }
}

type Grouped = (Plan, Vec<(VarId, Expr)>, Vec<(VarId, Aggregate)>);

/// The plan over groups of the joined rows, and what is aggregated of it.
fn grouped(
    mut joined: Joined,
    input: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    planning: &mut Planning<'_>,
) -> Option<Grouped> {
    let optional = match input {
        Plan::Apply { input, kind: ApplyKind::Optional, .. } => Some(input),
        _ => None,
    };
    // Rows of which nothing is looked at are counted as they are joined.
    let is_counted = aggregates.iter().all(|(_, aggregate)| aggregate.kind == AggregateKind::CountStar);
    if is_counted && joined.conditions.is_empty() && !starts_from_rows(&joined.left) {
        return None;
    }
    let meets_one = optional.is_none() && joined.meets_one_group();
    let (mut parts, mut wholes) = (Vec::new(), Vec::new());
    for (var, aggregate) in aggregates {
        if !aggregate.arg.as_ref().is_none_or(|arg| joined.is_inner(arg, planning)) {
            return None;
        }
        let kind = merging(aggregate, meets_one, planning)?;
        let part = planning.vars.anonymous(LogicalType::Any);
        parts.push((part, aggregate.clone()));
        let mut whole = Aggregate { kind, ..sum_of(part) };
        if optional.is_some() && aggregate.kind == AggregateKind::CountStar {
            // The row without a match is one, too.
            let one = Expr::Const(Value::Int(1));
            whole.arg = Some(Expr::Call("coalesce".into(), vec![Expr::Var(part), one], Span::default()));
        }
        wholes.push((*var, whole));
    }
    let mut keys = keys.to_vec();
    for (_, key) in &mut keys {
        let is_of_optional = optional.is_some() && joined.looks_at_own(key);
        if is_of_optional || calls_volatile(key) || !joined.look_at(key, planning) {
            return None;
        }
    }
    let groups = joined.groups(parts, planning)?;
    let plan = joined.over(groups);
    let plan = match optional {
        Some(input) => {
            Plan::Apply { input: input.clone(), subplan: Box::new(plan), kind: ApplyKind::Optional }
        }
        None => plan,
    };
    Some((plan, keys, wholes))
}

/// 3. The first of the joined rows.
fn sorted(input: Plan, keys: &[SortKey], limit: &Expr, planning: &mut Planning<'_>) -> Plan {
    let Some(joined) = Joined::of(&input) else { return input };
    let Expr::Const(Value::Int(first @ 1..=FIRST_MAX)) = limit else { return input };
    let Matched::Equal(on) = &joined.matched else { return input };
    let is_of_joined = |key: &SortKey| {
        vars_of([&key.expr]).iter().all(|var| joined.own.contains(var))
            && cannot_fail(&key.expr, planning.vars)
            && !calls_volatile(&key.expr)
    };
    if !joined.conditions.is_empty() || !keys.iter().all(is_of_joined) {
        return input;
    }
    let on: Vec<Expr> = on.iter().map(|var| Expr::Var(*var)).collect();
    let (rows, groups) = different(&joined.right, &on, planning);
    if groups * *first as f64 * ROWS_OF_GROUP > rows {
        return input;
    }
    let by_group = on.iter().map(|key| SortKey { expr: key.clone(), descending: false });
    let limit = GroupLimit {
        first_key: on.len(),
        keys: on.clone(),
        first: *first as u32,
        last: 0,
        present: Vec::new(),
        exact: true,
    };
    let firsts = Plan::Sort {
        input: Box::new(joined.right.clone()),
        keys: by_group.chain(keys.iter().cloned()).collect(),
        limit: None,
        of_group: Some(limit),
    };
    joined.over(firsts)
}

/// How rows are joined.
#[derive(Clone)]
enum Matched {
    /// By equal values.
    Equal(Vec<VarId>),
    /// By a value and its bounds.
    Within(Band),
}

/// The rows of a subquery, joined with rows that are the same for all outer rows.
struct Joined {
    left: Plan,
    right: Plan,
    matched: Matched,
    /// What is asked of pairs.
    conditions: Vec<Expr>,
    /// Variables of the joined rows alone.
    own: VarSet,
    /// What groups are made by besides what rows are joined by.
    values: Vec<(VarId, Expr)>,
}

impl Joined {
    /// Those that a subquery joins with its own.
    fn of(plan: &Plan) -> Option<Self> {
        let (conditions, plan) = filtered(plan);
        let (left, right, matched) = match plan {
            Plan::HashJoin { left, right, on } if !on.is_empty() => (left, right, Matched::Equal(on.clone())),
            Plan::RangeJoin { left, right, on, band } if on.is_empty() => {
                (left, right, Matched::Within(*band))
            }
            _ => return None,
        };
        let is_of_subquery = starts_from_rows(left) && !starts_from_rows(right);
        is_of_subquery.then(|| Self::new([left, right], matched, conditions))?
    }

    /// Those of either side of a join by equal values: nodes in common are there few times, or once.
    fn either(plan: &Plan, planning: &Planning<'_>) -> Vec<Self> {
        let (conditions, plan) = filtered(plan);
        let Plan::HashJoin { left, right, on } = plan else { return Vec::new() };
        let is_value = |var: &VarId| {
            use LogicalType as T;
            !matches!(planning.vars.get(*var).ty, T::Node | T::Relationship | T::Path)
        };
        if on.is_empty() || !on.iter().all(is_value) || starts_from_rows(left) || starts_from_rows(right) {
            return Vec::new();
        }
        let made = |sides: [&Plan; 2]| Self::new(sides, Matched::Equal(on.clone()), conditions.clone());
        [made([left, right]), made([right, left])].into_iter().flatten().collect()
    }

    /// The rows of the second side; nothing where they are groups.
    fn new([left, right]: [&Plan; 2], matched: Matched, conditions: Vec<&Expr>) -> Option<Self> {
        if matches!(right, Plan::Aggregate { .. }) {
            return None;
        }
        let shared: VarSet = left.vars().into_iter().collect();
        let own = right.vars().into_iter().filter(|var| !shared.contains(var)).collect();
        let (left, right) = (left.clone(), right.clone());
        let mut all = Vec::new();
        conditions.into_iter().for_each(|condition| conjuncts(condition.clone(), &mut all));
        Some(Self { left, right, matched, conditions: all, own, values: Vec::new() })
    }

    /// Whether an outer row meets one group, or none.
    fn meets_one_group(&self) -> bool {
        let is_one = |mut plan: &Plan| loop {
            plan = match plan {
                Plan::Filter { input, .. } | Plan::Extra { input, .. } | Plan::Project { input, .. } => input,
                other => return matches!(other, Plan::Argument(_)),
            }
        };
        self.conditions.is_empty() && matches!(self.matched, Matched::Equal(_)) && is_one(&self.left)
    }

    /// Whether pairs are made to see whether there are some, or how many: those within bounds are counted.
    fn makes_pairs(&self) -> bool {
        !self.conditions.is_empty() || matches!(self.matched, Matched::Equal(_))
    }

    /// What rows are joined by.
    fn keys(&self) -> Vec<VarId> {
        match &self.matched {
            Matched::Equal(on) => on.clone(),
            Matched::Within(band) => vec![band.key],
        }
    }

    /// Whether an expression is one of the joined rows, and cannot fail of any.
    fn is_inner(&self, expr: &Expr, planning: &Planning<'_>) -> bool {
        let keys = self.keys();
        vars_of([expr]).iter().all(|var| self.own.contains(var) || keys.contains(var))
            && cannot_fail(expr, planning.vars)
            && !calls_volatile(expr)
    }

    /// Whether an expression looks at the joined rows other than by what they are joined by.
    fn looks_at_own(&self, expr: &Expr) -> bool {
        let keys = self.keys();
        vars_of([expr]).iter().any(|var| self.own.contains(var) && !keys.contains(var))
    }

    /// Puts variables for what an expression looks at in the joined rows; `false` where that is a node, or
    /// may fail.
    fn look_at(&mut self, expr: &mut Expr, planning: &mut Planning<'_>) -> bool {
        if !self.looks_at_own(expr) {
            return true;
        }
        if vars_of([&*expr]).iter().all(|var| self.own.contains(var)) {
            let is_element = |var: VarId| {
                use LogicalType as T;
                matches!(planning.vars.get(var).ty, T::Node | T::Relationship | T::Path)
            };
            if matches!(expr, Expr::Var(var) if is_element(*var)) || !cannot_fail(expr, planning.vars) {
                return false;
            }
            let known = self.values.iter().find(|(_, value)| is_same(value, expr)).map(|v| v.0);
            let var = known.unwrap_or_else(|| {
                let var = planning.vars.anonymous(LogicalType::Any);
                self.values.push((var, expr.clone()));
                var
            });
            *expr = Expr::Var(var);
            return true;
        }
        // Terms of RDF whose values are equal are in one group.
        let tells_terms = |name: &str| {
            let compares = ["sparql.eq", "sparql.lt", "sparql.le", "sparql.gt", "sparql.ge", "sparql.ebv"];
            name.starts_with("sparql.") && !compares.contains(&name)
        };
        if matches!(expr, Expr::Call(name, ..) if tells_terms(name)) {
            return false;
        }
        let mut is_seen = true;
        let parts = std::mem::replace(expr, Expr::truth());
        *expr = parts.map_children(&mut |mut child| {
            is_seen &= self.look_at(&mut child, planning);
            child
        });
        is_seen
    }

    /// The groups with these aggregates, if they are worth it.
    fn groups(&mut self, aggregates: Vec<(VarId, Aggregate)>, planning: &mut Planning<'_>) -> Option<Plan> {
        if self.conditions.iter().any(calls_volatile) {
            return None;
        }
        let mut conditions = std::mem::take(&mut self.conditions);
        let is_seen = conditions.iter_mut().all(|condition| self.look_at(condition, planning));
        self.conditions = conditions;
        if !is_seen {
            return None;
        }
        let keys = self.keys().into_iter().map(|var| (var, Expr::Var(var)));
        let keys: Vec<(VarId, Expr)> = keys.chain(self.values.iter().cloned()).collect();
        let values: Vec<Expr> = keys.iter().map(|(_, value)| value.clone()).collect();
        let (rows, groups) = different(&self.right, &values, planning);
        // Few rows meet few of those that they are joined with, which need not all be grouped; a subquery
        // would keep all of them, too.
        let meets_many = || {
            starts_from_rows(&self.left)
                || Estimate::of(&self.left, planning.statistics()).rows * OUTER_OF_GROUP >= groups
        };
        let input = Box::new(self.right.clone());
        let pays = groups * ROWS_OF_GROUP <= rows && meets_many();
        pays.then_some(Plan::Aggregate { input, keys, aggregates })
    }

    /// The join with other rows.
    fn over(self, right: Plan) -> Plan {
        let (left, right) = (Box::new(self.left), Box::new(right));
        let joined = match self.matched {
            Matched::Equal(on) => Plan::HashJoin { left, right, on },
            Matched::Within(band) => Plan::RangeJoin { left, right, on: Vec::new(), band },
        };
        match conjunction(self.conditions) {
            Some(predicate) => Plan::Filter { input: Box::new(joined), predicate },
            None => joined,
        }
    }
}

/// The conditions of the filters on top, and what is below them.
fn filtered(mut plan: &Plan) -> (Vec<&Expr>, &Plan) {
    let mut conditions = Vec::new();
    while let Plan::Filter { input, predicate } = plan {
        conditions.push(predicate);
        plan = input;
    }
    (conditions, plan)
}

/// How many rows there are, and how many different ones by these values, which are infinite where that is not
/// known.
pub(crate) fn different(rows: &Plan, values: &[Expr], planning: &Planning<'_>) -> (f64, f64) {
    // How many values there are is known of what they are computed of.
    let (mut values, mut below) = (values.to_vec(), rows);
    while let Plan::Extra { input, items } = below {
        values = values.into_iter().map(|value| replaced(value, items)).collect();
        below = input;
    }
    let known = planning.statistics();
    let rows = Estimate::of(below, known);
    let of = |var: VarId, name: Option<&str>| match (rows.tables_of(var), name) {
        (Some(tables), Some(name)) => rows_of(known.catalog, tables) / known.rows_by_value(tables, name),
        (Some(tables), None) => rows_of(known.catalog, tables),
        (None, _) => f64::INFINITY,
    };
    (rows.rows, values.iter().map(|value| values_of(value, &of)).product())
}

/// The kind of aggregate that makes that of the joined rows of those of the groups; `None` where none does.
fn merging(aggregate: &Aggregate, meets_one: bool, planning: &Planning<'_>) -> Option<AggregateKind> {
    if let Some(kind) = merged(aggregate) {
        return Some(kind);
    }
    if !meets_one || aggregate.parameter.is_some() {
        return None;
    }
    // Of one group any aggregate is that of the group, but what it gives of none.
    let is_number = || aggregate.arg.as_ref().is_some_and(|arg| is_short_number(arg, planning));
    match aggregate.kind {
        AggregateKind::Count => Some(AggregateKind::Sum),
        AggregateKind::Sum if !aggregate.distinct && is_number() => Some(AggregateKind::Sum),
        AggregateKind::Avg if is_number() => Some(AggregateKind::Max),
        _ => None,
    }
}

/// Whether an expression is a property that has numbers only, whose sum is one by far.
fn is_short_number(expr: &Expr, planning: &Planning<'_>) -> bool {
    let Expr::Property(_, name, _) = expr else { return false };
    let catalog = planning.catalog;
    let columns = catalog.node_columns(Some(std::slice::from_ref(name)));
    let is_short = |(table, column): (TableId, usize)| {
        let stats = catalog.estimated_property(table, name);
        let range = stats.and_then(|stats| stats.range);
        let is_small = range.is_some_and(|(least, most)| least.abs().max(most.abs()) < i64::from(i32::MAX));
        match catalog.column_type(table, column) {
            Some(LogicalType::Int) => is_small && catalog.has_one_type(table, column),
            Some(LogicalType::Float) => catalog.has_one_type(table, column),
            _ => false,
        }
    };
    catalog.edge_columns(Some(std::slice::from_ref(name))).is_empty() && columns.into_iter().all(is_short)
}

/// The sum of a variable.
fn sum_of(var: VarId) -> Aggregate {
    let kind = AggregateKind::Sum;
    Aggregate {
        kind,
        arg: Some(Expr::Var(var)),
        parameter: None,
        distinct: false,
        order: None,
        span: Span::default(),
    }
}

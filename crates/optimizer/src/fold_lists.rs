//! Lists that are collected and of which nothing is looked at but how many elements meet a condition, or
//! their sum, as `WITH p, collect(m) AS ms WHERE all(m IN ms WHERE m.length > 9)`, are folded as their
//! elements come, and not made:
//!
//! * `any`, `all` and `none`, and `x IN list`, by how many elements meet the condition and how many do not;
//!   where both together are fewer than the elements, it was null for some
//! * `size(list)`, and `size([x IN list WHERE condition])`, by counts
//! * `reduce(s = 0, x IN list | s + x.n)` of whole numbers by a sum; of floats it would round otherwise
//! * `[x IN list WHERE condition | x.n]` by a list of what is left, where elements are in no order
//! * `list[0]` and `list[-1]` of what the rows were sorted by, by the least and the greatest
//!
//! The condition is asked of all elements, whatever is asked of the groups before: only of what cannot fail,
//! or is asked of all of them anyway, and costs little.

use std::collections::HashMap;

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, QuantifierKind, VarId, Vars};
use trimorph_base::Span;
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use crate::cannot_fail::cannot_fail;
use crate::column_types::is_of_one_of;
use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, replaced, vars_of};

/// Types whose values order as their least and greatest are found.
const ORDERED: [LogicalType; 6] = [
    LogicalType::Int,
    LogicalType::String,
    LogicalType::Date,
    LogicalType::DateTime,
    LogicalType::LocalDateTime,
    LogicalType::LocalTime,
];

/// The pass.
pub(crate) fn fold_lists(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let catalog = planning.catalog;
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        // Of what is below them, these give nothing else to what is above.
        if matches!(plan, Plan::Project { .. } | Plan::Aggregate { .. }) {
            let mut between = Between { catalog, vars, lists: HashMap::new() };
            if between.looks_at(&plan) {
                between.put(&mut plan);
            }
        }
        Ok(plan)
    })
}

/// What is looked at of an element.
#[derive(Clone, Debug)]
enum Fold {
    /// How many there are.
    Count,
    /// How many meet a condition.
    CountWhere(OfRow),
    /// Whether some, all or none meet it.
    Quantifier(QuantifierKind, OfRow),
    /// A number and the sum of this of all.
    Sum(Expr, OfRow),
    /// The first, or the last.
    End(AggregateKind),
    /// Those that meet a condition, or what is computed of them.
    Chosen(OfRow, Option<Expr>),
}

/// The name under which what is computed of chosen elements is collected: it may be null, what holds it not.
const CHOSEN: &str = "of";

/// An expression of an element, as one of the row that it comes from.
#[derive(Clone, Debug)]
struct OfRow {
    expr: Expr,
    /// Whether it is null where the element is.
    is_strict: bool,
}

/// A list that a grouping collects, and what becomes of it.
struct List {
    /// What is collected; not null where it is written as a list or a map.
    element: Expr,
    distinct: bool,
    /// Where the rows were sorted by it: the kinds of aggregates that the first element is, and the last.
    ends: Option<[AggregateKind; 2]>,
    /// Whether the rows were sorted.
    is_sorted: bool,
    /// Whether all that was seen of it so far can be folded.
    folds: bool,
    /// Whether something was seen besides its size.
    pays: bool,
    /// What is computed in its place.
    aggregates: Vec<(VarId, Aggregate)>,
}

/// What variables stand for, in one operator above the grouping.
#[derive(Clone, Default)]
struct Names {
    /// Lists by all their names.
    lists: HashMap<VarId, VarId>,
    /// Keys of the grouping by theirs.
    keys: HashMap<VarId, Expr>,
}

impl Names {
    /// The same above a projection, or where more names are given to what there is.
    fn after(&self, items: &[(VarId, Expr)], is_all: bool) -> Self {
        let mut named = if is_all { Self::default() } else { self.clone() };
        for (var, item) in items {
            if let Expr::Var(of) = item {
                named.lists.extend(self.lists.get(of).map(|list| (*var, *list)));
                named.keys.extend(self.keys.get(of).map(|key| (*var, key.clone())));
            }
        }
        named
    }
}

/// How an expression is come to.
#[derive(Clone, Copy)]
struct Place {
    /// Whether it is computed for all groups, whatever else is.
    always: bool,
    /// Whether null is as good as false there.
    is_condition: bool,
}

/// The operators between a projection or grouping and the grouping below it that collects.
struct Between<'a, 'c> {
    catalog: &'a CatalogView<'c>,
    vars: &'a mut Vars,
    lists: HashMap<VarId, List>,
}

impl Between<'_, '_> {
    /// Whether the grouping below `top` collects lists that are folded; notes which.
    fn looks_at(&mut self, top: &Plan) -> bool {
        let (mut between, mut plan) = (vec![top], input_of(top));
        let (keys, aggregates, rows) = loop {
            match plan {
                Some(Plan::Aggregate { keys, aggregates, input }) => break (keys, aggregates, input),
                Some(
                    below @ (Plan::Project { .. }
                    | Plan::Extra { .. }
                    | Plan::Filter { .. }
                    | Plan::Sort { of_group: None, .. }
                    | Plan::Skip { .. }
                    | Plan::Limit { .. }),
                ) => {
                    between.push(below);
                    plan = input_of(below);
                }
                _ => return false,
            }
        };
        let mut names = Names { keys: keys.iter().cloned().collect(), ..Names::default() };
        for (var, aggregate) in aggregates {
            let Some(element) = aggregate.arg.as_ref().filter(|element| {
                let is_compound = matches!(element, Expr::List(_) | Expr::Map(_));
                aggregate.kind == AggregateKind::Collect
                    && aggregate.parameter.is_none()
                    && !(aggregate.distinct && is_compound)
                    && !calls_volatile(element)
            }) else {
                continue;
            };
            let (element, distinct) = (element.clone(), aggregate.distinct);
            let ends = self.ends(&element, rows);
            let (is_sorted, aggregates) = (is_sorted(rows), Vec::new());
            let list = List { element, distinct, ends, is_sorted, folds: true, pays: false, aggregates };
            self.lists.insert(*var, list);
            names.lists.insert(*var, *var);
        }
        let mut always = true;
        for plan in between.into_iter().rev() {
            if self.lists.values().all(|list| !list.folds) {
                return false;
            }
            names = self.look_at(plan, names, &mut always);
        }
        // What the projection gives is looked at in ways that are not seen here.
        for list in names.lists.values().filter(|_| !matches!(top, Plan::Aggregate { .. })) {
            self.lists.entry(*list).and_modify(|list| list.folds = false);
        }
        self.lists.retain(|_, list| list.folds && list.pays);
        !self.lists.is_empty()
    }

    /// Looks at one operator, in which variables have these names; gives those above it. `always` says
    /// whether it has all groups.
    fn look_at(&mut self, plan: &Plan, names: Names, always: &mut bool) -> Names {
        let mut place = Place { always: *always, is_condition: false };
        match plan {
            Plan::Project { items, .. } | Plan::Extra { items, .. } => {
                for (_, item) in items.iter().filter(|(_, item)| !matches!(item, Expr::Var(_))) {
                    self.look(item, &names, place);
                }
                return names.after(items, matches!(plan, Plan::Project { .. }));
            }
            Plan::Filter { predicate, .. } => {
                place.is_condition = true;
                self.look(predicate, &names, place);
                *always = false;
            }
            other => {
                other.for_each_expr(&mut |expr| self.look(expr, &names, place));
                *always &= !matches!(
                    other,
                    Plan::Skip { .. } | Plan::Limit { .. } | Plan::Sort { limit: Some(_), .. }
                );
            }
        }
        names
    }

    /// Notes what an expression looks at of lists.
    fn look(&mut self, expr: &Expr, names: &Names, place: Place) {
        if let Some((list, fold)) = self.fold(expr, names, place) {
            let is_size = matches!(fold, Fold::Count);
            self.lists.entry(list).and_modify(|list| list.pays |= !is_size);
            return;
        }
        match expr {
            Expr::Var(var) => {
                if let Some(list) = names.lists.get(var) {
                    self.lists.entry(*list).and_modify(|list| list.folds = false);
                }
            }
            other => {
                let mut place = place.within(other);
                other.for_each_child(&mut |child| {
                    self.look(child, names, place);
                    place = place.after(other);
                });
            }
        }
    }

    /// The list that an expression folds, and how.
    fn fold(&self, expr: &Expr, names: &Names, place: Place) -> Option<(VarId, Fold)> {
        let list_of = |list: &Expr| match list {
            Expr::Var(var) => names.lists.get(var).and_then(|list| Some((*list, self.lists.get(list)?))),
            _ => None,
        };
        let own = |var: VarId, list: &List, of: &Expr| self.of_element(of, (var, list), names, place);
        match expr {
            Expr::Call(name, args, _) if &**name == "size" => match &args[..] {
                [Expr::ListComprehension { var, list, filter, map }] => {
                    let (name, list) = list_of(list)?;
                    if let Some(map) = map {
                        own(*var, list, map).filter(|of_row| self.is_harmless(map, &of_row.expr))?;
                    }
                    let fold = match filter {
                        Some(filter) => Fold::CountWhere(own(*var, list, filter)?),
                        None => Fold::Count,
                    };
                    Some((name, fold))
                }
                [list] => Some((list_of(list)?.0, Fold::Count)),
                _ => None,
            },
            Expr::Op(Op::Index, args, _) => {
                let [list, place] = &args[..] else { return None };
                let (name, list) = list_of(list)?;
                let [first, last] = list.ends?;
                match place {
                    Expr::Const(Value::Int(0)) => Some((name, Fold::End(first))),
                    Expr::Const(Value::Int(-1)) => Some((name, Fold::End(last))),
                    Expr::Op(Op::Neg, args, _) if matches!(args[..], [Expr::Const(Value::Int(1))]) => {
                        Some((name, Fold::End(last)))
                    }
                    _ => None,
                }
            }
            Expr::Call(end, args, _) if matches!(&**end, "head" | "last") => {
                let [list] = &args[..] else { return None };
                let (name, list) = list_of(list)?;
                let [first, last] = list.ends?;
                Some((name, Fold::End(if &**end == "head" { first } else { last })))
            }
            Expr::Op(Op::In, args, span) => {
                let [value, list] = &args[..] else { return None };
                let (name, list) = list_of(list)?;
                // Any variable: there is no element in the value.
                let value = own(VarId(u32::MAX), list, value)?.expr;
                let expr = Expr::Op(Op::Eq, vec![value, list.element.clone()], *span);
                Some((name, Fold::Quantifier(QuantifierKind::Any, OfRow { expr, is_strict: true })))
            }
            Expr::ListComprehension { var, list, filter: Some(filter), map } => {
                let (name, list) = list_of(list)?;
                let chosen = match map.as_deref() {
                    None => None,
                    Some(Expr::Var(of)) if of == var => None,
                    Some(map) => Some(own(*var, list, map)?.expr),
                };
                let condition = own(*var, list, filter)?;
                // Texts that are read to be looked through are read again for what is computed of them.
                let is_chosen = !list.distinct && !list.is_sorted && !looks_through_texts(filter);
                is_chosen.then_some((name, Fold::Chosen(condition, chosen)))
            }
            Expr::Quantifier { kind, var, list, predicate } if *kind != QuantifierKind::Single => {
                let (name, list) = list_of(list)?;
                Some((name, Fold::Quantifier(*kind, own(*var, list, predicate)?)))
            }
            Expr::Reduce { acc, init, var, list, body } => {
                let (name, list) = list_of(list)?;
                let added = match &**body {
                    Expr::Op(Op::Add, args, _) => match &args[..] {
                        [Expr::Var(sum), added] | [added, Expr::Var(sum)] if sum == acc => added,
                        _ => return None,
                    },
                    _ => return None,
                };
                let added = own(*var, list, added)?;
                let is_sum = !list.distinct
                    && self.is_int(&added.expr)
                    && matches!(**init, Expr::Const(Value::Int(_)));
                is_sum.then(|| (name, Fold::Sum((**init).clone(), added)))
            }
            _ => None,
        }
    }

    /// An expression of an element as one of the rows below the grouping, if it is asked of all of them as
    /// well there.
    fn of_element(
        &self,
        expr: &Expr,
        (var, list): (VarId, &List),
        names: &Names,
        place: Place,
    ) -> Option<OfRow> {
        let mut items = vec![(var, list.element.clone())];
        for other in vars_of([expr]).into_iter().filter(|other| *other != var) {
            items.push((other, names.keys.get(&other)?.clone()));
        }
        let of_row = entries(replaced(expr.clone(), &items));
        let is_cheap = || self.is_harmless(expr, &of_row) && !looks_through_texts(&of_row);
        let is_strict = is_strict(expr, var) || matches!(list.element, Expr::List(_) | Expr::Map(_));
        let is_folded = !calls_volatile(&of_row) && (place.always || is_cheap());
        is_folded.then_some(OfRow { expr: of_row, is_strict })
    }

    /// Whether an expression of an element cannot fail. The element itself is computed in any case.
    fn is_harmless(&self, expr: &Expr, of_row: &Expr) -> bool {
        cannot_fail(expr, self.vars) || cannot_fail(of_row, self.vars)
    }

    /// The aggregates that the first and the last element of a list are, where rows below its grouping were
    /// sorted by the elements, and these order as their least and greatest are found.
    fn ends(&self, element: &Expr, rows: &Plan) -> Option<[AggregateKind; 2]> {
        let (mut element, mut plan) = (element.clone(), rows);
        loop {
            plan = match plan {
                Plan::Project { input, items } | Plan::Extra { input, items } => {
                    element = replaced(element, items);
                    input
                }
                Plan::Filter { input, .. } => input,
                Plan::Sort { keys, .. } => {
                    let key = keys.first().filter(|key| is_same(&key.expr, &element))?;
                    let ends = [AggregateKind::Min, AggregateKind::Max];
                    let is_ordered = is_of_one_of(&element, &ORDERED, self.vars, self.catalog);
                    return is_ordered.then(|| if key.descending { [ends[1], ends[0]] } else { ends });
                }
                _ => return None,
            }
        }
    }

    /// Whether an expression is a whole number or null.
    fn is_int(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(value) => matches!(value, Value::Int(_) | Value::Null),
            Expr::Var(_) | Expr::Property(..) => {
                is_of_one_of(expr, &[LogicalType::Int], self.vars, self.catalog)
            }
            Expr::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg, args, _) => {
                args.iter().all(|arg| self.is_int(arg))
            }
            Expr::Case { branches, otherwise } => {
                branches.iter().all(|(_, then)| self.is_int(then)) && self.is_int(otherwise)
            }
            Expr::Call(name, ..) => &**name == "size",
            _ => false,
        }
    }

    /// Puts folds in the place of lists in all operators down to the grouping that collects them.
    fn put(&mut self, top: &mut Plan) {
        let Some(input) = input_of_mut(top) else { return };
        let names = self.put_below(input);
        self.put_into(top, &names);
        let mut made: Vec<(VarId, Aggregate)> =
            self.lists.values_mut().flat_map(|list| std::mem::take(&mut list.aggregates)).collect();
        let mut plan = input_of_mut(top);
        while let Some(below) = plan {
            match below {
                Plan::Aggregate { aggregates, .. } => {
                    aggregates.retain(|(var, _)| !self.lists.contains_key(var));
                    aggregates.append(&mut made);
                    return;
                }
                Plan::Project { items, .. } => {
                    items.extend(made.iter().map(|(var, _)| (*var, Expr::Var(*var))))
                }
                _ => {}
            }
            plan = input_of_mut(below);
        }
    }

    /// The same of what is below; gives what variables stand for above it.
    fn put_below(&mut self, plan: &mut Plan) -> Names {
        if let Plan::Aggregate { keys, .. } = plan {
            return Names {
                lists: self.lists.keys().map(|list| (*list, *list)).collect(),
                keys: keys.iter().cloned().collect(),
            };
        }
        let names = match input_of_mut(plan) {
            Some(input) => self.put_below(input),
            None => Names::default(),
        };
        let named = match &*plan {
            Plan::Project { items, .. } => names.after(items, true),
            Plan::Extra { items, .. } => names.after(items, false),
            _ => names.clone(),
        };
        self.put_into(plan, &names);
        named
    }

    /// The same of one operator.
    fn put_into(&mut self, plan: &mut Plan, names: &Names) {
        // Whether an expression may be folded was asked before.
        let place = |is_condition| Place { always: true, is_condition };
        match plan {
            Plan::Project { items, .. } | Plan::Extra { items, .. } => {
                items.retain(|(_, item)| !matches!(item, Expr::Var(var) if names.lists.contains_key(var)));
                items.iter_mut().for_each(|(_, item)| self.replace(item, names, place(false)));
            }
            Plan::Filter { predicate, .. } => self.replace(predicate, names, place(true)),
            Plan::Sort { keys, .. } => {
                keys.iter_mut().for_each(|key| self.replace(&mut key.expr, names, place(false)));
            }
            Plan::Aggregate { keys, aggregates, .. } => {
                keys.iter_mut().for_each(|(_, key)| self.replace(key, names, place(false)));
                let args = aggregates.iter_mut().flat_map(|(_, a)| a.arg.iter_mut().chain(&mut a.parameter));
                args.for_each(|arg| self.replace(arg, names, place(false)));
            }
            _ => {}
        }
    }

    fn replace(&mut self, expr: &mut Expr, names: &Names, place: Place) {
        *expr = self.folded(std::mem::replace(expr, Expr::truth()), names, place);
    }

    /// An expression with what is computed beside the groups in the place of lists.
    fn folded(&mut self, expr: Expr, names: &Names, place: Place) -> Expr {
        if let Some((list, fold)) = self.fold(&expr, names, place) {
            return self.computed(list, fold, place.is_condition);
        }
        let within = Place { always: true, ..place.within(&expr) };
        expr.map_children(&mut |child| self.folded(child, names, within))
    }

    /// What a fold is by the aggregates that it is computed by.
    fn computed(&mut self, list: VarId, fold: Fold, is_condition: bool) -> Expr {
        let compare = |op: Op, a: Expr, b: Expr| Expr::op(op, vec![a, b]);
        let zero = || Expr::Const(Value::Int(0));
        match fold {
            Fold::Count => self.count(list, None),
            Fold::CountWhere(condition) => self.count(list, Some(condition)),
            Fold::End(kind) => {
                let Some(List { element, .. }) = self.lists.get(&list) else { return Expr::truth() };
                let (element, ty) = (element.clone(), LogicalType::Any);
                self.aggregate_of(list, kind, element, false, ty)
            }
            Fold::Chosen(condition, computed) => {
                let Some(List { element, .. }) = self.lists.get(&list) else { return Expr::truth() };
                let arg = match &computed {
                    Some(computed) => Expr::Map(vec![(CHOSEN.into(), computed.clone())]),
                    None => element.clone(),
                };
                let condition = self.met(list, condition);
                let (kind, ty) = (AggregateKind::Collect, LogicalType::List);
                let chosen = self.aggregate_of(list, kind, when(condition, arg), false, ty);
                if computed.is_none() {
                    return chosen;
                }
                let var = self.vars.anonymous(LogicalType::Map);
                let of = Expr::Property(Box::new(Expr::Var(var)), CHOSEN.into(), Span::default());
                Expr::ListComprehension { var, list: Box::new(chosen), filter: None, map: Some(Box::new(of)) }
            }
            Fold::Quantifier(kind, condition) => {
                let not = Expr::op(Op::Not, vec![condition.expr.clone()]);
                let not = OfRow { expr: not, ..condition };
                // What decides, and what it decides.
                let (decides, other, decided) = match kind {
                    QuantifierKind::All => (not, condition, false),
                    QuantifierKind::None => (condition, not, false),
                    QuantifierKind::Any | QuantifierKind::Single => (condition, not, true),
                };
                if is_condition && decided {
                    return compare(Op::Gt, self.counted(list, decides), zero());
                }
                if is_condition {
                    return compare(Op::Eq, self.counted(list, other), self.counted_all(list));
                }
                let (decided, bool) = (Expr::Const(Value::Bool(decided)), Expr::Const(Value::Bool(!decided)));
                let (met, unmet) = (self.counted(list, decides), self.counted(list, other));
                let known = Expr::op(Op::Add, vec![met.clone(), unmet]);
                let some_null = compare(Op::Lt, known, self.counted_all(list));
                Expr::Case {
                    branches: vec![
                        (compare(Op::Gt, met, zero()), decided),
                        (some_null, Expr::Const(Value::Null)),
                    ],
                    otherwise: Box::new(bool),
                }
            }
            Fold::Sum(init, added) => {
                let of_all = self.present(list, added.clone(), &|present, added| match present {
                    Some(present) => when(present, added),
                    None => added,
                });
                let sum = self.aggregate(list, AggregateKind::Sum, of_all.clone(), false);
                let met = self.aggregate(list, AggregateKind::Count, of_all, false);
                let is_whole = compare(Op::Eq, met, self.counted_all(list));
                Expr::Case {
                    branches: vec![(is_whole, Expr::op(Op::Add, vec![init, sum]))],
                    otherwise: Box::new(Expr::Const(Value::Null)),
                }
            }
        }
    }

    /// How many elements of a list there are, or meet a condition: different ones where these are collected.
    fn count(&mut self, list: VarId, condition: Option<OfRow>) -> Expr {
        let Some(List { element, distinct, .. }) = self.lists.get(&list) else { return Expr::truth() };
        let (element, distinct) = (element.clone(), *distinct);
        match condition {
            Some(condition) if !distinct => self.counted(list, condition),
            Some(OfRow { expr, .. }) => {
                self.aggregate(list, AggregateKind::Count, when(expr, element), distinct)
            }
            None => self.aggregate(list, AggregateKind::Count, element, distinct),
        }
    }

    /// How many of the rows whose element is not null meet a condition.
    fn counted(&mut self, list: VarId, condition: OfRow) -> Expr {
        let condition = self.met(list, condition);
        self.aggregate(list, AggregateKind::Count, when(condition, Expr::truth()), false)
    }

    /// Whether a row has an element that meets a condition.
    fn met(&self, list: VarId, condition: OfRow) -> Expr {
        self.present(list, condition, &|present, condition| match present {
            Some(present) => Expr::op(Op::And, vec![present, condition]),
            None => condition,
        })
    }

    /// What is computed of rows, `with` a condition that the element is not null where that is to be asked.
    fn present(&self, list: VarId, of_row: OfRow, with: &dyn Fn(Option<Expr>, Expr) -> Expr) -> Expr {
        let element = self.lists.get(&list).filter(|_| !of_row.is_strict).map(|list| list.element.clone());
        with(element.map(|element| Expr::op(Op::IsNotNull, vec![element])), of_row.expr)
    }

    /// How many rows have an element that is not null.
    fn counted_all(&mut self, list: VarId) -> Expr {
        let Some(List { element, .. }) = self.lists.get(&list) else { return Expr::truth() };
        let element = element.clone();
        self.aggregate(list, AggregateKind::Count, element, false)
    }

    fn aggregate(&mut self, list: VarId, kind: AggregateKind, arg: Expr, distinct: bool) -> Expr {
        self.aggregate_of(list, kind, arg, distinct, LogicalType::Int)
    }

    fn aggregate_of(
        &mut self,
        list: VarId,
        kind: AggregateKind,
        arg: Expr,
        distinct: bool,
        ty: LogicalType,
    ) -> Expr {
        let var = self.vars.anonymous(ty);
        let aggregate =
            Aggregate { kind, arg: Some(arg), parameter: None, distinct, order: None, span: Span::default() };
        if let Some(list) = self.lists.get_mut(&list) {
            list.aggregates.push((var, aggregate));
        }
        Expr::Var(var)
    }
}

impl Place {
    /// Where the first child of an expression is.
    fn within(self, expr: &Expr) -> Self {
        let is_condition = self.is_condition && matches!(expr, Expr::Op(Op::And, ..));
        let is_lazy = matches!(
            expr,
            Expr::Case { .. }
                | Expr::ListComprehension { .. }
                | Expr::Quantifier { .. }
                | Expr::Reduce { .. }
        );
        Self { always: self.always && !is_lazy, is_condition }
    }

    /// Where the next one is: what comes first may decide without it.
    fn after(self, expr: &Expr) -> Self {
        let decides = match expr {
            Expr::Op(op, ..) => matches!(op, Op::And | Op::Or),
            Expr::Call(name, ..) => &**name == "coalesce",
            _ => false,
        };
        Self { always: self.always && !decides, ..self }
    }
}

/// Whether rows come in an order.
fn is_sorted(mut rows: &Plan) -> bool {
    while let Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Filter { input, .. } = rows {
        rows = input;
    }
    matches!(rows, Plan::Sort { .. })
}

/// Whether an expression is null where a variable is.
fn is_strict(expr: &Expr, var: VarId) -> bool {
    match expr {
        Expr::Var(other) => *other == var,
        Expr::Property(base, ..) => is_strict(base, var),
        Expr::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Sub | Op::Mul, args, _) => {
            args.iter().any(|arg| is_strict(arg, var))
        }
        Expr::Op(Op::Not | Op::Neg | Op::And | Op::Or, args, _) => args.iter().all(|arg| is_strict(arg, var)),
        _ => false,
    }
}

/// A value where a condition is true, null elsewhere.
fn when(condition: Expr, then: Expr) -> Expr {
    Expr::Case { branches: vec![(condition, then)], otherwise: Box::new(Expr::Const(Value::Null)) }
}

/// An expression in which entries of maps that are written out are what these are.
fn entries(expr: Expr) -> Expr {
    match expr.map_children(&mut entries) {
        Expr::Property(base, key, span) => match *base {
            Expr::Map(all) => {
                let entry = all.into_iter().rev().find(|(name, _)| *name == key);
                entry.map_or(Expr::Const(Value::Null), |(_, value)| value)
            }
            base => Expr::Property(Box::new(base), key, span),
        },
        other => other,
    }
}

/// Whether an expression looks through texts, which costs more than comparing.
fn looks_through_texts(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Op(Op::Contains | Op::EndsWith | Op::Regex, ..));
    expr.for_each_child(&mut |child| found |= looks_through_texts(child));
    found
}

/// Whether an operator may stand between a projection and the grouping that collects, or is one of these.
fn is_between(plan: &Plan) -> bool {
    matches!(
        plan,
        Plan::Project { .. }
            | Plan::Extra { .. }
            | Plan::Filter { .. }
            | Plan::Sort { .. }
            | Plan::Skip { .. }
            | Plan::Limit { .. }
            | Plan::Aggregate { .. }
    )
}

/// What such an operator has below it.
fn input_of(plan: &Plan) -> Option<&Plan> {
    if is_between(plan) { plan.children().into_iter().next() } else { None }
}

fn input_of_mut(plan: &mut Plan) -> Option<&mut Plan> {
    if is_between(plan) { plan.children_mut().into_iter().next() } else { None }
}

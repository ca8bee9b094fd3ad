//! Group patterns: rows and a pattern in, rows with what the pattern binds out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spargebra::algebra::{Expression, GraphPattern, OrderExpression, PropertyPathExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TriplePattern, Variable};
use trimorph_algebra::{ApplyKind, Expr, GraphChoice, Op, Plan, SortKey, VarId};
use trimorph_types::{LogicalType, Value};

use super::by_case::{Case, unsure_alone};
use super::by_predicate::parted;
use super::relation::{
    Active, Name, Relation, Shape, Slot, Source, call, equal, is_not_null, is_null, negated, told_apart,
};
use super::scope::{Names, any_exists, certain, is_sub_query, may_be_bound, mentioned, name_of, visible};
use super::triple_terms::bound_name;
use super::{Binder, Bound};
use crate::terms::ground;

impl Binder<'_> {
    /// The rows of `relation`, joined with the solutions of a pattern.
    pub(super) fn pattern(
        &mut self,
        relation: Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        self.deeper(|own| own.pattern_within(relation, pattern, active))
    }

    fn pattern_within(
        &mut self,
        relation: Relation,
        pattern: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        use GraphPattern as P;
        if let Some(name) = unsure_alone(&relation, pattern) {
            return self
                .by_case(relation, &name, active, &mut |own, from| own.pattern(from, pattern, active));
        }
        let has_uncertain = relation.slots.values().any(|slot| !slot.certain);
        let shares_uncertain = || {
            has_uncertain
                && visible(pattern)
                    .iter()
                    .any(|name| relation.slots.get(name).is_some_and(|slot| !slot.certain))
        };
        let simple = matches!(
            pattern,
            P::Bgp { .. } | P::Path { .. } | P::Values { .. } | P::Join { .. } | P::Service { .. }
        );
        let may_be_within = || may_be_bound(pattern, &self.bound_beside(&relation)) && !shares_uncertain();
        if !relation.is_unit() && !simple && !may_be_within() {
            let alone = self.alone(pattern, active)?;
            return self.join(relation, alone);
        }
        self.evaluated(relation, pattern, active)
    }

    /// The names that are bound, but for those that `EXISTS` around puts into any part of its pattern.
    fn bound_beside(&self, relation: &Relation) -> Names {
        relation.slots.keys().filter(|name| !self.substituted.contains_key(*name)).cloned().collect()
    }

    /// The solutions of a pattern that is evaluated by itself.
    pub(super) fn alone(&mut self, pattern: &GraphPattern, active: &Active) -> Bound<Relation> {
        if is_sub_query(pattern) {
            return self.as_sub_query(Relation::start(active), pattern, active);
        }
        let names = mentioned(pattern);
        let mut start = Relation::start(active);
        let put = self.substituted.iter().filter(|(name, _)| names.contains(*name));
        start.slots.extend(put.map(|(name, slot)| (Arc::clone(name), slot.clone())));
        if !start.slots.is_empty() {
            start = start.argument(active);
        }
        self.evaluated(start, pattern, active)
    }

    /// The same where `EXISTS` around puts nothing in the place of variables.
    fn as_sub_query(&mut self, start: Relation, pattern: &GraphPattern, active: &Active) -> Bound<Relation> {
        let around = std::mem::take(&mut self.substituted);
        let alone = self.evaluated(start, pattern, active)?;
        self.substituted = around;
        Ok(alone)
    }

    /// The rows of `relation` with what a pattern binds for each of them.
    fn evaluated(&mut self, relation: Relation, pattern: &GraphPattern, active: &Active) -> Bound<Relation> {
        use GraphPattern as P;
        match pattern {
            P::Bgp { patterns } => self.triples(relation, patterns, active),
            P::Path { subject, path, object } => self.path(relation, (subject, path, object), active),
            P::Join { .. } => self.joined(relation, pattern, active),
            P::LeftJoin { left, right, expression } => {
                let relation = self.pattern(relation, left, active)?;
                self.optional(relation, right, expression.as_ref(), active)
            }
            P::Filter { expr, inner } => self.filtered(relation, expr, inner, active),
            P::Union { .. } => {
                let mut relation = relation;
                match self.edge_either_way(&mut relation, pattern, active)? {
                    true => Ok(relation),
                    false => self.union(relation, pattern, active),
                }
            }
            P::Graph { name, inner } => {
                let active = Active::Named(name.clone());
                if matches!(&**inner, P::Bgp { patterns } if patterns.is_empty()) {
                    return self.graph_alone(relation, &active);
                }
                self.in_graph(relation, name, inner, &active)
            }
            P::Extend { inner, variable, expression } => {
                let mut relation = self.pattern(relation, inner, active)?;
                let slot = self.computed(&mut relation, variable, expression, active)?;
                relation.slots.insert(name_of(variable), slot);
                Ok(relation)
            }
            P::Minus { left, right } => {
                let relation = self.pattern(relation, left, active)?;
                self.minus(relation, right, active)
            }
            P::Values { variables, bindings } => Ok(self.values(relation, variables, bindings)),
            P::OrderBy { inner, expression } => {
                let mut relation = self.pattern(relation, inner, active)?;
                let keys = self.sort_keys(&mut relation, expression, active)?;
                relation.grow(|input| Plan::Sort { input, keys, limit: None, of_group: None });
                Ok(relation)
            }
            P::Project { inner, variables } => {
                let mut relation = self.pattern(relation, inner, active)?;
                let names: Names = variables.iter().map(name_of).collect();
                relation.slots.retain(|name, _| names.contains(name));
                Ok(relation)
            }
            // Those that have a statement are all that there are.
            P::Distinct { inner } | P::Reduced { inner }
                if let Some(graph) = all_graphs(inner)
                    && !relation.slots.contains_key(&name_of(graph)) =>
            {
                self.graph_alone(relation, &Active::Named(NamedNodePattern::Variable(graph.clone())))
            }
            P::Distinct { inner } | P::Reduced { inner } if let Some(parted) = parted(inner) => {
                let relation = self.pattern(relation, &parted, active)?;
                Ok(self.distinct(relation))
            }
            P::Distinct { inner } | P::Reduced { inner }
                if let Some((unsorted, order)) = sorted_later(inner) =>
            {
                let relation = self.pattern(relation, &unsorted, active)?;
                let mut relation = self.distinct(relation);
                let keys = self.sort_keys(&mut relation, order, active)?;
                relation.grow(|input| Plan::Sort { input, keys, limit: None, of_group: None });
                Ok(relation)
            }
            P::Distinct { inner } | P::Reduced { inner } => {
                let relation = self.pattern(relation, inner, active)?;
                Ok(self.distinct(relation))
            }
            P::Slice { inner, start, length } => {
                let mut relation = self.pattern(relation, inner, active)?;
                slice(&mut relation, *start, *length);
                Ok(relation)
            }
            P::Group { inner, variables, aggregates } => {
                let relation = self.pattern(relation, inner, active)?;
                self.group(relation, variables, aggregates, active)
            }
            P::Service { name, inner, silent } => self.service(relation, name, inner, *silent),
        }
    }

    /// Rows of two relations that agree.
    pub(super) fn join(&mut self, mut left: Relation, mut right: Relation) -> Bound<Relation> {
        let shared: Vec<Name> =
            right.slots.keys().filter(|name| left.slots.contains_key(*name)).cloned().collect();
        // What is bound in all rows of both, in the same form, is a key of a hash join.
        let (mut on, mut items) = (Vec::new(), Vec::new());
        let (mut taken, mut equal_to) = (Names::new(), BTreeMap::new());
        for name in &shared {
            let (Some(a), Some(b)) = (left.slots.get(name).cloned(), right.slots.get(name).cloned()) else {
                continue;
            };
            // Given with the text, or by the row of an apply around.
            if a.source == b.source {
                taken.insert(Arc::clone(name));
                continue;
            }
            if !a.certain || !b.certain {
                continue;
            }
            let ty = if a.shape == b.shape { a.shape.key_type() } else { LogicalType::Any };
            let key = (self.in_variable(&mut left, a.key(b.shape), ty), b.key(a.shape));
            if let (Shape::Node | Shape::Edge, Source::Var(of)) = (b.shape, b.source) {
                equal_to.insert(of, key.0);
            }
            on.push(key.0);
            items.push(key);
            taken.insert(Arc::clone(name));
        }
        // The properties of a node are those of the one that it is equal to.
        for slot in right.slots.values_mut() {
            if let Source::Property(node, _) = &mut slot.source
                && let Some(other) = equal_to.get(node)
            {
                *node = *other;
            }
        }
        let rest = right.slots.iter().filter(|(name, _)| !taken.contains(*name));
        let carried: BTreeSet<VarId> = rest.filter_map(|(_, slot)| slot.carrier()).collect();
        let carried: Vec<VarId> = carried.into_iter().filter(|var| !on.contains(var)).collect();
        items.extend(carried.iter().map(|var| (*var, Expr::Var(*var))));
        // What both sides have of the row around is the same.
        let of_left: BTreeSet<VarId> = left.slots.values().filter_map(Slot::carrier).collect();
        on.extend(carried.into_iter().filter(|var| of_left.contains(var)));
        right.grow(|input| Plan::Project { input, items });
        let mut joined = Relation { plan: Plan::Unit, slots: left.slots };
        joined.plan = Plan::HashJoin { left: Box::new(left.plan), right: Box::new(right.plan), on };
        for (name, slot) in right.slots {
            if !taken.contains(&name) {
                self.bind_new(&mut joined, &name, slot);
            }
        }
        Ok(joined)
    }

    fn optional(
        &mut self,
        relation: Relation,
        right: &GraphPattern,
        expression: Option<&Expression>,
        active: &Active,
    ) -> Bound<Relation> {
        let own = expression.is_none().then(|| self.optional_property(&relation, right, active)).flatten();
        if let Some((name, slot)) = own {
            let mut out = relation;
            out.slots.insert(name, slot);
            return Ok(out);
        }
        let bound = self.bound_beside(&relation);
        let agrees =
            visible(right).iter().all(|name| relation.slots.get(name).is_none_or(|slot| slot.certain));
        let is_within = may_be_bound(right, &bound) && agrees;
        let mut inner = match (is_within, expression) {
            (true, Some(expression)) => {
                self.filtered(relation.argument(active), expression, right, active)?
            }
            (true, None) => self.pattern(relation.argument(active), right, active)?,
            (false, _) => {
                let alone = self.alone(right, active)?;
                self.join(relation.argument(active), alone)?
            }
        };
        if let (false, Some(expression)) = (is_within, expression) {
            self.filter(&mut inner, expression, active)?;
        }
        // A property of a node from outside is bound only where the pattern was found.
        let outer = relation.carried(active);
        let is_outer = |slot: &Slot| slot.carrier().is_none_or(|var| outer.contains(&var));
        self.settle(&mut inner, |name, slot| !relation.slots.contains_key(name) && is_outer(slot));
        let mut out = Relation { plan: relation.plan, slots: relation.slots };
        let subplan = Box::new(inner.plan);
        out.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Optional });
        for (name, slot) in inner.slots {
            match out.slots.get(&name).cloned() {
                None => _ = out.slots.insert(name, Slot { certain: false, ..slot }),
                Some(old) if old.certain || old.source == slot.source => {}
                Some(old) => {
                    let merged = self.merged(&mut out, &name, &[slot, old], false);
                    out.slots.insert(name, merged);
                }
            }
        }
        Ok(out)
    }

    fn minus(&mut self, relation: Relation, right: &GraphPattern, active: &Active) -> Bound<Relation> {
        let names = visible(right);
        let shared: Vec<Name> = names.into_iter().filter(|name| relation.slots.contains_key(name)).collect();
        if shared.is_empty() {
            return Ok(relation);
        }
        if let Some(asked) = self.asked_of_nodes(&relation, right, active) {
            let mut out = relation;
            out.filter(negated(asked));
            return Ok(out);
        }
        if let Some(name) = relation.unsure_of(&shared) {
            return self.by_case(relation, &name, active, &mut |own, from| own.minus(from, right, active));
        }
        let bound = self.bound_beside(&relation);
        let sure = certain(right);
        let all_certain = shared
            .iter()
            .all(|name| sure.contains(name) && relation.slots.get(name).is_some_and(|slot| slot.certain));
        if all_certain && may_be_bound(right, &bound) {
            let inner = self.pattern(relation.argument(active), right, active)?;
            return Ok(without(relation, inner));
        }
        self.minus_alone(relation, right, &shared, &mut Vec::new(), active)
    }

    /// Without the rows that a pattern, evaluated by itself, agrees with: of its solutions those of cases.
    fn minus_alone(
        &mut self,
        relation: Relation,
        right: &GraphPattern,
        shared: &[Name],
        cases: &mut Vec<(Name, Case)>,
        active: &Active,
    ) -> Bound<Relation> {
        let mut alone = self.alone(right, active)?;
        cases.iter().for_each(|(name, case)| alone.only(name, *case));
        let in_common: Vec<&Name> = shared.iter().filter(|name| alone.slots.contains_key(*name)).collect();
        if in_common.is_empty() {
            return Ok(relation);
        }
        let is_certain = |of: &Relation, name: &Name| of.slots.get(name).is_some_and(|slot| slot.certain);
        if in_common.iter().all(|name| is_certain(&relation, name) && is_certain(&alone, name)) {
            let inner = self.join(relation.argument(active), alone)?;
            return Ok(without(relation, inner));
        }
        if let Some(name) = alone.unsure_of(in_common.iter().copied()) {
            let mut left = relation;
            for case in [Case::Bound, Case::Unbound] {
                cases.push((Arc::clone(&name), case));
                left = self.minus_alone(left, right, shared, cases, active)?;
                cases.pop();
            }
            return Ok(left);
        }
        let outer = relation.carried(active);
        let own: BTreeSet<VarId> = alone.slots.values().filter_map(Slot::carrier).collect();
        let own = own.into_iter().filter(|var| !outer.contains(var)).map(|var| (var, Expr::Var(var)));
        let items = own.collect();
        alone.grow(|input| Plan::Project { input, items });
        let mut inner = relation.beside(alone.plan, active);
        let mut both = Vec::new();
        for name in in_common {
            let (Some(a), Some(b)) = (inner.slots.get(name).cloned(), alone.slots.get(name).cloned()) else {
                continue;
            };
            let same = equal(a.term(), b.term());
            inner.filter(Expr::op(Op::Or, vec![is_null(a.value()), is_null(b.value()), same]));
            both.push(Expr::op(Op::And, vec![is_not_null(a.value()), is_not_null(b.value())]));
        }
        inner.filter(match both.len() {
            1 => both.swap_remove(0),
            _ => Expr::op(Op::Or, both),
        });
        Ok(without(relation, inner))
    }

    fn union(&mut self, relation: Relation, pattern: &GraphPattern, active: &Active) -> Bound<Relation> {
        let mut branches = Vec::new();
        alternatives(pattern, &mut branches);
        let work = |own: &mut Self, from: &Relation, branch: &GraphPattern| {
            own.pattern(from.clone(), branch, active)
        };
        self.either(relation, branches.len(), active, &mut |own, from, at| work(own, from, branches[at]))
    }

    /// The rows of some alternatives, one after the other; each is made by `make` from the same rows.
    pub(super) fn either(
        &mut self,
        relation: Relation,
        count: usize,
        active: &Active,
        make: &mut dyn FnMut(&mut Self, &Relation, usize) -> Bound<Relation>,
    ) -> Bound<Relation> {
        let is_first = relation.is_unit();
        let from = if is_first { Relation::unit() } else { relation.argument(active) };
        let branches = (0..count).map(|at| make(self, &from, at)).collect::<Bound<Vec<Relation>>>()?;
        // Names that an alternative adds, or changes.
        let mut names = Names::new();
        for branch in &branches {
            let is_new = |(name, slot): &(&Name, &Slot)| {
                relation.slots.get(*name).is_none_or(|old| !old.certain && old.source != slot.source)
            };
            names.extend(branch.slots.iter().filter(is_new).map(|(name, _)| Arc::clone(name)));
        }
        let mut common: Vec<(Name, VarId, Slot)> = Vec::new();
        for name in names {
            let slots: Vec<Option<&Slot>> = branches.iter().map(|branch| branch.slots.get(&name)).collect();
            let shapes = slots.iter().flatten().map(|slot| slot.shape);
            let shape = shapes.reduce(|a, b| if a == b { a } else { Shape::Term }).unwrap_or(Shape::Term);
            let certain = slots.iter().all(|slot| slot.is_some_and(|slot| slot.certain));
            let var = self.var(&name, shape);
            common.push((name, var, Slot { source: Source::Var(var), shape, certain }));
        }
        let vars: Vec<VarId> = common.iter().map(|(_, var, _)| *var).collect();
        let inputs = branches.into_iter().map(|mut branch| {
            let items = common.iter().map(|(name, var, slot)| {
                let value = match branch.slots.get(name) {
                    None => Expr::Const(Value::Null),
                    Some(own) if slot.shape == Shape::Term => own.term(),
                    Some(own) => own.value(),
                };
                (*var, value)
            });
            let items = items.collect();
            branch.grow(|input| Plan::Project { input, items });
            branch.plan
        });
        let union = Plan::Union { inputs: inputs.collect(), vars };
        let mut out = relation;
        if is_first {
            out.plan = union;
        } else {
            out.grow(|input| Plan::Apply { input, subplan: Box::new(union), kind: ApplyKind::Inner });
        }
        out.slots.extend(common.into_iter().map(|(name, _, slot)| (name, slot)));
        Ok(out)
    }

    /// `GRAPH`: where the pattern itself does not tell which graph it is in, the names of graphs come first.
    /// The graph's name is joined with what the pattern binds, and is nothing that it could ask for.
    fn in_graph(
        &mut self,
        relation: Relation,
        name: &NamedNodePattern,
        inner: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        let NamedNodePattern::Variable(variable) = name else {
            return match asks_graph(inner) {
                true => self.pattern(relation, inner, active),
                false => {
                    let relation = self.graph_alone(relation, active)?;
                    self.pattern(relation, inner, active)
                }
            };
        };
        let name = name_of(variable);
        let nested = has_sub_query(inner);
        if asks_graph(inner) && !nested && !mentioned(inner).contains(&name) {
            return self.pattern(relation, inner, active);
        }
        let own = self.made_variable();
        let active = Active::Named(own.clone().into());
        if nested {
            return self.in_each_graph(relation, (&name, &name_of(&own)), inner, &active);
        }
        let mut relation = self.graph_alone(relation, &active)?;
        relation = self.pattern(relation, inner, &active)?;
        if let Some(slot) = relation.slots.remove(&name_of(&own)) {
            self.bind_new(&mut relation, &name, slot);
        }
        Ok(relation)
    }

    /// The same where a sub-query within cannot see the graph's name: the names of graphs come first, and the
    /// pattern is evaluated for each of them.
    fn in_each_graph(
        &mut self,
        relation: Relation,
        (name, own): (&Name, &Name),
        inner: &GraphPattern,
        active: &Active,
    ) -> Bound<Relation> {
        let mut each = self.graph_alone(Relation::unit(), active)?;
        let Some(graph) = each.slots.remove(own) else { return Ok(each) };
        let given = Active::Given(self.held(&mut each, &graph));
        let found = self.as_sub_query(Relation::start(&given), inner, &given)?;
        each.slots = found.slots;
        let subplan = Box::new(found.plan);
        each.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Inner });
        self.bind_new(&mut each, name, graph);
        if relation.is_unit() { Ok(each) } else { self.join(relation, each) }
    }

    /// `GRAPH ?g {}`: the names of graphs, or whether there is such a graph.
    fn graph_alone(&mut self, relation: Relation, active: &Active) -> Bound<Relation> {
        let mut names = Relation::unit();
        let (graph, new) = self.graphs(&mut names, active);
        if let (GraphChoice::Named(var, among), Some((name, _))) = (&graph, &new) {
            let graph = self.anonymous(LogicalType::Any);
            let list = call("sparql.graphs", Vec::new());
            names.grow(|input| Plan::Unwind { input, list, var: graph });
            if let Some(among) = among {
                let among = among.iter().map(|name| Value::Iri(Arc::clone(name))).collect();
                names.filter(Expr::op(Op::In, vec![Expr::Var(graph), Expr::Const(Value::list(among))]));
            }
            names.extra(vec![(*var, call("sparql.entity", vec![Expr::Var(graph)]))]);
            names.slots.insert(Arc::clone(name), Slot::certain(*var, Shape::Term));
            self.relies_on_all();
            return if relation.is_unit() { Ok(names) } else { self.join(relation, names) };
        }
        let vars = [(); 3].map(|()| self.anonymous(LogicalType::Any));
        let pattern = trimorph_algebra::TriplePattern {
            subject: vars[0],
            predicate: trimorph_algebra::PredicateTerm::Var(vars[1]),
            object: vars[2],
            graph,
            count: None,
            among: None,
        };
        self.relies_on_all();
        names.grow(|input| Plan::Statements { input, pattern });
        names.grow(|input| Plan::Limit { input, count: Expr::Const(Value::Int(1)) });
        names.grow(|input| Plan::Project { input, items: Vec::new() });
        if relation.is_unit() { Ok(names) } else { self.join(relation, names) }
    }

    fn values(
        &mut self,
        mut relation: Relation,
        variables: &[Variable],
        bindings: &[Vec<Option<GroundTerm>>],
    ) -> Relation {
        self.with_given(&mut relation, variables.iter().map(name_of));
        let rows = bindings.iter().map(|row| {
            Value::list(row.iter().map(|term| term.as_ref().map_or(Value::Null, ground)).collect())
        });
        let rows = Value::list(rows.collect());
        let row = self.anonymous(LogicalType::List);
        relation.grow(|input| Plan::Unwind { input, list: Expr::Const(rows), var: row });
        for (place, variable) in variables.iter().enumerate() {
            let name = name_of(variable);
            let terms = || bindings.iter().filter_map(|row| row.get(place)?.as_ref());
            let is_literal = terms().all(|term| matches!(term, GroundTerm::Literal(_)));
            let certain = bindings.iter().all(|row| row.get(place).is_some_and(Option::is_some));
            let at = Expr::Const(Value::Int(i64::try_from(place).unwrap_or(0)));
            let value = Expr::op(Op::Index, vec![Expr::Var(row), at]);
            let value = if is_literal { value } else { call("sparql.entity", vec![value]) };
            let var = self.var(&name, Shape::Term);
            relation.extra(vec![(var, value)]);
            let slot = Slot { source: Source::Var(var), shape: Shape::Term, certain };
            self.bind_new(&mut relation, &name, slot);
        }
        relation
    }

    fn sort_keys(
        &mut self,
        relation: &mut Relation,
        expressions: &[OrderExpression],
        active: &Active,
    ) -> Bound<Vec<SortKey>> {
        let mut keys = Vec::new();
        for order in expressions {
            let (expression, descending) = match order {
                OrderExpression::Asc(expression) => (expression, false),
                OrderExpression::Desc(expression) => (expression, true),
            };
            let value = self.expression(relation, expression, active)?;
            if value.is_ordered_plainly() {
                keys.push(SortKey { expr: value.expr, descending });
                continue;
            }
            // The second key tells triple terms apart, which a literal is not.
            let is_literal = matches!(value.shape, Shape::Plain(_));
            keys.push(SortKey { expr: call("sparql.order", vec![value.expr.clone()]), descending });
            if !is_literal {
                keys.push(SortKey { expr: call("sparql.order_triple", vec![value.expr]), descending });
            }
        }
        Ok(keys)
    }

    fn distinct(&mut self, mut relation: Relation) -> Relation {
        // A property of a node that is told apart by itself tells nothing more apart.
        let held = relation.slots.values().filter(|slot| slot.is_held());
        let nodes: BTreeSet<VarId> = held.filter_map(Slot::carrier).collect();
        self.settle(&mut relation, |_, slot| slot.carrier().is_some_and(|var| !nodes.contains(&var)));
        let mut vars = relation.carried(&Active::Default);
        let told = relation.slots.values().filter(|slot| slot.is_held()).filter_map(told_apart);
        let told: Vec<Expr> = told.collect();
        let told: Vec<(VarId, Expr)> =
            told.into_iter().map(|told| (self.anonymous(LogicalType::Int), told)).collect();
        vars.extend(told.iter().map(|(var, _)| *var));
        relation.extra(told);
        relation.grow(|input| Plan::Distinct { input, vars });
        relation
    }
}

/// What is told apart without its order, and the order, where that speaks of nothing but what is told apart:
/// fewer rows are sorted then.
fn sorted_later(inner: &GraphPattern) -> Option<(GraphPattern, &[OrderExpression])> {
    use GraphPattern as P;
    let P::Project { inner, variables } = inner else { return None };
    let P::OrderBy { inner, expression } = &**inner else { return None };
    let speaks_of_selected = expression.iter().all(|order| {
        let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
        match key {
            Expression::Variable(variable) => variables.contains(variable),
            _ => false,
        }
    });
    let unsorted = P::Project { inner: inner.clone(), variables: variables.clone() };
    speaks_of_selected.then_some((unsorted, &expression[..]))
}

/// The rows of a relation for which there is none of another one.
fn without(mut relation: Relation, other: Relation) -> Relation {
    let subplan = Box::new(other.plan);
    relation.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Anti });
    relation
}

fn asks_sub_query(expression: &Expression) -> bool {
    any_exists(expression, &mut has_sub_query)
}

/// Whether there is a sub-query in a pattern, or in an `EXISTS` of it.
fn has_sub_query(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    if is_sub_query(pattern) {
        return true;
    }
    match pattern {
        P::Join { left, right } | P::Union { left, right } | P::Minus { left, right } => {
            has_sub_query(left) || has_sub_query(right)
        }
        P::LeftJoin { left, right, expression } => {
            has_sub_query(left) || has_sub_query(right) || expression.as_ref().is_some_and(asks_sub_query)
        }
        P::Filter { expr, inner } => has_sub_query(inner) || asks_sub_query(expr),
        P::Extend { inner, expression, .. } => has_sub_query(inner) || asks_sub_query(expression),
        P::Graph { inner, .. } => has_sub_query(inner),
        _ => false,
    }
}

/// Whether all solutions of a pattern come from statements of the active graph.
fn asks_graph(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => !patterns.is_empty(),
        P::Path { path, .. } => takes_a_step(path),
        P::Join { left, right } => asks_graph(left) || asks_graph(right),
        P::Union { left, right } => asks_graph(left) && asks_graph(right),
        P::LeftJoin { left, .. } | P::Minus { left, .. } => asks_graph(left),
        P::Filter { inner, .. }
        | P::Extend { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner } => asks_graph(inner),
        P::Graph { .. } | P::Values { .. } | P::Slice { .. } | P::Group { .. } | P::Service { .. } => false,
    }
}

/// Whether what a path connects is connected by statements: one of no step connects each term with itself.
fn takes_a_step(path: &PropertyPathExpression) -> bool {
    use PropertyPathExpression as P;
    match path {
        P::NamedNode(_) | P::NegatedPropertySet(_) => true,
        P::ZeroOrMore(_) | P::ZeroOrOne(_) => false,
        P::Reverse(inner) | P::OneOrMore(inner) => takes_a_step(inner),
        P::Sequence(first, second) => takes_a_step(first) || takes_a_step(second),
        P::Alternative(one, other) => takes_a_step(one) && takes_a_step(other),
    }
}

/// The first rows, behind some that are left out. A sort below is told how many are wanted.
fn slice(relation: &mut Relation, start: usize, length: Option<usize>) {
    let count = |n: usize| Expr::Const(Value::Int(i64::try_from(n).unwrap_or(i64::MAX)));
    if let Some(length) = length {
        let wanted = count(start.saturating_add(length));
        let mut plan = &mut relation.plan;
        loop {
            match plan {
                Plan::Sort { limit, .. } => {
                    *limit = Some(wanted);
                    break;
                }
                Plan::Project { input, .. } | Plan::Extra { input, .. } => plan = input,
                _ => break,
            }
        }
    }
    if start > 0 {
        relation.grow(|input| Plan::Skip { input, count: count(start) });
    }
    if let Some(length) = length {
        relation.grow(|input| Plan::Limit { input, count: count(length) });
    }
}

/// The graph variable of `GRAPH ?g { ?s ?p ?o }` of which nothing else is selected.
fn all_graphs(pattern: &GraphPattern) -> Option<&Variable> {
    let GraphPattern::Project { inner, variables } = pattern else { return None };
    let ([graph], GraphPattern::Graph { name: NamedNodePattern::Variable(name), inner }) =
        (&variables[..], &**inner)
    else {
        return None;
    };
    let GraphPattern::Bgp { patterns } = &**inner else { return None };
    let [TriplePattern { subject, predicate: NamedNodePattern::Variable(predicate), object }] = &patterns[..]
    else {
        return None;
    };
    let (Some(subject), Some(object)) = (bound_name(subject), bound_name(object)) else { return None };
    let all = Names::from([subject, name_of(predicate), object, name_of(name)]);
    (graph == name && all.len() == 4).then_some(graph)
}

/// The alternatives of unions within unions.
pub(super) fn alternatives<'p>(pattern: &'p GraphPattern, out: &mut Vec<&'p GraphPattern>) {
    let mut left = vec![pattern];
    while let Some(pattern) = left.pop() {
        match pattern {
            GraphPattern::Union { left: a, right: b } => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
}

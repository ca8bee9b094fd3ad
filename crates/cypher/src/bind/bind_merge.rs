//! `MERGE`: the pattern as what is looked for, and the same pattern as what is made.

use std::sync::Arc;

use trimorph_algebra::{
    Change, Direction, EdgePattern, EdgeRange, Expr, LabelExpr, Merge, NewProperties, NodePattern, Op,
    PathPattern, PathStep, Plan, QueryGraph, Update, VarId,
};
use trimorph_base::{ErrorKind, Span};

use super::Binder;
use super::bind_create::{Named, ends};
use super::bind_set::{keys_set, sets_labels};
use super::bind_update::Making;
use super::part::Part;
use super::report::{Bound, of_kind, semantic, with_hint};
use super::scope::Scope;
use super::trim_argument::trim;
use crate::ast::{self, MergeEvent};

/// The pattern of a `MERGE` while it is bound.
#[derive(Default)]
struct Merging {
    graph: QueryGraph,
    /// Its values are computed below, once for each row.
    making: Making,
    /// Names of properties that it asks.
    keys: Vec<Arc<str>>,
    has_labels: bool,
}

impl<'q> Binder<'q> {
    pub(super) fn merge_clause(&mut self, part: Part, merge: &'q ast::Merge) -> Bound<Part> {
        let Part { plan, scope: outer } = part;
        let mut scope = outer.clone();
        let mut merging = Merging::default();
        let path = &merge.path;
        let (start, start_is_bound) =
            self.merged_node(&outer, &mut scope, &mut merging, &path.start, path.steps.is_empty())?;
        let (mut from, mut from_is_bound) = (start, start_is_bound);
        let mut either_way = None;
        let mut steps = vec![PathStep::Node(from)];
        for step in &path.steps {
            let relationship = &step.relationship;
            let named = self.merged_properties(&outer, &mut merging, relationship.properties.as_ref())?;
            let var = self.new_edge(&mut scope, relationship)?;
            let edge_type = self.created_type(relationship)?;
            let (to, to_is_bound) = self.merged_node(&outer, &mut scope, &mut merging, &step.node, false)?;
            let direction = match relationship.direction {
                ast::Direction::Right => Direction::Out,
                ast::Direction::Left => Direction::In,
                ast::Direction::Either | ast::Direction::Both => Direction::Both,
            };
            if direction == Direction::Both && from_is_bound && to_is_bound {
                either_way = Some((from, to));
            }
            for other in &merging.graph.edges {
                if other.types.contains(&edge_type) {
                    merging.graph.distinct.push((other.var, var));
                }
            }
            asked(&mut merging.graph, var, &named, relationship.span);
            merging.graph.edges.push(EdgePattern {
                var,
                from,
                to,
                types: vec![Arc::clone(&edge_type)],
                direction,
                range: EdgeRange::One,
                each: None,
                whole: Vec::new(),
            });
            let (source, target) = ends(relationship, from, to);
            let properties = NewProperties::Named(named);
            merging.making.push(Change::CreateEdge { var, edge_type, from: source, to: target, properties });
            steps.extend([PathStep::Edge(var), PathStep::Node(to)]);
            (from, from_is_bound) = (to, to_is_bound);
        }
        if let Some(var) = self.new_path(&mut scope, path)? {
            let all = steps.iter().map(|step| match step {
                PathStep::Node(var) | PathStep::Edge(var) => *var,
            });
            merging.making.push(Change::CreatePath { var, steps: all.collect() });
            merging.graph.paths.push(PathPattern { var, steps });
        }
        let Merging { graph, making, keys, has_labels } = merging;
        let (mut on_create, mut on_match) = (Vec::new(), Vec::new());
        for action in &merge.actions {
            let updates = self.merge_action(&scope, action)?;
            match action.on {
                MergeEvent::Create => on_create.extend(updates),
                MergeEvent::Match => on_match.extend(updates),
            }
        }
        let asks = |update: &Update| {
            (has_labels && sets_labels(&update.changes))
                || keys_set(&update.changes).is_none_or(|set| keys.iter().any(|key| set.contains(key)))
        };
        let sets = on_create.iter().chain(&on_match).any(|update: &Update| {
            let sets_something = update.changes.iter().any(|c| c.made().is_none());
            sets_something && asks(update)
        });
        let one_by_one = sets || path.steps.len() > 1;
        let Making { hoists, update, .. } = making;
        let mut input = self.apply(plan, hoists)?;
        let mut visible = outer.vars();
        visible.extend(update.values.iter().map(|(var, _)| *var));
        if !update.values.is_empty() {
            input = self.grow(Plan::Extra { input: Box::new(input), items: update.values })?;
        }
        let argument = Box::new(Plan::Argument(Vec::new()));
        let (subplan, _) = trim(Plan::Match { input: argument, graph }, &visible, None);
        let merge = Merge { create: update.changes, on_create, on_match, either_way, one_by_one };
        let plan = Plan::Merge { input: Box::new(input), subplan: Box::new(subplan), merge };
        Ok(Part { plan: self.grow(plan)?, scope })
    }

    /// A node of the pattern, and whether it was bound before.
    fn merged_node(
        &mut self,
        outer: &Scope,
        scope: &mut Scope,
        merging: &mut Merging,
        node: &'q ast::NodePattern,
        lonely: bool,
    ) -> Bound<(VarId, bool)> {
        let named = self.merged_properties(outer, merging, node.properties.as_ref())?;
        let (var, is_bound) = match self.new_node(scope, node, lonely)? {
            Named::Bound(var) => {
                let before = outer.vars().contains(&var);
                if !merging.graph.nodes.iter().any(|known| known.var == var) {
                    merging.graph.nodes.push(NodePattern { var, labels: LabelExpr::True });
                }
                (var, before)
            }
            Named::New(var) => {
                let labels = self.plain_labels(node.labels.as_ref())?;
                merging.has_labels |= !labels.is_empty();
                let asked_labels = labels.iter().map(|label| LabelExpr::Label(Arc::clone(label)));
                let asked_labels = asked_labels.fold(LabelExpr::True, LabelExpr::and);
                merging.graph.nodes.push(NodePattern { var, labels: asked_labels });
                asked(&mut merging.graph, var, &named, node.span);
                let properties = NewProperties::Named(named);
                merging.making.push(Change::CreateNode { var, labels, properties });
                (var, false)
            }
        };
        Ok((var, is_bound))
    }

    /// The properties that the pattern asks, as variables of the rows below.
    fn merged_properties(
        &mut self,
        outer: &Scope,
        merging: &mut Merging,
        properties: Option<&'q ast::Properties>,
    ) -> Bound<Vec<(Arc<str>, VarId)>> {
        let entries = match properties {
            None => return Ok(Vec::new()),
            Some(ast::Properties::Parameter { span, .. }) => {
                let error = semantic("InvalidParameterUse", "MERGE cannot take a map parameter", *span);
                return Err(with_hint(error, "write its entries out, as in {id: $row.id}"));
            }
            Some(ast::Properties::Map { entries, .. }) => entries,
        };
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.full_name(&entry.key)?;
            let (value, hoists) = self.row_expression(&entry.value, outer)?;
            if value.is_null() {
                let primary = format!("MERGE cannot look for property \"{key}\" with value null");
                return Err(of_kind(ErrorKind::SemanticError, "MergeReadOwnWrites", primary, entry.key.span));
            }
            merging.keys.push(Arc::clone(&key));
            named.push((key, self.value_var(value, hoists, &mut merging.making)));
        }
        Ok(named)
    }

    /// What is done where the pattern was made, or found.
    fn merge_action(&mut self, scope: &Scope, action: &'q ast::MergeAction) -> Bound<Vec<Update>> {
        let mut updates = Vec::new();
        for making in self.set_items(scope, &action.items)? {
            if !making.hoists.is_empty() {
                let primary = "a subquery cannot stand in ON CREATE or ON MATCH";
                let error = of_kind(ErrorKind::Unsupported, "SubqueryInMerge", primary, action.span);
                return Err(with_hint(error, "compute it in a WITH before, or SET it in a clause after"));
            }
            updates.push(making.update);
        }
        Ok(updates)
    }
}

/// Adds the equalities of an element's properties with their values.
fn asked(graph: &mut QueryGraph, var: VarId, named: &[(Arc<str>, VarId)], span: Span) {
    graph.predicates.extend(named.iter().map(|(key, value)| {
        let property = Expr::Property(Box::new(Expr::Var(var)), Arc::clone(key), span);
        Expr::Op(Op::Eq, vec![property, Expr::Var(*value)], span)
    }));
}

//! Paths: nodes and relationships become nodes and edges of the query graph.

use std::sync::Arc;

use trimorph_algebra::{
    Direction, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, Op, PathPattern, PathStep, QueryGraph,
    ShortestKind, VarId,
};
use trimorph_catalog::NameKind;
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::{local_in_subquery, undefined};
use super::bind_pattern::{Pattern, Pending};
use super::check_types::Type;
use super::report::{Bound, already_bound, semantic, with_hint};
use crate::ast::{self, Ident, PathSearch};

impl<'q> Binder<'q> {
    /// Adds a path to the pattern.
    pub(super) fn path(&mut self, pattern: &mut Pattern<'q>, path: &'q ast::PathPattern) -> Bound<()> {
        let shortest = match path.search {
            PathSearch::All => None,
            PathSearch::Shortest => Some(ShortestKind::One),
            PathSearch::AllShortest => Some(ShortestKind::All),
        };
        if shortest.is_some() && path.steps.len() != 1 {
            let primary = "a shortest path has exactly one relationship pattern";
            let error = semantic("InvalidRelationshipPattern", primary, path.span);
            return Err(with_hint(error, "write it as shortestPath((a)-[*]->(b))"));
        }
        let mut from = self.node(pattern, &path.start)?;
        let mut steps = vec![PathStep::Node(from)];
        for step in &path.steps {
            let edge = self.edge_variable(pattern, &step.relationship, shortest)?;
            let to = self.node(pattern, &step.node)?;
            self.edge(pattern, edge, (from, to), &step.relationship, shortest)?;
            steps.extend([PathStep::Edge(edge), PathStep::Node(to)]);
            from = to;
        }
        if let Some(name) = &path.variable {
            if pattern.scope.get(&name.text).is_some() {
                return Err(already_bound(&name.text, name.span));
            }
            let var = self.named(&name.text, Type::of(LogicalType::Path));
            pattern.scope.insert(&name.text, var);
            pattern.graph.paths.push(PathPattern { var, steps });
        }
        Ok(())
    }

    /// Gives the only path of a graph a variable.
    pub(super) fn name_path(&mut self, graph: &mut QueryGraph) -> Option<VarId> {
        let edge = graph.edges.first()?;
        let steps = vec![PathStep::Node(edge.from), PathStep::Edge(edge.var), PathStep::Node(edge.to)];
        let var = self.anonymous(Type::of(LogicalType::Path));
        graph.paths.push(PathPattern { var, steps });
        Some(var)
    }

    fn node(&mut self, pattern: &mut Pattern<'q>, node: &'q ast::NodePattern) -> Bound<VarId> {
        let var = match &node.variable {
            None => self.anonymous(Type::NODE),
            Some(name) => match self.known(pattern, name, &[LogicalType::Node], "node")? {
                Some(var) => {
                    self.must_be(pattern, "labels", var, name);
                    var
                }
                None => {
                    let var = self.named(&name.text, Type::NODE);
                    pattern.scope.insert(&name.text, var);
                    var
                }
            },
        };
        let mut labels = LabelExpr::True;
        if let Some(written) = &node.labels {
            self.note_labels(written, NameKind::Label)?;
            match self.labels(written, false)? {
                Some(plain) => labels = plain,
                None => {
                    let condition = self.labels_of(&Expr::Var(var), written, false)?;
                    pattern.graph.predicates.push(condition);
                }
            }
        }
        match pattern.nodes.get(&var).and_then(|index| pattern.graph.nodes.get_mut(*index)) {
            Some(known) => known.labels = std::mem::replace(&mut known.labels, LabelExpr::True).and(labels),
            None => {
                pattern.nodes.insert(var, pattern.graph.nodes.len());
                pattern.graph.nodes.push(NodePattern { var, labels });
            }
        }
        if node.properties.is_some() || node.predicate.is_some() {
            let (properties, predicate) = (node.properties.as_ref(), node.predicate.as_deref());
            pattern.pending.push(Pending::Element { var, properties, predicate });
        }
        Ok(var)
    }

    /// The variable of a relationship. One that is bound already is matched again under a new variable and
    /// compared.
    fn edge_variable(
        &mut self,
        pattern: &mut Pattern<'q>,
        relationship: &'q ast::RelationshipPattern,
        shortest: Option<ShortestKind>,
    ) -> Bound<VarId> {
        let many = relationship.length.is_some() || shortest.is_some();
        let ty = if many { Type::RELATIONSHIPS } else { Type::RELATIONSHIP };
        let Some(name) = &relationship.variable else { return Ok(self.anonymous(ty)) };
        let what = if many { "list of relationships" } else { "relationship" };
        if let Some(known) = self.known(pattern, name, &[ty.is], what)? {
            if pattern.edge_names.contains(name.text.as_str()) {
                let primary = format!("relationship \"{}\" stands twice in one pattern", name.text);
                let error = semantic("RelationshipUniquenessViolation", primary, name.span);
                return Err(with_hint(
                    error,
                    "two relationships of a pattern are never the same; choose another name",
                ));
            }
            if !many {
                self.must_be(pattern, "type", known, name);
            }
            let var = self.anonymous(ty);
            let same = Expr::op(Op::Eq, vec![Expr::Var(var), Expr::Var(known)]);
            pattern.graph.predicates.push(same);
            return Ok(var);
        }
        let var = self.named(&name.text, ty);
        pattern.scope.insert(&name.text, var);
        pattern.edge_names.insert(&name.text);
        Ok(var)
    }

    /// Has a value whose type is not known before it is looked at fail where it is no node or relationship:
    /// `function` does, and is null of nothing but null. Out of line, as few patterns ask for it and many
    /// stand within each other.
    #[inline(never)]
    fn must_be(&self, pattern: &mut Pattern<'q>, function: &str, var: VarId, name: &Ident) {
        if self.type_of(var).is == LogicalType::Any {
            let call = Expr::Call(function.into(), vec![Expr::Var(var)], name.span);
            pattern.graph.predicates.push(Expr::op(Op::IsNotNull, vec![call]));
        }
    }

    /// The variable of a name that is bound already, if it is; it must be of one of these types.
    fn known(
        &self,
        pattern: &Pattern<'q>,
        name: &Ident,
        allowed: &[LogicalType],
        what: &str,
    ) -> Bound<Option<VarId>> {
        let Some(entry) = pattern.scope.get(&name.text) else {
            return match pattern.new_names {
                true => Ok(None),
                false => {
                    let error = undefined(&name.text, name.span, pattern.scope.names());
                    let hint = "a pattern used as a predicate binds no variables; use EXISTS { … }";
                    Err(match error.hint {
                        Some(_) => error,
                        None => with_hint(error, hint),
                    })
                }
            };
        };
        if entry.local {
            return Err(local_in_subquery(&name.text, name.span));
        }
        let ty = self.type_of(entry.var);
        let elements =
            ty.is != LogicalType::List || matches!(ty.element, LogicalType::Any | LogicalType::Relationship);
        if ty.may_be(allowed) && elements {
            return Ok(Some(entry.var));
        }
        let primary = format!("variable \"{}\" is of type {} and cannot be a {what}", name.text, ty.is);
        let error = semantic("VariableTypeConflict", primary, name.span);
        Err(with_hint(error, "choose another name"))
    }

    fn edge(
        &mut self,
        pattern: &mut Pattern<'q>,
        var: VarId,
        (from, to): (VarId, VarId),
        relationship: &'q ast::RelationshipPattern,
        shortest: Option<ShortestKind>,
    ) -> Bound<()> {
        let range = range(relationship, shortest);
        let mut types: Vec<Arc<str>> = Vec::new();
        let mut condition = None;
        if let Some(written) = &relationship.types {
            self.note_labels(written, NameKind::Type)?;
            match self.type_names(written)? {
                Some(names) => types = names,
                None => condition = Some(written),
            }
        }
        let inline = relationship.properties.is_some() || relationship.predicate.is_some();
        if range == EdgeRange::One {
            if let Some(written) = condition {
                let condition = self.labels_of(&Expr::Var(var), written, true)?;
                pattern.graph.predicates.push(condition);
            }
            if inline {
                let properties = relationship.properties.as_ref();
                let predicate = relationship.predicate.as_deref();
                pattern.pending.push(Pending::Element { var, properties, predicate });
            }
        } else if inline || condition.is_some() {
            let element = self.anonymous(Type::RELATIONSHIP);
            let edge = pattern.graph.edges.len();
            pattern.pending.push(Pending::Each { edge, element, relationship, types: condition });
        }
        if shortest.is_none() {
            pattern.trail.push((var, types.clone()));
        }
        let direction = direction(relationship.direction);
        let (each, whole) = (None, Vec::new());
        pattern.graph.edges.push(EdgePattern { var, from, to, types, direction, range, each, whole });
        Ok(())
    }
}

fn direction(direction: ast::Direction) -> Direction {
    match direction {
        ast::Direction::Right => Direction::Out,
        ast::Direction::Left => Direction::In,
        ast::Direction::Either | ast::Direction::Both => Direction::Both,
    }
}

/// Paths longer than any graph allows are cut to what the algebra can say.
fn range(relationship: &ast::RelationshipPattern, shortest: Option<ShortestKind>) -> EdgeRange {
    let hops = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    match (relationship.length, shortest) {
        (None, None) => EdgeRange::One,
        (None, shortest) => EdgeRange::Variable { min: 1, max: Some(1), shortest },
        (Some(length), shortest) => {
            EdgeRange::Variable { min: hops(length.min.unwrap_or(1)), max: length.max.map(hops), shortest }
        }
    }
}

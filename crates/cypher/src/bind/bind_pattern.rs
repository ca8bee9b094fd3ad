//! The query graph of a pattern: what its inline properties and predicates ask, and which edges must be told
//! apart.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trimorph_algebra::{Expr, Op, QuantifierKind, QueryGraph, VarId};
use trimorph_base::ErrorKind;

use super::Binder;
use super::bind_operator::balanced;
use super::bind_where::Conjunct;
use super::check_types::Type;
use super::context::{Context, Hoist};
use super::report::{Bound, of_kind, too_complex, with_hint};
use super::scope::Scope;
use crate::ast;

/// Relationships that the pattern of one clause may have: pairs of them are written out.
const EDGES_MAX: usize = 1_000;
/// Nodes that the pattern of one clause may have: each that no relationship reaches is an operator more in
/// the line of the plan.
const NODES_MAX: usize = 2_000;
/// Pairs of relationships that must differ, in all patterns of a query.
const PAIRS_MAX: usize = 1_000_000;
/// Types up to which those of two relationships are compared; with more, they are taken to have one in
/// common.
const TYPES_COMPARED_MAX: usize = 32;

/// A pattern while it is bound.
pub(super) struct Pattern<'q> {
    pub(super) graph: QueryGraph,
    /// The names visible so far.
    pub(super) scope: Scope,
    pub(super) new_names: bool,
    /// Where each node is in the graph.
    pub(super) nodes: HashMap<VarId, usize>,
    /// Names of relationships of this pattern.
    pub(super) edge_names: HashSet<&'q str>,
    /// The edges that must differ, and their types; empty for any.
    pub(super) trail: Vec<(VarId, Vec<Arc<str>>)>,
    /// What is bound once all names are known.
    pub(super) pending: Vec<Pending<'q>>,
}

/// A condition within a pattern.
pub(super) enum Pending<'q> {
    /// Properties and predicate of a node or a single relationship.
    Element { var: VarId, properties: Option<&'q ast::Properties>, predicate: Option<&'q ast::Expr> },
    /// Conditions on each relationship of a variable-length one.
    Each {
        /// Place of the edge in the graph.
        edge: usize,
        element: VarId,
        relationship: &'q ast::RelationshipPattern,
        types: Option<&'q ast::LabelExpr>,
    },
}

impl Pattern<'_> {
    pub(super) fn new(scope: Scope, new_names: bool) -> Self {
        Self {
            graph: QueryGraph::default(),
            scope,
            new_names,
            nodes: HashMap::new(),
            edge_names: HashSet::new(),
            trail: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Whether a condition on `element` looks at what this pattern finds, paths included.
    fn is_asked_of(&self, condition: &Expr, element: VarId, outer: &Scope) -> bool {
        let mut vars = Vec::new();
        condition.free_vars(&mut vars);
        vars.retain(|v| *v != element);
        if vars.is_empty() {
            return false;
        }
        let before = outer.vars();
        let graph = &self.graph;
        let is_own = |v: &VarId| {
            self.nodes.contains_key(v)
                || graph.edges.iter().any(|e| e.var == *v)
                || graph.paths.iter().any(|p| p.var == *v)
        };
        vars.iter().any(|v| is_own(v) && !before.contains(v))
    }

    /// No two relationships of a clause are the same: all pairs whose types may coincide.
    fn tell_apart(&mut self) {
        for (index, (a, a_types)) in self.trail.iter().enumerate() {
            for (b, b_types) in &self.trail[index + 1..] {
                let disjoint = !a_types.is_empty()
                    && a_types.len() <= TYPES_COMPARED_MAX
                    && !b_types.is_empty()
                    && !a_types.iter().any(|ty| b_types.binary_search(ty).is_ok());
                if !disjoint {
                    self.graph.distinct.push((*a, *b));
                }
            }
        }
    }
}

impl<'q> Binder<'q> {
    /// Binds what was left until all names of the pattern, those of `cx`, are known. Gives the subqueries to
    /// compute before it.
    pub(super) fn pattern_conditions(
        &mut self,
        pattern: &mut Pattern<'q>,
        cx: &mut Context<'q>,
        outer: &Scope,
        out: &mut Vec<Conjunct>,
    ) -> Bound<Vec<Hoist>> {
        if pattern.trail.len() > EDGES_MAX {
            let primary = format!("a pattern has more than {EDGES_MAX} relationships");
            return Err(too_complex(primary, "split it into several MATCH clauses"));
        }
        if pattern.graph.nodes.len() > NODES_MAX {
            let primary = format!("a pattern has more than {NODES_MAX} nodes");
            return Err(too_complex(primary, "split it into several queries"));
        }
        pattern.tell_apart();
        self.pairs += pattern.graph.distinct.len();
        if self.pairs > PAIRS_MAX {
            let primary = format!("more than {PAIRS_MAX} pairs of relationships have to be told apart");
            return Err(too_complex(primary, "give relationships types, or split the query"));
        }
        let mut below = Vec::new();
        for pending in std::mem::take(&mut pattern.pending) {
            match pending {
                Pending::Element { var, properties, predicate } => {
                    self.property_conditions(var, properties, cx, out)?;
                    if let Some(predicate) = predicate {
                        self.conjuncts(predicate, cx, out)?;
                    }
                }
                Pending::Each { edge, element, relationship, types } => {
                    let parts = self.each((element, relationship), types, cx, outer, &mut below)?;
                    let (own, before): (Vec<_>, Vec<_>) =
                        parts.into_iter().partition(|part| pattern.is_asked_of(part, element, outer));
                    if let Some(edge) = pattern.graph.edges.get_mut(edge) {
                        edge.each = (!before.is_empty()).then(|| (element, balanced(Op::And, before)));
                        // The walk may be there before what this looks at.
                        out.extend(own.into_iter().map(|part| {
                            let (list, predicate) = (Box::new(Expr::Var(edge.var)), Box::new(part));
                            let kind = QuantifierKind::All;
                            Conjunct::Plain(Expr::Quantifier { kind, var: element, list, predicate })
                        }));
                    }
                }
            }
        }
        Ok(below)
    }

    /// `{key: value}` as equalities.
    fn property_conditions(
        &mut self,
        var: VarId,
        properties: Option<&'q ast::Properties>,
        cx: &mut Context<'q>,
        out: &mut Vec<Conjunct>,
    ) -> Bound<()> {
        match properties {
            Some(ast::Properties::Map { entries, .. }) => {
                for entry in entries {
                    let key = self.full_name(&entry.key)?;
                    // A pattern's variable is one or the other, whatever else is known of it.
                    self.note_property(Type::NODE, &key, entry.key.span);
                    let value = self.expression(&entry.value, cx)?;
                    if value.is_null() {
                        self.odd.add_null(entry.value.span, "WHERE … IS NULL");
                    }
                    let value = value.expr;
                    let property = Expr::Property(Box::new(Expr::Var(var)), key, entry.key.span);
                    let equal = Expr::Op(Op::Eq, vec![property, value], entry.key.span);
                    let hoists = cx.take_hoists();
                    out.push(match hoists.is_empty() {
                        true => Conjunct::Plain(equal),
                        false => Conjunct::Hoisted(hoists, equal),
                    });
                }
                Ok(())
            }
            Some(ast::Properties::Parameter { name, .. }) => {
                self.parameter(name);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The conditions on each relationship of a variable-length one. Its variable stands for that one
    /// relationship.
    fn each(
        &mut self,
        (element, relationship): (VarId, &'q ast::RelationshipPattern),
        types: Option<&'q ast::LabelExpr>,
        cx: &mut Context<'q>,
        outer: &Scope,
        below: &mut Vec<Hoist>,
    ) -> Bound<Vec<Expr>> {
        if let Some(name) = &relationship.variable {
            cx.locals.push((&name.text, element));
        }
        let mut conditions = Vec::new();
        if let Some(types) = types {
            conditions.push(Conjunct::Plain(self.labels_of(&Expr::Var(element), types, true)?));
        }
        self.property_conditions(element, relationship.properties.as_ref(), cx, &mut conditions)?;
        if let Some(predicate) = &relationship.predicate {
            let condition = self.predicate(predicate, cx)?;
            conditions.push(Conjunct::Hoisted(cx.take_hoists(), condition));
        }
        cx.locals.clear();
        let before = outer.vars();
        let mut parts = Vec::new();
        for condition in conditions {
            match condition {
                Conjunct::Plain(expr) => parts.push(expr),
                Conjunct::Hoisted(hoists, expr) => {
                    if hoists.iter().any(|h| h.arguments.iter().any(|v| !before.contains(v))) {
                        let primary = "a subquery within a variable-length relationship uses its own pattern";
                        let kind = ErrorKind::Unsupported;
                        let error = of_kind(kind, "SubqueryInPattern", primary, relationship.span);
                        return Err(with_hint(error, "move it into WHERE"));
                    }
                    below.extend(hoists);
                    parts.push(expr);
                }
                Conjunct::Exists(_) => {}
            }
        }
        Ok(parts)
    }
}

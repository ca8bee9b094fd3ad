//! Property paths: what a path is made of that a join or a union says is one; the rest is searched for.
//!
//! Any number of steps over predicates that are only edges, from an end that is known, is the walk that
//! reaches each node once, which Cypher's patterns are made of, too. All else is a search over statements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spargebra::algebra::PropertyPathExpression as Path;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern, Variable};
use trimorph_algebra::{
    Direction, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, Op, PathExpr, Plan, PropertyPath,
    QueryGraph, VarId,
};
use trimorph_types::{LogicalType, Value};

use super::relation::{Active, Name, Relation, Shape, Slot, call};
use super::scope::name_of;
use super::terms_of_graph::is_of_graph;
use super::triple_terms::bound_name;
use super::{Binder, Bound};

impl Binder<'_> {
    pub(super) fn path(
        &mut self,
        relation: Relation,
        ends: (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        self.deeper(|own| own.path_within(relation, ends, active))
    }

    fn path_within(
        &mut self,
        relation: Relation,
        (subject, path, object): (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        let triple = |predicate: NamedNodePattern| TriplePattern {
            subject: subject.clone(),
            predicate,
            object: object.clone(),
        };
        match path {
            Path::NamedNode(iri) => self.triples(relation, &[triple(iri.clone().into())], active),
            Path::Reverse(inner) => self.path(relation, (object, inner, subject), active),
            Path::Sequence(first, second) => {
                let between = self.made_variable();
                let between = TermPattern::Variable(between);
                let relation = self.path(relation, (subject, first, &between), active)?;
                self.path(relation, (&between, second, object), active)
            }
            Path::Alternative(a, b) => {
                if let Some(edge) = self.single_edge(path, active)
                    && [subject, object].into_iter().all(may_be_node)
                {
                    return Ok(self.along(relation, (subject, object), edge));
                }
                let paths = [a, b];
                self.either(relation, 2, active, &mut |own, from, at| {
                    own.path(from.clone(), (subject, paths[at], object), active)
                })
            }
            Path::NegatedPropertySet(iris) => {
                let predicate = self.made_variable();
                let name = name_of(&predicate);
                let mut relation = self.triples(relation, &[triple(predicate.into())], active)?;
                if let Some(slot) = relation.slots.remove(&name) {
                    let iris = iris.iter().map(|iri| Value::iri(iri.as_str())).collect();
                    let name = call("sparql.resource", vec![slot.value()]);
                    let among = Expr::op(Op::In, vec![name, Expr::Const(Value::list(iris))]);
                    relation.filter(Expr::op(Op::Not, vec![among]));
                }
                Ok(relation)
            }
            Path::ZeroOrMore(_) | Path::OneOrMore(_) | Path::ZeroOrOne(_) => {
                self.search(relation, (subject, path, object), active)
            }
        }
    }

    pub(super) fn made_variable(&mut self) -> Variable {
        let name = self.made_name();
        Variable::new_unchecked(&*name)
    }

    /// Ends that a path connects, each pair once.
    fn search(
        &mut self,
        mut relation: Relation,
        (subject, path, object): (&TermPattern, &Path, &TermPattern),
        active: &Active,
    ) -> Bound<Relation> {
        self.with_given(&mut relation, [subject, object].into_iter().filter_map(bound_name));
        if let Some(steps) = self.steps(path, active) {
            // With both ends, too, from the one that is written, or bound: a node that is reached is looked
            // for among few.
            let ways = [(subject, object, false), (object, subject, true)];
            let from = ways.into_iter().find(|(from, _, _)| self.may_start(&relation, from, &steps));
            if let Some((from, to, against)) = from {
                return self.walk(relation, (from, to), &steps, against);
            }
        }
        let (graph, new_graph) = self.graphs(&mut relation, active);
        // A term that is written may be none of the graph; `EXISTS` writes what is bound around it. One that
        // a pattern of the graph has found is in it, and so is what it leads to.
        let names = [subject, object].map(bound_name);
        let is_free =
            |name: &Option<Name>| name.as_ref().is_some_and(|name| !self.substituted.contains_key(name));
        let is_found =
            |name: &Option<Name>| name.as_ref().is_some_and(|name| is_of_graph(&relation, name, &graph));
        let within = names.iter().all(is_free) && !names.iter().any(is_found);
        let (mut new, mut parts) = (Vec::new(), Vec::new());
        let from = self.end(&mut relation, subject, Shape::Term, &mut new, &mut parts);
        let to = self.end(&mut relation, object, Shape::Term, &mut new, &mut parts);
        self.relies_on_all();
        let path = PropertyPath { from, to, path: converted(path), graph, within };
        relation.grow(|input| Plan::PropertyPath { input, path });
        if let Some((name, var)) = new_graph {
            new.push((name, Slot::certain(var, Shape::Term)));
        }
        for (name, slot) in new {
            self.bind_new(&mut relation, &name, slot);
        }
        Ok(relation)
    }
}

/// A path of any number of steps over edges.
struct Steps {
    types: Vec<Arc<str>>,
    direction: Direction,
    min: u32,
    max: Option<u32>,
}

impl Binder<'_> {
    /// A path as steps over edges, if it repeats single predicates that are only edges.
    fn steps(&mut self, path: &Path, active: &Active) -> Option<Steps> {
        let (inner, min, max) = match path {
            Path::ZeroOrMore(inner) => (inner, 0, None),
            Path::OneOrMore(inner) => (inner, 1, None),
            Path::ZeroOrOne(inner) => (inner, 0, Some(1)),
            _ => return None,
        };
        let mut links = Vec::new();
        links_of(inner, false, &mut links)?;
        let mut types: Vec<Arc<str>> = Vec::new();
        let mut directions = Vec::new();
        for (iri, inverse) in links {
            let name = self.edge_type(iri, active)?;
            types.push(name);
            directions.push(inverse);
        }
        let all = |inverse: bool| directions.iter().all(|own| *own == inverse);
        let direction = match (all(false), all(true)) {
            (true, _) => Direction::Out,
            (_, true) => Direction::In,
            // Both ways only where each predicate goes both ways.
            _ => {
                let goes = |name: &Arc<str>, inverse: bool| {
                    types.iter().zip(&directions).any(|(own, to)| own == name && *to == inverse)
                };
                if !types.iter().all(|name| goes(name, false) && goes(name, true)) {
                    return None;
                }
                Direction::Both
            }
        };
        types.sort();
        types.dedup();
        Some(Steps { types, direction, min, max })
    }

    /// Whether a walk may start at a term. One of no steps needs a node of the graph.
    fn may_start(&self, relation: &Relation, term: &TermPattern, steps: &Steps) -> bool {
        let Some(name) = bound_name(term) else {
            return steps.min > 0 && matches!(term, TermPattern::NamedNode(_));
        };
        let slot = relation.slots.get(&name).filter(|slot| slot.certain);
        slot.is_some_and(|slot| match steps.min {
            0 => slot.shape == Shape::Node && !self.has_graphs(),
            _ => matches!(slot.shape, Shape::Node | Shape::Term),
        })
    }

    /// Rows with the ends of walks, each once for its start.
    fn walk(
        &mut self,
        mut relation: Relation,
        (from, to): (&TermPattern, &TermPattern),
        steps: &Steps,
        against: bool,
    ) -> Bound<Relation> {
        let (mut new, mut later) = (BTreeMap::new(), Vec::new());
        let Some(start) = self.node(&mut relation, from, &mut new, &mut later) else { return Ok(relation) };
        let is_given = |relation: &Relation, term: &TermPattern| match bound_name(term) {
            Some(name) => relation.slots.get(&name).is_some_and(|slot| slot.certain),
            None => matches!(term, TermPattern::NamedNode(_)),
        };
        let is_same = bound_name(from).is_some() && bound_name(from) == bound_name(to);
        let into = is_given(&relation, to) && !is_same;
        let end = match into {
            true => self.node(&mut relation, to, &mut new, &mut later),
            false => None,
        };
        let reached = end.unwrap_or_else(|| self.anonymous(LogicalType::Node));
        let edge = Edges {
            types: steps.types.clone(),
            direction: if against { steps.direction.reversed() } else { steps.direction },
            range: EdgeRange::Reachable { min: steps.min, max: steps.max, trail: false },
        };
        self.add_edge(&mut relation, (start, reached), edge);
        let slot = Slot::certain(reached, Shape::Node);
        match bound_name(to) {
            Some(name) if !into => self.bind_new(&mut relation, &name, slot),
            // A literal is no node, and nothing else is left.
            None if !into => relation.filter(Expr::Const(Value::Bool(false))),
            _ => {}
        }
        Ok(relation)
    }
}

impl Binder<'_> {
    /// A path that is one of several predicates as an edge, if each is only edges: of one direction, or each
    /// of both where no edge leads from a node to itself, which would be found twice.
    fn single_edge(&mut self, path: &Path, active: &Active) -> Option<Edges> {
        let mut links = Vec::new();
        links_of(path, false, &mut links)?;
        let mut ways = BTreeSet::new();
        for (iri, inverse) in links {
            if !ways.insert((self.edge_type(iri, active)?, inverse)) {
                return None;
            }
        }
        let types: BTreeSet<Arc<str>> = ways.iter().map(|(name, _)| Arc::clone(name)).collect();
        let types: Vec<Arc<str>> = types.into_iter().collect();
        let direction = match (ways.iter().any(|way| !way.1), ways.iter().any(|way| way.1)) {
            (true, false) => Direction::Out,
            (false, _) => Direction::In,
            (true, true) => {
                let tables = self.catalog.edge_tables(Some(&types));
                let may_be_loop = tables.iter().any(|table| self.catalog.may_have_loops(*table));
                if ways.len() != 2 * types.len() || may_be_loop {
                    return None;
                }
                Direction::Both
            }
        };
        Some(Edges { types, direction, range: EdgeRange::One })
    }

    /// Rows with both ends of an edge.
    fn along(
        &mut self,
        mut relation: Relation,
        (subject, object): (&TermPattern, &TermPattern),
        edge: Edges,
    ) -> Relation {
        self.with_given(&mut relation, [subject, object].into_iter().filter_map(bound_name));
        let (mut new, mut later) = (BTreeMap::new(), Vec::new());
        let ends = [subject, object].map(|term| self.node(&mut relation, term, &mut new, &mut later));
        let [Some(from), Some(to)] = ends else { return relation };
        self.add_edge(&mut relation, (from, to), edge);
        self.bind_nodes(&mut relation, new, later);
        relation
    }

    fn add_edge(&mut self, relation: &mut Relation, (from, to): (VarId, VarId), edge: Edges) {
        let Edges { types, direction, range } = edge;
        let ty = if range == EdgeRange::One { LogicalType::Relationship } else { LogicalType::List };
        let var = self.anonymous(ty);
        let edge = EdgePattern { var, from, to, types, direction, range, each: None, whole: Vec::new() };
        let nodes: BTreeSet<VarId> = [from, to].into();
        let nodes = nodes.into_iter().map(|var| NodePattern { var, labels: LabelExpr::True }).collect();
        let graph = QueryGraph { nodes, edges: vec![edge], ..QueryGraph::default() };
        relation.grow(|input| Plan::Match { input, graph });
    }
}

/// Edges of some types, as a pattern asks for them.
struct Edges {
    types: Vec<Arc<str>>,
    direction: Direction,
    range: EdgeRange,
}

/// Whether a term can be an end of an edge.
fn may_be_node(term: &TermPattern) -> bool {
    bound_name(term).is_some() || matches!(term, TermPattern::NamedNode(_))
}

/// The single steps that a path is one of, and whether they go from object to subject.
fn links_of<'p>(path: &'p Path, inverse: bool, out: &mut Vec<(&'p str, bool)>) -> Option<()> {
    match path {
        Path::NamedNode(iri) => out.push((iri.as_str(), inverse)),
        Path::Reverse(inner) => links_of(inner, !inverse, out)?,
        Path::Alternative(a, b) => {
            links_of(a, inverse, out)?;
            links_of(b, inverse, out)?;
        }
        // Steps within steps of the same kind are steps.
        Path::ZeroOrMore(_)
        | Path::OneOrMore(_)
        | Path::ZeroOrOne(_)
        | Path::Sequence(..)
        | Path::NegatedPropertySet(_) => return None,
    }
    Some(())
}

fn converted(path: &Path) -> PathExpr {
    match path {
        Path::NamedNode(iri) => PathExpr::Link(iri.as_str().into()),
        Path::Reverse(inner) => PathExpr::Inverse(Box::new(converted(inner))),
        Path::Sequence(a, b) => PathExpr::Sequence(vec![converted(a), converted(b)]),
        Path::Alternative(a, b) => PathExpr::Alternative(vec![converted(a), converted(b)]),
        Path::ZeroOrMore(inner) => PathExpr::ZeroOrMore(Box::new(converted(inner))),
        Path::OneOrMore(inner) => PathExpr::OneOrMore(Box::new(converted(inner))),
        Path::ZeroOrOne(inner) => PathExpr::ZeroOrOne(Box::new(converted(inner))),
        Path::NegatedPropertySet(iris) => {
            PathExpr::Not(iris.iter().map(|iri| Arc::from(iri.as_str())).collect())
        }
    }
}

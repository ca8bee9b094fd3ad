//! What every relation gives by every path, against all statements looked at one by one.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{NodeId, Random};
use trimorph_types::compare::{greater, less_or_equal};
use trimorph_types::{Value, equals};
use trimorph_vector::Values;

use super::{A, B, Statement, made};
use crate::Reader;
use crate::access::{
    AccessError, AccessPlan, Bound, Choice, Frontier, Kind, LABEL, NodeSet, Path, Pattern, Position,
    Predicates, Range, Relation, Term,
};

fn allows(position: &Position, term: &Term) -> bool {
    let kind = match term {
        Term::Node(_) => Kind::Node,
        Term::Statement(_) => Kind::Statement,
        Term::Literal(_) => Kind::Literal,
    };
    let is = |other: &Term| match (term, other) {
        (Term::Node(a), Term::Node(b)) => a == b,
        (Term::Statement(a), Term::Statement(b)) => a == b,
        (Term::Literal(a), Term::Literal(b)) => equals(a, b) == Some(true),
        _ => false,
    };
    let inside = |range: &Range, value: &Value| {
        let low = range.low.as_ref().is_none_or(|(low, _)| greater(value, low) == Some(true));
        low && range.high.as_ref().is_none_or(|(high, _)| less_or_equal(value, high) == Some(true))
    };
    position.kind.is_none_or(|k| k == kind)
        && match &position.bound {
            Bound::Free => true,
            Bound::Terms(terms) => terms.iter().any(is),
            Bound::Range(range) => matches!(term, Term::Literal(value) if inside(range, value)),
        }
        && match (&position.frontier, term) {
            (None, _) => true,
            (Some(Frontier::Nodes(set)), Term::Node(node)) => set.contains(*node),
            (Some(Frontier::Statements(set)), Term::Statement(edge)) => set.contains(edge),
            _ => false,
        }
}

fn meets(pattern: &Pattern, statement: &Statement) -> bool {
    let of_node = matches!(pattern.statement.bound, Bound::Free) && pattern.statement.frontier.is_none();
    let named = match &pattern.predicates {
        Predicates::Any => true,
        Predicates::Label => &*statement.p == LABEL,
        Predicates::Names(names) => names.contains(&statement.p),
    };
    named
        && allows(&pattern.subject, &statement.s)
        && allows(&pattern.object, &statement.o)
        && statement.i.map_or(of_node, |i| allows(&pattern.statement, &Term::Statement(i)))
}

fn shown(term: &Term) -> String {
    match term {
        Term::Node(node) => format!("node {}", node.0),
        Term::Statement(edge) => format!("edge {}", edge.0),
        Term::Literal(value) => format!("{value:?}"),
    }
}

fn expected(pattern: &Pattern, all: &[Statement]) -> Vec<String> {
    let row = |s: &Statement| {
        let i = s.i.map_or("-".to_owned(), |i| shown(&Term::Statement(i)));
        [shown(&s.s), s.p.to_string(), shown(&s.o), i].join(" ")
    };
    let mut rows: Vec<String> = all.iter().filter(|s| meets(pattern, s)).map(row).collect();
    rows.sort();
    rows
}

fn found(plan: &AccessPlan, reader: &Reader<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    let cell = |vector: &trimorph_vector::Vector<'_>, i: usize| match &vector.values {
        Values::Node(nodes) => shown(&Term::Node(nodes.id(i))),
        Values::Edge(edges) if !vector.is_null(i) => shown(&Term::Statement(edges.id(i))),
        _ => match vector.value(i, &|_| Value::Null) {
            Value::Null => "-".to_owned(),
            value => shown(&Term::Literal(value)),
        },
    };
    let collect = |batch: crate::access::Batch<'_>| {
        for i in 0..batch.len {
            let Value::String(p) = batch.columns[1].value(i, &|_| Value::Null) else { panic!("no name") };
            let [s, o, edge] = [0, 2, 3].map(|c| cell(&batch.columns[c], i));
            rows.push([s, p.to_string(), o, edge].join(" "));
        }
        ControlFlow::Continue(())
    };
    let count = plan.run(reader, collect).unwrap();
    assert_eq!(count, rows.len() as u64);
    rows.sort();
    rows
}

/// A relation's kind.
fn kind(relation: Relation) -> &'static str {
    match relation {
        Relation::Labels(_) => "labels",
        Relation::NodeProperty { .. } => "node property",
        Relation::Edges(_) => "edges",
        Relation::EdgeProperty { .. } => "edge property",
    }
}

/// What a random pattern is drawn from.
struct Draw<'a> {
    random: Random,
    all: &'a [Statement],
    rows: u64,
}

impl Draw<'_> {
    fn nodes(&mut self) -> Vec<NodeId> {
        let count = 1 + self.random.below(12);
        let mut one = || {
            let table = if self.random.chance(70) { A } else { B };
            NodeId::new(table, self.random.below(self.rows as usize) as u64)
        };
        (0..count).map(|_| one()).collect()
    }

    /// Nodes as constants or as a frontier.
    fn narrow(&mut self, position: &mut Position) {
        let nodes = self.nodes();
        if self.random.chance(50) {
            position.bound = Bound::Terms(nodes.into_iter().map(Term::Node).collect());
        } else {
            position.frontier = Some(Frontier::Nodes(Arc::new(nodes.into_iter().collect::<NodeSet>())));
        }
    }

    /// Edges likewise.
    fn narrow_to_edges(&mut self, position: &mut Position) {
        let edges: Vec<_> = self.all.iter().filter_map(|s| s.i).collect();
        let some: BTreeSet<_> = (0..1 + self.random.below(8)).map(|_| *self.random.pick(&edges)).collect();
        if self.random.chance(50) {
            position.bound = Bound::Terms(some.into_iter().map(Term::Statement).collect());
        } else {
            position.frontier = Some(Frontier::Statements(Arc::new(some)));
        }
    }

    /// Literals that statements of `name` have, and one that none has, or a range between two.
    fn literals(&mut self, name: &str) -> Bound {
        let of = |s: &&Statement| *s.p == *name && matches!(s.o, Term::Literal(_));
        let known: Vec<Term> = self.all.iter().filter(of).map(|s| s.o.clone()).collect();
        let one = |draw: &mut Self| match draw.random.pick(&known).clone() {
            Term::Literal(value) => value,
            _ => Value::Null,
        };
        if self.random.chance(40) {
            let (low, high) = (one(self), one(self));
            return Bound::Range(Range { low: Some((low, false)), high: Some((high, true)) });
        }
        let mut terms: Vec<Term> = (0..1 + self.random.below(4)).map(|_| Term::Literal(one(self))).collect();
        terms.push(Term::Literal(Value::string("nobody's")));
        Bound::Terms(terms)
    }
}

/// Patterns of a relation and a path: what makes them be read that way.
fn pattern(draw: &mut Draw<'_>, relation: &str, path: Path) -> Pattern {
    let all = |pattern: Pattern| pattern.project(true, true, true, true);
    let mut pattern = match relation {
        "labels" => Pattern::labels(),
        "node property" => {
            let name = *draw.random.pick(&["id", "n", "s", "x"]);
            Pattern::property(Kind::Node, name)
        }
        "edges" => {
            let types = *draw.random.pick(&[&["T"][..], &["F"], &[], &["T", "F", "U"]]);
            Pattern::edges(types)
        }
        _ => {
            let name = *draw.random.pick(&["eid", "w"]);
            Pattern::property(Kind::Statement, name)
        }
    };
    if relation != "edges" && draw.random.chance(50) {
        let name = match &pattern.predicates {
            Predicates::Names(names) => names[0].to_string(),
            _ => LABEL.to_owned(),
        };
        pattern.object.bound = draw.literals(&name);
    }
    match (relation, path) {
        (_, Path::Scan) => {}
        ("edge property", _) => draw.narrow_to_edges(&mut pattern.subject),
        (_, Path::Subject) => draw.narrow(&mut pattern.subject),
        ("node property", Path::Object) => {
            pattern = Pattern::property(Kind::Node, "id");
            pattern.object.bound = match draw.literals("id") {
                Bound::Range(_) => Bound::Terms(vec![Term::Literal(Value::Int(0))]),
                terms => terms,
            };
        }
        (_, Path::Object) => draw.narrow(&mut pattern.object),
        (_, Path::Statement) => draw.narrow_to_edges(&mut pattern.statement),
    }
    all(pattern)
}

#[test]
fn every_path_of_every_relation_gives_what_is_there() {
    for seed in 0..12 {
        let graph = made(seed, 40, 150);
        let reader = Reader::new(&graph.snapshot);
        let all = graph.statements(&reader);
        let mut draw = Draw { random: Random::new(seed), all: &all, rows: 40 };
        for (relation, paths) in [
            ("labels", &[Path::Scan, Path::Subject][..]),
            ("node property", &[Path::Scan, Path::Subject, Path::Object]),
            ("edges", &[Path::Scan, Path::Subject, Path::Object, Path::Statement]),
            ("edge property", &[Path::Scan, Path::Subject]),
        ] {
            for path in paths {
                for _ in 0..25 {
                    let pattern = pattern(&mut draw, relation, *path);
                    let expected = expected(&pattern, &all);
                    // By index, and the same by relation.
                    for choice in [Choice::Index, Choice::Relation, Choice::Cost] {
                        let plan = AccessPlan::of(pattern.clone(), &reader, choice);
                        for access in &plan.accesses {
                            assert_eq!(kind(access.relation), relation, "{pattern}");
                            let by_key = relation == "node property" && access.path == Path::Object;
                            let known = match choice {
                                Choice::Index => access.path == *path || by_key,
                                // Which nodes have a label is known without reading.
                                Choice::Relation => access.path == Path::Scan || relation == "labels",
                                Choice::Cost => true,
                            };
                            assert!(known, "{pattern} by {path:?}, {choice:?}: {access:?}");
                        }
                        assert_eq!(found(&plan, &reader), expected, "{pattern} by {path:?}, {choice:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_frontier_that_is_not_given_is_an_error() {
    let graph = made(1, 10, 20);
    let reader = Reader::new(&graph.snapshot);
    let later = || Some(Frontier::Later(3.0));
    let mut patterns = vec![Pattern::edges(&["T"]), Pattern::edges(&["T"]), Pattern::edges(&["T"])];
    patterns[0].subject.frontier = later();
    patterns[1].object.frontier = later();
    patterns[2].statement.frontier = later();
    for pattern in patterns {
        let plan = AccessPlan::of(pattern, &reader, Choice::Cost);
        let result = plan.run(&reader, |_| ControlFlow::Continue(()));
        assert_eq!(result, Err(AccessError::FrontierNotGiven));
        assert!(AccessError::FrontierNotGiven.to_string().contains("not given"));
    }
}

#[test]
fn a_run_ends_where_it_is_told_to() {
    let graph = made(2, 40, 150);
    let reader = Reader::new(&graph.snapshot);
    let pattern = Pattern::edges(&["T"]).project(true, false, true, false);
    let plan = |pattern: Pattern| AccessPlan::of(pattern, &reader, Choice::Cost);
    let mut batches = 0;
    plan(pattern.clone())
        .run(&reader, |_| {
            batches += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(batches, 1);
    for limit in [0, 1, 7, 150, 1000] {
        let mut rows = 0;
        let count = plan(pattern.clone().limit(limit)).run(&reader, |batch| {
            rows += batch.len as u64;
            ControlFlow::Continue(())
        });
        assert_eq!((count, rows), (Ok(limit.min(150)), limit.min(150)));
        let none = |_: crate::access::Batch<'_>| panic!("a count hands nothing over");
        assert_eq!(plan(pattern.clone().limit(limit).count()).run(&reader, none), Ok(limit.min(150)));
    }
}

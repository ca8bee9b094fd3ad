//! Which path the cost decides on, and what needs no reading at all.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_types::Value;

use super::{A, B, made};
use crate::Reader;
use crate::access::{
    AccessPlan, Bound, Choice, Frontier, Kind, NodeSet, Path, Pattern, Range, Relation, Term,
};

fn nodes(count: u64) -> Frontier {
    Frontier::Nodes(Arc::new((0..count).map(|row| NodeId::new(A, row)).collect::<NodeSet>()))
}

fn literal(value: i64) -> Bound {
    Bound::Terms(vec![Term::Literal(Value::Int(value))])
}

#[test]
fn few_are_found_and_many_are_scanned() {
    let graph = made(3, 3000, 9000);
    let reader = Reader::new(&graph.snapshot);
    let edges = || Pattern::edges(&["T"]);
    let property = |name: &str| Pattern::property(Kind::Node, name);
    let one = || vec![Term::Node(NodeId::new(A, 5))];
    for (pattern, path) in [
        (edges(), Path::Scan),
        (edges().subjects(one()), Path::Subject),
        (edges().subject_frontier(nodes(10)), Path::Subject),
        (edges().subject_frontier(nodes(3000)), Path::Scan),
        (edges().subject_frontier(Frontier::Later(10.0)), Path::Subject),
        (edges().subject_frontier(Frontier::Later(3000.0)), Path::Scan),
        (edges().objects(Bound::Terms(one())), Path::Object),
        (edges().object_frontier(nodes(10)), Path::Object),
        (edges().object_frontier(nodes(3000)), Path::Scan),
        // The smaller side leads.
        (edges().subject_frontier(nodes(2000)).object_frontier(nodes(2)), Path::Object),
        (edges().subject_frontier(nodes(2)).object_frontier(nodes(2000)), Path::Subject),
        (property("n"), Path::Scan),
        (property("n").objects(literal(7)), Path::Scan),
        (property("n").subjects(one()), Path::Subject),
        (property("n").subject_frontier(nodes(3000)), Path::Scan),
        (property("id").objects(literal(7)), Path::Object),
        (property("id").objects(literal(7)).subjects(one()), Path::Subject),
        (property("id").objects(Bound::Range(Range::default())), Path::Scan),
        (Pattern::property(Kind::Statement, "w"), Path::Scan),
        (Pattern::property(Kind::Statement, "w").subject_frontier(Frontier::Later(5.0)), Path::Subject),
        (Pattern::labels(), Path::Scan),
        (Pattern::labels().subjects(one()), Path::Subject),
    ] {
        let plan = AccessPlan::of(pattern.clone(), &reader, Choice::Cost);
        assert!(!plan.accesses.is_empty(), "{pattern}");
        for access in plan.accesses.iter().filter(|a| a.rows > 0.0) {
            assert_eq!(access.path, path, "{pattern}: {access:?}");
        }
        // The price is the least of those that can be forced.
        for choice in [Choice::Index, Choice::Relation] {
            let forced = AccessPlan::of(pattern.clone(), &reader, choice);
            assert!(plan.cost() <= forced.cost(), "{pattern}, {choice:?}");
        }
    }
}

#[test]
fn relations_that_cannot_match_are_left_out() {
    let graph = made(4, 50, 100);
    let reader = Reader::new(&graph.snapshot);
    let relations = |pattern: Pattern| -> Vec<Relation> {
        let plan = AccessPlan::of(pattern, &reader, Choice::Cost);
        plan.accesses.iter().map(|a| a.relation).collect()
    };
    let text = |text: &str| Bound::Terms(vec![Term::Literal(Value::string(text))]);
    let none: Vec<Relation> = Vec::new();
    assert_eq!(relations(Pattern::edges(&["unknown"])), none);
    assert_eq!(relations(Pattern::property(Kind::Node, "unknown")), none);
    assert_eq!(relations(Pattern::property(Kind::Statement, "n")), none);
    assert_eq!(relations(Pattern::labels().objects(text("unknown"))), none);
    assert_eq!(relations(Pattern::labels().objects(text("C"))), [Relation::Labels(B)]);
    assert_eq!(relations(Pattern::edges(&["T"]).subject_tables(Some(&[B]))), none, "no edge starts there");
    assert_eq!(relations(Pattern::edges(&["F"]).object_tables(Some(&[A]))), none, "and none ends there");
    assert_eq!(relations(Pattern::edges(&["T"]).subjects(vec![Term::Node(NodeId::new(B, 0))])), none);
    assert_eq!(relations(Pattern::edges(&["T"]).subject_frontier(nodes(0))), none);
    assert_eq!(relations(Pattern::edges(&["T"]).objects(Bound::Range(Range::default()))), none);
    assert_eq!(
        relations(Pattern::property(Kind::Node, "x")),
        [Relation::NodeProperty { table: B, column: 1 }]
    );
    assert_eq!(relations(Pattern::property(Kind::Node, "id")).len(), 2);
    assert_eq!(relations(Pattern::default()).len(), 2 + 5 + 2 + 2, "labels, properties, edges and theirs");
}

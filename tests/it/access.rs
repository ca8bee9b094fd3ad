//! Access patterns: random patterns over random graphs, by index, by relation and by cost, against a list of
//! all statements.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::access::{
    AccessPlan, Argument, Bound, Choice, Frontier, JoinKind, Kind, LABEL, NodeSet, Pattern, Position,
    Predicates, Range, Term, parse,
};
use trimorph_store::{AdjacencyView, Reader};
use trimorph_testkit::Random;
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph, segmented_graph};
use trimorph_types::compare::{greater, greater_or_equal, less, less_or_equal};
use trimorph_types::{Value, equals};

/// A statement as the oracle sees it.
#[derive(Clone)]
struct Statement {
    s: Term,
    p: Arc<str>,
    label: bool,
    o: Term,
    i: Option<EdgeId>,
}

fn statements(reader: &Reader<'_>) -> Vec<Statement> {
    let mut all = Vec::new();
    let catalog = reader.schema();
    for table in catalog.table_ids() {
        for row in 0..reader.rows(table) {
            let node = NodeId::new(table, row);
            for label in catalog.label_names(table) {
                let o = Term::Literal(Value::String(label));
                all.push(Statement { s: Term::Node(node), p: LABEL.into(), label: true, o, i: None });
            }
            for (name, value) in reader.node_properties(node) {
                all.push(Statement {
                    s: Term::Node(node),
                    p: name,
                    label: false,
                    o: Term::Literal(value),
                    i: None,
                });
            }
        }
    }
    for (place, id) in catalog.edge_table_ids().enumerate() {
        let table = reader.unrecorded().edge_table(place);
        let name = catalog.type_name(id);
        for row in 0..reader.rows(table.source) {
            let source = NodeId::new(table.source, row);
            let edges: Vec<(NodeId, EdgeId)> = match &table.forward {
                AdjacencyView::Column(c) => {
                    c.neighbour(row).map(|n| (n, table.single_id(row))).into_iter().collect()
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(row);
                    (0..list.len).map(|k| (csr.node(list, k), table.forward_id_at(row, list, k))).collect()
                }
            };
            for (target, edge) in edges {
                all.push(Statement {
                    s: Term::Node(source),
                    p: name.clone(),
                    label: false,
                    o: Term::Node(target),
                    i: Some(edge),
                });
                for (name, value) in reader.edge_properties(edge) {
                    all.push(Statement {
                        s: Term::Statement(edge),
                        p: name,
                        label: false,
                        o: Term::Literal(value),
                        i: None,
                    });
                }
            }
        }
    }
    all
}

fn kind(term: &Term) -> Kind {
    match term {
        Term::Node(_) => Kind::Node,
        Term::Statement(_) => Kind::Statement,
        Term::Literal(_) => Kind::Literal,
    }
}

fn same(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Node(a), Term::Node(b)) => a == b,
        (Term::Statement(a), Term::Statement(b)) => a == b,
        (Term::Literal(a), Term::Literal(b)) => equals(a, b) == Some(true),
        _ => false,
    }
}

fn allows(position: &Position, term: &Term) -> bool {
    position.kind.is_none_or(|k| k == kind(term))
        && position.tables.as_ref().is_none_or(|ts| matches!(term, Term::Node(n) if ts.contains(&n.table())))
        && match &position.bound {
            Bound::Free => true,
            Bound::Terms(terms) => terms.iter().any(|t| same(t, term)),
            Bound::Range(Range { low, high }) => match term {
                Term::Literal(v) => {
                    low.as_ref().is_none_or(|(b, inside)| {
                        (if *inside { greater_or_equal(v, b) } else { greater(v, b) }) == Some(true)
                    }) && high.as_ref().is_none_or(|(b, inside)| {
                        (if *inside { less_or_equal(v, b) } else { less(v, b) }) == Some(true)
                    })
                }
                _ => false,
            },
        }
        && match (&position.frontier, term) {
            (None, _) => true,
            (Some(Frontier::Nodes(set)), Term::Node(n)) => set.contains(*n),
            (Some(Frontier::Statements(set)), Term::Statement(e)) => set.contains(e),
            _ => false,
        }
}

fn matches(pattern: &Pattern, statement: &Statement) -> bool {
    allows(&pattern.subject, &statement.s)
        && allows(&pattern.object, &statement.o)
        && match &pattern.predicates {
            Predicates::Any => true,
            Predicates::Label => statement.label,
            Predicates::Names(names) => !statement.label && names.contains(&statement.p),
        }
        && match statement.i {
            Some(i) => allows(&pattern.statement, &Term::Statement(i)),
            None => pattern.statement.frontier.is_none() && matches!(pattern.statement.bound, Bound::Free),
        }
}

fn show(term: &Term) -> String {
    match term {
        Term::Node(n) => format!("n{}", n.0),
        Term::Statement(e) => format!("e{}", e.0),
        Term::Literal(v) => format!("{v:?}"),
    }
}

fn project(pattern: &Pattern, statement: &Statement, out: &mut Vec<String>) {
    if pattern.subject.project {
        out.push(show(&statement.s));
    }
    if pattern.project_predicate {
        out.push(show(&Term::Literal(Value::String(statement.p.clone()))));
    }
    if pattern.object.project {
        out.push(show(&statement.o));
    }
    if pattern.statement.project && pattern.join.is_none() {
        out.push(statement.i.map_or("-".into(), |e| show(&Term::Statement(e))));
    }
}

/// The rows of a pattern, the obvious way.
fn oracle(pattern: &Pattern, all: &[Statement]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for statement in all.iter().filter(|s| matches(pattern, s)) {
        let mut row = Vec::new();
        project(pattern, statement, &mut row);
        let Some((kind, about)) = &pattern.join else {
            rows.push(row);
            continue;
        };
        let of = |s: &&Statement| matches!((&s.s, statement.i), (Term::Statement(e), Some(i)) if *e == i);
        let found: Vec<&Statement> = all.iter().filter(of).filter(|s| matches(about, s)).collect();
        for other in &found {
            let mut row = row.clone();
            project(about, other, &mut row);
            rows.push(row);
        }
        if found.is_empty() && *kind == JoinKind::Left {
            row.extend(vec!["-".to_owned(); about.width()]);
            rows.push(row);
        }
    }
    rows.sort();
    rows
}

fn ran(pattern: &Pattern, reader: &Reader<'_>, choice: Choice) -> (Vec<Vec<String>>, u64) {
    let plan = AccessPlan::of(pattern.clone(), reader, choice);
    let mut rows = Vec::new();
    let found = plan
        .run(reader, |batch| {
            assert_eq!(batch.columns.len(), pattern.width());
            for i in 0..batch.len {
                rows.push(
                    (batch.columns.iter())
                        .map(|c| match &c.values {
                            trimorph_vector::Values::Edge(edges) => format!("e{}", edges.id(i).0),
                            trimorph_vector::Values::Node(nodes) => format!("n{}", nodes.id(i).0),
                            _ => match c.value(i, &|_| Value::Null) {
                                Value::Null => "-".into(),
                                v => show(&Term::Literal(v)),
                            },
                        })
                        .collect::<Vec<_>>(),
                );
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    rows.sort();
    (rows, found)
}

fn random_position(
    random: &mut Random,
    all: &[Statement],
    of: impl Fn(&Statement) -> Option<Term>,
) -> Position {
    let mut position = Position { project: random.chance(60), ..Position::default() };
    let draw = |random: &mut Random, n: usize| -> Vec<Term> {
        (0..n).filter_map(|_| of(&all[random.below(all.len())])).collect()
    };
    match random.below(10) {
        0..=4 => {}
        5 => position.kind = Some(*random.pick(&[Kind::Node, Kind::Statement, Kind::Literal])),
        6 | 7 => {
            let n = 1 + random.below(8);
            position.bound = Bound::Terms(draw(random, n));
        }
        8 => {
            let end = |random: &mut Random| {
                draw(random, 3).into_iter().find_map(|t| match t {
                    Term::Literal(v) => Some((v, random.chance(50))),
                    _ => None,
                })
            };
            position.bound = Bound::Range(Range { low: end(random), high: end(random) });
        }
        _ => {
            let n = 1 + random.below(200);
            let terms = draw(random, n);
            let nodes: NodeSet = terms
                .iter()
                .filter_map(|t| match t {
                    Term::Node(n) => Some(*n),
                    _ => None,
                })
                .collect();
            let edges: BTreeSet<EdgeId> = terms
                .iter()
                .filter_map(|t| match t {
                    Term::Statement(e) => Some(*e),
                    _ => None,
                })
                .collect();
            position.frontier = Some(match edges.is_empty() {
                true => Frontier::Nodes(Arc::new(nodes)),
                false => Frontier::Statements(Arc::new(edges)),
            });
        }
    }
    if random.chance(10) {
        position.tables = Some((0..4).filter(|_| random.chance(50)).map(trimorph_base::TableId).collect());
    }
    position
}

fn random_pattern(random: &mut Random, all: &[Statement], depth: usize) -> Pattern {
    let predicates = match random.below(6) {
        0 | 1 => Predicates::Any,
        2 => Predicates::Label,
        _ => {
            Predicates::Names((0..=random.below(3)).map(|_| all[random.below(all.len())].p.clone()).collect())
        }
    };
    let mut pattern = Pattern {
        subject: random_position(random, all, |s| Some(s.s.clone())),
        predicates,
        project_predicate: random.chance(40),
        object: random_position(random, all, |s| Some(s.o.clone())),
        statement: random_position(random, all, |s| s.i.map(Term::Statement)),
        ..Pattern::default()
    };
    pattern.statement.tables = None;
    pattern.statement.kind = None;
    if matches!(pattern.statement.bound, Bound::Range(_)) {
        pattern.statement.bound = Bound::Free;
    }
    if depth == 0 && random.chance(30) {
        let mut about = random_pattern(random, all, 1);
        about.subject = Position { project: random.chance(50), ..Position::default() };
        about.statement = Position::default();
        pattern.statement = Position::default();
        pattern.join = Some((*random.pick(&[JoinKind::Inner, JoinKind::Left]), Box::new(about)));
    }
    pattern
}

fn check(pattern: &Pattern, reader: &Reader<'_>, all: &[Statement], what: &str) {
    let expected = oracle(pattern, all);
    for choice in [Choice::Cost, Choice::Index, Choice::Relation] {
        let (rows, found) = ran(pattern, reader, choice);
        assert_eq!(rows, expected, "{what}, {choice:?}: {pattern}\n{pattern:#?}");
        assert_eq!(found, expected.len() as u64, "{what}, {choice:?}: {pattern}");
        let (none, counted) = ran(&pattern.clone().count(), reader, choice);
        assert!(none.is_empty() && counted == found, "count of {what}, {choice:?}: {pattern}");
        let limit = found / 2 + 1;
        let (some, cut) = ran(&pattern.clone().limit(limit), reader, choice);
        assert_eq!(cut, limit.min(found), "limit of {what}, {choice:?}: {pattern}");
        assert!(some.iter().all(|r| expected.binary_search(r).is_ok()), "limit of {what}: {pattern}");
        let (sampled, _) = ran(&pattern.clone().sample(5), reader, choice);
        assert!(sampled.iter().all(|r| expected.binary_search(r).is_ok()), "sample of {what}: {pattern}");
    }
}

#[test]
fn every_path_gives_the_statements_of_the_oracle() {
    for seed in 0..30 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let reader = Reader::new(&snapshot);
        let all = statements(&reader);
        if all.is_empty() {
            continue;
        }
        let mut random = Random::new(seed);
        for i in 0..60 {
            let pattern = random_pattern(&mut random, &all, 0);
            check(&pattern, &reader, &all, &format!("seed {seed}, pattern {i}"));
        }
    }
}

#[test]
fn patterns_cross_segments() {
    let snapshot = segmented_graph(7, 70_000).snapshot(LoadOptions::default()).unwrap();
    let reader = Reader::new(&snapshot);
    let all = statements(&reader);
    let mut random = Random::new(7);
    for i in 0..6 {
        let mut pattern = random_pattern(&mut random, &all, 0);
        pattern.join = None;
        check(&pattern, &reader, &all, &format!("segments, pattern {i}"));
    }
}

#[test]
fn the_notation_reads_back() {
    for seed in 0..10 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let reader = Reader::new(&snapshot);
        let all = statements(&reader);
        let mut random = Random::new(seed);
        for _ in 0..100 {
            let pattern = random_pattern(&mut random, &all, 0);
            let text = pattern.to_string();
            let again = parse(&text, arguments(&pattern)).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(again.to_string(), text);
        }
    }
    // Table 3 of the paper, and our modifiers.
    let bound = || Argument::Bound(Bound::Terms(Vec::new()));
    let names = || Argument::Predicates(Predicates::Names(vec!["p".into()]));
    for (text, arguments) in [
        ("SP_^_", vec![bound(), names()]),
        ("_[]P_^_^", vec![Argument::Frontier(Frontier::Later(1.0)), names()]),
        ("s_^_l__", vec![]),
        ("SP_^x__^_^_", vec![bound(), names()]),
        ("v_^___#<10~3", vec![]),
    ] {
        assert_eq!(parse(text, arguments).unwrap().to_string(), text);
    }
    for (text, offset) in [("", 0), ("S", 1), ("_Q", 1), ("___", 3), ("____<x", 5), ("____ ", 4), ("_[_", 2)]
    {
        assert_eq!(parse(text, vec![]).unwrap_err().offset, offset, "{text}");
    }
}

/// The arguments of a pattern's text, in their order.
fn arguments(pattern: &Pattern) -> Vec<Argument> {
    let mut out = Vec::new();
    let of = |p: &Position, out: &mut Vec<Argument>| {
        if !matches!(p.bound, Bound::Free) {
            out.push(Argument::Bound(p.bound.clone()));
        }
        out.extend(p.frontier.clone().map(Argument::Frontier));
    };
    of(&pattern.subject, &mut out);
    if !matches!(pattern.predicates, Predicates::Any) {
        out.push(Argument::Predicates(pattern.predicates.clone()));
    }
    of(&pattern.object, &mut out);
    match &pattern.join {
        Some((_, about)) => out.extend(arguments(about)),
        None => of(&pattern.statement, &mut out),
    }
    out
}

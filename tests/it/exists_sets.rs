//! `EXISTS` and `NOT EXISTS` that are asked by sets of nodes, against the interpreter: selective and not,
//! both ways along edges, of labels, self-loops, walks of several edges, patterns within patterns, nodes that
//! are null, predicates that speak of the node itself; and those that must not become sets.

use std::collections::BTreeMap;

use trimorph_algebra::{ApplyKind, BoundQuery, Plan};
use trimorph_exec::{Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

use super::ask::created;

const NOW: Clock = Clock { seconds: 0, nanos: 0 };

/// Queries, and how many sets their plans find.
const QUERIES: &[(&str, usize)] = &[
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } RETURN f.n AS n", 1),
    ("MATCH (f:F) WHERE NOT EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } RETURN f.n AS n", 1),
    (
        "MATCH (f:F) WHERE NOT EXISTS { (f)-[:HAS]->(m:M) WHERE m.day > date('2002-06-08') } RETURN f.n AS n",
        1,
    ),
    (
        "MATCH (f:F) WHERE EXISTS { MATCH (f)-[:HAS]->(m:M) WHERE m.text CONTAINS '77' RETURN DISTINCT m.n AS x } RETURN count(f) AS n",
        1,
    ),
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.mixed = 'x7' } RETURN f.n AS n", 1),
    ("MATCH (f:F) WHERE NOT EXISTS { (f)-[:HAS]->(m:M) WHERE m.mixed > 895 } RETURN count(f) AS n", 1),
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 AND f.n % 2 = 0 } RETURN f.n AS n", 0),
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 AND f.half > 5 } RETURN f.n AS n", 1),
    (
        "MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } AND NOT EXISTS { (f)-[:HAS]->(k:M) WHERE k.n IN [893, 894] } RETURN f.n AS n",
        1,
    ),
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M)-[:NEXT]->(o:M) WHERE o.n > 890 } RETURN f.n AS n", 1),
    (
        "MATCH (f:F) WHERE NOT EXISTS { (f)-[:HAS]->(m:M)<-[:NEXT]-(o:M) WHERE o.n > 890 } RETURN count(f) AS n",
        1,
    ),
    (
        "MATCH (f:F) WHERE EXISTS { MATCH (f)-[:HAS]->(m:M) WHERE NOT EXISTS { (m)-[:NEXT]->(o:M) WHERE o.n > 5 } AND EXISTS { MATCH (m)<-[:NEXT]-(q:M) WHERE q.n > 800 } } RETURN count(f) AS n",
        0,
    ),
    (
        "MATCH (m:M) OPTIONAL MATCH (m)<-[:HAS]-(f:F) WHERE f.n % 2 = m.n % 3 WITH f WHERE NOT EXISTS { (f)-[:HAS]->(k:M) WHERE k.n > 890 } RETURN count(*) AS n, count(f) AS f",
        1,
    ),
    (
        "MATCH (m:M) OPTIONAL MATCH (m)<-[:HAS]-(f:F) WHERE f.n % 2 = m.n % 3 WITH f WHERE EXISTS { (f)-[:HAS]->(k:M) WHERE k.n > 890 } RETURN count(*) AS n, count(f) AS f",
        1,
    ),
    ("MATCH (f) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } RETURN labels(f) AS l, count(*) AS n", 1),
    ("MATCH (m:M) WHERE EXISTS { (m)-[:NEXT]->(m) } RETURN m.n AS n", 0),
    ("MATCH (m:M) WHERE EXISTS { (m)-[r:NEXT]->(o:M) WHERE r.w > 890 AND o.n > 0 } RETURN m.n AS n", 0),
    // A limit that ends no rows early, one that does, and a key: few rows ask.
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } RETURN count(*) > 0 AS some LIMIT 1", 1),
    ("MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n >= 0 } WITH f LIMIT 3 RETURN count(f) AS n", 0),
    ("MATCH (f:F {n: 7}) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 5 } RETURN f.n AS n", 0),
    // Rows decide more than the node.
    (
        "UNWIND [10, 890] AS x MATCH (f:F) WHERE EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > x } RETURN x, count(f) AS n",
        0,
    ),
    (
        "UNWIND [1, 2] AS x CALL (x) { MATCH (f:F) WHERE NOT EXISTS { (f)-[:HAS]->(m:M) WHERE m.n > 890 } RETURN count(f) AS c } RETURN x, c",
        1,
    ),
];

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(0, 299) AS n CREATE (:F {n: n, half: n / 2.0})",
        "UNWIND range(0, 899) AS n CREATE (:M {n: n, day: date('2000-01-01') + duration({days: n}), text: CASE WHEN n % 5 > 0 THEN 't' + toString(n) END, mixed: CASE WHEN n % 3 = 0 THEN 'x' + toString(n % 9) ELSE n END})",
        "MATCH (f:F), (m:M) WHERE m.n % 300 = f.n OR m.n = f.n * 3 CREATE (f)-[:HAS]->(m)",
        "MATCH (m:M), (o:M) WHERE o.n = m.n + 1 AND m.n % 7 > 0 CREATE (m)-[:NEXT {w: m.n}]->(o)",
        "MATCH (m:M) WHERE m.n % 150 = 3 CREATE (m)-[:NEXT {w: 1}]->(m)",
    ])
}

/// How many sets of nodes a plan keeps rows by.
fn sets(plan: &Plan) -> usize {
    match plan {
        // Sets within patterns that are asked row by row are another matter.
        Plan::Apply { input, kind: ApplyKind::Semi | ApplyKind::Anti, .. } => sets(input),
        Plan::SemiJoin { input, .. } => 1 + sets(input),
        other => other.children().into_iter().map(sets).sum(),
    }
}

fn rows(query: &BoundQuery, snapshot: &Snapshot, settings: Settings) -> Vec<Vec<Value>> {
    let mut execution = Execution::start(query, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(mut batch) = execution
        .next(|columns, positions, cx| {
            let cell =
                |c: &&trimorph_vector::Vector<'_>, p: u32| c.value(p as usize, &|id| cx.edge_value(id));
            positions.iter().map(|p| columns.iter().map(|c| cell(c, *p)).collect()).collect::<Vec<_>>()
        })
        .unwrap()
    {
        rows.append(&mut batch);
    }
    rows
}

#[test]
fn sets_have_the_nodes_that_patterns_have() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    let mut others = Vec::new();
    for (text, expected) in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let right = run_on(&bound, &graph, &BTreeMap::new(), NOW, 500_000_000).unwrap();
        let query = optimize(bound, snapshot.catalog(), None, Options { check: true, ..Options::default() });
        let query = query.unwrap();
        for (vector_size, threads) in [(64, 1), (1024, 1), (1024, 2)] {
            let settings = Settings { vector_size, threads, ..Settings::default() };
            let found = rows(&query, &snapshot, settings);
            compare(&right, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
        if sets(&query.plan) != *expected {
            others.push(format!("{}: {text}", sets(&query.plan)));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

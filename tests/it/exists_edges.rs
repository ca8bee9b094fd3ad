//! Conditions that ask for relationships between nodes which are there give what they give where they are
//! asked row by row: within EXISTS, NOT EXISTS and a value, in counts, below DISTINCT and in any pattern
//! where there is one such relationship at most; parallel relationships, loops, labels, further
//! conditions; and a condition on a node is asked of it in each part of a plan that finds it.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{created, sorted_rows_and_plan};

const GRAPH: [&str; 6] = [
    "UNWIND range(0, 199) AS i CREATE (:P {i: i, c: i % 7})",
    "UNWIND range(0, 999) AS i CREATE (:M {i: i, l: CASE WHEN i % 3 > 0 THEN i % 11 END})",
    "MATCH (m:M), (p:P {i: m.i * 7 % 200}) CREATE (m)-[:BY {w: m.i % 5}]->(p)",
    "MATCH (p:P), (q:P) WHERE q.i = (p.i * 3 + 1) % 200 OR q.i = p.i % 12 CREATE (p)-[:KNOWS]->(q)",
    "MATCH (p:P), (m:M) WHERE (p.i * 31 + m.i) % 53 = 0 CREATE (p)-[:LIKES]->(m)",
    "MATCH (p:P), (m:M) WHERE (p.i * 31 + m.i) % 53 = 0 AND m.i % 4 = 0 CREATE (p)-[:LIKES]->(m)",
];

#[test]
fn relationships_between_nodes_that_are_there_join_the_pattern() {
    let snapshot = created(&GRAPH);
    let without = Options::default().without("exists_edges").unwrap();
    for (text, is_joined) in [
        (
            "MATCH (p:P)-[:KNOWS]->(f) WHERE EXISTS { MATCH (f)-[:LIKES]->(m:M) WHERE EXISTS { (m)-[:BY]->(p) } } RETURN p.i, f.i",
            true,
        ),
        (
            "MATCH (p:P) WHERE EXISTS { MATCH (p)-[:KNOWS]-(f:P) WHERE NOT EXISTS { MATCH (f)-[:LIKES]->(m:M) WHERE EXISTS { (m)-[:BY]->(p) } } } RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P)-[:KNOWS]->(f) RETURN p.i, f.i, EXISTS { MATCH (f)-[:LIKES]->(m) WHERE m.l > 3 AND EXISTS { MATCH (m)-[b:BY]->(p) WHERE b.w < 4 } } AS e",
            true,
        ),
        (
            "MATCH (p:P) WHERE EXISTS { MATCH (p)-[:LIKES]->(m), (q:P)-[:LIKES]->(m) WHERE EXISTS { (p)-[:KNOWS]->(q:P {c: 3}) } AND EXISTS { (q)-[:KNOWS]->(p) } } RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P) WHERE NOT EXISTS { MATCH (p)-[:LIKES]->(m)-[:BY]->(q) WHERE EXISTS { (p)-[:KNOWS]-(q) } AND NOT EXISTS { (q)-[:LIKES]->(m) } } RETURN p.i",
            true,
        ),
        (
            "MATCH (p:P) WHERE EXISTS { MATCH (p)-[:LIKES]->(m) WHERE EXISTS { MATCH (m)-[:BY]->(p) RETURN p.i AS x } RETURN m } RETURN p.i",
            true,
        ),
        ("MATCH (p:P) WHERE EXISTS { MATCH (p) WHERE EXISTS { (p)-[:KNOWS]->(p) } } RETURN p.i", true),
        // Rows that are counted are told apart by what they find: of parallel relationships both.
        (
            "MATCH (p:P) RETURN p.i, COUNT { MATCH (p)-[:LIKES]->(m) WHERE EXISTS { (m)<-[:LIKES]-(p) } } AS n",
            true,
        ),
        (
            "MATCH (p:P)-[:KNOWS]->(f) WHERE COUNT { MATCH (f)<-[:BY]-(m:M) WHERE m.l > 2 AND EXISTS { (m)<-[:LIKES]-(p) } AND NOT EXISTS { (m)<-[:LIKES]-(f) } } >= 1 RETURN p.i, f.i",
            true,
        ),
        (
            "MATCH (p:P) RETURN p.i, COUNT { MATCH (p)-[:KNOWS]->(q)-[:KNOWS]->(r) WHERE EXISTS { (p)-[:KNOWS]-(r) } RETURN q.c AS c } AS n",
            true,
        ),
        // Rows of which it does not matter how often they come.
        ("MATCH (p:P)-[:LIKES]->(m) WHERE EXISTS { (m)<-[:LIKES]-(p) } RETURN DISTINCT p.i, m.l", true),
        (
            "MATCH (p:P)-[:KNOWS]->(q)-[:LIKES]->(m) WHERE EXISTS { (p)-[:LIKES]->(m) } RETURN p.c, count(DISTINCT m) AS n, max(q.i) AS i",
            true,
        ),
        // One such relationship at most.
        (
            "MATCH (p:P)-[:LIKES]->(m:M), (q:P)-[:LIKES]->(m) WHERE p.i < q.i AND EXISTS { (m)-[:BY]->(q) } RETURN p.i, q.i, count(*)",
            true,
        ),
        // A pattern that finds further nodes, and what is counted otherwise.
        ("MATCH (p:P)-[:LIKES]->(m) WHERE EXISTS { (m)<-[:LIKES]-(p) } RETURN p.c, count(*)", false),
        (
            "MATCH (p:P) RETURN p.i, COUNT { MATCH (p)-[:KNOWS*1..2]->(q) WHERE EXISTS { (q)-[:LIKES]->(p) } OR q.c = 1 } AS n",
            false,
        ),
        (
            "MATCH (p:P) WHERE EXISTS { MATCH (p)-[:KNOWS]->(f) WHERE EXISTS { (f)-[:LIKES]->(:M {l: 3}) } } RETURN p.i",
            false,
        ),
        ("MATCH (p:P)-[:LIKES]->(m) WHERE EXISTS { (m)<-[:LIKES]-(p) } RETURN p.i, m.i", false),
    ] {
        let (expected, plan) = sorted_rows_and_plan(text, &snapshot, without, Settings::default());
        for (vector_size, threads) in [(2_048, 1), (61, 2)] {
            let settings = Settings { vector_size, threads, ..Settings::default() };
            let (found, other) = sorted_rows_and_plan(text, &snapshot, Options::default(), settings);
            assert_eq!(found, expected, "{text}\n{other}");
            assert_eq!(plan != other, is_joined, "{text}\n{other}");
        }
        assert!(!expected.is_empty(), "{text}");
    }
}

/// Each part of a cycle that is joined from several finds few forums, not all.
#[test]
fn a_condition_is_asked_in_each_part_of_a_plan_that_finds_its_node() {
    let snapshot = created(&[
        "UNWIND range(0, 1999) AS i CREATE (:F {id: i, t: 'Group ' + toString(i % 80)})",
        "UNWIND range(0, 799) AS i CREATE (:P {id: i})",
        "MATCH (f:F), (p:P) WHERE (f.id * 37 + p.id * 101) % 29 = 0 CREATE (f)-[:HAS]->(p)",
    ]);
    let text = "MATCH (f:F)-[:HAS]->(a:P)<-[:HAS]-(g:F)-[:HAS]->(b:P)<-[:HAS]-(f) WHERE f.id < 30 AND f.id < g.id AND a.id < b.id AND g.t STARTS WITH 'Group 7' RETURN f.id % 3, count(*)";
    let textual = Options { reorder: false, ..Options::default() };
    let (expected, _) = sorted_rows_and_plan(text, &snapshot, textual, Settings::default());
    let (found, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
    assert_eq!(found, expected, "{plan}");
    println!("{plan}");
    let count = |what: &str| plan.matches(what).count();
    assert!(count("NodeScan (f") > 1, "{plan}");
    assert_eq!(count("NodeScan (f"), count("f.id < 30"), "{plan}");
}

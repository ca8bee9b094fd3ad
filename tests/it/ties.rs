//! The first rows of an order in which many rows have the same first keys: the same as the interpreter's.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

const QUERIES: &[&str] = &[
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.two, id LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.two DESC, id DESC LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.one, id DESC LIMIT 3",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.one, a.two DESC, a.text, id LIMIT 9",
    "MATCH (a:A) RETURN a.id AS id, a.text AS t ORDER BY a.null, a.text, id LIMIT 9",
    "MATCH (a:A) RETURN a.id AS id, a.text AS t ORDER BY a.null DESC, a.text DESC, id LIMIT 9",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.half, a.half * 2, id LIMIT 40",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.any, id DESC LIMIT 40",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.any DESC, a.two, id LIMIT 40",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.two > 0, a.day, id LIMIT 7",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.one, id SKIP 300 LIMIT 7",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.one, a.list, id LIMIT 7",
    "MATCH (a:A)-[:T]->(b) RETURN a.id AS id, b.id AS i ORDER BY a.two, b.two, a.id, b.id LIMIT 7",
    "MATCH (a:A) WITH a ORDER BY a.two, a.id LIMIT 100 RETURN sum(a.id) AS s",
    // Keys that do not fit one word together, of few values and of many.
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.half DESC, a.far, id",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.half, a.far DESC, a.two, id LIMIT 700",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.far, a.half DESC, id",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.half * a.far, a.far, id",
    // Equal rows stay in the order in which they come.
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.two LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.one, a.null LIMIT 200",
    "MATCH (a:A) RETURN a.id AS id ORDER BY a.any DESC, a.one LIMIT 11",
];

#[test]
fn first_rows_of_an_order_with_ties() {
    let snapshot = created(&[
        "UNWIND range(1, 1500) AS i CREATE (:A {id: i * 7919 % 1511, one: 1, two: i % 2, text: 't' + toString(i % 3), \
         null: CASE WHEN i % 5 = 0 THEN i % 4 END, half: i % 3 * 0.5, far: i % 17 * 400000000000000000 - 3000000000000000000, day: date('2020-01-01') + duration({days: i % 4}), \
         list: [i % 2, null], any: CASE i % 4 WHEN 0 THEN 1 WHEN 1 THEN 'x' WHEN 2 THEN 1.0 END})",
        "MATCH (a:A), (b:A) WHERE a.id % 50 = 1 AND b.id % 40 = 1 CREATE (a)-[:T]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let now = Clock { seconds: 0, nanos: 0 };
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 200_000_000).unwrap();
        for (vector_size, threads) in [(2_048, 1), (64, 1), (7, 1), (64, 2), (7, 3)] {
            let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
            let found = ask(text, &snapshot, settings).unwrap();
            let how = format!("{text}\nvectors of {vector_size}, {threads} threads");
            let comparison = Comparison { ordered: true, ..Comparison::default() };
            compare(&expected, &found, &comparison).unwrap_or_else(|d| panic!("{how}\n{d}"));
        }
    }
}

//! Scans that a top-k leads, against the interpreter: nothing that belongs to the best rows is left out, with
//! nulls, with values of other types, in order and shuffled, on one thread and on two.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

const QUERIES: &[&str] = &[
    "MATCH (a:A) RETURN a.id AS id, a.v AS v ORDER BY v DESC, id LIMIT 7",
    "MATCH (a:A) RETURN a.id AS id, a.v AS v ORDER BY v, id LIMIT 7",
    "MATCH (a:A) RETURN a.id AS id, a.up AS v ORDER BY v DESC, id SKIP 3 LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id, a.up AS v ORDER BY v, id LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id, a.day AS v ORDER BY v DESC, id LIMIT 5",
    "MATCH (a:A) RETURN a.id AS id, a.day AS v ORDER BY v, id LIMIT 5",
    "MATCH (a:A) WHERE a.id % 3 = 1 RETURN a.id AS id, a.up AS v ORDER BY v DESC, id LIMIT 4",
    "MATCH (a:A) WHERE a.s ENDS WITH '7' RETURN a.id AS id, a.v AS v ORDER BY v DESC, id LIMIT 4",
    "MATCH (a:A) WITH a, a.up AS u WHERE u % 2 = 0 RETURN a.id AS id ORDER BY u DESC, id LIMIT 4",
    "MATCH (n) RETURN n.id AS id, n.v AS v ORDER BY v DESC, id LIMIT 6",
    "MATCH (n) RETURN n.id AS id, n.v AS v ORDER BY v, id LIMIT 6",
    "MATCH (n) RETURN n.id AS id, n.w AS w ORDER BY w, id LIMIT 6",
    "MATCH (n) RETURN n.id AS id, n.w AS w ORDER BY w DESC, id LIMIT 6",
    "MATCH (n) RETURN n.id AS id, n.some AS w ORDER BY w DESC, id LIMIT 6",
    "MATCH (n) RETURN n.id AS id, n.some AS w ORDER BY w, id LIMIT 6",
    "MATCH (a:A)-[:R]->(b:B) RETURN a.id AS id, b.id AS b ORDER BY a.up DESC, id, b LIMIT 6",
    "MATCH (b:B) WHERE b.id > 0 AND b.id < 9 CALL { WITH b MATCH (a:A) WHERE a.id % b.id = 0 RETURN a.id AS id ORDER BY a.up DESC LIMIT 2 } RETURN b.id AS b, id",
];

#[test]
fn led_scans_give_the_best_rows() {
    let snapshot = created(&[
        "UNWIND range(1, 9000) AS n CREATE (:A {id: n, up: n, v: n * 7919 % 9001, s: toString(n), day: date('2000-01-01') + duration({days: n * 31 % 5000})})",
        "UNWIND range(9001, 9050) AS n CREATE (:A {id: n})",
        "UNWIND range(1, 3000) AS n CREATE (:B {id: n, v: n, w: n, some: n})",
        "UNWIND range(3001, 3100) AS n CREATE (:B {id: n, v: 9000.5, w: toString(n)})",
        "UNWIND range(1, 400) AS n CREATE (a:A {id: 20000 + n, up: n * 37 % 10000, s: toString(n)})-[:R]->(b:B {id: n % 20}), (a)-[:R]->(:B {id: 50})",
    ]);
    let graph = Graph::read(&snapshot);
    let now = Clock { seconds: 0, nanos: 0 };
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 100_000_000).unwrap();
        for threads in [1, 2] {
            let settings = Settings { threads, vector_size: 1024, ..Settings::default() };
            let found = ask(text, &snapshot, settings).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
    }
}

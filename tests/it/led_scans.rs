//! Scans that a top-k leads, by zone maps or by value indexes, against the interpreter: nothing that belongs
//! to the best rows is left out, with nulls, with values of other types, in order and shuffled, on one thread
//! and on two.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::CancelToken;
use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_store::Snapshot;
use trimorph_store::access::Choice;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_vfs::RegionOptions;

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
    "MATCH (a:A) RETURN a.id AS id, a.s AS s ORDER BY s, id LIMIT 7",
    "MATCH (n) RETURN n.id AS id, n.s AS s ORDER BY s DESC, id SKIP 2 LIMIT 9",
    "MATCH (n) RETURN n.id AS id, n.v AS v ORDER BY v DESC, id LIMIT 6000",
    "MATCH (n) WHERE n.v IS NOT NULL RETURN n.id AS id, n.v AS v ORDER BY v DESC, id LIMIT 60",
    "MATCH (n) WHERE n.w > 7 RETURN n.id AS id, n.w AS w ORDER BY w DESC, id LIMIT 60",
    "MATCH (n) WHERE n.w > 'a' RETURN n.id AS id, n.w AS w ORDER BY w, id LIMIT 60",
    "MATCH (n) WHERE n.w >= '30' AND n.w < '3042' RETURN n.id AS id, n.w AS w ORDER BY w, id LIMIT 60",
    "MATCH (a:A) WHERE a.day < date('2003-01-01') RETURN a.id AS id ORDER BY a.day DESC, id LIMIT 6",
    "MATCH (a:A) WHERE a.v > 100 AND a.v <= 8000 AND a.up % 1000 = 1 RETURN a.id AS id ORDER BY a.v, id LIMIT 6",
    "MATCH (a:A) WHERE a.up % 4500 = 1 RETURN a.id AS id ORDER BY a.v, id LIMIT 6",
    "MATCH (a:A) WHERE a.up % 4500 = 1 RETURN a.id AS id ORDER BY a.v DESC, id LIMIT 6",
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
    let indexed = with_indexes(&snapshot);
    let graph = Graph::read(&snapshot);
    let now = Clock { seconds: 0, nanos: 0 };
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 100_000_000).unwrap();
        for (snapshot, threads, vector_size, access) in [
            (&snapshot, 1, 1024, Choice::Cost),
            (&snapshot, 2, 1024, Choice::Cost),
            (&indexed, 1, 1024, Choice::Cost),
            (&indexed, 2, 1024, Choice::Index),
            (&indexed, 1, 3, Choice::Cost),
            (&indexed, 1, 1024, Choice::Relation),
        ] {
            let settings = Settings { threads, vector_size, access, ..Settings::default() };
            let found = ask(text, snapshot, settings).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
        }
    }
}

/// The same with an index of each property of each node table.
fn with_indexes(snapshot: &Snapshot) -> Snapshot {
    let mut main = (**snapshot.shared_main()).clone();
    for table in snapshot.schema().table_ids() {
        for column in 0..main.node_tables[usize::from(table.0)].columns.len() {
            main.index_values(table, column, RegionOptions::default(), &CancelToken::default()).unwrap();
        }
    }
    snapshot.over(Arc::new(main))
}

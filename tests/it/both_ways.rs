//! Relationships asked for in both directions, against the interpreter: at nodes that nobody looks at, and
//! with conditions that few pass; with relationships from a node to itself and without, of one type and
//! several, with conditions and groups.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_testkit::interpreter::Graph;

use super::ask::{created, sorted_rows_and_plan};
use super::in_lists::agree;

const ASKED: &[&str] = &[
    "MATCH (a)-[r:K]-(b) RETURN r.n AS n, count(*) AS c",
    "MATCH (a)-[r:K]-(b) RETURN count(*) AS c, min(r.n) AS low, max(r.n) AS high, avg(r.n) AS mean",
    "MATCH (a:A)-[r:K]-(b) RETURN count(r.n) AS c, sum(r.n) AS s",
    "MATCH (a:B)-[r:K]-() RETURN count(DISTINCT r) AS c, sum(r.n) AS s",
    "MATCH (:A)-[r:K|L]-(:A) RETURN type(r) AS t, count(*) AS c, sum(r.n) AS s",
    "MATCH ()-[r]-() RETURN type(r) AS t, r.n % 2 AS odd, count(*) AS c",
    "MATCH ()-[r]-() WHERE r.n > 3 RETURN count(*) AS c",
    "MATCH ()-[r:L]-() WHERE r.n > 3 RETURN r, startNode(r).n AS s, endNode(r).n AS e",
    "MATCH (a:A)-[r:L]-(b) RETURN a.n AS n, b.n AS m, r.n AS k",
    "MATCH (b)-[r:L]-(a:B) RETURN a.n AS n, b.n AS m, r.n AS k",
    "MATCH (a)-[r:K]-(a) RETURN r.n AS n",
    "MATCH ()-[r:K]-() WITH r ORDER BY r.n DESC LIMIT 3 RETURN collect(r.n) AS l",
    "MATCH (x:A {n: 1}) MATCH ()-[r:K]-() RETURN x.n AS x, count(r.n) AS c",
    "MATCH (x:A) RETURN x.n AS x, COUNT { ()-[r:K]-() WHERE r.n > x.n } AS c",
    "MATCH p = (:A)-[r:L]-() RETURN length(p) AS l, count(*) AS c, sum(r.n) AS s",
];

const FEW_PASS: &[&str] = &[
    "MATCH (a)-[r:K]-(b) WHERE r.n = 3 RETURN a.n AS n, b.n AS m, r.n AS k",
    "MATCH (a:A)-[r]-(b) WHERE r.n = 2 AND a.n > 0 RETURN a.n AS n, labels(b) AS l, type(r) AS t",
    "MATCH (a)-[r]-(b:B) WHERE r.n > 6 AND a.n < b.n RETURN a.n AS n, b.n AS m",
    "MATCH (a)-[r:K|L]-(b:A) WHERE r.n = 4 RETURN b.n AS n, count(*) AS c, count(DISTINCT a.n % 2) AS o",
    "MATCH (a)-[r:K]-(b)-[s]-(c) WHERE r.n = 3 AND s.n = 4 RETURN a.n AS n, c.n AS m",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r]-(b) WHERE r.n = 5 RETURN a.n AS n, count(b) AS c",
    "MATCH (a)-[r:K]-(b) WHERE r.n = 3 AND 6 / (a.n + 1) > 1 RETURN a.n AS n, b.n AS m",
    "MATCH (a)-[r:K]-(b) WHERE 6 / r.n = 2 RETURN a.n AS n, b.n AS m",
    "MATCH (a) WHERE COUNT { (a)-[r]-() WHERE r.n = 3 } > 1 RETURN a.n AS n, labels(a) AS l",
    "MATCH (a:A) WHERE NOT EXISTS { (a)-[r]-() WHERE r.n = 3 } RETURN a.n AS n",
    "MATCH (a)-[r]-(b)-[s]-() WHERE r.n = 3 RETURN count(*) AS c",
];

#[test]
fn few_relationships_pass() {
    let nodes = "UNWIND range(0, 9) AS n CREATE (:A {n: n}), (:B {n: n}), (:B:C {n: n})";
    let edges = "MATCH (a), (b) WHERE (a.n + 2 * b.n) % 5 = 1 CREATE (a)-[:K {n: 1 + (a.n + b.n) % 8}]->(b)";
    let one_way = "MATCH (a:A), (b:B) WHERE (a.n + b.n) % 3 = 1 CREATE (a)-[:L {n: a.n + b.n}]->(b)";
    let snapshot = created(&[nodes, edges, one_way]);
    let graph = Graph::read(&snapshot);
    for text in FEW_PASS {
        agree(text, &snapshot, &graph, BTreeMap::new());
    }
    let (_, plan) = sorted_rows_and_plan(FEW_PASS[0], &snapshot, Options::default(), Settings::default());
    assert!(plan.contains("Union"), "{plan}");
}

#[test]
fn each_direction_is_asked_once() {
    let nodes = "UNWIND range(0, 5) AS n CREATE (:A {n: n}), (:B {n: n})";
    let edges = "MATCH (a), (b) WHERE (a.n + 2 * b.n) % 5 = 1 AND NOT (a:B AND b:A) AND (a <> b) CREATE (a)-[:K {n: a.n + b.n}]->(b)";
    let one_way = "MATCH (a:A), (b:B) WHERE (a.n + b.n) % 3 = 1 CREATE (a)-[:L {n: a.n + b.n}]->(b)";
    let loops = "MATCH (a:A) WHERE a.n < 3 CREATE (a)-[:K {n: a.n}]->(a)";
    for (statements, is_apart) in
        [(&[nodes, edges, one_way][..], true), (&[nodes, edges, one_way, loops][..], false)]
    {
        let snapshot = created(statements);
        let graph = Graph::read(&snapshot);
        for text in ASKED {
            agree(text, &snapshot, &graph, BTreeMap::new());
        }
        let (_, plan) = sorted_rows_and_plan(ASKED[1], &snapshot, Options::default(), Settings::default());
        assert_eq!(plan.contains("Union"), is_apart, "{plan}");
    }
}

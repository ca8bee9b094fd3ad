//! `EXISTS` and `COUNT` of two nodes of the rows that are run once for rows that share one of the two,
//! against the interpreter: each kind of answer, at each end, with nulls, the same node twice, pairs that
//! come again, conditions on either node, relationships that must differ; and those that must not be shared.
//! The same where rows share a node and differ in a value that must be equal.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_testkit::interpreter::Graph;

use super::ask::{created, sorted_rows_and_plan};
use super::in_lists::agree;

/// Queries, and whether their plans share runs.
const ASKED: &[(&str, bool)] = &[
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)<-[:BY]-(:M)-[:ON]->(:M)-[:BY]->(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (b)<-[:BY]-(:M)-[:ON]->(:M)-[:BY]->(a) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]-(b:P) WHERE a.n < 4 OPTIONAL MATCH (a)<-[:BY]-(m:M)-[:ON]->(:M)-[:BY]->(b) RETURN a.n AS a, b.n AS b, count(m) AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 AND EXISTS { (a)<-[:BY]-(:M)-[:ON]->(:M)-[:BY]->(b) } RETURN a.n AS a, b.n AS b",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 AND NOT EXISTS { (a)-[:L]->(:M)-[:BY]->(b) } RETURN a.n AS a, b.n AS b",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, EXISTS { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M)-[:BY]->(b) WHERE m.n % 3 = 0 } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M)-[:BY]->(b) WHERE m.n > 40 AND b.n < 20 AND a.s <> b.s } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M)-[:BY]->(b) WHERE m.n <> 4 AND b.n <> 12 } AS c",
        true,
    ),
    // Two friends of a friend, and the same friend twice.
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, count(*) AS k, COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, x.n AS x, b.n AS b, COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WITH a, b, count(*) AS k ORDER BY k DESC, a.n, b.n LIMIT 20 RETURN a.n AS a, b.n AS b, k, COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        false,
    ),
    // Nodes that are null, and relationships that must differ.
    (
        "MATCH (a:P)-[:K]->(x:P) WHERE a.n < 4 OPTIONAL MATCH (x)-[:K]->(b:P) WHERE b.n % 2 = 0 WITH a, b RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P) WHERE a.n < 4 OPTIONAL MATCH (x)-[:K]->(b:P) WHERE b.n % 2 = 0 WITH a, b WHERE NOT EXISTS { (a)-[:L]->(:M)-[:BY]->(b) } RETURN a.n AS a, b.n AS b",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:K]-(:P)-[:K]-(b) } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[:K]->(x:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M)<-[:L]-(b) } AS c",
        true,
    ),
    // Of values of the row as well, of three nodes, with a limit, of one pair.
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M)-[:BY]->(b) WHERE m.n > k.w } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P)-[:K]->(d:P) WHERE a.n < 9 RETURN a.n AS a, b.n AS b, d.n AS d, COUNT { (a)-[:L]->(:M)-[:BY]->(b)-[:K]-(d) } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[:K]->(b:P) WITH a, b ORDER BY a.n, b.n LIMIT 2 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c",
        false,
    ),
    ("MATCH (a:P {n: 3}), (b:P {n: 5}) RETURN COUNT { (a)-[:L]->(:M)-[:BY]->(b) } AS c", false),
    (
        "MATCH (a:P)-[:K]->(b:P) WHERE a.n < 4 RETURN a.n AS a, b.n AS b, COUNT { MATCH (a)-[:L]->(m:M)-[:BY]->(b) RETURN DISTINCT m.n % 2 } AS c",
        false,
    ),
];

/// The same of one node and a value.
const ASKED_BY_VALUE: &[(&str, bool)] = &[
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n % 9 = k.w } AS c",
        true,
    ),
    ("MATCH (a:P)-[k:K]->(b:P) WHERE EXISTS { (a)-[:L]->(m:M) WHERE k.w = m.n } RETURN a.n, b.n", true),
    ("MATCH (a:P)-[k:K]->(b:P) WHERE NOT EXISTS { (a)-[:L]->(m:M) WHERE m.n = b.n } RETURN a.n, b.n", true),
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, EXISTS { (a)-[:L]->(m:M)-[:BY]->(p) WHERE replace(p.s, 'q', '') = b.s AND m.n > 20 } AS c",
        true,
    ),
    (
        "MATCH (a:P) UNWIND range(0, 11) + [null, 3.0, 0.0 / 0.0, 'x', [1]] AS i WITH a, i WHERE NOT EXISTS { (a)-[:L]->(m:M) WHERE abs(m.n) / 2 = i } RETURN a.n, i",
        true,
    ),
    (
        "MATCH (a:P) UNWIND range(0, 11) AS i RETURN a.n AS a, i, COUNT { (a)-[:L]->(m:M)<-[:ON]-(o) WHERE abs(o.n) % 12 = i } AS c",
        true,
    ),
    (
        "MATCH (a:P) UNWIND range(0, 11) AS i OPTIONAL MATCH (a)-[:L]->(m:M) WHERE abs(m.n) % 12 = i RETURN a.n AS a, i, count(m) AS c",
        true,
    ),
    (
        "MATCH (a:P) UNWIND [{k: 3, w: 'x'}, {k: 7}, {k: null}, {}, {k: 12}, {k: 3.0}, {k: 21}, {k: 22}] AS e WITH a, e.k AS k RETURN a.n AS a, k, COUNT { (a)-[:L]->(m:M) WHERE abs(m.n) = k } AS c",
        true,
    ),
    (
        "MATCH (a:P)-[k:K]->(x:P) OPTIONAL MATCH (x)-[:K]->(b:P) WHERE b.n % 2 = 0 RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n % 11 = b.n } AS c",
        true,
    ),
    // What cannot fail may be a key of a join.
    (
        "MATCH (a:P) UNWIND range(0, 11) AS i RETURN a.n AS a, i, COUNT { (a)-[:L]->(m:M) WHERE m.n % 12 = i } AS c",
        false,
    ),
    // No equality, several, one with both nodes in it, what is no value of the row, and few rows of a node.
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n <> k.w } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n = k.w AND m.n % 3 = b.n % 3 } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n + b.n = k.w } AS c",
        false,
    ),
    (
        "MATCH (a:P)-[k:K]->(b:P) RETURN a.n AS a, b.n AS b, COUNT { (a)-[:L]->(m:M) WHERE m.n = k.w + 1 } AS c",
        false,
    ),
    ("MATCH (a:P) RETURN a.n AS a, COUNT { (a)-[:L]->(m:M) WHERE m.n = a.n } AS c", false),
];

#[test]
fn rows_of_one_node_find_their_values() {
    check(ASKED_BY_VALUE);
}

#[test]
fn pairs_get_what_their_rows_get() {
    check(ASKED);
}

fn check(asked: &[(&str, bool)]) {
    let snapshot = created(&[
        "UNWIND range(0, 13) AS n CREATE (:P {n: n, s: CASE WHEN n % 4 > 0 THEN 's' + toString(n % 3) END})",
        "UNWIND range(0, 79) AS n CREATE (:M {n: n})",
        "MATCH (a:P), (b:P) WHERE (a.n * 3 + b.n) % 3 = 0 CREATE (a)-[:K {w: a.n + b.n}]->(b)",
        "MATCH (m:M), (p:P) WHERE p.n = m.n * 7 % 13 CREATE (m)-[:BY]->(p)",
        "MATCH (m:M), (o:M) WHERE o.n = m.n / 3 AND m.n % 5 > 0 CREATE (m)-[:ON]->(o)",
        "MATCH (p:P), (m:M) WHERE (p.n * 11 + m.n) % 3 = 0 CREATE (p)-[:L]->(m)",
    ]);
    let graph = Graph::read(&snapshot);
    let mut wrong = Vec::new();
    for (text, expected) in asked {
        agree(text, &snapshot, &graph, BTreeMap::new());
        let (_, plan) = sorted_rows_and_plan(text, &snapshot, Options::default(), Settings::default());
        if plan.contains(" where found = ") != *expected {
            wrong.push(format!("{text}\n{plan}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Keys of a grouping that follow from others are kept beside the groups: the groups are those that all keys
//! make, also where equal numbers are of two types, where rows are missing, and where values are null.

use super::ask::{agree_on, created};
use super::group_limits::graph_with;
use super::spill::check;

/// Queries whose keys follow from others, or seem to.
const QUERIES: [&str; 26] = [
    // What an earlier grouping gave.
    "MATCH (p:A)-[:T]->(q) WITH p, collect(q.n) AS l MATCH (p)<-[:T]-(r) WITH p, l, count(r) AS c RETURN p.n, coll.sort(l), c",
    "MATCH (p:A)-[:T]->(q) WITH p, count(q) AS k MATCH (r)-[:T]->(p) WITH p, k, r.g AS g, sum(r.x) AS s RETURN p.n, k, g, s",
    "MATCH (p:A)-[:T]->(q) WITH q.g AS g, collect(p) AS l, max(p.x) AS m MATCH (r:A) WHERE r.g = g WITH g, l, m, r.h AS h, count(*) AS c RETURN g, size(l), m, h, c",
    "MATCH (p:A) WITH p.mixed AS k, count(*) AS n, min(p.n) AS m UNWIND [1, 2, 2] AS y WITH k, n, m, y, count(*) AS c RETURN k, n, m, y, c",
    "MATCH (p:A) WITH p.h AS h, p.some AS s, collect(p.text) AS l MATCH (b:B) WITH l, s, h, b.g AS g, count(*) AS c RETURN coll.sort(l), s, h, g, c",
    "MATCH (p:A) WITH p.x AS x, collect({n: p.n}) AS l MATCH (q:A {x: x}) WITH x, l, size(l) AS k, count(q) AS c RETURN x, k, c",
    "MATCH (p:A) WITH p.x AS x, collect(p.n) AS l MATCH (q:A {x: x}) WITH x AS y, l AS m, q.b AS b, collect(DISTINCT q.h) AS c RETURN y, coll.sort(m), b, size(c)",
    "MATCH (p:A)-[:T]->(q) WITH p, count(q) AS k WITH p, k, p.g AS g MATCH (p)-[:T]->(r) WITH p, k, g, avg(r.x) AS a RETURN p.n, k, g, a",
    "MATCH (p:A)-[:T]->(q) WITH p, collect(q) AS l ORDER BY size(l) DESC, p.n LIMIT 7 MATCH (p)<-[:T]-(r) WITH p, l, count(*) AS c RETURN p.n, size(l), c",
    "MATCH (p:A)-[:T]->(q) WITH p, collect(q.n) AS l MATCH (p)<-[:T]-(r) WITH DISTINCT p, l, r.h AS h RETURN p.n, coll.sort(l), h",
    "MATCH (p:A) WITH count(p) AS total MATCH (q:A) WITH total, q.g AS g, count(*) AS c RETURN total, g, c",
    "MATCH (p:A) WITH count(p) AS total, max(p.n) AS m MATCH (q:A) WITH total, m, count(*) AS c RETURN total, m, c",
    "MATCH (p:A) WITH count(p) AS total MATCH (q:None) WITH total, count(*) AS c RETURN total, c",
    // Computed of nodes and relationships.
    "MATCH (p:A) WITH p, p.x / 2 AS h, p.text + '!' AS t MATCH (p)-[:T]->(q) WITH p, h, t, count(q) AS c RETURN p.n, h, t, c",
    "MATCH (p:A)-[t:T]->(q) WITH t, p, q, t.w + 1 AS w MATCH (r:B) WITH t, p, q, w, count(r) AS c RETURN p.n, q.n, w, c",
    // Equal numbers of two types are one key; what is computed of them is not.
    "UNWIND [1, 1.0, 2, 2.0, 3] AS x WITH x, x / 2 AS h RETURN x, h, count(*) AS c",
    "UNWIND [1, 1.0, 2, 2.0, 3] AS x WITH x, x / 2 AS h, [x] AS l RETURN x, h, l[0] / 2 AS m, count(*) AS c",
    "UNWIND [1, 1.0, 3, 3.0] AS x WITH x, count(*) AS n UNWIND [1, 1.0, 2] AS y WITH x, n, y, y / 2 AS h, count(*) AS c RETURN x = 1, n, y, h, c",
    "MATCH (a:A) WITH a.x AS x, count(*) AS n MATCH (b:B) WHERE b.x = x WITH n, b.x AS y, b.x / 2 AS h, count(*) AS c RETURN n, y, h, c",
    // Of rows that may be missing.
    "MATCH (p:A) CALL (p) { OPTIONAL MATCH (p)-[:T]->(q) WITH q.h AS h, count(q) AS k RETURN h, k } WITH p.g AS g, h, k, count(*) AS c RETURN g, h, k, c",
    "MATCH (p:A) CALL (p) { MATCH (p)-[:T]->(q) WITH q.h AS h, count(*) AS k RETURN h, k } WITH p.g AS g, h, k, count(*) AS c RETURN g, h, k, c",
    "MATCH (p:A) CALL (p) { MATCH (p)-[:T]->(q) WITH q, p.g AS g MATCH (q)-[:T]->(r) WITH q, g, count(r) AS k RETURN q, g, k } WITH q, g, k, count(*) AS c RETURN q.n, g, k, c",
    "MATCH (p:A) WITH p.h AS h, count(*) AS n OPTIONAL MATCH (q:B) WHERE q.n < -36 AND h = 'x' WITH h, n, q, q.g AS g, count(*) AS c RETURN h, n, q.n, g, c",
    "MATCH (p:A)-[:T]->(q) WITH p, count(q) AS k UNION MATCH (q:A)<-[:T]-(p) WITH p, count(*) AS k RETURN p.n AS n, k",
    // What draws lots follows from nothing.
    "MATCH (p:A)-[:T]->(q) WITH p, q, rand() < 2 AS r RETURN p.n, r, count(q) AS c",
    "MATCH (p:A) WHERE COUNT { MATCH (p)-[:T]->(q) WITH q.g AS g, collect(q.n) AS l MATCH (q:A {g: g}) WITH g, l, count(*) AS c WHERE c > 1 RETURN l } > 0 RETURN p.n",
];

#[test]
fn keys_that_follow_make_no_other_groups() {
    let texts = QUERIES.iter().filter(|text| !text.contains("UNION")).map(|text| (*text).to_owned());
    let snapshot = graph_with(5, 60, "a.n % 7 = b.n % 7 AND a.n % 3 < 2");
    assert!(agree_on(texts, &snapshot) > 2_000);
}

/// Groups that are larger than the memory go to files and come back with their keys.
#[test]
fn keys_that_follow_are_written_with_their_groups() {
    let graph = created(&[
        "UNWIND range(1, 20000) AS n CREATE (:A {n: n, k: n % 5000, s: 'a text of some length ' + toString(n)})",
    ]);
    for query in [
        "MATCH (a:A) WITH a.k AS k, collect(a.s) AS l, min(a.s) AS m UNWIND [1, 2, 3] AS y WITH k, l, m, count(DISTINCT y) AS c, sum(size(l)) AS s RETURN k, m, c, s, size(l)",
        "MATCH (a:A) WITH toString(a.k) AS k, collect(a.n) AS l UNWIND [1, 2, 3] AS y WITH k, l, size(l) + 1 AS n, collect(y) AS c RETURN k, coll.sort(l), n, coll.sort(c)",
    ] {
        check(query, &graph, false);
    }
}

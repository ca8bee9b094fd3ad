//! The same question written in several ways has the same answer: of each group of texts all are asked, of a
//! graph with nulls, values of several types, several labels and nodes without any, and with passes of the
//! optimizer that know the forms as well as without.

use trimorph::{CancelToken, Database};

use crate::durable::{config, rows, run};

const GRAPH: [&str; 6] = [
    "UNWIND range(0, 79) AS k CREATE (:A {k: k, v: k % 7, t: 'x' + (k % 5), u: 'text ' + k, d: datetime({epochSeconds: 1300000000 + k * 9000000})})",
    "UNWIND range(0, 59) AS k CREATE (:A:B {k: k + 100, v: CASE WHEN k % 3 = 0 THEN null WHEN k % 3 = 1 THEN k % 5 ELSE k % 5 + 0.0 END})",
    "UNWIND range(0, 39) AS k CREATE (:C {k: k + 200, v: CASE WHEN k % 2 = 0 THEN 'x' + (k % 5) ELSE k END}), ({k: k + 300})",
    "MATCH (a:A), (b) WHERE (a.k * 7 + b.k) % 23 = 0 AND a.k % 5 <> 2 CREATE (a)-[:R {w: (a.k + b.k) % 11}]->(b)",
    "MATCH (a:A), (b:C) WHERE (a.k + b.k) % 97 = 0 CREATE (a)-[:S]->(b)",
    "MATCH (a:A) WHERE a.k % 13 = 1 CREATE (a)-[:R {w: a.k}]->(a)",
];

/// Groups of texts, one below the other.
const SAME: &[&[&str]] = &[
    &[
        "MATCH (n) WHERE n:B RETURN n.k",
        "MATCH (n) WHERE 'B' IN labels(n) RETURN n.k",
        "MATCH (n) WHERE any(l IN labels(n) WHERE l = 'B') RETURN n.k",
        "MATCH (n) WHERE any(l IN labels(n) WHERE 'B' = l) RETURN n.k",
        "MATCH (n) WHERE NOT NOT 'B' IN labels(n) RETURN n.k",
    ],
    &[
        "MATCH (n) WHERE NOT n:B RETURN n.k",
        "MATCH (n) WHERE NOT 'B' IN labels(n) RETURN n.k",
        "MATCH (n) WHERE NOT any(l IN labels(n) WHERE l = 'B') RETURN n.k",
        "MATCH (n) WHERE none(l IN labels(n) WHERE l = 'B') RETURN n.k",
    ],
    &[
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE 'C' IN labels(c) RETURN a.k, c.k",
        "MATCH (a:A)-[:S]->(c:C) RETURN a.k, c.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE c:C RETURN a.k, c.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE c IS NOT NULL RETURN a.k, c.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a AS x, c AS y WHERE y.k >= 0 RETURN x.k, y.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[s:S]->(c) WITH *, c.k AS k WHERE s IS NOT NULL RETURN a.k, k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE a.k < c.k OR c IS NOT NULL RETURN a.k, c.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE c.k IN range(0, 400) RETURN a.k, c.k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE a.k <> c.k RETURN a.k, c.k",
        "MATCH (a:A) CALL (a) { OPTIONAL MATCH (a)-[:S]->(c) RETURN c } WITH a, c WHERE NOT c IS NULL RETURN a.k, c.k",
    ],
    &[
        "MATCH (a:A) WHERE NOT (a)-[:S]->() RETURN a.k, null AS c, null AS k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c WHERE c IS NULL RETURN a.k, c, c.k AS k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[s:S]->(c) WITH a, s, c WHERE s IS NULL RETURN a.k, c, c.k AS k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[s:S]->(c) WITH a AS b, c AS d, c.k AS k WHERE d IS NULL RETURN b.k, d, k",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(c) WITH a, c MATCH (a) WITH a, c WHERE c IS NULL RETURN a.k, c, c.k AS k",
        "MATCH (a:A) WHERE COUNT { (a)-[:S]->() } = 0 RETURN a.k, null AS c, null AS k",
    ],
    &[
        "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b:B) OPTIONAL MATCH (b)-[:S]->(c) WITH a, b, c WHERE b IS NULL RETURN a.k, b, c",
        "MATCH (a:A) WHERE NOT EXISTS { (a)-[:R]->(:B) } RETURN a.k, null AS b, null AS c",
    ],
    &[
        "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b:B) OPTIONAL MATCH (b)-[:S]->(c) WITH a, b, c WHERE c IS NULL RETURN a.k, b.k, c",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b:B) WITH a, b WHERE NOT coalesce(COUNT { (b)-[:S]->() } > 0, false) RETURN a.k, b.k, null AS c",
    ],
    &[
        // A value that was found may be null.
        "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b:B) WITH a, b.v AS v WHERE v IS NULL RETURN a.k, v",
        "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b:B) WITH a, collect([b.v]) AS all UNWIND all AS v WITH a, v WHERE v[0] IS NULL RETURN a.k, v[0]",
    ],
    &[
        "MATCH (a:A)-[r:R]->(b) RETURN a.k AS k, b.t AS t ORDER BY r.w DESC, a.k, b.k LIMIT 12",
        "MATCH (a:A)-[r:R]->(b) WITH a, b, r ORDER BY r.w DESC, a.k, b.k LIMIT 12 RETURN a.k AS k, b.t AS t",
        "MATCH (a:A)-[r:R]->(b) WITH a.k AS k, b.t AS t, r.w AS w, b.k AS x ORDER BY w DESC, k, x LIMIT 12 RETURN k, t",
        "MATCH (a:A)-[r:R]->(b) WITH a, b, r.w AS w, size(b.t) AS s ORDER BY w DESC, a.k, b.k LIMIT 12 RETURN a.k AS k, b.t AS t",
    ],
    &[
        "MATCH (n:A) RETURN n.k + 1 AS k, n.t AS t ORDER BY n.v, n.k SKIP 3 LIMIT 9",
        "MATCH (n:A) WITH n ORDER BY n.v, n.k SKIP 3 LIMIT 9 RETURN n.k + 1 AS k, n.t AS t",
        "MATCH (n:A) WITH n, n.k + 1 AS k, n.t AS t, n.v AS v ORDER BY v, n.k SKIP 3 LIMIT 9 RETURN k, t",
    ],
    &[
        // Texts that are all different, some of them looked for.
        "MATCH (n:A)-[:R]->(m) WHERE n.u IN ['text 3', 'text 14', 'text 15', 'no text'] RETURN n.k, m.k",
        "UNWIND ['text 3', 'text 14', 'text 15', 'no text'] AS u MATCH (n:A {u: u})-[:R]->(m) RETURN n.k, m.k",
        "UNWIND [{u: 'text 3'}, {u: 'text 14'}, {u: null}, {u: 'text 15'}] AS r MATCH (n:A)-[:R]->(m) WHERE n.u = r.u RETURN n.k, m.k",
    ],
    &[
        // What a subquery asks of rows that have a value in common.
        "MATCH (n:A) WHERE n.v = COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN max(m.v) }[0] RETURN n.k",
        "MATCH (m:A) WITH m.t AS t, max(m.v) AS x MATCH (n:A) WHERE n.t = t AND n.v = x RETURN n.k",
        "MATCH (n:A), (m:A) WHERE m.t = n.t WITH n, max(m.v) AS x WHERE n.v = x RETURN n.k",
        "MATCH (n:A) WHERE n.v IS NOT NULL AND n.t IS NOT NULL AND NOT EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v > n.v } RETURN n.k",
    ],
    &[
        "MATCH (n:A) RETURN n.k, COUNT { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v } AS c",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN n.k, count(m) AS c",
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN count(*) AS c } RETURN n.k, c",
        "MATCH (n:A) RETURN n.k, size([m IN COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN m.v } WHERE m <> n.v]) AS c",
    ],
    &[
        "MATCH (n:A) WHERE EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v } RETURN n.k",
        "MATCH (n:A) WHERE COUNT { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v } > 0 RETURN n.k",
        "MATCH (n:A), (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN DISTINCT n.k",
    ],
    &[
        "MATCH (n:A) WHERE NOT EXISTS { MATCH (m:A) WHERE m.t = n.t AND (m.v <> n.v OR m.v IS NULL) } RETURN n.k",
        "MATCH (n:A) WHERE COUNT { MATCH (m:A) WHERE m.t = n.t AND (m.v <> n.v OR m.v IS NULL) } = 0 RETURN n.k",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t AND (m.v <> n.v OR m.v IS NULL) WITH n, m WHERE m IS NULL RETURN n.k",
    ],
    &[
        "MATCH (n:A) RETURN n.k, COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN avg(m.k) }[0] AS a, COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN count(DISTINCT m.v) }[0] AS b",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t RETURN n.k, avg(m.k) AS a, count(DISTINCT m.v) AS b",
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t RETURN avg(m.k) AS a, count(DISTINCT m.v) AS b } RETURN n.k, a, b",
    ],
    &[
        "MATCH (n:A) RETURN n.k, COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN m.k ORDER BY m.k DESC LIMIT 2 } AS l",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t WITH n, m ORDER BY m.k DESC RETURN n.k, collect(m.k)[..2] AS l",
    ],
    &[
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t RETURN m.v AS v, count(*) AS c } RETURN n.k, v, c",
        "MATCH (n:A), (m:A) WHERE m.t = n.t RETURN n.k, m.v AS v, count(*) AS c",
    ],
    &[
        "MATCH (n) RETURN n.k, COUNT { MATCH (m:B) WHERE m.v < n.v AND m.v <> 1 } AS c, COLLECT { MATCH (m:B) WHERE m.v < n.v RETURN max(m.v) }[0] AS x",
        "MATCH (n) OPTIONAL MATCH (m:B) WHERE m.v < n.v RETURN n.k, count(CASE WHEN m.v <> 1 THEN 1 END) AS c, max(m.v) AS x",
    ],
    &[
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN n.k, count(*) AS c, max(m.v) AS x, count(m.v) AS d",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v WITH n, collect(m) AS ms RETURN n.k, CASE WHEN size(ms) = 0 THEN 1 ELSE size(ms) END AS c, reduce(x = null, m IN ms | CASE WHEN x >= m.v THEN x ELSE m.v END) AS x, size(ms) AS d",
    ],
    &[
        "MATCH (n:A), (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN n.v AS v, m.t AS t, count(*) AS c, min(m.k) AS x",
        "MATCH (n:A) MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v WITH n.v AS v, m.t AS t, collect(m.k) AS ks RETURN v, t, size(ks) AS c, reduce(x = 1000, k IN ks | CASE WHEN k < x THEN k ELSE x END) AS x",
    ],
    &[
        // A list that is written out is the same for all rows.
        "MATCH (n:B) UNWIND [1, 2, 2] AS u RETURN u, n.v AS v, count(*) AS c",
        "UNWIND [1, 2, 2] AS u MATCH (n:B) RETURN u, n.v AS v, count(*) AS c",
        "MATCH (n:B) WITH n, [1, 2, 2] AS l UNWIND l AS u RETURN u, n.v AS v, count(*) AS c",
    ],
    &[
        "MATCH (n) RETURN count(DISTINCT n), count(n), size(collect(DISTINCT n)), sum(1)",
        "MATCH (n) RETURN count(*) AS a, count(*) AS b, count(*) AS c, count(*) AS d",
        "MATCH (n) WITH n, n.v AS v WHERE true RETURN count(DISTINCT n), count(*), count(n), size(collect(n))",
    ],
    &[
        "MATCH ()-[r:R]->() RETURN count(DISTINCT r), count(r)",
        "MATCH (a)-[r:R]-(b) WITH DISTINCT r RETURN count(*), count(r)",
        "MATCH (a)-[r:R]-(b) RETURN count(DISTINCT r), count(DISTINCT id(r))",
    ],
    &[
        "MATCH (a:A) RETURN a.k, size(COLLECT { MATCH (a)-[:R]->(b) RETURN b.v })",
        "MATCH (a:A) RETURN a.k, COUNT { (a)-[:R]->() }",
        "MATCH (a:A) RETURN a.k, size([(a)-[:R]->(b) | b.v])",
        "MATCH (a:A) OPTIONAL MATCH (a)-[r:R]->() RETURN a.k, count(r)",
    ],
    &[
        "MATCH (n:A) WHERE date(n.d) >= date('2015-01-01') AND date(n.d) <= date('2021-12-31') RETURN n.k",
        "MATCH (n:A) WHERE n.d >= datetime('2015-01-01T00:00Z') AND n.d < datetime('2022-01-01T00:00Z') RETURN n.k",
        "MATCH (n:A) WHERE n.d.year >= 2015 AND n.d.year <= 2021 RETURN n.k",
        "MATCH (n:A) WHERE date.truncate('year', n.d) >= date('2015-01-01') AND NOT date.truncate('year', n.d) > date('2021-06-01') RETURN n.k",
    ],
    &[
        "MATCH (b)<-[:R]-(a:A) WHERE NOT EXISTS { MATCH (b)<-[:R]-(c:A) WHERE c.k > a.k } RETURN b.k, a.k",
        "MATCH (b)<-[:R]-(a:A) WHERE NOT EXISTS { MATCH (b)<-[:R]-(c:A) WHERE c <> a AND a.k < c.k } RETURN b.k, a.k",
        "MATCH (b)<-[:R]-(a:A) WITH b, max(a.k) AS k MATCH (b)<-[:R]-(a:A) WHERE a.k = k RETURN b.k, k",
        "MATCH (b)<-[:R]-(a:A) WHERE COUNT { MATCH (b)<-[:R]-(c:A) WHERE c.k > a.k } = 0 RETURN b.k, a.k",
    ],
    &[
        "MATCH (b)<-[:R]-(a:A) WHERE EXISTS { MATCH (b)<-[:R]-(c:A) WHERE c.d <= a.d } RETURN b.k, a.k",
        "MATCH (b)<-[:R]-(a:A) WHERE COUNT { MATCH (b)<-[:R]-(c:A) WHERE c.d <= a.d } > 0 RETURN b.k, a.k",
    ],
    &[
        "MATCH (b)<-[:R]-(a:A) WHERE EXISTS { MATCH (b)<-[:R]-(c:A) WHERE c.v >= a.v } RETURN b.k, a.k",
        "MATCH (b)<-[:R]-(a:A) WHERE COUNT { MATCH (b)<-[:R]-(c:A) WHERE c.v >= a.v } > 0 RETURN b.k, a.k",
    ],
    &[
        "MATCH (b)<-[:R]-(a:A) RETURN b.k, a.k, EXISTS { MATCH (b)<-[:R]-(c:A) WHERE c.t < a.t } AS x",
        "MATCH (b)<-[:R]-(a:A) RETURN b.k, a.k, COUNT { MATCH (b)<-[:R]-(c:A) WHERE c.t < a.t } > 0 AS x",
    ],
    &[
        "MATCH (a:A)-[:R]->(b) RETURN id(a) = id(a) AS x, a.k, count(*), sum(b.k)",
        "MATCH (a:A)-[:R]->(b) WITH a, count(*) AS n, sum(b.k) AS s RETURN true AS x, a.k, n, s",
        "MATCH (a:A)-[:R]->(b) WITH id(a) AS i, a.k AS k, a.v AS v, count(*) AS n, sum(b.k) AS s RETURN true AS x, k, n, s",
    ],
    &[
        "MATCH (a:A)-[r:R]->(b) RETURN DISTINCT r, r.w % 3 AS m, a.k",
        "MATCH (a:A)-[r:R]->(b) RETURN r, r.w % 3 AS m, a.k",
        "MATCH (a:A)-[r:R]->(b) WITH r, r.w % 3 AS m, a.k AS k, count(*) AS n RETURN r, m, k",
    ],
];

#[test]
fn what_was_not_asked_does_not_fail() {
    let c = Database::in_memory(config()).connect();
    let text = "UNWIND [0, 1] AS i WITH i, [] AS all WHERE NOT any(x IN all WHERE x = 1 / i) RETURN i";
    assert_eq!(rows(&c, text), ["0", "1"]);
    let deleted = "CREATE (n:A) DELETE n WITH n WHERE 'A' IN labels(n) RETURN 1 AS one";
    let error = c.query(deleted, &[]).and_then(|mut result| result.next_row()).unwrap_err();
    assert!(error.to_string().contains("deleted"), "{error}");
}

#[test]
fn has_the_same_answer() {
    for threads in [1, 4] {
        let db = Database::in_memory(config().threads(threads));
        let c = db.connect();
        run(&c, &GRAPH);
        // What is known of columns is known of merged ones.
        if threads == 4 {
            db.merge(&CancelToken::default()).unwrap();
        }
        for group in SAME {
            let wanted = rows(&c, group[0]);
            assert!(!wanted.is_empty(), "{}", group[0]);
            for text in &group[1..] {
                assert_eq!(rows(&c, text), wanted, "{text}\nand\n{}", group[0]);
            }
        }
    }
}

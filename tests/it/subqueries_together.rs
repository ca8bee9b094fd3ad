//! Subqueries that group, sort or deduplicate are run for many rows at once: each row gets what it gets where
//! it is the only one. All forms of subqueries, beside nodes that have nothing to be grouped.

use trimorph::{AccessChoice, CancelToken, Database, Switches};

use crate::durable::{config, rows, run};

const GRAPH: [&str; 4] = [
    "UNWIND range(0, 99) AS k CREATE (:A {k: k, v: CASE WHEN k % 11 = 0 THEN null ELSE k % 7 END, t: 'x' + (k % 5)})",
    "UNWIND range(100, 139) AS k CREATE (:A:B {k: k, v: CASE WHEN k % 3 = 0 THEN k % 5 + 0.5 ELSE 'y' + (k % 3) END})",
    "MATCH (a:A), (b:A) WHERE (a.k * 7 + b.k) % 29 = 0 AND a.k % 5 <> 2 CREATE (a)-[:R {w: (a.k + b.k) % 11}]->(b)",
    "MATCH (a:A), (b:B) WHERE (a.k + b.k) % 47 = 0 CREATE (a)-[:S]->(b)",
];

/// Subqueries of a node `a`, with a column `x`.
const SUBQUERIES: &[&str] = &[
    "MATCH (a)-[:R]->(b) RETURN max(b.v) AS x",
    "MATCH (a)-[:R]->(b) RETURN min(b.t) AS x",
    "MATCH (a)-[:R]->(b) RETURN count(*) AS x",
    "MATCH (a)-[:R]->(b) RETURN avg(b.k) AS x",
    "MATCH (a)-[:R]->(b) RETURN sum(b.k / 2.0) AS x",
    "MATCH (a)-[:R]->(b) RETURN stDev(b.k) AS x",
    "MATCH (a)-[:R]->(b) RETURN percentileDisc(b.k, 0.5) AS x",
    "MATCH (a)-[:R]->(b) RETURN count(DISTINCT b.v) AS x",
    "MATCH (a)-[r:R]->(b) WITH r, b ORDER BY b.k RETURN collect(r.w) AS x",
    "MATCH (a)-[:R]->(b) WITH b ORDER BY b.k RETURN collect({k: b.k, t: b.t})[..3] AS x",
    "MATCH (a)-[:R]->(b) RETURN DISTINCT b.v AS x",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x ORDER BY x DESC LIMIT 2",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x ORDER BY b.v, b.k SKIP 1 LIMIT 1",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x ORDER BY b.v DESC, b.k SKIP 2",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x ORDER BY x LIMIT 0",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x ORDER BY x LIMIT 1 + 1",
    "MATCH (a)-[:R]->(b) RETURN 1 AS x LIMIT 1",
    "MATCH (a)-[:R]->(b) WITH b.v AS v, count(*) AS c WHERE c > 1 RETURN v AS x",
    "MATCH (a)-[:R]->(b) WITH b.v AS v, count(*) AS c RETURN max(c) AS x",
    "MATCH (a)-[:R]->(b) WITH b.v AS v, count(*) AS c RETURN v AS x ORDER BY c DESC, v LIMIT 1",
    "MATCH (a)-[:R]->(b) WITH count(*) AS c WHERE c > 4 RETURN c AS x",
    "MATCH (a)-[:R]->(b) CALL (b) { MATCH (b)-[:R]->(c) RETURN count(c) AS n } RETURN sum(n) AS x",
    "MATCH (a)-[:R]->(b) CALL (a, b) { MATCH (b)-[:R]->(c) WHERE c.k > a.k RETURN c.k AS n ORDER BY n LIMIT 1 } RETURN max(n) AS x",
    "MATCH (a)-[:R]->(b) WHERE COUNT { MATCH (b)-[:R]->(c) RETURN DISTINCT c.v } > 1 RETURN count(*) AS x",
    "MATCH (a)-[:R]->(b) RETURN b.k AS x UNION MATCH (a)-[:S]->(b) RETURN b.k AS x",
    "MATCH (a)-[:R]->(b) RETURN count(b) AS x UNION ALL MATCH (a)<-[:S]-(b) RETURN count(b) AS x",
    "MATCH (b:B) WHERE b.v = a.v RETURN max(b.k) AS x",
    "WITH a, a.v AS v MATCH (b:A {v: v}) WHERE b.k <> a.k RETURN count(b) AS x",
    "MATCH (b:A) WHERE b.k < a.k AND b.v = a.v RETURN b.k AS x ORDER BY x DESC LIMIT 1",
    "MATCH (b:A) WHERE b.k < a.k RETURN max(b.k) AS x",
    "MATCH (a)-[:R]->(b), (c:B) WHERE c.v = b.v RETURN count(DISTINCT c) AS x",
    "UNWIND [a.k, a.v, a.k] AS u RETURN DISTINCT u AS x",
    "UNWIND range(1, a.k % 4) AS u RETURN sum(u) AS x",
    "MATCH (a)-[:R*1..2]->(b) RETURN count(DISTINCT b) AS x",
    "OPTIONAL MATCH (a)-[:S]->(c) RETURN c.k AS x ORDER BY x LIMIT 1",
    "MATCH (a)-[:R]->(b) WITH b ORDER BY b.k LIMIT 3 MATCH (b)-[:R]->(c) RETURN count(c) AS x",
    "MATCH (a)-[:R]->(b) WITH a, b ORDER BY b.k LIMIT 2 OPTIONAL MATCH (b)-[:S]->(a) RETURN collect(b.k) AS x",
    "WITH a WHERE a.k % 3 = 0 RETURN count(*) AS x",
    "RETURN a.k AS x ORDER BY x LIMIT 1",
    "MATCH p = shortestPath((a)-[:R*..4]->(b:B)) RETURN length(p) AS x ORDER BY x LIMIT 1",
];

#[test]
fn each_row_gets_what_it_gets_alone() {
    for threads in [1, 4] {
        let c = Database::in_memory(config().threads(threads)).connect();
        run(&c, &GRAPH);
        for subquery in SUBQUERIES {
            let of_rows = format!("CALL (a) {{ {subquery} }} RETURN a.k AS k, x");
            let of_values = format!(
                "RETURN a.k AS k, COLLECT {{ {subquery} }} AS l, COUNT {{ {subquery} }} AS n, EXISTS {{ {subquery} }} AS e"
            );
            let of_some = format!("WHERE EXISTS {{ {subquery} }} AND a.k >= 0 RETURN a.k AS k");
            let of_others = format!("WHERE NOT EXISTS {{ {subquery} }} AND a.k >= 0 RETURN a.k AS k");
            for rest in [of_rows, of_values, of_some, of_others] {
                let all = rows(&c, &format!("MATCH (a:A) {rest}"));
                for k in (0..140).step_by(if threads == 1 { 6 } else { 35 }) {
                    let is_of_k =
                        |row: &&String| **row == format!("{k}") || row.starts_with(&format!("{k} | "));
                    let found: Vec<&String> = all.iter().filter(is_of_k).collect();
                    let alone = rows(&c, &format!("MATCH (a:A {{k: {k}}}) {rest}"));
                    assert_eq!(found, alone.iter().collect::<Vec<_>>(), "{rest}\nof {k}, {threads} threads");
                }
            }
        }
    }
}

/// Rows come in the order of the rows that they are of, also those that have nothing.
#[test]
fn rows_stay_in_order() {
    let c = Database::in_memory(config()).connect();
    run(&c, &GRAPH);
    let texts = [
        "UNWIND range(0, 130) AS k CALL (k) { MATCH (a:A {k: k})-[:R]->(b) RETURN count(b) AS n } RETURN k",
        "UNWIND range(0, 130) AS k CALL (k) { MATCH (a:A {k: k})-[:R]->(b) RETURN collect(b.t) AS n } RETURN k",
        "UNWIND range(0, 130) AS k CALL (k) { MATCH (a:A) WHERE a.k <= k RETURN a.v AS v ORDER BY a.k DESC LIMIT 1 } RETURN k",
    ];
    for text in texts {
        let mut result = c.query(text, &[]).unwrap();
        let mut given = Vec::new();
        while let Some(row) = result.next_row().unwrap() {
            given.push(result.format(&row[0]));
        }
        let wanted: Vec<String> = (0..131).map(|k| k.to_string()).collect();
        assert_eq!(given, wanted, "{text}");
    }
}

/// Rows that are joined by a value that few of them have apart are grouped by it, and not where nearly all
/// do.
#[test]
fn joined_rows_are_grouped() {
    let db = Database::in_memory(config());
    let c = db.connect();
    run(&c, &["UNWIND range(0, 9999) AS k CREATE (:A {k: k, t: 'x' + (k % 50), v: k % 7})"]);
    db.merge(&CancelToken::default()).unwrap();
    let is_grouped = |text: &str| {
        let lines = rows(&c, &format!("EXPLAIN {text}"));
        lines.iter().any(|line| line.contains("Aggregate by [key 1"))
    };
    for text in [
        "MATCH (n:A) WHERE n.v = COLLECT { MATCH (m:A) WHERE m.t = n.t RETURN max(m.v) }[0] RETURN n.k",
        "MATCH (n:A) RETURN COUNT { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v } AS c",
        "MATCH (n:A) WHERE NOT EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v } RETURN n.k",
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t RETURN avg(m.k) AS a } RETURN a",
        "MATCH (n:A), (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN n.k, count(*) AS c, max(m.v) AS v",
        "MATCH (n:A) OPTIONAL MATCH (m:A) WHERE m.t = n.t AND m.v <> n.v RETURN n.k, count(*) AS c, max(m.v) AS v",
    ] {
        assert!(is_grouped(text), "{text}");
    }
    for text in [
        "MATCH (n:A) RETURN COUNT { MATCH (m:A) WHERE m.t = n.t AND m.k > n.k } AS c",
        "MATCH (n:A) WHERE n.v > COLLECT { MATCH (m:A) WHERE m.k = n.v RETURN max(m.v) }[0] RETURN n.k",
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t RETURN avg(m.k / n.k) AS a } RETURN a",
        "MATCH (n:A), (m:A) WHERE m.t = n.t RETURN n.k, avg(m.v) AS a",
    ] {
        assert!(!is_grouped(text), "{text}");
    }
}

/// What is drawn is drawn for each pair of joined rows: of 300 draws each, all rows have one that passes and
/// one that does not.
#[test]
fn what_is_drawn_is_drawn_for_each_pair() {
    let db = Database::in_memory(config());
    let c = db.connect();
    run(&c, &["UNWIND range(0, 2999) AS k CREATE (:A {k: k, t: 'x' + (k % 10), v: 1})"]);
    db.merge(&CancelToken::default()).unwrap();
    for text in [
        "MATCH (n:A) WHERE EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v = n.v AND rand() < 0.3 } RETURN count(*) AS c",
        "MATCH (n:A) WHERE EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v * 0.3 > n.v * rand() } RETURN count(*) AS c",
        "MATCH (n:A) WHERE EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v > n.v * rand() * 3 } RETURN count(*) AS c",
        "MATCH (n:A) WHERE EXISTS { MATCH (m:A) WHERE m.t = n.t AND m.v >= n.v AND rand() < 0.3 } RETURN count(*) AS c",
        "MATCH (n:A) WHERE 0 < COUNT { MATCH (m:A) WHERE m.t = n.t AND rand() < 0.3 } < 300 RETURN count(*) AS c",
        "MATCH (n:A), (m:A) WHERE m.t = n.t AND m.v = n.v AND rand() < 0.3 WITH n, count(*) AS c WHERE 0 < c < 300 RETURN count(*) AS c",
        "MATCH (n:A) CALL (n) { MATCH (m:A) WHERE m.t = n.t RETURN rand() < 0.3 AS y, count(*) AS c } WITH n, count(y) AS c WHERE c = 2 RETURN count(*) AS c",
    ] {
        assert_eq!(rows(&c, text), ["3000"], "{text}");
    }
}

/// A relationship around is that of each row, however relationships are read and whoever runs the subquery.
#[test]
fn properties_of_a_relationship_around() {
    let asked = "MATCH (a:Person)-[k:KNOWS]->(b:Person) WHERE a.id < 2000000000000 \
        WITH k, COLLECT { MATCH (a)-[l:LIKES]->(m) WHERE l.creationDate > k.creationDate \
        RETURN [l.creationDate, k.creationDate] } AS pairs RETURN count(*), sum(size(pairs)), \
        sum(CASE WHEN all(pair IN pairs WHERE pair[0] > pair[1] AND pair[1] = k.creationDate) THEN 0 ELSE 1 END)";
    let joined = "MATCH (a:Person)-[k:KNOWS]->(b:Person) WHERE a.id < 2000000000000 \
        MATCH (a)-[l:LIKES]->(m) WHERE l.creationDate > k.creationDate RETURN count(*)";
    for threads in [1, 2, 4] {
        for access in [AccessChoice::Cost, AccessChoice::Index, AccessChoice::Relation] {
            let config = config().threads(threads).switches(Switches { access, ..Switches::default() });
            let db = Database::in_memory(config);
            db.generate_snb(0.03, 7).unwrap();
            let c = db.connect();
            let (found, pairs) = (rows(&c, asked), rows(&c, joined));
            let parts: Vec<&str> = found[0].split(" | ").collect();
            assert_eq!((parts[1], parts[2]), (&*pairs[0], "0"), "{threads} threads, {access:?}");
        }
    }
}

//! Clauses and queries.

use super::{clauses, parsed};
use crate::ast::{Clause, Mode};

fn check(table: &[(&str, &str)]) {
    for (text, expect) in table {
        assert_eq!(clauses(text), *expect, "{text}");
    }
}

#[test]
fn reading() {
    check(&[
        ("MATCH (n) RETURN n", "MATCH (n); RETURN n"),
        ("optional match (n) where n.x return n", "OPTIONAL MATCH (n) where (. n x); RETURN n"),
        ("UNWIND [1, 2] AS x RETURN x;", "UNWIND [1 2] as x; RETURN x"),
        ("RETURN DISTINCT *, a AS b, c", "RETURN distinct * a=b c"),
        (
            "RETURN a ORDER BY a, b ASC, c DESC, d ASCENDING, e DESCENDING SKIP 1 LIMIT $l",
            "RETURN a by a by b by c desc by d by e desc skip 1 limit $l",
        ),
        ("RETURN a OFFSET 3", "RETURN a skip 3"),
        ("RETURN offset OFFSET offset", "RETURN offset skip offset"),
        (
            "MATCH (n) WITH n, count(*) AS c ORDER BY c LIMIT 3 WHERE c > 1 RETURN *",
            "MATCH (n); WITH n count(*)=c by c limit 3 where (c Greater 1); RETURN *",
        ),
        ("RETURN 1 UNION ALL RETURN 2 UNION ALL RETURN 3", "RETURN 1 union All RETURN 2 union All RETURN 3"),
        ("RETURN 1 UNION DISTINCT RETURN 2", "RETURN 1 union Distinct RETURN 2"),
        ("MATCH (n) WHERE (n)-->() RETURN n", "MATCH (n) where <(n)-[]->()>; RETURN n"),
    ]);
}

#[test]
fn updating() {
    check(&[
        ("CREATE (a:A {x: 1})-[:T]->(b $map), (c)", "CREATE (a:A{x:1})-[:T]->(b$map), (c)"),
        (
            "MERGE p = (a)-[r:T]-(b) ON CREATE SET a.x = 1, b = {} ON MATCH SET b += $m, a:A:B",
            "MERGE p=(a)-[r:T]-(b) on Create (. a x) = 1, b = {} on Match b += $m, a:(A&B)",
        ),
        (
            "MATCH (n) SET n.x = n.y + 1, n['k'] = 2, (n).z = 3, n:A, n IS B",
            "MATCH (n); SET (. n x) = (Add (. n y) 1), ([] n \"k\") = 2, (. n z) = 3, n:A, n:B",
        ),
        ("MATCH (n) SET (CASE WHEN true THEN n END).x = 1", "MATCH (n); SET (. (case true=>n) x) = 1"),
        ("MATCH (n) REMOVE n.x, n:A:B, n.ex::y", "MATCH (n); REMOVE (. n x), n:(A&B), (. n ex::y)"),
        ("MATCH (n) DELETE n, n.x", "MATCH (n); DELETE n (. n x)"),
        ("MATCH (n) DETACH DELETE n RETURN count(*)", "MATCH (n); DETACH DELETE n; RETURN count(*)"),
        (
            "MATCH p = ()-->() FOREACH (n IN nodes(p) | SET n.x = 1 FOREACH (m IN [n] | CREATE (m)))",
            "MATCH p=()-[]->(); FOREACH n in nodes(p) | SET (. n x) = 1; FOREACH m in [n] | CREATE (m)",
        ),
        ("CREATE (a) WITH a MATCH (b) RETURN b", "CREATE (a); WITH a; MATCH (b); RETURN b"),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("CALL db.labels", "CALL db.labels"),
        ("CALL db.labels()", "CALL db.labels()"),
        ("CALL db.labels() YIELD *", "CALL db.labels() yield *"),
        ("CALL a.b YIELD c", "CALL a.b yield c"),
        (
            "MATCH (n) CALL a.b.c(n, 1) YIELD x AS y, z WHERE y > z RETURN y",
            "MATCH (n); CALL a.b.c(n 1) yield x=y z where (y Greater z); RETURN y",
        ),
        ("MATCH (n) CALL a.b(n)", "MATCH (n); CALL a.b(n)"),
        ("CALL { MATCH (n) RETURN n } RETURN n", "CALL {MATCH (n); RETURN n}; RETURN n"),
        ("WITH 1 AS x CALL (x) { RETURN x AS y } RETURN y", "WITH 1=x; CALL (x) {RETURN x=y}; RETURN y"),
        ("CALL (*) { CREATE () }", "CALL (*) {CREATE ()}"),
        (
            "CALL () { RETURN 1 AS x UNION RETURN 2 AS x } RETURN x",
            "CALL () {RETURN 1=x union Distinct RETURN 2=x}; RETURN x",
        ),
    ]);
}

#[test]
fn prefixes_and_modes() {
    let statement =
        parsed("EXPLAIN PREFIX ex: <http://ex.org/#> PREFIX f: <urn:f> MATCH (n:ex::A) RETURN n.f::x;");
    assert_eq!(statement.mode, Mode::Explain);
    let prefixes: Vec<_> =
        statement.prefixes.iter().map(|p| (p.name.text.as_str(), p.iri.as_str())).collect();
    assert_eq!(prefixes, [("ex", "http://ex.org/#"), ("f", "urn:f")]);
    assert_eq!(parsed("PREFIX ex: <a> PROFILE RETURN 1").mode, Mode::Profile);
    assert_eq!(parsed("RETURN 1").mode, Mode::Normal);
}

#[test]
fn spans_point_into_the_text() {
    let text = "MATCH (n:Person)\nRETURN  (n.age  + 1) , n . name AS `the name`";
    let statement = parsed(text);
    let slice = |span: trimorph_base::Span| &text[span.start as usize..span.end as usize];
    let [Clause::Match(found), Clause::Return(projection)] = statement.query.first.clauses.as_slice() else {
        panic!("two clauses");
    };
    assert_eq!(slice(found.span), "MATCH (n:Person)");
    assert_eq!(slice(found.pattern[0].start.labels.as_ref().unwrap().span), "Person");
    assert_eq!(slice(projection.items[0].source), "(n.age  + 1)");
    assert_eq!(slice(projection.items[1].source), "n . name");
    assert_eq!(slice(projection.items[1].alias.as_ref().unwrap().span), "`the name`");
    assert_eq!(slice(statement.query.span), text);
}

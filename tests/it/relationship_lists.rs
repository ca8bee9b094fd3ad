//! Relationships in lists and maps, on walks and their paths, and patterns around relationships that rows
//! bring: as the interpreter has it, of one type and of several, with nulls, beside values of other types, as
//! keys, ordered, and under a small memory limit.

use trimorph_exec::Settings;
use trimorph_store::Snapshot;

use super::ask::{agree_on, created, failure};
use super::spill::check;

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(0, 19) AS n CREATE (:A {n: n})",
        "UNWIND range(0, 4) AS n CREATE (:B {n: n})",
        "MATCH (a:A), (b:A) WHERE b.n = (a.n * 2 + 1) % 20 OR b.n = a.n + 7 CREATE (a)-[:T {w: a.n * 100 + b.n}]->(b)",
        "MATCH (a:A), (b:B) WHERE a.n % 5 = b.n AND a.n % 4 <> 1 CREATE (a)-[:U {w: a.n, d: date('2020-01-01') + duration({days: a.n})}]->(b)",
        "MATCH (b:B {n: 3}) CREATE (b)-[:U {w: -1}]->(b)",
    ])
}

fn all(texts: &[&str], rows_min: usize) {
    let rows = agree_on(texts.iter().map(|text| (*text).to_owned()), &graph());
    assert!(rows > rows_min, "{rows}");
}

#[test]
fn lists_and_maps_have_relationships() {
    all(
        &[
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN a.n AS n, size(l) AS s, size([r IN l WHERE r.w > 900]) AS k",
            "MATCH (a:A)-[r]->() WITH a, r ORDER BY r.w DESC WITH a, collect(r) AS l RETURN a.n AS n, head(l).w AS h, last(l).w AS z, l[1].w AS i, [r IN tail(l) | r.w] AS t, [r IN reverse(l) | type(r)] AS v, [r IN l[0..2] | r.d] AS d",
            "MATCH (a:A)-[r]->() WITH a.n % 7 AS g, collect(r) AS l UNWIND l AS r RETURN g, type(r) AS t, count(*) AS c, max(r.w) AS m, count(DISTINCT endNode(r)) AS e",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN any(r IN l WHERE r.w > 1200) AS c, none(r IN l WHERE r:U) AS d, single(r IN l WHERE r.w % 2 = 1) AS e, all(r IN l WHERE r.d IS NOT NULL) AS f, count(*) AS n",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN a.n AS n, reduce(s = 0, r IN l | s + r.w) AS s",
            "MATCH (a:A)-[r]->(b) WITH a, collect({r: r, b: b, k: [r, a]}) AS l UNWIND l AS x RETURN a.n AS n, x.r.w AS w, x.b.n AS b, x.k[0].w = x.r.w AS e",
            "MATCH (a:A)-[r]->() RETURN a.n AS n, [r, null, r] AS l, {r: r, s: [r]} AS m",
            "MATCH (a:A) OPTIONAL MATCH (a)-[r:U]->() WITH a, r, collect(r) AS c RETURN a.n AS n, [r, 1, 'x'] AS l, [r] + c AS k, {r: r} AS m",
            "MATCH (a:A) OPTIONAL MATCH (a)-[r:U]->() WITH a, r, [r] AS l RETURN a.n AS n, r IN l AS i, l = [r] AS e, [x IN l WHERE x IS NULL] AS k",
            "MATCH (a:A)-[r]->() WITH [r] AS l RETURN l, count(*) AS c",
            "MATCH (a:A)-[r]->() WITH a.n % 5 AS g, [r] AS l UNWIND [l, l] AS m WITH g, collect(DISTINCT m) AS k UNWIND k AS l RETURN g, l",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l MATCH (b:A)-[q]->() WHERE q IN l RETURN a.n AS a, count(*) AS c",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN DISTINCT l",
            "MATCH (a:A)-[r]->() WITH {r: r} AS m RETURN m, count(*) AS c ORDER BY m LIMIT 9",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN a.n AS a, [x IN l | x.w] AS w ORDER BY l DESC LIMIT 9",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN max(l) AS m, min(l) AS k, min(size(l)) AS s",
            "MATCH (a:A)-[r]->() RETURN max(r) AS m, min(r) AS k, count(DISTINCT r) AS c",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l WITH collect(l) AS ll UNWIND ll AS l UNWIND l AS r RETURN r.w AS w, type(r) AS t",
            "MATCH (a:A)-[r]->() WITH a, collect(r) + collect(a.n) AS l RETURN a.n AS a, l",
            "MATCH (a:A)-[r]->() WITH a, r, CASE WHEN a.n % 3 = 0 THEN [r] WHEN a.n % 3 = 1 THEN [a.n] ELSE [] END AS l RETURN a.n AS a, l, size(l) AS s",
            "MATCH (a:A)-[r]->() WITH a, CASE WHEN a.n % 2 = 0 THEN r ELSE a END AS x WITH a.n % 9 AS g, collect(x) AS l UNWIND l AS x RETURN g, x, size(l) AS s",
            "MATCH (a:A)-[r]->() WITH a, coalesce(CASE WHEN a.n % 2 = 0 THEN [r] END, []) AS l UNWIND l AS x RETURN a.n AS a, x.w AS w",
            "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->() RETURN collect(r) AS l UNION ALL MATCH (a)-[r:U]->() RETURN collect(r.w) AS l } RETURN a.n AS n, l",
            "MATCH (a:A) CALL (a) { MATCH (a)-[r:T]->() RETURN r AS x UNION ALL RETURN a.n AS x } WITH a, collect(x) AS l RETURN a.n AS n, l",
            "MATCH (a:A) RETURN a.n AS n, COLLECT { MATCH (a)-[r]->() RETURN r } AS l, [(a)-[r:T]->() | r] AS k",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l, collect(DISTINCT type(r)) AS t RETURN a.n AS n, l, t, keys(l[0]) AS k, properties(l[0]) AS p, id(l[0]) AS i",
            "MATCH (a:A)-[r]->() WITH collect(r) AS l RETURN size(l) AS s, l[3].w IN [x IN l | x.w] AS w, [r IN l WHERE r.w < 0] AS k",
            "MATCH (a:A)-[r]->() WITH a, collect(r) AS l RETURN a.n AS n, [r IN l | {w: r.w, s: startNode(r).n, e: endNode(r).n}] AS k",
        ],
        2_000,
    );
}

#[test]
fn walks_are_lists_of_relationships() {
    all(
        &[
            "MATCH (a:A {n: 5})-[l*1..3]->(b) RETURN b.n AS b, l, size(l) AS s, l[0].w AS h, last(l).w AS z",
            "MATCH (a:A)-[l:T*2]->(b) RETURN a.n AS a, b.n AS b, l[0].w AS h, l[1].w AS i, l[-1].w AS z, l[2].w AS k, size(l) AS s",
            "MATCH (a:A)-[l:T*2]->(b) WHERE l[0].w < l[1].w RETURN a.n AS a, b.n AS b, l",
            "MATCH (a:A)-[l:T*2]->(b) WITH l, b RETURN b.n AS b, head(l).w AS h, [r IN l | r.w] AS w, reduce(s = 0, r IN l | s + r.w) AS s",
            "MATCH (a:A)-[l:T*2]-(b) WHERE all(r IN l WHERE r.w % 2 = 1) RETURN a.n AS a, b.n AS b, size(l) AS s",
            "MATCH (a:A)-[l:T*1]->(b) RETURN a.n AS a, l[0].w AS w, l",
            "MATCH (a:A)-[l:T*2]->(b)-[k:T*2]->(c) WHERE a.n < 4 RETURN a.n AS a, l[1].w AS w, k[0].w AS v, l, k",
            "MATCH (a:A)-[l:T*2]->(b) WITH a, max(l[1].w) AS m, collect(l) AS k RETURN a.n AS a, m, size(k) AS s, any(x IN k WHERE x[1].w = m) AS w",
            "MATCH (a:A {n: 3}) OPTIONAL MATCH (a)-[l:T*2]->(b {n: 99}) RETURN a.n AS a, l, size(l) AS s, l[0].w AS w",
            "MATCH (a:A)-[l:T*2]->(b) WITH a, b, l WHERE l[0].w % 5 = 1 MATCH (a)-[l*]->(c) RETURN a.n AS a, b.n = c.n AS e",
            "MATCH (a:A)-[l:T*2]->(b) MATCH (a)-[l*2]->(c) RETURN a.n AS a, b.n AS b, c.n AS c",
            "MATCH (a:A {n: 5})<-[l*1..3]-(b) RETURN b.n AS b, [r IN l | r.w] AS w",
            "MATCH (a:A {n: 5})-[l*0..2]-(b) WHERE none(r IN l WHERE r.w = 5) RETURN b.n AS b, [r IN l | type(r)] AS w",
            "MATCH (a:A)-[l:T*2 {w: 714}]-(b) RETURN a.n AS a, l",
            "MATCH p = shortestPath((a:A {n: 1})-[l:T*]-(b:A)) WHERE b.n > 15 RETURN b.n AS b, size([r IN l | r.w]) AS w, relationships(p) = l AS e",
        ],
        1_000,
    );
}

#[test]
fn patterns_around_relationships_that_rows_bring() {
    all(
        &[
            "MATCH (a:A)-[r]->() WITH r MATCH (x)-[r]->(y) RETURN x.n AS x, y.n AS y, r.w AS w",
            "MATCH (a:A)-[r]->() WITH r MATCH (x)<-[r]-(y) RETURN x.n AS x, y.n AS y, r.w AS w",
            "MATCH ()-[r]->() WITH r MATCH (x)-[r]-(y) RETURN x.n AS x, y.n AS y, r.w AS w",
            "MATCH ()-[r]->() WITH r MATCH (x:A)-[r:T]-(y:A {n: 7}) RETURN x.n AS x, y.n AS y, r.w AS w",
            "MATCH ()-[r]->() WITH r MATCH (x:B)-[r:U|T]->(x) RETURN x.n AS x, r.w AS w",
            "MATCH ()-[r]->() WITH r MATCH (x)-[r]-(x) RETURN x.n AS x, r.w AS w",
            "MATCH (a:A)-[r]->(b) WITH a, r MATCH (a)-[r]-(y) RETURN a.n AS a, y.n AS y",
            "MATCH (a:A)-[r]->(b) WITH b, r MATCH (x)-[r]->(b) RETURN x.n AS a, b.n AS y",
            "MATCH (a:A)-[r]->(b) WITH a, b, r MATCH (b)-[r]-(a) RETURN a.n AS a, b.n AS b",
            "MATCH (a:A)-[r]->(b) WITH a, b, r MATCH (b)-[r]->(a) RETURN a.n AS a, b.n AS b",
            "MATCH (a:A) OPTIONAL MATCH (a)-[r:U]->() WITH a, r OPTIONAL MATCH (x)-[r]->(y) RETURN a.n AS a, x.n AS x, y.n AS y",
            "MATCH (a:A) OPTIONAL MATCH (a)-[r:U]->() WITH a, r MATCH (x)-[r]->(y) RETURN a.n AS a, x.n AS x, y.n AS y",
            "MATCH (a:A)-[r:T]->() WITH collect(r) AS l UNWIND l AS r MATCH (x)-[r]->(y)-[q:T]->(z) RETURN x.n AS x, z.n AS z, q.w AS q",
            "MATCH (a:A {n: 3})-[r:T]->() WITH r MATCH (x)-[r]-(y)-[q]-(z) RETURN x.n AS x, z.n AS z, q.w AS q",
            "MATCH (a:A {n: 3})-[r:T]->() WITH r MATCH (x)-[r]->(y)-[q:T*1..2]-(z) RETURN x.n AS x, z.n AS z, size(q) AS q",
            "MATCH (a:A)-[r:T]->() WHERE a.n < 5 WITH r MATCH p = (x)-[r]->(y)-[:U]->(z) RETURN length(p) AS l, [n IN nodes(p) | n.n] AS n, p AS p",
            "MATCH (a:A)-[r]->() WITH r WHERE EXISTS { (x:A {n: 5})-[r]->() } RETURN r.w AS w",
            "MATCH (a:A)-[r]->() RETURN r.w AS w, COUNT { (x)-[r]-(y) } AS c, EXISTS { ()-[r:U]->() } AS e",
            "MATCH (a:A)-[r]->() WHERE r.w % 3 = 1 WITH r MATCH (x)-[r]->(y), (y)-[q]-(z) WHERE q <> r RETURN x.n AS x, count(*) AS c",
            "MATCH (a:A)-[r]->()-[q]->() WHERE r.w % 3 = 1 WITH r, q MATCH (x)-[r]->(y)-[q]->(z) RETURN x.n AS x, y.n AS y, z.n AS z",
            "MATCH (a:A)-[r]->()-[q]->() WHERE r.w % 3 = 1 WITH r, q MATCH (x)-[q]-(y)-[r]-(z) RETURN x.n AS x, y.n AS y, z.n AS z",
        ],
        1_500,
    );
}

/// What is sorted, grouped and joined by lists of relationships goes to files and comes back.
#[test]
fn they_are_spilled() {
    let snapshot = created(&[
        "UNWIND range(0, 19999) AS n CREATE (:A {n: n})-[:T {w: n * 7919 % 20011}]->(:B {n: n % 10})",
    ]);
    for text in [
        "MATCH (a:A)-[r]->(b) WITH a, b, collect(r) AS l, {r: r, n: a.n, t: toString(a.n) + ' and a text that takes room'} AS m ORDER BY m.r.w RETURN a.n AS n, l[0].w AS w, m.r.w AS v, m.t AS t",
        "MATCH (a:A)-[r]->(b) WITH [r] AS l, max(toString(a.n) + ' and a text that takes room') AS t RETURN l[0].w AS w, t AS t ORDER BY w",
    ] {
        check(text, &snapshot, true);
    }
}

#[test]
fn what_was_wrong_stays_wrong() {
    let snapshot = graph();
    for text in [
        "MATCH ()-[r]->() WITH collect(r) AS l RETURN l[0] + 1",
        "MATCH ()-[r]->() WITH collect(r) AS l UNWIND l AS x RETURN x * 2",
        "MATCH ()-[r]->() WITH collect(r) AS l RETURN sum(size(l) - l[0])",
        "MATCH ()-[r]->() WITH [r] AS l MATCH ()-[q]->() RETURN q < l[0], -l[0]",
    ] {
        let found = failure(text, &snapshot, Settings::default());
        assert!(found.contains("RELATIONSHIP"), "{text}: {found}");
    }
}

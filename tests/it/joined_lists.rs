//! Lists put together by `+`, and properties by names that rows bring: as the interpreter has it, with nulls,
//! elements and lists of several types, constants on either side, and names that few or many rows have.

use trimorph_store::Snapshot;

use super::ask::{agree_on, created};

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(1, 400) AS n CREATE (:A {n: n, name: 'x' + toString(n % 9), l: CASE n % 5 WHEN 0 THEN null WHEN 1 THEN [] ELSE [i IN range(1, n % 7) | toString(i)] END, k: CASE n % 3 WHEN 0 THEN null WHEN 1 THEN [n] ELSE [n, n + 1, n] END, mixed: CASE n % 4 WHEN 0 THEN n WHEN 1 THEN 'a' WHEN 2 THEN null ELSE [1.5] END, which: CASE n % 6 WHEN 0 THEN 'name' WHEN 1 THEN 'n' WHEN 2 THEN 'none' WHEN 3 THEN null WHEN 4 THEN 'l' ELSE 'p' + toString(n) END})",
        "UNWIND range(1, 50) AS n CREATE (:B {n: -n, which: 'name', name: n, p55: 'here'})",
        "MATCH (a:A) MATCH (b:B) WHERE a.n % 50 = -b.n % 50 CREATE (a)-[:R {w: a.n, which: CASE a.n % 2 WHEN 0 THEN 'w' ELSE 'which' END}]->(b)",
    ])
}

#[test]
fn lists_are_put_together() {
    let sums = [
        "a.l + ['xx']",
        "['xx', null] + a.l",
        "a.l + a.l",
        "a.l + a.k",
        "a.k + a.l + [1.5, 'z']",
        "a.l + a.name",
        "a.n + a.k",
        "a.k + a.n + [a.n]",
        "a.l + null",
        "a.k + []",
        "[] + a.n",
        "a.k + [[1], [2]]",
        "a.mixed + ['m']",
        "a.k + a.mixed",
        "[a] + a.k",
        "a.k + date('2020-01-01')",
        "(a.l + ['q'])[0..2] + a.k",
    ];
    let texts = sums.iter().flat_map(|sum| {
        [
            format!("MATCH (a:A) RETURN a.n AS n, {sum} AS l"),
            format!("MATCH (a:A) WHERE a.n % 3 = 1 UNWIND {sum} AS x RETURN x, count(*) AS c, min(a.n) AS n"),
            format!("MATCH (a:A) RETURN size({sum}) AS s, count(*) AS c"),
            format!("MATCH (a:A) WITH {sum} AS l, a WHERE size(l) > 1 RETURN last(l) AS x, count(*) AS c"),
        ]
    });
    let rows = agree_on(texts, &graph());
    assert!(rows > 20_000, "{rows}");
}

#[test]
fn properties_have_the_names_that_rows_bring() {
    let texts = [
        "MATCH (a:A) RETURN a[a.which] AS x, count(*) AS c",
        "MATCH (a) WITH a, a.which AS k RETURN a[k] AS x, count(*) AS c, min(a.n) AS n",
        "MATCH (a) WITH a, CASE WHEN a.n > 10 THEN 'name' ELSE 'n' END AS k RETURN a[k] AS x, count(*) AS c",
        "MATCH (a) WITH a, CASE WHEN a.n % 2 = 0 THEN 'l' END AS k RETURN a.n AS n, a[k] AS x",
        "UNWIND ['n', 'name', 'none', null] AS k MATCH (a) RETURN k, count(a[k]) AS c, max(toString(a.n)) AS m",
        "MATCH (a) UNWIND keys(a) AS k WITH a, k WHERE k <> 'l' AND k <> 'k' RETURN k, a[k] AS x, count(*) AS c",
        "MATCH (a) RETURN a['name'] AS x, count(*) AS c",
        "MATCH (a) WHERE a['n'] > 300 RETURN a['no' + 'ne'] AS x, count(*) AS c",
        "MATCH ()-[r]->() WITH r, r.which AS k RETURN r[k] AS x, count(*) AS c",
        "MATCH ()-[r]->() RETURN r['w'] AS x, count(*) AS c",
        "OPTIONAL MATCH (a:None) WITH a, 'n' AS k RETURN a[k] AS x, a['n'] AS y",
        "MATCH (a:A) OPTIONAL MATCH (a)-[r {w: 7}]->(b) WITH b, a.which AS k RETURN b[k] AS x, count(*) AS c",
        "MATCH (a:A) WITH a, a.n AS k RETURN a[k] AS x",
        "MATCH (a:A) WITH a {.n, .name} AS m, a.which AS k RETURN m[k] AS x, count(*) AS c",
        "MATCH (a:A) WITH a, [x IN ['n', 'name'] | a[x]] AS l RETURN l, count(*) AS c",
    ];
    let rows = agree_on(texts.map(str::to_owned), &graph());
    assert!(rows > 3_000, "{rows}");
}

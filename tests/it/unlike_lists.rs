//! Lists whose elements are of unlike types, which are kept by place: written, collected, taken apart,
//! compared, ordered, grouped, joined and beside lists of other lengths, nulls and what is no list.

use super::ask::{agree_on, created};
use super::spill::check;

const QUERIES: [&str; 34] = [
    "MATCH (a:A) RETURN [a.i, a.t, a.d] AS x",
    "MATCH (a:A) WITH [a.i, a.t] AS x RETURN x[0], x[1], x[2], x[-1], x[-2], x[-3], size(x), head(x), last(x)",
    "MATCH (a:A) WITH [a.t, a.i] AS x, a.n AS n RETURN x[n % 2], x[n % 3 - 1], x[0..1], x[1..], tail(x), reverse(x)",
    "MATCH (a:A) WITH a ORDER BY a.n WITH a.n % 4 AS g, collect([a.d, a.i]) AS xs RETURN g, size(xs), [x IN xs | x[1]] AS i, [x IN xs WHERE x[1] > 3 | x] AS few",
    "MATCH (a:A) WITH a ORDER BY a.n WITH a.n % 4 AS g, collect([a.d, a.f]) AS xs UNWIND range(1, size(xs) - 1) AS k WITH g, xs[k] AS x, xs[k - 1] AS y WHERE x[1] > y[1] RETURN g, x[0], y[0], x[1] - y[1]",
    "MATCH (a:A) UNWIND [[a.d, 1], [a.e, -1]] AS x WITH x[0] AS d, x[1] AS s RETURN d, sum(s), count(*)",
    "MATCH (a:A) UNWIND [[a.d, 1], [a.t, 'x'], [a.i, a.t]] AS x RETURN x[0], x[1], a.n",
    "MATCH (a:A) UNWIND [a.t, a.i] AS x RETURN x, count(*)",
    "MATCH (a:A) RETURN a.n % 3 AS g, min([a.d, a.n]) AS lo, max([a.d, a.n]) AS hi",
    "MATCH (a:A) RETURN min([a.t, a.i]), max([a.t, a.i]), max([a.i, a.t]), min([a.f, a.t])",
    "MATCH (a:A) WITH [a.t, a.i] AS k, count(*) AS c RETURN k, c",
    "MATCH (a:A) RETURN count(DISTINCT [a.t, a.i]), count(DISTINCT [a.d, a.t, null])",
    "MATCH (a:A) WITH DISTINCT [a.i % 3, a.t] AS k RETURN k[0], k[1]",
    "MATCH (a:A) RETURN [a.t, a.i] AS x, a.n AS n ORDER BY x, n",
    "MATCH (a:A) RETURN [a.i, a.t] AS x, a.n AS n ORDER BY x DESC, n LIMIT 7",
    "MATCH (a:A), (b:A) WHERE [a.i, a.t] = [b.i, b.t] AND a.n < b.n RETURN a.n, b.n",
    "MATCH (a:A), (b:A) WHERE [a.i, a.t] < [b.i, b.t] AND a.n < 6 AND b.n < 6 RETURN a.n, b.n",
    "MATCH (a:A) WHERE [a.i, a.t] = [3, 'b'] RETURN a.n",
    "MATCH (a:A) WHERE [a.i, a.t] IN [[3, 'b'], [1, 'c'], [null, 'a']] RETURN a.n",
    "MATCH (a:A) WHERE a.t IN [a.i, 'b', a.d] RETURN a.n",
    "MATCH (a:A) RETURN a.n, [a.i, a.t] + [a.d], [a.i, a.t] + a.n, [a.d] + [a.i]",
    "MATCH (a:A) RETURN CASE WHEN a.n % 2 = 0 THEN [a.i, a.t] ELSE [a.t, a.i] END AS x, CASE WHEN a.n % 3 = 0 THEN [a.i, a.t] END AS y",
    "MATCH (a:A) RETURN CASE WHEN a.n % 2 = 0 THEN [a.i, a.t] WHEN a.n % 5 = 0 THEN [a.i] ELSE [1, 2] END AS x, coalesce(CASE WHEN a.i > 2 THEN [a.i, a.t] END, [a.n, a.t]) AS y",
    "MATCH (a:A) RETURN [a.i, a.t] AS x UNION MATCH (a:A) RETURN [a.n, a.t] AS x UNION MATCH (a:A) RETURN [a.i] AS x",
    "MATCH (a:A) WITH a ORDER BY a.n WITH collect([a.n, a.t])[..3] AS xs UNWIND xs AS x RETURN x, x[0] + 1, x[1] + 's'",
    "MATCH (a:A) WITH a ORDER BY a.n WITH a.n % 5 AS g, collect([a.t, a.n])[0] AS first, collect([a.n, a.d]) AS all RETURN g, first[0], all[-1], all[0][1]",
    "MATCH (a:A) RETURN any(x IN [a.i, a.t] WHERE x = 'b'), all(x IN [a.i, a.d] WHERE x IS NOT NULL), [x IN [a.t, a.n] | toString(x)]",
    "MATCH (a:A) WITH [a, a.n] AS x RETURN x[0].t, x[1]",
    "MATCH (a:A)-[r:T]->(b:A) WITH [r, b.t, a] AS x RETURN x[0].w, x[1], x[2].n, type(x[0])",
    "MATCH (a:A)-[r:T]->(b) WITH a, r, b ORDER BY a.n WITH b, collect([a.t, r.w]) AS xs RETURN b.n, [x IN xs WHERE x[0] = 'b' | x[1]] AS w, reduce(s = 0, x IN xs | s + x[1]) AS s",
    "MATCH (a:A) WITH {k: [a.i, a.t], n: a.n} AS m RETURN m.k[1], m.k[0] + m.n",
    "MATCH (a:A) WITH [[a.i, a.t], [a.n, 'x']] AS x RETURN x[0][1], x[1][0], x[1][1]",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r:T]->(b {n: 4}) WITH [b.n, a.t] AS x, b RETURN x, b IS NULL",
    "MATCH (a:A) WHERE a.n < 4 RETURN [1, 'a', null, a.f] AS x, [null, a.t] AS y, [a.i, a.f] AS z, isEmpty([a.i, a.t]) AS e",
];

#[test]
fn elements_of_unlike_types_stay_what_they_are() {
    let snapshot = created(&[
        "UNWIND range(0, 80) AS n CREATE (:A {n: n, i: CASE WHEN n % 7 > 0 THEN n % 5 END, f: n * 0.5, \
         t: ['a', 'b', 'c', null][n % 4], d: CASE WHEN n % 11 > 0 THEN date('2024-01-01') + duration({days: n % 9}) END, \
         e: date('2024-01-03') + duration({days: n % 6})})",
        "MATCH (a:A), (b:A) WHERE b.n = a.n * 3 % 17 CREATE (a)-[:T {w: a.n % 4}]->(b)",
    ]);
    assert!(agree_on(QUERIES.map(str::to_owned), &snapshot) > 2_000);
}

/// They go to files and come back, as keys, in groups and in an order.
#[test]
fn they_are_spilled() {
    let snapshot = created(&[
        "UNWIND range(0, 59999) AS n CREATE (:A {n: n, t: 'a text that takes some room ' + toString(n % 20000), d: date('2024-01-01') + duration({days: n % 99})})",
    ]);
    for (text, ordered) in [
        ("MATCH (a:A) RETURN [a.d, a.n, a.t] AS x ORDER BY x DESC", true),
        (
            "MATCH (a:A) WITH a.n % 20000 AS g, collect([a.t, a.d, a.n]) AS xs RETURN g, reduce(s = 0, x IN xs | s + x[2]) AS n, all(x IN xs WHERE x[0] ENDS WITH toString(g)) AS t, size(xs)",
            false,
        ),
        ("MATCH (a:A) WITH [a.t, a.n % 3] AS k, count(*) AS c RETURN k, c", false),
        ("MATCH (a:A) WITH DISTINCT [a.n % 40000, a.t] AS k RETURN k", false),
    ] {
        check(text, &snapshot, ordered);
    }
}

//! Operators that are short of memory put rows into files and give the same answer: every kind of key, one
//! thread and two, within subqueries; and what happens where the files fail.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trimorph_base::CancelToken;
use trimorph_base::MemoryBudget;
use trimorph_exec::{
    ExecError, Execution, Settings, SpillArea, TemporaryDirectory, TemporaryFile, TemporaryFiles,
};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::queries::bind;
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

use super::ask::{ask, created};

/// What queries may use; what they keep is more than five times as much.
const LIMIT: usize = 1 << 20;

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(1, 60000) AS n CREATE (:A {n: n, k: n % 10, u: (n * 7919) % 60000, s: 'text number ' + toString((n * 31) % 50000) + ' is as long as a text should be so that memory is short of it', f: toFloat(n % 40000) / 2})",
        "UNWIND range(1, 60000) AS n CREATE (:A {k: null, u: n, m: CASE n % 7 WHEN 0 THEN n WHEN 1 THEN toFloat(n) WHEN 2 THEN 'm' + toString(n % 30000) WHEN 3 THEN [n % 20000, 'x'] WHEN 4 THEN date('2020-01-01') + duration({days: n % 9000}) WHEN 5 THEN duration({days: n % 8000}) ELSE null END})",
    ])
}

fn area(limit_bytes: u64) -> Arc<SpillArea> {
    Arc::new(SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), limit_bytes))
}

fn text(rows: Vec<Vec<Value>>) -> Vec<String> {
    let text =
        |row: &Vec<Value>| row.iter().map(|v| format_literal(v, &IdsOnly)).collect::<Vec<_>>().join(" ");
    rows.iter().map(text).collect()
}

/// Asks with room for everything, and with little on one thread and two; `ordered` where the order of rows is
/// the answer too.
pub(super) fn check(query: &str, graph: &Snapshot, ordered: bool) {
    check_within(LIMIT, query, graph, ordered);
}

/// The same with room for so many bytes.
fn check_within(limit: usize, query: &str, graph: &Snapshot, ordered: bool) {
    let sorted = |mut rows: Vec<String>| {
        if !ordered {
            rows.sort();
        }
        rows
    };
    let expected = sorted(text(ask(query, graph, Settings::default()).unwrap()));
    for threads in [1, 2] {
        let (budget, area) = (MemoryBudget::new(limit, None), area(u64::MAX));
        let spill = Some(Arc::clone(&area));
        let settings = Settings { budget: budget.clone(), threads, spill, ..Settings::default() };
        let found = ask(query, graph, settings);
        let found = sorted(text(found.unwrap_or_else(|e| panic!("{query} on {threads}: {e}"))));
        assert_eq!(found.len(), expected.len(), "{query} on {threads}");
        if let Some(k) = (0..found.len()).find(|k| found[*k] != expected[*k]) {
            panic!("{query} on {threads}: row {k} is {} and not {}", found[k], expected[k]);
        }
        println!("{} bytes written: {query}", area.written_bytes());
        assert!(area.written_bytes() > 0, "{query} on {threads}: nothing was spilled");
        assert_eq!((budget.used_bytes(), area.used_bytes()), (0, 0), "{query}");
    }
}

#[test]
fn sorts() {
    let graph = graph();
    for query in [
        "MATCH (a:A) WHERE a.n > 0 RETURN a.u AS u ORDER BY u",
        "MATCH (a:A) WHERE a.n > 0 RETURN a.u AS u, a.s AS s, a.n AS n ORDER BY s DESC, u",
        "MATCH (a:A) RETURN a.n AS n, a.u AS u, a.s AS s ORDER BY a.k, a.f DESC, n, u",
        "MATCH (a:A) RETURN a.m AS m, a.u AS u, a.n AS n ORDER BY m, u, n",
        "MATCH (a:A) RETURN a.m AS m, a.u AS u, a.n AS n ORDER BY m DESC, n, u LIMIT 100000",
        "MATCH (a:A) WHERE a.n > 0 RETURN a.s AS s, a.n AS n ORDER BY s, n SKIP 30000 LIMIT 1000",
        "MATCH (a:A) WHERE a.n > 0 RETURN a.s AS s, a AS x ORDER BY s, x LIMIT 50000",
    ] {
        check(query, &graph, true);
    }
    // The first rows of more groups than heaps are kept for.
    let groups = "MATCH (a:A) WHERE a.n > 0 WITH a.n % 20000 AS g, count(*) AS c";
    let first = "CALL (g) { MATCH (b:A) WHERE b.n % 20000 = g RETURN b.s AS s ORDER BY b.s LIMIT 2 }";
    check(&format!("{groups} {first} RETURN g, c, s"), &graph, false);
}

/// Rows that were passed on to partitions before memory was short are taken back, and all goes to files.
#[test]
fn partitions_of_groups() {
    let graph = created(&["UNWIND range(1, 200000) AS n CREATE (:A {n: n, k: n % 150000})"]);
    for query in [
        "MATCH (a:A) RETURN a.k * 1000003 AS k, count(*), sum(a.n), max(a.n)",
        "MATCH (a:A) WITH DISTINCT a.k * 1000003 AS k RETURN count(*), min(k), sum(k)",
        "MATCH (a:A) RETURN count(DISTINCT a.k * 1000003)",
    ] {
        for limit in [LIMIT, 8 * LIMIT] {
            check_within(limit, query, &graph, false);
        }
    }
}

/// What goes to files is told of the query, and of the operator that put it there.
#[test]
fn bytes_are_counted_by_query_and_by_operator() {
    let graph = graph();
    for (query, operator) in [
        ("MATCH (a:A) WHERE a.n > 0 RETURN a.s AS s, a.n AS n ORDER BY s, n", "Sort"),
        ("MATCH (a:A) RETURN DISTINCT a.s AS s", "Distinct"),
        ("MATCH (a:A) RETURN a.s AS s, count(*) AS n", "Aggregate"),
        ("MATCH (a:A), (b:A) WHERE a.s = b.s RETURN a.n AS x, b.u AS y", "HashJoin"),
    ] {
        for threads in [1, 2] {
            let bound = bind(query, graph.catalog()).unwrap();
            let planned = optimize(bound, graph.catalog(), None, Options::default()).unwrap();
            let (budget, area) = (MemoryBudget::new(LIMIT, None), area(u64::MAX));
            let spill = Some(Arc::clone(&area));
            let settings = Settings { budget, threads, spill, profile: true, ..Settings::default() };
            let mut execution = Execution::start(&planned, graph.clone(), settings).unwrap();
            while execution.next(|_, _, _| ()).unwrap().is_some() {}
            let written = area.written_bytes();
            assert!(written > 0 && execution.spilled_bytes() == written, "{query} on {threads}");
            let lines = execution.profile();
            let mut by: Vec<_> = lines.iter().filter(|(_, line)| line.spilled_bytes > 0).collect();
            let (path, line) = by.pop().unwrap_or_else(|| panic!("{query}: no operator spilled"));
            assert!(by.is_empty() && line.spilled_bytes == written, "{query} on {threads}: {by:?}");
            let mut plan = &planned.plan;
            for child in path {
                plan = plan.children()[*child];
            }
            let name = format!("{plan:?}");
            assert!(name.starts_with(operator), "{query} on {threads}: {}", &name[..30]);
        }
    }
}

#[test]
fn distinct_rows() {
    let graph = graph();
    for query in [
        "MATCH (a:A) RETURN DISTINCT a.s AS s",
        "MATCH (a:A) RETURN DISTINCT a.u AS u, a.k AS k",
        "MATCH (a:A) RETURN DISTINCT a.m AS m",
        "MATCH (a:A) RETURN DISTINCT a.f AS f, a.m AS m, a.k AS k",
        "MATCH (a:A) RETURN DISTINCT -a.u AS u, a.u + 1 AS v",
        "MATCH (a:A) WITH DISTINCT a.s AS s RETURN count(s)",
    ] {
        check(query, &graph, false);
    }
}

#[test]
fn groups() {
    let graph = graph();
    for query in [
        "MATCH (a:A) RETURN a.s AS s, count(*) AS n",
        "MATCH (a:A) RETURN a.u AS u, a.k AS k, sum(a.n) AS x, avg(a.f) AS y, min(a.n) AS z, max(a.s) AS m",
        "MATCH (a:A) RETURN a.f AS f, sum(a.f) AS s, avg(a.n) AS y, min(a.m) AS z, max(a.m) AS m, stDev(a.n) AS d",
        "MATCH (a:A) RETURN a.u % 20000 AS m, count(a.n) AS n, count(a) AS c, percentileCont(a.u, 0.3) AS p, percentileDisc(a.u, 0.9) AS q",
        "MATCH (a:A) RETURN a.u % 9000 AS u, count(DISTINCT a.s) AS n, count(DISTINCT a.m) AS m, sum(a.n) AS s",
        "MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.s) AS n, count(DISTINCT a.u) AS m, count(*) AS c",
        "MATCH (a:A) RETURN count(DISTINCT a.s) AS n, count(DISTINCT a.m) AS m, count(DISTINCT a) AS a, max(a.n) AS x",
        "MATCH (a:A) WITH a.u % 20000 AS u, collect(a.n) AS l UNWIND l AS x RETURN u, count(*) AS n, sum(x) AS s",
        "MATCH (a:A) WITH a.s AS s, count(*) AS n ORDER BY s RETURN count(s), sum(n)",
    ] {
        check(query, &graph, false);
    }
}

/// Distinct values that are not counted: they come back from files as they were, 1 and 1.0 included.
#[test]
fn distinct_values_within_aggregates() {
    let graph = graph();
    for query in [
        "MATCH (a:A) RETURN sum(DISTINCT a.u) AS s, avg(DISTINCT a.f) AS v, stDevP(DISTINCT a.n) AS d, max(DISTINCT a.s) AS m",
        "MATCH (a:A) RETURN a.u % 10 AS u, percentileCont(DISTINCT a.u, 0.3) AS p, percentileDisc(DISTINCT a.f, 0.9) AS q, count(DISTINCT a.s) AS n",
        "MATCH (a:A) RETURN a.u % 20000 AS u, sum(DISTINCT a.n) AS s, avg(DISTINCT a.f) AS v, stDev(DISTINCT a.k) AS d, count(*) AS c",
        "MATCH (a:A) WHERE a.n > 0 RETURN a.k AS k, sum(DISTINCT a.u) AS s, percentileDisc(DISTINCT a.f, 0.25) AS p, count(DISTINCT a.s) AS n, min(a.s) AS m",
        "MATCH (a:A) WITH a.u % 3000 AS u, collect(DISTINCT a.m) AS l UNWIND l AS x RETURN u, valueType(x) = '' AS e, x",
        "MATCH (a:A) WITH a.u % 20000 AS u, collect(DISTINCT a) AS l RETURN u, size(l) AS n",
        "MATCH (a:A) WITH a.u % 9000 AS u, collect(DISTINCT a.s) AS l, sum(DISTINCT toFloat(a.k)) AS f UNWIND l AS x RETURN u, f, x",
    ] {
        check(query, &graph, false);
    }
}

/// Lists of different values are in the order in which these came, and lists in an order in that.
#[test]
fn lists_in_order() {
    let graph = graph();
    for query in [
        "MATCH (a:A) WITH a ORDER BY a.u DESC WITH a.n % 9000 AS g, collect(DISTINCT a.s) AS l RETURN g, l",
        "MATCH (a:A) WITH a ORDER BY a.s, a.n WITH a.n % 9000 AS g, collect(DISTINCT a.f) AS l, count(DISTINCT a.k) AS k RETURN g, l, k",
        "MATCH (a:A) WITH a ORDER BY a.u WITH a.k AS g, collect(DISTINCT a.s) AS l RETURN g, l[..1000] AS f, size(l) AS n",
        "MATCH (a:A) WITH a ORDER BY a.u WITH a.u % 9000 AS g, collect(DISTINCT CASE a.u % 7 WHEN 0 THEN a.u % 5 WHEN 1 THEN toString(a.f) ELSE a.s END) AS l RETURN g, l",
        "MATCH (a:A) WITH a ORDER BY a.u RETURN collect(DISTINCT a.n % 9000) AS l",
        "MATCH (a:A) WITH a ORDER BY a.s DESC WITH a.n % 9000 AS g, collect(a.s) AS l, collect(DISTINCT a.s) AS d RETURN g, l, d",
        "MATCH (a:A) WITH a ORDER BY a.k, a.u DESC WITH a.u % 9000 AS g, collect(a.s) AS l RETURN g, l",
        "MATCH (a:A) WITH a ORDER BY a.k, a.u DESC WITH a.s AS g, collect([a.n, a.k]) AS l RETURN g, l",
    ] {
        check(query, &graph, false);
    }
}

#[test]
fn joins() {
    let graph = graph();
    for query in [
        "MATCH (a:A), (b:A) WHERE a.s = b.s RETURN count(*) AS n, sum(a.n + b.u) AS s",
        "MATCH (a:A), (b:A) WHERE a.u = b.n RETURN a.n AS x, b.u AS y",
        "MATCH (a:A), (b:A) WHERE a.m = b.m RETURN a.u AS x, b.u AS y",
        "MATCH (a:A), (b:A) WHERE a.s = b.s AND a.f = b.f RETURN a.n AS x, b.n AS y, a.s AS s",
        "MATCH (a:A), (b:A) WHERE a.s + 'x' = b.s + 'x' AND a.n <> b.n RETURN a.n AS x, b.n AS y",
        "MATCH (a:A) OPTIONAL MATCH (b:A) WHERE b.s = a.s AND b.n > a.n RETURN a.n AS x, a.u AS u, b.n AS y",
        "MATCH (a:A) WHERE EXISTS { MATCH (b:A) WHERE b.m = a.m AND b.u <> a.u } RETURN a.u AS x",
        "MATCH (a:A) WHERE a.n < 9000 AND NOT EXISTS { MATCH (b:A) WHERE b.s = a.s AND b.n <> a.n } RETURN a.n AS x",
        "MATCH (a:A) WHERE a.n < 9000 RETURN a.n AS x, COUNT { MATCH (b:A) WHERE b.f = a.f } AS y",
    ] {
        check(query, &graph, false);
    }
}

/// The build side is joined block by block, with rows and counted.
#[test]
fn range_joins() {
    let graph = graph();
    for query in [
        "MATCH (a:A), (b:A) WHERE a.n > 0 AND b.n > 0 AND b.u >= a.n AND b.u < a.n + 1 RETURN a.s AS x, b.s AS y",
        "MATCH (a:A), (b:A) WHERE b.f > a.f AND b.f <= a.f + 0.5 RETURN a.n AS x, b.n AS y",
        "MATCH (a:A), (b:A) WHERE a.n > 0 AND b.n < a.n RETURN count(*) AS n",
        "MATCH (a:A) WHERE a.n < 20000 AND EXISTS { MATCH (b:A) WHERE b.u > a.n AND b.u < a.n + 2 } RETURN a.n AS x",
    ] {
        check(query, &graph, false);
    }
}

/// The same where other values must be equal, and where the last of those within bounds are wanted.
#[test]
fn range_joins_of_equal_values() {
    let graph = created(&[
        "UNWIND range(1, 40) AS n CREATE (:P {n: n})",
        "MATCH (p:P) UNWIND range(1, 1500) AS i CREATE (p)-[:R {t: (i * 7919 + p.n) % 5000}]->(:Q {n: i, s: 'a text that is long enough to be short of memory, number ' + toString(i % 1000)})",
        "MATCH (p:P) UNWIND range(1, 50) AS i CREATE (p)-[:L {t: (i * 97) % 5000}]->(:X {n: i, t: (i * 97) % 5000 + 30})",
    ]);
    for query in [
        "MATCH (p:P)-[l:L]->(x) CALL (p, l) { MATCH (p)-[r:R]->(q) WHERE r.t <= l.t RETURN q.s AS s, r.t AS t ORDER BY t DESC, q.n LIMIT 2 } RETURN p.n AS p, x.n AS x, s, t",
        "MATCH (p:P)-[l:L]->(x) CALL (p, l) { MATCH (p)-[r:R]->(q) WHERE r.t > l.t RETURN min(r.t) AS t } RETURN p.n AS p, x.n AS x, t",
        "MATCH (p:P)-[l:L]->(x) RETURN p.n AS p, x.n AS x, COUNT { (p)-[r:R]->(q) WHERE r.t > l.t AND q.s <> 'a' } AS c",
        "MATCH (p:P)-[l:L]->(x), (p)-[r:R]->(q) WHERE l.t < r.t AND r.t < x.t RETURN p.n AS p, x.n AS x, q.n AS q, q.s AS s",
    ] {
        check(query, &graph, false);
    }
}

/// One key has all rows: no partition of it is smaller.
#[test]
fn one_key_with_all_rows() {
    let graph = created(&[
        "UNWIND range(1, 30000) AS n CREATE (:A {n: n, k: 1, s: 'a text that is long enough to be short of memory, number ' + toString(n)})",
        "UNWIND range(1, 60) AS n CREATE (:B {n: n, k: 1})",
    ]);
    for query in [
        "MATCH (b:B) WHERE b.n < 4 OPTIONAL MATCH (a:A) WHERE a.k = b.k RETURN b.n AS n, sum(a.n) AS x, max(a.s) AS y, count(*) AS c",
        "MATCH (a:A) WITH a.k AS k, a.s AS s ORDER BY k, s RETURN k, s",
        "MATCH (a:A) WITH DISTINCT a.k AS k, a.s AS s RETURN k, s",
        "MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.s) AS s, count(*) AS n",
    ] {
        check(query, &graph, false);
    }
}

/// Groups of a node that come one after the other, of which some have no room by themselves.
#[test]
fn groups_in_runs_with_many_rows() {
    let graph = created(&["UNWIND range(1, 60) AS n CREATE (:B {n: n, k: 1})"]);
    let rows = "MATCH (b:B) UNWIND range(1, CASE WHEN b.n % 20 = 7 THEN 60000 ELSE b.n % 4 END) AS x WITH b";
    for made in [
        "count(DISTINCT x) AS y, count(*) AS n, max(x) AS m RETURN b.n AS k, y, n, m",
        "count(DISTINCT toString(x % 40000)) AS y, sum(DISTINCT x % 50000) AS s, min(x) AS m RETURN b.n AS k, y, s, m",
        "count(DISTINCT [x % 30000]) AS y, avg(x) AS a RETURN b.n AS k, y, a",
        "count(DISTINCT CASE WHEN x % 2 = 0 THEN x ELSE 'number ' + toString(x) END) AS y, stDev(x) AS d RETURN b.n AS k, y, round(d, 6) AS d",
    ] {
        check(&format!("{rows}, {made}"), &graph, false);
    }
    for made in [
        "x % 30011 AS r, count(*) AS n, sum(x) AS s RETURN b.n AS k, count(*) AS g, sum(n) AS n, sum(r) AS r, sum(s) AS s",
        "toString(x % 20011) AS r, min(x) AS low, count(DISTINCT x % 3) AS d RETURN b.n AS k, count(*) AS g, sum(low) AS l, sum(d) AS d",
    ] {
        check(&format!("{rows}, {made}"), &graph, false);
    }
}

/// Groups by what follows from a node whose rows come one after the other.
#[test]
fn groups_by_properties() {
    let graph = created(&["UNWIND range(1, 40000) AS n CREATE (:B {n: n, k: n % 30000})"]);
    for made in [
        "b.k AS k, count(*) AS n, sum(x) AS s RETURN sum(k) AS k, sum(n) AS n, sum(s) AS s, count(*) AS c",
        "toString(b.k) AS k, min(x) AS l, max(toString(x)) AS h, avg(x) AS a RETURN count(DISTINCT k) AS k, sum(l) AS l, max(h) AS h, sum(a) AS a",
    ] {
        check(&format!("MATCH (b:B) UNWIND [1, 2, 3] AS x WITH {made}"), &graph, false);
    }
}

/// The lists of a vector of rows are more than there is memory for; those of some of its rows are not.
#[test]
fn lists_of_subqueries_are_made_for_fewer_rows() {
    let graph = created(&[
        "UNWIND range(1, 40) AS n CREATE (:A {n: n})",
        "UNWIND range(1, 3000) AS n CREATE (:B {n: n, s: 'text ' + toString(n)})",
    ]);
    for query in [
        "MATCH (a:A) WITH a, COLLECT { MATCH (b:B) WHERE b.n % a.n < 20 RETURN b.s + 'x' } AS l RETURN a.n AS n, size(l) AS k, l[7] AS s",
        "MATCH (a:A) WITH a.n AS n, COLLECT { MATCH (b:B) WHERE b.n > a.n RETURN [b.n, a.n] } AS l UNWIND l AS x RETURN n, sum(x[0] * x[1]) AS s",
    ] {
        let sorted = |mut rows: Vec<String>| {
            rows.sort();
            rows
        };
        let expected = sorted(text(ask(query, &graph, Settings::default()).unwrap()));
        let budget = MemoryBudget::new(2 << 20, None);
        let settings =
            Settings { budget: budget.clone(), spill: Some(area(u64::MAX)), ..Settings::default() };
        let found = sorted(text(ask(query, &graph, settings).unwrap_or_else(|e| panic!("{query}: {e}"))));
        assert_eq!(found, expected, "{query}");
        assert_eq!(budget.used_bytes(), 0, "{query}");
    }
}

/// What a subquery joins by value is in files, and is not read again for each vector of the rows around.
#[test]
fn subqueries_by_value_read_files_few_times() {
    let graph = created(&[
        "UNWIND range(1, 200000) AS n CREATE (:A {n: n, k: CASE WHEN n % 7 > 0 THEN n * 7919 % 90000 END})",
        "UNWIND range(1, 40000) AS n CREATE (:B {n: n, k: n % 30000, s: 'text ' + toString(n % 30000)})",
    ]);
    for (query, times) in [
        (
            "MATCH (a:A) WHERE NOT EXISTS { MATCH (b:B) WHERE b.k = a.k AND b.n + 1 <> a.n } RETURN count(*) AS c, sum(a.n) AS s",
            10,
        ),
        (
            "MATCH (a:A) RETURN sum(a.n + CASE WHEN EXISTS { MATCH (b:B) WHERE b.s = 'text ' + toString(a.k) AND b.n > 3 } THEN 7 ELSE 3 END) AS e",
            10,
        ),
        (
            "MATCH (a:A) OPTIONAL MATCH (b:B) WHERE b.k = a.k AND b.n <> a.n RETURN sum(a.n) AS n, count(*) AS c, max(b.s) AS s",
            10,
        ),
        ("MATCH (a:A) RETURN sum(a.n * COUNT { MATCH (b:B) WHERE b.s = 'text ' + toString(a.k) }) AS c", 10),
        // Beside their lists there is room for one vector.
        (
            "MATCH (a:A) RETURN sum(a.n * size(COLLECT { MATCH (b:B) WHERE b.k = a.k AND b.n > 1 RETURN b.s })) AS c",
            200,
        ),
    ] {
        let sorted = |mut rows: Vec<String>| {
            rows.sort();
            rows
        };
        let expected = sorted(text(ask(query, &graph, Settings::default()).unwrap()));
        for threads in [1, 2] {
            let (budget, area) = (MemoryBudget::new(LIMIT, None), area(u64::MAX));
            let spill = Some(Arc::clone(&area));
            let settings = Settings { budget: budget.clone(), threads, spill, ..Settings::default() };
            let found = ask(query, &graph, settings);
            let found = sorted(text(found.unwrap_or_else(|e| panic!("{query} on {threads}: {e}"))));
            assert!(found == expected, "{query} on {threads}");
            let (read, written) = (area.read_bytes(), area.written_bytes());
            println!("{written} bytes written, {read} read on {threads}: {query}");
            // Each thread reads them for itself, and has room for fewer rows.
            let most = times * written * threads as u64 * threads as u64;
            assert!(written > 0 && read < most, "{query} on {threads}: {read} of {written} bytes");
            assert_eq!((budget.used_bytes(), area.used_bytes()), (0, 0), "{query}");
        }
    }
}

/// Several operators of one plan keep rows: who comes first leaves room for the others.
#[test]
fn who_keeps_rows_leaves_room_for_others_that_do() {
    let graph = graph();
    for query in [
        "MATCH (a:A) RETURN sum(COUNT { MATCH (b:A) WHERE b.s = a.s AND b.n <> a.n }) AS x, sum(COUNT { MATCH (c:A) WHERE c.f = a.f AND c.n + 1 > a.n }) AS y",
        "MATCH (a:A) RETURN sum(COUNT { MATCH (b:A) WHERE b.s = a.s }) AS x, sum(COUNT { MATCH (c:A) WHERE c.u = a.u AND c.k = a.k }) AS y, sum(COUNT { MATCH (d:A) WHERE d.f = a.f }) AS z",
        "MATCH (a:A) WHERE EXISTS { MATCH (b:A) WHERE b.s = a.s AND b.n <> a.n } AND EXISTS { MATCH (c:A) WHERE c.f = a.f AND c.n <> a.n } RETURN count(*) AS n",
        "MATCH (a:A) CALL (a) { MATCH (b:A) WHERE b.u = a.u RETURN count(*) AS n, max(b.s) AS m } CALL (a) { MATCH (b:A) WHERE b.s = a.s RETURN count(*) AS k } RETURN sum(n) AS n, sum(k) AS k, max(m) AS m",
        "MATCH (a:A), (b:A), (c:A) WHERE a.s = b.s AND b.u = c.n WITH a.s AS s, count(*) AS n, max(c.s) AS t ORDER BY t, s RETURN s, n, t",
    ] {
        check(query, &graph, false);
    }
}

/// A subquery begins again for each row that comes to it: nothing of the row before is left.
#[test]
fn subqueries_begin_again() {
    let graph = graph();
    for query in [
        "UNWIND [1, 2, 3] AS i CALL (i) { MATCH (a:A) WITH a.s AS s, a.n AS n ORDER BY s, n SKIP 20000 LIMIT 2 RETURN s, n } RETURN i, s, n",
        "UNWIND [1, 2, 3] AS i CALL (i) { MATCH (a:A) WITH DISTINCT a.s AS s RETURN count(s) AS n } RETURN i, n",
        "UNWIND [1, 2, 3] AS i CALL (i) { MATCH (a:A) WITH a.s AS s, count(*) AS c RETURN sum(c) AS n } RETURN i, n",
        "UNWIND [1, 2, 3] AS i CALL (i) { MATCH (a:A), (b:A) WHERE a.s = b.s RETURN sum(a.n) AS n } RETURN i, n",
    ] {
        check(query, &graph, false);
    }
}

#[test]
fn files_that_fail_are_the_querys_error() {
    let graph = graph();
    let query = "MATCH (a:A) RETURN a.s AS s ORDER BY s";
    for threads in [1, 2] {
        let budget = MemoryBudget::new(LIMIT, None);
        let ask = |spill: Option<Arc<SpillArea>>| {
            ask(query, &graph, Settings { budget: budget.clone(), threads, spill, ..Settings::default() })
        };
        assert!(matches!(ask(None), Err(ExecError::Memory(_))));
        let small = area(100_000);
        let error = ask(Some(Arc::clone(&small))).unwrap_err();
        assert!(matches!(error, ExecError::Spill(_)), "{error}");
        assert!(error.to_string().contains("of 100000 in use; raise the spill limit"), "{error}");
        assert_eq!((budget.used_bytes(), small.used_bytes()), (0, 0));
        let nowhere = TemporaryDirectory("/nonexistent/folder".into());
        let error = ask(Some(Arc::new(SpillArea::new(Box::new(nowhere), u64::MAX)))).unwrap_err();
        assert!(error.to_string().contains("could not spill to \"/nonexistent/folder\""), "{error}");
    }
}

/// Each operator that spills.
const SPILLING: [&str; 6] = [
    "MATCH (a:A) RETURN a.s AS s, a.u AS u ORDER BY s",
    "MATCH (a:A) RETURN DISTINCT a.s AS s, a.u AS u",
    "MATCH (a:A) RETURN a.s AS s, count(*) AS n",
    "MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.s) AS n",
    "MATCH (a:A), (b:A) WHERE a.s = b.s RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:A) WHERE b.u >= a.n AND b.u < a.n + 1 RETURN a.s AS x, b.s AS y",
];

/// A file whose disk is full, or that comes back cut, or that somebody cancels the query at: at the write or
/// read of this number.
#[derive(Clone, Debug)]
enum Trouble {
    Full(usize),
    Cut(usize),
    Cancel(usize, CancelToken),
    CancelAtRead(usize, CancelToken),
}

#[derive(Debug)]
struct Troubled {
    trouble: Trouble,
    done: Arc<(AtomicUsize, AtomicUsize)>,
    inner: Box<dyn TemporaryFile>,
}

impl TemporaryFile for Troubled {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let done = self.done.0.fetch_add(1, Ordering::Relaxed);
        match &self.trouble {
            Trouble::Full(at) if done >= *at => return Err(io::ErrorKind::StorageFull.into()),
            Trouble::Cancel(at, token) if done == *at => token.cancel(),
            _ => {}
        }
        self.inner.write_all_at(bytes, offset)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let done = self.done.1.fetch_add(1, Ordering::Relaxed);
        self.inner.read_exact_at(buffer, offset)?;
        match &self.trouble {
            Trouble::Cut(at) if done >= *at => {
                let half = buffer.len() / 2;
                buffer[half..].fill(0xff);
            }
            Trouble::CancelAtRead(at, token) if done == *at => token.cancel(),
            _ => {}
        }
        Ok(())
    }
}

#[derive(Debug)]
struct TroubledFiles(Trouble, Arc<(AtomicUsize, AtomicUsize)>);

impl TemporaryFiles for TroubledFiles {
    fn create(&self) -> io::Result<Box<dyn TemporaryFile>> {
        let inner = TemporaryDirectory(std::env::temp_dir()).create()?;
        Ok(Box::new(Troubled { trouble: self.0.clone(), done: Arc::clone(&self.1), inner }))
    }

    fn place(&self) -> String {
        "trouble".to_owned()
    }
}

#[test]
fn trouble_with_files_ends_the_query() {
    let graph = graph();
    for query in SPILLING {
        for threads in [1, 2] {
            for at in [threads - 1, 20] {
                let token = CancelToken::default();
                let all = [
                    (Trouble::Full(at), None),
                    (Trouble::Cut(at), None),
                    (Trouble::Cancel(at, token.clone()), Some(token.clone())),
                    (Trouble::CancelAtRead(at, CancelToken::default()), None),
                ];
                for (trouble, token) in all {
                    let token = match &trouble {
                        Trouble::CancelAtRead(_, token) => token.clone(),
                        _ => token.unwrap_or_default(),
                    };
                    let files = TroubledFiles(trouble.clone(), Arc::default());
                    let area = Arc::new(SpillArea::new(Box::new(files), u64::MAX));
                    let (budget, spill) = (MemoryBudget::new(LIMIT, None), Some(Arc::clone(&area)));
                    let cancel = token;
                    let settings =
                        Settings { budget: budget.clone(), threads, spill, cancel, ..Settings::default() };
                    let error = ask(query, &graph, settings).err();
                    let text = error.as_ref().map_or_else(String::new, ToString::to_string);
                    match trouble {
                        Trouble::Full(_) => {
                            assert!(text.contains("could not spill to \"trouble\": "), "{query} {at}: {text}")
                        }
                        Trouble::Cut(_) => assert!(text.contains("was changed"), "{query} {at}: {text}"),
                        _ => assert_eq!(error, Some(ExecError::Cancelled), "{query} {at}"),
                    }
                    // What a cancelled query made may be freed elsewhere.
                    while budget.used_bytes() > 0 || area.used_bytes() > 0 {
                        std::thread::yield_now();
                    }
                }
            }
        }
    }
}

/// A query that nobody reads on leaves no file.
#[test]
fn a_query_that_is_dropped_drops_its_files() {
    let graph = graph();
    for query in SPILLING {
        let (budget, area) = (MemoryBudget::new(LIMIT, None), area(u64::MAX));
        let settings =
            Settings { budget: budget.clone(), spill: Some(Arc::clone(&area)), ..Settings::default() };
        let bound = bind(&format!("{query} SKIP 30000"), graph.catalog()).unwrap();
        let bound = match query.contains("count(DISTINCT") {
            true => bind(query, graph.catalog()).unwrap(),
            false => bound,
        };
        let planned = optimize(bound, graph.catalog(), None, Options::default()).unwrap();
        let mut execution = Execution::start(&planned, graph.clone(), settings).unwrap();
        assert!(execution.next(|_, _, _| ()).unwrap().is_some(), "{query}");
        assert!(area.written_bytes() > 0, "{query}");
        drop(execution);
        assert_eq!((budget.used_bytes(), area.used_bytes()), (0, 0), "{query}");
    }
}

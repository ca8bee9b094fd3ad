//! Queries on several threads: whatever the pipeline, its rows are those of one thread; what is not wanted is
//! not computed, and errors, cancellation and memory are one query's matter.

use std::sync::{Arc, LazyLock};

use trimorph_base::{MemoryBudget, Workers};
use trimorph_exec::{ExecError, Execution, Settings, SpillArea, TemporaryDirectory};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::queries::bind;
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

use super::ask::{ask, ask_by_rounds, created, failure};

const NODES: usize = 30_000;

/// 50 tags, each of 200 paths of three nodes, the last of which has a tag again.
static GRAPH: LazyLock<Snapshot> = LazyLock::new(|| {
    created(&[
        "UNWIND range(0, 49) AS n CREATE (:T {n: n})",
        "MATCH (t:T) UNWIND range(0, 199) AS i WITH t, t.n + 50 * i AS n CREATE (t)<-[:IS {w: n % 7}]-(:A {n: n, k: n % 10, u: (n * 7919) % 30000, s: 'text number ' + toString((n * 31) % 7000)})-[:TO]->(:A {n: n + 10000, k: n % 7, u: (n * 7919 + 10000) % 30000, s: 'text number ' + toString((n * 17) % 7000)})-[:TO]->(:A {n: n + 20000, k: n % 3, u: (n * 7919 + 20000) % 30000, s: 'text number ' + toString((n * 13) % 9000)})-[:IS {w: n % 5}]->(t)",
    ])
});

/// Pipelines of every shape: without a breaker, below what is serial, from few nodes, from groups.
const QUERIES: [&str; 37] = [
    "MATCH (a:A) WHERE a.u > 100 AND a.s CONTAINS '7' RETURN a.n AS n, a.s AS s",
    "MATCH (a:A) RETURN a.n + 1 AS n, toUpper(a.s) AS s",
    "MATCH (a:A)-[e:TO]->(b:A) RETURN a.n AS a, b.n AS b, e AS e",
    "MATCH (a:A)-[:TO]->(b:A)-[:TO]->(c) RETURN a.n AS a, c.n AS c",
    "MATCH (a:A) WHERE a.n < 0 RETURN a.n AS n",
    "MATCH (a:A) WHERE a.n = 29999 RETURN a.s AS s",
    "MATCH (a:A) RETURN DISTINCT a.s AS s",
    "MATCH (a:A)-[:TO]->(b:A) RETURN DISTINCT a.k AS a, b.k AS b",
    "MATCH (a:A) RETURN a.k AS x UNION MATCH (t:T) RETURN t.n AS x",
    "MATCH (a:A) WHERE a.u < 500 RETURN a.n AS x UNION ALL MATCH (a:A)-[:TO]->(b) RETURN b.n AS x",
    "CALL { MATCH (a:A) RETURN a.k AS x, a.n AS y UNION ALL MATCH (a:A)-[:TO]->(b) RETURN b.k AS x, a.u AS y } RETURN x, count(*) AS n, sum(y) AS s",
    "CALL { MATCH (a:A) RETURN a.n AS x UNION ALL MATCH (t:T) RETURN t.n AS x UNION ALL MATCH (a:A) WITH a.k AS k, count(*) AS n RETURN n AS x } RETURN count(*) AS n, sum(x) AS s",
    "CALL { UNWIND range(1, 500) AS x RETURN x UNION ALL MATCH (t:T {n: 7})<-[:IS]-(a) RETURN a.n AS x UNION ALL RETURN 5 AS x } WITH x WHERE x % 3 = 0 RETURN x, count(*) AS n",
    "CALL { MATCH (a:A) RETURN a.s AS x UNION MATCH (a:A) RETURN toUpper(a.s) AS x } RETURN left(x, 1) AS l, count(*) AS n, max(x) AS m",
    "CALL { MATCH (a:A) RETURN a.n AS x UNION ALL MATCH (t:T) RETURN t.n AS x } RETURN x ORDER BY x",
    "CALL { MATCH (a:A) RETURN a.k AS x UNION ALL MATCH (b:A) RETURN b.u AS x } WITH DISTINCT x RETURN x",
    "MATCH (a:A)-[:TO]->(b:A) RETURN DISTINCT a.n AS a, b.s AS b",
    "MATCH (t:T {n: 7})<-[:IS]-(a)-[:TO]->(b) RETURN a.n AS a, b.n AS b",
    "MATCH (t:T {n: 7})<-[:IS]-(a)-[:TO]->(b)-[:IS]->(u) RETURN u.n AS u, count(*) AS n, sum(a.n) AS s",
    "MATCH (t:T) WHERE t.n IN [3, 4] MATCH (t)<-[:IS]-(a)-[:TO*1..3]->(b) RETURN a.n AS a, b.n AS b",
    "MATCH (t:T {n: 8})<-[:IS]-(a) OPTIONAL MATCH (a)-[:TO]->(b) RETURN a.n AS a, b.n AS b",
    "UNWIND range(0, 20) AS x MATCH (t:T {n: x})<-[:IS]-(a)-[:TO]->(b) RETURN x, b.n AS b",
    "MATCH (a:A) WITH a.k AS k, min(a.n) AS n MATCH (b:A {n: n})-[:IS]->(t)<-[:IS]-(c) RETURN k, c.n AS c",
    "MATCH (a:A)-[:TO]->(b) WITH b, count(*) AS n MATCH (b)-[:IS]->(t) RETURN t.n AS t, sum(n) AS s",
    "MATCH (a:A), (b:A) WHERE a.s = b.s AND a.n < b.n RETURN a.n AS x, b.n AS y",
    "MATCH (a:A), (b:A) WHERE a.u = b.n AND b.k = 3 RETURN a.n AS x, b.n AS y",
    "MATCH (t:T), (u:T) WHERE t.n < u.n RETURN t.n AS x, u.n AS y",
    "MATCH (a:A) WHERE EXISTS { MATCH (a)-[:TO]->(:A {k: 1}) } RETURN a.n AS n",
    "MATCH (a:A) RETURN a.n AS n, COUNT { (a)-[:TO]->() } AS c",
    "MATCH (a:A) RETURN count(DISTINCT a.s) AS n",
    "MATCH (a:A) OPTIONAL MATCH (a)-[:TO]->(b) RETURN count(DISTINCT b.u) AS n",
    "MATCH (a:A) RETURN a.s AS s, count(*) AS c, sum(a.n) AS n, min(a.u) AS u, max(a.k) AS k, avg(a.u) AS v",
    "MATCH (a:A) RETURN a.u AS u, a.k AS k, count(a.s) AS c",
    "MATCH (a:A) RETURN sum(DISTINCT a.k) AS s, collect(DISTINCT a.k % 1) AS l",
    "MATCH (a:A) UNWIND [a.n, a.u] AS x RETURN x",
    "MATCH (a:A) WITH a ORDER BY a.u LIMIT 300 MATCH (a)-[:TO]->(b) RETURN a.n AS a, b.n AS b",
    "MATCH (a:A {n: 5}), p = shortestPath((a)-[:TO*]-(b:A {n: 77})) RETURN length(p) AS l",
];

/// Rows as texts; in their order, where the query gives them one.
fn rows(query: &str, graph: &Snapshot, settings: Settings) -> Vec<String> {
    texts(query, ask(query, graph, settings).unwrap_or_else(|e| panic!("{query}: {e}")))
}

fn texts(query: &str, found: Vec<Vec<Value>>) -> Vec<String> {
    let text = |row: &Vec<_>| row.iter().map(|v| format_literal(v, &IdsOnly)).collect::<Vec<_>>().join(" ");
    let mut found: Vec<String> = found.iter().map(text).collect();
    if !query.rsplit("RETURN").next().is_some_and(|last| last.contains("ORDER BY")) {
        found.sort();
    }
    found
}

/// Every number of threads, that come at once or when it is worth it.
fn on_threads() -> Vec<Settings> {
    let workers = Workers::default();
    let settings = |threads, patient| Settings {
        threads,
        patient,
        workers: workers.clone(),
        vector_size: if patient { 1_024 } else { 100 },
        ..Settings::default()
    };
    [2, 3, 8].into_iter().flat_map(|threads| [settings(threads, true), settings(threads, false)]).collect()
}

#[test]
fn rows_are_the_same_on_any_number_of_threads() {
    let graph = &*GRAPH;
    for query in QUERIES {
        let expected = rows(query, graph, Settings::default());
        for settings in on_threads() {
            let how = format!("{query} on {} threads, patient {}", settings.threads, settings.patient);
            let found = rows(query, graph, settings);
            assert_eq!(found.len(), expected.len(), "{how}");
            assert_eq!(found.iter().zip(&expected).find(|(a, b)| a != b), None, "{how}");
        }
    }
}

/// Also those that come in an order, by runs that several threads look at.
#[test]
fn rows_that_come_in_rounds_are_the_same() {
    let graph = &*GRAPH;
    let ordered = [
        "MATCH (a:A) RETURN a.u AS u, a.s AS s, a AS a ORDER BY u",
        "MATCH (a:A)-[e:TO]->(b) RETURN e AS e, [a.n, b.s] AS l, {n: a.n, m: b.n} AS m ORDER BY a.n SKIP 5",
        "UNWIND range(1, 20000) AS x RETURN x, CASE WHEN x % 2 = 0 THEN x ELSE x / 2.0 END AS y ORDER BY x",
        "MATCH (t:T), (a:A {k: 3}) WHERE a.n < 200 UNWIND [1, 2] AS i RETURN t.n AS t, a.n AS a, i ORDER BY t, a, i",
        "MATCH (a:A)-[:IS]->(t) RETURN 1 AS one, t.n AS t ORDER BY t",
    ];
    // Two threads, patient and not, and three.
    let sizes = [(1_000, usize::MAX), (1_000, usize::MAX), (5_000, 4 << 20)];
    let mut most = 0;
    for query in QUERIES.into_iter().chain(ordered) {
        let expected = rows(query, graph, Settings::default());
        for (settings, (run_rows, limit)) in on_threads().into_iter().zip(sizes) {
            let how = format!("{query} on {} threads, runs of {run_rows}", settings.threads);
            let budget = MemoryBudget::new(limit, None);
            let area = SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), u64::MAX);
            let settings = Settings { budget: budget.clone(), spill: Some(Arc::new(area)), ..settings };
            match ask_by_rounds(query, graph, settings, run_rows) {
                Err(ExecError::Memory(_)) if limit < usize::MAX => {}
                Err(error) => panic!("{how}: {error}"),
                Ok((found, runs)) => {
                    most = most.max(runs);
                    let found = texts(query, found);
                    assert_eq!(found.len(), expected.len(), "{how}");
                    assert_eq!(found.iter().zip(&expected).find(|(a, b)| a != b), None, "{how}");
                }
            }
            assert_eq!(budget.used_bytes(), 0, "{how}");
        }
    }
    assert!(most > 8, "{most}");
    // Errors, and somebody who stops it.
    for settings in on_threads() {
        let settings = Settings { cancel: Default::default(), ..settings };
        let error = ask_by_rounds("MATCH (a:A) RETURN 1 / (29998 - a.n) AS x", graph, settings.clone(), 100);
        assert!(error.unwrap_err().to_string().contains("zero"));
        settings.cancel.cancel();
        let stopped = ask_by_rounds("MATCH (a:A) RETURN a.n + 1 AS x", graph, settings, 100);
        assert!(matches!(stopped, Err(ExecError::Cancelled)));
    }
}

#[test]
fn sorted_rows_are_in_order_on_any_number_of_threads() {
    let many = created(&[
        "UNWIND range(0, 199999) AS n CREATE (:A {n: n, k: n % 10, u: (n * 7919) % 200003, s: toString((n * 31) % 70000)})",
    ]);
    for query in [
        "MATCH (a:A) RETURN a.u AS u, a.n AS n ORDER BY u",
        "MATCH (a:A) RETURN a.k AS k, a.s AS s, a.n AS n ORDER BY k DESC, s, n",
        "MATCH (a:A) RETURN a.n AS n ORDER BY a.s DESC, n SKIP 150000",
    ] {
        let expected = rows(query, &many, Settings::default());
        for settings in on_threads() {
            assert!(rows(query, &many, settings) == expected, "{query}");
        }
    }
}

/// Rows with equal keys come as on one thread: those of a scan, of lists, dealt ones, the best of many; also
/// where few lie in a morsel.
#[test]
fn rows_with_equal_keys_keep_their_order() {
    let many = created(&[
        "UNWIND range(0, 99999) AS n CREATE (:A {n: n, k: n % 3, u: (n * 7919) % 200003, day: date('2000-01-01') + duration({days: n % 7})})",
        "UNWIND range(0, 9999) AS n CREATE (:B {n: n, k: n % 4})-[:TO]->(:C {n: n})-[:TO]->(:B {n: n + 10000, k: n % 3})",
        "MATCH (c:C) WHERE c.n % 50 = 0 UNWIND range(1, 40) AS i CREATE (c)-[:TO]->(:B {n: 20000 + c.n * 40 + i, k: i % 2})",
    ]);
    for query in [
        "MATCH (a:A) RETURN a.n AS n ORDER BY a.k",
        "MATCH (a:A) RETURN a.n AS n ORDER BY a.k DESC, a.day SKIP 20000 LIMIT 50000",
        "MATCH (a:A) WHERE a.u % 97 = 1 RETURN a.n AS n ORDER BY a.k LIMIT 100",
        "MATCH (a:A) RETURN a.n AS n ORDER BY a.day DESC LIMIT 50",
        "MATCH (a:A) RETURN a.n AS n ORDER BY a.none LIMIT 50",
        "MATCH (a:A) WHERE a.u % 9973 = 1 RETURN a.n AS n ORDER BY a.day LIMIT 7",
        "MATCH (b:B)-[:TO]->(c:C)-[:TO]->(d) RETURN b.n AS x, d.n AS y ORDER BY d.k DESC",
        "MATCH (b:B)-[:TO]->(c:C)-[:TO]->(d) RETURN b.n AS x, d.n AS y ORDER BY d.k LIMIT 30",
        "MATCH (c:C {n: 100})-[:TO]->(d) MATCH (e:C)-[:TO]->(d) RETURN d.n AS x, e.n AS y ORDER BY d.k",
        "MATCH (c:C) WHERE c.n < 3 MATCH (c)-[:TO]->(d) UNWIND range(1, 500) AS i RETURN i, d.n AS y ORDER BY d.k, i % 3",
    ] {
        let expected = rows(query, &many, Settings::default());
        for settings in on_threads() {
            let how = format!("{query} on {} threads, patient {}", settings.threads, settings.patient);
            let found = rows(query, &many, settings);
            assert_eq!(found.iter().zip(&expected).find(|(a, b)| a != b), None, "{how}");
        }
        let budget = trimorph_base::MemoryBudget::new(1 << 20, None);
        let area = SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), u64::MAX);
        let settings = Settings { threads: 2, budget, spill: Some(Arc::new(area)), ..Settings::default() };
        assert_eq!(rows(query, &many, settings), expected, "{query} with little memory");
    }
}

#[test]
fn short_of_memory_the_rows_are_the_same() {
    let graph = &*GRAPH;
    let expected: Vec<_> = QUERIES.iter().map(|query| rows(query, graph, Settings::default())).collect();
    for settings in on_threads() {
        for (query, expected) in QUERIES.iter().zip(&expected) {
            let budget = MemoryBudget::new(2 << 20, None);
            let area = SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), u64::MAX);
            let spill = Some(Arc::new(area));
            let settings = Settings { budget: budget.clone(), spill, ..settings.clone() };
            let how = format!("{query} on {} threads, patient {}", settings.threads, settings.patient);
            match ask(query, graph, settings) {
                // What is not spilled may need more.
                Err(ExecError::Memory(_)) => {}
                Err(error) => panic!("{how}: {error}"),
                Ok(found) => assert!(texts(query, found) == *expected, "{how}"),
            }
            assert_eq!(budget.used_bytes(), 0, "{how}");
        }
    }
}

/// Rows that the scan gave, and those of the answer.
fn scanned(query: &str, graph: &Snapshot, settings: Settings) -> (u64, usize) {
    let bound = bind(query, graph.catalog()).unwrap();
    let planned = optimize(bound, graph.catalog(), None, Options::default()).unwrap();
    let settings = Settings { profile: true, ..settings };
    let mut execution = Execution::start(&planned, graph.clone(), settings).unwrap();
    let mut count = 0;
    while let Some(more) = execution.next(|_, positions, _| positions.len()).unwrap() {
        count += more;
    }
    let profile = execution.profile();
    let scan = profile.iter().max_by_key(|(path, _)| path.len()).unwrap();
    (scan.1.tuples, count)
}

#[test]
fn a_limit_stops_all_threads_early() {
    let graph = &*GRAPH;
    for settings in on_threads() {
        let threads = settings.threads as u64;
        // A chunk for each thread, and one that each may have begun.
        let most = 2 * threads * settings.vector_size as u64;
        for query in [
            "MATCH (a:A) WHERE a.n >= 0 RETURN a.n AS n LIMIT 10",
            "MATCH (a:A) RETURN a.n * 2 AS n LIMIT 1",
            "MATCH (a:A)-[:IS]->(t) RETURN t.n AS n, a.n AS m LIMIT 5",
        ] {
            let (scanned, rows) = scanned(query, graph, settings.clone());
            assert!(scanned <= most, "{query} on {threads} threads: {scanned} rows were scanned");
            assert!((1..=10).contains(&rows), "{query}: {rows}");
        }
    }
    let (scanned, rows) =
        scanned("MATCH (a:A) WHERE a.n >= 0 RETURN a.n AS n LIMIT 100000", graph, Settings::default());
    assert_eq!((scanned, rows), (NODES as u64, NODES));
}

/// What a subquery joins with its rows is read and put into a table once, not by each thread.
#[test]
fn build_sides_of_subqueries_are_built_once() {
    let graph = &*GRAPH;
    let query = "MATCH (a:A) RETURN sum(COUNT { MATCH (b:A) WHERE a.u = b.u AND b.s = a.s }) AS n";
    let (expected, once) = (rows(query, graph, Settings::default()), (NODES as u64, 1));
    assert_eq!(scanned(query, graph, Settings::default()), once);
    for settings in on_threads() {
        for limit in [usize::MAX, 2 << 20] {
            let area = SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), u64::MAX);
            let (budget, spill) = (MemoryBudget::new(limit, None), Some(Arc::new(area)));
            let settings = Settings { budget, spill, ..settings.clone() };
            let how = format!("on {} threads within {limit}", settings.threads);
            assert_eq!(scanned(query, graph, settings.clone()), once, "{how}");
            assert_eq!(rows(query, graph, settings), expected, "{how}");
        }
    }
}

#[test]
fn rows_that_nobody_fetches_are_not_all_computed() {
    let graph = &*GRAPH;
    for settings in on_threads() {
        let bound = bind("MATCH (a:A) WHERE a.n >= 0 RETURN a.n AS n", graph.catalog()).unwrap();
        let planned = optimize(bound, graph.catalog(), None, Options::default()).unwrap();
        let settings = Settings { profile: true, vector_size: 10, ..settings };
        let most = 40 * settings.threads * settings.vector_size;
        let mut execution = Execution::start(&planned, graph.clone(), settings).unwrap();
        assert!(execution.next(|_, positions, _| positions.len()).unwrap().is_some());
        let scanned = execution.profile().values().map(|line| line.tuples).max().unwrap();
        assert!(scanned <= most as u64, "{scanned}");
    }
}

#[test]
fn an_error_of_any_thread_is_the_query_s() {
    let graph = &*GRAPH;
    for settings in on_threads() {
        for query in [
            "MATCH (a:A) RETURN 1 / (29998 - a.n) AS x",
            "MATCH (a:A) RETURN DISTINCT 1 / (29998 - a.n) AS x",
            "MATCH (a:A) RETURN 1 / (29998 - a.n) AS x, count(*) AS n",
            "MATCH (a:A) RETURN a.n AS n ORDER BY 1 / (29998 - a.n)",
            "MATCH (t:T {n: 48})<-[:IS]-(a)<-[:TO]-(b) RETURN 1 / (29998 - a.n) AS x",
        ] {
            let error = failure(query, graph, settings.clone());
            assert!(error.contains("zero"), "{query}: {error}");
        }
    }
}

#[test]
fn a_stopped_query_stops_all_threads() {
    let graph = &*GRAPH;
    for settings in on_threads() {
        let budget = MemoryBudget::new(1 << 30, None);
        let settings = Settings { budget: budget.clone(), cancel: Default::default(), ..settings };
        let bound = bind("MATCH (a:A), (b:A) WHERE a.n <> b.n RETURN a.n AS x, b.n AS y", graph.catalog());
        let planned = optimize(bound.unwrap(), graph.catalog(), None, Options::default()).unwrap();
        let mut execution = Execution::start(&planned, graph.clone(), settings).unwrap();
        assert!(execution.next(|_, positions, _| positions.len()).unwrap().is_some());
        execution.cancel_token().cancel();
        let stopped = loop {
            match execution.next(|_, positions, _| positions.len()) {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        assert!(matches!(stopped, Err(ExecError::Cancelled)), "{stopped:?}");
        drop(execution);
        assert_eq!(budget.used_bytes(), 0);
    }
}

#[test]
fn queries_of_many_connections_share_threads() {
    let graph = &*GRAPH;
    let workers = Workers::default();
    let query = QUERIES[11];
    let expected = rows(query, graph, Settings::default());
    std::thread::scope(|scope| {
        for patient in [true, false, true, false] {
            let (workers, expected) = (workers.clone(), &expected);
            scope.spawn(move || {
                for threads in [2, 3, 2, 4] {
                    let settings =
                        Settings { threads, patient, workers: workers.clone(), ..Settings::default() };
                    assert!(rows(query, graph, settings) == *expected);
                }
            });
        }
    });
}

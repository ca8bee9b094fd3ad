//! A product of which nothing is wanted is counted, not enumerated: 10^13 rows have an answer, in rows and in
//! groups.

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

use super::ask::{answer, ask, created, failure};

#[test]
fn products_are_counted() {
    let mut graph = CreatedGraph::default();
    graph.execute("UNWIND range(1, 22000) AS i CREATE (:A {n: i, k: i % 2})").unwrap();
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for (query, expected) in [
        ("MATCH (a:A), (b:A), (c:A) RETURN count(*)", 22_000i64.pow(3)),
        ("MATCH (a:A {n: 1}), (b:A), (c:A) RETURN sum(a.n)", 22_000i64.pow(2)),
        ("MATCH (a:A), (b:A) WITH a.k AS k, count(*) AS n RETURN sum(n)", 22_000i64.pow(2)),
        ("MATCH (a:A), (b:A), (c:A) WITH a.k AS k SKIP 10000000000000 LIMIT 5 RETURN count(k)", 5),
        ("MATCH (a:A), (b:A) WHERE a.k = b.k RETURN count(*)", 22_000i64.pow(2) / 2),
    ] {
        let bound = bind(query, snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let mut execution = Execution::start(&planned, snapshot.clone(), Settings::default()).unwrap();
        let answer = execution.next(|columns, _, cx| columns[0].value(0, &|id| cx.edge_value(id))).unwrap();
        assert!(matches!(answer, Some(Value::Int(n)) if n == expected), "{query}: {answer:?}");
    }
}

/// What is compared with few rows is gone through once for each of them.
#[test]
fn few_rows_are_compared_with_all() {
    let graph = created(&["UNWIND range(1, 22000) AS i CREATE (:A {n: i, k: i % 2})"]);
    for (query, expected) in [
        (
            "UNWIND [1, 2, 3, 3, null] AS k MATCH (a:A) WHERE a.n > k * 1000 RETURN k, count(*) AS n ORDER BY k",
            "1 21000 2 20000 3 38000",
        ),
        ("UNWIND [] AS k MATCH (a:A) WHERE a.n > k RETURN count(*)", "0"),
        (
            "UNWIND [21999, 21998] AS k MATCH (a:A) WHERE a.n > k RETURN a.n AS n ORDER BY n",
            "21999 22000 22000",
        ),
        (
            "UNWIND [7, 8] AS k MATCH (a:A), (b:A) WHERE a.n < k AND b.n <= a.n - 2 RETURN k, count(*) AS n ORDER BY k",
            "7 10 8 15",
        ),
        (
            "MATCH (x:A) WITH x ORDER BY x.n LIMIT 3 MATCH (a:A) WHERE a.n < x.n RETURN x.n AS x, count(*) AS n ORDER BY x",
            "2 1 3 2",
        ),
        ("MATCH (x:A) WITH x ORDER BY x.n LIMIT 3 MATCH (a:A) WHERE a.n < x.n RETURN count(*)", "3"),
        (
            "UNWIND [[1, 3], [3, 6]] AS r MATCH (a:A) WHERE a.n >= r[0] AND a.n < r[1] RETURN r, collect(a.n) AS ns ORDER BY r",
            "[1, 3] [1, 2] [3, 6] [3, 4, 5]",
        ),
        ("MATCH (a:A) WHERE a.n > 2 * COLLECT { MATCH (b:A) RETURN avg(b.n) }[0] - 3 RETURN count(*)", "2"),
        (
            "MATCH (x:A {n: 2}) CALL (x) { UNWIND [1, 3] AS k MATCH (a:A) WHERE a.n < k * x.n RETURN k, count(*) AS n } RETURN k, n ORDER BY k",
            "1 1 3 5",
        ),
    ] {
        for threads in [1, 2] {
            let rows = ask(query, &graph, Settings { threads, ..Settings::default() }).unwrap();
            let cells = rows.iter().flatten().map(|cell| format_literal(cell, &IdsOnly));
            assert_eq!(cells.collect::<Vec<_>>().join(" "), expected, "{query} on {threads}");
        }
    }
}

/// Twelve factors are 10^52 rows: only what asks how many there are fails.
#[test]
fn rows_past_64_bits_have_answers() {
    let graph = created(&["UNWIND range(1, 22000) AS i CREATE (:A {n: i, k: i % 2})"]);
    let factors = (0..12).map(|i| format!("(a{i}:A)")).collect::<Vec<_>>().join(", ");
    for (query, expected) in [
        ("MATCH … RETURN a0.n LIMIT 1", "1"),
        ("MATCH … WITH a0 SKIP 10000 LIMIT 2 RETURN count(a0)", "2"),
        ("MATCH … RETURN min(a0.n), max(a0.k)", "1 1"),
        ("MATCH … RETURN count(DISTINCT a0.k)", "2"),
        ("MATCH … RETURN DISTINCT a0.k AS k ORDER BY k", "0 1"),
        ("MATCH … RETURN a0.k AS k, max(a0.n) ORDER BY k", "0 22000 1 21999"),
        ("MATCH … RETURN sum(DISTINCT a0.k)", "1"),
        ("MATCH … RETURN sum(a0.none)", "0"),
        ("MATCH … WITH a0.n AS n ORDER BY n DESC LIMIT 3 RETURN collect(n)", "[22000, 22000, 22000]"),
        ("RETURN EXISTS { MATCH … RETURN a0 }", "true"),
        ("RETURN EXISTS { MATCH … RETURN a0 SKIP 100 }", "true"),
        ("MATCH (x:A {n: 1}) WHERE EXISTS { MATCH … WHERE a0.n > x.n RETURN a0 } RETURN x.n", "1"),
        ("CALL { MATCH … RETURN a0.n AS n UNION MATCH (b:A) RETURN b.n AS n } RETURN count(n)", "22000"),
    ] {
        assert_eq!(answer(&query.replace('…', &factors), &graph).join(" "), expected, "{query}");
    }
    for query in [
        "MATCH … RETURN count(*)",
        "MATCH … RETURN count(a0.n)",
        "MATCH … RETURN sum(a0.n)",
        "MATCH … RETURN avg(a0.n)",
        "MATCH … RETURN a0.k, count(*)",
        "MATCH … RETURN collect(a0.n)",
        "RETURN COUNT { MATCH … }",
        "RETURN size(COLLECT { MATCH … RETURN a0.n })",
    ] {
        let text = failure(&query.replace('…', &factors), &graph, Settings::default());
        assert!(text.contains("the number of matches does not fit 64 bits"), "{query}: {text}");
    }
    // What is fetched is made, and nothing beyond it.
    let bound = bind(&format!("MATCH {factors} RETURN a0.n"), graph.catalog()).unwrap();
    let planned = optimize(bound, graph.catalog(), None, Options::default());
    let settings =
        Settings { budget: trimorph_base::MemoryBudget::new(32 << 20, None), ..Settings::default() };
    let mut execution = Execution::start(&planned.unwrap(), graph, settings).unwrap();
    let mut rows = 0;
    for _ in 0..50 {
        rows += execution.next(|_, positions, _| positions.len()).unwrap().unwrap();
    }
    assert!(rows >= 50 * 1000, "{rows}");
}

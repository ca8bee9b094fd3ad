//! Scans that are handed the keys of hash joins above them, against the interpreter: few keys and many, close
//! together and far apart, of every type that columns keep as integers, nodes, nulls, values of other types,
//! several joins over one scan, and joins of which nothing may be left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_exec::{Execution, ProfileLine, Settings, SpillArea, TemporaryDirectory};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

use super::ask::created;

const NOW: Clock = Clock { seconds: 0, nanos: 0 };

const QUERIES: &[&str] = &[
    "MATCH (f:F), (d:D) WHERE f.k = d.k RETURN count(*) AS n, sum(f.n) AS s",
    "MATCH (f:F), (d:D) WHERE f.k = d.k AND d.n < 3 RETURN f.n AS x, d.n AS y",
    "MATCH (f:F), (d:D) WHERE f.far = d.far RETURN count(*) AS n, sum(f.n) AS s",
    "MATCH (f:F), (d:D) WHERE f.far = d.far AND d.n = 7 RETURN f.n AS x, d.n AS y",
    "MATCH (f:F), (d:D) WHERE f.day = d.day AND d.n < 20 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.at = d.at RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.k = d.half AND d.n < 40 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.mixed = d.k AND d.n < 40 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.k = d.mixed AND d.n < 60 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.sometimes = d.k AND d.n < 4 RETURN count(*) AS n, sum(f.n) AS s",
    "MATCH (f:F), (d:D) WHERE f.s = d.s AND d.n < 4 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.k = d.k AND f.day = d.day RETURN count(*) AS n",
    "MATCH (f:F), (d:D), (e:E) WHERE f.k = d.k AND f.sometimes = e.k AND d.n < 9 RETURN count(*) AS n, sum(f.n) AS s",
    "MATCH (f:F), (d:D) WHERE f.k = d.k AND d.n > 100000 RETURN count(*) AS n",
    "MATCH (f:F), (d:D) WHERE f.k = d.k AND f.n % 3 = 0 AND d.n < 5 RETURN f.n AS x ORDER BY x LIMIT 9",
    "MATCH (f), (d:D) WHERE f.k = d.k AND d.n < 3 RETURN count(*) AS n",
    "MATCH (f:F)-[:R]->(g:F), (d:D) WHERE f.k = d.k AND d.n < 6 RETURN count(*) AS n, sum(g.n) AS s",
    "MATCH (d:D) WHERE d.n < 4 WITH d.k AS k MATCH (f:F) WHERE f.k = k RETURN k, count(*) AS n",
    "MATCH (d:D) WITH d ORDER BY d.n LIMIT 5 OPTIONAL MATCH (f:F) WHERE f.k = d.k AND f.n < 900 RETURN d.n AS x, count(f) AS n",
    "MATCH (f:F) WHERE f.n < 400 OPTIONAL MATCH (d:D) WHERE d.k = f.k AND d.n < 30 RETURN f.n AS x, count(d) AS n",
    "MATCH (f:F) WHERE f.n < 700 AND EXISTS { MATCH (d:D) WHERE d.k = f.k AND d.n < 30 } RETURN count(*) AS n",
    "MATCH (f:F) WHERE f.n < 700 AND NOT EXISTS { MATCH (d:D) WHERE d.k = f.k AND d.n < 30 } RETURN count(*) AS n",
    "MATCH (e:E) CALL (e) { MATCH (f:F), (d:D) WHERE f.k = d.k AND d.n < 3 RETURN count(*) AS c } RETURN e.k AS k, c",
    "MATCH (d:D) WITH collect(d) AS ds UNWIND ds[0..40] AS x MATCH (f:F) WHERE f.k = x.k RETURN count(*) AS n",
    "MATCH (f:F) WHERE f.k = 4 OR f.k = 9 WITH collect(f) AS fs UNWIND fs AS f MATCH (f)-[:R]->(g) RETURN count(g) AS n",
];

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(0, 1499) AS n CREATE (:F {n: n, k: n * 7919 % 3001, far: n * 1000003 * 1000003, day: date('2000-01-01') + duration({days: n % 5000}), at: localdatetime('2000-01-01T00:00:00') + duration({minutes: n}), s: 'w' + toString(n), mixed: CASE WHEN n % 9 = 0 THEN toString(n) ELSE n END, sometimes: CASE WHEN n % 4 > 0 THEN n % 700 END})",
        "UNWIND range(0, 59) AS n CREATE (:D {n: n, k: n * 17, half: n * 3.0, far: n * 21 * 1000003 * 1000003, day: date('2000-01-01') + duration({days: n * 13}), at: localdatetime('2000-01-01T00:00:00') + duration({minutes: n * 40}), s: 'w' + toString(n * 9), mixed: CASE WHEN n % 5 = 0 THEN 'x' WHEN n % 5 = 1 THEN n / 4.0 WHEN n % 5 = 2 THEN null ELSE n END})",
        "UNWIND range(0, 3) AS n CREATE (:E {k: n * 30})",
        "MATCH (a:F), (b:F) WHERE a.n < 300 AND b.n = a.n + 5 CREATE (a)-[:R]->(b)",
    ])
}

fn run(text: &str, snapshot: &Snapshot, settings: Settings, options: Options) -> (Vec<Vec<Value>>, u64, u64) {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
    let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(mut batch) = execution
        .next(|columns, positions, cx| {
            let cell =
                |c: &&trimorph_vector::Vector<'_>, p: u32| c.value(p as usize, &|id| cx.edge_value(id));
            positions.iter().map(|p| columns.iter().map(|c| cell(c, *p)).collect()).collect::<Vec<_>>()
        })
        .unwrap()
    {
        rows.append(&mut batch);
    }
    let profile = execution.profile();
    let sum = |of: fn(&ProfileLine) -> u64| profile.values().map(of).sum::<u64>();
    (rows, sum(|line| line.asked.0), sum(|line| line.asked.1))
}

#[test]
fn narrowed_scans_agree_with_the_interpreter() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    let mut narrowed = 0;
    for text in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let expected = run_on(&bound, &graph, &BTreeMap::new(), NOW, 500_000_000).unwrap();
        for (vector_size, threads, reorder) in [(64, 1, false), (1024, 1, true), (1024, 2, true)] {
            let settings = Settings { vector_size, threads, profile: true, ..Settings::default() };
            let options = Options { reorder, check: true, ..Options::default() };
            let (found, seen, kept) = run(text, &snapshot, settings, options);
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
            narrowed += usize::from(seen > kept);
        }
    }
    assert!(narrowed > 12, "{narrowed}");
}

#[test]
fn filters_that_keep_most_rows_are_switched_off() {
    let snapshot = created(&[
        "UNWIND range(0, 59999) AS n CREATE (:F {k: n % 1000})",
        "UNWIND range(0, 989) AS n CREATE (:D {k: n})",
    ]);
    let text = "MATCH (f:F), (d:D) WHERE f.k = d.k RETURN count(*) AS n";
    let settings = || Settings { profile: true, ..Settings::default() };
    let (rows, seen, kept) = run(text, &snapshot, settings(), Options::default());
    assert!(matches!(rows[0][0], Value::Int(59_400)));
    assert!((16_384..32_768).contains(&seen) && kept * 10 > seen * 9, "{kept} of {seen}");
    let text = "MATCH (f:F), (d:D) WHERE f.k = d.k AND d.k < 300 RETURN count(*) AS n";
    let (rows, seen, kept) = run(text, &snapshot, settings(), Options::default());
    assert!(matches!(rows[0][0], Value::Int(18_000)));
    assert_eq!((seen, kept), (60_000, 18_000));
}

/// Keys that no budget has room for make no filter, and those in files are not known to the scan.
#[test]
fn a_build_side_in_files_narrows_nothing_wrongly() {
    let snapshot = graph();
    let text = "MATCH (f:F), (d:D) WHERE f.far = d.far RETURN count(*) AS n, sum(f.n) AS s";
    let plain = run(text, &snapshot, Settings::default(), Options::default()).0;
    let folder = TemporaryDirectory(std::env::temp_dir());
    let area = Arc::new(SpillArea::new(Box::new(folder), 1 << 30));
    for limit in [200_000, 1 << 20] {
        let budget = trimorph_base::MemoryBudget::new(limit, None);
        let settings = Settings { budget, spill: Some(Arc::clone(&area)), ..Settings::default() };
        let found = run(text, &snapshot, settings, Options::default()).0;
        compare(&plain, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{limit}\n{d}"));
    }
}

//! Queries keep to their memory limit and stop when they are told to, whatever operator is at work: what
//! grows is charged before it does, and the flag is looked at in every long loop.

use std::time::{Duration, Instant};

use trimorph_base::MemoryBudget;
use trimorph_exec::{ExecError, Settings};
use trimorph_store::Snapshot;

use super::ask::{ask, created};

/// The largest limit that is tried; what the queries make is more than a hundred times as much.
const LIMIT: usize = 24 << 20;

fn graph() -> Snapshot {
    created(&["UNWIND range(1, 6000) AS n CREATE (:A {n: n, k: n % 10, s: 'text number ' + toString(n)})"])
}

const PRODUCT: &str = "MATCH (a:A), (b:A)";

/// What follows a product of 36 million rows, and grows with it.
const GROWING: [&str; 14] = [
    "RETURN collect(a.n)",
    "RETURN collect(a.n + b.n)",
    "RETURN a.k, collect(b.s)",
    "RETURN collect(a)",
    "RETURN percentileCont(a.n + b.n, 0.5)",
    "RETURN percentileDisc(a.n, 0.5), count(DISTINCT a.s + b.s)",
    "RETURN count(DISTINCT a.n * 6000 + b.n)",
    "RETURN count(DISTINCT [a.n, b.n])",
    "WITH DISTINCT a.n AS x, b.n AS y RETURN count(*)",
    "WITH a.s AS x, b.n AS y, count(*) AS c RETURN max(c)",
    "WITH a.n AS x, b.n AS y ORDER BY x + y RETURN count(*), max(x + y), min(y)",
    "WITH a.n AS x, b.n AS y ORDER BY x DESC, y LIMIT 30000000 RETURN max(x + y)",
    "WITH collect([a.n, b.n]) AS l RETURN size(l)",
    "WITH a.n AS x, min(b.s + a.s) AS m, collect(b.n) AS l RETURN count(l)",
];

/// Peaks are those of the charges: a charge comes before the bytes, so no peak is above the limit, and the
/// query ends at it.
#[test]
fn what_grows_is_charged_before_it_does() {
    let graph = graph();
    for threads in [1, 2] {
        for rest in GROWING {
            let budget = MemoryBudget::new(LIMIT, None);
            let settings = Settings { budget: budget.clone(), threads, ..Settings::default() };
            let text = format!("{PRODUCT} {rest}");
            let result = ask(&text, &graph, settings);
            assert!(matches!(result, Err(ExecError::Memory(_))), "{text} on {threads}: {result:?}");
            assert_eq!(budget.used_bytes(), 0, "{text}");
        }
        let text = "RETURN size(COLLECT { MATCH (a:A), (b:A) RETURN a.n })";
        let settings = Settings { budget: MemoryBudget::new(LIMIT, None), threads, ..Settings::default() };
        assert!(matches!(ask(text, &graph, settings), Err(ExecError::Memory(_))), "{text}");
    }
}

/// With room for everything they run for seconds; told to stop, they do soon. (The bound is generous:
/// machines are busy.)
#[test]
fn every_operator_stops_when_it_is_told_to() {
    let graph = graph();
    let others = [
        "MATCH (a:A), (b:A), (c:A) WHERE a.n + b.n = c.n + 0.5 RETURN count(*)",
        "MATCH (a:A), (b:A), (c:A) RETURN sum(a.n * b.n + c.n)",
        "MATCH (a:A), (b:A), (c:A) RETURN stDev(a.n + b.n * c.n)",
        "UNWIND range(1, 1000000000000) AS i WITH i WHERE i < 0 RETURN i",
        "UNWIND range(1, 1000000000000) AS i WITH i SKIP 999999999999 RETURN i",
        "UNWIND range(1, 3000000) AS i MATCH (a:A) WHERE a.n = i % 7 RETURN max(i + a.n)",
        "MATCH (a:A), (b:A), (c:A) WHERE EXISTS { MATCH (d:A) WHERE d.n = a.n + b.n + c.n + 0.5 } RETURN a",
        "RETURN reduce(s = 0, i IN range(1, 1000000000) | s + i % 7)",
        "RETURN size([i IN range(1, 1000000000) WHERE i < 0])",
        "RETURN any(i IN range(1, 1000000000) WHERE i < 0)",
        "RETURN size(reduce(l = [], i IN range(1, 300000) | l + i))",
        "RETURN size(reduce(l = range(1, 1000000), i IN range(1, 100000) | [i] + l[1..]))",
        "MATCH (a:A), (b:A), (c:A) RETURN a.n + b.n + c.n AS x ORDER BY x LIMIT 5",
        "MATCH (a:A), (b:A), (c:A) RETURN DISTINCT a.n + b.n + c.n",
    ];
    let all: Vec<String> =
        GROWING.iter().map(|rest| format!("{PRODUCT} {rest}")).chain(others.map(str::to_owned)).collect();
    for text in all {
        let settings = Settings { budget: MemoryBudget::new(3 << 30, None), ..Settings::default() };
        let token = settings.cancel.clone();
        let (result, late) = std::thread::scope(|scope| {
            let told = scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(150));
                token.cancel();
                Instant::now()
            });
            let result = ask(&text, &graph, settings);
            let end = Instant::now();
            (result, end.saturating_duration_since(told.join().unwrap_or(end)))
        });
        assert_eq!(result.err(), Some(ExecError::Cancelled), "{text}");
        println!("{late:?} {text}");
        assert!(late < Duration::from_secs(5), "{text} stopped {late:?} after it was told to");
    }
}

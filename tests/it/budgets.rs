//! Queries keep to their memory limit and stop when they are told to, whatever operator is at work: what
//! grows is charged before it does, and the flag is looked at in every long loop.

use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, MemoryBudget, ThreadTime};
use trimorph_exec::{ExecError, Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

use super::ask::{answer, ask, created, with_parameters};

/// The largest limit that is tried; what the queries make is more than a hundred times as much.
const LIMIT: usize = 24 << 20;

fn graph() -> Snapshot {
    created(&["UNWIND range(1, 6000) AS n CREATE (:A {n: n, k: n % 10, s: 'text number ' + toString(n)})"])
}

const PRODUCT: &str = "MATCH (a:A), (b:A)";

/// What follows a product of 36 million rows, and grows with it.
const GROWING: [&str; 15] = [
    "RETURN collect(a.n)",
    "RETURN collect(a.n + b.n)",
    "RETURN a.k, collect(b.s)",
    "RETURN collect(a)",
    "RETURN percentileCont(a.n * 100000 + b.n, 0.5)",
    "RETURN percentileDisc(a.n + b.n / 7.0, 0.5)",
    "RETURN percentileDisc(a.n, 0.5), count(DISTINCT a.s + b.s)",
    "RETURN count(DISTINCT a.n * 6000 + b.n)",
    "RETURN count(DISTINCT [a.n, b.n])",
    "WITH DISTINCT a.n AS x, b.n AS y RETURN count(*)",
    "WITH a.s AS x, b.n AS y, count(*) AS c RETURN max(c)",
    "WITH a.n AS x, b.n AS y ORDER BY x + y SKIP 1 RETURN count(*), max(x + y), min(y)",
    "WITH a.n AS x, b.n AS y ORDER BY x DESC, y LIMIT 30000000 RETURN max(x + y)",
    "WITH collect([a.n, b.n]) AS l RETURN size(tail(l))",
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
        let text = "RETURN last(COLLECT { MATCH (a:A), (b:A) RETURN a.n })";
        let settings = Settings { budget: MemoryBudget::new(LIMIT, None), threads, ..Settings::default() };
        assert!(matches!(ask(text, &graph, settings), Err(ExecError::Memory(_))), "{text}");
    }
}

/// With room for everything they run for seconds; told to stop, they do soon: in time of a core, whoever else
/// wants it.
#[test]
fn every_operator_stops_when_it_is_told_to() {
    let graph = graph();
    let others = [
        "MATCH (a:A), (b:A), (c:A) WHERE a.n + b.n = c.n + 0.5 RETURN count(*)",
        "MATCH (a:A), (b:A), (c:A) RETURN sum(a.n * b.n + c.n)",
        "MATCH (a:A), (b:A), (c:A) RETURN stDev(a.n + b.n * c.n)",
        "UNWIND range(1, 1000000000000) AS i WITH i WHERE i < 0 RETURN i",
        "UNWIND range(1, 1000000000000) AS i WITH i SKIP 999999999999 RETURN i",
        "UNWIND range(1, 3000000000) AS i MATCH (a:A) WHERE a.n = i % 7 RETURN max(i + a.n)",
        "MATCH (a:A), (b:A), (c:A) WHERE EXISTS { MATCH (d:A) WHERE d.n = a.n + b.n + c.n + 0.5 } RETURN a",
        "RETURN reduce(s = 0, i IN range(1, 1000000000) | s + i % 7)",
        "RETURN size([i IN range(1, 1000000000) WHERE i < 0])",
        "RETURN any(i IN range(1, 1000000000) WHERE i < 0)",
        "RETURN size(reduce(l = [], i IN range(1, 1000000000) | l + i))",
        "RETURN size(reduce(l = range(1, 1000000), i IN range(1, 100000) | [i] + l[1..]))",
        "MATCH (a:A), (b:A), (c:A) RETURN a.n + b.n + c.n AS x ORDER BY x LIMIT 5",
        "MATCH (a:A), (b:A), (c:A) RETURN DISTINCT a.n + b.n + c.n",
    ];
    let all: Vec<String> =
        GROWING.iter().map(|rest| format!("{PRODUCT} {rest}")).chain(others.map(str::to_owned)).collect();
    for text in all {
        let pause = Duration::from_millis(150);
        let cancel = CancelToken::default().until(Instant::now() + pause);
        // It runs on this thread.
        let budget = MemoryBudget::new(3 << 30, None);
        let settings = Settings { threads: 1, budget, cancel, ..Settings::default() };
        let time = ThreadTime::of_this_thread();
        let result = ask(&text, &graph, settings);
        let late = time.taken().saturating_sub(pause);
        assert_eq!(result.err(), Some(ExecError::Cancelled), "{text}");
        println!("{late:?} {text}");
        assert!(late < Duration::from_secs(5), "{text} stopped {late:?} after it was told to");
    }
}

/// What a query has made when it is stopped is not freed before it gives its error: it is held until the
/// query is let go of, and then freed elsewhere.
#[test]
fn what_a_stopped_query_made_is_left_to_it() {
    const LARGE: usize = 32 << 20;
    let graph = created(&["UNWIND range(1, 3000) AS n CREATE (:A {n: n})"]);
    for text in [
        "MATCH (a:A), (b:A), (c:A) WITH [a.n, b.n, c.n] AS k, count(*) AS n RETURN count(n)",
        "MATCH (a:A), (b:A), (c:A) RETURN collect([a.n, [b.n]])",
        "MATCH (a:A), (b:A), (c:A) WITH DISTINCT [a.n, b.n, c.n] AS k RETURN count(k)",
        "MATCH (a:A), (b:A), (c:A) RETURN [a.n, [b.n]] AS k ORDER BY k",
    ] {
        for threads in [1, 3] {
            let budget = MemoryBudget::new(3 << 30, None);
            let settings = Settings { threads, budget: budget.clone(), ..Settings::default() };
            let (token, filled) = (settings.cancel.clone(), budget.clone());
            let planned =
                optimize(bind(text, graph.catalog()).unwrap(), graph.catalog(), None, Options::default());
            let mut execution = Execution::start(&planned.unwrap(), graph.clone(), settings).unwrap();
            let told = std::thread::spawn(move || {
                while filled.used_bytes() < LARGE {
                    std::thread::sleep(Duration::from_millis(1));
                }
                token.cancel();
            });
            let result = execution.next(|_, _, _| ());
            assert_eq!(result.err(), Some(ExecError::Cancelled), "{text}");
            told.join().unwrap();
            assert!(budget.used_bytes() > LARGE / 4, "{text}: {} bytes are left", budget.used_bytes());
            execution.discard();
            while budget.used_bytes() > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Constants that `IN` looks through are hashed once for a query, and held; where there is no room for that,
/// they are gone through.
#[test]
fn the_constants_of_in_are_held() {
    let graph = created(&["UNWIND range(1, 3000) AS n CREATE (:A {n: n, t: toString(n)})"]);
    // So far apart that they are no bits.
    let integer = |i: i64| Value::Int(if i > 1_000 { i * 1_000_003 } else { i * 3 });
    let integers = Value::list((0..100_000).map(integer).collect());
    let texts = Value::list((0..100_000).map(|i| Value::string((i * 3).to_string())).collect());
    for (list, property) in [(&integers, "n"), (&texts, "t")] {
        let parameters = with_parameters(&[("list", list.clone())]).parameters;
        for (limit, least) in [(1 << 30, 100_000 * 9), (1 << 19, 0)] {
            let budget = MemoryBudget::new(limit, None);
            let settings =
                Settings { budget: budget.clone(), parameters: parameters.clone(), ..Settings::default() };
            let query = format!("MATCH (a:A) WHERE a.{property} IN $list RETURN count(*)");
            let rows = ask(&query, &graph, settings).unwrap();
            assert_eq!(format!("{rows:?}"), "[[Int(1000)]]", "{query}");
            assert!(budget.peak_bytes() >= least, "{query}: {} bytes", budget.peak_bytes());
            assert_eq!(budget.used_bytes(), 0);
        }
    }
}

/// A range that `IN` looks through is never made.
#[test]
fn membership_in_a_range() {
    let graph = created(&["CREATE (:A {n: 7})"]);
    for (condition, expected) in [
        ("a.n IN range(1, 1000000000000000)", "true"),
        ("a.n IN range(2, 1000000000000000, 2)", "false"),
        ("a.n IN range(1, 1000000000000000, 2)", "true"),
        ("a.n IN range(1000000000000000, 1, -3)", "true"),
        ("a.n IN range(1000000000000000, 1, -2)", "false"),
        ("a.n IN range(8, 1000000000000000)", "false"),
        ("a.n IN range(10, 1)", "false"),
        ("7.0 IN range(a.n, 9)", "true"),
        ("7.5 IN range(a.n, 9)", "false"),
        ("'7' IN range(a.n, 1000000000000000)", "false"),
        ("a.x IN range(1, 1000000000000000)", "null"),
        ("a.x IN range(2, 1)", "false"),
        ("[7] IN range(1, 1000000000000000)", "false"),
    ] {
        assert_eq!(answer(&format!("MATCH (a:A) RETURN {condition}"), &graph), [expected], "{condition}");
    }
}

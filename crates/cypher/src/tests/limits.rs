//! Limits: nesting, length, time.

use trimorph_base::ThreadTime;

use crate::{NESTING_MAX, QUERY_BYTES_MAX, parse};

/// Ways to nest: before, opening, innermost, closing, after.
pub(super) const NESTS: &[(&str, &str, &str, &str, &str)] = &[
    ("RETURN ", "(", "1", ")", ""),
    ("RETURN ", "1+(", "1", ")", ""),
    ("RETURN ", "1 OR 1 XOR 1 AND NOT 1 = 1 + 1 * 1 ^ -(", "1", ")", ""),
    ("RETURN ", "[", "", "]", ""),
    ("RETURN ", "[x IN [1] WHERE true | ", "x", "]", ""),
    ("RETURN ", "[x IN ", "xs", ", 1]", ""),
    ("RETURN ", "{a: ", "1", "}", ""),
    ("RETURN ", "f(1, ", "1", ")", ""),
    ("RETURN ", "NOT ", "true", "", ""),
    ("RETURN ", "- ", "x", "", ""),
    ("RETURN ", "x[", "1", "]", ""),
    ("RETURN x", "[1]", "", "", ""),
    ("RETURN x", ".y", "", "", ""),
    ("RETURN 1", " IS NULL", "", "", ""),
    ("RETURN ", "CASE WHEN ", "1", " THEN 1 END", ""),
    ("RETURN ", "all(x IN ", "xs", " WHERE x)", ""),
    ("RETURN ", "reduce(a = 1, x IN xs | ", "x", ")", ""),
    ("RETURN ", "EXISTS { MATCH (n) WHERE ", "true", " }", ""),
    ("RETURN ", "COUNT { (n) WHERE ", "true", " }", ""),
    ("RETURN ", "EXISTS { MATCH (n {x: [(a)-->(b {y: ", "1", "}) | a]}) }", ""),
    ("RETURN ", "x {a: ", "1", "}", ""),
    ("MATCH (n:", "!", "A", "", ") RETURN n"),
    ("MATCH (n:", "(", "A", ")", ") RETURN n"),
    ("MATCH ", "(", "(n)", ")", " RETURN n"),
    ("", "CALL { ", "RETURN 1 AS x", " }", ""),
    ("", "FOREACH (x IN xs | ", "CREATE ()", ")", ""),
    ("MATCH (n) WHERE ", "(n)-->(m WHERE ", "true", ")", " RETURN n"),
];

pub(super) fn nested(
    (before, open, inner, close, after): (&str, &str, &str, &str, &str),
    times: usize,
) -> String {
    format!("{before}{}{inner}{}{after}", open.repeat(times), close.repeat(times))
}

/// Runs in a thread with the stack of a test or worker thread, far less than a main thread's.
pub(super) fn on_small_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("no panic");
    });
}

#[test]
fn deep_nesting_fits_a_small_stack() {
    on_small_stack(|| {
        for &nest in NESTS {
            let mut deepest = 0;
            for times in (10..=NESTING_MAX as usize).step_by(7) {
                if let Ok(statement) = parse(&nested(nest, times)) {
                    deepest = times;
                    // A recursive walk of the result, as a binder would do.
                    assert_eq!(statement.clone(), statement);
                }
            }
            assert!(deepest >= 20, "{nest:?} only {deepest} deep");
            for times in [NESTING_MAX as usize + 1, 5_000, 200_000] {
                let error = parse(&nested(nest, times)).expect_err("too deep");
                assert_eq!(error.detail, "NestingTooDeep", "{nest:?}");
            }
        }
    });
}

#[test]
fn flat_chains_may_be_long() {
    on_small_stack(|| {
        for (first, more) in [
            ("RETURN true", " AND true"),
            ("RETURN n.x = 0", " OR n.x = 1"),
            ("RETURN 1", " < 2"),
            ("RETURN 1", ", 2"),
            ("RETURN 1", " + 1"),
            ("RETURN 1", " - 1 + 1"),
            ("RETURN x", " * y / 2 % 3"),
            ("RETURN 2", " ^ 1"),
            ("RETURN 1", " + 2 * 3 * 4"),
            ("RETURN n:A", ":B"),
            ("RETURN n:A", "|B"),
            ("CREATE ()", "-[:T]->()"),
            ("RETURN 1", " UNION RETURN 1"),
            ("CREATE (a)", " CREATE (a)"),
        ] {
            parse(&format!("{first}{}", more.repeat(20_000))).unwrap_or_else(|e| panic!("{more}: {e}"));
        }
    });
}

#[test]
fn a_query_has_a_length_limit() {
    let longest = format!("RETURN '{}'", "a".repeat(QUERY_BYTES_MAX - 9));
    assert!(parse(&longest).is_ok());
    let error = parse(&format!("{longest} ")).expect_err("too long");
    assert_eq!(error.detail, "QueryTooLong");
}

/// Texts that would take exponential or quadratic time with backtracking or repeated looks.
#[test]
fn time_is_linear() {
    let time = ThreadTime::of_this_thread();
    for (open, times) in [
        ("(", 400),
        ("[x IN ", 400),
        ("[(a)-[", 400),
        ("(a)-[:T", 100_000),
        ("(a)--", 100_000),
        ("[a, ", 100_000),
        ("{a: ", 100_000),
        ("a.", 300_000),
        ("((", 300_000),
        ("[x IN [(n)-->(", 100_000),
        ("RETURN 1 UNION ", 50_000),
        ("'", 300_001),
        ("/*", 300_001),
    ] {
        let _ = parse(&format!("RETURN {}", open.repeat(times)));
        let _ = parse(&format!("RETURN {}1{}", open.repeat(times), ")".repeat(times)));
        let _ = parse(&format!("RETURN {}1{}", open.repeat(times), "]".repeat(times)));
    }
    // Seconds where quadratic time would take many minutes.
    assert!(time.taken().as_secs() < 20, "{:?}", time.taken());
}

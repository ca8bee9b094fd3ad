//! A hundred thousand of anything that a query may have many of: it gets an answer or an error that says
//! which limit it meets, on a small stack and in a time that does not run away. `LARGE=n` says how many.

use std::time::{Duration, Instant};

use trimorph::{Config, Database, Error};

/// One node `:One {i: 0}` with a relationship to `:Two {i: 1}`.
fn pair() -> Database {
    let dir = std::env::temp_dir().join(format!(
        "trimorph-pair-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("nodes.csv"), "i:ID{id-type: long},:LABEL\n0,One\n1,Two\n").unwrap();
    std::fs::write(dir.join("edges.csv"), ":START_ID,:END_ID,:TYPE\n0,1,TO\n").unwrap();
    let db = Database::in_memory(Config::new().threads(2));
    db.load(std::slice::from_ref(&dir), None, &db.load_options(), &trimorph::NoProgress).unwrap();
    std::fs::remove_dir_all(dir).unwrap();
    db
}

/// The first value of the first row, or the error's detail word.
fn outcome(db: &Database, text: &str) -> String {
    let first = || {
        let mut result = db.connect().query(text, &[])?;
        let row = result.next_row()?;
        Ok(row.map_or("no row".to_owned(), |row| result.format(&row[0])))
    };
    match first() {
        Ok(value) => value,
        Err(Error::Query { diagnostic, .. }) => diagnostic.detail.to_owned(),
        Err(other) => other.to_string(),
    }
}

fn many(n: usize, join: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(join)
}

/// What a query is made of, how it is made of so many, and what then comes out.
type Case = (&'static str, fn(usize) -> String, &'static str);

const TOO_COMPLEX: &str = "QueryTooComplex";
const TOO_DEEP: &str = "NestingTooDeep";

/// Chains and lists that have no limit but the text's.
const FLAT: &[Case] = &[
    ("terms of a sum", |n| format!("RETURN {}", many(n, " + ", |_| "1".into())), "n"),
    (
        "terms of a sum of properties",
        |n| format!("MATCH (a:Two) RETURN {}", many(n, " + ", |_| "a.i".into())),
        "n",
    ),
    ("products", |n| format!("MATCH (a:Two) RETURN {}", many(n, " * ", |_| "a.i".into())), "1"),
    ("differences and sums", |n| format!("MATCH (a:Two) RETURN 1 {}", "- a.i + a.i ".repeat(n)), "1"),
    ("texts", |n| format!("RETURN size({})", many(n.min(20_000), " + ", |_| "'a'".into())), "texts"),
    (
        "AND",
        |n| format!("MATCH (a:Two) WHERE {} RETURN a.i", many(n, " AND ", |i| format!("a.i > -{i}"))),
        "1",
    ),
    (
        "AND of unlike things",
        |n| format!("MATCH (a:Two) WHERE {} RETURN a.i", many(n, " AND ", |i| format!("a.i + {i} > 0"))),
        "1",
    ),
    (
        "OR",
        |n| format!("MATCH (a:Two) WHERE {} RETURN a.i", many(n, " OR ", |i| format!("a.i = -{i}"))),
        "no row",
    ),
    ("XOR", |n| format!("RETURN {}", many(n + 1 - n % 2, " XOR ", |_| "true".into())), "true"),
    ("comparisons", |n| format!("RETURN {}", many(n, " < ", |i| i.to_string())), "true"),
    ("elements of a list", |n| format!("RETURN size([{}])", many(n, ", ", |i| i.to_string())), "n"),
    (
        "entries of a map",
        |n| format!("RETURN size(keys({{{}}}))", many(n, ", ", |i| format!("k{i}: {i}"))),
        "n",
    ),
    (
        "branches of CASE",
        |n| {
            format!(
                "MATCH (a:One) RETURN CASE {} ELSE 7 END",
                many(n, " ", |i| format!("WHEN a.i > {i} THEN {i}"))
            )
        },
        "7",
    ),
    (
        "simple branches of CASE",
        |n| {
            format!(
                "MATCH (a:One) RETURN CASE a.i {} ELSE 7 END",
                many(n.min(20_000), " ", |i| format!("WHEN {} THEN {i}", i + 1))
            )
        },
        "7",
    ),
    (
        "properties of a node",
        |n| format!("MATCH (a:One {{{}}}) RETURN 1", many(n, ", ", |i| format!("p{i}: {i}"))),
        "no row",
    ),
    ("labels", |n| format!("MATCH (a:One) RETURN a{}", many(n, "", |i| format!(":L{i}"))), "false"),
    (
        "either of labels",
        |n| {
            format!(
                "MATCH (a:{}) RETURN a.i",
                many(n, "|", |i| if i == 7 { "Two".into() } else { format!("L{i}") })
            )
        },
        "1",
    ),
    ("columns", |n| format!("MATCH (a:Two) RETURN {}", many(n, ", ", |i| format!("a.i + {i} AS c{i}"))), "1"),
    ("columns by name", |n| format!("WITH {} RETURN *", many(n, ", ", |i| format!("{i} AS c{i}"))), "0"),
    (
        "aggregates",
        |n| format!("MATCH (a:Two) RETURN {}", many(n, ", ", |i| format!("sum(a.i + {i}) AS c{i}"))),
        "1",
    ),
    (
        "keys",
        |n| {
            format!("MATCH (a:Two) RETURN {}, count(*) AS c", many(n, ", ", |i| format!("a.i + {i} AS c{i}")))
        },
        "1",
    ),
    (
        "sort keys",
        |n| format!("MATCH (a:Two) RETURN a.i ORDER BY {}", many(n, ", ", |i| format!("a.i + {i}"))),
        "1",
    ),
    ("branches of UNION", |n| many(n.min(20_000), " UNION ", |_| "RETURN 1 AS x".into()), "1"),
    (
        "arguments",
        |n| {
            format!(
                "RETURN coalesce({})",
                many(n, ", ", |i| if i + 1 == n { "5".into() } else { "null".into() })
            )
        },
        "5",
    ),
    ("parts of one name", |n| format!("MATCH (a:One), {} RETURN a.i", many(n, ", ", |_| "(a)".into())), "0"),
    (
        "parts with a label each",
        |n| format!("MATCH (a:One), {} RETURN a.i", many(n, ", ", |i| format!("(a:L{i})"))),
        "no row",
    ),
];

/// What has a limit, and the error that names it.
const LIMITED: &[Case] = &[
    ("nodes", |n| format!("MATCH {} RETURN 1", many(n, ", ", |_| "(:One)".into())), TOO_COMPLEX),
    ("relationships", |n| format!("MATCH (){} RETURN 1", "-->()".repeat(n)), TOO_COMPLEX),
    ("paths", |n| format!("MATCH {} RETURN 1", many(n, ", ", |i| format!("(a{i})-->(b{i})"))), TOO_COMPLEX),
    ("MATCH", |n| format!("{} RETURN 1", many(n, " ", |i| format!("MATCH (a{i}:One)"))), TOO_COMPLEX),
    ("OPTIONAL MATCH", |n| format!("{} RETURN 1", "OPTIONAL MATCH (:One) ".repeat(n)), TOO_COMPLEX),
    ("WITH", |n| format!("WITH 1 AS x {} RETURN x", "WITH x + 1 AS x ".repeat(n)), TOO_COMPLEX),
    ("UNWIND", |n| format!("{} RETURN 1", many(n, " ", |i| format!("UNWIND [1] AS x{i}"))), TOO_COMPLEX),
    (
        "CALL",
        |n| format!("{} RETURN 1", many(n, " ", |i| format!("CALL {{ RETURN 1 AS x{i} }}"))),
        TOO_COMPLEX,
    ),
    (
        "patterns as predicates",
        |n| format!("MATCH (a) WHERE {} RETURN 1", many(n, " AND ", |_| "(a)-->()".into())),
        TOO_COMPLEX,
    ),
    ("NOT", |n| format!("RETURN {} true", "NOT ".repeat(n)), TOO_DEEP),
    ("signs", |n| format!("RETURN {} 1", "- ".repeat(n)), TOO_DEEP),
    ("parentheses", |n| format!("RETURN {}1{}", "(".repeat(n), ")".repeat(n)), TOO_DEEP),
    ("lists in lists", |n| format!("RETURN {}1{}", "[".repeat(n), "]".repeat(n)), TOO_DEEP),
    ("maps in maps", |n| format!("RETURN {}1{}", "{a: ".repeat(n), "}".repeat(n)), TOO_DEEP),
    (
        "subqueries",
        |n| format!("RETURN {}true{}", "EXISTS { MATCH (a) WHERE ".repeat(n), "}".repeat(n)),
        TOO_DEEP,
    ),
    ("sums in sums", |n| format!("RETURN {}1{}", "1 + (".repeat(n), ")".repeat(n)), TOO_DEEP),
    (
        "CASE in CASE",
        |n| format!("RETURN {}1{}", "CASE WHEN true THEN ".repeat(n), " END".repeat(n)),
        TOO_DEEP,
    ),
    ("properties of properties", |n| format!("WITH {{}} AS m RETURN m{}", ".a".repeat(n)), TOO_DEEP),
    ("tests for null", |n| format!("RETURN 1{}", " IS NULL".repeat(n)), TOO_DEEP),
];

/// What is within all limits: every query of these runs to its end.
const WITHIN: &[Case] = &[
    ("nodes", |_| format!("MATCH {} RETURN 1", many(1_700, ", ", |_| "(:One)".into())), "1"),
    (
        "nodes that are counted",
        |_| format!("MATCH {} RETURN count(*)", many(1_700, ", ", |_| "(:One)".into())),
        "1",
    ),
    ("relationships", |_| format!("MATCH (){} RETURN 1", "-->()".repeat(1_000)), "no row"),
    ("relationships either way", |_| format!("MATCH (a:One){} RETURN count(*)", "--()".repeat(300)), "0"),
    (
        "a star",
        |_| format!("MATCH {} RETURN count(*)", many(400, ", ", |i| format!("(a:One)-->(b{i})"))),
        "0",
    ),
    ("WITH", |_| format!("WITH 1 AS x {} RETURN x", "WITH x + 1 AS x ".repeat(450)), "451"),
    ("OPTIONAL MATCH", |_| format!("{} RETURN 1", "OPTIONAL MATCH (:One) ".repeat(200)), "1"),
    ("UNWIND", |_| format!("{} RETURN 1", many(450, " ", |i| format!("UNWIND [1] AS x{i}"))), "1"),
    ("CALL", |_| format!("{} RETURN 1", many(200, " ", |i| format!("CALL {{ RETURN 1 AS x{i} }}"))), "1"),
    ("NOT", |_| format!("MATCH (a:One) RETURN {} (a.i = 0)", "NOT ".repeat(400)), "true"),
    (
        "lists in lists",
        |_| format!("MATCH (a:One) RETURN size({}a.i{})", "[".repeat(400), "]".repeat(400)),
        "1",
    ),
    (
        "sums in sums",
        |_| format!("MATCH (a:One) RETURN {}a.i{}", "1 + (".repeat(240), ")".repeat(240)),
        "240",
    ),
    ("an explained plan", |_| format!("EXPLAIN MATCH (){} RETURN 1", "-->()".repeat(600)), "estimate"),
];

fn run(cases: &'static [Case], n: usize, stack_bytes: usize) {
    let db = pair();
    let work = move || {
        let mut wrong = Vec::new();
        for (what, text, expected) in cases {
            let text = text(n);
            let begin = Instant::now();
            let actual = outcome(&db, &text);
            let took = begin.elapsed();
            if std::env::var_os("LARGE").is_some() {
                println!("{took:>10.1?} {what}: {actual:.40}");
            }
            let expected = match *expected {
                "n" => n.to_string(),
                "texts" => n.min(20_000).to_string(),
                other => other.to_owned(),
            };
            let is_right = actual == expected || expected == "estimate" && actual.starts_with("estimate");
            if !is_right || took > Duration::from_secs(60) {
                wrong.push(format!("{what}: {actual:.200} in {took:?}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    std::thread::Builder::new().stack_size(stack_bytes).spawn(work).unwrap().join().unwrap();
}

fn how_many() -> usize {
    std::env::var("LARGE").map_or(10_000, |n| n.parse().unwrap())
}

#[test]
fn flat_things_have_no_limit() {
    run(FLAT, how_many(), 2 << 20);
}

#[test]
fn limits_are_named() {
    run(LIMITED, how_many(), 2 << 20);
}

#[test]
fn what_is_within_the_limits_runs() {
    run(WITHIN, 0, 2 << 20);
}

/// What a thread may have where the system gives it little.
#[test]
fn half_a_mebibyte_of_stack_is_enough() {
    run(LIMITED, 3_000, 512 << 10);
    run(WITHIN, 0, 512 << 10);
}

//! What several places of a plan compute in the same way is computed once: the same rows as without, on one
//! thread and on two, with little memory, in both languages; and what is not shared.

use std::sync::Arc;

use trimorph::{Config, Database};
use trimorph_base::MemoryBudget;
use trimorph_exec::{Settings, SpillArea, TemporaryDirectory};
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{created, sorted_rows_and_plan};

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(1, 600) AS n CREATE (:A {n: n, g: n % 40, x: CASE n % 3 WHEN 0 THEN n % 7 WHEN 1 THEN 'x' + toString(n % 9) END, l: [n % 5, n], day: date('2020-01-01') + duration({days: n % 100})})",
        "MATCH (a:A), (b:A) WHERE b.n = a.n * 2 OR b.n = a.n + 17 CREATE (a)-[:T {w: a.n % 11}]->(b)",
    ])
}

/// How often the plan reads rows of spools, and how many spools it has.
fn counts(plan: &str) -> (usize, usize) {
    let count = |name: &str| plan.lines().filter(|line| line.contains(name)).count();
    (count("SpoolRead "), count("Spool "))
}

/// Groups by degree, as a subquery that nothing outside is known to.
fn groups(name: &str) -> String {
    format!(
        "CALL {{ MATCH ({name}:A)-[:T]->(other) WITH {name}, count(other) AS {name}_n WHERE {name}_n > 1 RETURN {name}, {name}_n }}"
    )
}

#[test]
fn what_is_shared_is_the_same() {
    let (a, b, c) = (groups("a"), groups("b"), groups("c"));
    let top = |name: &str| {
        format!(
            "CALL {{ MATCH (m:A)-[:T]->() WITH m.g AS {name}, count(*) AS many ORDER BY many DESC, {name} LIMIT 7 RETURN {name} }}"
        )
    };
    let queries = [
        (format!("{a} {b} WITH a, a_n, b WHERE a.g = b.g RETURN a.n, a_n, b.n"), (2, 1)),
        (format!("{a} {b} {c} WITH * WHERE a.g = b.g AND b.g = c.g AND a_n <= c_n RETURN a.n, b_n, c.n"), (3, 1)),
        (format!("{a} RETURN a.n AS n, a_n AS k UNION ALL {b} RETURN b.n AS n, b_n AS k"), (2, 1)),
        (format!("{a} RETURN a.x AS n UNION {b} RETURN b.day AS n"), (2, 1)),
        (format!("{} {} RETURN x, y", top("x"), top("y")), (2, 1)),
        (format!("{a} OPTIONAL MATCH (a)-[:T]->(z) WHERE z.g IN COLLECT {{ {b} RETURN b.g }} RETURN a.n, z.n"), (2, 1)),
        // Only how many there are.
        (format!("{a} {b} RETURN count(*)"), (2, 1)),
        // One is made of the other, which stands in a third place as well.
        (
            format!("{a} WITH a.g AS g, sum(a_n) AS s RETURN g AS n, s UNION ALL {b} WITH b.g AS g, sum(b_n) AS s RETURN g AS n, s UNION ALL {c} RETURN c.n AS n, c_n AS s"),
            (4, 2),
        ),
        // Values of all types.
        (
            "MATCH (a:A) WITH a.x AS x, a.l AS l, max(a.day) AS d, [min(a.n), max(a.n)] AS c RETURN x, l, d, c UNION ALL MATCH (a:A) WITH a.x AS x, a.l AS l, max(a.day) AS d, [min(a.n), max(a.n)] AS c RETURN x, l, d, c".to_owned(),
            (2, 1),
        ),
        // What is asked of the groups differs: they are the same below.
        (format!("{a} {} RETURN a.n, b.n", b.replace("> 1", "> 0")), (2, 1)),
        // They differ.
        (format!("{a} {} RETURN a.n, b.n", b.replace("count(other)", "sum(other.n)")), (0, 0)),
        // Nothing is grouped or sorted.
        ("MATCH (a:A) WHERE a.n < 9 RETURN a.n AS n UNION ALL MATCH (b:A) WHERE b.n < 9 RETURN b.n AS n".to_owned(), (0, 0)),
        // Each for its own row.
        ("MATCH (a:A) RETURN a.n, COUNT { (a)-[:T]->(b) WHERE b.g > 3 }, COLLECT { MATCH (a)-[:T]->(b) RETURN DISTINCT b.g }, COLLECT { MATCH (a)-[:T]->(b) RETURN DISTINCT b.g } AS again".to_owned(), (0, 0)),
    ];
    let snapshot = graph();
    let without = Options::default().without("share_subplans").unwrap();
    for (query, expected_counts) in &queries {
        let (expected, plan) = sorted_rows_and_plan(query, &snapshot, without, Settings::default());
        assert_eq!(counts(&plan), (0, 0), "{query}\n{plan}");
        assert!(!expected.is_empty(), "{query}");
        for threads in [1, 2] {
            for vector_size in [7, 2048] {
                let settings = Settings { threads, vector_size, patient: false, ..Settings::default() };
                let (found, plan) = sorted_rows_and_plan(query, &snapshot, Options::default(), settings);
                assert_eq!(counts(&plan), *expected_counts, "{query}\n{plan}");
                assert_eq!(found, expected, "{query} on {threads}\n{plan}");
            }
        }
    }
}

#[test]
fn rows_without_room_go_to_a_file() {
    let snapshot = created(&[
        "UNWIND range(1, 40000) AS n CREATE (:A {n: n, s: 'text number ' + toString((n * 31) % 30000) + ' is as long as a text should be so that memory is short of it'})",
    ]);
    let one = "MATCH (a:A) WITH a.s AS s, max(a.n) AS m, min(a.n) AS n RETURN s, m, [n, m] AS l";
    let query = format!("{one} UNION ALL {one}");
    let without = Options::default().without("share_subplans").unwrap();
    let (expected, _) = sorted_rows_and_plan(&query, &snapshot, without, Settings::default());
    for threads in [1, 2] {
        let area = Arc::new(SpillArea::new(Box::new(TemporaryDirectory(std::env::temp_dir())), u64::MAX));
        let budget = MemoryBudget::new(2 << 20, None);
        let spill = Some(Arc::clone(&area));
        let settings = Settings { budget: budget.clone(), threads, spill, ..Settings::default() };
        let (found, plan) = sorted_rows_and_plan(&query, &snapshot, Options::default(), settings);
        assert_eq!(counts(&plan), (2, 1), "{plan}");
        assert!(area.written_bytes() > 0, "on {threads}: nothing was spilled");
        assert!(found == expected, "on {threads}: other rows");
        assert_eq!((budget.used_bytes(), area.used_bytes()), (0, 0));
    }
}

#[test]
fn what_writes_or_draws_lots_is_not_shared() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let rows = |text: &str| {
        let mut result = connection.query(text, &[]).unwrap();
        let mut rows = Vec::new();
        while let Some(row) = result.next_row().unwrap() {
            rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
        }
        rows
    };
    rows("UNWIND range(1, 20) AS n CREATE (:A {n: n})");
    // The second count sees what was made between them.
    let twice = "CALL { MATCH (a:A) RETURN count(a.n + 0) AS x } CREATE (:A {n: 0}) WITH x LIMIT 1 CALL { MATCH (a:A) RETURN count(a.n + 0) AS y } RETURN x, y";
    assert_eq!(rows(twice), ["20 21"]);
    let drawn = "CALL { MATCH (a:A) WITH rand() AS r RETURN sum(r) AS x } CALL { MATCH (a:A) WITH rand() AS r RETURN sum(r) AS y } RETURN x = y";
    assert_eq!(rows(drawn), ["false"]);
    let plan = rows(&format!("EXPLAIN {drawn}")).join("\n");
    assert_eq!(counts(&plan), (0, 0), "{plan}");
}

/// SPARQL has no WITH: a sub-query that is needed twice is written twice.
#[test]
fn sub_queries_of_sparql() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let ask = |text: &str| {
        let mut result = connection.sparql(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let mut rows = Vec::new();
        while let Some(row) = result.next_row().unwrap() {
            rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
        }
        rows
    };
    let triples: Vec<String> =
        (0..60).map(|n| format!(":p{n} :knows :p{}, :p{} ; :n {n} .", n / 2, n % 7)).collect();
    ask(&format!("INSERT DATA {{ {} }}", triples.join(" ")));
    let known = |name: &str| {
        format!("{{ SELECT ?{name} (COUNT(*) AS ?{name}n) {{ ?x :knows ?{name} }} GROUP BY ?{name} }}")
    };
    let query = format!("SELECT ?an ?bn {{ {} {} FILTER(?an = ?bn && ?a != ?b) }}", known("a"), known("b"));
    let plan = ask(&format!("EXPLAIN {query}")).join("\n");
    assert_eq!(counts(&plan), (2, 1), "{plan}");
    // The same groups, which the second text computes in another way.
    let other = known("b").replace("COUNT(*)", "COUNT(?x)");
    let apart = format!("SELECT ?an ?bn {{ {} {other} FILTER(?an = ?bn && ?a != ?b) }}", known("a"));
    let sorted = |mut rows: Vec<String>| {
        rows.sort();
        rows
    };
    let found = sorted(ask(&query));
    assert!(found.len() > 10, "{found:?}");
    assert_eq!(found, sorted(ask(&apart)));
    // Once more, within a transaction that wrote.
    connection.begin().unwrap();
    ask("DELETE DATA { :p1 :knows :p0 }; INSERT DATA { :p1 :knows :p50 }");
    assert_eq!(sorted(ask(&query)), sorted(ask(&apart)));
    connection.rollback().unwrap();
    assert_eq!(sorted(ask(&query)), found);
}

//! Values that a short text can ask for and no machine can hold, or no stack walk: each is a typed error, and
//! what is left works.

use std::sync::Arc;

use trimorph::{Config, Database, Error};
use trimorph_base::MemoryBudget;
use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;

const LIMIT_BYTES: usize = 256 << 20;

/// The first cell of the answer as text, or the error's kind.
fn ask(query: &str) -> String {
    let db = Database::in_memory(Config::new().memory_limit_bytes(LIMIT_BYTES).threads(1));
    let connection = db.connect();
    let answer = connection.query(query, &[]).and_then(|mut result| {
        let row = result.next_row()?;
        Ok(row.map(|row| result.format(&row[0])))
    });
    match answer {
        Ok(cell) => cell.unwrap_or_default(),
        Err(Error::Memory(_)) => "memory".into(),
        Err(Error::Query { diagnostic, .. }) => diagnostic.detail.into(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn growth_is_refused_before_it_happens() {
    for query in [
        // Doubling: 2^40 bytes, 2^40 elements.
        "RETURN size(reduce(s = 'a', x IN range(1, 40) | s + s))",
        "RETURN size(reduce(s = [1], x IN range(1, 40) | s + s))",
        // One function, far more than its arguments.
        "WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s RETURN size(replace(s, 'a', s))",
        "WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s RETURN size(replace(s, '', s))",
        "WITH reduce(s = 'a', x IN range(1, 25) | s + s) AS s RETURN size(split(s, 'a'))",
        "RETURN size(range(1, 100000000000))",
        // Many that are each within the limit: in a list, in the rows of a vector, kept by a sort and by a
        // collect.
        "WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s RETURN size([x IN range(1, 10000) | s + x])",
        "WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s UNWIND range(1, 2000) AS x WITH s + x AS t RETURN t",
        "WITH reduce(s = 'a', x IN range(1, 16) | s + s) AS s UNWIND range(1, 100000) AS x \
         WITH s + x AS t ORDER BY t RETURN t",
        "WITH reduce(s = 'a', x IN range(1, 16) | s + s) AS s UNWIND range(1, 100000) AS x RETURN collect(s + x)",
        "RETURN size([x IN range(1, 100000) | [y IN range(1, 100000) | y]])",
    ] {
        assert_eq!(ask(query), "memory", "{query}");
    }
}

#[test]
fn values_that_no_one_could_walk_are_refused() {
    for query in [
        "RETURN size(reduce(s = [], x IN range(1, 1000000) | [s]))",
        "RETURN size(reduce(s = {}, x IN range(1, 1000000) | {a: s}))",
        "RETURN reduce(s = [1], x IN range(1, 60) | [s, s])",
        "WITH reduce(s = {a: 1}, x IN range(1, 60) | {a: s, b: s}) AS m RETURN m = m",
    ] {
        assert_eq!(ask(query), "ValueTooLarge", "{query}");
    }
    // Through rows in place of expressions.
    let doubled = "UNWIND [1, 2] AS x WITH collect(l) AS l ".repeat(40);
    assert_eq!(ask(&format!("WITH [1] AS l {doubled} RETURN l = l")), "ValueTooLarge");
}

#[test]
fn what_is_within_the_limits_is_made() {
    for (query, answer) in [
        // What counts away from its end is empty, however far that is.
        ("UNWIND [0] AS x RETURN size(range(x, -9223372036854775808))", "0"),
        ("UNWIND [9223372036854775807] AS x RETURN size(range(x, 1))", "0"),
        ("UNWIND [1] AS x RETURN size(range(x, 9223372036854775807, -1))", "0"),
        ("UNWIND [1] AS x RETURN size(range(x, 9223372036854775807, 9223372036854775807))", "1"),
        ("RETURN size(reduce(s = 'a', x IN range(1, 24) | s + s))", "16777216"),
        ("RETURN size(reduce(s = [], x IN range(1, 900) | [s]))", "1"),
        ("RETURN size(reduce(s = [], x IN range(1, 2000) | s + [x]))", "2000"),
        ("WITH reduce(s = 'ab', x IN range(1, 18) | s + s) AS s RETURN size(split(s, 'b'))", "262145"),
        ("WITH reduce(s = 'ab', x IN range(1, 18) | s + s) AS s RETURN size(replace(s, 'x', s))", "524288"),
        // Large, but shared: a thousand rows of one list of 8 MB.
        (
            "WITH range(1, 250000) AS l UNWIND range(1, 1000) AS x WITH [l, x] AS p RETURN sum(size(p))",
            "2000",
        ),
        // Large, but one after the other.
        (
            "WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s UNWIND range(1, 2000) AS x RETURN sum(size(s + x))",
            "2097158893",
        ),
    ] {
        assert_eq!(ask(query), answer, "{query}");
    }
}

#[test]
fn charges_are_given_back() {
    let db = Database::in_memory(Config::new().memory_limit_bytes(64 << 20).threads(1));
    let connection = db.connect();
    for _ in 0..20 {
        let query =
            "WITH reduce(s = 'a', x IN range(1, 23) | s + s) AS s WITH s + s AS t ORDER BY t RETURN size(t)";
        let rows = connection.query(query, &[]).and_then(trimorph::QueryResult::rows).unwrap();
        assert_eq!(rows.len(), 1);
    }
}

/// Counts of walks are passed along in arrays over all nodes; they go with the query.
#[test]
fn arrays_of_counts_are_given_back() {
    let mut graph = CreatedGraph::default();
    graph.execute("UNWIND range(1, 50) AS i CREATE (:A {n: i})").unwrap();
    graph.execute("MATCH (a:A) MATCH (b:A) WHERE a.n < b.n CREATE (a)-[:T]->(b)").unwrap();
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    let bound = bind(
        "MATCH (a)-[:T]->(b) MATCH (b)-[:T]->(c) MATCH (c)-[:T]->(d) RETURN count(*)",
        snapshot.catalog(),
    )
    .unwrap();
    let planned = Arc::new(optimize(bound, snapshot.catalog(), None, Options::default()).unwrap());
    let settings = Settings { budget: MemoryBudget::new(1 << 20, None), ..Settings::default() };
    for _ in 0..3 {
        let mut execution = Execution::start(&planned, snapshot.clone(), settings.clone()).unwrap();
        while execution.next(|_, positions, _| positions.len()).unwrap().is_some() {}
        drop(execution);
        assert_eq!(settings.budget.used_bytes(), 0);
    }
    assert!(settings.budget.peak_bytes() > 0);
}

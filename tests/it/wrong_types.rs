//! Values of a wrong type that are known only when rows flow: the error is that of the literal, and nothing
//! is taken for false or null.

use trimorph::{Config, Database};
use trimorph_exec::Settings;

use super::ask::{answer, created, failure};

#[test]
fn a_value_of_the_wrong_type_is_an_error() {
    let graph = created(&[
        "UNWIND [null, 1, 2] AS n CREATE (:A {n: n, flag: n = 1, one: 1})",
        "MATCH (a:A) CREATE (a)-[:T]->(a)",
    ]);
    for (query, expected) in [
        (
            "UNWIND [1, 'a'] AS x RETURN CASE WHEN x THEN 1 ELSE 2 END",
            "a predicate expects a BOOLEAN, not INTEGER",
        ),
        (
            "UNWIND ['a', 1] AS x RETURN [y IN [1, 2] WHERE x | y]",
            "a predicate expects a BOOLEAN, not STRING",
        ),
        ("UNWIND [1, 'a'] AS x WITH x WHERE x RETURN x", "a predicate expects a BOOLEAN, not INTEGER"),
        ("UNWIND [1, 'a'] AS x RETURN all(y IN [1] WHERE x)", "a predicate expects a BOOLEAN, not INTEGER"),
        ("UNWIND [1, 'a'] AS x RETURN x AND true", "a predicate expects a BOOLEAN, not INTEGER"),
        ("UNWIND [1, 'a'] AS x RETURN NOT x", "a predicate expects a BOOLEAN, not INTEGER"),
        // The first of the values is null.
        ("MATCH (a:A) WHERE a.n RETURN a", "a predicate expects a BOOLEAN, not INTEGER"),
        ("MATCH (a:A) WHERE a.one AND a.flag RETURN a", "a predicate expects a BOOLEAN, not INTEGER"),
        (
            "MATCH (a:A) RETURN sum(CASE WHEN a.n THEN 1 ELSE 2 END)",
            "a predicate expects a BOOLEAN, not INTEGER",
        ),
        ("UNWIND [1, 'a'] AS a MATCH (a) RETURN a", "labels() expects a NODE, not INTEGER"),
        ("UNWIND [1, 'a'] AS a MATCH (a)-->(b) RETURN a", "labels() expects a NODE, not INTEGER"),
        ("UNWIND [1, 'a'] AS a MATCH (b:A), (a)-->(b) RETURN a", "labels() expects a NODE, not INTEGER"),
        ("UNWIND [1, 'a'] AS r MATCH ()-[r]->() RETURN r", "expected a node or relationship, found INTEGER"),
    ] {
        let text = failure(query, &graph, Settings::default());
        assert!(text.starts_with("TypeError") && text.contains(expected), "{query}: {text}");
    }
    for (query, expected) in [
        ("UNWIND [null, true, false] AS x RETURN CASE WHEN x THEN 1 ELSE 2 END", "2 1 2"),
        ("UNWIND [null, true, false] AS x RETURN [y IN [1] WHERE x | y]", "[] [1] []"),
        ("MATCH (a:A) WHERE a.flag RETURN a.n", "1"),
        ("MATCH (a:A) WHERE a.none RETURN a.n", ""),
        ("MATCH (a) WHERE id(a) = [0] RETURN count(a)", "0"),
        ("MATCH (a) WHERE id(a) = 0.0 RETURN count(a)", "1"),
        ("MATCH (a) WHERE id(a) = 'x' RETURN count(a)", "0"),
        ("UNWIND [null, null] AS a MATCH (a) RETURN a", ""),
        ("UNWIND [null, null] AS a MATCH (a)-[r]-() RETURN r", ""),
        ("MATCH (a:A) WITH [a, null] AS l UNWIND l AS a MATCH (a) RETURN count(a)", "3"),
    ] {
        assert_eq!(answer(query, &graph).join(" "), expected, "{query}");
    }
}

/// Aggregates and conditions say where they stand, and texts that are no dates how these are written.
#[test]
fn an_error_says_where_it_stands_and_what_to_write() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection
        .query("UNWIND range(1, 9) AS i CREATE (:A {i: i, t: 't', b: i * 1000000000000000000})", &[])
        .unwrap();
    for (text, place, hint) in [
        ("MATCH (a:A) RETURN sum(a.t)", "sum(a.t)", ""),
        ("MATCH (a:A) RETURN a.i % 2 AS k, avg(a.t) AS x", "avg(a.t)", ""),
        ("MATCH (a:A) RETURN sum(DISTINCT a.t)", "sum(DISTINCT a.t)", ""),
        ("MATCH (a:A) RETURN stDev(a.t)", "stDev(a.t)", ""),
        ("MATCH (a:A) RETURN sum(a.b) AS s", "sum(a.b)", ""),
        ("MATCH (a:A) RETURN percentileDisc(a.i, 1.5)", "percentileDisc(a.i, 1.5)", ""),
        ("MATCH (a:A) WHERE a.t RETURN a", "t RETURN", ""),
        (
            "RETURN date.truncate('months', date())",
            "date.truncate('months', date())",
            "did you mean 'month'?",
        ),
        (
            "RETURN datetime({year: 2012, timezone: 'Europe/Berln'})",
            "datetime(",
            "did you mean 'Europe/Berlin'?",
        ),
        ("RETURN date('12/31/2012')", "date('12/31/2012')", "dates are written as '2012-12-31'"),
        (
            "RETURN datetime('2012-01-01 10:00:00')",
            "datetime('2012-01-01 10:00:00')",
            "write '2012-01-01T10:00:00Z'",
        ),
        (
            "RETURN localdatetime('yesterday')",
            "localdatetime('yesterday')",
            "a local datetime is written as '2012-12-31T18:30:00'",
        ),
    ] {
        let asked = connection.query(text, &[]).and_then(trimorph::QueryResult::rows);
        let error = asked.expect_err(text).to_string();
        let column = text.find(place).unwrap() + 1;
        assert!(error.contains(&format!("line 1, column {column}")), "{text}: {error}");
        assert!(error.contains(hint), "{text}: {error}");
    }
}

//! Values of a wrong type that are known only when rows flow: the error is that of the literal, and nothing
//! is taken for false or null.

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

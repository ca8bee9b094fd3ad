//! Queries within queries whose rows come from several places: every branch of a union and every side of a
//! join sees the outer row.

use super::ask::{answer, created};

#[test]
fn every_branch_sees_the_outer_row() {
    let graph = created(&[
        "UNWIND range(1, 3) AS n CREATE (:A {n: n})",
        "UNWIND range(1, 2) AS n CREATE (:B {n: n})",
        "MATCH (a:A) MATCH (b:B) WHERE a.n = b.n CREATE (a)-[:T]->(b)",
        "MATCH (a:A) MATCH (b:B) WHERE a.n = b.n + 1 CREATE (b)-[:U]->(a)",
    ]);
    for (query, expected) in [
        ("CALL { RETURN 1 AS x UNION ALL RETURN 2 AS x } RETURN x", "1 2"),
        ("CALL { RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x } RETURN x", "1 2"),
        (
            "UNWIND [1, 2] AS i CALL { WITH i RETURN i AS x UNION ALL WITH i RETURN -i AS x } RETURN x",
            "1 2 -1 -2",
        ),
        ("UNWIND [1, 2] AS i CALL (i) { RETURN i AS x UNION RETURN 0 AS x } RETURN x", "1 2 0 0"),
        ("RETURN COUNT { RETURN 1 AS x UNION ALL RETURN 2 AS x } AS n", "2"),
        ("UNWIND [1, 2, 3] AS i RETURN COUNT { RETURN i AS x UNION RETURN 2 AS x } AS n", "2 1 2"),
        (
            "UNWIND [1, 2] AS i RETURN COLLECT { RETURN i AS x UNION ALL RETURN -i AS x } AS l",
            "[1, -1] [2, -2]",
        ),
        (
            "UNWIND [1, 2] AS i RETURN EXISTS { UNWIND [] AS x RETURN x UNION UNWIND [1, i - 1] AS x WITH x WHERE x = 0 RETURN x } AS e",
            "true false",
        ),
        (
            "MATCH (a:A) RETURN EXISTS { MATCH (a)-[:T]->(b) RETURN b UNION MATCH (a)<-[:U]-(b) RETURN b } AS e ORDER BY a.n",
            "true true true",
        ),
        (
            "MATCH (a:A) RETURN COUNT { MATCH (a)-[:T]->(b) RETURN b UNION ALL MATCH (a)<-[:U]-(b) RETURN b } AS e ORDER BY a.n",
            "1 2 1",
        ),
        // Aggregates, limits and sorts in a branch look at the rows of one outer row.
        (
            "MATCH (a:A) CALL { WITH a MATCH (a)-[:T]->(b) RETURN count(b) AS x UNION ALL RETURN 7 AS x } RETURN x ORDER BY a.n, x",
            "1 7 1 7 0 7",
        ),
        (
            "CALL { MATCH (a:A) RETURN count(a) AS x UNION ALL MATCH (b:B) RETURN count(b) AS x } RETURN x",
            "3 2",
        ),
        ("CALL { MATCH (a:A) RETURN a.n AS x UNION ALL MATCH (b:B) RETURN b.n AS x } RETURN sum(x)", "9"),
        (
            "UNWIND [1, 2] AS i CALL { WITH i UNWIND [1, 2, 3] AS x RETURN x ORDER BY x DESC LIMIT 1 UNION ALL WITH i RETURN i AS x } RETURN x",
            "3 3 1 2",
        ),
        // A subquery in each branch, a union in a union.
        (
            "UNWIND [1, 2] AS i CALL { WITH i CALL { WITH i RETURN i AS y UNION ALL RETURN 0 AS y } RETURN y AS x UNION ALL WITH i RETURN i * 10 AS x } RETURN x",
            "1 2 0 0 10 20",
        ),
        (
            "UNWIND [1, 2] AS i OPTIONAL MATCH (a:A {n: i}), (b:B) WHERE COUNT { MATCH (a)-->(c) RETURN c UNION ALL MATCH (b)-->(c) RETURN c } = 2 RETURN i, count(*) AS n",
            "1 2 2 2",
        ),
    ] {
        assert_eq!(answer(query, &graph).join(" "), expected, "{query}");
    }
}

/// Names that a subquery has from outside are there to its end, whatever `WITH` names in between; rows that
/// are grouped without keys are one row for each row from outside.
#[test]
fn names_from_outside_stay() {
    let graph = created(&[
        "UNWIND range(1, 3) AS n CREATE (:A {n: n})",
        "UNWIND range(1, 2) AS n CREATE (:B {n: n})",
        "MATCH (a:A) MATCH (b:B) WHERE a.n = b.n CREATE (a)-[:T]->(b)",
    ]);
    for (query, expected) in [
        (
            "MATCH (a:A) CALL (a) { MATCH (x:B) WITH max(x.n) AS m MATCH (a)-[:T]->(b) WHERE b.n <= m RETURN b.n AS r } RETURN a.n * 10 + r AS v ORDER BY v",
            "11 22",
        ),
        (
            "MATCH (a:A) CALL (a) { MATCH (a)-[:T]->(x) WITH count(x) AS c RETURN c * 10 + a.n AS r } RETURN r ORDER BY r",
            "3 11 12",
        ),
        (
            "MATCH (a:A) CALL (a) { MATCH (x:B) WITH count(x) AS c WHERE a.n > c RETURN c AS r } RETURN a.n AS n",
            "3",
        ),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [10, 20] AS x WITH x WHERE x > 10 RETURN x + i AS r } RETURN r",
            "21 22",
        ),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [3, 3, 4] AS x WITH DISTINCT x ORDER BY x DESC LIMIT 1 RETURN x * i AS r } RETURN r",
            "4 8",
        ),
        (
            "MATCH (a:A) WHERE EXISTS { MATCH (x:B) WITH count(x) AS c MATCH (a)-[:T]->(b) WHERE b.n = c RETURN b } RETURN a.n AS n",
            "2",
        ),
        (
            "MATCH (a:A) RETURN COUNT { MATCH (a)-->(x) WITH count(x) AS c WHERE c < a.n RETURN c } AS v ORDER BY a.n",
            "0 1 1",
        ),
        ("UNWIND [1, 2] AS i CALL (*) { WITH 5 AS x RETURN x + i AS r } RETURN r", "6 7"),
        ("UNWIND [1, 2] AS `i i` CALL (`i i`) { WITH 5 AS x RETURN x + `i i` AS r } RETURN r", "6 7"),
        (
            "UNWIND [1, 2] AS i CALL (i) { WITH 5 AS x WITH x + 1 AS x WITH x AS y RETURN y + i AS r } RETURN r",
            "7 8",
        ),
        (
            "UNWIND [1, 2] AS `i i` CALL (`i i`) { UNWIND [] AS x WITH count(x) AS c WHERE `i i` > c + 1 RETURN c AS r } RETURN `i i` AS n",
            "2",
        ),
        // A list, a map and a null of one row, beside lists.
        (
            "MATCH (b:B) WITH collect(b) AS l, {n: max(b.n)} AS m, min(b.none) AS z MATCH (a:A)-[:T]->(b) WHERE b IN l AND a.n = m.n AND z IS NULL RETURN a.n AS n",
            "2",
        ),
        (
            "MATCH (b:B) WITH collect(b.n) AS l MATCH (a:A)-[:T]->(b) RETURN a.n + l[0] + size(l) AS n ORDER BY n",
            "4 5",
        ),
        // One that imports by WITH loses them to the next.
        ("UNWIND [1, 2] AS i CALL { WITH i WITH 5 AS x RETURN x AS r } RETURN r", "5 5"),
        ("UNWIND [1, 2] AS i CALL (i) { WITH 7 AS i RETURN i AS r } RETURN r", "7 7"),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [1, 2, 3] AS x WITH sum(x) AS s CALL (s) { UNWIND [s] AS y WITH max(y) AS m RETURN m + s AS z } RETURN z + i AS r } RETURN r",
            "13 14",
        ),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [1, 2, 3] AS x WITH sum(x) AS s WITH max(s) AS m RETURN m + i AS r } RETURN r",
            "7 8",
        ),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [1, 1, 2] AS x WITH x, count(*) AS c RETURN x * 100 + c * 10 + i AS r } RETURN r ORDER BY r",
            "121 122 211 212",
        ),
        (
            "UNWIND [1, 2] AS i CALL (i) { UNWIND [1, 2] AS x WITH max(x) AS m RETURN m + i AS r UNION ALL UNWIND [] AS x WITH count(x) AS m RETURN m - i AS r } RETURN r ORDER BY r",
            "-2 -1 3 4",
        ),
    ] {
        assert_eq!(answer(query, &graph).join(" "), expected, "{query}");
    }
}

//! What one row gives and grouping carries along: groups have it as they have it where it is a key, also
//! where there is no row, on one thread and on two.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::sorted_rows_and_plan;
use super::group_limits::graph_with;

/// Queries, and whether what is carried is put beside the groups.
const QUERIES: [(&str, bool); 17] = [
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:A)-[:T]->(q) WHERE q.n IN l WITH l, p, count(q) AS c RETURN size(l), p.n, c",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a) AS l, count(*) AS k MATCH (p:A)-[:T]->(q) WITH l, k + 1 AS m, p.g AS g, count(q) AS c, max(q.n + k) AS x RETURN size(l), g, c, m, x",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:A)-[:T]->(q) WITH DISTINCT l, p.g AS g RETURN size(l), g",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH max(a.n) AS m MATCH (p:A)-[:T]->(q) WITH m, p, count(q) AS c WHERE c < m WITH m, p.g AS g, sum(c) AS s RETURN m, g, s",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH max(a.n) AS m MATCH (p:A) OPTIONAL MATCH (p)-[:T]->(q) WHERE q.n > m WITH m, p, count(q) AS c RETURN m, p.n, c",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:None)-[:T]->(q) WITH l, p, count(q) AS c RETURN l, p.n, c",
        false,
    ),
    (
        "MATCH (a:A) WHERE a.n > 9999 WITH collect(a.n) AS l MATCH (p:A)-[:T]->(q) WITH l, p.g AS g, count(q) AS c RETURN l, g, c",
        false,
    ),
    // Without another key there is no group without rows.
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:A) WHERE p.n > 9999 WITH l, count(p) AS c RETURN l, c",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:A)-[:T]->(q) WITH l, collect(DISTINCT q.g) AS c RETURN size(l), size(c)",
        true,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l MATCH (p:A)-[:T]->(q) WITH DISTINCT l RETURN size(l)",
        false,
    ),
    ("MATCH (a:A) WHERE a.n < 9 WITH collect(a.n) AS l WITH l, count(*) AS c RETURN size(l), c", false),
    // Several rows, or one of any.
    (
        "MATCH (a:A) WHERE a.n < 9 WITH a.g AS g, max(a.n) AS m MATCH (p:A)-[:T]->(q) WITH m, p, count(q) AS c RETURN m, p.n, c",
        false,
    ),
    (
        "MATCH (a:A) WHERE a.n = 7 WITH a LIMIT 1 MATCH (p:A)-[:T]->(q) WITH a, p, count(q) AS c RETURN a.n, p.n, c",
        false,
    ),
    (
        "MATCH (a:A) WHERE a.n < 9 WITH max(a.n) AS m MATCH (p:A)-[:T]->(q) WITH m + p.g AS k, p, count(q) AS c RETURN k, p.n, c",
        false,
    ),
    (
        "MATCH (a:A) WITH min(a.n) AS m MATCH (b:B) WITH m, max(b.n) AS n MATCH (p:A)-[:T]->(q) WITH m, n, p, count(q) AS c RETURN m, n, p.n, c",
        true,
    ),
    (
        "MATCH (p:A) WHERE EXISTS { MATCH (a:A) WITH max(a.n) AS m MATCH (p)-[:T]->(q) WITH m, q.g AS g, count(*) AS c WHERE c > 1 RETURN m } RETURN p.n",
        true,
    ),
    (
        "MATCH (p:A) CALL (p) { WITH p.g AS k, [p.n] AS l MATCH (p)-[:T]->(q) WITH k, l, q.g AS g, count(*) AS c RETURN k, l, g, c } RETURN p.n, k, l, g, c",
        false,
    ),
];

#[test]
fn groups_have_what_is_carried_along() {
    let without = Options::default().without("carried_values").unwrap();
    let snapshot = graph_with(3, 120, "a.n % 11 = b.n % 11");
    for (query, is_beside) in QUERIES {
        let (expected, before) = sorted_rows_and_plan(query, &snapshot, without, Settings::default());
        for threads in [1, 2] {
            let settings = Settings { threads, ..Settings::default() };
            let (found, plan) = sorted_rows_and_plan(query, &snapshot, Options::default(), settings);
            assert_eq!(found, expected, "{query}");
            assert_eq!(plan != before, is_beside, "{query}\n{plan}");
        }
    }
}

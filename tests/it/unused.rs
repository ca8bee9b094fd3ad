//! What nobody looks at is not computed: aggregates, and the order of rows that are only counted and summed.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;

use super::ask::{created, sorted_rows_and_plan};

#[test]
fn what_nobody_looks_at_is_not_computed() {
    let snapshot = created(&[
        "UNWIND range(0, 9) AS i CREATE (:P {i: i, k: i % 3})",
        "MATCH (p:P) UNWIND range(1, p.i) AS j CREATE (p)-[:HAS]->(:M {n: j, f: j / 4.0})",
    ]);
    let (sort, collect) = ("Sort", "collect(");
    for (query, gone, stays) in [
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, m ORDER BY m.n WITH p, collect(m)[0] AS first, count(*) AS c RETURN sum(c) AS s",
            vec![sort, collect],
            vec![],
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, m ORDER BY m.n DESC WITH p.k AS k, max(m.n) AS x, sum(m.f) AS f RETURN k, x, f",
            vec![sort],
            vec![],
        ),
        (
            "MATCH (p:P)-[:HAS]->(m) WITH p, m ORDER BY m.n DESC WITH p.k AS k, collect(m.n) AS ns, count(*) AS c RETURN k, c, ns[3] AS n",
            vec![],
            vec!["collect(m.n ORDER BY m.n DESC)"],
        ),
        ("MATCH (m:M) WITH m ORDER BY m.n LIMIT 7 RETURN sum(m.n) AS s", vec![], vec!["TopK"]),
        ("MATCH (m:M) WITH m ORDER BY m.n WITH m WHERE m.n > 3 RETURN avg(m.n) AS a", vec![sort], vec![]),
        ("MATCH (m:None) WITH collect(m) AS ms RETURN 1 AS one", vec![], vec![]),
        ("MATCH (m:M) WITH collect(m) AS ms, count(*) AS c RETURN c", vec![collect], vec![]),
        ("MATCH (m:M) WITH m.n AS n, collect(m) AS ms RETURN n", vec![collect], vec![]),
        ("MATCH (m:M) WITH m.n AS n, collect(m) AS ms RETURN n, ms[0].f AS f", vec![], vec![collect]),
    ] {
        let ask = |options| sorted_rows_and_plan(query, &snapshot, options, Settings::default());
        let (found, plan) = ask(Options::default());
        let (expected, all) = ask(Options::default().without("drop_unused").unwrap());
        assert_eq!(found, expected, "{query}");
        for part in gone {
            assert!(!plan.contains(part) && all.contains(part), "{part} in {query}\n{plan}\n{all}");
        }
        for part in stays {
            assert!(plan.contains(part), "{part} in {query}\n{plan}");
        }
    }
}

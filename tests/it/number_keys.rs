//! Numbers of two types as keys: the same groups, different values and joins as the interpreter's, whichever
//! type comes first, with halves, whole floats, integers that no float is, NaN, both zeros and nulls.

use std::collections::BTreeMap;

use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

/// What gives numbers `x`: floats, integers, and both in either order.
const SOURCES: &[&str] = &[
    "MATCH (a:F) WITH a.x AS x",
    "MATCH (a:I) WITH a.x AS x",
    "CALL () { MATCH (a:F) RETURN a.x AS x UNION ALL MATCH (b:I) RETURN b.x AS x } WITH x",
    "CALL () { MATCH (b:I) RETURN b.x AS x UNION ALL MATCH (a:F) RETURN a.x AS x } WITH x",
    "CALL () { MATCH (a:F) RETURN a.x AS x UNION ALL MATCH (b:M) RETURN b.x AS x } WITH x",
    "MATCH (a:M) WITH a.x AS x",
    "MATCH (a:F) WITH CASE WHEN a.x > 2 THEN a.x ELSE toInteger(a.k) END AS x",
];

const QUERIES: &[&str] = &[
    "RETURN x AS x, count(*) AS n",
    "RETURN x AS x, x % 2 AS y, count(*) AS n",
    "RETURN 1.5 AS f, x AS x, 't' AS t, count(*) AS n",
    "WITH DISTINCT x RETURN count(*) AS n",
    "RETURN count(DISTINCT x) AS n",
    "RETURN count(DISTINCT x) AS n, count(DISTINCT x * 0.5) AS m",
    "RETURN x > 2 AS k, count(DISTINCT x) AS n, sum(DISTINCT x % 7) AS s",
    "RETURN toString(x) STARTS WITH '1' AS k, size(tail(collect(DISTINCT x))) AS n",
    "MATCH (b:I) WHERE b.x = x RETURN count(*) AS n, sum(b.k) AS s",
    "MATCH (b:F) WHERE b.x = x RETURN count(*) AS n, sum(b.k) AS s",
    "MATCH (b:M) WHERE b.x = x AND b.k = 1 RETURN count(*) AS n",
];

#[test]
fn numbers_of_two_types_are_one_key_where_they_are_equal() {
    let whole = "[9007199254740992, 9007199254740993, 9223372036854775807, -9223372036854775808]";
    let snapshot = created(&[
        "UNWIND range(1, 90) AS i CREATE (:F {x: i % 12 * 0.5, k: i % 5})",
        "UNWIND [0.0 / 0.0, -0.0, 0.0, 9007199254740992.0, 9223372036854775808.0, 1e300, null] AS x \
         CREATE (:F {x: x, k: 1}), (:M {x: x, k: 1})",
        "UNWIND range(1, 60) AS i CREATE (:I {x: i % 9 - 1, k: i % 5})",
        &format!("UNWIND {whole} AS x CREATE (:I {{x: x, k: 2}}), (:M {{x: x, k: 1}})"),
        "UNWIND [1, 1.0, 1.5, null, 2] AS x CREATE (:M {x: x, k: 1})",
    ]);
    let graph = Graph::read(&snapshot);
    for text in SOURCES.iter().flat_map(|from| QUERIES.iter().map(move |query| format!("{from} {query}"))) {
        let bound = bind(&text, snapshot.catalog()).unwrap();
        let now = Clock { seconds: 0, nanos: 0 };
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 200_000_000).unwrap();
        for (vector_size, threads) in [(2_048, 1), (7, 1), (17, 3)] {
            let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
            let found = ask(&text, &snapshot, settings).unwrap();
            let how = format!("{text}\nvectors of {vector_size}, {threads} threads");
            compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{how}\n{d}"));
        }
    }
}

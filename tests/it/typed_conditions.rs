//! Conditions and keys that the types of columns say cannot fail: asked of nodes that no row reaches, as
//! sets of nodes and on either side of a join. They give what they give where rows ask them, and fail
//! where rows make them fail and nowhere else.

use super::ask::{agree_on, created, failure};
use trimorph_exec::Settings;

const QUERIES: [&str; 22] = [
    "MATCH (a:D)-[:C]->(b:D)-[:C]->(c:D) WHERE 'x' IN a.k AND 'x' IN b.k AND 'x' IN c.k RETURN count(*), count(DISTINCT b)",
    "MATCH (a:D)-[:C]->(b:D) WHERE 'x' IN b.k OR b.t STARTS WITH 'ti' RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE NOT 'x' IN b.k RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE size(b.t) > 7 AND toUpper(b.t) CONTAINS 'LE 1' RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D)-[:C]->(c:D) WHERE b.n % 7 = 2 AND c.n / 3 = 4 RETURN a.n, c.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE date(b.at).month = 2 AND b.at + duration('P1D') > datetime('2024-02-10T00:00Z') RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE b.n + 1 = a.n RETURN a.n, b.n",
    "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w = x.w + 1 RETURN a.n, c.n, b.n",
    "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w - 1 = x.w * 2 AND a.n < 40 RETURN a.n, c.n",
    "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE 2 * y.w = x.w + x.v RETURN a.n, c.n",
    "MATCH (a:D), (b:D) WHERE b.n = a.n + 1 AND a.at < b.at RETURN a.n, b.n",
    "MATCH (a:D), (b:D) WHERE b.n = a.n * a.n RETURN a.n, b.n",
    "MATCH (a:D) OPTIONAL MATCH (b:D) WHERE b.n = a.n + 7 RETURN a.n, b.n",
    "MATCH (a:D) WHERE EXISTS { MATCH (a)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w = x.w + 3 } RETURN a.n",
    "MATCH (a:D) RETURN a.n, COUNT { MATCH (a)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w = x.w - 1 } AS c",
    "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w = x.big + 1 RETURN count(*)",
    "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.w = x.some + 1 RETURN a.n, c.n",
    // Of these columns some nodes have values that make conditions fail, which no row reaches.
    "MATCH (a:D {n: 1})-[:C]->(b:D)-[:C]->(c:D) WHERE 'x' IN b.mixed RETURN b.n, c.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE b.n > 3 AND b.n < 60 AND b.mixed2 + 1 > 5 RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE 'x' IN b.none RETURN a.n",
    "MATCH (a:D)-[:C]->(b) WHERE a.n IN [1, 2, 3] AND b.n IN a.l RETURN a.n, b.n",
    "MATCH (a:D)-[:C]->(b:D) WHERE a.t = toLower(b.u) RETURN a.n, b.n",
];

#[test]
fn they_are_asked_as_if_rows_asked_them() {
    let snapshot = created(&[
        "UNWIND range(0, 199) AS n CREATE (:D {n: n, t: 'title ' + toString(n % 23), u: 'TITLE ' + toString(n % 19), \
         at: datetime('2024-01-01T00:00Z') + duration({hours: n * 11}), l: [n % 5, n % 7, n % 11], \
         k: CASE WHEN n % 9 > 0 THEN [['x', 'y'], ['y'], ['z', 'x'], []][n % 4] END, \
         mixed: CASE WHEN n > 150 THEN 'text' ELSE ['x'] END, mixed2: CASE WHEN n > 150 THEN date('2024-01-01') ELSE n END})",
        "MATCH (a:D), (b:D) WHERE b.n = a.n * 3 % 17 OR b.n = (a.n * 5 + 2) % 41 CREATE (a)-[:C {w: a.n % 12, v: b.n % 5, \
         big: CASE WHEN a.n = 7 THEN 9223372036854775806 ELSE a.n END, some: CASE WHEN b.n % 3 > 0 THEN a.n % 6 END}]->(b)",
    ]);
    assert!(agree_on(QUERIES.map(str::to_owned), &snapshot) > 2_000);
    // Neither sum has a place among integers: that they are equal is not said.
    let text = "MATCH (a:D)-[x:C]->(b:D)<-[y:C]-(c:D) WHERE y.big + 2 = x.big + 2 RETURN count(*)";
    assert!(failure(text, &snapshot, Settings::default()).contains("overflow"), "{text}");
    for text in [
        "MATCH (a:D)-[:C]->(b:D) WHERE 'x' IN a.mixed RETURN b.n",
        "MATCH (a:D)-[:C]->(b:D) WHERE a.mixed2 % 2 = 0 RETURN b.n",
    ] {
        assert!(failure(text, &snapshot, Settings::default()).contains("TypeError"), "{text}");
    }
}

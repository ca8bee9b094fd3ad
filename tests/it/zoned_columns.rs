//! Instants of several zones in a column: read, compared, grouped and put in order as each value says.

use super::ask::{agree_on, created};

const QUERIES: [&str; 17] = [
    "MATCH (a:A) RETURN a.n, a.at",
    "MATCH (a:A) RETURN min(a.at), max(a.at), count(a.at), count(DISTINCT a.at)",
    "MATCH (a:A) WITH a.at AS at, count(*) AS c RETURN at, c",
    "MATCH (a:A) WHERE a.at > datetime('1970-01-01T00:10+01:00') RETURN a.n",
    "MATCH (a:A) WHERE a.at = datetime('1970-01-01T02:00+02:00') RETURN a.n",
    "MATCH (a:A) WHERE a.at IN [datetime('1970-01-01T00:00:07Z'), datetime('1970-01-01T01:00:08+01:00')] RETURN a.n",
    "MATCH (a:A) RETURN a.n AS n, a.at AS at ORDER BY at, n",
    "MATCH (a:A) RETURN a.n AS n ORDER BY a.at DESC, n LIMIT 5",
    "MATCH (a:A), (b:A) WHERE a.at = b.at AND a.n < b.n RETURN a.n, b.n",
    "MATCH (a:A) RETURN a.at.hour, a.at.timezone, a.at.epochSeconds, date(a.at), toString(a.at)",
    "MATCH (a:A) WITH datetime.truncate('hour', a.at) AS h, count(*) AS c RETURN h, c",
    "MATCH (a:A) WITH datetime.truncate('day', a.at + duration({hours: a.n * 97})) AS d, count(*) AS c RETURN d, c",
    "MATCH (a:A) UNWIND ['month', 'hour', 'week', 'second'] AS unit RETURN datetime.truncate('month', datetime({datetime: a.at + duration({hours: a.n * 97}), timezone: 'Europe/Stockholm'}))",
    "MATCH (a:A) WITH datetime({epochSeconds: 1698530000 + a.n * 450, timezone: 'Europe/Stockholm'}) AS t RETURN datetime.truncate('hour', t), datetime.truncate('day', t), datetime.truncate('month', t), datetime.truncate('minute', t)",
    "MATCH (a:A) WHERE a.at IS NULL RETURN count(*), collect(a.n)",
    "MATCH (a:A)-[t:T]->(b) WHERE t.at < a.at RETURN a.n, b.n, t.at",
    "MATCH (a:A)-[t:T]->(b) RETURN b.n, collect(t.at), max(a.at)",
];

#[test]
fn each_instant_keeps_its_zone() {
    let snapshot = created(&[
        "UNWIND range(1, 90) AS i WITH i, ['Z', '+01:00', 'Europe/Stockholm', '-02:30', '+02:00'][i % 5] AS zone \
         CREATE (:A {n: i, at: CASE WHEN i % 7 > 0 THEN datetime({epochSeconds: i * i % 40, timezone: zone}) END})",
        "MATCH (a:A), (b:A) WHERE a.n % 10 = b.n % 10 AND a.n < b.n CREATE (a)-[:T {at: b.at}]->(b)",
    ]);
    assert!(agree_on(QUERIES.map(str::to_owned), &snapshot) > 1_000);
}

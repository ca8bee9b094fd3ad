//! Decimals in a column, of one scale and of several, of few digits and of many: read, computed with,
//! compared, summed, grouped, joined and put in order as each value says, beside integers, floats and nulls.

use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{CreatedGraph, EdgeRows, LoadOptions, NodeRows};
use trimorph_types::{Decimal, LogicalType, Value};

use super::ask::agree_on;

const QUERIES: [&str; 30] = [
    "MATCH (a:A) RETURN a.n, a.p, a.q, -a.p, abs(a.q), sign(a.p)",
    "MATCH (a:A) RETURN sum(a.p), min(a.p), max(a.p), avg(a.p), count(DISTINCT a.p), sum(a.q), min(a.q), max(a.q), avg(a.q)",
    "MATCH (a:A) RETURN a.n % 4 AS g, sum(a.p), min(a.p), max(a.p), avg(a.p), min(a.q), max(a.q), sum(a.w), max(a.w)",
    "MATCH (a:A) RETURN a.n, a.p + a.q, a.p - a.q, a.p * a.q, a.p * a.i, a.i - a.p, a.p * 2, 1 - a.q",
    "MATCH (a:A) WHERE a.q <> 0 RETURN a.n, a.p / a.q, a.p % a.q",
    "MATCH (a:A) RETURN a.n, a.p * (1 - a.q) * a.i, a.p * a.p * a.p * a.p * a.p",
    "MATCH (a:A) RETURN a.n, a.w * a.w, a.w + a.p, a.w - a.w, a.w * 1000",
    "MATCH (a:A) WHERE a.p > 10 RETURN a.n",
    "MATCH (a:A) WHERE a.p >= 3 AND a.p < 12 RETURN count(*), sum(a.p), max(a.q)",
    "MATCH (a:A) WHERE a.p = 3.75 RETURN a.n",
    "MATCH (a:A) WHERE a.p <> 0.75 AND a.p <= 3.7499999 RETURN a.n",
    "MATCH (a:A) WHERE a.p > 0.1 AND a.p < 1e300 AND a.p > -1.0 / 0 AND NOT a.p = 0.0 / 0 RETURN a.n",
    "MATCH (a:A) WHERE a.p < a.q RETURN a.n",
    "MATCH (a:A) WHERE a.p < a.f RETURN a.n",
    "MATCH (a:A) WHERE a.i > a.p RETURN a.n",
    "MATCH (a:A), (b:A) WHERE a.p = b.q AND a.n < 20 RETURN a.n, b.n",
    "MATCH (a:A), (b:A) WHERE a.p = b.i RETURN a.n, b.n",
    "MATCH (a:A) WITH a.p AS p, count(*) AS c RETURN p, c",
    "MATCH (a:A) WITH DISTINCT a.q AS q RETURN q",
    "MATCH (a:A) RETURN a.n AS n, a.p AS p ORDER BY p, n",
    "MATCH (a:A) RETURN a.n AS n, a.w AS w ORDER BY w DESC, n LIMIT 9",
    "MATCH (a:A) WHERE a.p IN [3, 0.75, 12] RETURN a.n",
    "MATCH (a:A) RETURN toFloat(a.p), toInteger(a.p), toInteger(a.q), toString(a.p), round(a.p), floor(a.p)",
    "MATCH (a:A) RETURN toInteger(a.p) / 2 AS g, count(*), sum(a.p * a.i)",
    "MATCH (a:A) RETURN CASE WHEN a.n % 2 = 0 THEN a.p ELSE a.q END AS x, coalesce(a.p, a.w) AS y, CASE WHEN a.n % 3 = 0 THEN a.p ELSE a.i END AS z",
    "MATCH (a:A) WITH a ORDER BY a.n WITH a.n % 3 AS g, collect(a.p) AS ps RETURN g, reduce(s = 0, p IN ps | s + p) AS s, [p IN ps WHERE p > 2 | p * 2] AS few",
    "MATCH (a:A) RETURN stDev(a.p), percentileCont(a.p, 0.5), percentileDisc(a.q, 0.5)",
    "MATCH (a:A) RETURN a.p AS x UNION MATCH (a:A) RETURN a.q AS x UNION MATCH (a:A) RETURN a.w AS x UNION MATCH (a:A) RETURN a.i AS x",
    "MATCH (a:A)-[t:T]->(b:A) WHERE t.p > a.p RETURN a.n, b.n, t.p - a.p",
    "MATCH (a:A)-[t:T]->(b:A) RETURN b.n, sum(t.p), max(t.p * a.i), min(b.q)",
];

/// The decimal that a row has of an integer: prices, numbers of several scales, and some of many digits.
fn decimal(property: &str, row: usize, n: i64) -> Value {
    let decimal = match property {
        "p" => Decimal::new(n.into(), 2),
        "q" => Decimal::new(n.into(), [0, 1, 3, 5][row % 4]),
        _ if row.is_multiple_of(3) => Decimal::new(i128::from(n) * 10_i128.pow(17), 20),
        _ => Decimal::new(n.into(), 18),
    };
    decimal.map_or(Value::Null, Value::Decimal)
}

fn graph() -> Snapshot {
    let mut graph = CreatedGraph::default();
    for statement in [
        "UNWIND range(0, 99) AS n CREATE (:A {n: n, i: n % 6, f: n * 0.25, p: CASE WHEN n % 9 > 0 THEN n * n * 25 % 1500 END, \
         q: n * 37 % 101 - 50, w: n * 7919 - 300000})",
        "MATCH (a:A), (b:A) WHERE b.n = a.n * 3 % 17 CREATE (a)-[:T {p: b.n * 75}]->(b)",
    ] {
        graph.execute(statement).unwrap();
    }
    let mut model = graph.model();
    let is_decimal = |name: &str| ["p", "q", "w"].contains(&name);
    let of_nodes = model.nodes.iter_mut().flat_map(|table| &mut table.properties);
    let of_edges = model.edges.iter_mut().flat_map(|table| &mut table.properties);
    for (_, ty) in of_nodes.chain(of_edges).filter(|(name, _)| is_decimal(name)) {
        *ty = LogicalType::Decimal;
    }
    let make = |properties: &[(String, LogicalType)], row: usize, values: &mut [Value]| {
        for ((name, _), value) in properties.iter().zip(values) {
            if let (true, Value::Int(n)) = (is_decimal(name), &*value) {
                *value = decimal(name, row, *n);
            }
        }
    };
    for NodeRows { properties, rows, .. } in &mut model.nodes {
        rows.iter_mut().enumerate().for_each(|(row, values)| make(properties, row, values));
    }
    for EdgeRows { properties, rows, .. } in &mut model.edges {
        rows.iter_mut().enumerate().for_each(|(row, edge)| make(properties, row, &mut edge.values));
    }
    model.snapshot(LoadOptions::default()).unwrap()
}

#[test]
fn decimals_are_what_they_are() {
    assert!(agree_on(QUERIES.map(str::to_owned), &graph()) > 3_000);
}

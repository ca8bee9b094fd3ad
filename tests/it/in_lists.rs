//! `IN` with lists of every length and type, in every place where it is looked at differently, against the
//! interpreter: encoded columns with and without nulls and exceptions, variables that are lists, OR of
//! equalities, negation, comprehensions and quantifiers.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_exec::{Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::{Date, Value};

use super::ask::created;

const NOW: Clock = Clock { seconds: 1_700_000_000, nanos: 0 };
const STEPS_MAX: u64 = 50_000_000;

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(0, 2999) AS n CREATE (:A {n: n, far: (n * 7919) % 3001 * 1000003, f: n / 4.0, s: 'w' + toString(n % 50), t: 'a longer text that occurs once ' + toString(n), d: date('2020-01-01') + duration({days: n % 400}), z: datetime('2020-01-01T00:00:00Z') + duration({hours: n}), b: n % 2 = 0, sometimes: CASE WHEN n % 3 > 0 THEN n % 100 END})",
        "UNWIND [1, 1.0, 0.0 / 0.0, -0.0, 0, 'x', true, [1, 2], [1, null], {a: 1}, 9007199254740993, date('2020-01-05'), datetime('2020-01-05T00:00:00Z'), datetime('2020-01-05T01:00:00+01:00'), duration('P1D')] AS v CREATE (:M {v: v, n: 1})",
        "MATCH (a:A), (b:A) WHERE a.n < 40 AND b.n = a.n + 1 CREATE (a)-[:R {k: a.n % 7}]->(b)",
    ])
}

/// What an operand may be, each with the nodes it is of.
const OPERANDS: &[&str] = &[
    "a.n",
    "a.far",
    "a.f",
    "a.s",
    "a.t",
    "a.d",
    "a.z",
    "a.b",
    "a.sometimes",
    "a.nothing",
    "a.v",
    "a.n + 0",
    "a.d.day",
];

fn lists() -> Vec<Value> {
    let ints = |of: &[i64]| of.iter().map(|i| Value::Int(*i)).collect::<Vec<_>>();
    let mut mixed = ints(&[1, 5, 77, i64::MAX, i64::MIN, 1_000_003 * 40]);
    mixed.extend([0.25, 3.0, -0.0, f64::NAN].map(Value::Float));
    mixed.extend(["w7", "w49", "a longer text that occurs once 12", "x"].map(Value::string));
    mixed.extend([Value::Date(Date { days: 18_300 }), Value::Bool(true), Value::list(ints(&[1, 2]))]);
    let mut with_null = mixed.clone();
    with_null.push(Value::Null);
    let many = (0..100_000).map(|i| match i % 3 {
        0 => Value::Int(i * 2_000_006),
        1 => Value::Float(i as f64 / 8.0),
        _ => Value::string(format!("a longer text that occurs once {i}")),
    });
    let few =
        [Value::Int(2), Value::Float(0.25), Value::Float(-0.0), Value::Float(f64::NAN), Value::string("w7")];
    vec![
        Value::list(few.to_vec()),
        Value::list(Vec::new()),
        Value::list(ints(&[42])),
        Value::list(vec![Value::Null]),
        Value::list(ints(&(0..500).map(|i| i * 3).collect::<Vec<_>>())),
        Value::list(mixed),
        Value::list(with_null),
        Value::list(many.collect()),
        Value::Null,
    ]
}

const QUERIES: &[&str] = &[
    "MATCH (a:A) WITH collect(a.n)[10..900] AS xs MATCH (a:A) WHERE a.n IN xs RETURN count(*) AS n, sum(a.n) AS s",
    "MATCH (a:A) WITH collect(a.s)[0..9] AS xs MATCH (a:A) WHERE NOT a.s IN xs RETURN count(*) AS n",
    "MATCH (a:A) WHERE a.n < 30 WITH collect(a) AS xs MATCH (b:A) WHERE b IN xs RETURN count(*) AS n",
    "MATCH (a:A) WITH a.n % 3 AS k, collect(a.n) AS xs MATCH (b:A) WHERE b.sometimes IN xs RETURN k, count(*) AS n",
    "MATCH (m:M) WITH collect(m.v) AS xs MATCH (a:A) WHERE a.f IN xs OR a.d IN xs RETURN count(*) AS n",
    "MATCH (m:M) WITH collect(m.v) + [null] AS xs MATCH (a:A) WHERE NOT a.f IN xs RETURN count(*) AS n",
    "MATCH (a:A) WITH collect(a.n)[0..20] AS xs, collect(a.n)[5..2000] AS ys RETURN [x IN xs WHERE NOT x IN ys] AS l",
    "MATCH (a:A) WITH collect(a.n)[0..20] AS xs, collect(a.n)[5..2000] AS ys RETURN any(x IN xs WHERE x IN ys) AS y, all(x IN xs WHERE x IN ys) AS z",
    "MATCH (a:A) WHERE all(x IN [1, 2, 3, null] WHERE a.n <> x) RETURN count(*) AS n",
    "MATCH (a:A) WHERE a.n = 1 OR a.n = 77 OR a.n = 5.0 OR a.s = 'w3' OR 'w4' = a.s RETURN count(*) AS n",
    "MATCH (a:A) WHERE a.n = 1 OR (2 = a.n OR a.n = 3.0) OR a.n IN [4, null] OR a.n = 'x' RETURN count(*) AS n",
    "MATCH (a:A) WHERE NOT (a.n IN [1, 2] OR a.n = 3) AND (a.s = 'w1' OR a.s = 'w1' OR a.d.day = 3) RETURN count(*) AS n",
    "MATCH (a:M) WHERE a.v = 1 OR a.v = [1, null] OR a.v = {a: 1} RETURN count(*) AS n",
    "MATCH (a:A) WITH a.n AS n, a WHERE a.s = 'w3' OR a.s = 'w4' RETURN sum(n) AS n",
    "MATCH (a:A) WHERE a.sometimes = 1 OR a.sometimes = 2 OR a.sometimes = null RETURN count(*) AS n",
    "MATCH (a:A) WHERE NOT (a.sometimes = 1 OR a.sometimes = 2) RETURN count(*) AS n",
    "MATCH (a:A) RETURN a.s = 'w1' OR a.s = 'w2' AS x, count(*) AS n",
    "MATCH (a)-[r:R]->(b) WHERE r.k IN [1, 2, 9] AND NOT b.n IN [2, 3] RETURN count(*) AS n",
    "MATCH (a)-[r:R]->(b) WHERE NOT r.k IN [1, 2, 9] RETURN a.n AS n, COUNT { (b)-[q:R]->() WHERE q.k IN [3, 4] } AS c",
    "UNWIND [[1, 2, 3], [3, 4], [], null] AS xs MATCH (a:A) WHERE a.n IN xs RETURN xs, a.n AS n",
    "UNWIND [{a: 1, b: 2}, {a: 2, b: 3}] AS m RETURN m.a = 2 OR m.b = 2 AS x",
];

pub(super) fn agree(text: &str, snapshot: &Snapshot, graph: &Graph, parameters: BTreeMap<Arc<str>, Value>) {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let expected = run_on(&bound, graph, &parameters, NOW, STEPS_MAX).unwrap();
    let parameters = Arc::new(parameters);
    for (vector_size, threads) in [(7, 1), (1024, 2)] {
        let (clock, parameters) = (NOW, Arc::clone(&parameters));
        let settings = Settings { clock, vector_size, threads, parameters, ..Settings::default() };
        let bound = bind(text, snapshot.catalog()).unwrap();
        let options = Options { check: true, ..Options::default() };
        let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
        let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
        let mut found: Vec<Vec<Value>> = Vec::new();
        while let Some(mut batch) = execution
            .next(|columns, positions, cx| {
                let cell =
                    |c: &&trimorph_vector::Vector<'_>, p: u32| c.value(p as usize, &|id| cx.edge_value(id));
                positions.iter().map(|p| columns.iter().map(|c| cell(c, *p)).collect()).collect::<Vec<_>>()
            })
            .unwrap()
        {
            found.append(&mut batch);
        }
        compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
    }
}

/// Nodes, relationships and values of other types in lists that are collected of them, each for many rows.
const COLLECTED: &[&str] = &[
    "MATCH (a:A) WITH a, a.n % 3 AS g WITH g, collect(a) AS l MATCH (b:A) RETURN g, count(CASE WHEN b IN l THEN 1 END) AS c, count(CASE WHEN NOT b IN l THEN 1 END) AS d",
    "MATCH (a:A) WITH a.n % 3 AS g, collect(a) AS l UNWIND l AS x MATCH (b:A) WHERE b IN l AND b.n < x.n RETURN g, x.n AS x, b.n AS b",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(a.n / 2.0) AS l MATCH (b:A) WHERE b.n IN l RETURN g, b.n AS b",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(date('2020-01-01') + duration({days: a.n})) AS l MATCH (b:A) WHERE date('2020-01-02') + duration({days: b.n}) IN l RETURN g, b.n AS b",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(localtime({hour: a.n % 24})) AS l MATCH (b:A) WHERE localtime({hour: b.n % 24}) IN l RETURN g, count(*) AS c",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(datetime({epochSeconds: a.n})) AS l MATCH (b:A) WHERE datetime({epochSeconds: b.n + 1}) IN l RETURN g, count(*) AS c",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(toString(a.n % 7)) + [null] AS l MATCH (b:A) RETURN g, b.n AS b, toString(b.n) IN l AS c",
    "MATCH (a:A) WITH a.n % 4 AS g, collect(a) + [null] AS l MATCH (b:A) RETURN g, b.n AS b, b IN l AS c",
    "MATCH (a:A) OPTIONAL MATCH (c:A {n: a.n + 5}) WITH a.n % 4 AS g, collect(a) AS l, collect(c) AS k OPTIONAL MATCH (b:A) WHERE b.n < 9 AND b IN l RETURN g, b IN k AS i, count(*) AS c",
    "MATCH (a:A)-[r]->() WITH a.n % 4 AS g, collect(r) AS l MATCH (b:A)-[q]->() RETURN g, b.n AS b, q IN l AS c",
];

#[test]
fn what_is_collected_is_looked_through() {
    let snapshot = created(&[
        "UNWIND range(0, 39) AS n CREATE (:A {n: n})",
        "MATCH (a:A), (b:A) WHERE b.n = a.n * 2 CREATE (a)-[:T]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    for text in COLLECTED {
        agree(text, &snapshot, &graph, BTreeMap::new());
    }
}

#[test]
fn ranges_agree_with_the_interpreter() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    let parameters = BTreeMap::from([("low".into(), Value::Int(3)), ("nothing".into(), Value::Null)]);
    // Few rows ask for the longest, which is no set: the interpreter goes through it.
    for (few, range) in [
        ("", "range(2, 40)"),
        ("", "range($low, 3000, 7)"),
        ("", "range(100, -100, -3)"),
        ("", "range(5, 1)"),
        ("", "range(1, $nothing)"),
        ("a.n < 3 AND ", "range(1, 1100000)"),
    ] {
        for operand in OPERANDS {
            for not in ["", "NOT "] {
                let nodes = if *operand == "a.v" { "M" } else { "A" };
                let text =
                    format!("MATCH (a:{nodes}) WHERE {few}{not}{operand} IN {range} RETURN count(*) AS n");
                agree(&text, &snapshot, &graph, parameters.clone());
            }
        }
    }
}

#[test]
fn lists_in_parameters_agree_with_the_interpreter() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    for (k, list) in lists().into_iter().enumerate() {
        // A list of 100,000 is gone through by the interpreter: few rows ask for it.
        let label = if k == 6 { "A {b: true}" } else { "A" };
        for operand in OPERANDS {
            for not in ["", "NOT "] {
                let nodes = if *operand == "a.v" { "M" } else { label };
                let few = if k == 6 { "a.n < 24 AND " } else { "" };
                let text =
                    format!("MATCH (a:{nodes}) WHERE {few}{not}{operand} IN $list RETURN count(*) AS n");
                agree(&text, &snapshot, &graph, BTreeMap::from([("list".into(), list.clone())]));
            }
        }
    }
}

#[test]
fn lists_in_variables_and_texts_agree_with_the_interpreter() {
    let snapshot = graph();
    let graph = Graph::read(&snapshot);
    for text in QUERIES {
        agree(text, &snapshot, &graph, BTreeMap::new());
    }
}

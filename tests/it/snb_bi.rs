//! The SNB BI queries that need no weighted paths: our texts against the shared answers, exactly.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use trimorph::{Config, Connection, Database, NoProgress, QueryResult, Value, temporal};

use crate::shared::shared;

pub(crate) fn database(layout: &str) -> Option<Database> {
    let path = shared(&format!("data/snb-sf0.1/{layout}"))?;
    let db = Database::in_memory(Config::default());
    db.load(&[path], None, &db.load_options(), &NoProgress).unwrap();
    Some(db)
}

/// Parameters by name.
pub(crate) type Params = BTreeMap<Arc<str>, Value>;

/// `{"date:DATE": "2010-07-09"}` to parameters.
pub(crate) fn parameters(json: &Json) -> Params {
    (json.as_object().unwrap().iter())
        .map(|(key, text)| {
            let (name, kind) = key.split_once(':').unwrap();
            let text = text.as_str().unwrap();
            let value = match kind {
                "ID" | "INT" | "LONG" => Value::Int(text.parse().unwrap()),
                "DATE" => Value::Date(temporal::parse_date(text).unwrap()),
                "DATETIME" => {
                    Value::DateTime(temporal::parse_datetime(text, &temporal::ZoneId::UTC).unwrap())
                }
                "STRING" => Value::string(text),
                "STRING[]" => Value::list(text.split(';').map(Value::string).collect()),
                other => panic!("unknown parameter type {other}"),
            };
            (Arc::from(name), value)
        })
        .collect()
}

/// Exact, but floats to 1e-9 relative, or to what a 32-bit float holds (13's scores were made so).
fn same(actual: &Value, expected: &Json) -> bool {
    match (actual, expected) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Int(a), Json::Number(b)) => b.as_i64() == Some(*a),
        // Sums are decimals in SPARQL.
        (Value::Decimal(a), Json::Number(b)) => a.exact_int().is_some_and(|a| b.as_i64() == Some(a)),
        (Value::Float(a), Json::Number(b)) => {
            let b = b.as_f64().unwrap();
            !expected.is_i64() && ((a - b).abs() <= 1e-9 * b.abs() || f64::from(*a as f32) == b)
        }
        (Value::String(a), Json::String(b)) => **a == **b,
        (Value::DateTime(_), Json::String(b)) => {
            let expected =
                temporal::parse_datetime(&b.replacen(' ', "T", 1), &temporal::ZoneId::UTC).unwrap();
            trimorph_types::equals(actual, &Value::DateTime(expected)) == Some(true)
        }
        (Value::List(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => false,
    }
}

fn check(connection: &Connection, text: &str, case: &Json) -> Result<(), String> {
    let result =
        connection.execute(text, Arc::new(parameters(&case["params"]))).map_err(|e| e.to_string())?;
    compare(result, case)
}

/// Rows against those of a case, in order.
pub(crate) fn compare(mut result: QueryResult, case: &Json) -> Result<(), String> {
    let expected = case["rows"].as_array().unwrap();
    let mut n = 0;
    while let Some(row) = result.next_row().map_err(|e| e.to_string())? {
        let shown = row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(", ");
        match expected.get(n).map(|e| e.as_array().unwrap()) {
            Some(e) if e.len() == row.len() && row.iter().zip(e).all(|(a, b)| same(a, b)) => n += 1,
            Some(e) => return Err(format!("row {n}: got [{shown}], expected {}", Json::Array(e.clone()))),
            None => return Err(format!("row {n}: got [{shown}], expected no more")),
        }
    }
    if n == expected.len() { Ok(()) } else { Err(format!("{n} rows, expected {}", expected.len())) }
}

/// Asks every shared case that no weighted path is needed for, as `ask` does it with the number of its query.
pub(crate) fn reproduce(mut ask: impl FnMut(&str, &Json) -> Result<(), String>) {
    let only = std::env::var("BI").ok();
    let (mut run, mut failed) = (0, Vec::new());
    for file in ["answers-bi.jsonl", "answers-bi-extra.jsonl"] {
        let Some(path) = shared(&format!("data/snb-sf0.1/{file}")) else { return };
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let variant = case["q"].as_str().unwrap();
            let query = variant.trim_end_matches(['a', 'b']);
            // 15, 19 and 20 need weighted shortest paths, which come with the path kernels.
            if ["15", "19", "20"].contains(&query) || only.as_ref().is_some_and(|o| o != query) {
                continue;
            }
            let start = std::time::Instant::now();
            run += 1;
            let outcome = ask(query, &case);
            println!("bi-{variant} {} {:?}", if outcome.is_ok() { "ok" } else { "FAILED" }, start.elapsed());
            if let Err(e) = outcome {
                failed.push(format!("bi-{variant} {}: {e}", case["params"]));
            }
        }
    }
    println!("{} of {run} answers reproduced", run - failed.len());
    assert!(failed.is_empty(), "{} of {run} differ:\n{}", failed.len(), failed.join("\n"));
}

/// A text of `bench/snb`.
pub(crate) fn text_of(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../bench/snb/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn every_answer_is_reproduced() {
    let Some(db) = database("composite-merged-fk") else { return };
    let connection = db.connect();
    reproduce(|query, case| check(&connection, &text_of(&format!("bi-{query}.cypher")), case));
}

#[test]
fn both_layouts_load_the_same_counts() {
    let (Some(merged), Some(projected)) =
        (database("composite-merged-fk"), database("composite-projected-fk"))
    else {
        return;
    };
    let counts = |db: &Database| {
        let stats = db.stats();
        let mut all: Vec<(String, u64)> =
            stats.node_tables.iter().map(|t| (t.labels.join(":"), t.rows)).collect();
        all.extend(stats.edge_tables.iter().flat_map(|t| {
            t.targets
                .iter()
                .map(|(target, n)| (format!("{:?} {} {target:?}", t.source, t.label), *n))
                .collect::<Vec<_>>()
        }));
        all.sort();
        all
    };
    assert_eq!(counts(&merged), counts(&projected));
    let stats = merged.stats();
    let nodes = |label: &str| -> u64 {
        stats.node_tables.iter().filter(|t| t.labels.iter().any(|l| l == label)).map(|t| t.rows).sum()
    };
    let edges =
        |label: &str| -> u64 { stats.edge_tables.iter().filter(|t| t.label == label).map(|t| t.edges).sum() };
    for (label, rows) in [
        ("Person", 1639),
        ("Forum", 15_949),
        ("Post", 161_637),
        ("Comment", 165_994),
        ("Message", 327_631),
        ("Place", 1460),
        ("Organisation", 7955),
        ("Tag", 16_080),
        ("TagClass", 71),
    ] {
        assert_eq!(nodes(label), rows, "{label}");
    }
    for (label, count) in [
        ("KNOWS", 14_397),
        ("HAS_MEMBER", 243_042),
        ("HAS_TAG", 203_993 + 68_494 + 52_056),
        ("HAS_INTEREST", 37_746),
        ("LIKES", 71_237 + 66_594),
        ("STUDY_AT", 1323),
        ("WORK_AT", 3502),
        ("HAS_CREATOR", 165_994 + 161_637),
        ("REPLY_OF", 76_290 + 89_704),
        ("CONTAINER_OF", 161_637),
        ("HAS_MODERATOR", 15_949),
        ("IS_LOCATED_IN", 165_994 + 161_637 + 1639 + 7955),
        ("IS_PART_OF", 1454),
        ("IS_SUBCLASS_OF", 70),
        ("HAS_TYPE", 16_080),
    ] {
        assert_eq!(edges(label), count, "{label}");
    }
}

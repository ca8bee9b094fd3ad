//! The SNB BI queries as SPARQL over the network that was loaded from CSV files: `bench/snb/sparql/bi-N.rq`
//! against the shared answers. `bench/snb/check_sparql.py` does the same through Python, and compares times
//! with the Cypher texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph::{Value, temporal};
use trimorph_types::{DateTime, Duration};

use crate::snb_bi::{Params, compare, database, parameters, reproduce, text_of};

/// Midnight of a day, so many days later.
fn instant(own: &Params, name: &str, days: i64) -> Value {
    let Some(Value::Date(date)) = own.get(name) else { panic!("no date {name}") };
    Value::DateTime(DateTime::from_utc((date.days + days) * 86_400, 0, &temporal::ZoneId::UTC))
}

/// What the text has values for. Days have become the instants that bound intervals, since SPARQL has no
/// arithmetic of days; `$tag` and `$country` have other names, since `?tag` would be the same variable.
fn given(query: &str, own: &Params) -> Params {
    let mut given: Params = BTreeMap::new();
    for (name, value) in own {
        let name: &str = match &**name {
            "tag" => "tagName",
            "country" => "countryName",
            other => other,
        };
        if !matches!(value, Value::Date(_) | Value::List(_)) {
            given.insert(Arc::from(name), value.clone());
        }
    }
    let bounds: &[(&str, &str, i64)] = match query {
        "2" => &[("from", "date", 0), ("middle", "date", 100), ("to", "date", 200)],
        "4" => &[("from", "date", 0)],
        "8" | "9" | "11" => &[("from", "startDate", 0), ("to", "endDate", 0)],
        "12" => &[("from", "startDate", 0)],
        "13" => &[("to", "endDate", 0)],
        "16" => &[("fromA", "dateA", 0), ("toA", "dateA", 1), ("fromB", "dateB", 0), ("toB", "dateB", 1)],
        _ => &[],
    };
    for (name, day, days) in bounds {
        given.insert(Arc::from(*name), instant(own, day, *days));
    }
    if query == "17" {
        let Some(Value::Int(hours)) = own.get("delta") else { panic!("no delta") };
        let delta = Duration::normalized(0, 0, hours * 3600, 0).unwrap();
        given.insert(Arc::from("delta"), Value::Duration(delta));
    }
    given
}

/// The text with its list of values in place: a list is no term.
fn text(query: &str, own: &Params) -> String {
    let mut text = text_of(&format!("sparql/bi-{query}.rq"));
    for (name, value) in own {
        if let Value::List(values) = value {
            let quoted = |value: &Value| match value {
                Value::String(text) => format!("\"{text}\""),
                other => panic!("no text: {other:?}"),
            };
            let values: Vec<String> = values.iter().map(quoted).collect();
            text = text.replace(&format!("${name}"), &values.join(", "));
        }
    }
    text
}

#[test]
fn every_answer_is_reproduced_in_sparql() {
    let Some(db) = database("composite-merged-fk") else { return };
    let connection = db.connect();
    reproduce(|query, case| {
        let own = parameters(&case["params"]);
        let asked = connection.sparql_with(&text(query, &own), given(query, &own));
        compare(asked.map_err(|e| e.to_string())?, case)
    });
}

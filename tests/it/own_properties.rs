//! `keys`, `properties` and `{.*}` of many nodes and relationships at once, against their properties read
//! one by one.

use std::sync::Arc;

use trimorph::{Config, Connection, Database, Map, Value};
use trimorph_base::{CancelToken, Random};
use trimorph_types::format::{IdsOnly, format_literal};

const NAMES: [&str; 5] = ["a", "b", "c", "lists", "z"];
/// What there is of an entity, as a row that begins with `keys`, `properties` and two projections.
const ASKED: &str = "keys(x) AS k, properties(x) AS p, x {.*} AS q, x {.*, b: 'new', n: null} AS r, \
                     x.a AS a, x.b AS b, x.c AS c, x.lists AS lists, x.z AS z";

/// A property or none, of one type or, where `mixed`, of several.
fn value(random: &mut Random, name: &str, mixed: bool) -> Value {
    let number = random.between(0, 50);
    match name {
        _ if random.chance(40) => Value::Null,
        _ if mixed && random.chance(20) => Value::Bool(true),
        "a" => Value::Int(number),
        "b" => Value::string(format!("text {number}")),
        "c" => Value::Float(number as f64 / 4.0),
        "lists" => Value::list(vec![Value::Int(number), Value::Int(1)]),
        _ => Value::Int(number % 2),
    }
}

fn maps(random: &mut Random, count: usize, mixed: bool) -> Value {
    let map = |random: &mut Random| {
        let entries = NAMES.map(|name| (Arc::from(name), value(random, name, mixed)));
        Value::map(entries.into_iter().collect())
    };
    Value::list((0..count).map(|_| map(random)).collect())
}

/// Asks for the entities `x` that a pattern finds; gives how many there were.
fn check(connection: &Connection, pattern: &str) -> usize {
    let text = format!("{pattern} RETURN {ASKED}");
    let rows = connection.query(&text, &[] as &[(&str, Value)]).unwrap().rows().unwrap();
    for row in &rows {
        let [keys, properties, projected, changed, own @ ..] = &row[..] else { panic!("{text}") };
        if keys.is_null() {
            assert!(row.iter().all(Value::is_null), "{text}");
            continue;
        }
        let own: Map = (NAMES.into_iter().zip(own))
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (Arc::from(name), value.clone()))
            .collect();
        let same = |found: &Value, wanted: Value| {
            assert_eq!(format_literal(found, &IdsOnly), format_literal(&wanted, &IdsOnly), "{text}");
        };
        same(keys, Value::list(own.keys().cloned().map(Value::String).collect()));
        same(properties, Value::map(own.clone()));
        same(projected, Value::map(own.clone()));
        let mut with = own;
        with.insert("b".into(), Value::string("new"));
        with.insert("n".into(), Value::Null);
        same(changed, Value::map(with));
    }
    rows.len()
}

const PATTERNS: [&str; 9] = [
    "MATCH (x:A)",
    "MATCH (x:Full)",
    "MATCH (x)",
    "MATCH (x) WHERE x.a > 10",
    "MATCH (:A)-[:R]->(x)",
    "MATCH (:A)-[x:R]->(:B)",
    "MATCH ()-[x]->() WHERE x.b IS NOT NULL",
    "MATCH (n:A) OPTIONAL MATCH (n)-[:R]->(x:B {z: 1})",
    "MATCH (n:B) OPTIONAL MATCH (n)<-[x:S]-(:A)",
];

#[test]
fn entities_have_the_properties_that_they_have_one_by_one() {
    let mut random = Random::new(7);
    for mixed in [false, true] {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        let run = |text: &str, rows: Value| {
            connection.query(text, &[("rows", rows)]).unwrap().rows().unwrap();
        };
        run("UNWIND $rows AS m CREATE (x:A) SET x = m", maps(&mut random, 1_200, mixed));
        run("UNWIND $rows AS m CREATE (x:B) SET x = m", maps(&mut random, 500, mixed));
        run(
            "UNWIND range(1, $rows) AS i CREATE (:Full {a: i, b: 'b' + i, c: 0.5, lists: [i], z: i % 2})",
            Value::Int(2_500),
        );
        run(
            "UNWIND $rows AS m MATCH (a:A {a: m.a}), (b:B {a: m.a}) WHERE a.z = 1 CREATE (a)-[x:R]->(b) SET x = m",
            maps(&mut random, 60, mixed),
        );
        run(
            "UNWIND $rows AS m MATCH (a:A {a: m.a}), (b:B {a: m.a}) WHERE a.z = 0 CREATE (a)-[x:S]->(b) SET x = m",
            maps(&mut random, 20, mixed),
        );
        let all = |when: &str| {
            for pattern in PATTERNS {
                assert!(check(&connection, pattern) > 50, "{pattern} {when}");
            }
        };
        all("as written");
        database.merge(&CancelToken::default()).unwrap();
        all("merged");
        run("MATCH (x:A) WHERE x.a > 20 SET x.c = null, x.b = 'changed'", Value::Null);
        run("MATCH (x:Full) WHERE x.a > 2490 SET x.b = null", Value::Null);
        all("changed");
        // A transaction that deleted something asks one by one.
        connection.begin().unwrap();
        run("MATCH (x:B) WHERE x.a = 3 DETACH DELETE x", Value::Null);
        all("after deletion");
        connection.rollback().unwrap();
    }
}

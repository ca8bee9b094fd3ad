//! Statements that look up few rows by key are run value by value: they give and write what operators do.

use std::sync::Arc;

use trimorph::{Config, Connection, Database, Params, Value};
use trimorph_base::{CancelToken, Random};

/// Reads, each with what a longer text asks for: behind an UNWIND operators do it.
const READS: &[&str] = &[
    "MATCH (p:P {id: $a}) RETURN p.name, p.age",
    "MATCH (p:P {id: $a}) RETURN p.name AS one, p.name AS other, p.none",
    "MATCH (p:P {id: $a}) RETURN p",
    "MATCH (p:P {city: $c}) RETURN p.id, p.city",
    "MATCH (p:P {city: $c}) WHERE p.age > $n RETURN p.id, p.age + 1",
    "MATCH (p:P {id: $a}), (q:P {id: $b}) RETURN p.name, q.name, p.age < q.age, p.age = q.age",
    "MATCH (p:P {id: $a}), (q:P {city: p.city}) RETURN q.id, q.age - p.age",
    "MATCH (p:P {id: $a}) WHERE p.age IS NOT NULL RETURN p.name STARTS WITH 'n', NOT p.age > 3",
    "OPTIONAL MATCH (p:P {id: $a}) RETURN p.name",
    "MATCH (p {id: $a}) RETURN p.name",
    "RETURN $a, $c, $n + 1",
];

/// Writes, likewise.
const WRITES: &[&str] = &[
    "CREATE (:P {id: $new, name: 'new', city: $c, age: $n})",
    "CREATE (:Q {id: $a, name: $c})",
    "CREATE (p:P {id: $new, age: $n}) RETURN p.id, p.age",
    "MATCH (p:P {id: $a}) SET p.age = $n",
    "MATCH (p:P {id: $a}) SET p.age = p.age + 1 RETURN p.age",
    "MATCH (p:P {city: $c}) SET p.age = $n",
    "MATCH (p:P {id: $a}) SET p += {age: $n, city: $c}",
    "MATCH (p:P {id: $a}), (q:P {id: $b}) CREATE (p)-[:R {n: $n}]->(q)",
    "MERGE (p:P {id: $a}) ON CREATE SET p.name = 'made' ON MATCH SET p.age = $n",
    "MERGE (p:P {id: $new}) RETURN p.id",
    "MATCH (p:P {id: $a}), (q:P {id: $b}) MERGE (p)-[r:S]->(q) SET r.n = $n",
    "MATCH (p:P {id: $a}) REMOVE p.city",
    "MATCH (p:P {id: $a}) DETACH DELETE p",
];

fn database(seed: u64) -> Connection {
    let c = Database::in_memory(Config::new()).connect();
    let run = |text: &str| c.query(text, &[]).unwrap().rows().unwrap();
    run("CREATE CONSTRAINT FOR (p:P) REQUIRE p.id IS UNIQUE");
    run("CREATE INDEX FOR (p:P) ON (p.city)");
    run("UNWIND range(0, 19) AS i CREATE (:P {id: i, name: 'n' + i, city: 'c' + i % 3, age: i % 5})");
    run("UNWIND range(0, 9) AS i CREATE (:P:More {id: 100 + i, name: 'm' + i, city: 'c' + i % 2})");
    run("CREATE (:P {id: 'text', name: 'by text'}), (:P {id: 2.5, name: 'by float', age: 'old'})");
    if seed.is_multiple_of(2) {
        // What is in main is found there.
        run("CALL { UNWIND [1] AS one RETURN one } RETURN one");
        run("CHECKPOINT");
    }
    c
}

fn parameters(random: &mut Random, next: &mut i64) -> Arc<Params> {
    let key = |random: &mut Random| match random.below(12) {
        0 => Value::Null,
        1 => Value::Float(2.5),
        2 => Value::string("text"),
        3 => Value::Float(3.0),
        4 => Value::Int(999),
        5 | 6 => Value::Int(100 + random.below(10) as i64),
        _ => Value::Int(random.below(20) as i64),
    };
    *next += 1;
    let city =
        if random.below(8) == 0 { Value::Null } else { Value::string(format!("c{}", random.below(4))) };
    let n = if random.below(8) == 0 { Value::Null } else { Value::Int(random.below(6) as i64) };
    let all =
        [("a", key(random)), ("b", key(random)), ("c", city), ("n", n), ("new", Value::Int(1_000 + *next))];
    Arc::new(all.into_iter().map(|(name, value)| (Arc::from(name), value)).collect())
}

/// What a statement answers or why it fails, as text. `small`: as Python asks.
fn answer(c: &Connection, text: &str, params: &Arc<Params>, small: bool) -> (String, bool) {
    let by_few = if small { c.execute_small(text, params, &CancelToken::default()) } else { None };
    let was_small = by_few.is_some();
    let result = by_few.unwrap_or_else(|| c.execute(text, Arc::clone(params)));
    let said = result.and_then(|result| {
        let effects = result.side_effects();
        let mut rows: Vec<String> = result.rows()?.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        Ok(format!("{rows:?} {effects}"))
    });
    (said.unwrap_or_else(|error| error.to_string().lines().next().unwrap_or_default().to_owned()), was_small)
}

#[test]
fn few_rows_are_those_that_operators_give() {
    let (mut reads_small, mut writes_small) = (0, 0);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (few, many) = (database(seed), database(seed));
        let mut next = 0;
        for step in 0..150 {
            let texts = if random.below(2) == 0 { READS } else { WRITES };
            let text = random.pick(texts);
            let params = parameters(&mut random, &mut next);
            let long =
                format!("UNWIND [1] AS one_row {}{text}", if texts == WRITES { "WITH one_row " } else { "" });
            let (one, was_small) = answer(&few, text, &params, true);
            let (other, _) = answer(&many, &long, &params, false);
            assert_eq!(one, other, "seed {seed}, step {step}: {text} {params:?}");
            let counted = if texts == WRITES { &mut writes_small } else { &mut reads_small };
            *counted += u64::from(was_small);
        }
        let whole = "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) \
            RETURN labels(n), properties(n), type(r), properties(r), m.id ORDER BY n.id, toString(n.name), m.id, r.n";
        let all = |c: &Connection| answer(c, whole, &Arc::default(), false).0;
        assert_eq!(all(&few), all(&many), "seed {seed}");
    }
    // Of about 900 each: what was planned before, and is no deletion.
    assert!(reads_small > 300 && writes_small > 300, "{reads_small} {writes_small}");
}

/// What finds many rows is left to operators, and was not begun.
#[test]
fn a_statement_that_finds_more_than_few_rows_is_no_small_one() {
    let c = Database::in_memory(Config::new()).connect();
    let run = |text: &str| c.query(text, &[("c", Value::Int(1))]).unwrap();
    run("CREATE INDEX FOR (p:P) ON (p.city)");
    run("UNWIND range(1, 1000) AS i CREATE (:P {city: i % 2})");
    let params: Arc<Params> = Arc::new([(Arc::from("c"), Value::Int(1))].into());
    let text = "MATCH (p:P {city: $c}) SET p.x = 1";
    run(text);
    let small = |text: &str| c.execute_small(text, &params, &CancelToken::default());
    assert!(small(text).is_none());
    assert_eq!(run(text).side_effects().properties_set, 500);
    let text = "MATCH (p:P {city: $c}) RETURN p.x";
    assert_eq!(run(text).rows().unwrap().len(), 500);
    assert!(small(text).is_none());
    // Nor within a transaction.
    run("CREATE (:P {city: 7, x: 7})");
    let params: Arc<Params> = Arc::new([(Arc::from("c"), Value::Int(7))].into());
    let small = |text: &str| c.execute_small(text, &params, &CancelToken::default());
    assert_eq!(small(text).unwrap().unwrap().rows().unwrap().len(), 1);
    c.begin().unwrap();
    assert!(small(text).is_none());
    c.rollback().unwrap();
}

/// It shows no rows, and the plan.
#[test]
fn explain_of_what_writes_and_returns() {
    let c = Database::in_memory(Config::new()).connect();
    for text in
        ["CREATE (n:A {x: 1}) RETURN n, n.x", "MERGE (n:A) RETURN 1", "MATCH (n) SET n.x = 2 RETURN n.x"]
    {
        let lines = || c.query(&format!("EXPLAIN {text}"), &[]).unwrap().rows().unwrap();
        assert!(!lines().is_empty(), "{text}");
        c.begin().unwrap();
        assert!(!lines().is_empty(), "{text}");
        c.rollback().unwrap();
    }
    assert_eq!(c.query("MATCH (n) RETURN count(n)", &[]).unwrap().one::<i64>().unwrap(), 0);
}

//! Procedures and statements that tell about a database, as people from Neo4j ask them.

use crate::{Config, Connection, Database};

fn ask(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut rows = Vec::new();
    while let Some(row) = result.next_row().unwrap() {
        rows.push(row.iter().map(|value| result.format(value)).collect::<Vec<_>>().join(" | "));
    }
    rows
}

#[test]
fn the_schema_is_told() {
    for merged in [false, true] {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        assert_eq!(ask(&connection, "CALL db.labels()"), [""; 0]);
        ask(&connection, "CREATE (:A {x: 1})-[:R {y: 2.5}]->(:B:C {x: 'text'}), (:A)-[:S]->(:A)");
        if merged {
            database.merge(&trimorph_base::CancelToken::default()).unwrap();
        }
        for (text, rows) in [
            ("CALL db.labels()", &["A", "B", "C"][..]),
            ("CALL db.labels() YIELD label WHERE label > 'A' RETURN label", &["B", "C"]),
            ("CALL db.relationshipTypes()", &["R", "S"]),
            ("CALL db.propertyKeys() YIELD propertyKey AS key RETURN collect(key)", &["['x', 'y']"]),
            (
                "CALL db.schema.nodeTypeProperties()",
                &[":`A` | ['A'] | x | ['INTEGER']", ":`B`:`C` | ['B', 'C'] | x | ['STRING']"],
            ),
            ("CALL db.schema.relTypeProperties()", &[":`R` | y | ['FLOAT']", ":`S` | null | null"]),
            (
                "CALL db.schema.visualization() YIELD source, relationshipType AS t, target RETURN source, t, target ORDER BY t",
                &["['A'] | R | ['B', 'C']", "['A'] | S | ['A']"],
            ),
        ] {
            assert_eq!(ask(&connection, text), rows, "{merged} {text}");
        }
        connection.begin().unwrap();
        assert_eq!(ask(&connection, "CALL db.labels()").len(), 3);
        connection.rollback().unwrap();
    }
}

#[test]
fn functions_and_procedures_are_shown() {
    let database = Database::in_memory(Config::default());
    let connection = database.connect();
    let all = ask(&connection, "SHOW FUNCTIONS");
    assert_eq!(all.len(), crate::functions().len());
    assert!(all.iter().any(|row| row.starts_with("round | round(x[, digits[, mode]]) | ")), "{all:?}");
    for (text, rows) in [
        (
            "SHOW FUNCTIONS YIELD name WHERE name STARTS WITH 'toF'",
            &["toFloat", "toFloatList", "toFloatOrNull"][..],
        ),
        (
            "show all functions yield name, aggregating where aggregating return name order by name limit 2;",
            &["avg", "collect"],
        ),
        ("SHOW BUILT IN FUNCTIONS YIELD name ORDER BY name DESC SKIP 1 LIMIT 1", &["values"]),
        ("SHOW PROCEDURES YIELD name WHERE name ENDS WITH 'labels'", &["db.labels"]),
    ] {
        let got = ask(&connection, text);
        if !text.contains("SKIP") {
            assert_eq!(got, rows, "{text}");
        }
        assert!(!got.is_empty(), "{text}");
    }
    assert_eq!(ask(&connection, "SHOW FUNCTIONS WHERE name = 'round'").len(), 1);
    assert_eq!(ask(&connection, "SHOW FUNCTIONS YIELD * LIMIT 3").len(), 3);
    assert!(connection.query("SHOW FUNCTIONS YIELD nonsense", &[]).is_err());
    assert!(connection.query("SHOW FUNKTIONS", &[]).is_err());
}

//! Notices: an unknown name is said where it stands, with the name that was probably meant, and changes
//! nothing.

use std::sync::{Arc, OnceLock};

use trimorph::{Config, Connection, Database, Notice, Value};

/// A generated network.
fn network() -> Connection {
    static NETWORK: OnceLock<Database> = OnceLock::new();
    let network = NETWORK.get_or_init(|| {
        let db = Database::in_memory(Config::default());
        db.generate_snb(0.003, 7).unwrap();
        db
    });
    network.connect()
}

fn short(notice: &Notice) -> String {
    let hint = notice.hint.as_deref().map(|h| format!(" ({h})")).unwrap_or_default();
    format!("{}:{} {}{hint}", notice.line, notice.column, notice.message)
}

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let result = network().query(query, &[]).unwrap();
    let found: Vec<String> = result.notices().iter().map(short).collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn unknown_names_are_said() {
    let label = r#"no node has the label "Persn" (did you mean "Person"?)"#;
    check("MATCH (n:Persn) RETURN n", &[&format!("1:10 {label}")]);
    check("MATCH (n)\nWHERE NOT n:Persn\nRETURN n", &[&format!("2:13 {label}")]);
    check("MATCH (n:!Persn) RETURN n", &[&format!("1:11 {label}")]);
    check("MATCH (n:Person|Persn&%) RETURN n", &[&format!("1:17 {label}")]);
    let ty = r#"no relationship has the type "KNOWZ" (did you mean "KNOWS"?)"#;
    check("MATCH (n)-[:KNOWZ]->() RETURN n", &[&format!("1:13 {ty}")]);
    check("MATCH (n)-[:KNOWS|KNOWZ*1..2]->() RETURN n", &[&format!("1:19 {ty}")]);
    check("MATCH (n)-[:!KNOWZ]->() RETURN n", &[&format!("1:14 {ty}")]);
    check("MATCH (n)-[r]->() WHERE r:KNOWZ RETURN n", &[&format!("1:27 {ty}")]);
    check("MATCH (n) WHERE (n)-[:KNOWZ]->() RETURN n", &[&format!("1:23 {ty}")]);
    let property = r#"no node or relationship has the property "firstNmae" (did you mean "firstName"?)"#;
    check("MATCH (n:Person) RETURN n.firstNmae", &[&format!("1:27 {property}")]);
    check("MATCH (n:Person {firstNmae: 'Jan'}) RETURN n", &[&format!("1:18 {property}")]);
    check("MATCH (n:Person) RETURN n['firstNmae']", &[&format!("1:27 {property}")]);
    check("MATCH (n:Person) RETURN n {.firstNmae}", &[&format!("1:29 {property}")]);
    check("MATCH (n:Person) WHERE n.firstNmae IS NULL RETURN n", &[&format!("1:26 {property}")]);
    check("MATCH p = (:Person)--() RETURN [n IN nodes(p) | n.firstNmae]", &[&format!("1:51 {property}")]);
    check(
        "EXPLAIN MATCH (n:Zebra) RETURN n.`stripes of it`",
        &[
            r#"1:18 no node has the label "Zebra""#,
            r#"1:34 no node or relationship has the property "stripes of it""#,
        ],
    );
    check(
        "PREFIX ex: <http://ex.org/> MATCH (n:ex::Zebra) RETURN n",
        &[r#"1:38 no node has the label "http://ex.org/Zebra""#],
    );
}

#[test]
fn known_names_and_keys_of_maps_are_not() {
    check("MATCH (n:Person)-[r:KNOWS]->(m) WHERE m.firstName = 'Jan' RETURN n, r.creationDate", &[]);
    check("WITH {nmae: 1} AS m, date('2020-02-02') AS d RETURN m.nmae, m.other, d.year", &[]);
    check("UNWIND [{a: 1}] AS m RETURN m.nmae, m['nmae']", &[]);
    check("MATCH (n:Person) RETURN n {.firstName, nmae: 1}, {nmae: 2}", &[]);
}

#[test]
fn comparisons_with_null_are() {
    let null = |place: &str, instead: &str| {
        format!("{place} a comparison with null is never true (write {instead})")
    };
    let matched = |condition: &str, place: &str, instead: &str| {
        check(&format!("MATCH (n:Person) WHERE {condition} RETURN n"), &[&null(place, instead)]);
    };
    matched("n.firstName = null", "1:36", "IS NULL");
    matched("NULL = n.firstName", "1:29", "IS NULL");
    matched("NOT n.firstName <> null", "1:40", "IS NOT NULL");
    matched("1 < n.id <= null", "1:33", "IS NULL");
    matched("EXISTS { (n)-[:KNOWS]->(m) WHERE m.id = null }", "1:62", "IS NULL");
    check("MATCH (n:Person {firstName: null}) RETURN n", &[&null("1:29", "WHERE … IS NULL")]);
    check(
        "MATCH (n:Person) RETURN CASE n.firstName WHEN null THEN 1 END",
        &[&null("1:47", "CASE WHEN … IS NULL THEN …")],
    );
    check("MATCH (n:Person) WITH n.id = null AS x, count(*) AS c RETURN x", &[&null("1:28", "IS NULL")]);
    let two = [&null("1:37", "IS NULL")[..], &null("1:52", "IS NULL")];
    check("MATCH (n:Person) WHERE (n.firstName = null OR n.id = null) RETURN n", &two);
    check("MATCH (n:Person) WHERE n.id IS NULL OR n.firstName = 'x' RETURN coalesce(n.id, null)", &[]);
    check("RETURN [1, null] = [1, null], {a: null} AS m, null IN [1]", &[]);
}

#[test]
fn each_name_is_said_once_and_ten_at_most() {
    check(
        "MATCH (b:Beta)-->(a:Alpha), (c:Beta) WHERE b.q = 1 OR c.q = 2 RETURN c.q",
        &[
            r#"1:10 no node has the label "Beta""#,
            r#"1:21 no node has the label "Alpha""#,
            r#"1:46 no node or relationship has the property "q""#,
        ],
    );
    let labels: Vec<String> = (0..40).map(|i| format!("Zebra{i}")).collect();
    let result = network().query(&format!("MATCH (n:{}) RETURN n", labels.join("|")), &[]).unwrap();
    assert_eq!(result.notices().len(), 10);
    assert!(result.notices()[9].message.contains("\"Zebra9\""));
}

#[test]
fn nothing_changes_and_the_plan_keeps_them() {
    let connection = network();
    for _ in 0..2 {
        let result =
            connection.query("MATCH (n:Person) RETURN count(n.nmae) AS a, count(n) > 0 AS b", &[]).unwrap();
        assert_eq!(result.notices().len(), 1);
        let rows = result.rows().unwrap();
        assert!(matches!(rows[0][..], [Value::Int(0), Value::Bool(true)]), "{rows:?}");
    }
    let prepared = connection.prepare("MATCH (n:Persn) RETURN n").unwrap();
    let result = connection.execute_prepared(&prepared, Arc::default()).unwrap();
    assert_eq!(prepared.notices(), result.notices());
    assert_eq!(
        prepared.notices()[0].to_string(),
        "notice: no node has the label \"Persn\"\n 1 | MATCH (n:Persn) RETURN n\n   |          ^^^^^ line 1, column 10\n hint: did you mean \"Person\"?"
    );
}

#[test]
fn an_empty_database_gives_none_until_it_is_filled() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let prepared = connection.prepare("MATCH (n:Persn) RETURN n.nmae").unwrap();
    assert!(prepared.notices().is_empty());
    db.generate_snb(0.003, 7).unwrap();
    let result = connection.execute_prepared(&prepared, Arc::default()).unwrap();
    assert_eq!(result.notices().len(), 2);
}

#[test]
fn a_name_of_a_million_letters_costs_nothing() {
    let name = "x".repeat(500_000);
    let result = network().query(&format!("MATCH (n:{name}) RETURN n.{name}"), &[]).unwrap();
    assert!(result.notices().iter().all(|n| n.hint.is_none()));
}

//! A hundred thousand relationships between the same two nodes, in both directions: made by one statement and
//! by many, found from both ends, in part deleted, merged, opened again. And very many of one node that go.

use trimorph::{Connection, Database, Value};

use crate::durable::{Directory, open, rows, run};

const COUNT: i64 = 100_000;

/// What is there of `alive` relationships from A to B, and as many back; and `loops` at A.
fn check(db: &Database, alive: i64, sum: i64, loops: i64, what: &str) {
    let c = db.connect();
    let is = |text: &str, expected: String| assert_eq!(rows(&c, text), [expected], "{what}: {text}");
    let both = format!("{alive} | {sum}");
    is("MATCH (:A)-[r:P]->(:B) RETURN count(r), sum(r.i)", both.clone());
    is("MATCH (:B)<-[r:P]-(:A) RETURN count(r), sum(r.i)", both.clone());
    is("MATCH (:B)-[r:P]->(:A) RETURN count(r), sum(r.i)", both.clone());
    is("MATCH (:A)<-[r:P]-(:B) RETURN count(r), sum(r.i)", both);
    is("MATCH (:A)-[r:P]-(:B) RETURN count(DISTINCT r), sum(r.i)", format!("{} | {}", 2 * alive, 2 * sum));
    is(
        "MATCH (:A)-[:P]->(b:B) RETURN count(*), count(DISTINCT b)",
        format!("{alive} | {}", i64::from(alive > 0)),
    );
    is("MATCH ()-[r:P]->() RETURN count(r)", (2 * alive + loops).to_string());
    is("MATCH (a:A)-[r:P]->(a) RETURN count(r)", loops.to_string());
    is(
        "MATCH (a:A) RETURN COUNT { (a)-[:P]->() }, COUNT { (a)<-[:P]-() }",
        format!("{0} | {0}", alive + loops),
    );
    let last = "MATCH (:A)-[r:P]->(:B) RETURN r.i ORDER BY r.i DESC LIMIT 1";
    assert_eq!(rows(&c, last).len(), usize::from(alive > 0), "{what}");
}

fn delete(c: &Connection, rest: i64) {
    let deleted =
        c.query("MATCH (:A)-[r:P]-(:B) WHERE r.i % 2 = $rest DELETE r", &[("rest", Value::Int(rest))]);
    deleted.unwrap();
}

#[test]
fn between_two_nodes_in_both_directions() {
    let directory = Directory::new("parallel-edges");
    let sum = |step: i64| (0..COUNT).filter(|i| step == 0 || i % 2 == 1).sum::<i64>();
    {
        let db = open(&directory);
        let c = db.connect();
        run(&c, &["CREATE (:A {n: 1}), (:B {n: 2})"]);
        // Half by one statement, and some one by one, in two transactions that are open beside each other.
        let many = "MATCH (a:A), (b:B) UNWIND range($from, $to) AS i CREATE (a)-[:P {i: i}]->(b), (b)-[:P {i: i}]->(a)";
        let bounds = |from, to| [("from", Value::Int(from)), ("to", Value::Int(to))];
        let (one, other) = (db.connect(), db.connect());
        one.begin().unwrap();
        other.begin().unwrap();
        one.query(many, &bounds(0, COUNT / 2)).unwrap();
        for i in 0..20 {
            other.query(many, &bounds(COUNT - 1 - i, COUNT - 1 - i)).unwrap();
        }
        other.query(many, &bounds(COUNT / 2 + 1, COUNT - 21)).unwrap();
        check(&db, 0, 0, 0, "not committed");
        one.commit().unwrap();
        other.commit().unwrap();
        run(&c, &["MATCH (a:A) CREATE (a)-[:P {i: -1}]->(a), (a)-[:P {i: -2}]->(a)"]);
        check(&db, COUNT, sum(0), 2, "written");
        // MERGE finds one of them, and makes none.
        run(&c, &["MATCH (a:A), (b:B) MERGE (a)-[:P {i: 77}]->(b)"]);
        check(&db, COUNT, sum(0), 2, "merged by a statement");
    }
    {
        let db = open(&directory);
        check(&db, COUNT, sum(0), 2, "opened again");
        db.merge(&Default::default()).unwrap();
        check(&db, COUNT, sum(0), 2, "merged");
        let c = db.connect();
        c.begin().unwrap();
        delete(&c, 0);
        c.rollback().unwrap();
        check(&db, COUNT, sum(0), 2, "undone");
        delete(&c, 0);
        check(&db, COUNT / 2, sum(1), 2, "half are deleted");
    }
    let db = open(&directory);
    check(&db, COUNT / 2, sum(1), 2, "half are deleted, opened again");
    db.merge(&Default::default()).unwrap();
    check(&db, COUNT / 2, sum(1), 2, "half are deleted, merged");
    delete(&db.connect(), 1);
    check(&db, 0, 0, 2, "all are deleted");
    run(&db.connect(), &["MATCH (a:A) DETACH DELETE a"]);
    assert_eq!(rows(&db.connect(), "MATCH ()-[r]->() RETURN count(r)"), ["0"]);
}

/// Half of a node's relationships are deleted, and then the others, in a database that has merged before
/// each: they have no properties, so their places are told by the lists alone. Were all looked at for each,
/// this would take minutes.
#[test]
fn very_many_of_a_node_are_deleted() {
    let (count, db) = (100_000, Database::in_memory(trimorph::Config::new().threads(1)));
    let c = db.connect();
    c.query("UNWIND range(1, $count) AS i CREATE (:P {i: i})", &[("count", Value::Int(count))]).unwrap();
    run(&c, &["CREATE (:Hub)", "MATCH (h:Hub), (p:P) CREATE (h)-[:R]->(p)"]);
    for (condition, left) in [("WHERE p.i % 2 = 0", count / 2), ("", 0)] {
        db.merge(&Default::default()).unwrap();
        run(&c, &[&format!("MATCH (:Hub)-[r:R]->(p) {condition} DELETE r")]);
        assert_eq!(rows(&c, "MATCH (:Hub)-[r:R]->() RETURN count(r)"), [left.to_string()]);
        assert_eq!(rows(&c, "MATCH (p:P)<-[r:R]-() RETURN count(r)"), [left.to_string()]);
    }
}

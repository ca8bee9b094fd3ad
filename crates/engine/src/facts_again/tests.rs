//! Facts that come back: what breaks them, and when they hold again.

use trimorph_base::{CancelToken, Random};
use trimorph_catalog::LabelsVary;
use trimorph_types::Value;

use crate::{Config, Connection, Database, Error};

/// What is said of the values of `x` of nodes, and of `y` of relationships.
fn facts(db: &Database) -> [bool; 2] {
    let base = db.shared.base();
    let (schema, facts) = (base.schema(), base.catalog().unrecorded_facts());
    let nodes = schema.table_ids().find_map(|table| {
        Some(facts.node_tables[usize::from(table.0)].one_type[schema.node_property(table, "x")?])
    });
    let edges = schema.edge_table_ids().find_map(|table| {
        Some(facts.edge_tables[usize::from(table.0)].one_type[schema.edge_property(table, "y")?])
    });
    [nodes, edges].map(|fact| fact == Some(true))
}

/// The same after a look whether they hold again.
fn looked_at(db: &Database) -> [bool; 2] {
    db.shared.restore_facts(&mut db.shared.merging());
    facts(db)
}

fn run(c: &Connection, text: &str) -> Result<(), Error> {
    c.query(text, &[]).map(drop)
}

const NODES: &str = "UNWIND range(0, 1499) AS k CREATE (a:A {k: k, x: k})-[:R {k: k, y: k}]->(:B)";
const OTHER: &str = "MATCH (a:A {k: 7})-[r:R]->() SET a.x = 'text', r.y = 2.5";
const BACK: &str = "MATCH (a:A {k: 7})-[r:R]->() SET a.x = 7, r.y = 7";

fn database(merges: bool) -> Result<Database, Error> {
    let db = Database::in_memory(Config::new().threads(1).background_merges(false));
    run(&db.connect(), NODES)?;
    if merges {
        db.merge(&CancelToken::default())?;
    }
    Ok(db)
}

#[test]
fn columns_are_of_one_type_again_when_nobody_finds_another() -> Result<(), Error> {
    for merges in [false, true] {
        let db = database(merges)?;
        let (c, other) = (db.connect(), db.connect());
        assert_eq!(facts(&db), [true; 2]);
        run(&c, OTHER)?;
        assert_eq!((facts(&db), looked_at(&db)), ([false; 2], [false; 2]));
        run(&c, "MATCH (a:A {k: 7}) SET a.x = 7")?;
        assert_eq!(looked_at(&db), [true, false]);
        run(&c, "MATCH (a:A {k: 7})-[r:R]->() REMOVE r.y")?;
        assert_eq!(looked_at(&db), [true; 2]);
        // Rows that went.
        run(&c, OTHER)?;
        run(&c, "MATCH (a:A {k: 7}) SET a.x = 7")?;
        run(&c, "CREATE (:A {x: 'text'})")?;
        assert_eq!(looked_at(&db), [false; 2]);
        run(&c, "MATCH (a:A {x: 'text'}) DELETE a")?;
        run(&c, BACK)?;
        assert_eq!(looked_at(&db), [true; 2]);
        // What is not committed, and what never is.
        c.begin()?;
        run(&c, OTHER)?;
        run(&c, BACK)?;
        assert_eq!(looked_at(&db), [false; 2]);
        c.commit()?;
        assert_eq!(looked_at(&db), [true; 2]);
        c.begin()?;
        run(&c, OTHER)?;
        c.rollback()?;
        assert_eq!(looked_at(&db), [true; 2]);
        // Somebody who still sees it.
        run(&c, OTHER)?;
        other.begin()?;
        run(&other, "MATCH (a:A) RETURN count(a)")?;
        run(&c, BACK)?;
        assert_eq!(looked_at(&db), [false; 2]);
        other.rollback()?;
        assert_eq!(looked_at(&db), [true; 2]);
    }
    Ok(())
}

#[test]
fn a_merge_beside_writers_and_readers_restores_types() -> Result<(), Error> {
    let db = database(true)?;
    let (c, writer, reader) = (db.connect(), db.connect(), db.connect());
    writer.begin()?;
    run(&writer, "CREATE (:W)")?;
    run(&c, OTHER)?;
    db.merge(&CancelToken::default())?;
    assert_eq!(looked_at(&db), [false; 2]);
    reader.begin()?;
    let texts = "MATCH (a:A)-[r:R]->() WHERE a.x STARTS WITH 't' OR r.y = 2.5 RETURN count(*)";
    let found = |c: &Connection, text: &str| c.query(text, &[]).and_then(|rows| rows.one::<i64>());
    assert_eq!(found(&reader, texts)?, 1);
    run(&c, BACK)?;
    assert_eq!(looked_at(&db), [false; 2], "main has the other value");
    db.merge(&CancelToken::default())?;
    // Who began before them keeps versions that he does not see.
    assert_eq!(facts(&db), [false; 2]);
    writer.rollback()?;
    writer.begin()?;
    run(&writer, "CREATE (:W)")?;
    run(&c, "CREATE (:Z)")?;
    db.merge(&CancelToken::default())?;
    assert_eq!(facts(&db), [true; 2]);
    // Who has the main version from before does not take that for his own.
    for text in [texts, "MATCH (a:A)-[r:R]->() WHERE a.x = 'text' AND r.y = 2.5 RETURN count(*) AS n"] {
        assert_eq!((found(&reader, text)?, found(&c, text)?), (1, 0), "{text}");
    }
    reader.rollback()?;
    writer.rollback()
}

/// A transaction asks while the fact holds again that did not hold when it began, then it is broken: what was
/// read by it conflicts.
#[test]
fn who_relied_on_a_type_that_came_back_conflicts_with_who_writes_another() -> Result<(), Error> {
    let db = database(true)?;
    let (c, reader) = (db.connect(), db.connect());
    // Nobody else looks meanwhile.
    let mut merging = db.shared.merging();
    run(&c, OTHER)?;
    run(&c, BACK)?;
    reader.begin()?;
    run(&reader, "RETURN 1")?;
    assert_eq!(facts(&db), [false; 2]);
    db.shared.restore_facts(&mut merging);
    drop(merging);
    assert_eq!(facts(&db), [true; 2]);
    run(&reader, "MATCH (a:A) WHERE a.x STARTS WITH 't' CREATE (:Found)")?;
    run(&reader, "CREATE (:Looked)")?;
    run(&c, OTHER)?;
    assert!(matches!(reader.commit(), Err(Error::Conflict(_))));
    Ok(())
}

/// Whatever several transactions do, whoever reads by the fact finds values of the type alone, and it comes
/// back in the end.
#[test]
fn nobody_finds_another_type_while_the_fact_holds() -> Result<(), Error> {
    let mut held = 0;
    for seed in 0..60 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let db = Database::in_memory(Config::new().threads(1).background_merges(false));
        let merges = seed % 2 == 0;
        run(&db.connect(), "UNWIND range(0, 11) AS k CREATE (a:A {k: k, x: k})-[:R {y: k}]->(:B)")?;
        let mut connections: Vec<(Connection, bool, u64)> =
            (0..3).map(|_| (db.connect(), false, 0)).collect();
        for _ in 0..80 {
            let at = random.below(3);
            let value = ["1", "2", "3", "null", "'text'", "0.5"][random.below(6)];
            let k = random.below(12);
            let text = match random.below(6) {
                0 => format!("MATCH (a:A {{k: {k}}}) DETACH DELETE a"),
                1 => format!("CREATE (:A {{k: {k}, x: {value}}})-[:R {{y: {value}}}]->(:B)"),
                2 => format!("MATCH (:A {{k: {k}}})-[r:R]->() SET r.y = {value}"),
                _ => format!("MATCH (a:A {{k: {k}}}) SET a.x = {value}"),
            };
            let (c, is_open, merged) = &mut connections[at];
            match random.below(8) {
                0 if *is_open => {
                    if c.commit().is_err() {
                        let _ = c.rollback();
                    }
                    *is_open = false;
                }
                1 if *is_open => {
                    c.rollback()?;
                    *is_open = false;
                }
                0 | 1 => {
                    c.begin()?;
                    run(c, "RETURN 1")?;
                    (*is_open, *merged) = (true, db.shared.base().main().merged_at);
                }
                2 if merges => drop(db.merge(&CancelToken::default())?),
                _ if run(c, &text).is_err() => {
                    // A conflict undoes the transaction.
                    let _ = c.rollback();
                    *is_open = false;
                }
                _ => {}
            }
            let holds = looked_at(&db);
            held += usize::from(holds[0]) + usize::from(holds[1]);
            let newest = db.shared.base().main().merged_at;
            for (c, is_open, merged) in &connections {
                if *is_open && *merged != newest {
                    continue;
                }
                for (text, holds) in
                    ["MATCH (a:A) RETURN a.x", "MATCH ()-[r:R]->() RETURN r.y"].into_iter().zip(holds)
                {
                    let rows = c.query(text, &[])?.rows()?;
                    let is_of_type = |value: &Value| matches!(value, Value::Null | Value::Int(_));
                    assert!(!holds || rows.iter().flatten().all(is_of_type), "{text}: {rows:?}");
                }
            }
        }
        for (c, is_open, _) in &connections {
            if *is_open {
                c.rollback()?;
            }
        }
        let c = db.connect();
        run(&c, "MATCH (a:A) SET a.x = 1")?;
        run(&c, "MATCH ()-[r:R]->() SET r.y = 1")?;
        db.merge(&CancelToken::default())?;
        assert_eq!(looked_at(&db), [true; 2], "seed {seed}");
    }
    assert!(held > 500, "{held}");
    Ok(())
}

/// Which labels rows of the table of `:M:P` are said to differ by; none where it is not known.
fn varying(db: &Database) -> Vec<String> {
    db.shared.restore_facts(&mut db.shared.merging());
    let base = db.shared.base();
    let facts = base.catalog().unrecorded_facts();
    match &facts.node_tables[0].labels_vary {
        LabelsVary::No => Vec::new(),
        LabelsVary::By(labels) => labels
            .iter()
            .map(|label| base.schema().labels.name(label.0.into()).unwrap().to_string())
            .collect(),
        LabelsVary::Any => vec!["any".to_owned()],
    }
}

#[test]
fn rows_have_the_labels_of_their_table_again() -> Result<(), Error> {
    for merges in [false, true] {
        let db = Database::in_memory(Config::new().threads(1).background_merges(false));
        let (c, other) = (db.connect(), db.connect());
        run(&c, "UNWIND range(0, 1499) AS k CREATE (:M:P {k: k})")?;
        let merge = || if merges { db.merge(&CancelToken::default()).map(drop) } else { Ok(()) };
        let has = |c: &Connection, labels: &str, count: i64| {
            let text = format!("MATCH (n{labels}) RETURN count(n)");
            assert_eq!(c.query(&text, &[]).and_then(|rows| rows.one::<i64>()).ok(), Some(count), "{labels}");
        };
        merge()?;
        assert_eq!(varying(&db), [""; 0]);
        run(&c, "MATCH (n:M) WHERE n.k < 3 SET n:X REMOVE n:P")?;
        assert_eq!(varying(&db), ["P", "X"]);
        run(&c, "MATCH (n:M) WHERE n.k < 3 REMOVE n:X")?;
        assert_eq!(varying(&db), ["P"]);
        // Somebody sees them still; somebody writes others.
        other.begin()?;
        has(&other, ":M&!P", 3);
        run(&c, "MATCH (n:M) WHERE n.k < 3 SET n:P")?;
        assert_eq!(varying(&db), ["P"]);
        has(&other, ":M&!P", 3);
        other.rollback()?;
        assert_eq!(varying(&db), [""; 0]);
        other.begin()?;
        run(&other, "MATCH (n:M {k: 4}) SET n:Y")?;
        assert_eq!(varying(&db), ["Y"]);
        has(&other, ":Y", 1);
        has(&c, ":Y", 0);
        other.commit()?;
        has(&c, ":Y", 1);
        assert_eq!(varying(&db), ["Y"]);
        merge()?;
        has(&c, ":Y", 1);
        assert_eq!(varying(&db), ["Y"]);
        // Whoever reads main from before finds what it has.
        other.begin()?;
        has(&other, ":Y", 1);
        run(&c, "MATCH (n:Y) REMOVE n:Y")?;
        merge()?;
        assert_eq!(varying(&db).is_empty(), merges);
        for labels in [":Y", ":Y&P", ":M&Y"] {
            has(&other, labels, 1);
            has(&c, labels, 0);
        }
        other.rollback()?;
        assert_eq!(varying(&db), [""; 0]);
        // Main keeps nothing of labels that are the table's, in whatever order they came.
        run(&c, "MATCH (n:M) WHERE n.k < 9 REMOVE n:M")?;
        merge()?;
        run(&c, "MATCH (n:P) WHERE n.k < 9 SET n:M")?;
        merge()?;
        assert_eq!(varying(&db), [""; 0]);
        assert!(db.shared.base().main().node_tables[0].labels.is_none());
        has(&c, ":M&P", 1_500);
        let rows = c.query("MATCH (n:P {k: 1}) RETURN labels(n) = ['M', 'P']", &[])?;
        assert!(rows.one::<bool>()?);
    }
    Ok(())
}

/// Relationships that come and lead to others leave it true that none leads to where it begins.
#[test]
fn only_a_loop_says_that_there_are_loops() -> Result<(), Error> {
    let loops = |db: &Database| {
        let base = db.shared.base();
        base.catalog()
            .unrecorded_facts()
            .edge_tables
            .iter()
            .map(|facts| facts.self_loops_max)
            .collect::<Vec<_>>()
    };
    for merges in [false, true] {
        let db = Database::in_memory(Config::new().threads(1).background_merges(false));
        let c = db.connect();
        let merge = || if merges { db.merge(&CancelToken::default()).map(drop) } else { Ok(()) };
        run(&c, "UNWIND range(1, 9) AS k CREATE (:A {k: k})")?;
        run(&c, "MATCH (a:A), (b:A {k: a.k + 1}) CREATE (a)-[:R]->(b)")?;
        merge()?;
        run(&c, "MATCH (a:A {k: 1}), (b:A {k: 4}) CREATE (a)-[:R]->(b), (b)-[:R]->(a)")?;
        merge()?;
        assert_eq!(loops(&db), [0]);
        let count = |text: &str| c.query(text, &[]).and_then(|rows| rows.one::<i64>());
        assert_eq!(count("MATCH (a:A)-[:R]-(b) RETURN count(*)")?, 20);
        assert_eq!(count("MATCH (a:A)-[:R]-(a) RETURN count(*)")?, 0);
        run(&c, "MATCH (a:A {k: 4}) CREATE (a)-[:R]->(a)")?;
        assert!(loops(&db)[0] > 0);
        merge()?;
        assert!(loops(&db)[0] > 0);
        assert_eq!(count("MATCH (a:A)-[:R]-(b) RETURN count(*)")?, 21);
        assert_eq!(count("MATCH (a:A)-[:R]-(a) RETURN count(*)")?, 1);
        assert_eq!(count("MATCH (a:A {k: 4}) MERGE (a)-[r:S]->(a) RETURN count(r)")?, 1);
        assert!(loops(&db)[1] > 0);
    }
    Ok(())
}

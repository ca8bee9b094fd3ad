//! Many label sets of few nodes each: those beyond the first get no tables of their own, and are found by
//! their labels all the same.

use trimorph::{CancelToken, Database};

use crate::durable::{Directory, config, open, rows, run};

/// Nodes of `sets` label sets, some of two labels, each with an edge of one of `types` types to another one.
fn make(database: &Database, sets: usize, types: usize) {
    let c = database.connect();
    for first in (0..sets).step_by(50) {
        run(&c, &["BEGIN"]);
        for i in first..sets.min(first + 50) {
            let second = if i % 3 == 0 { ":Third" } else { "" };
            run(
                &c,
                &[&format!(
                    "CREATE (:L{i}{second} {{i: {i}}})-[:T{} {{w: {i}}}]->(:L{i} {{i: -{i}}})",
                    i % types
                )],
            );
        }
        run(&c, &["COMMIT"]);
    }
}

fn check(database: &Database, sets: usize, types: usize, at: &str) {
    let c = database.connect();
    let ask = |text: &str| rows(&c, text).join(", ");
    assert_eq!(ask("MATCH (n) RETURN count(n)"), (2 * sets).to_string(), "{at}");
    assert_eq!(ask("MATCH (n:Third) RETURN count(n)"), sets.div_ceil(3).to_string(), "{at}");
    assert_eq!(ask("MATCH ()-[r]->() RETURN count(r)"), sets.to_string(), "{at}");
    assert_eq!(ask("MATCH (n) WHERE size(labels(n)) = 0 RETURN count(n)"), "0", "{at}");
    for i in [1, 7, 255, 256, 299, sets - 1, sets - 2] {
        let third = if i % 3 == 0 { ", 'Third'" } else { "" };
        let ty = format!("T{}", i % types);
        let one =
            format!("MATCH (a:L{i} {{i: {i}}})-[r]->(b:L{i}) RETURN labels(a), type(r), r.w, labels(b), b.i");
        assert_eq!(ask(&one), format!("['L{i}'{third}] | {ty} | {i} | ['L{i}'] | -{i}"), "{at}");
        assert_eq!(ask(&format!("MATCH (n:L{i}:Third) RETURN count(n)")), if i % 3 == 0 { "1" } else { "0" });
        assert_eq!(ask(&format!("MATCH (n:!L{i}) RETURN count(n)")), (2 * sets - 2).to_string(), "{at}");
    }
    assert_eq!(ask(&format!("MATCH (n:L{sets}) RETURN n")), "", "{at}");
}

#[test]
fn rare_label_sets_share_a_table() {
    let (sets, types) = (330, 20);
    let dir = Directory::new("many-labels");
    let database = open(&dir);
    let c = database.connect();
    // A constraint spans what has its label by the row.
    run(&c, &["CREATE CONSTRAINT k FOR (n:L320) REQUIRE n.k IS UNIQUE"]);
    make(&database, sets, types);
    check(&database, sets, types, "written");
    run(&c, &["MATCH (n:L320 {i: 320}) SET n.k = 1"]);
    let again = |c: &trimorph::Connection| c.query("CREATE (:L320:More {k: 1})", &[]).is_err();
    assert!(again(&c));
    database.merge(&CancelToken::default()).unwrap();
    check(&database, sets, types, "merged");
    drop((c, database));
    let database = open(&dir);
    check(&database, sets, types, "opened");
    let c = database.connect();
    assert!(again(&c));
    // As any other nodes: they lose labels, get others, go; who counted them and comes later does not commit.
    let (a, b) = (database.connect(), database.connect());
    a.begin().unwrap();
    run(&a, &["MATCH (n:L321) RETURN count(n)"]);
    run(&b, &["CREATE (:L321)"]);
    run(&a, &["CREATE (:Note)"]);
    assert!(a.commit().is_err());
    run(
        &c,
        &["MATCH (n:L321) WHERE n.i IS NULL DELETE n", "MATCH (n:L322 {i: 322}) REMOVE n:L322 SET n:Other"],
    );
    assert_eq!(rows(&c, "MATCH (n:Other) RETURN n.i, labels(n)"), ["322 | ['Other']"]);
    run(&c, &["MATCH (n:Other) SET n:L322 REMOVE n:Other", "MATCH (n) WHERE n.i = 0 DETACH DELETE n"]);
    assert_eq!(rows(&c, "MATCH (n) RETURN count(n)"), [(2 * sets - 2).to_string()]);
    drop((a, b, c));
    database.checkpoint(&CancelToken::default()).unwrap();
    drop(database);
    Database::check(dir.path()).unwrap();
}

/// `cargo test --release -p trimorph-tests --test it many_labels -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn fifty_thousand_label_sets() {
    let (sets, types) = (50_000, 20);
    let (one_dir, many_dir) = (Directory::new("one-label"), Directory::new("many-labels-large"));
    let large = || config().memory_limit_bytes(8 << 30);
    let one = Database::open(one_dir.path(), large()).unwrap();
    for ty in 0..types {
        let text = format!(
            "UNWIND range(0, {sets} - 1) AS i WITH i WHERE i % {types} = {ty} \
             CREATE (:L {{i: i}})-[:T{ty} {{w: i}}]->(:L {{i: -i}})"
        );
        run(&one.connect(), &[&text]);
    }
    let many = Database::open(many_dir.path(), large()).unwrap();
    let began = std::time::Instant::now();
    make(&many, sets, types);
    println!("{sets} label sets in {:?}", began.elapsed());
    let bytes = |db: &Database, dir: &Directory| {
        db.checkpoint(&CancelToken::default()).unwrap();
        let folders = [dir.path().to_path_buf(), dir.path().join("checkpoint")];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).flatten();
        files.filter_map(|file| file.metadata().ok()).filter(|m| m.is_file()).map(|m| m.len()).sum::<u64>()
    };
    let (one_bytes, many_bytes) = (bytes(&one, &one_dir), bytes(&many, &many_dir));
    let nodes = 2 * sets as u64;
    println!("bytes a node: one label set {}, many {}", one_bytes / nodes, many_bytes / nodes);
    let began = std::time::Instant::now();
    assert_eq!(rows(&many.connect(), "MATCH (n) RETURN count(n)"), [(2 * sets).to_string()]);
    println!("count in {:?}", began.elapsed());
    check(&many, sets, types, "many");
}

//! Groups by the key of nodes, which are groups by the nodes as long as none lacks it: of a table that was
//! loaded with a key, beside one of the same nodes that statements made, whose plans take nothing for
//! granted. Keys are taken away and given, and nodes made without one, within transactions and outside.

use trimorph::{Connection, Database, OnConflict};
use trimorph_base::{CancelToken, Random};

use crate::durable::{Directory, config, rows, run};
use crate::live_loads::{Files, load};

const PERSONS: usize = 200;

fn loaded(db: &Database, name: &str) {
    let mut nodes = "k:ID(Person){id-type: int},v:int,:LABEL\n".to_owned();
    let mut edges = ":START_ID(Person),:END_ID(Person),:TYPE,y:int\n".to_owned();
    for k in 0..PERSONS {
        nodes.push_str(&format!("{k},{},Person\n", k % 7));
        for other in [k * 11 % PERSONS, k * 3 % PERSONS] {
            edges.push_str(&format!("{k},{other},KNOWS,{}\n", k % 13));
        }
    }
    let files = Files::new(&format!("full-keys-files-{name}"));
    let paths = [files.put("nodes.csv", &nodes), files.put("edges.csv", &edges)];
    load(db, &paths, OnConflict::Error).unwrap();
}

fn made(db: &Database) {
    run(
        &db.connect(),
        &[
            "UNWIND range(0, 199) AS k CREATE (:Person {k: k, v: k % 7})",
            "MATCH (p:Person), (q:Person) WHERE q.k = p.k * 11 % 200 CREATE (p)-[:KNOWS {y: p.k % 13}]->(q)",
            "MATCH (p:Person), (q:Person) WHERE q.k = p.k * 3 % 200 CREATE (p)-[:KNOWS {y: p.k % 13}]->(q)",
        ],
    );
}

const QUESTIONS: [&str; 11] = [
    "MATCH (p:Person) RETURN p.k, count(*)",
    "MATCH (p:Person) RETURN p.k AS k, p.v AS v, count(*) AS n, collect(p.v) AS all",
    "MATCH (p:Person)-[:KNOWS]->(q) RETURN p.k, p.v % 3, count(*), sum(q.v), count(DISTINCT q)",
    "MATCH (p:Person)<-[r:KNOWS]-(q:Person) RETURN p.k AS k, q.v AS v, count(*) AS n, max(r.y) AS y",
    "MATCH (p:Person)<-[r:KNOWS]-(q:Person) RETURN p.k AS k, q.k AS v, count(r) AS n",
    "MATCH (p:Person) OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN q.k, q.v, count(*), count(p.k), count(DISTINCT q.k)",
    "MATCH (p:Person)-[:KNOWS]->(q) RETURN DISTINCT q.k, q.v",
    "MATCH (p:Person)-[:KNOWS]->(q) WITH DISTINCT q, q.v AS v RETURN count(*), count(q.k), sum(v)",
    "MATCH (p:Person)-[r:KNOWS]->(q) RETURN p.k, p.v, count(r) AS n ORDER BY n DESC, p.k, p.v LIMIT 7",
    "MATCH (p)-[r:KNOWS]->(q) RETURN id(q) = id(p), q.k, count(*)",
    "MATCH (p:Person) RETURN count(p.k), count(DISTINCT p.k), count(*)",
];

fn answers(c: &Connection) -> Vec<Vec<String>> {
    QUESTIONS.iter().map(|text| rows(c, text)).collect()
}

/// Statements; `fresh` is a key that nobody has had.
fn drawn(random: &mut Random, fresh: usize) -> Vec<String> {
    let (p, v) = (random.below(PERSONS), random.below(7));
    match random.below(9) {
        0 => vec![format!("CREATE (:Person {{v: {v}}})")],
        1 => vec![format!("MATCH (p:Person {{k: {p}}}) REMOVE p.k")],
        2 => vec![format!("MATCH (p:Person) WHERE p.v = {v} AND p.k < {p} SET p.k = null")],
        3 => vec![format!(
            "MATCH (p:Person) WHERE p.k IS NULL AND p.v = {v} WITH collect(p) AS all WHERE size(all) = 1 \
             UNWIND all AS p SET p.k = {fresh}"
        )],
        4 => {
            vec![format!("MATCH (q:Person {{k: {p}}}) CREATE (:Person {{v: {v}}})-[:KNOWS {{y: {v}}}]->(q)")]
        }
        5 => vec![format!("CREATE (:Person {{k: {fresh}, v: {v}}})")],
        6 => vec![format!("MATCH (p:Person {{k: {p}}}) SET p = {{v: {v}}}")],
        7 => vec!["MATCH (p:Person) WHERE p.k IS NULL DETACH DELETE p".to_owned()],
        _ => vec![format!("MATCH (p:Person {{k: {p}}}) DETACH DELETE p")],
    }
}

fn program(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let dir = Directory::new(&format!("full-keys-{seed}"));
    let mut db = Some(Database::open(dir.path(), config()).unwrap());
    loaded(db.as_ref().unwrap(), &seed.to_string());
    let model = Database::in_memory(config());
    made(&model);
    for step in 0..steps {
        let ours = db.as_ref().unwrap();
        let all = 0..1 + random.below(2);
        let statements: Vec<String> = all.flat_map(|i| drawn(&mut random, 5_000 + step * 4 + i)).collect();
        let context = format!("seed {seed} step {step}: {statements:#?}");
        let undone = random.below(4) == 0;
        let both = [ours.connect(), model.connect()];
        both.iter().for_each(|c| c.begin().unwrap());
        for text in &statements {
            let [found, wanted] = [0, 1].map(|at| rows(&both[at], text));
            assert_eq!(found, wanted, "{context}\n{text}");
            // Who has made it sees it before others do.
            same(&answers(&both[0]), &answers(&both[1]), &format!("{context}, within"));
        }
        both.iter().for_each(|c| if undone { c.rollback().unwrap() } else { c.commit().unwrap() });
        match random.below(8) {
            0 => ours.merge(&CancelToken::default()).map(drop).unwrap(),
            1 => ours.checkpoint(&CancelToken::default()).map(drop).unwrap(),
            2 => {
                drop(both);
                drop(db.take());
                db = Some(Database::open(dir.path(), config()).unwrap());
            }
            _ => {}
        }
        same(&answers(&db.as_ref().unwrap().connect()), &answers(&model.connect()), &context);
    }
}

fn same(found: &[Vec<String>], wanted: &[Vec<String>], context: &str) {
    for ((found, wanted), question) in found.iter().zip(wanted).zip(QUESTIONS) {
        assert_eq!(found, wanted, "{context}\n{question}");
    }
}

#[test]
fn answer_as_values_do() {
    let seeds = std::env::var("FULL_KEYS_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    for seed in 0..seeds {
        println!("seed {seed}");
        program(seed, 30);
    }
}

/// How the groups of keys are made.
fn groups_of_keys(c: &Connection) -> String {
    let text = "EXPLAIN MATCH (p:Person)-[:KNOWS]->(q) RETURN p.k AS k, count(*) AS n";
    let plan = c.query(text, &[]).unwrap().plan();
    plan.lines().find(|line| line.contains("Aggregate")).unwrap().to_owned()
}

/// As soon as one lacks its key groups are by values again; once none does, by nodes.
#[test]
fn are_by_nodes_while_none_lacks_its_key() {
    let dir = Directory::new("full-keys-plans");
    let db = Database::open(dir.path(), config()).unwrap();
    loaded(&db, "first");
    let (by_node, by_value) = ("[p]", "[k = p.k]");
    let has = |c: &Connection, what: &str| assert!(groups_of_keys(c).contains(what), "{}", groups_of_keys(c));
    let c = db.connect();
    has(&c, by_node);
    run(&c, &["MATCH (p:Person {k: 3}) REMOVE p.k"]);
    has(&c, by_value);
    run(&c, &["MATCH (p:Person) WHERE p.k IS NULL SET p.k = 3"]);
    drop(c);
    db.checkpoint(&CancelToken::default()).unwrap();
    drop(db);
    let db = Database::open(dir.path(), config()).unwrap();
    has(&db.connect(), by_node);
    // Made before the table has a key.
    let db = Database::in_memory(config());
    run(&db.connect(), &["CREATE (:Person {v: 1}), (:Person {v: 2})"]);
    loaded(&db, "second");
    has(&db.connect(), by_value);
    assert_eq!(rows(&db.connect(), "MATCH (p:Person) WHERE p.k IS NULL RETURN p.k, count(*)").len(), 1);
}

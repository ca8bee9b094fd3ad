//! Edges of which each node has one: replaced, taken away and given again beside readers of any age and
//! merges. A database whose edges were loaded, and are vertex columns, is asked the same as one whose edges
//! were made by statements, and were never merged.

use trimorph::{Connection, Database, Error, Isolation, OnConflict};
use trimorph_base::{CancelToken, Random};

use crate::durable::{Directory, config, rows, run};
use crate::live_loads::{Files, load};
use crate::transactions::{LEVELS, begun};

const PERSONS: usize = 300;
const COMPANIES: usize = 20;

/// Persons, and the company of each; a badge of most, and of each badge one person.
fn files() -> [String; 5] {
    let mut all = [
        "k:ID(Person){id-type: int},v:int,:LABEL\n",
        "k:ID(Company){id-type: int},:LABEL\n",
        "k:ID(Badge){id-type: int},:LABEL\n",
        ":START_ID(Person),:END_ID(Company),:TYPE,y:int\n",
        ":START_ID(Person),:END_ID(Badge),:TYPE\n",
    ]
    .map(str::to_owned);
    for k in 0..PERSONS {
        all[0].push_str(&format!("{k},{},Person\n", k * 7 % 50));
        all[2].push_str(&format!("{},Badge\n", k + 2_000));
        if k % 9 != 3 {
            all[3].push_str(&format!("{k},{},AT,{}\n", k * 11 % COMPANIES + 1_000, k % 40));
        }
        if k % 5 != 1 {
            all[4].push_str(&format!("{k},{},HAS\n", (k * 7) % PERSONS + 2_000));
        }
    }
    for k in 0..COMPANIES {
        all[1].push_str(&format!("{},Company\n", k + 1_000));
    }
    all
}

fn loaded(db: &Database) {
    let files_in = Files::new("single");
    let paths: Vec<_> =
        (0..).zip(files()).map(|(i, text)| files_in.put(&format!("{i}.csv"), &text)).collect();
    load(db, &paths, OnConflict::Error).unwrap();
}

/// The same by statements.
fn made(db: &Database) {
    let c = db.connect();
    run(
        &c,
        &[
            "UNWIND range(0, 299) AS k CREATE (:Person {k: k, v: k * 7 % 50}), (:Badge {k: k + 2000})",
            "UNWIND range(0, 19) AS k CREATE (:Company {k: k + 1000})",
            "MATCH (p:Person), (c:Company) WHERE p.k % 9 <> 3 AND c.k = p.k * 11 % 20 + 1000 CREATE (p)-[:AT {y: p.k % 40}]->(c)",
            "MATCH (p:Person), (b:Badge) WHERE p.k % 5 <> 1 AND b.k = p.k * 7 % 300 + 2000 CREATE (p)-[:HAS]->(b)",
        ],
    );
}

const QUESTIONS: [&str; 13] = [
    "MATCH (p:Person)-[:AT]->(c) RETURN p.k, c.k",
    "MATCH (p:Person)-[r:AT]->(c) RETURN p.k, r.y, c.k",
    "MATCH (c:Company)<-[r:AT]-(p) RETURN c.k, r.y, p.k, p.v",
    "MATCH (c:Company)<-[:AT]-(p) RETURN c.k, count(*), sum(p.v)",
    "MATCH (p:Person)-[r:AT]->(c) WHERE r.y < 20 RETURN count(*), sum(r.y), max(c.k)",
    "MATCH (p:Person) WHERE p.v < 9 RETURN p.k, COUNT { (p)-[:AT]->() }, COUNT { (p)-[:HAS]->() }",
    "MATCH (p:Person)-[:AT*1..3]->(c) RETURN p.k, c.k",
    "MATCH (p:Person)-[:AT]->(c)<-[:AT]-(q) WHERE p.k < 30 RETURN p.k, count(*), sum(q.v)",
    "MATCH (p:Person)-[r:HAS]->(b) RETURN p.k, b.k",
    "MATCH (b:Badge)<-[:HAS]-(p) RETURN b.k, p.k",
    "MATCH (p:Person)-[r:HAS|AT]-(n) RETURN p.k, type(r), n.k",
    "MATCH (p:Person) OPTIONAL MATCH (p)-[r:AT]->(c) RETURN p.k, r.y, c.k",
    // From the companies, whatever the plan.
    "MATCH (c:Company) WITH c ORDER BY c.k MATCH (c)<-[r:AT]-(p) WHERE r.y < 20 RETURN count(*), sum(r.y)",
];

/// What tells edges by their ids: these stay.
const IDS: &str = "MATCH (p:Person)-[r]->(n) RETURN p.k, id(r), type(r), r.y, n.k";

fn answers(c: &Connection) -> Vec<Vec<String>> {
    QUESTIONS.iter().map(|text| rows(c, text)).collect()
}

/// Statements; `fresh` is a key that nobody has had.
fn drawn(random: &mut Random, fresh: usize) -> Vec<String> {
    let p = if random.below(4) == 0 { fresh - random.below(20) } else { random.below(PERSONS) };
    let c = random.below(COMPANIES) + 1_000;
    let b = random.below(PERSONS) + 2_000;
    let y = random.below(40);
    let at = format!("MATCH (p:Person {{k: {p}}})-[r:AT]->()");
    match random.below(14) {
        0 | 1 => vec![format!(
            "{at} DELETE r WITH DISTINCT p MATCH (c:Company {{k: {c}}}) CREATE (p)-[:AT {{y: {y}}}]->(c)"
        )],
        2 => {
            vec![format!("{at} DELETE r WITH DISTINCT p MATCH (c:Company {{k: {c}}}) CREATE (p)-[:AT]->(c)")]
        }
        3 => vec![
            format!("MATCH (p:Person)-[r:AT]->() WHERE p.v = {y} DELETE r"),
            format!(
                "MATCH (p:Person), (c:Company {{k: {c}}}) WHERE p.v = {y} CREATE (p)-[:AT {{y: p.k}}]->(c)"
            ),
        ],
        4 => vec![format!("{at} DELETE r")],
        5 | 6 => vec![format!(
            "MATCH (p:Person {{k: {p}}}), (c:Company {{k: {c}}}) WHERE NOT EXISTS {{ (p)-[:AT]->() }} CREATE (p)-[:AT {{y: {y}}}]->(c)"
        )],
        7 => vec![format!("{at} SET r.y = {y}")],
        8 => vec![format!("{at} REMOVE r.y")],
        9 => vec![format!(
            "MATCH (c:Company {{k: {c}}}) CREATE (:Person {{k: {fresh}, v: {y}}})-[:AT {{y: {y}}}]->(c)"
        )],
        10 => vec![
            format!("MATCH (:Person {{k: {p}}})-[r:HAS]->() DELETE r"),
            format!("MATCH ()-[r:HAS]->(:Badge {{k: {b}}}) DELETE r"),
            format!("MATCH (p:Person {{k: {p}}}), (b:Badge {{k: {b}}}) CREATE (p)-[:HAS]->(b)"),
        ],
        11 => vec![format!("MATCH (p:Person {{k: {p}}}) DETACH DELETE p")],
        12 => vec![
            format!("MATCH (p:Person) WHERE p.v = {y} DETACH DELETE p"),
            format!("CREATE (:Person {{k: {fresh}, v: {y}}})"),
        ],
        // A second one: rare, since it is lists from then on.
        _ if random.below(12) == 0 => {
            vec![format!(
                "MATCH (p:Person {{k: {p}}}), (c:Company {{k: {c}}}) CREATE (p)-[:AT {{y: {y}}}]->(c)"
            )]
        }
        _ => Vec::new(),
    }
}

fn program(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let dir = Directory::new(&format!("single-edges-{seed}"));
    let mut db = Some(Database::open(dir.path(), config()).unwrap());
    loaded(db.as_ref().unwrap());
    let model = Database::in_memory(config());
    made(&model);
    let mut old: Vec<(Connection, Vec<Vec<String>>, Vec<String>)> = Vec::new();
    for step in 0..steps {
        let context = format!("seed {seed} step {step}");
        let ours = db.as_ref().unwrap();
        let all = 0..1 + random.below(3);
        let statements: Vec<String> = all.flat_map(|i| drawn(&mut random, 5_000 + step * 4 + i)).collect();
        let undone = random.below(6) == 0;
        for database in [ours, &model] {
            let c = database.connect();
            c.begin().unwrap();
            statements.iter().for_each(|text| _ = rows(&c, text));
            if undone { c.rollback().unwrap() } else { c.commit().unwrap() }
        }
        match random.below(12) {
            0..3 => {
                let ids = rows(&ours.connect(), IDS);
                ours.merge(&CancelToken::default()).unwrap();
                assert_eq!(rows(&ours.connect(), IDS), ids, "{context}: ids after a merge");
            }
            3 => {
                ours.checkpoint(&CancelToken::default()).unwrap();
            }
            4 => {
                old.clear();
                let ids = rows(&ours.connect(), IDS);
                drop(db.take());
                db = Some(Database::open(dir.path(), config()).unwrap());
                assert_eq!(
                    rows(&db.as_ref().unwrap().connect(), IDS),
                    ids,
                    "{context}: ids after it was opened"
                );
            }
            5 if old.len() < 3 => {
                let c = begun(ours, [Isolation::Snapshot, Isolation::Serializable][random.below(2)]);
                let (all, ids) = (answers(&c), rows(&c, IDS));
                old.push((c, all, ids));
            }
            6 if !old.is_empty() => {
                let (c, all, ids) = old.swap_remove(random.below(old.len()));
                assert_eq!(rows(&c, IDS), ids, "{context}: ids in an older transaction");
                same(&answers(&c), &all, &format!("{context}: an older transaction"));
                c.rollback().unwrap();
            }
            _ => {}
        }
        let ours = db.as_ref().unwrap().connect();
        same(&answers(&ours), &answers(&model.connect()), &format!("{context}: {statements:#?}"));
    }
}

fn same(found: &[Vec<String>], wanted: &[Vec<String>], context: &str) {
    for ((found, wanted), question) in found.iter().zip(wanted).zip(QUESTIONS) {
        assert_eq!(found, wanted, "{context}\n{question}");
    }
}

#[test]
fn answer_as_lists_do() {
    let seeds = std::env::var("SINGLE_EDGES_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    for seed in 0..seeds {
        println!("seed {seed}");
        program(seed, 60);
    }
}

fn is_single(db: &Database, label: &str) -> bool {
    db.stats().edge_tables.iter().filter(|table| table.label == label).all(|table| table.single_forward)
}

/// Edges that statements make one by one, in whatever order, are merged into a vertex column, which becomes
/// lists once a node gets a second edge.
#[test]
fn become_a_column_in_whatever_order_they_are_made() {
    let [db, model] = [(); 2].map(|()| Database::in_memory(config()));
    let mut random = Random::new(26);
    let mut persons: Vec<usize> = (0..PERSONS).filter(|k| k % 9 != 3).collect();
    (1..persons.len()).rev().for_each(|at| persons.swap(at, random.below(at + 1)));
    for of in [&db, &model] {
        let c = of.connect();
        run(
            &c,
            &[
                "UNWIND range(0, 299) AS k CREATE (:Person {k: k, v: k * 7 % 50}), (:Badge {k: k + 2000})",
                "UNWIND range(0, 19) AS k CREATE (:Company {k: k + 1000})",
            ],
        );
        for k in &persons {
            let (company, badge) = (k * 11 % COMPANIES + 1_000, k * 7 % PERSONS + 2_000);
            run(
                &c,
                &[&format!(
                    "MATCH (p:Person {{k: {k}}}), (c:Company {{k: {company}}}), (b:Badge {{k: {badge}}}) CREATE (p)-[:AT {{y: {}}}]->(c), (p)-[:HAS]->(b)",
                    k % 40
                )],
            );
        }
    }
    let ids = rows(&db.connect(), IDS);
    db.merge(&CancelToken::default()).unwrap();
    assert!(is_single(&db, "AT") && is_single(&db, "HAS"));
    assert_eq!(rows(&db.connect(), IDS), ids);
    same(&answers(&db.connect()), &answers(&model.connect()), "merged");
    for of in [&db, &model] {
        run(&of.connect(), &["MATCH (p:Person {k: 7}), (c:Company {k: 1002}) CREATE (p)-[:AT {y: 8}]->(c)"]);
    }
    let ids = rows(&db.connect(), IDS);
    db.merge(&CancelToken::default()).unwrap();
    assert!(!is_single(&db, "AT") && is_single(&db, "HAS"));
    assert_eq!(rows(&db.connect(), IDS), ids);
    same(&answers(&db.connect()), &answers(&model.connect()), "with a second edge");
}

/// Rows that have no edge: before the first of the column, between two, behind the last, one whose edge went,
/// and rows that came later, behind a column in which all have one. A new edge there has what it was given,
/// and nothing of what lies there.
#[test]
fn a_new_edge_has_no_value_of_its_row() {
    const NEW: &str = "MATCH (a:A), (b:B) WHERE NOT (a)-[:S]->() CREATE (a)-[:S {t: 2}]->(b)";
    const COUNT: &str = "MATCH (:A)-[r:S]->() RETURN count(*), count(r.s), count(r.t)";
    let nodes = "UNWIND range(0, 9) AS k CREATE (:A {k: k})";
    for (value, is_full) in ["0", "'text'", "a.k", "1.5", "'own ' + a.k", "true", "[a.k]"]
        .into_iter()
        .flat_map(|value| [(value, false), (value, true)])
    {
        let dir = Directory::new("single-new");
        let mut db = Database::open(dir.path(), config()).unwrap();
        let made = format!(
            "MATCH (a:A), (b:B) WHERE {is_full} OR a.k IN [3, 5, 6] CREATE (a)-[:S {{w: 1, s: {value}}}]->(b)"
        );
        run(&db.connect(), &[nodes, "CREATE (:B)", &made]);
        db.merge(&CancelToken::default()).unwrap();
        assert!(is_single(&db, "S"), "{value}");
        let mut there = 10;
        if !is_full {
            run(&db.connect(), &["MATCH (:A {k: 6})-[r:S]->() DELETE r"]);
            there = 2;
        }
        let is_right = |c: &Connection, all: usize, what: &str| {
            let what = format!("{value}, full {is_full}, {what}");
            assert_eq!(rows(c, COUNT), [format!("{all} | {there} | {}", all - there)], "{what}");
            let asked = "MATCH (:A)-[r:S]->() WHERE r.t = 2 AND r.s IS NULL AND properties(r) = {t: 2} \
                         RETURN count(r)";
            assert_eq!(rows(c, asked), [(all - there).to_string()], "{what}");
        };
        for what in ["merged", "written to files", "reopened"] {
            match what {
                "merged" => drop(db.merge(&CancelToken::default()).unwrap()),
                "reopened" => {
                    db.close().unwrap();
                    db = Database::open(dir.path(), config()).unwrap();
                }
                _ => db.checkpoint(&CancelToken::default()).unwrap(),
            }
            let c = db.connect();
            c.begin().unwrap();
            run(&c, &["UNWIND range(10, 12) AS k CREATE (:A {k: k})", NEW]);
            is_right(&c, 13, what);
            c.rollback().unwrap();
        }
        let c = db.connect();
        run(&c, &["UNWIND range(10, 12) AS k CREATE (:A {k: k})", NEW]);
        db.merge(&CancelToken::default()).unwrap();
        is_right(&c, 13, "merged again");
    }
}

/// Who replaces an edge in one transaction, or gives one to a node that has none, leaves nodes with one edge:
/// plans may rely on it, and merges keep the form.
#[test]
fn stay_single_where_they_are_replaced() {
    let db = Database::in_memory(config());
    loaded(&db);
    let c = db.connect();
    let replace = |p: usize| {
        format!(
            "MATCH (p:Person {{k: {p}}})-[r:AT]->() DELETE r WITH p MATCH (c:Company {{k: 1003}}) CREATE (p)-[:AT {{y: 1}}]->(c)"
        )
    };
    for round in 0..3 {
        run(&c, &[&replace(5), &replace(200), &replace(5)]);
        run(
            &c,
            &[
                &format!(
                    "MATCH (c:Company {{k: 1001}}) CREATE (:Person {{k: {}}})-[:AT {{y: 3}}]->(c)",
                    900 + round
                ),
                "MATCH (p:Person {k: 3}), (c:Company {k: 1002}) WHERE NOT EXISTS { (p)-[:AT]->() } CREATE (p)-[:AT]->(c)",
            ],
        );
        assert!(is_single(&db, "AT"), "round {round}");
        db.merge(&CancelToken::default()).unwrap();
        assert!(is_single(&db, "AT"), "merged in round {round}");
        assert_eq!(rows(&c, "MATCH (:Person {k: 5})-[r:AT]->(c) RETURN c.k, r.y"), ["1003 | 1"]);
    }
    run(&c, &["MATCH (p:Person {k: 7}), (c:Company {k: 1002}) CREATE (p)-[:AT {y: 8}]->(c)"]);
    assert!(!is_single(&db, "AT"));
    assert_eq!(rows(&c, "MATCH (:Person {k: 7})-[r:AT]->(c) RETURN count(*)"), ["2"]);
}

/// Two transactions beside each other that give one node edges: none sees the other's, and both edges are
/// found when both have committed.
#[test]
fn two_writers_break_what_neither_sees_broken() {
    const NEW: &str = "MATCH (p:Person {k: 5}), (c:Company {k: 1003}) CREATE (p)-[:AT {y: 1}]->(c)";
    const REPLACE: &str = "MATCH (p:Person {k: 5})-[r:AT]->() DELETE r WITH p MATCH (c:Company {k: 1004}) CREATE (p)-[:AT {y: 2}]->(c)";
    const TAKE: &str = "MATCH (:Person {k: 5})-[r:AT]->() DELETE r";
    const BADGE: &str = "MATCH (p:Person {k: 6}), (b:Badge {k: 2003}) CREATE (p)-[:HAS]->(b)";
    const SAME_BADGE: &str = "MATCH (p:Person {k: 11}), (b:Badge {k: 2003}) CREATE (p)-[:HAS]->(b)";
    let counted = |db: &Database| {
        let c = db.connect();
        let mut all = answers(&c);
        all.push(rows(&c, "MATCH (:Person {k: 5})-[r:AT]->(c) RETURN r.y, c.k"));
        all.push(rows(&c, "MATCH (:Badge {k: 2003})<-[:HAS]-(p) RETURN p.k"));
        all
    };
    for before in [None, Some(TAKE)] {
        for (one, other) in [
            (NEW, NEW),
            (REPLACE, NEW),
            (NEW, REPLACE),
            (TAKE, NEW),
            (NEW, TAKE),
            (BADGE, SAME_BADGE),
            (SAME_BADGE, BADGE),
        ] {
            for level in LEVELS {
                for order in 0..3 {
                    let told = [true, false].map(|by_load| {
                        let db = Database::in_memory(config());
                        if by_load {
                            loaded(&db)
                        } else {
                            made(&db)
                        }
                        before.into_iter().for_each(|text| _ = rows(&db.connect(), text));
                        let (a, b) = (begun(&db, level), begun(&db, level));
                        let done = |c: &Connection, text: &str| -> Result<(), Error> {
                            let mut result = c.query(text, &[])?;
                            while result.next_row()?.is_some() {}
                            Ok(())
                        };
                        let mut ends = vec![done(&a, one).is_ok()];
                        if order == 0 {
                            ends.push(a.commit().is_ok());
                        }
                        ends.push(done(&b, other).is_ok());
                        let (first, second) = if order == 1 { (&b, &a) } else { (&a, &b) };
                        if order != 0 {
                            ends.push(first.commit().is_ok());
                        }
                        ends.push(second.commit().is_ok());
                        let mut all = counted(&db);
                        db.merge(&CancelToken::default()).unwrap();
                        assert_eq!(counted(&db), all, "a merge");
                        all.push(vec![format!("{ends:?}")]);
                        all
                    });
                    let [ours, lists] = told;
                    assert_eq!(ours, lists, "{before:?}, {one} beside {other} at {level:?}, order {order}");
                }
            }
        }
    }
}

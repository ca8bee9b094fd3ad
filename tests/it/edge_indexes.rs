//! Indexes and constraints of relationships' properties: used by plans, kept by every way of writing at every
//! level, by merges and reopening; what they find is what a scan finds.

use trimorph::{CancelToken, Connection, Database, Isolation, TransactionOptions};

use crate::definitions::{Random, ask, database, does, violates};
use crate::durable::{Directory, config, open};

fn plan(connection: &Connection, text: &str) -> String {
    connection.query(&format!("EXPLAIN {text}"), &[]).unwrap().plan()
}

/// A database with many edges between few nodes, and an index that is made before or after them.
fn flights(early: bool, merged: bool) -> (Database, Connection) {
    let (database, c) = database(&[]);
    let index = "CREATE INDEX FOR ()-[f:FLIGHT]-() ON (f.number)";
    if early {
        does(&c, &[index]);
    }
    does(
        &c,
        &[
            "UNWIND range(0, 19) AS i CREATE (:Airport {id: i}), (:Field:Small {id: i})",
            "MATCH (a:Airport), (b:Airport) UNWIND range(0, 9) AS k \
             CREATE (a)-[:FLIGHT {number: a.id * 1000 + b.id * 10 + k, code: 'F' + a.id + '-' + b.id}]->(b)",
            "MATCH (a:Field), (b:Airport) CREATE (a)-[:FLIGHT {number: -1 - a.id * 100 - b.id}]->(b)",
            "MATCH (a:Airport {id: 1}), (b:Airport {id: 2}) CREATE (a)-[:FLIGHT {number: 'late'}]->(b), \
             (a)-[:FLIGHT {number: 5.5}]->(a), (a)-[:FLIGHT]->(b), (a)-[:OTHER {number: 1}]->(b)",
        ],
    );
    if merged {
        database.merge(&CancelToken::default()).unwrap();
    }
    if !early {
        does(&c, &[index]);
    }
    (database, c)
}

#[test]
fn plans_find_few_relationships_by_an_index() {
    for (early, merged) in [(true, true), (false, true), (true, false), (false, false)] {
        let (_database, c) = flights(early, merged);
        let (_twin, plain) = flights(early, merged);
        let name = ask(&plain, "SHOW INDEXES").unwrap()[0].split(" | ").next().unwrap().to_owned();
        does(&plain, &[&format!("DROP INDEX {name}")]);
        let used = [
            "MATCH (a)-[f:FLIGHT {number: 3047}]->(b) RETURN a.id, b.id, f.number",
            "MATCH (a)-[f:FLIGHT {number: 3047.0}]-(b) RETURN a.id, b.id, f.number",
            "MATCH (a)<-[f:FLIGHT {number: 5.5}]-(b) RETURN a.id, b.id, f.number",
            "MATCH (a)-[f:FLIGHT {number: 5.5}]-(b) RETURN a.id, b.id, f.number",
            "MATCH (a:Small)-[f:FLIGHT {number: -205}]->(b) RETURN a.id, b.id",
            "MATCH (a:Airport)-[f:FLIGHT {number: -205}]->(b) RETURN a.id, b.id",
            "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number IN [3047, 'late', 77, null, 3047] RETURN a.id, b.id",
            "MATCH ()-[f:FLIGHT {number: 3047}]->() RETURN count(*)",
            "MATCH (a)-[f:FLIGHT {number: 3047}]->(b)<-[g:FLIGHT {number: 1049}]-(c) RETURN a.id, b.id, c.id",
            "UNWIND [3047, 1049, 'none', null] AS n MATCH (a)-[f:FLIGHT {number: n}]->(b) RETURN n, a.id, b.id",
            "MATCH (a)-[f:FLIGHT {number: 1049}]->(b)-[g:FLIGHT]->(c) WHERE g.number < 0 RETURN count(*)",
            "MATCH p = (a)-[f:FLIGHT {number: 3047}]->(b) RETURN length(p), [n IN nodes(p) | n.id]",
        ];
        for text in used {
            let told = plan(&c, text);
            assert!(told.contains("EdgeLookup"), "{early} {merged} {text}\n{told}");
            assert_eq!(ask(&c, text), ask(&plain, text), "{early} {merged} {text}\n{told}");
        }
        let ranges = [
            "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number > 19190 RETURN a.id, b.id, f.number",
            "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number >= 3040 AND f.number < 3043 RETURN a.id, f.number",
            "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number STARTS WITH 'la' RETURN a.id, b.id, f.number",
            // Nobody asks for their ends.
            "MATCH ()-[f:FLIGHT]->() WHERE f.number >= 3040 AND f.number < 3053 RETURN count(*), sum(f.number)",
            "MATCH (:Airport)-[f:FLIGHT]->() WHERE f.number > 3040 AND f.number < 3053 RETURN f.code, f.number",
            "MATCH ()<-[f:FLIGHT]-(:Airport) WHERE -210 < f.number < -200 RETURN count(*), min(f.number)",
            "MATCH ()-[f:FLIGHT]-() WHERE 3040 < f.number < 3053 RETURN count(*), min(f.number)",
        ];
        for changed in [false, true] {
            if changed {
                let change = [
                    "BEGIN SNAPSHOT",
                    "MATCH ()-[f:FLIGHT {number: 3041}]->() DELETE f",
                    "MATCH ()-[f:FLIGHT {number: 3042}]->() SET f.number = 3043.5",
                    "MATCH (a:Airport {id: 1}), (b:Airport {id: 2}) CREATE (a)-[:FLIGHT {number: 3044}]->(b)",
                ];
                does(&c, &change);
                does(&plain, &change);
            }
            for text in ranges {
                assert!(plan(&c, text).contains("EdgeLookup"), "{early} {merged} {text}");
                assert_eq!(ask(&c, text), ask(&plain, text), "{early} {merged} {changed} {text}");
            }
        }
        does(&c, &["ROLLBACK"]);
        does(&plain, &["ROLLBACK"]);
        if merged {
            for text in [
                "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number > 10 RETURN count(*)",
                "MATCH (a)-[f:FLIGHT {code: 'F1-2'}]->(b) RETURN count(*)",
            ] {
                assert!(!plan(&c, text).contains("EdgeLookup"), "{text}");
                assert_eq!(ask(&c, text), ask(&plain, text), "{text}");
            }
            // Each type by itself, as far as it has an index.
            let text = "MATCH (a)-[f:FLIGHT|OTHER {number: 1}]->(b) RETURN count(*)";
            assert_eq!(ask(&c, text), ask(&plain, text), "{text}");
        }
    }
}

/// `ORDER BY` of an indexed property with a `LIMIT` finds the first relationships by the index, and the same
/// as without it.
#[test]
fn the_first_relationships_are_found_by_the_index() {
    for merged in [true, false] {
        let (_database, c) = flights(true, merged);
        let (_twin, plain) = flights(true, merged);
        let name = ask(&plain, "SHOW INDEXES").unwrap()[0].split(" | ").next().unwrap().to_owned();
        does(&plain, &[&format!("DROP INDEX {name}")]);
        let found = [
            "MATCH (a)-[f:FLIGHT]->(b) RETURN a.id, f.number, b.id ORDER BY f.number LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.number AS n ORDER BY n DESC LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b) WHERE f.number IS NOT NULL RETURN f.number AS n ORDER BY n DESC LIMIT 4",
            "MATCH (a:Airport)-[f:FLIGHT]->(:Airport) RETURN f.number ORDER BY f.number SKIP 2 LIMIT 3",
            "MATCH (a:Airport)<-[f:FLIGHT]-(b:Field) RETURN a.id, f.number ORDER BY f.number, a.id LIMIT 7",
            "MATCH (a)-[f:FLIGHT]-(b) WITH f ORDER BY f.number LIMIT 6 RETURN count(*), max(f.number)",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.number ORDER BY f.number LIMIT 0",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.number ORDER BY f.number LIMIT 1000000",
            "MATCH (a)-[f:FLIGHT]->(b) WITH a, f ORDER BY f.number DESC LIMIT 3 MATCH (a)-[g:OTHER]->() RETURN count(g)",
        ];
        let others = [
            "MATCH (a)-[f:FLIGHT]->(b) WHERE a.id > 3 RETURN f.number ORDER BY f.number LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.code ORDER BY f.code LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b)-[g:OTHER]->() RETURN f.number ORDER BY f.number LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.number ORDER BY f.number % 7, f.number LIMIT 5",
            "MATCH (a)-[f:FLIGHT]->(b) RETURN f.number ORDER BY f.number LIMIT toInteger(rand() + 5)",
        ];
        let change = [
            "MATCH ()-[f:FLIGHT {number: 1049}]->() SET f.number = -5000",
            "MATCH ()-[f:FLIGHT {number: 'late'}]->() SET f.number = 'z'",
            "MATCH (a:Airport {id: 3}), (b:Airport {id: 4}) CREATE (a)-[:FLIGHT {number: -4000.5}]->(b)",
            "MATCH ()-[f:FLIGHT {number: -205}]->() DELETE f",
            "MATCH ()-[f:FLIGHT {number: -206}]->() REMOVE f.number",
            "MATCH ()-[f:FLIGHT]->() WHERE f.number IS NULL SET f.number = 1",
        ];
        for (round, change) in [""].iter().chain(&change).enumerate() {
            for connection in [&c, &plain] {
                if !change.is_empty() {
                    does(connection, &[change]);
                }
                if round == 3 {
                    // A transaction of its own, which sees what it wrote.
                    does(connection, &["BEGIN SNAPSHOT"]);
                }
                if round == 5 {
                    does(connection, &["COMMIT"]);
                }
            }
            for text in found {
                let told = plan(&c, text);
                assert!(
                    told.contains("EdgeLookup") && told.contains("AMONG THE"),
                    "{merged} {round} {text}\n{told}"
                );
                assert_eq!(ask(&c, text), ask(&plain, text), "{merged} {round} {text}\n{told}");
            }
            for text in others {
                assert!(!plan(&c, text).contains("AMONG THE"), "{text}");
                assert_eq!(ask(&c, text), ask(&plain, text), "{merged} {round} {text}");
            }
        }
        // What it leaves out was read, too, by who may write.
        let other = _database.connect();
        does(&c, &["BEGIN", found[0]]);
        does(&other, &["MATCH ()-[f:FLIGHT {number: 3047}]->() SET f.number = -9999"]);
        does(&c, &["CREATE (:Note)"]);
        assert!(ask(&c, "COMMIT").unwrap_err().contains("TransactionConflict"));
    }
}

#[test]
fn uniqueness_of_relationships_is_kept_by_every_way_of_writing() {
    for merged in [false, true] {
        let (database, c) = database(&[
            "CREATE CONSTRAINT u FOR ()-[r:R]-() REQUIRE r.k IS UNIQUE",
            "CREATE CONSTRAINT key FOR ()-[r:K]-() REQUIRE (r.a, r.b) IS RELATIONSHIP KEY",
            "CREATE (a:A)-[:R {k: 1}]->(b:B)-[:R {k: 'a'}]->(a), (a)-[:R]->(b), (a)-[:R]->(b), (a)-[:S {k: 1}]->(b)",
            "MATCH (a:A), (b:B) CREATE (a)-[:K {a: 1, b: 1}]->(b), (b)-[:K {a: 1, b: 2}]->(a)",
        ]);
        if merged {
            database.merge(&CancelToken::default()).unwrap();
        }
        for text in [
            "MATCH (a:A), (b:B) CREATE (a)-[:R {k: 1}]->(b)",
            "MATCH (a:A) CREATE (a)-[:R {k: 1.0}]->(a)",
            "CREATE (:New)-[:R {k: 'a'}]->(:New)",
            "MATCH (a:A), (b:B) UNWIND [3, 3] AS k CREATE (a)-[:R {k: k}]->(b)",
            "MATCH ()-[r:R {k: 'a'}]->() SET r.k = 1",
            "MATCH ()-[r:R {k: 'a'}]->() SET r = {k: 1}",
            "MATCH ()-[r:R]->() SET r.k = 7",
            "MATCH (b:B) MERGE (b)-[:R {k: 1, other: 2}]->(b)",
        ] {
            violates(&c, text, "constraint \"u\"");
        }
        for text in
            ["MATCH (a:A), (b:B) CREATE (a)-[:K {a: 1, b: 2}]->(b)", "MATCH ()-[r:K {b: 1}]->() SET r.b = 2"]
        {
            violates(&c, text, "a 1 and b 2 already: constraint \"key\"");
        }
        violates(&c, "MATCH (a:A), (b:B) CREATE (a)-[:K {a: 1}]->(b)", "lacks \"a, b\"");
        violates(&c, "MATCH ()-[r:K {b: 1}]->() REMOVE r.b", "lacks \"a, b\"");
        assert_eq!(ask(&c, "MATCH ()-[r]->() RETURN count(r), count(r.k)").unwrap(), ["7 | 3"]);
        does(
            &c,
            &[
                // A swap, a value that is free again, one that was given up in the transaction.
                "MATCH ()-[x:R {k: 1}]->(), ()-[y:R {k: 'a'}]->() SET x.k = 'a', y.k = 1",
                "MATCH (a:A)-[r:R {k: 'a'}]->(b) DELETE r CREATE (b)-[:R {k: 'a'}]->(a)",
                "MATCH ()-[r:R {k: 1}]->() SET r.k = 2",
                "MATCH (a:A) CREATE (a)-[:R {k: 1}]->(a)",
                "MATCH (a:A), (b:B) CREATE (a)-[r:K {a: 2}]->(b) SET r.b = 1",
            ],
        );
        let keys = ask(&c, "MATCH ()-[r:R]->() WHERE r.k IS NOT NULL RETURN r.k").unwrap();
        assert_eq!(keys, ["1", "2", "a"]);
        does(&c, &["DROP CONSTRAINT u", "MATCH (a:A) CREATE (a)-[:R {k: 1}]->(a)"]);
        // What is there stands in the way, and is said.
        let error = ask(&c, "CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.k IS UNIQUE").unwrap_err();
        assert!(error.contains("2 relationships have k 1"), "{error}");
        does(&c, &["MATCH ()-[r:R {k: 1}]->() WITH r LIMIT 1 DELETE r"]);
        does(&c, &["CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.k IS RELATIONSHIP UNIQUE"]);
        violates(&c, "MATCH (a:A) CREATE (a)-[:R {k: 1}]->(a)", "constraint \"r_k_unique\"");
    }
}

/// Two that write the same unique value beside each other: one of them commits, whatever the level.
#[test]
fn of_two_that_write_the_same_relationship_one_commits() {
    for level in [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable] {
        for merged in [false, true] {
            let (database, c) = database(&[
                "CREATE CONSTRAINT k FOR ()-[r:R]-() REQUIRE r.k IS UNIQUE",
                "CREATE CONSTRAINT ab FOR ()-[r:R]-() REQUIRE (r.a, r.b) IS UNIQUE",
                "CREATE (a:A)-[:R {k: 0, a: 1, b: 1}]->(b:B)-[:R {a: 2, b: 2}]->(a), (b)-[:R {k: 9, a: 2}]->(b)",
            ]);
            if merged {
                database.merge(&CancelToken::default()).unwrap();
            }
            let pairs = [
                ("MATCH (a:A) CREATE (a)-[:R {k: 1}]->(a)", "MATCH (b:B) CREATE (b)-[:R {k: 1}]->(b)"),
                ("MATCH ()-[r:R {k: 0}]->() SET r.k = 3", "MATCH (b:B) CREATE (b)-[:R {k: 3.0}]->(b)"),
                ("MATCH (a:A) MERGE (a)-[:R {k: 2}]->(a)", "MATCH (a:A) MERGE (a)-[:R {k: 2}]->(a)"),
                // Each writes one half of what would be there twice.
                ("MATCH ()-[r:R {a: 1}]->() SET r.a = 2", "MATCH ()-[r:R {a: 1}]->() SET r.b = 2"),
                ("MATCH ()-[r:R {k: 9}]->() SET r.b = 7", "MATCH ()-[r:R {b: 2}]->() SET r.b = 7"),
            ];
            for (one, other) in pairs {
                let options = TransactionOptions { isolation: Some(level), ..TransactionOptions::default() };
                let (a, b) = (database.connect(), database.connect());
                for each in [&a, &b] {
                    each.begin_with(options).unwrap();
                    does(each, &["RETURN 1"]);
                }
                let first = ask(&a, one);
                let error = ask(&b, other).expect_err(other);
                assert!(error.contains("TransactionConflict"), "{level:?}: {one}, {other}: {error}");
                b.rollback().unwrap();
                if first.is_ok() {
                    a.commit().unwrap();
                } else {
                    a.rollback().unwrap();
                }
            }
            for text in [
                "MATCH ()-[r:R]->() WHERE r.k IS NOT NULL WITH r.k AS k, count(*) AS n WHERE n > 1 RETURN k",
                "MATCH ()-[r:R]->() WHERE r.a + r.b > 0 WITH r.a AS a, r.b AS b, count(*) AS n WHERE n > 1 RETURN a",
            ] {
                assert!(ask(&c, text).unwrap().is_empty(), "{text}");
            }
        }
    }
}

/// A look-up that finds nothing is a read: who makes what it looked for commits before, or it does not.
#[test]
fn what_is_looked_for_by_an_index_is_a_read() {
    for merged in [false, true] {
        let (database, _c) = flights(true, merged);
        let questions = [
            "MATCH ()-[f:FLIGHT {number: 123456}]->() RETURN count(f)",
            "MATCH ()-[f:FLIGHT]->() WHERE f.number > 123000 RETURN count(f)",
        ];
        for question in questions {
            for other in [
                "MATCH (a:Small {id: 7}), (b:Airport {id: 3}) CREATE (a)-[:FLIGHT {number: 123456}]->(b)",
                "MATCH ()-[f:FLIGHT]->() WHERE f.number < 0 WITH f LIMIT 1 SET f.number = 123456",
                "MATCH ()-[f:FLIGHT {number: 123456}]->() WITH f LIMIT 1 DELETE f",
            ] {
                let (a, b) = (database.connect(), database.connect());
                a.begin().unwrap();
                does(&a, &[question]);
                does(&b, &[other]);
                does(&a, &["CREATE (:Note)"]);
                let error = a.commit().expect_err(other).to_string();
                assert!(error.contains("TransactionConflict"), "{question} {other}: {error}");
            }
            // What has nothing to do with it is none.
            let (a, b) = (database.connect(), database.connect());
            a.begin().unwrap();
            does(&a, &[questions[0].replace("123456", "77777").as_str()]);
            does(&b, &["MATCH ()-[f:FLIGHT {number: 1049}]->() SET f.number = 1048.5"]);
            does(&b, &["MATCH ()-[f:FLIGHT {number: 1048.5}]->() SET f.number = 1049"]);
            does(&a, &["CREATE (:Note)"]);
            a.commit().unwrap();
        }
    }
}

impl Random {
    /// A statement that writes to relationships.
    fn write_edges(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let (m, i, k) = (self.below(9) + 1, self.below(1_000), self.below(8));
        match self.below(10) {
            0..=3 => format!(
                "MATCH (x:N), (y:N) WHERE x.i % 8 = {k} AND y.i % {m} = 0 \
                 CREATE (x)-[:R {{p: {a}, q: y.i % 5, w: {i}}}]->(y)"
            ),
            4 => format!(
                "MATCH (x:N {{i: {k}}}) CREATE (x)-[:R {{p: {a}}}]->(x), (x)-[:R {{q: 1, w: {i}}}]->(:M {{i: {i}}})"
            ),
            5 => format!("MATCH ()-[r:R]->() WHERE r.w % {m} = 0 SET r.p = {a}"),
            6 => format!("MATCH ()-[r:R]->() WHERE r.w % {m} = 0 AND r.q < 3 DELETE r"),
            7 => format!("MATCH ()-[r:R]->() WHERE r.q = 2 AND r.w % {m} = 0 REMOVE r.p"),
            8 => format!("MATCH (m:M) WHERE m.i % {m} = 0 DETACH DELETE m"),
            _ => format!("MATCH ()-[r:R]->() WHERE r.p = {a} SET r.p = {b}"),
        }
    }

    /// A question that an index of relationships may answer.
    fn question_of_edges(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let (descending, limit) = (["", "DESC"][self.below(2) as usize], [1, 3, 40][self.below(3) as usize]);
        match self.below(12) {
            8 => format!(
                "MATCH (x)-[r:R]->(y) RETURN r.p AS p, r.w, r.q, x.i, y.i ORDER BY p {descending}, r.w, r.q, x.i, y.i LIMIT {limit}"
            ),
            9 => format!(
                "MATCH (x:N)<-[r:R]-() WHERE r.p IS NOT NULL RETURN x.i, r.w, r.p, r.q ORDER BY r.p {descending}, r.w, r.q, x.i LIMIT {limit}"
            ),
            10 => format!(
                "MATCH (x)-[r:R]-(y:N) WITH r ORDER BY r.p {descending} SKIP 1 LIMIT {limit} RETURN count(*), r.p IS NULL"
            ),
            0 | 1 => format!("MATCH (x)-[r:R]->(y) WHERE r.p = {a} RETURN x.i, r.q, r.w, r.p, y.i"),
            2 => format!("MATCH (x)-[r:R {{p: {a}, q: 1}}]-(y) RETURN count(*), count(DISTINCT x)"),
            3 => format!("MATCH ()-[r:R]->(y) WHERE r.p IN [{a}, {b}, {a}] RETURN count(r)"),
            4 => format!("MATCH (x)<-[r:R]-() WHERE r.p > {a} AND r.p > -20 RETURN x.i, r.p"),
            5 => format!("MATCH ()-[r:R]->() WHERE r.p >= {a} AND r.p < {b} RETURN r.p, r.q"),
            6 => "MATCH (:N)-[r:R]->(y) WHERE r.p STARTS WITH 'te' AND r.q < 3 RETURN r.p, y.i".to_owned(),
            _ => format!("UNWIND [{a}, {b}] AS v MATCH (x)-[r:R {{p: v}}]->() RETURN v, x.i"),
        }
    }
}

/// What is found by indexes of relationships is what is found without.
#[test]
fn indexes_of_relationships_find_what_scans_find() {
    for seed in 1..=5_u64 {
        println!("seed {seed}");
        let mut random = Random(seed + 100);
        let dir = Directory::new(&format!("indexed-edges-{seed}"));
        let mut indexed = open(&dir);
        let twin = Database::in_memory(config());
        let definition = "CREATE INDEX FOR ()-[r:R]-() ON (r.p)";
        // So many that an index pays: one of each node, or lists, or both.
        let many = [
            "UNWIND range(1, 40) AS i CREATE (:N {i: i})",
            "UNWIND range(1, 2000) AS p CREATE (:Far)-[:R {p: -p}]->(:Far)",
            "MATCH (x:N), (y:N) UNWIND range(1, 2) AS n CREATE (x)-[:R {p: -x.i * 100 - y.i, w: n}]->(y)",
        ];
        let set_up = if seed % 2 == 0 { &many[..2] } else { &many[..] };
        [indexed.connect(), twin.connect()].iter().for_each(|c| does(c, set_up));
        if seed % 3 != 0 {
            indexed.merge(&CancelToken::default()).unwrap();
        }
        let early = random.below(2) == 0;
        if early {
            does(&indexed.connect(), &[definition]);
        }
        for step in 0..30 {
            let (a, b) = (indexed.connect(), twin.connect());
            let within = random.below(4) == 0;
            if within {
                does(&a, &["BEGIN"]);
                does(&b, &["BEGIN"]);
            }
            for _ in 0..3 {
                let text = random.write_edges();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}: {text}");
                let text = random.question_of_edges();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}: {text}");
            }
            if within {
                let end = if random.below(3) == 0 { "ROLLBACK" } else { "COMMIT" };
                does(&a, &[end]);
                does(&b, &[end]);
            }
            if step == 15 && !early {
                does(&a, &[definition]);
            }
            match random.below(7) {
                0 | 1 => drop(indexed.merge(&CancelToken::default()).unwrap()),
                2 => indexed.checkpoint(&CancelToken::default()).unwrap(),
                3 => {
                    drop((a, indexed));
                    indexed = open(&dir);
                }
                _ => {}
            }
            let (a, b) = (indexed.connect(), twin.connect());
            let all = "MATCH (n)-[r]->(m) RETURN n.i, r.w, r.p, r.q, m.i";
            assert_eq!(ask(&a, all), ask(&b, all), "seed {seed}, step {step}");
            for _ in 0..4 {
                let text = random.question_of_edges();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}, after: {text}");
            }
        }
        let plan = plan(&indexed.connect(), "MATCH (n)-[r:R]->() WHERE r.p = 1 RETURN n");
        assert!(plan.contains("EdgeLookup"), "{plan}");
    }
}

#[test]
fn constraints_of_relationships_are_there_when_it_is_opened_again() {
    let dir = Directory::new("edge-definitions");
    {
        let database = open(&dir);
        does(
            &database.connect(),
            &[
                "CREATE CONSTRAINT k FOR ()-[r:R]-() REQUIRE r.k IS UNIQUE",
                "CREATE CONSTRAINT ab FOR ()-[r:R]-() REQUIRE (r.a, r.b) IS RELATIONSHIP KEY",
                "CREATE INDEX i FOR ()-[r:R]-() ON (r.x)",
                "CREATE (:A)-[:R {k: 1, a: 1, b: 1, x: 1}]->(:B)",
            ],
        );
    }
    // From the log; then from a manifest; then from a manifest and a log.
    for round in 0..3 {
        let database = open(&dir);
        let c = database.connect();
        assert_eq!(ask(&c, "SHOW CONSTRAINTS").unwrap().len(), 2, "{round}");
        assert_eq!(ask(&c, "SHOW INDEXES").unwrap().len(), 3, "{round}");
        violates(&c, "MATCH (a:A) CREATE (a)-[:R {k: 1, a: 2, b: 2}]->(a)", "constraint \"k\"");
        violates(&c, "MATCH (a:A) CREATE (a)-[:R {a: 1, b: 1}]->(a)", "constraint \"ab\"");
        assert_eq!(ask(&c, "MATCH (a)-[r:R {x: 1}]->() RETURN labels(a)").unwrap(), ["['A']"]);
        database.checkpoint(&CancelToken::default()).unwrap();
        does(&c, &["DROP INDEX i", "CREATE INDEX i FOR ()-[r:R]-() ON (r.x)"]);
    }
}

/// A log tells of a relationship that went and of another one in its place: that has nothing of the first.
#[test]
fn a_relationship_in_the_place_of_another_has_nothing_of_it() {
    let dir = Directory::new("edge-places");
    {
        let database = open(&dir);
        let c = database.connect();
        does(&c, &["CREATE (:A)-[:R {p: 7, x: 1}]->(:B), (:C), (:A)-[:R {p: 8, x: 2}]->(:B)"]);
        database.checkpoint(&CancelToken::default()).unwrap();
        does(&c, &["MATCH ()-[r:R {p: 7}]->() SET r.s = 5", "MATCH ()-[r:R]->() DELETE r"]);
        database.merge(&CancelToken::default()).unwrap();
        database.merge(&CancelToken::default()).unwrap();
        does(&c, &["MATCH (a:A), (c:C) CREATE (a)-[:R {q: 1}]->(c)"]);
    }
    let database = open(&dir);
    let c = database.connect();
    let all = "MATCH (a)-[r:R]->(b) RETURN r.p, r.x, r.s, r.q, labels(b), labels(endNode(r))";
    for _ in 0..2 {
        assert_eq!(ask(&c, all).unwrap(), vec!["null | null | null | 1 | ['C'] | ['C']"; 2]);
        assert!(ask(&c, "MATCH ()-[r:R {p: 7}]->() RETURN r").unwrap().is_empty());
        database.merge(&CancelToken::default()).unwrap();
    }
}

/// `cargo test --release -p trimorph-tests --test it index_of_relationships_pays -- --ignored --nocapture`:
/// look-ups with the index and without it, in turns.
#[test]
#[ignore = "a measurement"]
fn an_index_of_relationships_pays() {
    let (indexed, with) = database(&[]);
    let (plain, without) = database(&[]);
    for c in [&with, &without] {
        does(c, &["UNWIND range(0, 999) AS i CREATE (:N {i: i})"]);
        let edges =
            "MATCH (a:N), (b:N) WHERE b.i < 300 CREATE (a)-[:R {p: a.i * 1000 + b.i, c: 'code ' + b.i}]->(b)";
        does(c, &[edges]);
    }
    does(&with, &["CREATE INDEX FOR ()-[r:R]-() ON (r.p)", "CREATE INDEX FOR ()-[r:R]-() ON (r.c)"]);
    for db in [&indexed, &plain] {
        db.merge(&CancelToken::default()).unwrap();
    }
    for text in [
        "MATCH (a)-[r:R {p: 500123}]->(b) RETURN a.i, b.i",
        "MATCH (a)-[r:R]->(b) WHERE r.p >= 500100 AND r.p < 500200 RETURN count(*)",
        "MATCH (a)-[r:R]->(b) WHERE r.c STARTS WITH 'code 299' RETURN count(*)",
    ] {
        assert_eq!(ask(&with, text), ask(&without, text));
        let mut times = [f64::MAX; 2];
        for _ in 0..5 {
            for (c, time) in [&with, &without].into_iter().zip(&mut times) {
                let began = std::time::Instant::now();
                ask(c, text).unwrap();
                *time = time.min(began.elapsed().as_secs_f64());
            }
        }
        println!("{text}: {:.3} ms with, {:.3} without", times[0] * 1e3, times[1] * 1e3);
    }
}

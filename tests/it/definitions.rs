//! Indexes and constraints: made, shown and dropped; kept to by every way of writing; there again when the
//! database is opened again.

use std::sync::Arc;

use trimorph::{Connection, Database, Error, OnConflict, Value};

use crate::durable::{Directory, config, open};
use crate::live_loads::{Files, load};

/// The rows of a statement as text, sorted; or what went wrong: its detail word, or its kind.
pub(crate) fn ask(connection: &Connection, text: &str) -> Result<Vec<String>, String> {
    let told = |error: Error| match error {
        Error::Query { diagnostic, .. } => format!("{}: {}", diagnostic.detail, diagnostic.primary),
        other => other.to_string(),
    };
    let mut result = connection.query(text, &[]).map_err(told)?;
    let mut out = Vec::new();
    while let Some(row) = result.next_row().map_err(told)? {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out.sort();
    Ok(out)
}

#[track_caller]
pub(crate) fn does(connection: &Connection, texts: &[&str]) {
    texts.iter().for_each(|text| _ = ask(connection, text).unwrap_or_else(|e| panic!("{text}\n{e}")));
}

/// The statement violates a constraint, and says this of it.
#[track_caller]
pub(crate) fn violates(connection: &Connection, text: &str, what: &str) {
    let error = ask(connection, text).expect_err(text);
    assert!(error.contains("ConstraintViolated") && error.contains(what), "{text}\n{error}");
}

pub(crate) fn database(set_up: &[&str]) -> (Database, Connection) {
    let database = Database::in_memory(config().background_merges(false));
    let connection = database.connect();
    does(&connection, set_up);
    (database, connection)
}

#[test]
fn they_are_made_shown_and_dropped() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT mail FOR (p:Person) REQUIRE p.mail IS UNIQUE",
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE (p.first, p.last) IS NODE KEY",
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.born IS :: INTEGER | DATE",
        "CREATE CONSTRAINT FOR ()-[k:KNOWS]-() REQUIRE k.since IS NOT NULL",
        "CREATE INDEX FOR (p:Person) ON (p.city)",
    ]);
    let constraints = [
        "knows_since_exists | RELATIONSHIP_PROPERTY_EXISTENCE | RELATIONSHIP | ['KNOWS'] | ['since'] | null",
        "mail | UNIQUENESS | NODE | ['Person'] | ['mail'] | null",
        "person_born_type | NODE_PROPERTY_TYPE | NODE | ['Person'] | ['born'] | INTEGER | DATE",
        "person_first_last_key | NODE_KEY | NODE | ['Person'] | ['first', 'last'] | null",
    ];
    assert_eq!(ask(&c, "SHOW CONSTRAINTS").unwrap(), constraints);
    let indexes = [
        "mail | RANGE | NODE | ['Person'] | ['mail'] | mail",
        "person_city_index | RANGE | NODE | ['Person'] | ['city'] | null",
        "person_first_last_key | RANGE | NODE | ['Person'] | ['first', 'last'] | person_first_last_key",
    ];
    assert_eq!(ask(&c, "SHOW INDEXES").unwrap(), indexes);
    for (text, what) in [
        ("CREATE INDEX FOR (p:Person) ON (p.city)", "index \"person_city_index\" does the same already"),
        ("CREATE INDEX mail FOR (p:Person) ON (p.x)", "there is a constraint \"mail\" already"),
        ("DROP INDEX mail", "\"mail\" is a constraint"),
        ("DROP CONSTRAINT male", "there is no constraint \"male\""),
    ] {
        let error = ask(&c, text).expect_err(text);
        assert!(error.contains(what), "{text}\n{error}");
    }
    does(
        &c,
        &[
            "CREATE INDEX FOR (p:Person) ON (p.city)".replace("INDEX", "INDEX IF NOT EXISTS").as_str(),
            "DROP CONSTRAINT male IF EXISTS",
            "DROP CONSTRAINT person_first_last_key",
            "DROP INDEX person_city_index",
        ],
    );
    assert_eq!(ask(&c, "SHOW INDEXES").unwrap().len(), 1);
    assert_eq!(ask(&c, "SHOW CONSTRAINTS").unwrap().len(), 3);
    // In a transaction they can be looked at, no more.
    does(&c, &["BEGIN", "SHOW CONSTRAINTS"]);
    assert!(ask(&c, "DROP CONSTRAINT mail").is_err());
    does(&c, &["ROLLBACK"]);
}

/// `SHOW … YIELD … WHERE … RETURN`.
#[test]
fn what_is_shown_is_asked_for() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT mail FOR (p:Person) REQUIRE p.mail IS UNIQUE",
        "CREATE CONSTRAINT born FOR (p:Person) REQUIRE p.born IS :: INTEGER",
        "CREATE CONSTRAINT `a ``k` FOR ()-[k:KNOWS]-() REQUIRE (k.since, k.to) IS KEY",
        "CREATE INDEX city FOR (p:Person) ON (p.city, p.zip)",
    ]);
    let answers: &[(&str, &[&str])] = &[
        (
            "SHOW INDEXES WHERE owningConstraint IS NULL",
            &["city | RANGE | NODE | ['Person'] | ['city', 'zip'] | null"],
        ),
        ("SHOW INDEXES YIELD name", &["a `k", "city", "mail"]),
        (
            "show indexes yield name as n, properties where size(properties) > 1 return n order by n limit 1;",
            &["a `k"],
        ),
        ("SHOW CONSTRAINTS YIELD * RETURN count(*)", &["3"]),
        (
            "SHOW CONSTRAINTS YIELD name, ownedIndex, type ORDER BY type SKIP 1 LIMIT 1",
            &["a `k | a `k | RELATIONSHIP_KEY"],
        ),
        (
            "SHOW ALL CONSTRAINTS YIELD entityType RETURN entityType, count(*) AS n",
            &["NODE | 2", "RELATIONSHIP | 1"],
        ),
        ("SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH $x RETURN collect(name)", &["['mail']"]),
        ("SHOW INDEXES YIELD state RETURN DISTINCT state", &["ONLINE"]),
        ("SHOW CONSTRAINTS YIELD *, name", &[]),
    ];
    for (text, expected) in answers {
        let params = [("x", Value::string("ma"))];
        let told = |error: Error| error.to_string();
        let rows = c.query(text, &params).map_err(told).and_then(|mut result| {
            let mut out = Vec::new();
            while let Some(row) = result.next_row().map_err(told)? {
                out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
            }
            out.sort();
            Ok(out)
        });
        match expected.is_empty() {
            true => assert!(rows.unwrap_err().contains("expected"), "{text}"),
            false => assert_eq!(rows.unwrap(), *expected, "{text}"),
        }
    }
    // What is said to make one makes it.
    let made = ask(&c, "SHOW CONSTRAINTS YIELD createStatement").unwrap();
    let (_other, d) = database(&[]);
    does(&d, &made.iter().map(String::as_str).collect::<Vec<_>>());
    does(&d, &["CREATE INDEX city FOR (p:Person) ON (p.city, p.zip)"]);
    for text in ["SHOW INDEXES YIELD *", "SHOW CONSTRAINTS YIELD *"] {
        assert_eq!(ask(&d, text), ask(&c, text));
    }
    // Mistakes are told at their places.
    for (text, what, column) in [
        ("SHOW INDEXES YIELD nmae", "nmae", 20),
        ("SHOW INDEXES YIELD name WHERE nme = 1", "nme", 31),
        ("SHOW INDEXES WHERE typ = 'x'", "typ", 20),
        ("SHOW CONSTRAINTS YIELD name RETURN name +", "", 42),
        ("SHOW INDEXES YIELD name RETURN name; x", "", 38),
    ] {
        let error = c.query(text, &[]).err().unwrap();
        assert_eq!(error.position(), Some((1, column)), "{error}");
        assert!(error.to_string().contains(what) && !error.to_string().contains(" shown"), "{error}");
    }
    // Also within a transaction.
    does(
        &c,
        &["BEGIN", "CREATE (:Person {mail: 'x'})", "SHOW INDEXES YIELD name RETURN count(*)", "ROLLBACK"],
    );
}

#[test]
fn what_they_did_is_counted() {
    let (_database, c) = database(&[]);
    let told = |text: &str| c.query(text, &[]).unwrap().side_effects().to_string();
    assert_eq!(told("CREATE CONSTRAINT FOR (p:P) REQUIRE p.x IS UNIQUE"), "made 1 constraint");
    assert_eq!(told("CREATE CONSTRAINT IF NOT EXISTS FOR (p:P) REQUIRE p.x IS UNIQUE"), "");
    assert_eq!(told("CREATE INDEX FOR (p:P) ON (p.y)"), "made 1 index");
    assert_eq!(told("DROP INDEX p_y_index"), "dropped 1 index");
    assert_eq!(
        told("CREATE (a:P {x: 1, y: null})-[:R {z: 1}]->(:Q:P {x: 2})"),
        "created 2 nodes, created 1 relationship, set 3 properties, added 3 labels"
    );
    assert_eq!(
        told("MATCH (a:P) SET a.w = a.x, a:W REMOVE a:P"),
        "set 2 properties, added 2 labels, removed 2 labels"
    );
    assert_eq!(told("MATCH (a:W) DETACH DELETE a"), "deleted 2 nodes, deleted 1 relationship");
    assert_eq!(told("MATCH (a) RETURN a"), "");
}

#[test]
fn uniqueness_is_kept_by_every_way_of_writing() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT k FOR (p:P) REQUIRE p.k IS UNIQUE",
        "CREATE (:P {k: 1}), (:P {k: 'a'}), (:P), (:P), (:Q {k: 1}), (:P:R {k: 2})",
    ]);
    for text in [
        "CREATE (:P {k: 1})",
        "CREATE (:P {k: 1.0})",
        "CREATE (:P:S {k: 2})",
        "UNWIND [3, 3] AS k CREATE (:P {k: k})",
        "MATCH (p:P {k: 'a'}) SET p.k = 1",
        "MATCH (p:P {k: 'a'}) SET p = {k: 2}",
        "MATCH (p:P {k: 'a'}) SET p += {k: 2}",
        "MATCH (p:P) SET p.k = 7",
        "MATCH (q:Q) SET q:P",
        "MERGE (p:P {k: 1, other: 2})",
        "MERGE (p:P {other: 2}) ON CREATE SET p.k = 2",
        "CREATE (:P {k: 5}) WITH 1 AS x CREATE (:P {k: 5})",
        "FOREACH (i IN [8, 8] | CREATE (:P {k: i}))",
    ] {
        violates(&c, text, "constraint \"k\"");
    }
    assert_eq!(ask(&c, "MATCH (p) RETURN count(p), count(p.k)").unwrap(), ["6 | 4"]);
    does(
        &c,
        &[
            // A swap within one clause, a value that is free again, one that was given up in the transaction.
            "MATCH (a:P {k: 1}), (b:P {k: 2}) WITH [a, b] AS both UNWIND both AS p SET p.k = 3 - p.k",
            "MATCH (q:Q) SET q.k = 9, q:P",
            "MATCH (p:P {k: 9}) REMOVE p:P CREATE (:P {k: 9})",
            "MATCH (p:P {k: 9}) DELETE p CREATE (:P {k: 9})",
            "MERGE (p:P {k: 9})",
        ],
    );
    let keys = ask(&c, "MATCH (p:P) WHERE p.k IS NOT NULL RETURN p.k").unwrap();
    assert_eq!(keys, ["1", "2", "9", "a"]);
    does(&c, &["DROP CONSTRAINT k", "CREATE (:P {k: 1})"]);
}

/// What would be quadratic in memory and time if each row found all that have its value.
#[test]
fn many_rows_of_one_value_are_told_at_once() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT FOR (a:A) REQUIRE a.u IS UNIQUE",
        "CREATE CONSTRAINT FOR (a:A) REQUIRE (a.g, a.k) IS UNIQUE",
        "CREATE CONSTRAINT FOR (b:B) REQUIRE (b.g, b.k) IS UNIQUE",
        "UNWIND range(0, 19999) AS i CREATE (:A {u: i, g: i % 2, k: i}), (:B {g: 1, k: i})",
    ]);
    violates(&c, "MATCH (a:A) SET a.u = 5", "u 5 already");
    violates(&c, "MATCH (a:A) SET a.g = 7, a.k = a.k % 19999", "k 0 already");
    violates(&c, "MATCH (a:A) WHERE a.u > 17000 SET a.u = a.u - 17000", "already");
    violates(&c, "UNWIND range(0, 19999) AS i CREATE (:A {u: 'x'})", "u 'x' already");
    violates(&c, "MATCH (b:B) WHERE b.k = 3 SET b.k = 19999", "k 19999 already");
    // Values that change hands within a clause, and those that are all new, are none's business.
    does(&c, &["MATCH (a:A) SET a.u = a.u + 1, a.g = 1 - a.g", "MATCH (b:B) SET b.k = 19999 - b.k"]);
    let whole = "MATCH (a:A) RETURN count(DISTINCT a.u), min(a.u), max(a.u)";
    assert_eq!(ask(&c, whole).unwrap(), ["20000 | 1 | 20000"]);
}

#[test]
fn composite_keys_must_be_whole_and_differ() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT k FOR (p:P) REQUIRE (p.a, p.b) IS KEY",
        "CREATE (:P {a: 1, b: 1}), (:P {a: 1, b: 2}), (:P {a: 2, b: 1})",
    ]);
    violates(&c, "CREATE (:P {a: 1, b: 2})", "a 1 and b 2");
    violates(&c, "MATCH (p:P {a: 2}) SET p.a = 1", "a 1 and b 1");
    violates(&c, "CREATE (:P {a: 3})", "lacks \"a, b\"");
    violates(&c, "MATCH (p:P {a: 2}) REMOVE p.b", "lacks \"a, b\"");
    does(&c, &["CREATE (p:P) SET p.a = 3 SET p.b = 1", "MATCH (p:P {a: 3}) SET p.b = null SET p.b = 7"]);
    // It may be missing until the transaction ends.
    does(&c, &["BEGIN", "CREATE (:P {a: 4, tmp: 1})", "MATCH (p:P {tmp: 1}) SET p.b = 1", "COMMIT"]);
    does(&c, &["BEGIN", "CREATE (:P {a: 5})"]);
    violates(&c, "COMMIT", "lacks \"a, b\"");
    assert_eq!(ask(&c, "MATCH (p:P) RETURN count(p)").unwrap(), ["5"]);
}

#[test]
fn types_and_existence_are_kept() {
    let (_database, c) = database(&[
        "CREATE CONSTRAINT t FOR (p:P) REQUIRE p.x IS :: INTEGER | LIST<STRING NOT NULL>",
        "CREATE CONSTRAINT e FOR (p:P) REQUIRE p.y IS NOT NULL",
        "CREATE CONSTRAINT rt FOR ()-[r:R]-() REQUIRE r.x IS :: DATE",
        "CREATE CONSTRAINT re FOR ()-[r:R]-() REQUIRE r.y IS NOT NULL",
        "CREATE (:P {x: 1, y: 1})-[:R {x: date('2020-01-01'), y: 1}]->(:P {x: ['a'], y: 2})",
    ]);
    violates(&c, "CREATE (:P {x: 'a', y: 1})", "must be of type INTEGER | LIST<STRING NOT NULL>, not STRING");
    violates(&c, "MATCH (p:P {y: 1}) SET p.x = ['a', null]", "constraint \"t\"");
    violates(&c, "CREATE (:P {x: 1})", "lacks \"y\"");
    violates(&c, "CREATE (n) SET n:P", "lacks \"y\"");
    violates(&c, "MATCH (p:P) REMOVE p.y", "lacks \"y\"");
    violates(&c, "MATCH (a:P {y: 1}) CREATE (a)-[:R {x: 1, y: 1}]->(a)", "constraint \"rt\"");
    violates(&c, "MATCH (a:P {y: 1}) CREATE (a)-[:R]->(a)", "lacks \"y\"");
    violates(&c, "MATCH ()-[r:R]->() SET r.x = 'x'", "constraint \"rt\"");
    violates(&c, "MATCH ()-[r:R]->() SET r = {}", "lacks \"y\"");
    does(
        &c,
        &[
            "MATCH (p:P {y: 1}) SET p.x = null",
            "MATCH (p:P {y: 1}) REMOVE p:P SET p.y = null",
            "MATCH ()-[r:R]->() DELETE r",
            "CREATE (:Other {x: 1.5})-[:S]->(:Other)",
        ],
    );
}

#[test]
fn what_is_there_already_is_looked_at() {
    let (_database, c) =
        database(&["CREATE (:P {k: 1, t: 1}), (:P {k: 1, t: 'a'}), (:P {t: 2}), (:Q {k: 1}), ()-[:R]->()"]);
    for (text, what) in [
        ("CREATE CONSTRAINT c FOR (p:P) REQUIRE p.k IS UNIQUE", "2 nodes have k 1"),
        ("CREATE CONSTRAINT c FOR (p:P) REQUIRE p.k IS NOT NULL", "1 nodes lack k"),
        ("CREATE CONSTRAINT c FOR (p:P) REQUIRE p.t IS :: INTEGER", "a node has t 'a', of type STRING"),
        ("CREATE CONSTRAINT c FOR ()-[r:R]-() REQUIRE r.x IS NOT NULL", "1 relationships lack x"),
    ] {
        let error = ask(&c, text).expect_err(text);
        assert!(error.contains("ConstraintCreationFailed") && error.contains(what), "{text}\n{error}");
    }
    assert!(ask(&c, "SHOW CONSTRAINTS").unwrap().is_empty());
    does(
        &c,
        &[
            "CREATE (:P {k: 1})",
            "MATCH (p:P) SET p.k = id(p)",
            "CREATE CONSTRAINT c FOR (p:P) REQUIRE p.k IS UNIQUE",
        ],
    );
}

#[test]
fn a_transaction_that_is_open_meets_what_is_made() {
    let (database, c) = database(&["CREATE (:P {k: 1})"]);
    let writer = database.connect();
    does(&writer, &["BEGIN", "RETURN 1", "CREATE (:P {k: 1})"]);
    does(&c, &["CREATE CONSTRAINT k FOR (p:P) REQUIRE p.k IS UNIQUE"]);
    let error = ask(&writer, "COMMIT").expect_err("a conflict");
    assert!(error.contains("TransactionConflict"), "{error}");
    // Of other tables it says nothing.
    does(&writer, &["BEGIN", "RETURN 1", "CREATE (:Q {k: 1})"]);
    does(&c, &["CREATE CONSTRAINT p_e FOR (p:P) REQUIRE p.k IS NOT NULL"]);
    does(&writer, &["COMMIT"]);
}

#[test]
fn they_are_there_when_it_is_opened_again() {
    let dir = Directory::new("definitions");
    let made = [
        "CREATE CONSTRAINT k FOR (p:P) REQUIRE p.k IS UNIQUE",
        "CREATE CONSTRAINT t FOR (p:P) REQUIRE p.k IS :: INTEGER",
        "CREATE CONSTRAINT e FOR ()-[r:R]-() REQUIRE r.x IS NOT NULL",
        "CREATE INDEX i FOR (p:P) ON (p.a, p.b)",
    ];
    {
        let database = open(&dir);
        does(&database.connect(), &made);
        does(
            &database.connect(),
            &["CREATE (:P {k: 1})", "CREATE INDEX gone FOR (p:P) ON (p.x)", "DROP INDEX gone"],
        );
    }
    // From the log; then from a manifest; then from a manifest and a log.
    for round in 0..3 {
        let database = open(&dir);
        let c = database.connect();
        assert_eq!(ask(&c, "SHOW CONSTRAINTS").unwrap().len(), 3, "{round}");
        assert_eq!(ask(&c, "SHOW INDEXES").unwrap().len(), 2, "{round}");
        violates(&c, "CREATE (:P {k: 1})", "constraint \"k\"");
        violates(&c, "CREATE (:P {k: 'a'})", "constraint \"t\"");
        violates(&c, "CREATE ()-[:R]->()", "constraint \"e\"");
        database.checkpoint(&trimorph::CancelToken::default()).unwrap();
        does(&c, &["DROP INDEX i", "CREATE INDEX i FOR (p:P) ON (p.a, p.b)"]);
    }
    // Also where nothing is logged: the checkpoint at closing has it.
    let dir = Directory::new("definitions-unlogged");
    let unlogged = || {
        let durability = trimorph::Durability::Memory;
        let config = config().durability(durability).checkpoint_on_close(true);
        Database::open(dir.path(), config).unwrap()
    };
    does(&unlogged().connect(), &made);
    assert_eq!(ask(&unlogged().connect(), "SHOW CONSTRAINTS").unwrap().len(), 3);
}

#[test]
fn parameters_and_results_go_on_as_ever() {
    let (_database, c) = database(&["CREATE CONSTRAINT FOR (p:P) REQUIRE p.k IS UNIQUE"]);
    let rows = Value::list((0..1_000).map(Value::Int).collect());
    c.query("UNWIND $rows AS k CREATE (:P {k: k})", &[("rows", rows)]).unwrap();
    assert_eq!(ask(&c, "MATCH (p:P) RETURN count(DISTINCT p.k)").unwrap(), ["1000"]);
}

/// Numbers that are the same for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub(crate) fn value(&mut self) -> String {
        let n = self.below(30);
        match self.below(10) {
            0 => "null".to_owned(),
            1 => format!("{n}.0"),
            2 => format!("{n}.5"),
            3 => format!("'text {n}'"),
            4 => format!("'te{n}'"),
            5 => format!("date('2020-01-{:02}')", n % 28 + 1),
            6 => format!("datetime('2020-01-01T{:02}:00:00+0{}:00')", n % 10 + 4, n % 4),
            7 => ["true", "0.0 / 0.0", "[1, 2]", "duration('P1D')"][n as usize % 4].to_owned(),
            _ => n.to_string(),
        }
    }

    /// A statement that writes.
    fn write(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        // Not the id: rows that went are used again at other times.
        let (some, i) = (format!("n.i % {} = 0", self.below(9) + 1), self.below(1_000));
        match self.below(12) {
            0 | 1 => format!("CREATE (:A {{p: {a}, q: {}, i: {i}}})", self.below(5)),
            2 => format!(
                "UNWIND [{a}, {b}, {a}] AS v CREATE (:A:B {{p: v, q: 1, i: {i}}}), (:C {{p: v, i: {i}}})"
            ),
            3 => format!("MATCH (n:A) WHERE {some} SET n.p = {a}"),
            4 => format!("MATCH (n:C) WHERE {some} SET n:A"),
            5 => format!("MATCH (n:A) WHERE {some} REMOVE n:A"),
            6 => format!("MATCH (n) WHERE {some} AND n.q = {} DETACH DELETE n", self.below(5)),
            7 => format!("MATCH (n:A) WHERE {some} REMOVE n.p"),
            8 | 9 => format!(
                "MATCH (n:A), (m:C) WHERE {some} AND m.i % 7 = n.i % 7 CREATE (n)-[:R {{w: {i}}}]->(m)"
            ),
            10 => format!("MATCH (n:A)-[r:R]->() WHERE {some} AND r.w % 3 = 0 DELETE r"),
            _ => format!("MATCH (n:A) WHERE n.p = {a} SET n.p = {b}"),
        }
    }

    /// A question that an index may answer.
    fn question(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let q = self.below(5);
        match self.below(14) {
            9 => format!("MATCH (n:A) WHERE n.p = {a} AND n.q = {q} RETURN n.i, n.p, labels(n)"),
            10 => format!("MATCH (n:A {{p: {a}}}) WHERE n.q > {q} RETURN n.i, n.q"),
            11 => format!("MATCH (n:A {{p: {a}}}) WHERE n.q >= 1 AND n.q < {q} RETURN n.i, n.q"),
            12 => format!("UNWIND [{a}, {b}, null] AS v MATCH (n:A {{p: v, q: {q}}}) RETURN v, n.i"),
            13 => format!("MATCH (n:A) WHERE n.q <= {q} AND n.p = {a} RETURN count(*)"),
            0 | 1 => format!("MATCH (n:A) WHERE n.p = {a} RETURN n.q, n.p, labels(n)"),
            2 => format!("MATCH (n:A {{p: {a}, q: 1}}) RETURN count(n), collect(n.p)"),
            3 => format!("MATCH (n:A) WHERE n.p IN [{a}, {b}, {a}] RETURN count(n)"),
            4 => format!("MATCH (n:A) WHERE n.p > {a} AND n.p > -20 RETURN n.p"),
            5 => format!("MATCH (n:A) WHERE n.p >= {a} AND n.p < {b} RETURN n.p, n.q"),
            6 => "MATCH (n:A) WHERE n.p STARTS WITH 'te' AND n.q < 3 RETURN n.p".to_owned(),
            7 => format!("UNWIND [{a}, {b}] AS v MATCH (n:A {{p: v}}) RETURN v, count(*)"),
            _ => "MATCH (c:C), (n:A) WHERE n.p = c.p RETURN count(*)".to_owned(),
        }
    }
}

/// What is found by indexes is what is found without.
#[test]
fn indexes_find_what_scans_find() {
    for seed in 1..=4_u64 {
        println!("seed {seed}");
        let mut random = Random(seed);
        let dir = Directory::new(&format!("indexed-{seed}"));
        let mut indexed = open(&dir);
        let twin = Database::in_memory(config());
        let definition = ["CREATE INDEX FOR (n:A) ON (n.p)", "CREATE INDEX i FOR (n:A) ON (n.p, n.q)"];
        // So many that an index pays. Nothing that is drawn writes to them.
        let many = "UNWIND range(1, 3000) AS p CREATE (:A {p: -p}), (:A:B {p: -p - 5000})";
        [indexed.connect(), twin.connect()].iter().for_each(|c| does(c, &[many]));
        if seed % 3 != 0 {
            indexed.merge(&trimorph::CancelToken::default()).unwrap();
        }
        let early = random.below(2) == 0;
        if early {
            does(&indexed.connect(), &definition[seed as usize % 2..][..1]);
        }
        for step in 0..40 {
            let (a, b) = (indexed.connect(), twin.connect());
            let within = random.below(4) == 0;
            if within {
                does(&a, &["BEGIN"]);
                does(&b, &["BEGIN"]);
            }
            for _ in 0..4 {
                let text = random.write();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}: {text}");
                let text = random.question();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}: {text}");
            }
            if within {
                let end = if random.below(3) == 0 { "ROLLBACK" } else { "COMMIT" };
                does(&a, &[end]);
                does(&b, &[end]);
            }
            if step == 20 && !early {
                does(&a, &definition[seed as usize % 2..][..1]);
            }
            match random.below(8) {
                0 => drop(indexed.merge(&trimorph::CancelToken::default()).unwrap()),
                1 => indexed.checkpoint(&trimorph::CancelToken::default()).unwrap(),
                2 => {
                    drop((a, indexed));
                    indexed = open(&dir);
                }
                _ => {}
            }
            let (a, b) = (indexed.connect(), twin.connect());
            let all = [
                "MATCH (n) RETURN n.i, n.p, n.q, labels(n)",
                "MATCH (n)-[r]->(m) RETURN n.i, r.w, m.i",
                "MATCH (n:C)<-[r]-(m) RETURN n.i, r.w, m.i",
            ];
            for text in all {
                assert_eq!(ask(&a, text), ask(&b, text), "seed {seed}, step {step}: {text}");
            }
            for _ in 0..4 {
                let text = random.question();
                assert_eq!(ask(&a, &text), ask(&b, &text), "seed {seed}, step {step}, after: {text}");
            }
        }
        let plan = indexed.connect().query("EXPLAIN MATCH (n:A) WHERE n.p = 1 RETURN n", &[]).unwrap().plan();
        assert!(plan.contains("KeyLookup"), "{plan}");
    }
}

/// Further properties of an index narrow what is looked up.
#[test]
fn several_properties_are_looked_up_together() {
    for merged in [true, false] {
        let (database, c) = database(&[
            "CREATE INDEX FOR (n:N) ON (n.a, n.b, n.c)",
            "UNWIND range(0, 9999) AS i CREATE (:N {a: i % 4, b: i, c: toString(i % 7)})",
            "UNWIND range(0, 99) AS i CREATE (:N {a: i % 4, b: 'text ' + i}), (:N {a: i % 4}), (:N {b: i})",
        ]);
        if merged {
            database.merge(&trimorph::CancelToken::default()).unwrap();
        }
        for (text, expected) in [
            ("MATCH (n:N) WHERE n.a = 1 AND n.b > 9990 RETURN collect(n.b)", "[9993, 9997]"),
            ("MATCH (n:N) WHERE n.a = 1 AND n.b >= 9 AND n.b < 17 RETURN collect(n.b)", "[9, 13]"),
            ("MATCH (n:N {a: 1.0, b: 9}) RETURN collect(n.b)", "[9]"),
            ("MATCH (n:N {a: 1, b: 9, c: '2'}) RETURN collect(n.b)", "[9]"),
            ("MATCH (n:N {a: 1, b: 9, c: '3'}) RETURN collect(n.b)", "[]"),
            (
                "MATCH (n:N {a: 1}) WHERE n.b STARTS WITH 'text 9' RETURN collect(n.b)",
                "['text 9', 'text 93', 'text 97']",
            ),
            (
                "UNWIND [[1, 9], [2, 9], [2, 10], [null, 1]] AS k MATCH (n:N {a: k[0], b: k[1]}) RETURN collect(n.b)",
                "[9, 10]",
            ),
        ] {
            let plan = c.query(&format!("EXPLAIN {text}"), &[]).unwrap().plan();
            assert!(plan.contains("KeyLookup (n).a = "), "{text}\n{plan}");
            assert_eq!(ask(&c, text).unwrap(), [expected], "{merged} {text}");
        }
        // What is not seen in a look-up is read.
        let text = "MATCH (n:N {a: 1, b: 123456}) RETURN count(n)";
        for other in ["CREATE (:N {a: 1, b: 123456})", "MATCH (n:N {a: 1, b: 9}) SET n.b = 123456"] {
            let (a, b) = (database.connect(), database.connect());
            a.begin().unwrap();
            does(&a, &[text]);
            does(&b, &[other]);
            does(&a, &["CREATE (:Note)"]);
            assert!(a.commit().is_err(), "{other}");
            does(&b, &["MATCH (n:N {b: 123456}) SET n.b = 9"]);
        }
        let (a, b) = (database.connect(), database.connect());
        a.begin().unwrap();
        does(&a, &[text]);
        does(&b, &["MATCH (n:N {a: 2, b: 10}) SET n.b = 11"]);
        does(&a, &["CREATE (:Note)"]);
        a.commit().unwrap();
    }
}

/// Two that write the same unique value beside each other: one of them commits, whatever the level.
#[test]
fn of_two_that_write_the_same_one_commits() {
    use trimorph::{Isolation, TransactionOptions};
    for level in [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable] {
        for merged in [false, true] {
            let (database, c) = database(&[
                "CREATE CONSTRAINT k FOR (p:P) REQUIRE p.k IS UNIQUE",
                "CREATE (:P {k: 0}), (:Q {x: 0})",
            ]);
            if merged {
                database.merge(&trimorph::CancelToken::default()).unwrap();
            }
            let pairs = [
                ("CREATE (:P {k: 1})", "CREATE (:P {k: 1})"),
                ("MERGE (:P {k: 2})", "MERGE (:P {k: 2})"),
                ("MATCH (p:P {k: 0}) SET p.k = 3", "CREATE (:P {k: 3.0})"),
                ("MATCH (q:Q) SET q:P", "MATCH (q:Q) SET q.k = 3"),
                ("CREATE (:P:R {k: 4})", "CREATE (q:Q) SET q.k = 4, q:P"),
            ];
            for (one, other) in pairs {
                let options = TransactionOptions { isolation: Some(level), ..TransactionOptions::default() };
                let (a, b) = (database.connect(), database.connect());
                for each in [&a, &b] {
                    each.begin_with(options).unwrap();
                    does(each, &["RETURN 1"]);
                }
                does(&a, &[one]);
                let error = ask(&b, other).expect_err(other);
                assert!(error.contains("TransactionConflict"), "{level:?}: {one}, {other}: {error}");
                b.rollback().unwrap();
                a.commit().unwrap();
            }
            let twice = "MATCH (p:P) WHERE p.k IS NOT NULL WITH p.k AS k, count(*) AS n WHERE n > 1 RETURN k";
            assert!(ask(&c, twice).unwrap().is_empty());
        }
    }
}

#[test]
fn an_index_of_all_nodes_finds_them_whatever_their_labels() {
    let directory = Directory::new("index-of-all");
    let finds = |c: &Connection, expected: &[&str]| {
        assert_eq!(ask(c, "MATCH (n) WHERE n.p = 7 RETURN n.k").unwrap(), expected);
        assert_eq!(ask(c, "MATCH (n {p: 7}) RETURN n.k").unwrap(), expected);
        let plan = ask(c, "EXPLAIN MATCH (n) WHERE n.p = 7 RETURN n.k").unwrap().join("\n");
        assert!(plan.contains("KeyLookup"), "{plan}");
    };
    {
        let database = open(&directory);
        let c = database.connect();
        does(
            &c,
            &[
                "UNWIND range(1, 3000) AS i CREATE (:A {p: i, k: 'a'}), ({p: i, k: 'none'})",
                "CREATE INDEX FOR (n) ON (n.p)",
                "CREATE INDEX IF NOT EXISTS FOR (n) ON (n.p)",
            ],
        );
        finds(&c, &["a", "none"]);
        // A table that comes later, and a label that a node gets.
        does(
            &c,
            &["CREATE (:B:C {p: 7, k: 'b'})", "MATCH (n {p: 8, k: 'none'}) SET n:D, n.p = 7, n.k = 'd'"],
        );
        finds(&c, &["a", "b", "d", "none"]);
        assert_eq!(ask(&c, "SHOW INDEXES").unwrap(), ["p_index | RANGE | NODE | [] | ['p'] | null"]);
        let made = ask(&c, "SHOW INDEXES YIELD createStatement RETURN createStatement").unwrap();
        assert_eq!(made, ["CREATE RANGE INDEX `p_index` FOR (n) ON (n.`p`)"]);
    }
    for checkpointed in [false, true] {
        let database = open(&directory);
        let c = database.connect();
        finds(&c, &["a", "b", "d", "none"]);
        if checkpointed {
            does(&c, &["DROP INDEX p_index"]);
            assert_eq!(ask(&c, "SHOW INDEXES").unwrap(), [""; 0]);
            assert_eq!(ask(&c, "MATCH (n) WHERE n.p = 7 RETURN count(*)").unwrap(), ["4"]);
        } else {
            database.checkpoint(&trimorph::CancelToken::default()).unwrap();
        }
    }
}

/// What persons were loaded by is unique among them as the constraint says, and is not any more when it says
/// no more: whatever table a node is in, after a merge, and when it is opened again.
#[test]
fn a_constraint_that_is_dropped_is_dropped_for_what_was_loaded_by_the_same_key() {
    let (dir, files) = (Directory::new("dropped-key"), Files::new("dropped-key"));
    let people = "id:ID(Person){id-type: int},name,:LABEL\n1,One,Person\n2,Two,Person\n3,Six,Person;Late\n";
    let second = ["CREATE (:Person {id: 1, name: 'Twin'})", "CREATE (:Person:Late {id: 3, name: 'Twin'})"];
    let database = open(&dir);
    let c = database.connect();
    load(&database, &[files.put("p.csv", people)], OnConflict::Error).unwrap();
    second.iter().for_each(|text| violates(&c, text, "already"));
    does(&c, &["CREATE CONSTRAINT people FOR (p:Person) REQUIRE p.id IS UNIQUE"]);
    second.iter().for_each(|text| violates(&c, text, "already"));
    let prepared = c.prepare("MATCH (p:Person {id: $id}) RETURN p.name").unwrap();
    let names = |c: &Connection, id: i64| {
        let params = [(Arc::from("id"), id.into())].into_iter().collect();
        let mut rows = c.execute_prepared(&prepared, Arc::new(params)).unwrap().rows().unwrap();
        rows.sort_by(|a, b| trimorph_types::order(&a[0], &b[0]));
        format!("{rows:?}")
    };
    assert_eq!(names(&c, 1), r#"[[String("One")]]"#);
    does(&c, &["DROP CONSTRAINT people"]);
    does(&c, &second);
    let twice = r#"[[String("One")], [String("Twin")]]"#;
    assert_eq!(names(&c, 1), twice);
    database.merge(&trimorph::CancelToken::default()).unwrap();
    assert_eq!(names(&c, 1), twice);
    let again = ask(&c, "CREATE CONSTRAINT people FOR (p:Person) REQUIRE p.id IS UNIQUE").unwrap_err();
    assert!(again.contains("2 nodes have"), "{again}");
    does(
        &c,
        &["MATCH (p:Person {id: 1}) SET p:Late", "REORGANIZE", "CREATE (:Person {id: 1, name: 'Third'})"],
    );
    drop((c, database));
    for is_checkpoint in [false, true] {
        let database = open(&dir);
        let c = database.connect();
        assert_eq!(ask(&c, "MATCH (p:Person) WHERE p.id IN [1, 3] RETURN count(p)").unwrap(), ["5"]);
        does(
            &c,
            &[
                "CREATE (:Person {id: 2}), (:Person:Late {id: 2})",
                "MATCH (p {id: 2}) WHERE p.name IS NULL DELETE p",
            ],
        );
        // Relationships of files find it by `id` as before.
        let edges = ":START_ID(Person),:END_ID(Person),:TYPE\n2,2,KNOWS\n";
        load(&database, &[files.put("e.csv", edges)], OnConflict::Error).unwrap();
        if is_checkpoint {
            database.checkpoint(&trimorph::CancelToken::default()).unwrap();
        }
    }
    let database = open(&dir);
    assert_eq!(
        ask(&database.connect(), "MATCH (:Person {id: 2})-[:KNOWS]->(p) RETURN p.name").unwrap().len(),
        2
    );
}

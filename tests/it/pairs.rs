//! The table of pairs of `docs/design/transactions.md` where the first has committed before the second
//! writes, and what definitions are made beside; `transactions` has those that are open beside each other.

use trimorph::{Connection, Error, Isolation};

use crate::transactions::{End, LEVELS, TWO, begun, beside, database, ending, rows};

/// Both begin, the first writes and commits, then the second writes and commits: at each level '-' it does,
/// 'x' it meets a conflict, 'v' a constraint is violated.
fn after(set_up: &[&str], first: &str, second: &str, expect: &str) {
    for (level, expect) in LEVELS.into_iter().zip(expect.chars()) {
        let database = database(set_up);
        let (a, b) = (begun(&database, level), begun(&database, level));
        rows(&a, first).unwrap();
        a.commit().unwrap();
        let done = rows(&b, second).map(drop).and_then(|()| b.commit());
        let expected = match expect {
            'x' => End::Conflict,
            'v' => End::Violated,
            _ => End::Committed,
        };
        assert_eq!(ending(done), expected, "{level:?}: {first}, committed, then {second}");
    }
}

#[test]
fn what_was_committed_before_the_other_one_writes() {
    let set = "MATCH (n:N {k: 1}) SET n.p = 5";
    let delete = "MATCH (n:N {k: 1}) DETACH DELETE n";
    let insert = "MATCH (a:N {k: 1}), (b:N {k: 2}) CREATE (a)-[:S]->(b)";
    let (set_edge, delete_edge) = ("MATCH ()-[r:R]->() SET r.p = 5", "MATCH ()-[r:R]->() DELETE r");
    after(TWO, set, "MATCH (n:N {k: 1}) SET n.p = 6", "-xx");
    after(TWO, set, "MATCH (n:N {k: 1}) SET n.q = 6", "---");
    after(TWO, set, delete, "-xx");
    after(TWO, delete, set, "-xx");
    after(TWO, delete, delete, "-xx");
    after(TWO, insert, delete, "-xx");
    after(TWO, delete, insert, "-xx");
    after(TWO, insert, insert, "---");
    after(TWO, insert, set, "---");
    after(TWO, set, insert, "---");
    after(TWO, delete_edge, delete_edge, "-xx");
    after(TWO, delete_edge, set_edge, "-xx");
    after(TWO, set_edge, delete_edge, "-xx");
    after(TWO, set_edge, set_edge, "-xx");
    after(TWO, set_edge, "MATCH ()-[r:R]->() SET r.q = 5", "---");
    after(TWO, "MATCH (n:N {k: 1}) SET n:A", "MATCH (n:N {k: 1}) SET n:B", "-xx");
    after(&[], "CREATE (:X {a: 1})", "CREATE (:X {a: 1})", "---");
    after(&[], "MERGE (:U {k: 1})", "MERGE (:U {k: 1})", "--x");
}

#[test]
fn edges_that_are_deleted_and_set() {
    for level in LEVELS {
        for (first, second) in [
            ("MATCH ()-[r:R]->() DELETE r", "MATCH ()-[r:R]->() SET r.p = 2"),
            ("MATCH ()-[r:R]->() SET r.p = 2", "MATCH ()-[r:R]->() DELETE r"),
            ("MATCH (n:N {k: 1}) DETACH DELETE n", "MATCH (n:N {k: 1}) SET n.p = 5"),
            ("MATCH (n:N {k: 1}) SET n:A", "MATCH (n:N {k: 1}) DETACH DELETE n"),
            ("MATCH ()-[r:R]->() SET r.p = 2", "MATCH (n:N {k: 1}) DETACH DELETE n"),
        ] {
            let ends = beside(&database(TWO), level, &[first], &[second]);
            assert_eq!(ends, (End::Committed, End::Conflict), "{level:?}: {first}, {second}");
        }
    }
}

#[test]
fn under_constraints() {
    let unique =
        &["CREATE CONSTRAINT k FOR (u:U) REQUIRE u.k IS UNIQUE", "CREATE (:N {n: 1}), (:U {n: 2})"][..];
    after(unique, "CREATE (:U {k: 1})", "CREATE (:U {k: 1})", "vxx");
    after(unique, "MERGE (:U {k: 1})", "MERGE (:U {k: 1})", "-xx");
    after(unique, "MATCH (n:N) SET n:U", "MATCH (n:N) SET n.k = 3", "-xx");
    after(unique, "MATCH (n:N) SET n.k = 3", "MATCH (n:N) SET n:U", "-xx");
    after(unique, "CREATE (:U {k: 1})", "CREATE (:U {k: 2})", "---");
    let edges =
        &["CREATE CONSTRAINT k FOR ()-[r:R]-() REQUIRE r.k IS UNIQUE", "CREATE (:N)-[:R {k: 0}]->(:N)"][..];
    let make = "MATCH (a:N) WITH a LIMIT 1 CREATE (a)-[:R {k: 1}]->(a)";
    after(edges, make, make, "vxx");
    after(edges, make, "MATCH ()-[r:R {k: 0}]->() SET r.k = 1", "vxx");
}

/// An index is made beside those who write what it covers, at every level: none of them is in the other's
/// way, and it has what they wrote.
#[test]
fn an_index_is_made_beside_who_inserts() {
    for level in LEVELS {
        for first_commits in [false, true] {
            let database = database(TWO);
            let a = begun(&database, level);
            rows(&a, "CREATE (:N {k: 3, p: 33}) WITH 1 AS one MATCH (n:N {k: 1}) SET n.p = 33").unwrap();
            let index = |c: &Connection| rows(c, "CREATE INDEX FOR (n:N) ON (n.p)").map(drop);
            if first_commits {
                a.commit().unwrap();
            }
            index(&database.connect()).unwrap();
            if !first_commits {
                a.commit().unwrap_or_else(|error| panic!("{level:?}: {error}"));
            }
            let c = database.connect();
            assert!(
                rows(&c, "EXPLAIN MATCH (n:N) WHERE n.p = 33 RETURN n.k")
                    .unwrap()
                    .join("\n")
                    .contains("KeyLookup")
            );
            assert_eq!(rows(&c, "MATCH (n:N) WHERE n.p = 33 RETURN n.k").unwrap(), ["1", "3"], "{level:?}");
        }
    }
}

#[test]
fn a_constraint_is_made_beside_who_inserts() {
    let make = "CREATE CONSTRAINT k FOR (n:N) REQUIRE n.k IS UNIQUE";
    for level in LEVELS {
        // Who commits later was not asked against it.
        let db = database(TWO);
        let a = begun(&db, level);
        rows(&a, "CREATE (:N {k: 1})").unwrap();
        rows(&db.connect(), make).unwrap();
        assert_eq!(ending(a.commit()), End::Conflict, "{level:?}");
        assert_eq!(rows(&db.connect(), "MATCH (n:N) RETURN count(*)").unwrap(), ["2"]);
        // What was committed violates it: it is not made.
        let db = database(TWO);
        let a = begun(&db, level);
        rows(&a, "CREATE (:N {k: 1})").unwrap();
        a.commit().unwrap();
        let error = rows(&db.connect(), make).unwrap_err();
        assert!(matches!(error, Error::Query { .. }) && error.to_string().contains('1'), "{error}");
        assert!(rows(&db.connect(), "SHOW CONSTRAINTS").unwrap().is_empty());
        rows(&db.connect(), "CREATE (:N {k: 1})").unwrap();
    }
    // Where it is one statement, it is run again and told what it violates.
    let db = database(TWO);
    rows(&db.connect(), make).unwrap();
    let options =
        trimorph::TransactionOptions { isolation: Some(Isolation::ReadCommitted), ..Default::default() };
    let done = db.connect().transact(options, |tx| rows(tx, "CREATE (:N {k: 1})").map(drop));
    assert_eq!(ending(done), End::Violated);
}

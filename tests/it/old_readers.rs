//! Readers that stay open while everything is changed over and over: they see what they saw, and what is kept
//! for them is what they see, however long they stay.

use trimorph::{CancelToken, Config, Connection, Database, Error, QueryResult, TransactionOptions};
use trimorph_base::Random;

const NODES: i64 = 3_000;

/// The rows of a result, in order.
fn drained(result: &mut QueryResult, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|e| panic!("{text}\n{e}")) {
        out.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
    }
    out
}

fn rows(connection: &Connection, text: &str) -> Vec<String> {
    drained(&mut connection.query(text, &[]).unwrap_or_else(|e| panic!("{text}\n{e}")), text)
}

fn merge(database: &Database) {
    database.merge(&CancelToken::default()).unwrap();
}

fn database() -> Database {
    let config = Config::new().background_merges(false).threads(1);
    let database = Database::in_memory(config);
    let c = database.connect();
    rows(&c, "CREATE CONSTRAINT FOR (p:P) REQUIRE p.k IS UNIQUE");
    make(&c, 0, NODES, 0);
    (0..3).for_each(|_| merge(&database));
    database
}

/// Nodes with these keys, and edges out of each to others.
fn make(c: &Connection, from: i64, to: i64, round: i64) {
    let texts = "k: i, v: i, s: 'made ' + toString(i)";
    rows(c, &format!("UNWIND range({from}, {}) AS i CREATE (:P {{{texts}, r: {round}}})", to - 1));
    let ends = format!("MATCH (a:P) WHERE a.k >= {from} AND a.k < {to}");
    for step in [31, 7] {
        let other = format!("MATCH (b:P {{k: (a.k * {step} + 3) % {NODES}}})");
        rows(c, &format!("{ends} {other} CREATE (a)-[:E {{w: {round}}}]->(b)"));
    }
}

/// Replaces all nodes and edges, part by part, and merges after each.
fn churn(database: &Database, c: &Connection, round: i64) {
    for part in 0..5 {
        let (from, to) = (part * NODES / 5, (part + 1) * NODES / 5);
        let own = format!("n.k >= {from} AND n.k < {to}");
        rows(c, &format!("MATCH (n:P) WHERE {own} SET n.v = n.v + {round}, n.s = 'set {round}'"));
        rows(c, &format!("MATCH (n:P)-[e:E]->() WHERE {own} SET e.w = {round}"));
        rows(c, &format!("MATCH (n:P) WHERE {own} DETACH DELETE n"));
        make(c, from, to, round);
        merge(database);
    }
}

const ALL: [&str; 5] = [
    "MATCH (n:P) RETURN id(n), labels(n), properties(n) ORDER BY id(n)",
    "MATCH (a:P)-[r:E]->(b:P) RETURN id(a), id(r), r.w, id(b), b.s ORDER BY id(r)",
    "MATCH (b:P)<-[r:E]-(a:P) WHERE b.k < 40 RETURN b.k, a.k, a.v, r.w ORDER BY b.k, a.k, id(r)",
    "MATCH (n:P {k: 77}) RETURN n, [(n)-[r]->(m) | [r, m.v]]",
    "MATCH (n:P) RETURN count(*), sum(n.v), count(DISTINCT n.s)",
];

fn answers(c: &Connection) -> Vec<Vec<String>> {
    ALL.iter().map(|text| rows(c, text)).collect()
}

/// What is kept for one who reads is what he sees: not what is made later, over and over.
#[test]
fn what_comes_later_is_not_kept_for_who_reads() {
    let database = database();
    let (c, reader) = (database.connect(), database.connect());
    let fresh = database.stats();
    // Something that main has not, which the reader needs as versions.
    rows(&c, "MATCH (n:P) WHERE n.k % 10 = 3 SET n.v = -1 DETACH DELETE n");
    rows(&c, "MATCH (n:P) WHERE n.k % 10 = 4 SET n.v = -2");
    rows(&c, "MATCH (n:P)-[e:E]->() WHERE n.k % 10 = 5 SET e.w = -3");
    let options = TransactionOptions { read_only: true, ..TransactionOptions::default() };
    reader.begin_with(options).unwrap();
    let seen = answers(&reader);
    // Results that nobody has read to their ends, of statements outside of transactions.
    let mut begun: Vec<QueryResult> = ALL.iter().map(|text| c.query(text, &[]).unwrap()).collect();
    rows(&c, "MATCH (n:P) WHERE n.k % 10 = 4 DETACH DELETE n");
    rows(&c, "MATCH (n:P) DETACH DELETE n");
    make(&c, 0, NODES, 0);
    merge(&database);
    let (mut one, mut most) = (0, 0);
    for round in 1..=12 {
        churn(&database, &c, round);
        most = most.max(database.stats().delta_bytes);
        one = if round == 1 { most } else { one };
        if round % 4 == 0 {
            assert_eq!(answers(&reader), seen, "round {round}");
        }
    }
    for (at, result) in begun.iter_mut().enumerate() {
        assert_eq!(drained(result, ALL[at]), seen[at], "{}", ALL[at]);
    }
    drop(begun);
    assert_eq!(answers(&reader), seen);
    let now = database.stats();
    let main = fresh.piece_bytes;
    assert!(most < one + one / 4, "{most} bytes are kept, after one round {one}");
    assert!(
        now.piece_bytes < 2 * main,
        "{} bytes of pieces, of {main}: rows are not used again",
        now.piece_bytes
    );
    let error = reader.query("CREATE (:Q)", &[]).unwrap_err();
    assert!(matches!(&error, Error::Transaction(text) if text.contains("read only")), "{error}");
    assert_eq!(answers(&reader), seen, "it goes on");
    reader.commit().unwrap();
    reader.query("CREATE (:Q)", &[]).unwrap();
    (0..3).for_each(|_| merge(&database));
    let left = database.stats().delta_bytes;
    assert!(left < one / 8, "{left} bytes are left, of {one}");
}

/// Who may write meets those that were faster, however often it was merged since; when too much is kept for
/// that, he reads on and cannot write, and nothing is kept any more.
#[test]
fn who_may_write_keeps_his_right_until_it_costs_too_much() {
    let database = database();
    let (c, old) = (database.connect(), database.connect());
    old.begin().unwrap();
    let seen = answers(&old);
    rows(&c, "MATCH (n:P {k: 5}) SET n.v = 0");
    rows(&c, "MATCH (n:P {k: 6}) DETACH DELETE n");
    for round in 1..3 {
        rows(&c, &format!("MATCH (n:P) WHERE n.k > 100 SET n.v = {round}"));
        merge(&database);
    }
    // What others wrote is met, what they did not is written.
    let also_old = database.connect();
    also_old.begin().unwrap();
    rows(&also_old, "MATCH (n:P {k: 8}) RETURN n");
    rows(&c, "MATCH (n:P {k: 9}) SET n.v = 0");
    merge(&database);
    rows(&also_old, "MATCH (n:P {k: 8}) SET n.v = 8");
    let error = also_old.query("MATCH (n:P {k: 9}) SET n.v = 9", &[]).unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error}");
    also_old.rollback().unwrap();
    // Far more than is kept for one who has not written.
    let mut most = 0;
    for round in 0..30 {
        let text = "x".repeat(400);
        rows(&c, &format!("MATCH (n:P) SET n.v = {round}, n.s = '{text} {round}'"));
        merge(&database);
        most = most.max(database.stats().delta_bytes);
    }
    assert!(most < 32 << 20, "{most} bytes are kept");
    assert!(database.stats().delta_bytes < 8 << 20, "{}", database.stats().delta_bytes);
    assert_eq!(answers(&old), seen);
    let error = old.query("CREATE (:Q)", &[]).unwrap_err();
    assert!(matches!(&error, Error::Conflict(text) if text.contains("only read so far")), "{error}");
    old.rollback().unwrap();
    rows(&old, "CREATE (:Q)");
    // One that has answered nothing begins anew without a word, and so does one at read committed.
    for committed in [false, true] {
        let isolation = committed.then_some(trimorph::Isolation::ReadCommitted);
        old.begin_with(TransactionOptions { isolation, ..TransactionOptions::default() }).unwrap();
        if committed {
            rows(&old, "MATCH (n:P {k: 8}) RETURN n");
        }
        for round in 0..30 {
            let text = "y".repeat(400);
            rows(&c, &format!("MATCH (n:P) SET n.v = {round}, n.s = '{text} {round}'"));
            merge(&database);
        }
        rows(&old, "CREATE (:Q)");
        old.commit().unwrap();
    }
    assert_eq!(rows(&c, "MATCH (q:Q) RETURN count(q)"), ["3"]);
}

/// A result that is read late sees what its statement saw: not what the transaction wrote after it, nor what
/// others committed before the transaction did, also when it was merged meanwhile.
#[test]
fn a_late_result_is_of_its_statement() {
    for isolation in
        [trimorph::Isolation::Snapshot, trimorph::Isolation::Serializable, trimorph::Isolation::ReadCommitted]
    {
        let database = database();
        let (own, other) = (database.connect(), database.connect());
        let options = TransactionOptions { isolation: Some(isolation), ..TransactionOptions::default() };
        own.begin_with(options).unwrap();
        let text = "MATCH (n:P) RETURN n, n.v";
        rows(&own, "MATCH (n:P {k: 1}) SET n.v = -1");
        let wanted = rows(&own, text);
        let mut late = own.query(text, &[]).unwrap();
        let mut within = own.query("MATCH (n:P {k: 1}) SET n.v = -3 RETURN n", &[]).unwrap();
        rows(&own, "MATCH (n:P) WHERE n.k < 1000 SET n.v = -2");
        if isolation != trimorph::Isolation::Serializable {
            rows(&other, "MATCH (n:P) WHERE n.k > 2000 SET n.v = -4");
            rows(&other, "MATCH (n:P) WHERE n.k = 2000 DETACH DELETE n");
        }
        own.commit().unwrap();
        for round in 1..=2 {
            merge(&database);
            churn(&database, &other, round);
        }
        assert_eq!(drained(&mut late, text), wanted, "{isolation:?}");
        let node = drained(&mut within, "within");
        assert!(node.len() == 1 && node[0].contains("v: -3"), "{isolation:?}: {node:?}");
    }
}

/// Random changes beside readers of all kinds that come and go.
#[test]
fn readers_of_any_age_see_the_same_after_merges() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let database = database();
        let c = database.connect();
        let mut readers: Vec<(Connection, Vec<Vec<String>>)> = Vec::new();
        for step in 0..60 {
            let (from, len) = (random.below(NODES as usize) as i64, 1 + random.below(40) as i64);
            let own = format!("n.k >= {from} AND n.k < {}", from + len);
            match random.below(5) {
                0 => drop(rows(&c, &format!("MATCH (n:P) WHERE {own} SET n.v = {step}, n.s = 's {step}'"))),
                1 => drop(rows(&c, &format!("MATCH (n:P)-[e:E]->() WHERE {own} SET e.w = {step}"))),
                2 => drop(rows(&c, &format!("MATCH (n:P)-[e:E]->() WHERE {own} DELETE e"))),
                _ => {
                    rows(&c, &format!("MATCH (n:P) WHERE {own} DETACH DELETE n"));
                    make(&c, from, (from + len).min(NODES), step);
                }
            }
            if random.chance(15) && readers.len() < 4 {
                let reader = database.connect();
                let read_only = random.chance(60);
                reader.begin_with(TransactionOptions { read_only, ..TransactionOptions::default() }).unwrap();
                let seen = answers(&reader);
                readers.push((reader, seen));
            }
            if random.chance(40) {
                merge(&database);
            }
            if random.chance(10) {
                for (reader, seen) in &readers {
                    assert_eq!(&answers(reader), seen, "seed {seed} step {step}");
                }
            }
            if random.chance(8) && !readers.is_empty() {
                readers.swap_remove(random.below(readers.len()));
            }
        }
        let now = answers(&c);
        (0..3).for_each(|_| merge(&database));
        assert_eq!(answers(&c), now, "seed {seed}");
        for (reader, seen) in &readers {
            assert_eq!(&answers(reader), seen, "seed {seed}");
        }
    }
}

//! Logs that say more than the delta is to hold: what was committed is the same, whether it is merged while
//! the log is replayed or stays where it is; and so is what is written on top of it.

use trimorph::{CancelToken, Config, Connection, Database};
use trimorph_base::Random;

use crate::durable::{Directory, config, graph, rows, run};

/// A limit under which the delta is merged at every 6 MB, and one under which it is not.
const SMALL: usize = 24 << 20;
const LARGE: usize = 2 << 30;

fn with(limit: usize) -> Config {
    config().memory_limit_bytes(limit)
}

/// Statements of one thread, which has nodes of its own: no conflict changes what they do.
fn statements(seed: u64, thread: usize, rounds: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for round in 0..rounds {
        let (from, back) = (round * 1_000, random.below(round + 1) * 1_000);
        let of = |from: usize| format!("n.of = {thread} AND n.id >= {from} AND n.id < {}", from + 1_000);
        all.push(format!(
            "UNWIND range({from}, {from} + 999) AS i CREATE (n:N {{id: i, of: {thread}, key: i * 10 + {thread}, \
             text: 'text ' + toString(i % 77)}})-[:R {{w: i}}]->(:M {{id: i, of: {thread}}})-[:S]->(n)"
        ));
        let (a, b, c) = (random.below(7) + 2, random.below(5) + 2, random.below(9) + 2);
        all.push(match random.below(8) {
            0 => format!("MATCH (n:N) WHERE {} DETACH DELETE n", of(back)),
            1 => format!("MATCH (n:N)-[r:R]->() WHERE {} AND r.w % {a} = 0 DELETE r", of(back)),
            2 => format!("MATCH (n:N) WHERE {} AND n.id % {a} = 0 SET n.text = n.id", of(back)),
            3 => format!("MATCH (n:N) WHERE {} AND n.id % {b} = 0 REMOVE n.text SET n:Other", of(back)),
            4 => format!("MATCH (n:N)-[r:R]->() WHERE {} SET r.w = -r.w, r.late = 'late'", of(back)),
            5 => format!(
                "MATCH (n:N), (m:M) WHERE {} AND m.of = {thread} AND m.id = n.id AND n.id % {c} = 0 \
                 CREATE (m)-[:R {{w: 1}}]->(n)",
                of(back)
            ),
            6 => format!("MATCH (n:N) WHERE {} AND n.id % {c} = 1 DETACH DELETE n", of(back)),
            _ => format!("MATCH (n:Other) WHERE {} REMOVE n:Other SET n.more = [n.id]", of(back)),
        });
    }
    all
}

/// The graph by what users gave it, whatever ids things have.
fn content(c: &Connection) -> Vec<Vec<String>> {
    [
        "MATCH (n) RETURN labels(n), properties(n)",
        "MATCH (a)-[r]->(b) RETURN a.of, a.id, type(r), properties(r), b.id",
        "MATCH (n:N) WHERE n.key >= 3000 AND n.key < 9000 RETURN n.key, n.id",
        "UNWIND range(0, 20000, 7) AS k MATCH (n:N {key: k}) RETURN k, n.of",
        "MATCH (n:N) RETURN count(n), count(DISTINCT n.text)",
    ]
    .map(|text| rows(c, text))
    .into()
}

#[test]
fn a_log_that_is_merged_while_it_is_replayed_says_the_same() {
    let seed = 1;
    let dirs = [SMALL, LARGE].map(|limit| Directory::new(&format!("long-logs-{seed}-{limit}")));
    let before = {
        let db = Database::open(dirs[0].path(), with(LARGE).background_merges(false)).unwrap();
        run(&db.connect(), &["CREATE (:N {id: -1, of: 7})-[:R {w: 0}]->(:M {id: -1, of: 7})"]);
        db.checkpoint(&CancelToken::default()).unwrap();
        let c = db.connect();
        run(&c, &["CREATE INDEX x FOR (n:N) ON (n.id)"]);
        run(&c, &["CREATE CONSTRAINT y FOR (n:N) REQUIRE n.key IS UNIQUE"]);
        // Beside each other, so that the log is not in the order of their times.
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let c = db.connect();
                let texts = statements(seed * 2 + thread as u64, thread, 12);
                scope.spawn(move || texts.iter().for_each(|text| run(&c, &[text])));
            }
        });
        graph(&c)
    };
    copy(&dirs[0], &dirs[1]);
    let open = |at: usize| Database::open(dirs[at].path(), with([SMALL, LARGE][at])).unwrap();
    // Merged on the way or not, and once more after it was only read.
    let left = [0, 1].map(|at| {
        let db = open(at);
        let left = db.stats().delta_bytes;
        assert_eq!(graph(&db.connect()), before, "{at}");
        left
    });
    assert!(left[0] < left[1] / 2, "{left:?} bytes are left in the delta");
    // Rows and places that are free are given again, and others are not.
    let after = [0, 1].map(|at| {
        drop(open(at));
        let db = Database::open(dirs[at].path(), with([SMALL, LARGE][at]).read_only(true)).unwrap();
        assert_eq!(graph(&db.connect()), before, "seed {seed}, {at}, read-only");
        drop(db);
        let db = open(at);
        let c = db.connect();
        statements(seed + 100, 5, 6).iter().for_each(|text| run(&c, &[text]));
        // Keys of these are there, but for those that went: some are refused.
        statements(seed + 200, 0, 3).iter().for_each(|text| drop(c.query(text, &[])));
        let written = content(&c);
        db.checkpoint(&CancelToken::default()).unwrap();
        assert_eq!(content(&c), written, "seed {seed}, {at}: merged");
        drop((c, db));
        assert_eq!(content(&open(at).connect()), written, "seed {seed}, {at}: opened again");
        assert!(Database::check(dirs[at].path()).is_ok(), "seed {seed}, {at}");
        written
    });
    assert_eq!(after[0], after[1], "seed {seed}");
}

fn copy(from: &Directory, to: &Directory) {
    let copied = std::process::Command::new("cp").arg("-r").arg(from.path()).arg(to.path()).status();
    assert!(copied.unwrap().success());
}

//! Indexes that come and go beside a transaction that reads at an old time: what it looks up it finds, while
//! the delta's part of an index is being filled, too.

use std::sync::atomic::{AtomicBool, Ordering};

use trimorph::{CancelToken, Isolation, TransactionOptions};

use crate::definitions::{Random, ask, database, does};

const ROWS: u64 = 20_000;
const TIMES: usize = 12;

#[test]
fn look_ups_find_all_while_an_index_is_made_again() {
    let index = "CREATE INDEX parts FOR (p:Part) ON (p.i)";
    let edges = "CREATE INDEX links FOR ()-[l:LINK]-() ON (l.i)";
    let (db, c) = database(&[index, edges]);
    does(
        &c,
        &[
            "CREATE (:Part {i: -1})-[:LINK {i: -1}]->(:Part:Old {i: -2})",
            &format!(
                "UNWIND range(1, {ROWS}) AS i CREATE (:Part {{i: i}})-[:LINK {{i: i}}]->(:Part:Old {{i: i}})"
            ),
        ],
    );
    let old = db.connect();
    let options = TransactionOptions { isolation: Some(Isolation::Snapshot), ..Default::default() };
    old.begin_with(options).unwrap();
    assert_eq!(ask(&old, "MATCH (p:Part {i: 7}) RETURN count(p)").unwrap(), ["2"]);
    // Main goes on; the one that reads has the delta, and main as it was.
    does(&c, &["CREATE (:Part {i: -3})"]);
    db.merge(&CancelToken::default()).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (is_done, old) = (&is_done, &old);
        let looking = scope.spawn(move || {
            let (mut random, mut looks) = (Random(11), 0);
            while !is_done.load(Ordering::Acquire) || looks == 0 {
                let i = 1 + random.below(ROWS);
                let nodes = ask(old, &format!("MATCH (p:Part {{i: {i}}}) RETURN count(p)"));
                assert_eq!(nodes.unwrap(), ["2"], "nodes of {i}");
                let edges = ask(old, &format!("MATCH ()-[l:LINK {{i: {i}}}]->() RETURN count(l)"));
                assert_eq!(edges.unwrap(), ["1"], "relationships of {i}");
                looks += 1;
            }
        });
        for _ in 0..TIMES {
            does(&c, &["DROP INDEX parts", "DROP INDEX links", index, edges]);
            if looking.is_finished() {
                break;
            }
        }
        is_done.store(true, Ordering::Release);
        looking.join().unwrap();
    });
    old.commit().unwrap();
}

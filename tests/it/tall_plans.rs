//! Queries with many parts run to their end on the stack of a thread: they neither overflow it nor take time
//! that doubles with each part.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use trimorph::{Config, Database};

/// Nodes of the ring.
const NODES: usize = 400;

/// `(:N {i: 0})-[:NEXT]->(:N {i: 1})-[:NEXT]->…` and back to the first.
fn ring() -> Database {
    // Tests run at the same time.
    static RINGS: AtomicUsize = AtomicUsize::new(0);
    let number = RINGS.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("trimorph-ring-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let nodes: String = (0..NODES).map(|i| format!("{i},N\n")).collect();
    let edges: String = (0..NODES).map(|i| format!("{i},{},NEXT\n", (i + 1) % NODES)).collect();
    std::fs::write(dir.join("nodes.csv"), format!("i:ID{{id-type: long}},:LABEL\n{nodes}")).unwrap();
    std::fs::write(dir.join("edges.csv"), format!(":START_ID,:END_ID,:TYPE\n{edges}")).unwrap();
    let db = Database::in_memory(Config::new().threads(1));
    db.load(std::slice::from_ref(&dir), None, &db.load_options(), &trimorph::NoProgress).unwrap();
    std::fs::remove_dir_all(dir).unwrap();
    db
}

fn answer(db: &Database, text: &str) -> String {
    let begin = Instant::now();
    let mut result = db.connect().query(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let row = result.next_row().unwrap().map(|row| result.format(&row[0])).unwrap_or_default();
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?} for {}…", begin.elapsed(), &text[..80]);
    row
}

#[test]
fn many_parts_fit_a_small_stack() {
    let db = ring();
    let run = move || {
        let list = |n: usize, join: &str, part: &dyn Fn(usize) -> String| {
            (0..n).map(part).collect::<Vec<_>>().join(join)
        };
        let chain = list(150, ", ", &|i| format!("(a{i})-->(a{})", i + 1));
        // Every pair of edges is told apart: eleven thousand, and seventy thousand.
        let path = |n: usize| format!("MATCH ({{i: 0}}){} RETURN count(*)", "-->()".repeat(n));
        assert_eq!(answer(&db, &path(380)), "1");
        // More relationships than there are: no trail is as long.
        assert_eq!(answer(&db, &path(1_000)), "0");
        assert_eq!(answer(&db, &format!("MATCH {chain} RETURN count(*)")), "400");
        let tests = list(3000, " AND ", &|i| format!("n.i <> {i}"));
        assert_eq!(answer(&db, &format!("MATCH (n:N) WHERE {tests} RETURN count(n)")), "0");
        let tests = list(3000, " AND ", &|i| format!("n.i > -{i} AND m.i > -{i}"));
        let pattern = "MATCH (n:N)-[r:NEXT]->(m) WHERE";
        assert_eq!(answer(&db, &format!("{pattern} {tests} RETURN count(m.i + n.i)")), "398");
        let tests = list(3000, " AND ", &|i| format!("id(r) <> -{i}"));
        assert_eq!(answer(&db, &format!("{pattern} {tests} RETURN count(*) > 0")), "true");
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn nested_subqueries_are_planned_once() {
    let db = ring();
    let nested = (0..40)
        .fold("true".to_owned(), |inner, i| format!("EXISTS {{ MATCH (a{i})-->(b{i}) WHERE {inner} }}"));
    assert_eq!(answer(&db, &format!("MATCH (n:N) WHERE {nested} RETURN count(*)")), "400");
}

//! What a database says it holds, and what the allocator says: the same within 5 %; and a load's peak stays
//! within its bound.
//!
//! A binary of its own, because it counts every allocation. Images are maps, which the allocator does not
//! see: they are counted by their length.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

#[path = "../it/shared.rs"]
mod shared;

use std::alloc::System;
use std::path::Path;
use std::time::{Duration, Instant};

use cap::Cap;
use trimorph::{Config, Database, Error, LoadError, NoProgress};
use trimorph_base::MemoryBudget;
use trimorph_types::Value;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn close(db: &Database, heap_before: usize, what: &str) {
    let stats = db.stats();
    let accounted: usize = stats.components.iter().map(|(_, bytes)| bytes).sum();
    let heap = ALLOCATOR.allocated() - heap_before;
    let live = heap + stats.piece_bytes;
    println!("{what}: accounted {accounted}, live {live} (pieces {}, heap {heap})", stats.piece_bytes);
    assert!(accounted.abs_diff(live) * 20 <= live, "{what}: {accounted} accounted for, {live} live");
}

fn load(db: &Database, path: &Path) {
    db.load(&[path.to_owned()], None, &db.load_options(), &NoProgress).unwrap();
}

/// One test, since they would count each other's allocations.
#[test]
fn memory_is_accounted_for_and_bounded() {
    // First, since the allocator's peak is that of the process, and the smallest.
    refused();
    spilled();
    peak();
    accounting();
    budget();
}

fn accounting() {
    let Some(data) = shared::shared("data/snb-sf0.1/composite-merged-fk") else { return };
    let dir = std::env::temp_dir().join(format!("trimorph-memory-{}", std::process::id()));
    std::fs::remove_dir_all(&dir).unwrap_or_default();
    let before = ALLOCATOR.allocated();
    let db = Database::open(&dir, Config::default()).unwrap();
    load(&db, &data);
    close(&db, before, "after load");
    drop(db);
    let before = ALLOCATOR.allocated();
    let db = Database::open(&dir, Config::default()).unwrap();
    close(&db, before, "opened again");
    drop(db);
    std::fs::remove_dir_all(&dir).unwrap();
}

/// 160 MB of CSV. The bound is twice the loaded size and 512 MB at any scale; here the fixed part must do
/// with a quarter of that.
fn peak() {
    let db = Database::in_memory(Config::new().threads(2));
    let before = ALLOCATOR.allocated();
    db.generate_snb(0.2, 7).unwrap();
    let loaded = db.stats().piece_bytes;
    // Heap and images do not reach their peaks at the same time, so this is more than the peak of both.
    let peak = ALLOCATOR.max_allocated() - before + loaded;
    println!("loaded {loaded}, peak at most {peak}");
    assert!(peak <= 2 * loaded + (128 << 20), "{peak} for {loaded}");
}

/// What queries may keep. What they allocate is this, a tenth of it and a fixed part, whatever keeps it.
const LIMIT: usize = 64 << 20;

fn bounded(before: usize, text: &str) {
    // The peak so far is that of the queries so far.
    let peak = ALLOCATOR.max_allocated() - before;
    println!("{} MB at most for {text}", peak >> 20);
    assert!(peak <= LIMIT + LIMIT / 10 + (64 << 20), "{peak} for {text}");
}

/// Queries that keep more than their limit, and may not spill, end at it.
fn refused() {
    for text in [
        "UNWIND range(1, 100000000) AS i RETURN size(tail(collect(i)))",
        "UNWIND range(1, 100000000) AS i RETURN size(tail(collect(toString(i))))",
        "UNWIND range(1, 100000000) AS i RETURN size(tail(collect([i])))",
        "UNWIND range(1, 100000000) AS i RETURN count(DISTINCT i)",
        "UNWIND range(1, 100000000) AS i RETURN count(DISTINCT toString(i))",
        "UNWIND range(1, 100000000) AS i WITH DISTINCT i RETURN count(*)",
        "UNWIND range(1, 100000000) AS i WITH i AS k, count(*) AS n RETURN max(n)",
        "UNWIND range(1, 100000000) AS i WITH toString(i) AS k, min(i) AS n RETURN max(n)",
        "UNWIND range(1, 100000000) AS i WITH i % 100000 AS k, collect(i) AS n RETURN max(size(tail(n)))",
        "UNWIND range(1, 100000000) AS i WITH i AS k, max(toString(i)) AS n RETURN count(n)",
        "UNWIND range(1, 100000000) AS i WITH i ORDER BY -i SKIP 1 RETURN max(i)",
        "UNWIND range(1, 100000000) AS i WITH toString(i) AS s ORDER BY s SKIP 1 RETURN max(s)",
        "UNWIND range(1, 100000000) AS i RETURN percentileCont(i, 0.5)",
        "RETURN last(COLLECT { UNWIND range(1, 100000000) AS i RETURN i })",
        "RETURN size([i IN range(1, 100000000) | toString(i)])",
    ] {
        let config = Config::new().memory_limit_bytes(LIMIT).spill_limit_bytes(0);
        let db = Database::in_memory(config);
        let conn = db.connect();
        let before = ALLOCATOR.allocated();
        let error = conn.query(text, &[]).and_then(|mut rows| rows.next_row()).unwrap_err();
        assert!(matches!(error, Error::Memory(_)), "{text}: {error}");
        bounded(before, text);
        drop((conn, db));
        // What it had made is freed on a thread of its own, and is not to be counted with the next one's.
        let began = Instant::now();
        while ALLOCATOR.allocated() > before + (1 << 20) && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Those that may, answer, in the same memory.
fn spilled() {
    for (text, expected) in [
        ("UNWIND range(1, 8000000) AS i RETURN count(DISTINCT i)", 8_000_000),
        ("UNWIND range(1, 3000000) AS i RETURN count(DISTINCT toString(i))", 3_000_000),
        ("UNWIND range(1, 8000000) AS i WITH DISTINCT i RETURN count(*)", 8_000_000),
        ("UNWIND range(1, 3000000) AS i WITH i AS k, count(*) AS n RETURN max(n)", 1),
        ("UNWIND range(1, 3000000) AS i WITH toString(i) AS k, min(i) AS n RETURN max(n)", 3_000_000),
        ("UNWIND range(1, 3000000) AS i WITH i ORDER BY -i SKIP 1 RETURN max(i)", 2_999_999),
        ("UNWIND range(1, 3000000) AS i WITH toString(i) AS s ORDER BY s SKIP 1 RETURN count(s)", 2_999_999),
    ] {
        let db = Database::in_memory(Config::new().memory_limit_bytes(LIMIT));
        let conn = db.connect();
        let before = ALLOCATOR.allocated();
        let row = conn.query(text, &[]).and_then(|mut rows| rows.next_row()).unwrap();
        assert!(matches!(row.as_deref(), Some([Value::Int(n)]) if *n == expected), "{text}: {row:?}");
        bounded(before, text);
    }
}

/// A load over its budget is an error, and leaves the database empty and usable.
fn budget() {
    for limit in [1 << 16, 1 << 20, 8 << 20] {
        let db = Database::in_memory(Config::default());
        let options = trimorph::LoadOptions {
            budget: MemoryBudget::new(limit, None),
            chunk_bytes: 1 << 14,
            ..db.load_options()
        };
        let error = db.generate_snb_with(0.05, 7, &options, &NoProgress).unwrap_err();
        let text = error.to_string();
        println!("{text}");
        assert!(matches!(error, Error::Memory(_) | Error::Load(LoadError::Memory(_))), "{text}");
        assert_eq!(options.budget.used_bytes(), 0);
        assert_eq!(db.stats().nodes(), 0);
        db.generate_snb(0.001, 7).unwrap();
    }
}

//! What the log costs beside the bare disk; prints, and asserts nothing: `cargo test --release -p
//! trimorph-log -- --ignored --nocapture bench`. `TMPDIR` says on which disk.

use std::time::Instant;

use trimorph_vfs::OsFileSystem;

use super::*;

/// Seconds for each of `count` calls by each of `threads`.
fn seconds(threads: u64, count: u64, run: impl Fn(u64) + Sync) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let run = &run;
            scope.spawn(move || (0..count).for_each(|i| run(thread * count + i)));
        }
    });
    start.elapsed().as_secs_f64() / (threads * count) as f64
}

#[test]
#[ignore = "a measurement"]
fn bench() {
    let base = std::env::temp_dir().join(format!("trimorph-log-{}", std::process::id()));
    let fs: Arc<dyn FileSystem> = Arc::new(OsFileSystem);
    let open = |name: &str| {
        let options = LogOptions { database: DATABASE, ..LogOptions::default() };
        Log::open(
            Arc::clone(&fs),
            &base.join(name),
            Position::default(),
            options,
            Recover::Whole,
            &mut |_| Ok(()),
        )
        .unwrap()
        .0
    };
    let commit = |log: &Log, handle| {
        commit(log, handle, 64);
    };
    let (one_log, many_log) = (open("one"), open("many"));
    commit(&one_log, 0);
    commit(&many_log, 0);
    let bare = fs.create_sized(&base.join("bare"), 16 << 20).unwrap();
    let mut ratios = Vec::new();
    for round in 0..7 {
        let raw = seconds(1, 200, |i| {
            bare.write_all_at(&[1; 192], (round * 200 + i) * 192).unwrap();
            bare.sync_data().unwrap();
        });
        let one = seconds(1, 200, |i| commit(&one_log, i));
        let syncs = many_log.sync_count();
        let many = seconds(32, 200, |i| commit(&many_log, i));
        let group = 32.0 * 200.0 / (many_log.sync_count() - syncs) as f64;
        println!(
            "bare {:.0} us, one client {:.0} us ({:.2}), 32 clients {:.1} us ({:.1} x, {group:.1} a sync)",
            raw * 1e6,
            one * 1e6,
            one / raw,
            many * 1e6,
            one / many
        );
        ratios.push((one / raw, one / many));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = ratios[3].0;
    ratios.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!("medians: one client {first:.2} of bare, 32 clients {:.1} x one", ratios[3].1);
    drop((one_log, many_log));

    // How fast it is read: small commits, then rows of large ones.
    for (name, count, rows) in [("small", 200_000_u64, 1), ("large", 40, 100_000)] {
        let relaxed = Durability::Relaxed { interval: std::time::Duration::from_secs(60) };
        let options = LogOptions { durability: relaxed, database: DATABASE, ..LogOptions::default() };
        let path = base.join(name);
        let open = |apply: &mut dyn FnMut(Replayed<'_>) -> Result<(), LogError>| {
            Log::open(Arc::clone(&fs), &path, Position::default(), options, Recover::Whole, apply).unwrap()
        };
        let (log, _) = open(&mut |_| Ok(()));
        for handle in 0..count {
            log.append(&transaction(handle, rows * 8)).unwrap();
        }
        log.close().unwrap();
        let (start, mut operations, mut values) = (Instant::now(), 0_u64, 0);
        drop(open(&mut |replayed| {
            if let Replayed::Transaction(transaction) = replayed {
                for operation in transaction.operations() {
                    if let Operation::Nodes { rows, .. } = operation? {
                        values += rows.len();
                    }
                    operations += 1;
                }
            }
            Ok(())
        }));
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}: {:.2} million operations/s, {:.1} million rows/s",
            operations as f64 / seconds / 1e6,
            values as f64 / seconds / 1e6
        );
    }
    std::fs::remove_dir_all(&base).unwrap();
}

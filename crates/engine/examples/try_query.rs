//! Opens a database, or loads files (comma between them) into memory, and runs the queries given;
//! `REPEAT=n` measures each n times first, `THREADS=n`, `ACCESS=index` or `relation` forces the access path.
#![expect(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), trimorph::Error> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().unwrap_or_default();
    let threads = std::env::var("THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    let switches = trimorph::Switches {
        access: match std::env::var("ACCESS").as_deref() {
            Ok("index") => trimorph::AccessChoice::Index,
            Ok("relation") => trimorph::AccessChoice::Relation,
            _ => trimorph::AccessChoice::Cost,
        },
        ..trimorph::Switches::default()
    };
    let config = trimorph::Config::new().threads(threads).switches(switches);
    if std::path::Path::new(&dir).join("MANIFEST").exists() {
        return ask(&trimorph::Database::open(&dir, config)?, args);
    }
    let db = trimorph::Database::in_memory(config);
    let start = std::time::Instant::now();
    let paths: Vec<std::path::PathBuf> = dir.split(',').map(Into::into).collect();
    let report = db.load(&paths, None, &db.load_options(), &trimorph::NoProgress)?;
    println!(
        "{} nodes {} edges {} values in {:?}",
        report.nodes,
        report.edges,
        report.values,
        start.elapsed()
    );
    for (name, bytes) in db.stats().components {
        println!("{name:25} {bytes:>12}");
    }
    println!("{:25} {:>12}", "total", db.stats().total_bytes);
    ask(&db, args)
}

fn ask(db: &trimorph::Database, queries: impl Iterator<Item = String>) -> Result<(), trimorph::Error> {
    let connection = db.connect();
    for text in queries {
        let cpu = cpu_nanos();
        let mut times: Vec<_> = (0..std::env::var("REPEAT").map_or(0, |r| r.parse().unwrap_or(0)))
            .map(|_| {
                let start = std::time::Instant::now();
                let rows =
                    connection.query(&text, &[]).and_then(trimorph::QueryResult::rows).map(|r| r.len());
                (start.elapsed(), rows.unwrap_or(0))
            })
            .collect();
        times.sort();
        if let Some(median) = times.get(times.len() / 2) {
            let mean = std::time::Duration::from_nanos((cpu_nanos() - cpu) / times.len() as u64);
            println!("median {:?}, mean on this thread's processor {mean:?}", median.0);
        }
        let start = std::time::Instant::now();
        let result = connection.query(&text, &[]);
        match result {
            Err(e) => println!("{e}"),
            Ok(mut result) => {
                let mut n = 0;
                while let Some(row) = result.next_row()? {
                    if n < 20 {
                        println!("{}", row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
                    }
                    n += 1;
                }
                println!("-- {n} rows in {:?}", start.elapsed());
            }
        }
    }
    Ok(())
}

/// The time this thread has been on a processor; 0 where that is not told. It is counted in ticks: a mean of
/// many is exact.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
}

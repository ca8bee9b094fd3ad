//! Loads a directory in LDBC SNB layout and runs the queries given.
#![expect(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), trimorph::Error> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().unwrap_or_default();
    let db = trimorph::Database::in_memory(trimorph::Config::default());
    let start = std::time::Instant::now();
    let report = db.load(&[dir.into()], None, &db.load_options(), &trimorph::NoProgress)?;
    println!("{} nodes {} edges {} values in {:?}", report.nodes, report.edges, report.values, start.elapsed());
    for (name, bytes) in db.stats().components {
        println!("{name:25} {bytes:>12}");
    }
    println!("{:25} {:>12}", "total", db.stats().total_bytes);
    let connection = db.connect();
    for text in args {
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

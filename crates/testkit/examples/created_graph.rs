//! Takes statements on standard input, each ended by a line with a semicolon, makes a database directory of
//! what they create.
//!
//! `cargo run -p trimorph-testkit --example created_graph -- DIR`: how `tests/conformance/tck.py
//! --bulk-set-up` sets up its graphs.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use trimorph_store::write_main;
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_vfs::OsFileSystem;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).ok_or("the directory of the new database is missing")?;
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let mut graph = CreatedGraph::default();
    for statement in input.split("\n;\n").filter(|statement| !statement.trim().is_empty()) {
        graph.execute(statement).map_err(|error| error.to_string())?;
    }
    let main = graph.model().load(LoadOptions::default())?;
    std::fs::create_dir_all(&dir)?;
    write_main(&OsFileSystem, Path::new(&dir), &main)?;
    Ok(())
}

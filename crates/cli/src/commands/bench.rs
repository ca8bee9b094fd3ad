//! `trimorph bench`: where the benchmarks are.

use std::io::{Write as _, stdout};

use crate::failure::Failure;
use crate::terminal::Terminal;

const TEXT: &str = "The benchmarks compare Trimorph with other systems, so they need those systems and live in the source tree:

  bench/README.md   suites, systems, method
  bench/run.py      asks all systems the same questions in turns, compares the answers, prints medians

  python3 -m venv /tmp/bench-venv && . /tmp/bench-venv/bin/activate
  pip install duckdb ladybug kuzu pyarrow numpy .
  python bench/run.py                      # all suites, about five minutes
  python bench/run.py khop --scale 14      # one suite

Figures of this machine without other systems: trimorph demo
";

/// Say where the benchmarks are and how to run them
#[derive(clap::Args)]
#[command(after_help = "Example:\n  trimorph bench")]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(_: &Arguments, _: &Terminal) -> Result<(), Failure> {
    Ok(stdout().lock().write_all(TEXT.as_bytes())?)
}

//! `trimorph generate`: data sets out of nothing.

use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use trimorph::generate::{SNB_NOTICE, SnbLayout, generate_snb};

use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align, wrap};
use crate::text::quantity;

/// Write a data set as files
#[derive(Args)]
#[command(after_help = "Example:\n  trimorph generate snb --scale 0.1 --out social-network")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Snb(Snb),
}

/// A social network with the schema and CSV layout of the LDBC Social Network Benchmark
#[derive(Args)]
#[command(after_help = "Example:
  trimorph generate snb --scale 0.1 --out social-network
  trimorph load social.tm social-network")]
struct Snb {
    /// Size: 0.1 has 1,700 persons and about 330,000 messages, 1 has 11,000 persons
    #[arg(long, value_name = "F", value_parser = parse_scale)]
    scale: f64,
    /// Directory to write to; must be empty or new
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The same seed gives the same bytes everywhere
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Foreign keys as columns (merged), or a file per relationship (projected)
    #[arg(long, value_enum, default_value_t = Layout::Merged)]
    layout: Layout,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Layout {
    Merged,
    Projected,
}

/// A scale factor that the generator can make.
pub(crate) fn parse_scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale <= 1000.0 => Ok(scale),
        _ => Err("a scale is a number above 0 and up to 1000".into()),
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<(), Failure> {
    let What::Snb(snb) = &arguments.what;
    if snb.out.read_dir().is_ok_and(|mut d| d.next().is_some()) {
        return Err(Failure::message(format!("{}: not empty; give another directory", snb.out.display())));
    }
    let layout = match snb.layout {
        Layout::Merged => SnbLayout::Merged,
        Layout::Projected => SnbLayout::Projected,
    };
    let bar = Bar::new(terminal);
    let report = generate_snb(snb.scale, snb.seed, &snb.out, layout, &bar)?;
    bar.clear();
    let mut out = stdout().lock();
    let rows: Vec<Vec<String>> =
        report.rows.iter().map(|(name, rows)| vec![name.clone(), quantity::grouped(*rows)]).collect();
    out.write_all(align(&rows, &[Align::Left, Align::Right], 2).as_bytes())?;
    let total: u64 = report.rows.iter().map(|(_, rows)| rows).sum();
    writeln!(
        out,
        "{} and {} in {} {}",
        quantity::plural(total, "row", "rows"),
        quantity::bytes(report.bytes),
        snb.out.display(),
        terminal.out.dim(quantity::duration(Duration::from_secs_f64(report.seconds)))
    )?;
    for line in wrap(&format!("The data is {SNB_NOTICE}."), terminal.width().unwrap_or(100).min(100)) {
        writeln!(out, "{}", terminal.out.dim(line))?;
    }
    Ok(())
}

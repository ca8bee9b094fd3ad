//! Writes a network: `generate SCALE OUT [projected]`.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::path::PathBuf;

use trimorph_loader::NoProgress;
use trimorph_loader::generate::{SNB_NOTICE, SnbLayout, generate_snb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let scale: f64 = args.next().ok_or("usage: generate SCALE OUT [projected]")?.parse()?;
    let out = PathBuf::from(args.next().ok_or("no directory given")?);
    let layout = if args.next().is_some() { SnbLayout::Projected } else { SnbLayout::Merged };
    println!("{SNB_NOTICE}");
    let report = generate_snb(scale, 42, &out, layout, &NoProgress)?;
    for (entity, rows) in &report.rows {
        println!("{rows:>10} {entity}");
    }
    println!("{} bytes in {:.2} s", report.bytes, report.seconds);
    Ok(())
}

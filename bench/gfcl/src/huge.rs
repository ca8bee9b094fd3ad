//! Huge pages: random reads through 2 MiB and 4 KiB pages.
//!
//! 1. Independent reads at random places of regions of 256 MiB and 2 GiB.
//! 2. The engine: the sum of an edge property from the targets' side, one random read an edge.
//!
//! Source: design §3, "Memory"; BI-HW §5.

use std::path::Path;

use trimorph::{Config, Database};
use trimorph_vfs::{Region, RegionOptions};

use crate::Failure;
use crate::clock::race;
use crate::graph::Random;
use crate::lists::ask;
use crate::report::Report;

const READS: u64 = 1 << 22;
const QUERY: &str = "MATCH (a:V) WITH a MATCH (a)<-[e:E]-(b:V) RETURN sum(e.ts)";

fn filled(len: usize, huge_pages: bool) -> std::io::Result<Region> {
    let mut region = Region::zeroed(len, RegionOptions { huge_pages })?;
    region.as_mut_slice().fill(1);
    Ok(region)
}

fn random_reads(region: &Region) -> u64 {
    let (bytes, mut random, mut sum) = (region.as_slice(), Random(9), 0u64);
    for _ in 0..READS {
        sum += u64::from(bytes[random.below(bytes.len() as u64) as usize]);
    }
    sum
}

/// Bytes of this process in huge pages.
fn huge_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = text.lines().find(|l| l.starts_with("AnonHugePages:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// Prints the ratios; the database in `dir` holds `edges` edges.
pub(crate) fn huge_pages(report: &mut Report, dir: &Path, edges: usize) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for (name, len) in [("region of 256 MiB", 256 << 20), ("region of 2 GiB", 2 << 30)] {
        let (large, small) = (filled(len, true)?, filled(len, false)?);
        rows.push((
            name,
            race(&mut [&mut || random_reads(&large), &mut || random_reads(&small)]),
            READS as f64,
        ));
    }
    let open = |huge_pages| {
        Database::open(dir, Config { threads: 1, read_only: true, huge_pages, ..Config::default() })
    };
    let before = huge_bytes().unwrap_or(0);
    let large = open(true)?;
    let got = huge_bytes().unwrap_or(0).saturating_sub(before);
    let small = open(false)?;
    let (a, b) = (large.connect(), small.connect());
    let engine = race(&mut [&mut || ask(&a, QUERY, &[]).unwrap_or(u64::MAX), &mut || {
        ask(&b, QUERY, &[]).unwrap_or(u64::MAX)
    }]);
    if engine.iter().any(|(_, sum)| *sum == u64::MAX) || engine[0].1 != engine[1].1 {
        return Err(format!("the sums are {} and {}", engine[0].1, engine[1].1).into());
    }
    report.title("Huge pages: CPU ns a random read");
    report.row(&["", "2 MiB", "4 KiB", "ratio"].map(String::from));
    rows.push(("engine, backward sum of e.ts", engine, edges as f64));
    for (name, times, reads) in rows {
        let nanos = [times[0].0 / reads * 1e9, times[1].0 / reads * 1e9];
        let ratio = nanos[1] / nanos[0];
        report.row(&[
            name.into(),
            format!("{:.2}", nanos[0]),
            format!("{:.2}", nanos[1]),
            format!("{ratio:.2}x"),
        ]);
        report.json("huge pages", name, &[("huge_ns", nanos[0]), ("small_ns", nanos[1]), ("ratio", ratio)]);
    }
    report.note(&format!(
        "the kernel gave {:.0} MB in huge pages to the database of {:.0} MB",
        got as f64 / 1e6,
        large.stats().image_bytes as f64 / 1e6
    ));
    Ok(())
}

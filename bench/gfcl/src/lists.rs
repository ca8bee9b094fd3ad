//! Table 4: the engine's list-based execution against a tuple-at-a-time executor over the same graph.
//!
//! 1. Walks of 1, 2, 3 hops, one MATCH a hop, so that edges may repeat in both; with `ts > median` on the
//!    last edge (FILTER) or without.
//! 2. What the counts must be is computed backwards from the last hop: `walks(v, h) = Σ walks(w, h − 1)` over
//!    v's edges.
//! 3. The baseline starts from randomly drawn vertices with at most [`WALKS_MAX`] walks; its time is scaled
//!    by all walks / those walks when that is not the whole graph. The engine always answers the whole query.
//!
//! Source: GF-CL §8.5, table 4.

use std::path::Path;

use trimorph::{Config, Connection, Database, Switches, Value};

use crate::clock::{once, race};
use crate::graph::{Graph, Random};
use crate::report::Report;
use crate::{Failure, volcano};

/// Tuples at the last join of one baseline run: about half a second.
const WALKS_MAX: u64 = 30_000_000;
/// Ratios of GF-CV / GF-CL on LDBC, FLICKR, WIKI.
const PAPER: [[&str; 3]; 2] =
    [["3.2 2.7 2.9", "12.7 13.7 3.8", "15.2 12.4 11.7"], ["3.2 2.1 1.7", "12.8 21.4 63.2", "19.4 80.6 905"]];

/// The one number of a result.
pub(crate) fn ask(connection: &Connection, text: &str, params: &[(&str, Value)]) -> Result<u64, Failure> {
    let rows = connection.query(text, params)?.rows()?;
    match rows.first().and_then(|row| row.first()) {
        Some(Value::Int(x)) => Ok(*x as u64),
        other => Err(format!("a number was expected of {text}, not {other:?}").into()),
    }
}

/// Walks of `hops` steps from each vertex.
fn walks(graph: &Graph, hops: usize, bound: Option<i64>) -> Vec<u64> {
    let mut counts: Vec<u64> = (0..graph.nodes())
        .map(|v| graph.range(v).filter(|e| bound.is_none_or(|b| graph.ts[*e] > b)).count() as u64)
        .collect();
    for _ in 1..hops {
        let step = |v| graph.targets[graph.range(v)].iter().map(|w| counts[*w as usize]).sum();
        counts = (0..graph.nodes()).map(step).collect();
    }
    counts
}

fn text(hops: usize, filter: bool) -> String {
    let steps: Vec<String> =
        (0..hops).map(|i| format!("MATCH (v{i}:V)-[e{}:E]->(v{}:V)", i + 1, i + 1)).collect();
    let filter = if filter { format!(" WHERE e{hops}.ts > $ts") } else { String::new() };
    format!("{}{filter} RETURN count(*)", steps.join(" "))
}

/// Random first vertices with at most [`WALKS_MAX`] walks together, at least one.
fn sample(all: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..all.len() as u32).collect();
    Random(5).shuffle(&mut order);
    if all.iter().sum::<u64>() <= WALKS_MAX {
        return order;
    }
    let mut sum = 0;
    // A hub whose walks alone are too many is passed over; the scaling is by walks, not by vertices.
    order.retain(|v| {
        let fits = sum + all[*v as usize] <= WALKS_MAX;
        sum += if fits { all[*v as usize] } else { 0 };
        fits
    });
    order
}

/// Prints table 4 over `graph`, which the database in `dir` holds.
pub(crate) fn table_4(report: &mut Report, graph: &Graph, scale: u32, dir: &Path) -> Result<(), Failure> {
    let bound = graph.median_ts();
    let open = |optimize| {
        Database::open(
            dir,
            Config::new().threads(1).switches(Switches { optimize, ..Switches::default() }).read_only(true),
        )
    };
    let (database, plain) = (open(true)?, open(false)?);
    let (connection, unoptimised) = (database.connect(), plain.connect());
    report.title(&format!(
        "Table 4: tuple at a time against the engine, RMAT {scale}, {} edges; CPU ms",
        graph.edges()
    ));
    report.row(
        &["", "volcano", "of the walks", "engine", "ratio", "no counting", "ratio", "paper"]
            .map(String::from),
    );
    for (filter, papers) in [true, false].into_iter().zip(PAPER) {
        for (hops, paper) in (1..=3).zip(papers) {
            let bounded = filter.then_some(bound);
            // The work is the walks before the filter; what is counted is after it.
            let (before, after) = (walks(graph, hops, None), walks(graph, hops, bounded));
            let vertices = sample(&before);
            let over = |counts: &[u64]| vertices.iter().map(|v| counts[*v as usize]).sum::<u64>();
            let (total, share) =
                (after.iter().sum::<u64>(), over(&before) as f64 / before.iter().sum::<u64>() as f64);
            let query = text(hops, filter);
            let params: &[(&str, Value)] = if filter { &[("ts", Value::Int(bound))] } else { &[] };
            // A failure is a wrong count, and told below.
            let mut theirs = || volcano::count(volcano::plan(graph, &vertices, hops, bounded));
            let mut ours = || ask(&connection, &query, params).unwrap_or(u64::MAX);
            let times = race(&mut [&mut theirs, &mut ours]);
            // Without the optimiser every walk's last list is visited: 3 hops take seconds, and are run once.
            let mut visiting = || ask(&unoptimised, &query, params).unwrap_or(u64::MAX);
            let visited = if hops < 3 { race(&mut [&mut visiting])[0] } else { once(&mut visiting) };
            if times[0].1 != over(&after) || times[1].1 != total || visited.1 != total {
                return Err(format!(
                    "{query}: {} and {} counted, {} and {total} expected",
                    times[0].1,
                    times[1].1,
                    over(&after)
                )
                .into());
            }
            let (volcano, engine) = (times[0].0 / share, times[1].0);
            let name = format!("{} {hops} hop", if filter { "FILTER" } else { "COUNT(*)" });
            report.row(&[
                name.clone(),
                format!("{:.1}", volcano * 1e3),
                if share < 1.0 { format!("{:.3} %", share * 100.0) } else { "all".into() },
                format!("{:.2}", engine * 1e3),
                format!("{:.1}x", volcano / engine),
                format!("{:.2}", visited.0 * 1e3),
                format!("{:.1}x", volcano / visited.0),
                paper.into(),
            ]);
            let figures = [
                ("volcano_s", volcano),
                ("sampled", share),
                ("engine_s", engine),
                ("ratio", volcano / engine),
                ("visiting_s", visited.0),
                ("visiting_ratio", volcano / visited.0),
                ("walks", total as f64),
            ];
            report.json("4", &name, &figures);
        }
    }
    report.note(
        "counts are equal in all rows; where not all walks were made, the baseline's time is scaled by walks",
    );
    Ok(())
}

//! Access paths: the same pattern by index, by relation, and as the planner chooses, for frontiers of growing
//! size.
//!
//! The prices in `store::access::plan` come from here: where the two lines cross, the planner should change
//! sides.
//!
//! Source: Poseidon §5 (relation scan against index scan).

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_store::access::{AccessPlan, Choice, Frontier, Kind, NodeSet, Path, Pattern};
use trimorph_store::{Main, Reader, Snapshot};

use crate::Failure;
use crate::clock::race;
use crate::graph::Random;
use crate::report::Report;

/// Parts of the nodes that are in the frontier.
const PARTS: [u64; 7] = [4096, 256, 32, 8, 4, 2, 1];
/// The planner may cost so much more than the better of the two.
const REGRET_MAX: f64 = 1.5;

fn run(reader: &Reader<'_>, pattern: &Pattern, choice: Choice) -> u64 {
    let plan = AccessPlan::of(pattern.clone(), reader, choice);
    plan.run(reader, |batch| {
        std::hint::black_box(&batch);
        ControlFlow::Continue(())
    })
    .unwrap_or(0)
}

/// Times three patterns with frontiers of each size.
pub(crate) fn access_paths(report: &mut Report, main: Main) -> Result<(), Failure> {
    let snapshot = Snapshot::new(Arc::new(main));
    let reader = Reader::new(&snapshot);
    let rows = reader.rows(TableId(0));
    let catalog = reader.schema();
    let edge = catalog.edge_table_ids().next().ok_or("a graph without edges")?;
    let label = catalog.type_name(edge);
    let property = catalog.property_name(catalog.edge_tables[0].properties[0].id);
    report.title("Access paths: index scan against relation scan (CPU ms)");
    report.row(&["pattern", "frontier", "index", "relation", "chosen", "path"].map(String::from));
    for part in PARTS {
        let mut random = Random(7);
        let nodes: NodeSet =
            (0..rows).filter(|_| random.below(part) == 0).map(|row| NodeId::new(TableId(0), row)).collect();
        let frontier = || Frontier::Nodes(Arc::new(nodes.clone()));
        let patterns = [
            Pattern::edges(&[&label]).subject_frontier(frontier()).project(false, false, true, false),
            Pattern::edges(&[&label]).object_frontier(frontier()).project(true, false, false, true),
            Pattern::edges(&[&label]).object_frontier(frontier()).project(true, false, false, false).join(
                trimorph_store::access::JoinKind::Inner,
                Pattern::property(Kind::Statement, &property).project(false, false, true, false),
            ),
        ];
        for pattern in patterns {
            let chosen = AccessPlan::of(pattern.clone(), &reader, Choice::Cost).accesses[0].path;
            let figures = race(&mut [
                &mut || run(&reader, &pattern, Choice::Index),
                &mut || run(&reader, &pattern, Choice::Relation),
                &mut || run(&reader, &pattern, Choice::Cost),
            ]);
            let ms: Vec<f64> = figures.iter().map(|(seconds, _)| seconds * 1e3).collect();
            let path = if chosen == Path::Scan { "relation" } else { "index" };
            report.row(&[
                pattern.to_string(),
                format!("1/{part}"),
                format!("{:.3}", ms[0]),
                format!("{:.3}", ms[1]),
                format!("{:.3}", ms[2]),
                path.into(),
            ]);
            let name = format!("{pattern} 1/{part}");
            report.json(
                "access",
                &name,
                &[("index_ms", ms[0]), ("relation_ms", ms[1]), ("chosen_ms", ms[2])],
            );
            let regret = if path == "relation" { ms[1] } else { ms[0] } / ms[0].min(ms[1]);
            report.target(&format!("access {name}: best / chosen"), 1.0 / regret, 1.0 / REGRET_MAX);
        }
    }
    Ok(())
}

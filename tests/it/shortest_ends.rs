//! Shortest paths between ends that a property picks: both are found first, one walk serves all targets of a
//! start, and the answers are those of a search by hand.

use std::collections::{HashMap, VecDeque};

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

const NODES: i64 = 400;

/// Edges from `n` to `5n` and `n + 1`, so that there are many shortest paths, and nodes behind 350 that only
/// lead on.
fn targets(n: i64) -> [i64; 2] {
    [(n * 5) % 350, (n + 1) % NODES]
}

fn kind(n: i64) -> i64 {
    n % 80
}

fn graph() -> Snapshot {
    let mut graph = CreatedGraph::default();
    for statement in [
        "UNWIND range(0, 399) AS n CREATE (:A {n: n, k: n % 80})",
        "MATCH (a:A) MATCH (b:A) WHERE b.n = a.n * 5 % 350 CREATE (a)-[:T]->(b)",
        "MATCH (a:A) MATCH (b:A) WHERE b.n = (a.n + 1) % 400 CREATE (a)-[:T]->(b)",
    ] {
        graph.execute(statement).unwrap();
    }
    graph.model().snapshot(LoadOptions::default()).unwrap()
}

/// Length and number of the shortest paths from a node to the others.
fn search(start: i64, either: bool) -> HashMap<i64, (i64, i64)> {
    let edges: Vec<(i64, i64)> = (0..NODES).flat_map(|n| targets(n).map(|t| (n, t))).collect();
    let mut found = HashMap::from([(start, (0, 1))]);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        let (length, ways) = found[&node];
        for (a, b) in &edges {
            let mut reach = |to: i64| match found.get_mut(&to) {
                None => {
                    found.insert(to, (length + 1, ways));
                    queue.push_back(to);
                }
                Some((known, count)) if *known == length + 1 => *count += ways,
                Some(_) => {}
            };
            if *a == node {
                reach(*b);
            }
            if either && *b == node && a != b {
                reach(*a);
            }
        }
    }
    found
}

/// Start, end and length of every path, sorted; and the plan.
fn answers(query: &str, snapshot: &Snapshot, vector_size: usize) -> (Vec<[i64; 3]>, String) {
    let bound = bind(query, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
    let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
    let settings = Settings { vector_size, ..Settings::default() };
    let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = execution
        .next(|columns, positions, cx| {
            let value = |column: usize, p: u32| columns[column].value(p as usize, &|id| cx.edge_value(id));
            let number = |column, p| if let Value::Int(n) = value(column, p) { n } else { i64::MIN };
            positions.iter().map(|p| [number(0, *p), number(1, *p), number(2, *p)]).collect::<Vec<_>>()
        })
        .unwrap()
    {
        rows.extend(batch);
    }
    rows.sort_unstable();
    (rows, plan)
}

#[test]
fn both_ends_are_found_first() {
    let snapshot = graph();
    for (arrow, either) in [("->", false), ("-", true)] {
        for (function, all) in [("shortestPath", false), ("allShortestPaths", true)] {
            for (from, to, max) in
                [(7, 3, ""), (3, 7, ""), (7, 7, ""), (7, 3, "1..3"), (7, 3, "0..2"), (7, 7, "0..")]
            {
                let query = format!(
                    "MATCH p = {function}((a:A)-[:T*{max}]{arrow}(b:A)) WHERE a.k = {from} AND b.k = {to}
                     RETURN a.n, b.n, length(p)"
                );
                let length_max = max.split_once("..").map_or(NODES, |(_, m)| m.parse().unwrap_or(NODES));
                let mut expected = Vec::new();
                for a in (0..NODES).filter(|n| kind(*n) == from) {
                    let found = search(a, either);
                    for b in (0..NODES).filter(|n| kind(*n) == to && (*n != a || max.starts_with('0'))) {
                        if let Some((length, ways)) = found.get(&b).filter(|(l, _)| *l <= length_max) {
                            let ways = if all { *ways } else { 1 };
                            expected.extend((0..ways).map(|_| [a, b, *length]));
                        }
                    }
                }
                expected.sort_unstable();
                for vector_size in [1, 3, 1024] {
                    let (rows, plan) = answers(&query, &snapshot, vector_size);
                    assert!(plan.contains("CrossProduct") && plan.contains(" into"), "{query}\n{plan}");
                    assert_eq!(rows, expected, "{query}, vectors of {vector_size}\n{plan}");
                }
            }
        }
    }
}

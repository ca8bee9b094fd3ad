//! Patterns of many edges that must all differ, against a search that keeps the edges it has walked.

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

/// Four nodes, each with an edge to each other: twelve edges, and trails that use all of them.
const GRAPH: [&str; 2] = [
    "UNWIND range(0, 3) AS i CREATE (:N {i: i})",
    "MATCH (a:N) MATCH (b:N) WHERE a.i <> b.i CREATE (a)-[:T]->(b)",
];

/// How many ways there are to walk chains of these lengths one after the other, each from its own start,
/// without an edge walked twice.
fn trails(chains: &[(usize, usize)], at: Option<usize>, walked: &mut Vec<(usize, usize)>) -> i64 {
    let [(start, length), rest @ ..] = chains else { return 1 };
    let at = at.unwrap_or(*start);
    if *length == 0 {
        return trails(rest, None, walked);
    }
    let mut found = 0;
    for to in (0..4).filter(|to| *to != at) {
        if !walked.contains(&(at, to)) {
            walked.push((at, to));
            let mut left = chains.to_vec();
            left[0].1 -= 1;
            found += trails(&left, Some(to), walked);
            walked.pop();
        }
    }
    found
}

fn count(text: &str, snapshot: &Snapshot, options: Options) -> i64 {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
    let mut sum = 0;
    let mut execution = Execution::start(&planned, snapshot.clone(), Settings::default()).unwrap();
    while let Some(batch) = execution
        .next(|columns, positions, cx| {
            let value = |p: &u32| columns[0].value(*p as usize, &|id| cx.edge_value(id));
            positions.iter().map(value).collect::<Vec<_>>()
        })
        .unwrap()
    {
        sum += batch.iter().map(|n| if let Value::Int(n) = n { *n } else { panic!("{n:?}") }).sum::<i64>();
    }
    sum
}

#[test]
fn many_edges_differ_from_each_other() {
    let mut graph = CreatedGraph::default();
    for statement in GRAPH {
        graph.execute(statement).unwrap();
    }
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for chains in [
        &[(0, 9)][..],
        &[(0, 12)],
        &[(0, 13)],
        // Parts that are planned by themselves and multiplied: their edges differ too.
        &[(0, 10), (1, 2)],
        &[(2, 1), (0, 10)],
        &[(3, 5), (0, 6)],
        &[(0, 4), (1, 4), (2, 3)],
    ] {
        let chain =
            |(start, length): &(usize, usize)| format!("({{i: {start}}}){}", "-[:T]->()".repeat(*length));
        let pattern = chains.iter().map(chain).collect::<Vec<_>>().join(", ");
        let expected = trails(chains, None, &mut Vec::new());
        for options in [Options::default(), Options::plain()] {
            let found = count(&format!("MATCH {pattern} RETURN count(*)"), &snapshot, options);
            assert_eq!(found, expected, "{pattern}");
        }
    }
}

/// An edge that must differ from many others is looked at once: the plan grows with the edges, not with their
/// pairs.
#[test]
fn one_condition_tells_an_edge_from_many() {
    let mut graph = CreatedGraph::default();
    for statement in GRAPH {
        graph.execute(statement).unwrap();
    }
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    let text = format!("MATCH (){} RETURN count(*)", "-->()".repeat(12));
    let planned =
        optimize(bind(&text, snapshot.catalog()).unwrap(), snapshot.catalog(), None, Options::default());
    let planned = planned.unwrap();
    let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
    let told = plan.lines().filter(|line| line.contains(" differs from "));
    assert!(told.count() >= 2, "{plan}");
    let conditions = plan.lines().map(|line| line.matches("<>").count()).max();
    assert!(conditions <= Some(8), "{plan}");
}

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

/// Conditions that tell the ends of edges apart, and those that do not: NaN differs from itself, nothing is
/// less than null. Behind a LIMIT a condition comes too late to say anything of edges.
#[test]
fn ends_that_differ_tell_edges_apart() {
    let mut random = trimorph_base::Random::new(41);
    let mut spared = 0;
    for seed in 0..12 {
        let mut graph = CreatedGraph::default();
        let nodes = 2 + random.below(4);
        let mut statements = vec![
            format!(
                "UNWIND range(1, {nodes}) AS i CREATE (:N {{i: i / 2, x: 0.0 / 0.0, s: 'a' + toString(i)}})"
            ),
            "CREATE (:M {i: 1, x: 1.0}), (:M {x: 2.0, s: 'a1'})".to_owned(),
        ];
        for _ in 0..2 + random.below(6) {
            let [from, to] = [random.below(nodes + 2), random.below(nodes + 2)];
            let ty = ["S", "T", "T"][random.below(3)];
            statements.push(format!(
                "MATCH (a) WITH a ORDER BY id(a) SKIP {from} LIMIT 1 MATCH (b) WITH a, b ORDER BY id(b) SKIP {to} LIMIT 1 CREATE (a)-[:{ty}]->(b)"
            ));
        }
        for statement in &statements {
            graph.execute(statement).unwrap();
        }
        let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
        for pattern in [
            "(a)-[r:T]->(c)<-[q:T]-(b)",
            "(a)<-[r:T]-(c)-[q:T]->(b)",
            "(a)-[r:T]-(c)-[q:T]-(b)",
            "(a)-[r:T]-(c), (b)-[q:T]->(c)",
            "(a)-[r]-(b)-[q]-(c)-[:S]-(a)",
            "(a:N)-[r]-(b)-[q]-(c)",
            "(a)-[r:T]->(b), (c)-[q:T]->(d)",
        ] {
            for condition in [
                "a.i < b.i",
                "a.i > b.i",
                "a.i <> b.i",
                "a <> b",
                "a.x <> b.x",
                "a.x < b.x",
                "a.s <> b.s",
                "a.i <= b.i",
                "a <> b AND a <> c AND b <> c",
                "a.i < c.i",
                "c.s > b.s",
            ] {
                let text = format!("MATCH {pattern} WHERE {condition} RETURN count(*)");
                let late =
                    format!("MATCH {pattern} WITH * LIMIT 1000000 WITH * WHERE {condition} RETURN count(*)");
                let expected = count(&late, &snapshot, Options::default());
                for options in [Options::default(), Options::plain()] {
                    assert_eq!(count(&text, &snapshot, options), expected, "{seed}: {text}\n{statements:#?}");
                }
                let plan = |text: &str| {
                    let bound = bind(text, snapshot.catalog()).unwrap();
                    let planned = optimize(bound, snapshot.catalog(), None, Options::plain()).unwrap();
                    trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new())
                };
                let tells = |plan: String| plan.contains("(r <> q)") || plan.contains("(q <> r)");
                spared += usize::from(tells(plan(&late)) && !tells(plan(&text)));
            }
        }
    }
    assert!(spared > 100, "only {spared} patterns need not tell edges apart");
}

//! Random queries parse, bind and run; a seed gives one query.

use std::collections::BTreeMap;

use trimorph_functions::Clock;

use super::graph;
use crate::compare::compare;
use crate::graphs::LoadOptions;
use crate::interpreter::{Graph, TOO_MANY_STEPS, run_on};
use crate::queries::{bind, random_query};

const NOW: Clock = Clock { seconds: 1_700_000_000, nanos: 0 };
const STEPS_MAX: u64 = 3_000_000;

#[test]
fn a_seed_gives_one_query() {
    for seed in 0..100 {
        assert_eq!(random_query(seed).text, random_query(seed).text, "seed {seed}");
    }
    let texts: std::collections::BTreeSet<String> = (0..1000).map(|seed| random_query(seed).text).collect();
    assert!(texts.len() > 950, "{} different queries of 1000", texts.len());
}

/// Every query binds and runs without an error, and gives the same answer on the same graph loaded otherwise.
#[test]
fn random_queries_run() {
    let (mut long, mut rows_seen, mut filled) = (0, 0, 0);
    let mut failures: BTreeMap<String, String> = BTreeMap::new();
    for graph_seed in 0..20 {
        let model = graph(if graph_seed % 8 == 7 { graph_seed + 1 } else { graph_seed });
        let load = |options| model.snapshot(options).unwrap();
        let snapshot = load(LoadOptions::default());
        let other = load(LoadOptions { batch_rows: 2, threads: 2, general: true, ..LoadOptions::default() });
        let (flat, other_flat) = (Graph::read(&snapshot), Graph::read(&other));
        for seed in graph_seed * 1000..graph_seed * 1000 + 100 {
            let query = random_query(seed);
            let answer = bind(&query.text, snapshot.catalog())
                .and_then(|bound| Ok((run_on(&bound, &flat, &query.parameters, NOW, STEPS_MAX)?, bound)));
            match answer {
                Ok((rows, bound)) => {
                    rows_seen += rows.len();
                    filled += usize::from(!rows.is_empty());
                    assert!(rows.iter().all(|row| row.len() == bound.columns.len()));
                    let again = run_on(&bound, &other_flat, &query.parameters, NOW, STEPS_MAX * 2).unwrap();
                    if let Err(difference) = compare(&rows, &again, &query.comparison) {
                        panic!("query seed {seed}, graph seed {graph_seed}\n{}\n{difference}", query.text);
                    }
                }
                Err(error) if error.detail == TOO_MANY_STEPS => long += 1,
                Err(error) => {
                    failures.insert(error.to_string(), format!("query seed {seed}: {}", query.text));
                }
            }
        }
    }
    println!(
        "query seeds g·1000 .. g·1000 + 100 for graph seeds g below 20: {filled} of 2000 with rows, {rows_seen} rows, {long} too long"
    );
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(filled > 600 && long < 200);
}

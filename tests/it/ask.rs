//! Takes a query and a graph made of statements, gives the answer's rows as text: what directed tests ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_exec::{ExecError, Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

/// Steps that the interpreter takes for a query at most.
const STEPS_MAX: u64 = 20_000_000;

/// The graph that statements create.
pub(crate) fn created(statements: &[&str]) -> Snapshot {
    let mut graph = CreatedGraph::default();
    for statement in statements {
        graph.execute(statement).unwrap();
    }
    graph.model().snapshot(LoadOptions::default()).unwrap()
}

/// The rows of `query`, or why there are none.
pub(crate) fn ask(
    query: &str,
    snapshot: &Snapshot,
    settings: Settings,
) -> Result<Vec<Vec<Value>>, ExecError> {
    let bound = bind(query, snapshot.catalog())?;
    let planned = optimize(bound, snapshot.catalog(), None, Options::default());
    let mut execution = Execution::start(&planned?, snapshot.clone(), settings)?;
    let mut rows = Vec::new();
    while let Some(batch) = execution.next(|columns, positions, cx| {
        let row = |p: &u32| columns.iter().map(|c| c.value(*p as usize, &|id| cx.edge_value(id))).collect();
        positions.iter().map(row).collect::<Vec<Vec<Value>>>()
    })? {
        rows.extend(batch);
    }
    Ok(rows)
}

/// As [`ask`], by rounds of runs of about `run_rows` rows; with how many runs there were. Each is handed the
/// number of the one before, where it begins a round.
pub(crate) fn ask_by_rounds(
    query: &str,
    snapshot: &Snapshot,
    settings: Settings,
    run_rows: usize,
) -> Result<(Vec<Vec<Value>>, usize), ExecError> {
    let bound = bind(query, snapshot.catalog())?;
    let planned = optimize(bound, snapshot.catalog(), None, Options::default());
    let mut execution = Execution::start(&planned?, snapshot.clone(), settings)?;
    let (mut rows, mut runs) = (Vec::new(), 0);
    while let Some(round) = execution.next_round(run_rows, &mut Some(runs), |first, run, cx| {
        let (len, is_last, mut found) = (run.rows(), run.is_last(), Vec::new());
        let never = run.each(|columns, positions| {
            let row =
                |p: &u32| columns.iter().map(|c| c.value(*p as usize, &|id| cx.edge_value(id))).collect();
            found.extend(positions.iter().map(row).collect::<Vec<Vec<Value>>>());
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok(()) = never;
        assert_eq!(found.len(), len);
        (first, is_last, found)
    })? {
        let count = round.len();
        for (i, (first, is_last, found)) in round.into_iter().enumerate() {
            assert_eq!((first, is_last), ((i == 0).then_some(runs), i + 1 == count));
            rows.extend(found);
        }
        runs += count;
    }
    Ok((rows, runs))
}

/// Asks each of `texts` of the interpreter and of the engine, on vectors of several sizes and on one thread
/// and two: both give the same rows, or both fail. How many rows were compared.
pub(crate) fn agree_on(texts: impl IntoIterator<Item = String>, snapshot: &Snapshot) -> usize {
    let (graph, mut rows) = (Graph::read(snapshot), 0);
    for text in texts {
        let bound = bind(&text, snapshot.catalog()).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let now = Clock { seconds: 0, nanos: 0 };
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, STEPS_MAX);
        for (vector_size, threads) in [(2_048, 1), (7, 1), (64, 2)] {
            let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
            match (&expected, ask(&text, snapshot, settings)) {
                (Ok(expected), Ok(found)) => {
                    compare(expected, &found, &Comparison::default())
                        .unwrap_or_else(|d| panic!("{text}\n{d}"));
                    rows += found.len();
                }
                (Err(_), Err(_)) => {}
                (Err(error), Ok(_)) => panic!("{text}: {error:?} wanted"),
                (Ok(_), Err(error)) => panic!("{text}: {error}"),
            }
        }
    }
    rows
}

/// The rows of `query` as text, sorted, and its plan, with the passes of `options`.
pub(crate) fn sorted_rows_and_plan(
    query: &str,
    snapshot: &Snapshot,
    options: Options,
    settings: Settings,
) -> (Vec<String>, String) {
    let bound = bind(query, snapshot.catalog()).unwrap_or_else(|e| panic!("{query}: {e}"));
    let planned = optimize(bound, snapshot.catalog(), None, options).unwrap();
    let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
    let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = execution
        .next(|columns, positions, cx| {
            let text = |value| format_literal(&value, &IdsOnly);
            let row = |p: &u32| {
                let all = columns.iter().map(|c| text(c.value(*p as usize, &|id| cx.edge_value(id))));
                all.collect::<Vec<_>>().join(" ")
            };
            positions.iter().map(row).collect::<Vec<_>>()
        })
        .unwrap_or_else(|e| panic!("{query}: {e:?}"))
    {
        rows.extend(batch);
    }
    rows.sort();
    (rows, plan)
}

/// Settings with these parameters.
pub(crate) fn with_parameters(parameters: &[(&str, Value)]) -> Settings {
    let parameters: BTreeMap<Arc<str>, Value> =
        parameters.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect();
    Settings { parameters: Arc::new(parameters), ..Settings::default() }
}

/// The rows of `query` as text, in their order: columns with spaces between them.
pub(crate) fn answer(query: &str, snapshot: &Snapshot) -> Vec<String> {
    let rows = ask(query, snapshot, Settings::default());
    let rows = rows.unwrap_or_else(|e| panic!("{query}: {e}"));
    let text =
        |row: Vec<Value>| row.iter().map(|v| format_literal(v, &IdsOnly)).collect::<Vec<_>>().join(" ");
    rows.into_iter().map(text).collect()
}

/// The kind, detail word and text of the error that `query` ends with.
pub(crate) fn failure(query: &str, snapshot: &Snapshot, settings: Settings) -> String {
    match ask(query, snapshot, settings) {
        Ok(rows) => panic!("{query}: gave {rows:?}"),
        Err(ExecError::Query(d)) => format!("{} {}: {}", d.kind.name(), d.detail, d.primary),
        Err(e) => e.to_string(),
    }
}

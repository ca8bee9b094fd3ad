//! Takes a query and a graph made of statements, gives the answer's rows as text: what directed tests ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_exec::{ExecError, Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

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

//! Physical plans are made once and run any number of times, each with its own parameters and clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_exec::{ExecError, Execution, PhysicalOptions, PhysicalPlan, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

fn plan(text: &str, snapshot: &Snapshot) -> PhysicalPlan {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
    PhysicalPlan::of_snapshot(&planned, snapshot, PhysicalOptions::default()).unwrap()
}

/// The first column of all rows.
fn run(
    plan: &PhysicalPlan,
    snapshot: &Snapshot,
    parameters: &[(&str, Value)],
    clock: Clock,
) -> Result<Vec<Value>, ExecError> {
    let parameters: BTreeMap<Arc<str>, Value> =
        parameters.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect();
    let settings = Settings { parameters: Arc::new(parameters), clock, threads: 2, ..Settings::default() };
    let mut execution = Execution::run(plan, snapshot.clone(), settings)?;
    let mut values = Vec::new();
    while let Some(mut batch) = execution.next(|columns, positions, cx| {
        let value = |p: &u32| columns[0].value(*p as usize, &|id| cx.edge_value(id));
        positions.iter().map(value).collect::<Vec<_>>()
    })? {
        values.append(&mut batch);
    }
    Ok(values)
}

fn detail(error: ExecError) -> String {
    match error {
        ExecError::Query(diagnostic) => diagnostic.detail.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_plan_is_run_with_the_parameters_of_each_execution() {
    let snapshot = random_graph(3, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
    let now = Clock::now();
    let text = "UNWIND range(1, 10) AS i WITH i WHERE i > $x RETURN i + $x * 2 AS j ORDER BY j LIMIT $n";
    let rows = plan(text, &snapshot);
    for (x, n) in [(0, 3), (7, 2), (8, 5), (10, 1), (3, 0)] {
        let parameters = [("x", Value::Int(x)), ("n", Value::Int(n))];
        let found = run(&rows, &snapshot, &parameters, now).unwrap();
        let expected = (1..=10).filter(|i| *i > x).map(|i| i + x * 2).take(usize::try_from(n).unwrap());
        assert_eq!(format!("{found:?}"), format!("{:?}", expected.map(Value::Int).collect::<Vec<_>>()));
    }
    for (n, wrong) in [(Value::Int(-1), "NegativeIntegerArgument"), (Value::Null, "InvalidArgumentType")] {
        let error = run(&rows, &snapshot, &[("x", Value::Int(1)), ("n", n)], now).unwrap_err();
        assert_eq!(detail(error), wrong);
    }
    let error = run(&rows, &snapshot, &[("n", Value::Int(1))], now).unwrap_err();
    assert_eq!(detail(error), "MissingParameter");
    let nodes = plan("MATCH (n) WITH n LIMIT $n RETURN count(*) = $n AND $m IS NULL", &snapshot);
    for n in [1, 2, 1] {
        let found = run(&nodes, &snapshot, &[("n", Value::Int(n)), ("m", Value::Null)], now).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", [Value::Bool(true)]));
    }
}

#[test]
fn what_looks_at_the_clock_is_evaluated_for_each_execution() {
    let snapshot = random_graph(3, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
    let year = plan("RETURN date().year", &snapshot);
    for (seconds, expected) in [(0, 1970), (1_700_000_000, 2023)] {
        let found = run(&year, &snapshot, &[], Clock { seconds, nanos: 0 }).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", [Value::Int(expected)]));
    }
}

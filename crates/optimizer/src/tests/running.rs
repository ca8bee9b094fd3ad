//! The list of passes: what can be switched off, what is timed, that planning stops and does not grow too
//! fast.

use std::time::{Duration, Instant};

use trimorph_algebra::{BoundQuery, Plan, VarId, Vars};
use trimorph_base::{CancelToken, Stop, ThreadTime};
use trimorph_catalog::CatalogView;

use super::small::{Small, catalog};
use crate::{Options, PLAN_DEPTH_MAX, optimize, optimize_until, pass_names};

fn query(plan: Plan, needed: VarId, vars: Vars) -> BoundQuery {
    BoundQuery::new(plan, vec![("c".to_owned(), needed)], vars)
}

/// `count(*)` of a chain of persons who know each other.
fn chain(length: usize) -> BoundQuery {
    let mut s = Small::default();
    let nodes: Vec<String> = (0..=length).map(|i| format!("n{i}")).collect();
    let edges: Vec<String> = (0..length).map(|i| format!("n{i} e{i}:KNOWS n{}", i + 1)).collect();
    let text = |list: &[String]| list.iter().map(|s| s.to_owned()).collect::<Vec<_>>();
    let (nodes, edges) = (text(&nodes), text(&edges));
    let pattern = s.matched(
        &nodes.iter().map(String::as_str).collect::<Vec<_>>(),
        &edges.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let plan = s.counted(pattern);
    let count = s.var("count", trimorph_types::LogicalType::Int);
    query(plan, count, s.vars)
}

#[test]
fn passes_have_names_and_switches() {
    for (name, can_be_off) in pass_names() {
        assert_eq!(Options::default().without(name).is_some(), can_be_off, "{name}");
    }
    assert!(Options::default().without("no such pass").is_none());
    for off in pass_names().filter(|(_, can_be_off)| *can_be_off).map(|(name, _)| name) {
        let options = Options::default().without(off).unwrap();
        let ran =
            optimize_until(chain(3), &CatalogView::new(&catalog()), None, options, &CancelToken::default())
                .unwrap();
        assert!(ran.passes.iter().all(|run| run.name != off), "{off}");
        assert_eq!(ran.passes.len() + 1, pass_names().count(), "{off}");
        assert!(ran.query.depth.is_some());
    }
}

#[test]
fn planning_stops_when_asked() {
    let cancel = CancelToken::default();
    cancel.cancel();
    let stopped = optimize_until(chain(3), &CatalogView::new(&catalog()), None, Options::default(), &cancel)
        .unwrap_err();
    assert_eq!(stopped.stop, Some(Stop::Cancelled));
}

/// It works on for a tenth of a second; how long that takes is up to who else wants the core.
#[test]
fn planning_stops_within_its_longest_pass() {
    let pause = Duration::from_millis(30);
    let cancel = CancelToken::default().until(Instant::now() + pause);
    let time = ThreadTime::of_this_thread();
    let plan =
        || optimize_until(chain(400), &CatalogView::new(&catalog()), None, Options::default(), &cancel);
    assert!((0..1_000).any(|_| plan().is_err()));
    let late = time.taken().saturating_sub(pause);
    assert!(late < Duration::from_secs(2), "{late:?}");
}

#[test]
fn plans_that_are_too_deep_are_refused() {
    let plan = (0..=PLAN_DEPTH_MAX).fold(Plan::Unit, |input, _| Plan::Filter {
        input: Box::new(input),
        predicate: trimorph_algebra::Expr::truth(),
    });
    let run = move || {
        let error = optimize(query(plan, VarId(0), Vars::default()), &catalog(), None, Options::default());
        assert_eq!(error.unwrap_err().detail, "QueryTooComplex");
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}

/// What one run takes of a core, as the mean of many: the system counts in steps of milliseconds.
fn time(length: usize) -> Duration {
    let (time, mut runs) = (ThreadTime::of_this_thread(), 0);
    while runs < 3 || time.taken() < Duration::from_millis(100) {
        let options = Options { check: false, ..Options::default() };
        optimize(chain(length), &catalog(), None, options).unwrap();
        runs += 1;
    }
    time.taken() / runs
}

#[test]
fn a_chain_is_planned_in_time_of_its_pairs() {
    let (short, long) = (time(60), time(240));
    // Four times the edges are sixteen times the pairs that must differ; a cube would be sixty-four.
    assert!(long < short * 40, "{short:?} for 60, {long:?} for 240");
}

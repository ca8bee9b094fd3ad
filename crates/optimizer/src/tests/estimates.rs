//! Estimates that are shown are made with what the store knows, and each comparison is tried once.

use std::cell::Cell;

use trimorph_algebra::Op;
use trimorph_base::{EdgeTableId, TableId};
use trimorph_types::Value;

use super::small::{Small, catalog};
use crate::counted::Of;
use crate::samples::Samples;
use crate::{Estimator, Options, estimate_all};

/// Seven nodes pass everything; counts how often it was asked.
#[derive(Default)]
struct Seven(Cell<usize>);

impl Estimator for Seven {
    fn edges(&self, _: &[EdgeTableId], _: &str, _: Op, _: &Value) -> Option<f64> {
        None
    }

    fn passing_edges(&self, _: &[EdgeTableId], _: &str, _: Op, _: &Value) -> Option<f64> {
        self.0.set(self.0.get() + 1);
        Some(3.0)
    }

    fn rows(&self, _: &[TableId], _: &str, _: Op, _: &Value) -> Option<f64> {
        self.0.set(self.0.get() + 1);
        Some(7.0)
    }

    fn elements(&self, _: &[TableId], _: &str) -> Option<f64> {
        Some(2.5)
    }

    fn parameter(&self, _: &str) -> Option<Value> {
        None
    }
}

#[test]
fn estimates_are_made_with_samples() {
    let mut s = Small::default();
    let plan = s.matched(&["a:Person"], &[]);
    let plan = s.filtered(plan, "a", "name");
    let passes = ["push_filters", "ask_bound", "narrow_tables", "plan_match"];
    let plan = s.plan(&passes, plan, &["a"], Options::default());
    assert_eq!(estimate_all(&plan, &catalog(), Some(&Seven::default())), [7.0, 1_000.0]);
    assert_eq!(estimate_all(&plan, &catalog(), None), [1.0, 1_000.0]);
}

#[test]
fn a_comparison_is_tried_once_and_not_too_many_are() {
    let seven = Seven::default();
    let samples = Samples::new(Some(&seven));
    for (table, value, asked) in [(0, 1, 1), (0, 1, 1), (0, 2, 2), (1, 2, 3), (0, 1, 3)] {
        let of = &[TableId(table)];
        assert_eq!(samples.rows(Of::Nodes(of), "name", Op::Eq, &Value::Int(value)), Some(7.0));
        assert_eq!(seven.0.get(), asked, "{table} {value}");
    }
    // Relationships of a table of the same number are others.
    for (value, asked) in [(1, 4), (1, 4)] {
        let of = &[EdgeTableId(0)];
        assert_eq!(samples.rows(Of::Edges(of), "name", Op::Eq, &Value::Int(value)), Some(3.0));
        assert_eq!(seven.0.get(), asked, "{value}");
    }
    let of = &[TableId(2)];
    let known = (0..1_000).filter(|i| samples.rows(Of::Nodes(of), "name", Op::Lt, &Value::Int(*i)).is_some());
    assert!((100..1_000).contains(&known.count()));
}

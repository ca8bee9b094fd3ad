//! The store's estimates for the optimizer: a comparison of a property becomes an access pattern, estimated
//! on a sample.

use trimorph_algebra::Op;
use trimorph_base::{EdgeTableId, TableId};
use trimorph_optimizer::Estimator;
use trimorph_store::access::{Bound, Kind, Pattern, Range, Term};
use trimorph_store::{Reader, Snapshot, Wanted};
use trimorph_types::Value;

use crate::params::Params;

/// Estimates from a snapshot.
pub(crate) struct Sampler<'s> {
    reader: Reader<'s>,
    params: Option<&'s Params>,
}

impl<'s> Sampler<'s> {
    /// `params` are those of the run the plan is first made for, if there is one.
    pub(crate) fn new(snapshot: &'s Snapshot, params: Option<&'s Params>) -> Self {
        Self { reader: Reader::new(snapshot), params }
    }
}

impl Estimator for Sampler<'_> {
    fn rows(&self, tables: &[TableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        let end = |inside| Some((value.clone(), inside));
        let bound = match op {
            Op::Eq => Bound::Terms(vec![Term::Literal(value.clone())]),
            Op::Lt => Bound::Range(Range { low: None, high: end(false) }),
            Op::Le => Bound::Range(Range { low: None, high: end(true) }),
            Op::Gt => Bound::Range(Range { low: end(false), high: None }),
            Op::Ge => Bound::Range(Range { low: end(true), high: None }),
            _ => return None,
        };
        let pattern = Pattern::property(Kind::Node, property).subject_tables(Some(tables)).objects(bound);
        Some(self.reader.estimate(&pattern).rows)
    }

    fn edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        use std::ops::Bound;
        let own = || value.clone();
        let wanted = match op {
            Op::Eq => Wanted::Equal(own()),
            Op::Lt => Wanted::Between(Bound::Unbounded, Bound::Excluded(own())),
            Op::Le => Wanted::Between(Bound::Unbounded, Bound::Included(own())),
            Op::Gt => Wanted::Between(Bound::Excluded(own()), Bound::Unbounded),
            Op::Ge => Wanted::Between(Bound::Included(own()), Bound::Unbounded),
            Op::IsNotNull => Wanted::Between(Bound::Unbounded, Bound::Unbounded),
            Op::StartsWith if matches!(value, Value::String(_)) => Wanted::Prefix(own()),
            _ => return None,
        };
        let schema = self.reader.schema();
        let of = |table: &EdgeTableId| match schema.edge_property(*table, property) {
            Some(column) => self.reader.count_edge_values(*table, column, &wanted),
            None => Some(0),
        };
        tables.iter().map(of).sum::<Option<u64>>().map(|edges| edges as f64)
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.params?.get(name).cloned()
    }
}

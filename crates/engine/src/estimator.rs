//! The store's estimates for the optimizer: a comparison of a property becomes an access pattern, estimated
//! on a sample.

use trimorph_algebra::Op;
use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::has_drifted;
use trimorph_optimizer::Estimator;
use trimorph_store::access::{Bound, Kind, Pattern, Range, Term};
use trimorph_store::{PropertyColumn, Reader, Snapshot, Wanted};
use trimorph_types::{Value, equivalent};

use crate::estimates::sample_of;
use crate::params::Params;

/// Lists whose lengths are looked at. Each is made for it, which takes longer than a look at a number.
const LISTS_SEEN: usize = 64;

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
        let (written, merged): (Vec<TableId>, Vec<TableId>) =
            tables.iter().partition(|table| self.is_mostly_written(**table));
        let (text, mut rows) = (test_of(op, value), 0.0);
        for table in written {
            rows += match &text {
                Some(test) => self.passing(table, property, test)?,
                None => {
                    let wanted = wanted_by(op, value)?;
                    self.passing(table, property, &|value| wanted.holds(value))?
                }
            };
        }
        if merged.is_empty() && !tables.is_empty() {
            return Some(rows);
        }
        match &text {
            Some(test) => {
                for table in merged {
                    if let Some(column) = self.reader.schema().node_property(table, property) {
                        rows += self.reader.estimate_nodes_where(table, column, test).unwrap_or(0.0);
                    }
                }
                Some(rows)
            }
            None => Some(rows + self.merged_rows(&merged, property, op, value)?),
        }
    }

    fn edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        let wanted = wanted_by(op, value)?;
        let schema = self.reader.schema();
        let of = |table: &EdgeTableId| match schema.edge_property(*table, property) {
            Some(column) => self.reader.count_edge_values(*table, column, &wanted),
            None => Some(0),
        };
        tables.iter().map(of).sum::<Option<u64>>().map(|edges| edges as f64)
    }

    fn passing_edges(&self, tables: &[EdgeTableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        let (catalog, schema) = (self.reader.catalog(), self.reader.schema());
        let mut edges = 0.0;
        for table in tables {
            let merged = catalog.statistics.edges(*table);
            let Some(column) = schema.edge_property(*table, property) else { continue };
            // What columns tell is little where most edges are not in them.
            if has_drifted(merged, catalog.estimated().edges(*table)) {
                return None;
            }
            if merged > 0 {
                edges += match test_of(op, value) {
                    Some(test) => self.reader.estimate_edges_where(*table, column, &test)?,
                    None => self.reader.estimate_edges(*table, column, bound_by(op, value)?)?,
                };
            }
        }
        Some(edges)
    }

    fn elements(&self, tables: &[TableId], property: &str) -> Option<f64> {
        let (mut nodes, mut elements) = (0.0, 0.0);
        for table in tables {
            let rows = self.reader.catalog().estimated().rows(*table);
            let Some(column) = self.reader.schema().node_property(*table, property) else { continue };
            let seen = sample_of(&self.reader, *table, rows);
            let values = PropertyColumn::of_nodes(*table, column, &self.reader);
            let len = |row: &u64| match values.value(*row) {
                Value::Null => 0,
                Value::List(items) => items.len(),
                _ => 1,
            };
            let in_all: usize = seen.iter().take(LISTS_SEEN).map(len).sum();
            nodes += rows as f64;
            elements += in_all as f64 / seen.len().clamp(1, LISTS_SEEN) as f64 * rows as f64;
        }
        (nodes > 0.0).then(|| elements / nodes)
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.params?.get(name).cloned()
    }
}

impl Sampler<'_> {
    /// Whether most rows of a table are not main's: what its columns tell is little.
    fn is_mostly_written(&self, table: TableId) -> bool {
        let catalog = self.reader.catalog();
        has_drifted(catalog.statistics.rows(table), catalog.estimated().rows(table))
    }

    /// The rows of a table that pass, about: of some that are looked at. None where none of them is there.
    fn passing(&self, table: TableId, property: &str, test: &dyn Fn(&Value) -> bool) -> Option<f64> {
        let rows = self.reader.catalog().estimated().rows(table);
        let Some(column) = self.reader.schema().node_property(table, property) else { return Some(0.0) };
        let seen = sample_of(&self.reader, table, rows);
        let values = PropertyColumn::of_nodes(table, column, &self.reader);
        let passing = seen.iter().filter(|row| test(&values.value(**row))).count();
        if seen.is_empty() {
            return None;
        }
        // What no row passes that was looked at may pass half of one.
        Some((passing as f64).max(0.5) / seen.len() as f64 * rows as f64)
    }

    fn merged_rows(&self, tables: &[TableId], property: &str, op: Op, value: &Value) -> Option<f64> {
        let objects = bound_by(op, value)?;
        let pattern = Pattern::property(Kind::Node, property).subject_tables(Some(tables)).objects(objects);
        Some(self.reader.estimate(&pattern).rows)
    }
}

/// Whether a value passes.
type Test<'v> = Box<dyn Fn(&Value) -> bool + 'v>;

/// A condition on a text, or that a value is in a list; none of others.
fn test_of(op: Op, value: &Value) -> Option<Test<'_>> {
    if op == Op::In {
        let has = |items: &[Value]| items.iter().any(|item| equivalent(item, value));
        return Some(Box::new(move |list| matches!(list, Value::List(items) if has(items))));
    }
    let Value::String(part) = value else { return None };
    let holds: fn(&str, &str) -> bool = match op {
        Op::StartsWith => |text, part| text.starts_with(part),
        Op::EndsWith => |text, part| text.ends_with(part),
        Op::Contains => |text, part| text.contains(part),
        _ => return None,
    };
    Some(Box::new(move |value| matches!(value, Value::String(text) if holds(text, part))))
}

/// What values a comparison lets through; none of one that no sample tells.
fn bound_by(op: Op, value: &Value) -> Option<Bound> {
    let end = |inside| Some((value.clone(), inside));
    Some(match op {
        Op::Eq => Bound::Terms(vec![Term::Literal(value.clone())]),
        Op::Lt => Bound::Range(Range { low: None, high: end(false) }),
        Op::Le => Bound::Range(Range { low: None, high: end(true) }),
        Op::Gt => Bound::Range(Range { low: end(false), high: None }),
        Op::Ge => Bound::Range(Range { low: end(true), high: None }),
        _ => return None,
    })
}

/// What values a comparison wants; none of one that no index tells.
fn wanted_by(op: Op, value: &Value) -> Option<Wanted> {
    use std::ops::Bound;
    let own = || value.clone();
    Some(match op {
        Op::Eq => Wanted::Equal(own()),
        Op::Lt => Wanted::Between(Bound::Unbounded, Bound::Excluded(own())),
        Op::Le => Wanted::Between(Bound::Unbounded, Bound::Included(own())),
        Op::Gt => Wanted::Between(Bound::Excluded(own()), Bound::Unbounded),
        Op::Ge => Wanted::Between(Bound::Included(own()), Bound::Unbounded),
        Op::IsNotNull => Wanted::Between(Bound::Unbounded, Bound::Unbounded),
        Op::StartsWith if matches!(value, Value::String(_)) => Wanted::Prefix(own()),
        _ => return None,
    })
}

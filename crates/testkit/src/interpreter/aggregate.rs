//! Grouping.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use trimorph_algebra::{Aggregate, AggregateKind, Expr, VarId};
use trimorph_base::Diagnostic;
use trimorph_functions::aggregate::{Accumulator, AggregateFunction};
use trimorph_types::{Value, order};

use super::{Interpreter, Row, Rows};

/// Values as a key. Values are equal in the total order exactly if they are equivalent; unlike the executor
/// this needs no hash.
pub(super) struct Key(pub(super) Vec<Value>);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = self.0.iter().zip(&other.0).map(|(a, b)| order(a, b));
        places.fold(Ordering::Equal, Ordering::then).then(self.0.len().cmp(&other.0.len()))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl Interpreter<'_> {
    /// One row for each group, in the order in which groups appear.
    pub(super) fn aggregate(
        &self,
        rows: Vec<Row>,
        keys: &[(VarId, Expr)],
        aggregates: &[(VarId, Aggregate)],
    ) -> Rows {
        let mut groups: Vec<(Vec<Value>, Vec<Row>)> = Vec::new();
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        if keys.is_empty() {
            groups.push((Vec::new(), rows));
        } else {
            for row in rows {
                let key =
                    keys.iter().map(|(_, expr)| self.value(expr, &row)).collect::<Result<Vec<_>, _>>()?;
                let place = *places.entry(Key(key.clone())).or_insert(groups.len());
                if place == groups.len() {
                    groups.push((key, Vec::new()));
                }
                groups[place].1.push(row);
            }
        }
        let mut out = Vec::new();
        for (key, rows) in groups {
            let mut row: Row = keys.iter().map(|(var, _)| *var).zip(key).collect();
            for (var, aggregate) in aggregates {
                row.insert(*var, self.aggregate_of(aggregate, &rows)?);
            }
            out.push(row);
        }
        Ok(out)
    }

    /// One aggregate over the rows of one group.
    fn aggregate_of(&self, aggregate: &Aggregate, rows: &[Row]) -> Result<Value, Diagnostic> {
        let mut accumulator = Accumulator::new(function(aggregate.kind));
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        let place = |error: Diagnostic| error.at(aggregate.span);
        for row in rows {
            let value = aggregate.arg.as_ref().map_or(Ok(Value::Null), |arg| self.value(arg, row))?;
            if aggregate.distinct && !seen.insert(Key(vec![value.clone()])) {
                continue;
            }
            if let Some(parameter) = &aggregate.parameter {
                accumulator.set_parameter(&self.value(parameter, row)?).map_err(place)?;
            }
            accumulator.update(&value, 1).map_err(place)?;
        }
        accumulator.finish().map_err(place)
    }
}

fn function(kind: AggregateKind) -> AggregateFunction {
    match kind {
        AggregateKind::CountStar => AggregateFunction::CountStar,
        AggregateKind::Count => AggregateFunction::Count,
        AggregateKind::Sum => AggregateFunction::Sum,
        AggregateKind::NumberSum => AggregateFunction::NumberSum,
        AggregateKind::Avg => AggregateFunction::Avg,
        AggregateKind::Min => AggregateFunction::Min,
        AggregateKind::Max => AggregateFunction::Max,
        AggregateKind::Collect => AggregateFunction::Collect,
        AggregateKind::StDev => AggregateFunction::StDev,
        AggregateKind::StDevP => AggregateFunction::StDevP,
        AggregateKind::PercentileCont => AggregateFunction::PercentileCont,
        AggregateKind::PercentileDisc => AggregateFunction::PercentileDisc,
    }
}

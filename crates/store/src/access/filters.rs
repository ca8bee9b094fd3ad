//! Filters: what a position's constants, frontier and types let through, made once per pattern so that the
//! loop compares and no more.

use std::collections::BTreeSet;

use trimorph_base::{EdgeId, NodeId};
use trimorph_types::compare::{greater, greater_or_equal, less, less_or_equal};
use trimorph_types::{LogicalType, Value, equals};

use super::pattern::{Bound, Frontier, Position, Range, Term};

/// The constants of one kind that a position is bound to; nothing is in a range of literals but literals.
fn constants<T: Ord>(bound: &Bound, pick: impl Fn(&Term) -> Option<T>) -> Option<BTreeSet<T>> {
    match bound {
        Bound::Free => None,
        Bound::Terms(terms) => Some(terms.iter().filter_map(pick).collect()),
        Bound::Range(_) => Some(BTreeSet::new()),
    }
}

/// Which nodes may stand at a position.
pub(super) struct NodeFilter<'p> {
    position: &'p Position,
    terms: Option<BTreeSet<NodeId>>,
    /// Whether everything passes.
    pub(super) open: bool,
}

impl<'p> NodeFilter<'p> {
    pub(super) fn new(position: &'p Position) -> Self {
        let terms = constants(&position.bound, |t| match t {
            Term::Node(n) => Some(*n),
            _ => None,
        });
        let open = terms.is_none() && position.frontier.is_none() && position.tables.is_none();
        Self { position, terms, open }
    }

    #[inline]
    pub(super) fn passes(&self, node: NodeId) -> bool {
        self.open
            || (self.position.tables.as_ref().is_none_or(|t| t.contains(&node.table()))
                && self.terms.as_ref().is_none_or(|t| t.contains(&node))
                && match &self.position.frontier {
                    None => true,
                    Some(Frontier::Nodes(set)) => set.contains(node),
                    Some(_) => false,
                })
    }

    /// The nodes of one table that may pass, ascending; `None` where they cannot be enumerated.
    pub(super) fn candidates(&self, table: trimorph_base::TableId) -> Option<Vec<NodeId>> {
        let of_table = |n: &NodeId| n.table() == table && self.passes(*n);
        match (&self.terms, &self.position.frontier) {
            (Some(terms), _) => Some(terms.iter().copied().filter(of_table).collect()),
            (None, Some(Frontier::Nodes(set))) => Some(set.nodes_of(table).filter(of_table).collect()),
            (None, Some(_)) => Some(Vec::new()),
            (None, None) => None,
        }
    }
}

/// Which statements may stand at a position.
pub(super) struct StatementFilter<'p> {
    position: &'p Position,
    terms: Option<BTreeSet<EdgeId>>,
    pub(super) open: bool,
}

impl<'p> StatementFilter<'p> {
    pub(super) fn new(position: &'p Position) -> Self {
        let terms = constants(&position.bound, |t| match t {
            Term::Statement(e) => Some(*e),
            _ => None,
        });
        let open = terms.is_none() && position.frontier.is_none();
        Self { position, terms, open }
    }

    #[inline]
    pub(super) fn passes(&self, edge: EdgeId) -> bool {
        self.open
            || (self.terms.as_ref().is_none_or(|t| t.contains(&edge))
                && match &self.position.frontier {
                    None => true,
                    Some(Frontier::Statements(set)) => set.contains(&edge),
                    Some(_) => false,
                })
    }

    pub(super) fn candidates(&self) -> Option<Vec<EdgeId>> {
        let set = match (&self.terms, &self.position.frontier) {
            (Some(terms), _) => terms,
            (None, Some(Frontier::Statements(set))) => set,
            (None, Some(_)) => return Some(Vec::new()),
            (None, None) => return None,
        };
        Some(set.iter().copied().filter(|e| self.passes(*e)).collect())
    }
}

/// Which literals may stand at O.
pub(super) struct LiteralFilter<'p> {
    bound: &'p Bound,
    pub(super) open: bool,
}

impl<'p> LiteralFilter<'p> {
    pub(super) fn new(position: &'p Position) -> Self {
        Self { bound: &position.bound, open: matches!(position.bound, Bound::Free) }
    }

    /// Null is no statement.
    pub(super) fn passes(&self, value: &Value) -> bool {
        !value.is_null()
            && match self.bound {
                Bound::Free => true,
                Bound::Terms(terms) => {
                    terms.iter().any(|t| matches!(t, Term::Literal(v) if equals(v, value) == Some(true)))
                }
                Bound::Range(range) => within(range, value),
            }
    }

    /// Whether all between two ends passes.
    pub(super) fn is_range(&self) -> bool {
        matches!(self.bound, Bound::Range(_))
    }

    /// The integers of a column of `ty` outside which nothing passes; exceptions of the column are not
    /// covered.
    pub(super) fn integers(&self, ty: LogicalType) -> Option<(i64, i64)> {
        match self.bound {
            Bound::Free => None,
            Bound::Terms(terms) => {
                let all = terms.iter().map(|t| match t {
                    Term::Literal(v) => integer(ty, v),
                    _ => None,
                });
                let all: Vec<i64> = all.collect::<Option<_>>()?;
                Some((*all.iter().min()?, *all.iter().max()?))
            }
            Bound::Range(Range { low, high }) => {
                let end = |end: &Option<(Value, bool)>, open: i64| match end {
                    Some((v, _)) => integer(ty, v),
                    None => Some(open),
                };
                // One too many at an open end is found out by the test itself.
                Some((end(low, i64::MIN)?, end(high, i64::MAX)?))
            }
        }
    }
}

fn within(range: &Range, value: &Value) -> bool {
    let above = range.low.as_ref().is_none_or(|(low, inside)| {
        (if *inside { greater_or_equal(value, low) } else { greater(value, low) }) == Some(true)
    });
    above
        && range.high.as_ref().is_none_or(|(high, inside)| {
            (if *inside { less_or_equal(value, high) } else { less(value, high) }) == Some(true)
        })
}

/// A value as the integer that a column of `ty` keeps for it.
fn integer(ty: LogicalType, value: &Value) -> Option<i64> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    match (ty, value) {
        (LogicalType::Int, Value::Int(i)) => Some(*i),
        (LogicalType::Date, Value::Date(d)) => Some(d.days),
        (LogicalType::DateTime, Value::DateTime(t)) => nanos(t.seconds, t.nanos),
        (LogicalType::LocalDateTime, Value::LocalDateTime(t)) => nanos(t.seconds, t.nanos),
        (LogicalType::LocalTime, Value::LocalTime(t)) => Some(t.nanos),
        _ => None,
    }
}

//! What an aggregation is told: keys, aggregates, and where the child has them.

use trimorph_algebra::{AggregateKind, ListOrder};
use trimorph_base::Span;
use trimorph_types::Value;

use crate::expr::Ex;

/// What is aggregated.
#[derive(Clone, Debug)]
pub(crate) struct AggregateSpec {
    pub(crate) keys: Vec<Ex>,
    /// How many keys tell groups apart: the first ones. The others follow from these, and are kept with them.
    pub(crate) told: usize,
    pub(crate) aggregates: Vec<AggregateEx>,
    /// The one unflat group that keys and arguments read; none if all they read is flat.
    pub(crate) main: Option<usize>,
    /// Slots of the child's groups.
    pub(crate) slots: Vec<usize>,
    /// The key whose rows come one after the other, if there is one.
    pub(crate) runs: Option<RunKey>,
    /// The slot in the main group of the node that all keys follow from, if it is one.
    pub(crate) node: Option<usize>,
}

/// A key of which all rows of a value come one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunKey {
    /// Its place among the keys: a node.
    pub(crate) key: usize,
    /// How the rows of one value are told apart.
    pub(crate) within: Within,
}

/// The groups of a run of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Within {
    /// One: all keys follow from that of the run.
    One,
    /// As many as there are values of the key at this place; the others follow from that of the run.
    By(usize),
    /// Those of several keys.
    Several,
}

/// One aggregate.
#[derive(Clone, Debug)]
pub(crate) struct AggregateEx {
    pub(crate) kind: AggregateKind,
    pub(crate) arg: Option<Ex>,
    pub(crate) parameter: Option<Ex>,
    pub(crate) distinct: bool,
    /// Of lists: their order, if it is not that of the rows.
    pub(crate) order: Option<ListOrder>,
    /// Where it stands in the query.
    pub(crate) span: Span,
}

/// What becomes of distinct values that are kept until all have come.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) kind: AggregateKind,
    /// Of a percentile.
    pub(super) parameter: Option<Value>,
    pub(super) one_group: bool,
}

impl AggregateEx {
    /// Whether distinct values are kept, and aggregated when all have come (`kept`).
    pub(super) fn is_kept(&self) -> bool {
        let is_made_of_values = !matches!(self.kind, AggregateKind::Count | AggregateKind::CountStar);
        self.distinct && is_made_of_values && matches!(self.parameter, None | Some(Ex::Const(_)))
    }
}

impl AggregateEx {
    /// Whether distinct values are kept in the order in which they came.
    pub(super) fn keeps_order(&self) -> bool {
        self.is_kept() && self.kind == AggregateKind::Collect && self.order.is_none()
    }
}

impl AggregateSpec {
    /// Whether all rows have the same keys.
    pub(crate) fn has_constant_keys(&self) -> bool {
        self.keys.iter().all(|key| matches!(key, Ex::Const(_)))
    }

    /// Whether what is kept grows with the rows, whatever their keys.
    pub(crate) fn keeps_values(&self) -> bool {
        use AggregateKind as K;
        let of_all = |kind| matches!(kind, K::Collect | K::PercentileCont | K::PercentileDisc);
        self.aggregates.iter().any(|a| a.distinct || of_all(a.kind))
    }

    /// The same of rows in any order.
    pub(super) fn in_any_order(&self) -> Self {
        Self { runs: None, ..self.clone() }
    }

    /// Whether partial tables can be merged: not where DISTINCT values are aggregated with a parameter that
    /// rows have.
    pub(crate) fn mergeable(&self) -> bool {
        self.aggregates.iter().all(|a| !a.distinct || a.kind == AggregateKind::Count || a.is_kept())
    }

    /// Whether what a table holds can go to a file and be merged later: groups, or the distinct values of the
    /// one group.
    pub(crate) fn spillable(&self) -> bool {
        self.mergeable() && (!self.keys.is_empty() || self.aggregates.iter().any(|a| a.distinct))
    }
}

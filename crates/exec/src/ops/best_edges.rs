//! The edges that come first by a value: takes edges with their values, keeps so many that come first, and
//! what is equal to the last of them where that is asked for.

use trimorph_store::access::comes_after;
use trimorph_types::{Relationship, Value, order};

/// Edges that are kept besides those that are wanted, before the others are let go.
const SPARE: usize = 1024;

/// The edges that come first so far.
#[derive(Debug)]
pub(super) struct Best {
    count: usize,
    descending: bool,
    ties: bool,
    kept: Vec<(Value, Relationship)>,
    /// The value of the last that is wanted, once there are as many.
    last: Option<Value>,
}

impl Best {
    pub(super) fn new(count: usize, descending: bool, ties: bool) -> Self {
        Self { count, descending, ties, kept: Vec::new(), last: None }
    }

    /// Whether there are as many as are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= self.count
    }

    /// Nothing was put in.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.last = None;
    }

    /// Whether an edge with this value may be among them.
    pub(super) fn wants(&self, value: &Value) -> bool {
        match &self.last {
            _ if self.count == 0 => false,
            None => true,
            Some(last) if self.ties => !comes_after(value, last, self.descending),
            Some(last) => comes_after(last, value, self.descending),
        }
    }

    /// Puts an edge in.
    ///
    /// **Cost**: a comparison; now and then those that are not wanted any more are let go.
    pub(super) fn put(&mut self, value: Value, edge: Relationship) {
        if !self.wants(&value) {
            return;
        }
        self.kept.push((value, edge));
        let first = self.kept.len() == self.count;
        if first || self.kept.len() >= self.count.saturating_mul(2).saturating_add(SPARE) {
            self.cut();
        }
    }

    /// Lets go what is not wanted.
    fn cut(&mut self) {
        let Some(at) = self.count.checked_sub(1).filter(|at| *at < self.kept.len()) else { return };
        let descending = self.descending;
        let (_, last, _) = self
            .kept
            .select_nth_unstable_by(at, |(a, _), (b, _)| if descending { order(b, a) } else { order(a, b) });
        let last = last.0.clone();
        if self.ties {
            self.kept.retain(|(value, _)| !comes_after(value, &last, descending));
        } else {
            self.kept.truncate(self.count);
        }
        self.last = Some(last);
    }

    /// What is kept.
    pub(super) fn edges(&mut self) -> impl Iterator<Item = Relationship> + '_ {
        self.cut();
        self.kept.iter().map(|(_, edge)| *edge)
    }
}

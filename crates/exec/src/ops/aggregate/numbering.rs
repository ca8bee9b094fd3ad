//! How rows get the numbers of their groups: by a table of keys, or, where those of one node, or of one row
//! of an apply, come one after the other, by counting these, or by what comes together with the one at hand.

use trimorph_vector::{Texts, Vector};

use super::AggregateSpec;
use super::spec::{RunKey, Within};
use crate::keys::{KeyTable, RunPairs, each_of_runs};

/// Numbers of groups.
pub(super) enum Numbering<'s> {
    Keys(Box<KeyTable<'s>>),
    Runs(Runs),
    Pairs(Box<Pairs<'s>>),
}

/// Groups by a node whose rows come one after the other.
pub(super) struct Runs {
    /// Its place among the keys.
    key: usize,
    last: Option<u64>,
    groups: u32,
}

impl Runs {
    /// No group yet.
    fn new(key: usize) -> Self {
        Self { key, last: None, groups: 0 }
    }

    /// The last group only.
    fn of_last(&self) -> Self {
        Self { key: self.key, last: self.last, groups: self.groups.min(1) }
    }

    fn number_all(
        &mut self,
        keys: &[&Vector<'_>],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        each_of_runs(keys[self.key], positions, |p, node| {
            if self.groups == 0 || self.last != node {
                (self.last, self.groups) = (node, self.groups + 1);
                fresh.push(p as u32);
            }
            numbers.push(self.groups - 1);
        });
    }
}

/// Groups by a node whose rows come one after the other, and another key.
pub(super) struct Pairs<'s> {
    /// Their places among the keys.
    key: usize,
    other: usize,
    pairs: RunPairs<'s>,
}

impl<'s> Numbering<'s> {
    /// No group yet.
    pub(super) fn new(spec: &AggregateSpec) -> Self {
        match spec.runs {
            Some(RunKey { key, within: Within::One }) => Self::Runs(Runs::new(key)),
            Some(RunKey { key, within: Within::By(other) }) => {
                Self::Pairs(Box::new(Pairs { key, other, pairs: RunPairs::default() }))
            }
            _ => Self::Keys(Box::default()),
        }
    }

    /// What numbers the groups of the last node, once the first `over` groups are given; `None` where they
    /// are numbered once more.
    pub(super) fn go_on(&mut self, over: usize) -> Option<Self> {
        // Group numbers are 32 bits.
        let over = over as u32;
        match self {
            Self::Keys(_) => None,
            Self::Runs(runs) => Some(Self::Runs(runs.of_last())),
            Self::Pairs(by) => {
                let pairs = by.pairs.go_on(over);
                Some(Self::Pairs(Box::new(Pairs { key: by.key, other: by.other, pairs })))
            }
        }
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Keys(table) => table.len(),
            Self::Runs(runs) => runs.groups as usize,
            Self::Pairs(by) => by.pairs.len(),
        }
    }

    /// As [`KeyTable::number_all`].
    pub(super) fn number_all(
        &mut self,
        keys: &[&Vector<'s>],
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        match self {
            Self::Keys(table) => table.number_all(keys, positions, numbers, fresh),
            Self::Runs(runs) => runs.number_all(keys, positions, numbers, fresh),
            Self::Pairs(by) => {
                by.pairs.number_all(keys[by.key], keys[by.other], positions, numbers, fresh);
            }
        }
    }

    /// As [`KeyTable::is_far`].
    pub(super) fn is_far(&self) -> bool {
        matches!(self, Self::Keys(table) if table.is_far())
    }

    /// Tells how many rows will come, most of which are groups of their own.
    pub(super) fn expect(&mut self, rows: usize) {
        if let Self::Keys(table) = self {
            table.expect(table.len() + rows);
        }
    }

    /// Bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Keys(table) => table.bytes(),
            Self::Runs(_) => 0,
            Self::Pairs(by) => by.pairs.bytes(),
        }
    }

    /// Bytes it may allocate for `more` rows.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        match self {
            Self::Keys(table) => table.growth_bytes(more),
            Self::Runs(_) => 0,
            Self::Pairs(by) => by.pairs.growth_bytes(more),
        }
    }

    /// As [`KeyTable::first_texts`].
    pub(super) fn first_texts(&self) -> Option<&Texts<'s>> {
        match self {
            Self::Keys(table) => table.first_texts(),
            Self::Runs(_) | Self::Pairs(_) => None,
        }
    }

    /// As [`KeyTable::lone_texts`].
    pub(super) fn lone_texts(&self) -> Option<&Texts<'s>> {
        match self {
            Self::Keys(table) => table.lone_texts(),
            Self::Runs(_) | Self::Pairs(_) => None,
        }
    }
}

//! Values seen, for each of many groups: what DISTINCT inside an aggregate needs.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_store::access::NodeSet;
use trimorph_types::Value;
use trimorph_vector::Vector;

use super::owners::{Owners, owner_of};
use crate::ExecError;
use crate::charge::{table_bytes, table_growth_bytes};
use crate::keys::{cell_key, encode};

/// Pairs of group and value.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctSet {
    /// Where there is one group only: its nodes, a bit a row.
    nodes: Option<NodeSet>,
    fixed: FxHashSet<(u32, u8, u64)>,
    general: FxHashSet<(u32, Box<[u8]>)>,
    general_bytes: usize,
}

/// Pairs that leave a set.
#[derive(Default)]
pub(super) struct DistinctValues {
    nodes: NodeSet,
    fixed: Vec<(u32, u8, u64)>,
    general: Vec<(u32, Box<[u8]>)>,
}

impl DistinctSet {
    /// No values; `one_group` if there will be no other group than 0.
    pub(super) fn new(one_group: bool) -> Self {
        Self { nodes: one_group.then(NodeSet::default), ..Self::default() }
    }

    /// Whether the value at `i`, which is not null, is new to `group`.
    pub(super) fn insert(&mut self, group: u32, vector: &Vector<'_>, i: usize) -> bool {
        if let Some(nodes) = &mut self.nodes
            && let Some(node) = vector.node(i)
        {
            return nodes.insert(node);
        }
        if let Some((tag, bits)) = cell_key(vector, i) {
            return self.fixed.insert((group, tag, bits));
        }
        let mut bytes = Vec::new();
        encode(vector, i, &mut bytes);
        self.general_bytes += bytes.len() + 16;
        self.general.insert((group, bytes.into()))
    }

    /// Everything.
    pub(super) fn into_values(self) -> DistinctValues {
        DistinctValues {
            nodes: self.nodes.unwrap_or_default(),
            fixed: self.fixed.into_iter().collect(),
            general: self.general.into_iter().collect(),
        }
    }

    /// What goes to each owner with its groups; what is copied stays behind too, where nobody looks at it.
    pub(super) fn copy_to(&self, owners: &Owners) -> Vec<DistinctValues> {
        let mut out: Vec<DistinctValues> = (0..owners.count()).map(|_| DistinctValues::default()).collect();
        for (group, tag, bits) in &self.fixed {
            let (owner, place) = owners.of(*group);
            if owner != owners.own {
                out[owner].fixed.push((place, *tag, *bits));
            }
        }
        for (group, bytes) in &self.general {
            let (owner, place) = owners.of(*group);
            if owner != owners.own {
                out[owner].general.push((place, bytes.clone()));
            }
        }
        out
    }

    /// Where there is one group: leaves the values that hash to `own`, gives those of the other owners. Nodes
    /// are all worker 0's: sets of bits are merged as fast as they are read.
    pub(super) fn split(&mut self, own: usize, count: usize) -> Vec<DistinctValues> {
        let mut out: Vec<DistinctValues> = (0..count).map(|_| DistinctValues::default()).collect();
        if own != 0
            && let Some(nodes) = &mut self.nodes
        {
            out[0].nodes = std::mem::take(nodes);
        }
        for value in std::mem::take(&mut self.fixed) {
            match owner_of([value.1.into(), value.2], count) {
                o if o == own => drop(self.fixed.insert(value)),
                o => out[o].fixed.push(value),
            }
        }
        for value in std::mem::take(&mut self.general) {
            match owner_of(value.1.iter().map(|b| u64::from(*b)), count) {
                o if o == own => drop(self.general.insert(value)),
                o => out[o].general.push(value),
            }
        }
        out
    }

    /// Takes other values in, their groups renumbered; calls `fresh` with a group and how many values are new
    /// to it.
    pub(super) fn merge(&mut self, other: DistinctValues, renumber: &[u32], mut fresh: impl FnMut(u32, u64)) {
        if let Some(nodes) = &mut self.nodes {
            let before = nodes.len();
            nodes.merge(&other.nodes);
            fresh(0, nodes.len() - before);
        }
        for (group, tag, bits) in other.fixed {
            let group = renumber[group as usize];
            fresh(group, self.fixed.insert((group, tag, bits)).into());
        }
        for (group, bytes) in other.general {
            let group = renumber[group as usize];
            self.general_bytes += bytes.len() + 16;
            fresh(group, self.general.insert((group, bytes)).into());
        }
    }

    /// Calls `visit` with the values that are no bits of nodes, some at a time: their groups, tags, bits, and
    /// the bytes of those that have no fixed size.
    pub(super) fn listed(
        &self,
        most: usize,
        mut visit: impl FnMut(&[u32], Vec<i64>, Vec<i64>, Vec<Value>) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let fixed = self.fixed.iter().map(|(group, tag, bits)| (*group, (*tag).into(), *bits, Value::Null));
        let general = self.general.iter();
        let general = general.map(|(group, bytes)| (*group, -1, 0, Value::Bytes(Arc::from(&bytes[..]))));
        let mut all = fixed.chain(general);
        loop {
            let (mut groups, mut tags, mut bits, mut bytes) = (vec![], vec![], vec![], vec![]);
            for (group, tag, word, value) in all.by_ref().take(most) {
                groups.push(group);
                tags.push(tag);
                bits.push(word.cast_signed());
                bytes.push(value);
            }
            if groups.is_empty() {
                return Ok(());
            }
            visit(&groups, tags, bits, bytes)?;
        }
    }

    /// Forgets those.
    pub(super) fn forget_listed(&mut self) {
        (self.fixed, self.general, self.general_bytes) = Default::default();
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> u64 {
        self.nodes.as_ref().map_or(0, NodeSet::len) + self.fixed.len() as u64 + self.general.len() as u64
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.as_ref().map_or(0, NodeSet::bytes)
            + table_bytes::<(u32, u8, u64)>(self.fixed.capacity())
            + table_bytes::<(u32, Box<[u8]>)>(self.general.capacity())
            + self.general_bytes
    }

    /// Bytes that may be allocated before `more` values have come, texts left out: what moves is given back.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        table_growth_bytes::<(u32, u8, u64)>(self.fixed.len(), self.fixed.capacity(), more)
            + table_growth_bytes::<(u32, Box<[u8]>)>(self.general.len(), self.general.capacity(), more)
    }
}

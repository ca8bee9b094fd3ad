//! The intermediate chunk: list groups whose product is the set of tuples it stands for.
//!
//! A group is *flat* when it stands for the one tuple at its current position, else *unflat*: it stands for
//! all its selected positions. The chunk stands for the product of its groups. Each position may carry a
//! multiplicity: how many tuples it stands for in patterns that were counted and not made, so that `count(*)`
//! is a product of sums.
//!
//! Source: GF-CL §6.1; multiplicities are how this engine keeps §6.2's counting on compressed tuples when the
//! list counted is not even read.

use crate::positions::Chosen;
use crate::{Positions, Selection, Vector};

/// Positions a scan fills at once: 2 zones. Vectors of 16 KiB stay in the first-level cache a few at a time.
pub const VECTOR_SIZE: usize = 2048;

/// One list group.
#[derive(Clone, Debug, Default)]
pub struct Group<'s> {
    /// Positions its vectors have.
    pub len: usize,
    /// The positions meant.
    pub selection: Selection,
    /// The one position meant, when flat.
    pub flat: Option<usize>,
    /// How many tuples each position stands for; absent when each stands for one.
    pub multiplicity: Option<Vec<u64>>,
    /// The vectors, by slot.
    pub vectors: Vec<Vector<'s>>,
}

impl Group<'_> {
    /// Forgets positions, selection and multiplicities; keeps slots.
    pub fn reset(&mut self, len: usize) {
        self.len = len;
        self.selection = Selection::All;
        self.flat = None;
        self.multiplicity = None;
    }

    /// Makes the first position stand for `tuples` tuples, and no other for any: where only the number is
    /// asked for. The length and the vectors stay, so that a cursor further down finds what it left.
    pub fn stand_for(&mut self, tuples: u64) {
        let mut list = match std::mem::take(&mut self.selection) {
            Selection::List(list) => list,
            Selection::All => Vec::new(),
        };
        list.clear();
        list.push(0);
        self.selection = Selection::List(list);
        let counts = self.multiplicity.get_or_insert_default();
        counts.clear();
        counts.push(tuples);
    }

    /// The multiplicity of position `i`.
    #[inline]
    pub fn multiplicity_at(&self, i: usize) -> u64 {
        self.multiplicity.as_ref().map_or(1, |m| m[i])
    }

    /// The number of tuples this group stands for, `None` on overflow.
    pub fn tuples(&self) -> Option<u64> {
        if let Some(i) = self.flat {
            return Some(self.multiplicity_at(i));
        }
        match &self.multiplicity {
            None => Some(self.selection.count(self.len) as u64),
            Some(m) => {
                let mut sum = 0u128;
                self.selection.for_each(self.len, |i| sum += u128::from(m[i]));
                u64::try_from(sum).ok()
            }
        }
    }

    /// Selected positions: one if flat.
    pub fn positions(&self) -> Vec<u32> {
        match self.flat {
            Some(i) => vec![u32::try_from(i).unwrap_or(u32::MAX)],
            None => self.selection.to_vec(self.len),
        }
    }
}

/// List groups.
#[derive(Clone, Debug, Default)]
pub struct Chunk<'s> {
    /// The groups.
    pub groups: Vec<Group<'s>>,
}

impl Chunk<'_> {
    /// A chunk with `slots[g]` vectors in group `g`.
    pub fn with_slots(slots: &[usize]) -> Self {
        let groups = slots
            .iter()
            .map(|n| Group { vectors: (0..*n).map(|_| Vector::empty()).collect(), ..Group::default() })
            .collect();
        Self { groups }
    }
}

impl<'a> Positions<'a> {
    /// The positions a group means.
    #[inline]
    pub fn of(group: &'a Group<'_>) -> Self {
        let chosen = match (group.flat, &group.selection) {
            (Some(i), _) => Chosen::One(i),
            (None, Selection::All) => Chosen::All,
            (None, Selection::List(list)) => Chosen::List(list),
        };
        Self { len: group.len, chosen }
    }
}

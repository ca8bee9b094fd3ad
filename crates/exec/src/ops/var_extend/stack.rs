//! A stack that knows where an element stands: its lowest elements are looked through, what lies higher is
//! found by hash.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::charge::Charge;
use crate::{Context, ExecError};

/// So many elements are looked through faster than one is hashed, and most walks are no deeper.
const SHALLOW: usize = 32;

/// The nodes left or the edges taken by a walk.
pub(super) struct Stack<K> {
    elements: Vec<K>,
    /// Where the elements above the `SHALLOW` lowest stand, each at its highest place.
    deep: FxHashMap<K, usize>,
    elements_held: Charge,
    deep_held: Charge,
}

impl<K> Default for Stack<K> {
    fn default() -> Self {
        Self {
            elements: Vec::new(),
            deep: FxHashMap::default(),
            elements_held: Charge::default(),
            deep_held: Charge::default(),
        }
    }
}

impl<K: Copy + Eq + Hash> Stack<K> {
    /// The highest place at which `element` stands.
    #[inline]
    pub(super) fn place(&self, element: K) -> Option<usize> {
        let shallow = match self.elements.get(..SHALLOW) {
            None => &self.elements[..],
            Some(shallow) => match self.deep.get(&element) {
                None => shallow,
                found => return found.copied(),
            },
        };
        shallow.iter().rposition(|e| *e == element)
    }

    #[inline]
    pub(super) fn push(&mut self, element: K, cx: &Context<'_>) -> Result<(), ExecError> {
        self.elements_held.room(&mut self.elements, 1, cx)?;
        if self.elements.len() >= SHALLOW {
            self.deep_held.room_in_map(&mut self.deep, cx)?;
            self.deep.insert(element, self.elements.len());
        }
        self.elements.push(element);
        Ok(())
    }

    /// Takes the highest element off; `below` is the next place at which the same element stands.
    #[inline]
    pub(super) fn pop(&mut self, below: Option<usize>) {
        let Some(element) = self.elements.pop() else { return };
        if self.elements.len() >= SHALLOW {
            match below.filter(|place| *place >= SHALLOW) {
                Some(place) => drop(self.deep.insert(element, place)),
                None => drop(self.deep.remove(&element)),
            }
        }
    }

    pub(super) fn as_slice(&self) -> &[K] {
        &self.elements
    }

    pub(super) fn clear(&mut self) {
        self.elements.clear();
        self.deep.clear();
    }
}

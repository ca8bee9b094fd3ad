//! The pairs of edges of a pattern that must differ and are not told apart yet: takes edges as they are
//! reached, gives the conditions that can be asked.
//!
//! A pattern of a thousand edges has half a million pairs. Each is two numbers until it is asked, and an edge
//! that must differ from many is asked about in one condition.

use std::collections::HashMap;

use trimorph_algebra::{Expr, Op, VarId};

use crate::VarSet;

/// Edges up to which each that another must differ from gets a condition of its own.
const ONE_BY_ONE_MAX: usize = 8;

/// The pairs of a pattern, by place; those asked are gone.
#[derive(Default)]
pub(super) struct Pairs {
    items: Vec<Option<Pair>>,
    of: HashMap<VarId, Vec<usize>>,
    /// Those whose edges have both been reached, here or in rows that wait to be joined.
    ready: Vec<usize>,
    /// Those that wait for such rows.
    waiting: Vec<usize>,
}

struct Pair {
    edges: (VarId, VarId),
    missing: u8,
}

impl Pairs {
    pub(super) fn new(pairs: Vec<(VarId, VarId)>) -> Self {
        let mut of: HashMap<VarId, Vec<usize>> = HashMap::new();
        for (place, (a, b)) in pairs.iter().enumerate() {
            of.entry(*a).or_default().push(place);
            of.entry(*b).or_default().push(place);
        }
        let items = pairs.into_iter().map(|edges| Some(Pair { edges, missing: 2 })).collect();
        Self { items, of, ..Self::default() }
    }

    /// Notes that an edge is there, once for each.
    pub(super) fn reach(&mut self, var: VarId) {
        for place in self.of.get(&var).into_iter().flatten() {
            if let Some(pair) = &mut self.items[*place] {
                pair.missing -= 1;
                if pair.missing == 0 {
                    self.ready.push(*place);
                }
            }
        }
    }

    /// The conditions that can be asked of rows with these variables; their pairs are taken out.
    pub(super) fn take_ready(&mut self, available: &VarSet) -> Vec<Expr> {
        if self.ready.is_empty() {
            return Vec::new();
        }
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_unstable();
        let mut pairs = Vec::with_capacity(ready.len());
        for place in ready {
            match self.items[place].take() {
                Some(Pair { edges: (a, b), .. }) if available.contains(&a) && available.contains(&b) => {
                    pairs.push((a, b));
                }
                Some(pair) => {
                    self.items[place] = Some(pair);
                    self.waiting.push(place);
                }
                None => {}
            }
        }
        conditions(&pairs)
    }

    /// Rows were joined: what waited for them is looked at again.
    pub(super) fn joined(&mut self) {
        self.ready.append(&mut self.waiting);
    }

    /// The edges that one is not told apart from yet.
    pub(super) fn partners(&self, var: VarId) -> impl Iterator<Item = VarId> {
        let places = self.of.get(&var).into_iter().flatten();
        places.filter_map(|place| self.items[*place].as_ref()).map(move |pair| match pair.edges {
            (a, b) if a == var => b,
            (a, _) => a,
        })
    }

    /// Takes out those between two edges of a part.
    pub(super) fn take_within(&mut self, own: &VarSet) -> Vec<(VarId, VarId)> {
        let mut places: Vec<usize> =
            own.iter().flat_map(|var| self.of.get(var).into_iter().flatten()).copied().collect();
        places.sort_unstable();
        places.dedup();
        let mut taken = Vec::new();
        for place in places {
            if let Some(Pair { edges: (a, b), .. }) = &self.items[place]
                && own.contains(a)
                && own.contains(b)
            {
                taken.push((*a, *b));
                self.items[place] = None;
            }
        }
        taken
    }

    /// The conditions that were not asked.
    pub(super) fn rest(self) -> Vec<Expr> {
        let left: Vec<(VarId, VarId)> = self.items.into_iter().flatten().map(|pair| pair.edges).collect();
        conditions(&left)
    }
}

/// The conditions that the edges of pairs differ: an edge of many pairs is looked at once for all of them.
fn conditions(pairs: &[(VarId, VarId)]) -> Vec<Expr> {
    let differ = |(a, b): (VarId, VarId)| Expr::op(Op::Ne, vec![Expr::Var(a), Expr::Var(b)]);
    if pairs.len() <= ONE_BY_ONE_MAX {
        return pairs.iter().copied().map(differ).collect();
    }
    let mut count: HashMap<VarId, usize> = HashMap::new();
    for var in pairs.iter().flat_map(|(a, b)| [a, b]) {
        *count.entry(*var).or_default() += 1;
    }
    // Each pair belongs to that of its edges which is in more of them.
    let mut places: HashMap<VarId, usize> = HashMap::new();
    let mut groups: Vec<(VarId, Vec<(VarId, VarId)>)> = Vec::new();
    for pair in pairs {
        let first = if count.get(&pair.0) >= count.get(&pair.1) { pair.0 } else { pair.1 };
        let place = *places.entry(first).or_insert(groups.len());
        if place == groups.len() {
            groups.push((first, Vec::new()));
        }
        groups[place].1.push(*pair);
    }
    let mut conditions = Vec::new();
    for (first, pairs) in groups {
        if pairs.len() <= ONE_BY_ONE_MAX {
            conditions.extend(pairs.into_iter().map(differ));
            continue;
        }
        let others = pairs.into_iter().map(|(a, b)| if a == first { b } else { a });
        conditions.push(Expr::op(Op::Differs, std::iter::once(first).chain(others).map(Expr::Var).collect()));
    }
    conditions
}

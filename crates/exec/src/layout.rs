//! Layout: which list group and slot each variable has at a point of the plan, and which groups are flat
//! there.

use std::collections::HashMap;

use trimorph_algebra::{Expr, VarId};

use crate::volatile::is_volatile;

/// Where a variable's vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) group: usize,
    pub(crate) slot: usize,
}

/// A group at a point of the plan.
#[derive(Clone, Debug)]
pub(crate) struct GroupLayout {
    pub(crate) slots: usize,
    pub(crate) flat: bool,
}

/// All groups and variables at a point of the plan. Groups are only ever added: an index stays what it was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) groups: Vec<GroupLayout>,
    places: HashMap<VarId, Place>,
}

impl Layout {
    /// A new group without slots.
    pub(crate) fn add_group(&mut self, flat: bool) -> usize {
        self.groups.push(GroupLayout { slots: 0, flat });
        self.groups.len() - 1
    }

    /// A new slot of `group` for `var`.
    pub(crate) fn add(&mut self, var: VarId, group: usize) -> Place {
        let slot = self.add_slot(group);
        let place = Place { group, slot };
        self.places.insert(var, place);
        place
    }

    /// A new slot that belongs to no variable.
    pub(crate) fn add_slot(&mut self, group: usize) -> usize {
        self.groups[group].slots += 1;
        self.groups[group].slots - 1
    }

    /// Where `var` is.
    pub(crate) fn place(&self, var: VarId) -> Option<Place> {
        self.places.get(&var).copied()
    }

    /// Makes `var` another name of a place.
    pub(crate) fn alias(&mut self, var: VarId, place: Place) {
        self.places.insert(var, place);
    }

    /// The unflat groups an expression reads: all of them, if it gives something else for each row.
    pub(crate) fn unflat_groups(&self, exprs: &[&Expr]) -> Vec<usize> {
        let mut groups: Vec<usize> = Vec::new();
        if exprs.iter().any(|expr| is_volatile(expr)) {
            // Each row has a value of its own.
            return (0..self.groups.len()).filter(|group| !self.groups[*group].flat).collect();
        }
        for expr in exprs {
            expr.for_each_free_var(&mut |v| {
                let group = self.place(v).map(|p| p.group).filter(|g| !self.groups[*g].flat);
                groups.extend(group.filter(|g| groups.last() != Some(g)));
            });
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Slots of each group.
    pub(crate) fn slots(&self) -> Vec<usize> {
        self.groups.iter().map(|g| g.slots).collect()
    }
}

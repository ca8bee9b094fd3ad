//! Variables that may be unbound, case by case: takes rows of which some have a value of a variable and
//! others have none, gives the rows of both cases.
//!
//! A solution that binds `?x` agrees with each one that does not. `?p a :P OPTIONAL { ?p :u ?x } ?x :in ?c`
//! is no join by equal keys, then: as a condition (unbound, or the same) all rows are paired with all. With
//! the rows that have a value it is a join as any other, and those that have none take what is found for
//! whatever they bind else. So
//!
//! * a pattern that nothing else connects is matched for both cases, each planned by itself;
//! * `MINUS` takes rows away in both cases;
//! * of what `MINUS` has on its right both cases are taken away, one after the other.
//!
//! Each variable doubles the cases; where there are more than [`CASES_MAX`], conditions compare.

use std::sync::Arc;

use spargebra::algebra::GraphPattern;

use super::relation::{Active, Name, Relation, is_not_null, is_null};
use super::scope::{Names, certain, may_be_bound, visible};
use super::{Binder, Bound};

/// Cases of one pattern, at most.
const CASES_MAX: usize = 8;

/// Whether a variable has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Bound,
    Unbound,
}

impl Relation {
    /// The rows of a case, where there the variable has always a value, or none is known.
    pub(super) fn only(&mut self, name: &Name, case: Case) {
        let Some(slot) = self.slots.get_mut(name) else { return };
        let value = slot.value();
        match case {
            Case::Bound => {
                slot.certain = true;
                self.filter(is_not_null(value));
            }
            Case::Unbound => {
                self.slots.remove(name);
                self.filter(is_null(value));
            }
        }
    }

    /// Of some names the first that may be unbound here, unless there are too many.
    pub(super) fn unsure_of<'n>(&self, names: impl IntoIterator<Item = &'n Name>) -> Option<Name> {
        let is_unsure = |name: &&Name| self.slots.get(*name).is_some_and(|slot| !slot.certain);
        let mut unsure = names.into_iter().filter(is_unsure);
        let first = unsure.next()?;
        let cases = 2_usize << unsure.count().min(CASES_MAX);
        (cases <= CASES_MAX).then(|| Arc::clone(first))
    }
}

/// A variable of a pattern that may be unbound in the rows that there are, where it has no other in common
/// with them: nothing else says which rows go together.
pub(super) fn unsure_alone(relation: &Relation, pattern: &GraphPattern) -> Option<Name> {
    // A server is asked once.
    if relation.slots.values().all(|slot| slot.certain) || matches!(pattern, GraphPattern::Service { .. }) {
        return None;
    }
    let names = visible(pattern);
    let is_sure = |name: &Name| relation.slots.get(name).is_some_and(|slot| slot.certain);
    if names.iter().any(is_sure) {
        return None;
    }
    relation.unsure_of(&names)
}

/// Whether all that a part of a join has in common with patterns is what it may leave unbound, and it must be
/// evaluated by itself: they are matched for its rows, since it cannot be for theirs.
pub(super) fn leads<'p>(part: &GraphPattern, patterns: impl Iterator<Item = &'p GraphPattern>) -> bool {
    let (names, sure) = (visible(part), certain(part));
    if names == sure {
        return false;
    }
    let others: Names = patterns.flat_map(visible).collect();
    sure.is_disjoint(&others) && !names.is_disjoint(&others) && !may_be_bound(part, &others)
}

impl Binder<'_> {
    /// What is made of the rows that have a value of a variable, and of those that have none.
    pub(super) fn by_case(
        &mut self,
        relation: Relation,
        name: &Name,
        active: &Active,
        make: &mut dyn FnMut(&mut Self, Relation) -> Bound<Relation>,
    ) -> Bound<Relation> {
        let cases = [Case::Bound, Case::Unbound];
        self.either(relation, cases.len(), active, &mut |own, from, at| {
            let mut from = from.clone();
            from.only(name, cases[at]);
            make(own, from)
        })
    }
}

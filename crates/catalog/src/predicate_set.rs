//! Which predicates of RDF are meant: conditions on a predicate in, one set out, of which each name is asked.

use std::sync::Arc;

/// Some predicates, or all but some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PredicateSet {
    /// Their IRIs, sorted, each once.
    pub iris: Arc<[Arc<str>]>,
    /// Whether these are meant, or all others.
    pub is_in: bool,
}

impl PredicateSet {
    /// These predicates.
    pub fn of(iris: impl IntoIterator<Item = Arc<str>>) -> Self {
        let mut iris: Vec<Arc<str>> = iris.into_iter().collect();
        iris.sort_unstable();
        iris.dedup();
        Self { iris: iris.into(), is_in: true }
    }

    /// All others.
    #[must_use]
    pub fn others(self) -> Self {
        Self { is_in: !self.is_in, ..self }
    }

    /// Whether a predicate is meant.
    pub fn has(&self, iri: &str) -> bool {
        self.iris.binary_search_by(|own| (**own).cmp(iri)).is_ok() == self.is_in
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let (some, rest) = if self.is_in { (self, other) } else { (other, self) };
        if some.is_in {
            return Self::of(some.iris.iter().filter(|iri| rest.has(iri)).cloned());
        }
        Self::of(some.iris.iter().chain(&*rest.iris).cloned()).others()
    }

    /// Those that are in any of the two.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.clone().others().and(&other.clone().others()).others()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_as_conditions_say() {
        let names = ["a", "b", "c", "d"];
        let of = |bits: usize| {
            PredicateSet::of((0..3).filter(|i| bits >> i & 1 == 1).rev().map(|i| Arc::from(names[i])))
        };
        let sets: Vec<PredicateSet> = (0..8).flat_map(|bits| [of(bits), of(bits).others()]).collect();
        for a in &sets {
            for b in &sets {
                for name in names {
                    let (in_a, in_b) = (a.has(name), b.has(name));
                    assert_eq!(a.and(b).has(name), in_a && in_b, "{name} {a:?} {b:?}");
                    assert_eq!(a.or(b).has(name), in_a || in_b, "{name} {a:?} {b:?}");
                    assert_eq!(a.clone().others().has(name), !in_a, "{name} {a:?}");
                }
            }
        }
    }
}

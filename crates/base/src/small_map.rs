//! A sorted map that has a few entries as a rule: takes keys and values, gives them in the order of the keys.
//!
//! What a small transaction wrote is in a handful of maps of an entry or two each. As trees they were a
//! seventh of the instructions of a statement that makes a node, and each has room for eleven entries; here
//! they are a vector that is searched from end to end. Beyond [`FEW_MAX`] entries it is a tree, so that
//! nothing takes longer than there.

use std::collections::BTreeMap;

/// Entries up to which all are looked at.
const FEW_MAX: usize = 12;

/// See the header.
#[derive(Clone, Debug)]
pub struct SmallMap<K, V>(Form<K, V>);

#[derive(Clone, Debug)]
enum Form<K, V> {
    /// In the order of the keys.
    Few(Vec<(K, V)>),
    Many(BTreeMap<K, V>),
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// One of two iterators over the same.
#[derive(Clone, Debug)]
pub enum Either<A, B> {
    /// The first.
    Few(A),
    /// The second.
    Many(B),
}

impl<T, A: Iterator<Item = T>, B: Iterator<Item = T>> Iterator for Either<A, B> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Few(few) => few.next(),
            Self::Many(many) => many.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Few(few) => few.size_hint(),
            Self::Many(many) => many.size_hint(),
        }
    }
}

impl<K, V> SmallMap<K, V> {
    /// Without entries. **Cost**: nothing.
    pub const fn new() -> Self {
        Self(Form::Few(Vec::new()))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Few(few) => few.len(),
            Form::Many(many) => many.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entries, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.into_iter()
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        match &mut self.0 {
            Form::Few(few) => Either::Few(few.iter_mut().map(|(key, value)| (&*key, value))),
            Form::Many(many) => Either::Many(many.iter_mut()),
        }
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        match &self.0 {
            Form::Few(few) => few.iter().find(|(own, _)| own == key).map(|(_, value)| value),
            Form::Many(many) => many.get(key),
        }
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match &mut self.0 {
            Form::Few(few) => few.iter_mut().find(|(own, _)| own == key).map(|(_, value)| value),
            Form::Many(many) => many.get_mut(key),
        }
    }

    /// Whether there is a value of a key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// The first entry.
    pub fn first(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The value of a key; where there is none, what `make` gives from now on.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if let Form::Few(few) = &mut self.0
            && few.len() == FEW_MAX
            && !few.iter().any(|(own, _)| *own == key)
        {
            self.0 = Form::Many(std::mem::take(few).into_iter().collect());
        }
        match &mut self.0 {
            Form::Many(many) => many.entry(key).or_insert_with(make),
            Form::Few(few) => {
                let at = few.iter().position(|(own, _)| *own >= key).unwrap_or(few.len());
                if few.get(at).is_none_or(|(own, _)| *own != key) {
                    let entry = (key, make());
                    if few.capacity() == 0 {
                        // Most have one: room for it alone, which takes a third of what growing takes.
                        *few = Vec::from([entry]);
                    } else {
                        few.insert(at, entry);
                    }
                }
                &mut few[at].1
            }
        }
    }

    /// The value of a key; where there is none, the default from now on.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }

    /// Gives a key a value.
    pub fn insert(&mut self, key: K, value: V) {
        match self.get_mut(&key) {
            Some(own) => *own = value,
            None => _ = self.or_insert_with(key, || value),
        }
    }

    /// Keeps those entries of which `keeps` says so.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        match &mut self.0 {
            Form::Few(few) => few.retain_mut(|(key, value)| keeps(key, value)),
            Form::Many(many) => many.retain(keeps),
        }
    }

    /// Takes a key out. What its place took is kept for the next.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        match &mut self.0 {
            Form::Few(few) => {
                let at = few.iter().position(|(own, _)| own == key)?;
                Some(few.remove(at).1)
            }
            Form::Many(many) => {
                let value = many.remove(key);
                if many.is_empty() {
                    self.0 = Form::Few(Vec::new());
                }
                value
            }
        }
    }
}

impl<K, V> IntoIterator for SmallMap<K, V> {
    type Item = (K, V);
    type IntoIter = Either<std::vec::IntoIter<(K, V)>, std::collections::btree_map::IntoIter<K, V>>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Form::Few(few) => Either::Few(few.into_iter()),
            Form::Many(many) => Either::Many(many.into_iter()),
        }
    }
}

/// An entry, as an iterator gives it.
type Split<'m, K, V> = fn(&'m (K, V)) -> (&'m K, &'m V);

impl<'m, K, V> IntoIterator for &'m SmallMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Either<
        std::iter::Map<std::slice::Iter<'m, (K, V)>, Split<'m, K, V>>,
        std::collections::btree_map::Iter<'m, K, V>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        match &self.0 {
            Form::Few(few) => Either::Few(few.iter().map(|(key, value)| (key, value))),
            Form::Many(many) => Either::Many(many.iter()),
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SmallMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{FEW_MAX, SmallMap};
    use crate::Random;

    /// Entries come and go at random, few and many of them.
    #[test]
    fn it_is_a_sorted_map() {
        for keys in [2, FEW_MAX, FEW_MAX + 1, 100] {
            let (mut map, mut known, mut random) = (SmallMap::new(), BTreeMap::new(), Random::new(7));
            for i in 0..3_000 {
                let key = random.below(keys);
                match random.below(5) {
                    0 => {
                        map.insert(key, i);
                        known.insert(key, i);
                    }
                    1 => {
                        *map.or_default(key) += 1;
                        *known.entry(key).or_default() += 1;
                    }
                    2 => {
                        *map.or_insert_with(key, || i) += 2;
                        *known.entry(key).or_insert(i) += 2;
                    }
                    _ => assert_eq!(map.remove(&key), known.remove(&key), "{keys} {i}"),
                }
                assert_eq!(
                    (map.get(&key), map.contains_key(&key)),
                    (known.get(&key), known.contains_key(&key))
                );
                map.get_mut(&key).into_iter().chain(known.get_mut(&key)).for_each(|value| *value += 3);
                assert!(map.iter().eq(&known), "{keys} {i}");
                assert_eq!((map.len(), map.first()), (known.len(), known.first_key_value()));
            }
            map.iter_mut().for_each(|(key, value)| *value = *key);
            assert!(map.keys().eq(map.values()) && map.keys().eq(known.keys()));
            assert!(map.clone().into_iter().collect::<SmallMap<_, _>>().iter().eq(map.iter()));
        }
    }
}

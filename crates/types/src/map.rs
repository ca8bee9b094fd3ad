//! Maps: keys in ascending order, which rows of the same keys share, and what is under each.
//!
//! A batch of rows is a list of maps that mostly have the same keys. Such a map is its values in one vector
//! and a reference to keys that are there once: a row of two numbers takes 120 bytes and two allocations,
//! where a tree took 450, and looking at the keys of the next row is comparing two addresses.
//!
//! Invariant: the keys ascend strictly, and there are as many values.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Keys of maps, ascending.
pub type Keys = Arc<[Arc<str>]>;

/// What is under each of some keys, ordered by key.
///
/// **Cost**: a look-up is a search among the keys. `insert` and `remove` copy the keys: a map of many entries
/// is collected, or made of a [`Shape`].
#[derive(Clone, Debug)]
pub struct Entries<V> {
    keys: Keys,
    values: Vec<V>,
}

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self { keys: Keys::default(), values: Vec::new() }
    }
}

impl<V> Entries<V> {
    /// A map without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// A map of keys that others may have too. `None` unless the keys ascend and there is a value for each.
    pub fn of_keys(keys: Keys, values: Vec<V>) -> Option<Self> {
        let fits = keys.len() == values.len() && keys.windows(2).all(|pair| pair[0] < pair[1]);
        fits.then_some(Self { keys, values })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.keys.binary_search_by(|own| (**own).cmp(key))
    }

    /// What is under a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.values.get(self.place(key).ok()?)
    }

    /// Whether there is a value under a key; it may be null.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_ok()
    }

    /// Puts a value under a key, and gives what was there.
    pub fn insert(&mut self, key: Arc<str>, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.values[at], value)),
            Err(at) => {
                let (before, after) = self.keys.split_at(at);
                self.keys = before.iter().cloned().chain([key]).chain(after.iter().cloned()).collect();
                self.values.insert(at, value);
                None
            }
        }
    }

    /// Takes an entry away, and gives what was there.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let at = self.place(key).ok()?;
        self.keys =
            self.keys.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, key)| key.clone()).collect();
        Some(self.values.remove(at))
    }

    /// The keys, ascending, as they are shared.
    pub fn shared_keys(&self) -> &Keys {
        &self.keys
    }

    /// The keys, ascending.
    pub fn keys(&self) -> std::slice::Iter<'_, Arc<str>> {
        self.keys.iter()
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> Iter<'_, V> {
        self.keys.iter().zip(&self.values)
    }

    /// Whether both have the same keys. **Cost**: none where they are shared.
    pub fn has_keys_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys) || self.keys == other.keys
    }
}

/// The entries of a map, in the order of their keys.
type Iter<'m, V> = std::iter::Zip<std::slice::Iter<'m, Arc<str>>, std::slice::Iter<'m, V>>;

impl<'m, V> IntoIterator for &'m Entries<V> {
    type Item = (&'m Arc<str>, &'m V);
    type IntoIter = Iter<'m, V>;

    fn into_iter(self) -> Iter<'m, V> {
        self.iter()
    }
}

/// The entries of a map that is taken apart.
#[derive(Debug)]
pub struct IntoIter<V> {
    keys: Keys,
    values: std::iter::Enumerate<std::vec::IntoIter<V>>,
}

impl<V> Iterator for IntoIter<V> {
    type Item = (Arc<str>, V);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, value) = self.values.next()?;
        Some((self.keys[at].clone(), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<V> ExactSizeIterator for IntoIter<V> {}

impl<V> IntoIterator for Entries<V> {
    type Item = (Arc<str>, V);
    type IntoIter = IntoIter<V>;

    fn into_iter(self) -> IntoIter<V> {
        IntoIter { keys: self.keys, values: self.values.into_iter().enumerate() }
    }
}

/// Of two entries with the same key the later one is there.
impl<V: Default> FromIterator<(Arc<str>, V)> for Entries<V> {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, V)>>(entries: I) -> Self {
        let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        if keys.windows(2).all(|pair| pair[0] < pair[1]) {
            return Self { keys: keys.into(), values };
        }
        Shape::new(keys).map(values)
    }
}

impl<V: Default, const N: usize> From<[(Arc<str>, V); N]> for Entries<V> {
    fn from(entries: [(Arc<str>, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V: Default> From<BTreeMap<Arc<str>, V>> for Entries<V> {
    fn from(entries: BTreeMap<Arc<str>, V>) -> Self {
        entries.into_iter().collect()
    }
}

impl<V: Default> Extend<(Arc<str>, V)> for Entries<V> {
    fn extend<I: IntoIterator<Item = (Arc<str>, V)>>(&mut self, entries: I) {
        let mut entries = entries.into_iter().peekable();
        if entries.peek().is_some() {
            *self = std::mem::take(self).into_iter().chain(entries).collect();
        }
    }
}

/// Names in the order in which rows give their values: the columns of a frame, the keys of a dictionary. The
/// maps that are made of it share their keys.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    names: Vec<Arc<str>>,
    keys: Keys,
    /// For each key the place of its value among those of a row. `None` where that is the same for all.
    places: Option<Vec<usize>>,
}

impl Shape {
    /// Rows of these names. Of two equal ones the later one counts.
    pub fn new(names: Vec<Arc<str>>) -> Self {
        if names.windows(2).all(|pair| pair[0] < pair[1]) {
            return Self { keys: names.as_slice().into(), names, places: None };
        }
        let mut places: Vec<usize> = (0..names.len()).collect();
        places.sort_by(|a, b| names[*a].cmp(&names[*b]).then(b.cmp(a)));
        places.dedup_by(|later, first| names[*later] == names[*first]);
        let keys = places.iter().map(|at| names[*at].clone()).collect();
        Self { names, keys, places: Some(places) }
    }

    /// The names, in the order in which they were given.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The map of a row: a value for each name. What is missing is null.
    pub fn map<V: Default>(&self, mut row: Vec<V>) -> Entries<V> {
        row.resize_with(self.names.len(), V::default);
        let values = match &self.places {
            None => row,
            Some(places) => places.iter().map(|at| std::mem::take(&mut row[*at])).collect(),
        };
        Entries { keys: Arc::clone(&self.keys), values }
    }

    /// The maps of `len` rows, given as a column for each name.
    pub fn maps<V: Default>(&self, columns: Vec<Vec<V>>, len: usize) -> impl Iterator<Item = Entries<V>> {
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        (0..len).map(move |_| self.map(columns.iter_mut().map(|c| c.next().unwrap_or_default()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;

    use super::*;

    type Map = Entries<i64>;

    fn shown(map: &Map) -> String {
        format!("{:?}", map.iter().collect::<Vec<_>>())
    }

    fn name(random: &mut Random) -> Arc<str> {
        ["a", "ab", "b", "", "ä", "z"][random.below(6)].into()
    }

    #[test]
    fn a_map_is_what_a_tree_of_the_same_entries_is() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let entries: Vec<(Arc<str>, i64)> =
                (0..random.below(6)).map(|i| (name(&mut random), i as i64)).collect();
            let mut tree: BTreeMap<Arc<str>, i64> = entries.iter().cloned().collect();
            let mut map: Map = entries.iter().cloned().collect();
            let (names, row) = entries.into_iter().unzip();
            assert_eq!(shown(&Shape::new(names).map(row)), shown(&map), "a shape is as the entries are");
            for _ in 0..3 {
                let key = name(&mut random);
                match random.below(3) {
                    0 => {
                        let before = tree.insert(key.clone(), 0).is_some();
                        assert_eq!(map.insert(key, 0).is_some(), before);
                    }
                    1 => assert_eq!(map.remove(&key).is_some(), tree.remove(&key).is_some()),
                    _ => {
                        let more = [(key, 9), (name(&mut random), 8)];
                        tree.extend(more.clone());
                        map.extend(more);
                    }
                }
                assert_eq!(shown(&map), format!("{:?}", tree.iter().collect::<Vec<_>>()));
                let key = name(&mut random);
                assert_eq!(format!("{:?}", map.get(&key)), format!("{:?}", tree.get(&key)));
                assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
            }
            let apart: Vec<_> = map.clone().into_iter().collect();
            assert_eq!(shown(&apart.into_iter().collect()), shown(&map));
        }
    }

    #[test]
    fn rows_of_a_shape_share_their_keys() {
        let shape = Shape::new(["b", "a", "b"].map(Arc::from).to_vec());
        let maps = [1, 4].map(|i| shape.map((i..i + 3).collect()));
        assert_eq!(shown(&maps[0]), r#"[("a", 2), ("b", 3)]"#);
        assert!(Arc::ptr_eq(maps[0].shared_keys(), maps[1].shared_keys()));
        assert!(maps[0].has_keys_of(&maps[1]) && !maps[0].has_keys_of(&Map::new()));
        assert_eq!(shown(&shape.map(vec![1])), r#"[("a", 0), ("b", 0)]"#);
    }

    #[test]
    fn keys_that_do_not_ascend_are_refused() {
        let keys = |names: &[&str]| names.iter().map(|n| Arc::from(*n)).collect::<Keys>();
        assert!(Map::of_keys(keys(&["a", "b"]), vec![0; 2]).is_some());
        assert!(Map::of_keys(keys(&["a", "b"]), vec![0]).is_none());
        assert!(Map::of_keys(keys(&["b", "a"]), vec![0; 2]).is_none());
        assert!(Map::of_keys(keys(&["a", "a"]), vec![0; 2]).is_none());
    }
}

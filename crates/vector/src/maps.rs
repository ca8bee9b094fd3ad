//! The maps of a vector: all have the same keys, and a vector holds what they have under each. Lists of one
//! length whose elements are of unlike types, as `[date, 1]`, are kept as maps by place: `Values::Tuple`.
//!
//! Invariants:
//!
//! 1. The keys ascend. Each has a field: a listed vector with one value a map.
//! 2. What a map has under a key is null in the field; a null map is null in the vector that these are the
//!    values of, and its fields are arbitrary.

use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_types::{Map, Value};

use crate::{Maps, Nulls, Positions, Values, Vector};

impl<'s> Maps<'s> {
    /// `len` maps of these entries. `None` where a key comes twice, or a field has not `len` values.
    pub fn new(mut entries: Vec<(Arc<str>, Vector<'s>)>, len: usize) -> Option<Self> {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let fits = |field: &Vector<'_>| field.listed() == len;
        let is_map =
            entries.windows(2).all(|pair| pair[0].0 < pair[1].0) && entries.iter().all(|e| fits(&e.1));
        let (keys, fields): (Vec<_>, _) = entries.into_iter().unzip();
        is_map.then(|| Self { keys: keys.into(), fields, len })
    }

    /// `len` lists as maps by place: each has an element of each of these. `None` where one of them has not
    /// `len` values, or they are more than [`PARTS_MAX`](Self::PARTS_MAX).
    pub fn by_place(parts: Vec<Vector<'s>>, len: usize) -> Option<Self> {
        if parts.len() > Self::PARTS_MAX {
            return None;
        }
        // Characters of one byte ascend.
        let places = (0..=u8::MAX).map(|place| Arc::from(String::from(char::from(place))));
        Self::new(places.zip(parts).collect(), len)
    }

    /// Parts of a list that is kept by place, at most.
    pub const PARTS_MAX: usize = 16;

    /// The list at `i` as a value, of maps by place.
    pub fn list(&self, i: usize, edge: &dyn Fn(EdgeId) -> Value) -> Value {
        Value::list(self.fields.iter().map(|field| field.value(i, edge)).collect())
    }

    /// What lists that are kept by place have at one, null where they are themselves, or have no such place.
    pub fn at_place(&self, place: usize, nulls: &Nulls) -> Vector<'s> {
        match self.keys.get(place) {
            Some(key) => self.under(key, nulls),
            None => Vector::nulls(self.len),
        }
    }

    /// Maps of values: those that are meant are maps of the same keys, or null. `None` where they are not, or
    /// there is none.
    pub(crate) fn of_values(values: &[Value], at: Positions<'_>) -> Option<Self> {
        let mut keys: Option<&Map> = None;
        let mut agree = true;
        at.for_each(|i| match (&values[i], &keys) {
            (Value::Null, _) => {}
            (Value::Map(map), None) => keys = Some(map),
            (Value::Map(map), Some(keys)) => agree &= map.has_keys_of(keys),
            _ => agree = false,
        });
        let keys = Arc::clone(keys.filter(|_| agree)?.shared_keys());
        let mut columns: Vec<Vec<Value>> = keys.iter().map(|_| vec![Value::Null; at.len]).collect();
        at.for_each(|i| {
            if let Value::Map(map) = &values[i] {
                columns.iter_mut().zip(map.values()).for_each(|(column, value)| column[i] = value.clone());
            }
        });
        let fields = columns.into_iter().map(|column| Vector::of_values(column, at)).collect();
        Some(Self { keys, fields, len: at.len })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What all of them have, ascending.
    pub fn keys(&self) -> &[Arc<str>] {
        &self.keys
    }

    /// What the maps have under each key, in the order of keys.
    pub fn fields(&self) -> &[Vector<'s>] {
        &self.fields
    }

    /// What the maps have under a key, if it is theirs.
    pub fn field(&self, key: &str) -> Option<&Vector<'s>> {
        let place = self.keys.binary_search_by(|own| (**own).cmp(key)).ok()?;
        self.fields.get(place)
    }

    /// What the maps have under a key, null where they are themselves.
    pub fn under(&self, key: &str, nulls: &Nulls) -> Vector<'s> {
        let Some(field) = self.field(key) else { return Vector::nulls(self.len) };
        let mut out = field.clone();
        match &mut out.values {
            Values::Any(values) => {
                let missing = values.iter_mut().enumerate().filter(|(i, _)| nulls.get(*i));
                missing.for_each(|(_, value)| *value = Value::Null);
            }
            _ => out.nulls = out.nulls.union(nulls, self.len),
        }
        out
    }

    /// The map at `i` as a value.
    pub fn value(&self, i: usize, edge: &dyn Fn(EdgeId) -> Value) -> Value {
        let values = self.fields.iter().map(|field| field.value(i, edge)).collect();
        // A field is there for each key, and keys ascend.
        Value::map(Map::of_keys(Arc::clone(&self.keys), values).unwrap_or_default())
    }

    /// The maps at the given positions, in that order.
    pub fn gather(&self, positions: &[u32]) -> Self {
        let fields = self.fields.iter().map(|field| field.gather(positions)).collect();
        Self { keys: Arc::clone(&self.keys), fields, len: positions.len() }
    }

    /// None, of the same keys.
    pub(crate) fn like(&self) -> Self {
        let fields = self.fields.iter().map(Vector::like).collect();
        Self { keys: Arc::clone(&self.keys), fields, len: 0 }
    }

    /// Whether both have the same keys.
    pub fn has_keys_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys) || self.keys == other.keys
    }

    /// Appends `positions` of maps with the same keys.
    pub(crate) fn extend(&mut self, other: &Self, positions: &[u32], edge: &dyn Fn(EdgeId) -> Value) {
        for (field, more) in self.fields.iter_mut().zip(&other.fields) {
            field.extend(more, positions, edge);
        }
        self.len += positions.len();
    }

    /// Makes them `len`, with arbitrary ones at the end.
    pub(crate) fn resize(&mut self, len: usize) {
        self.fields.iter_mut().for_each(|field| field.resize(len));
        self.len = len;
    }

    /// Copies `positions` of as many others over those of these. `false`, and nothing done, where keys or
    /// types differ.
    pub(crate) fn assign(&mut self, other: &Self, positions: &[u32]) -> bool {
        if !self.has_keys_of(other) {
            return false;
        }
        let mut fields = self.fields.clone();
        let fit =
            fields.iter_mut().zip(&other.fields).all(|(field, from)| field.assign(from, positions, self.len));
        if fit {
            self.fields = fields;
        }
        fit
    }
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;

    use super::*;

    fn no_edge(_: EdgeId) -> Value {
        Value::Null
    }

    fn maps(random: &mut Random, keys: &[&str], len: usize) -> Vec<Value> {
        let value = |random: &mut Random| match random.below(6) {
            0 => Value::Null,
            1 => Value::Float(0.5),
            2 => Value::String("text".into()),
            _ => Value::Int(random.between(-3, 3)),
        };
        let map = |random: &mut Random| {
            let entries = keys.iter().map(|key| (Arc::from(*key), value(random)));
            Value::map(entries.collect())
        };
        (0..len).map(|_| if random.chance(20) { Value::Null } else { map(random) }).collect()
    }

    /// Values have no equality of their own: their text tells every difference.
    fn shown(values: impl IntoIterator<Item = Value>) -> Vec<String> {
        values.into_iter().map(|value| format!("{value:?}")).collect()
    }

    fn values(vector: &Vector<'_>, len: usize) -> Vec<String> {
        shown((0..len).map(|i| vector.value(i, &no_edge)))
    }

    #[test]
    fn maps_of_the_same_keys_are_held_by_key() {
        let mut random = Random::new(3);
        for _ in 0..200 {
            let keys: &[&str] = [&["a"][..], &["b", "a"], &[]][random.below(3)];
            let given = maps(&mut random, keys, 20);
            let vector = Vector::of_values(given.clone(), Positions::all(20));
            let is_map = given.iter().any(|v| !v.is_null());
            assert_eq!(matches!(vector.values, Values::Map(_)), is_map);
            assert_eq!(values(&vector, 20), shown(given.clone()));
            let picked = [3, 3, 19, 0];
            let expected: Vec<Value> = picked.iter().map(|p| given[*p as usize].clone()).collect();
            assert_eq!(values(&vector.gather(&picked), 4), shown(expected.clone()));

            // Others after them, of the same keys or not, and over some of them.
            let keys = if random.chance(80) { keys } else { &["z"] };
            let more = maps(&mut random, keys, 20);
            let other = Vector::of_values(more.clone(), Positions::all(20));
            let mut both = vector.like();
            both.extend(&vector, &picked, &no_edge);
            both.extend(&other, &picked, &no_edge);
            let mut expected = expected;
            expected.extend(picked.iter().map(|p| more[*p as usize].clone()));
            assert_eq!(both.listed(), 8);
            assert_eq!(values(&both, 8), shown(expected));
            let mut over = vector.clone();
            if over.assign(&other, &[3, 19], 20) {
                let mut expected = given.clone();
                (expected[3], expected[19]) = (more[3].clone(), more[19].clone());
                assert_eq!(values(&over, 20), shown(expected));
            } else {
                assert_eq!(values(&over, 3), shown(given[..3].to_vec()));
            }
            let Values::Map(maps) = &vector.values else { continue };
            for key in ["a", "b", "x"] {
                let expected = given.iter().map(|map| match map {
                    Value::Map(map) => map.get(key).cloned().unwrap_or(Value::Null),
                    _ => Value::Null,
                });
                assert_eq!(values(&maps.under(key, &vector.nulls), 20), shown(expected));
            }
        }
    }

    #[test]
    fn keys_that_come_twice_and_short_fields_are_refused() {
        let field = |len: usize| Vector::new(Values::Int(vec![1; len]));
        assert!(Maps::new(vec![("a".into(), field(2)), ("a".into(), field(2))], 2).is_none());
        assert!(Maps::new(vec![("b".into(), field(2)), ("a".into(), field(3))], 2).is_none());
        let maps = Maps::new(vec![("b".into(), field(2)), ("a".into(), field(2))], 2).unwrap();
        assert_eq!(maps.keys(), ["a".into(), "b".into()]);
        let none = Maps::new(Vec::new(), 3).unwrap();
        assert_eq!(shown([none.value(2, &no_edge)]), shown([Value::map([].into())]));
    }
}

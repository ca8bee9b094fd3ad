//! Entries of maps by a key that is a value: `$names[n.code]`, `row['name']`.

use std::collections::HashMap;

use trimorph_types::{Map, Value};
use trimorph_vector::{Positions, Texts, Values, Vector};

use crate::kernel::{Argument, nulls_of};

/// `map[key]`; `None` where one is no map or no text.
pub fn entry<'s>(map: Argument<'_, 's>, key: Argument<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    match (map, key) {
        (Argument::Each(Vector { values: Values::Map(maps), nulls }), Argument::One(Value::String(key))) => {
            Some(maps.under(key, nulls))
        }
        (Argument::One(Value::Map(map)), Argument::Each(Vector { values: Values::String(keys), .. })) => {
            Some(of_one(map, key, keys, at))
        }
        _ => None,
    }
}

/// What one map has under many keys: its values once, of which each position has one. A key of a dictionary
/// is looked up once.
fn of_one<'s>(map: &Map, key: Argument<'_, 's>, keys: &Texts<'_>, at: Positions<'_>) -> Vector<'s> {
    let mut values: Vec<Value> = map.values().cloned().collect();
    // What is not there.
    values.push(Value::Null);
    let missing = values.len() - 1;
    let places: HashMap<&str, usize> = map.iter().enumerate().map(|(k, (key, _))| (&**key, k)).collect();
    let place = |key: &str| u32::try_from(places.get(key).copied().unwrap_or(missing)).unwrap_or(0);
    let nulls = nulls_of(&[key], at.len);
    let mut picked = vec![u32::try_from(missing).unwrap_or(0); at.len];
    match keys.codes().filter(|(_, entries)| entries.len() <= at.count()) {
        Some((codes, entries)) => {
            let of_entries: Vec<u32> = entries.iter().map(place).collect();
            at.for_each(|i| {
                if !nulls.get(i) {
                    picked[i] = of_entries[codes[i] as usize];
                }
            });
        }
        None => at.for_each(|i| {
            if !nulls.get(i) {
                picked[i] = place(keys.get(i));
            }
        }),
    }
    let count = values.len();
    Vector::of_values(values, Positions::all(count)).gather(&picked)
}

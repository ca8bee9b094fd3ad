//! Hashing by equivalence, and the wrapper that makes a value a key.

use std::hash::{Hash, Hasher};

use super::equality::equivalent;
use crate::number::exact_int;
use crate::{Decimal, Value};

/// Feeds `value` to `state` so that equivalent values feed the same: `1` and `1.0` and the decimal 1, all
/// NaNs, `0.0` and `-0.0`.
pub fn hash_equivalent<H: Hasher>(value: &Value, state: &mut H) {
    // Types that can be equivalent share a tag: the numbers.
    match value {
        Value::Null => state.write_u8(0),
        Value::Bool(x) => {
            state.write_u8(1);
            x.hash(state);
        }
        Value::Int(x) => {
            state.write_u8(2);
            state.write_i64(*x);
        }
        Value::Float(x) => {
            state.write_u8(2);
            hash_float(*x, state);
        }
        Value::Decimal(x) => {
            state.write_u8(2);
            hash_decimal(*x, state);
        }
        Value::String(x) => {
            state.write_u8(3);
            x.hash(state);
        }
        Value::Iri(x) => tagged(16, x, state),
        Value::Literal(x) => tagged(17, x, state),
        Value::Bytes(x) => {
            state.write_u8(4);
            x.hash(state);
        }
        Value::List(items) => {
            state.write_u8(5);
            state.write_usize(items.len());
            items.iter().for_each(|item| hash_equivalent(item, state));
        }
        Value::Map(entries) => {
            state.write_u8(6);
            state.write_usize(entries.len());
            for (key, value) in entries.iter() {
                key.hash(state);
                hash_equivalent(value, state);
            }
        }
        Value::Date(x) => tagged(7, x, state),
        Value::LocalTime(x) => tagged(8, x, state),
        Value::Time(x) => tagged(9, x, state),
        Value::LocalDateTime(x) => tagged(10, x, state),
        Value::DateTime(x) => tagged(11, x, state),
        Value::Duration(x) => tagged(12, x, state),
        Value::Node(x) => tagged(13, x, state),
        Value::Relationship(x) => tagged(14, &x.id, state),
        Value::Path(x) => {
            tagged(15, &x.nodes, state);
            x.relationships.iter().for_each(|r| r.id.hash(state));
        }
    }
}

fn hash_float<H: Hasher>(number: f64, state: &mut H) {
    match exact_int(number) {
        Some(whole) => state.write_i64(whole),
        None if number.is_nan() => state.write_u64(f64::NAN.to_bits()),
        None => state.write_u64(number.to_bits()),
    }
}

/// As the integer or float it is, if it is one.
fn hash_decimal<H: Hasher>(number: Decimal, state: &mut H) {
    match (number.exact_int(), number.exact_float()) {
        (Some(whole), _) => state.write_i64(whole),
        (None, Some(float)) => hash_float(float, state),
        (None, None) => number.hash(state),
    }
}

fn tagged<H: Hasher>(tag: u8, part: &impl Hash, state: &mut H) {
    state.write_u8(tag);
    part.hash(state);
}

/// A value as a key of a hash map: equal and hashed by equivalence.
#[derive(Clone, Debug, Default)]
pub struct Grouping(pub Value);

impl PartialEq for Grouping {
    fn eq(&self, other: &Self) -> bool {
        equivalent(&self.0, &other.0)
    }
}

impl Eq for Grouping {}

impl Hash for Grouping {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_equivalent(&self.0, state);
    }
}

//! Takes a vector of a few values and where they belong, puts them over those of another vector.

use crate::vector::{Values, Vector};

impl Vector<'_> {
    /// Copies the values of `other`, in their order, to `positions` of `self`, a vector of `len`. `false`,
    /// and nothing done, where the types differ; nulls alone have none.
    ///
    /// **Cost**: a store for each value of one machine word, else a look at each of `len` positions.
    pub fn put(&mut self, other: &Self, positions: &[u32], len: usize) -> bool {
        fn store<T: Copy>(to: &mut [T], from: &[T], positions: &[u32]) {
            positions.iter().zip(from).for_each(|(position, value)| to[*position as usize] = *value);
        }
        match (&mut self.values, &other.values) {
            (Values::Bool(a), Values::Bool(b)) => store(a, b, positions),
            (Values::Int(a), Values::Int(b))
            | (Values::LocalTime(a), Values::LocalTime(b))
            | (Values::LocalDateTime(a), Values::LocalDateTime(b))
            | (Values::DateTime(a), Values::DateTime(b)) => store(a, b, positions),
            (Values::Float(a), Values::Float(b)) => store(a, b, positions),
            (Values::Date(a), Values::Date(b)) => store(a, b, positions),
            _ if positions.is_empty() => return true,
            _ => {
                let mut places = vec![0; len];
                (0..).zip(positions).for_each(|(place, position)| places[*position as usize] = place);
                return self.assign(&other.gather(&places), positions, len);
            }
        }
        self.nulls.clear(positions);
        if !other.nulls.is_none() {
            let nulls = positions.iter().enumerate().filter(|(i, _)| other.nulls.get(*i));
            nulls.for_each(|(_, position)| self.nulls.set(*position as usize, len));
        }
        true
    }

    /// Makes position `i` of `len` null.
    pub fn set_null(&mut self, i: usize, len: usize) {
        match &mut self.values {
            Values::Any(values) => values[i] = trimorph_types::Value::Null,
            _ => self.nulls.set(i, len),
        }
    }
}

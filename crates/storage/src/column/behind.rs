//! What rows behind a column's end read as, where debug assertions are on: a vector in, the same with values
//! that nobody wrote out. They are arbitrary by contract ([`super::ColumnView::gather`]); as it happens they
//! are often null, or what a constant column is made of, which looks right until it is not. So who takes one
//! of them for a value gives an answer that tests tell from the right one.

use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

/// The digits are for who finds it in an answer.
const NUMBER: i64 = -7_077_077_077;

/// Spoils the values at `positions`.
pub(super) fn spoil(vector: &mut Vector<'_>, positions: &[u32]) {
    vector.nulls.clear(positions);
    for position in positions {
        let at = *position as usize;
        match &mut vector.values {
            Values::Int(values)
            | Values::DateTime(values)
            | Values::LocalDateTime(values)
            | Values::LocalTime(values) => values[at] = NUMBER,
            Values::Date(values) => values[at] = -70_770,
            Values::Float(values) => values[at] = NUMBER as f64,
            Values::Bool(values) => values[at] = !values[at],
            Values::Any(values) => values[at] = Value::Int(NUMBER),
            // Texts and the rest are made in one go; at these they are empty, and no more null.
            _ => {}
        }
    }
}

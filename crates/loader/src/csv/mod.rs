//! CSV: bytes in, typed batches out.
//!
//! 1. [`chunk`] cuts a stream at record ends.
//! 2. [`split`] finds the fields of a record, [`block`] those of many records of one shape.
//! 3. [`table`] parses them into columns as a [`crate::plan::TablePlan`] says. [`header`] reads first
//!    records, [`scan`] the distinct values of a column.

pub(crate) mod block;
pub(crate) mod chunk;
pub(crate) mod header;
pub(crate) mod scan;
pub(crate) mod split;
mod structural;
pub(crate) mod table;

#[cfg(test)]
mod tests;

/// What is no quote: a byte that no text has.
pub(crate) const NO_QUOTE: u8 = 0xFF;

/// How the text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dialect {
    /// Between fields: one ASCII byte, neither a quote nor a line end.
    pub(crate) delimiter: u8,
    /// Around a field that holds a delimiter, a quote or a line end: another ASCII byte, or [`NO_QUOTE`].
    pub(crate) quote: u8,
    /// Longest field accepted.
    pub(crate) field_bytes_max: usize,
}

impl Dialect {
    /// Longest record accepted: longer ones are refused without being held.
    pub(crate) fn record_bytes_max(self) -> usize {
        self.field_bytes_max.saturating_mul(4).min(1 << 30)
    }
}

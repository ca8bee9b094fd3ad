//! Texts: numbers with units, aligned columns, words of a query.

pub(crate) mod columns;
pub(crate) mod highlight;
pub(crate) mod near;
pub(crate) mod quantity;
pub(crate) mod scan;
#[cfg(test)]
mod tests;

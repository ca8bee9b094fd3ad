//! openCypher's relations between values: equality, comparability, equivalence and orderability.
//!
//! | relation | used by | null | NaN | different types |
//! |---|---|---|---|---|
//! | [`equals`] | `=`, `<>`, `IN` | null | unequal to all | unequal |
//! | [`compare`], [`less`] … | `<`, `<=`, `>`, `>=` | null | false | null |
//! | [`equivalent`] | `DISTINCT`, grouping | like itself | like itself | not equivalent |
//! | [`order`] | `ORDER BY`, `min`, `max` | last | largest number | by type |
//!
//! [`hash_equivalent`] hashes equivalent values alike; [`Grouping`] makes a value a key of a hash map.
//!
//! Zoned values are ordered by instant, then by offset and zone name; they are equal if zone and instant are.
//!
//! Source: openCypher CIP2016-06-14 (the four relations), CIP2015-08-06 (temporal values).

mod comparability;
mod equality;
mod hash;
mod orderability;

pub use comparability::{compare, greater, greater_or_equal, less, less_or_equal};
pub use equality::{equals, equivalent};
pub use hash::{Grouping, hash_equivalent};
pub use orderability::order;

#[cfg(test)]
mod tests;

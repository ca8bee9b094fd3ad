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
//! Integers, floats and decimals are compared as the exact numbers they are. IRIs and literals are types of
//! their own: IRIs and language-tagged literals are equal as terms, literals of unknown datatypes are known
//! to be equal only if they are the same term, and none of them is less than another; only [`order`] has a
//! place for each.
//!
//! Zoned values are ordered by instant, then by offset and zone name; they are equal if zone and instant are.
//!
//! Source: openCypher CIP2016-06-14 (the four relations), CIP2015-08-06 (temporal values); SPARQL 1.1 §15.1,
//! §17.3, §17.4.1.7 (RDF terms).

mod comparability;
mod equality;
mod hash;
mod orderability;

pub use comparability::{compare, greater, greater_or_equal, less, less_or_equal};
pub use equality::{equals, equivalent};
pub use hash::{Grouping, hash_equivalent};
pub use orderability::{length, order, order_durations, order_times, order_zones};

#[cfg(test)]
mod tests;

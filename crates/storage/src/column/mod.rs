//! A property column: segments of 65,536 rows, each encoded as its data asks, with zone maps.
//!
//! Encodings (design §3), all with constant-time access, chosen per segment by size: frame of reference with
//! suppressed width (a constant is width 0, a Boolean width 1), the distance to a line, runs with a rank,
//! decimals, dictionary codes, strings plain or FSST, lists as ends and elements, general values. Nulls take
//! no space in the data: a rank index says where a present row's value is. Values of another type than the
//! column's are *exceptions*: sorted rows with general values.
//!
//! Source: GF-CL §4.1 and §5.3; Virtuoso "Column Store"; Poseidon §3 (the F column) for exceptions.

mod behind;
mod blobs;
mod codes;
mod compare;
#[cfg(test)]
pub(crate) mod compare_tests;
mod data;
mod dictionary;
mod distinct;
mod elements;
mod encoded;
mod filter;
mod fixed;
mod format;
mod integer_set;
mod label_rows;
mod list_writer;
mod lists;
mod nulls;
mod pairs;
mod segment;
mod segment_view;
mod small_texts;
mod stored_column;
mod stored_dictionary;
#[cfg(test)]
mod tests;
mod texts;
mod view;
mod writer;
mod zoned;

pub(crate) use blobs::{Ints as PackedInts, RankBytes, put_blob, read_presence, type_code, type_from_code};
pub use codes::RowId;
pub use compare::{Comparison, Condition};
pub use filter::hash_of;
pub use format::{SEGMENT_ROWS, ZONE_ROWS};
pub(crate) use format::{Summary, segment_lengths};
pub use integer_set::IntegerSet;
pub use label_rows::LabelRows;
pub(crate) use segment::Segment;
pub use stored_column::Column;
pub(crate) use stored_column::Fsst;
pub(crate) use stored_dictionary::{Dictionary, Entries};
pub use view::{ColumnView, KnownSegment};
pub use writer::{ColumnBytes, ColumnWriter, as_integer, of_integer};
pub(crate) use writer::{WrittenColumn, WrittenSegments, value_at};

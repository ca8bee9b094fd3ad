//! A generator of social networks with the schema and file layout of the LDBC Social Network Benchmark.
//!
//! **This is not the LDBC Datagen**: names, texts and correlations are its own, so no figure measured on its
//! data is an LDBC result. What it shares is the schema, the CSV layouts, the numbers of the static entities,
//! and roughly the numbers of the others at a given scale.
//!
//! 1. [`world`]: places, organisations, tags out of embedded dictionaries.
//! 2. [`persons`]: attributes that go together.
//! 3. [`friends`]: a skewed graph of who knows whom.
//! 4. [`activity`]: forums, messages and likes, written as they are made, so memory grows with the number of
//!    persons and friendships only. The same seed gives the same bytes everywhere.

mod activity;
mod friends;
mod layout;
mod persons;
mod rng;
mod rows;
pub mod snb;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod words;
mod world;

pub use layout::SnbLayout;
pub use snb::{GenerateReport, SNB_NOTICE, generate_snb, load_generated_snb, persons_of_scale};

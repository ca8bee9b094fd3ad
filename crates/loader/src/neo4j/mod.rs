//! CSV files whose headers say what they hold, as `neo4j-admin database import` reads them.
//!
//! 1. [`header`] reads the header fields (`id:ID(Space)`, `:LABEL`, `name:string`, `tags:string[]`,
//!    `:START_ID(Space)`, `:TYPE`).
//! 2. [`plan`] scans label and type columns, so that every table is known with exactly its own properties,
//!    and declares the tables.
//!
//! Rules: keys are strings unless the header says `{id-type: long}`; without a space, all files share one; a
//! row without a label makes a node without labels; an empty field is null, `""` an empty string.

mod header;
mod plan;

pub(crate) use plan::{has_header, plan};

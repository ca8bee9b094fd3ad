//! Trimorph: one graph, three forms. An embeddable, in-memory-first graph database that keeps a dataset once,
//! in compressed columns, and is asked in openCypher and SPARQL.
//!
//! # Start here
//!
//! A [`Database`] lives in memory or in a directory; a [`Connection`] asks it; a [`QueryResult`] is an
//! iterator over rows, which are computed as they are fetched.
//!
//! ```
//! use trimorph::{Config, Database};
//!
//! # fn main() -> Result<(), trimorph::Error> {
//! let db = Database::in_memory(Config::new());
//! let connection = db.connect();
//! connection.query("CREATE (:Person {name: 'Ann'})-[:KNOWS {since: 2010}]->(:Person {name: 'Bob'})", &[])?;
//!
//! let text = "MATCH (a:Person {name: $name})-[k:KNOWS]->(b) RETURN b.name AS friend, k.since AS since";
//! for record in connection.query(text, &[("name", "Ann".into())])? {
//!     let record = record?;
//!     println!("{} since {}", record.get::<String>("friend")?, record.get::<i64>("since")?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What next
//!
//! | you want | look at |
//! |---|---|
//! | rows as tuples, or as types of your own | [`QueryResult::typed`], [`QueryResult::one`], [`FromRecord`] |
//! | values as parameters | `"name".into()`, `vec![1, 2].into()`: [`Value`] is made of Rust's own types |
//! | a database that stays | [`Database::open`], [`Durability`] |
//! | many writes as one | [`Connection::transact`], which tries again after a conflict |
//! | the same query many times | [`Connection::prepare`] |
//! | files in | [`Database::load`], [`guess_mapping`]; RDF by [`Connection::load_rdf`] |
//! | frames in and out, without a copy | [`Database::load_frames`], [`QueryResult::arrow`] |
//! | functions of your own in queries | [`Connection::create_function`] |
//! | SPARQL | [`Connection::sparql`] |
//! | why it is slow | [`QueryResult::plan`] and [`QueryResult::plan_tree`] after `PROFILE` |
//! | to stop a query | [`Connection::interrupt`] from another thread, [`Connection::query_within`] a time |
//! | what is odd though right | [`QueryResult::notices`] |
//! | limits of memory, threads, time | [`Config`] |
//! | a smaller build | features: `arrow`, `parquet`, `rdf` (SPARQL, too), `service` (HTTP); all by default |
//!
//! What goes wrong is one [`Error`]: a text's own errors have line, column and what to do. Nothing panics,
//! whatever the text, the values or the files.
//!
//! ```
//! # let connection = trimorph::Database::in_memory(trimorph::Config::new()).connect();
//! let error = connection.query("RETURN nmae", &[]).unwrap_err();
//! assert_eq!(error.position(), Some((1, 8)));
//! assert!(error.to_string().contains("variable \"nmae\" is not defined"));
//! ```
//!
//! The book has a page on Rust with more of all this: `docs/book/rust.md`.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![cfg_attr(
    not(all(feature = "arrow", feature = "parquet", feature = "rdf", feature = "service")),
    allow(dead_code, unused_imports, reason = "what only a door uses that is left out is left in")
)]

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "rdf")]
mod blank_nodes;
#[cfg(test)]
mod changed_lists_tests;
mod checkpointing;
mod clauses;
mod commands;
mod config;
mod connection;
mod copy;
mod copy_statement;
mod database;
mod definitions;
mod directory;
mod durable;
mod elsewhere;
mod entity;
mod error;
mod estimates;
mod estimator;
mod facts;
mod facts_again;
mod first_load;
mod follower;
mod following;
mod functions;
mod handle;
mod handles;
mod late_refusals;
mod literal_indexes;
mod load_folders;
mod loading;
mod log_length;
mod machine;
mod maintenance;
mod merged_pieces;
mod merges_left;
mod merging;
mod notice;
mod odd_comparisons;
mod own_config;
mod params;
mod plan;
mod plan_cache;
mod planned;
mod procedures;
mod programs;
mod quoted;
#[cfg(feature = "rdf")]
mod rdf;
#[cfg(feature = "rdf")]
mod rdf_export;
mod read_command;
mod record;
mod regrouping;
mod reorganizing;
mod result;
mod running_functions;
mod sessions;
mod shared;
mod side_effects;
#[cfg(feature = "rdf")]
mod sparql;
mod stats;
mod transaction;
mod update;
mod user_functions;
mod value_indexes;
mod waiting;
#[cfg(feature = "service")]
mod web;

#[cfg(feature = "arrow")]
pub use arrow::{ArrowCursor, ArrowStream};
pub use clauses::{ClauseDoc, clauses};
#[doc(hidden)]
pub use config::{AccessChoice, Switches};
pub use config::{Config, Durability};
pub use connection::{Connection, Prepared};
pub use database::Database;
pub use entity::{Entities, Node, ReadEntities};
pub use error::{Error, render, text_width};
pub use follower::Lag;
pub use functions::{FunctionDoc, functions, instead_of};
pub use notice::Notice;
pub use params::Params;
pub use plan::{Measured, PlanForm, PlanOperator, PlanTree};
#[cfg(feature = "rdf")]
pub use rdf::{RdfOptions, RdfReport, is_rdf_file};
#[cfg(feature = "rdf")]
pub use rdf_export::{ExportOptions, ExportReport};
pub use record::{FromRecord, Record, Typed};
pub use result::{QueryResult, Row};
pub use sessions::OpenTransaction;
pub use side_effects::SideEffects;
#[cfg(feature = "rdf")]
pub use sparql::has_variable as has_sparql_variable;
pub use stats::{ColumnStats, EdgeTableStats, NodeTableStats, Stats};
pub use transaction::TransactionOptions;
pub use trimorph_algebra::Answer;
pub use trimorph_base::{
    CancelToken, Diagnostic, EdgeId, ErrorKind, NodeId, Phase, Span, forks, on_spare_memory,
};
pub use trimorph_exec::SpillError;
#[cfg(feature = "arrow")]
pub use trimorph_loader::frames::{EdgeFrame, Frame, FrameEnd, Frames, NodeFrame, Rows as FrameRows};
pub use trimorph_loader::generate;
#[cfg(feature = "arrow")]
pub use trimorph_loader::values_of as values_of_arrow;
pub use trimorph_loader::{
    ColumnReport, FellToText, FileGroup, FileReport, Format, GuessedMapping, IdType, LoadError, LoadOptions,
    LoadReport, NoProgress, OnConflict, Phase as LoadPhase, Progress, ProgressState, Rates, guess_mapping,
};
pub use trimorph_mvcc::Isolation;
#[cfg(feature = "rdf")]
pub use trimorph_sparql::{
    FUNCTIONS as SPARQL_FUNCTIONS, KEYWORDS as SPARQL_KEYWORDS, WELL_KNOWN as WELL_KNOWN_PREFIXES,
    ends_statement as ends_sparql_statement, is_update as is_sparql_update, statements as sparql_statements,
};
pub use trimorph_types::{
    Date, DateTime, Decimal, Duration, Entries, FromValue, Keys, Literal, LiteralKind, LocalDateTime,
    LocalTime, LogicalType, Map, Path, Relationship, Shape, Time, Value, WrongType, Zone, format_value,
    temporal,
};
pub use user_functions::{FunctionBody, ScalarFunction, function_failed};

/// The book's Rust, run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/book/rust.md")]
struct Book;

/// The read-me's Rust, run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadMe;

//! Trimorph: one graph, three forms. An embeddable, in-memory-first database that stores a dataset once, in
//! compressed columns.
//!
//! ```no_run
//! let db = trimorph::Database::in_memory(trimorph::Config::default());
//! db.generate_snb(0.1, 42)?;
//! let connection = db.connect();
//! let text = "MATCH (p:Person)-[:KNOWS]->(q) RETURN p.firstName, count(q) AS n";
//! let mut result = connection.query(text, &[])?;
//! while let Some(row) = result.next_row()? {
//!     println!("{}", row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "));
//! }
//! # Ok::<(), trimorph::Error>(())
//! ```
#![forbid(unsafe_code)]

mod arrow;
mod checkpointing;
mod commands;
mod config;
mod connection;
mod database;
mod definitions;
mod directory;
mod durable;
mod entity;
mod error;
mod estimates;
mod estimator;
mod explain;
mod facts;
mod first_load;
mod follower;
mod following;
mod functions;
mod load_folders;
mod loading;
mod machine;
mod maintenance;
mod merged_pieces;
mod merges_left;
mod merging;
mod notice;
mod params;
mod plan_cache;
mod planned;
mod procedures;
mod rdf;
mod rdf_export;
mod result;
mod sessions;
mod shared;
mod side_effects;
mod sparql;
mod stats;
mod transaction;
mod update;
mod value_indexes;

pub use arrow::{ArrowCursor, ArrowStream};
pub use config::{AccessChoice, Config, Durability};
pub use connection::{Connection, Prepared};
pub use database::Database;
pub use entity::{Entities, Node};
pub use error::{Error, render, text_width};
pub use follower::Lag;
pub use functions::function_names;
pub use notice::Notice;
pub use params::Params;
pub use rdf::{RdfOptions, RdfReport, is_rdf_file};
pub use rdf_export::{ExportOptions, ExportReport};
pub use result::{QueryResult, Row};
pub use sessions::OpenTransaction;
pub use side_effects::SideEffects;
pub use sparql::has_variable as has_sparql_variable;
pub use stats::{ColumnStats, EdgeTableStats, NodeTableStats, Stats};
pub use transaction::TransactionOptions;
pub use trimorph_algebra::Answer;
pub use trimorph_base::{CancelToken, Diagnostic, EdgeId, ErrorKind, NodeId, Phase, Span};
pub use trimorph_exec::SpillError;
pub use trimorph_loader::frames::{EdgeFrame, Frame, FrameEnd, Frames, NodeFrame, Rows as FrameRows};
pub use trimorph_loader::generate;
pub use trimorph_loader::{
    Format, LoadError, LoadOptions, LoadReport, NoProgress, OnConflict, Phase as LoadPhase, Progress,
    ProgressState, Rates, values_of as values_of_arrow,
};
pub use trimorph_mvcc::Isolation;
pub use trimorph_sparql::{
    FUNCTIONS as SPARQL_FUNCTIONS, KEYWORDS as SPARQL_KEYWORDS, WELL_KNOWN as WELL_KNOWN_PREFIXES,
    ends_statement as ends_sparql_statement, is_update as is_sparql_update, statements as sparql_statements,
};
pub use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LiteralKind, LocalDateTime, LocalTime, LogicalType, Map,
    Path, Relationship, Time, Value, Zone, format_value, temporal,
};

//! Query languages: which there are, how they are named, where statements of a text end.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::text::scan;

/// Query languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Language {
    Cypher,
    Sparql,
    Sql,
}

impl Language {
    /// Refuses what does not exist yet.
    pub(crate) fn require(self) -> Result<(), Failure> {
        let name = match self {
            Self::Cypher | Self::Sparql => return Ok(()),
            Self::Sql => "SQL",
        };
        Err(Failure::message(format!(
            "{name} is not available yet; this version speaks openCypher and SPARQL (--lang cypher, sparql)"
        )))
    }

    /// The statements of a text.
    pub(crate) fn statements(self, text: &str) -> Vec<&str> {
        match self {
            Self::Sparql => crate::rdf::sparql_statements(text),
            Self::Cypher | Self::Sql => scan::statements(text),
        }
    }

    /// Whether a text may write.
    pub(crate) fn is_update(self, text: &str) -> bool {
        match self {
            Self::Sparql => crate::rdf::is_sparql_update(text),
            Self::Cypher | Self::Sql => scan::is_update(text),
        }
    }

    /// The language that a file's name says.
    pub(crate) fn of_suffix(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "cypher" | "cyp" | "cql" => Some(Self::Cypher),
            "rq" | "ru" | "sparql" => Some(Self::Sparql),
            "sql" => Some(Self::Sql),
            _ => None,
        }
    }
}

//! Formats and their names: of files, media types, and what users write in options.

use std::path::Path;

use oxrdfio::RdfFormat;
use sparesults::QueryResultsFormat;

/// A format of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the formats'")]
pub enum Format {
    Turtle,
    TriG,
    NTriples,
    NQuads,
    RdfXml,
    JsonLd,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Turtle, Self::TriG, Self::NTriples, Self::NQuads, Self::RdfXml, Self::JsonLd];

    /// The format that a file's name says it has, whatever it is compressed with.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = [".gz", ".zst", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        Self::named(extension)
    }

    /// The format called so: by the suffix of its files, its media type, or its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "ttl" | "turtle" | "text/turtle" => Self::Turtle,
            "trig" | "application/trig" => Self::TriG,
            "nt" | "ntriples" | "n-triples" | "application/n-triples" => Self::NTriples,
            "nq" | "nquads" | "n-quads" | "application/n-quads" => Self::NQuads,
            "rdf" | "owl" | "xml" | "rdfxml" | "rdf/xml" | "application/rdf+xml" => Self::RdfXml,
            "jsonld" | "json-ld" | "application/ld+json" => Self::JsonLd,
            _ => return None,
        })
    }

    /// The name that people know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turtle => "Turtle",
            Self::TriG => "TriG",
            Self::NTriples => "N-Triples",
            Self::NQuads => "N-Quads",
            Self::RdfXml => "RDF/XML",
            Self::JsonLd => "JSON-LD",
        }
    }

    /// Whether statements of named graphs can be written in it.
    pub const fn has_graphs(self) -> bool {
        matches!(self, Self::TriG | Self::NQuads | Self::JsonLd)
    }

    pub(crate) fn library(self) -> RdfFormat {
        match self {
            Self::Turtle => RdfFormat::Turtle,
            Self::TriG => RdfFormat::TriG,
            Self::NTriples => RdfFormat::NTriples,
            Self::NQuads => RdfFormat::NQuads,
            Self::RdfXml => RdfFormat::RdfXml,
            Self::JsonLd => RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() },
        }
    }
}

/// A format of a query's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the formats'")]
pub enum ResultFormat {
    Json,
    Xml,
    Csv,
    Tsv,
}

impl ResultFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Xml, Self::Csv, Self::Tsv];

    /// The format called so: by the suffix of its files, its media type, or its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "json" | "srj" | "application/sparql-results+json" => Self::Json,
            "xml" | "srx" | "application/sparql-results+xml" => Self::Xml,
            "csv" | "text/csv" => Self::Csv,
            "tsv" | "text/tab-separated-values" => Self::Tsv,
            _ => return None,
        })
    }

    pub(crate) const fn library(self) -> QueryResultsFormat {
        match self {
            Self::Json => QueryResultsFormat::Json,
            Self::Xml => QueryResultsFormat::Xml,
            Self::Csv => QueryResultsFormat::Csv,
            Self::Tsv => QueryResultsFormat::Tsv,
        }
    }
}

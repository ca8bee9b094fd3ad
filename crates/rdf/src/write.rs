//! Statements in, a text of one of the formats out.
//!
//! Values must be terms by themselves: nodes and relationships have been asked for theirs.

use std::convert::Infallible;
use std::io::Write;

use oxrdf::{GraphName, NamedOrBlankNode, Quad};
use oxrdfio::{RdfSerializer, WriterQuadSerializer};
use trimorph_types::Value;
use trimorph_types::rdf::write_nt;

use crate::convert::{refused, resource, term};
use crate::error::WriteError;
use crate::format::Format;
use crate::xml_name::ends_with_name;

/// How statements are written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Prefixes and their namespaces, for formats that have them.
    pub prefixes: Vec<(String, String)>,
    /// What IRIs are written relative to, for formats that can.
    pub base: Option<String>,
}

/// Writes statements.
pub struct StatementWriter<W: Write> {
    format: Format,
    kind: Kind<W>,
}

enum Kind<W: Write> {
    /// N-Triples and N-Quads.
    Lines(W, String),
    Library(Box<WriterQuadSerializer<W>>),
}

impl<W: Write> StatementWriter<W> {
    /// A writer to `out`.
    ///
    /// **Errors**: a prefix or a base that is none.
    pub fn new(out: W, format: Format, options: &WriteOptions) -> Result<Self, WriteError> {
        if matches!(format, Format::NTriples | Format::NQuads) {
            return Ok(Self { format, kind: Kind::Lines(out, String::new()) });
        }
        let mut serializer = RdfSerializer::from_format(format.library());
        for (prefix, namespace) in &options.prefixes {
            serializer = serializer.with_prefix(prefix, namespace).map_err(|error| {
                WriteError::Format(format!(
                    "invalid namespace \"{namespace}\" of prefix \"{prefix}\": {error}"
                ))
            })?;
        }
        if let Some(base) = &options.base {
            serializer = serializer
                .with_base_iri(base)
                .map_err(|error| WriteError::Format(format!("invalid base IRI \"{base}\": {error}")))?;
        }
        Ok(Self { format, kind: Kind::Library(Box::new(serializer.for_writer(out))) })
    }

    /// Writes a statement of a named graph, or of the default graph.
    ///
    /// **Errors**: a value that is no term or not where it stands, a named graph in a format that has none,
    /// and what else a format cannot have (RDF/XML: predicates that make no name of XML).
    pub fn write(
        &mut self,
        [subject, predicate, object]: [&Value; 3],
        graph: Option<&Value>,
    ) -> Result<(), WriteError> {
        if graph.is_some() && !self.format.has_graphs() {
            return Err(WriteError::Format(format!("{} has no named graphs", self.format.name())));
        }
        let NamedOrBlankNode::NamedNode(predicate_name) = resource(predicate)? else {
            return Err(refused(predicate, "the predicate of a statement"));
        };
        if self.format == Format::RdfXml && !ends_with_name(predicate_name.as_str()) {
            let reason = format!(
                "<{}> does not end with a name, which predicates of RDF/XML must",
                predicate_name.as_str()
            );
            return Err(WriteError::Format(reason));
        }
        let graph_name = match graph.map(resource).transpose()? {
            None => GraphName::DefaultGraph,
            Some(name) => name.into(),
        };
        let quad = Quad::new(resource(subject)?, predicate_name, term(object)?, graph_name);
        match &mut self.kind {
            Kind::Library(serializer) => serializer.serialize_quad(&quad)?,
            Kind::Lines(out, line) => {
                line.clear();
                for value in [subject, predicate, object].into_iter().chain(graph) {
                    let mut itself = |value: &Value| Ok::<_, Infallible>(value.clone());
                    let Ok(_) = write_nt(line, value, &mut itself);
                    line.push(' ');
                }
                line.push_str(".\n");
                out.write_all(line.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes what is still to be written; gives back where it was written to.
    pub fn finish(self) -> Result<W, WriteError> {
        match self.kind {
            Kind::Lines(mut out, _) => {
                out.flush()?;
                Ok(out)
            }
            Kind::Library(serializer) => Ok(serializer.finish()?),
        }
    }
}

//! Other servers, where the configuration allows the network: what `SERVICE` asks and `LOAD` reads.
//!
//! An answer is read whole before its rows are used, within a part of the memory limit: a query either has
//! all that a server said, or its error.

use std::sync::Arc;
use std::time::Duration;

use trimorph_algebra::{Content, Field, FieldType, Procedure, ProcedureRows, Signature};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind, MemoryBudget, Reservation};
use trimorph_rdf::{ResultFormat, Results, read_results};
use trimorph_types::{LogicalType, Value, rdf};
use trimorph_web::{Limits, Request, WebError, ask};

use crate::Config;
use crate::blank_nodes::blank_prefix;

/// Servers answer queries in these formats, the first one rather.
const RESULTS: &str =
    "application/sparql-results+json, application/sparql-results+xml;q=0.9, text/tab-separated-values;q=0.5";
/// And documents in these.
const DOCUMENTS: &str = "text/turtle, application/n-triples, application/n-quads, application/trig, \
                         application/rdf+xml;q=0.9, application/ld+json;q=0.8, */*;q=0.1";
/// How long until a server is there.
const CONNECT: Duration = Duration::from_secs(10);
/// An answer takes at most this part of the memory limit.
const ANSWER_PART: usize = 4;
/// Bytes that a row is charged with besides its values.
const ROW_BYTES: usize = 64;

/// How far a request of a database goes.
pub(crate) fn limits(config: &Config) -> Limits {
    let bytes = (config.memory_limit_bytes / ANSWER_PART) as u64;
    Limits { connect: CONNECT.min(config.network_timeout), total: config.network_timeout, bytes }
}

/// A document of statements, as it comes, and its media type.
///
/// **Errors**: an address that is none, a server that does not answer.
pub(crate) fn document(
    url: &str,
    config: &Config,
    cancel: &CancelToken,
) -> Result<trimorph_web::Answer, WebError> {
    // Statements go into the delta as they come: they are charged there.
    let limits = Limits { bytes: u64::MAX, ..limits(config) };
    ask(url, Request::Get, DOCUMENTS, limits, cancel)
}

/// What asks other servers. Its rows have one value, the list of those of the variables that were named.
#[derive(Debug)]
pub(crate) struct Service {
    signature: Signature,
    limits: Limits,
    budget: MemoryBudget,
}

impl Service {
    pub(crate) fn new(config: &Config, budget: MemoryBudget) -> Self {
        let field = |name: &str, ty: FieldType| Field { name: name.into(), ty };
        let plain = |ty| FieldType { content: Content::Plain(ty), nullable: true };
        let list = || FieldType { content: Content::List(Box::new(FieldType::ANY)), nullable: true };
        let signature = Signature {
            name: "sparql.service".into(),
            inputs: vec![
                field("server", FieldType::ANY),
                field("query", plain(LogicalType::String)),
                field("variables", list()),
                field("silent", plain(LogicalType::Bool)),
            ],
            outputs: vec![field("row", list())],
        };
        Self { signature, limits: limits(config), budget }
    }

    fn rows(
        &self,
        server: &str,
        query: &str,
        names: &[Value],
        cancel: &CancelToken,
    ) -> Result<Held, Diagnostic> {
        let failed = |what: String| {
            let error = Diagnostic::runtime(ErrorKind::ProcedureError, "ServiceFailed", what);
            error.hint("SERVICE SILENT goes on without what a server does not answer")
        };
        let told = |error: WebError| match error {
            WebError::Cancelled => *Diagnostic::cancelled(),
            other => failed(other.to_string()),
        };
        let form = Request::Form(vec![("query", query.to_owned())]);
        let mut answer = ask(server, form, RESULTS, self.limits, cancel).map_err(told)?;
        let format = match answer.content_type() {
            Some("application/sparql-results+xml" | "application/xml" | "text/xml") => ResultFormat::Xml,
            Some("text/tab-separated-values") => ResultFormat::Tsv,
            Some("application/sparql-results+json" | "application/json") | None => ResultFormat::Json,
            Some(other) => {
                return Err(failed(format!("{server} answers with {other}, which is no answer to a query")));
            }
        };
        let read = read_results(&mut answer, format, &blank_prefix());
        if let Some(error) = answer.failure() {
            return Err(told(error.clone()));
        }
        let (variables, rows) = match read {
            Ok(Results::Solutions { variables, rows }) => (variables, rows),
            Ok(Results::Boolean(_)) => {
                return Err(failed(format!("{server} answers with a boolean, not with solutions")));
            }
            Err(error) => return Err(failed(format!("{server}: {error}"))),
        };
        let place = |name: &Value| match name {
            Value::String(name) => variables.iter().position(|own| **own == **name),
            _ => None,
        };
        let places: Vec<Option<usize>> = names.iter().map(place).collect();
        let mut held = self.budget.reservation();
        let mut out = Vec::with_capacity(rows.len());
        for mut row in rows {
            let mut value = |place: &Option<usize>| {
                let value = place.and_then(|place| row.get_mut(place)).map(std::mem::take);
                rdf::normalise(value.unwrap_or(Value::Null))
            };
            let row = Value::list(places.iter().map(&mut value).collect());
            let bytes = usize::try_from(row.extent().bytes).unwrap_or(usize::MAX).saturating_add(ROW_BYTES);
            held.grow(bytes).map_err(|over| failed(format!("{server} answers with too much: {over}")))?;
            out.push(Arc::from([row]));
        }
        Ok(Held { rows: out.into_iter(), _held: held })
    }
}

impl Procedure for Service {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        self.call_until(arguments, &CancelToken::default())
    }

    fn call_until(&self, arguments: &[Value], cancel: &CancelToken) -> Result<ProcedureRows, Diagnostic> {
        let [server, Value::String(query), Value::List(names), Value::Bool(silent)] = arguments else {
            return Err(Diagnostic::internal("a server is asked by its address, a query and variables"));
        };
        let asked = match server {
            Value::Iri(iri) => self.rows(iri, query, names, cancel),
            other => {
                let what = format!("a {} is no address of a server", other.logical_type());
                Err(Diagnostic::runtime(ErrorKind::ProcedureError, "ServiceFailed", what))
            }
        };
        match asked {
            Ok(rows) => Ok(Box::new(rows)),
            Err(error) if *silent && error.kind == ErrorKind::ProcedureError => {
                let row: Arc<[Value]> = Arc::from([Value::list(vec![Value::Null; names.len()])]);
                Ok(Box::new(std::iter::once(row)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Rows, charged as long as they are there.
struct Held {
    rows: std::vec::IntoIter<Arc<[Value]>>,
    _held: Reservation,
}

impl Iterator for Held {
    type Item = Arc<[Value]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

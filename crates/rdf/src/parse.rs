//! A text of statements in, one statement after the other out.
//!
//! Streaming: no more of the text is in memory than a statement needs (of JSON-LD, a node object).

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Read;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;

use oxrdf::{GraphName, Literal, NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfParseError, RdfParser, RdfSyntaxError};
use trimorph_types::Value;
use trimorph_types::rdf::TERM_DEPTH_MAX;
use trimorph_types::rdf::names::rdf;

use crate::convert::{literal_ref, triple_value};
use crate::error::ReadError;
use crate::format::Format;
use crate::guard::{Guard, Refusal, Syntax};
use crate::statement::{Statement, TermRef};
use crate::xml_literal;
use crate::xml_reader::{XmlFault, XmlReader};

/// How a text is read.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    /// The format.
    pub format: Format,
    /// What relative IRIs are relative to. Without it, they are errors.
    pub base: Option<String>,
    /// Put before the label of each blank node, so that those of one text are none of another. Letters and
    /// digits of ASCII, `_` and `-`.
    pub blank_prefix: String,
    /// What happens to statements that are no statements.
    pub bad: BadStatements,
}

/// What happens to statements that are no statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadStatements {
    /// The first one is an error.
    Refuse,
    /// They are counted and left out, as far as the format lets the next one be found: a line of N-Triples
    /// and N-Quads, a statement of Turtle and TriG. In RDF/XML and JSON-LD nothing can be left out.
    Skip,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Report {
    /// Statements that were handed out. One that is written twice counts twice.
    pub statements: u64,
    /// What was left out.
    pub skipped: u64,
    /// Why, for the first ten.
    pub errors: Vec<ReadError>,
}

const ERRORS_KEPT: usize = 10;

/// Why reading gave up.
#[derive(Debug)]
pub enum Failure<E> {
    /// The text, the source or an option.
    Read(ReadError),
    /// Who takes the statements.
    Taker(E),
}

/// Whoever takes statements.
type Taker<'t, E> = &'t mut dyn FnMut(Statement<'_>) -> Result<(), E>;

/// Where statements go, and what happens to what is none.
pub(crate) struct Reading<'t, E> {
    options: &'t ParseOptions,
    taker: Taker<'t, E>,
    report: Report,
    texts: Texts,
}

impl<'t, E> Reading<'t, E> {
    pub(crate) fn new(options: &'t ParseOptions, taker: Taker<'t, E>) -> Result<Self, Failure<E>> {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        if !options.blank_prefix.bytes().all(is_plain) || options.blank_prefix.starts_with('-') {
            let reason = format!("invalid prefix of blank nodes \"{}\"", options.blank_prefix);
            return Err(Failure::Read(ReadError::Option(reason)));
        }
        Ok(Self { options, taker, report: Report::default(), texts: Texts::default() })
    }

    pub(crate) fn finish(self) -> Report {
        self.report
    }

    pub(crate) fn take(&mut self, statement: Statement<'_>) -> Result<(), Failure<E>> {
        (self.taker)(statement).map_err(Failure::Taker)?;
        self.report.statements += 1;
        Ok(())
    }

    /// A statement of the library's, or what is none.
    fn item(&mut self, item: Result<Quad, (ReadError, bool)>) -> Result<(), Failure<E>> {
        match item {
            Ok(quad) => self.quad(quad, None),
            Err((error, goes_on)) => self.bad(error, goes_on),
        }
    }

    /// A statement of the library's.
    pub(crate) fn quad(&mut self, mut quad: Quad, line: Option<u64>) -> Result<(), Failure<E>> {
        if self.options.format == Format::RdfXml {
            canonical_literals(&mut quad.object);
        }
        let Self { texts, taker, options, report } = self;
        match texts.statement(&quad, &options.blank_prefix) {
            Some(statement) => {
                taker(statement).map_err(Failure::Taker)?;
                report.statements += 1;
                Ok(())
            }
            None => {
                let reason = format!("more than {TERM_DEPTH_MAX} triple terms within each other");
                self.bad(ReadError::Syntax { line, column: None, reason }, true)
            }
        }
    }

    /// What is no statement; `goes_on` says whether the next one can be found.
    pub(crate) fn bad(&mut self, error: ReadError, goes_on: bool) -> Result<(), Failure<E>> {
        if !goes_on || self.options.bad == BadStatements::Refuse {
            return Err(Failure::Read(error));
        }
        self.report.skipped += 1;
        if self.report.errors.len() < ERRORS_KEPT {
            self.report.errors.push(error);
        }
        Ok(())
    }
}

/// Gives the statements of a text, and what is none with whether the next one can be found, to `give`, until
/// that says stop.
fn documents(
    reader: impl Read,
    options: &ParseOptions,
    mut give: impl FnMut(Result<Quad, (ReadError, bool)>) -> bool,
) {
    let mut parser = RdfParser::from_format(options.format.library());
    if let Some(base) = &options.base {
        parser = match parser.with_base_iri(base) {
            Ok(parser) => parser,
            Err(error) => {
                let reason = format!("invalid base IRI \"{base}\": {error}");
                give(Err((ReadError::Option(reason), false)));
                return;
            }
        };
    }
    let syntax = match options.format {
        Format::RdfXml => Syntax::Xml,
        Format::JsonLd => Syntax::Json,
        _ => Syntax::Turtle,
    };
    let lines = Rc::new(Cell::new(0));
    let guard = Guard::new(reader, syntax, &lines);
    let mut given = |item: Result<Quad, RdfParseError>| {
        give(item.map_err(|error| {
            let goes_on = syntax == Syntax::Turtle && matches!(error, RdfParseError::Syntax(_));
            let line = (syntax == Syntax::Xml).then(|| lines.get().max(1));
            (read_error(error, line), goes_on)
        }))
    };
    // The library's parsers of all formats are compiled for each type of reader: 200 KB of code.
    let guarded: Box<dyn Read + '_> = match syntax {
        Syntax::Xml => Box::new(XmlReader::new(guard)),
        _ => Box::new(guard),
    };
    // Nothing is asked for once someone has enough.
    parser.for_reader(guarded).all(&mut given);
}

/// Reads the statements of every format but N-Triples and N-Quads.
pub(crate) fn read_documents<E>(
    reader: impl Read,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<(), Failure<E>> {
    let mut done = Ok(());
    documents(reader, options, |item| {
        done = reading.item(item);
        done.is_ok()
    });
    done
}

/// Bytes of stack, of which only those that are needed are taken: a key of a context takes some six thousand
/// in a build that is not optimised, and `guard` bounds the keys.
const DEEP_STACK_BYTES: usize = 512 << 20;
/// Statements that are handed over at once, and how many of these may wait.
const BATCH_STATEMENTS: usize = 256;
const BATCHES_MAX: usize = 4;

/// The same for JSON-LD: what a context defines is looked up in calls within calls, so the parser has a
/// thread with a large stack; statements are taken in this one.
pub(crate) fn read_deep_documents<E>(
    reader: impl Read + Send,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<(), Failure<E>> {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(BATCHES_MAX);
        let parse = move || {
            let mut batch = Vec::new();
            documents(reader, options, |item| {
                let is_last = item.is_err();
                batch.push(item);
                // Whoever takes them may have given up.
                (!is_last && batch.len() < BATCH_STATEMENTS)
                    || sender.send(std::mem::take(&mut batch)).is_ok()
            });
            _ = sender.send(batch);
        };
        let builder = thread::Builder::new().stack_size(DEEP_STACK_BYTES);
        let parser =
            builder.spawn_scoped(scope, parse).map_err(|error| Failure::Read(ReadError::Io(error)))?;
        let done = receiver.iter().flatten().try_for_each(|item| reading.item(item));
        // The parser's next statement is its last.
        drop(receiver);
        if let Err(panic) = parser.join() {
            std::panic::resume_unwind(panic);
        }
        done
    })
}

/// XML literals in the form that RDF/XML wants.
fn canonical_literals(object: &mut Term) {
    match object {
        Term::Literal(literal) if literal.datatype().as_str() == rdf::XML_LITERAL => {
            if let Some(text) = xml_literal::canonical(literal.value()) {
                *literal = Literal::new_typed_literal(text, literal.datatype().into_owned());
            }
        }
        // As deep as elements are.
        Term::Triple(inner) => canonical_literals(&mut inner.object),
        _ => {}
    }
}

fn read_error(error: RdfParseError, line: Option<u64>) -> ReadError {
    match error {
        RdfParseError::Io(error)
            if error.get_ref().is_some_and(|inner| inner.is::<Refusal>() || inner.is::<XmlFault>()) =>
        {
            ReadError::Syntax { line, column: None, reason: error.to_string() }
        }
        RdfParseError::Io(error) => ReadError::Io(error),
        RdfParseError::Syntax(error) => {
            let place = error.location().map(|range| range.start);
            ReadError::Syntax {
                line: place.as_ref().map(|place| place.line + 1).or(line),
                column: place.as_ref().map(|place| place.column + 1),
                reason: reason(&error.to_string()),
            }
        }
    }
}

/// An error within a text that begins with line `first`.
pub(crate) fn library_error(error: &RdfSyntaxError, first: u64) -> ReadError {
    let place = error.location().map(|range| range.start);
    ReadError::Syntax {
        line: Some(first + place.as_ref().map_or(0, |place| place.line)),
        column: place.map(|place| place.column + 1),
        reason: reason(&error.to_string()),
    }
}

/// The library's message without the place it begins with, as a clause.
pub(crate) fn reason(message: &str) -> String {
    let rest = match message.strip_prefix("Parser error ") {
        Some(rest) => rest.split_once(": ").map_or(rest, |(_, reason)| reason),
        None => message,
    };
    let mut letters = rest.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "not of the format".into(),
    }
}

/// Texts of a statement's terms that are not in the library's.
#[derive(Default)]
struct Texts {
    subject: String,
    object: String,
    graph: String,
}

impl Texts {
    /// `None` if triple terms are nested too deep.
    fn statement<'a>(&'a mut self, quad: &'a Quad, prefix: &str) -> Option<Statement<'a>> {
        let Self { subject, object, graph } = self;
        let blank = |text: &mut String, label: &str| {
            text.clear();
            // A string takes all that is written.
            _ = write!(text, "_:{prefix}{label}");
        };
        Some(Statement {
            subject: TermRef::Resource(match &quad.subject {
                NamedOrBlankNode::NamedNode(node) => node.as_str(),
                NamedOrBlankNode::BlankNode(node) => {
                    blank(subject, node.as_str());
                    subject
                }
            }),
            predicate: TermRef::Resource(quad.predicate.as_str()),
            object: match &quad.object {
                Term::NamedNode(node) => TermRef::Resource(node.as_str()),
                Term::BlankNode(node) => {
                    blank(object, node.as_str());
                    TermRef::Resource(object)
                }
                Term::Literal(literal) => TermRef::Literal(literal_ref(literal)),
                Term::Triple(inner) => {
                    let Some(Value::Iri(text)) = triple_value(inner, prefix, TERM_DEPTH_MAX) else {
                        return None;
                    };
                    object.clear();
                    object.push_str(&text);
                    TermRef::Resource(object)
                }
            },
            graph: match &quad.graph_name {
                GraphName::DefaultGraph => None,
                GraphName::NamedNode(node) => Some(TermRef::Resource(node.as_str())),
                GraphName::BlankNode(node) => {
                    blank(graph, node.as_str());
                    Some(TermRef::Resource(graph))
                }
            },
        })
    }
}

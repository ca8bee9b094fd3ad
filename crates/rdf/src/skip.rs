//! Turtle and TriG with statements that are none: a text in, its good statements out, the bad ones counted.
//!
//! The library goes on behind the next point. Where the bad statement's point is what it did not expect, that
//! is the point of the statement behind, and within a graph it forgets the graph. So the text is cut here:
//!
//! 1. A scan that knows strings, IRIs and comments cuts behind each point that ends a statement, and in TriG
//!    behind `{` and `}`.
//! 2. The library gets one part after the other. What a part gives is handed out when the part is over.
//! 3. If there was an error, what the part gave is dropped. Another parser goes on, with the prefixes and
//!    the base of the last one, and within a graph behind that graph's beginning.
//!
//! A wrong cut costs nothing while there is no error, since the library keeps what is unfinished.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

use oxrdf::Quad;
use oxttl::trig::LowLevelTriGParser;
use oxttl::turtle::LowLevelTurtleParser;
use oxttl::{TriGParser, TurtleParser, TurtleSyntaxError};

use crate::error::ReadError;
use crate::format::Format;
use crate::guard::{Guard, Refusal, Syntax};
use crate::parse::{Failure, ParseOptions, Reading, reason};

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1 << 16;

/// A part that is longer is handed to the library before its end.
const PART_BYTES_MAX: usize = 16 << 20;

enum Parser {
    Turtle(Box<LowLevelTurtleParser>),
    TriG(Box<LowLevelTriGParser>),
}

/// Prefixes with what they stand for, and the base.
type Declared = (Vec<(String, String)>, Option<String>);

impl Parser {
    fn new(format: Format, (prefixes, base): &Declared) -> Result<Self, ReadError> {
        let wrong = |error| {
            ReadError::Option(format!("invalid base IRI \"{}\": {error}", base.as_deref().unwrap_or("")))
        };
        let odd = |error| ReadError::Option(format!("invalid namespace: {error}"));
        Ok(if format == Format::TriG {
            let mut parser = TriGParser::new();
            if let Some(base) = base {
                parser = parser.with_base_iri(base).map_err(wrong)?;
            }
            for (prefix, iri) in prefixes {
                parser = parser.with_prefix(prefix, iri).map_err(odd)?;
            }
            Self::TriG(Box::new(parser.low_level()))
        } else {
            let mut parser = TurtleParser::new();
            if let Some(base) = base {
                parser = parser.with_base_iri(base).map_err(wrong)?;
            }
            for (prefix, iri) in prefixes {
                parser = parser.with_prefix(prefix, iri).map_err(odd)?;
            }
            Self::Turtle(Box::new(parser.low_level()))
        })
    }

    fn feed(&mut self, text: &[u8]) {
        match self {
            Self::Turtle(parser) => parser.extend_from_slice(text),
            Self::TriG(parser) => parser.extend_from_slice(text),
        }
    }

    fn end(&mut self) {
        match self {
            Self::Turtle(parser) => parser.end(),
            Self::TriG(parser) => parser.end(),
        }
    }

    fn next(&mut self) -> Option<Result<Quad, TurtleSyntaxError>> {
        match self {
            Self::Turtle(parser) => {
                Some(parser.parse_next()?.map(|triple| triple.in_graph(oxrdf::GraphName::DefaultGraph)))
            }
            Self::TriG(parser) => parser.parse_next(),
        }
    }

    fn declared(&self) -> Declared {
        let owned = |(prefix, iri): (&str, &str)| (prefix.to_owned(), iri.to_owned());
        match self {
            Self::Turtle(parser) => {
                (parser.prefixes().map(owned).collect(), parser.base_iri().map(str::to_owned))
            }
            Self::TriG(parser) => {
                (parser.prefixes().map(owned).collect(), parser.base_iri().map(str::to_owned))
            }
        }
    }
}

/// What a part ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    Point,
    Open,
    Close,
    /// A string or an IRI that is not closed.
    Broken,
    /// The end of the text.
    End,
}

/// Where the scan is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Plain,
    Comment,
    Iri,
    Short(u8),
    Long(u8),
}

/// Finds the ends of parts.
struct Scan {
    state: State,
    has_graphs: bool,
    /// The byte before the next one.
    last: u8,
}

/// Bytes behind a place that must be known to tell what it is.
const AHEAD: usize = 3;

impl Scan {
    /// Goes on at `at`. Gives the end of the part, or how far the scan came.
    fn next(&mut self, text: &[u8], mut at: usize, is_whole: bool) -> (usize, Option<Cut>) {
        while at < text.len() && (is_whole || at + AHEAD <= text.len()) {
            let byte = text[at];
            let behind = text.get(at + 1).copied().unwrap_or(b' ');
            let mut step = 1;
            let mut cut = None;
            match self.state {
                State::Comment if matches!(byte, b'\n' | b'\r') => self.state = State::Plain,
                State::Iri if byte == b'>' => self.state = State::Plain,
                // What is not closed is a bad statement. Most end with their line.
                State::Iri | State::Short(_) if matches!(byte, b'\n' | b'\r') => {
                    self.state = State::Plain;
                    cut = Some(Cut::Broken);
                }
                State::Comment | State::Iri => {}
                State::Short(_) | State::Long(_) if byte == b'\\' => step = 2,
                State::Short(quote) if byte == quote => self.state = State::Plain,
                State::Long(quote) if text[at..].starts_with(&[quote; 3]) => {
                    self.state = State::Plain;
                    step = 3;
                }
                State::Short(_) | State::Long(_) => {}
                State::Plain => match byte {
                    b'#' if !is_name(self.last) => self.state = State::Comment,
                    b'<' if behind == b'<' => step = 2,
                    b'<' => self.state = State::Iri,
                    quote @ (b'"' | b'\'') => {
                        let is_long = text[at..].starts_with(&[quote; 3]);
                        self.state = if is_long { State::Long(quote) } else { State::Short(quote) };
                        step = if is_long { 3 } else { 1 };
                    }
                    b'\\' => step = 2,
                    b'.' if is_end(self.last, behind) => cut = Some(Cut::Point),
                    b'{' if self.has_graphs && behind != b'|' => cut = Some(Cut::Open),
                    b'}' if self.has_graphs && self.last != b'|' => cut = Some(Cut::Close),
                    _ => {}
                },
            }
            at = (at + step).min(text.len());
            self.last = text[at - 1];
            if cut.is_some() {
                // A point or bracket is known for one when it is known what follows.
                if behind.is_ascii_whitespace() && at < text.len() {
                    self.last = behind;
                    at += 1;
                }
                return (at, cut);
            }
        }
        (at, (is_whole && at == text.len()).then_some(Cut::End))
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'%') || byte >= 128
}

/// Whether a point between these two ends a statement, rather than being part of a name or a number.
const fn is_end(last: u8, behind: u8) -> bool {
    if is_name(last) { !is_name(behind) } else { !behind.is_ascii_digit() }
}

/// A place in the text.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    fn pass(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                b'\n' => *self = Self { line: self.line + 1, column: 0 },
                // Only the first byte of a letter.
                0x80..0xC0 => {}
                _ => self.column += 1,
            }
        }
    }
}

/// The text's parts, as the library takes them.
struct Parts<'o> {
    options: &'o ParseOptions,
    parser: Parser,
    /// What the parser took was handed out up to here.
    here: Place,
    /// Where the text of this parser began, less what was put before it.
    origin: (i64, i64),
    /// Lines and letters put before the text of this parser.
    before: Place,
    /// How the graph began that the text is in.
    graph: Option<Vec<u8>>,
    /// The graph's beginning was bad: all of it is left out.
    is_bad_graph: bool,
    /// Spaces put into a line, and that line.
    spaces: (u64, u64),
    /// What this part gave.
    given: Vec<Quad>,
    error: Option<ReadError>,
}

/// Reads a text and leaves out what is bad.
pub(crate) fn read_skipping<E>(
    reader: impl Read,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<(), Failure<E>> {
    let declared = (Vec::new(), options.base.clone());
    let parser = Parser::new(options.format, &declared).map_err(Failure::Read)?;
    let mut parts = Parts {
        options,
        parser,
        here: Place::default(),
        origin: (0, 0),
        before: Place::default(),
        graph: None,
        is_bad_graph: false,
        spaces: (0, 0),
        given: Vec::new(),
        error: None,
    };
    let mut scan = Scan { state: State::Plain, has_graphs: options.format == Format::TriG, last: b' ' };
    let mut reader = Guard::new(reader, Syntax::Turtle, &Rc::new(Cell::new(0)));
    let (mut text, mut start, mut at, mut is_whole) = (Vec::new(), 0, 0, false);
    loop {
        let (end, cut) = scan.next(&text, at, is_whole);
        at = end;
        if let Some(cut) = cut {
            parts.feed(&text[start..at]);
            parts.over(&text[start..at], cut, reading)?;
            start = at;
            if cut == Cut::End {
                return Ok(());
            }
            continue;
        }
        if at - start > PART_BYTES_MAX {
            parts.feed(&text[start..at]);
            start = at;
        }
        text.drain(..start);
        at -= start;
        start = 0;
        let length = text.len();
        text.resize(length + BLOCK_BYTES, 0);
        let count = reader.read(&mut text[length..]).map_err(|error| {
            Failure::Read(match error.get_ref().is_some_and(|inner| inner.is::<Refusal>()) {
                true => ReadError::Syntax { line: None, column: None, reason: error.to_string() },
                false => ReadError::Io(error),
            })
        })?;
        text.truncate(length + count);
        is_whole = count == 0;
    }
}

impl Parts<'_> {
    /// Hands text to the library.
    fn feed(&mut self, text: &[u8]) {
        if !self.is_bad_graph && self.error.is_none() {
            self.parser.feed(text);
            self.drain();
        }
    }

    fn drain(&mut self) {
        while let Some(item) = self.parser.next() {
            match item {
                Ok(quad) => self.given.push(quad),
                Err(error) => {
                    let place = error.location().start;
                    let line = place.line.saturating_add_signed(self.origin.0);
                    let by = if place.line == self.before.line { self.origin.1 } else { 0 };
                    let spaces = if line == self.spaces.1 { self.spaces.0 } else { 0 };
                    let column = place.column.saturating_add_signed(by).saturating_sub(spaces);
                    self.error.get_or_insert_with(|| ReadError::Syntax {
                        line: Some(line + 1),
                        column: Some(column + 1),
                        reason: reason(&error.to_string()),
                    });
                }
            }
        }
    }

    /// A part is over.
    fn over<E>(&mut self, text: &[u8], cut: Cut, reading: &mut Reading<'_, E>) -> Result<(), Failure<E>> {
        self.here.pass(text);
        if self.is_bad_graph {
            self.is_bad_graph = cut != Cut::Close;
            return Ok(());
        }
        if self.error.is_none() && matches!(cut, Cut::End | Cut::Broken) {
            self.parser.end();
            self.drain();
            if cut == Cut::Broken && self.error.is_none() {
                let reason = "a string or an IRI that is not closed".to_owned();
                self.error = Some(ReadError::Syntax { line: Some(self.here.line), column: None, reason });
            }
        } else if self.error.is_none() && !text.last().is_some_and(u8::is_ascii_whitespace) {
            self.parser.feed(b" ");
            self.drain();
            let spaces = if self.spaces.1 == self.here.line { self.spaces.0 } else { 0 };
            self.spaces = (spaces + 1, self.here.line);
        }
        if let Some(error) = self.error.take() {
            self.given.clear();
            reading.bad(error, true)?;
            self.is_bad_graph = cut == Cut::Open;
            if matches!(cut, Cut::Open | Cut::Close) {
                self.graph = None;
            }
            return self.begin_again().map_err(Failure::Read);
        }
        for quad in self.given.drain(..) {
            reading.quad(quad, Some(self.here.line + 1))?;
        }
        match cut {
            Cut::Open => self.graph = Some(text.to_vec()),
            Cut::Close => self.graph = None,
            Cut::Point | Cut::Broken | Cut::End => {}
        }
        Ok(())
    }

    /// Another parser for what follows.
    fn begin_again(&mut self) -> Result<(), ReadError> {
        self.parser = Parser::new(self.options.format, &self.parser.declared())?;
        self.before = Place::default();
        self.spaces = (0, 0);
        if let Some(graph) = &self.graph {
            self.parser.feed(graph);
            self.parser.feed(b" ");
            self.before.pass(graph);
            self.before.column += 1;
            // It was taken once.
            while self.parser.next().is_some() {}
        }
        let apart = |here: u64, before: u64| here.cast_signed() - before.cast_signed();
        self.origin = (apart(self.here.line, self.before.line), apart(self.here.column, self.before.column));
        Ok(())
    }
}

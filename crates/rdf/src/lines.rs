//! N-Triples and N-Quads: lines in, statements out.
//!
//! 1. The text is read in blocks and cut into lines; a block that is in memory already can be given as it is,
//!    so that several threads may read one text.
//! 2. A line in the usual form is read here, its terms being slices of it: what is accepted here is valid.
//! 3. Every other line, valid or not, goes to the library, which knows all forms and says what is wrong.

use std::io::{self, Read};

use memchr::{memchr, memchr2};
use oxiri::Iri;
use oxrdf::{GraphName, Quad};
use oxttl::{NQuadsParser, NTriplesParser, TurtleSyntaxError};
use trimorph_types::rdf::names::{rdf, xsd};
use trimorph_types::rdf::unescaped;

use crate::error::ReadError;
use crate::format::Format;
use crate::guard::{Refusal, bounded_terms};
use crate::parse::{Failure, ParseOptions, Reading, library_error};
use crate::statement::{LiteralRef, Statement, TermRef};

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1 << 18;
/// Longest line.
const LINE_BYTES_MAX: usize = 1 << 28;

/// Reads a text to its end.
pub(crate) fn read_lines<E>(
    mut reader: impl Read,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<(), Failure<E>> {
    let mut block = vec![0; BLOCK_BYTES];
    let (mut filled, mut line) = (0, 1);
    loop {
        if filled == block.len() {
            if filled >= LINE_BYTES_MAX {
                return Err(Failure::Read(ReadError::Syntax {
                    line: Some(line),
                    column: None,
                    reason: format!("a line of more than {LINE_BYTES_MAX} bytes"),
                }));
            }
            block.resize(2 * filled, 0);
        }
        let count = loop {
            match reader.read(&mut block[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| Failure::Read(ReadError::Io(error)))?,
            }
        };
        if count == 0 {
            return whole_lines(&block[..filled], line, options, reading).map(drop);
        }
        let before = filled;
        filled += count;
        if let Some(end) = memchr::memrchr(b'\n', &block[before..filled]).map(|at| before + at + 1) {
            line += whole_lines(&block[..end], line, options, reading)?;
            block.copy_within(end..filled, 0);
            filled -= end;
        }
    }
}

/// Reads lines that are all in memory; gives how many there are.
pub(crate) fn whole_lines<E>(
    mut text: &[u8],
    first: u64,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<u64, Failure<E>> {
    let mut count = 0;
    let mut buffers = Buffers::default();
    while !text.is_empty() {
        let end = memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        let (line, rest) = text.split_at(end);
        text = rest;
        let simple = std::str::from_utf8(line).ok().map(|line| buffers.line(line, options));
        match simple {
            Some(Simple::Nothing) => {}
            Some(Simple::Statement(statement)) => reading.take(statement)?,
            Some(Simple::Other) | None => by_library(line, first + count, options, reading)?,
        }
        count += 1;
    }
    Ok(count)
}

fn by_library<E>(
    line: &[u8],
    number: u64,
    options: &ParseOptions,
    reading: &mut Reading<'_, E>,
) -> Result<(), Failure<E>> {
    if !bounded_terms(line) {
        let reason = Refusal::TooDeep.to_string();
        return reading.bad(ReadError::Syntax { line: Some(number), column: None, reason }, true);
    }
    let mut take = |item: Result<Quad, TurtleSyntaxError>| match item {
        Ok(quad) => reading.quad(quad, Some(number)),
        Err(error) => reading.bad(library_error(&error.into(), number), true),
    };
    // By these two: a parser of any format brings a second copy of all of them.
    match options.format {
        Format::NTriples => NTriplesParser::new()
            .for_slice(line)
            .try_for_each(|item| take(item.map(|triple| triple.in_graph(GraphName::DefaultGraph)))),
        _ => NQuadsParser::new().for_slice(line).try_for_each(take),
    }
}

/// What a line is.
#[expect(clippy::large_enum_variant, reason = "it lives as long as its line")]
enum Simple<'a> {
    Nothing,
    Statement(Statement<'a>),
    /// Not in the usual form.
    Other,
}

/// Texts of terms that are not in the line as they are meant.
#[derive(Default)]
struct Buffers {
    subject: String,
    object: String,
    graph: String,
}

impl Buffers {
    fn line<'a>(&'a mut self, line: &'a str, options: &ParseOptions) -> Simple<'a> {
        let mut cursor = Cursor(line.trim_ascii());
        if cursor.0.is_empty() || cursor.0.starts_with('#') || is_version(cursor.0) {
            return if cursor.0.contains('\r') { Simple::Other } else { Simple::Nothing };
        }
        match self.statement(&mut cursor, options) {
            Some(statement) => Simple::Statement(statement),
            None => Simple::Other,
        }
    }

    fn statement<'a>(&'a mut self, cursor: &mut Cursor<'a>, options: &ParseOptions) -> Option<Statement<'a>> {
        let prefix = &options.blank_prefix;
        let subject = cursor.resource(&mut self.subject, prefix)?;
        let predicate = TermRef::Resource(cursor.iri()?);
        let object = if cursor.0.starts_with('"') {
            TermRef::Literal(cursor.literal(&mut self.object)?)
        } else {
            cursor.resource(&mut self.object, prefix)?
        };
        let graph = if options.format == Format::NQuads && !cursor.0.starts_with('.') {
            Some(cursor.resource(&mut self.graph, prefix)?)
        } else {
            None
        };
        cursor.0 = cursor.0.strip_prefix('.')?.trim_ascii_start();
        // A line may end in several ways, which only the library knows.
        let ends = cursor.0.is_empty() || cursor.0.starts_with('#') && !cursor.0.contains('\r');
        ends.then_some(Statement { subject, predicate, object, graph })
    }
}

/// Whether a line says the version of the format, as `VERSION "1.2"`, which the library does not know (RDF
/// 1.2 N-Triples and N-Quads). Nothing depends on it.
fn is_version(line: &str) -> bool {
    let version = line.strip_prefix("VERSION").and_then(|rest| rest.trim_ascii_start().strip_prefix('"'));
    version.and_then(|rest| rest.split_once('"')).is_some_and(|(version, behind)| {
        let behind = behind.trim_ascii_start();
        !version.contains('\\') && (behind.is_empty() || behind.starts_with('#'))
    })
}

struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    /// Takes `length` bytes, which end where a letter ends, and the space behind them.
    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.0.split_at(length);
        self.0 = rest.trim_start_matches([' ', '\t']);
        token
    }

    /// An IRI or a blank node.
    fn resource(&mut self, buffer: &'a mut String, prefix: &str) -> Option<TermRef<'a>> {
        let Some(rest) = self.0.strip_prefix("_:") else { return self.iri().map(TermRef::Resource) };
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let is_usual = length > 0 && matches!(rest.as_bytes().get(length), Some(b' ' | b'\t'));
        if !is_usual {
            return None;
        }
        let token = self.take(2 + length);
        if prefix.is_empty() {
            return Some(TermRef::Resource(token));
        }
        buffer.clear();
        buffer.push_str("_:");
        buffer.push_str(prefix);
        buffer.push_str(&token[2..]);
        Some(TermRef::Resource(buffer))
    }

    fn iri(&mut self) -> Option<&'a str> {
        let rest = self.0.strip_prefix('<')?;
        let end = memchr(b'>', rest.as_bytes())?;
        let iri = &rest[..end];
        let is_valid = is_simple_iri(iri.as_bytes()) || Iri::parse(iri).is_ok();
        is_valid.then(|| {
            self.take(end + 2);
            iri
        })
    }

    fn literal(&mut self, buffer: &'a mut String) -> Option<LiteralRef<'a>> {
        let text = self.0.strip_prefix('"')?;
        let bytes = text.as_bytes();
        let mut end = 0;
        let mut escapes = false;
        loop {
            end += memchr2(b'"', b'\\', &bytes[end..])?;
            if bytes[end] == b'"' {
                break;
            }
            escapes = true;
            end += 2;
            if end >= bytes.len() {
                return None;
            }
        }
        let mut lexical = &text[..end];
        if memchr(b'\r', lexical.as_bytes()).is_some() {
            return None;
        }
        if escapes {
            buffer.clear();
            buffer.push_str(&unescaped(lexical)?);
            lexical = buffer;
        }
        // Behind the closing quote.
        self.0 = &text[end + 1..];
        let (mut datatype, mut language) = (xsd::STRING, None);
        if self.0.starts_with("^^") {
            self.0 = &self.0[2..];
            datatype = self.iri()?;
            if datatype == rdf::LANG_STRING || datatype == rdf::DIR_LANG_STRING {
                return None;
            }
        } else if self.0.starts_with('@') {
            // Two or three small letters.
            let letters = self.0.bytes().skip(1).take_while(u8::is_ascii_lowercase).count();
            let ends = matches!(self.0.as_bytes().get(1 + letters), Some(b' ' | b'\t' | b'.'));
            if !(2..=3).contains(&letters) || !ends {
                return None;
            }
            language = Some(&self.take(1 + letters)[1..]);
            datatype = rdf::LANG_STRING;
        } else {
            self.take(0);
        }
        Some(LiteralRef { lexical, datatype, language, direction: None })
    }
}

/// Whether this is an absolute IRI of the most usual form: a scheme, perhaps a host, and nothing but letters
/// that may stand in a path, in a query and in a fragment.
///
/// Source: RFC 3987, §2.2.
fn is_simple_iri(iri: &[u8]) -> bool {
    let scheme = iri.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    if scheme == 0 || !iri[0].is_ascii_alphabetic() || iri.get(scheme) != Some(&b':') {
        return false;
    }
    let mut rest = &iri[scheme + 1..];
    if let Some(authority) = rest.strip_prefix(b"//") {
        let host =
            authority.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-')).count();
        rest = &authority[host..];
        if !matches!(rest.first(), None | Some(b'/' | b'#' | b'?')) {
            return false;
        }
    }
    let plain = |byte: &u8| PLAIN[usize::from(*byte)];
    let Some(hash) = memchr(b'#', rest) else { return rest.iter().all(plain) };
    rest[..hash].iter().all(plain) && rest[hash + 1..].iter().all(plain)
}

/// Letters that may stand in any of the three parts.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?@!$&'()*+,;=";
    let mut i = 0;
    while i < letters.len() {
        plain[letters[i] as usize] = true;
        i += 1;
    }
    plain
};

//! A chunk in, records out: where each field begins and ends.
//!
//! Without a quote in the chunk, records are cut at the structural positions alone. With one, field by field:
//! RFC 4180, the line end being LF or CRLF. Empty lines are passed over, as the `csv` crate does.

use std::borrow::Cow;

use super::Dialect;
use super::block::Block;
use super::chunk::closing_quote;
use super::structural::Structural;

/// One field: its bytes without the quotes around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    start: u32,
    end: u32,
    quoted: bool,
    /// The quote that it holds doubled, if it does.
    doubled: Option<u8>,
}

impl Field {
    /// Bytes as written, without the quotes around it.
    #[inline]
    pub(crate) fn raw<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..self.end as usize]
    }

    /// Whether it was in quotes.
    #[inline]
    pub(crate) fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// Whether it holds doubled quotes, that is, whether [`Field::raw`] is not its value.
    #[inline]
    pub(crate) fn is_doubled(&self) -> bool {
        self.doubled.is_some()
    }

    /// Its value.
    pub(crate) fn value<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.doubled.is_none() {
            return Cow::Borrowed(self.raw(text));
        }
        let mut value = Vec::new();
        self.unescape(text, &mut value);
        Cow::Owned(value)
    }

    /// Its value into `value`, doubled quotes made single.
    pub(crate) fn unescape(&self, text: &[u8], value: &mut Vec<u8>) {
        value.clear();
        let mut rest = self.raw(text);
        while let Some(at) = self.doubled.and_then(|quote| memchr::memchr(quote, rest)) {
            value.extend_from_slice(&rest[..=at]);
            rest = rest.get(at + 2..).unwrap_or(&[]);
        }
        value.extend_from_slice(rest);
    }
}

/// What is wrong with a record before any field is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordFault {
    /// A quoted field, by index, has no end.
    OpenQuote(usize),
    /// Something other than a delimiter or line end follows a closing quote.
    AfterQuote(usize),
}

/// One record: its fields are in [`Splitter::fields`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The line it begins on.
    pub(crate) line: u64,
    /// Its first byte.
    pub(crate) start: usize,
    /// One past its last byte, line end excluded.
    pub(crate) end: usize,
    /// What is wrong with it.
    pub(crate) fault: Option<RecordFault>,
}

/// Walks over the records of a chunk.
pub(crate) struct Splitter<'a> {
    text: &'a [u8],
    dialect: Dialect,
    at: usize,
    line: u64,
    /// Present while the chunk is known to have no quotes.
    structural: Option<Structural<'a>>,
    pub(crate) fields: Vec<Field>,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect, first_line: u64) -> Self {
        let plain = memchr::memchr(dialect.quote, text).is_none();
        let structural = plain.then(|| Structural::new(text, dialect.delimiter, b'\n', 0));
        Self { text, dialect, at: 0, line: first_line, structural, fields: Vec::new() }
    }

    /// Takes the next records at once, if they are of one shape; gives the line of the first.
    pub(super) fn next_block(&mut self, block: &mut Block<'a>) -> Option<u64> {
        if !block.fill(self.at, self.structural.as_mut()?) {
            return None;
        }
        let line = self.line;
        self.line += block.rows() as u64;
        self.at = block.end();
        Some(line)
    }

    /// Goes back to a record: the first of a block, and its line.
    pub(super) fn return_to(&mut self, at: usize, line: u64) {
        (self.at, self.line) = (at, line);
        if self.structural.is_some() {
            self.structural = Some(Structural::new(self.text, self.dialect.delimiter, b'\n', at));
        }
    }

    /// The first byte of the next record.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next record.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Record> {
        loop {
            if self.at >= self.text.len() {
                return None;
            }
            let line = self.line;
            let start = self.at;
            self.fields.clear();
            let (end, fault) = match self.structural.take() {
                Some(mut structural) => {
                    let end = self.plain_record(&mut structural);
                    self.structural = Some(structural);
                    (end, None)
                }
                None => self.quoted_record(),
            };
            if end > start {
                return Some(Record { line, start, end, fault });
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize, quoted: bool, doubled: Option<u8>) {
        // A chunk is far below 4 GiB: `Chunker` bounds it.
        #[expect(clippy::cast_possible_truncation, reason = "chunks are below 4 GiB")]
        self.fields.push(Field { start: start as u32, end: end as u32, quoted, doubled });
    }

    /// Leaves `at` behind the record; gives its end.
    #[inline(always)]
    fn plain_record(&mut self, structural: &mut Structural<'a>) -> usize {
        let mut field = self.at;
        loop {
            let Some(at) = structural.next() else {
                let end = self.text.len();
                self.at = end;
                self.push(field, end, false, None);
                return end;
            };
            if self.text[at] == b'\n' {
                self.at = at + 1;
                self.line += 1;
                let end = if at > field && self.text[at - 1] == b'\r' { at - 1 } else { at };
                self.push(field, end, false, None);
                return end;
            }
            self.push(field, at, false, None);
            field = at + 1;
        }
    }

    fn quoted_record(&mut self) -> (usize, Option<RecordFault>) {
        let (text, quote) = (self.text, self.dialect.quote);
        let mut field = self.at;
        let mut fault = None;
        loop {
            let mut plain_from = field;
            let mut quoted = None;
            if text.get(field) == Some(&quote) {
                let Some(close) = closing_quote(text, field + 1, quote) else {
                    let index = self.fields.len();
                    self.line += memchr::memchr_iter(b'\n', &text[self.at..]).count() as u64;
                    self.at = text.len();
                    let end = text.strip_suffix(b"\n").map_or(text.len(), <[u8]>::len);
                    return (end, fault.or(Some(RecordFault::OpenQuote(index))));
                };
                plain_from = close + 1;
                quoted = Some(close);
            }
            let stop = memchr::memchr2(self.dialect.delimiter, b'\n', &text[plain_from..]);
            let mut end = stop.map_or(text.len(), |i| plain_from + i);
            let is_last = stop.is_none() || text[end] == b'\n';
            let next = if stop.is_none() { end } else { end + 1 };
            if stop.is_some() && is_last && end > plain_from && text[end - 1] == b'\r' {
                end -= 1;
            }
            match quoted {
                Some(close) => {
                    if end > plain_from {
                        fault = fault.or(Some(RecordFault::AfterQuote(self.fields.len())));
                    }
                    let doubled = memchr::memchr(quote, &text[field + 1..close]).map(|_| quote);
                    self.push(field + 1, close, true, doubled);
                }
                None => self.push(field, end, false, None),
            }
            if is_last {
                self.line += memchr::memchr_iter(b'\n', &text[self.at..next]).count() as u64;
                self.at = next;
                return (end, fault);
            }
            field = next;
        }
    }
}

//! A stream of text in, chunks of whole records out.
//!
//! 1. Fill a buffer.
//! 2. Cut it after the last record end; the rest goes in front of the next chunk.
//! 3. Count its lines.
//!
//! A quote opens a quoted field only as the first byte of a field (RFC 4180), so the state at any place
//! follows from the quotes before it alone: between quotes nothing has to be looked at but the last line end.
//! A quote that never closes (before the end of the stream, or within the longest record accepted) makes the
//! record end at its line's end; the splitter, given a chunk that ends there, refuses that record and nothing
//! else.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::Dialect;

/// Buffers kept for the next chunk: while one is read another is parsed.
const BUFFERS_MAX: usize = 2;
/// A larger one is not kept.
const BUFFER_BYTES_MAX: usize = 4 << 20;

/// Where the buffers of chunks come from and go back to, so that each has fresh memory, which the system has
/// to make, only once.
#[derive(Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

impl Buffers {
    /// One with anything in it, or an empty one.
    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, buffer: Vec<u8>) {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.len() < BUFFERS_MAX && buffer.capacity() <= BUFFER_BYTES_MAX {
            buffers.push(buffer);
        }
    }
}

/// Whole records of one file.
pub(crate) struct Chunk {
    /// The text. Ends with a line end, unless the file does not.
    pub(crate) bytes: Vec<u8>,
    /// The line its first byte is on, from 1.
    pub(crate) first_line: u64,
    /// Line ends in it.
    pub(crate) lines: usize,
    /// The first bytes of one record too long to hold; the rest of it was dropped.
    pub(crate) over_long: bool,
    pub(crate) buffers: Buffers,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        self.buffers.give_back(std::mem::take(&mut self.bytes));
    }
}

/// Cuts a stream into chunks.
pub(crate) struct Chunker<R> {
    reader: R,
    dialect: Dialect,
    chunk_bytes: usize,
    buffers: Buffers,
    /// The next chunk's buffer, and how many bytes of its text are there already.
    carry: (Vec<u8>, usize),
    line: u64,
    at_start: bool,
    at_end: bool,
}

impl<R: Read> Chunker<R> {
    pub(crate) fn new(reader: R, dialect: Dialect, chunk_bytes: usize) -> Self {
        let chunk_bytes = chunk_bytes.clamp(64, 256 << 20);
        let (buffers, carry) = (Buffers::default(), (Vec::new(), 0));
        Self { reader, dialect, chunk_bytes, buffers, carry, line: 1, at_start: true, at_end: false }
    }

    /// The same with buffers that others use, too.
    pub(crate) fn with_buffers(self, buffers: &Buffers) -> Self {
        Self { buffers: buffers.clone(), ..self }
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Chunk>> {
        let (mut bytes, mut filled) = std::mem::take(&mut self.carry);
        let mut wanted = self.chunk_bytes;
        loop {
            self.fill(&mut bytes, filled, wanted)?;
            if std::mem::take(&mut self.at_start) {
                self.skip_start(&mut bytes)?;
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            let too_long = bytes.len() > self.dialect.record_bytes_max();
            match last_record_end(&bytes, self.dialect, self.at_end) {
                Cut::At(end) => return Ok(Some(self.cut(bytes, end))),
                Cut::Open { quote_at } if self.at_end || too_long => {
                    // The quote never closes: the record ends where its line does, if that is at hand.
                    if let Some(end) = memchr::memchr(b'\n', &bytes[quote_at..]) {
                        return Ok(Some(self.cut(bytes, quote_at + end + 1)));
                    }
                    if self.at_end {
                        let end = bytes.len();
                        return Ok(Some(self.cut(bytes, end)));
                    }
                    return self.drop_line(bytes).map(Some);
                }
                Cut::None if too_long => return self.drop_line(bytes).map(Some),
                Cut::Open { .. } | Cut::None => {
                    (filled, wanted) = (bytes.len(), bytes.len().saturating_mul(2))
                }
            }
        }
    }

    /// Reads behind the first `filled` bytes until there are as many as wanted, or the stream ends. What the
    /// buffer holds behind them is overwritten, and not made zero first.
    fn fill(&mut self, bytes: &mut Vec<u8>, mut filled: usize, wanted: usize) -> io::Result<()> {
        if !self.at_end && filled < wanted {
            bytes.reserve_exact(wanted.saturating_sub(bytes.len()));
            bytes.resize(wanted, 0);
            while filled < wanted {
                match self.reader.read(&mut bytes[filled..]) {
                    Ok(0) => {
                        self.at_end = true;
                        break;
                    }
                    Ok(n) => filled += n,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        bytes.truncate(filled);
        Ok(())
    }

    /// Takes a byte order mark and empty lines off the start of the stream, so that the first chunk has the
    /// first record.
    fn skip_start(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        loop {
            let mut at = 0;
            while let [b'\n', ..] | [b'\r', b'\n', ..] = &bytes[at..] {
                at += if bytes[at] == b'\n' { 1 } else { 2 };
                self.line += 1;
            }
            bytes.drain(..at);
            if self.at_end || !(bytes.is_empty() || bytes == b"\r") {
                return Ok(());
            }
            self.fill(bytes, bytes.len(), self.chunk_bytes)?;
        }
    }

    fn cut(&mut self, mut bytes: Vec<u8>, end: usize) -> Chunk {
        let rest = &bytes[end..];
        if !rest.is_empty() || !self.at_end {
            let mut carry = self.buffers.take();
            carry.resize(carry.len().max(rest.len()), 0);
            carry[..rest.len()].copy_from_slice(rest);
            self.carry = (carry, rest.len());
        }
        bytes.truncate(end);
        let first_line = self.line;
        let lines = memchr::memchr_iter(b'\n', &bytes).count();
        self.line += lines as u64;
        Chunk { bytes, first_line, lines, over_long: false, buffers: self.buffers.clone() }
    }

    /// Reads on to the end of the line without keeping it.
    fn drop_line(&mut self, mut bytes: Vec<u8>) -> io::Result<Chunk> {
        let first_line = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        bytes.truncate(1 << 12);
        let mut dropped = Vec::new();
        while !self.at_end {
            dropped.clear();
            let n = self.reader.by_ref().take(1 << 16).read_to_end(&mut dropped)?;
            self.at_end = n < 1 << 16;
            if let Some(end) = memchr::memchr(b'\n', &dropped) {
                self.line += 1;
                let carry = dropped.split_off(end + 1);
                let filled = carry.len();
                self.carry = (carry, filled);
                break;
            }
        }
        Ok(Chunk { bytes, first_line, lines: 0, over_long: true, buffers: self.buffers.clone() })
    }
}

enum Cut {
    /// After the last record end.
    At(usize),
    /// There is none: a quoted field, opened here, goes on.
    Open { quote_at: usize },
    /// There is none: an unquoted field goes on.
    None,
}

fn last_record_end(bytes: &[u8], dialect: Dialect, at_end: bool) -> Cut {
    let mut cut = None;
    let mut plain_from = 0;
    loop {
        let (quote, plain_to) = match opening_quote(bytes, plain_from, dialect) {
            Some(quote) => (Some(quote), quote),
            None => (None, bytes.len()),
        };
        if let Some(end) = memchr::memrchr(b'\n', &bytes[plain_from..plain_to]) {
            cut = Some(plain_from + end + 1);
        }
        let Some(quote_at) = quote else {
            return match cut {
                _ if at_end => Cut::At(bytes.len()),
                Some(end) => Cut::At(end),
                None => Cut::None,
            };
        };
        match closing_quote(bytes, quote_at + 1, dialect.quote) {
            Some(close) => plain_from = close + 1,
            None => return cut.map_or(Cut::Open { quote_at }, Cut::At),
        }
    }
}

/// The first quote at or after `from` that is the first byte of a field. `from` is the chunk's start or
/// follows a closing quote.
fn opening_quote(bytes: &[u8], from: usize, dialect: Dialect) -> Option<usize> {
    memchr::memchr_iter(dialect.quote, &bytes[from..]).map(|i| from + i).find(|&at| match at.checked_sub(1) {
        None => true,
        Some(before) => before >= from && (bytes[before] == dialect.delimiter || bytes[before] == b'\n'),
    })
}

/// The first quote at or after `from` that is not one of a doubled pair.
pub(super) fn closing_quote(bytes: &[u8], mut from: usize, quote: u8) -> Option<usize> {
    loop {
        let at = from + memchr::memchr(quote, bytes.get(from..)?)?;
        if bytes.get(at + 1) != Some(&quote) {
            return Some(at);
        }
        from = at + 2;
    }
}

//! A stream of JSON in, chunks of whole objects out.
//!
//! 1. The first bytes say how objects are told apart: `[` begins one array; a first line that is one whole
//!    object means that each line is one; else they stand one after the other, over any lines.
//! 2. Fill a buffer, cut it behind the last whole object, carry the rest over.
//!
//! Where each line is an object, a broken one costs its line only. Elsewhere objects are told by their
//! brackets, strings aside.

use std::io::{self, Read};

/// How objects are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Lines,
    Array,
    Stream,
}

/// Whole objects of one file.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// The line its first byte is on, from 1.
    pub(crate) first_line: u64,
    pub(crate) shape: Shape,
    /// The first bytes of one line too long to hold; the rest of it was dropped.
    pub(crate) over_long: bool,
}

/// Cuts a stream into chunks.
pub(crate) struct Chunker<R> {
    reader: R,
    chunk_bytes: usize,
    record_bytes_max: usize,
    carry: Vec<u8>,
    line: u64,
    shape: Option<Shape>,
    at_end: bool,
    /// The array was closed.
    closed: bool,
}

fn lines_in(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl<R: Read> Chunker<R> {
    pub(crate) fn new(reader: R, chunk_bytes: usize, field_bytes_max: usize) -> Self {
        Self {
            reader,
            chunk_bytes: chunk_bytes.clamp(64, 256 << 20),
            record_bytes_max: field_bytes_max.saturating_mul(4).min(1 << 30),
            carry: Vec::new(),
            line: 1,
            shape: None,
            at_end: false,
            closed: false,
        }
    }

    /// The next chunk; `None` at the end.
    ///
    /// **Errors**: what the system says; an object longer than may be that is no line, text behind an array.
    pub(crate) fn next(&mut self) -> io::Result<Option<Chunk>> {
        let mut bytes = std::mem::take(&mut self.carry);
        let mut wanted = self.chunk_bytes;
        loop {
            self.fill(&mut bytes, wanted)?;
            let shape = match self.shape {
                Some(shape) => shape,
                None => {
                    self.skip_start(&mut bytes);
                    if bytes.is_empty() && !self.at_end {
                        continue;
                    }
                    let Some(shape) = shape_of(&bytes, self.at_end || bytes.len() > self.record_bytes_max)
                    else {
                        wanted = wanted.saturating_mul(2);
                        continue;
                    };
                    self.shape = Some(shape);
                    if shape == Shape::Array {
                        bytes.remove(0);
                    }
                    shape
                }
            };
            if self.closed {
                return match bytes.iter().all(|b| is_space(*b)) {
                    true if self.at_end => Ok(None),
                    true => {
                        bytes.clear();
                        continue;
                    }
                    false => Err(io::Error::other(format!("text behind the array, on line {}", self.line))),
                };
            }
            if bytes.is_empty() && self.at_end {
                return match shape {
                    Shape::Array => Err(io::Error::other("the array is never closed")),
                    _ => Ok(None),
                };
            }
            let (end, closes) = match shape {
                Shape::Lines if self.at_end => (bytes.len(), false),
                Shape::Lines => (memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1), false),
                _ => last_end(&bytes, shape),
            };
            if end > 0 || closes {
                let mut rest = bytes.split_off(end);
                let first_line = self.line;
                self.line += lines_in(&bytes);
                if closes {
                    self.closed = true;
                    rest.remove(0);
                }
                self.carry = rest;
                if bytes.iter().all(|b| is_space(*b)) {
                    bytes = std::mem::take(&mut self.carry);
                    continue;
                }
                return Ok(Some(Chunk { bytes, first_line, shape, over_long: false }));
            }
            if self.at_end {
                if bytes.iter().all(|b| is_space(*b) || *b == b',') {
                    bytes.clear();
                    continue;
                }
                // What is left never ends: it is a bad row.
                let first_line = self.line;
                self.line += lines_in(&bytes);
                if shape == Shape::Array {
                    let text =
                        format!("the array, or an object in it, is never closed, from line {first_line} on");
                    return Err(io::Error::other(text));
                }
                return Ok(Some(Chunk { bytes, first_line, shape, over_long: false }));
            }
            if bytes.len() > self.record_bytes_max {
                if shape == Shape::Lines {
                    return self.drop_line(bytes).map(Some);
                }
                let text = format!(
                    "an object from line {} on is longer than {} bytes",
                    self.line, self.record_bytes_max
                );
                return Err(io::Error::other(text));
            }
            wanted = bytes.len().saturating_mul(2).max(self.chunk_bytes);
        }
    }

    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
        let mut filled = bytes.len();
        if self.at_end || filled >= wanted {
            return Ok(());
        }
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
        bytes.truncate(filled);
        Ok(())
    }

    /// Takes a byte order mark and blanks off the start.
    fn skip_start(&mut self, bytes: &mut Vec<u8>) {
        let mark = if self.line == 1 && bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let at = mark + bytes[mark..].iter().take_while(|b| is_space(**b)).count();
        self.line += lines_in(&bytes[..at]);
        bytes.drain(..at);
    }

    /// Reads on to the end of the line without keeping it.
    fn drop_line(&mut self, mut bytes: Vec<u8>) -> io::Result<Chunk> {
        let first_line = self.line;
        bytes.truncate(1 << 12);
        let mut dropped = Vec::new();
        while !self.at_end {
            dropped.clear();
            let n = self.reader.by_ref().take(1 << 16).read_to_end(&mut dropped)?;
            self.at_end = n < 1 << 16;
            if let Some(end) = memchr::memchr(b'\n', &dropped) {
                self.line += 1;
                self.carry = dropped.split_off(end + 1);
                break;
            }
        }
        Ok(Chunk { bytes, first_line, shape: Shape::Lines, over_long: true })
    }
}

/// How objects are told apart in a text that begins so; `None` if more of it is needed.
fn shape_of(bytes: &[u8], is_all: bool) -> Option<Shape> {
    if bytes.first() == Some(&b'[') {
        return Some(Shape::Array);
    }
    match memchr::memchr(b'\n', bytes) {
        Some(end) => {
            let line = bytes[..end].trim_ascii();
            // A line that is no JSON at all is a bad row among lines.
            let is_whole = line.first() != Some(&b'{') || value_end(line, 0).is_some();
            Some(if is_whole { Shape::Lines } else { Shape::Stream })
        }
        None if is_all => Some(Shape::Lines),
        None => None,
    }
}

/// One past the value that begins at `at`, by its brackets; `None` if it does not end in the text. What is
/// neither an object, a list nor a string ends before a blank, a comma or a bracket.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match *bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth == 0 => {
                let ends = |b: &u8| is_space(*b) || matches!(b, b',' | b']' | b'}' | b'{' | b'[');
                return Some(at + bytes[at..].iter().position(ends)?);
            }
            _ => {
                let next = memchr::memchr3(b'"', b'{', b'}', &bytes[at..]).map(|i| at + i);
                let bracket = memchr::memchr2(b'[', b']', &bytes[at..next.unwrap_or(bytes.len())]);
                at = bracket.map(|i| at + i).or(next)?;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// One past the string that begins at `at`.
pub(super) fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// One past the last whole value, and whether the array is closed there.
fn last_end(bytes: &[u8], shape: Shape) -> (usize, bool) {
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b']' if shape == Shape::Array => return (at, true),
            b if is_space(*b) || *b == b',' => at += 1,
            _ => match value_end(bytes, at) {
                Some(next) if next > at => (at, end) = (next, next),
                // A lone bracket that closes nothing: passed over here, refused later.
                Some(_) => at += 1,
                None => break,
            },
        }
    }
    (end, false)
}

/// The texts of the objects of a chunk, with the lines that they begin on.
pub(crate) fn records(chunk: &Chunk) -> Records<'_> {
    Records { bytes: &chunk.bytes, shape: chunk.shape, at: 0, line: chunk.first_line }
}

/// See [`records`].
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    shape: Shape,
    at: usize,
    line: u64,
}

impl<'a> Iterator for Records<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            if self.shape == Shape::Lines {
                let end = memchr::memchr(b'\n', rest);
                let (text, line) = (rest[..end.unwrap_or(rest.len())].trim_ascii(), self.line);
                self.at += end.map_or(rest.len(), |end| end + 1);
                self.line += 1;
                if !text.is_empty() {
                    return Some((line, text));
                }
                continue;
            }
            let blank = rest.iter().take_while(|b| is_space(**b) || **b == b',').count();
            self.line += lines_in(&rest[..blank]);
            self.at += blank;
            if self.at >= self.bytes.len() {
                return None;
            }
            let end = value_end(self.bytes, self.at).unwrap_or(self.bytes.len()).max(self.at + 1);
            let (text, line) = (&self.bytes[self.at..end], self.line);
            self.line += lines_in(text);
            self.at = end;
            return Some((line, text.trim_ascii()));
        }
    }
}

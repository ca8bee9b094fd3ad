//! The terse notation: a pattern as text for tests and EXPLAIN, and back.
//!
//! ```text
//! pattern  := position position position (position | join) modifier*
//! position := kind? (letter | '_') '[]'? '^'?       letter: S, P, O, I in its place: bound to constants
//! kind     := 'v' node | 's' statement | 'l' literal
//! join     := ('x' | 'k') pattern                   inner or left outer: I of the left = S of the right
//! modifier := '#' | '<' digits | '~' digits         count, limit, sample
//! ```
//!
//! `_` is unbound, `[]` a frontier, `^` projected. Values are not in the text: they are arguments, in the
//! order of their letters.
//!
//! Source: Poseidon §6.1, table 3; the modifiers are ours (the paper names limit, sample and count without a
//! notation).

use std::fmt;

use super::pattern::{Bound, Frontier, JoinKind, Kind, Pattern, Position, Predicates};

/// What a letter or `[]` of the text stands for.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Constants of S, O or I.
    Bound(Bound),
    /// Constants of P.
    Predicates(Predicates),
    /// A frontier.
    Frontier(Frontier),
}

/// Why a text is no pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// Byte offset.
    pub offset: usize,
    /// What stood in the way.
    pub message: &'static str,
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "access pattern, offset {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for NotationError {}

/// Joins deeper than this are refused: a statement about a statement about a statement is as far as the data
/// goes.
const DEPTH_MAX: usize = 8;

struct Reader<'t, A> {
    text: &'t [u8],
    at: usize,
    arguments: A,
}

impl<A: Iterator<Item = Argument>> Reader<'_, A> {
    fn error<T>(&self, message: &'static str) -> Result<T, NotationError> {
        Err(NotationError { offset: self.at, message })
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn position(&mut self, letter: u8) -> Result<(Position, Option<Predicates>), NotationError> {
        let mut position = Position::default();
        let mut predicates = None;
        for (mark, kind) in [(b'v', Kind::Node), (b's', Kind::Statement), (b'l', Kind::Literal)] {
            if letter != b'P' && self.take(mark) {
                position.kind = Some(kind);
            }
        }
        if self.take(letter) {
            match self.arguments.next() {
                Some(Argument::Bound(bound)) if letter != b'P' => position.bound = bound,
                Some(Argument::Predicates(p)) if letter == b'P' => predicates = Some(p),
                Some(_) => return self.error("the argument is not of the kind this letter takes"),
                None => return self.error("no argument is left for this letter"),
            }
        } else if !self.take(b'_') {
            return self.error("expected the position's letter or '_'");
        }
        if self.take(b'[') {
            if !self.take(b']') {
                return self.error("expected ']'");
            }
            match self.arguments.next() {
                Some(Argument::Frontier(frontier)) if letter != b'P' => position.frontier = Some(frontier),
                Some(_) => return self.error("the argument is not a frontier, or this position takes none"),
                None => return self.error("no argument is left for this frontier"),
            }
        }
        position.project = self.take(b'^');
        Ok((position, predicates))
    }

    fn number(&mut self) -> Result<u64, NotationError> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[start..self.at])
            .ok()
            .and_then(|t| t.parse().ok())
            .map_or_else(|| self.error("expected a number"), Ok)
    }

    fn pattern(&mut self, depth: usize) -> Result<Pattern, NotationError> {
        if depth == DEPTH_MAX {
            return self.error("too many joins");
        }
        let (subject, _) = self.position(b'S')?;
        let (predicate, predicates) = self.position(b'P')?;
        let (object, _) = self.position(b'O')?;
        let mut pattern = Pattern {
            subject,
            predicates: predicates.unwrap_or_default(),
            project_predicate: predicate.project,
            object,
            ..Pattern::default()
        };
        let join = if self.take(b'x') {
            Some(JoinKind::Inner)
        } else if self.take(b'k') {
            Some(JoinKind::Left)
        } else {
            None
        };
        match join {
            Some(kind) => pattern.join = Some((kind, Box::new(self.pattern(depth + 1)?))),
            None => pattern.statement = self.position(b'I')?.0,
        }
        Ok(pattern)
    }
}

/// Reads a pattern. `arguments` come in the order of the letters and frontiers that need them.
///
/// **Errors**: the offset at which the text stops being a pattern, or lacks an argument.
pub fn parse(text: &str, arguments: impl IntoIterator<Item = Argument>) -> Result<Pattern, NotationError> {
    let mut reader = Reader { text: text.as_bytes(), at: 0, arguments: arguments.into_iter() };
    let mut pattern = reader.pattern(0)?;
    loop {
        if reader.take(b'#') {
            pattern.count = true;
        } else if reader.take(b'<') {
            pattern.limit = Some(reader.number()?);
        } else if reader.take(b'~') {
            pattern.sample = Some(reader.number()?);
        } else if reader.at == reader.text.len() {
            return Ok(pattern);
        } else {
            return reader.error("expected '#', '<', '~' or the end");
        }
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, position: &Position, letter: char) -> fmt::Result {
    match position.kind {
        Some(Kind::Node) => f.write_str("v")?,
        Some(Kind::Statement) => f.write_str("s")?,
        Some(Kind::Literal) => f.write_str("l")?,
        None => {}
    }
    match position.bound {
        Bound::Free => f.write_str("_")?,
        _ => write!(f, "{letter}")?,
    }
    if position.frontier.is_some() {
        f.write_str("[]")?;
    }
    if position.project { f.write_str("^") } else { Ok(()) }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_position(f, &self.subject, 'S')?;
        f.write_str(if matches!(self.predicates, Predicates::Any) { "_" } else { "P" })?;
        if self.project_predicate {
            f.write_str("^")?;
        }
        write_position(f, &self.object, 'O')?;
        match &self.join {
            Some((JoinKind::Inner, about)) => write!(f, "x{about}")?,
            Some((JoinKind::Left, about)) => write!(f, "k{about}")?,
            None => write_position(f, &self.statement, 'I')?,
        }
        if self.count {
            f.write_str("#")?;
        }
        if let Some(limit) = self.limit {
            write!(f, "<{limit}")?;
        }
        match self.sample {
            Some(sample) => write!(f, "~{sample}"),
            None => Ok(()),
        }
    }
}

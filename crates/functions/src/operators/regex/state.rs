//! What all parts of the translator share: the pattern read so far, the flags in force, the text written.

use std::iter::Peekable;
use std::str::CharIndices;

/// What is wrong with a pattern, as a clause.
pub(super) type Fault = String;

/// Flags in force: case-insensitive, in all of Unicode; classes of all of Unicode; `.` matches line ends; `^`
/// and `$` match at lines; space and comments do not count; `\n` is the only line end.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) caseless: bool,
    pub(super) unicode_case: bool,
    pub(super) unicode_class: bool,
    pub(super) dot_all: bool,
    pub(super) multi_line: bool,
    pub(super) comments: bool,
    pub(super) unix_lines: bool,
}

impl Flags {
    pub(super) fn set(&mut self, flag: char, on: bool) -> Result<(), Fault> {
        match flag {
            'i' => self.caseless = on,
            'u' => self.unicode_case = on,
            // As in Java, Unicode's classes bring its cases with them.
            'U' => (self.unicode_class, self.unicode_case) = (on, on),
            's' => self.dot_all = on,
            'm' => self.multi_line = on,
            'x' => self.comments = on,
            'd' => self.unix_lines = on,
            other => return Err(format!("unknown flag \"{other}\"")),
        }
        Ok(())
    }
}

/// How far a pattern is read, and what came of it so far.
pub(super) struct Translator<'p> {
    pattern: &'p str,
    pub(super) rest: Peekable<CharIndices<'p>>,
    pub(super) out: String,
    pub(super) flags: Flags,
    /// Flags around each open group.
    pub(super) open: Vec<Flags>,
    pub(super) groups: u32,
    /// Whether the output is for `fancy-regex`.
    pub(super) full: bool,
    /// Whether it has to be.
    pub(super) backtracks: bool,
}

impl<'p> Translator<'p> {
    pub(super) fn new(pattern: &'p str, full: bool) -> Self {
        Self {
            pattern,
            rest: pattern.char_indices().peekable(),
            out: String::with_capacity(pattern.len() * 2),
            flags: Flags::default(),
            open: Vec::new(),
            groups: 0,
            full,
            backtracks: false,
        }
    }

    pub(super) fn next(&mut self) -> Option<char> {
        self.rest.next().map(|(_, c)| c)
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, c)| *c)
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        self.rest.next_if(|(_, c)| *c == expected).is_some()
    }

    /// Up to `end`, and over it.
    pub(super) fn pass(&mut self, end: char) {
        while self.next().is_some_and(|c| c != end) {}
    }

    /// What is not read yet.
    pub(super) fn ahead(&mut self) -> &'p str {
        let at = self.rest.peek().map_or(self.pattern.len(), |(at, _)| *at);
        self.pattern.get(at..).unwrap_or("")
    }

    /// A character that stands for itself.
    pub(super) fn literal(&mut self, c: char) {
        if self.flags.caseless && self.flags.unicode_case && c.is_alphabetic() {
            self.out.push_str("(?i:");
            self.out.push(c);
            self.out.push(')');
        } else if self.flags.caseless && c.is_ascii_alphabetic() {
            self.out.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']);
        } else {
            push_char(&mut self.out, c);
        }
    }
}

/// A character that stands for itself, in and outside of classes.
pub(super) fn push_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        out.push_str(&format!(r"\x{:02X}", u32::from(c)));
    }
}

//! Patterns of XPath: a pattern and flags in, a pattern in the syntax of `regex` and `fancy-regex` out.
//!
//! What means the same in both passes; classes, escapes and flags are spelled out. Beyond XPath, `(?…` groups
//! and `\b` pass as well, since other engines read them.
//!
//! Source: XPath and XQuery Functions and Operators 3.1, §5.6.1; XML Schema 1.1 part 2, appendix G.

use std::iter::Peekable;
use std::str::Chars;

/// A pattern for one of the two crates.
#[derive(Debug, PartialEq)]
pub(super) struct Translated {
    pub(super) pattern: String,
    /// Whether it needs `fancy-regex`: a back-reference or a look-around.
    pub(super) backtracks: bool,
    pub(super) caseless: bool,
    pub(super) multi_line: bool,
}

#[derive(Default)]
struct Flags {
    dot_all: bool,
    multi_line: bool,
    caseless: bool,
    extended: bool,
    quoted: bool,
}

/// Translates; `None` if the pattern or the flags are none.
pub(super) fn translate(pattern: &str, flags: &str) -> Option<Translated> {
    let mut set = Flags::default();
    for flag in flags.chars() {
        match flag {
            's' => set.dot_all = true,
            'm' => set.multi_line = true,
            'i' => set.caseless = true,
            'x' => set.extended = true,
            'q' => set.quoted = true,
            _ => return None,
        }
    }
    let mut translator =
        Translator { rest: pattern.chars().peekable(), out: String::new(), backtracks: false };
    if set.quoted {
        pattern.chars().for_each(|c| translator.literal(c));
    } else {
        translator.pattern(&set)?;
    }
    Some(Translated {
        pattern: translator.out,
        backtracks: translator.backtracks,
        caseless: set.caseless,
        multi_line: set.multi_line && !set.quoted,
    })
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    backtracks: bool,
}

impl Translator<'_> {
    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn pattern(&mut self, flags: &Flags) -> Option<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class(0)?,
                '.' => self.out.push_str(if flags.dot_all { "(?s:.)" } else { r"[^\n\r]" }),
                ' ' | '\t' | '\n' | '\r' if flags.extended => {}
                '(' => {
                    self.out.push('(');
                    if self.rest.peek() == Some(&'?') {
                        let mut ahead = self.rest.clone();
                        ahead.next();
                        // `(?<name>` is none of these, but does no harm there.
                        self.backtracks |= matches!(ahead.next(), Some('=' | '!' | '<' | '>'));
                    }
                }
                // What `regex` would take for more than itself.
                '#' | '&' | '~' | '-' => self.literal(c),
                _ => self.out.push(c),
            }
        }
        Some(())
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) -> Option<()> {
        const NAME_START: &str = r":_\p{L}\p{Nl}";
        const NAME: &str = r"-.:_\p{L}\p{N}\p{M}\x{B7}";
        let c = self.rest.next()?;
        let class = |out: &mut String, negated: bool, inner: &str| {
            // Classes stand within classes.
            out.push_str(if negated { "[^" } else { "[" });
            out.push_str(inner);
            out.push(']');
        };
        match c {
            'n' => self.out.push_str(r"\n"),
            'r' => self.out.push_str(r"\r"),
            't' => self.out.push_str(r"\t"),
            's' | 'S' => class(&mut self.out, c == 'S', r" \t\n\r"),
            'd' => self.out.push_str(r"\p{Nd}"),
            'D' => self.out.push_str(r"\P{Nd}"),
            'w' | 'W' => class(&mut self.out, c == 'w', r"\p{P}\p{Z}\p{C}"),
            'i' | 'I' => class(&mut self.out, c == 'I', NAME_START),
            'c' | 'C' => class(&mut self.out, c == 'C', &NAME.replace('-', r"\-")),
            'p' | 'P' => {
                self.out.push('\\');
                self.out.push(c);
                if self.rest.next()? != '{' {
                    return None;
                }
                self.out.push('{');
                loop {
                    let c = self.rest.next()?;
                    self.out.push(c);
                    if c == '}' {
                        break;
                    }
                    if !c.is_ascii_alphanumeric() && c != '-' {
                        return None;
                    }
                }
            }
            'b' | 'B' if !in_class => {
                self.out.push('\\');
                self.out.push(c);
            }
            '1'..='9' if !in_class => {
                self.backtracks = true;
                // In a group, so that a digit that follows is none of the number.
                self.out.push_str("(?:\\");
                self.out.push(c);
                self.out.push(')');
            }
            _ if c.is_ascii_punctuation() || c == ' ' => self.literal(c),
            _ => return None,
        }
        Some(())
    }

    /// A class, after its bracket; `depth` counts the classes around it.
    fn class(&mut self, depth: usize) -> Option<()> {
        const DEPTH_MAX: usize = 50;
        if depth > DEPTH_MAX {
            return None;
        }
        self.out.push('[');
        if self.rest.peek() == Some(&'^') {
            self.rest.next();
            self.out.push('^');
        }
        let mut is_first = true;
        let mut after_range = false;
        loop {
            let c = self.rest.next()?;
            match c {
                ']' if !is_first => {
                    self.out.push(']');
                    return Some(());
                }
                '\\' => self.escape(true)?,
                '-' if self.rest.peek() == Some(&'[') && !is_first => {
                    // What follows is taken away.
                    self.rest.next();
                    self.out.push_str("--");
                    self.class(depth + 1)?;
                }
                '-' if is_first || after_range || self.rest.peek() == Some(&']') => self.out.push_str(r"\-"),
                '-' => {
                    self.out.push('-');
                    after_range = true;
                    continue;
                }
                _ => self.literal(c),
            }
            is_first = false;
            after_range = false;
        }
    }
}

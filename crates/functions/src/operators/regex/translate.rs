//! A pattern in Java's syntax in, one for `regex` or `fancy-regex` out, in which nothing depends on a flag.
//!
//! Flags are kept by the translator, group by group, and what they mean is written out: `(?i)x` is `[xX]`,
//! `\d` is `[0-9]`, `.` is all but Java's line ends. So neither crate's own flags and Unicode classes come
//! into it.

use super::class;
use super::state::{Fault, Translator};

/// What a pattern came to.
pub(super) enum Translated {
    Plain(String),
    Backtracking(String),
}

/// Groups in each other at most: the compilers' own bounds are lower and speak of other things.
const DEPTH_MAX: usize = 100;

/// Line ends but `\r\n`, as members of a class.
const LINE_ENDS: &str = r"\n\r\x{85}\x{2028}\x{2029}";

pub(super) fn translate(pattern: &str) -> Result<Translated, Fault> {
    let mut plain = Translator::new(pattern, false);
    plain.all()?;
    if !plain.backtracks {
        return Ok(Translated::Plain(plain.finish()));
    }
    let mut full = Translator::new(pattern, true);
    full.all()?;
    Ok(Translated::Backtracking(full.finish()))
}

impl<'p> Translator<'p> {
    /// `matches`, not `find`: the whole text.
    fn finish(self) -> String {
        format!(r"\A(?:{})\z", self.out)
    }

    fn all(&mut self) -> Result<(), Fault> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => class::class(self, 0)?,
                '(' => self.group()?,
                ')' => {
                    self.flags = self.open.pop().ok_or("a group is closed that was not opened")?;
                    self.out.push(')');
                }
                '|' => self.out.push('|'),
                '.' => self.dot(),
                '^' if self.flags.multi_line => self.out.push_str("(?m:^)"),
                '^' => self.out.push_str(r"\A"),
                '$' if self.flags.multi_line => self.out.push_str("(?m:$)"),
                '$' => self.end(),
                '*' | '+' | '?' => {
                    self.out.push(c);
                    self.greed();
                }
                '{' => self.counted()?,
                '#' if self.flags.comments => self.pass('\n'),
                c if self.flags.comments && c.is_ascii_whitespace() => {}
                c => self.literal(c),
            }
        }
        if self.open.is_empty() { Ok(()) } else { Err("a group is not closed".into()) }
    }

    fn dot(&mut self) {
        match (self.flags.dot_all, self.flags.unix_lines) {
            (true, _) => self.out.push_str("(?s:.)"),
            (false, true) => self.out.push_str(r"[^\n]"),
            (false, false) => {
                self.out.push_str("[^");
                self.out.push_str(LINE_ENDS);
                self.out.push(']');
            }
        }
    }

    /// The end, before a last line end too. Where nothing can follow, the whole text has to be matched
    /// already.
    fn end(&mut self) {
        let ahead = self.ahead();
        let is_last = ahead.bytes().all(|b| b == b')') || (self.open.is_empty() && ahead.starts_with('|'));
        if is_last {
            self.out.push_str(r"\z");
        } else {
            self.backtracks = true;
            let ends = if self.flags.unix_lines { r"\n" } else { LINE_ENDS };
            self.out.push_str(&format!(r"(?=(?:\r\n|[{ends}])?\z)"));
        }
    }

    /// What may follow a quantifier: `?` for as few as possible, `+` for no going back.
    fn greed(&mut self) {
        if self.eat('?') {
            self.out.push('?');
        } else if self.eat('+') {
            self.backtracks = true;
            self.out.push('+');
        }
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    fn counted(&mut self) -> Result<(), Fault> {
        let illegal = "{ is not followed by a count and }";
        let inner = self.ahead().split_once('}').map(|(inner, _)| inner).ok_or(illegal)?;
        let (least, most) = inner.split_once(',').map_or((inner, None), |(l, m)| (l, Some(m)));
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_count(least) || most.is_some_and(|most| !most.is_empty() && !is_count(most)) {
            return Err(illegal.into());
        }
        self.out.push('{');
        self.out.push_str(inner);
        self.out.push('}');
        self.pass('}');
        self.greed();
        Ok(())
    }

    /// After `(`.
    fn group(&mut self) -> Result<(), Fault> {
        if self.open.len() == DEPTH_MAX {
            return Err(format!("it has more than {DEPTH_MAX} groups in each other"));
        }
        let outside = self.flags;
        if !self.eat('?') {
            self.groups += 1;
            self.out.push('(');
            self.open.push(outside);
            return Ok(());
        }
        let ahead = self.ahead();
        let looks = ["<=", "<!", "=", "!", ">"].into_iter().find(|start| ahead.starts_with(start));
        if let Some(start) = looks {
            self.backtracks = true;
            self.out.push_str("(?");
            self.out.push_str(start);
            for _ in start.chars() {
                self.next();
            }
        } else if self.eat('<') {
            let name = self.name()?;
            self.groups += 1;
            self.out.push_str(&format!("(?<{name}>"));
        } else if self.inline_flags()? {
            self.out.push_str("(?:");
        } else {
            return Ok(());
        }
        self.open.push(outside);
        Ok(())
    }

    /// Up to `>`.
    fn name(&mut self) -> Result<&'p str, Fault> {
        let (name, _) = self.ahead().split_once('>').ok_or("the name of a group has no end")?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_name {
            return Err(format!("\"{name}\" is no name of a group"));
        }
        self.pass('>');
        Ok(name)
    }

    /// Flags up to `:` (true: a group follows) or `)` (for the rest of this group).
    fn inline_flags(&mut self) -> Result<bool, Fault> {
        let mut on = true;
        loop {
            match self.next().ok_or("a group is not closed")? {
                ':' => return Ok(true),
                ')' => return Ok(false),
                '-' => on = false,
                flag => self.flags.set(flag, on)?,
            }
        }
    }

    /// After `\`, outside of classes.
    fn escape(&mut self) -> Result<(), Fault> {
        let c = self.next().ok_or(class::TRAILING)?;
        match c {
            'b' | 'B' => self.boundary(c == 'B'),
            'A' | 'G' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'Z' => self.end(),
            'R' => self.out.push_str(r"(?:\r\n|[\n\x0B\x0C\r\x{85}\x{2028}\x{2029}])"),
            'Q' => {
                for c in class::quoted(self).chars() {
                    self.literal(c);
                }
            }
            'E' => {}
            '1'..='9' => self.back_reference(c),
            'k' => {
                if !self.eat('<') {
                    return Err(r"\k is not followed by <name>".into());
                }
                let name = self.name()?;
                self.refer(&format!(r"\k<{name}>"));
            }
            c => {
                if let Some(set) = class::set(self, c)? {
                    self.out.push_str(&set);
                } else {
                    let c = class::character(self, c)?;
                    self.literal(c);
                }
            }
        }
        Ok(())
    }

    fn boundary(&mut self, negated: bool) {
        // `fancy-regex` has no boundary of ASCII: one side has a letter, and the other the same or not.
        let text = match (self.flags.unicode_class, self.full, negated) {
            (true, _, false) => r"\b",
            (true, _, true) => r"\B",
            (false, false, false) => r"(?-u:\b)",
            (false, false, true) => r"(?-u:\B)",
            (false, true, false) => "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))",
            (false, true, true) => "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))",
        };
        self.out.push_str(text);
    }

    /// As many digits as name a group that there is, one at least.
    fn back_reference(&mut self, first: char) {
        let mut number = first.to_digit(10).unwrap_or(0);
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let longer = number * 10 + digit;
            if longer > self.groups {
                break;
            }
            number = longer;
            self.next();
        }
        // In braces a digit that follows cannot be taken for a part of it.
        self.refer(&format!(r"(?:\{number})"));
    }

    fn refer(&mut self, reference: &str) {
        self.backtracks = true;
        if self.flags.caseless {
            self.out.push_str(&format!("(?i:{reference})"));
        } else {
            self.out.push_str(reference);
        }
    }
}

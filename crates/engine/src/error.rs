//! The one error enum, and how an error of a text is shown: message, line, caret, hint.

use std::fmt::Write as _;

use trimorph_base::{CancelToken, Diagnostic, OverBudget, Span};
use trimorph_exec::{ExecError, SpillError};
use trimorph_loader::LoadError;
use trimorph_log::LogError;
use trimorph_store::DatabaseError;
use unicode_width::UnicodeWidthChar as _;

/// Anything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query, or a value it met.
    #[error("{}", render(diagnostic, text))]
    Query {
        /// What is wrong and where.
        diagnostic: Box<Diagnostic>,
        /// The query's text.
        text: String,
    },
    /// A load gave up.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file of the database.
    #[error("{0}")]
    Storage(String),
    /// The memory limit.
    #[error("{0}; raise the memory limit or ask for less at once")]
    Memory(OverBudget),
    /// The memory limit, where rows could not be put into temporary files: a full disk, the spill limit, a
    /// directory that cannot be written to.
    #[error("{0}")]
    Spill(SpillError),
    /// Somebody asked the query to stop.
    #[error("the query was cancelled")]
    Cancelled,
    /// The query took longer than the timeout it was given.
    #[error("the query took longer than its timeout")]
    Timeout,
    /// Another transaction was first; the statement, or its transaction, may be tried again.
    #[error("TransactionConflict: {0}")]
    Conflict(String),
    /// A transaction that was to be begun, or ended, and cannot be.
    #[error("{0}")]
    Transaction(String),
    /// A row that is not what a program asked for.
    #[error("{0}")]
    Row(String),
    /// The database was opened read-only.
    #[error("the database was opened read-only")]
    ReadOnly,
}

impl Error {
    pub(crate) fn query(diagnostic: Diagnostic, text: &str) -> Self {
        Self::Query { diagnostic: Box::new(diagnostic), text: text.to_owned() }
    }

    pub(crate) fn exec(error: ExecError, text: &str) -> Self {
        match error {
            ExecError::Query(d) => Self::query(d, text),
            ExecError::Memory(o) => Self::Memory(o),
            ExecError::Spill(e) => Self::Spill(e),
            ExecError::Storage(text) => Self::Storage(text),
            _ => Self::Cancelled,
        }
    }

    /// The same, which was brought about by `cancel`: by its time, as it may be.
    pub(crate) fn stopped_by(self, cancel: &CancelToken) -> Self {
        match self {
            Self::Cancelled if cancel.is_over_time() => Self::Timeout,
            other => other,
        }
    }

    /// Line and column, both from 1 and in characters, of the place that is to blame.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::Query { diagnostic, text } => diagnostic.span.map(|s| position(text, s)),
            _ => None,
        }
    }
}

impl From<LogError> for Error {
    fn from(e: LogError) -> Self {
        Self::Storage(e.to_string())
    }
}

impl From<DatabaseError> for Error {
    fn from(e: DatabaseError) -> Self {
        match e {
            DatabaseError::Memory(over) => Self::Memory(over),
            other => Self::Storage(other.to_string()),
        }
    }
}

/// Start of the character that byte `at` of `text` is in.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Line and column of a place, both from 1 and in characters.
pub(crate) fn position(text: &str, span: Span) -> (usize, usize) {
    let before = &text[..boundary(text, span.start as usize)];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Longest part of a line that is shown.
const SHOWN_CHARS: usize = 100;

/// What stands for a character in a message: control characters have pictures, tabs are blanks, and nothing
/// turns the text around.
fn visible(c: char) -> char {
    match c {
        '\t' | '\r' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(' '),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}

/// A blank that is as wide as a character on most terminals.
fn blank(c: char) -> char {
    if c.width() == Some(2) { '\u{3000}' } else { ' ' }
}

/// How many columns a text takes on most terminals.
pub fn text_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The message with the source line, a caret under the place, and the hint.
pub fn render(diagnostic: &Diagnostic, text: &str) -> String {
    show(diagnostic.kind.name(), &diagnostic.primary, diagnostic.span, diagnostic.hint.as_deref(), text)
}

/// What errors and notices have in common: `head: primary`, the source line with a caret, the hint.
pub(crate) fn show(head: &str, primary: &str, span: Option<Span>, hint: Option<&str>, text: &str) -> String {
    let primary: String = primary.chars().map(visible).collect();
    let mut out = format!("{head}: {primary}");
    if let Some(span) = span {
        let (line, column) = position(text, span);
        let start = boundary(text, span.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        // A long line is cut to what is around the place.
        let skip = (column - 1).saturating_sub(SHOWN_CHARS / 2);
        let mut rest = text[line_start..line_end].chars().skip(skip);
        let shown: String = rest.by_ref().take(SHOWN_CHARS).collect();
        let (left, right) = (if skip > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
        let before: String = left.chars().chain(shown.chars().take(column - 1 - skip)).map(blank).collect();
        let shown: String = shown.chars().map(visible).collect();
        let end = boundary(text, (span.end as usize).clamp(start, line_end));
        let width =
            text[start..end].chars().count().clamp(1, SHOWN_CHARS.saturating_sub(column - 1 - skip).max(1));
        let number = line.to_string();
        let _ = write!(
            out,
            "\n {number} | {left}{shown}{right}\n {} | {before}{}",
            " ".repeat(number.len()),
            "^".repeat(width)
        );
        let _ = write!(out, " line {line}, column {column}");
    }
    if let Some(hint) = hint {
        let _ = write!(out, "\n hint: {hint}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trimorph_base::ErrorKind;

    #[test]
    fn shows_the_line_and_the_place() {
        let text = "MATCH (n)\nRETURN nmae";
        let d = Diagnostic::compile(
            ErrorKind::SyntaxError,
            "UndefinedVariable",
            "variable \"nmae\" is not defined",
        )
        .at(Span::new(17, 21))
        .hint("did you mean \"name\"?");
        assert_eq!(
            render(&d, text),
            "SyntaxError: variable \"nmae\" is not defined\n 2 | RETURN nmae\n   |        ^^^^ line 2, column 8\n hint: did you mean \"name\"?"
        );
    }

    #[test]
    fn odd_characters_do_no_harm() {
        let text = "RETURN '\u{65e5}\u{672c}', \x1b[2Jx\u{202e}y";
        let at = Span::new(u32::try_from(text.find('\x1b').unwrap()).unwrap(), 17);
        let d = Diagnostic::compile(ErrorKind::SyntaxError, "X", "found \"\x1b\"").at(at);
        assert_eq!(
            render(&d, text),
            "SyntaxError: found \"\u{241b}\"\n 1 | RETURN '\u{65e5}\u{672c}', \u{241b}[2Jx\u{fffd}y\n   |         \u{3000}\u{3000}   ^ line 1, column 14"
        );
    }

    /// The line shown for a place in a text, and what stands above the first caret.
    fn excerpt(text: &str, start: usize, end: usize) -> (String, char) {
        let span = Span::new(u32::try_from(start).unwrap(), u32::try_from(end).unwrap());
        let shown = render(&Diagnostic::compile(ErrorKind::SyntaxError, "X", "x").at(span), text);
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        let (_, line) = lines[1].split_once(" | ").unwrap();
        (line.to_owned(), lines[1].chars().nth(caret).unwrap())
    }

    #[test]
    fn a_cut_line_says_on_which_side() {
        let (a, b) = ("a".repeat(200), "b".repeat(200));
        for (text, place, left, right) in [
            (format!("x{}", "a".repeat(99)), 0, false, false),
            (format!("{}x", "a".repeat(50)), 50, false, false),
            (format!("x{b}"), 0, false, true),
            (format!("{a}x"), 200, true, false),
            (format!("{a}x{b}"), 200, true, true),
            (format!("first\n{a}x{b}\nlast"), 206, true, true),
            (format!("{}\n", a.replace('a', "é") + "x"), 400, true, false),
        ] {
            let (line, above) = excerpt(&text, place, place + 1);
            assert_eq!(above, 'x', "{text}");
            assert_eq!((line.starts_with('…'), line.ends_with('…')), (left, right), "{text}\n{line}");
            assert!(line.chars().count() <= SHOWN_CHARS + 2, "{line}");
        }
    }

    #[test]
    fn any_span_is_shown_without_a_panic() {
        let text = "é\u{1F600}\n\tx";
        for start in 0..12 {
            for end in 0..12 {
                let d = Diagnostic::compile(ErrorKind::SyntaxError, "X", "x").at(Span::new(start, end));
                assert!(render(&d, text).contains('^'));
            }
        }
    }
}

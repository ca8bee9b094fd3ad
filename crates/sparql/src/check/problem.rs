//! Mistakes in words: what stands there, what was expected, what was perhaps meant.

use trimorph_base::{Diagnostic, ErrorKind, Span, nearest};

use super::Checker;

/// Characters of a token that a message quotes.
const QUOTED_CHARS_MAX: usize = 30;

/// What was expected: in words, and the keywords among it.
#[derive(Clone, Copy)]
pub(super) struct Want<'w> {
    pub(super) words: &'w str,
    pub(super) keywords: &'w [&'w str],
}

/// What was expected, where it is no keyword.
pub(super) const fn want(words: &str) -> Want<'_> {
    Want { words, keywords: &[] }
}

/// What was expected, and keywords that may be meant.
pub(super) const fn one_of<'w>(words: &'w str, keywords: &'w [&'w str]) -> Want<'w> {
    Want { words, keywords }
}

/// What other languages have and how it is said here: what stands there, what to do.
const FOREIGN: &[(&str, &str)] = &[
    ("AND", "write && for \"and\""),
    ("OR", "write || for \"or\""),
    ("NOT", "write ! for \"not\", or NOT EXISTS { … }"),
    ("==", "write = for \"equal\""),
    ("<>", "write != for \"not equal\""),
    ("LIKE", "write REGEX(?x, \"pattern\") or CONTAINS(?x, \"part\")"),
    ("IS", "write BOUND(?x) to ask whether a variable has a value"),
    ("NULL", "nothing is said by leaving it out, or by UNDEF in VALUES"),
    ("COUNT", "write (COUNT(*) AS ?name)"),
    ("JOIN", "patterns in one group are joined: write one after the other"),
    ("MATCH", "this is SPARQL: write WHERE { … }, or run the text as openCypher"),
    ("RETURN", "this is SPARQL: write SELECT, or run the text as openCypher"),
    ("UPDATE", "write DELETE { … } INSERT { … } WHERE { … }"),
    ("SKIP", "write OFFSET"),
    ("TOP", "write LIMIT behind the pattern"),
    ("ELSE", "write IF(condition, then, else)"),
    ("CASE", "write IF(condition, then, else)"),
    ("--", "a comment begins with #"),
    ("//", "a comment begins with #"),
    ("/*", "a comment begins with #"),
];

impl Checker<'_> {
    /// A mistake with its place; the hint may be empty.
    #[cold]
    pub(super) fn wrong(
        &self,
        primary: impl Into<String>,
        span: Span,
        hint: impl Into<String>,
    ) -> Box<Diagnostic> {
        let error = Diagnostic::compile(ErrorKind::SyntaxError, "InvalidSparql", primary).at(span);
        let hint = hint.into();
        Box::new(if hint.is_empty() { error } else { error.hint(hint) })
    }

    /// Something else should stand here.
    #[cold]
    pub(super) fn expected(&self, what: Want<'_>) -> Box<Diagnostic> {
        let (place, found) = self.found();
        if found.is_empty() {
            return self.wrong(
                "the text ends where more is expected",
                place,
                format!("expected {}", what.words),
            );
        }
        let primary = format!("\"{}\" is not expected here", shorten(found));
        self.wrong(primary, place, self.action(found, what))
    }

    /// The same with an action of one's own.
    #[cold]
    pub(super) fn unexpected(&self, hint: &str) -> Box<Diagnostic> {
        let (place, found) = self.found();
        match found.is_empty() {
            true => self.wrong("the text ends where more is expected", place, hint),
            false => self.wrong(format!("\"{}\" is not expected here", shorten(found)), place, hint),
        }
    }

    fn action(&self, found: &str, what: Want<'_>) -> String {
        let foreign = || {
            FOREIGN.iter().find(|(word, _)| {
                let head = self.text.get(self.at..self.at + word.len());
                found.eq_ignore_ascii_case(word)
                    || !word.as_bytes()[0].is_ascii_alphabetic() && head == Some(word)
            })
        };
        let meant = || {
            // Longer than any keyword by more than `nearest` bridges: not worth a look.
            (3..=20).contains(&found.len()).then(|| nearest(found, what.keywords.iter().copied())).flatten()
        };
        match (meant(), foreign()) {
            (Some(word), _) => format!("did you mean {word}?"),
            (None, Some((_, action))) => (*action).to_owned(),
            (None, None) => format!("expected {}", what.words),
        }
    }

    /// The place of the token that stands here.
    pub(super) fn here(&self) -> Span {
        self.found().0
    }

    /// The token that stands here, roughly: where the parser stopped within a word, the whole word.
    pub(super) fn found(&self) -> (Span, &str) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut start = self.at.min(self.text.len());
        if self.rest().starts_with(is_part) {
            let before = &self.text[..start];
            start = before.trim_end_matches(is_part).len();
        }
        let rest = &self.text[start..];
        let first = rest.chars().next();
        let len = match first {
            None => 0,
            Some('?' | '$' | '@') => 1 + rest[1..].find(|c| !is_part(c)).unwrap_or(rest.len() - 1),
            Some(c) if is_part(c) || c == ':' => {
                let is_name = |c: char| is_part(c) || matches!(c, ':' | '-');
                rest.find(|c| !is_name(c)).unwrap_or(rest.len())
            }
            Some('<') => match rest.find(|c: char| c == '>' || c.is_whitespace() || c == '"' || c == '{') {
                Some(end) if rest[end..].starts_with('>') => end + 1,
                _ => 1,
            },
            Some(quote @ ('"' | '\'')) => {
                rest[1..].find([quote, '\n']).map_or(rest.len(), |end| (end + 2).min(rest.len()))
            }
            Some(c) => c.len_utf8(),
        };
        // A text may be cut between the bytes of a letter nowhere above but behind a line's end.
        let len = (len..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
        (self.span(start, start + len), &rest[..len])
    }

    /// Line and column of a place, for other messages than those at it.
    pub(super) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
    }

    /// A bracket that begins at `open` should be closed here.
    #[cold]
    pub(super) fn unclosed(&self, open: usize, sign: &str, what: Want<'_>) -> Box<Diagnostic> {
        let (_, found) = self.found();
        if !found.is_empty() {
            return self.expected(what);
        }
        let (line, column) = self.line_and_column(open);
        let bracket = self.text.get(open..).and_then(|rest| rest.chars().next()).unwrap_or('(');
        let hint = format!("add {sign}: the \"{bracket}\" at line {line}, column {column} is not closed");
        self.wrong("the text ends where more is expected", self.here(), hint)
    }
}

/// The beginning of a token, on one line.
pub(super) fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}

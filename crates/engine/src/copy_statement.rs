//! A text in, the `COPY` that it is out.
//!
//! ```text
//! COPY (query) TO target [[WITH] (option, …)]
//! COPY name [(property, …)] TO target [[WITH] (option, …)]
//! COPY name [(property, …)] FROM target [[WITH] (option, …)]
//! option   NAME [[=] value]
//! target   'file' | "file" | $parameter
//! ```
//!
//! Names and values of options are as DuckDB's (`FORMAT csv, DELIMITER '|'`) and Kuzu's (`header = true`).

use trimorph_base::{Diagnostic, ErrorKind, Span};

/// An error of a `COPY` at a place of its text.
pub(crate) fn wrong(detail: &'static str, primary: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::compile(ErrorKind::SyntaxError, detail, primary).at(span)
}

/// The error of a statement that may not touch files.
pub(crate) fn files_forbidden() -> Diagnostic {
    let primary = "statements may not read or write files here";
    let error = Diagnostic::compile(ErrorKind::Unsupported, "FileAccessForbidden", primary);
    error.hint("the database was opened with file access forbidden")
}

/// The language of the query within.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Cypher,
    Sparql,
}

/// What is copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// The rows of the query at this place.
    Query(Span),
    /// Nodes of a label, or relationships of a type; these properties, or all.
    Table { name: String, columns: Option<Vec<(String, Span)>>, span: Span },
}

impl What {
    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Query(span) | Self::Table { span, .. } => *span,
        }
    }
}

/// The file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Path(String, Span),
    Parameter(String, Span),
}

impl Target {
    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Path(_, span) | Self::Parameter(_, span) => *span,
        }
    }
}

/// An option as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    /// In capitals.
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    pub(crate) span: Span,
}

/// `COPY … TO`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Copy {
    pub(crate) what: What,
    pub(crate) target: Target,
    pub(crate) options: Vec<Given>,
    /// Only the plan of the query is asked for.
    pub(crate) explain: bool,
}

/// `COPY … FROM`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct From {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    /// The properties that are taken, or the names of columns of a file without a header.
    pub(crate) columns: Option<Vec<(String, Span)>>,
    pub(crate) target: Target,
    pub(crate) options: Vec<Given>,
}

/// A `COPY`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    To(Copy),
    From(From),
}

/// Whether a text is a `COPY`, or asks for the plan of one. In SPARQL only what begins with `COPY (` is:
/// the rest is SPARQL's own.
pub(crate) fn begins(text: &str, language: Language) -> bool {
    let mut words = Scanner { text, at: 0, language };
    if language == Language::Cypher && words.word_is("EXPLAIN") {
        words.word();
    }
    if !words.word_is("COPY") {
        return false;
    }
    words.word();
    match language {
        Language::Cypher => true,
        Language::Sparql => words.next_is('('),
    }
}

/// Reads a text that [`begins`] says is one.
pub(crate) fn parse(text: &str, language: Language) -> Result<Statement, Diagnostic> {
    let mut scanner = Scanner { text, at: 0, language };
    let explain = scanner.word_is("EXPLAIN");
    if explain {
        scanner.word();
    }
    scanner.word();
    let what = scanner.what()?;
    scanner.space();
    if scanner.word_is("FROM") {
        let What::Table { name, columns, span } = what else {
            return Err(wrong(
                "InvalidCopy",
                "only a label or relationship type is copied from a file",
                what.span(),
            )
            .hint("write COPY Label FROM 'file.csv'"));
        };
        if explain {
            let error = wrong("InvalidCopy", "a load has no plan to be shown", span);
            return Err(error.hint("write it without EXPLAIN"));
        }
        scanner.word();
        let target = scanner.target()?;
        let options = scanner.options()?;
        return Ok(Statement::From(From { name, name_span: span, columns, target, options }));
    }
    if !scanner.word_is("TO") {
        return Err(scanner.unexpected("TO or FROM"));
    }
    scanner.word();
    let target = scanner.target()?;
    let options = scanner.options()?;
    Ok(Statement::To(Copy { what, target, options, explain }))
}

/// Walks over a text.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    language: Language,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn span(&self, start: usize) -> Span {
        let of = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: of(start), end: of(self.at) }
    }

    /// Passes blanks and comments over.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            match self.comment() {
                0 => return,
                length => self.at += length,
            }
        }
    }

    /// The length of the comment that begins here.
    fn comment(&self) -> usize {
        let rest = self.rest();
        let line = || rest.find('\n').unwrap_or(rest.len());
        match self.language {
            Language::Cypher if rest.starts_with("//") => line(),
            Language::Cypher if rest.starts_with("/*") => {
                rest[2..].find("*/").map_or(rest.len(), |end| end + 4)
            }
            Language::Sparql if rest.starts_with('#') => line(),
            _ => 0,
        }
    }

    /// The word that comes next, which is not passed.
    fn peek(&mut self) -> &'t str {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    }

    fn word_is(&mut self, word: &str) -> bool {
        self.peek().eq_ignore_ascii_case(word)
    }

    fn word(&mut self) -> &'t str {
        let word = self.peek();
        self.at += word.len();
        word
    }

    fn next_is(&mut self, c: char) -> bool {
        self.space();
        self.rest().starts_with(c)
    }

    fn takes(&mut self, c: char) -> bool {
        let is = self.next_is(c);
        if is {
            self.at += c.len_utf8();
        }
        is
    }

    fn unexpected(&mut self, wanted: &str) -> Diagnostic {
        self.space();
        let start = self.at;
        let word = self.peek();
        let length =
            if word.is_empty() { self.rest().chars().next().map_or(0, char::len_utf8) } else { word.len() };
        let found = match self.rest().get(..length) {
            None | Some("") => "the end".to_owned(),
            Some(text) => format!("\"{text}\""),
        };
        self.at += length;
        let hint = "write COPY (MATCH … RETURN …) TO 'file.csv' (FORMAT csv, HEADER), COPY Label TO 'file.parquet', or COPY Label FROM 'file.csv'";
        wrong("UnexpectedSyntax", format!("expected {wanted}, found {found}"), self.span(start)).hint(hint)
    }

    fn what(&mut self) -> Result<What, Diagnostic> {
        if self.next_is('(') {
            return self.query().map(What::Query);
        }
        self.space();
        let start = self.at;
        let name = self.name("a query in parentheses, a label or a relationship type")?;
        let span = self.span(start);
        let columns = if self.takes('(') { Some(self.columns()?) } else { None };
        Ok(What::Table { name, columns, span })
    }

    fn columns(&mut self) -> Result<Vec<(String, Span)>, Diagnostic> {
        let mut columns = Vec::new();
        loop {
            self.space();
            let start = self.at;
            let name = self.name("the name of a property")?;
            columns.push((name, self.span(start)));
            if self.takes(')') {
                return Ok(columns);
            }
            if !self.takes(',') {
                return Err(self.unexpected("\",\" or \")\""));
            }
        }
    }

    /// A name, in backticks or not.
    fn name(&mut self, wanted: &str) -> Result<String, Diagnostic> {
        self.space();
        if self.next_is('`') {
            let start = self.at;
            let Some(end) = self.skip_quoted('`') else {
                self.at = self.text.len();
                return Err(wrong("UnexpectedSyntax", "the backtick is never closed", self.span(start)));
            };
            self.at = end;
            return Ok(self.text[start + 1..end - 1].replace("``", "`"));
        }
        match self.word() {
            "" => Err(self.unexpected(wanted)),
            name => Ok(name.to_owned()),
        }
    }

    /// One past the quote that closes the one here, of which two stand for one.
    fn skip_quoted(&self, quote: char) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            at += self.text.get(at..)?.find(quote)? + 1;
            if !self.text[at..].starts_with(quote) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The place of a query between parentheses.
    fn query(&mut self) -> Result<Span, Diagnostic> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        let mut depth = 1;
        loop {
            let comment = self.comment();
            if comment > 0 {
                self.at += comment;
                continue;
            }
            let Some(c) = self.rest().chars().next() else {
                self.at = open + 1;
                return Err(wrong("UnexpectedSyntax", "the parenthesis is never closed", self.span(open)));
            };
            match c {
                '\'' | '"' => self.at = self.skip_text(c),
                '`' if self.language == Language::Cypher => {
                    self.at = self.skip_quoted('`').unwrap_or(self.text.len());
                }
                '<' if self.language == Language::Sparql => self.at = self.skip_iri(),
                '(' => {
                    depth += 1;
                    self.at += 1;
                }
                ')' => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        let end = self.at - 1;
                        if self.text[start..end].trim().is_empty() {
                            let error =
                                wrong("InvalidCopy", "there is no query to be copied", self.span(open));
                            return Err(error.hint("write one between the parentheses"));
                        }
                        let of = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                        return Ok(Span { start: of(start), end: of(end) });
                    }
                }
                c => self.at += c.len_utf8(),
            }
        }
    }

    /// One past the string that begins here, whose escapes begin with a backslash; three quotes are SPARQL's
    /// long strings.
    fn skip_text(&self, quote: char) -> usize {
        let rest = self.rest();
        let long: String = std::iter::repeat_n(quote, 3).collect();
        let close = match self.language {
            Language::Sparql if rest.starts_with(&long) => long.as_str(),
            _ => &long[..1],
        };
        let mut at = self.at + close.len();
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with(close) {
                return at + close.len();
            }
            let escaped = rest.starts_with('\\');
            let mut letters = rest.chars();
            at += letters.next().map_or(1, char::len_utf8);
            if escaped {
                at += letters.next().map_or(0, char::len_utf8);
            }
        }
        self.text.len()
    }

    /// One past the IRI that begins here; or past the sign, where it is one that compares.
    fn skip_iri(&self) -> usize {
        let end = self.rest().find(|c: char| c == '>' || c.is_whitespace());
        match end {
            Some(end) if self.rest()[end..].starts_with('>') => self.at + end + 1,
            _ => self.at + 1,
        }
    }

    fn target(&mut self) -> Result<Target, Diagnostic> {
        self.space();
        let start = self.at;
        if self.takes('$') {
            let name = self.word().to_owned();
            return Ok(Target::Parameter(name, self.span(start)));
        }
        if self.next_is('\'') || self.next_is('"') {
            let text = self.string()?;
            return Ok(Target::Path(text, self.span(start)));
        }
        Err(self.unexpected("the name of a file in quotes"))
    }

    /// A string between quotes: `''` and `\'` are a quote, `\t`, `\n`, `\r` and `\\` what they are.
    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let mut letters = self.rest().char_indices();
        let Some((_, quote)) = letters.next() else { return Err(self.unexpected("a string")) };
        let mut out = String::new();
        while let Some((at, c)) = letters.next() {
            match c {
                '\\' => match letters.next() {
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, c @ ('\\' | '\'' | '"'))) => out.push(c),
                    Some((_, c)) => out.extend(['\\', c]),
                    None => break,
                },
                c if c == quote => {
                    if letters.clone().next().is_some_and(|(_, next)| next == quote) {
                        letters.next();
                        out.push(quote);
                        continue;
                    }
                    self.at = start + at + 1;
                    return Ok(out);
                }
                c => out.push(c),
            }
        }
        self.at = self.text.len();
        Err(wrong("UnexpectedSyntax", "the quote is never closed", self.span(start)))
    }

    /// What stands behind the file, up to the end of the text.
    fn options(&mut self) -> Result<Vec<Given>, Diagnostic> {
        if self.word_is("WITH") {
            self.word();
        }
        let mut options = Vec::new();
        if self.takes('(') {
            while !self.takes(')') {
                options.push(self.option()?);
                if !self.next_is(')') && !self.takes(',') {
                    return Err(self.unexpected("\",\" or \")\""));
                }
            }
        }
        self.takes(';');
        self.space();
        if self.rest().is_empty() {
            Ok(options)
        } else {
            Err(self.unexpected("options in parentheses, or the end"))
        }
    }

    fn option(&mut self) -> Result<Given, Diagnostic> {
        self.space();
        let start = self.at;
        let name = match self.word() {
            "" => return Err(self.unexpected("the name of an option")),
            name => name.to_ascii_uppercase(),
        };
        let has_sign = self.takes('=');
        let value = match self.rest().trim_start().chars().next() {
            Some('\'' | '"') => {
                self.space();
                Some(self.string()?)
            }
            Some(c) if c.is_alphanumeric() || c == '-' || c == '+' => {
                self.space();
                let rest = self.rest();
                let is_in = |c: char| c.is_alphanumeric() || "_-+.".contains(c);
                let end = rest.find(|c: char| !is_in(c)).unwrap_or(rest.len());
                self.at += end;
                Some(rest[..end].to_owned())
            }
            _ if has_sign => return Err(self.unexpected("a value")),
            _ => None,
        };
        Ok(Given { name, value, span: self.span(start) })
    }
}

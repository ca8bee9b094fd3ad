//! Words of a query, as far as a shell must know them: where statements end, what to colour, whether it
//! changes data.
//!
//! This is not the parser: it never fails, and what it does not know is `Other`.

/// Kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A word that is a keyword.
    Keyword,
    /// Any other word.
    Word,
    /// A word with `(` behind it.
    Function,
    /// A word after `:`, or in a list of such with `|` or `&`.
    Label,
    /// A word after `.`.
    Property,
    /// A parameter.
    Parameter,
    /// A string.
    Text,
    /// A string, quoted name or comment without its end.
    Unclosed,
    /// A name in backticks.
    Quoted,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A semicolon.
    Semicolon,
    /// Whitespace.
    Space,
    /// Punctuation.
    Other,
}

/// A token: its kind and its bytes in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: Kind,
    /// First byte.
    pub(crate) start: usize,
    /// Past the last byte.
    pub(crate) end: usize,
}

/// Words of openCypher, for colours and completion.
#[rustfmt::skip]
pub(crate) const KEYWORDS: [&str; 58] = [
    "ALL", "AND", "ANY", "AS", "ASC", "ASCENDING", "BY", "CALL", "CASE", "CONTAINS", "CREATE", "DELETE",
    "DESC", "DESCENDING", "DETACH", "DISTINCT", "ELSE", "END", "ENDS", "EXISTS", "EXPLAIN", "FALSE",
    "FOREACH", "IN", "IS", "LIMIT", "MATCH", "MERGE", "NONE", "NOT", "NULL", "OFFSET", "ON", "OPTIONAL",
    "OR", "ORDER", "PROFILE", "REDUCE", "REMOVE", "RETURN", "SET", "SINGLE", "SKIP", "STARTS", "THEN",
    "TRUE", "UNION", "UNWIND", "WHEN", "WHERE", "WITH", "XOR", "YIELD", "shortestPath", "allShortestPaths",
    "COUNT", "COLLECT", "PREFIX",
];

/// Keywords that change data.
const UPDATES: [&str; 6] = ["CREATE", "MERGE", "SET", "DELETE", "REMOVE", "FOREACH"];

/// The tokens of `text`, without gaps.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (mut kind, length) = token(&text[at..], first);
        match kind {
            Kind::Word => {
                let in_map = open.last() == Some(&'{');
                kind = word_kind(text, &out, in_map, &text[at..at + length], &text[at + length..]);
            }
            Kind::Other if "([{".contains(first) => open.push(first),
            Kind::Other if ")]}".contains(first) => _ = open.pop(),
            _ => {}
        }
        out.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    out
}

/// Kind and length of the token that `rest` begins with.
fn token(rest: &str, first: char) -> (Kind, usize) {
    let after = &rest[first.len_utf8()..];
    let run = |f: fn(char) -> bool| first.len_utf8() + after.find(|c| !f(c)).unwrap_or(after.len());
    match first {
        c if c.is_whitespace() => (Kind::Space, run(char::is_whitespace)),
        '/' if after.starts_with('/') => (Kind::Comment, rest.find('\n').unwrap_or(rest.len())),
        '/' if after.starts_with('*') => match rest[2..].find("*/") {
            Some(end) => (Kind::Comment, end + 4),
            None => (Kind::Unclosed, rest.len()),
        },
        '\'' | '"' => quoted(rest, first, true),
        '`' => quoted(rest, first, false),
        '$' => (Kind::Parameter, run(is_word)),
        ';' => (Kind::Semicolon, 1),
        c if c.is_ascii_digit() => (Kind::Number, number(rest)),
        c if is_word(c) => (Kind::Word, run(is_word)),
        c => (Kind::Other, c.len_utf8()),
    }
}

/// Length of a number: `1..3` is a number, two dots and a number.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let point = *byte == b'.' && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(byte.is_ascii_alphanumeric() || point) {
            break;
        }
        end += 1;
    }
    end
}

fn quoted(rest: &str, quote: char, escapes: bool) -> (Kind, usize) {
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        if c == quote {
            return (if escapes { Kind::Text } else { Kind::Quoted }, at + 1);
        }
        if escapes && c == '\\' {
            letters.next();
        }
    }
    (Kind::Unclosed, rest.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_kind(text: &str, before: &[Token], in_map: bool, word: &str, after: &str) -> Kind {
    let mut back = before.iter().rev().filter(|t| t.kind != Kind::Space);
    let last = back.next().map_or("", |t| &text[t.start..t.end]);
    match last {
        ":" if !in_map => return Kind::Label,
        "|" | "&" if back.next().is_some_and(|t| t.kind == Kind::Label) => return Kind::Label,
        "." => return Kind::Property,
        _ => {}
    }
    let is_call = after.trim_start().starts_with('(');
    match KEYWORDS.iter().any(|k| k.eq_ignore_ascii_case(word)) {
        true if is_call && ["COUNT", "COLLECT", "EXISTS"].iter().any(|k| k.eq_ignore_ascii_case(word)) => {
            Kind::Function
        }
        true => Kind::Keyword,
        false if is_call => Kind::Function,
        false => Kind::Word,
    }
}

/// Statements of one word that change the files.
const OF_FILES: [&str; 2] = ["CHECKPOINT", "REORGANIZE"];

/// Whether the text changes data or files, as far as its words tell.
pub(crate) fn is_update(text: &str) -> bool {
    let is = |t: &Token| {
        t.kind == Kind::Keyword && UPDATES.iter().any(|k| k.eq_ignore_ascii_case(&text[t.start..t.end]))
    };
    let is_of_files = |statement: &&str| OF_FILES.iter().any(|k| k.eq_ignore_ascii_case(statement));
    tokens(text).iter().any(is) || statements(text).iter().any(|one| is_of_files(one) || is_load(one))
}

/// Whether a statement is `COPY … FROM`; what stands in brackets are columns and options.
fn is_load(statement: &str) -> bool {
    let tokens = tokens(statement);
    let mut words = tokens
        .iter()
        .filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment))
        .map(|token| &statement[token.start..token.end]);
    let mut depth = 0_usize;
    let is_from = |word: &str| {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && word.eq_ignore_ascii_case("FROM")
    };
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("COPY")) && words.any(is_from)
}

/// Statements between semicolons; empty ones are left out. The last has no end if its semicolon is missing.
pub(crate) fn statements(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut has_words = false;
    for token in tokens(text) {
        match token.kind {
            Kind::Semicolon => {
                if has_words {
                    out.push(text[start..token.start].trim());
                }
                (start, has_words) = (token.end, false);
            }
            Kind::Space | Kind::Comment => {}
            _ => has_words = true,
        }
    }
    if has_words {
        out.push(text[start..].trim());
    }
    out
}

/// Braces that are open at the end of a text.
fn depth(text: &str, tokens: &[Token]) -> usize {
    let brackets = tokens.iter().map(|token| &text[token.start..token.end]);
    brackets.fold(0, |depth: usize, bracket| match bracket {
        "{" => depth + 1,
        "}" => depth.saturating_sub(1),
        _ => depth,
    })
}

/// Whether a statement that is typed in has come to its end: a semicolon, or an empty line.
pub(crate) fn is_complete(text: &str) -> bool {
    let tokens = tokens(text);
    let words = |t: &&Token| !matches!(t.kind, Kind::Space | Kind::Comment);
    match tokens.iter().rev().find(words) {
        None => true,
        // Within the braces of a SPARQL pattern a semicolon goes on.
        Some(token) if token.kind == Kind::Semicolon && depth(text, &tokens) == 0 => true,
        Some(token) if token.kind == Kind::Unclosed => text.ends_with("\n\n"),
        Some(_) => text.trim_end_matches([' ', '\t']).ends_with('\n'),
    }
}

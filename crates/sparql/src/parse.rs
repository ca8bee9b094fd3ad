//! Text into a syntax tree: takes a text, gives a query or the operations of an update.
//!
//! The tree is `spargebra`'s. Its parser goes down by recursion, so brackets are counted before: what is
//! nested too deep is an error of ours. What a text may have is said by `check`, which looks first: it
//! refuses what the standard refuses, and edits what the parser does not take.

use std::collections::HashMap;
use std::ops::Range;

use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser, SparqlSyntaxError, Update};
use trimorph_base::{Diagnostic, ErrorKind, Span};
use trimorph_types::iri_names::BASE;
use trimorph_types::rdf::names::{RDF, RDFS, XSD};

use crate::check::{Form, Sound, check};
use crate::having::{raise_in_query, raise_in_update};

/// Brackets within brackets, and signs before signs.
const NESTING_MAX: usize = 200;

/// Operators and parts of patterns: each may be one more level of the tree, which is gone down by recursion.
const PARTS_MAX: usize = 5_000;

/// How a statement is to be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// For its answer.
    Normal,
    /// For its plan.
    Explain,
    /// For its plan, with what it took.
    Profile,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `SELECT`, `ASK`, `CONSTRUCT`, `DESCRIBE`.
    Query(Box<Query>),
    /// Operations, one after the other.
    Update(Update),
}

/// A statement and how it is to be run.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What it says.
    pub statement: Statement,
    /// How it is to be run.
    pub mode: Mode,
    /// The IRIs that are called as functions, and where.
    calls: Vec<(String, Span)>,
}

impl Parsed {
    /// An error of binding with its place in the text: the syntax tree has none.
    pub fn placed(&self, error: Diagnostic) -> Diagnostic {
        if error.detail != "UnknownFunction" || error.span.is_some() {
            return error;
        }
        let is_meant = |(iri, _): &&(String, Span)| error.primary.ends_with(&format!("<{iri}>"));
        match self.calls.iter().find(is_meant) {
            Some((_, place)) => error.at(*place),
            None => error,
        }
    }
}

/// Prefixes that are known without `PREFIX`.
pub(crate) const KNOWN: [(&str, &str); 4] = [("", BASE), ("rdf", RDF), ("rdfs", RDFS), ("xsd", XSD)];

/// Where brackets are deeper than this, calls get all the arguments that they may have: with fewer, the
/// parser takes time that doubles with each level.
const DEPTH_PARSED_AT_ONCE: usize = 8;

/// Parses a text. Relative IRIs are resolved against `base`, or else against the base of names.
///
/// Known without `PREFIX`: the empty prefix for the names of the property graph, and `rdf`, `rdfs`, `xsd`.
/// **Errors**: a text that is no SPARQL, with its place; nesting that is too deep.
pub fn parse(text: &str, base: Option<&str>) -> Result<Parsed, Diagnostic> {
    let seen = look_over(text)?;
    let lowered = with_small_booleans(text);
    let text = lowered.as_deref().unwrap_or(text);
    let (mode, rest) = mode(text);
    let mut parser = SparqlParser::new();
    for (prefix, iri) in KNOWN {
        parser = parser.with_prefix(prefix, iri).map_err(Diagnostic::internal)?;
    }
    let base = base.unwrap_or(BASE);
    let parser = parser.with_base_iri(base).map_err(|error| {
        let primary = format!("\"{base}\" is no IRI that others can be relative to: {error}");
        Diagnostic::compile(ErrorKind::ArgumentError, "InvalidBaseIri", primary)
    })?;
    let offset = text.len() - rest.len();
    let form = if is_query(rest) { Form::Query } else { Form::Update };
    let sound = check(text, offset, form, &KNOWN, base, true).map_err(|wrong| *wrong)?;
    let is_deep = seen.depth > DEPTH_PARSED_AT_ONCE;
    let mut statement = parsed(&parser, text, offset, form, sound.as_ref(), is_deep)
        .map_err(|error| syntax_error(&error.to_string(), text, offset))?;
    if let Statement::Query(query) = &mut statement {
        put_in_order(query, &text[offset..]);
    }
    if seen.has_having {
        match &mut statement {
            Statement::Query(query) => raise_in_query(query),
            Statement::Update(update) => raise_in_update(update),
        }
    }
    let calls = sound.map(|sound| sound.calls).unwrap_or_default();
    Ok(Parsed { statement, mode, calls })
}

fn run(parser: &SparqlParser, text: &str, form: Form) -> Result<Statement, SparqlSyntaxError> {
    Ok(match form {
        Form::Query => Statement::Query(Box::new(parser.clone().parse_query(text)?)),
        Form::Update => Statement::Update(parser.clone().parse_update(text)?),
    })
}

/// Parses a text with the edits that it needs, and by the parts that have a prologue of their own.
fn parsed(
    parser: &SparqlParser,
    text: &str,
    offset: usize,
    form: Form,
    sound: Option<&Sound>,
    faster: bool,
) -> Result<Statement, SparqlSyntaxError> {
    let Some(sound) = sound.filter(|sound| faster || sound.needs_edits()) else {
        return run(parser, &text[offset..], form);
    };
    let edited = |part: Range<usize>| sound.edited(text, part, faster);
    let Some((first, later)) = sound.prologues.split_first() else {
        return run(parser, &edited(offset..text.len()), form);
    };
    let mut prologue = edited(offset..first.end);
    let mut whole = Update { operations: Vec::new(), base_iri: None };
    let mut at = first.end;
    let end = text.len()..text.len();
    for next in later.iter().chain([&end]) {
        let part = format!("{prologue}\n{}", edited(at..next.start));
        let part = parser.clone().parse_update(&part)?;
        whole.operations.extend(part.operations);
        whole.base_iri = part.base_iri;
        prologue.push('\n');
        prologue.push_str(&edited(next.clone()));
        at = next.end;
    }
    Ok(Statement::Update(whole))
}

/// The words before the statement that say how it is to be run; comments may stand before them.
fn mode(text: &str) -> (Mode, &str) {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.find(['\n', '\r']).map_or("", |end| rest[end..].trim_start());
    }
    for (word, mode) in [("explain", Mode::Explain), ("profile", Mode::Profile)] {
        if let Some(head) = rest.get(..word.len())
            && head.eq_ignore_ascii_case(word)
            && rest[word.len()..].starts_with(char::is_whitespace)
        {
            return (mode, &rest[word.len()..]);
        }
    }
    (Mode::Normal, text)
}

/// What stands in a text: brackets, words, and what has neither in it.
enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
    /// A string, an IRI, a variable, a language or a name without a prefix.
    Term,
    /// A sign that may stand before another one.
    Prefix,
    /// A sign between two others.
    Between,
    /// Space and comments.
    Other,
}

/// The tokens of a text, as far as they matter here: comments are passed over.
fn tokens<'a>(text: &'a str, visit: &mut dyn FnMut(Token<'a>, usize) -> bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'#' => at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at),
            quote @ (b'"' | b'\'') => {
                at = behind_string(bytes, at, quote);
                if !visit(Token::Term, start) {
                    return;
                }
            }
            b'<' => {
                let end =
                    bytes[at..].iter().position(|b| matches!(b, b'>' | b' ' | b'\n' | b'\t' | b'"' | b'{'));
                at += match end {
                    Some(end) if bytes[at + end] == b'>' => end + 1,
                    _ => 1,
                };
                if !visit(Token::Term, start) {
                    return;
                }
            }
            b'(' | b'{' | b'[' => {
                at += 1;
                if !visit(Token::Open, start) {
                    return;
                }
            }
            b')' | b'}' | b']' => {
                at += 1;
                if !visit(Token::Close, start) {
                    return;
                }
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                let is_part =
                    |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.') || *b >= 128;
                at += bytes[at..].iter().position(|b| !is_part(b)).unwrap_or(bytes.len() - at);
                if !visit(Token::Word(&text[start..at]), start) {
                    return;
                }
            }
            b'?' | b'$' | b'@' | b':' => {
                let is_part =
                    |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':') || *b >= 128;
                at += 1;
                at += bytes[at..].iter().position(|b| !is_part(b)).unwrap_or(bytes.len() - at);
                if !visit(Token::Term, start) {
                    return;
                }
            }
            b'!' | b'^' | b'-' | b'+' => {
                at += 1;
                let is_between = bytes.get(at).is_some_and(u8::is_ascii_whitespace);
                if !visit(if is_between { Token::Between } else { Token::Prefix }, start) {
                    return;
                }
            }
            b'/' | b'|' | b'*' | b'&' => {
                at += if bytes[at..].starts_with(b"||") || bytes[at..].starts_with(b"&&") { 2 } else { 1 };
                if !visit(Token::Between, start) {
                    return;
                }
            }
            _ => {
                at += 1;
                if !bytes[start].is_ascii_whitespace() && !visit(Token::Other, start) {
                    return;
                }
            }
        }
    }
}

fn behind_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b if b == quote && (!long || bytes[at..].starts_with(&[quote; 3])) => {
                return at + if long { 3 } else { 1 };
            }
            b'\n' if !long => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Gives what `SELECT *` selects the order in which the text first has it: the parser sorts it by name.
fn put_in_order(query: &mut Query, text: &str) {
    let Query::Select { pattern, .. } = query else { return };
    let Some(order) = all_selected(text) else { return };
    let mut pattern = pattern;
    while let GraphPattern::Slice { inner, .. }
    | GraphPattern::Distinct { inner }
    | GraphPattern::Reduced { inner } = pattern
    {
        pattern = inner;
    }
    if let GraphPattern::Project { variables, .. } = pattern {
        variables.sort_by_key(|variable| order.get(variable.as_str()).copied().unwrap_or(usize::MAX));
    }
}

/// Where variables first stand behind `SELECT *`, if a text selects so.
fn all_selected(text: &str) -> Option<HashMap<&str, usize>> {
    if !text.contains('*') {
        return None;
    }
    let (mut is_selected, mut is_all, mut order) = (false, false, HashMap::new());
    tokens(text, &mut |token, at| {
        let name = text.get(at..).and_then(|rest| rest.strip_prefix(['?', '$']));
        match (token, name) {
            (Token::Word(word), _) if !is_selected => is_selected = word.eq_ignore_ascii_case("select"),
            (Token::Word(word), _) if !is_all => {
                return ["distinct", "reduced"].iter().any(|known| word.eq_ignore_ascii_case(known));
            }
            (Token::Between, _) if is_selected && !is_all => {
                is_all = text[at..].starts_with('*');
                return is_all;
            }
            (Token::Term, Some(name)) if is_all => {
                let is_part = |c: char| c == '_' || c.is_alphanumeric() || c > '\u{7f}';
                let end = name.find(|c| !is_part(c)).unwrap_or(name.len());
                order.entry(&name[..end]).or_insert(at);
            }
            _ => return !is_selected || is_all,
        }
        true
    });
    is_all.then_some(order)
}

/// `TRUE` and `False` as the parser knows them; none where it does already.
fn with_small_booleans(text: &str) -> Option<String> {
    let mut places = Vec::new();
    tokens(text, &mut |token, at| {
        if let Token::Word(word) = token
            && ["true", "false"].into_iter().any(|known| word != known && word.eq_ignore_ascii_case(known))
        {
            places.push(at..at + word.len());
        }
        true
    });
    if places.is_empty() {
        return None;
    }
    let mut text = text.to_owned();
    places.into_iter().for_each(|place| text[place].make_ascii_lowercase());
    Some(text)
}

/// The statements of a script: queries end with a semicolon, operations of updates that follow each other are
/// one statement, since its prefixes are for all of them.
pub fn statements(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    tokens(text, &mut |token, at| {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Other if depth == 0 && text.as_bytes().get(at) == Some(&b';') => {
                parts.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
        true
    });
    parts.push((start, text.len()));
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (from, to) in parts {
        if text[from..to].trim().is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(last) if is_update(&text[last.0..last.1]) && is_update(&text[from..to]) => last.1 = to,
            _ => out.push((from, to)),
        }
    }
    out.into_iter().map(|(from, to)| text[from..to].trim()).collect()
}

/// Whether a text ends with a semicolon that ends a statement.
pub fn ends_statement(text: &str) -> bool {
    let (mut depth, mut ends) = (0_usize, false);
    tokens(text, &mut |token, at| {
        ends = depth == 0 && matches!(token, Token::Other) && text.as_bytes().get(at) == Some(&b';');
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        true
    });
    ends
}

/// Whether a text is an update, as far as its words tell.
pub fn is_update(text: &str) -> bool {
    !is_query(mode(text).1)
}

/// Whether a text, behind its prologue, asks.
pub(crate) fn is_query(text: &str) -> bool {
    let mut is_query = false;
    tokens(text, &mut |token, _| match token {
        Token::Word(word) => {
            let is = |known: &str| word.eq_ignore_ascii_case(known);
            is_query = ["select", "ask", "construct", "describe"].into_iter().any(is);
            // Of a prologue, all others are prefixes.
            let updates =
                ["insert", "delete", "load", "clear", "drop", "create", "add", "move", "copy", "with"];
            !is_query && !updates.into_iter().any(is)
        }
        _ => true,
    });
    is_query
}

/// What a look over a text has shown.
struct Seen {
    /// Brackets within brackets.
    depth: usize,
    /// Whether `HAVING` is in it.
    has_having: bool,
}

fn look_over(text: &str) -> Result<Seen, Diagnostic> {
    const PARTS: [&str; 9] =
        ["union", "optional", "minus", "bind", "filter", "graph", "service", "values", "exists"];
    let (mut depth, mut run, mut parts, mut wrong) = (0_usize, 0_usize, 0_usize, None);
    let mut seen = Seen { depth: 0, has_having: false };
    // What is inserted or deleted as it stands is as long as it is: nothing in it is planned.
    let (mut is_data, mut data_depth) = (false, None);
    tokens(text, &mut |token, at| {
        let was_data = std::mem::replace(&mut is_data, false);
        run = if matches!(token, Token::Prefix) { run + 1 } else { 0 };
        match token {
            Token::Open => {
                depth += 1;
                seen.depth = seen.depth.max(depth);
                if was_data {
                    data_depth = Some(depth);
                }
            }
            Token::Close => {
                depth = depth.saturating_sub(1);
                data_depth = data_depth.filter(|data| depth >= *data);
            }
            Token::Word(word) if word.eq_ignore_ascii_case("data") => is_data = true,
            Token::Between | Token::Word(_) if data_depth.is_some() => {}
            Token::Between => parts += 1,
            Token::Word(word) if word.eq_ignore_ascii_case("having") => seen.has_having = true,
            Token::Word(word) if PARTS.iter().any(|part| word.eq_ignore_ascii_case(part)) => parts += 1,
            Token::Prefix | Token::Word(_) | Token::Term | Token::Other => {}
        }
        if depth > NESTING_MAX || run > NESTING_MAX {
            let primary = format!("brackets or signs are nested deeper than {NESTING_MAX} levels");
            wrong = Some(("NestingTooDeep", primary, at));
        } else if parts > PARTS_MAX {
            let primary = format!("the text has more than {PARTS_MAX} operators and parts of patterns");
            wrong = Some(("TooComplex", primary, at));
        }
        wrong.is_none()
    });
    match wrong {
        None => Ok(seen),
        Some((detail, primary, at)) => {
            let error = Diagnostic::compile(ErrorKind::SyntaxError, detail, primary);
            Err(error.hint("split the query").at(span_at(at, text)))
        }
    }
}

fn span_at(at: usize, text: &str) -> Span {
    let start = u32::try_from(at).unwrap_or(u32::MAX);
    let len = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    Span::new(start, start.saturating_add(u32::try_from(len).unwrap_or(0)))
}

/// The parser's error as one of ours: its place is the line and column that it names.
fn syntax_error(message: &str, text: &str, offset: usize) -> Diagnostic {
    let (place, expected) = match message.strip_prefix("error at ") {
        Some(rest) => rest.split_once(": ").map_or((None, rest), |(place, rest)| (Some(place), rest)),
        None => (None, message),
    };
    let at = place.and_then(|place| {
        let (line, column) = place.split_once(':')?;
        let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
        let body = &text[offset..];
        let start: usize = body.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let column =
            body[start..].char_indices().nth(column.checked_sub(1)?).map_or(body.len() - start, |(i, _)| i);
        Some(offset + start + column)
    });
    let found = at.and_then(|at| text.get(at..)).map(|rest| {
        rest.split(|c: char| c.is_whitespace())
            .next()
            .unwrap_or_default()
            .chars()
            .take(40)
            .collect::<String>()
    });
    let primary = match found.as_deref() {
        _ if at.is_none() => expected.to_owned(),
        Some("") | None => "the text ends where more is expected".to_owned(),
        Some(found) => format!("\"{found}\" is not expected here"),
    };
    let error = Diagnostic::compile(ErrorKind::SyntaxError, "InvalidSparql", primary);
    let error = match at {
        Some(_) => error.hint(hint(expected)),
        None => error,
    };
    match at {
        Some(at) => error.at(span_at(at, text)),
        None => error,
    }
}

/// What the parser would have taken, as far as it says it in words: the first few.
fn hint(expected: &str) -> String {
    let list = expected.trim_start_matches("expected ").trim_start_matches("one of ");
    let words: Vec<&str> =
        list.split(", ").filter(|word| word.len() < 30 && !word.starts_with('[')).take(8).collect();
    if words.is_empty() { expected.to_owned() } else { format!("expected {}", words.join(", ")) }
}

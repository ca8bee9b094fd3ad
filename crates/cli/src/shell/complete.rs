//! Completion: keywords, functions, variables of the query, labels, relationship types, properties,
//! parameters and commands, by what stands before the word.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use reedline::{Completer, CompletionResult, Span, Suggestion};
use trimorph::{ClauseDoc, FunctionDoc};

use super::complete_command;
use super::known::{Candidate, Known};
use super::session::is_command;
use crate::text::scan::{KEYWORDS, Kind, Token, tokens};

/// Words that may be completed.
pub(super) struct Words {
    known: Arc<Mutex<Known>>,
    functions: Vec<FunctionDoc>,
    clauses: Vec<ClauseDoc>,
}

impl Words {
    /// The words of a database, which may become others.
    pub(super) fn new(known: Arc<Mutex<Known>>) -> Self {
        let clauses = trimorph::clauses().into_iter().filter(|doc| doc.language == "cypher").collect();
        Self { known, functions: trimorph::functions(), clauses }
    }

    /// The word that ends with the text and what it may become.
    fn candidates(&self, text: &str) -> (usize, Vec<Candidate>) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if is_command(text) || text.trim() == ":" {
            return match complete_command::candidates(&known, text) {
                complete_command::Found::Words(start, words) => (start, words),
                // What follows is a statement.
                complete_command::Found::Statement(start) => {
                    let (at, words) = self.of_statement(&known, &text[start..]);
                    (start + at, words)
                }
            };
        }
        self.of_statement(&known, text)
    }

    fn of_statement(&self, known: &Known, text: &str) -> (usize, Vec<Candidate>) {
        if known.is_sparql {
            let (start, values) = known.names.candidates(text);
            let candidate = |value: String| {
                let has_space = !value.ends_with(['(', ':']);
                Candidate { has_space, ..Candidate::new(value) }
            };
            return (start, values.into_iter().map(candidate).collect());
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let letters = text.char_indices().rev().take_while(|(_, c)| is_part(*c));
        let start = letters.last().map_or(text.len(), |(at, _)| at);
        let (before, word) = text.split_at(start);
        let before_tokens: Vec<Token> =
            tokens(before).into_iter().filter(|t| !matches!(t.kind, Kind::Space | Kind::Comment)).collect();
        if before_tokens.last().is_some_and(|t| t.kind == Kind::Unclosed) {
            // Within a string, or a name in backticks.
            return (start, Vec::new());
        }
        let place = Place { text: before, tokens: &before_tokens };
        let plain = |names: BTreeSet<&String>| names.into_iter().map(Candidate::new).collect::<Vec<_>>();
        let found = match place.last() {
            ":" | "|" | "&" if place.is_in("[") => plain(known.types.iter().collect()),
            ":" | "|" | "&" if !place.is_in("{") => plain(known.labels.iter().collect()),
            "." => plain(known.properties(place.label_of_variable())),
            "{" | "," if place.is_in("{") => plain(known.properties(place.label_of_pattern())),
            "$" => plain(known.parameters.iter().collect()),
            _ if before.ends_with('$') => plain(known.parameters.iter().collect()),
            _ if word.is_empty() => Vec::new(),
            _ => self.words(text, start, before_tokens.is_empty()),
        };
        let fits = |c: &Candidate| c.value.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
        (start, found.into_iter().filter(fits).collect())
    }

    /// Variables of the text, keywords and functions; and what only statements begin with, where one begins.
    fn words(&self, text: &str, start: usize, is_first: bool) -> Vec<Candidate> {
        let words = tokens(text).into_iter().filter(|t| t.kind == Kind::Word && t.start != start);
        let variables: BTreeSet<&str> = words.map(|t| &text[t.start..t.end]).collect();
        let variables = variables.into_iter().map(|name| Candidate::new(name).described("variable"));
        let is_function = |word: &str| self.functions.iter().any(|f| f.name.eq_ignore_ascii_case(word));
        let first_words = self.clauses.iter().filter_map(|doc| doc.name.split(' ').next());
        let is_keyword = |word: &&str| KEYWORDS.iter().any(|k| k.eq_ignore_ascii_case(word));
        let of_statements = |word: &&str| word.chars().all(char::is_uppercase) && !is_keyword(word);
        let first_words: BTreeSet<&str> = first_words.filter(of_statements).filter(|_| is_first).collect();
        let keywords = KEYWORDS.iter().copied().filter(|k| !is_function(k)).chain(first_words);
        let keywords = keywords.map(|word| match self.clause(word) {
            Some(doc) => Candidate::new(word).described(doc.syntax).spaced(),
            None => Candidate::new(word).spaced(),
        });
        let functions = self.functions.iter().map(|f| {
            Candidate::new(format!("{}(", f.name)).described(format!("{}: {}", f.signature, f.summary))
        });
        variables.chain(keywords).chain(functions).collect()
    }

    /// The clause of this name, or the first that begins so.
    fn clause(&self, word: &str) -> Option<&ClauseDoc> {
        let is = |doc: &&ClauseDoc| doc.name.eq_ignore_ascii_case(word);
        let begins = |doc: &&ClauseDoc| doc.name.split(' ').next() == Some(word);
        self.clauses.iter().find(is).or_else(|| self.clauses.iter().find(begins))
    }
}

/// A text before a word, with its tokens.
struct Place<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Place<'a> {
    fn word(&self, token: &Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn last(&self) -> &'a str {
        self.tokens.last().map_or("", |t| self.word(t))
    }

    /// The bracket that is open at the end: its place among the tokens.
    fn open(&self) -> Option<usize> {
        let mut closed = 0;
        for (at, token) in self.tokens.iter().enumerate().rev() {
            match self.word(token) {
                ")" | "]" | "}" => closed += 1,
                "(" | "[" | "{" if closed == 0 => return Some(at),
                "(" | "[" | "{" => closed -= 1,
                _ => {}
            }
        }
        None
    }

    fn is_in(&self, bracket: &str) -> bool {
        self.open().is_some_and(|at| self.word(&self.tokens[at]) == bracket)
    }

    /// The label, or type, of the pattern whose braces are open.
    fn label_of_pattern(&self) -> Option<&'a str> {
        let before = &self.tokens[..self.open()?];
        let label = before.last().filter(|t| t.kind == Kind::Label)?;
        Some(self.word(label))
    }

    /// The label, or type, of the variable that a dot follows.
    fn label_of_variable(&self) -> Option<&'a str> {
        let (_, before) = self.tokens.split_last()?;
        let variable = self.word(before.last()?);
        let is_bound = |window: &&[Token]| {
            self.word(&window[0]) == variable && self.word(&window[1]) == ":" && window[2].kind == Kind::Label
        };
        self.tokens.windows(3).rfind(is_bound).map(|window| self.word(&window[2]))
    }
}

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let line = line.get(..pos).unwrap_or(line);
        let (start, candidates) = self.candidates(line);
        let suggestion = |candidate: Candidate| Suggestion {
            value: candidate.value,
            description: candidate.description,
            span: Span { start, end: line.len() },
            append_whitespace: candidate.has_space,
            ..Suggestion::default()
        };
        CompletionResult::fresh(candidates.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_by_what_stands_before() {
        let database = trimorph::Database::in_memory(trimorph::Config::default());
        database.generate_snb(0.001, 1).unwrap();
        let mut known = Known::of(&database.stats());
        known.parameters.insert("limit".to_owned());
        let words = Words::new(Arc::new(Mutex::new(known)));
        let complete = |line: &str| words.candidates(line).1.into_iter().map(|c| c.value).collect::<Vec<_>>();
        assert_eq!(complete("MAT"), ["MATCH"]);
        assert_eq!(complete("mat"), ["MATCH"]);
        assert_eq!(complete("MATCH (p:Per"), ["Person"]);
        assert_eq!(complete("MATCH (p)-[:KN"), ["KNOWS"]);
        assert_eq!(complete("MATCH (p)-[:LIKES|KN"), ["KNOWS"]);
        assert_eq!(complete("RETURN p.firstN"), ["firstName"]);
        assert_eq!(complete("RETURN toUp"), ["toUpper("]);
        assert_eq!(
            complete("MATCH (person:Person)-->(post) WHERE pe"),
            ["person", "percentileCont(", "percentileDisc("]
        );
        assert_eq!(complete("MATCH (f:Forum) RETURN f."), ["creationDate", "id", "title"]);
        assert_eq!(complete("MATCH (f:Forum {ti"), ["title"]);
        assert_eq!(complete("MATCH (f:Forum {title: 'x', i"), ["id"]);
        assert_eq!(complete("MATCH (a)-[k:KNOWS {"), ["creationDate"]);
        assert_eq!(complete("RETURN 1 LIMIT $li"), ["limit"]);
        assert_eq!(complete("RETURN 'MAT"), [""; 0]);
        assert_eq!(complete(":explain MATCH (p:Per"), ["Person"]);
        assert_eq!(complete(":sch"), ["schema"]);
        assert_eq!(complete(".sch"), ["schema"]);
        assert_eq!(complete(":set col"), ["columntypes"]);
        assert_eq!(complete(":set timer o"), ["on", "off"]);
        assert_eq!(complete(":mode ht"), ["html"]);
        assert_eq!(complete(":help toUp"), ["toUpper"]);
        assert_eq!(complete(":help unw"), ["UNWIND"]);
        assert_eq!(complete("cop"), ["COPY"]);
        assert_eq!(complete("CHECKP"), ["CHECKPOINT"]);
        assert_eq!(complete("MATCH (n) CHECKP"), [""; 0]);
        assert_eq!(complete(":preload Pe"), ["Person"]);
        assert!(complete("").is_empty());
        assert!(complete("é").is_empty());
        assert!(complete(":").len() > 20);
    }

    #[test]
    fn functions_and_clauses_say_how_they_are_written() {
        let words = Words::new(Arc::default());
        let (_, found) = words.candidates("MATCH (n) UNW");
        assert_eq!(found[0].description.as_deref(), Some("UNWIND list AS name"));
        let (_, found) = words.candidates("MATCH (n) OPTI");
        assert!(found[0].description.as_ref().is_some_and(|d| d.starts_with("OPTIONAL MATCH")), "{found:?}");
        let (_, found) = words.candidates("RETURN rou");
        assert!(
            found[0].description.as_ref().is_some_and(|d| d.starts_with("round(x[, digits")),
            "{found:?}"
        );
    }
}

//! Completion: keywords, functions, labels, relationship types, properties and commands, by what stands
//! before the word.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reedline::{Completer, CompletionResult, Span, Suggestion};
use trimorph::Stats;

use super::complete_sparql::Names;
use super::help::COMMANDS;
use crate::text::scan::KEYWORDS;

/// Aggregates; the other functions come from the engine.
const AGGREGATES: [&str; 10] =
    ["avg", "collect", "count", "max", "min", "percentileCont", "percentileDisc", "stDev", "stDevP", "sum"];

/// Words that may be completed.
pub(super) struct Words {
    labels: Vec<String>,
    types: Vec<String>,
    properties: Vec<String>,
    functions: Vec<String>,
    keywords: Vec<String>,
    commands: Vec<String>,
    names: Names,
    /// Whether SPARQL is spoken.
    is_sparql: Arc<AtomicBool>,
}

impl Words {
    /// The words of a database.
    pub(super) fn new(stats: &Stats, is_sparql: Arc<AtomicBool>) -> Self {
        let nodes = &stats.node_tables;
        let edges = &stats.edge_tables;
        let labels: BTreeSet<String> = nodes.iter().flat_map(|t| t.labels.iter().cloned()).collect();
        let types: BTreeSet<String> = edges.iter().map(|t| t.label.clone()).collect();
        let columns = nodes.iter().map(|t| &t.columns).chain(edges.iter().map(|t| &t.columns));
        let properties: BTreeSet<String> = columns.flatten().map(|(name, ..)| name.clone()).collect();
        let functions: BTreeSet<String> =
            trimorph::function_names().into_iter().chain(AGGREGATES).map(|f| format!("{f}(")).collect();
        let names = Names::new(labels.iter(), types.iter().chain(&properties));
        Self {
            names,
            is_sparql,
            labels: labels.into_iter().collect(),
            types: types.into_iter().collect(),
            properties: properties.into_iter().collect(),
            functions: functions.into_iter().collect(),
            keywords: KEYWORDS.iter().filter(|k| !is_call(k)).map(ToString::to_string).collect(),
            commands: COMMANDS.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        }
    }

    /// The word that ends at the cursor and what it may become.
    fn candidates(&self, line: &str) -> (usize, Vec<&String>) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = line
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_part(*c))
            .last()
            .map_or(line.len(), |(at, _)| at);
        let (before, word) = line.split_at(start);
        let lists: Vec<&Vec<String>> = match before.trim_end().chars().last() {
            Some(':' | '.') if before.trim().len() == 1 => vec![&self.commands],
            Some(':') if in_brackets(before) => vec![&self.types],
            Some('|') if in_brackets(before) => vec![&self.types],
            Some(':') => vec![&self.labels],
            Some('.') => vec![&self.properties],
            // A map of properties within a pattern.
            Some('{') => vec![&self.properties],
            _ if word.is_empty() => Vec::new(),
            _ => vec![&self.keywords, &self.functions],
        };
        let fits = |candidate: &&String| {
            candidate.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        (start, lists.into_iter().flatten().filter(fits).collect())
    }
}

/// Whether a keyword is written with brackets and listed as a function.
fn is_call(keyword: &str) -> bool {
    AGGREGATES.iter().any(|f| f.eq_ignore_ascii_case(keyword))
}

/// Whether the text ends within square brackets: in a relationship.
fn in_brackets(text: &str) -> bool {
    text.rfind('[') > text.rfind(']')
}

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let line = line.get(..pos).unwrap_or(line);
        let is_command = line.trim_start().starts_with([':', '.']) && !line.trim().contains(' ');
        if self.is_sparql.load(Ordering::Relaxed) && !is_command {
            let (start, candidates) = self.names.candidates(line);
            let suggestion = |value: String| Suggestion {
                append_whitespace: !value.ends_with(['(', ':']),
                value,
                span: Span { start, end: line.len() },
                ..Suggestion::default()
            };
            return CompletionResult::fresh(candidates.into_iter().map(suggestion).collect::<Vec<_>>());
        }
        let (start, candidates) = self.candidates(line);
        let suggestion = |word: &String| Suggestion {
            value: word.clone(),
            span: Span { start, end: line.len() },
            append_whitespace: self.keywords.contains(word) && !in_brackets(line),
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
        let words = Words::new(&database.stats(), Arc::default());
        let complete = |line: &str| words.candidates(line).1.into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(complete("MAT"), ["MATCH"]);
        assert_eq!(complete("mat"), ["MATCH"]);
        assert_eq!(complete("MATCH (p:Per"), ["Person"]);
        assert_eq!(complete("MATCH (p)-[:KN"), ["KNOWS"]);
        assert_eq!(complete("MATCH (p)-[:LIKES|KN"), ["KNOWS"]);
        assert_eq!(complete("RETURN p.firstN"), ["firstName"]);
        assert_eq!(complete("RETURN toUp"), ["toUpper("]);
        assert_eq!(complete(":sch"), ["schema"]);
        assert_eq!(complete(".sch"), ["schema"]);
        assert!(complete("").is_empty());
        assert!(complete("é").is_empty());
    }
}

//! `:help MATCH`: a topic in, the clauses, expressions and statements of openCypher and of SPARQL that it
//! names out.

use std::io::{self, Write};

use trimorph::ClauseDoc;

use crate::rdf::SPARQL_KEYWORDS;
use crate::terminal::Terminal;
use crate::text::columns::wrap;
use crate::text::scan::KEYWORDS;

/// The languages there is help for, each with its name and its keywords.
const LANGUAGES: [(&str, &str, &[&str]); 2] =
    [("cypher", "openCypher", &KEYWORDS), ("sparql", "SPARQL", SPARQL_KEYWORDS)];

/// What a topic names in each language: what is called so, else what begins with its words, has them in its
/// name, or is written with them, as `CASE` is with `THEN`.
pub(super) fn named(topic: &str) -> Vec<ClauseDoc> {
    let words: Vec<String> = topic.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let all = trimorph::clauses();
    let name_words = |doc: &ClauseDoc| doc.name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let of_language = |(language, _, keywords): (&str, &str, &[&str])| {
        let rules: [&dyn Fn(&ClauseDoc) -> bool; 4] = [
            &|doc| name_words(doc) == words,
            &|doc| name_words(doc).starts_with(&words),
            &|doc| name_words(doc).windows(words.len()).any(|window| window == words),
            &|doc| keywords_of(doc.syntax, keywords).any(|keyword| words == [keyword.to_lowercase()]),
        ];
        let docs = || all.iter().copied().filter(|doc| doc.language == language);
        let found = |rule: &&dyn Fn(&ClauseDoc) -> bool| docs().filter(|doc| rule(doc)).collect::<Vec<_>>();
        rules.iter().map(found).find(|found| !found.is_empty()).unwrap_or_default()
    };
    LANGUAGES.into_iter().flat_map(of_language).collect()
}

/// The keywords of a syntax.
fn keywords_of<'s>(syntax: &'s str, keywords: &[&str]) -> impl Iterator<Item = &'s str> {
    syntax.split(|c: char| !(c.is_alphabetic() || c == '_')).filter(|word| keywords.contains(word))
}

/// Writes all names, in the order in which one learns them.
pub(super) fn list(terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let all = trimorph::clauses();
    for (language, name, _) in LANGUAGES {
        let docs: Vec<&ClauseDoc> = all.iter().filter(|doc| doc.language == language).collect();
        let Some(first) = docs.first() else { continue };
        let title = format!("{name}, each with its syntax: :help {}", first.name);
        writeln!(out, "{}", terminal.out.bold(title))?;
        // A name stays on one line.
        let names: Vec<String> = docs.iter().map(|doc| doc.name.replace(' ', "\u{a0}")).collect();
        for line in wrap(&names.join(", "), width(terminal)) {
            writeln!(out, "  {}", line.replace('\u{a0}', " "))?;
        }
    }
    Ok(())
}

/// Writes what there is about one.
pub(super) fn write(doc: &ClauseDoc, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let paint = terminal.out;
    for line in wrap(doc.syntax, width(terminal)) {
        writeln!(out, "{}", paint.bold(line))?;
    }
    if doc.language == "sparql" {
        writeln!(out, "  {}", paint.dim("of SPARQL, as after :lang sparql"))?;
    }
    for line in wrap(doc.summary, width(terminal)) {
        writeln!(out, "  {line}")?;
    }
    let (statement, rows) = doc.example;
    if !doc.graph.is_empty() {
        writeln!(out, "  {}", paint.dim(format!("{};", doc.graph)))?;
    }
    let gives = if rows.is_empty() { String::new() } else { format!("  →  {rows}") };
    writeln!(out, "  {}", paint.dim(format!("{statement};{gives}")))
}

fn width(terminal: &Terminal) -> usize {
    terminal.width().unwrap_or(100).saturating_sub(4).max(30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_names_clauses() {
        let check = |topic: &str, cypher: &[&str], sparql: &[&str]| {
            let found = named(topic);
            let (of_cypher, of_sparql): (Vec<_>, Vec<_>) =
                found.iter().partition(|doc| doc.language == "cypher");
            let names = |docs: &[&ClauseDoc]| docs.iter().map(|doc| doc.name).collect::<Vec<_>>();
            assert_eq!(names(&of_cypher), cypher, "{topic}");
            // A build without SPARQL knows none of it.
            let sparql = if cfg!(feature = "rdf") { sparql } else { &[] };
            assert_eq!(names(&of_sparql), sparql, "{topic} of SPARQL");
        };
        check("match", &["MATCH"], &[]);
        check("Order", &["ORDER BY"], &["ORDER BY"]);
        check("order  by", &["ORDER BY"], &["ORDER BY"]);
        check("optional", &["OPTIONAL MATCH"], &["OPTIONAL"]);
        check("by", &["ORDER BY"], &["GROUP BY", "ORDER BY"]);
        check("index", &["CREATE INDEX", "DROP INDEX"], &[]);
        check("copy", &["COPY TO", "COPY FROM"], &["COPY"]);
        check("then", &["CASE"], &[]);
        check("desc", &["ORDER BY"], &["ORDER BY"]);
        check("insert data", &[], &["INSERT DATA"]);
        check("insert", &[], &["INSERT DATA"]);
        check("separator", &[], &["GROUP_CONCAT"]);
        check("undef", &[], &["VALUES"]);
        check("nothing", &[], &[]);
        check("", &[], &[]);
    }

    #[test]
    fn every_keyword_has_help() {
        let functions = trimorph::functions();
        for keyword in KEYWORDS {
            let is_function = functions.iter().any(|f| f.name.eq_ignore_ascii_case(keyword));
            assert!(is_function || !named(keyword).is_empty(), "{keyword}");
        }
        for keyword in SPARQL_KEYWORDS {
            let is_sparql = |doc: &ClauseDoc| doc.language == "sparql";
            assert!(named(keyword).iter().any(is_sparql), "{keyword} of SPARQL");
        }
    }
}

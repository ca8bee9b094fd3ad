//! `:help MATCH`: a topic in, the clauses, expressions and statements of openCypher that it names out.

use std::io::{self, Write};

use trimorph::ClauseDoc;

use crate::terminal::Terminal;
use crate::text::columns::wrap;
use crate::text::scan::KEYWORDS;

/// What a topic names: what is called so, else what begins with its words, has them in its name, or is
/// written with them, as `CASE` is with `THEN`.
pub(super) fn named(topic: &str) -> Vec<ClauseDoc> {
    let words: Vec<String> = topic.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let all = trimorph::clauses();
    let name_words = |doc: &ClauseDoc| doc.name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let rules: [&dyn Fn(&ClauseDoc) -> bool; 4] = [
        &|doc| name_words(doc) == words,
        &|doc| name_words(doc).starts_with(&words),
        &|doc| name_words(doc).windows(words.len()).any(|window| window == words),
        &|doc| keywords(doc.syntax).any(|keyword| words == [keyword.to_lowercase()]),
    ];
    let found =
        |rule: &&dyn Fn(&ClauseDoc) -> bool| all.iter().copied().filter(|doc| rule(doc)).collect::<Vec<_>>();
    rules.iter().map(found).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The keywords of a syntax.
fn keywords(syntax: &str) -> impl Iterator<Item = &str> {
    syntax.split(|c: char| !c.is_alphabetic()).filter(|word| KEYWORDS.contains(word))
}

/// Writes all names, in the order in which one learns them.
pub(super) fn list(terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", terminal.out.bold("openCypher, each with its syntax: :help MATCH"))?;
    // A name stays on one line.
    let names: Vec<String> = trimorph::clauses().iter().map(|doc| doc.name.replace(' ', "\u{a0}")).collect();
    for line in wrap(&names.join(", "), width(terminal)) {
        writeln!(out, "  {}", line.replace('\u{a0}', " "))?;
    }
    Ok(())
}

/// Writes what there is about one.
pub(super) fn write(doc: &ClauseDoc, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let paint = terminal.out;
    for line in wrap(doc.syntax, width(terminal)) {
        writeln!(out, "{}", paint.bold(line))?;
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
        let check = |topic: &str, expect: &[&str]| {
            let names: Vec<&str> = named(topic).iter().map(|doc| doc.name).collect();
            assert_eq!(names, expect, "{topic}");
        };
        check("match", &["MATCH"]);
        check("Order", &["ORDER BY"]);
        check("order  by", &["ORDER BY"]);
        check("optional", &["OPTIONAL MATCH"]);
        check("by", &["ORDER BY"]);
        check("index", &["CREATE INDEX", "DROP INDEX"]);
        check("copy", &["COPY TO", "COPY FROM"]);
        check("then", &["CASE"]);
        check("desc", &["ORDER BY"]);
        check("nothing", &[]);
        check("", &[]);
    }

    #[test]
    fn every_keyword_has_help() {
        let functions = trimorph::functions();
        for keyword in KEYWORDS {
            let is_function = functions.iter().any(|f| f.name.eq_ignore_ascii_case(keyword));
            assert!(is_function || !named(keyword).is_empty(), "{keyword}");
        }
    }
}

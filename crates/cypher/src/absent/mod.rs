//! What people know from elsewhere and will look for here: a name in, one line about what to use out.
//!
//! A name that is in these tables is never taken for a misspelling of another. The book's page for who comes
//! from there has all of them; a test compares.

mod elsewhere;
mod entry;
mod kuzu;
mod neo4j;
mod sql;

#[cfg(test)]
use entry::Syntax;
use entry::{Name, Neighbour};

/// Something that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Absent {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What to use instead.
    pub(crate) instead: &'static str,
}

/// What a word that cannot stand between its neighbours is known as.
pub(crate) fn syntax(before: &str, word: &str, after: &str) -> Option<Absent> {
    let is = |text: &str, list: &[&str]| list.iter().any(|w| w.eq_ignore_ascii_case(text));
    let found =
        neo4j::SYNTAX.iter().chain(kuzu::SYNTAX).chain(sql::SYNTAX).find(|(known, neighbour, ..)| {
            known.eq_ignore_ascii_case(word)
                && match neighbour {
                    Neighbour::Any => true,
                    Neighbour::Before(words) => is(before, words),
                    Neighbour::After(words) => is(after, words),
                }
        })?;
    Some(Absent { name: found.2, instead: found.3 })
}

/// What to write instead of `x::type`, if a name is one of SQL's types.
pub(crate) fn conversion(name: &str) -> Option<&'static str> {
    let is_type = TYPES.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_type.then_some("write toString(x), toInteger(x), toFloat(x), toBoolean(x), date(x) and so on")
}

const TYPES: &[&str] = &[
    "BIGINT",
    "BOOL",
    "BOOLEAN",
    "DATE",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "INT",
    "INTEGER",
    "INT32",
    "INT64",
    "NUMERIC",
    "REAL",
    "STRING",
    "TEXT",
    "TIMESTAMP",
    "VARCHAR",
];

/// What to use instead of a function.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    instead(&[elsewhere::FUNCTIONS, neo4j::FUNCTIONS, kuzu::FUNCTIONS], name)
}

/// What to use instead of a procedure.
pub(crate) fn procedure(name: &str) -> Option<&'static str> {
    instead(&[neo4j::PROCEDURES, kuzu::PROCEDURES, sql::PROCEDURES], name)
}

/// What to use instead of a function or procedure that people know from elsewhere and is not there; of
/// entries that fit, the longest.
pub fn named(name: &str) -> Option<&'static str> {
    let functions = [elsewhere::FUNCTIONS, neo4j::FUNCTIONS, kuzu::FUNCTIONS];
    let procedures = [neo4j::PROCEDURES, kuzu::PROCEDURES, sql::PROCEDURES];
    let known = functions.into_iter().chain(procedures).flatten();
    known.filter(|(known, _)| fits(known, name)).max_by_key(|(known, _)| known.len()).map(|entry| entry.1)
}

fn instead(tables: &[&[Name]], name: &str) -> Option<&'static str> {
    tables.iter().copied().flatten().find(|(known, _)| fits(known, name)).map(|(_, instead)| *instead)
}

/// Whether an entry is about a name.
fn fits(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(begin) => name.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin)),
        None => known.eq_ignore_ascii_case(name),
    }
}

/// All names that the page of the book for who comes from there has, each with what to use.
#[cfg(test)]
pub(crate) fn names() -> [(&'static str, Vec<Name>); 3] {
    let all = |syntax: &[Syntax], functions: &[Name], procedures: &[Name]| {
        let syntax = syntax.iter().map(|(.., name, instead)| (*name, *instead));
        syntax.chain(functions.iter().copied()).chain(procedures.iter().copied()).collect()
    };
    [
        ("from-neo4j.md", all(neo4j::SYNTAX, neo4j::FUNCTIONS, neo4j::PROCEDURES)),
        ("cypher.md", all(sql::SYNTAX, elsewhere::FUNCTIONS, sql::PROCEDURES)),
        ("from-kuzu.md", all(kuzu::SYNTAX, kuzu::FUNCTIONS, kuzu::PROCEDURES)),
    ]
}

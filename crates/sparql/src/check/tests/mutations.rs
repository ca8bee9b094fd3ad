//! Mutated texts: no panic, no endless search; what the parser takes is taken, places lie in the text.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use spargebra::SparqlParser;
use trimorph_base::Random;

use super::super::{Form, check};
use crate::parse;
use crate::parse::{KNOWN, is_query};

const SEED: u64 = 0x7370_6172_716C_2132;
const MUTATIONS: usize = 20_000;

/// Pieces to insert: brackets, operators, beginnings of things, odd characters.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<<",
    ">>",
    "<<(",
    ")>>",
    "{|",
    "|}",
    "~",
    ".",
    ";",
    ",",
    "*",
    "+",
    "-",
    "/",
    "|",
    "^",
    "!",
    "?",
    "$",
    "@",
    "&&",
    "||",
    "=",
    "!=",
    "<=",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "\\",
    "\\u00e9",
    "_:a",
    "[]",
    "()",
    "?x",
    "$y",
    ":p",
    "a",
    " a ",
    "ex:x",
    "foaf:",
    "true",
    "1",
    "1.5",
    ".5e1",
    "-3",
    "#",
    "\n",
    " SELECT ",
    " WHERE ",
    " FILTER",
    " GRAPH ",
    "GRAPH:g",
    " OPTIONAL ",
    " UNION ",
    " MINUS ",
    " BIND(",
    " VALUES ?v { ",
    " AS ?z",
    " GROUP BY ",
    " HAVING",
    " ORDER BY ",
    " LIMIT 1",
    " OFFSET",
    " EXISTS {",
    " NOT ",
    " IN ",
    "COUNT(*)",
    "SUM(",
    "STR(",
    "IF(",
    "UNDEF",
    " DISTINCT ",
    "PREFIX ex: <http://ex/>",
    "BASE <x:>",
    " INSERT ",
    " DELETE ",
    " DATA ",
    " CLEAR ",
    " SERVICE ",
    "—",
    "é",
    "\u{0}",
    "\u{301}",
    "😀",
    "\u{feff}",
    "%41",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rq" || end == "ru") {
            found.push(path);
        }
    }
}

/// The texts of the W3C tests beside the clone, and some of ours where it is not there.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/sparql");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    if paths.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "no texts in {}", folder.display());
        // Not by `println!`: what a test prints so is not shown where it passes.
        let _ = writeln!(stderr(), "skipped: no texts in {}, only those of this file", folder.display());
    }
    paths.sort();
    let mut texts: Vec<String> = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    texts.extend(
        [
            "PREFIX ex: <http://ex/> SELECT DISTINCT ?s (COUNT(*) AS ?n) FROM <g> { ?s a ex:P ; ex:p/ex:q* [ ^ex:r 'x'@en, 1.5 ] OPTIONAL { ?s !(ex:a|^ex:b) ?o } FILTER(?o IN (1, 'b') && !BOUND(?z)) } GROUP BY ?s HAVING(COUNT(*) > 1) ORDER BY DESC(?n) LIMIT 3 VALUES ?s { ex:a UNDEF }",
            "CONSTRUCT { ?s ?p << ?a ?b ?c ~ ?r >> } WHERE { ?s ?p ?o ~ _:r {| ?q (1 2) |} BIND(<<( ?s ?p ?o )>> AS ?t) MINUS { GRAPH ?g { ?s ?p 1 } } }",
            "WITH <g> DELETE { ?s ?p ?o } INSERT { GRAPH ?g { ?s ?p [] } } USING NAMED <h> WHERE { { SELECT * { ?s ?p ?o } } UNION { SERVICE SILENT <x> { ?s ?p ?o } } } ; COPY DEFAULT TO <g> ; LOAD SILENT <x> INTO GRAPH <y>",
        ]
        .map(str::to_owned),
    );
    texts
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
            2 => drop(chars.splice(at..end, PIECES[random.below(PIECES.len())].chars())),
            3 => chars.truncate(at.max(8)),
            _ => {
                let from: Vec<char> = other.chars().skip(random.below(other.len())).take(20).collect();
                drop(chars.splice(at..at, from));
            }
        }
    }
    chars.into_iter().collect()
}

/// Whether the parser takes a text as it is.
fn parser_takes(text: &str) -> bool {
    let mut parser = SparqlParser::new().with_base_iri("trimorph:").unwrap();
    for (prefix, iri) in KNOWN {
        parser = parser.with_prefix(prefix, iri).unwrap();
    }
    if is_query(text) { parser.parse_query(text).is_ok() } else { parser.parse_update(text).is_ok() }
}

/// Whether the checker took it.
fn look(text: &str) -> bool {
    // Where `parse` refuses nesting, neither of the two is asked.
    let found = parse(text, None);
    if found.as_ref().is_err_and(|error| matches!(error.detail, "NestingTooDeep" | "TooComplex")) {
        return true;
    }
    if let Err(error) = &found {
        let span = error.span.unwrap_or_else(|| panic!("no place: {text:?}: {error}"));
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}: {error}");
        assert!(error.hint.is_some(), "{text:?}: {error}");
    }
    let form = if is_query(text) { Form::Query } else { Form::Update };
    let checked = check(text, 0, form, &KNOWN, "trimorph:", false);
    if parser_takes(text) {
        assert!(checked.is_ok(), "the parser takes {text:?}, the checker says {checked:?}");
    } else if checked.is_ok() && found.is_err() {
        return false;
    }
    true
}

#[test]
fn what_the_parser_takes_is_taken() {
    println!("seed {SEED:#x}");
    let mut random = Random::new(SEED);
    let texts = corpus();
    let mut silent = Vec::new();
    for text in &texts {
        if !look(text) {
            silent.push(text.clone());
        }
    }
    for _ in 0..MUTATIONS {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let mutated = mutate(text, other, &mut random);
        if !look(&mutated) {
            silent.push(mutated);
        }
    }
    for text in silent.iter().take(20) {
        println!("nothing found in {text:?}");
    }
    println!("{} of {MUTATIONS} refused without a reason", silent.len());
    assert!(
        silent.len() < MUTATIONS / 500,
        "{} texts are refused and the checker does not say why",
        silent.len()
    );
}

#[test]
fn beginnings_of_texts() {
    for text in corpus().iter().step_by(23) {
        for (end, _) in text.char_indices() {
            look(&text[..end]);
        }
    }
}

//! Mutated queries never panic when parsed and bound; their errors point into the text, their plans use
//! variables that are there.

use trimorph_base::Random;

use super::bind_corpus::{bound, check_plan};
use super::corpus;

const SEED: u64 = 0x7269_6d6f_7270_6821;
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
    "-",
    "--",
    "->",
    "<-",
    "*",
    "..",
    ".",
    ":",
    "::",
    "|",
    "&",
    "!",
    "%",
    "$",
    "$a",
    "'",
    "\"",
    "`",
    "\\",
    "/*",
    "//",
    "=",
    "<>",
    "=~",
    "+=",
    "0x",
    "1e",
    "1.",
    "9223372036854775808",
    " NOT ",
    " IS ",
    " IN ",
    " WHERE ",
    " RETURN ",
    " CASE ",
    " END ",
    " EXISTS {",
    " all(x IN ",
    " reduce(",
    "—",
    "é",
    "\u{0}",
    "\u{301}",
    "😀",
    "\u{feff}",
    "PREFIX a: <",
    ";",
    ",",
    "\\u",
    "'\\uD800\\u",
    " UNION ",
    " CALL {",
    "shortestPath(",
];

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
            2 => drop(chars.splice(at..end, PIECES[random.below(PIECES.len())].chars())),
            3 => chars.truncate(at),
            _ => {
                let from: Vec<char> = other.chars().skip(random.below(other.len())).take(20).collect();
                drop(chars.splice(at..at, from));
            }
        }
    }
    chars.into_iter().collect()
}

fn check(text: &str) {
    let error = match bound(text) {
        Ok(query) => return check_plan(&query),
        Err(error) => error,
    };
    let span = error.span.unwrap_or_else(|| panic!("no span: {text:?}: {error}"));
    let covered = text.get(span.start as usize..span.end as usize);
    assert!(covered.is_some(), "{span:?} is not within {text:?}: {error}");
}

#[test]
fn mutated_queries_do_not_panic() {
    println!("seed {SEED:#x}");
    let mut random = Random::new(SEED);
    let mut texts: Vec<String> = corpus::queries().into_iter().map(|query| query.text).collect();
    texts.push(
        "PREFIX ex: <http://ex.org/> MATCH (n:ex::A)-[r:T*1..3]->(m) RETURN n {.x, y: 1}, [x IN r | x.y]"
            .into(),
    );
    for _ in 0..MUTATIONS {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        check(&mutate(text, other, &mut random));
    }
    for text in texts.iter().step_by(37) {
        for (end, _) in text.char_indices() {
            check(&text[..end]);
        }
    }
}

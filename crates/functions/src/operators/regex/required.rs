//! A text that every match of a pattern contains: most texts that do not match lack it, and to search for it
//! is far faster than to match.

use memchr::memmem::Finder;
use regex_syntax::hir::{Hir, HirKind};

/// Bytes of a text below which the search finds too much to be worth it.
const BYTES_MIN: usize = 2;

/// What searches for the longest text that each match of `pattern`, in the syntax of `regex`, contains.
pub(super) fn required(pattern: &str) -> Option<Finder<'static>> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let literal = longest(&hir)?;
    (literal.len() >= BYTES_MIN).then(|| Finder::new(literal).into_owned())
}

/// The longest literal that is in every match. Patterns are not nested deeper than the parser allows.
fn longest(hir: &Hir) -> Option<&[u8]> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(&literal.0),
        HirKind::Capture(capture) => longest(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => longest(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(longest).max_by_key(|literal| literal.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_match_contains_is_found() {
        for (pattern, expected) in [
            ("^(?:.*Bach.*)$", Some("Bach")),
            ("^(?:(ab)+c?def[0-9])$", Some("def")),
            ("^(?:abc|def)$", None),
            ("^(?:(?i:abc))$", None),
            ("^(?:a*bb{0,3}cd)$", Some("cd")),
            ("^(?:x)$", None),
        ] {
            let found = required(pattern).map(|finder| String::from_utf8(finder.needle().to_vec()).unwrap());
            assert_eq!(found.as_deref(), expected, "{pattern}");
        }
    }
}

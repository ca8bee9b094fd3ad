//! The characters beyond ASCII that Cypher gives a meaning: blanks, dashes, arrowheads, letters.
//!
//! Source: openCypher 9 grammar, rules `whitespace`, `Dash`, `LeftArrowHead`, `RightArrowHead`,
//! `IdentifierPart`.

use crate::token::TokenKind;

/// Whether `c` separates tokens.
pub(crate) fn is_whitespace(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t'..='\r' | '\u{1c}'..='\u{1f}' | '\u{a0}' | '\u{1680}' | '\u{180e}' | '\u{2000}'..='\u{200a}'
            | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Whether a name may go on with `c`: letters, digits, connectors, combining marks and signs of currency.
pub(crate) fn is_identifier_part(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphanumeric()
        || matches!(
            c,
            '\u{a2}'..='\u{a5}' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{203f}'
                | '\u{2040}' | '\u{2054}' | '\u{20a0}'..='\u{20f0}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{fe20}'..='\u{fe2f}' | '\u{ff3f}'
        )
}

/// The kind of the token that begins with `c`, a character beyond ASCII.
pub(super) fn token_kind(c: char) -> TokenKind {
    match c {
        '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
            TokenKind::OtherDash
        }
        '\u{27e8}' | '\u{3008}' | '\u{fe64}' | '\u{ff1c}' => TokenKind::OtherLess,
        '\u{27e9}' | '\u{3009}' | '\u{fe65}' | '\u{ff1e}' => TokenKind::OtherGreater,
        '\u{203f}' | '\u{2040}' | '\u{2054}' | '\u{ff3f}' => TokenKind::Word(None),
        _ if c.is_alphabetic() => TokenKind::Word(None),
        _ => TokenKind::BadCharacter,
    }
}

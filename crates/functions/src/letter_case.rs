//! Takes a text, gives it in upper or lower case. It goes piece by piece, and before each looks at the flag
//! that cancels.
//!
//! A capital sigma becomes another small letter at the end of a word. Where a text has one, it is cut only
//! between two ASCII letters, digits or spaces: these end the look for the ends of words on both sides.

use trimorph_base::Diagnostic;

use crate::steps::Steps;

/// Bytes of a piece: some ten milliseconds where letters are not ASCII.
const PIECE_BYTES: usize = 1 << 20;

/// In upper case.
pub(crate) fn upper(text: &str, steps: Steps<'_>) -> Result<String, Diagnostic> {
    piece_by_piece(text, steps, |_, _| true, str::to_uppercase)
}

/// In lower case.
pub(crate) fn lower(text: &str, steps: Steps<'_>) -> Result<String, Diagnostic> {
    let ends_look = |c: u8| c.is_ascii_alphanumeric() || c == b' ';
    let has_sigma = text.contains('Σ');
    let may_cut = |a: u8, b: u8| !has_sigma || ends_look(a) && ends_look(b);
    piece_by_piece(text, steps, may_cut, str::to_lowercase)
}

/// `change` of the pieces of `text`, which is cut between bytes that `may_cut` allows.
fn piece_by_piece(
    text: &str,
    mut steps: Steps<'_>,
    may_cut: impl Fn(u8, u8) -> bool,
    change: impl Fn(&str) -> String,
) -> Result<String, Diagnostic> {
    if text.len() <= PIECE_BYTES {
        return Ok(change(text));
    }
    let (mut out, mut start, bytes) = (String::with_capacity(text.len()), 0, text.as_bytes());
    while start < bytes.len() {
        steps.look()?;
        let is_end = |at: &usize| text.is_char_boundary(*at) && may_cut(bytes[at - 1], bytes[*at]);
        let end = (start + PIECE_BYTES..bytes.len()).find(is_end).unwrap_or(bytes.len());
        out.push_str(&change(&text[start..end]));
        start = end;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of several pieces, with what depends on its neighbours at and around every cut.
    #[test]
    fn pieces_are_as_the_whole() {
        for word in ["a", "Σ", "ÄΣ ", "aΣ'b", "ΑΣ\u{301}", "İß ŉ", "ΑΣ.x Σ", "日本"] {
            let text = word.repeat(5 * PIECE_BYTES / 2 / word.len());
            assert!(lower(&text, Steps::new(None)) == Ok(text.to_lowercase()), "{word} in lower case");
            assert!(upper(&text, Steps::new(None)) == Ok(text.to_uppercase()), "{word} in upper case");
        }
    }
}

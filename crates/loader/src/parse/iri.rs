//! IRIs.
//!
//! Source: RFC 3987 §2.2, as N-Triples narrows it: a scheme, and none of the characters that its `IRIREF`
//! leaves out.

/// An absolute IRI without angle brackets, such as `http://example.org/a`. What comes after the scheme is not
/// taken apart.
pub(crate) fn parse_iri(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?;
    let (scheme, _) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let is_left_out = |c: char| c <= ' ' || "<>\"{}|^`\\".contains(c);
    (is_scheme && !text.contains(is_left_out)).then_some(text)
}

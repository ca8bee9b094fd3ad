//! Names of the property graph as IRIs, and back: label `Person` is `trimorph:Person`, and a label that is an
//! absolute IRI is that IRI.
//!
//! 1. A name with a scheme and without characters that no IRI has is an IRI already.
//! 2. Any other is put behind [`BASE`], with `/`, `:`, `%` and what no IRI has percent-encoded.
//!
//! Invariant: `name_of(iri_of(name)) = name` and `iri_of(name_of(iri)) = iri`: no name and no IRI is lost.
//!
//! Names that begin with `@` are the store's own: what RDF has and a property graph has not is kept under
//! them, and no user sees them. Source: Poseidon §2 (base IRI and local id); `docs/design/one-graph.md`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// What stands before the names of a property graph.
pub const BASE: &str = "trimorph:";

/// What stands before the id of a node that has no IRI of its own.
pub const NODE_BASE: &str = "trimorph:node/";

/// What stands before the id of a relationship, where it is talked about.
pub const EDGE_BASE: &str = "trimorph:relationship/";

/// The property that holds a node's IRI, blank node or triple term.
pub const ID: &str = "@id";

/// The property that holds the literal that a node stands for.
pub const LITERAL_VALUE: &str = "@value";

/// The property of an edge that holds the named graph its statement is in.
pub const GRAPH: &str = "@graph";

/// The label of nodes that stand for literals.
pub const LITERAL_LABEL: &str = "@literal";

/// The label of nodes that stand for triple terms.
pub const TRIPLE_LABEL: &str = "@triple";

/// The label that every node has where an index is asked for of all nodes; no table has it.
pub const ANY_LABEL: &str = "@node";

/// Whether a name is the store's own.
#[inline]
pub fn is_hidden(name: &str) -> bool {
    name.starts_with('@')
}

/// Whether a character may stand in an IRI as it is.
fn may_stand(c: char) -> bool {
    c > ' ' && !matches!(c, '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' | '\u{7f}'..='\u{9f}')
}

/// Whether a text is an absolute IRI, as far as its characters and its scheme tell.
pub fn is_absolute(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && text.chars().all(may_stand)
}

/// The IRI of a label, a type or a property.
pub fn iri_of(name: &str) -> Cow<'_, str> {
    // What stands behind the base as we would not write it is an IRI of somebody else's making.
    if is_absolute(name) && local_name(name).is_none() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(encoded(name))
    }
}

/// The label, type or property that an IRI is.
pub fn name_of(iri: &str) -> Cow<'_, str> {
    local_name(iri).unwrap_or(Cow::Borrowed(iri))
}

/// The name that is put behind the base in an IRI, if it was written by [`iri_of`].
fn local_name(iri: &str) -> Option<Cow<'_, str>> {
    let name = decoded(iri.strip_prefix(BASE)?)?;
    (encoded(&name) == iri).then_some(name)
}

fn encoded(name: &str) -> String {
    let mut iri = String::with_capacity(BASE.len() + name.len());
    iri.push_str(BASE);
    for c in name.chars() {
        if may_stand(c) && !matches!(c, '/' | ':' | '%' | '#' | '?' | '[' | ']') {
            iri.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| _ = write!(iri, "%{byte:02X}"));
        }
    }
    iri
}

fn decoded(local: &str) -> Option<Cow<'_, str>> {
    if !local.contains('%') {
        return Some(Cow::Borrowed(local));
    }
    let mut bytes = Vec::with_capacity(local.len());
    let mut rest = local.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|d| u8::try_from(d).ok());
        bytes.push(digit()? * 16 + digit()?);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_iris_are_one() {
        for (name, iri) in [
            ("Person", "trimorph:Person"),
            ("http://xmlns.com/foaf/0.1/name", "http://xmlns.com/foaf/0.1/name"),
            ("urn:x", "urn:x"),
            ("first name", "trimorph:first%20name"),
            ("node/5", "trimorph:node%2F5"),
            ("größe", "trimorph:größe"),
            ("100%", "trimorph:100%25"),
            (":x", "trimorph:%3Ax"),
            ("_:x", "trimorph:_%3Ax"),
            ("<http://x>", "trimorph:%3Chttp%3A%2F%2Fx%3E"),
            ("", "trimorph:"),
            ("trimorph:a", "trimorph:trimorph%3Aa"),
        ] {
            assert_eq!(iri_of(name), iri, "{name}");
            assert_eq!(name_of(iri), name, "{iri}");
        }
        // IRIs below the base that no name gives.
        for iri in ["trimorph:a/b", "trimorph:%41", "trimorph:%zz", "trimorph:%", "trimorph:a?b"] {
            assert_eq!(name_of(iri), iri);
            assert_eq!(iri_of(iri), iri);
        }
    }
}

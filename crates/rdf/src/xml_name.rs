//! Names of XML: whether an IRI ends with one, as predicates in RDF/XML must.
//!
//! Source: XML 1.0, §2.3; Namespaces in XML 1.0, §3.

/// Whether a namespace and a name without colon make this IRI.
pub(crate) fn ends_with_name(iri: &str) -> bool {
    let name = iri.rfind(|c| !is_name_char(c)).map_or(iri, |at| &iri[at..]);
    name.contains(is_name_start)
}

fn is_name_start(c: char) -> bool {
    matches!(c,
        'A'..='Z'
        | '_'
        | 'a'..='z'
        | '\u{C0}'..='\u{D6}'
        | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

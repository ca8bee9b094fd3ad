//! XML within RDF/XML: the text of an XML literal in, the text with only the namespaces that it uses out.
//!
//! The parser declares all namespaces in scope at the outermost elements. Exclusive canonical XML declares a
//! namespace at the first element that uses it, and orders attributes by namespace and name. Everything else
//! is in canonical form already.
//!
//! Source: Exclusive XML Canonicalization 1.0, §3; RDF 1.2 XML Syntax, §7.2.17.

use std::collections::BTreeMap;

/// Namespaces by prefix; the default one has the empty prefix.
type Namespaces<'a> = BTreeMap<&'a str, &'a str>;

/// The literal's text in exclusive canonical form; `None` if it is not of the form that the parser writes.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    // Of each open element: what is in scope, and what was written.
    let mut open: Vec<(Namespaces<'_>, Namespaces<'_>)> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else {
            tag_end(rest)?
        };
        let (tag, after) = rest.split_at(end);
        rest = after;
        if tag.starts_with("</") {
            open.pop()?;
            out.push_str(tag);
        } else if tag.starts_with("<!") || tag.starts_with("<?") {
            out.push_str(tag);
        } else {
            let (scope, written) = open.last().cloned().unwrap_or_default();
            open.push(start_tag(&mut out, tag, scope, written)?);
        }
    }
    out.push_str(rest);
    open.is_empty().then_some(out)
}

/// The end of a tag, quotes passed over.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    text.bytes()
        .position(|byte| {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'>') => return true,
                _ => {}
            }
            false
        })
        .map(|at| at + 1)
}

fn prefix_of(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

fn start_tag<'a>(
    out: &mut String,
    tag: &'a str,
    mut scope: Namespaces<'a>,
    mut written: Namespaces<'a>,
) -> Option<(Namespaces<'a>, Namespaces<'a>)> {
    let inner = tag.strip_prefix('<')?.strip_suffix('>')?;
    let name_end = inner.find(|c: char| c.is_ascii_whitespace()).unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at(name_end);
    // An element that ends at once would leave the others' depth wrong; the parser writes none.
    if name.is_empty() || inner.ends_with('/') {
        return None;
    }
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let (attribute, after) = rest.split_once('=')?;
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        rest = after;
        match attribute.strip_prefix("xmlns") {
            Some("") => _ = scope.insert("", value),
            Some(prefix) if prefix.starts_with(':') => _ = scope.insert(&prefix[1..], value),
            _ => attributes.push((attribute, value)),
        }
    }
    let mut used = vec![prefix_of(name).0];
    used.extend(attributes.iter().map(|(attribute, _)| prefix_of(attribute).0).filter(|p| !p.is_empty()));
    used.sort_unstable();
    used.dedup();
    out.push('<');
    out.push_str(name);
    for prefix in used {
        let namespace = scope.get(prefix).copied().unwrap_or_default();
        if prefix == "xml" || written.get(prefix).copied().unwrap_or_default() == namespace {
            continue;
        }
        written.insert(prefix, namespace);
        let colon = if prefix.is_empty() { "" } else { ":" };
        out.push_str(&format!(" xmlns{colon}{prefix}=\"{namespace}\""));
    }
    attributes.sort_by_key(|(attribute, _)| {
        let (prefix, local) = prefix_of(attribute);
        let namespace = if prefix.is_empty() { "" } else { scope.get(prefix).copied().unwrap_or(prefix) };
        (namespace, local)
    });
    for (attribute, value) in attributes {
        out.push_str(&format!(" {attribute}=\"{value}\""));
    }
    out.push('>');
    Some((scope, written))
}

//! Completion of SPARQL: prefixes, classes, predicates, variables, keywords and functions, by what stands
//! before the word.

use std::collections::{BTreeMap, BTreeSet};

use crate::rdf::{SPARQL_FUNCTIONS, SPARQL_KEYWORDS, WELL_KNOWN_PREFIXES};

/// What names of the property graph begin with.
const BASE: &str = "trimorph:";

/// Prefixes that need no `PREFIX`.
const KNOWN: [(&str, &str); 4] = [
    ("", BASE),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// IRIs of a database that may be completed.
#[derive(Default)]
pub(super) struct Names {
    classes: BTreeSet<String>,
    predicates: BTreeSet<String>,
}

impl Names {
    /// Names of labels, and of types and properties.
    pub(super) fn new<'n>(
        labels: impl Iterator<Item = &'n String>,
        types_and_properties: impl Iterator<Item = &'n String>,
    ) -> Self {
        // The store's own names are no IRIs; a name without a scheme is one of the property graph.
        let iri = |name: &String| match name.starts_with('@') {
            true => None,
            false if name.contains(':') => Some(name.clone()),
            false => Some(format!("{BASE}{}", name.replace(' ', "%20"))),
        };
        Self {
            classes: labels.filter_map(iri).collect(),
            predicates: types_and_properties.filter_map(iri).collect(),
        }
    }

    /// The word that ends with the text, and what it may become.
    pub(super) fn candidates(&self, text: &str) -> (usize, Vec<String>) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '?' | '$');
        let begin = |is_part: &dyn Fn(char) -> bool| {
            let letters = text.char_indices().rev().take_while(|(_, c)| is_part(*c));
            letters.last().map_or(text.len(), |(at, _)| at)
        };
        // An IRI, from its `<` on.
        let iri = text.rfind('<').filter(|at| {
            !text[*at..].contains(|c: char| c.is_whitespace() || c == '>') && text.len() > at + 1
        });
        let start = iri.unwrap_or_else(|| begin(&is_part));
        let word = &text[start..];
        let before = last_words(&text[..start]);
        let is_class = before.last().is_some_and(|last| *last == "a");
        let found = if word.is_empty() {
            Vec::new()
        } else if iri.is_some() {
            self.iris(is_class, &word[1..], |iri| format!("<{iri}>"))
        } else if word.starts_with(['?', '$']) {
            variables(&text[..start], word)
        } else if before.last().is_some_and(|last| last.eq_ignore_ascii_case("prefix")) {
            let known = WELL_KNOWN_PREFIXES.iter().filter(|(prefix, _)| prefix.starts_with(word));
            known.map(|(prefix, iri)| format!("{prefix}: <{iri}>")).collect()
        } else if let Some((prefix, local)) = word.split_once(':') {
            match prefixes(text).get(prefix) {
                Some(namespace) => {
                    let whole = format!("{namespace}{local}");
                    self.iris(is_class, &whole, |iri| format!("{prefix}:{}", &iri[namespace.len()..]))
                }
                None => Vec::new(),
            }
        } else {
            words(text, word)
        };
        (start, found)
    }

    /// IRIs that begin so, written so.
    fn iris(&self, is_class: bool, begin: &str, write: impl Fn(&str) -> String) -> Vec<String> {
        let predicates = self.predicates.iter().filter(|_| !is_class);
        let classes = self.classes.iter();
        let fits: BTreeSet<&String> =
            classes.chain(predicates).filter(|iri| iri.starts_with(begin)).collect();
        fits.into_iter().map(|iri| write(iri)).collect()
    }
}

/// The last two words of a text.
fn last_words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().rev().take(2).collect();
    words.reverse();
    words
}

/// Prefixes of a text, those that need no declaration among them.
fn prefixes(text: &str) -> BTreeMap<&str, &str> {
    let mut found: BTreeMap<&str, &str> = KNOWN.into_iter().collect();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case("prefix")
            && let Some(prefix) = words.next().and_then(|prefix| prefix.strip_suffix(':'))
            && let Some(iri) = words.next().and_then(|iri| iri.strip_prefix('<')?.strip_suffix('>'))
        {
            found.insert(prefix, iri);
        }
    }
    found
}

/// Variables of a text that begin so.
fn variables(text: &str, begin: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let signs = text.char_indices().filter(|(_, c)| matches!(c, '?' | '$'));
    let names: BTreeSet<String> = signs
        .map(|(at, _)| {
            let rest = &text[at + 1..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            format!("{}{}", &begin[..1], &rest[..end])
        })
        .filter(|name| name.len() > begin.len() && name.starts_with(begin))
        .collect();
    names.into_iter().collect()
}

/// Keywords, functions and prefixes that begin so.
fn words(text: &str, begin: &str) -> Vec<String> {
    let fits = |word: &&str| word.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin));
    let keywords = SPARQL_KEYWORDS.iter().copied().filter(fits).map(str::to_owned);
    let functions = SPARQL_FUNCTIONS.iter().map(|(name, _)| *name).filter(fits);
    let declared =
        prefixes(text).into_keys().filter(|prefix| !prefix.is_empty() && prefix.starts_with(begin));
    keywords
        .chain(functions.map(|name| format!("{name}(")))
        .chain(declared.map(|prefix| format!("{prefix}:")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_by_what_stands_before() {
        let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let labels = text(&["Person", "http://xmlns.com/foaf/0.1/Person", "@literal"]);
        let others = text(&["firstName", "http://xmlns.com/foaf/0.1/name", "http://xmlns.com/foaf/0.1/nick"]);
        let names = Names::new(labels.iter(), others.iter());
        let complete = |text: &str| names.candidates(text).1;
        let foaf = "PREFIX foaf: <http://xmlns.com/foaf/0.1/> SELECT * { ?person ";
        assert_eq!(complete(&format!("{foaf}foaf:n")), ["foaf:name", "foaf:nick"]);
        assert_eq!(complete(&format!("{foaf}a foaf:")), ["foaf:Person"]);
        assert_eq!(complete(&format!("{foaf}fo")), ["foaf:"]);
        assert_eq!(complete(&format!("{foaf}a <http://x")), ["<http://xmlns.com/foaf/0.1/Person>"]);
        assert_eq!(complete(&format!("{foaf}foaf:name ?n . ?p")), ["?person"]);
        assert_eq!(complete("SELECT * { ?s :first"), [":firstName"]);
        assert_eq!(complete("SELECT * { ?s a :"), [":Person"]);
        assert_eq!(complete("PREFIX fo"), ["foaf: <http://xmlns.com/foaf/0.1/>"]);
        assert_eq!(complete("sel"), ["SELECT"]);
        assert_eq!(complete("ASK { FILTER(strl"), ["STRLANG(", "STRLANGDIR(", "STRLEN("]);
        assert_eq!(complete("SELECT * { ?s dbo:x"), [""; 0]);
        assert_eq!(complete("é"), [""; 0]);
        assert_eq!(complete(""), [""; 0]);
        assert_eq!(complete("FILTER(1 < ?é) ?"), ["?é"]);
    }
}

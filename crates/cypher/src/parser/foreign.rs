//! Takes a token that cannot stand where it stands and its neighbours, gives what to write instead: what
//! other languages, or another order of clauses, would have there.

/// The action for the text `word` after `before` and before `after`; none if it looks like nothing in
/// particular.
pub(super) fn instead(before: &str, word: &str, after: &str) -> Option<&'static str> {
    let symbol = match (before, word, after) {
        ("=", "=", _) => Some("write a single ="),
        (_, "!", "=") => Some("write <>"),
        (_, "!", _) => Some("write NOT"),
        (_, "&", "&") => Some("write AND"),
        (")" | "]", "-", ">") | ("-", ">", _) => Some("write -->"),
        (")", "-", "(") | ("-", "(", _) => Some("write -- or -->"),
        ("“" | "”" | "‘" | "’", ..) | (_, "“" | "”" | "‘" | "’", _) => {
            Some("write ' or \" instead")
        }
        _ => None,
    };
    symbol.or_else(|| {
        let (_, hint) = WORDS.iter().find(|(words, _)| words.iter().any(|w| w.eq_ignore_ascii_case(word)))?;
        Some(hint)
    })
}

const WORDS: &[(&[&str], &str)] = &[
    (&["SELECT", "FROM"], "write MATCH … RETURN …"),
    (&["JOIN"], "write the relationship as a pattern: MATCH (a)-[:TYPE]->(b)"),
    (&["INSERT"], "write CREATE"),
    (&["UPDATE"], "write MATCH … SET …"),
    (&["LIKE", "ILIKE"], "write STARTS WITH, ENDS WITH, CONTAINS or =~"),
    (&["BETWEEN"], "write low <= value <= high"),
    (&["GROUP"], "leave it out: rows are grouped by the columns without an aggregate"),
    (&["HAVING"], "write WITH … WHERE …"),
    (&["WHERE"], "put WHERE after MATCH or WITH"),
    (
        &["ORDER", "SKIP", "OFFSET", "LIMIT"],
        "put ORDER BY, SKIP and LIMIT after RETURN or WITH, in this order",
    ),
];

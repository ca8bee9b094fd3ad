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
        (":", from, "]") if from.starts_with(|c: char| c.is_ascii_digit()) => {
            Some("write list[1..2] for a part of a list; names that begin with a digit stand in backticks")
        }
        (".", name, _) if name.starts_with('$') => Some("write n[$key]"),
        (":", "=", _) => Some("write {name: value} for a map"),
        (_, "?", _) => Some("write CASE WHEN condition THEN a ELSE b END"),
        (before, word, _) if doubled(before, word) => Some("write \\' for a quote within quotes"),
        ("“" | "”" | "‘" | "’", ..) | (_, "“" | "”" | "‘" | "’", _) => {
            Some("write ' or \" instead")
        }
        _ => None,
    };
    let is = |text: &str, word: &str| text.eq_ignore_ascii_case(word);
    let words = match (before, word, after) {
        (_, word, after) if is(word, "NOT") && is(after, "IN") => Some("write NOT value IN list"),
        (before, _, _) if is(before, "NOT") => Some("write <>"),
        (before, word, _) if is(before, "IS") && is(word, "TYPED") => {
            Some("write valueType(x) = 'INTEGER NOT NULL' and the like")
        }
        (before, ..) if is(before, "TOP") => Some("write LIMIT at the end"),
        (before, word, _) if is(before, "AS") && word.starts_with(['\'', '"']) => {
            Some("write the name without quotes, or in backticks")
        }
        _ => None,
    };
    symbol.or(words).or_else(|| {
        let (_, hint) = WORDS.iter().find(|(words, _)| words.iter().any(|w| w.eq_ignore_ascii_case(word)))?;
        Some(hint)
    })
}

/// Whether two texts in quotes stand side by side, as SQL has a quote within quotes.
fn doubled(before: &str, word: &str) -> bool {
    ['\'', '"']
        .into_iter()
        .any(|quote| before.len() > 1 && before.ends_with(quote) && word.starts_with(quote))
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
    (&["OVER"], "write WITH key, collect(value) AS list, or CALL (key) { … ORDER BY … LIMIT … }"),
    (&["WHERE"], "put WHERE after MATCH or WITH"),
    (
        &["ORDER", "SKIP", "OFFSET", "LIMIT"],
        "put ORDER BY, SKIP and LIMIT after RETURN or WITH, in this order",
    ),
];

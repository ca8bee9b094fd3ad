//! Takes a token that cannot stand where it stands and its neighbours, gives what to write instead: what
//! other languages, or another order of clauses, would have there.

/// The action for the text `word` after `before` and before `after`; none if it looks like nothing in
/// particular.
pub(super) fn instead(before: &str, word: &str, after: &str) -> Option<&'static str> {
    let symbol = match (before, word, after) {
        ("=", "=", _) => Some("write a single ="),
        ("*", "*", _) => Some("write ^"),
        (_, "+=", _) | (_, "+", "+") | (_, "-", "-") | (_, "-" | "*" | "/", "=") => {
            Some("write n.key = n.key + 1; n += {key: value} is for maps")
        }
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
        (before, word, _) if is(before, "IS") && is(word, "TYPED") => {
            Some("write valueType(x) = 'INTEGER NOT NULL' and the like")
        }
        // `FROM` was taken for a name.
        (before, word, _) if is(before, "FROM") && is_name(word) => {
            Some("write MATCH (n:Label) WHERE …, and RETURN or DELETE behind it")
        }
        (before, "(", _) if is(before, "AS") => Some("write CALL { … RETURN … } for a query within one"),
        (before, word, _) if is_quoted(word) && is(before, "DATE") => Some("write date('2024-02-29')"),
        (before, word, _) if is_quoted(word) && is(before, "TIMESTAMP") => {
            Some("write datetime('2024-02-29T12:00Z'), or localdatetime('2024-02-29T12:00') without a zone")
        }
        (before, word, _) if is(before, "AS") && is_quoted(word) => {
            Some("write the name without quotes, or in backticks")
        }
        _ => None,
    };
    let known = |table: &[(&[&str], &'static str)], text: &str| {
        table.iter().find(|(words, _)| words.iter().any(|w| is(w, text))).map(|(_, hint)| *hint)
    };
    symbol.or(words).or_else(|| known(BEHIND, before)).or_else(|| known(WORDS, word))
}

fn is_quoted(word: &str) -> bool {
    word.starts_with(['\'', '"'])
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '`')
}

/// Whether two texts in quotes stand side by side, as SQL has a quote within quotes.
fn doubled(before: &str, word: &str) -> bool {
    ['\'', '"']
        .into_iter()
        .any(|quote| before.len() > 1 && before.ends_with(quote) && word.starts_with(quote))
}

/// By the word before: it was taken for a name, or for the beginning of something else.
const BEHIND: &[(&[&str], &str)] = &[
    (&["NOT"], "write <>"),
    (&["TOP"], "write LIMIT at the end"),
    (&["INTERVAL"], "write duration({days: 1}) or duration('P1D')"),
];

const WORDS: &[(&[&str], &str)] = &[
    (&["SELECT", "FROM"], "write MATCH … RETURN …"),
    (&["JOIN", "INNER", "CROSS", "NATURAL"], "write the relationship as a pattern: MATCH (a)-[:TYPE]->(b)"),
    (&["LEFT", "RIGHT", "FULL", "OUTER"], "write OPTIONAL MATCH (a)-[:TYPE]->(b)"),
    (&["INSERT"], "write CREATE"),
    (&["UPDATE"], "write MATCH … SET …"),
    (&["LIKE", "ILIKE", "GLOB"], "write STARTS WITH, ENDS WITH, CONTAINS or =~"),
    (&["SIMILAR", "REGEXP", "RLIKE"], "write text =~ 'a.*'"),
    (&["STARTSWITH"], "write text STARTS WITH 'a'"),
    (&["ENDSWITH"], "write text ENDS WITH 'a'"),
    (&["DIV"], "write a / b: of integers it gives an integer"),
    (&["MOD"], "write a % b"),
    (&["TOP"], "write LIMIT at the end"),
    (&["DROP"], "write REMOVE n.key, REMOVE n:Label or DELETE n"),
    (&["BETWEEN"], "write low <= value <= high"),
    (&["GROUP"], "leave it out: rows are grouped by the columns without an aggregate"),
    (&["HAVING"], "write WITH … WHERE …"),
    (&["OVER", "QUALIFY"], "write WITH key, collect(value) AS list, or CALL (key) { … ORDER BY … LIMIT … }"),
    (&["WHERE"], "put WHERE after MATCH or WITH"),
    (
        &["ORDER", "SKIP", "OFFSET", "LIMIT"],
        "put ORDER BY, SKIP and LIMIT after RETURN or WITH, in this order",
    ),
];

//! An argument in, its words out: parted by blanks, except within quotes and after a backslash.

use crate::failure::Failure;

/// The words of `text`.
pub(super) fn split(text: &str) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') if cfg!(unix) && letters.peek().is_some() => {
                word.get_or_insert_default().extend(letters.next());
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(Failure::message(format!("a quote is not closed: {quote}")));
    }
    words.extend(word);
    Ok(words)
}

/// The one word of `text`; an error says `usage`.
pub(super) fn one(text: &str, usage: &str) -> Result<String, Failure> {
    match split(text)?.as_mut_slice() {
        [word] => Ok(std::mem::take(word)),
        [] => Err(Failure::message(format!("write {usage}"))),
        _ => Err(Failure::message(format!("write {usage}; a name with blanks stands in quotes"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_blanks() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text).unwrap(), expect, "{text}");
        check("", &[]);
        check("  a  b ", &["a", "b"]);
        check("'a b' c\\ d \"e'f\"", &["a b", "c d", "e'f"]);
        check("x'y z'", &["xy z"]);
        check("''", &[""]);
        assert!(split("'a").is_err());
        check("é\\", &["é\\"]);
    }
}

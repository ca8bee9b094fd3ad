//! What formats for people have in common: how much is shown, and cells on one line.

/// How much of a table is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Rows of a table; all if `None`.
    pub(crate) rows: Option<usize>,
    /// What to do to see the others.
    pub(crate) rows_hint: &'static str,
    /// Columns of the terminal; unlimited if `None`.
    pub(crate) width: Option<usize>,
    /// Whether Arrow goes to a file, which has a footer, instead of a stream.
    pub(crate) is_file: bool,
    /// Whether answers are SPARQL's, which have formats of their own.
    pub(crate) is_sparql: bool,
    /// Whether headers may be coloured.
    pub(crate) color: bool,
}

/// A cell's text on one line, without characters that would move the cursor.
pub(crate) fn one_line(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

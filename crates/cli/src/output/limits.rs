//! What formats for people have in common: how much is shown, what null looks like, and cells on one line.

use std::sync::Arc;

use trimorph::{QueryResult, Value};

/// How much of an answer is shown, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Rows of a table; all if `None`. The first and the last are shown.
    pub(crate) rows: Option<usize>,
    /// What to do to see the others.
    pub(crate) rows_hint: &'static str,
    /// Columns of the terminal; unlimited if `None`.
    pub(crate) width: Option<usize>,
    /// What to do to see columns that had no room.
    pub(crate) width_hint: &'static str,
    /// Whether Arrow goes to a file, which has a footer, instead of a stream.
    pub(crate) is_file: bool,
    /// Whether answers are SPARQL's, which have formats of their own.
    pub(crate) is_sparql: bool,
    /// Whether headers may be coloured.
    pub(crate) color: bool,
    /// Whether the head of a table says the columns' types.
    pub(crate) types: bool,
    /// What stands for null, where the format leaves a choice.
    pub(crate) null: Option<Arc<str>>,
}

impl Limits {
    /// A value's text on one line, and whether it is null.
    pub(crate) fn cell(&self, result: &QueryResult, value: &Value) -> (String, bool) {
        match (value, &self.null) {
            (Value::Null, Some(null)) => (one_line(null), true),
            _ => (one_line(&result.format(value)), value.is_null()),
        }
    }

    /// What stands for null in a format where that is nothing, unless somebody said otherwise.
    pub(crate) fn null_or_nothing(&self) -> &str {
        self.null.as_deref().unwrap_or_default()
    }
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

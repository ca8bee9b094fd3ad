//! Values between separators: commas as in RFC 4180, tabs as PostgreSQL and others read them, bars for
//! people.
//!
//! | format | between | null | a text |
//! |---|---|---|---|
//! | csv | `,` | nothing | in quotes where it has a comma, a quote or a line end, or is empty |
//! | tsv | tab | nothing | `\t`, `\n`, `\r` and `\\` where it has these |
//! | list | <code>\|</code> | nothing | as it is, on one line |
//!
//! With `limits.null` null is that.

use std::io::{self, Write};

use trimorph::{QueryResult, Value};

use super::{Limits, one_line};
use crate::failure::Failure;

/// What is between values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Separator {
    Comma,
    Tab,
    Bar,
}

impl Separator {
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Comma => b",",
            Self::Tab => b"\t",
            Self::Bar => b"|",
        }
    }

    /// A text between two of these.
    fn field(self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Comma if text.is_empty() || text.contains(['"', ',', '\n', '\r']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))
            }
            Self::Tab if text.contains(['\t', '\n', '\r', '\\']) => {
                let text = text.replace('\\', "\\\\").replace('\t', "\\t");
                out.write_all(text.replace('\n', "\\n").replace('\r', "\\r").as_bytes())
            }
            Self::Bar => out.write_all(one_line(text).as_bytes()),
            _ => out.write_all(text.as_bytes()),
        }
    }
}

pub(super) fn write(
    result: &mut QueryResult,
    between: Separator,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    for (i, name) in result.columns().iter().enumerate() {
        out.write_all(if i > 0 { between.bytes() } else { b"" })?;
        between.field(name, out)?;
    }
    out.write_all(b"\n")?;
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        for (i, value) in row.iter().enumerate() {
            out.write_all(if i > 0 { between.bytes() } else { b"" })?;
            match value {
                Value::Null => out.write_all(limits.null_or_nothing().as_bytes())?,
                Value::String(text) => between.field(text, out)?,
                value => between.field(&result.format(value), out)?,
            }
        }
        out.write_all(b"\n")?;
        rows += 1;
    }
    Ok(rows)
}

//! Rows in, values between delimiters out, as RFC 4180 has them: null is nothing, the empty string is `""`,
//! and a text is in quotes where it would be read as something else without them. What is no text is in
//! openCypher's form; of SPARQL, IRIs and literals are their text alone, as in its own CSV.

use std::io::{self, Write};

use trimorph_types::Value;

use super::failure::WriteError;
use crate::QueryResult;

/// How values are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// Nothing is ever in quotes without one.
    pub(crate) quote: Option<u8>,
    /// Whether the first line has the names of the columns.
    pub(crate) header: bool,
    /// What null is written as.
    pub(crate) null: String,
    /// Whether terms of RDF are their text.
    pub(crate) is_sparql: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { delimiter: b',', quote: Some(b'"'), header: true, null: String::new(), is_sparql: false }
    }
}

impl Dialect {
    fn field(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let Some(quote) = self.quote else { return out.write_all(text.as_bytes()) };
        let is_odd = |b: u8| b == self.delimiter || b == quote || b == b'\n' || b == b'\r';
        if !text.bytes().any(is_odd) && text != self.null && !text.is_empty() {
            return out.write_all(text.as_bytes());
        }
        let mut quoted = Vec::with_capacity(text.len() + 2);
        quoted.push(quote);
        for byte in text.bytes() {
            quoted.push(byte);
            if byte == quote {
                quoted.push(quote);
            }
        }
        quoted.push(quote);
        out.write_all(&quoted)
    }
}

/// Writes all rows; gives their number.
pub(crate) fn write(
    result: &mut QueryResult,
    dialect: &Dialect,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let between = [dialect.delimiter];
    if dialect.header {
        for (i, name) in result.columns().iter().enumerate() {
            out.write_all(if i > 0 { &between } else { b"" })?;
            dialect.field(name, out)?;
        }
        out.write_all(b"\n")?;
    }
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        for (i, value) in row.iter().enumerate() {
            out.write_all(if i > 0 { &between } else { b"" })?;
            match value {
                Value::Null => out.write_all(dialect.null.as_bytes())?,
                Value::String(text) => dialect.field(text, out)?,
                Value::Int(number) => write!(out, "{number}")?,
                Value::Iri(iri) if dialect.is_sparql => dialect.field(iri, out)?,
                Value::Literal(literal) if dialect.is_sparql => dialect.field(&literal.lexical, out)?,
                value => dialect.field(&result.format(value), out)?,
            }
        }
        out.write_all(b"\n")?;
        rows += 1;
    }
    Ok(rows)
}

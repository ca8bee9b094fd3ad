//! Comma-separated values as in RFC 4180, with line feeds: null is empty, the empty string is `""`.

use std::io::{self, Write};

use trimorph::{QueryResult, Value};

use crate::failure::Failure;

pub(super) fn write(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    for (i, name) in result.columns().iter().enumerate() {
        separate(i, out)?;
        field(name, out)?;
    }
    out.write_all(b"\n")?;
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        for (i, value) in row.iter().enumerate() {
            separate(i, out)?;
            match value {
                Value::Null => {}
                Value::String(text) => field(text, out)?,
                value => field(&result.format(value), out)?,
            }
        }
        out.write_all(b"\n")?;
        rows += 1;
    }
    Ok(rows)
}

fn separate(column: usize, out: &mut dyn Write) -> io::Result<()> {
    if column > 0 { out.write_all(b",") } else { Ok(()) }
}

fn field(text: &str, out: &mut dyn Write) -> io::Result<()> {
    if text.is_empty() || text.contains(['"', ',', '\n', '\r']) {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
}

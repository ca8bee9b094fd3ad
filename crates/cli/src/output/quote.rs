//! Values as literals of openCypher, so that they can be told apart and put into a query: `'7'` is a string,
//! `7` a number, `date('2012-01-01')` a date.

use std::io::Write;

use trimorph::{QueryResult, Value};

use crate::failure::Failure;

/// The literal that a value is; nodes, relationships and paths have their text.
pub(crate) fn literal(value: &Value, result: &QueryResult) -> String {
    let call = |name: &str, text: String| format!("{name}('{text}')");
    match value {
        Value::Date(x) => call("date", x.to_string()),
        Value::LocalTime(x) => call("localtime", x.to_string()),
        Value::Time(x) => call("time", x.to_string()),
        Value::LocalDateTime(x) => call("localdatetime", x.to_string()),
        Value::DateTime(x) => call("datetime", x.to_string()),
        Value::Duration(x) => call("duration", x.to_string()),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, result)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, item)| format!("{}: {}", name(key), literal(item, result)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::String(_) => {
            // Within a list strings are quoted.
            let text = result.format(&Value::list(vec![value.clone()]));
            text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(&text).to_owned()
        }
        other => result.format(other),
    }
}

/// A key of a map, in backticks where it is no plain word.
fn name(key: &str) -> String {
    let is_word = key.chars().all(|c| c.is_alphanumeric() || c == '_')
        && key.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if is_word { key.to_owned() } else { format!("`{}`", key.replace('`', "``")) }
}

pub(super) fn write(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    let names: Vec<String> = result.columns().iter().map(|c| name(c)).collect();
    writeln!(out, "{}", names.join(", "))?;
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        let cells: Vec<String> = row.iter().map(|value| literal(value, result)).collect();
        writeln!(out, "{}", cells.join(", "))?;
        rows += 1;
    }
    Ok(rows)
}

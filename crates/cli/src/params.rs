//! Parameters of the command line: `name=text` in, a value out.
//!
//! The text is a literal of openCypher or JSON: `null`, `true`, `7`, `1.5`, `'a'`, `"a"`, `[1, 2]`, `{a: 1}`,
//! `date('2012-01-01')` and the other temporal functions. Anything else is a string as it stands, so that
//! plain words need no second pair of quotes.

use std::sync::Arc;

use trimorph::{Config, Database, Map, Params, Value};

/// Lists and maps may be nested this deep.
const DEPTH_MAX: usize = 64;

/// Functions whose calls are literals here.
const TEMPORAL: [&str; 6] = ["date", "datetime", "localdatetime", "localtime", "time", "duration"];

/// Splits `name=text`, for clap.
pub(crate) fn parse_pair(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    let name = name.trim().trim_start_matches('$');
    // `name:=value`, which some tools need for values that are no strings, is the same here.
    let name = name.strip_suffix(':').unwrap_or(name).trim_end();
    if name.is_empty() {
        return Err("the parameter has no name; write it as name=value".into());
    }
    Ok((name.to_owned(), parse_value(value)?))
}

/// Parameters out of pairs; the last of a name counts.
pub(crate) fn collect(pairs: &[(String, Value)]) -> Params {
    pairs.iter().map(|(k, v)| (Arc::from(k.as_str()), v.clone())).collect()
}

/// The value that `text` stands for.
///
/// **Errors**: a temporal function whose argument is none.
pub(crate) fn parse_value(text: &str) -> Result<Value, String> {
    let trimmed = text.trim();
    let mut reader = Reader { rest: trimmed };
    let parsed = reader.value(0);
    reader.space();
    match parsed {
        Some(value) if reader.rest.is_empty() => Ok(value),
        _ if is_temporal_call(trimmed) => evaluate(trimmed),
        _ => Ok(Value::string(text)),
    }
}

fn is_temporal_call(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or_default().trim_end();
    text.ends_with(')') && TEMPORAL.iter().any(|f| f.eq_ignore_ascii_case(name))
}

/// Lets the engine compute a constant.
fn evaluate(text: &str) -> Result<Value, String> {
    let database = Database::in_memory(Config::new().threads(1).huge_pages(false));
    let mut result = database.connect().query(&format!("RETURN {text}"), &[]).map_err(|e| e.to_string())?;
    match result.next_row() {
        Ok(row) => Ok(row.and_then(|r| r.into_iter().next()).unwrap_or_default()),
        Err(e) => Err(e.to_string()),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, c: char) -> bool {
        self.space();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        match self.rest.chars().next()? {
            '\'' | '"' => self.string().map(Value::string),
            '[' if depth < DEPTH_MAX => self.list(depth),
            '{' if depth < DEPTH_MAX => self.map(depth),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => match self.word()?.to_ascii_lowercase().as_str() {
                "null" => Some(Value::Null),
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
        }
    }

    fn word(&mut self) -> Option<String> {
        self.space();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let is_name = word.chars().next().is_some_and(|c| !c.is_ascii_digit());
        self.rest = rest;
        is_name.then(|| word.to_owned())
    }

    fn number(&mut self) -> Option<Value> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let digits = text.trim_start_matches(['-', '+']);
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        if let Ok(number) = text.parse::<i64>() {
            return Some(Value::Int(number));
        }
        text.parse::<f64>().ok().filter(|f| f.is_finite()).map(Value::Float)
    }

    fn string(&mut self) -> Option<String> {
        let mut letters = self.rest.char_indices();
        let (_, quote) = letters.next()?;
        let mut out = String::new();
        while let Some((at, c)) = letters.next() {
            if c == quote {
                self.rest = self.rest.get(at + 1..)?;
                return Some(out);
            }
            if c != '\\' {
                out.push(c);
                continue;
            }
            match letters.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => {
                    let hex: String = letters.by_ref().take(4).map(|(_, c)| c).collect();
                    out.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
                }
                other => out.push(other),
            }
        }
        None
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.take('[');
        let mut items = Vec::new();
        if self.take(']') {
            return Some(Value::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(']') {
                return Some(Value::list(items));
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut entries = Vec::new();
        if self.take('}') {
            return Some(Value::map(Map::new()));
        }
        loop {
            self.space();
            let key = if self.rest.starts_with(['"', '\'']) { self.string()? } else { self.word()? };
            if !self.take(':') {
                return None;
            }
            entries.push((key.into(), self.value(depth + 1)?));
            if self.take('}') {
                return Some(Value::map(entries.into_iter().collect()));
            }
            if !self.take(',') {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let database = Database::in_memory(Config::default());
        let value = parse_value(text).unwrap();
        let list = [("x", Value::list(vec![value]))];
        let result = database.connect().query("RETURN $x AS x", &list).unwrap();
        let rows = database.connect().query("RETURN $x AS x", &list).unwrap().rows().unwrap();
        assert_eq!(result.format(&rows[0][0]), format!("[{expect}]"), "{text}");
    }

    #[test]
    fn literals_are_values_and_words_are_strings() {
        check("7", "7");
        check(" -1.5e3 ", "-1500.0");
        check("true", "true");
        check("NULL", "null");
        check("Ulm", "'Ulm'");
        check("'it\\'s'", "'it\\'s'");
        check("\"7\"", "'7'");
        check("[1, 'a', [true]]", "[1, 'a', [true]]");
        check("{\"a\": 1, b: [null]}", "{a: 1, b: [null]}");
        check("2012-01-01", "'2012-01-01'");
        check("date('2012-01-01')", "'2012-01-01'");
        check("[1, 2", "'[1, 2'");
        check("1 2", "'1 2'");
        check("", "''");
        check("'\\u00e9'", "'é'");
        check("nan", "'nan'");
    }

    #[test]
    fn any_text_is_a_value_or_an_error() {
        for text in [
            "'",
            "\"\\",
            "\"\\u",
            "{",
            "[",
            "{a",
            "-",
            ".",
            "date(",
            "date('x')",
            "é",
            "'é",
            &"[".repeat(1000),
        ] {
            let _ = parse_value(text);
        }
    }
}

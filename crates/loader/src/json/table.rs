//! A chunk of objects in, batches and refused rows out.
//!
//! Each key and value of an object goes to its column; a column that got none gets null. At the first that
//! does not fit the row is taken back and refused, as `csv` does it.

use std::sync::Arc;

use trimorph_base::nearest;
use trimorph_store::bulk::{Origin, Rejected};
use trimorph_types::LogicalType;

use super::chunk::{Chunk, records};
use super::keys::{Found, Keys};
use super::scan::{DEPTH_MAX, Token, list, object, text_of};
use crate::column::Builder;
use crate::gather::Columns;
use crate::lines::LineList;
use crate::pipeline::{Parsed, Work};
use crate::plan::{Parse, TablePlan, check_routes};
use crate::shown::shown;

/// A chunk of a file, to be parsed.
pub(crate) struct JsonWork {
    pub(crate) chunk: Chunk,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) file: u32,
    pub(crate) field_bytes_max: usize,
    /// Stop at the first refused row, since the load will.
    pub(crate) stop_at_reject: bool,
}

impl Work for JsonWork {
    fn run(self: Box<Self>) -> Parsed {
        let mut table = Table::new(&self);
        if self.chunk.over_long {
            let text = format!("line is longer than {} bytes", self.field_bytes_max.saturating_mul(4));
            table.refuse(self.chunk.first_line, &self.chunk.bytes, text);
            return table.finish();
        }
        for (line, text) in records(&self.chunk) {
            match table.row(text) {
                Ok(()) => {
                    table.rows += 1;
                    table.lines.push(line);
                }
                Err(reason) => {
                    table.take_back();
                    table.refuse(line, text, reason);
                    if self.stop_at_reject {
                        break;
                    }
                }
            }
        }
        table.finish()
    }
}

struct Table<'a> {
    work: &'a JsonWork,
    builders: Vec<Option<Builder>>,
    rows: usize,
    lines: LineList,
    rejects: Vec<(Rejected, Option<String>)>,
    /// The chunk is UTF-8 throughout.
    utf8: bool,
}

impl<'a> Table<'a> {
    fn new(work: &'a JsonWork) -> Self {
        let fields = work.plan.fields.iter();
        let builders = fields.map(|field| {
            let made = Builder::new(field.parse, 0).with_format(field.format.clone());
            (field.parse != Parse::Skip).then_some(made)
        });
        Self {
            work,
            builders: builders.collect(),
            rows: 0,
            lines: LineList::default(),
            rejects: Vec::new(),
            utf8: std::str::from_utf8(&work.chunk.bytes).is_ok(),
        }
    }

    fn row(&mut self, text: &[u8]) -> Result<(), String> {
        if !self.utf8 && std::str::from_utf8(text).is_err() {
            return Err("row is not valid UTF-8".to_owned());
        }
        let work = self.work;
        self.object(text, &work.keys, 0)?;
        for (builder, field) in self.builders.iter_mut().zip(&work.plan.fields) {
            let Some(builder) = builder else { continue };
            if builder.len() == self.rows {
                if field.required {
                    return Err(format!("column \"{}\" must not be null", field.name));
                }
                builder.push_null();
            }
        }
        check_routes(&work.plan, &|field| self.builders.get(field)?.as_ref()?.string(self.rows))
    }

    fn object(&mut self, text: &[u8], keys: &Keys, depth: usize) -> Result<(), String> {
        let mut hint = 0;
        object(text, &mut |key, token| match (keys.find(key, &mut hint), token) {
            (Some(Found::Field(field)), token) => self.push(*field, &token),
            (Some(Found::Within(_)), Token::Null) | (None, Token::Null) => Ok(()),
            (Some(Found::Within(inner)), Token::Object(raw)) if depth < DEPTH_MAX => {
                self.object(raw, inner, depth + 1)
            }
            (Some(Found::Within(_)), other) => {
                let key = String::from_utf8_lossy(key);
                Err(format!("key \"{key}\" holds {}, not an object as in the first rows", other.kind()))
            }
            (None, _) => Err(unknown(&String::from_utf8_lossy(key), keys)),
        })
    }

    fn push(&mut self, field: usize, token: &Token<'_>) -> Result<(), String> {
        let plan = &self.work.plan.fields[field];
        let Some(builder) = self.builders.get_mut(field).and_then(Option::as_mut) else { return Ok(()) };
        if builder.len() > self.rows {
            return Err(format!("key \"{}\" is there twice", plan.name));
        }
        let Some(text) = text_of(token) else {
            return match token {
                // It is left out, and null for that.
                Token::Null => Ok(()),
                _ => Err(format!("column \"{}\": a string has a broken escape", plan.name)),
            };
        };
        if text.len() > self.work.field_bytes_max {
            let most = self.work.field_bytes_max;
            return Err(format!("column \"{}\" has {} bytes, more than {most}", plan.name, text.len()));
        }
        if matches!(token, Token::Text(..)) && self.work.plan.nulls.has_named(&text) {
            return Ok(());
        }
        let pushed = match (plan.parse, token) {
            (Parse::List(of, _), Token::List(raw)) => {
                let value = list(raw, of).map_err(|why| format!("column \"{}\": {why}", plan.name))?;
                builder.push_value(value)
            }
            // One value where there are lists elsewhere, and elements between a delimiter.
            (Parse::List(LogicalType::Any, _), _) => Err(crate::column::NotAValue),
            (Parse::One(LogicalType::String), _) | (_, Token::Text(..)) => builder.push(&text),
            (_, Token::Number(_) | Token::Bool(_)) => builder.push(&text),
            _ => Err(crate::column::NotAValue),
        };
        pushed.map_err(|_| {
            let kind = match plan.parse {
                Parse::List(LogicalType::Any, _) => "LIST".to_owned(),
                Parse::List(kind, _) => format!("LIST<{kind}>"),
                other => other.logical_type().to_string(),
            };
            format!("column \"{}\": \"{}\" is not a valid {kind}", plan.name, shown(&text))
        })
    }

    fn take_back(&mut self) {
        for builder in self.builders.iter_mut().flatten() {
            builder.truncate(self.rows);
        }
    }

    #[cold]
    fn refuse(&mut self, line: u64, text: &[u8], reason: String) {
        let rejected = Rejected { file: self.work.file, line, reason };
        self.rejects.push((rejected, Some(String::from_utf8_lossy(text).into_owned())));
    }

    fn finish(self) -> Parsed {
        let plan = &self.work.plan;
        let columns = self.builders.into_iter().map(|b| b.map(Builder::finish)).collect();
        let origin = Origin { file: self.work.file, lines: self.lines.finish() };
        let columns = Columns::new(columns, self.rows, origin);
        Parsed {
            file: self.work.file,
            without_end: columns.without_end(plan),
            batches: columns.into_batches(plan),
            rejects: self.rejects,
            rows: self.rows as u64,
            values: (self.rows * plan.parsed_fields()) as u64,
            bytes: self.work.chunk.bytes.len() as u64,
            error: None,
        }
    }
}

#[cold]
fn unknown(key: &str, keys: &Keys) -> String {
    let near = match nearest(key, keys.names()) {
        Some(near) => format!("is it \"{near}\"? "),
        None => String::new(),
    };
    format!(
        "key \"{key}\" is none of the first rows; {near}name it in the mapping's \"columns\", with a type or \"skip\""
    )
}

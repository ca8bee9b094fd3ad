//! The first objects of a file in, columns with types out.
//!
//! Rule: over the first 4 MiB of the file, a key has the type of all its values, nulls aside: boolean,
//! integer, float (where there are integers and floats), list; of strings the first of date, localtime,
//! localdatetime and datetime that all of them are valid for, else string; if the types differ, string, JSON
//! being the text of what is none. A key whose values are objects is columns of their keys, `outer.inner`.
//! A key that comes later makes its row bad: name it in the mapping to avoid it.

use std::collections::HashMap;

use trimorph_types::LogicalType;

use super::chunk::{Chunker, records};
use super::scan::{DEPTH_MAX, Token, holds_objects, object, text_of};
use crate::mapping::Formats;
use crate::plan::{Nulls, Parse};
use crate::source::Source;
use crate::{FellToText, LoadError};

/// Bytes of a file that are looked at.
const SAMPLE_BYTES: usize = 4 << 20;
/// Characters of a value that are kept to be shown.
const SHOWN_CHARS: usize = 60;
/// Columns of a file at most: what has more is no table.
const COLUMNS_MAX: usize = 16_384;

/// Types that texts may be of.
const OF_TEXTS: [LogicalType; 4] =
    [LogicalType::Date, LogicalType::LocalTime, LogicalType::LocalDateTime, LogicalType::DateTime];

/// A column that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    /// The keys that lead to it.
    pub(crate) path: Vec<String>,
    pub(crate) parse: Parse,
    pub(crate) fell: Option<FellToText>,
}

impl Column {
    /// Its name: its keys with dots between.
    pub(crate) fn name(&self) -> String {
        self.path.join(".")
    }
}

/// What was seen of a key.
#[derive(Default)]
struct Seen {
    has_bool: bool,
    has_int: bool,
    has_float: bool,
    has_list: bool,
    has_object: bool,
    /// A list of objects, an object too deep.
    has_odd: bool,
    has_text: bool,
    /// Which of [`OF_TEXTS`] its texts are no values of.
    is_not: [bool; OF_TEXTS.len()],
    fell: Option<FellToText>,
    within: SeenObject,
}

/// Keys in the order they were met.
#[derive(Default)]
struct SeenObject {
    keys: Vec<(String, Seen)>,
    places: HashMap<String, usize>,
}

impl Seen {
    /// What all its values are; none of nulls.
    fn ty(&self) -> Option<LogicalType> {
        let kinds = [
            (self.has_bool, LogicalType::Bool),
            (self.has_int && !self.has_float, LogicalType::Int),
            (self.has_float, LogicalType::Float),
            (self.has_list, LogicalType::List),
            (self.has_object, LogicalType::Map),
            (self.has_odd, LogicalType::String),
            (self.has_text, self.of_texts()),
        ];
        let mut found = kinds.iter().filter(|(is, _)| *is);
        match (found.next(), found.next()) {
            (None, _) => None,
            (Some((_, only)), None) => Some(*only),
            _ => Some(LogicalType::String),
        }
    }

    fn of_texts(&self) -> LogicalType {
        let found = OF_TEXTS.into_iter().zip(self.is_not).find(|(_, is_not)| !is_not);
        found.map_or(LogicalType::String, |(ty, _)| ty)
    }

    fn see(&mut self, token: &Token<'_>, look: &Look<'_>, depth: usize) -> Result<(), String> {
        if let Token::Text(..) = token
            && text_of(token).is_some_and(|text| look.nulls.has_named(&text))
        {
            return Ok(());
        }
        let before = self.ty();
        match token {
            Token::Null => return Ok(()),
            Token::Bool(_) => self.has_bool = true,
            Token::Number(raw) => {
                let is_int = crate::parse::parse_int(raw).is_some();
                self.has_int |= is_int;
                self.has_float |= !is_int;
            }
            Token::Text(..) => {
                self.has_text = true;
                let text = text_of(token).ok_or("a string has a broken escape")?;
                for (is_not, ty) in self.is_not.iter_mut().zip(OF_TEXTS) {
                    *is_not = *is_not || !look.formats.is_valid(&text, ty);
                }
            }
            Token::List(raw) if holds_objects(raw) => self.has_odd = true,
            Token::List(_) => self.has_list = true,
            Token::Object(_) if depth >= DEPTH_MAX => self.has_odd = true,
            Token::Object(raw) => {
                self.has_object = true;
                self.within.see(raw, look, depth + 1)?;
            }
        }
        if let Some(was) = before.filter(|was| *was != LogicalType::String)
            && self.ty() == Some(LogicalType::String)
        {
            let text = text_of(token).unwrap_or_default();
            let value = String::from_utf8_lossy(&text).chars().take(SHOWN_CHARS).collect();
            self.fell = Some(FellToText { was, value });
        }
        Ok(())
    }
}

impl SeenObject {
    fn see(&mut self, text: &[u8], look: &Look<'_>, depth: usize) -> Result<(), String> {
        object(text, &mut |key, token| {
            let key = std::str::from_utf8(key).map_err(|_| "a key is not valid UTF-8")?;
            let at = match self.places.get(key) {
                Some(at) => *at,
                None if self.keys.len() >= COLUMNS_MAX => {
                    return Err(format!("it has more than {COLUMNS_MAX} keys"));
                }
                None => {
                    self.places.insert(key.to_owned(), self.keys.len());
                    self.keys.push((key.to_owned(), Seen::default()));
                    self.keys.len() - 1
                }
            };
            match self.keys.get_mut(at) {
                Some((_, seen)) => seen.see(&token, look, depth),
                None => Ok(()),
            }
        })
    }

    fn columns(self, path: &[String], is_whole: &dyn Fn(&str) -> bool, out: &mut Vec<Column>) {
        for (key, seen) in self.keys {
            let mut path = path.to_vec();
            path.push(key);
            let ty = seen.ty();
            // Whoever names the object itself wants it as it is.
            if ty == Some(LogicalType::Map) && !is_whole(&path.join(".")) {
                seen.within.columns(&path, is_whole, out);
                continue;
            }
            let parse = match ty {
                Some(LogicalType::List) => Parse::List(LogicalType::Any, b';'),
                Some(LogicalType::Map) | None => Parse::One(LogicalType::String),
                Some(ty) => Parse::One(ty),
            };
            out.push(Column { path, parse, fell: seen.fell });
        }
    }
}

/// How values are looked at.
struct Look<'a> {
    nulls: &'a Nulls,
    formats: &'a Formats,
}

/// The columns of the objects of a file. A name that `is_whole` accepts is a column though its values are
/// objects.
///
/// **Errors**: a file that cannot be read, or has more keys than a table has columns.
pub(crate) fn columns(
    source: &Source,
    nulls: &Nulls,
    formats: &Formats,
    field_bytes_max: usize,
    is_whole: &dyn Fn(&str) -> bool,
) -> Result<Vec<Column>, LoadError> {
    let reader = source.open(&std::sync::Arc::default())?;
    let mut chunker = Chunker::new(reader, SAMPLE_BYTES, field_bytes_max);
    let mut seen = SeenObject::default();
    let chunk = chunker.next().map_err(|e| LoadError::io(source.path(), "read", e))?;
    if let Some(chunk) = chunk.filter(|chunk| !chunk.over_long) {
        let look = Look { nulls, formats };
        for (_, record) in records(&chunk) {
            // What is broken is refused when it is parsed.
            if std::str::from_utf8(record).is_ok() {
                let _ = seen.see(record, &look, 0);
            }
        }
    }
    if seen.keys.is_empty() {
        return Err(LoadError::format(source.path(), "file has no object with a key")
            .hint("a file of JSON has objects: one on each line, or a list of them"));
    }
    let mut out = Vec::new();
    seen.columns(&[], is_whole, &mut out);
    if out.len() > COLUMNS_MAX {
        return Err(LoadError::format(
            source.path(),
            format!("its objects have more than {COLUMNS_MAX} keys"),
        ));
    }
    Ok(out)
}

//! Types that a constraint asks of a property: a text such as `LIST<INTEGER NOT NULL> | STRING` in, what
//! values it accepts out.
//!
//! Names and their synonyms are those of GQL and openCypher 9's successors; types of ours have the names of
//! [`LogicalType`].

use std::fmt;

use crate::{LogicalType, Value};

/// Lists within lists that a type may speak of.
const LEVELS_MAX: usize = 8;

/// A type, or several of which a value must be of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyType(Vec<Member>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Member {
    Scalar(LogicalType),
    List { of: PropertyType, is_null_allowed: bool },
}

/// The names of types that are one word or more, longest first where one begins another.
const NAMES: &[(&str, LogicalType)] = &[
    ("BOOLEAN", LogicalType::Bool),
    ("BOOL", LogicalType::Bool),
    ("STRING", LogicalType::String),
    ("VARCHAR", LogicalType::String),
    ("SIGNED INTEGER", LogicalType::Int),
    ("INTEGER64", LogicalType::Int),
    ("INTEGER", LogicalType::Int),
    ("INT64", LogicalType::Int),
    ("INT", LogicalType::Int),
    ("FLOAT64", LogicalType::Float),
    ("FLOAT", LogicalType::Float),
    ("DECIMAL", LogicalType::Decimal),
    ("BYTES", LogicalType::Bytes),
    ("DATE", LogicalType::Date),
    ("LOCAL TIME", LogicalType::LocalTime),
    ("TIME WITHOUT TIME ZONE", LogicalType::LocalTime),
    ("TIME WITHOUT TIMEZONE", LogicalType::LocalTime),
    ("ZONED TIME", LogicalType::Time),
    ("TIME WITH TIME ZONE", LogicalType::Time),
    ("TIME WITH TIMEZONE", LogicalType::Time),
    ("LOCAL DATETIME", LogicalType::LocalDateTime),
    ("TIMESTAMP WITHOUT TIME ZONE", LogicalType::LocalDateTime),
    ("TIMESTAMP WITHOUT TIMEZONE", LogicalType::LocalDateTime),
    ("ZONED DATETIME", LogicalType::DateTime),
    ("TIMESTAMP WITH TIME ZONE", LogicalType::DateTime),
    ("TIMESTAMP WITH TIMEZONE", LogicalType::DateTime),
    ("DURATION", LogicalType::Duration),
    ("IRI", LogicalType::Iri),
    ("LITERAL", LogicalType::Literal),
];

impl PropertyType {
    /// Reads a type. Letters of either case; words are parted by blanks.
    ///
    /// **Errors**: what was expected instead of the rest of the text that is given with it.
    pub fn parse(text: &str) -> Result<Self, (&'static str, &str)> {
        let (ty, rest) = Self::read(text, 0)?;
        match rest.trim_start() {
            "" => Ok(ty),
            _ if at_words(rest, "NOT NULL").is_some() => {
                Err(("nothing: that a property is there is a constraint of its own, IS NOT NULL", rest))
            }
            rest => Err(("\"|\" and another type, or the end", rest)),
        }
    }

    fn read(text: &str, level: usize) -> Result<(Self, &str), (&'static str, &str)> {
        let mut members = Vec::new();
        let mut rest = text;
        loop {
            let (member, after) = Member::read(rest, level)?;
            members.push(member);
            match after.trim_start().strip_prefix('|') {
                Some(more) => rest = more,
                None => return Ok((Self(members), after)),
            }
        }
    }

    /// Whether a property may have this value. Null is no value: a property that is not there is of any type.
    pub fn accepts(&self, value: &Value) -> bool {
        value.is_null() || self.0.iter().any(|member| member.accepts(value))
    }
}

impl Member {
    fn read(text: &str, level: usize) -> Result<(Self, &str), (&'static str, &str)> {
        if let Some(rest) = at_words(text, "LIST").or_else(|| at_words(text, "ARRAY")) {
            let rest =
                rest.trim_start().strip_prefix('<').ok_or(("\"<\" and the type of the items", rest))?;
            if level >= LEVELS_MAX {
                return Err(("fewer lists within lists", text));
            }
            let (of, rest) = PropertyType::read(rest, level + 1)?;
            let (rest, is_null_allowed) = match at_words(rest, "NOT NULL") {
                Some(rest) => (rest, false),
                None => (rest, true),
            };
            let rest = rest.trim_start().strip_prefix('>').ok_or(("\">\" to close the list", rest))?;
            return Ok((Self::List { of, is_null_allowed }, rest));
        }
        let found = NAMES.iter().find_map(|(name, ty)| Some((at_words(text, name)?, *ty)));
        let (rest, ty) =
            found.ok_or(("a type such as STRING, INTEGER, FLOAT, DATE or LIST<STRING NOT NULL>", text))?;
        Ok((Self::Scalar(ty), rest))
    }

    fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Scalar(ty), value) => value.logical_type() == *ty,
            (Self::List { of, is_null_allowed }, Value::List(items)) => {
                items.iter().all(|item| (*is_null_allowed || !item.is_null()) && of.accepts(item))
            }
            (Self::List { .. }, _) => false,
        }
    }
}

/// What follows `words`, if the text begins with them as whole words, whatever stands between them.
fn at_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let mut rest = text;
    for word in words.split(' ') {
        rest = rest.trim_start();
        let (head, tail) = rest.split_at_checked(word.len())?;
        if !head.eq_ignore_ascii_case(word) || tail.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        rest = tail;
    }
    Some(rest)
}

impl fmt::Display for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, member) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(" | ")?;
            }
            match member {
                Member::Scalar(LogicalType::Time) => f.write_str("ZONED TIME")?,
                Member::Scalar(LogicalType::DateTime) => f.write_str("ZONED DATETIME")?,
                Member::Scalar(ty) => f.write_str(ty.name())?,
                Member::List { of, is_null_allowed: true } => write!(f, "LIST<{of}>")?,
                Member::List { of, is_null_allowed: false } => write!(f, "LIST<{of} NOT NULL>")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written() {
        for (text, shown) in [
            ("integer", "INTEGER"),
            (" Local   DateTime ", "LOCAL DATETIME"),
            ("timestamp with time zone", "ZONED DATETIME"),
            ("TIME WITHOUT TIMEZONE|ZONED TIME", "LOCAL TIME | ZONED TIME"),
            ("LIST<STRING NOT NULL>", "LIST<STRING NOT NULL>"),
            ("ARRAY < INT | FLOAT > | BOOL", "LIST<INTEGER | FLOAT> | BOOLEAN"),
            ("LIST<LIST<DATE NOT NULL> NOT NULL>", "LIST<LIST<DATE NOT NULL> NOT NULL>"),
        ] {
            let ty = PropertyType::parse(text).unwrap();
            assert_eq!(ty.to_string(), shown, "{text}");
            assert_eq!(PropertyType::parse(shown), Ok(ty), "{text}");
        }
        for text in [
            "",
            "INTEGERS",
            "LIST",
            "LIST<",
            "LIST<INTEGER",
            "INTEGER |",
            "INTEGER STRING",
            "NODE",
            "STRING NOT NULL",
            "LIST<LIST<LIST<LIST<LIST<LIST<LIST<LIST<LIST<INT>>>>>>>>>",
            "é",
        ] {
            assert!(PropertyType::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_accepted_by_their_types() {
        let list = |items: &[Value]| Value::list(items.to_vec());
        let (one, half, text) = (Value::Int(1), Value::Float(0.5), Value::string("a"));
        for (ty, value, accepted) in [
            ("INTEGER", &one, true),
            ("INTEGER", &half, false),
            ("INTEGER | FLOAT", &half, true),
            ("STRING", &Value::Null, true),
            ("LIST<INTEGER>", &list(&[one.clone(), Value::Null]), true),
            ("LIST<INTEGER NOT NULL>", &list(&[one.clone(), Value::Null]), false),
            ("LIST<INTEGER | STRING>", &list(&[one.clone(), text.clone()]), true),
            ("LIST<INTEGER>", &list(std::slice::from_ref(&text)), false),
            ("LIST<STRING>", &list(&[]), true),
            ("LIST<STRING>", &text, false),
        ] {
            assert_eq!(PropertyType::parse(ty).unwrap().accepts(value), accepted, "{ty} {value:?}");
        }
    }
}

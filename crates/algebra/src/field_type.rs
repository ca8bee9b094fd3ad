//! Types that procedures declare for what they take and give: a text such as `INTEGER?` in, a check of values
//! out.
//!
//! `?` after a type lets null through. `NUMBER` is any number, `ANY` any value, and an integer may stand for
//! a `FLOAT`.
//!
//! Source: openCypher 9, procedures; CIP2015-10-27 (signatures).

use std::fmt;

use trimorph_types::{LogicalType, Value};

/// Lists in each other that a declared type may have.
const NESTING_MAX: usize = 16;

/// What a value may be, as a procedure declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldType {
    /// What every value that is not null is.
    pub content: Content,
    /// Whether it may be null.
    pub nullable: bool,
}

/// What a value that is not null is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Any value.
    Any,
    /// Any number.
    Number,
    /// A value of this type.
    Plain(LogicalType),
    /// A list of these.
    List(Box<FieldType>),
}

/// The plain types by their names, and what else they are called.
const NAMES: &[(&str, LogicalType)] = &[
    ("BOOLEAN", LogicalType::Bool),
    ("INTEGER", LogicalType::Int),
    ("FLOAT", LogicalType::Float),
    ("DECIMAL", LogicalType::Decimal),
    ("STRING", LogicalType::String),
    ("DATE", LogicalType::Date),
    ("LOCALTIME", LogicalType::LocalTime),
    ("LOCAL TIME", LogicalType::LocalTime),
    ("TIME", LogicalType::Time),
    ("LOCALDATETIME", LogicalType::LocalDateTime),
    ("LOCAL DATETIME", LogicalType::LocalDateTime),
    ("DATETIME", LogicalType::DateTime),
    ("DURATION", LogicalType::Duration),
    ("MAP", LogicalType::Map),
    ("NODE", LogicalType::Node),
    ("RELATIONSHIP", LogicalType::Relationship),
    ("PATH", LogicalType::Path),
];

impl FieldType {
    /// A type without `?`.
    pub const fn required(content: Content) -> Self {
        Self { content, nullable: false }
    }

    /// Any value and null.
    pub const ANY: Self = Self { content: Content::Any, nullable: true };

    /// The type a text names, in any case: `STRING`, `NUMBER?`, `LIST<INTEGER?>?`, `LIST? OF ANY?`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_nested(&text.to_ascii_uppercase(), NESTING_MAX)
    }

    fn parse_nested(text: &str, levels: usize) -> Option<Self> {
        let levels = levels.checked_sub(1)?;
        let text = text.trim();
        let list = |item: &str, nullable| {
            let item = Box::new(Self::parse_nested(item, levels)?);
            Some(Self { content: Content::List(item), nullable })
        };
        for (head, nullable) in [("LIST OF ", false), ("LIST? OF ", true)] {
            if let Some(item) = text.strip_prefix(head) {
                return list(item, nullable);
            }
        }
        let (name, nullable) = match text.strip_suffix('?') {
            Some(name) => (name.trim_end(), true),
            None => (text, false),
        };
        if let Some(item) = name.strip_prefix("LIST<").and_then(|rest| rest.strip_suffix('>')) {
            return list(item, nullable);
        }
        let content = match name {
            "ANY" => Content::Any,
            "NUMBER" => Content::Number,
            "LIST" => Content::List(Box::new(Self::ANY)),
            _ => Content::Plain(NAMES.iter().find(|(known, _)| *known == name)?.1),
        };
        Some(Self { content, nullable })
    }

    /// The type of a variable that holds such values.
    pub fn logical(&self) -> LogicalType {
        match &self.content {
            Content::Any | Content::Number => LogicalType::Any,
            Content::Plain(ty) => *ty,
            Content::List(_) => LogicalType::List,
        }
    }

    /// Whether a value known to be `is`, and its elements `element` if it is a list, may be passed. What is
    /// not known may.
    pub fn may_take(&self, is: LogicalType, element: LogicalType) -> bool {
        use LogicalType as L;
        match &self.content {
            _ if is == L::Any => true,
            Content::Any => true,
            Content::Number => matches!(is, L::Int | L::Float | L::Decimal),
            Content::Plain(L::Float) => matches!(is, L::Int | L::Float),
            Content::Plain(ty) => is == *ty,
            Content::List(item) => is == L::List && item.may_take(element, L::Any),
        }
    }

    /// The value as one of this type: integers become floats where floats are declared. `None` if it is none.
    ///
    /// **Cost**: constant, but for lists whose elements have a declared type: those are made again.
    pub fn assign(&self, value: &Value) -> Option<Value> {
        match (&self.content, value) {
            (_, Value::Null) => self.nullable.then_some(Value::Null),
            (Content::Any, _) => Some(value.clone()),
            (Content::Number, _) => {
                matches!(value, Value::Int(_) | Value::Float(_) | Value::Decimal(_)).then(|| value.clone())
            }
            (Content::Plain(LogicalType::Float), Value::Int(i)) => Some(Value::Float(*i as f64)),
            (Content::Plain(ty), _) => (value.logical_type() == *ty).then(|| value.clone()),
            (Content::List(item), Value::List(_)) if **item == Self::ANY => Some(value.clone()),
            (Content::List(item), Value::List(items)) => {
                items.iter().map(|i| item.assign(i)).collect::<Option<Vec<_>>>().map(Value::list)
            }
            (Content::List(_), _) => None,
        }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Any => f.write_str("ANY")?,
            Content::Number => f.write_str("NUMBER")?,
            Content::Plain(ty) => ty.fmt(f)?,
            Content::List(item) => write!(f, "LIST<{item}>")?,
        }
        f.write_str(if self.nullable { "?" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written() {
        for (text, expect) in [
            ("STRING", Some("STRING")),
            (" integer? ", Some("INTEGER?")),
            ("number ?", Some("NUMBER?")),
            ("LIST", Some("LIST<ANY?>")),
            ("LIST?", Some("LIST<ANY?>?")),
            ("LIST<INTEGER?>", Some("LIST<INTEGER?>")),
            ("LIST? OF LIST<FLOAT>?", Some("LIST<LIST<FLOAT>?>?")),
            ("LOCALDATETIME?", Some("LOCAL DATETIME?")),
            ("", None),
            ("?", None),
            ("STRING??", None),
            ("LIST<>", None),
            ("LIST<INTEGER", None),
            ("ÄNY", None),
        ] {
            let read = FieldType::parse(text).map(|ty| ty.to_string());
            assert_eq!(read.as_deref(), expect, "{text}");
            let again = expect.and_then(FieldType::parse);
            assert_eq!(again, FieldType::parse(text), "{text} is written as what it is");
        }
        assert_eq!(FieldType::parse(&"LIST<".repeat(1_000_000)), None);
        assert_eq!(FieldType::parse(&"LIST OF ".repeat(1_000_000)), None);
    }

    #[test]
    fn values_are_checked_and_coerced() {
        let list = |items: &[Value]| Value::list(items.to_vec());
        for (ty, value, expect) in [
            ("INTEGER", Value::Int(1), Some(Value::Int(1))),
            ("INTEGER", Value::Float(1.0), None),
            ("INTEGER", Value::Null, None),
            ("INTEGER?", Value::Null, Some(Value::Null)),
            ("FLOAT", Value::Int(42), Some(Value::Float(42.0))),
            ("NUMBER", Value::Int(42), Some(Value::Int(42))),
            ("NUMBER", Value::Float(4.5), Some(Value::Float(4.5))),
            ("NUMBER", Value::string("1"), None),
            ("ANY", Value::Null, None),
            ("ANY?", Value::Null, Some(Value::Null)),
            (
                "LIST<FLOAT?>",
                list(&[Value::Int(1), Value::Null]),
                Some(list(&[Value::Float(1.0), Value::Null])),
            ),
            ("LIST<FLOAT>", list(&[Value::Null]), None),
            ("LIST", list(&[Value::Int(1), Value::Null]), Some(list(&[Value::Int(1), Value::Null]))),
            ("LIST", Value::Int(1), None),
        ] {
            let assigned = FieldType::parse(ty).and_then(|ty| ty.assign(&value));
            assert_eq!(format!("{assigned:?}"), format!("{expect:?}"), "{ty} {value:?}");
        }
    }
}

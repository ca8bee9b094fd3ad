//! Rows for Rust programs: by name, by place, and as tuples or types of your own.
//!
//! ```
//! use trimorph::{Config, Database, Error, FromRecord, Record};
//!
//! struct City {
//!     name: String,
//!     people: Option<u64>,
//! }
//!
//! impl FromRecord for City {
//!     fn from_record(record: &Record) -> Result<Self, Error> {
//!         Ok(Self { name: record.get("name")?, people: record.get("people")? })
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let connection = Database::in_memory(Config::default()).connect();
//! connection.query("CREATE (:City {name: $name, people: $n}), (:City {name: 'Ulm'})", &[
//!     ("name", "Oslo".into()),
//!     ("n", 700_000.into()),
//! ])?;
//! let text = "MATCH (c:City) RETURN c.name AS name, c.people AS people ORDER BY name";
//! for record in connection.query(text, &[])? {
//!     let record = record?;
//!     let name: String = record.get("name")?;
//!     println!("{name}: {:?}", record["people"]);
//! }
//! let pairs: Vec<(String, Option<u64>)> = connection.query(text, &[])?.typed().collect::<Result<_, _>>()?;
//! assert_eq!(pairs[0], ("Oslo".to_owned(), Some(700_000)));
//! let cities: Vec<City> = connection.query(text, &[])?.typed().collect::<Result<_, _>>()?;
//! assert_eq!((cities[1].name.as_str(), cities[1].people), ("Ulm", None));
//! let count: i64 = connection.query("MATCH (c:City) RETURN count(*)", &[])?.one()?;
//! assert_eq!(count, 2);
//! let error = connection.query("RETURN 300 AS n", &[])?.one::<u8>().unwrap_err();
//! assert_eq!(error.to_string(), "column \"n\": 300 where an integer from 0 to 255 was expected");
//! # Ok(())
//! # }
//! ```

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::marker::PhantomData;
use std::ops::Index;
use std::sync::Arc;

use trimorph_base::nearest;
use trimorph_types::{FromValue, Value};

use crate::{Error, QueryResult, Row};

/// A row with the names of its columns.
#[derive(Clone, Debug)]
pub struct Record {
    columns: Arc<[String]>,
    values: Row,
}

/// What a row can be turned into: tuples of what values can be turned into, a single one where there is one
/// column, maps by the names of the columns, and types of your own.
pub trait FromRecord: Sized {
    /// The row as this type.
    ///
    /// **Errors**: a column that is not there, a value of another type.
    fn from_record(record: &Record) -> Result<Self, Error>;
}

impl Record {
    pub(crate) fn new(columns: Arc<[String]>, values: Row) -> Self {
        Self { columns, values }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The values, in the order of the columns.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values by themselves.
    pub fn into_values(self) -> Row {
        self.values
    }

    /// The value of a column; `None` if there is no such column.
    pub fn value(&self, column: &str) -> Option<&Value> {
        self.values.get(self.columns.iter().position(|name| name == column)?)
    }

    /// The value of a column as a Rust type.
    ///
    /// **Errors**: no such column, with the name that was perhaps meant; a value of another type.
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T, Error> {
        let Some(at) = self.columns.iter().position(|name| name == column) else {
            let near = nearest(column, self.columns.iter().map(String::as_str));
            let hint = near.map_or_else(
                || format!("; there are {}", self.columns.join(", ")),
                |near| format!("; did you mean \"{near}\"?"),
            );
            return Err(Error::Row(format!("the result has no column \"{column}\"{hint}")));
        };
        self.at(at)
    }

    /// The value at a place, from 0, as a Rust type.
    ///
    /// **Errors**: no such place; a value of another type.
    pub fn at<T: FromValue>(&self, place: usize) -> Result<T, Error> {
        match (self.values.get(place), self.columns.get(place)) {
            (Some(value), Some(name)) => {
                T::from_value(value).map_err(|e| Error::Row(format!("column \"{name}\": {e}")))
            }
            _ => Err(Error::Row(format!("the result has {} columns, not one at {place}", self.values.len()))),
        }
    }
}

/// **Panics**: never; a column that is not there is null.
impl Index<&str> for Record {
    type Output = Value;

    fn index(&self, column: &str) -> &Value {
        self.value(column).unwrap_or(&Value::Null)
    }
}

impl fmt::Debug for QueryResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryResult").field("columns", &self.columns()).finish_non_exhaustive()
    }
}

/// The rows that were not fetched yet, each computed when it is asked for. After an error there are no more.
impl Iterator for QueryResult {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_row() {
            Ok(Some(values)) => Some(Ok(Record::new(self.names(), values))),
            Ok(None) => None,
            Err(error) => {
                self.end();
                Some(Err(error))
            }
        }
    }
}

/// Rows as a Rust type.
#[derive(Debug)]
pub struct Typed<T> {
    result: QueryResult,
    of: PhantomData<fn() -> T>,
}

impl QueryResult {
    /// The rows that were not fetched yet as tuples or a type of your own.
    pub fn typed<T: FromRecord>(self) -> Typed<T> {
        Typed { result: self, of: PhantomData }
    }

    /// The only row, as a tuple or a type of your own.
    ///
    /// **Errors**: no row, more than one, or what [`FromRecord`] refuses.
    pub fn one<T: FromRecord>(mut self) -> Result<T, Error> {
        let Some(first) = self.next().transpose()? else {
            return Err(Error::Row("the result has no row, and one was expected".to_owned()));
        };
        match self.next().transpose()? {
            None => T::from_record(&first),
            Some(_) => Err(Error::Row("the result has several rows, and one was expected".to_owned())),
        }
    }
}

impl<T: FromRecord> Iterator for Typed<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.result.next().map(|record| T::from_record(&record?))
    }
}

macro_rules! tuples {
    ($($count:literal: $($name:ident $place:literal),+;)*) => {
        $(impl<$($name: FromValue),+> FromRecord for ($($name,)+) {
            fn from_record(record: &Record) -> Result<Self, Error> {
                let found = record.values().len();
                if found != $count {
                    return Err(Error::Row(format!("the result has {found} columns, the tuple has {}", $count)));
                }
                Ok(($(record.at::<$name>($place)?,)+))
            }
        })*
    };
}

tuples! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

macro_rules! single {
    ($($ty:ty),* $(,)?) => {
        $(impl FromRecord for $ty {
            fn from_record(record: &Record) -> Result<Self, Error> {
                match record.values().len() {
                    1 => record.at(0),
                    found => Err(Error::Row(format!("the result has {found} columns, and one was expected"))),
                }
            }
        })*
    };
}

single!(bool, i64, i32, i16, i8, isize, u64, u32, u16, u8, usize, f64, f32, String, Arc<str>, Value);

impl<T: FromValue> FromRecord for BTreeMap<String, T> {
    fn from_record(record: &Record) -> Result<Self, Error> {
        named(record).collect()
    }
}

impl<T: FromValue, S: BuildHasher + Default> FromRecord for HashMap<String, T, S> {
    fn from_record(record: &Record) -> Result<Self, Error> {
        named(record).collect()
    }
}

fn named<T: FromValue>(record: &Record) -> impl Iterator<Item = Result<(String, T), Error>> {
    record.columns().iter().enumerate().map(|(place, name)| Ok((name.clone(), record.at(place)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Database};

    #[test]
    fn rows_are_read_by_name_and_type() {
        let connection = Database::in_memory(Config::default()).connect();
        let text =
            "UNWIND range(1, 3) AS i RETURN i, 'n' + i AS name, CASE i WHEN 2 THEN null ELSE [i] END AS list";
        let names: Vec<String> =
            connection.query(text, &[]).unwrap().map(|record| record.unwrap().get("name").unwrap()).collect();
        assert_eq!(names, ["n1", "n2", "n3"]);
        let rows: Vec<(u8, String, Option<Vec<i64>>)> =
            connection.query(text, &[]).unwrap().typed().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows[1], (2, "n2".to_owned(), None));
        assert_eq!(rows[2].2, Some(vec![3]));
        let record = connection.query(text, &[]).unwrap().next().unwrap().unwrap();
        assert!(
            record.columns().len() == 3 && matches!(record["i"], Value::Int(1)) && record["none"].is_null()
        );
        for (message, error) in [
            (
                "the result has no column \"nmae\"; did you mean \"name\"?",
                record.get::<String>("nmae").map(drop),
            ),
            ("column \"name\": STRING where an integer was expected", record.get::<i64>("name").map(drop)),
            ("the result has 3 columns, the tuple has 2", <(i64, String)>::from_record(&record).map(drop)),
            ("the result has 3 columns, not one at 7", record.at::<i64>(7).map(drop)),
            ("the result has 3 columns, and one was expected", i64::from_record(&record).map(drop)),
        ] {
            assert_eq!(error.unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn rows_are_maps_by_column() {
        let connection = Database::in_memory(Config::default()).connect();
        let rows = |text: &str| connection.query(text, &[]).unwrap();
        let map: HashMap<String, Option<f32>> = rows("RETURN 1 AS a, 2.5 AS b, null AS c").one().unwrap();
        assert_eq!(
            map,
            HashMap::from([("a", Some(1.0)), ("b", Some(2.5)), ("c", None)].map(|(k, v)| (k.to_owned(), v)))
        );
        let ordered: BTreeMap<String, Value> = rows("RETURN 'x' AS b, [1] AS a").one().unwrap();
        assert_eq!(ordered.keys().collect::<Vec<_>>(), ["a", "b"]);
        for (text, message) in [
            (
                "RETURN 1 AS a, 70000 AS b",
                "column \"b\": 70000 where an integer from 0 on, of 16 bits was expected",
            ),
            (
                "RETURN 1 AS a, null AS b",
                "column \"b\": null where an integer from 0 on, of 16 bits was expected; an Option takes it",
            ),
        ] {
            assert_eq!(rows(text).one::<BTreeMap<String, u16>>().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn one_row_is_one_row() {
        let connection = Database::in_memory(Config::default()).connect();
        let one = |text: &str| connection.query(text, &[]).unwrap().one::<i64>();
        assert_eq!(one("RETURN 7").unwrap(), 7);
        assert!(one("UNWIND [] AS x RETURN x").unwrap_err().to_string().contains("no row"));
        assert!(one("UNWIND [1, 2] AS x RETURN x").unwrap_err().to_string().contains("several rows"));
    }

    /// An error comes once, and then nothing: a loop over a result ends.
    #[test]
    fn after_an_error_there_are_no_more_rows() {
        let connection = Database::in_memory(Config::default()).connect();
        let mut result = connection.query("UNWIND [1, 0, 2] AS x RETURN 1 / x AS y", &[]).unwrap();
        let all: Vec<_> = result.by_ref().take(10).collect();
        assert_eq!(all.iter().filter(|record| record.is_err()).count(), 1);
        assert!(all.last().unwrap().is_err() && result.next().is_none());
    }
}

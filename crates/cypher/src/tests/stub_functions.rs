//! The scalar functions of openCypher by name and number of arguments, for tests of the binder.

use trimorph_types::LogicalType;

use crate::{FunctionInfo, Functions};

pub(super) struct Stub;

/// Name, fewest and most arguments, result.
type Row = (&'static str, usize, usize, fn(&[LogicalType]) -> LogicalType);

const FUNCTIONS: &[Row] = &[
    ("abs", 1, 1, any),
    ("acos", 1, 1, float),
    ("asin", 1, 1, float),
    ("atan", 1, 1, float),
    ("atan2", 2, 2, float),
    ("ceil", 1, 1, float),
    ("coalesce", 1, usize::MAX, any),
    ("cos", 1, 1, float),
    ("cot", 1, 1, float),
    ("date", 0, 1, |_| LogicalType::Date),
    ("date.realtime", 0, 1, |_| LogicalType::Date),
    ("date.statement", 0, 1, |_| LogicalType::Date),
    ("date.transaction", 0, 1, |_| LogicalType::Date),
    ("date.truncate", 1, 3, |_| LogicalType::Date),
    ("datetime", 0, 1, |_| LogicalType::DateTime),
    ("datetime.fromepoch", 2, 2, |_| LogicalType::DateTime),
    ("datetime.fromepochmillis", 1, 1, |_| LogicalType::DateTime),
    ("datetime.realtime", 0, 1, |_| LogicalType::DateTime),
    ("datetime.statement", 0, 1, |_| LogicalType::DateTime),
    ("datetime.transaction", 0, 1, |_| LogicalType::DateTime),
    ("datetime.truncate", 1, 3, |_| LogicalType::DateTime),
    ("degrees", 1, 1, float),
    ("duration", 1, 1, |_| LogicalType::Duration),
    ("duration.between", 2, 2, |_| LogicalType::Duration),
    ("duration.indays", 2, 2, |_| LogicalType::Duration),
    ("duration.inmonths", 2, 2, |_| LogicalType::Duration),
    ("duration.inseconds", 2, 2, |_| LogicalType::Duration),
    ("e", 0, 0, float),
    ("endnode", 1, 1, |_| LogicalType::Node),
    ("exp", 1, 1, float),
    ("floor", 1, 1, float),
    ("head", 1, 1, any),
    ("id", 1, 1, int),
    ("keys", 1, 1, list),
    ("labels", 1, 1, list),
    ("last", 1, 1, any),
    ("left", 2, 2, string),
    ("length", 1, 1, int),
    ("localdatetime", 0, 1, |_| LogicalType::LocalDateTime),
    ("localdatetime.realtime", 0, 1, |_| LogicalType::LocalDateTime),
    ("localdatetime.statement", 0, 1, |_| LogicalType::LocalDateTime),
    ("localdatetime.transaction", 0, 1, |_| LogicalType::LocalDateTime),
    ("localdatetime.truncate", 1, 3, |_| LogicalType::LocalDateTime),
    ("localtime", 0, 1, |_| LogicalType::LocalTime),
    ("localtime.realtime", 0, 1, |_| LogicalType::LocalTime),
    ("localtime.statement", 0, 1, |_| LogicalType::LocalTime),
    ("localtime.transaction", 0, 1, |_| LogicalType::LocalTime),
    ("localtime.truncate", 1, 3, |_| LogicalType::LocalTime),
    ("log", 1, 1, float),
    ("log10", 1, 1, float),
    ("ltrim", 1, 1, string),
    ("nodes", 1, 1, list),
    ("pi", 0, 0, float),
    ("properties", 1, 1, |_| LogicalType::Map),
    ("radians", 1, 1, float),
    ("rand", 0, 0, float),
    ("range", 2, 3, list),
    ("relationships", 1, 1, list),
    ("replace", 3, 3, string),
    ("reverse", 1, 1, any),
    ("right", 2, 2, string),
    ("round", 1, 3, float),
    ("rtrim", 1, 1, string),
    ("sign", 1, 1, int),
    ("sin", 1, 1, float),
    ("size", 1, 1, int),
    ("split", 2, 2, list),
    ("sqrt", 1, 1, float),
    ("startnode", 1, 1, |_| LogicalType::Node),
    ("substring", 2, 3, string),
    ("tail", 1, 1, list),
    ("tan", 1, 1, float),
    ("time", 0, 1, |_| LogicalType::Time),
    ("time.realtime", 0, 1, |_| LogicalType::Time),
    ("time.statement", 0, 1, |_| LogicalType::Time),
    ("time.transaction", 0, 1, |_| LogicalType::Time),
    ("time.truncate", 1, 3, |_| LogicalType::Time),
    ("toboolean", 1, 1, |_| LogicalType::Bool),
    ("tofloat", 1, 1, float),
    ("tointeger", 1, 1, int),
    ("tolower", 1, 1, string),
    ("tostring", 1, 1, string),
    ("toupper", 1, 1, string),
    ("trim", 1, 1, string),
    ("type", 1, 1, string),
];

fn any(_: &[LogicalType]) -> LogicalType {
    LogicalType::Any
}

fn int(_: &[LogicalType]) -> LogicalType {
    LogicalType::Int
}

fn float(_: &[LogicalType]) -> LogicalType {
    LogicalType::Float
}

fn string(_: &[LogicalType]) -> LogicalType {
    LogicalType::String
}

fn list(_: &[LogicalType]) -> LogicalType {
    LogicalType::List
}

impl Functions for Stub {
    fn lookup(&self, lower_case_name: &str) -> Option<FunctionInfo> {
        let (_, min_args, max_args, result) =
            *FUNCTIONS.iter().find(|(name, ..)| *name == lower_case_name)?;
        Some(FunctionInfo { min_args, max_args, result })
    }

    fn names(&self) -> Vec<&'static str> {
        FUNCTIONS.iter().map(|(name, ..)| *name).collect()
    }
}

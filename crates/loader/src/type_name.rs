//! Type names as users write them in headers and mappings.

use trimorph_types::LogicalType;

use crate::plan::Parse;

/// `int`, `string`, `date`, … in any case, or an array of one (`string[]`), whose elements have `delimiter`
/// between them.
pub(crate) fn parse_type(name: &str, delimiter: u8) -> Option<Parse> {
    let name = name.trim().to_ascii_lowercase();
    match name.strip_suffix("[]") {
        Some(element) => Some(Parse::List(scalar(element)?, delimiter)),
        None => scalar(&name).map(Parse::One),
    }
}

fn scalar(name: &str) -> Option<LogicalType> {
    Some(match name {
        "int" | "integer" | "long" | "short" | "byte" => LogicalType::Int,
        "float" | "double" => LogicalType::Float,
        "decimal" => LogicalType::Decimal,
        "bool" | "boolean" => LogicalType::Bool,
        "string" | "char" => LogicalType::String,
        "iri" => LogicalType::Iri,
        "date" => LogicalType::Date,
        "localtime" => LogicalType::LocalTime,
        "time" => LogicalType::Time,
        "localdatetime" => LogicalType::LocalDateTime,
        "datetime" => LogicalType::DateTime,
        "duration" => LogicalType::Duration,
        _ => return None,
    })
}

/// For messages.
pub(crate) const TYPE_NAMES: &str = "int, float, decimal, boolean, string, iri, date, localtime, time, localdatetime, datetime, duration and arrays such as string[]";

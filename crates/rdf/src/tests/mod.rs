//! Texts in and out: tables, round trips, the W3C tests, and texts that were made wrong on purpose.

mod conformance;
mod hostile;
mod rdf_xml;
mod results;
mod statements;

use std::convert::Infallible;

use trimorph_types::Value;
use trimorph_types::rdf::{normalise, write_nt};

use crate::{BadStatements, Failure, Format, ParseOptions, ReadError, Report, Statement, parse};

/// Subject, predicate, object, graph (null if it is the default graph).
pub(super) type Row = [Value; 4];

pub(super) fn row(statement: Statement<'_>) -> Row {
    [
        statement.subject.value(),
        statement.predicate.value(),
        statement.object.value(),
        statement.graph.map_or(Value::Null, |graph| graph.value()),
    ]
}

pub(super) fn options(format: Format) -> ParseOptions {
    ParseOptions { format, base: None, blank_prefix: String::new(), bad: BadStatements::Refuse }
}

pub(super) fn read_with(text: &[u8], options: &ParseOptions) -> Result<(Vec<Row>, Report), ReadError> {
    let mut rows = Vec::new();
    let taken = parse(text, options, |statement| {
        rows.push(row(statement));
        Ok::<_, Infallible>(())
    });
    match taken {
        Ok(report) => Ok((rows, report)),
        Err(Failure::Read(error)) => Err(error),
        Err(Failure::Taker(never)) => match never {},
    }
}

pub(super) fn read(text: &str, format: Format) -> Result<Vec<Row>, ReadError> {
    read_with(text.as_bytes(), &options(format)).map(|(rows, _)| rows)
}

pub(super) fn nt(value: &Value) -> String {
    let mut out = String::new();
    let Ok(_) =
        write_nt(&mut out, &normalise(value.clone()), &mut |value| Ok::<_, Infallible>(value.clone()));
    out
}

/// One line per statement.
pub(super) fn lines(rows: &[Row]) -> Vec<String> {
    let text = |row: &Row| row.iter().map(nt).collect::<Vec<_>>().join(" ").trim_end().to_owned();
    rows.iter().map(text).collect()
}

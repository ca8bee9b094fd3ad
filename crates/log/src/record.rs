//! Records <-> bytes: what `docs/design/log.md`, "Records", says. Pure functions.
//!
//! A record is a length, a kind (1 byte) and its content; the length counts the kind. Reading never panics,
//! and allocates no more than a constant times the record's bytes, and 8 bytes for each of [`ROWS_MAX`] rows.

use std::borrow::Cow;
use std::fmt;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;
use trimorph_vfs::CodecError;

use crate::bytes::{ROWS_MAX, Reader, put_number, put_run, put_text};
use crate::values;
use crate::{Column, Commit, Declaration, LoadedPart, Name, Operation, Owner, Subject};

/// The kinds of records.
pub(crate) mod kind {
    pub(crate) const NAME: u8 = 1;
    pub(crate) const NODE_TABLE: u8 = 2;
    pub(crate) const EDGE_TABLE: u8 = 3;
    pub(crate) const COLUMN: u8 = 4;
    pub(crate) const NODES: u8 = 16;
    pub(crate) const NODES_DELETED: u8 = 17;
    pub(crate) const LABELS: u8 = 18;
    pub(crate) const NODE_VALUES: u8 = 19;
    pub(crate) const EDGES: u8 = 20;
    pub(crate) const EDGES_DELETED: u8 = 21;
    pub(crate) const EDGE_VALUES: u8 = 22;
    pub(crate) const LOAD: u8 = 24;
    pub(crate) const DEFINED: u8 = 32;
    pub(crate) const DROPPED: u8 = 33;
    pub(crate) const COMMIT: u8 = 48;
}

/// A batch that cannot be logged: a bug of who made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// More rows than [`ROWS_MAX`].
    TooManyRows,
    /// Not as many values as rows.
    Lengths,
    /// Nodes, edges, paths, or values that nest too deep, among the properties.
    NoProperty,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooManyRows => "a record of the log has more rows than it may have",
            Self::Lengths => "a record of the log has not as many values as rows",
            Self::NoProperty => "a record of the log has a value that is no property value",
        })
    }
}

impl std::error::Error for RecordError {}

/// What a record says.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Record<'a> {
    Declaration(Declaration<'a>),
    Operation(Operation<'a>),
    /// A commit, and the number of the transaction's records before this one.
    Commit(Commit, u64),
}

/// Appends a record: its content is written behind room for the longest length, which is closed after.
fn put_record(
    out: &mut Vec<u8>,
    kind: u8,
    content: impl FnOnce(&mut Vec<u8>) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    const ROOM: usize = 10;
    let start = out.len();
    out.resize(start + ROOM, 0);
    out.push(kind);
    if let Err(error) = content(out) {
        out.truncate(start);
        return Err(error);
    }
    let len = (out.len() - start - ROOM) as u64;
    let mut number = Vec::with_capacity(ROOM);
    put_number(&mut number, len);
    out[start..start + number.len()].copy_from_slice(&number);
    let content_at = start + ROOM;
    out.copy_within(content_at.., start + number.len());
    out.truncate(out.len() - (ROOM - number.len()));
    Ok(())
}

fn put_ids(out: &mut Vec<u8>, ids: impl ExactSizeIterator<Item = u64>) {
    put_number(out, ids.len() as u64);
    ids.for_each(|id| put_number(out, id));
}

fn put_columns(out: &mut Vec<u8>, columns: &[Column<'_>], rows: usize) -> Result<(), RecordError> {
    put_number(out, columns.len() as u64);
    for Column { column, values } in columns {
        put_number(out, (*column).into());
        if values.listed() != rows {
            return Err(RecordError::Lengths);
        }
        if !values::put(out, values, rows) {
            return Err(RecordError::NoProperty);
        }
    }
    Ok(())
}

/// Appends runs of as many numbers as the first has.
fn put_runs(out: &mut Vec<u8>, runs: &[&[u64]]) -> Result<(), RecordError> {
    let rows = runs.first().map_or(0, |run| run.len());
    if rows > ROWS_MAX {
        return Err(RecordError::TooManyRows);
    }
    for run in runs {
        if run.len() != rows {
            return Err(RecordError::Lengths);
        }
        put_run(out, run);
    }
    Ok(())
}

/// Appends the record of a declaration.
pub(crate) fn put_declaration(out: &mut Vec<u8>, declaration: &Declaration<'_>) {
    // None of these can fail.
    let _ = match declaration {
        Declaration::Name { name, text } => put_record(out, kind::NAME, |out| {
            let (which, id) = match name {
                Name::Label(LabelId(id)) => (0, u64::from(*id)),
                Name::Type(TypeId(id)) => (1, u64::from(*id)),
                Name::Property(PropertyId(id)) => (2, u64::from(*id)),
            };
            out.push(which);
            put_number(out, id);
            put_text(out, text);
            Ok(())
        }),
        Declaration::NodeTable { table, labels } => put_record(out, kind::NODE_TABLE, |out| {
            put_number(out, table.0.into());
            put_ids(out, labels.iter().map(|label| label.0.into()));
            Ok(())
        }),
        Declaration::EdgeTable { table, label, source, position_bits } => {
            put_record(out, kind::EDGE_TABLE, |out| {
                put_number(out, table.0.into());
                put_number(out, label.0.into());
                put_number(out, source.0.into());
                out.push(*position_bits);
                Ok(())
            })
        }
        Declaration::Column { owner, column, property, logical_type } => {
            put_record(out, kind::COLUMN, |out| {
                let (which, table) = match owner {
                    Owner::Nodes(table) => (0, table.0),
                    Owner::Edges(table) => (1, table.0),
                };
                out.push(which);
                put_number(out, table.into());
                put_number(out, (*column).into());
                put_number(out, property.0.into());
                out.push(code_of_type(*logical_type));
                Ok(())
            })
        }
    };
}

/// Appends the record of an operation, or nothing.
pub(crate) fn put_operation(out: &mut Vec<u8>, operation: &Operation<'_>) -> Result<(), RecordError> {
    match operation {
        Operation::Nodes { table, rows, columns } => put_nodes(out, kind::NODES, *table, rows, Some(columns)),
        Operation::NodeValues { table, rows, columns } => {
            put_nodes(out, kind::NODE_VALUES, *table, rows, Some(columns))
        }
        Operation::NodesDeleted { table, rows } => put_nodes(out, kind::NODES_DELETED, *table, rows, None),
        Operation::Labels { table, rows, sets, chosen } => put_record(out, kind::LABELS, |out| {
            put_number(out, table.0.into());
            if chosen.iter().any(|set| usize::try_from(*set).map_or(true, |set| set >= sets.len())) {
                return Err(RecordError::Lengths);
            }
            put_number(out, sets.len() as u64);
            sets.iter().for_each(|set| put_ids(out, set.iter().map(|label| label.0.into())));
            put_runs(out, &[rows, chosen])
        }),
        Operation::Edges { table, places, sources, targets, columns } => {
            put_edges(out, kind::EDGES, *table, &[places, sources, targets], Some(columns))
        }
        Operation::EdgesDeleted { table, places, sources, targets } => {
            put_edges(out, kind::EDGES_DELETED, *table, &[places, sources, targets], None)
        }
        Operation::EdgeValues { table, places, columns } => {
            put_edges(out, kind::EDGE_VALUES, *table, &[places], Some(columns))
        }
        Operation::Load { directory, checksum, parts } => put_record(out, kind::LOAD, |out| {
            out.extend_from_slice(&checksum.to_le_bytes());
            put_text(out, directory);
            put_number(out, parts.len() as u64);
            for part in parts {
                out.push(part.kind);
                put_number(out, part.table.into());
                put_number(out, part.first);
            }
            Ok(())
        }),
        Operation::Defined { name, kind, detail, subject, properties } => {
            put_record(out, kind::DEFINED, |out| {
                put_text(out, name);
                out.push(*kind);
                put_text(out, detail);
                let (which, label) = match subject {
                    Subject::Nodes(label) => (0, label.0),
                    Subject::Edges(label) => (1, label.0),
                };
                out.push(which);
                put_number(out, label.into());
                put_ids(out, properties.iter().map(|property| property.0.into()));
                Ok(())
            })
        }
        Operation::Dropped { name } => put_record(out, kind::DROPPED, |out| {
            put_text(out, name);
            Ok(())
        }),
    }
}

fn put_nodes(
    out: &mut Vec<u8>,
    kind: u8,
    table: TableId,
    rows: &[u64],
    columns: Option<&[Column<'_>]>,
) -> Result<(), RecordError> {
    put_record(out, kind, |out| {
        put_number(out, table.0.into());
        put_runs(out, &[rows])?;
        columns.map_or(Ok(()), |columns| put_columns(out, columns, rows.len()))
    })
}

fn put_edges(
    out: &mut Vec<u8>,
    kind: u8,
    table: EdgeTableId,
    runs: &[&[u64]],
    columns: Option<&[Column<'_>]>,
) -> Result<(), RecordError> {
    put_record(out, kind, |out| {
        put_number(out, table.0.into());
        put_runs(out, runs)?;
        columns.map_or(Ok(()), |columns| put_columns(out, columns, runs[0].len()))
    })
}

/// Appends the record of a commit.
pub(crate) fn put_commit(out: &mut Vec<u8>, commit: &Commit, records: u64) {
    // Nothing in it can fail.
    let _ = put_record(out, kind::COMMIT, |out| {
        put_number(out, commit.handle);
        put_number(out, commit.timestamp);
        out.extend_from_slice(&commit.micros.to_le_bytes());
        put_number(out, records);
        Ok(())
    });
}

/// The types of columns, by their number in files.
const TYPES: [(u8, LogicalType); 17] = [
    (0, LogicalType::Any),
    (1, LogicalType::Bool),
    (2, LogicalType::Int),
    (3, LogicalType::Float),
    (4, LogicalType::String),
    (5, LogicalType::Bytes),
    (6, LogicalType::Date),
    (7, LogicalType::LocalTime),
    (8, LogicalType::Time),
    (9, LogicalType::LocalDateTime),
    (10, LogicalType::DateTime),
    (11, LogicalType::Duration),
    (12, LogicalType::List),
    (13, LogicalType::Map),
    (17, LogicalType::Decimal),
    (18, LogicalType::Iri),
    (19, LogicalType::Literal),
];

/// The number of a type; columns of what is no property type are general.
fn code_of_type(logical_type: LogicalType) -> u8 {
    TYPES.iter().find(|(_, t)| *t == logical_type).map_or(0, |(code, _)| *code)
}

/// A record's kind, its content, and how many bytes it has.
pub(crate) type Framed<'a> = (u8, &'a [u8], usize);

/// The record at the start of `bytes`; `None` if they end before it does.
///
/// **Errors**: a length that no record has, as far as the bytes say.
pub(crate) fn frame(bytes: &[u8]) -> Result<Option<Framed<'_>>, CodecError> {
    let mut from = Reader::new(bytes);
    let len = match from.number() {
        Ok(len) => usize::try_from(len).map_err(|_| from.error("a length"))?,
        Err(_) if bytes.len() < 10 => return Ok(None),
        Err(error) => return Err(error),
    };
    if len == 0 {
        return Err(from.error("a record of a byte or more"));
    }
    let start = from.at();
    Ok(from.rest().get(..len).map(|record| (record[0], &record[1..], start + len)))
}

/// Reads the first record of `bytes`, and says how many bytes it has.
///
/// **Cost**: one pass; allocates as the header says. **Errors**: bytes that are no record.
pub fn decode(bytes: &[u8]) -> Result<(Record<'_>, usize), CodecError> {
    let whole = CodecError { offset: 0, expected: "a whole record" };
    let (kind, content, len) = frame(bytes)?.ok_or(whole)?;
    let start = len - content.len();
    let record = decode_content(kind, content);
    record.map(|record| (record, len)).map_err(|e| CodecError { offset: e.offset + start, ..e })
}

/// Reads a record whose kind and content are known.
pub(crate) fn decode_content(kind: u8, content: &[u8]) -> Result<Record<'_>, CodecError> {
    let mut from = Reader::new(content);
    let record = match kind {
        kind::NAME | kind::NODE_TABLE | kind::EDGE_TABLE | kind::COLUMN => {
            Record::Declaration(read_declaration(kind, &mut from)?)
        }
        kind::COMMIT => {
            let (handle, timestamp) = (from.number()?, from.number()?);
            let micros = i64::from_le_bytes(from.array("a time of day")?);
            Record::Commit(Commit { handle, timestamp, micros }, from.number()?)
        }
        _ => Record::Operation(read_operation(kind, &mut from)?),
    };
    from.end()?;
    Ok(record)
}

fn read_declaration<'a>(kind: u8, from: &mut Reader<'a>) -> Result<Declaration<'a>, CodecError> {
    Ok(match kind {
        kind::NAME => {
            let here = from.error("what a name stands for");
            let name = match from.u8()? {
                0 => Name::Label(LabelId(from.id("a label")?)),
                1 => Name::Type(TypeId(from.id("an edge label")?)),
                2 => Name::Property(PropertyId(from.id("a property")?)),
                _ => return Err(here),
            };
            Declaration::Name { name, text: Cow::Borrowed(from.text()?) }
        }
        kind::NODE_TABLE => Declaration::NodeTable { table: read_table(from)?, labels: read_labels(from)? },
        kind::EDGE_TABLE => Declaration::EdgeTable {
            table: read_edge_table(from)?,
            label: TypeId(from.id("an edge label")?),
            source: read_table(from)?,
            position_bits: from.u8()?,
        },
        _ => {
            let here = from.error("a node or edge table");
            let owner = match from.u8()? {
                0 => Owner::Nodes(read_table(from)?),
                1 => Owner::Edges(read_edge_table(from)?),
                _ => return Err(here),
            };
            let (column, property) = (from.id("a column")?, PropertyId(from.id("a property")?));
            let here = from.error("the type of a column");
            let code = from.u8()?;
            let logical_type = TYPES.iter().find(|(c, _)| *c == code).ok_or(here)?.1;
            Declaration::Column { owner, column, property, logical_type }
        }
    })
}

fn read_operation<'a>(kind: u8, from: &mut Reader<'a>) -> Result<Operation<'a>, CodecError> {
    Ok(match kind {
        kind::NODES | kind::NODE_VALUES | kind::NODES_DELETED => {
            let (table, rows) = (read_table(from)?, from.run()?);
            let len = rows.len();
            let rows = Cow::Owned(rows);
            match kind {
                kind::NODES => Operation::Nodes { table, rows, columns: read_columns(from, len)? },
                kind::NODE_VALUES => Operation::NodeValues { table, rows, columns: read_columns(from, len)? },
                _ => Operation::NodesDeleted { table, rows },
            }
        }
        kind::LABELS => {
            let table = read_table(from)?;
            let sets = (0..from.count(1)?).map(|_| read_labels(from)).collect::<Result<Vec<_>, _>>()?;
            let rows = from.run()?;
            let chosen = read_beside(from, &rows)?;
            if chosen.iter().any(|set| usize::try_from(*set).map_or(true, |set| set >= sets.len())) {
                return Err(from.error("the number of a label set"));
            }
            Operation::Labels { table, rows: rows.into(), sets: sets.into(), chosen: chosen.into() }
        }
        kind::EDGES | kind::EDGES_DELETED => {
            let (table, places) = (read_edge_table(from)?, from.run()?);
            let sources = read_beside(from, &places)?.into();
            let targets = read_beside(from, &places)?.into();
            let len = places.len();
            let places = Cow::Owned(places);
            if kind == kind::EDGES {
                Operation::Edges { table, places, sources, targets, columns: read_columns(from, len)? }
            } else {
                Operation::EdgesDeleted { table, places, sources, targets }
            }
        }
        kind::EDGE_VALUES => {
            let (table, places) = (read_edge_table(from)?, from.run()?);
            let columns = read_columns(from, places.len())?;
            Operation::EdgeValues { table, places: places.into(), columns }
        }
        kind::LOAD => {
            let checksum = u64::from_le_bytes(from.array("a checksum")?);
            let directory = Cow::Borrowed(from.text()?);
            let part = |from: &mut Reader<'a>| -> Result<LoadedPart, CodecError> {
                Ok(LoadedPart { kind: from.u8()?, table: from.id("a table")?, first: from.number()? })
            };
            let parts = (0..from.count(3)?).map(|_| part(from)).collect::<Result<_, _>>()?;
            Operation::Load { directory, checksum, parts }
        }
        kind::DEFINED => {
            let (name, kind) = (Cow::Borrowed(from.text()?), from.u8()?);
            let detail = Cow::Borrowed(from.text()?);
            let here = from.error("nodes or edges");
            let subject = match from.u8()? {
                0 => Subject::Nodes(LabelId(from.id("a label")?)),
                1 => Subject::Edges(TypeId(from.id("an edge label")?)),
                _ => return Err(here),
            };
            let count = from.count(1)?;
            let properties = (0..count).map(|_| Ok(PropertyId(from.id("a property")?)));
            let properties = properties.collect::<Result<_, _>>()?;
            Operation::Defined { name, kind, detail, subject, properties }
        }
        kind::DROPPED => Operation::Dropped { name: Cow::Borrowed(from.text()?) },
        _ => return Err(from.error("a known kind of record")),
    })
}

fn read_table(from: &mut Reader<'_>) -> Result<TableId, CodecError> {
    from.id("a node table").map(TableId)
}

fn read_edge_table(from: &mut Reader<'_>) -> Result<EdgeTableId, CodecError> {
    from.id("an edge table").map(EdgeTableId)
}

fn read_labels(from: &mut Reader<'_>) -> Result<Vec<LabelId>, CodecError> {
    (0..from.count(1)?).map(|_| from.id("a label").map(LabelId)).collect()
}

/// A run of as many numbers as another has.
fn read_beside(from: &mut Reader<'_>, other: &[u64]) -> Result<Vec<u64>, CodecError> {
    let here = from.error("as many numbers as rows");
    let run = from.run()?;
    if run.len() == other.len() { Ok(run) } else { Err(here) }
}

fn read_columns<'a>(from: &mut Reader<'a>, rows: usize) -> Result<Cow<'a, [Column<'a>]>, CodecError> {
    // A column takes two bytes or more: its number and its form.
    let count = from.count(2)?;
    let mut columns = Vec::new();
    for _ in 0..count {
        columns.push(Column { column: from.id("a column")?, values: values::read(from, rows)? });
    }
    Ok(columns.into())
}

//! Records through bytes and back; bytes that are none.

use std::borrow::Cow;
use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, NodeId, PropertyId, Random, TableId, TypeId};
use trimorph_types::format::{IdsOnly, format_literal};
use trimorph_types::{Date, Decimal, Literal, LogicalType, Map, Time, Value};
use trimorph_vector::{Nodes, Nulls, Positions, Texts, Values, Vector};

use crate::record::{put_commit, put_declaration, put_operation};
use crate::*;

fn number(random: &mut Random) -> u64 {
    match random.below(5) {
        0 => u64::MAX,
        1 => 0,
        2 => random.bits(),
        _ => random.below(300) as u64,
    }
}

fn run(random: &mut Random, len: usize) -> Cow<'static, [u64]> {
    let (first, step) = (number(random), number(random));
    let even = random.chance(50);
    let at = |i: u64| first.wrapping_add(step.wrapping_mul(i));
    (0..len as u64).map(|i| if even { at(i) } else { number(random) }).collect()
}

fn text(random: &mut Random) -> String {
    (*random.pick(&["", "a", "grün", "\u{10FFFF}", "a text of more bytes than fit a view of sixteen"])).into()
}

fn general(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 11 } else { 13 }) {
        0 => Value::Null,
        1 => Value::Bool(random.chance(50)),
        2 => Value::Int(number(random).cast_signed()),
        3 => Value::Float(f64::from_bits(random.bits())),
        4 => Value::string(text(random)),
        5 => Value::Bytes(Arc::from(text(random).as_bytes())),
        6 => Value::Date(Date { days: *random.pick(&[0, -1, 300_000_000_000]) }),
        7 => Value::Time(Time { nanos: 86_399_999_999_999, offset_seconds: -64_800 }),
        8 => Value::Decimal(Decimal::parse("-0.00000000000000000000000000000000000001").unwrap()),
        9 => Value::iri(text(random)),
        10 => Value::Literal(Arc::new(Literal::in_language(text(random), "en-GB"))),
        11 => Value::list((0..random.below(4)).map(|_| general(random, depth - 1)).collect()),
        _ => Value::map(Map::from([(text(random).into(), general(random, depth - 1))])),
    }
}

fn vector(random: &mut Random, len: usize) -> Vector<'static> {
    let extremes = [0, -1, i64::MAX, i64::MIN, 1 << 40];
    let mut longs = || (0..len).map(|_| *random.pick(&extremes)).collect::<Vec<i64>>();
    let longs = longs();
    let values = match random.below(9) {
        0 => Values::Bool((0..len).map(|_| random.chance(50)).collect()),
        1 => Values::Int(longs),
        2 => Values::Float((0..len).map(|_| f64::from_bits(random.bits())).collect()),
        3 => {
            let mut texts = Texts::default();
            (0..len).for_each(|_| texts.push(&text(random)));
            Values::String(texts)
        }
        4 => Values::Date((0..len).map(|_| *random.pick(&[0, i32::MIN, i32::MAX])).collect()),
        5 => Values::LocalTime(longs),
        6 => Values::LocalDateTime(longs),
        7 => Values::DateTime(longs),
        _ => Values::Any((0..len).map(|_| general(random, 3)).collect()),
    };
    let mut nulls = Nulls::NONE;
    let percent = *random.pick(&[0, 0, 30, 100]);
    (0..len).filter(|_| random.chance(percent)).collect::<Vec<_>>().iter().for_each(|i| nulls.set(*i, len));
    Vector { values, nulls }
}

fn columns(random: &mut Random, len: usize) -> Cow<'static, [Column<'static>]> {
    (0..random.below(4))
        .map(|_| Column { column: u32::MAX - random.below(3) as u32, values: vector(random, len) })
        .collect()
}

fn operation(random: &mut Random, kind: usize) -> Operation<'static> {
    let len = *random.pick(&[0, 1, 2, 63, 64, 65, 200]);
    let (table, edges) = (TableId(random.bits() as u16), EdgeTableId(random.bits() as u16));
    let labels = |random: &mut Random| (0..random.below(3)).map(|i| LabelId(u16::MAX - i as u16)).collect();
    match kind {
        0 => Operation::Nodes { table, rows: run(random, len), columns: columns(random, len) },
        1 => Operation::NodesDeleted { table, rows: run(random, len) },
        2 => {
            let sets: Vec<Vec<LabelId>> = (0..3).map(|_| labels(random)).collect();
            let chosen = (0..len).map(|_| random.below(3) as u64).collect();
            Operation::Labels { table, rows: run(random, len), sets: sets.into(), chosen }
        }
        3 => Operation::NodeValues { table, rows: run(random, len), columns: columns(random, len) },
        4 => Operation::Edges {
            table: edges,
            places: run(random, len),
            sources: run(random, len),
            targets: run(random, len),
            columns: columns(random, len),
        },
        5 => Operation::EdgesDeleted {
            table: edges,
            places: run(random, len),
            sources: run(random, len),
            targets: run(random, len),
        },
        6 => Operation::EdgeValues { table: edges, places: run(random, len), columns: columns(random, len) },
        7 => Operation::Load {
            directory: text(random).into(),
            checksum: random.bits(),
            parts: vec![LoadedPart { kind: 2, table: u16::MAX, first: random.bits() }; random.below(3)],
        },
        8 => Operation::Defined {
            name: text(random).into(),
            kind: 255,
            detail: text(random).into(),
            subject: *random.pick(&[Subject::Nodes(LabelId(u16::MAX)), Subject::Edges(TypeId(0))]),
            properties: vec![PropertyId(u32::MAX), PropertyId(0)],
        },
        _ => Operation::Dropped { name: text(random).into() },
    }
}

const OPERATIONS: usize = 10;

/// An operation as text: values by what they are, whatever vector holds them.
fn told(operation: &Operation<'_>) -> String {
    let columns = |columns: &[Column<'_>]| {
        let column = |c: &Column<'_>| {
            let value = |i| {
                let value = c.values.value(i, &|_| Value::Null);
                let bits = if let Value::Float(f) = value { f.to_bits() } else { 0 };
                format!("{bits} {} {}", value.logical_type(), format_literal(&value, &IdsOnly))
            };
            let values: Vec<String> = (0..c.values.listed()).map(value).collect();
            format!("{} {values:?}", c.column)
        };
        columns.iter().map(column).collect::<Vec<_>>().join("\n")
    };
    match operation {
        Operation::Nodes { table, rows, columns: c } => format!("nodes {table:?} {rows:?} {}", columns(c)),
        Operation::NodeValues { table, rows, columns: c } => format!("set {table:?} {rows:?} {}", columns(c)),
        Operation::Edges { table, places, sources, targets, columns: c } => {
            format!("edges {table:?} {places:?} {sources:?} {targets:?} {}", columns(c))
        }
        Operation::EdgeValues { table, places, columns: c } => format!("{table:?} {places:?} {}", columns(c)),
        other => format!("{other:?}"),
    }
}

fn bytes_of(operation: &Operation<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_operation(&mut bytes, operation).unwrap();
    bytes
}

#[test]
fn every_operation_comes_back() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        for kind in 0..OPERATIONS {
            let operation = operation(&mut random, kind);
            let bytes = bytes_of(&operation);
            let (record, len) = decode(&bytes).unwrap();
            let Record::Operation(found) = record else { panic!("seed {seed}: {record:?}") };
            assert_eq!((told(&found), len), (told(&operation), bytes.len()), "seed {seed}");
            assert_eq!(bytes_of(&found), bytes, "seed {seed}: the same bytes again");
        }
    }
}

#[test]
fn declarations_and_commits_come_back() {
    let owners = [Owner::Nodes(TableId(u16::MAX)), Owner::Edges(EdgeTableId(0))];
    let mut all = vec![
        Declaration::Name { name: Name::Label(LabelId(0)), text: "".into() },
        Declaration::Name { name: Name::Type(TypeId(u16::MAX)), text: "KNOWS".into() },
        Declaration::Name { name: Name::Property(PropertyId(u32::MAX)), text: "größe".into() },
        Declaration::NodeTable { table: TableId(1), labels: vec![LabelId(0), LabelId(u16::MAX)] },
        Declaration::EdgeTable {
            table: EdgeTableId(3),
            label: TypeId(4),
            source: TableId(5),
            position_bits: 44,
        },
    ];
    use LogicalType::*;
    let types = [Any, Bool, Int, Float, Decimal, String, Iri, Literal, Bytes, Date, LocalTime, Time];
    for logical_type in types.into_iter().chain([LocalDateTime, DateTime, Duration, List, Map]) {
        for owner in owners {
            let (column, property) = (u32::MAX, PropertyId(6));
            all.push(Declaration::Column { owner, column, property, logical_type });
        }
    }
    for declaration in all {
        let mut bytes = Vec::new();
        put_declaration(&mut bytes, &declaration);
        let (Record::Declaration(found), len) = decode(&bytes).unwrap() else { panic!("{declaration:?}") };
        assert_eq!((found, len), (declaration, bytes.len()));
    }
    for n in [0, 127, 128, u64::MAX] {
        let commit = Commit { handle: n, timestamp: n, micros: n.cast_signed() };
        let mut bytes = Vec::new();
        put_commit(&mut bytes, &commit, n);
        let (Record::Commit(found, records), _) = decode(&bytes).unwrap() else { panic!("{commit:?}") };
        assert_eq!((found, records), (commit, n));
    }
}

#[test]
fn bytes_are_as_the_page_says() {
    let check = |operation: &Operation<'_>, expect: &[u8]| assert_eq!(bytes_of(operation), expect);
    let values = Vector { values: Values::Bool(vec![true, true, true]), nulls: Nulls::of_words(vec![0b10]) };
    let columns: Vec<Column<'_>> = vec![Column { column: 5, values }];
    let rows = Cow::Borrowed(&[200, 202, 204][..]);
    let set = Operation::NodeValues { table: TableId(300), rows, columns: columns.into() };
    check(&set, &[13, 19, 0xac, 2, 3, 200, 1, 1, 4, 1, 5, 129, 0b10, 0b101]);
    let rows = Cow::Borrowed(&[5, 4, 7][..]);
    check(&Operation::NodesDeleted { table: TableId(1), rows }, &[7, 17, 1, 3, 5, 0, 1, 6]);
    check(&Operation::Dropped { name: "i".into() }, &[3, 33, 1, b'i']);
}

#[test]
fn what_cannot_be_read_again_is_not_written() {
    let with = |rows: Vec<u64>, values| {
        let columns: Vec<Column<'_>> = vec![Column { column: 0, values: Vector::new(values) }];
        let mut writer = TransactionWriter::new();
        let pushed =
            writer.push(&Operation::Nodes { table: TableId(0), rows: rows.into(), columns: columns.into() });
        assert_eq!(writer.size() == 0, pushed.is_err());
        pushed
    };
    assert_eq!(with(vec![1], Values::Int(vec![1, 2])), Err(RecordError::Lengths));
    assert_eq!(with(vec![1], Values::Any(vec![Value::Node(NodeId(1))])), Err(RecordError::NoProperty));
    let nodes = Nodes::Ids { table: None, ids: vec![NodeId(1)] };
    assert_eq!(with(vec![1], Values::Node(nodes)), Err(RecordError::NoProperty));
    let deep = |depth| (0..depth).fold(Value::Int(1), |value, _| Value::list(vec![value]));
    assert_eq!(with(vec![1], Values::Any(vec![deep(64)])), Ok(()));
    assert_eq!(with(vec![1], Values::Any(vec![deep(65)])), Err(RecordError::NoProperty));
    let many = vec![0; ROWS_MAX + 1];
    assert_eq!(with(many.clone(), Values::Bool(vec![true; many.len()])), Err(RecordError::TooManyRows));
    let lists = Vector::of_values(vec![deep(2), Value::Null], Positions::all(2));
    assert!(with(vec![1, 2], lists.values).is_ok());
}

#[test]
fn forged_bytes_are_read_or_refused() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let kind = random.below(OPERATIONS);
        let mut bytes = bytes_of(&operation(&mut random, kind));
        for _ in 0..=random.below(3) {
            match random.below(4) {
                0 => bytes.truncate(random.below(bytes.len() + 1)),
                1 if !bytes.is_empty() => {
                    let at = random.below(bytes.len());
                    bytes[at] = random.bits() as u8;
                }
                2 => bytes = (0..random.below(100)).map(|_| random.bits() as u8).collect(),
                _ if bytes.len() > 12 => {
                    let at = random.below(12);
                    bytes.splice(at..=at, [0xff, 0xff, 0xff, 0x7f]);
                }
                _ => {}
            }
        }
        if let Ok((Record::Operation(found), len)) = decode(&bytes) {
            // What is read can be written, and means the same.
            assert!(len <= bytes.len());
            let again = bytes_of(&found);
            let (Record::Operation(found_again), _) = decode(&again).unwrap() else { panic!("seed {seed}") };
            assert_eq!(told(&found_again), told(&found), "seed {seed}");
        }
        // As it would come in the middle of others.
        let _ = decode(bytes.get(1..).unwrap_or_default());
    }
    // A run of rows that its bytes do not bound.
    let count = [0x81, 0x80, 0x40];
    let long: Vec<u8> = [&[7, 17, 1][..], &count, &[0, 1, 0]].concat();
    assert!(decode(&long).is_err());
}

//! Random rows of every type, with nulls, to bytes and back; bytes that are cut or changed are refused.

use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId, NodeId, Random, TableId};
use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LocalDateTime, LocalTime, Map, Path, Relationship, Time,
    Value, Zone,
};
use trimorph_vector::{Edges, Entries, Lists, Nodes, Nulls, Texts, Values, Vector};

use super::super::codec::{Batch, decode, encode};

fn relationship(random: &mut Random) -> Relationship {
    let id = EdgeId::new(EdgeTableId(3), random.bits() >> 40);
    Relationship { id, start: node(random), end: node(random) }
}

fn node(random: &mut Random) -> NodeId {
    NodeId::new(TableId(random.below(3) as u16), random.bits() >> 40)
}

fn long(random: &mut Random) -> i64 {
    *random.pick(&[i64::MIN, -1, 0, 7, 1 << 40, i64::MAX])
}

fn text(random: &mut Random) -> String {
    let long = "0123456789é".repeat(200);
    (*random.pick(&["", "a", "é\u{1F600}", "\0", long.as_str()])).to_owned()
}

fn datetime(random: &mut Random) -> Value {
    let zone = match random.below(2) {
        0 => Zone::Offset(-3_600),
        _ => Zone::Named { name: "Europe/Stockholm".into(), offset_seconds: 7_200 },
    };
    Value::DateTime(DateTime { seconds: long(random), nanos: 999_999_999, zone })
}

/// A value of any kind; `deep` says how deep lists and maps may go.
fn value(random: &mut Random, deep: usize) -> Value {
    let floats = [f64::NAN, -0.0, 0.0, 1.0, f64::INFINITY, f64::MIN_POSITIVE];
    match random.below(if deep == 0 { 18 } else { 20 }) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::Int(long(random)),
        3 => Value::Float(*random.pick(&floats)),
        4 => Value::string(text(random)),
        5 => Value::iri(text(random)),
        6 => Value::Bytes(Arc::from(text(random).as_bytes())),
        7 => Value::Date(Date { days: random.between(-400_000_000_000, 400_000_000_000) }),
        8 => Value::LocalTime(LocalTime { nanos: 86_399_999_999_999 }),
        9 => Value::Time(Time { nanos: 1, offset_seconds: -64_800 }),
        10 => Value::LocalDateTime(LocalDateTime { seconds: long(random), nanos: 5 }),
        11 => datetime(random),
        12 => Value::Duration(Duration { months: long(random), days: -1, seconds: long(random), nanos: 1 }),
        13 => Value::Decimal(Decimal::parse("-123456789012345678901234567.00000000001").unwrap()),
        14 => Value::Node(node(random)),
        15 => Value::Relationship(relationship(random)),
        16 => {
            let relationships = vec![relationship(random); random.below(3)];
            let nodes = (0..=relationships.len()).map(|_| node(random)).collect();
            Value::Path(Arc::new(Path { nodes, relationships }))
        }
        17 => Value::Literal(Arc::new(match random.below(2) {
            0 => Literal::in_language(text(random), "en-GB"),
            _ => Literal::of_datatype(text(random), "http://example.org/t"),
        })),
        18 => Value::list((0..random.below(5)).map(|_| value(random, deep - 1)).collect()),
        _ => {
            let mut map = Map::new();
            (0..random.below(4)).for_each(|_| drop(map.insert(text(random).into(), value(random, deep - 1))));
            Value::map(map)
        }
    }
}

fn vector(random: &mut Random, rows: usize) -> Vector<'static> {
    let longs = |random: &mut Random| (0..rows).map(|_| long(random)).collect::<Vec<i64>>();
    let values = match random.below(15) {
        14 => return crate::expr::tests::sample::wide(random, rows),
        0 => Values::Bool((0..rows).map(|_| random.below(2) == 0).collect()),
        1 => Values::Int(longs(random)),
        2 => Values::LocalTime(longs(random)),
        3 => Values::LocalDateTime(longs(random)),
        4 => Values::DateTime(longs(random)),
        5 => Values::Float((0..rows).map(|_| *random.pick(&[f64::NAN, -0.0, 1.5])).collect()),
        6 => Values::Date((0..rows).map(|_| *random.pick(&[i32::MIN, 0, i32::MAX])).collect()),
        7 => {
            let mut texts = Texts::default();
            (0..rows).for_each(|_| texts.push(&text(random)));
            Values::String(texts)
        }
        8 => {
            let entries: Entries<'static> = Arc::new(["", "one", "zwei"].into_iter().collect());
            Values::String(Texts::coded((0..rows).map(|_| random.below(3) as u32).collect(), &entries))
        }
        9 => Values::Node(Nodes::Range(NodeId::new(TableId(2), 40))),
        10 => Values::Node(Nodes::Ids { table: None, ids: (0..rows).map(|_| node(random)).collect() }),
        11 => Values::Edge(Edges::Ids((0..rows).map(|_| relationship(random).id).collect())),
        12 => {
            // Of numbers, or of lists.
            let ints = Vector::new(Values::Int((0..20).map(|_| long(random)).collect()));
            let mut lists = |child: Vector<'static>| {
                let runs = (0..20).map(|_| (random.below(10) as u32, random.below(11) as u32));
                Vector::new(Values::List(Lists::new(runs, child).unwrap()))
            };
            let child = if rows.is_multiple_of(2) { ints } else { lists(ints) };
            let runs: Vec<_> =
                (0..rows).map(|_| (random.below(10) as u32, random.below(11) as u32)).collect();
            Values::List(Lists::new(runs.into_iter(), child).unwrap())
        }
        _ => return Vector::new(Values::Any((0..rows).map(|_| value(random, 3)).collect())),
    };
    let mut nulls = Nulls::NONE;
    if random.below(2) == 0 {
        (0..rows).filter(|_| random.below(3) == 0).for_each(|i| nulls.set(i, rows));
    }
    Vector { values, nulls }
}

/// A value exactly: with its type, and NaN as itself; null has none.
fn shown(vector: &Vector<'_>, i: usize) -> String {
    let edge = |id| Value::Relationship(Relationship { id, start: NodeId(0), end: NodeId(0) });
    if vector.is_null(i) {
        return "null".into();
    }
    format!("{:?} {:?}", vector.logical_type(), vector.value(i, &edge))
}

#[test]
fn rows_come_back_as_they_were() {
    let mut random = Random::new(11);
    for _ in 0..3_000 {
        let rows = *random.pick(&[0, 1, 63, 64, 65, 200]);
        let columns: Vec<Vector<'static>> = (0..random.below(4)).map(|_| vector(&mut random, rows)).collect();
        let columns: Vec<&Vector<'static>> = columns.iter().collect();
        let positions: Vec<u32> = (0..rows as u32).filter(|_| random.below(4) > 0).rev().collect();
        let most = [1, 3, u64::MAX][random.below(3)];
        let weights: Vec<u64> = positions.iter().map(|_| 1 + random.bits() % most).collect();
        let mut bytes = Vec::new();
        encode(&columns, &positions, weights.iter().copied(), &mut bytes);
        let Batch { columns: read, multiplicity } = decode(&bytes).unwrap();
        assert_eq!(multiplicity, weights);
        assert_eq!(read.len(), columns.len());
        for (column, read) in columns.iter().zip(&read) {
            for (k, p) in positions.iter().enumerate() {
                assert_eq!(shown(read, k), shown(column, *p as usize));
            }
        }
        // Cut anywhere it is no batch; changed anywhere it is one or none, and never a panic.
        if let Some(end) = bytes.len().checked_sub(1 + random.below(bytes.len())) {
            assert!(decode(&bytes[..end]).is_none());
        }
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        drop(decode(&bytes));
    }
}

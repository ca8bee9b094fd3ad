//! Look-ups of many keys against those of one.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use trimorph_base::Random;
use trimorph_types::{Decimal, LogicalType, Value};
use trimorph_vector::{Decimals, Positions, Values, Vector};
use trimorph_vfs::{Decoder, Piece, PieceWriter, RegionOptions, lay_out};

use super::NO_ROW;
use crate::column::{Column, ColumnView, ColumnWriter, put_blob};
use crate::key_index::{KeyEntries, KeyIndex, TakeHashes, hash_of};
use crate::slot::Slot;

fn column(ty: LogicalType, keys: &[Value]) -> Column {
    let mut writer = ColumnWriter::new(ty);
    keys.iter().for_each(|key| writer.push_value(key.clone()));
    let mut written = writer.finish().0;
    let pieces = lay_out(std::mem::take(&mut written.pieces), RegionOptions::default()).unwrap();
    written.read(&mut pieces.into_iter()).unwrap()
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

/// An index, with tags or as files of format versions up to 12 have it.
fn index(keys: &[Value], with_tags: bool) -> KeyIndex {
    let each = |take: &mut TakeHashes<'_>| {
        let hashes = keys.iter().enumerate().map(|(row, key)| (hash_of(key).unwrap(), row as u32));
        take(&hashes.collect::<Vec<_>>());
    };
    let (bits, pieces, _) = KeyIndex::write(keys.len(), each);
    let mut pieces = lay_out(pieces, RegionOptions::default()).unwrap();
    if !with_tags {
        let rows_of = |piece: &Arc<Piece>| {
            let rows = piece.read_blob(&mut Decoder::new(piece.metadata())).unwrap();
            let mut old = PieceWriter::new();
            put_blob(rows.as_slice().to_vec(), &mut old);
            old.finish()
        };
        pieces = lay_out(pieces.iter().map(rows_of).collect(), RegionOptions::default()).unwrap();
    }
    let slots = pieces.into_iter().map(|piece| Slot::<KeyEntries>::read(piece, keys.len() as u64).unwrap());
    KeyIndex::of(bits, slots.collect()).unwrap()
}

/// Looks up `asked` together and one by one.
fn check(ty: LogicalType, keys: &[Value], asked: &[Vector<'_>], random: &mut Random) -> usize {
    let (column, index) = (column(ty, keys), index(keys, random.chance(70)));
    let (view, index) = (ColumnView::new(&column), index.view(&Arc::default()));
    let (mut found, mut rows) = (0, Vec::new());
    for asked in asked {
        let len = asked.listed();
        let some: Vec<u32> = (0..len as u32).filter(|_| random.below(3) > 0).collect();
        for positions in [(0..len as u32).collect(), some, Vec::new()] {
            index.find_all(asked, &positions, &view, &mut rows);
            assert_eq!(rows.len(), positions.len());
            for (p, row) in positions.iter().zip(&rows) {
                let one = index.find(&asked.value(*p as usize, &|_| Value::Null), &view);
                assert_eq!(one.map_or(NO_ROW, |row| row as u32), *row);
                found += usize::from(*row != NO_ROW);
            }
        }
    }
    found
}

#[test]
fn many_together_are_found_as_one_by_one() {
    let mut random = Random::new(1);
    for rows in [1usize, 20, 3_000, 150_000] {
        let step = 1 + random.below(1000) as i64;
        let integers: Vec<Value> = (0..rows).map(|i| Value::Int(i as i64 * step - 77)).collect();
        let texts: Vec<Value> = (0..rows).map(|i| text(&format!("key {}", i * 7919))).collect();
        let mixed: Vec<Value> = (0..rows)
            .map(|i| if i % 3 == 0 { text(&format!("{i}")) } else { Value::Int(i as i64) })
            .collect();
        for (ty, keys) in
            [(LogicalType::Int, &integers), (LogicalType::String, &texts), (LogicalType::Int, &mixed)]
        {
            let asked: Vec<Vector<'_>> = [0, 1, 17, 1_500, 9_000]
                .into_iter()
                .flat_map(|len| {
                    let mut one = |mixed: bool| {
                        let key = keys[random.below(rows)].clone();
                        match random.below(8) {
                            0 if mixed => Value::Null,
                            1 if mixed => Value::Float(1.5 * random.below(9) as f64),
                            2 if mixed => Value::Bool(true),
                            3 => match key {
                                Value::Int(i) => Value::Int(i + 1 - random.below(3) as i64),
                                _ => text(&format!("key {}", random.below(1 << 20))),
                            },
                            _ => key,
                        }
                    };
                    let any: Vec<Value> = (0..len).map(|_| one(true)).collect();
                    let plain: Vec<Value> = (0..len).map(|_| one(false)).collect();
                    let floats = (0..len).map(|i| [f64::NAN, 0.5, 2.0, 1e300][i % 4] + (i / 4) as f64);
                    let halves = (0..len).map(|i| Decimal::new(i as i128 * 5, 1).unwrap());
                    [
                        Vector::new(Values::Any(any)),
                        Vector::of_values(plain, Positions::all(len)),
                        Vector::new(Values::Float(floats.collect())),
                        Vector::new(Values::Decimal(Decimals::packed(halves.collect()))),
                        Vector::new(Values::Bool(vec![true; len])),
                    ]
                })
                .collect();
            assert!(check(ty, keys, &asked, &mut random) > 0);
        }
    }
}

/// Nanoseconds a key, by the length of the vector.
///
/// `cargo test --release -p trimorph-storage -- --ignored --nocapture keys_by_length`
#[test]
#[ignore = "a measurement"]
fn keys_by_length() {
    let mut random = Random::new(1);
    for rows in [30_000usize, 300_000, 3_000_000, 12_000_000] {
        let keys: Vec<Value> =
            (0..rows).map(|i| Value::Int(i as i64 * 37 + random.below(30) as i64)).collect();
        let (column, index) = (column(LogicalType::Int, &keys), index(&keys, true));
        let pins = Arc::default();
        let (view, index) = (ColumnView::new(&column), index.view(&pins));
        let asked: Vec<i64> =
            (0..1 << 21).map(|_| if let Value::Int(i) = keys[random.below(rows)] { i } else { 0 }).collect();
        let mut out = Vec::new();
        let mut line = format!("{rows:>9} rows:");
        let start = Instant::now();
        for key in &asked[..1 << 18] {
            black_box(index.find(&Value::Int(*key), &view));
        }
        line += &format!(" one by one {:.1}", start.elapsed().as_nanos() as f64 / (1 << 18) as f64);
        for len in [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20] {
            let vectors: Vec<Vector<'_>> =
                asked.chunks(len).map(|part| Vector::new(Values::Int(part.to_vec()))).collect();
            let positions: Vec<u32> = (0..len as u32).collect();
            let mut least = f64::MAX;
            for _ in 0..3 {
                let start = Instant::now();
                for vector in &vectors {
                    index.find_all(vector, &positions, &view, &mut out);
                    black_box(&out);
                }
                least = least.min(start.elapsed().as_nanos() as f64 / asked.len() as f64);
            }
            line += &format!("  {len}: {least:.1}");
        }
        println!("{line}");
    }
}

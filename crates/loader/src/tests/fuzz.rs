//! Mutated files: never a panic, the same result at every chunk size and thread count.

use trimorph_base::Random;

use super::{Scratch, try_load};
use crate::generate::{SnbLayout, generate_snb};
use crate::{Format, LoadOptions, NoProgress};

const INTERESTING: &[u8] = b"\"\"|,;\n\r\0\xff\xc3:T-+9.";

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(12) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 if !bytes.is_empty() => bytes[at] = INTERESTING[random.below(INTERESTING.len())],
            1 => bytes.insert(at, INTERESTING[random.below(INTERESTING.len())]),
            2 if !bytes.is_empty() => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.below(200)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
}

/// Rows taken, rows refused, or the error; the same at every chunk size and number of threads.
fn outcome(paths: &[std::path::PathBuf], format: Format, chunk_bytes: usize, threads: usize) -> String {
    let options = LoadOptions {
        threads,
        chunk_bytes,
        skip_bad_rows: true,
        field_bytes_max: 5_000,
        ..LoadOptions::default()
    };
    let (recorder, report) = try_load(paths, format, &options);
    match report {
        Ok(report) => format!(
            "{} {} {:?} {:?}",
            report.rows,
            report.rejected,
            report.rejects.samples(),
            recorder.graph()
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn mutated_neo4j_files_never_panic_and_chunks_make_no_difference() {
    let seed = 20_260_101;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let text = "id:ID(P),name,n:int,tags:string[],d:date,at:datetime,:LABEL\n\
        1,Ann,5,a;b,2001-02-03,2001-02-03T04:05:06Z,P\n2,\"B, \"\"b\"\"\nc\",,,,,P;Q\r\n3,,7,,,,Q\n4,ü,7,x,,,\n"
        .to_owned()
        + &"5,Eve,9,a;b,2001-02-03,2001-02-03T04:05:06.789+01:00,P\n".repeat(5);
    for _ in 0..400 {
        let mut bytes = text.clone().into_bytes();
        mutate(&mut bytes, &mut random);
        let scratch = Scratch::new();
        let path = scratch.file("p.csv", &bytes);
        let small = outcome(std::slice::from_ref(&path), Format::Neo4jCsv, 64, 2);
        let large = outcome(std::slice::from_ref(&path), Format::Neo4jCsv, 1 << 20, 1);
        assert_eq!(small, large, "{:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn mutated_snb_files_and_compressed_files_never_panic() {
    let seed = 77;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let scratch = Scratch::new();
    generate_snb(0.001, 1, scratch.path(), SnbLayout::Merged, &NoProgress).unwrap();
    let snapshot = scratch.path().join("initial_snapshot");
    let tables =
        ["dynamic/Person", "dynamic/Post", "dynamic/Comment", "static/Place", "dynamic/Person_knows_Person"];
    for round in 0..40 {
        let path = snapshot.join(tables[round % tables.len()]).join("part-00000.csv");
        let original = std::fs::read(&path).unwrap();
        let mut bytes = original.clone();
        if round % 3 == 0 {
            // The format is told by the first bytes, not by the name.
            bytes = zstd::bulk::compress(&bytes, 1).unwrap();
        }
        mutate(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let _ = outcome(&[scratch.path().to_path_buf()], Format::LdbcSnb, 10_000, 2);
        std::fs::write(&path, &original).unwrap();
    }
}

#[test]
fn mutated_parquet_files_are_errors_or_rows_but_never_panic() {
    let seed = 5;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let scratch = Scratch::new();
    super::mapping::write_people(&scratch.path().join("p.parquet"));
    let original = std::fs::read(scratch.path().join("p.parquet")).unwrap();
    let mapping =
        scratch.file("m.json", r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id"}]}"#);
    for _ in 0..1_500 {
        let mut bytes = original.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        scratch.file("p.parquet", &bytes);
        let _ = outcome(std::slice::from_ref(&mapping), Format::Parquet, 64, 1);
    }
}

#[test]
fn mutated_mappings_never_panic() {
    let mut random = Random::new(3);
    let scratch = Scratch::new();
    scratch.file("a.csv", "id,x\n1,2\n");
    let text = r#"{"delimiter": ",", "nodes": [{"file": "a.csv", "labels": ["A"], "key": "id", "columns": {"x": "int[]"}}],
        "edges": [{"file": "a.csv", "type": "E", "from": {"space": "A", "column": "id"}, "to": {"space": "A", "column": "x"}}]}"#;
    for _ in 0..500 {
        let mut bytes = text.as_bytes().to_vec();
        mutate(&mut bytes, &mut random);
        let path = scratch.file("m.json", &bytes);
        let _ = outcome(&[path], Format::Csv, 64, 1);
    }
}

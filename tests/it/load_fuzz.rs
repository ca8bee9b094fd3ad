//! Mutated input files: a load is rows or a typed error that names the file, never a panic, a hang or memory
//! without bound. Runs short with a fixed seed here; `FUZZ_LOAD=n` widens it (`FUZZ_SEED=s` starts
//! elsewhere).

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use trimorph::generate::{SnbLayout, generate_snb};
use trimorph::{CancelToken, Config, Database, Error, Format, LoadError, LoadOptions, NoProgress};
use trimorph_testkit::Random;

/// Longest a load may take; a bomb takes longest.
const SECONDS_MAX: u64 = 60;

/// A set of files that loads, and what is given to the loader.
struct Case {
    format: Format,
    dir: PathBuf,
    paths: Vec<PathBuf>,
    /// What is mutated, with its content.
    files: Vec<(PathBuf, Vec<u8>)>,
}

const PEOPLE: &str = "id:ID(P),name,n:int,x:float,tags:string[],d:date,at:datetime,t:localtime,u:duration,:LABEL\n\
    1,Ann,5,1.5,a;b,2001-02-03,2001-02-03T04:05:06Z,12:00:01,P1Y2M,P\n2,\"B, \"\"b\"\"\nc\",,,,,,,,P;Q\r\n\
    3,,7,-1e300,,1999-12-31,2001-02-03T04:05:06.789+01:00,,PT5S,Q\n4,ü,9223372036854775807,NaN,x,,,,,\n";
const FRIENDS: &str = ":START_ID(P),:END_ID(P),:TYPE,since:date,w:float,d:decimal,u:iri,note\n\
    1,2,KNOWS,2001-02-03,0.5,12.50,urn:a,a\n2,3,KNOWS,,,,,\"b\n\"\n\
    3,1,LIKES,2020-02-29,1,-0.001,http://example.org/\u{fc}?b=c,\n4,4,LIKES,,,99999999999999999999999999999999999999,,c\n";
const MAPPING: &str = r#"{"delimiter": ",", "nodes": [{"file": "a.csv", "labels": ["A"], "key": "id", "columns": {"x": "int[]"}},
    {"file": "b.csv", "labels": ["B"], "key": "name", "space": "B", "header": ["name", "v"]}],
    "edges": [{"file": "e.csv", "type": "E", "from": {"space": "A", "column": "a"}, "to": {"space": "B", "column": "b"}}]}"#;
const PARQUET: &str = r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id", "columns": {"u": "iri"}}],
    "edges": [{"file": "p.parquet", "type": "E", "from": {"space": "P", "column": "id"}, "to": {"space": "P", "column": "n"}}]}"#;

fn parquet_bytes() -> Vec<u8> {
    let fields = [
        ("id", DataType::Int64),
        ("n", DataType::Int64),
        ("x", DataType::Float64),
        ("s", DataType::Utf8),
        ("d", DataType::Decimal128(20, 2)),
        ("u", DataType::Utf8),
    ];
    let decimals = Decimal128Array::from_iter_values((0..50).map(|i| i * 1001));
    let schema = Arc::new(Schema::new(fields.map(|(n, t)| Field::new(n, t, true)).to_vec()));
    let batch = RecordBatch::try_new(
        Arc::clone(&schema),
        vec![
            Arc::new(Int64Array::from_iter_values(0..50)),
            Arc::new(Int64Array::from_iter((0..50).map(|i| (i % 7 != 0).then_some((i * 3) % 50)))),
            Arc::new(Float64Array::from_iter_values((0..50).map(f64::from))),
            Arc::new(StringArray::from_iter_values((0..50).map(|i| format!("text {}", i % 5)))),
            Arc::new(decimals.with_precision_and_scale(20, 2).unwrap()),
            Arc::new(StringArray::from_iter_values((0..50).map(|i| format!("urn:{}", i % 7)))),
        ],
    )
    .unwrap();
    let mut out = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    out
}

fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

fn case(root: &Path, name: &str, format: Format, given: &[&str], files: &[(&str, &[u8])]) -> Case {
    let dir = root.join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let files: Vec<_> = files.iter().map(|(name, bytes)| (dir.join(name), bytes.to_vec())).collect();
    files.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    Case { format, paths: given.iter().map(|n| dir.join(n)).collect(), dir, files }
}

fn cases(root: &Path) -> Vec<Case> {
    let (people, friends) = (PEOPLE.as_bytes(), FRIENDS.as_bytes());
    let parquet = parquet_bytes();
    let mut cases = vec![
        case(root, "neo4j", Format::Neo4jCsv, &["p.csv", "f.csv"], &[("p.csv", people), ("f.csv", friends)]),
        case(
            root,
            "mapping",
            Format::Csv,
            &["m.json"],
            &[
                ("m.json", MAPPING.as_bytes()),
                ("a.csv", b"id,x,y\n1,2;3,a\n2,,b\n3,5,\"c\"\n"),
                ("b.csv", b"n1,1\nn2,2.5\n"),
                ("e.csv", b"a,b,w\n1,n1,5\n2,n2,\n3,n1,7\n"),
            ],
        ),
        case(
            root,
            "parquet",
            Format::Parquet,
            &["m.json"],
            &[("m.json", PARQUET.as_bytes()), ("p.parquet", &parquet), ("p.parquet", &parquet)],
        ),
    ];
    let dir = root.join("snb");
    generate_snb(0.0001, 1, &dir, SnbLayout::Merged, &NoProgress).unwrap();
    let mut paths = Vec::new();
    files_below(&dir.join("initial_snapshot"), &mut paths);
    // A few rows of each, so that loads are quick; edges whose ends are cut off are refused rows.
    let cut = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let few: String = text.split_inclusive('\n').take(12).collect();
        std::fs::write(&path, &few).unwrap();
        (path, few.into_bytes())
    };
    let files = paths.into_iter().map(cut).collect();
    cases.push(Case { format: Format::LdbcSnb, paths: vec![dir.clone()], dir, files });
    cases
}

const PIECES: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b"|",
    b",",
    b";",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b":",
    b"T",
    b"-",
    b"+",
    b".",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"1e999",
    b"NaN",
    b"+999999999-12-31",
    b"null",
    b":ID",
    b":LABEL",
    b":START_ID",
    b"{",
    b"}",
    b"[",
    b"]",
    b"P999999999999999999Y",
    b"25:61:61",
    b"2001-02-30",
    b"0x7f",
    b"\\",
    b"\x1f\x8b",
    b"(\xb5/\xfd",
];

fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
            2 => drop(bytes.splice(at..end, PIECES[random.below(PIECES.len())].iter().copied())),
            3 => drop(bytes.drain(at..end)),
            4 => bytes.truncate(at),
            5 => {
                let from = random.below(other.len() + 1);
                let to = (from + random.below(200)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            6 => {
                // A line twice, or not at all.
                let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
                let stop = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i + 1);
                let line = bytes[start..stop].to_vec();
                if random.below(2) == 0 {
                    bytes.drain(start..stop);
                } else {
                    bytes.splice(start..start, line);
                }
            }
            7 => {
                let piece = bytes[at..end].to_vec();
                let many: Vec<u8> =
                    piece.iter().copied().cycle().take(piece.len() * random.below(300)).collect();
                bytes.splice(at..at, many);
            }
            _ => bytes.reverse(),
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// The bytes of a mutated file: plain, compressed after or before the mutation, or a bomb.
fn mutant(original: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    if random.below(3_000) == 0 {
        // 100 MB in 10 to 100 kB: of one line without end, or of lines.
        let piece: &[u8] = [&b"a"[..], b"\n", b"\"", b"1,2,KNOWS,,,\n", b"5|5|5\n"][random.below(5)];
        bytes.extend(piece.iter().copied().cycle().take(100_000_000));
        return if random.below(2) == 0 { gzip(&bytes) } else { zstd::bulk::compress(&bytes, 1).unwrap() };
    }
    let pack = |bytes: &[u8], random: &mut Random| {
        if random.below(2) == 0 { gzip(bytes) } else { zstd::bulk::compress(bytes, 1).unwrap() }
    };
    match random.below(6) {
        0 => {
            mutate(&mut bytes, other, random);
            pack(&bytes, random)
        }
        1 => {
            let mut packed = pack(&bytes, random);
            mutate(&mut packed, other, random);
            packed
        }
        _ => {
            mutate(&mut bytes, other, random);
            bytes
        }
    }
}

/// Loads a case. `Err` is what is wrong with the outcome.
fn attempt(case: &Case, random: &mut Random) -> Result<bool, String> {
    let config = Config::new().memory_limit_bytes(256 << 20).threads(1 + random.below(2));
    let db = Database::in_memory(config);
    let cancel = CancelToken::default();
    let options = LoadOptions {
        skip_bad_rows: random.below(2) == 0,
        chunk_bytes: [64, 1_000, 1 << 20][random.below(3)],
        field_bytes_max: 5_000,
        cancel: cancel.clone(),
        ..db.load_options()
    };
    let start = Instant::now();
    let loaded =
        catch_unwind(AssertUnwindSafe(|| db.load(&case.paths, Some(case.format), &options, &NoProgress)));
    if start.elapsed() > Duration::from_secs(SECONDS_MAX) {
        return Err(format!("took {:?}", start.elapsed()));
    }
    match loaded.map_err(|_| "panicked".to_owned())? {
        Ok(report) => {
            let stats = db.stats();
            let most = report.nodes + report.edges;
            if stats.nodes() + stats.edges() > most {
                Err("more rows than were read".into())
            } else {
                Ok(true)
            }
        }
        Err(Error::Memory(_) | Error::Load(LoadError::Memory(_))) => Ok(false),
        Err(error) => {
            let text = error.to_string();
            let names_file = text.contains(&*case.dir.to_string_lossy());
            if names_file { Ok(false) } else { Err(format!("an error that names no file: {text}")) }
        }
    }
}

/// Peak resident memory of this process, in MB; where the system says.
fn peak_mb() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

#[test]
fn mutated_files_load_or_say_why_not() {
    let n: usize = std::env::var("FUZZ_LOAD").map_or(600, |n| n.parse().unwrap());
    let seed: u64 = std::env::var("FUZZ_SEED").map_or(0x9e37_79b9_7f4a_7c15, |s| s.parse().unwrap());
    println!("{n} mutations from seed {seed}");
    let root = std::env::temp_dir().join(format!("trimorph-load-fuzz-{}", std::process::id()));
    let cases = cases(&root);
    let mut random = Random::new(seed);
    let (mut loaded, mut wrong) = (0, Vec::new());
    let mut slowest = Duration::ZERO;
    for i in 0..n {
        let case = &cases[random.below(cases.len())];
        let (path, original) = &case.files[random.below(case.files.len())];
        let bytes = mutant(original, &case.files[random.below(case.files.len())].1, &mut random);
        std::fs::write(path, &bytes).unwrap();
        let start = Instant::now();
        match attempt(case, &mut random) {
            Ok(ok) => loaded += usize::from(ok),
            Err(what) => {
                let copy = root.join(format!("wrong-{i}"));
                std::fs::write(&copy, &bytes).unwrap();
                wrong.push(format!("mutation {i} of {}: {what}; kept as {}", path.display(), copy.display()));
                println!("{}", wrong[wrong.len() - 1]);
                assert!(wrong.len() < 50, "too many to go on");
            }
        }
        slowest = slowest.max(start.elapsed());
        std::fs::write(path, original).unwrap();
        if i % 5_000 == 4_999 {
            println!("{} done, {loaded} loaded, slowest {slowest:?}, peak {:?} MB", i + 1, peak_mb());
        }
    }
    println!("{loaded} of {n} loaded, slowest {slowest:?}, peak {:?} MB", peak_mb());
    assert!(wrong.is_empty(), "{} of {n} went wrong from seed {seed}:\n{}", wrong.len(), wrong.join("\n"));
    std::fs::remove_dir_all(&root).unwrap();
}

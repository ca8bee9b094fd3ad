//! CSV against the `csv` crate on random texts, at several chunk sizes.

use trimorph_base::Random;

use super::block::Block;
use super::chunk::Chunker;
use super::split::Splitter;
use super::structural::Structural;
use super::{Dialect, NO_QUOTE};

/// Lines and fields as this crate reads them, in chunks of `chunk_bytes`.
fn read(text: &[u8], delimiter: u8, chunk_bytes: usize) -> Vec<(u64, Vec<Vec<u8>>)> {
    read_quoted(text, delimiter, b'"', chunk_bytes)
}

fn read_quoted(text: &[u8], delimiter: u8, quote: u8, chunk_bytes: usize) -> Vec<(u64, Vec<Vec<u8>>)> {
    let dialect = Dialect { delimiter, quote, field_bytes_max: 1 << 20 };
    let mut chunker = Chunker::new(text, dialect, chunk_bytes);
    let mut records = Vec::new();
    while let Some(chunk) = chunker.next().unwrap() {
        let mut splitter = Splitter::new(&chunk.bytes, dialect, chunk.first_line);
        while let Some(record) = splitter.next() {
            assert_eq!(record.fault, None);
            let fields = splitter.fields.iter().map(|f| f.value(&chunk.bytes).into_owned()).collect();
            records.push((record.line, fields));
        }
    }
    records
}

/// The same by the `csv` crate. Its own line numbers are off by one after CRLF (it ends a record at the CR),
/// so lines are counted from where it says a record begins.
fn oracle(text: &[u8], delimiter: u8) -> Vec<(u64, Vec<Vec<u8>>)> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let records = reader.byte_records().map(|record| {
        let record = record.unwrap();
        let start = record.position().unwrap().byte() as usize;
        let start = start + text[start..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let line = 1 + text[..start].iter().filter(|b| **b == b'\n').count() as u64;
        (line, record.iter().map(<[u8]>::to_vec).collect())
    });
    records.collect()
}

const BARS: Dialect = Dialect { delimiter: b'|', quote: b'"', field_bytes_max: 1 << 20 };

fn random_text(random: &mut Random, delimiter: char, with_quotes: bool) -> String {
    let mut text = String::new();
    for _ in 0..random.below(30) {
        for field in 0..=random.below(6) {
            if field > 0 {
                text.push(delimiter);
            }
            if with_quotes && random.below(3) == 0 {
                text.push('"');
                for _ in 0..random.below(20) {
                    text.push_str(
                        ["\"\"", "\n", "\r\n", "a", "ü", ",", "|", " ", "long text"][random.below(9)],
                    );
                }
                text.push('"');
            } else {
                // At least one byte, so that no line is empty.
                text.push(['x', '7', 'ß'][random.below(3)]);
                for _ in 0..random.below(12) {
                    // A quote inside an unquoted field is a character like others.
                    let quote = if with_quotes { "q\"" } else { "q" };
                    text.push_str(["b", "1", "é", " ", ".", quote][random.below(6)]);
                }
            }
        }
        text.push_str(["\n", "\r\n", "\n"][random.below(3)]);
    }
    if random.below(2) == 0 && text.ends_with('\n') && !text.ends_with("\r\n") {
        text.pop();
    }
    text
}

#[test]
fn agrees_with_the_csv_crate_at_every_chunk_size() {
    let seed = 12_345;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    for round in 0..3_000 {
        let delimiter = if round % 2 == 0 { '|' } else { ',' };
        let text = random_text(&mut random, delimiter, round % 3 != 0);
        let expected = oracle(text.as_bytes(), delimiter as u8);
        for chunk_bytes in [64, 100, 1 << 16] {
            let found = read(text.as_bytes(), delimiter as u8, chunk_bytes);
            assert_eq!(found, expected, "chunks of {chunk_bytes}: {text:?}");
        }
    }
}

#[test]
fn another_quote_is_read_as_the_usual_one() {
    let seed = 4_321;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    for _ in 0..500 {
        let text = random_text(&mut random, ',', true);
        let expected = read(text.as_bytes(), b',', 100);
        let other = text.replace('"', "'");
        let found = read_quoted(other.as_bytes(), b',', b'\'', 100);
        let back = |fields: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            let field = |f: Vec<u8>| f.into_iter().map(|b| if b == b'\'' { b'"' } else { b }).collect();
            fields.into_iter().map(field).collect()
        };
        let found: Vec<_> = found.into_iter().map(|(line, fields)| (line, back(fields))).collect();
        assert_eq!(found, expected, "{other:?}");
    }
}

#[test]
fn without_a_quote_a_quote_is_a_character() {
    let found = read_quoted(b"a,\"b\n\"c\",d\n", b',', NO_QUOTE, 64);
    let fields = |a: &str, b: &str| vec![a.as_bytes().to_vec(), b.as_bytes().to_vec()];
    assert_eq!(found, [(1, fields("a", "\"b")), (2, fields("\"c\"", "d"))]);
}

#[test]
fn blocks_hold_the_records_that_come_one_by_one() {
    let seed = 777;
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut taken = 0;
    for round in 0..600 {
        let fields = 1 + random.below(4);
        let mut text = String::new();
        for _ in 0..random.below(600) {
            // Now and then a record of another shape, or none at all.
            let odd = random.below(200) == 0;
            let count = if odd { random.below(fields + 2) } else { fields };
            let texts: Vec<&str> =
                (0..count).map(|_| ["", "1", "ab", "ü\r", "long text"][random.below(5)]).collect();
            text.push_str(&texts.join("|"));
            text.push_str(["\n", "\r\n"][random.below(2)]);
        }
        if round % 3 == 0 {
            text.push_str("end");
        }
        let bytes = text.as_bytes();
        let expected: Vec<(u64, Vec<Vec<u8>>)> = read(bytes, b'|', 1 << 16);
        let (mut splitter, mut block) = (Splitter::new(bytes, BARS, 1), Block::new(bytes, fields));
        let mut found = Vec::new();
        loop {
            let at = splitter.at();
            if let Some(line) = splitter.next_block(&mut block) {
                if random.below(4) == 0 {
                    splitter.return_to(at, line);
                } else {
                    let mut rows = vec![Vec::new(); block.rows()];
                    for field in 0..fields {
                        rows.iter_mut()
                            .zip(block.texts(field))
                            .for_each(|(row, text)| row.push(text.to_vec()));
                    }
                    taken += rows.len();
                    found.extend((line..).zip(rows));
                    continue;
                }
            }
            let Some(record) = splitter.next() else { break };
            found.push((record.line, splitter.fields.iter().map(|f| f.value(bytes).into_owned()).collect()));
        }
        assert_eq!(found, expected, "{text:?}");
    }
    assert!(taken > 50_000, "{taken}");
}

#[test]
fn byte_order_mark_and_last_line_without_end() {
    let found = read(b"\xEF\xBB\xBFa,b\r\n\r\n\n1,", b',', 64);
    let fields = |a: &str, b: &str| vec![a.as_bytes().to_vec(), b.as_bytes().to_vec()];
    assert_eq!(found, [(1, fields("a", "b")), (4, fields("1", ""))]);
    // The first chunk has the first record even after more empty lines than a chunk has bytes.
    let text = ["\n".repeat(100).as_bytes(), b"\r\na,b\n"].concat();
    assert_eq!(read(&text, b',', 64), [(102, fields("a", "b"))]);
    let mut chunker = Chunker::new(&text[..], Dialect { delimiter: b',', ..BARS }, 64);
    assert_eq!(chunker.next().unwrap().unwrap().bytes, b"a,b\n");
    assert!(read(b"", b',', 64).is_empty());
    assert!(read(b"\n\n\r\n", b',', 64).is_empty());
}

#[test]
fn structural_positions_are_those_of_a_plain_search() {
    let mut random = Random::new(9);
    for length in 0..300 {
        let text: Vec<u8> =
            (0..length).map(|_| b"|\n\x7d\x7c\xfc\x8a\x0b\x00\xffab"[random.below(11)]).collect();
        let from = random.below(length + 1);
        let mut structural = Structural::new(&text, b'|', b'\n', from);
        let found: Vec<usize> = std::iter::from_fn(|| structural.next()).collect();
        let expected: Vec<usize> = (from..length).filter(|i| matches!(text[*i], b'|' | b'\n')).collect();
        assert_eq!(found, expected);
    }
}

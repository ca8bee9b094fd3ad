//! Bad rows: each kind is refused with file, line and reason, or left out when asked.

use super::{Scratch, small_chunks, try_load};
use crate::{Format, LoadError, LoadOptions};

#[test]
fn decimals_and_iris_that_are_none_are_refused() {
    let cases = [
        ("1.5.5,", "column \"price:decimal\": \"1.5.5\" is not a valid DECIMAL"),
        ("1e3,", "\"1e3\" is not a valid DECIMAL"),
        (" 1,", "\" 1\" is not a valid DECIMAL"),
        ("-,", "\"-\" is not a valid DECIMAL"),
        ("NaN,", "\"NaN\" is not a valid DECIMAL"),
        ("123456789012345678901234567890123456789,", "is not a valid DECIMAL"),
        (",no-scheme", "column \"home:iri\": \"no-scheme\" is not a valid IRI"),
        (",<http://a>", "\"<http://a>\" is not a valid IRI"),
        (",http://a b", "is not a valid IRI"),
        (",1a:b", "is not a valid IRI"),
    ];
    for (bad, expected) in cases {
        let scratch = Scratch::new();
        let text = format!("id:ID,price:decimal,home:iri\na,1,urn:a\nb,{bad}\n");
        let path = scratch.file("file.csv", &text);
        let error = try_load(std::slice::from_ref(&path), Format::Neo4jCsv, &small_chunks()).1.unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(&format!("{}:3: ", path.display())) && error.contains(expected), "{error}");
    }
}

const HEADER: &str = "id:ID{id-type:long},name,age:int,born:date,seen:datetime,ok:boolean,x:float,:LABEL\n";
const GOOD: &str = "1,a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n";

#[test]
fn each_kind_of_bad_row_is_refused_with_file_line_and_reason() {
    let long = "y".repeat(2_000);
    let over_long = format!("2,{long},2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n");
    let cases: &[(&[u8], &str)] = &[
        (b"2,a\n", "expected 8 fields, found 2"),
        (b"2,a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L,extra\n", "expected 8 fields, found 9"),
        (b"x,a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n", "\"x\" is not a valid INTEGER"),
        (b",a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n", "must not be null"),
        (
            b"2,a,2.0,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n",
            "column \"age:int\": \"2.0\" is not a valid INTEGER",
        ),
        (b"2,a,2,2001-02-29,2000-01-01T00:00:00Z,true,1.5,L\n", "\"2001-02-29\" is not a valid DATE"),
        (b"2,a,2,2000-01-01,2000-01-01T25:00:00Z,true,1.5,L\n", "is not a valid DATETIME"),
        (b"2,a,2,2000-01-01,2000-01-01T00:00:00Z,yes,1.5,L\n", "\"yes\" is not a valid BOOLEAN"),
        (b"2,a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5.5,L\n", "\"1.5.5\" is not a valid FLOAT"),
        (b"2,a\xff,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n", "not valid UTF-8"),
        (
            b"2,\"a\"b,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n",
            "text after the closing quote of field 2 (\"name\")",
        ),
        (
            b"2,\"a,2,2000-01-01,2000-01-01T00:00:00Z,true,1.5,L\n",
            "the quote that opens field 2 (\"name\") never closes",
        ),
        (over_long.as_bytes(), "column \"name\" has 2000 bytes, more than 1000"),
    ];
    for (bad, expected) in cases {
        let scratch = Scratch::new();
        let mut text = [HEADER, GOOD, "\n"].concat().into_bytes();
        text.extend_from_slice(bad);
        text.extend_from_slice(GOOD.as_bytes());
        let path = scratch.file("file.csv", &text);
        let rejects_path = scratch.path().join("rejects.csv");
        let options = LoadOptions { field_bytes_max: 1_000, ..small_chunks() };

        let (_, report) = try_load(std::slice::from_ref(&path), Format::Neo4jCsv, &options);
        let Err(LoadError::Rejected { text: message, rejected, .. }) = report else {
            panic!("{expected}: {:?}", report.map(|r| r.rows));
        };
        assert_eq!(rejected.line, 4, "{message}");
        assert!(
            message.starts_with(&format!("{}:4: ", path.display())) && message.contains(expected),
            "{message}"
        );

        let options =
            LoadOptions { skip_bad_rows: true, rejects_path: Some(rejects_path.clone()), ..options };
        let (recorder, report) = try_load(std::slice::from_ref(&path), Format::Neo4jCsv, &options);
        let report = report.unwrap();
        assert_eq!((report.rows, report.rejected), (2, 1), "{expected}");
        let state = recorder.state.lock().unwrap();
        let lines: Vec<u64> = state.nodes[0].1.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 5], "{expected}");
        let mut reader = csv::Reader::from_path(&rejects_path).unwrap();
        let record = reader.byte_records().next().unwrap().unwrap();
        assert_eq!(&record[1], b"4");
        assert!(String::from_utf8_lossy(&record[2]).contains(expected));
        assert_eq!(String::from_utf8_lossy(&record[3]), String::from_utf8_lossy(bad).trim_end_matches('\n'));
    }
}

#[test]
fn a_record_too_long_to_hold_is_dropped_and_the_next_is_read() {
    let scratch = Scratch::new();
    let huge = "z".repeat(100_000);
    let text = format!("k:ID,v,:LABEL\n1,a,L\n2,{huge},L\n3,c,L\n4,\"{huge}\n\",L\n5,e,L\n");
    let path = scratch.file("file.csv", text);
    let options = LoadOptions { field_bytes_max: 1_000, skip_bad_rows: true, ..small_chunks() };
    let (recorder, report) = try_load(&[path], Format::Neo4jCsv, &options);
    let report = report.unwrap();
    let rows = &recorder.state.lock().unwrap().nodes[0].1;
    let kept: Vec<(&str, u64)> = rows.iter().map(|r| (r.values[0].as_str(), r.line)).collect();
    assert_eq!(kept, [("'1'", 2), ("'3'", 4), ("'5'", 7)], "{:?}", report.rejects.samples());
    assert!(report.rejects.samples()[0].ends_with(":3: record is longer than 4000 bytes"));
}

#[test]
fn a_row_of_an_unknown_place_type_is_refused() {
    let scratch = Scratch::new();
    let place = scratch.path().join("static/Place");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("part-0.csv"), "id|name|url|type|PartOfPlaceId\n1|A|u|City|\n2|B|u|Town|1\n")
        .unwrap();
    let (_, report) = try_load(&[scratch.path().to_path_buf()], Format::LdbcSnb, &small_chunks());
    let message = report.unwrap_err().to_string();
    assert!(message.ends_with("part-0.csv:3: \"Town\" is not a known type"), "{message}");
}

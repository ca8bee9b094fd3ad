//! Mapping files over CSV and Parquet.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, Float64Array,
    Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
    UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::{Scratch, small_chunks, try_load};
use crate::{Format, LoadOptions};

fn rows(texts: &[Vec<String>]) -> Vec<String> {
    texts.iter().map(|row| row.join(" ")).collect()
}

#[test]
fn plain_csv_with_inferred_types() {
    let scratch = Scratch::new();
    scratch.file(
        "person.csv",
        "id|name|age|height|member|born|seen|note\n\
         1|Ann|30|1.5|true|1990-01-02|2020-01-01T00:00:00Z|NULL\n\
         2|Bob|NULL|2|FALSE|NULL|2020-01-01T00:00:01+01:00|NULL\n",
    );
    scratch.file("knows.csv", "a|b|w\n1|2|7\n2|1|x\n");
    let mapping = scratch.file(
        "graph.json",
        r#"{"delimiter": "|", "null": "NULL",
            "nodes": [{"file": "person.csv", "labels": ["Person"], "key": "id", "columns": {"note": "skip"}}],
            "edges": [{"file": "knows.csv", "type": "KNOWS", "from": {"space": "Person", "column": "a"},
                       "to": {"space": "Person", "column": "b"}}]}"#,
    );
    let (recorder, report) = try_load(std::slice::from_ref(&mapping), Format::Csv, &small_chunks());
    assert_eq!(report.unwrap().edges, 2);
    let graph = recorder.graph();
    let people = rows(&graph["(:Person)"]);
    assert_eq!(people[0], "1 'Ann' 30 1.5 true date 7306 datetime 1577836800000000000");
    assert!(people[1].starts_with("2 'Bob' null 2.0 false null DateTime"), "{}", people[1]);
    assert_eq!(rows(&graph["(:Person)-[:KNOWS]->(:Person)"]), ["1 2 '7'", "2 1 'x'"]);
}

#[test]
fn a_file_without_header_line_and_string_keys() {
    let scratch = Scratch::new();
    scratch.file("data.csv", "k1,5\nk2,6\n");
    let mapping = scratch.file(
        "m.json",
        r#"{"nodes": [{"file": "data.csv", "header": ["k", "v"], "labels": ["T"], "key": "k", "space": "S",
            "columns": {"v": "string"}}]}"#,
    );
    let (recorder, report) = try_load(&[mapping], Format::Csv, &small_chunks());
    report.unwrap();
    assert_eq!(rows(&recorder.graph()["(:T)"]), ["'k1' '5'", "'k2' '6'"]);
}

#[test]
fn wrong_mappings_say_what_is_wrong() {
    let node = |rest: &str| format!(r#"{{"nodes": [{{"file": "d.csv", "labels": ["T"]{rest}}}]}}"#);
    let cases = [
        ("{".to_owned(), "not valid JSON"),
        ("[]".to_owned(), "mapping must be an object"),
        ("{}".to_owned(), "neither nodes nor edges"),
        (r#"{"node": []}"#.to_owned(), "did you mean \"nodes\"?"),
        (r#"{"delimiter": "ab", "nodes": []}"#.to_owned(), "one ASCII character"),
        (r#"{"nodes": [{}]}"#.to_owned(), "has no \"file\""),
        (node(r#", "key": "kk""#), "it has k, v"),
        (node(r#", "columns": {"v": "integre"}"#), "unknown type \"integre\""),
        (node(r#", "columns": {"v": "decimals"}"#), "decimal, boolean, string, iri"),
        (node(r#", "columns": {"zzzzzz": "int"}"#), "no column \"zzzzzz\""),
        (node(r#", "key": "k", "columns": {"k": "float"}"#), "must be INTEGER or STRING"),
        (
            r#"{"edges": [{"file": "d.csv", "type": "E", "from": {"space": "A", "column": "k"},
                "to": {"space": "A", "column": "v"}}]}"#
                .to_owned(),
            "no nodes have key space \"A\"",
        ),
    ];
    let scratch = Scratch::new();
    scratch.file("d.csv", "k,v\na,1\n");
    for (text, expected) in cases {
        let mapping = scratch.file("m.json", &text);
        let (_, report) = try_load(&[mapping], Format::Csv, &small_chunks());
        let error = report.unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

pub(super) fn write_people(path: &Path) {
    let batch = people();
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_max_row_group_row_count(Some(2))
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn people() -> RecordBatch {
    let mut tags = ListBuilder::new(StringBuilder::new());
    tags.append_value([Some("x"), Some("y")]);
    tags.append_null();
    tags.append_value([None::<&str>]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(vec![Some(1), Some(2), None]))),
        ("name", Arc::new(StringArray::from(vec![Some("Ann"), None, Some("Cid")]))),
        ("age", Arc::new(Int32Array::from(vec![Some(30), None, Some(1)]))),
        ("big", Arc::new(UInt64Array::from(vec![5, u64::MAX, 6]))),
        ("height", Arc::new(Float64Array::from(vec![1.5, 2.0, 3.0]))),
        ("ok", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("born", Arc::new(Date32Array::from(vec![1, 2, 3]))),
        ("seen", Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3]).with_timezone("UTC"))),
        ("tags", Arc::new(tags.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap()
}

#[test]
fn parquet_columns_keep_their_types_and_bad_rows_are_refused() {
    let scratch = Scratch::new();
    write_people(&scratch.path().join("p.parquet"));
    let mapping =
        scratch.file("m.json", r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id"}]}"#);
    let options = LoadOptions { skip_bad_rows: true, ..small_chunks() };
    let (recorder, report) = try_load(std::slice::from_ref(&mapping), Format::Parquet, &options);
    let report = report.unwrap();
    assert_eq!((report.rows, report.rejected), (1, 2));
    let samples = report.rejects.samples();
    assert!(samples[0].contains("p.parquet:2: column \"big\": value does not fit"), "{}", samples[0]);
    assert!(samples[1].contains("p.parquet:3: column \"id\" must not be null"), "{}", samples[1]);
    assert_eq!(rows(&recorder.graph()["(:P)"]), ["1 'Ann' 30 5 1.5 true date 1 datetime 1000 ['x', 'y']"]);
    // Broken files are errors.
    let bytes = std::fs::read(scratch.path().join("p.parquet")).unwrap();
    for cut in [0, 3, 100, bytes.len() - 1] {
        scratch.file("p.parquet", &bytes[..cut]);
        assert!(try_load(std::slice::from_ref(&mapping), Format::Parquet, &options).1.is_err());
    }
}

fn write_columns(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)));
    let batch = batch.unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn parquet_decimals_and_iris() {
    let decimals = |values: Vec<Option<i128>>, precision, scale| -> ArrayRef {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, scale).unwrap())
    };
    let scratch = Scratch::new();
    let path = scratch.path().join("p.parquet");
    let homes = StringArray::from(vec![Some("urn:a"), None, Some("b c")]);
    write_columns(
        &path,
        vec![
            ("id", Arc::new(Int64Array::from(vec![1, 2, 3]))),
            ("short", decimals(vec![Some(1250), None, Some(-1)], 9, 2)),
            ("middle", decimals(vec![Some(10), Some(0), None], 18, 3)),
            ("long", decimals(vec![Some(10_i128.pow(38) - 1), Some(1 - 10_i128.pow(38)), Some(5)], 38, 38)),
            ("home", Arc::new(homes)),
        ],
    );
    let mapping = |columns: &str| {
        let text = format!(
            r#"{{"nodes": [{{"file": "p.parquet", "labels": ["P"], "key": "id", "columns": {columns}}}]}}"#
        );
        scratch.file("m.json", &text)
    };
    let options = LoadOptions { skip_bad_rows: true, ..small_chunks() };
    let nines = "9".repeat(38);
    let (recorder, report) =
        try_load(&[mapping(r#"{"home": "iri", "short": "decimal"}"#)], Format::Parquet, &options);
    let report = report.unwrap();
    assert_eq!((report.rows, report.rejected), (2, 1));
    let sample = &report.rejects.samples()[0];
    assert!(sample.contains("p.parquet:3: column \"home\": \"b c\" is not a valid IRI"), "{sample}");
    assert_eq!(
        rows(&recorder.graph()["(:P)"]),
        [format!("1 12.5 0.01 0.{nines} <urn:a>"), format!("2 null 0 -0.{nines} null")]
    );
    let error = try_load(&[mapping(r#"{"short": "iri"}"#)], Format::Parquet, &options).1.unwrap_err();
    assert!(error.to_string().contains("column \"short\" holds DECIMAL"), "{error}");
    // Types of more digits than a decimal are taken, types that no property has are not.
    let wide = Decimal256Array::new_null(1).with_precision_and_scale(50, 0).unwrap();
    let id: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    write_columns(&path, vec![("id", Arc::clone(&id)), ("wide", Arc::new(wide))]);
    assert_eq!(try_load(&[mapping("{}")], Format::Parquet, &options).1.unwrap().rows, 1);
    let parts = StructArray::try_from(vec![("a", Arc::clone(&id))]).unwrap();
    write_columns(&path, vec![("id", Arc::clone(&id)), ("parts", Arc::new(parts.clone()))]);
    // A struct is its fields; a list of structs is nothing that a property has.
    assert_eq!(try_load(&[mapping("{}")], Format::Parquet, &options).1.unwrap().rows, 1);
    let item = Arc::new(Field::new("item", parts.data_type().clone(), true));
    let list = ListArray::new(item, OffsetBuffer::from_lengths([1]), Arc::new(parts), None);
    write_columns(&path, vec![("id", id), ("parts", Arc::new(list))]);
    let error = try_load(&[mapping("{}")], Format::Parquet, &options).1.unwrap_err();
    assert!(error.to_string().contains("column \"parts\" has type List"), "{error}");
}

#[test]
fn parquet_edges_without_an_end_and_instants_beyond_nanoseconds() {
    let scratch = Scratch::new();
    let far = 16_725_225_600_000_001; // 2500-01-01T00:00:00.000001
    write_columns(
        &scratch.path().join("n.parquet"),
        vec![
            ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![Some(1), Some(far), None]))),
        ],
    );
    write_columns(
        &scratch.path().join("e.parquet"),
        vec![
            ("a", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as ArrayRef),
            ("b", Arc::new(Int64Array::from(vec![Some(2), Some(2), None]))),
        ],
    );
    let mapping = scratch.file(
        "m.json",
        r#"{"nodes": [{"file": "n.parquet", "labels": ["P"], "key": "id"}],
            "edges": [{"file": "e.parquet", "type": "E", "from": {"space": "P", "column": "a"},
                       "to": {"space": "P", "column": "b"}}]}"#,
    );
    let (recorder, report) = try_load(&[mapping], Format::Parquet, &small_chunks());
    let report = report.unwrap();
    assert_eq!((report.nodes, report.edges, report.rejected, report.without_end), (3, 1, 0, 2));
    let graph = recorder.graph();
    assert_eq!(rows(&graph["(:P)-[:E]->(:P)"]), ["1 2"]);
    assert!(graph["(:P)"][1][1].contains("16725225600"), "{:?}", graph["(:P)"]);
    assert_eq!(graph["(:P)"][2][1], "null");
}

/// What columns were read as is in the report, and for text that looked like something else the value.
#[test]
fn the_report_says_what_made_a_column_text() {
    let scratch = Scratch::new();
    scratch.file(
        "a.csv",
        "id,age,name,size,given,gone\n1,30,Ann,1,x,2020-01-01\n2,n/a,7,2.5,8,\n3,31,Bob,x,9,2020-01-02\n",
    );
    let mapping = scratch.file(
        "graph.json",
        r#"{"nodes": [{"file": "a.csv", "labels": ["A"], "key": "id", "columns": {"given": "string"}}]}"#,
    );
    let (_, report) = try_load(std::slice::from_ref(&mapping), Format::Csv, &LoadOptions::default());
    let report = report.unwrap();
    let shown: Vec<String> = report.files[0]
        .columns
        .iter()
        .map(|c| {
            let fell = c.fell.as_ref().map(|f| format!(" was {} until {}", f.was, f.value));
            format!("{} {}{}", c.name, c.ty, fell.unwrap_or_default())
        })
        .collect();
    let expected = [
        "id INTEGER",
        "age STRING was INTEGER until n/a",
        "name STRING",
        "size STRING was FLOAT until x",
        "given STRING",
        "gone DATE",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn several_texts_are_null_and_the_empty_field_always_is() {
    for (nulls, expected) in [
        (r#"["NA", "-"]"#, ["1 7 null", "2 null null", "3 null 'x'", "4 null ''"]),
        (r#""NA""#, ["1 7 null", "2 null '-'", "3 null 'x'", "4 null ''"]),
    ] {
        let scratch = Scratch::new();
        scratch.file("a.csv", "id,age,name\n1,7,\n2,NA,-\n3,,x\n4,NA,\"\"\n");
        let text =
            format!(r#"{{"null": {nulls}, "nodes": [{{"file": "a.csv", "labels": ["A"], "key": "id"}}]}}"#);
        let mapping = scratch.file("graph.json", &text);
        let (recorder, report) =
            try_load(std::slice::from_ref(&mapping), Format::Csv, &LoadOptions::default());
        report.unwrap();
        assert_eq!(rows(&recorder.graph()["(:A)"]), expected, "{nulls}");
    }
    let scratch = Scratch::new();
    scratch.file("a.csv", "id\n1\n");
    let mapping = scratch.file("graph.json", r#"{"null": 7, "nodes": [{"file": "a.csv", "labels": ["A"]}]}"#);
    let (_, report) = try_load(std::slice::from_ref(&mapping), Format::Csv, &LoadOptions::default());
    assert!(report.unwrap_err().to_string().contains("\"null\" must be a string or a list of strings"));
}

//! What an entry of a mapping may say: names, labels and types from columns, several files, forms of dates,
//! delimiters and quotes of its own; and files of JSON.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::ArrowWriter;

use super::{Scratch, small_chunks, try_load};
use crate::files::{files_of, is_rejects, matches};
use crate::{Format, LoadOptions};

fn rows(texts: &[Vec<String>]) -> Vec<String> {
    texts.iter().map(|row| row.join(" ")).collect()
}

/// The graph that a mapping makes, by table, or why there is none.
fn graph_of(
    scratch: &Scratch,
    mapping: &str,
    options: &LoadOptions,
) -> Result<std::collections::BTreeMap<String, Vec<String>>, String> {
    let mapping = scratch.file("mapping.json", mapping);
    let (recorder, report) = try_load(&[mapping], Format::Csv, options);
    report.map_err(|error| error.to_string())?;
    Ok(recorder.graph().iter().map(|(table, texts)| (table.clone(), rows(texts))).collect())
}

#[test]
fn columns_are_renamed() {
    let scratch = Scratch::new();
    scratch.file("p.csv", "id,years,x\n1,30,a\n");
    let mapping = r#"{"nodes": [{"file": "p.csv", "labels": ["P"], "key": "id",
        "columns": {"years": {"type": "float", "name": "age"}, "id": {"name": "key"}}}]}"#;
    assert_eq!(graph_of(&scratch, mapping, &small_chunks()).unwrap()["(:P)"], ["1 30.0 'a'"]);
    let twice = r#"{"nodes": [{"file": "p.csv", "labels": ["P"], "key": "id",
        "columns": {"years": {"name": "x"}}}]}"#;
    let error = graph_of(&scratch, twice, &small_chunks()).unwrap_err();
    assert!(error.contains("two of its columns become property \"x\""), "{error}");
}

#[test]
fn labels_and_types_come_from_columns() {
    let scratch = Scratch::new();
    scratch.file("n.csv", "id,kind,name\n1,Film;Old,a\n2,,b\n3,Film;Old,c\n");
    scratch.file("e.csv", "a,b,rel\n1,2,LIKES\n2,3,KNOWS\n");
    let mapping = r#"{"nodes": [{"file": "n.csv", "labels": ["Thing"], "label_column": "kind", "key": "id"}],
        "edges": [{"file": "e.csv", "type_column": "rel", "from": {"space": "Thing", "column": "a"},
                   "to": {"space": "Thing", "column": "b"}}]}"#;
    let graph = graph_of(&scratch, mapping, &small_chunks()).unwrap();
    assert_eq!(graph["(:Thing:Film:Old)"], ["1 'a'", "3 'c'"]);
    assert_eq!(graph["(:Thing)"], ["2 'b'"]);
    assert!(
        graph.keys().any(|table| table.contains("LIKES")) && graph.keys().any(|t| t.contains("KNOWS")),
        "{graph:?}"
    );
    let nameless = r#"{"nodes": [{"file": "n.csv", "label_column": "kind", "key": "id"}]}"#;
    let error = graph_of(&scratch, nameless, &small_chunks()).unwrap_err();
    assert!(error.contains("give it a \"space\""), "{error}");
    scratch.file("e.csv", "a,b,rel\n1,2,LIKES\n2,3,\n");
    let error = graph_of(&scratch, mapping, &small_chunks()).unwrap_err();
    assert!(error.contains("e.csv:3: column \"rel\" must not be null"), "{error}");
}

#[test]
fn an_entry_names_several_files_of_all_kinds() {
    let scratch = Scratch::new();
    scratch.file("part10.csv", "id,x\n3,1.5\n");
    scratch.file("part2.csv", "id,x\n2,7\n");
    scratch.file("more.jsonl", "{\"id\": 4, \"x\": 1}\n");
    scratch.file("part3.rejects.csv", "file,line,reason,row\n");
    let mapping = r#"{"nodes": [{"file": ["part*.csv", "more.jsonl"], "labels": ["P"], "key": "id"}]}"#;
    // One type in all files, parts by their numbers.
    assert_eq!(graph_of(&scratch, mapping, &small_chunks()).unwrap()["(:P)"], ["2 7.0", "3 1.5", "4 1.0"]);
    let none = r#"{"nodes": [{"file": "nope*.csv", "labels": ["P"], "key": "id"}]}"#;
    let error = graph_of(&scratch, none, &small_chunks()).unwrap_err();
    assert!(error.contains("no file matches \"nope*.csv\""), "{error}");
    let twice = r#"{"nodes": [{"file": ["part2.csv", "part2*"], "labels": ["P"], "key": "id"}]}"#;
    assert!(graph_of(&scratch, twice, &small_chunks()).unwrap_err().contains("twice"));
}

#[test]
fn dates_have_forms_and_files_their_own_signs() {
    let scratch = Scratch::new();
    scratch.file("a.csv", "id;born;seen;note\n1;02/01/1990;3 Feb 2020 4:05 PM;'x;y'\n");
    scratch.file("b.csv", "id,day\n2,20200203\n");
    let mapping = r#"{"date_format": "%d/%m/%Y",
        "nodes": [{"file": "a.csv", "labels": ["A"], "key": "id", "delimiter": ";", "quote": "'",
                   "datetime_format": "%d %b %Y %I:%M %p"},
                  {"file": "b.csv", "labels": ["B"], "key": "id", "columns": {"day": {"format": "%Y%m%d"}}}]}"#;
    let graph = graph_of(&scratch, mapping, &small_chunks()).unwrap();
    assert_eq!(graph["(:A)"], ["1 date 7306 local datetime 1580745900000000000 'x;y'"]);
    assert_eq!(graph["(:B)"], ["2 date 18295"]);
    scratch.file("b.csv", "id,day\n2,2020-02-03\n");
    let error = graph_of(&scratch, mapping, &small_chunks()).unwrap_err();
    assert!(error.contains("b.csv:2: column \"day\": \"2020-02-03\" is not a valid DATE"), "{error}");
    for (format, says) in [("%Q", "unknown directive %Q"), ("x", "no directive"), ("%", "lone %")] {
        let mapping = mapping.replace("%d/%m/%Y", format);
        assert!(graph_of(&scratch, &mapping, &small_chunks()).unwrap_err().contains(says), "{format}");
    }
}

#[test]
fn objects_are_rows() {
    let scratch = Scratch::new();
    scratch.file(
        "p.jsonl",
        "{\"id\": 1, \"name\": \"Ann \\\"A\\\"\", \"home\": {\"city\": \"Rome\", \"zip\": 5}, \"tags\": [\"a\", 1], \"born\": \"1990-01-02\", \"score\": 1}\n\
         \n\
         {\"score\": 2.5, \"id\": 2, \"home\": null, \"odd\": [{\"x\": 1}]}\n",
    );
    let mapping = r#"{"nodes": [{"file": "p.jsonl", "labels": ["P"], "key": "id"}]}"#;
    let graph = graph_of(&scratch, mapping, &small_chunks()).unwrap();
    assert_eq!(
        graph["(:P)"],
        [
            "1 'Ann \"A\"' 'Rome' 5 ['a', Int(1)] date 7306 1.0 null",
            "2 null null null null null 2.5 '[{\"x\": 1}]'"
        ]
    );
    // The same in an array, and the objects themselves where they are asked for.
    scratch.file("p.json", "[{\"id\": 1, \"home\": {\"city\": \"Rome\"}},\n {\"id\": 2}]");
    let mapping =
        r#"{"nodes": [{"file": "p.json", "labels": ["P"], "key": "id", "columns": {"home": "string"}}]}"#;
    let graph = graph_of(&scratch, mapping, &small_chunks()).unwrap();
    assert_eq!(graph["(:P)"], ["1 '{\"city\": \"Rome\"}'", "2 null"]);
}

#[test]
fn bad_objects_are_bad_rows() {
    let scratch = Scratch::new();
    let good = "{\"id\": 1, \"n\": 2}\n";
    let mapping =
        r#"{"nodes": [{"file": "p.jsonl", "labels": ["P"], "key": "id", "columns": {"n": "int"}}]}"#;
    for (bad, says) in [
        ("{\"id\": 2, \"n\": }", "p.jsonl:2: it is no JSON: expected a value"),
        ("{\"id\": 2, \"n\": \"x\"}", "p.jsonl:2: column \"n\": \"x\" is not a valid INTEGER"),
        ("{\"n\": 1}", "p.jsonl:2: column \"id\" must not be null"),
        ("{\"id\": 2, \"n\": 1, \"n\": 2}", "key \"n\" is there twice"),
        ("{\"id\": 2, \"n\": {\"x\": 1}}", "is not a valid INTEGER"),
        ("[1, 2]", "expected an object, found a list"),
    ] {
        scratch.file("p.jsonl", format!("{good}{bad}\n"));
        let error = graph_of(&scratch, mapping, &small_chunks()).unwrap_err();
        assert!(error.contains(says), "{bad}: {error}");
        let options = LoadOptions { skip_bad_rows: true, ..small_chunks() };
        assert_eq!(graph_of(&scratch, mapping, &options).unwrap()["(:P)"], ["1 2"], "{bad}");
    }
    // A key that only comes behind the sample.
    let many = "{\"id\": 1, \"n\": 2}\n".repeat(300_000);
    scratch.file("p.jsonl", format!("{many}{{\"id\": 2, \"m\": 1}}\n"));
    let mapping = mapping.replace(", \"key\": \"id\"", "");
    let error = graph_of(&scratch, &mapping, &LoadOptions::default()).unwrap_err();
    assert!(error.contains("p.jsonl:300001: key \"m\" is none of the first rows; name it"), "{error}");
    let named = mapping.replace("\"n\": \"int\"", "\"m\": \"int\"");
    assert_eq!(graph_of(&scratch, &named, &LoadOptions::default()).unwrap()["(:P)"].len(), 300_001);
}

#[test]
fn structs_of_parquet_are_their_fields() {
    let scratch = Scratch::new();
    let city = StringArray::from(vec![Some("Rome"), Some("x")]);
    let zip = Int64Array::from(vec![Some(5), None]);
    let fields = Fields::from(vec![
        Field::new("city", DataType::Utf8, true),
        Field::new("zip", DataType::Int64, true),
    ]);
    let nulls = Some(vec![true, false].into());
    let home = StructArray::new(fields, vec![Arc::new(city), Arc::new(zip)], nulls);
    let id: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("id", id), ("home", Arc::new(home) as ArrayRef)]).unwrap();
    let path = scratch.path().join("p.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mapping = r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id",
        "columns": {"home.city": {"name": "city"}}}]}"#;
    assert_eq!(graph_of(&scratch, mapping, &small_chunks()).unwrap()["(:P)"], ["1 'Rome' 5", "2 null null"]);
    let routed =
        r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id", "label_column": "home.city"}]}"#;
    let graph = graph_of(&scratch, routed, &small_chunks()).unwrap();
    assert_eq!(
        (&graph["(:P:Rome)"][..], &graph["(:P)"][..]),
        (&["1 5".to_owned()][..], &["2 null".to_owned()][..])
    );
    let skipped =
        r#"{"nodes": [{"file": "p.parquet", "labels": ["P"], "key": "id", "columns": {"home": "skip"}}]}"#;
    assert_eq!(graph_of(&scratch, skipped, &small_chunks()).unwrap()["(:P)"], ["1", "2"]);
}

#[test]
fn wildcards() {
    for (pattern, name, is) in [
        ("*", "", true),
        ("a*c", "abbc", true),
        ("a*c", "abbd", false),
        ("a?c", "abc", true),
        ("[a-c]x", "bx", true),
        ("[!a-c]x", "bx", false),
        ("[", "[", true),
        ("*a*b*", "xxaxxbxx", true),
        ("**", "x", true),
    ] {
        assert_eq!(matches(pattern, name), is, "{pattern} {name}");
    }
    // No time that doubles with each star.
    assert!(!matches(&format!("{}c", "a*".repeat(60)), &"ab".repeat(200)));
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.path().join("d/e")).unwrap();
    scratch.file("d/e/x1.csv", "a\n");
    scratch.file("d/x2.csv", "a\n");
    scratch.file("d/bad.csv", "file,line,reason,row\n");
    let names = |pattern: &str| -> Vec<String> {
        let found = files_of(scratch.path(), pattern).unwrap();
        found.iter().map(|p| p.strip_prefix(scratch.path()).unwrap().display().to_string()).collect()
    };
    assert_eq!(names("d/*.csv"), ["d/x2.csv"]);
    assert_eq!(names("**/x*.csv"), ["d/e/x1.csv", "d/x2.csv"]);
    assert!(is_rejects(&scratch.path().join("d/bad.csv")) && !is_rejects(&scratch.path().join("d/x2.csv")));
}

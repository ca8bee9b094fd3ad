//! Mappings for directories: what is written loads as it stands.

use super::{Scratch, try_load};
use crate::{Format, LoadOptions, guess_mapping};
use std::path::Path;

fn check(files: &[(&str, &str)], tables: &[(&str, usize)]) -> String {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.file(name, text);
    }
    let dir = scratch.path().to_owned();
    let mapping = guess_mapping(&dir).unwrap().text;
    // The directory itself loads as its mapping says, and the report tells that there was none.
    let (by_itself, report) = try_load(std::slice::from_ref(&dir), Format::Csv, &LoadOptions::default());
    assert_eq!(report.unwrap_or_else(|e| panic!("{e}\n{mapping}")).guessed.as_ref(), Some(&dir));
    let path = scratch.file("mapping.json", &mapping);
    let (recorder, report) = try_load(std::slice::from_ref(&path), Format::Csv, &LoadOptions::default());
    report.unwrap_or_else(|e| panic!("{e}\n{mapping}"));
    let graph = recorder.graph();
    assert_eq!(by_itself.graph(), graph, "{mapping}");
    let found: Vec<(&str, usize)> = graph.iter().map(|(table, rows)| (table.as_str(), rows.len())).collect();
    assert_eq!(found, tables, "{mapping}");
    mapping
}

#[test]
fn nodes_edges_and_references_are_found() {
    let mapping = check(
        &[
            (
                "movies.csv",
                "id,title,released,director_id\n10,Solaris,1972-03-20,1\n11,Stalker,1979-05-25,1\n",
            ),
            ("directors.csv", "id,name,born\n1,Tarkovsky,1932\n2,Bergman,1918\n"),
            ("rated.csv", "source,target,stars\n1,10,4.5\n2,11,5\n"),
            ("old.rejects.csv", "file,line\nx,1\n"),
        ],
        &[
            ("(:Directors)", 2),
            ("(:Directors)-[:RATED]->(:Movies)", 2),
            ("(:Movies)", 2),
            ("(:Movies)-[:HAS_DIRECTOR]->(:Directors)", 2),
        ],
    );
    assert!(
        mapping.contains("\"released\": \"date\"") && mapping.contains("\"stars\": \"float\""),
        "{mapping}"
    );
}

#[test]
fn a_first_line_that_looks_like_a_row_is_told_of() {
    let scratch = Scratch::new();
    scratch.file("bare.csv", "1,Ann\n2,Bob\n");
    scratch.file("keys.jsonl", "{\"1\": 2}\n");
    let path = scratch.file("good.csv", "id,name\n1,Ann\n");
    let guessed = guess_mapping(path.parent().unwrap()).unwrap();
    assert_eq!(guessed.odd_headers, [("bare.csv".to_owned(), "1".to_owned())]);
}

#[test]
fn ends_are_found_by_their_names_and_between_them_stands_the_type() {
    check(
        &[
            ("person.csv", "person_id;name\na;Ann\nb;Bob\n"),
            ("city.csv", "code;name\nU;Ulm\n"),
            ("person_lives_in_city.csv", "personId;cityCode;since\na;U;2001\n"),
            ("person_knows_person.csv", "from;to\na;b\n"),
            ("likes.csv", "person1;person2\na;b\n"),
        ],
        &[
            ("(:City)", 1),
            ("(:Person)", 2),
            ("(:Person)-[:KNOWS]->(:Person)", 1),
            ("(:Person)-[:LIKES]->(:Person)", 1),
            ("(:Person)-[:LIVES_IN]->(:City)", 1),
        ],
    );
}

#[test]
fn what_is_no_key_is_no_end() {
    check(
        &[
            ("events.csv", "start,end,what\n2024-01-01,2024-01-02,fair\n2024-02-01,2024-02-02,fair\n"),
            ("points.csv", "a,b\n0.5,1.5\n0.25,2.5\n"),
        ],
        &[("(:Events)", 2), ("(:Points)", 2)],
    );
}

/// Edges alone: who the ends are says no file.
#[test]
fn edges_without_nodes_are_told_of() {
    let scratch = Scratch::new();
    scratch.file("edges.csv", "source,target\n1,2\n");
    let (_, report) = try_load(&[scratch.path().to_owned()], Format::Csv, &LoadOptions::default());
    let error = report.unwrap_err().to_string();
    assert!(
        error.contains("none of the nodes that they are between (add a file with a column id"),
        "{error}"
    );
}

#[test]
fn odd_directories_are_mapped_or_refused() {
    check(&[("only.csv", "x,y\n1,2\n1,2\n")], &[("(:Only)", 2)]);
    check(&[("one.tsv", "name\tage\n\"a \"\"b\"\"\"\t3\n")], &[("(:One)", 1)]);
    let scratch = Scratch::new();
    let path = scratch.file("a.csv", "x,y\n1,2\n");
    scratch.file("b.csv", "x;y\n1;2\n");
    // Each file has its own delimiter.
    let mapping = guess_mapping(path.parent().unwrap()).unwrap().text;
    assert!(mapping.contains("\"file\": \"b.csv\", \"delimiter\": \";\""), "{mapping}");
    check(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x;y\n1;2\n")], &[("(:A)", 1), ("(:B)", 1)]);
    check(
        &[
            ("cities.jsonl", "{\"id\": 1, \"at\": {\"lat\": 1.5}}\n{\"id\": 2, \"at\": null}\n"),
            ("people.json", "[{\"id\": 1, \"city_id\": 2}, {\"id\": 2, \"city_id\": 1}]"),
            ("old.rejects.csv", "file,line,reason,row\n"),
        ],
        &[("(:Cities)", 2), ("(:People)", 2), ("(:People)-[:HAS_CITY]->(:Cities)", 2)],
    );
    let scratch = Scratch::new();
    let path = scratch.file("a.txt", "x");
    let error = guess_mapping(path.parent().unwrap()).unwrap_err().to_string();
    assert!(error.contains("has no .csv, .tsv, .jsonl, .json or .parquet files"), "{error}");
    assert!(guess_mapping(Path::new("/nowhere/at/all")).is_err());
}

/// Files that say nothing, and copies, do not keep the others from being mapped.
#[test]
fn what_cannot_be_read_is_left_out() {
    let scratch = Scratch::new();
    let path = scratch.file("person.csv", "id,name\n1,Ann\n");
    scratch.file("person.csv.gz", "a copy");
    scratch.file("empty.csv", "");
    scratch.file("broken.parquet", "x");
    let mapping = guess_mapping(path.parent().unwrap()).unwrap();
    let reasons = ["broken.parquet", "empty.csv: file is empty", "person.csv is there, too"];
    assert_eq!(mapping.left_out.len(), reasons.len(), "{mapping:?}");
    for (left, reason) in mapping.left_out.iter().zip(reasons) {
        assert!(left.contains(reason), "{left}");
    }
    assert_eq!(mapping.text.matches("\"file\"").count(), 1, "{}", mapping.text);
    // A load of the directory leaves no data out: it says what to do.
    let (_, report) = try_load(&[scratch.path().to_owned()], Format::Csv, &LoadOptions::default());
    let error = report.unwrap_err().to_string();
    assert!(error.contains("trimorph map ") && error.contains("broken.parquet"), "{error}");

    let scratch = Scratch::new();
    let path = scratch.file("empty.csv", "");
    let error = guess_mapping(path.parent().unwrap()).unwrap_err().to_string();
    assert!(error.contains("file is empty"), "{error}");
}

#[test]
fn numbers_that_are_none_are_floats_among_numbers() {
    let mapping = check(
        &[("metrics.csv", "id,value,name,none\n1,NaN,Nan,nan\n2,0.5,Inf,inf\n3,-inf,nan,\n")],
        &[("(:Metrics)", 3)],
    );
    for column in ["\"value\": \"float\"", "\"name\": \"string\"", "\"none\": \"string\""] {
        assert!(mapping.contains(column), "{mapping}");
    }
}

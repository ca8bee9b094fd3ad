//! Mappings for directories: what is written loads as it stands.

use super::{Scratch, try_load};
use crate::{Format, LoadOptions, guess_mapping};

fn check(files: &[(&str, &str)], tables: &[(&str, usize)]) -> String {
    let scratch = Scratch::new();
    let mut dir = None;
    for (name, text) in files {
        dir = scratch.file(name, text).parent().map(std::path::Path::to_owned);
    }
    let mapping = guess_mapping(&dir.unwrap()).unwrap().text;
    let path = scratch.file("mapping.json", &mapping);
    let (recorder, report) = try_load(std::slice::from_ref(&path), Format::Csv, &LoadOptions::default());
    report.unwrap_or_else(|e| panic!("{e}\n{mapping}"));
    let graph = recorder.graph();
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
    assert!(guess_mapping(std::path::Path::new("/nowhere/at/all")).is_err());
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

    let scratch = Scratch::new();
    let path = scratch.file("empty.csv", "");
    let error = guess_mapping(path.parent().unwrap()).unwrap_err().to_string();
    assert!(error.contains("file is empty"), "{error}");
}

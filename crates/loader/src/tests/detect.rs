//! What paths stand for.

use std::path::PathBuf;

use super::Scratch;
use crate::Format;
use crate::detect::detect;

/// The format and the names of the files, with each file of `names` made in one directory that is asked
/// about. Files of CSV have a neo4j-style header, but those that are called plain.
fn detected(names: &[&str], format: Option<Format>) -> Result<String, String> {
    let scratch = Scratch::new();
    for name in names {
        if let Some((directory, _)) = name.rsplit_once('/') {
            std::fs::create_dir_all(scratch.path().join(directory)).unwrap();
        }
        let is_headed = name.to_lowercase().ends_with(".csv") && !name.contains("plain");
        scratch.file(name, if is_headed { "key:ID(City),name\n" } else { "" });
    }
    let (files, format) = detect(&[scratch.path().to_path_buf()], format).map_err(|e| e.to_string())?;
    let shown = |file: &PathBuf| match file.strip_prefix(scratch.path()) {
        Ok(file) if file.as_os_str().is_empty() => ".".to_owned(),
        Ok(file) => file.display().to_string(),
        Err(_) => panic!("{} is elsewhere", file.display()),
    };
    Ok(format!("{} {}", format.name(), files.iter().map(shown).collect::<Vec<_>>().join(" ")))
}

#[test]
fn a_directory_stands_for_what_is_in_it() {
    let cases: [(&[&str], Option<Format>, &str); 10] = [
        (&["dynamic/Person/part.csv"], None, "ldbc-snb ."),
        (&["snb/dynamic/Person/part.csv", "notes.csv"], None, "ldbc-snb ."),
        (
            &["b.csv", "a.csv.gz", "C.CSV", ".x.csv", "_y.csv", "z.txt", "sub/d.csv"],
            None,
            "neo4j-csv C.CSV a.csv.gz b.csv",
        ),
        (&["map.json", "a.csv"], None, "csv map.json"),
        (&["one.json", "two.json", "a.csv"], None, "neo4j-csv a.csv"),
        (&["map.json", "a.csv"], Some(Format::Neo4jCsv), "neo4j-csv a.csv"),
        (&["plain.csv", "a.csv"], None, "neo4j-csv a.csv plain.csv"),
        (&["plain.csv", "more.jsonl"], None, "csv ."),
        (&["plain.csv"], Some(Format::Csv), "csv ."),
        (&[], None, "csv ."),
    ];
    for (names, format, expected) in cases {
        assert_eq!(detected(names, format).as_deref(), Ok(expected), "{names:?}");
    }
    let error = detected(&["one.json", "two.json", "plain.csv"], None).unwrap_err();
    assert!(error.contains("directory has 2 mapping files (give the one that is meant, such as"), "{error}");
    let error = detected(&["a.txt"], Some(Format::Neo4jCsv)).unwrap_err();
    assert!(error.contains("directory has no files of format neo4j-csv"), "{error}");
}

#[test]
fn a_parquet_file_needs_a_mapping() {
    for format in [None, Some(Format::Parquet)] {
        let scratch = Scratch::new();
        let error = detect(&[scratch.file("people.parquet", "")], format).unwrap_err().to_string();
        assert!(error.contains("give a mapping file"), "{error}");
    }
}

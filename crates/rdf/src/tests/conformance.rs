//! The W3C tests of RDF's formats that lie beside the clone, in `../shared/conformance/rdf`.

use std::collections::{BTreeMap, HashMap};
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use trimorph_types::Value;

use super::{Row, lines, nt, options, read_with};
use crate::{Format, ParseOptions};

const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const RDFT: &str = "http://www.w3.org/ns/rdftest#";
const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path.file_name().is_some_and(|name| name == "manifest.ttl") {
            found.push(path);
        }
    }
}

fn file(path: &Path, base: &str) -> Result<Vec<Row>, String> {
    let format = Format::of_path(path).unwrap();
    let options = ParseOptions { base: Some(base.to_owned()), ..options(format) };
    let text = std::fs::read(path).unwrap();
    read_with(&text, &options).map(|(rows, _)| rows).map_err(|error| error.to_string())
}

/// Statements with blank nodes called by what is said of them: equal for graphs that are equal up to labels,
/// and for few others.
fn shapes(rows: &[Row]) -> Vec<String> {
    let lines = lines(rows);
    let tokens: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    let mut names: HashMap<&str, String> = HashMap::new();
    let written = |tokens: &[&str], names: &HashMap<&str, String>, me: &str| {
        let name = |token: &&str| match names.get(token) {
            _ if *token == me => "_:me".to_owned(),
            Some(name) => name.clone(),
            None if token.starts_with("_:") => "_:".to_owned(),
            None => (*token).to_owned(),
        };
        tokens.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    for _ in 0..8 {
        let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for line in &tokens {
            for token in line.iter().filter(|token| token.starts_with("_:")) {
                said.entry(token).or_default().push(written(line, &names, token));
            }
        }
        names = said
            .into_iter()
            .map(|(label, mut said)| {
                said.sort();
                said.dedup();
                let mut hash = 0xCBF2_9CE4_8422_2325_u64;
                for byte in said.join("\n").bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
                }
                (label, format!("_:{hash:x}"))
            })
            .collect();
    }
    let mut out: Vec<String> = tokens.iter().map(|line| written(line, &names, "")).collect();
    out.sort();
    out.dedup();
    out
}

#[test]
fn w3c_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/rdf");
    if !root.exists() {
        assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "CI needs shared/conformance/rdf");
        // Not by `println!`: what a test prints so is not shown where it passes.
        let _ = writeln!(stderr(), "skipped: shared/conformance/rdf is not beside this clone");
        return;
    }
    let mut found = Vec::new();
    manifests(&root, &mut found);
    let (mut count, mut failures) = (0, Vec::new());
    for manifest in found {
        let folder = manifest.parent().unwrap();
        let rows = file(&manifest, "file:///").unwrap();
        let objects = |subject: &Value, predicate: &str| -> Option<String> {
            let subject = nt(subject);
            let row = rows.iter().find(|[s, p, ..]| nt(s) == subject && nt(p) == format!("<{predicate}>"))?;
            match &row[2] {
                Value::Iri(text) | Value::String(text) => Some(text.to_string()),
                _ => None,
            }
        };
        let assumed = rows.iter().find(|[_, p, ..]| nt(p) == format!("<{MF}assumedTestBase>"));
        let base = match assumed.map(|row| &row[2]) {
            Some(Value::Iri(base)) => base.to_string(),
            _ => "http://example.org/".into(),
        };
        for [test, predicate, kind, _] in &rows {
            let (Value::Iri(predicate), Value::Iri(kind)) = (predicate, kind) else { continue };
            let Some(kind) = kind.strip_prefix(RDFT).filter(|_| &**predicate == TYPE) else { continue };
            let Some(action) = objects(test, &format!("{MF}action")) else { continue };
            let name = action.strip_prefix("file:///").unwrap();
            count += 1;
            let read = file(&folder.join(name), &format!("{base}{name}"));
            let result = objects(test, &format!("{MF}result"));
            let passed = match (kind, &read, result) {
                (kind, read, _) if kind.contains("Negative") => read.is_err(),
                (_, Err(_), _) => false,
                (kind, Ok(rows), Some(result)) if kind.contains("C14N") => {
                    let path = folder.join(result.strip_prefix("file:///").unwrap());
                    let mut written: Vec<_> = lines(rows).iter().map(|line| format!("{line} .")).collect();
                    written.sort();
                    let expected = std::fs::read_to_string(path).unwrap();
                    let mut expected: Vec<_> = expected.lines().map(str::to_owned).collect();
                    expected.sort();
                    written == expected
                }
                (_, Ok(rows), Some(result)) => {
                    let result = result.strip_prefix("file:///").unwrap();
                    let expected = file(&folder.join(result), &format!("{base}{result}")).unwrap();
                    shapes(rows) == shapes(&expected)
                }
                (_, Ok(_), None) => true,
            };
            if !passed {
                failures.push(format!(
                    "{} {kind} {name}: {:?}",
                    folder.display(),
                    read.map(|rows| lines(&rows))
                ));
            }
        }
    }
    assert!(count > 800, "{count}");
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n"));
}

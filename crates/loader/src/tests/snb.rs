//! Both LDBC SNB layouts: row counts as stated, the same graph.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use super::recorder::Recorder;
use crate::{Format, LoadOptions, LoadReport, NoProgress, load};

/// The rows that the shared data's README states, as this loader names them.
const COUNTS: &[(&str, usize)] = &[
    ("(:Person)", 1_639),
    ("(:Forum)", 15_949),
    ("(:Message:Post)", 161_637),
    ("(:Message:Comment)", 165_994),
    ("(:Tag)", 16_080),
    ("(:TagClass)", 71),
    ("(:Person)-[:KNOWS]->(:Person)", 14_397),
    ("(:Forum)-[:HAS_MEMBER]->(:Person)", 243_042),
    ("(:Comment)-[:HAS_TAG]->(:Tag)", 203_993),
    ("(:Post)-[:HAS_TAG]->(:Tag)", 68_494),
    ("(:Forum)-[:HAS_TAG]->(:Tag)", 52_056),
    ("(:Person)-[:HAS_INTEREST]->(:Tag)", 37_746),
    ("(:Person)-[:LIKES]->(:Comment)", 71_237),
    ("(:Person)-[:LIKES]->(:Post)", 66_594),
    ("(:Person)-[:STUDY_AT]->(:Organisation)", 1_323),
    ("(:Person)-[:WORK_AT]->(:Organisation)", 3_502),
    ("(:Comment)-[:HAS_CREATOR]->(:Person)", 165_994),
    ("(:Comment)-[:IS_LOCATED_IN]->(:Place)", 165_994),
    ("(:Comment)-[:REPLY_OF]->(:Comment)", 76_290),
    ("(:Comment)-[:REPLY_OF]->(:Post)", 89_704),
    ("(:Forum)-[:CONTAINER_OF]->(:Post)", 161_637),
    ("(:Forum)-[:HAS_MODERATOR]->(:Person)", 15_949),
    ("(:Person)-[:IS_LOCATED_IN]->(:Place)", 1_639),
    ("(:Post)-[:HAS_CREATOR]->(:Person)", 161_637),
    ("(:Post)-[:IS_LOCATED_IN]->(:Place)", 161_637),
    ("(:Organisation)-[:IS_LOCATED_IN]->(:Place)", 7_955),
    ("(:Place)-[:IS_PART_OF]->(:Place)", 1_454),
    ("(:TagClass)-[:IS_SUBCLASS_OF]->(:TagClass)", 70),
    ("(:Tag)-[:HAS_TYPE]->(:TagClass)", 16_080),
];

/// The shared data, or `None` with a line printed where it is absent. On CI its absence is a failure.
fn data() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/snb-sf0.1");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", path.display());
    // Not by `println!`: what a test prints so is not shown where it passes.
    let _ = writeln!(stderr(), "skipped: {} is missing", path.display());
    None
}

fn load_layout(path: &Path, threads: usize) -> (Recorder, LoadReport) {
    let recorder = Recorder::default();
    let options = LoadOptions { threads, chunk_bytes: 300_000, ..LoadOptions::default() };
    let report = load(&[path.to_path_buf()], None, &options, &recorder, &NoProgress).unwrap();
    assert_eq!(report.format, Format::LdbcSnb);
    assert_eq!(options.budget.used_bytes(), 0);
    (recorder, report)
}

#[test]
fn both_layouts_give_the_stated_counts_and_the_same_graph() {
    let Some(data) = data() else { return };
    let (merged, report) = load_layout(&data.join("composite-merged-fk"), 2);
    let counts = merged.counts();
    for (name, count) in COUNTS {
        assert_eq!(counts.get(*name), Some(count), "{name}");
    }
    let sum = |prefix: &str| -> usize {
        counts.iter().filter(|(n, _)| n.starts_with(prefix)).map(|(_, c)| c).sum()
    };
    assert_eq!(sum("(:Place:"), 1_460);
    assert_eq!(sum("(:Organisation:"), 7_955);
    let nodes: usize = counts.iter().filter(|(n, _)| !n.contains('-')).map(|(_, c)| c).sum();
    assert_eq!((report.nodes, report.rejected), (nodes as u64, 0));
    assert_eq!(report.nodes + report.edges, counts.values().sum::<usize>() as u64);

    let (projected, _) = load_layout(&data.join("composite-projected-fk/initial_snapshot"), 3);
    let (merged, projected) = (merged.graph(), projected.graph());
    assert_eq!(merged.keys().collect::<Vec<_>>(), projected.keys().collect::<Vec<_>>());
    for (name, rows) in &merged {
        assert!(rows == &projected[name], "{name} differs between the layouts");
    }
}

#[test]
fn rows_hold_the_typed_values_of_the_files() {
    let Some(data) = data() else { return };
    let (recorder, _) = load_layout(&data.join("composite-merged-fk/initial_snapshot"), 1);
    let state = recorder.state.lock().unwrap();
    let (spec, rows) = state.nodes.iter().find(|(s, _)| s.labels == ["Person"]).unwrap();
    assert_eq!(spec.key_space.as_deref(), Some("Person"));
    assert_eq!(spec.key_property.as_deref(), Some("id"));
    let expected = [
        "14",
        "datetime 1262531431499000000",
        "'Hossein'",
        "'Forouhar'",
        "'male'",
        "date 5183",
        "'77.245.239.11'",
        "'Firefox'",
        "['fa', 'ku', 'en']",
        "['Hossein14@hotmail.com']",
    ];
    assert_eq!(rows[0].values, expected);
    assert_eq!(rows[0].line, 2);
    assert!(rows.windows(2).all(|w| w[0].line + 1 == w[1].line));
    let (_, posts) = state.nodes.iter().find(|(s, _)| s.labels == ["Message", "Post"]).unwrap();
    let with_image = posts.iter().find(|row| row.values[2] != "null").unwrap();
    assert_eq!((with_image.values[5].as_str(), with_image.values[6].as_str()), ("null", "null"));
}

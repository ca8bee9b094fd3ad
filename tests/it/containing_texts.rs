//! CONTAINS of texts that lie compressed, in a filter and as a value: as the interpreter has it, with parts
//! that few texts have, that most have, of one byte and of several, across symbols and beyond ASCII, and with
//! nulls.

use std::collections::BTreeMap;

use trimorph_base::TableId;
use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_store::{PropertyColumn, Reader};
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

#[test]
fn parts_of_compressed_texts_are_found() {
    let snapshot = created(&[
        "UNWIND range(1, 4000) AS n CREATE (:A {n: n, s: CASE n % 11 WHEN 0 THEN null ELSE 'About the history of town number ' + toString(n * 7919 % 4001) + CASE n % 97 WHEN 5 THEN '?' WHEN 6 THEN ' in India' WHEN 7 THEN ' größer \u{1F600}' WHEN 8 THEN ' aidnI' ELSE ' and its people' END END})",
    ]);
    let reader = Reader::new(&snapshot);
    let is_compressed = |table: TableId| {
        let column = reader.schema().node_property(table, "s");
        column.is_some_and(|column| PropertyColumn::of_nodes(table, column, &reader).has_compressed_texts(0))
    };
    assert!(reader.schema().table_ids().any(is_compressed));
    let graph = Graph::read(&snapshot);
    for part in [
        "?",
        "India",
        "größer",
        "\u{1F600}",
        "town",
        "e",
        "zzz",
        "",
        "number 39",
        " ",
        "ndi",
        "Iaidn",
        "peopl",
    ] {
        for text in [
            format!("MATCH (a:A) WHERE a.s CONTAINS '{part}' RETURN a.n AS n"),
            format!("MATCH (a:A) WHERE a.n % 5 = 1 AND NOT a.s CONTAINS '{part}' RETURN a.n AS n, a.s AS s"),
            format!("MATCH (a:A) RETURN a.s CONTAINS '{part}' AS c, count(*) AS k, min(a.n) AS n"),
            format!("MATCH (a:A) WHERE a.s CONTAINS '{part}' OR a.s CONTAINS 'India' RETURN count(*) AS k"),
        ] {
            let bound = bind(&text, snapshot.catalog()).unwrap();
            let now = Clock { seconds: 0, nanos: 0 };
            let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 20_000_000).unwrap();
            for vector_size in [2_048, 300] {
                let found = ask(&text, &snapshot, Settings { vector_size, ..Settings::default() }).unwrap();
                compare(&expected, &found, &Comparison::default()).unwrap_or_else(|d| panic!("{text}\n{d}"));
            }
        }
    }
}

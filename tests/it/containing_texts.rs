//! Comparisons of texts that lie compressed, of nodes and of relationships, in a filter and as a value: as
//! the interpreter has it, with parts that few texts have, that most have, of one byte and of several, across
//! symbols and beyond ASCII, and with nulls.

use trimorph_base::{EdgeTableId, TableId};
use trimorph_store::{PropertyColumn, Reader};

use super::ask::{agree_on, created};

#[test]
fn parts_of_compressed_texts_are_found() {
    let snapshot = created(&[
        "UNWIND range(1, 4000) AS n CREATE (:A {n: n, s: CASE n % 11 WHEN 0 THEN null ELSE 'About the history of town number ' + toString(n * 7919 % 4001) + CASE n % 97 WHEN 5 THEN '?' WHEN 6 THEN ' in India' WHEN 7 THEN ' größer \u{1F600}' WHEN 8 THEN ' aidnI' ELSE ' and its people' END END})",
        "MATCH (a:A) MATCH (b:A {n: a.n * 31 % 4000 + 1}) CREATE (a)-[:R {n: a.n, s: a.s}]->(b)",
    ]);
    let reader = Reader::new(&snapshot);
    let is_compressed = |table: TableId| {
        let column = reader.schema().node_property(table, "s");
        column.is_some_and(|column| PropertyColumn::of_nodes(table, column, &reader).has_compressed_texts(0))
    };
    assert!(reader.schema().table_ids().any(is_compressed));
    let is_compressed = |table: usize| {
        let column = reader.schema().edge_property(EdgeTableId(table as u16), "s");
        column.is_some_and(|column| PropertyColumn::of_edges(table, column, &reader).has_compressed_texts(0))
    };
    assert!((0..reader.schema().edge_tables.len()).any(is_compressed));
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
        let asked = [
            format!("MATCH (a:A) WHERE a.s CONTAINS '{part}' RETURN a.n AS n"),
            format!("MATCH (a:A) WHERE a.n % 5 = 1 AND NOT a.s CONTAINS '{part}' RETURN a.n AS n, a.s AS s"),
            format!("MATCH (a:A) RETURN a.s CONTAINS '{part}' AS c, count(*) AS k, min(a.n) AS n"),
            format!("MATCH (a:A) WHERE a.s CONTAINS '{part}' OR a.s CONTAINS 'India' RETURN count(*) AS k"),
            format!(
                "MATCH ()-[r:R]->() WHERE r.s CONTAINS '{part}' OR r.s STARTS WITH 'About {part}' RETURN count(*) AS k"
            ),
            format!(
                "MATCH ()-[r:R]->() WHERE r.s STARTS WITH 'About' AND r.s ENDS WITH '{part}' RETURN count(*) AS k"
            ),
            format!(
                "MATCH ()-[r:R]->() RETURN r.s > 'About the history of town{part}' AS c, r.s ENDS WITH '{part}' AS e, count(*) AS k, min(r.n) AS n"
            ),
            format!(
                "MATCH (a:A)-[r:R]->(b:A) WHERE a.n < b.n AND NOT r.s STARTS WITH 'About the history of town {part}' AND r.s <> b.s RETURN r.n AS n, r.s AS s"
            ),
        ];
        assert!(agree_on(asked, &snapshot) > 0);
    }
}

/// One of several parts, or none: in short texts and long ones, of dictionaries and not, beside other
/// conditions, where some values are no texts, and where nothing is.
#[test]
fn one_of_several_parts() {
    let snapshot = created(&[
        "UNWIND range(1, 1500) AS n CREATE (:A {n: n, few: ['India', 'in China', 'Chin', 'Brazil!', '', 'größer'][n % 6], s: CASE n % 13 WHEN 0 THEN null WHEN 1 THEN '' WHEN 2 THEN 'China' WHEN 3 THEN reduce(t = '', i IN range(1, n % 200) | t + 'ab Chin a ') + 'India' ELSE 'about number ' + toString(n * 7919 % 4001) + ' and what is in ' + toString(n) END, mixed: CASE n % 4 WHEN 0 THEN n WHEN 1 THEN 'China ' + toString(n) WHEN 2 THEN null ELSE ['China'] END})",
    ]);
    let mut rows = 0;
    for property in ["a.s", "a.few", "a.mixed", "toLower(a.s)", "a.none", "left(a.few, 4)"] {
        for condition in [
            "? CONTAINS 'India' OR ? CONTAINS 'China'",
            "any(x IN ['India', 'chin', 'number 39', 'größer'] WHERE ? CONTAINS x)",
            "none(x IN ['India', 'Chin', '9'] WHERE ? CONTAINS x)",
            "NOT ? CONTAINS 'India' AND NOT ? CONTAINS '1' AND a.n % 2 = 0",
            "? CONTAINS 'in' OR a.n % 7 = 1 OR ? CONTAINS 'Br' OR ? ENDS WITH 'ina' OR ? CONTAINS 'zz'",
            "NOT (? CONTAINS '' OR ? CONTAINS 'India')",
            "? CONTAINS 'a' OR ? CONTAINS null OR ? CONTAINS 'b'",
            "? CONTAINS 'dia' OR ? STARTS WITH 'ab' OR ? CONTAINS '77' OR ? ENDS WITH 'ia'",
            "NOT ? ENDS WITH '7' AND NOT ? CONTAINS 'Chin' AND NOT ? STARTS WITH 'Br' AND NOT ? CONTAINS '1'",
            "(? CONTAINS '7' OR a.few CONTAINS 'In') AND (a.few CONTAINS 'Ch' OR a.few CONTAINS 'dia' OR ? CONTAINS 'x')",
        ] {
            let condition = condition.replace('?', property);
            let asked = [
                format!("MATCH (a:A) WHERE {condition} RETURN a.n AS n"),
                format!("MATCH (a:A) RETURN {condition} AS c, count(*) AS k, min(a.n) AS n"),
                format!(
                    "MATCH (a:A) WITH a, collect(a.n) AS l RETURN CASE WHEN {condition} THEN 1 ELSE 2 END AS c, count(*) AS k"
                ),
            ];
            rows += agree_on(asked, &snapshot);
        }
    }
    assert!(rows > 5_000, "{rows}");
}

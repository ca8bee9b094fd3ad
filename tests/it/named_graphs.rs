//! Named graphs as variables: what is found in all graphs at once is what is found in each of them, one after
//! the other, by its name.

use trimorph::{Config, Connection, Database, RdfOptions};
use trimorph_base::Random;

use super::sparql::sparql;

const GRAPHS: [&str; 4] = ["g0", "g1", "g2", "g3"];

/// Statements in the default graph and in some graphs; `g3` is loaded with nothing.
fn statements(random: &mut Random) -> String {
    let mut trig = String::from("PREFIX : <trimorph:>\n");
    for graph in ["", "GRAPH :g0", "GRAPH :g1", "GRAPH :g2"] {
        let mut own = String::new();
        for _ in 0..12 {
            let (s, o) = (random.below(6), random.below(6));
            own += &match random.below(4) {
                0 => format!(":n{s} :b :n{o} . "),
                1 => format!(":n{s} :c :n{o} . "),
                2 => format!(":n{s} :name \"{o}\" . "),
                _ => format!(":n{s} a :C{} . ", o % 2),
            };
        }
        trig += &format!("{graph} {{ {own} }}\n");
    }
    trig
}

const PATTERNS: &[&str] = &[
    "",
    "?s ?p ?o",
    "?s :b ?o",
    "?s a :C1",
    "?s a ?c ; :b ?o",
    "?s :b+ ?o",
    "?s :b* ?o",
    ":n1 :b+ ?o",
    "?s :b+ :n2",
    ":n1 :b+ :n2",
    ":n1 :b* ?o",
    "?s :b* :n2",
    ":n1 (:b|:c)+ ?o",
    "?s (^:b/:c)+ ?o",
    ":n3 (:b/:c*)+ ?o",
    "?s (:b/:name)* ?o",
    "?s !:b+ ?o",
    ":n1 (:b|:c?)+ ?o",
    ":n1 ^:b+ ?o",
    "?s (:b?/:c)+ :n0",
    ":none :b* ?o",
    ":none :b+ ?o",
];

/// Rows with their graph, asked graph by graph.
fn one_by_one(connection: &Connection, graphs: &[&str], pattern: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for graph in graphs {
        // Without a statement there is no graph.
        let is_there = format!("PREFIX : <trimorph:> SELECT ?s {{ GRAPH :{graph} {{ ?s ?p ?o }} }}");
        if sparql(connection, &is_there).is_empty() {
            continue;
        }
        let text = format!("PREFIX : <trimorph:> SELECT ?s ?p ?o ?c {{ GRAPH :{graph} {{ {pattern} }} }}");
        rows.extend(sparql(connection, &text).into_iter().map(|row| format!("<trimorph:{graph}> {row}")));
    }
    rows.sort();
    rows
}

fn compare(connection: &Connection, seed: u64) {
    for pattern in PATTERNS {
        let at_once = |from: &str| {
            let text =
                format!("PREFIX : <trimorph:> SELECT ?g ?s ?p ?o ?c {from} {{ GRAPH ?g {{ {pattern} }} }}");
            sparql(connection, &text)
        };
        assert_eq!(at_once(""), one_by_one(connection, &GRAPHS, pattern), "{pattern} (seed {seed})");
        let named = "FROM NAMED :g2 FROM NAMED :g0 FROM NAMED :g3";
        let some = one_by_one(connection, &["g0", "g2", "g3"], pattern);
        assert_eq!(at_once(named), some, "{pattern} {named} (seed {seed})");
        for (different, counted) in [("DISTINCT ?g", "?g"), ("DISTINCT ?g ?s", "?g ?s")] {
            let text = format!("PREFIX : <trimorph:> SELECT {different} {{ GRAPH ?g {{ {pattern} }} }}");
            let grouped = format!(
                "PREFIX : <trimorph:> SELECT {counted} {{ GRAPH ?g {{ {pattern} }} }} GROUP BY {counted}"
            );
            assert_eq!(sparql(connection, &text), sparql(connection, &grouped), "{text} (seed {seed})");
        }
    }
    // Whatever is matched first.
    let two = [":n1 :b ?t", "?s :b ?t", "?t :name \"3\"", "?t :c ?u . ?u :b ?s", "?s a :C0 ; :name ?n"];
    for a in two {
        for b in two {
            for (g, h) in [("?g", "?h"), ("?g", "?g"), (":g0", "?h")] {
                let ask = |first: &str| {
                    let text = format!(
                        "PREFIX : <trimorph:> SELECT ?g ?h ?s ?t ?u ?n {{ {first} GRAPH {h} {{ {b} }} }}"
                    );
                    sparql(connection, &text)
                };
                let hidden = format!("{{ SELECT * {{ GRAPH {g} {{ {a} }} }} LIMIT 100000 }}");
                let (plain, apart) = (ask(&format!("GRAPH {g} {{ {a} }}")), ask(&hidden));
                assert_eq!(plain, apart, "{g} {a} {h} {b} (seed {seed})");
            }
        }
    }
}

#[test]
fn all_graphs_are_each_of_them() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let trig = statements(&mut random);
        let loaded = Database::in_memory(Config::default());
        let connection = loaded.connect();
        connection.load_rdf_text(trig.as_bytes(), &RdfOptions::new().format("trig")).unwrap();
        compare(&connection, seed);
        // Beside what was loaded, what was written since.
        sparql(&connection, "PREFIX : <trimorph:> DELETE WHERE { GRAPH :g1 { ?s :b ?o } }");
        sparql(
            &connection,
            "PREFIX : <trimorph:> INSERT DATA { GRAPH :g3 { :n1 :b :n2 . :n2 :b :n4 } \
             GRAPH :g0 { :n0 :b :n5 } }",
        );
        compare(&connection, seed);
        sparql(&connection, "PREFIX : <trimorph:> CLEAR GRAPH :g2");
        compare(&connection, seed);
    }
}

/// A graph is there while it has statements: made again it is an error, and gone it is none to take it away.
#[test]
fn graphs_that_are_made_and_taken_away() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let run = |text: &str| connection.sparql(text).map(drop).map_err(|error| error.to_string());
    run("CREATE GRAPH :g").unwrap();
    run("CREATE GRAPH :g ; INSERT DATA { GRAPH :g { :a :b 1 } }").unwrap();
    for text in [
        "CREATE GRAPH :g",
        "INSERT DATA { GRAPH :h { :a :b :c } } ; CREATE GRAPH :h",
        "INSERT DATA { GRAPH :h { :a a :C } } ; CREATE GRAPH :h",
        "INSERT DATA { GRAPH :h { :r rdf:reifies <<( :a :b 1 )>> } } ; CREATE GRAPH :h",
    ] {
        assert!(run(text).unwrap_err().contains("already"), "{text}");
    }
    // What failed has left nothing.
    assert_eq!(sparql(&connection, "SELECT ?g { GRAPH ?g {} }"), ["<trimorph:g>"]);
    for text in [
        "CREATE SILENT GRAPH :g",
        "CREATE GRAPH :h",
        "DROP GRAPH :h",
        "CLEAR GRAPH :h",
        "COPY :h TO :k ; MOVE :h TO :k ; ADD :h TO :k",
        "DROP GRAPH :g ; CREATE GRAPH :g",
    ] {
        run(text).unwrap();
    }
    assert!(sparql(&connection, "SELECT ?g { GRAPH ?g {} }").is_empty());
}

//! SPARQL through the whole engine: one graph in two languages, transactions, what lasts, what is hostile.

use std::sync::Arc;

use trimorph::{Answer, CancelToken, Config, Connection, Database, Error, RdfOptions, Value};

fn database() -> Database {
    Database::in_memory(Config::default())
}

/// The rows of a SPARQL text as lines, sorted.
pub(crate) fn sparql(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.sparql(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let mut rows = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|error| panic!("{text}\n{error}")) {
        rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
    }
    rows.sort();
    rows
}

pub(crate) fn cypher(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap();
    let mut rows = Vec::new();
    while let Some(row) = result.next_row().unwrap() {
        rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
    }
    rows.sort();
    rows
}

const EVERYTHING: &str = "SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }";

#[test]
fn what_cypher_makes_is_there_for_sparql() {
    let db = database();
    let connection = db.connect();
    cypher(
        &connection,
        "CREATE (a:Person {name: 'Ann', langs: ['de', 'en', 'de']})-[:KNOWS {since: 2020}]->(b:Person {name: 'Bob'})",
    );
    assert_eq!(sparql(&connection, "SELECT ?n { ?p a :Person ; :name ?n }"), ["Ann", "Bob"]);
    assert_eq!(sparql(&connection, "SELECT ?a ?b { ?x :KNOWS ?y . ?x :name ?a . ?y :name ?b }"), ["Ann Bob"]);
    assert_eq!(sparql(&connection, "SELECT ?l { ?x :langs ?l }"), ["de", "en"]);
    assert_eq!(sparql(&connection, "SELECT ?n { ?x :name ?n FILTER NOT EXISTS { ?x :KNOWS ?y } }"), ["Bob"]);
    // A node keeps its generated name, by which it is found again.
    let named = sparql(&connection, "SELECT ?x { ?x :name \"Ann\" }");
    assert!(named[0].starts_with("<trimorph:node/"), "{named:?}");
    assert_eq!(sparql(&connection, &format!("SELECT ?n {{ {} :name ?n }}", named[0])), ["Ann"]);
    // Written in one language, read in the other.
    sparql(
        &connection,
        &format!(
            "DELETE DATA {{ {0} :name \"Ann\" }}; INSERT DATA {{ {0} :name \"Anna\" ; a :Doctor }}",
            named[0]
        ),
    );
    assert_eq!(cypher(&connection, "MATCH (d:Doctor:Person) RETURN d.name"), ["Anna"]);
}

#[test]
fn nodes_of_the_store_are_seen_by_no_pattern() {
    let db = database();
    let connection = db.connect();
    sparql(
        &connection,
        "INSERT DATA { <http://a> a :X ; :name 'A', 'B', 'C'@en ; :knows <http://b> . GRAPH <http://g> { <http://a> :name 'D' } }",
    );
    assert_eq!(cypher(&connection, "MATCH (n) RETURN count(n)"), ["2"]);
    assert_eq!(cypher(&connection, "MATCH (n:X)-[r]->(m) RETURN type(r), m.`@id`"), ["knows <http://b>"]);
    assert_eq!(cypher(&connection, "MATCH (n:X)-->() RETURN count(*)"), ["1"]);
    assert_eq!(cypher(&connection, "MATCH ()--() RETURN count(*)"), ["2"]);
    assert_eq!(cypher(&connection, "MATCH (n) WHERE NOT n:X RETURN count(*)"), ["1"]);
    assert_eq!(cypher(&connection, "MATCH (n:X) OPTIONAL MATCH (n)-[:name]->(m) RETURN m"), ["null"]);
    assert_eq!(cypher(&connection, "MATCH p = (:X)-[*1..2]->() RETURN length(p)"), ["1"]);
    assert_eq!(sparql(&connection, "SELECT ?n { <http://a> :name ?n }"), ["'C'@en", "A", "B"]);
    // With the node its statements go, those that are kept elsewhere, too.
    cypher(&connection, "MATCH (n:X) DETACH DELETE n");
    assert_eq!(sparql(&connection, EVERYTHING), [""; 0]);
}

/// What is asked of any predicate is compared as it lies in each: texts of dictionaries and others, integers,
/// dates, columns of several types, beside rows that nobody has merged and some that are gone.
#[test]
fn a_literal_is_found_whatever_says_it() {
    let db = database();
    let connection = db.connect();
    let made = |from: usize, to: usize| {
        format!(
            "UNWIND range({from}, {to}) AS n CREATE (:N {{n: n, few: 't' + toString(n % 7), own: 'its-own-text-' + toString(n), day: date('2020-01-01') + duration({{days: n % 50}}), mixed: CASE n % 3 WHEN 0 THEN n % 11 WHEN 1 THEN 't' + toString(n % 11) END, list: ['t' + toString(n % 5), 'x']}})"
        )
    };
    cypher(&connection, &made(0, 2_999));
    db.merge(&CancelToken::default()).unwrap();
    let check = |rows: &dyn Fn(i64) -> bool| {
        let all = sparql(&connection, "SELECT ?n ?p ?o { ?s :n ?n ; ?p ?o }");
        for (literal, written) in [
            ("\"t3\"", "t3"),
            ("\"x\"", "x"),
            ("\"its-own-text-77\"", "its-own-text-77"),
            ("\"nothing\"", "nothing"),
            ("5", "5"),
            ("\"2020-01-09\"^^<http://www.w3.org/2001/XMLSchema#date>", "2020-01-09"),
        ] {
            let ends = format!(" {written}");
            let expected: Vec<&String> = all.iter().filter(|row| row.ends_with(&ends)).collect();
            let found = sparql(
                &connection,
                &format!("SELECT ?n ?p ({literal} AS ?o) {{ ?s ?p {literal} . ?s :n ?n }}"),
            );
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{literal}");
            for name in ["few", "list", "mixed", "own"] {
                let here = format!(" <trimorph:{name}> ");
                let expected: Vec<&String> =
                    expected.iter().copied().filter(|row| row.contains(&here)).collect();
                for pattern in
                    [format!("?s :{name} {literal} ; :n ?n"), format!("?s :n ?n . ?s :{name} {literal}")]
                {
                    let text =
                        format!("SELECT ?n (<trimorph:{name}> AS ?p) ({literal} AS ?o) {{ {pattern} }}");
                    assert_eq!(sparql(&connection, &text).iter().collect::<Vec<_>>(), expected, "{text}");
                }
            }
            let of = |row: &String| row.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(-1);
            assert!(found.iter().all(|row| rows(of(row))), "{literal}");
        }
        all.len()
    };
    let first = check(&|n| n < 3_000);
    cypher(&connection, &made(3_000, 3_400));
    cypher(&connection, "MATCH (n:N) WHERE n.n % 10 = 4 DELETE n");
    cypher(&connection, "MATCH (n:N {n: 5}) SET n.few = 'x'");
    let second = check(&|n| n < 3_401 && n % 10 != 4);
    connection.begin().unwrap();
    cypher(&connection, "MATCH (n:N {n: 6}) SET n.n = 't3', n.few = 5");
    assert_eq!(check(&|n| n < 3_401 && n % 10 != 4), second);
    connection.rollback().unwrap();
    db.merge(&CancelToken::default()).unwrap();
    assert_eq!(check(&|n| n < 3_401 && n % 10 != 4), second);
    assert!(first > 18_000 && second > 18_000, "{first} {second}");
}

#[test]
fn transactions_are_one_for_both_languages() {
    let db = database();
    let (one, other) = (db.connect(), db.connect());
    one.begin().unwrap();
    sparql(&one, "INSERT DATA { <http://a> :name 'A' }");
    cypher(&one, "CREATE (:Y {name: 'B'})");
    assert_eq!(sparql(&one, "SELECT ?n { ?x :name ?n }"), ["A", "B"]);
    assert_eq!(sparql(&other, "SELECT ?n { ?x :name ?n }"), [""; 0]);
    // A statement that fails undoes itself, all its operations.
    let failed = one.sparql("INSERT DATA { <http://a> :name 'C' } ; LOAD <http://nowhere/x.ttl>");
    assert!(failed.is_err());
    assert_eq!(cypher(&one, "MATCH (n) RETURN count(*)"), ["2"]);
    one.commit().unwrap();
    assert_eq!(sparql(&other, "SELECT ?n { ?x :name ?n }"), ["A", "B"]);
    other.begin().unwrap();
    sparql(&other, "DELETE WHERE { ?s ?p ?o }");
    other.rollback().unwrap();
    assert_eq!(sparql(&one, "SELECT ?n { ?x :name ?n }"), ["A", "B"]);
}

#[test]
fn one_iri_is_one_node_whoever_inserts_it() {
    let db = Arc::new(database());
    let threads: Vec<_> = (0..4)
        .map(|t| {
            let db = Arc::clone(&db);
            std::thread::spawn(move || {
                let connection = db.connect();
                for i in 0..50 {
                    sparql(
                        &connection,
                        &format!(
                            "INSERT DATA {{ <http://n{}> :by {t} ; :to <http://n{}> }}",
                            i % 7,
                            (i + t) % 7
                        ),
                    );
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let connection = db.connect();
    assert_eq!(cypher(&connection, "MATCH (n) RETURN count(*), count(DISTINCT n.`@id`)"), ["7 7"]);
    assert_eq!(sparql(&connection, "SELECT (COUNT(*) AS ?n) { ?s :by ?o }"), ["28"]);
    // Inserted twice, a statement is there once.
    assert_eq!(
        sparql(&connection, "SELECT ?s ?o { ?s :to ?o } GROUP BY ?s ?o HAVING (COUNT(*) > 1)"),
        [""; 0]
    );
}

#[test]
fn statements_last() {
    let directory = std::env::temp_dir().join(format!("trimorph-sparql-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    let text = "INSERT DATA { <http://a> a :X ; :p 1, 2, '01'^^xsd:integer, 'x'@en ; :q <http://b>, _:c . <<( <http://a> :q <http://b> )>> :no 1 }";
    let text = text.replace(
        " . <<( <http://a> :q <http://b> )>> :no 1",
        " . <http://r> rdf:reifies <<( <http://a> :q <http://b> )>>",
    );
    let expect = {
        let db = Database::open(&directory, Config::default()).unwrap();
        let connection = db.connect();
        sparql(&connection, &text);
        sparql(&connection, "INSERT DATA { GRAPH <http://g> { <http://a> :p 3 } }");
        sparql(&connection, EVERYTHING)
    };
    assert_eq!(expect.len(), 9, "{expect:?}");
    for round in 0..3 {
        let db = Database::open(&directory, Config::default()).unwrap();
        let connection = db.connect();
        assert_eq!(sparql(&connection, EVERYTHING), expect, "round {round}");
        // What is there is found, not made again.
        sparql(
            &connection,
            "INSERT DATA { <http://a> a :X ; :p 1, 2, 'x'@en ; :q <http://b> . GRAPH <http://g> { <http://a> :p 3 } }",
        );
        assert_eq!(sparql(&connection, EVERYTHING), expect, "round {round}");
        match round {
            0 => drop(db.merge(&CancelToken::default()).unwrap()),
            _ => db.checkpoint(&CancelToken::default()).unwrap(),
        }
        assert_eq!(sparql(&connection, EVERYTHING), expect, "round {round}, merged");
        sparql(&connection, "DELETE DATA { <http://a> :p 2 } ; INSERT DATA { <http://a> :p 2 }");
        assert_eq!(sparql(&connection, EVERYTHING), expect, "round {round}, again");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn files_that_fail_leave_nothing() {
    let db = database();
    let connection = db.connect();
    let options = |format: &str| RdfOptions { format: Some(format.into()), ..RdfOptions::default() };
    let bad = b"<http://a> <http://p> 1 .\n<http://a> <http://p> .\n";
    let error = connection.load_rdf_text(bad, &options("turtle")).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    assert_eq!(sparql(&connection, EVERYTHING), [""; 0]);
    let skip = RdfOptions { skip_bad: true, ..options("ntriples") };
    let lines = b"<http://a> <http://p> <http://b> .\nnonsense\n<http://a> <http://p> <http://c> .\n";
    let report = connection.load_rdf_text(lines, &skip).unwrap();
    assert_eq!((report.statements, report.skipped), (2, 1));
    assert_eq!(sparql(&connection, EVERYTHING).len(), 2);
    assert!(matches!(connection.load_rdf_text(b"", &options("docx")), Err(Error::Load(_))));
}

#[test]
fn answers_say_what_they_are() {
    let db = database();
    let connection = db.connect();
    sparql(&connection, "INSERT DATA { <http://a> :p 1 }");
    for (text, answer, rows) in [
        ("SELECT * { ?s ?p ?o }", Answer::Rows, 1),
        ("ASK { ?s :p 2 }", Answer::Boolean, 1),
        ("CONSTRUCT { ?s :q ?o } WHERE { ?s :p ?o }", Answer::Statements, 1),
        ("DESCRIBE <http://a>", Answer::Statements, 1),
    ] {
        let mut result = connection.sparql(text).unwrap();
        assert_eq!(result.answer(), answer, "{text}");
        let all: Vec<Vec<Value>> = std::iter::from_fn(|| result.next_row().unwrap()).collect();
        assert_eq!(all.len(), rows, "{text}");
    }
    let mut out = Vec::new();
    connection.sparql("SELECT ?o { ?s :p ?o }").unwrap().write_as("csv", &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "o\r\n1\r\n");
}

#[test]
fn hostile_texts_are_errors() {
    let db = database();
    let connection = db.connect();
    let deep =
        |open: &str, close: &str, n: usize| format!("SELECT * {{ {}{} }}", open.repeat(n), close.repeat(n));
    for text in [
        String::new(),
        "SELECT".into(),
        "SELECT * {".into(),
        "\u{0}".into(),
        deep("{", "}", 100_000),
        deep("FILTER(", ")", 100_000),
        format!("SELECT * {{ FILTER({}1) }}", "!".repeat(100_000)),
        format!("SELECT * {{ FILTER(1{}) }}", " + 1".repeat(100_000)),
        format!("SELECT * {{ ?s {} ?o }}", "^".repeat(50_000)),
        format!("SELECT * {{ ?s {}:p ?o }}", ":p/".repeat(50_000)),
        format!("SELECT * {{ {} }}", vec!["{ ?s ?p ?o }"; 20_000].join(" UNION ")),
        format!("SELECT * {{ ?s ?p \"{} }}", "x".repeat(1 << 20)),
    ] {
        let head: String = text.chars().take(60).collect();
        println!("asked: {head}");
        if let Ok(mut result) = connection.sparql(&text) {
            while let Ok(Some(_)) = result.next_row() {}
            println!("answered: {head}");
        }
    }
}

/// Data may be as long as it is: the limit of what a text may ask is for what is planned.
#[test]
fn data_has_no_greatest_length() {
    let db = database();
    let connection = db.connect();
    let graphs: String = (0..6_000).map(|n| format!("GRAPH :g{} {{ :a :p {n} }} ", n % 7)).collect();
    let said: String = (0..6_000).map(|n| format!(":a :p {n} {{| :since {n} |}} . ")).collect();
    sparql(&connection, &format!("INSERT DATA {{ {graphs} }}; INSERT DATA {{ {said} }}"));
    let count = |text: &str| sparql(&connection, &format!("SELECT (COUNT(*) AS ?n) {{ {text} }}"));
    assert_eq!(count("GRAPH ?g { ?s :p ?o }"), ["6000"]);
    assert_eq!(count("?s :p ?o {| :since ?o |}"), ["6000"]);
    sparql(&connection, &format!("DELETE DATA {{ {graphs} }}"));
    assert_eq!(count("GRAPH ?g { ?s :p ?o }"), ["0"]);
    let parts = "GRAPH :g { ?s ?p ?o } ".repeat(6_000);
    for text in [
        format!("SELECT * {{ {parts} }}"),
        format!("INSERT DATA {{ :a :p 1 }} ; DELETE {{ :a :p 1 }} WHERE {{ {parts} }}"),
        format!("PREFIX data: <http://data/> SELECT * {{ {parts} }}"),
    ] {
        assert!(connection.sparql(&text).is_err());
    }
}

/// Of nodes, names are read for all of a vector: IRIs, blank nodes and those that only their ids name, in
/// tables that have names and in those that have none.
#[test]
fn names_of_nodes_are_the_same_by_vectors_and_one_by_one() {
    let db = database();
    let connection = db.connect();
    cypher(&connection, "UNWIND range(1, 300) AS i CREATE (:Plain {n: i})");
    let many: Vec<String> =
        (0..300).map(|i| format!("<http://e/s{i}> :n {i} ; a :{} .", ["A", "B"][i % 2])).collect();
    sparql(&connection, &format!("INSERT DATA {{ {} _:x :n 7 . _:y :n 8 ; a :A }}", many.join(" ")));
    let counts = "SELECT ?i ?b ?l (COUNT(*) AS ?k) { ?s :n ?n } GROUP BY (isIRI(?s) AS ?i) (isBlank(?s) AS ?b) (isLiteral(?s) AS ?l)";
    let names = "SELECT (STR(?s) AS ?t) { ?s :n ?n }";
    let is_all = |rows: &[String]| {
        let named = (0..300).filter(|i| rows.contains(&format!("http://e/s{i}"))).count();
        let given = rows.iter().filter(|row| row.starts_with("trimorph:node/")).count();
        (named, given, rows.len())
    };
    let check = |state: &str| {
        assert_eq!(sparql(&connection, counts), ["false true false 2", "true false false 600"], "{state}");
        let rows = sparql(&connection, names);
        // Blank nodes have no text.
        assert_eq!(is_all(&rows), (300, 300, 602), "{state}");
        for row in rows.iter().filter(|row| row.starts_with("trimorph:node/")).take(3) {
            assert_eq!(
                sparql(&connection, &format!("SELECT ?n {{ <{row}> :n ?n }}")).len(),
                1,
                "{state}: {row}"
            );
        }
        assert_eq!(
            sparql(&connection, "SELECT ?n { ?s :n ?n FILTER(STR(?s) = 'http://e/s17') }"),
            ["17"],
            "{state}"
        );
    };
    check("written");
    cypher(&connection, "CHECKPOINT");
    check("merged");
    connection.begin().unwrap();
    sparql(&connection, "DELETE DATA { <http://e/s17> :n 17 }; INSERT DATA { <http://e/s17> :n 17 }");
    check("in a transaction");
    connection.rollback().unwrap();
    check("after it");
}

/// Tables whose nodes are mostly gone: classes are counted by runs of rows.
#[test]
fn classes_of_what_is_left_are_counted() {
    let db = database();
    let connection = db.connect();
    cypher(&connection, "UNWIND range(1, 5000) AS i CREATE (:N {i: i})");
    cypher(&connection, "MATCH (n:N) WHERE n.i % 3 > 0 OR n.i > 4000 OR n.i < 1500 SET n:M");
    let classes = "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c";
    let check = |n: usize, m: usize, state: &str| {
        let found = sparql(&connection, classes);
        assert_eq!(found, [format!("<trimorph:M> {m}"), format!("<trimorph:N> {n}")], "{state}");
    };
    let m = (1..=5000).filter(|i| i % 3 > 0 || *i > 4000 || *i < 1500).count();
    check(5000, m, "written");
    for state in ["CHECKPOINT", "REORGANIZE", "CHECKPOINT"] {
        cypher(&connection, state);
        check(5000, m, state);
    }
    cypher(&connection, "MATCH (n:N) WHERE n.i % 7 = 0 OR (n.i > 2000 AND n.i < 3300) DELETE n");
    let left = |i: &usize| !(i.is_multiple_of(7) || (2001..3300).contains(i));
    let (n, m) = (
        (1..=5000).filter(left).count(),
        (1..=5000).filter(left).filter(|i| i % 3 > 0 || *i > 4000 || *i < 1500).count(),
    );
    check(n, m, "deleted");
    cypher(&connection, "CHECKPOINT");
    check(n, m, "merged");
}

/// A graph without statements is no graph of the dataset: not even a path of no step is in it.
#[test]
fn a_graph_that_is_not_there_gives_nothing() {
    let db = database();
    let connection = db.connect();
    sparql(&connection, "INSERT DATA { :a :p :b . GRAPH :g { :c :p :a } }");
    for path in [":p*", ":p?", "(:p/:q?)*", "(:q|:p*)", "^(:p*)"] {
        let ask = |text: &str| sparql(&connection, &text.replace("PATH", path));
        assert!(ask("SELECT ?x { GRAPH :none { ?x PATH :b } }").is_empty(), "{path}");
        assert_eq!(ask("SELECT ?x { GRAPH :g { ?x PATH :b } }"), ["<trimorph:b>"], "{path}");
        assert_eq!(ask("SELECT ?g { GRAPH ?g { :b PATH :b } }"), ["<trimorph:g>"], "{path}");
    }
    assert!(sparql(&connection, "SELECT ?x { GRAPH :none { ?x :p+/:p* :b } }").is_empty());
}

#[test]
fn one_instant_in_two_zones() {
    const UTC: &str = "'2020-01-01T00:00:00Z'^^xsd:dateTime";
    const EAST: &str = "'2020-01-01T01:00:00+01:00'^^xsd:dateTime";
    const WEST: &str = "'2019-12-31T19:00:00-05:00'^^xsd:dateTime";
    let db = database();
    let connection = db.connect();
    sparql(
        &connection,
        &format!(
            "INSERT DATA {{ :a a :T ; :t {UTC} . :b a :T ; :t {EAST} . :c a :T ; :t {WEST} . :d a :T ; :t '2020-01-01T00:00:01Z'^^xsd:dateTime . \
             :e a :T ; :t '2019-12-31T23:59:59Z'^^xsd:dateTime . :f a :T ; :t '2020-01-01T02:00:00+01:00'^^xsd:dateTime }}"
        ),
    );
    let look = |state: &str| {
        for key in [UTC, EAST, WEST] {
            for (op, turned, expected) in [
                ("=", "=", "a b c"),
                ("!=", "!=", "d e f"),
                ("<", ">", "e"),
                ("<=", ">=", "a b c e"),
                (">", "<", "d f"),
                (">=", "<=", "a b c d f"),
            ] {
                for text in [
                    format!("SELECT ?x {{ ?x :t ?t FILTER(?t {op} {key}) }}"),
                    format!("SELECT ?x {{ ?x :t ?t FILTER({key} {turned} ?t) }}"),
                    format!("SELECT ?x {{ ?x :t ?t BIND({key} AS ?k) FILTER(?t {op} ?k) }}"),
                    format!("SELECT ?x {{ ?x :t ?t . :b :t ?k FILTER(?t {op} ?k) }}"),
                    format!("SELECT ?x {{ ?x :t ?t BIND(?t {op} {key} AS ?y) FILTER(?y) }}"),
                ] {
                    let names: Vec<String> = sparql(&connection, &text)
                        .iter()
                        .map(|name| name.trim_start_matches("<trimorph:").trim_end_matches('>').to_owned())
                        .collect();
                    assert_eq!(names.join(" "), expected, "{state}: {text}");
                }
            }
        }
        let among = format!("SELECT ?x {{ ?x :t ?t FILTER(?t IN ({EAST}, 1)) }}");
        assert_eq!(sparql(&connection, &among).len(), 3, "{state}");
        // As terms they are three.
        assert_eq!(
            sparql(&connection, &format!("SELECT ?x {{ ?x :t {EAST} }}")),
            ["<trimorph:b>"],
            "{state}"
        );
        assert_eq!(sparql(&connection, "SELECT DISTINCT ?t { ?x :t ?t }").len(), 6, "{state}");
        // In openCypher one instant is ordered by its zone; a plan with ranges and one without agree.
        for (op, expected) in [("<", "a c e"), ("<=", "a b c e"), (">", "d f"), (">=", "b d f"), ("=", "b")] {
            let names = |condition: &str| {
                let text = format!("MATCH (n) WHERE {condition} RETURN n.`@id`");
                let found = cypher(&connection, &text);
                let name =
                    |id: &String| id.trim_matches(['<', '>']).trim_start_matches("trimorph:").to_owned();
                found.iter().map(name).collect::<Vec<_>>().join(" ")
            };
            let key = "datetime('2020-01-01T01:00:00+01:00')";
            assert_eq!(names(&format!("n.t {op} {key}")), expected, "{state}: {op}");
            assert_eq!(names(&format!("[n.t][0] {op} {key}")), expected, "{state}: {op}");
        }
    };
    look("inserted");
    cypher(&connection, "CHECKPOINT");
    look("merged");
    cypher(&connection, "CREATE INDEX FOR (n:T) ON (n.t)");
    look("indexed");
}

#[test]
fn groups_of_queries_that_do_not_select() {
    let db = database();
    let connection = db.connect();
    sparql(&connection, "INSERT DATA { :a :p 1, 2 . :b :p 3 . :a :v1.2.3 :c }");
    let one = |text: &str| sparql(&connection, text);
    assert_eq!(one("ASK { ?s :p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)"), ["true"]);
    assert_eq!(one("ASK { ?s :p ?o } GROUP BY ?s HAVING (COUNT(*) > 2)"), ["false"]);
    assert_eq!(one("ASK { ?s :p ?o } HAVING (COUNT(*) = 3)"), ["true"]);
    let constructed =
        "CONSTRUCT { ?s :q ?n } WHERE { ?s :p ?o } GROUP BY ?s (STR(?s) AS ?n) HAVING (SUM(?o) = 3)";
    assert_eq!(one(constructed).len(), 2);
    assert_eq!(one("CONSTRUCT WHERE { ?s :p ?o } GROUP BY ?s ?o HAVING (?o > 1)").len(), 2);
    assert_eq!(one("SELECT ?o { :a :v1.2.3 ?o }"), ["<trimorph:c>"]);
    assert_eq!(one("SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING (?o > 2)"), ["<trimorph:b>"]);
    assert_eq!(one("SELECT ?o { :b !() ?o }"), ["3"]);
    assert_eq!(one("SELECT ?y { _:x :p ?y FILTER EXISTS { :a :p ?y } _:x :v1.2.3 ?z }"), ["1", "2"]);
}

/// The nodes that there are to openCypher, by what SPARQL calls them; literals and triple terms are counted.
fn nodes(db: &Database) -> (Vec<String>, u64) {
    let named = cypher(&db.connect(), "MATCH (n) RETURN coalesce(n.`@id`, 'made')");
    let hidden = cypher(&db.connect(), "MATCH (n:`@literal`|`@triple`) RETURN count(n)");
    (named, hidden[0].parse().unwrap())
}

#[test]
fn nodes_go_with_their_last_statement() {
    let db = database();
    let c = db.connect();
    let text = "INSERT DATA { <http://a> a :P ; :n 1, 2 ; :k <http://b>, <http://c> . <http://c> :n 3 . GRAPH <http://g> { <http://d> :k <http://b> } }";
    sparql(&c, text);
    cypher(&c, "CREATE (:Made)");
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(nodes(&db), (named(&["<http://a>", "<http://b>", "<http://c>", "<http://d>", "made"]), 1));
    // As subjects they have nothing; as objects they are in use.
    sparql(&c, "DELETE DATA { <http://a> :k <http://b> }");
    sparql(&c, "DELETE DATA { <http://c> :n 3 }");
    assert_eq!(nodes(&db).0.len(), 5);
    sparql(&c, "DELETE DATA { <http://a> :k <http://c> ; :n 2 }");
    assert_eq!(nodes(&db), (named(&["<http://a>", "<http://b>", "<http://d>", "made"]), 0));
    sparql(&c, "DELETE DATA { GRAPH <http://g> { <http://d> :k <http://b> } }");
    assert_eq!(nodes(&db).0, ["<http://a>", "made"]);
    // What an operation gives back stays the same node.
    let id = |c: &Connection| cypher(c, "MATCH (n) WHERE n.`@id` IS NOT NULL RETURN id(n)");
    let before = id(&c);
    sparql(&c, "DELETE { ?s ?p ?o } INSERT { ?s :n 5 } WHERE { ?s ?p ?o FILTER(?s = <http://a>) }");
    assert_eq!(id(&c), before);
    // Labels and properties of nodes without a name go, the nodes stay.
    sparql(&c, "DELETE WHERE { ?s a :Made }");
    assert_eq!(nodes(&db).0, ["<http://a>", "made"]);
    c.begin().unwrap();
    sparql(&c, "DELETE WHERE { <http://a> ?p ?o }");
    sparql(&c, "INSERT DATA { <http://e> :k <http://a> }");
    sparql(&c, "DELETE WHERE { ?s ?p ?o }");
    assert_eq!(cypher(&c, "MATCH (n) RETURN count(n)"), ["1"]);
    c.rollback().unwrap();
    assert_eq!(nodes(&db).0, ["<http://a>", "made"]);
    assert_eq!(id(&c), before);
    // Who states something of a node that goes meanwhile is told, or it stays.
    let other = db.connect();
    c.begin().unwrap();
    other.begin().unwrap();
    sparql(&c, "DELETE WHERE { <http://a> ?p ?o }");
    let late = other.sparql("INSERT DATA { <http://f> :k <http://a> }").and_then(|_| other.commit());
    if late.is_err() && other.in_transaction() {
        other.rollback().unwrap();
    }
    let early = c.commit();
    assert!(late.is_ok() != early.is_ok(), "{late:?} {early:?}");
    let expected = if late.is_ok() { 2 } else { 0 };
    assert_eq!(sparql(&db.connect(), "SELECT ?s { ?s ?p ?o }").len(), expected);
}

/// What comes and goes by SPARQL Update takes no more room than what is there.
#[test]
fn churn_by_updates_returns_memory() {
    const SUBJECTS: usize = 1_500;
    let config = Config::new().memory_limit_bytes(64 << 20).background_merges(false);
    let db = Database::in_memory(config);
    let c = db.connect();
    let make = |round: usize, part: usize| {
        let own = (0..SUBJECTS).filter(|i| i % 5 == part).map(|i| {
            let [a, b] = [5, 35].map(|step| (i + step) % SUBJECTS);
            format!(
                "<http://e/{round}/{i}> a :P ; :part {part} ; :v {i} ; :s 'made {i}', 'other {round}' ; \
                 :knows <http://e/{round}/{a}>, <http://e/{round}/{b}> ; :in _:b{i} . _:b{i} :of <http://e/{round}/{i}> ."
            )
        });
        sparql(&c, &format!("INSERT DATA {{ {} }}", own.collect::<Vec<_>>().join("\n")));
    };
    (0..5).for_each(|part| make(0, part));
    for _ in 0..3 {
        db.merge(&CancelToken::default()).unwrap();
    }
    let fresh = db.stats();
    let statements = sparql(&c, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
    for round in 1..=12 {
        for part in 0..5 {
            sparql(&c, &format!("DELETE {{ ?b :of ?s }} WHERE {{ ?s :part {part} ; :in ?b }}"));
            sparql(&c, &format!("DELETE {{ ?s ?p ?o }} WHERE {{ ?s :part {part} ; ?p ?o }}"));
            make(round, part);
            db.merge(&CancelToken::default()).unwrap();
        }
        assert_eq!(sparql(&c, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), statements);
    }
    for _ in 0..3 {
        db.merge(&CancelToken::default()).unwrap();
    }
    assert_eq!(cypher(&c, "MATCH (n) RETURN count(n)"), [(2 * SUBJECTS).to_string()]);
    let now = db.stats();
    let (now, then) = (now.piece_bytes + now.delta_bytes, fresh.piece_bytes + fresh.delta_bytes);
    assert!(now < then + then / 2, "{now} bytes, at first {then}");
}

/// What may be unbound stands in the pattern of an EXISTS for its value where it has one, and is free else:
/// in filters, in what is computed, within MINUS and groups of their own.
#[test]
fn exists_asks_for_what_may_be_unbound() {
    let db = database();
    let connection = db.connect();
    sparql(&connection, "INSERT DATA { :a :p 1 ; :c 0 . :b :p 2 . :d :p 3 ; :c 5 . :e :q 4 }");
    let of = |condition: &str| {
        let text = format!("SELECT ?s {{ ?s :p ?y OPTIONAL {{ ?s :c ?c }} FILTER({condition}) }}");
        let found = sparql(&connection, &text);
        let names = found.iter().map(|row| row.trim_start_matches("<trimorph:").trim_end_matches('>'));
        names.collect::<Vec<_>>().join("")
    };
    for (condition, expected) in [
        ("EXISTS { ?s :p ?z FILTER(?z > ?c) }", "a"),
        ("NOT EXISTS { ?s :p ?z FILTER(?z > ?c) }", "bd"),
        ("EXISTS { FILTER(?c) }", "d"),
        ("EXISTS { FILTER(!BOUND(?c)) }", "b"),
        ("EXISTS { ?s :p ?z BIND(?z + ?c AS ?w) FILTER(?w > 2) }", "d"),
        ("EXISTS { ?s :p ?z FILTER(COALESCE(?c, 9) > 4) }", "bd"),
        ("NOT EXISTS { ?s :p ?z MINUS { ?s :p ?z FILTER(?z > ?c) } }", "a"),
        ("EXISTS { { ?q :p ?w FILTER(?w < ?c) } }", "d"),
        ("EXISTS { { ?q :p ?w FILTER(?w < ?c) } UNION { ?s :p 2 } }", "bd"),
        ("EXISTS { ?s :p ?z OPTIONAL { ?s :c ?v FILTER(?v = ?c) } FILTER(!BOUND(?v)) }", "b"),
        // The pattern may bind it itself: where it is unbound outside, it is what the pattern says.
        ("EXISTS { ?q :q ?z OPTIONAL { ?q :none ?c } FILTER(?c < 9) }", "ad"),
        ("EXISTS { ?q :c ?c FILTER(?c > 1) }", "bd"),
        ("EXISTS { ?s :p ?z OPTIONAL { ?q :c ?c } FILTER(?c > 4) }", "bd"),
        ("EXISTS { { ?q :q ?z } UNION { ?q :c ?c } FILTER(!BOUND(?c)) }", "b"),
        ("EXISTS { ?s :p ?z FILTER NOT EXISTS { ?s :p ?v FILTER(?v > ?c) } }", "bd"),
        // A group of its own does not see what is bound beside it, only what EXISTS puts into it.
        ("EXISTS { ?s :p ?z OPTIONAL { { ?s :c ?v FILTER(?z > 0) } } FILTER(BOUND(?v)) }", ""),
        ("EXISTS { ?s :p ?z OPTIONAL { { ?s :c ?v FILTER(?y > 0) } } FILTER(BOUND(?v)) }", "ad"),
    ] {
        assert_eq!(of(condition), expected, "{condition}");
        let asked = format!(
            "SELECT ?s {{ ?s :p ?y OPTIONAL {{ ?s :c ?c }} BIND(({condition}) AS ?is) FILTER(?is) }}"
        );
        assert_eq!(sparql(&connection, &asked).len(), expected.len(), "{condition}");
    }
}

/// A template with a graph that is not bound, or is no IRI, makes no statement: not one of the default graph.
#[test]
fn graphs_of_templates_are_bound() {
    let db = database();
    let connection = db.connect();
    sparql(&connection, "INSERT DATA { :a :p :b , :c . :c :g :x }");
    let before = sparql(&connection, EVERYTHING);
    for update in [
        "DELETE { GRAPH ?g { ?s :p ?o } } WHERE { ?s :p ?o }",
        "INSERT { GRAPH ?g { ?s :new ?o } } WHERE { ?s :p ?o }",
        "INSERT { GRAPH ?g { ?s :new ?o } } WHERE { ?s :p ?o BIND('x' AS ?g) }",
        "INSERT { GRAPH ?g { ?s :new ?o } } WHERE { ?s :p ?o BIND(TRIPLE(?s, :p, ?o) AS ?g) }",
        "DELETE { GRAPH ?g { ?s :p ?o } } WHERE { ?s :p ?o OPTIONAL { ?o :none ?g } }",
    ] {
        sparql(&connection, update);
        assert_eq!(sparql(&connection, EVERYTHING), before, "{update}");
    }
    sparql(&connection, "INSERT { GRAPH ?g { ?s :new ?o } } WHERE { ?s :p ?o OPTIONAL { ?o :g ?g } }");
    let named = sparql(&connection, "SELECT ?g ?o { GRAPH ?g { :a :new ?o } }");
    assert_eq!(named, ["<trimorph:x> <trimorph:c>"]);
    assert_eq!(sparql(&connection, EVERYTHING).len(), before.len() + 1);
}

/// A blank node of INSERT DATA is the same one in the triple terms of the text, and another each time.
#[test]
fn blank_nodes_within_triple_terms_are_new() {
    let db = database();
    let connection = db.connect();
    for _ in 0..2 {
        sparql(
            &connection,
            "INSERT DATA { _:x :p :b {| :since 1 |} . :a :t <<( :a :p <<( _:x :p _:y )>> )>> }",
        );
    }
    let count = |text: &str| sparql(&connection, &format!("SELECT (COUNT(DISTINCT ?x) AS ?n) {{ {text} }}"));
    assert_eq!(count("?x :p :b"), ["2"]);
    assert_eq!(count("?x :p :b {| :since 1 |}"), ["2"]);
    assert_eq!(count(":a :t ?x"), ["2"]);
    assert_eq!(count(":a :t <<( :a :p <<( ?x :p ?y )>> )>> . ?x :p :b"), ["2"]);
    sparql(&connection, "INSERT DATA { :k :t <<( :a :p _:only )>> }");
    sparql(&connection, "INSERT DATA { :k :t <<( :a :p _:only )>> }");
    assert_eq!(count(":k :t ?x"), ["2"]);
}

/// What is asked of a predicate is part of the pattern, and says the same as a condition on its text, which
/// is none.
#[test]
fn conditions_on_predicates_are_asked_where_statements_are() {
    let db = database();
    let connection = db.connect();
    sparql(
        &connection,
        "INSERT DATA { <http://a> a <http://C> ; <http://p> 1, 2, 'x'@en ; <http://q> <http://b>, 'l' ;
           <http://r> <http://c> {| <http://p> 'said' ; <http://since> 2020 |} .
         <http://b> <http://p> 1 ; <http://r> <http://a> . <http://p> a <http://P> ; <http://p> <http://q> .
         GRAPH <http://g> { <http://a> <http://p> 3 ; <http://q> <http://a> } }",
    );
    let shapes = [
        "SELECT * { ?s ?p ?o FILTER(@) }",
        "SELECT * { <http://a> ?p ?o FILTER(@) }",
        "SELECT * { ?s ?p <http://a> FILTER(@) }",
        "SELECT * { ?s ?p 1 FILTER(@) }",
        "SELECT * { ?s ?p 'said' FILTER(@) }",
        "SELECT * { ?s ?p <http://C> FILTER(@) }",
        "SELECT * { ?r <http://since> 2020 . ?r ?p ?o FILTER(@) }",
        "SELECT * { GRAPH ?g { ?s ?p ?o FILTER(@) } }",
        "SELECT ?s ?p ?o FROM <http://g> { ?s ?p ?o FILTER(@) }",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(@) } GROUP BY ?p",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(@) }",
        "SELECT * { ?p a <http://P> . ?s ?p ?o FILTER(@) }",
        "SELECT * { ?p ?p ?o FILTER(@) }",
    ];
    let all = ["http://p", "http://q", "http://since", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"];
    let reifies = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies";
    let mut conditions =
        vec![("?p != <http://p> && ?p != <http://r>".to_owned(), vec!["http://p", "http://r"], false)];
    for some in [&all[..1], &all[1..2], &all[2..3], &all[3..], &all[..2], &all, &[reifies], &["http://none"]]
    {
        let terms: Vec<String> = some.iter().map(|iri| format!("<{iri}>")).collect();
        let terms = terms.join(", ");
        conditions.push((format!("?p IN ({terms})"), some.to_vec(), true));
        conditions.push((format!("?p NOT IN ({terms})"), some.to_vec(), false));
        let alternatives: Vec<String> = some.iter().map(|iri| format!("<{iri}> = ?p")).collect();
        conditions.push((alternatives.join(" || "), some.to_vec(), true));
        conditions.push((format!("!({})", alternatives.join(" || ")), some.to_vec(), false));
    }
    for shape in shapes {
        for (condition, iris, is_in) in &conditions {
            let texts: Vec<String> = iris.iter().map(|iri| format!("'{iri}'")).collect();
            let not = if *is_in { "" } else { "NOT " };
            let by_text = shape.replace('@', &format!("STR(?p) {not}IN ({})", texts.join(", ")));
            let asked = shape.replace('@', condition);
            assert_eq!(sparql(&connection, &asked), sparql(&connection, &by_text), "{asked}");
        }
    }
    let plan = |text: &str| {
        let mut result = connection.sparql(&format!("EXPLAIN {text}")).unwrap();
        while result.next_row().unwrap().is_some() {}
        result.plan()
    };
    for (text, line) in [
        ("SELECT * { ?s ?p ?o FILTER(?p != <http://p>) }", "Statements s p o but by <http://p>"),
        ("SELECT * { <http://a> !(<http://p>|<http://q>) ?o }", "o but by <http://p>, <http://q>"),
        (
            "SELECT * { ?s ?p ?o FILTER(?p IN (<http://q>, <http://p>) && ?o > 1) }",
            "by <http://p>, <http://q>",
        ),
        (
            "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?p != <http://p>) } GROUP BY ?p",
            "but by <http://p>, counted",
        ),
    ] {
        assert!(plan(text).contains(line), "{text}\n{}", plan(text));
    }
}

/// IRIs that a variable may be are one set, whether they are nodes or not.
#[test]
fn a_variable_is_among_many_iris() {
    let db = database();
    let connection = db.connect();
    sparql(
        &connection,
        "INSERT DATA { <http://a> <http://knows> <http://b>, <http://c>, <http://d> . <http://b> <http://knows> <http://c> }",
    );
    let mut iris: Vec<String> = (0..300).map(|i| format!("<http://none/{i}>")).collect();
    iris.extend(["<http://c>".to_owned(), "<http://d>".to_owned()]);
    let iris = iris.join(", ");
    let [is_in, is_not] = ["IN", "NOT IN"]
        .map(|op| format!("SELECT ?x ?y {{ ?x <http://knows> ?y FILTER(?y {op} ({iris})) }}"));
    assert_eq!(
        sparql(&connection, &is_in),
        ["<http://a> <http://c>", "<http://a> <http://d>", "<http://b> <http://c>"]
    );
    assert_eq!(sparql(&connection, &is_not), ["<http://a> <http://b>"]);
    let mut result = connection.sparql(&format!("EXPLAIN {is_in}")).unwrap();
    while result.next_row().unwrap().is_some() {}
    let plan = result.plan();
    assert!(plan.contains(" IN ") && !plan.contains(" OR "), "{plan}");
}

/// Doubles are joined and found as terms: NaN is one, which no number equals; zero and minus zero are two.
#[test]
fn doubles_are_joined_as_terms() {
    let data = "<http://a> :p 'NaN'^^xsd:double ; :k 1 . <http://b> :p 0.0E0 ; :k 2 . <http://c> :p -0.0E0 ; :k 3 . <http://d> :p 1.5E0 ; :k 4 . <http://e> :q 'NaN'^^xsd:double , 0.0E0 . <http://f> :q -0.0E0 . <http://g> :q 1.5E0 . <http://h> :r 'NaN'^^xsd:double . <http://i> :r -0.0E0 .";
    let prefixes = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>";
    for is_merged in [false, true] {
        let db = database();
        let connection = db.connect();
        sparql(&connection, &format!("{prefixes} INSERT DATA {{ {data} }}"));
        // What is there already is not there twice.
        sparql(&connection, &format!("{prefixes} INSERT DATA {{ {data} }}"));
        if is_merged {
            db.merge(&CancelToken::default()).unwrap();
        }
        let asked = |pattern: &str| sparql(&connection, &format!("{prefixes} SELECT ?k {{ {pattern} }}"));
        for (pattern, wanted) in [
            ("?s :p 'NaN'^^xsd:double ; :k ?k", "1"),
            ("?s :p 0e0 ; :k ?k", ""),
            ("?s :p '0.0E0'^^xsd:double ; :k ?k", "2"),
            ("?s :p -0.0E0 ; :k ?k", "3"),
            ("?s :p 1.5E0 ; :k ?k", "4"),
            ("VALUES ?x { 'NaN'^^xsd:double -0.0E0 } ?s :p ?x ; :k ?k", "1 3"),
            ("?s :p ?x ; :k ?k . ?t :q ?x", "1 2 3 4"),
            ("?s :p ?x ; :k ?k . ?t :r ?x", "1 3"),
            ("?t :r ?x . ?s :p ?x ; :k ?k", "1 3"),
            ("?s :p ?x ; :k ?k FILTER EXISTS { ?t :r ?x }", "1 3"),
            ("?s :p ?x ; :k ?k MINUS { ?t :r ?x }", "2 4"),
            ("?s :p ?x ; :k ?k . { SELECT ?x { ?t :r ?x } }", "1 3"),
            ("?s :p ?x ; :k ?k OPTIONAL { ?t :r ?x } FILTER(!BOUND(?t))", "2 4"),
            ("?s :p ?x ; :k ?k . ?t :r ?y FILTER(sameTerm(?x, ?y))", "1 3"),
            ("?s :p ?x ; :k ?k . ?t :r ?y FILTER(?x = ?y)", "2 3"),
            ("?s :p ?x ; :k ?k FILTER(?x = ?x)", "2 3 4"),
            ("{ SELECT (COUNT(*) AS ?k) { { SELECT DISTINCT ?x { ?s :p ?x } } } }", "4"),
            ("{ SELECT (COUNT(DISTINCT ?x) AS ?k) { ?s :p ?x } }", "4"),
            ("{ SELECT (COUNT(DISTINCT *) AS ?k) { { SELECT ?x { ?s :p ?x } } } }", "4"),
            ("{ SELECT ?x (MIN(?j) AS ?k) { ?s :p ?x ; :k ?j } GROUP BY ?x ORDER BY ?k }", "1 2 3 4"),
            (
                "{ SELECT ?x ?l (MIN(?j) AS ?k) { ?s :p ?x ; :k ?j BIND(?j > 2 AS ?l) } GROUP BY ?x ?l ORDER BY ?k }",
                "1 2 3 4",
            ),
            (
                "{ SELECT (COUNT(*) AS ?k) { { SELECT DISTINCT ?x ?y { ?s :p ?x BIND(ABS(?x) AS ?y) } } } }",
                "4",
            ),
            ("?s ?p 'NaN'^^xsd:double ; :k ?k", "1"),
            ("?s ?p ?x ; :k ?k . ?t :r ?x", "1 3"),
            (
                "{ SELECT (COUNT(*) AS ?k) { { SELECT DISTINCT ?x { VALUES ?s { <http://a> <http://h> } { ?s :p ?x } UNION { ?s :r ?x } } } } }",
                "1",
            ),
            (
                "{ SELECT (COUNT(DISTINCT ?x) AS ?k) { VALUES ?s { <http://a> <http://h> } { ?s :p ?x } UNION { ?s :r ?x } } }",
                "1",
            ),
        ] {
            assert_eq!(asked(pattern).join(" "), wanted, "merged {is_merged}: {pattern}");
        }
        sparql(&connection, &format!("{prefixes} DELETE DATA {{ <http://a> :p 'NaN'^^xsd:double }}"));
        sparql(&connection, &format!("{prefixes} DELETE {{ ?s :q ?x }} WHERE {{ ?t :r ?x . ?s :q ?x }}"));
        assert_eq!(asked("?k :p ?x"), ["<http://b>", "<http://c>", "<http://d>"], "merged {is_merged}");
        assert_eq!(asked("?s :q ?k").len(), 2, "merged {is_merged}");
    }
}

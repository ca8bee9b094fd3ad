//! SPARQL as people write it: what is planned otherwise than it is written gives the same rows. What is
//! computed of few numbers, what asks nothing but a property of a node, patterns beside unions, and counts of
//! all statements.

use std::collections::BTreeMap;

use trimorph::{Config, Connection, Database};

use super::sparql::{cypher, sparql};

fn filled(texts: &[&str]) -> (Database, Connection) {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    for text in texts {
        connection.query(text, &[]).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
    (db, connection)
}

/// Ten thousand messages; every tenth has no length, the others one of sixty-three.
const MESSAGES: &str =
    "UNWIND range(1, 10000) AS n CREATE (:M {n: n, l: CASE n % 10 WHEN 0 THEN null ELSE n % 70 END})";

fn lengths() -> impl Iterator<Item = i64> {
    (1..=10_000).filter(|n| n % 10 != 0).map(|n| n % 70)
}

#[test]
fn functions_of_few_numbers_are_those_of_rows() {
    let (_db, connection) = filled(&[MESSAGES]);
    let check = |text: &str, expected: Vec<String>| assert_eq!(sparql(&connection, text), expected, "{text}");
    let mut floors: BTreeMap<i64, i64> = BTreeMap::new();
    lengths().for_each(|l| *floors.entry(l / 50).or_default() += 1);
    check(
        "SELECT ?k (COUNT(*) AS ?n) { ?m :l ?l BIND(FLOOR(?l / 50) AS ?k) } GROUP BY ?k",
        floors.iter().map(|(k, n)| format!("{k} {n}")).collect(),
    );
    let above = lengths().filter(|l| *l > 21).count();
    check("SELECT (COUNT(*) AS ?n) { ?m :l ?l FILTER(?l / 2 > 10.5) }", vec![above.to_string()]);
    check("SELECT (COUNT(*) AS ?n) { ?m :l ?l FILTER(xsd:double(?l) > 2.1e1) }", vec![above.to_string()]);
    // An error where the divisor is nothing, and of rows without a length.
    let wanted = lengths().filter(|l| *l != 3).count();
    check(
        "SELECT (COUNT(?x) AS ?n) (COUNT(*) AS ?all) { ?m a :M OPTIONAL { ?m :l ?l } BIND(60 / (?l - 3) AS ?x) }",
        vec![format!("{wanted} 10000")],
    );
    let none = 10_000 - lengths().count();
    check(
        "SELECT (COUNT(*) AS ?n) { ?m a :M OPTIONAL { ?m :l ?l } FILTER(COALESCE(xsd:double(?l) / 2, -1) < 0) }",
        vec![none.to_string()],
    );
    // As many numbers as rows: nothing is kept.
    let halves: i64 = (1..=10_000).filter(|n| n / 2 > 4_000).count() as i64;
    check("SELECT (COUNT(*) AS ?n) { ?m :n ?i FILTER(FLOOR(?i / 2) > 4000) }", vec![halves.to_string()]);
    check("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?m :n ?i BIND(?i / 4 AS ?x) }", vec!["10000".into()]);
}

/// Some have a mail address, some a nick, some neither; a stranger has what others have not.
const PEOPLE: &str = "CREATE (a:P {k: 1, mail: 'a@x', nick: 'ann'}), (b:P {k: 2, mail: 'b@x'}), (c:P {k: 3, nick: 'ann'}), (d:P {k: 4}), \
     (s:Q {k: 5, mail: 'a@x'}), (t:Q {k: 6, wish: 'ann'}), (a)-[:KNOWS]->(b), (a)-[:KNOWS]->(c), (b)-[:KNOWS]->(d), (d)-[:KNOWS]->(d), (c)-[:LIKES {on: 7}]->(a)";

#[test]
fn what_asks_only_a_property_matches_nothing() {
    let (_db, connection) = filled(&[PEOPLE]);
    for (text, expected) in [
        ("SELECT ?k { ?p a :P ; :k ?k FILTER NOT EXISTS { ?p :mail ?m } }", &["3", "4"][..]),
        ("SELECT ?k { ?p a :P ; :k ?k MINUS { ?p :mail ?m } }", &["3", "4"]),
        ("SELECT ?k { ?p a :P ; :k ?k MINUS { ?p :mail [] ; :nick ?n } }", &["2", "3", "4"]),
        ("SELECT ?k { ?p a :P ; :k ?k FILTER EXISTS { ?p :mail ?m } }", &["1", "2"]),
        ("SELECT ?k { ?p :k ?k FILTER NOT EXISTS { ?p a :P ; :mail ?m } }", &["3", "4", "5", "6"]),
        (
            "SELECT ?k ?e { ?p a :P ; :k ?k BIND(EXISTS { ?p :nick ?n } AS ?e) }",
            &["1 true", "2 false", "3 true", "4 false"],
        ),
        // What two ask with one variable is compared.
        ("SELECT ?k { ?p :k ?k FILTER EXISTS { ?p :nick ?x ; :mail ?x } }", &[]),
        // Nothing in common takes nothing away; what is bound is compared.
        ("SELECT ?k { ?p a :P ; :k ?k MINUS { ?q :mail ?m } }", &["1", "2", "3", "4"]),
        ("SELECT ?k { ?p :k ?k ; :mail ?m MINUS { ?p :nick ?m } }", &["1", "2", "5"]),
        (
            "SELECT ?k ?m { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?m } }",
            &["1 a@x", "2 b@x", "3 null", "4 null"],
        ),
        ("SELECT ?k { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?m } FILTER(!BOUND(?m)) }", &["3", "4"]),
        ("SELECT ?k { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?m } FILTER(?m > 'a@z') }", &["2"]),
        (
            "SELECT ?k ?x { ?p a :P ; :k ?k OPTIONAL { ?p :nick ?n } OPTIONAL { ?p :mail ?m } BIND(COALESCE(?n, ?m, 'none') AS ?x) }",
            &["1 ann", "2 b@x", "3 ann", "4 none"],
        ),
        // One variable, of either.
        (
            "SELECT ?k ?x { ?p a :P ; :k ?k OPTIONAL { ?p :nick ?x } OPTIONAL { ?p :mail ?x } }",
            &["1 ann", "2 b@x", "3 ann", "4 null"],
        ),
        (
            "SELECT ?k ?j { ?p a :P ; :k ?k OPTIONAL { ?p :nick ?x } ?t :wish ?x ; :k ?j }",
            &["1 6", "2 6", "3 6", "4 6"],
        ),
        (
            "SELECT ?k ?j { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?x } ?q a :Q ; :mail ?x ; :k ?j }",
            &["1 5", "3 5", "4 5"],
        ),
        (
            "SELECT ?k ?x { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?x } OPTIONAL { ?p :mail ?x } }",
            &["1 a@x", "2 b@x", "3 null", "4 null"],
        ),
        ("SELECT ?k ?x { ?p a :P ; :k ?k OPTIONAL { ?p :mail ?x } ?p :mail ?x }", &["1 a@x", "2 b@x"]),
        // What is optional of what is optional.
        (
            "SELECT ?k ?m { ?p a :P ; :k ?k OPTIONAL { ?p :KNOWS ?q OPTIONAL { ?q :mail ?m } } }",
            &["1 b@x", "1 null", "2 null", "3 null", "4 null"],
        ),
        (
            "SELECT ?k ?m { ?p a :P ; :k ?k OPTIONAL { ?p :KNOWS ?q } OPTIONAL { ?q :mail ?m } }",
            &["1 b@x", "1 null", "2 null", "3 a@x", "3 a@x", "3 b@x", "4 null"],
        ),
        ("SELECT ?x (COUNT(*) AS ?n) { ?p a :P OPTIONAL { ?p :nick ?x } } GROUP BY ?x", &["ann 2", "null 2"]),
        ("SELECT DISTINCT ?x { ?p a :P OPTIONAL { ?p :nick ?x } }", &["ann", "null"]),
        (
            "SELECT ?k ?x { ?p :k ?k { SELECT ?p ?x { ?p a :P OPTIONAL { ?p :nick ?x } } } }",
            &["1 ann", "2 null", "3 ann", "4 null"],
        ),
        (
            "SELECT ?k ?x { { ?p a :P OPTIONAL { ?p :nick ?x } } UNION { ?p a :Q OPTIONAL { ?p :mail ?x } } ?p :k ?k }",
            &["1 ann", "2 null", "3 ann", "4 null", "5 a@x", "6 null"],
        ),
        ("SELECT ?k { ?p a :P ; :k ?k OPTIONAL { ?p :nick ?x } FILTER NOT EXISTS { ?q :wish ?x } }", &[]),
        ("SELECT ?k { ?p a :P ; :k ?k OPTIONAL { ?p :nick ?x } MINUS { ?q :wish ?x } }", &["2", "4"]),
    ] {
        assert_eq!(sparql(&connection, text), expected, "{text}");
    }
}

#[test]
fn patterns_beside_a_union_are_matched_within() {
    let (_db, connection) = filled(&[PEOPLE]);
    for (text, expected) in [
        (
            "SELECT ?a ?b { { ?p :KNOWS ?q } UNION { ?p :LIKES ?q } ?p :k ?a . ?q :k ?b }",
            &["1 2", "1 3", "2 4", "3 1", "4 4"][..],
        ),
        (
            "SELECT ?a ?s { { ?p :KNOWS ?q BIND('knows' AS ?s) } UNION { ?p :LIKES ?q BIND('likes' AS ?s) } ?q :k ?a }",
            &["1 likes", "2 knows", "3 knows", "4 knows", "4 knows"],
        ),
        // Twice where both have it.
        ("SELECT ?k { { ?p :mail ?m } UNION { ?p :nick ?n } ?p a :P ; :k ?k }", &["1", "1", "2", "3"]),
        (
            "SELECT ?k { { ?p :mail [] } UNION { ?p :nick [] } UNION { ?p :wish [] } [] :KNOWS ?p . ?p :k ?k }",
            &["2", "3"],
        ),
        // A condition within an alternative does not see what is beside it.
        ("SELECT ?k { { ?p :mail ?m FILTER(?k > 1) } UNION { ?p :wish ?m } ?p :k ?k }", &["6"]),
        (
            "SELECT ?k { { ?p :mail ?m FILTER(STRSTARTS(?m, 'a')) } UNION { ?p :wish ?m } ?p :k ?k }",
            &["1", "5", "6"],
        ),
        (
            "SELECT ?k ?x { { ?p :mail ?m BIND(?k AS ?x) } UNION { ?p :wish ?m BIND(?m AS ?x) } ?p :k ?k }",
            &["1 null", "2 null", "5 null", "6 ann"],
        ),
        // One alternative does not bind what the pattern is about: each with each.
        (
            "SELECT ?k ?j { { ?p :wish ?w } UNION { ?o :wish ?w ; :k ?j } ?p a :P ; :k ?k }",
            &["1 6", "2 6", "3 6", "4 6"],
        ),
        ("SELECT (COUNT(*) AS ?n) { { ?p :KNOWS+ ?q } UNION { ?p :LIKES ?q } ?q a :P }", &["6"]),
        (
            "SELECT ?k { { SELECT ?p { ?p :mail ?m } ORDER BY ?m LIMIT 1 } UNION { ?p :wish ?w } ?p :k ?k FILTER(?k != 5) }",
            &["1", "6"],
        ),
        (
            "SELECT ?k { { { ?p :mail ?m } UNION { ?p :nick ?m } ?p a :P } UNION { ?p :wish ?m } ?p :k ?k }",
            &["1", "1", "2", "3", "6"],
        ),
    ] {
        let found = sparql(&connection, text);
        match text.contains("LIMIT 1") {
            // Two have the first address.
            true => assert!(found == expected || found == ["6"], "{text}: {found:?}"),
            false => assert_eq!(found, expected, "{text}"),
        }
    }
}

#[test]
fn nodes_of_any_class_are_looked_for_where_the_property_is() {
    let (_db, connection) = filled(&[PEOPLE]);
    let pairs = "SELECT (COUNT(*) AS ?n) { ?p :mail ?m . ?q :mail ?m FILTER(?p != ?q) }";
    assert_eq!(sparql(&connection, pairs), ["2"]);
    // Of a class that had none before, with a plan that is kept.
    connection.query("CREATE (:R {k: 9, mail: 'a@x'})", &[]).unwrap();
    assert_eq!(sparql(&connection, pairs), ["6"]);
    connection.query("MATCH (d:P {k: 4}) SET d:Late, d.mail = 'b@x'", &[]).unwrap();
    assert_eq!(sparql(&connection, pairs), ["8"]);
    let text = "MATCH (n) WHERE n.mail STARTS WITH 'a' RETURN count(*)";
    assert_eq!(cypher(&connection, text), ["3"]);
    // What a statement itself has written is asked, too.
    let text = "CREATE (:S {hue: 1}) WITH 1 AS one MATCH (n) WHERE n.hue = one RETURN count(*)";
    assert_eq!(cypher(&connection, text), ["1"]);
    let text = "MATCH (p:P {k: 1}) SET p.hue = 1 WITH p MATCH (n) WHERE n.hue = p.hue RETURN count(*)";
    assert_eq!(cypher(&connection, text), ["2"]);
}

#[test]
fn statements_are_counted_as_they_are_found() {
    let (_db, connection) = filled(&[
        PEOPLE,
        "MATCH (a:P), (b:Q) CREATE (a)-[:WANTS {on: a.k, why: CASE b.k WHEN 5 THEN 'so' END}]->(b)",
        "MATCH (a:P {k: 2})-[w:WANTS]->() SET w.odd = [1, 2]",
    ]);
    let all = sparql(&connection, "SELECT ?s ?p ?o { ?s ?p ?o }");
    let mut by_predicate: BTreeMap<String, usize> = BTreeMap::new();
    let names = sparql(&connection, "SELECT ?p { ?s ?p ?o }");
    assert_eq!(names.len(), all.len());
    names.into_iter().for_each(|name| *by_predicate.entry(name).or_default() += 1);
    assert_eq!(sparql(&connection, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), [all.len().to_string()]);
    let expected: Vec<String> = by_predicate.iter().map(|(name, n)| format!("{name} {n}")).collect();
    assert_eq!(sparql(&connection, "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"), expected);
    // 8 relationships with two properties, one of them in half, and two that a list gives twice.
    for (predicate, count) in [(":on", 9), (":why", 4), (":odd", 4), ("rdf:reifies", 9)] {
        let text = format!("SELECT (COUNT(*) AS ?n) {{ ?s {predicate} ?o }}");
        assert_eq!(sparql(&connection, &text), [count.to_string()], "{text}");
    }
    let literals = all.len() - sparql(&connection, "SELECT ?s { ?s ?p ?o FILTER(!ISLITERAL(?o)) }").len();
    let text = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(ISLITERAL(?o)) }";
    assert_eq!(sparql(&connection, text), [literals.to_string()]);
}

#[test]
fn years_are_ranges_where_all_values_have_one() {
    let (_db, connection) = filled(&[
        "UNWIND range(0, 3999) AS n CREATE (:D {n: n, at: datetime('2010-01-01T00:30:00Z') + duration({hours: n * 7}), day: date('2010-01-01') + duration({days: n})})",
    ]);
    for (text, wanted) in [
        (
            "SELECT (COUNT(*) AS ?n) { ?d :at ?x FILTER(YEAR(?x) = 2011) }",
            "MATCH (d:D) WHERE d.at.year = 2011 RETURN count(*)",
        ),
        (
            "SELECT (COUNT(*) AS ?n) { ?d :at ?x FILTER(!(YEAR(?x) >= 2012)) }",
            "MATCH (d:D) WHERE d.at.year < 2012 RETURN count(*)",
        ),
        (
            "SELECT (COUNT(*) AS ?n) { ?d :day ?x FILTER(YEAR(?x) > 2015) }",
            "MATCH (d:D) WHERE d.day.year > 2015 RETURN count(*)",
        ),
        (
            "SELECT (COUNT(*) AS ?n) { ?d :n ?x FILTER(YEAR(?x) > 2015) }",
            "MATCH (d:D) WHERE false RETURN count(*)",
        ),
    ] {
        assert_eq!(sparql(&connection, text), cypher(&connection, wanted), "{text}");
    }
    // Moments of other offsets have the year of their clocks; what has no year is an error, whatever it is.
    connection
        .query("CREATE (:E {at: datetime('2011-12-31T22:00:00-05:00')}), (:E {at: datetime('2012-01-01T01:00:00+05:00')}), (:E {at: 2011}), (:E {at: date('2011-05-05')})", &[])
        .unwrap();
    assert_eq!(
        sparql(&connection, "SELECT (COUNT(*) AS ?n) { ?e a :E ; :at ?x FILTER(YEAR(?x) = 2011) }"),
        ["2"]
    );
    assert_eq!(
        sparql(&connection, "SELECT (COUNT(*) AS ?n) { ?e a :E ; :at ?x FILTER(!(YEAR(?x) = 2011)) }"),
        ["1"]
    );
}

#[test]
fn all_is_selected_in_the_order_of_the_text() {
    let (_db, connection) = filled(&[PEOPLE]);
    for (text, expected) in [
        ("SELECT * { ?s ?p ?o }", &["s", "p", "o"][..]),
        (
            "PREFIX p: <http://p/> SELECT DISTINCT * WHERE { ?z :k ?y OPTIONAL { ?z :mail ?a } BIND(1 AS ?b) } ORDER BY ?a LIMIT 3",
            &["z", "y", "a", "b"],
        ),
        (
            "# SELECT ?x\nSELECT REDUCED * { { SELECT ?b ?a { ?a :k ?b . ?c :k ?b } } ?a :k $d }",
            &["b", "a", "d"],
        ),
        ("SELECT ?o ?s { ?s ?p ?o }", &["o", "s"]),
        ("SELECT * { VALUES (?z ?a) { (1 2) } FILTER(?z * 2 = ?a) }", &["z", "a"]),
    ] {
        let result = connection.sparql(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!(result.columns(), expected, "{text}");
    }
}

#[test]
fn same_terms_of_one_type_are_equal_values() {
    let (_db, connection) = filled(&[PEOPLE]);
    for (text, expected) in [
        (
            "SELECT ?a ?b { ?p :mail ?x ; :k ?a . ?q :mail ?y ; :k ?b FILTER(SAMETERM(?x, ?y) && ?a < ?b) }",
            &["1 5"][..],
        ),
        ("SELECT ?a { ?p :k ?a FILTER(SAMETERM(?a, 2)) }", &["2"]),
        ("SELECT ?a { ?p :k ?a FILTER(SAMETERM(?a, 2.0)) }", &[]),
        ("SELECT ?a { ?p :k ?a OPTIONAL { ?p :mail ?m } FILTER(!SAMETERM(?m, 'a@x')) }", &["2"]),
    ] {
        assert_eq!(sparql(&connection, text), expected, "{text}");
    }
}

/// What an inner OPTIONAL finds nothing for comes behind what it finds something for: groups are whole.
#[test]
fn groups_of_optional_parts_within_others() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection
        .query(
            "UNWIND range(1, 30) AS p CREATE (a:Author {name: 'a' + toString(p)}) WITH a, p UNWIND range(1, p * 3) AS m CREATE (:Text {size: m * 10})-[:by]->(a)",
            &[],
        )
        .unwrap();
    let groups = sparql(
        &connection,
        "SELECT (COUNT(?m) AS ?all) (COUNT(?s) AS ?large) { ?a a :Author OPTIONAL { ?m :by ?a OPTIONAL { ?m :size ?s FILTER(?s > 100) } } } GROUP BY ?a",
    );
    let mut expected: Vec<String> = (1..=30).map(|p| format!("{} {}", p * 3, (p * 3 - 10).max(0))).collect();
    expected.sort();
    assert_eq!(groups, expected);
}

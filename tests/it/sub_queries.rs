//! Sub-queries of SPARQL beside other parts of a join: whichever is evaluated first, the rows are the same.
//! One with a `LIMIT` that nothing reaches is always made whole and first; the same without may be asked of
//! the rows that are there.

use trimorph::{Config, Connection, Database};

fn sorted(connection: &Connection, text: &str) -> Vec<String> {
    let mut rows = lines(connection, text);
    rows.sort();
    rows
}

fn lines(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.sparql(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let mut rows = Vec::new();
    while let Some(row) = result.next_row().unwrap_or_else(|error| panic!("{text}\n{error}")) {
        rows.push(row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" "));
    }
    rows
}

/// Nodes with properties of mixed types that some lack, and edges, some from a node to itself.
fn database() -> Database {
    let db = Database::in_memory(Config::default());
    let person = |n: usize| {
        let value = ["1", "'x'", "2.5", "'y'@en"][n % 4];
        let class = if n.is_multiple_of(3) { "a :Person ; " } else { "" };
        format!(":p{n} {class}:knows :p{}, :p{} ; :n {} ; :v {value} .", (n * 7) % 60, n / 2, n % 5)
    };
    let some: Vec<String> = (0..60).map(person).collect();
    let few: Vec<String> = (0..60).step_by(4).map(|n| format!(":p{n} :rare :p{} .", (n + 4) % 60)).collect();
    let connection = db.connect();
    lines(&connection, &format!("INSERT DATA {{ {} {} }}", some.join(" "), few.join(" ")));
    db
}

/// What a sub-query may have within; `?x` is what it selects, and perhaps `?y`.
const INNER: &[&str] = &[
    "?x :knows ?y",
    "?x :knows ?y . ?y :rare ?z",
    "?x :v ?y",
    "?x :n ?y FILTER(?y > 2)",
    "?x a :Person",
    "?y :knows+ ?x . ?y :rare ?z",
    "{ ?x :rare ?y } UNION { ?y :rare ?x }",
    "?x :knows ?y OPTIONAL { ?y :rare ?z } FILTER(!BOUND(?z))",
    "?x :knows ?y MINUS { ?x :rare ?y }",
    "?x ?p ?y FILTER(?p != :knows)",
    "?x :n ?y FILTER NOT EXISTS { ?x :rare ?z }",
    "BIND(:p4 AS ?y) ?y :knows ?x",
    "?x :knows :p0",
];

/// What stands beside it. Names that the sub-query does not select are other variables here.
const BESIDE: &[&str] = &[
    "?x :rare ?y . ?y :n ?z",
    "?x :knows :p0 ; :n ?y",
    "?x a :Person ; :v ?y",
    "?z :rare ?x . ?z :knows ?y",
    "VALUES ?x { :p0 :p4 :p8 :nobody } ?x :n ?y",
    "?z :rare+ ?x",
    "?x ?z ?y",
    "OPTIONAL { ?x :rare ?y } ?x :n ?z",
    "{ ?x :rare ?z } UNION { ?x :n ?y }",
];

#[test]
fn asked_of_rows_or_made_whole() {
    let db = database();
    let connection = db.connect();
    let mut asked = 0;
    for inner in INNER {
        for beside in BESIDE {
            for selected in ["?x", "?x ?y"] {
                let query = |limit: &str| {
                    format!(
                        "SELECT ?x ?y ?z {{ {beside} {{ SELECT DISTINCT {selected} {{ {inner} }} {limit} }} }}"
                    )
                };
                let whole = sorted(&connection, &query("LIMIT 1000000"));
                assert_eq!(sorted(&connection, &query("")), whole, "{}", query(""));
                let reduced = query("").replace("DISTINCT", "REDUCED");
                assert!(sorted(&connection, &reduced).len() >= whole.len(), "{reduced}");
                asked += usize::from(!whole.is_empty());
            }
        }
    }
    assert!(asked > 100, "{asked} with rows");
}

#[test]
fn where_few_rows_are_known_a_sub_query_only_tells() {
    let db = database();
    let connection = db.connect();
    let plan = |text: &str| lines(&connection, &format!("EXPLAIN {text}")).join("\n");
    let few =
        plan("SELECT ?y { ?x :knows :p0 ; :n ?y { SELECT DISTINCT ?x { ?x :v ?z FILTER(isLiteral(?z)) } } }");
    assert!(few.contains("Semi") && !few.contains("Distinct"), "{few}");
    // It finds few where the rest has many.
    let many = plan("SELECT ?y { ?x :n ?y { SELECT DISTINCT ?x { ?x :knows :p0 } } }");
    assert!(many.contains("Distinct"), "{many}");
    // Two that have nothing in common make no pairs: what joins them comes between.
    let two = "SELECT ?x ?y ?a ?b { ?x :rare ?y
        { SELECT ?x (COUNT(*) AS ?a) { ?x :knows ?z } GROUP BY ?x } { SELECT ?y (MAX(?z) AS ?b) { ?y :n ?z } GROUP BY ?y } }";
    assert!(!plan(two).contains("CrossProduct"), "{}", plan(two));
    assert_eq!(lines(&connection, two).len(), 15);
}

//! Terms of any kind compared with an IRI that is written in the query: as vectors, which ask which node it
//! is, the same as by their names.

use trimorph::{Config, Database};

use super::sparql::sparql as sorted;

/// Where terms come from that may be nodes, IRIs without a node, blank nodes, literals or unbound.
const SOURCES: &[&str] = &[
    "?s ?p ?o",
    "?s :mixed ?o",
    "?s :next ?o",
    "?s :next* ?o",
    "?s a ?o",
    "?s :n ?n OPTIONAL { ?s :rare ?o }",
    "VALUES ?o { <http://e/s1> <http://e/nowhere> :A 'x' 1 UNDEF }",
    "?s ?o ?v",
    "{ ?s :next ?o } UNION { ?s :n ?o }",
];

#[test]
fn by_node_and_by_name() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let mixed = ["<http://e/s1>", "'http://e/s1'", "1", "_:b", "<http://e/s2>", "'x'@en", "1.5", "'z'^^:own"];
    let some: Vec<String> = (0..400)
        .map(|i| {
            let rare = if i % 7 == 0 { format!("; :rare <http://e/s{}> ", i % 3) } else { String::new() };
            let (class, value) = (["A", "B"][i % 2], mixed[i % mixed.len()]);
            format!(
                "<http://e/s{i}> :n {i} ; a :{class} ; :next <http://e/s{}> ; :mixed {value} {rare}.",
                i / 2
            )
        })
        .collect();
    sorted(&connection, &format!("INSERT DATA {{ {} }}", some.join(" ")));
    let check = |state: &str| {
        for source in SOURCES {
            for iri in ["http://e/s1", "http://e/nowhere", "trimorph:A", "trimorph:next"] {
                let named = format!("COALESCE(IF(isIRI(?o), STR(?o) = '{iri}', false), 'no')");
                let others = format!("COALESCE(IF(isIRI(?o), STR(?o) != '{iri}', true), 'no')");
                let counts = |is: &str, other: &str| {
                    let keys = format!("({is} AS ?is) ({other} AS ?other)");
                    format!("SELECT ?is ?other (COUNT(*) AS ?k) {{ {source} }} GROUP BY {keys}")
                };
                let expected = sorted(&connection, &counts(&named, &others));
                for (same, other) in [
                    (format!("?o = <{iri}>"), format!("?o != <{iri}>")),
                    (format!("<{iri}> = ?o"), format!("<{iri}> != ?o")),
                    (format!("sameTerm(?o, <{iri}>)"), format!("!sameTerm(<{iri}>, ?o)")),
                    (format!("?o IN (<{iri}>)"), format!("?o NOT IN (<{iri}>)")),
                ] {
                    let told = |text: &str| format!("COALESCE({text}, 'no')");
                    let found = sorted(&connection, &counts(&told(&same), &told(&other)));
                    assert_eq!(found, expected, "{state}: {source} {same}");
                }
            }
        }
    };
    check("written");
    db.connect().query("CHECKPOINT", &[]).unwrap();
    check("merged");
    connection.begin().unwrap();
    sorted(&connection, "DELETE DATA { <http://e/s1> :n 1 } ; INSERT DATA { <http://e/s1> :n 1 }");
    check("in a transaction");
    connection.rollback().unwrap();
}

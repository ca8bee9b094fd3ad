//! Numbers and moments whose types are known, computed at once, against the same value by value: a variable
//! that may be another hides the type, and an aggregate of different values takes these one by one.

use std::fmt::Write as _;

use trimorph::{Config, Connection, Database, RdfOptions};
use trimorph_base::Random;

use super::sparql::sparql;

fn loaded(turtle: &str) -> Connection {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection.load_rdf_text(turtle.as_bytes(), &RdfOptions::new().format("turtle")).unwrap();
    connection
}

const PREFIX: &str = "PREFIX : <trimorph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>";

/// Different numbers of all types, some groups with a term that is none.
#[test]
fn sums_are_those_of_different_terms() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut turtle =
            String::from("PREFIX : <trimorph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n");
        for group in 0..8 {
            // Decimals of many digits, or what floats of 32 bits hold exactly.
            let is_exact = random.chance(50);
            for i in 0..random.below(40) {
                let n = random.between(-9_999, 9_999);
                let value = match (is_exact, random.below(1 + group % 4)) {
                    (_, 0) => format!("{n}"),
                    (true, 1) => format!("{n}.{}", "1".repeat(1 + random.below(12))),
                    (true, 2) => format!("{n}{}", "0".repeat(20)),
                    (true, _) if random.chance(20) => format!("\"{n}\""),
                    (true, _) => format!("{n}.{}", i % 10),
                    (false, 1) => format!("{n}.25"),
                    (false, 2) => format!("{n}.25e0"),
                    (false, _) => format!("\"{n}.5\"^^xsd:float"),
                };
                writeln!(turtle, ":s{group}_{i} :group {group} ; :of{} {value} .", group % 3).unwrap();
            }
        }
        let connection = loaded(&turtle);
        for value in
            ["?x", "?x * 2", "?x + 0.5", "?x / 4", "-?x", "xsd:decimal(?x)", "ABS(?x)", "IF(?x > 0, ?x, 0.5)"]
        {
            for of in ["?x", "COALESCE(?x, 'x')"] {
                let value = value.replace("?x", of);
                for aggregate in ["SUM", "AVG"] {
                    let ask = |of: &str| {
                        let text = format!(
                            "{PREFIX} SELECT ?g ({aggregate}({of}) AS ?n) \
                             {{ {{ SELECT DISTINCT ?g (({value}) AS ?v) {{ ?s :group ?g ; ?p ?x \
                             FILTER(?p != :group) }} }} }} GROUP BY ?g"
                        );
                        sparql(&connection, &text)
                    };
                    assert_eq!(ask("?v"), ask("DISTINCT ?v"), "{aggregate} of {value} (seed {seed})");
                }
                let typed = |of: &str| {
                    let text =
                        format!("{PREFIX} SELECT (SUM({of}) AS ?n) (COUNT({of}) AS ?k) {{ ?s :of0 ?x }}");
                    sparql(&connection, &text)
                };
                let hidden = value.replace("?x", "COALESCE(?x, 'x')");
                assert_eq!(typed(&value), typed(&hidden), "{value} (seed {seed})");
            }
        }
    }
}

#[test]
fn moments_compare_as_their_terms_do() {
    let mut random = Random::new(3);
    let mut turtle = String::from("PREFIX : <trimorph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n");
    for i in 0..200 {
        let (day, hour) = (1 + random.below(28), random.below(24));
        let moment = format!("2020-0{}-{day:02}T{hour:02}:30:00.5", 1 + random.below(3));
        let other = format!("2020-02-{:02}T{hour:02}:00:00", 1 + random.below(28));
        writeln!(
            turtle,
            ":s{i} :at \"{moment}Z\"^^xsd:dateTime ; :local \"{other}\"^^xsd:dateTime ; \
             :since \"{other}Z\"^^xsd:dateTime ; :day \"2020-02-{day:02}\"^^xsd:date ; \
             :shifted \"{moment}{}\"^^xsd:dateTime .",
            ["Z", "+05:00", "-11:30"][random.below(3)]
        )
        .unwrap();
    }
    let connection = loaded(&turtle);
    let moments = ["?at", "?local", "?since", "?shifted"];
    let date = |text: &str| format!("\"{text}\"^^xsd:date");
    let mut conditions = Vec::new();
    for op in ["<", "<=", "=", "!=", ">", ">="] {
        for moment in moments {
            for other in [date("2020-02-10"), date("2020-02-10Z"), date("2020-02-10+05:00"), "?day".into()] {
                conditions.push(format!("xsd:date({moment}) {op} {other}"));
                conditions.push(format!("{other} {op} xsd:date({moment})"));
            }
            for other in moments {
                conditions.push(format!("xsd:date({moment}) {op} xsd:date({other})"));
                conditions.push(format!("{moment} {op} {other}"));
                for span in ["P3D", "-PT36H", "P1M"] {
                    let datatype = if span == "P1M" { "yearMonthDuration" } else { "dayTimeDuration" };
                    let span = format!("\"{span}\"^^xsd:{datatype}");
                    conditions.push(format!("{moment} - {other} {op} {span}"));
                    conditions.push(format!("{span} {op} {moment} - {other}"));
                    conditions.push(format!("{moment} + {span} {op} {other}"));
                    conditions.push(format!("{moment} {op} {other} - {span}"));
                }
            }
        }
        conditions.push(format!("?day + \"PT36H\"^^xsd:dayTimeDuration {op} \"2020-02-10\"^^xsd:date"));
        conditions.push(format!("?day - \"P1M\"^^xsd:yearMonthDuration {op} \"2020-01-20\"^^xsd:date"));
        conditions.push(format!("SECONDS(?at) {op} 30.5"));
        conditions.push(format!("?at {op} \"2020-02-10T00:00:00\"^^xsd:dateTime"));
        conditions.push(format!("?local {op} \"2020-02-10T00:00:00Z\"^^xsd:dateTime"));
    }
    conditions.push("TZ(?at) = 'Z' && TZ(?local) = ''".into());
    for condition in conditions {
        let ask = |condition: &str| {
            let text = format!(
                "{PREFIX} SELECT ?s (({condition}) AS ?is) {{ ?s :at ?at ; :local ?local ; :since ?since ; \
                 :day ?day ; :shifted ?shifted }}"
            );
            let kept = format!(
                "{PREFIX} SELECT (COUNT(*) AS ?n) {{ ?s :at ?at ; :local ?local ; :since ?since ; \
                 :day ?day ; :shifted ?shifted FILTER({condition}) }}"
            );
            (sparql(&connection, &text), sparql(&connection, &kept))
        };
        // What may be a text has no known type.
        let mut hidden = condition.clone();
        for name in ["?at", "?local", "?since", "?shifted", "?day"] {
            hidden = hidden.replace(name, &format!("COALESCE({name}, 'x')"));
        }
        assert_eq!(ask(&condition), ask(&hidden), "{condition}");
    }
}

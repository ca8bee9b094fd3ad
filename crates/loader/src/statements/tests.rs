//! Statements in, and what they take until the last one; what was built of them.

use trimorph_base::{CancelToken, MemoryBudget};
use trimorph_rdf::{LiteralRef, Statement, TermRef};
use trimorph_store::bulk::NumberedOptions;
use trimorph_types::rdf::names::{rdf, xsd};

use super::{StatementCounts, StatementLoad};

fn load() -> StatementLoad {
    StatementLoad::new(&MemoryBudget::unlimited(), CancelToken::default())
}

fn take(load: &mut StatementLoad, subject: &str, predicate: &str, object: TermRef<'_>, graph: Option<&str>) {
    let (subject, predicate) = (TermRef::Resource(subject), TermRef::Resource(predicate));
    let statement = Statement { subject, predicate, object, graph: graph.map(TermRef::Resource) };
    load.take(&statement).unwrap();
}

fn literal<'a>(lexical: &'a str, datatype: &'a str) -> TermRef<'a> {
    TermRef::Literal(LiteralRef { lexical, datatype, language: None, direction: None })
}

fn build(load: StatementLoad) -> StatementCounts {
    let how = NumberedOptions {
        regions: Default::default(),
        budget: &MemoryBudget::unlimited(),
        cancel: CancelToken::default(),
        threads: 2,
    };
    load.build(&how).unwrap().1
}

/// A network of people: a class, a name, an age, a day, a city and five acquaintances each.
#[test]
fn statements_wait_in_little_room() {
    const PEOPLE: u64 = 100_000;
    let mut load = load();
    for i in 0..PEOPLE {
        let person = format!("http://example.org/n/Person/{i}");
        take(&mut load, &person, rdf::TYPE, TermRef::Resource("http://example.org/p/Person"), None);
        let name = format!("Name {}", i * 2_654_435_761 % 1_000_003);
        take(&mut load, &person, "http://example.org/p/name", literal(&name, xsd::STRING), None);
        let age = (i % 97).to_string();
        take(&mut load, &person, "http://example.org/p/age", literal(&age, xsd::INTEGER), None);
        let day = format!("20{}-{:02}-{:02}", i % 20 + 10, i % 12 + 1, i % 28 + 1);
        take(&mut load, &person, "http://example.org/p/since", literal(&day, xsd::DATE), None);
        let city = format!("http://example.org/n/City/{}", i % 503);
        take(&mut load, &person, "http://example.org/p/city", TermRef::Resource(&city), None);
        for k in 0..5 {
            let other = format!("http://example.org/n/Person/{}", (i * 7_919 + k * 104_729) % PEOPLE);
            take(&mut load, &person, "http://example.org/p/knows", TermRef::Resource(&other), None);
        }
    }
    // Numbers of 32 and 64 bits and whole texts are 17 bytes a statement.
    let bytes = load.bytes() as u64 / (PEOPLE * 10);
    assert!(bytes < 10, "{bytes} bytes a statement");
    let counts = build(load);
    assert_eq!((counts.nodes, counts.edges), (PEOPLE + 503, PEOPLE * 6));
    assert_eq!((counts.labels, counts.properties), (PEOPLE, PEOPLE * 4 + 503));
}

/// Whatever comes again counts once: edges in and without graphs, literals beside the first one, classes.
#[test]
fn statements_count_once() {
    let mut load = load();
    for _ in 0..3 {
        for i in 0..2_000 {
            let (from, to) = (format!("http://e/{}", i % 700), format!("http://e/{}", i % 900));
            take(&mut load, &from, "http://e/p", TermRef::Resource(&to), None);
            take(
                &mut load,
                &from,
                "http://e/q",
                TermRef::Resource(&to),
                (i % 2 == 0).then_some("http://e/g"),
            );
            take(&mut load, &from, "http://e/name", literal(&(i % 1_400).to_string(), xsd::STRING), None);
            take(&mut load, &from, rdf::TYPE, TermRef::Resource("http://e/C"), None);
        }
    }
    let counts = build(load);
    assert_eq!(counts.labels, 700 + 700);
    // Each of 700 has a second name, which is a node.
    assert_eq!((counts.nodes, counts.properties), (900 + 700, 900 + 700 + 700));
    assert_eq!(counts.edges, 2_000 + 2_000 + 700);
}

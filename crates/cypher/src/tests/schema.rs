//! Statements about indexes and constraints: what they say, and what is said of their mistakes.

use crate::ast::{Definition, Rule, SchemaItem, SchemaStatement};
use crate::{parse, parse_schema};

fn show(statement: &SchemaStatement) -> String {
    let item = |item: &SchemaItem| match item {
        SchemaItem::Index => "index",
        SchemaItem::Constraint => "constraint",
    };
    match statement {
        SchemaStatement::Create(made) => show_definition(made),
        SchemaStatement::Drop { what, name, if_exists } => {
            format!("drop {} {}{}", item(what), name.text, if *if_exists { " if there" } else { "" })
        }
        SchemaStatement::ShowTransactions(shown) => format!("show transactions {shown:?}"),
        SchemaStatement::Show(what, None) => format!("show {}", item(what)),
        SchemaStatement::Show(what, Some(shown)) => format!("show {} {shown:?}", item(what)),
    }
}

fn show_definition(made: &Definition) -> String {
    let rule = match &made.rule {
        Rule::Index => "index".to_owned(),
        Rule::Unique => "unique".to_owned(),
        Rule::Key => "key".to_owned(),
        Rule::Exists => "exists".to_owned(),
        Rule::Typed(ty) => ty.to_string(),
    };
    let name = made.name.as_ref().map_or("-", |name| &name.text);
    let properties: Vec<&str> = made.properties.iter().map(|p| p.text.as_str()).collect();
    let of = if made.is_of_edges { "edges" } else { "nodes" };
    let missing = if made.if_not_exists { " if missing" } else { "" };
    format!("{name}{missing}: {of} {} ({}) {rule}", made.label.text, properties.join(" "))
}

#[test]
fn statements_say_what_they_say() {
    for (text, shown) in [
        ("CREATE INDEX FOR (n:A) ON (n.p)", "-: nodes A (p) index"),
        ("create range index i if not exists for (n:A) on (n.p, n.q);", "i if missing: nodes A (p q) index"),
        ("CREATE TEXT INDEX `an index` FOR (n:A) ON (n.p)", "an index: nodes A (p) index"),
        ("CREATE INDEX FOR (n) ON (n.p)", "-: nodes @node (p) index"),
        ("CREATE INDEX FOR ()-[r:R]-() ON (r.p)", "-: edges R (p) index"),
        ("CREATE INDEX FOR ()<-[r:R]-() ON (r.p)", "-: edges R (p) index"),
        ("CREATE CONSTRAINT c FOR (n:A) REQUIRE n.p IS UNIQUE", "c: nodes A (p) unique"),
        ("CREATE CONSTRAINT FOR (n:A) REQUIRE (n.p, n.q) IS NODE UNIQUE", "-: nodes A (p q) unique"),
        ("CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS NODE KEY", "-: nodes A (p) key"),
        ("CREATE CONSTRAINT FOR ()-[r:R]->() REQUIRE (r.p) IS REL KEY", "-: edges R (p) key"),
        ("CREATE CONSTRAINT FOR ()-[r:R]->() REQUIRE r.p IS RELATIONSHIP UNIQUE", "-: edges R (p) unique"),
        ("CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS NOT NULL", "-: nodes A (p) exists"),
        (
            "CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS :: LIST<STRING NOT NULL>",
            "-: nodes A (p) LIST<STRING NOT NULL>",
        ),
        ("CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS TYPED int | float ;", "-: nodes A (p) INTEGER | FLOAT"),
        ("// why\nDROP INDEX i", "drop index i"),
        ("DROP CONSTRAINT c IF EXISTS", "drop constraint c if there"),
        ("SHOW INDEXES", "show index"),
        ("SHOW ALL INDEXES", "show index"),
        ("SHOW CONSTRAINTS;", "show constraint"),
    ] {
        assert_eq!(show(&parse_schema(text).expect(text).expect(text)), shown, "{text}");
    }
}

#[test]
fn queries_are_none_of_them() {
    for text in [
        "CREATE (index)",
        "CREATE index = (a)",
        "CREATE constraint=(a)-[:R]->(b)",
        "// only a comment\nRETURN 1",
    ] {
        assert!(parse_schema(text).is_none(), "{text}");
        assert!(parse(text).is_ok(), "{text}");
    }
    assert!(parse_schema("").is_none());
    assert!(parse_schema("MATCH (n) RETURN n").is_none());
    assert!(parse_schema("SHOW DATABASE").is_none());
}

#[test]
fn transactions_are_shown() {
    let of = |text: &str| parse_schema(text).map(|parsed| parsed.map(|one| show(&one)));
    assert_eq!(of("SHOW TRANSACTIONS;").unwrap().unwrap(), "show transactions None");
    let filtered = of("show transaction WHERE age > 1").unwrap().unwrap();
    assert_eq!(filtered, "show transactions Some(Where { start: 17 })");
    assert!(of("SHOW TRANSACTIONS YIELD isolation AS level, age RETURN level").unwrap().is_ok());
    for text in ["SHOW TRANSACTIONS all", "SHOW TRANSACTIONS YIELD", "SHOW TRANSACTIONS YIELD age age"] {
        assert!(of(text).unwrap().is_err(), "{text}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, primary, hint, covered) in [
        ("CREATE INDEX FOR (n:A) ON n.p", "expected \"(\" and the properties, found \"n\"", "", "n"),
        (
            "CREATE CONSTRAINT FOR (n) REQUIRE n.p IS UNIQUE",
            "expected \":\" and a label, found \")\"",
            "",
            ")",
        ),
        ("CREATE INDEX FOR (n:A) ON (m.p)", "variable \"m\" is not defined", "write n.property", "m"),
        ("CREATE INDEX FOR (n:A) ON (n.p, n.p)", "property \"p\" is named twice", "", "p"),
        (
            "CREATE INDEX ON :A(p)",
            "expected FOR and a pattern such as (n:Label), found \"ON\"",
            "write FOR (n:Label) REQUIRE … or FOR (n:Label) ON (n.property)",
            "ON",
        ),
        (
            "CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS ODD",
            "expected UNIQUE, KEY, NOT NULL or :: and a type, found \"ODD\"",
            "",
            "ODD",
        ),
        (
            "CREATE CONSTRAINT FOR (n:A) REQUIRE (n.p, n.q) IS NOT NULL",
            "this is required of one property at a time",
            "make a constraint for each property",
            "(n.p, n.q)",
        ),
        (
            "CREATE CONSTRAINT FOR (n:A) REQUIRE n.p IS :: INTEGR",
            "expected a type such as STRING, INTEGER, FLOAT, DATE or LIST<STRING NOT NULL>, found \"INTEGR\"",
            "",
            "INTEGR",
        ),
        (
            "CREATE FULLTEXT INDEX i FOR (n:A) ON (n.p)",
            "there are no FULLTEXT indexes",
            "CREATE INDEX makes one that serves equality, ranges, prefixes and order",
            "FULLTEXT",
        ),
        (
            "CREATE INDEX FOR (n:A) ON (n.p) OPTIONS {}",
            "options cannot be given",
            "leave OPTIONS away: there is one kind of index",
            "OPTIONS",
        ),
        ("DROP INDEX", "expected the name of what is to be dropped, found the end of the query", "", ""),
        ("SHOW INDEXES please", "expected the end of the statement, found \"please\"", "", "please"),
    ] {
        let error = parse_schema(text).expect(text).expect_err(text);
        let span = error.span.expect("a span");
        assert_eq!(error.primary, primary, "{text}");
        assert_eq!(error.hint.as_deref().unwrap_or_default(), hint, "{text}");
        assert_eq!(&text[span.start as usize..span.end as usize], covered, "{text}");
    }
}

#[test]
fn no_text_is_too_odd() {
    let text = "CREATE CONSTRAINT c IF NOT EXISTS FOR ()-[r:R]->() REQUIRE (r.p, r.q) IS :: LIST<INTEGER NOT NULL> | STRING";
    for end in 0..text.len() {
        let _ = parse_schema(&text[..end]);
        let _ = parse_schema(&format!("{}\u{e9}{}", &text[..end], &text[end..]));
        let _ = parse_schema(&format!("{}{}", &text[..end], &text[end + 1..]));
    }
}

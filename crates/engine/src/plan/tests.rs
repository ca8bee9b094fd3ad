//! Plans of small graphs in, their forms out, as users read them.

use std::time::Duration;

use super::tree::share;
use super::words::WORDS;
use super::*;
use crate::{Config, Connection, Database, Error};

fn people() -> Connection {
    let database = Database::in_memory(Config::new().threads(1));
    let connection = database.connect();
    let text = "UNWIND range(1, 100) AS i CREATE (:A {i: i, name: '<b> & ' + i})-[:R]->(:B)";
    connection.query(text, &[]).unwrap();
    connection
}

fn lines(connection: &Connection, text: &str) -> Vec<String> {
    let mut result = connection.query(text, &[]).unwrap();
    let mut lines = Vec::new();
    while let Some(row) = result.next_row().unwrap() {
        lines.push(result.format(&row[0]));
    }
    lines
}

const QUERY: &str =
    "MATCH (a:A)-[:R]->(b:B) WHERE a.name < '<b> & 2' RETURN b, count(*) AS n ORDER BY n LIMIT 3";

#[test]
fn columns_are_aligned_and_words_are_plain() {
    let connection = people();
    for (word, head) in [("EXPLAIN", "estimate  operator"), ("PROFILE", "share  operator")] {
        let lines = lines(&connection, &format!("{word} {QUERY}"));
        let at = lines[0].find("operator").unwrap();
        assert!(lines[0].ends_with(head), "{}", lines[0]);
        for line in &lines[1..] {
            let before: String = line.chars().take(lines[0][..at].chars().count()).collect();
            assert!(before.ends_with("  ") && before.contains('~'), "{line}");
            assert!(!line.contains("v_"), "{line}");
        }
        assert!(
            lines.iter().any(|l| l.contains("NodeScan (a:A)") && l.contains("reads nodes")),
            "{lines:#?}"
        );
    }
    let profile = lines(&connection, &format!("profile\n{QUERY}"));
    assert!(profile[1].trim_start().starts_with("3 "), "{profile:#?}");
    assert!(profile.iter().skip(1).all(|l| l.contains(" %  ")), "{profile:#?}");
}

#[test]
fn own_times_and_shares_add_up() {
    let connection = people();
    let result = connection.query(&format!("PROFILE {QUERY}"), &[]).unwrap();
    let tree = result.plan_tree();
    let root = tree.operators[0].measured.unwrap();
    assert!(root.total >= root.own && !tree.whole().is_zero());
    let shares: f64 =
        tree.operators.iter().filter_map(|o| o.measured).map(|m| share(m.own, tree.whole())).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    assert_eq!(share(Duration::from_secs(1), Duration::ZERO), 0.0);
}

#[test]
fn forms_are_asked_for_in_brackets() {
    let connection = people();
    let codes = lines(&connection, &format!("EXPLAIN (CODES) {QUERY}"));
    assert!(codes.last().unwrap().contains("[node scan v_^PO_; ~"), "{codes:#?}");
    let json = lines(&connection, &format!("PROFILE ( json ) {QUERY}")).concat();
    for part in ["\"profiled\": true", "\"operator\": \"NodeScan (a:A)", "\"own_ms\": ", "\"inputs\": []"] {
        assert!(json.contains(part), "no {part} in {json}");
    }
    assert_eq!(json.matches('{').count(), json.matches('}').count());
    assert_eq!(json.matches('[').count(), json.matches(']').count());
    let html = lines(&connection, &format!("EXPLAIN (HTML) {QUERY}")).join("\n");
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"), "{html}");
    assert!(html.contains("&lt;b&gt; &amp; 2") && !html.contains("<b>"), "{html}");
    assert_eq!(html.matches("<details").count(), html.matches("</details>").count());
    // The same by the result of any query.
    let result = connection.query(QUERY, &[]).unwrap();
    assert!(
        result.plan().contains("NodeScan") && result.plan_tree().write(PlanForm::Codes).contains("v_^PO_")
    );
}

#[test]
fn a_form_that_there_is_not_is_refused_where_it_stands() {
    let connection = people();
    let error = connection.query("EXPLAIN (YAML) RETURN 1", &[]).map(|_| ()).unwrap_err();
    assert_eq!(error.position(), Some((1, 10)));
    assert!(
        matches!(&error, Error::Query { .. }) && error.to_string().contains("TEXT, CODES, JSON or HTML"),
        "{error}"
    );
    // Places behind a form stay where they are.
    let error = connection.query("EXPLAIN (JSON) RETURN nmae", &[]).map(|_| ()).unwrap_err();
    assert_eq!(error.position(), Some((1, 23)));
    for text in ["EXPLAIN (", "EXPLAIN ()", "EXPLAIN (é) RETURN 1", "explain(", "EXPLAI", "(JSON)", ""] {
        assert!(connection.query(text, &[]).is_err(), "{text}");
    }
}

/// The legend of the book has every word that a plan may use.
#[test]
fn the_book_explains_the_words() {
    let page = include_str!("../../../../docs/book/plans.md");
    for (_, words) in WORDS {
        assert!(page.contains(words), "docs/book/plans.md does not explain \"{words}\"");
    }
}

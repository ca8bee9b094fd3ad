//! The book's pages that are made of tables, the examples of these tables, and the book's links.

use std::fs;
use std::path::Path;

use super::{directory, run_in};

/// The page of functions in the book is made of the table that defines them; COMPLETE=1 writes it.
#[test]
fn the_book_has_all_functions() {
    let families = [
        ("numbers", "Numbers"),
        ("texts", "Texts"),
        ("lists", "Lists"),
        ("tests", "Tests"),
        ("conversion", "Conversion"),
        ("graph", "Nodes, relationships, paths"),
        ("time", "Dates, times, durations"),
        ("aggregates", "Aggregates"),
    ];
    let mut page = "# Functions\n\nAll functions of openCypher that are there, made from the table that defines them. `:help NAME` \
        in the shell shows the same, `SHOW FUNCTIONS` gives it as rows. A null argument makes the result null unless a line says \
        otherwise. Not functions but syntax are `all`, `any`, `none`, `single`, `reduce`, `shortestPath`, `allShortestPaths` and \
        list comprehensions.\n"
        .to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    for (family, title) in families {
        page.push_str(&format!("\n## {title}\n\n| function | gives | example | → |\n|---|---|---|---|\n"));
        for f in trimorph::functions().iter().filter(|f| f.family == family) {
            let (statement, result) = f.example;
            let statement = statement.strip_prefix("RETURN ").unwrap_or(statement);
            let [signature, summary, statement, result] =
                [f.signature, f.summary, statement, result].map(cell);
            page.push_str(&format!("| `{signature}` | {summary} | `{statement}` | `{result}` |\n"));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/functions.md");
    if std::env::var_os("COMPLETE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == page,
        "docs/book/functions.md is old: COMPLETE=1 writes it"
    );
}

/// The pages of clauses in the book are made of the table that `:help` shows; COMPLETE=1 writes them.
#[test]
fn the_book_has_all_clauses() {
    let cypher = [
        ("reading", "Reading"),
        ("writing", "Writing"),
        ("patterns", "Patterns"),
        ("expressions", "Expressions"),
        ("schema", "Indexes and constraints"),
        ("transactions", "Transactions"),
        ("files", "Files"),
        ("plans", "Prefixes"),
    ];
    let beginning = "# Clauses\n\nWhat openCypher is made of beside [functions](functions.md), made from one table. Completion shows its syntax.";
    compare_clauses("clauses.md", "cypher", beginning, &cypher);
    let sparql = [
        ("queries", "Queries"),
        ("patterns", "Patterns"),
        ("rows", "Rows and columns"),
        ("updates", "Updates"),
    ];
    let beginning =
        "# Clauses of SPARQL\n\nWhat SPARQL is made of beside its functions, made from one table.";
    compare_clauses("sparql-clauses.md", "sparql", beginning, &sparql);
}

/// Compares a page with what the table has of a language, by family.
fn compare_clauses(file: &str, language: &str, beginning: &str, families: &[(&str, &str)]) {
    let clauses: Vec<_> = trimorph::clauses().into_iter().filter(|doc| doc.language == language).collect();
    let graph = clauses.iter().map(|doc| doc.graph).find(|graph| !graph.is_empty()).unwrap();
    let mut page = format!(
        "{beginning} `:help NAME` in the shell shows the same. What stands in brackets may be left out; \
         `…` goes on as before, and `|` is between what one chooses from. Examples with `Person` are of this graph:\n\n\
         <!-- not run: tests of the shell make it for each example -->\n```{language}\n{graph};\n```\n"
    );
    for (family, title) in families {
        page.push_str(&format!("\n## {title}\n"));
        for doc in clauses.iter().filter(|doc| doc.family == *family) {
            let (statement, rows) = doc.example;
            let comment = if language == "sparql" { "#" } else { "//" };
            let gives = if rows.is_empty() { String::new() } else { format!("   {comment} {rows}") };
            page.push_str(&format!(
                "\n### {}\n\n`{}`: {}.\n\n\
                 <!-- not run: tests of the shell run each example on a graph of its own -->\n\
                 ```{language}\n{statement};{gives}\n```\n",
                doc.name, doc.syntax, doc.summary
            ));
        }
    }
    assert_eq!(page.matches("\n### ").count(), clauses.len(), "a family has no title");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book").join(file);
    if std::env::var_os("COMPLETE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/book/{file} is old: COMPLETE=1 writes it");
}

#[test]
fn every_example_of_a_clause_gives_what_it_says() {
    let dir = directory("clauses");
    for doc in trimorph::clauses() {
        let (statement, rows) = doc.example;
        let script = format!("{}; {statement};", doc.graph);
        let run = run_in(&dir, &[":memory:", "--lang", doc.language, "--format", "quote"], &script).ok();
        // The names of columns, then the rows; of a plan only that there is one.
        let answer = run.out.trim_end().lines().collect::<Vec<_>>();
        assert!(!answer.is_empty(), "{statement}");
        if !rows.is_empty() {
            let count = rows.split("; ").count();
            let sorted = |mut rows: Vec<&str>| {
                // Without ORDER BY there is no order.
                if !statement.contains("ORDER BY") {
                    rows.sort_unstable();
                }
                rows.join("; ")
            };
            let found = answer[answer.len().saturating_sub(count)..].to_vec();
            assert_eq!(sorted(found), sorted(rows.split("; ").collect()), "{statement}");
        }
    }
}

#[test]
fn every_example_of_a_function_gives_what_it_says() {
    let functions = trimorph::functions();
    let script: String = functions.iter().map(|f| format!("{};\n", f.example.0)).collect();
    let run = run_in(Path::new("."), &[":memory:", "--format", "quote"], &script).ok();
    let results: Vec<&str> = run.out.lines().skip(1).step_by(2).collect();
    assert_eq!(results.len(), functions.len());
    for (f, result) in functions.iter().zip(results) {
        assert_eq!(result, f.example.1, "{}", f.example.0);
    }
}

#[test]
fn the_book_lists_every_page_and_no_link_leads_nowhere() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book");
    let [summary, first] =
        ["SUMMARY.md", "README.md"].map(|name| fs::read_to_string(book.join(name)).unwrap());
    for entry in fs::read_dir(&book).unwrap() {
        let path = entry.unwrap().path();
        // Beside the pages lie their pictures.
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "SUMMARY.md has no {name}");
        let lists = ["SUMMARY.md", "README.md"].contains(&name.as_str());
        assert!(lists || first.contains(&format!("({name})")), "README.md has no {name}");
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains([' ', '[', '(']) {
                continue;
            }
            assert!(book.join(file).exists(), "{name} links to {link}, which is not there");
            // The site has the book's folder and no other.
            assert!(!file.starts_with(".."), "{name} links to {link}, which the site does not have");
        }
    }
}

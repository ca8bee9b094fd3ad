//! Variables that are bound in some rows and not in others, as `OPTIONAL`, `BIND`, `VALUES` and `UNION`
//! leave them, joined and taken away by what comes behind: random groups against SPARQL's algebra, row by
//! row. And patterns that only a predicate, a condition or a filter of classes says how to join.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use trimorph::{Config, Connection, Database};
use trimorph_base::Random;

use super::sparql::sparql;

const NODES: usize = 5;
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
/// Two predicates between nodes, one of numbers, one of nodes and numbers.
const PREDICATES: [&str; 4] = ["p", "q", "n", "m"];
/// Rows above which a group is not asked for.
const ROWS_MAX: usize = 3_000;

type Row = BTreeMap<&'static str, String>;
type Statement = (String, &'static str, String);

/// Draws that closures share.
struct Draw(RefCell<Random>);

impl Draw {
    fn below(&self, end: usize) -> usize {
        self.0.borrow_mut().below(end)
    }

    fn chance(&self, percent: usize) -> bool {
        self.0.borrow_mut().chance(percent)
    }

    fn pick<T: Copy>(&self, items: &[T]) -> T {
        *self.0.borrow_mut().pick(items)
    }
}

#[derive(Clone, Debug)]
enum Term {
    Name(&'static str),
    Constant(String),
}

#[derive(Clone, Debug)]
enum Part {
    Triple(Term, &'static str, Term),
    Optional(Vec<Part>),
    Minus(Vec<Part>),
    Union(Vec<Part>, Vec<Part>),
    Group(Vec<Part>),
    /// Different values of some of the names within.
    Distinct(Vec<&'static str>, Vec<Part>),
    Values(Vec<&'static str>, Vec<Vec<Option<String>>>),
    /// The first of two that is bound, as a third.
    First(&'static str, &'static str, &'static str),
}

fn node(number: usize) -> String {
    format!("<http://x/{number}>")
}

fn data(random: &Draw) -> Vec<Statement> {
    let mut all = Vec::new();
    for _ in 0..22 {
        let predicate = random.pick(&PREDICATES);
        let number = random.below(4).to_string();
        let object = match predicate {
            "n" => number,
            "m" if random.chance(50) => number,
            _ => node(random.below(NODES)),
        };
        all.push((node(random.below(NODES)), predicate, object));
    }
    all.sort();
    all.dedup();
    all
}

fn term(random: &Draw, is_subject: bool) -> Term {
    match random.below(10) {
        0 => Term::Constant(node(random.below(NODES))),
        1 if !is_subject => Term::Constant(random.below(4).to_string()),
        _ => Term::Name(random.pick(&NAMES)),
    }
}

fn group(random: &Draw, depth: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for _ in 0..=random.below(if depth == 0 { 4 } else { 2 }) {
        let kind = if depth >= 2 { random.below(6) } else { random.below(14) };
        parts.push(match kind {
            0..=4 => Part::Triple(term(random, true), random.pick(&PREDICATES), term(random, false)),
            5 => {
                let mut names: Vec<&str> = (0..=random.below(2)).map(|_| random.pick(&NAMES)).collect();
                names.dedup();
                let value = || match random.below(5) {
                    0 | 1 => None,
                    2 => Some(random.below(4).to_string()),
                    _ => Some(node(random.below(NODES))),
                };
                let rows = (0..=random.below(3)).map(|_| names.iter().map(|_| value()).collect());
                Part::Values(names.clone(), rows.collect())
            }
            6..=8 => Part::Optional(group(random, depth + 1)),
            9 => Part::Minus(group(random, depth + 1)),
            10 => Part::Union(group(random, depth + 1), group(random, depth + 1)),
            11 => Part::Group(group(random, depth + 1)),
            12 => {
                let inner = group(random, depth + 1);
                let names = NAMES.iter().copied().filter(|_| random.chance(60)).collect();
                Part::Distinct(names, inner)
            }
            _ => {
                // What is computed is bound by nothing before, nor behind but as something to join with.
                let bound = bound_by(&parts);
                match NAMES.iter().find(|name| !bound.contains(name)) {
                    Some(new) => Part::First(random.pick(&NAMES), random.pick(&NAMES), new),
                    None => Part::Group(group(random, depth + 1)),
                }
            }
        });
    }
    parts
}

fn bound_by(parts: &[Part]) -> Vec<&'static str> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Triple(a, _, b) => out.extend([a, b].into_iter().filter_map(|term| match term {
                Term::Name(name) => Some(*name),
                Term::Constant(_) => None,
            })),
            Part::Optional(inner) | Part::Group(inner) => out.extend(bound_by(inner)),
            Part::Minus(_) => {}
            Part::Union(a, b) => {
                out.extend(bound_by(a));
                out.extend(bound_by(b));
            }
            Part::Distinct(names, _) => out.extend(names),
            Part::Values(names, _) => out.extend(names),
            Part::First(a, b, new) => out.extend([a, b, new]),
        }
    }
    out
}

fn written(parts: &[Part]) -> String {
    let mut out = String::from("{ ");
    let term = |term: &Term| match term {
        Term::Name(name) => format!("?{name}"),
        Term::Constant(text) => text.clone(),
    };
    for part in parts {
        _ = match part {
            Part::Triple(a, p, b) => write!(out, "{} <http://x/{p}> {} . ", term(a), term(b)),
            Part::Optional(inner) => write!(out, "OPTIONAL {} ", written(inner)),
            Part::Minus(inner) => write!(out, "MINUS {} ", written(inner)),
            Part::Union(a, b) => write!(out, "{} UNION {} ", written(a), written(b)),
            Part::Group(inner) => write!(out, "{} ", written(inner)),
            Part::Distinct(names, inner) => {
                let names: String = names.iter().map(|name| format!("?{name} ")).collect();
                let names = if names.is_empty() { "(1 AS ?one) ".to_owned() } else { names };
                write!(out, "{{ SELECT DISTINCT {names}{} }} ", written(inner))
            }
            Part::Values(names, rows) => {
                let names: String = names.iter().map(|name| format!("?{name} ")).collect();
                let rows: String = rows
                    .iter()
                    .map(|row| {
                        let row: Vec<&str> =
                            row.iter().map(|value| value.as_deref().unwrap_or("UNDEF")).collect();
                        format!("({}) ", row.join(" "))
                    })
                    .collect();
                write!(out, "VALUES ({names}) {{ {rows}}} ")
            }
            Part::First(a, b, new) => write!(out, "BIND(COALESCE(?{a}, ?{b}) AS ?{new}) "),
        };
    }
    out.push('}');
    out
}

fn agree(a: &Row, b: &Row) -> bool {
    a.iter().all(|(name, value)| b.get(name).is_none_or(|other| other == value))
}

fn both(a: &Row, b: &Row) -> Row {
    a.iter().chain(b).map(|(name, value)| (*name, value.clone())).collect()
}

fn joined(left: &[Row], right: &[Row]) -> Option<Vec<Row>> {
    let mut out = Vec::new();
    for a in left {
        out.extend(right.iter().filter(|b| agree(a, b)).map(|b| both(a, b)));
        if out.len() > ROWS_MAX {
            return None;
        }
    }
    Some(out)
}

/// The solutions of a group, as §18.5 of the standard has it; `None` where there are too many.
fn solutions(parts: &[Part], data: &[Statement]) -> Option<Vec<Row>> {
    let mut rows = vec![Row::new()];
    for part in parts {
        rows = match part {
            Part::Triple(subject, predicate, object) => {
                let mut found = Vec::new();
                for (s, p, o) in data {
                    let mut row = Row::new();
                    let mut fits = p == predicate;
                    for (term, value) in [(subject, s), (object, o)] {
                        match term {
                            Term::Constant(text) => fits &= text == value,
                            Term::Name(name) => {
                                fits &= row.get(name).is_none_or(|old| old == value);
                                row.insert(name, value.clone());
                            }
                        }
                    }
                    if fits {
                        found.push(row);
                    }
                }
                joined(&rows, &found)?
            }
            Part::Optional(inner) => {
                let right = solutions(inner, data)?;
                let mut out = Vec::new();
                for row in &rows {
                    let found = joined(std::slice::from_ref(row), &right)?;
                    match found.is_empty() {
                        true => out.push(row.clone()),
                        false => out.extend(found),
                    }
                }
                out
            }
            Part::Minus(inner) => {
                let right = solutions(inner, data)?;
                let takes = |row: &Row, other: &Row| {
                    agree(row, other) && other.keys().any(|name| row.contains_key(name))
                };
                rows.retain(|row| !right.iter().any(|other| takes(row, other)));
                rows
            }
            Part::Union(a, b) => {
                let mut right = solutions(a, data)?;
                right.extend(solutions(b, data)?);
                joined(&rows, &right)?
            }
            Part::Group(inner) => joined(&rows, &solutions(inner, data)?)?,
            Part::Distinct(names, inner) => {
                let mut right = solutions(inner, data)?;
                right.iter_mut().for_each(|row| row.retain(|name, _| names.contains(name)));
                right.sort();
                right.dedup();
                joined(&rows, &right)?
            }
            Part::Values(names, values) => {
                let row = |values: &Vec<Option<String>>| {
                    names
                        .iter()
                        .zip(values)
                        .filter_map(|(name, value)| Some((*name, value.clone()?)))
                        .collect()
                };
                joined(&rows, &values.iter().map(row).collect::<Vec<Row>>())?
            }
            Part::First(a, b, new) => {
                for row in &mut rows {
                    if let Some(value) = row.get(a).or_else(|| row.get(b)).cloned() {
                        row.insert(new, value);
                    }
                }
                rows
            }
        };
        if rows.len() > ROWS_MAX {
            return None;
        }
    }
    Some(rows)
}

fn loaded(data: &[Statement]) -> (Database, Connection) {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let lines: String = data.iter().map(|(s, p, o)| format!("{s} <http://x/{p}> {o} . ")).collect();
    connection.sparql(&format!("INSERT DATA {{ {lines} }}")).unwrap();
    (db, connection)
}

#[test]
fn groups_have_the_solutions_of_the_algebra() {
    let rounds = std::env::var("TRIMORPH_GROUPS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    for seed in 0..rounds {
        let random = Draw(RefCell::new(Random::new(seed)));
        let data = data(&random);
        let (_db, connection) = loaded(&data);
        for _ in 0..20 {
            let parts = group(&random, 0);
            let Some(rows) = solutions(&parts, &data) else { continue };
            let line = |row: &Row| {
                let value = |name: &&str| row.get(*name).map_or("null", String::as_str).to_owned();
                NAMES.iter().map(value).collect::<Vec<_>>().join(" ")
            };
            let mut expected: Vec<String> = rows.iter().map(line).collect();
            expected.sort();
            let text = format!("SELECT ?a ?b ?c ?d ?e {}", written(&parts));
            assert_eq!(sparql(&connection, &text), expected, "seed {seed}: {text}\n{data:?}");
        }
    }
}

/// Persons have a school, an office, both or neither; places are within others.
const PERSONS: &str = "INSERT DATA { :a :school :s1 ; :office :o1 . :b :office :o2 . :c :school :s1 . :d :age 3 . \
     :s1 :in :x . :o1 :in :y . :o2 :in :x . :x :within :w . :y :within :w . :a a :P . :b a :P . :c a :P . :d a :P }";

#[test]
fn what_may_be_unbound_is_joined() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection.sparql(PERSONS).unwrap();
    let check = |text: &str, expected: &[&str]| {
        let rows = sparql(&connection, text);
        let rows: Vec<String> = rows.iter().map(|row| row.replace("trimorph:", "")).collect();
        assert_eq!(rows, expected, "{text}");
    };
    // Who has no school agrees with all that is anywhere.
    check("SELECT (COUNT(*) AS ?n) { ?p a :P OPTIONAL { ?p :school ?u } ?u :in ?x }", &["8"]);
    check(
        "SELECT ?p ?x { ?p a :P OPTIONAL { ?p :school ?s } OPTIONAL { ?p :office ?o } BIND(COALESCE(?s, ?o) AS ?u) ?u :in ?x FILTER(BOUND(?s) || BOUND(?o)) }",
        &["<a> <x>", "<b> <x>", "<c> <x>"],
    );
    check("SELECT ?p { ?p a :P OPTIONAL { ?p :school ?u } MINUS { ?q :school ?u . ?p a :P } }", &[]);
    // One that gives each solution once has one without a value beside those with one.
    check(
        "SELECT ?c { { SELECT DISTINCT ?c { { ?c :office ?x } UNION { ?q :age ?n } } } ?c :school ?s }",
        &["<a>", "<a>", "<c>"],
    );
    // Three that may be unbound, and a sub-query that is planned for several cases.
    check(
        "SELECT ?b { { ?d :office ?e . ?c :school ?a } UNION { ?d :age ?b } MINUS { { SELECT DISTINCT ?a ?b ?c { ?a :in ?b . ?b :within ?c } } } }",
        &["3", "null", "null", "null", "null"],
    );
    check("SELECT ?p { ?p a :P OPTIONAL { ?p :school ?u } MINUS { ?q :school ?u } }", &["<b>", "<d>"]);
    check("SELECT ?p { ?p a :P ; :office ?u MINUS { ?q a :P OPTIONAL { ?q :office ?u } } }", &[]);
    check(
        "SELECT ?u ?x { VALUES ?u { :s1 UNDEF } ?u :in ?x }",
        &["<o1> <y>", "<o2> <x>", "<s1> <x>", "<s1> <x>"],
    );
}

#[test]
fn sides_that_share_a_predicate_are_asked_apart() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let text = "INSERT DATA { :a a :C ; :p 1 ; :q :b, :c . :b a :D ; :q :a ; :r 2 . :c a :D ; :p \"x\", \"y\" ; :s 3 . :e :t 4 }";
    connection.sparql(text).unwrap();
    let check = |text: &str, expected: &[&str]| {
        let rows = sparql(&connection, text);
        let name = |row: &String| {
            row.replace("trimorph:", "").replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "")
        };
        assert_eq!(rows.iter().map(name).collect::<Vec<_>>(), expected, "{text}");
    };
    check("SELECT DISTINCT ?p { ?a a :C ; ?p ?x . ?b a :D ; ?p ?y }", &["<type>", "<p>", "<q>"]);
    check(
        "SELECT DISTINCT ?p { ?a a :C ; ?p ?x . ?b a :D ; ?p ?y FILTER(?x != 1) FILTER(isIRI(?y)) }",
        &["<type>", "<q>"],
    );
    check("SELECT DISTINCT ?p { ?a a :C ; ?p ?x . ?b a :D ; ?p ?y FILTER(?x = ?y) }", &[]);
    check(
        "SELECT DISTINCT ?p ?a { ?a a :D ; ?p ?x . ?b a :D ; ?p ?y FILTER(isLiteral(?y)) }",
        &["<p> <c>", "<r> <b>", "<s> <c>"],
    );
    check(
        "SELECT DISTINCT ?p { ?a a :D ; ?p ?x FILTER EXISTS { ?b a :C ; ?p ?y } }",
        &["<type>", "<p>", "<q>"],
    );
    check("SELECT DISTINCT ?p { ?a a :D ; ?p ?x FILTER NOT EXISTS { ?b a :C ; ?p ?y } }", &["<r>", "<s>"]);
    check(
        "SELECT DISTINCT ?p { ?a a :D ; ?p ?x FILTER NOT EXISTS { ?b a :C ; ?p ?x } }",
        &["<type>", "<p>", "<q>", "<r>", "<s>"],
    );
    check("SELECT DISTINCT ?p { ?a a :D ; ?p ?x FILTER EXISTS { ?b a :C ; ?p ?y FILTER(?y = ?x) } }", &[]);
    check(
        "SELECT ?p (COUNT(*) AS ?n) { ?a a :D ; ?p ?x FILTER EXISTS { ?b ?p :c } } GROUP BY ?p",
        &["<q> 1"],
    );
}

#[test]
fn classes_of_a_filter_are_where_it_begins() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    connection
        .sparql("INSERT DATA { :a a :C, :D ; :n 1 . :b a :D ; :n 2 . :c a :E ; :n 3 . _:x a [] }")
        .unwrap();
    let check = |text: &str, expected: &[&str]| {
        let rows = sparql(&connection, text);
        assert_eq!(
            rows.iter().map(|row| row.replace("trimorph:", "")).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    };
    check("SELECT ?c ?n { ?s a ?c ; :n ?n FILTER(?c IN (:C, :D, :C, :none)) }", &["<C> 1", "<D> 1", "<D> 2"]);
    check("SELECT ?c ?n { ?s a ?c ; :n ?n FILTER(?c = :C || ?c = :E) }", &["<C> 1", "<E> 3"]);
    check("SELECT ?c ?n { ?s a ?c ; :n ?n FILTER(?c IN (:C, :D) && ?n > 1) }", &["<D> 2"]);
    check("SELECT ?c ?n { ?s a ?c ; :n ?n FILTER(?c = :C || ?n = 3) }", &["<C> 1", "<E> 3"]);
    check("SELECT ?c ?n { ?s a ?c ; :n ?n FILTER(?c IN (:C, 3)) }", &["<C> 1"]);
    check(
        "SELECT ?c ?n { ?s :n ?n OPTIONAL { ?s a ?c FILTER(?c IN (:C, :E)) } }",
        &["<C> 1", "<E> 3", "null 2"],
    );
}

/// The most rows that an operator of the plan gives.
fn most_rows(connection: &Connection, text: &str) -> u64 {
    let mut result = connection.sparql(&format!("PROFILE {text}")).unwrap();
    while result.next_row().unwrap().is_some() {}
    let rows = |line: &str| {
        let number: String = line.split_whitespace().next()?.chars().filter(|c| *c != ',').collect();
        number.parse().ok()
    };
    result.plan().lines().filter_map(rows).max().unwrap_or(0)
}

#[test]
fn nothing_is_paired_with_all() {
    const MANY: usize = 1_000;
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    let mut lines = String::new();
    for n in 0..MANY {
        let kind = if n % 2 == 0 { "school" } else { "office" };
        _ = write!(
            lines,
            ":p{n} a :P ; :{kind} :u{n} ; :a{} {n} . :u{n} a :U ; :in :x{} ; :b{} {n} . ",
            n % 7,
            n % 10,
            n % 5
        );
        // Heights are of several types.
        let height = if n % 3 == 0 { format!("{n}.5") } else { n.to_string() };
        _ = write!(lines, ":p{n} :height {height} . :u{n} :width {height} . ");
    }
    connection.sparql(&format!("INSERT DATA {{ {lines} }}")).unwrap();
    for text in [
        "SELECT (COUNT(*) AS ?n) { ?p a :P OPTIONAL { ?p :school ?s } OPTIONAL { ?p :office ?o } BIND(COALESCE(?s, ?o) AS ?u) ?u :in ?x }",
        "SELECT (COUNT(*) AS ?n) { ?p a :P OPTIONAL { ?p :school ?u } MINUS { ?p :office ?u } }",
        "SELECT DISTINCT ?p { ?a a :P ; ?p ?x . ?b a :U ; ?p ?y }",
        "SELECT DISTINCT ?p { ?a a :P ; ?p ?x FILTER NOT EXISTS { ?b a :U ; ?p ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?a a :P ; :height ?h . ?b a :U ; :width ?w FILTER(?h = ?w) }",
    ] {
        let most = most_rows(&connection, text);
        assert!(most < 20 * MANY as u64, "{most} rows: {text}");
    }
}

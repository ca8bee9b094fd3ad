//! Nodes of a table of many predicates: what is told of one, and who tells of it, is found whatever was
//! written, merged, undone or deleted, and by whoever began to read before.

use std::collections::BTreeSet;

use trimorph::{Config, Connection, Database};
use trimorph_base::Random;

use super::sparql::sparql;

const SUBJECTS: usize = 120;
const PREDICATES: usize = 150;

/// Subject, predicate and object.
type Said = (usize, usize, String);
type Model = BTreeSet<Said>;

fn subject(s: usize) -> String {
    format!("<http://e/s{s}>")
}

/// A predicate of even number has literals, one of odd number subjects, and every tenth both.
fn statement(random: &mut Random) -> Said {
    let (s, p) = (random.below(SUBJECTS), random.below(PREDICATES));
    let is_literal = if p % 10 == 0 { random.chance(50) } else { p % 2 == 0 };
    let object = match is_literal {
        true if p % 4 == 0 => format!("\"{}\"", random.below(20)),
        true => format!("{}", random.below(20)),
        false => subject(random.below(SUBJECTS)),
    };
    (s, p, object)
}

fn text_of(all: &[Said]) -> String {
    all.iter().map(|(s, p, o)| format!("{} <http://e/p{p}> {o} .\n", subject(*s))).collect()
}

fn change(c: &Connection, random: &mut Random, model: &mut Model) {
    let some: Vec<_> = (0..1 + random.below(60)).map(|_| statement(random)).collect();
    if random.chance(70) || model.is_empty() {
        sparql(c, &format!("INSERT DATA {{ {} }}", text_of(&some)));
        model.extend(some);
        return;
    }
    let all: Vec<_> = model.iter().cloned().collect();
    let gone: Vec<_> = (0..1 + random.below(80)).map(|_| random.pick(&all).clone()).collect();
    sparql(c, &format!("DELETE DATA {{ {} }}", text_of(&gone)));
    model.retain(|one| !gone.contains(one));
}

fn check(c: &Connection, random: &mut Random, model: &Model, what: &str) {
    let lines = |of: &dyn Fn(&Said) -> Option<String>| {
        let mut lines: Vec<String> = model.iter().filter_map(of).collect();
        lines.sort();
        lines
    };
    // `STR` leaves nothing of what is a term of one kind or another: the kind stands beside it.
    let shown = |o: &str| match o.strip_prefix('<') {
        Some(iri) => format!("{}true", iri.trim_end_matches('>')),
        None => format!("{}false", o.trim_matches('"')),
    };
    let objects = "(CONCAT(STR(?p), ' ', STR(?o), STR(isIRI(?o))) AS ?t)";
    for _ in 0..40 {
        let s = random.below(SUBJECTS + 2);
        let of = |(own, p, o): &Said| (*own == s).then(|| format!("http://e/p{p} {}", shown(o)));
        let found = sparql(c, &format!("SELECT {objects} {{ {} ?p ?o }}", subject(s)));
        assert_eq!(found, lines(&of), "{what}: of subject {s}");
        let not = random.below(PREDICATES);
        let but = |one: &Said| of(one).filter(|_| one.1 != not);
        let text = format!("SELECT {objects} {{ {} ?p ?o FILTER(?p != <http://e/p{not}>) }}", subject(s));
        assert_eq!(sparql(c, &text), lines(&but), "{what}: of subject {s} without {not}");
        let to = |(own, p, o): &Said| (*o == subject(s)).then(|| format!("http://e/s{own} http://e/p{p}"));
        let text = format!("SELECT (CONCAT(STR(?s), ' ', STR(?p)) AS ?t) {{ ?s ?p {} }}", subject(s));
        assert_eq!(sparql(c, &text), lines(&to), "{what}: to {s}");
    }
    let n = random.below(20);
    let of = |(s, p, o): &(usize, usize, String)| {
        (o.trim_matches('"') == n.to_string()).then(|| format!("http://e/s{s} http://e/p{p}"))
    };
    let text =
        format!("SELECT (CONCAT(STR(?s), ' ', STR(?p)) AS ?t) {{ {{ ?s ?p {n} }} UNION {{ ?s ?p '{n}' }} }}");
    assert_eq!(sparql(c, &text), lines(&of), "{what}: with {n}");
}

#[test]
fn few_of_many_predicates() {
    for seed in 1..=2 {
        let mut random = Random::new(seed);
        let db = Database::in_memory(Config::new().background_merges(false).threads(1));
        let (c, other) = (db.connect(), db.connect());
        let mut model = Model::new();
        let first: Vec<_> = (0..2_000).map(|_| statement(&mut random)).collect();
        sparql(&c, &format!("INSERT DATA {{ {} }}", text_of(&first)));
        model.extend(first);
        for round in 0..10 {
            let what = format!("seed {seed} round {round}");
            let before = model.clone();
            if round % 4 == 1 {
                other.begin().unwrap();
                check(&other, &mut random, &before, &format!("{what}, in a transaction"));
            }
            if round % 3 == 2 {
                c.begin().unwrap();
                change(&c, &mut random, &mut model);
                check(&c, &mut random, &model, &format!("{what}, not committed"));
                match round % 2 {
                    0 => c.commit().unwrap(),
                    _ => {
                        c.rollback().unwrap();
                        model = before.clone();
                    }
                }
            }
            change(&c, &mut random, &mut model);
            check(&c, &mut random, &model, &format!("{what}, written"));
            if round % 2 == 0 {
                c.query("CHECKPOINT", &[]).unwrap();
                check(&c, &mut random, &model, &format!("{what}, merged"));
            }
            if round % 4 == 1 {
                check(&other, &mut random, &before, &format!("{what}, as it was"));
                other.rollback().unwrap();
            }
        }
    }
}

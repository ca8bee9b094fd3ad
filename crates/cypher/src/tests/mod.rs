//! Tests of the lexer and parser: tables of queries with the trees or errors they give, limits, the TCK's
//! queries, mutations of them.

mod absent;
mod bind_corpus;
mod bind_errors;
mod bind_limits;
mod bind_plans;
mod clauses;
mod corpus;
mod errors;
mod expressions;
mod limits;
mod mutations;
mod patterns;
mod procedures;
mod schema;
mod show;
mod stub_functions;
mod stub_procedures;
mod words;

use crate::ast::{Clause, Statement};
use crate::parse;

/// The tree of a query that must parse.
fn parsed(text: &str) -> Statement {
    match parse(text) {
        Ok(statement) => statement,
        Err(error) => panic!("{text}\n{error} at {:?}", error.span),
    }
}

/// The tree of `RETURN expression`, shown.
fn expression(text: &str) -> String {
    let query = format!("RETURN {text}");
    match parsed(&query).query.first.clauses.as_slice() {
        [Clause::Return(projection)] => match projection.items.as_slice() {
            [item] => show::expr(&item.expr),
            items => panic!("{text}: {} columns", items.len()),
        },
        _ => panic!("{text}: not one RETURN"),
    }
}

/// The first path of `MATCH path RETURN 1`, shown.
fn path(text: &str) -> String {
    let query = format!("MATCH {text} RETURN 1");
    match parsed(&query).query.first.clauses.first() {
        Some(Clause::Match(found)) => show::pattern(&found.pattern),
        _ => panic!("{text}: not MATCH"),
    }
}

/// The clauses of a query, shown, separated by `; `.
fn clauses(text: &str) -> String {
    show::query(&parsed(text).query)
}

//! Takes the tokens of a query, gives its syntax tree or the first mistake.
//!
//! 1. Recursive descent, one function per rule; `expression` climbs operator precedence.
//! 2. Nothing is read twice: where the grammar is ambiguous (`(`, `[`), `lookahead` decides by a look at a
//!    few tokens, stepping over brackets by the pairs the lexer made. So parsing takes linear time.
//! 3. What the grammar allows but the order of clauses or a creating pattern forbids is looked at in `check`.
//!
//! Invariants: `depth`, the number of rules within each other, and the height of every tree stay within
//! [`NESTING_MAX`], so neither the parser nor a recursive walk of its result can overflow the stack.
//!
//! Source: openCypher 9 grammar.

mod atom;
mod call;
mod check;
mod clause;
mod collection;
mod cursor;
mod error;
mod expression;
mod foreign;
mod iteration;
mod label;
mod literal;
mod lookahead;
mod name;
mod operand;
mod pattern;
mod projection;
mod query;
mod schema;
mod subquery;
mod trim;
mod update;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Span};

use crate::ast::Statement;
use crate::lexer::tokenize;
use crate::token::Token;

pub use schema::parse_schema;

/// Levels a syntax tree may have.
///
/// The test `deep_nesting_fits_a_small_stack` checks that parsing this deep fits a stack of 2 MiB in a dev
/// build.
pub const NESTING_MAX: u32 = 500;

/// Levels that a query counts for, subqueries included: its rules take that much more stack than an
/// operand's, both here and in a walk of the tree.
const QUERY_LEVELS: u32 = 8;

/// Levels that a path or `FOREACH` counts for.
const PATH_LEVELS: u32 = 4;

/// The longest query text.
pub const QUERY_BYTES_MAX: usize = 16 << 20;

/// What a rule gives; the error is boxed because it is rare and large.
type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Parses one statement, with or without a semicolon at its end.
///
/// **Cost**: linear in the text.
/// **Errors**: the first mistake, always of kind `SyntaxError` and with a span.
pub fn parse(text: &str) -> Result<Statement, Diagnostic> {
    parse_until(text, &CancelToken::default())
}

/// As [`parse`], until `cancel` says stop.
///
/// **Errors**: also that it was stopped.
pub fn parse_until(text: &str, cancel: &CancelToken) -> Result<Statement, Diagnostic> {
    if text.len() > QUERY_BYTES_MAX {
        let primary = format!("the query has {} bytes, at most {QUERY_BYTES_MAX} are allowed", text.len());
        return Err(Diagnostic::compile(ErrorKind::SyntaxError, "QueryTooLong", primary)
            .at(Span::new(0, 0))
            .hint("pass large values as parameters"));
    }
    let tokens = tokenize(text, cancel).ok_or_else(|| *Diagnostic::cancelled())?;
    let mut parser = Parser { text, tokens, at: 0, depth: 0, tallest: 0, bar_ends: false, cancel };
    parser.statement().map_err(|error| *error)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Index of the current token.
    at: usize,
    /// Rules within each other now.
    depth: u32,
    /// Height of the tallest expression among those read since the innermost [`Parser::enter`].
    tallest: u32,
    /// Whether a `|` ends the expression being read rather than belonging to a label expression.
    bar_ends: bool,
    /// Looked at whenever a rule is entered: a text of megabytes takes a while.
    cancel: &'a CancelToken,
}

/// What [`Parser::leave`] needs to go back up.
#[must_use]
struct Outer {
    depth: u32,
    tallest: u32,
}

impl Parser<'_> {
    /// Goes `levels` down; give the result to [`Parser::leave`].
    fn enter(&mut self, levels: u32) -> Parsed<Outer> {
        let outer = Outer { depth: self.depth, tallest: self.tallest };
        self.depth += levels;
        if self.depth > NESTING_MAX {
            return Err(self.too_deep());
        }
        if self.cancel.is_cancelled() {
            return Err(Diagnostic::cancelled());
        }
        self.tallest = 0;
        Ok(outer)
    }

    /// Goes back up.
    fn leave(&mut self, outer: Outer) {
        self.depth = outer.depth;
        self.tallest = self.tallest.max(outer.tallest);
    }

    /// Notes that a node was put on top of everything read since [`Parser::enter`].
    fn grow(&mut self) -> Parsed<()> {
        self.tallest += 1;
        if self.tallest > NESTING_MAX {
            return Err(self.too_deep());
        }
        Ok(())
    }
}

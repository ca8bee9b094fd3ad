//! Takes a syntax tree, gives the bound query: names looked up, types checked, clauses turned into operators.
//!
//! 1. `bind_query` walks the clauses, keeping a plan and a [`scope::Scope`]; each clause wraps the plan.
//! 2. `bind_match` turns patterns into query graphs, `bind_projection` turns `WITH` and `RETURN` into
//!    projections, aggregations and sorts.
//! 3. `bind_expression` binds expressions. A subquery within one is hoisted: an `Apply` below the
//!    expression's operator computes it, and a variable takes its place.
//! 4. `check_types` refuses what no run could accept.
//!
//! Invariants: every variable of the result is in [`Vars`]; the plan has at most [`OPERATORS_MAX`] operators
//! in one line, so that walking it recursively is safe; names of labels, types and properties stay names.
//!
//! Source: openCypher 9; design §7.

mod bind_aggregate;
mod bind_call;
mod bind_case;
mod bind_collection;
mod bind_create;
mod bind_expression;
mod bind_function;
mod bind_label;
mod bind_map;
mod bind_match;
mod bind_merge;
mod bind_operator;
mod bind_path;
mod bind_pattern;
mod bind_procedure;
mod bind_projection;
mod bind_query;
mod bind_set;
mod bind_shortest;
mod bind_sort;
mod bind_subquery;
mod bind_union;
mod bind_update;
mod bind_where;
mod check_types;
mod compare_expressions;
mod context;
mod functions;
mod note_names;
mod notices;
mod part;
mod projected;
mod report;
mod scope;
mod trim_argument;
mod walk_expression;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use trimorph_algebra::{Answer, BoundQuery, Plan, Procedures, VarId, Vars};
use trimorph_base::{CancelToken, Diagnostic, Span};
use trimorph_catalog::{Catalog, CatalogView};

use crate::ast::{Name, Statement};
use check_types::Type;
pub use functions::{FunctionInfo, Functions};
use notices::Odd;
use report::{Bound, semantic, suggest, too_complex, with_hint};

/// Operators one above the other that a plan may have, subplans included.
pub const OPERATORS_MAX: usize = 500;

/// Expression nodes that may be copied where the language says once and the algebra needs twice.
const COPIES_MAX: usize = 100_000;

/// Binds a statement, to be run on just what `catalog` describes.
///
/// Labels, types and properties that the catalog does not know are legal: they match nothing, and the
/// result's notices name them.
/// **Errors**: the first mistake, with a span.
pub fn bind(
    statement: &Statement,
    catalog: &Catalog,
    functions: &dyn Functions,
    procedures: &Procedures,
) -> Result<BoundQuery, Diagnostic> {
    bind_until(statement, &CatalogView::new(catalog), functions, procedures, &CancelToken::default())
}

/// As [`bind`], until `cancel` says stop; what the query relies on is noted in `catalog`.
///
/// **Errors**: also that it was stopped.
pub fn bind_until(
    statement: &Statement,
    catalog: &CatalogView<'_>,
    functions: &dyn Functions,
    procedures: &Procedures,
    cancel: &CancelToken,
) -> Result<BoundQuery, Diagnostic> {
    let mut binder = Binder {
        text: &statement.text,
        functions,
        catalog,
        odd: Odd::default(),
        procedures,
        prefixes: statement.prefixes.iter().map(|p| (p.name.text.as_str(), p.iri.as_str())).collect(),
        vars: Vars::default(),
        types: Vec::new(),
        parameters: Vec::new(),
        known_parameters: HashSet::new(),
        depth: 0,
        copies: 0,
        pairs: 0,
        cancel,
        outside: Vec::new(),
        not_yielded: Vec::new(),
    };
    let (plan, columns) =
        binder.statement(&statement.query).map_err(|error| error.at(statement.query.span))?;
    let notices = binder.odd.into_notices(catalog);
    let (vars, parameters) = (binder.vars, binder.parameters);
    Ok(BoundQuery { plan, columns, vars, parameters, notices, depth: None, answer: Answer::Rows })
}

/// The names that a subquery has from outside and keeps to its end, which is in the text; none where it has
/// none, or loses them to `WITH`.
struct Outside<'q> {
    scope: scope::Scope,
    end: u32,
    /// The words of its text from the first `WITH` on, each with where it stands last; found once.
    words: OnceCell<HashMap<&'q str, u32>>,
}

/// What is known while a statement is bound.
struct Binder<'q> {
    /// The query text, for the names of columns.
    text: &'q str,
    functions: &'q dyn Functions,
    /// For notices only: names stay names.
    catalog: &'q CatalogView<'q>,
    odd: Odd,
    procedures: &'q Procedures,
    /// Prefixes and their IRIs.
    prefixes: HashMap<&'q str, &'q str>,
    vars: Vars,
    /// What is known of each variable beyond its logical type, by number.
    types: Vec<Type>,
    /// In the order they were met.
    parameters: Vec<Arc<str>>,
    known_parameters: HashSet<Arc<str>>,
    /// Operators made on the way to the current one.
    depth: usize,
    /// Expression nodes copied so far.
    copies: usize,
    /// Pairs of relationships that must differ, so far.
    pairs: usize,
    /// Looked at for each expression.
    cancel: &'q CancelToken,
    /// What subqueries around have from outside, the innermost last.
    outside: Vec<Outside<'q>>,
    /// Columns of procedures that were called without `YIELD`, which names none of them.
    not_yielded: Vec<Arc<str>>,
}

impl<'q> Binder<'q> {
    /// A new variable with a user's name.
    fn named(&mut self, name: &str, ty: Type) -> VarId {
        self.types.push(ty);
        self.vars.named(name, ty.is)
    }

    /// A new variable that the user did not name.
    fn anonymous(&mut self, ty: Type) -> VarId {
        self.types.push(ty);
        self.vars.anonymous(ty.is)
    }

    fn type_of(&self, var: VarId) -> Type {
        self.types.get(var.0 as usize).copied().unwrap_or(Type::ANY)
    }

    /// One more operator on top of the plan.
    fn grow(&mut self, plan: Plan) -> Bound<Plan> {
        self.depth += 1;
        if self.depth > OPERATORS_MAX {
            let primary = format!("the query needs a plan of more than {OPERATORS_MAX} operators in a line");
            return Err(too_complex(primary, "split it into several queries"));
        }
        Ok(plan)
    }

    /// A label, type or key with its prefix written out.
    fn full_name(&self, name: &Name) -> Bound<Arc<str>> {
        let Some(prefix) = &name.prefix else { return Ok(name.text.as_str().into()) };
        match self.prefixes.get(prefix.text.as_str()) {
            Some(iri) => Ok(format!("{iri}{}", name.text).into()),
            None => {
                let primary = format!("prefix \"{}\" is not declared", prefix.text);
                let error = semantic("UndefinedPrefix", primary, prefix.span);
                let near = suggest(&prefix.text, self.prefixes.keys().copied());
                // `n.age::STRING` elsewhere asks for another type.
                let conversion = crate::absent::conversion(&name.text).map(str::to_owned);
                let declare = || format!("begin the query with PREFIX {}: <…>", prefix.text);
                Err(with_hint(error, &near.or(conversion).unwrap_or_else(declare)))
            }
        }
    }

    /// The text of a span.
    fn slice(&self, span: Span) -> &'q str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

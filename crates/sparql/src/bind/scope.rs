//! Which variables a pattern binds, and whether a pattern may be evaluated with variables bound from outside.
//!
//! SPARQL evaluates a group by itself and joins what comes out. A plan had rather look for what fits the
//! rows that are there already. Both are the same where nothing within the group can tell whether a
//! variable is bound outside ([`may_be_bound`]); where something can, the group is evaluated by itself.
//!
//! Source: SPARQL 1.1 §18.2.1 (variable scope), §18.5; Pérez, Arenas, Gutierrez 2009 (well-designed
//! patterns).

use std::collections::BTreeSet;
use std::sync::Arc;

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern, Variable};

use super::relation::Name;

pub(super) type Names = BTreeSet<Name>;

pub(super) fn name_of(variable: &Variable) -> Name {
    Arc::from(variable.as_str())
}

fn add_term(term: &TermPattern, out: &mut Names) {
    match term {
        TermPattern::Variable(variable) => drop(out.insert(name_of(variable))),
        TermPattern::Triple(triple) => add_triple(triple, out),
        _ => {}
    }
}

fn add_triple(triple: &TriplePattern, out: &mut Names) {
    add_term(&triple.subject, out);
    add_predicate(&triple.predicate, out);
    add_term(&triple.object, out);
}

/// The names in a triple pattern, those of blank nodes too.
pub(super) fn names_of(triple: &TriplePattern) -> Names {
    fn add(term: &TermPattern, out: &mut Names) {
        match term {
            TermPattern::BlankNode(node) => drop(out.insert(Arc::from(format!("_:{}", node.as_str())))),
            TermPattern::Triple(triple) => out.extend(names_of(triple)),
            other => add_term(other, out),
        }
    }
    let mut out = Names::new();
    add(&triple.subject, &mut out);
    add_predicate(&triple.predicate, &mut out);
    add(&triple.object, &mut out);
    out
}

/// Triple patterns that share variables, together.
pub(super) fn connected(patterns: &[TriplePattern]) -> Vec<Vec<TriplePattern>> {
    sharing(patterns, &Names::new())
}

/// Triple patterns that share variables other than some, together.
pub(super) fn sharing(patterns: &[TriplePattern], but: &Names) -> Vec<Vec<TriplePattern>> {
    let mut groups: Vec<(Names, Vec<TriplePattern>)> = Vec::new();
    for pattern in patterns {
        let mut names = &names_of(pattern) - but;
        let mut own = vec![pattern.clone()];
        let (with, without): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(known, _)| !known.is_disjoint(&names));
        groups = without;
        for (known, patterns) in with {
            names.extend(known);
            own.splice(0..0, patterns);
        }
        groups.push((names, own));
    }
    groups.into_iter().map(|(_, patterns)| patterns).collect()
}

fn add_predicate(predicate: &NamedNodePattern, out: &mut Names) {
    if let NamedNodePattern::Variable(variable) = predicate {
        out.insert(name_of(variable));
    }
}

/// The variables that a pattern may bind, those of sub-queries as far as they are selected.
pub(super) fn visible(pattern: &GraphPattern) -> Names {
    let mut out = Names::new();
    collect(pattern, false, &mut out);
    out
}

/// Those that it binds in every solution.
pub(super) fn certain(pattern: &GraphPattern) -> Names {
    let mut out = Names::new();
    collect(pattern, true, &mut out);
    out
}

fn collect(pattern: &GraphPattern, certain: bool, out: &mut Names) {
    match pattern {
        GraphPattern::Bgp { patterns } => patterns.iter().for_each(|triple| add_triple(triple, out)),
        GraphPattern::Path { subject, object, .. } => {
            add_term(subject, out);
            add_term(object, out);
        }
        GraphPattern::Join { left, right } => {
            collect(left, certain, out);
            collect(right, certain, out);
        }
        GraphPattern::LeftJoin { left, right, .. } => {
            collect(left, certain, out);
            if !certain {
                collect(right, certain, out);
            }
        }
        GraphPattern::Minus { left, .. } => collect(left, certain, out),
        GraphPattern::Union { left, right } => {
            let (mut a, mut b) = (Names::new(), Names::new());
            collect(left, certain, &mut a);
            collect(right, certain, &mut b);
            match certain {
                true => out.extend(a.intersection(&b).cloned()),
                false => out.extend(a.into_iter().chain(b)),
            }
        }
        GraphPattern::Filter { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. } => collect(inner, certain, out),
        GraphPattern::Graph { name, inner } => {
            add_predicate(name, out);
            collect(inner, certain, out);
        }
        GraphPattern::Service { name, inner, .. } => {
            if !certain {
                add_predicate(name, out);
                collect(inner, certain, out);
            }
        }
        GraphPattern::Extend { inner, variable, .. } => {
            collect(inner, certain, out);
            // What is computed may be an error.
            if !certain {
                out.insert(name_of(variable));
            }
        }
        GraphPattern::Values { variables, bindings } => {
            for (place, variable) in variables.iter().enumerate() {
                let is_bound = |row: &Vec<Option<_>>| row.get(place).is_some_and(Option::is_some);
                if !certain || bindings.iter().all(is_bound) {
                    out.insert(name_of(variable));
                }
            }
        }
        GraphPattern::Project { inner, variables } => {
            let mut all = Names::new();
            collect(inner, certain, &mut all);
            out.extend(variables.iter().map(name_of).filter(|name| all.contains(name)));
        }
        GraphPattern::Group { inner, variables, aggregates } => {
            let mut all = Names::new();
            collect(inner, certain, &mut all);
            out.extend(variables.iter().map(name_of).filter(|name| all.contains(name)));
            if !certain {
                out.extend(aggregates.iter().map(|(variable, _)| name_of(variable)));
            }
        }
    }
}

/// Whether a pattern is a sub-query, or what belongs to one.
pub(super) fn is_sub_query(pattern: &GraphPattern) -> bool {
    matches!(
        pattern,
        GraphPattern::Project { .. }
            | GraphPattern::Distinct { .. }
            | GraphPattern::Reduced { .. }
            | GraphPattern::Slice { .. }
            | GraphPattern::OrderBy { .. }
            | GraphPattern::Group { .. }
    )
}

/// The variables that a query selects, in their order.
pub(super) fn selected(pattern: &GraphPattern) -> Vec<Name> {
    let mut pattern = pattern;
    loop {
        pattern = match pattern {
            GraphPattern::Project { variables, .. } => return variables.iter().map(name_of).collect(),
            GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. }
            | GraphPattern::OrderBy { inner, .. } => inner,
            other => return visible(other).into_iter().collect(),
        };
    }
}

/// The variables that an expression asks for, those of `EXISTS` included.
pub(super) fn asked(expression: &Expression, out: &mut Names) {
    match expression {
        Expression::Variable(variable) | Expression::Bound(variable) => drop(out.insert(name_of(variable))),
        Expression::Exists(pattern) => out.extend(mentioned(pattern)),
        other => parts(other).into_iter().for_each(|part| asked(part, out)),
    }
}

/// Whether this holds of a pattern of an `EXISTS` in an expression.
pub(super) fn any_exists(expression: &Expression, holds: &mut dyn FnMut(&GraphPattern) -> bool) -> bool {
    match expression {
        Expression::Exists(pattern) => holds(pattern),
        other => parts(other).into_iter().any(|part| any_exists(part, holds)),
    }
}

/// The expressions that an expression is made of.
fn parts(expression: &Expression) -> Vec<&Expression> {
    use Expression as E;
    match expression {
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) | E::Exists(_) => Vec::new(),
        E::Or(a, b)
        | E::And(a, b)
        | E::Equal(a, b)
        | E::SameTerm(a, b)
        | E::Greater(a, b)
        | E::GreaterOrEqual(a, b)
        | E::Less(a, b)
        | E::LessOrEqual(a, b)
        | E::Add(a, b)
        | E::Subtract(a, b)
        | E::Multiply(a, b)
        | E::Divide(a, b) => vec![a, b],
        E::UnaryPlus(a) | E::UnaryMinus(a) | E::Not(a) => vec![a],
        E::If(a, b, c) => vec![a, b, c],
        E::In(a, list) => std::iter::once(&**a).chain(list).collect(),
        E::Coalesce(list) | E::FunctionCall(_, list) => list.iter().collect(),
    }
}

/// All variables that stand in a pattern, in filters and sub-queries too.
pub(super) fn mentioned(pattern: &GraphPattern) -> Names {
    let mut out = visible(pattern);
    inner_expressions(pattern, &mut out);
    out
}

fn inner_expressions(pattern: &GraphPattern, out: &mut Names) {
    use GraphPattern as P;
    match pattern {
        P::Filter { expr, inner } => {
            asked(expr, out);
            inner_expressions(inner, out);
        }
        P::LeftJoin { left, right, expression } => {
            expression.iter().for_each(|e| asked(e, out));
            inner_expressions(left, out);
            inner_expressions(right, out);
            out.extend(visible(right));
        }
        P::Extend { inner, expression, .. } => {
            asked(expression, out);
            inner_expressions(inner, out);
        }
        P::Join { left, right } | P::Union { left, right } => {
            inner_expressions(left, out);
            inner_expressions(right, out);
        }
        P::Minus { left, right } => {
            inner_expressions(left, out);
            out.extend(mentioned(right));
        }
        P::Graph { inner, .. } => inner_expressions(inner, out),
        _ => {}
    }
}

/// Whether a pattern gives the same when `outer`, which are bound, are bound within it too, and no product
/// comes of it: a group that begins with a sub-query about other things is better evaluated by itself.
pub(super) fn may_be_bound(pattern: &GraphPattern, outer: &Names) -> bool {
    may_be_within(pattern, outer, outer)
}

/// The same; `near` is bound when the pattern is evaluated.
fn may_be_within(pattern: &GraphPattern, outer: &Names, near: &Names) -> bool {
    use GraphPattern as P;
    let only_asks_for = |expression: &Expression, bound: &Names| {
        let mut names = Names::new();
        asked(expression, &mut names);
        names.iter().all(|name| !outer.contains(name) || bound.contains(name))
    };
    // A sub-query within is evaluated by itself in any case.
    let may_be = |part: &GraphPattern| match is_sub_query(part) {
        true => visible(part).iter().any(|name| near.contains(name)),
        false => may_be_within(part, outer, near),
    };
    match pattern {
        P::Bgp { .. } | P::Path { .. } | P::Values { .. } => true,
        P::Join { left, right } => may_be(left) && may_be(right),
        P::Union { left, right } => may_be(left) && may_be(right),
        P::Graph { inner, .. } => may_be_within(inner, outer, near),
        P::Filter { expr, inner } => may_be(inner) && only_asks_for(expr, &certain(inner)),
        P::Extend { inner, variable, expression } => {
            may_be(inner) && !outer.contains(&name_of(variable)) && only_asks_for(expression, &certain(inner))
        }
        P::LeftJoin { left, right, expression } => {
            let bound = certain(left);
            let shared = |name: &Name| !outer.contains(name) || bound.contains(name);
            may_be(left)
                && (is_sub_query(right) || may_be_within(right, outer, &(near | &visible(left))))
                && visible(right).iter().all(shared)
                && expression.as_ref().is_none_or(|e| only_asks_for(e, &bound))
        }
        P::Minus { left, right } => {
            let bound = certain(left);
            may_be(left) && mentioned(right).iter().all(|name| !outer.contains(name) || bound.contains(name))
        }
        P::Project { .. }
        | P::Distinct { .. }
        | P::Reduced { .. }
        | P::Slice { .. }
        | P::OrderBy { .. }
        | P::Group { .. }
        | P::Service { .. } => false,
    }
}

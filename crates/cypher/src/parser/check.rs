//! What the grammar allows but the language forbids, as far as no name need be looked up: the order of
//! clauses, and what patterns may hold that create, merge or match.

use trimorph_base::Span;

use super::error::{syntax, with_hint};
use super::query::QueryUse;
use super::{Parsed, Parser};
use crate::ast::{
    Clause, Direction, LabelExpr, PathPattern, PathSearch, Properties, Query, RelationshipPattern,
    SingleQuery, UnionKind, Yield,
};

const COMPOSITION: &str = "InvalidClauseComposition";

impl Parser<'_> {
    /// Whether `next` may follow `previous` within a single query.
    pub(super) fn check_order(&self, previous: Option<&Clause>, next: &Clause) -> Parsed<()> {
        let Some(previous) = previous else { return Ok(()) };
        if let Clause::Return(_) = previous {
            return Err(syntax(COMPOSITION, "RETURN can only be the last clause", previous.span()));
        }
        let reads = matches!(
            next,
            Clause::Match(_) | Clause::Unwind(_) | Clause::CallProcedure(_) | Clause::CallSubquery(_)
        );
        if previous.is_updating() && reads {
            let primary = format!("{} cannot follow {} directly", next.keyword(), previous.keyword());
            let error = syntax(COMPOSITION, primary, next.span());
            return Err(with_hint(error, "put WITH * between them"));
        }
        Ok(())
    }

    /// Whether a `UNION` is of the kind of those before it.
    pub(super) fn check_same_union(
        &self,
        first: Option<UnionKind>,
        kind: UnionKind,
        span: Span,
    ) -> Parsed<()> {
        match first {
            Some(first) if first != kind => {
                let error = syntax(COMPOSITION, "UNION and UNION ALL cannot be mixed in one query", span);
                Err(with_hint(error, "put one of them into CALL { … }"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a query may stand where it stands.
    pub(super) fn check_query(&self, query: &Query, used_as: QueryUse) -> Parsed<()> {
        let standalone =
            used_as == QueryUse::Statement && query.unions.is_empty() && query.first.clauses.len() == 1;
        for single in std::iter::once(&query.first).chain(query.unions.iter().map(|(_, single)| single)) {
            if !standalone {
                self.check_calls(single)?;
            }
            self.check_end(single, used_as, standalone)?;
        }
        if let QueryUse::Count | QueryUse::Collect = used_as
            && let Some(clause) = first_update(query)
        {
            let primary =
                format!("{} cannot stand in a subquery expression, which only reads", clause.keyword());
            return Err(syntax(COMPOSITION, primary, clause.span()));
        }
        Ok(())
    }

    /// Calls within a query say their arguments and name their columns.
    fn check_calls(&self, single: &SingleQuery) -> Parsed<()> {
        for clause in &single.clauses {
            let Clause::CallProcedure(call) = clause else { continue };
            if call.arguments.is_none() {
                let primary = format!("the call of \"{}\" has no arguments", call.name.dotted());
                let error = syntax("InvalidArgumentPassingMode", primary, call.name.span);
                return Err(with_hint(
                    error,
                    "only a call by itself takes its arguments from the parameters; add (…)",
                ));
            }
            if let Yield::Star(span) = call.yields {
                let error = syntax("UnexpectedSyntax", "YIELD * cannot be used within a query", span);
                return Err(with_hint(error, "name the columns"));
            }
        }
        Ok(())
    }

    fn check_end(&self, single: &SingleQuery, used_as: QueryUse, standalone: bool) -> Parsed<()> {
        let Some(last) = single.clauses.last() else { return Ok(()) };
        let ends = match last {
            Clause::Return(_) => true,
            Clause::CallProcedure(call) => standalone || matches!(call.yields, Yield::Unsaid),
            Clause::CallSubquery(_) => true,
            Clause::Match(_) | Clause::Unwind(_) | Clause::With(_) => false,
            _ => true,
        };
        let needs_return = used_as == QueryUse::Collect && !matches!(last, Clause::Return(_));
        if used_as == QueryUse::Count || ends && !needs_return {
            return Ok(());
        }
        let primary = format!("a query cannot end with {}", last.keyword());
        Err(with_hint(syntax(COMPOSITION, primary, last.span()), "add RETURN and what to return"))
    }

    /// A parameter cannot stand for the properties of a pattern that is looked for.
    pub(super) fn refuse_parameter_map(&self, path: &PathPattern) -> Parsed<()> {
        let nodes = std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.node));
        let relationships = path.steps.iter().map(|step| &step.relationship.properties);
        for properties in nodes.map(|node| &node.properties).chain(relationships) {
            if let Some(Properties::Parameter { name, span }) = properties {
                let primary =
                    format!("the parameter \"${name}\" cannot stand for the properties of a pattern here");
                let error = syntax("InvalidParameterUse", primary, *span);
                return Err(with_hint(error, &format!("name the properties, such as {{key: ${name}.key}}")));
            }
        }
        Ok(())
    }

    /// Whether a path can be created: `directed` if every relationship must say where it points.
    pub(super) fn check_created(&self, path: &PathPattern, directed: bool) -> Parsed<()> {
        if path.search != PathSearch::All {
            return Err(syntax("UnexpectedSyntax", "a shortest path cannot be created", path.span));
        }
        for node in std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.node)) {
            if let Some(labels) = &node.labels {
                self.check_plain_labels(labels)?;
            }
            if let Some(predicate) = &node.predicate {
                return Err(syntax(
                    "UnexpectedSyntax",
                    "WHERE cannot stand in a created node",
                    predicate.span,
                ));
            }
        }
        path.steps.iter().try_for_each(|step| self.check_created_relationship(&step.relationship, directed))
    }

    fn check_created_relationship(&self, relationship: &RelationshipPattern, directed: bool) -> Parsed<()> {
        if let Some(length) = relationship.length {
            return Err(syntax(
                "CreatingVarLength",
                "a path of variable length cannot be created",
                length.span,
            ));
        }
        if let Some(predicate) = &relationship.predicate {
            let primary = "WHERE cannot stand in a created relationship";
            return Err(syntax("UnexpectedSyntax", primary, predicate.span));
        }
        if directed && matches!(relationship.direction, Direction::Either | Direction::Both) {
            let primary = "a created relationship needs one direction";
            let error = syntax("RequiresDirectedRelationship", primary, relationship.span);
            return Err(with_hint(error, "write -[…]-> or <-[…]-"));
        }
        match &relationship.types {
            Some(types) if types.single().is_some() => Ok(()),
            // The variable may be bound already, which is the worse mistake; only a binder knows.
            None if relationship.variable.is_some() => Ok(()),
            types => {
                let span = types.as_ref().map_or(relationship.span, |types| types.span);
                let error =
                    syntax("NoSingleRelationshipType", "a created relationship needs exactly one type", span);
                Err(with_hint(error, "write it as -[:TYPE]->"))
            }
        }
    }

    /// Labels to be given or taken are names, not conditions.
    pub(super) fn check_plain_labels(&self, labels: &LabelExpr) -> Parsed<()> {
        if labels.conjunction().is_some() {
            return Ok(());
        }
        let error = syntax("UnexpectedSyntax", "labels to give or take must be plain names", labels.span);
        Err(with_hint(error, "write :A:B"))
    }
}

/// The first clause that changes the graph, looking into called subqueries too.
fn first_update(query: &Query) -> Option<&Clause> {
    std::iter::once(&query.first).chain(query.unions.iter().map(|(_, single)| single)).find_map(|single| {
        single.clauses.iter().find_map(|clause| match clause {
            Clause::CallSubquery(call) => first_update(&call.query),
            _ => clause.is_updating().then_some(clause),
        })
    })
}

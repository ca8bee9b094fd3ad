//! GROUP BY and aggregates.
//!
//! Counts, and sums and extremes of one type, are the algebra's own aggregates. All others collect their
//! values and compute from the list; an error in a group, which is null and is not collected, is found by
//! counting.
//!
//! Source: SPARQL 1.1 §11, §18.5.1.

use std::collections::BTreeMap;
use std::sync::Arc;

use spargebra::algebra::{AggregateExpression, AggregateFunction};
use spargebra::term::Variable;
use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId};
use trimorph_base::{Diagnostic, ErrorKind, Span};
use trimorph_types::{LogicalType, Value};

use super::expression::entity_of;
use super::relation::{Active, Name, Relation, Shape, Slot, Source, call, told_apart};
use super::scope::name_of;
use super::typed::Typed;
use super::{Binder, Bound, unsupported};

/// Letters of an aggregate's text that plans show at most.
const SHOWN_MAX: usize = 40;

fn aggregate(kind: AggregateKind, arg: Option<Expr>, distinct: bool) -> Aggregate {
    Aggregate { kind, arg, parameter: None, distinct, order: None, span: Span::default() }
}

/// What is computed of a group when its aggregates are there.
struct Made {
    variable: Variable,
    value: Expr,
    shape: Shape,
    certain: bool,
    /// Whether it has a value in each group that has a row.
    sure: bool,
}

impl Binder<'_> {
    pub(super) fn group(
        &mut self,
        mut relation: Relation,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
        active: &Active,
    ) -> Bound<Relation> {
        let mut keys: Vec<(VarId, Expr)> = Vec::new();
        let mut slots = BTreeMap::new();
        let grouped = variables.iter().map(name_of);
        let grouped: Vec<(Name, Slot)> =
            grouped.filter_map(|name| relation.slots.get(&name).map(|slot| (name, slot.clone()))).collect();
        let (held, properties): (Vec<_>, Vec<_>) = grouped.into_iter().partition(|(_, slot)| slot.is_held());
        let mut nodes: BTreeMap<VarId, VarId> = BTreeMap::new();
        for (name, slot) in held.into_iter().chain(properties) {
            let node = slot.carrier().and_then(|var| nodes.get(&var));
            let source = match (&slot.source, node) {
                // The same in all rows, it tells no groups apart.
                (Source::Given(_), _) => slot.source.clone(),
                // The properties of a node that is a key are the same in each of its groups.
                (Source::Property(_, property), Some(node)) => Source::Property(*node, Arc::clone(property)),
                _ => {
                    let var = self.var(&name, slot.shape);
                    keys.push((var, slot.value()));
                    // Equal ones that are two terms are two groups.
                    let told = told_apart(&slot).map(|told| (self.anonymous(LogicalType::Int), told));
                    keys.extend(told);
                    if let Source::Var(of) = slot.source {
                        nodes.insert(of, var);
                    }
                    Source::Var(var)
                }
            };
            slots.insert(name, Slot { source, ..slot });
        }
        let mut items: Vec<(VarId, Aggregate)> = Vec::new();
        let mut made = Vec::new();
        for (variable, expression) in aggregates {
            check_nesting(expression, aggregates)?;
            let mut value = self.aggregate(&mut relation, variable, expression, &mut items, active)?;
            // A group by keys has a row.
            value.certain |= value.sure && !keys.is_empty();
            made.push(value);
        }
        // GROUP BY without a variable that is bound: one group, if there is a row.
        if keys.is_empty() && !variables.is_empty() {
            keys.push((self.anonymous(LogicalType::Int), Expr::Const(Value::Int(0))));
        }
        relation.grow(|input| Plan::Aggregate { input, keys, aggregates: items });
        relation.slots = slots;
        for (Made { variable, value, shape, certain, .. }, (_, expression)) in
            made.into_iter().zip(aggregates)
        {
            let name = name_of(&variable);
            // Its own name is one that the parser drew.
            let var = self.var(&shown(expression), shape);
            relation.extra(vec![(var, value)]);
            relation.slots.insert(name, Slot { source: Source::Var(var), shape, certain });
        }
        Ok(relation)
    }

    fn aggregate(
        &mut self,
        relation: &mut Relation,
        variable: &Variable,
        expression: &AggregateExpression,
        items: &mut Vec<(VarId, Aggregate)>,
        active: &Active,
    ) -> Bound<Made> {
        let variable = variable.clone();
        let mut add = |own: &mut Self, ty, aggregate| {
            let var = own.anonymous(ty);
            items.push((var, aggregate));
            Expr::Var(var)
        };
        let counted = |value| Made {
            variable: variable.clone(),
            value,
            shape: Shape::Plain(LogicalType::Int),
            certain: true,
            sure: true,
        };
        let (name, expr, distinct) = match expression {
            AggregateExpression::CountSolutions { distinct: false } => {
                let value = add(self, LogicalType::Int, aggregate(AggregateKind::CountStar, None, false));
                return Ok(counted(value));
            }
            AggregateExpression::CountSolutions { distinct: true } => {
                // Solutions differ where one of their variables does.
                let all = relation.slots.values().map(Slot::term).collect();
                let value =
                    add(self, LogicalType::Int, aggregate(AggregateKind::Count, Some(Expr::List(all)), true));
                return Ok(counted(value));
            }
            AggregateExpression::FunctionCall { name, expr, distinct } => (name, expr, *distinct),
        };
        let argument = self.expression(relation, expr, active)?;
        if let AggregateFunction::Count = name {
            let arg = distinct_form(&argument, distinct);
            let value = add(self, LogicalType::Int, aggregate(AggregateKind::Count, Some(arg), distinct));
            return Ok(counted(value));
        }
        let argument = match (name, argument.shape) {
            // Only numbers count; what is none is an error of its row.
            (AggregateFunction::Sum | AggregateFunction::Avg, Shape::Term) if !distinct => {
                let expr = call("sparql.number", vec![argument.expr]);
                Typed { expr, shape: Shape::Term, certain: false }
            }
            _ => argument,
        };
        if let Some((value, shape)) = self.plainly(name, &argument, distinct, &mut add) {
            let value = match argument.certain {
                true => value,
                false => self.if_whole(value, argument.expr, &mut add),
            };
            return Ok(Made { variable, value, shape, certain: false, sure: argument.certain });
        }
        let arg = distinct_form(&argument, true);
        let list =
            add(self, LogicalType::List, aggregate(AggregateKind::Collect, Some(arg.clone()), distinct));
        let function = match name {
            AggregateFunction::Sum => "sparql.sum",
            AggregateFunction::Avg => "sparql.avg",
            AggregateFunction::Min => "sparql.min",
            AggregateFunction::Max => "sparql.max",
            AggregateFunction::Sample => "sparql.sample",
            AggregateFunction::GroupConcat { .. } => "sparql.group_concat",
            AggregateFunction::Count | AggregateFunction::Custom(_) => {
                return Err(unsupported(
                    "there is no such aggregate",
                    "COUNT, SUM, AVG, MIN, MAX, SAMPLE and GROUP_CONCAT are there",
                ));
            }
        };
        let mut args = vec![list];
        if let AggregateFunction::GroupConcat { separator: Some(separator) } = name {
            args.push(Expr::Const(Value::string(separator.as_str())));
        }
        let value = call(function, args);
        let value = match name {
            // It leaves errors out.
            AggregateFunction::Sample => value,
            _ if argument.certain => value,
            _ => self.if_whole(value, arg, &mut add),
        };
        Ok(Made { variable, value: entity_of(value), shape: Shape::Term, certain: false, sure: false })
    }

    /// A value of a group, if all its rows have the argument: an error in one of them is one of the whole.
    fn if_whole(
        &mut self,
        value: Expr,
        argument: Expr,
        add: &mut dyn FnMut(&mut Self, LogicalType, Aggregate) -> Expr,
    ) -> Expr {
        let there = add(self, LogicalType::Int, aggregate(AggregateKind::Count, Some(argument), false));
        let all = add(self, LogicalType::Int, aggregate(AggregateKind::CountStar, None, false));
        let branches = vec![(Expr::op(Op::Eq, vec![there, all]), value)];
        Expr::Case { branches, otherwise: Box::new(Expr::Const(Value::Null)) }
    }

    /// An aggregate of values of one type, where the algebra's own gives what SPARQL says.
    fn plainly(
        &mut self,
        name: &AggregateFunction,
        argument: &Typed,
        distinct: bool,
        add: &mut dyn FnMut(&mut Self, LogicalType, Aggregate) -> Expr,
    ) -> Option<(Expr, Shape)> {
        use LogicalType as L;
        let ty = match (name, argument.shape) {
            (_, Shape::Plain(ty)) => ty,
            (AggregateFunction::Sum | AggregateFunction::Avg, Shape::Term) if !distinct => L::Any,
            _ => return None,
        };
        let arg = || Some(argument.expr.clone());
        match (name, ty) {
            (AggregateFunction::Sum, L::Float) => {
                let sum = add(self, ty, aggregate(AggregateKind::Sum, arg(), distinct));
                Some((sum, Shape::Plain(ty)))
            }
            // Integers may leave 64 bits, which those of the language do not.
            (AggregateFunction::Sum, L::Int | L::Decimal | L::Any) => {
                let sum = add(self, L::Any, aggregate(AggregateKind::NumberSum, arg(), distinct));
                // Integers are their own terms.
                let sum = if ty == L::Int { sum } else { call("sparql.term", vec![sum]) };
                Some((sum, Shape::Term))
            }
            (AggregateFunction::Avg, L::Int | L::Float | L::Decimal | L::Any) => {
                let sum = add(self, L::Any, aggregate(AggregateKind::NumberSum, arg(), distinct));
                let count = add(self, L::Int, aggregate(AggregateKind::Count, arg(), distinct));
                let is_empty = Expr::op(Op::Eq, vec![count.clone(), Expr::Const(Value::Int(0))]);
                let mean = call("sparql.term", vec![call("sparql.div", vec![sum, count])]);
                let branches = vec![(is_empty, Expr::Const(Value::Int(0)))];
                Some((Expr::Case { branches, otherwise: Box::new(mean) }, Shape::Term))
            }
            (
                AggregateFunction::Min | AggregateFunction::Max,
                L::Int | L::Float | L::Decimal | L::String | L::Date | L::DateTime | L::LocalDateTime,
            ) => {
                let kind = match name {
                    AggregateFunction::Min => AggregateKind::Min,
                    _ => AggregateKind::Max,
                };
                let value = add(self, ty, aggregate(kind, arg(), false));
                Some((value, Shape::Plain(ty)))
            }
            _ => None,
        }
    }
}

/// What plans call an aggregate: its text, as far as that is short.
fn shown(expression: &AggregateExpression) -> Name {
    let text = expression.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// An aggregate cannot be of an aggregate of the same group.
fn check_nesting(expression: &AggregateExpression, all: &[(Variable, AggregateExpression)]) -> Bound<()> {
    let AggregateExpression::FunctionCall { expr, .. } = expression else { return Ok(()) };
    let mut names = super::scope::Names::new();
    super::scope::asked(expr, &mut names);
    if all.iter().any(|(variable, _)| names.contains(&name_of(variable))) {
        let primary = "an aggregate is computed of an aggregate";
        let error = Diagnostic::compile(ErrorKind::SyntaxError, "NestedAggregation", primary);
        return Err(error.hint("compute the inner one in a sub-query"));
    }
    Ok(())
}

/// The argument in the form in which different terms are different values.
fn distinct_form(argument: &Typed, distinct: bool) -> Expr {
    match argument.shape {
        Shape::Node | Shape::Edge => argument.expr.clone(),
        Shape::Plain(LogicalType::Int | LogicalType::String | LogicalType::Bool | LogicalType::Date) => {
            argument.expr.clone()
        }
        Shape::Plain(_) if !distinct => argument.expr.clone(),
        _ => entity_of(argument.expr.clone()),
    }
}

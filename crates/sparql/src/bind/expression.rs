//! Expressions: SPARQL's into the algebra's. Errors and unbound variables are null, so that AND, OR, NOT and
//! IN are the algebra's own; where types are known and mean the same, so are comparisons.
//!
//! Source: SPARQL 1.1 §17.

use std::sync::Arc;

use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::Variable;
use trimorph_algebra::{ApplyKind, Expr, Op, Plan};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::rdf::lexical;
use trimorph_types::rdf::names::{XSD, xsd};
use trimorph_types::{LiteralKind, LogicalType, Value};

use super::relation::{
    Active, Name, Relation, Shape, Slot, Source, call, equal, given_value, is_not_null, is_null, negated,
};
use super::scope::{Names, may_be_bound, mentioned, name_of, visible};
use super::{Binder, Bound};
use crate::terms::literal;

/// Variables that may be unbound and that an EXISTS asks for: a case each way is planned for each.
const UNSURE_MAX: usize = 5;

/// An expression, and what is known of its values.
pub(super) struct Typed {
    pub(super) expr: Expr,
    /// What values that are not null are, where it is known.
    pub(super) shape: Shape,
    /// Whether it is never null.
    pub(super) certain: bool,
}

impl Typed {
    fn term(expr: Expr) -> Self {
        Self { expr, shape: Shape::Term, certain: false }
    }

    fn plain(expr: Expr, ty: LogicalType) -> Self {
        Self { expr, shape: Shape::Plain(ty), certain: false }
    }

    /// Whether openCypher's order of its values is SPARQL's.
    pub(super) fn is_ordered_plainly(&self) -> bool {
        use LogicalType as L;
        let plain = matches!(
            self.shape,
            Shape::Plain(
                L::Int
                    | L::Float
                    | L::Decimal
                    | L::String
                    | L::Bool
                    | L::Date
                    | L::DateTime
                    | L::LocalDateTime
            )
        );
        plain && self.certain
    }
}

/// Whether the algebra compares values of two types as SPARQL does.
fn compares_plainly(a: Shape, b: Shape) -> bool {
    use LogicalType as L;
    let (Shape::Plain(a), Shape::Plain(b)) = (a, b) else { return false };
    let number = |ty| matches!(ty, L::Int | L::Float | L::Decimal);
    a == b && matches!(a, L::String | L::Bool | L::Date | L::LocalDateTime) || number(a) && number(b)
}

/// Whether values of two types are one term exactly if they are equal.
fn equal_are_same(a: Shape, b: Shape) -> bool {
    use LogicalType as L;
    let types = [L::String, L::Bool, L::Int, L::Date, L::LocalDateTime];
    a == b && types.into_iter().any(|ty| a == Shape::Plain(ty))
}

/// Whether both are moments with an offset: one instant is the same whatever its offset is, to SPARQL.
fn are_instants(a: Shape, b: Shape) -> bool {
    let instant = Shape::Plain(LogicalType::DateTime);
    a == instant && b == instant
}

/// Whether a comparison of two values is true or false in every row.
fn compares_surely(a: &Typed, b: &Typed) -> bool {
    let is_float = |typed: &Typed| typed.shape == Shape::Plain(LogicalType::Float);
    let is_sure = compares_plainly(a.shape, b.shape) || are_instants(a.shape, b.shape);
    a.certain && b.certain && is_sure && !is_float(a) && !is_float(b)
}

/// Instants with one that is the same in all rows, as a range of the algebra's order, in which the offset
/// comes behind the instant: so zones and indexes are asked. `None` where no side is.
fn instants_with_one(op: Op, a: &Expr, b: &Expr) -> Option<Expr> {
    let is_one = |expr: &Expr| matches!(expr, Expr::Const(_) | Expr::Param(_));
    let (op, a, b) = match (is_one(a), is_one(b)) {
        (false, true) => (op, a, b),
        (true, false) => (op.swapped(), b, a),
        _ => return None,
    };
    let first = match b {
        Expr::Const(Value::DateTime(t)) => Expr::Const(Value::DateTime(t.first_of_instant())),
        other => call("sparql.first_of_instant", vec![other.clone()]),
    };
    let last = match b {
        Expr::Const(Value::DateTime(t)) => Expr::Const(Value::DateTime(t.last_of_instant())),
        other => call("sparql.last_of_instant", vec![other.clone()]),
    };
    let compared = |op, end| Expr::op(op, vec![a.clone(), end]);
    Some(match op {
        Op::Lt | Op::Ge => compared(op, first),
        Op::Le | Op::Gt => compared(op, last),
        _ => Expr::op(Op::And, vec![compared(Op::Ge, first), compared(Op::Le, last)]),
    })
}

/// The parts of a conjunction.
pub(super) fn conjuncts<'e>(expression: &'e Expression, out: &mut Vec<&'e Expression>) {
    let mut left = vec![expression];
    while let Some(expression) = left.pop() {
        match expression {
            Expression::And(a, b) => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
}

impl Binder<'_> {
    /// Keeps the rows for which an expression is true.
    pub(super) fn filter(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<()> {
        let mut parts = Vec::new();
        conjuncts(expression, &mut parts);
        for part in parts {
            let exists = match part {
                Expression::Exists(pattern) => Some((pattern, ApplyKind::Semi)),
                Expression::Not(inner) => match &**inner {
                    Expression::Exists(pattern) => Some((pattern, ApplyKind::Anti)),
                    _ => None,
                },
                _ => None,
            };
            let asked =
                exists.as_ref().and_then(|(pattern, _)| self.asked_of_nodes(relation, pattern, active));
            match (exists, asked) {
                (Some((_, ApplyKind::Anti)), Some(asked)) => relation.filter(negated(asked)),
                (Some(_), Some(asked)) => relation.filter(asked),
                (Some((pattern, kind)), None) => {
                    let subplan = self.exists(relation, pattern, active)?;
                    relation.grow(|input| Plan::Apply { input, subplan: Box::new(subplan), kind });
                }
                (None, _) => {
                    let predicate = self.condition(relation, part, active)?;
                    relation.filter(predicate);
                }
            }
        }
        Ok(())
    }

    /// The rows of a pattern for each row, whose variables stand for their values within it.
    ///
    /// A variable that is not bound in a row is free in the pattern. Where nothing in the pattern can tell,
    /// it is free in all rows, and compared in the end; else rows that bind it and rows that do not are
    /// asked apart.
    fn exists(&mut self, relation: &Relation, pattern: &GraphPattern, active: &Active) -> Bound<Plan> {
        if let Some(plan) = self.exists_by_predicate(relation, pattern, active)? {
            return Ok(plan);
        }
        let (names, binds) = (mentioned(pattern), visible(pattern));
        let mut row = relation.argument(active);
        row.slots.retain(|name, slot| slot.certain || names.contains(name));
        let is_unsure = |(name, slot): &(&Name, &Slot)| !slot.certain && binds.contains(*name);
        let unsure: Vec<Name> =
            row.slots.iter().filter(is_unsure).map(|(name, _)| Arc::clone(name)).collect();
        let (free, told): (Vec<Name>, Vec<Name>) =
            unsure.into_iter().partition(|name| may_be_bound(pattern, &Names::from([Arc::clone(name)])));
        if told.is_empty() {
            return Ok(self.exists_in(row, pattern, &free, active)?.plan);
        }
        if told.len() > UNSURE_MAX {
            let primary = format!("EXISTS asks for more than {UNSURE_MAX} variables that may be unbound");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "TooComplex", primary);
            return Err(error.hint("ask for them in several EXISTS"));
        }
        let cases = self.either(row, 1 << told.len(), active, &mut |own, row, case| {
            let mut row = row.clone();
            for (bit, name) in told.iter().enumerate() {
                let Some(slot) = row.slots.get_mut(name) else { continue };
                let value = slot.value();
                if (case >> bit) & 1 == 1 {
                    slot.certain = true;
                    row.filter(is_not_null(value));
                } else {
                    row.slots.remove(name);
                    row.filter(is_null(value));
                }
            }
            own.exists_in(row, pattern, &free, active)
        })?;
        Ok(cases.plan)
    }

    /// The same, where nothing in the pattern can tell whether the variables of `free` are bound.
    fn exists_in(
        &mut self,
        mut row: Relation,
        pattern: &GraphPattern,
        free: &[Name],
        active: &Active,
    ) -> Bound<Relation> {
        let compared: Vec<_> = free.iter().filter_map(|name| Some((name, row.slots.remove(name)?))).collect();
        let around = std::mem::replace(&mut self.substituted, row.slots.clone());
        let mut inner = self.pattern(row, pattern, active)?;
        self.substituted = around;
        for (name, slot) in compared {
            if inner.slots.contains_key(name) {
                self.bind_new(&mut inner, name, slot);
            }
        }
        Ok(inner)
    }

    /// An expression as a condition: its effective boolean value.
    pub(super) fn condition(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Expr> {
        Ok(truth_of(self.expression(relation, expression, active)?))
    }

    pub(super) fn expression(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Typed> {
        self.deeper(|own| own.expression_within(relation, expression, active))
    }

    fn expression_within(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Typed> {
        use Expression as E;
        let boolean = |expr| Typed::plain(expr, LogicalType::Bool);
        Ok(match expression {
            E::NamedNode(node) => {
                Typed { expr: Expr::Const(Value::iri(node.as_str())), shape: Shape::Term, certain: true }
            }
            E::Literal(own) => constant(literal(own)),
            E::Variable(variable) => match relation.slots.get(&name_of(variable)) {
                Some(slot) => Typed { expr: slot.value(), shape: slot.shape, certain: slot.certain },
                None => match self.given_type(&name_of(variable)) {
                    Some(ty) => {
                        let (expr, shape) = given_value(&name_of(variable), ty);
                        Typed { expr, shape, certain: true }
                    }
                    None => Typed::term(Expr::Const(Value::Null)),
                },
            },
            E::Or(..) | E::And(..) => {
                let (op, mut parts) = match expression {
                    E::Or(..) => (Op::Or, disjuncts(expression)),
                    _ => (Op::And, Vec::new()),
                };
                if op == Op::And {
                    conjuncts(expression, &mut parts);
                }
                let parts = parts.into_iter().map(|part| self.condition(relation, part, active));
                boolean(Expr::op(op, parts.collect::<Bound<_>>()?))
            }
            E::Not(inner) => boolean(Expr::op(Op::Not, vec![self.condition(relation, inner, active)?])),
            E::Equal(a, b) => {
                let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
                let (a, b) = (as_number(a), as_number(b));
                Typed { certain: compares_surely(&a, &b), ..boolean(equals(a, b)) }
            }
            E::SameTerm(a, b) => {
                let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
                match (a.shape, b.shape) {
                    (Shape::Node, Shape::Node) => boolean(equal(a.expr, b.expr)),
                    (x, y) if equal_are_same(x, y) => boolean(equal(a.expr, b.expr)),
                    (Shape::Node, Shape::Term) if is_iri(&b.expr) => boolean(equals(a, b)),
                    (Shape::Term, Shape::Node) if is_iri(&a.expr) => boolean(equals(a, b)),
                    _ => boolean(call("sparql.same", vec![a.expr, b.expr])),
                }
            }
            E::Greater(a, b) => self.compared(relation, (Op::Gt, "sparql.gt"), (a, b), active)?,
            E::GreaterOrEqual(a, b) => self.compared(relation, (Op::Ge, "sparql.ge"), (a, b), active)?,
            E::Less(a, b) => self.compared(relation, (Op::Lt, "sparql.lt"), (a, b), active)?,
            E::LessOrEqual(a, b) => self.compared(relation, (Op::Le, "sparql.le"), (a, b), active)?,
            E::In(a, list) => {
                let value = as_number(self.expression(relation, a, active)?);
                let mut either = Vec::new();
                for item in list {
                    let item = as_number(self.expression(relation, item, active)?);
                    let own = Typed { expr: value.expr.clone(), shape: value.shape, certain: value.certain };
                    either.push(equals(own, item));
                }
                boolean(match either.len() {
                    0 => Expr::Const(Value::Bool(false)),
                    1 => either.swap_remove(0),
                    _ => Expr::op(Op::Or, either),
                })
            }
            E::Add(a, b) => self.computed_from(relation, "sparql.add", &[a, b], active)?,
            E::Subtract(a, b) => self.computed_from(relation, "sparql.sub", &[a, b], active)?,
            E::Multiply(a, b) => self.computed_from(relation, "sparql.mul", &[a, b], active)?,
            E::Divide(a, b) => self.computed_from(relation, "sparql.div", &[a, b], active)?,
            E::UnaryPlus(a) => self.computed_from(relation, "sparql.plus", &[a], active)?,
            E::UnaryMinus(a) => self.computed_from(relation, "sparql.neg", &[a], active)?,
            E::Exists(pattern) => {
                if let Some(asked) = self.asked_of_nodes(relation, pattern, active) {
                    return Ok(Typed { certain: true, ..boolean(asked) });
                }
                let subplan = Box::new(self.exists(relation, pattern, active)?);
                let mark = self.anonymous(LogicalType::Bool);
                relation.grow(|input| Plan::Apply { input, subplan, kind: ApplyKind::Mark(mark) });
                Typed { certain: true, ..boolean(Expr::Var(mark)) }
            }
            E::Bound(variable) => {
                let slot = relation.slots.get(&name_of(variable));
                let is_given = self.given_type(&name_of(variable)).is_some();
                let is_bound =
                    slot.map_or(Expr::Const(Value::Bool(is_given)), |slot| is_not_null(slot.value()));
                Typed { certain: true, ..boolean(is_bound) }
            }
            E::If(condition, a, b) => {
                let condition = self.expression(relation, condition, active)?;
                let is_sure = condition.certain && condition.shape == Shape::Plain(LogicalType::Bool);
                let condition = truth_of(condition);
                let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
                let shape = if a.shape == b.shape { a.shape } else { Shape::Term };
                let certain = is_sure && a.certain && b.certain && shape != Shape::Term;
                let value =
                    |typed: Typed| if shape == Shape::Term { in_term_form(typed) } else { typed.expr };
                // An error of the condition is one of the whole.
                let not = Expr::op(Op::Not, vec![condition.clone()]);
                let mut branches = vec![(condition, value(a))];
                let otherwise = match is_sure {
                    true => value(b),
                    false => {
                        branches.push((not, value(b)));
                        Expr::Const(Value::Null)
                    }
                };
                let expr = Expr::Case { branches, otherwise: Box::new(otherwise) };
                Typed { expr, shape, certain }
            }
            E::Coalesce(list) => {
                let all = list
                    .iter()
                    .map(|item| self.expression(relation, item, active))
                    .collect::<Bound<Vec<_>>>()?;
                let shape =
                    all.iter().map(|item| item.shape).reduce(|a, b| if a == b { a } else { Shape::Term });
                let shape = shape.unwrap_or(Shape::Term);
                let certain = shape != Shape::Term && all.iter().any(|item| item.certain);
                let value =
                    |typed: Typed| if shape == Shape::Term { in_term_form(typed) } else { typed.expr };
                let args: Vec<Expr> = all.into_iter().map(value).collect();
                if args.is_empty() {
                    return Ok(Typed::term(Expr::Const(Value::Null)));
                }
                Typed { expr: call("coalesce", args), shape, certain }
            }
            E::FunctionCall(function, args) => self.function(relation, function, args, active)?,
        })
    }

    fn compared(
        &mut self,
        relation: &mut Relation,
        (op, function): (Op, &str),
        (a, b): (&Expression, &Expression),
        active: &Active,
    ) -> Bound<Typed> {
        let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
        let (a, b) = (as_number(a), as_number(b));
        let certain = compares_surely(&a, &b);
        let range = match are_instants(a.shape, b.shape) {
            true => instants_with_one(op, &a.expr, &b.expr),
            false => None,
        };
        let expr = match (range, compares_plainly(a.shape, b.shape)) {
            (Some(range), _) => range,
            (None, true) => Expr::op(op, vec![a.expr, b.expr]),
            (None, false) => call(function, vec![a.expr, b.expr]),
        };
        Ok(Typed { expr, shape: Shape::Plain(LogicalType::Bool), certain })
    }

    fn computed_from(
        &mut self,
        relation: &mut Relation,
        function: &str,
        args: &[&Expression],
        active: &Active,
    ) -> Bound<Typed> {
        let args = args.iter().map(|arg| Ok(as_number(self.expression(relation, arg, active)?).expr));
        Ok(Typed::term(call(function, args.collect::<Bound<_>>()?)))
    }

    fn function(
        &mut self,
        relation: &mut Relation,
        function: &Function,
        args: &[Expression],
        active: &Active,
    ) -> Bound<Typed> {
        use LogicalType as L;
        let typed =
            args.iter().map(|arg| self.expression(relation, arg, active)).collect::<Bound<Vec<_>>>()?;
        // Parts of an instant are there wherever it is.
        let is_instant =
            |arg: &Typed| arg.certain && matches!(arg.shape, Shape::Plain(L::DateTime | L::LocalDateTime));
        let is_part = matches!(
            function,
            Function::Year | Function::Month | Function::Day | Function::Hours | Function::Minutes
        );
        let certain = is_part && typed.iter().all(is_instant);
        // Of texts without a language these are the algebra's own, which indexes and zones know.
        let of_texts = match function {
            Function::StrStarts => Some(Op::StartsWith),
            Function::StrEnds => Some(Op::EndsWith),
            Function::Contains => Some(Op::Contains),
            _ => None,
        };
        if let Some(op) = of_texts
            && typed.iter().all(|arg| arg.shape == Shape::Plain(L::String))
        {
            let certain = typed.iter().all(|arg| arg.certain);
            let expr = Expr::op(op, typed.into_iter().map(|arg| arg.expr).collect());
            return Ok(Typed { expr, shape: Shape::Plain(L::Bool), certain });
        }
        let mut values: Vec<Expr> = typed.into_iter().map(|arg| arg.expr).collect();
        let (name, ty) = match function {
            Function::Custom(iri) => (cast(iri.as_str())?, None),
            Function::Iri => {
                if let (Some(base), 1) = (&self.base, values.len()) {
                    values.push(Expr::Const(Value::String(Arc::clone(base))));
                }
                ("sparql.iri".to_owned(), None)
            }
            // The same for the same text in one solution, and another in each.
            Function::BNode if values.len() == 1 => {
                values.push(self.row_salt(relation));
                ("sparql.bnode".to_owned(), None)
            }
            other => {
                let (name, ty) = known(other);
                (format!("sparql.{name}"), ty)
            }
        };
        let is_value = matches!(ty, Some(L::Bool | L::String | L::Int));
        let expr = call(&name, values);
        Ok(match ty {
            Some(ty) if is_value => Typed { expr, shape: Shape::Plain(ty), certain },
            _ => Typed::term(expr),
        })
    }

    /// A text that each row has for itself.
    fn row_salt(&mut self, relation: &mut Relation) -> Expr {
        let name: super::relation::Name = " row".into();
        if let Some(slot) = relation.slots.get(&name) {
            return slot.value();
        }
        let var = self.anonymous(LogicalType::String);
        relation.extra(vec![(var, call("sparql.struuid", Vec::new()))]);
        let shape = Shape::Plain(LogicalType::String);
        relation.slots.insert(name, Slot::certain(var, shape));
        Expr::Var(var)
    }

    /// The value of an expression as a variable: terms in their form, IRIs as the nodes that they are.
    pub(super) fn computed(
        &mut self,
        relation: &mut Relation,
        variable: &Variable,
        expression: &Expression,
        active: &Active,
    ) -> Bound<Slot> {
        let value = self.expression(relation, expression, active)?;
        let name = name_of(variable);
        let (shape, expr) = match value.shape {
            Shape::Term => (Shape::Term, entity_of(value.expr)),
            shape => (shape, value.expr),
        };
        let var = self.var(&name, shape);
        relation.extra(vec![(var, expr)]);
        Ok(Slot { source: Source::Var(var), shape, certain: value.certain })
    }
}

/// The effective boolean value.
fn truth_of(value: Typed) -> Expr {
    match value.shape {
        Shape::Plain(LogicalType::Bool) => value.expr,
        _ => call("sparql.ebv", vec![value.expr]),
    }
}

/// A value of any kind as a term that others are compared with.
pub(super) fn entity_of(expr: Expr) -> Expr {
    match expr {
        Expr::Const(
            value @ (Value::Null | Value::Int(_) | Value::String(_) | Value::Bool(_) | Value::Literal(_)),
        ) => Expr::Const(value),
        Expr::Var(var) => Expr::Var(var),
        other => call("sparql.entity", vec![call("sparql.term", vec![other])]),
    }
}

fn in_term_form(typed: Typed) -> Expr {
    match typed.shape {
        Shape::Plain(_) => call("sparql.term", vec![typed.expr]),
        _ => typed.expr,
    }
}

/// A literal in term form, as an expression of its type where it has one.
fn constant(value: Value) -> Typed {
    use LogicalType as L;
    let stored = match &value {
        Value::Literal(own) => match &own.kind {
            LiteralKind::Datatype(datatype) => trimorph_types::rdf::literal(&own.lexical, datatype),
            LiteralKind::Language(_) => value.clone(),
        },
        other => other.clone(),
    };
    let ty = stored.logical_type();
    let shape = match ty {
        L::Int | L::Float | L::Decimal | L::String | L::Bool | L::Date | L::DateTime | L::LocalDateTime => {
            Shape::Plain(ty)
        }
        _ => Shape::Term,
    };
    Typed { expr: Expr::Const(stored), shape, certain: true }
}

/// A number that is written in another than its usual form, such as `1e0` or `"07"^^xsd:integer`, as the
/// value that it is, where only the value counts: what asks for numbers knows these.
fn as_number(typed: Typed) -> Typed {
    let Expr::Const(value @ Value::Literal(_)) = &typed.expr else { return typed };
    number(value).map_or(typed, constant)
}

/// The value of a literal of a numeric type that has values of its own.
fn number(value: &Value) -> Option<Value> {
    let Value::Literal(literal) = value else { return None };
    let LiteralKind::Datatype(datatype) = &literal.kind else { return None };
    match &**datatype {
        xsd::INTEGER => lexical::integer(&literal.lexical)?.exact_int().map(Value::Int),
        xsd::DECIMAL => lexical::decimal(&literal.lexical).map(Value::Decimal),
        xsd::DOUBLE => lexical::double(&literal.lexical).map(Value::Float),
        _ => None,
    }
}

fn equals(a: Typed, b: Typed) -> Expr {
    if are_instants(a.shape, b.shape)
        && let Some(range) = instants_with_one(Op::Eq, &a.expr, &b.expr)
    {
        return range;
    }
    match (a.shape, b.shape) {
        (Shape::Node, Shape::Node) => equal(a.expr, b.expr),
        (x, y) if compares_plainly(x, y) => equal(a.expr, b.expr),
        // A node is an IRI, and equal to its own only.
        (Shape::Node, Shape::Term) if is_iri(&b.expr) => equal(a.expr, call("sparql.entity", vec![b.expr])),
        (Shape::Term, Shape::Node) if is_iri(&a.expr) => equal(call("sparql.entity", vec![a.expr]), b.expr),
        _ => call("sparql.eq", vec![a.expr, b.expr]),
    }
}

fn is_iri(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Value::Iri(_)))
}

fn disjuncts(expression: &Expression) -> Vec<&Expression> {
    let (mut out, mut left) = (Vec::new(), vec![expression]);
    while let Some(expression) = left.pop() {
        match expression {
            Expression::Or(a, b) => {
                left.push(b);
                left.push(a);
            }
            other => out.push(other),
        }
    }
    out
}

/// The cast that an IRI names.
fn cast(iri: &str) -> Bound<String> {
    const CASTS: &[&str] = &[
        "string",
        "boolean",
        "integer",
        "decimal",
        "float",
        "double",
        "dateTime",
        "date",
        "time",
        "duration",
        "dayTimeDuration",
        "yearMonthDuration",
        "long",
        "int",
        "short",
        "byte",
        "nonNegativeInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "positiveInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    ];
    match iri.strip_prefix(XSD) {
        Some(name) if CASTS.contains(&name) => Ok(format!("sparql.xsd.{name}")),
        _ => {
            let primary = format!("there is no function <{iri}>");
            let error = Diagnostic::compile(ErrorKind::SemanticError, "UnknownFunction", primary);
            Err(error.hint("functions are those of SPARQL 1.1 and 1.2, and casts to types of XML Schema"))
        }
    }
}

/// The name of a function, and the type of its values where all are of one.
fn known(function: &Function) -> (&'static str, Option<LogicalType>) {
    use Function as F;
    use LogicalType::{Bool, Int, String};
    match function {
        F::Str => ("str", Some(String)),
        F::Lang => ("lang", Some(String)),
        F::LangMatches => ("langmatches", Some(Bool)),
        F::Datatype => ("datatype", None),
        F::Iri => ("iri", None),
        F::BNode => ("bnode", None),
        F::Rand => ("rand", None),
        F::Abs => ("abs", None),
        F::Ceil => ("ceil", None),
        F::Floor => ("floor", None),
        F::Round => ("round", None),
        F::Concat => ("concat", None),
        F::SubStr => ("substr", None),
        F::StrLen => ("strlen", Some(Int)),
        F::Replace => ("replace", None),
        F::UCase => ("ucase", None),
        F::LCase => ("lcase", None),
        F::EncodeForUri => ("encode_for_uri", Some(String)),
        F::Contains => ("contains", Some(Bool)),
        F::StrStarts => ("strstarts", Some(Bool)),
        F::StrEnds => ("strends", Some(Bool)),
        F::StrBefore => ("strbefore", None),
        F::StrAfter => ("strafter", None),
        F::Year => ("year", Some(Int)),
        F::Month => ("month", Some(Int)),
        F::Day => ("day", Some(Int)),
        F::Hours => ("hours", Some(Int)),
        F::Minutes => ("minutes", Some(Int)),
        F::Seconds => ("seconds", None),
        F::Timezone => ("timezone", None),
        F::Tz => ("tz", Some(String)),
        F::Now => ("now", None),
        F::Uuid => ("uuid", None),
        F::StrUuid => ("struuid", Some(String)),
        F::Md5 => ("md5", Some(String)),
        F::Sha1 => ("sha1", Some(String)),
        F::Sha256 => ("sha256", Some(String)),
        F::Sha384 => ("sha384", Some(String)),
        F::Sha512 => ("sha512", Some(String)),
        F::StrLang => ("strlang", None),
        F::StrDt => ("strdt", None),
        F::IsIri => ("isiri", Some(Bool)),
        F::IsBlank => ("isblank", Some(Bool)),
        F::IsLiteral => ("isliteral", Some(Bool)),
        F::IsNumeric => ("isnumeric", Some(Bool)),
        F::Regex => ("regex", Some(Bool)),
        F::Triple => ("triple", None),
        F::Subject => ("subject", None),
        F::Predicate => ("predicate", None),
        F::Object => ("object", None),
        F::IsTriple => ("istriple", Some(Bool)),
        F::LangDir => ("langdir", Some(String)),
        F::HasLang => ("haslang", Some(Bool)),
        F::HasLangDir => ("haslangdir", Some(Bool)),
        F::StrLangDir => ("strlangdir", None),
        F::Custom(_) => ("", None),
    }
}

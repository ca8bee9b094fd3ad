//! Comparisons: two expressions in, a truth value out. Where types are known and mean the same, they are the
//! algebra's own, which zones and indexes know.
//!
//! What compares alike and is known better is compared instead: instants with one as a range, differences of
//! moments and a duration as numbers, the days that moments are cast to as the moments that they begin with.
//!
//! Source: SPARQL 1.1 §17.3; XPath and XQuery Functions and Operators 3.1, §9.4.

use spargebra::algebra::{Expression, Function};
use trimorph_algebra::{Expr, Op};
use trimorph_types::rdf::lexical::{self, Moment};
use trimorph_types::rdf::names::xsd;
use trimorph_types::{DateTime, LiteralKind, LocalDateTime, LogicalType, Value, Zone};

use super::relation::{Active, Relation, Shape, call, equal};
use super::typed::{Typed, as_number, computed_of, constant, is_iri, is_moment, span_of};
use super::{Binder, Bound};
use crate::terms::literal;

/// Whether the algebra compares values of two types as SPARQL does.
fn compares_plainly(a: Shape, b: Shape) -> bool {
    use LogicalType as L;
    let (Shape::Plain(a), Shape::Plain(b)) = (a, b) else { return false };
    let number = |ty| matches!(ty, L::Int | L::Float | L::Decimal);
    a == b && matches!(a, L::String | L::Bool | L::Date | L::LocalDateTime) || number(a) && number(b)
}

/// Whether values of two types are one term exactly if they are equal.
pub(super) fn equal_are_same(a: Shape, b: Shape) -> bool {
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
pub(super) fn compares_surely(a: &Typed, b: &Typed) -> bool {
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

impl Binder<'_> {
    pub(super) fn compared(
        &mut self,
        relation: &mut Relation,
        (op, function): (Op, &str),
        (a, b): (&Expression, &Expression),
        active: &Active,
    ) -> Bound<Typed> {
        let (a, b) = self.comparable(relation, (a, b), active)?;
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

    /// Two values as what compares alike and is known better: differences of moments with a duration as
    /// numbers, days that moments are cast to as moments.
    pub(super) fn comparable(
        &mut self,
        relation: &mut Relation,
        (a, b): (&Expression, &Expression),
        active: &Active,
    ) -> Bound<(Typed, Typed)> {
        if let Some(both) = self.elapsed(relation, (a, b), active)? {
            return Ok(both);
        }
        if let Some((b, a)) = self.elapsed(relation, (b, a), active)? {
            return Ok((a, b));
        }
        if day_cast(a).is_some() || day_cast(b).is_some() {
            let (a, b) = (self.day(relation, a, active)?, self.day(relation, b, active)?);
            return Ok(match (a, b) {
                ((_, Some(a)), (_, Some(b))) => (a, b),
                ((a, _), (b, _)) => (as_number(a), as_number(b)),
            });
        }
        let (a, b) = (self.expression(relation, a, active)?, self.expression(relation, b, active)?);
        Ok((as_number(a), as_number(b)))
    }

    /// A difference and a literal that is a duration without months: of moments of one type, both as
    /// nanoseconds.
    fn elapsed(
        &mut self,
        relation: &mut Relation,
        (difference, other): (&Expression, &Expression),
        active: &Active,
    ) -> Bound<Option<(Typed, Typed)>> {
        let (Expression::Subtract(to, from), Expression::Literal(own)) = (difference, other) else {
            return Ok(None);
        };
        let own = literal(own);
        let Some(span) = span_of(&own).filter(|span| span.months == 0) else { return Ok(None) };
        let to = as_number(self.expression(relation, to, active)?);
        let from = as_number(self.expression(relation, from, active)?);
        let is_moment = to.shape == from.shape && to.shape.plain().is_some_and(is_moment);
        Ok(Some(match i64::try_from(span.nanos) {
            Ok(nanos) if is_moment => {
                let elapsed = Typed::term(call("sparql.elapsed", vec![to.expr, from.expr]));
                (elapsed, constant(Value::Int(nanos)))
            }
            _ => (computed_of("sparql.sub", vec![to, from]), constant(own)),
        }))
    }

    /// A value, and the moment that it begins with where it is a day and known to be one.
    fn day(
        &mut self,
        relation: &mut Relation,
        expression: &Expression,
        active: &Active,
    ) -> Bound<(Typed, Option<Typed>)> {
        use LogicalType as L;
        let midnight = |typed: &Typed, ty| Typed {
            expr: call("sparql.midnight", vec![typed.expr.clone()]),
            shape: Shape::Plain(ty),
            certain: typed.certain,
        };
        let of_type = |typed: &Typed| match typed.shape {
            Shape::Plain(ty @ (L::DateTime | L::LocalDateTime)) => Some(midnight(typed, ty)),
            Shape::Plain(L::Date) => Some(midnight(typed, L::LocalDateTime)),
            _ => None,
        };
        if let Some(of) = day_cast(expression) {
            let of = self.expression(relation, of, active)?;
            let begin = of_type(&of);
            return Ok((Typed::term(call("sparql.xsd.date", vec![of.expr])), begin));
        }
        let value = self.expression(relation, expression, active)?;
        let begin = match (&value.expr, value.shape) {
            (Expr::Const(one), _) => midnight_of(one).map(constant),
            (_, Shape::Plain(L::Date)) => of_type(&value),
            _ => None,
        };
        Ok((value, begin))
    }
}

/// What is cast to a date.
fn day_cast(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::FunctionCall(Function::Custom(iri), args) if iri.as_str() == xsd::DATE => match &args[..]
        {
            [of] => Some(of),
            _ => None,
        },
        _ => None,
    }
}

/// The moment that a date begins with.
fn midnight_of(date: &Value) -> Option<Value> {
    let moment = match date {
        Value::Date(date) => {
            let local = LocalDateTime { seconds: date.days_in_calendar() * 86_400, nanos: 0 };
            Moment { local, offset: None }
        }
        Value::Literal(literal) => match &literal.kind {
            LiteralKind::Datatype(datatype) if **datatype == *xsd::DATE => lexical::date(&literal.lexical)?,
            _ => return None,
        },
        _ => return None,
    };
    Some(match moment.offset {
        None => Value::LocalDateTime(moment.local),
        Some(offset) => Value::DateTime(DateTime {
            seconds: moment.local.seconds - i64::from(offset),
            nanos: moment.local.nanos,
            zone: Zone::Offset(offset),
        }),
    })
}

pub(super) fn equals(a: Typed, b: Typed) -> Expr {
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

//! Expressions with what is known of their values: a literal, or a function and its arguments, in; the
//! expression of the algebra with its type out.

use trimorph_algebra::Expr;
use trimorph_types::rdf::lexical::{self, Span};
use trimorph_types::rdf::names::xsd;
use trimorph_types::{LiteralKind, LogicalType, Value};

use super::relation::{Shape, call};

/// An expression, and what is known of its values.
pub(super) struct Typed {
    pub(super) expr: Expr,
    /// What values that are not null are, where it is known.
    pub(super) shape: Shape,
    /// Whether it is never null.
    pub(super) certain: bool,
}

impl Typed {
    pub(super) fn term(expr: Expr) -> Self {
        Self { expr, shape: Shape::Term, certain: false }
    }

    pub(super) fn plain(expr: Expr, ty: LogicalType) -> Self {
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

/// The type of a moment a duration later or earlier.
fn moment_type(function: &str, args: &[Typed]) -> Option<LogicalType> {
    let ty = |arg: &Typed| arg.shape.plain().filter(|ty| is_moment(*ty));
    match (function, args) {
        // Nothing but a duration can be added.
        ("sparql.add", [a, b]) => ty(a).or(ty(b)),
        ("sparql.sub", [a, Typed { expr: Expr::Const(b), .. }]) if span_of(b).is_some() => ty(a),
        _ => None,
    }
}

/// A literal that is a duration.
pub(super) fn span_of(value: &Value) -> Option<Span> {
    let Value::Literal(literal) = value else { return None };
    let LiteralKind::Datatype(datatype) = &literal.kind else { return None };
    let is_span = [xsd::DURATION, xsd::DAY_TIME_DURATION, xsd::YEAR_MONTH_DURATION].contains(&&**datatype);
    is_span.then(|| lexical::duration(&literal.lexical)).flatten()
}

/// The type of a sum, a product and the like, where it is known: of integers these may leave their type.
fn computed_type(function: &str, args: &[Typed]) -> Option<LogicalType> {
    use LogicalType as L;
    if let Some(ty) = moment_type(function, args) {
        return Some(ty);
    }
    let types: Vec<L> = args.iter().map(|arg| arg.shape.plain()).collect::<Option<_>>()?;
    let is_number = |ty: &L| matches!(ty, L::Int | L::Float | L::Decimal);
    if !types.iter().all(is_number) {
        return None;
    }
    if types.contains(&L::Float) {
        return Some(L::Float);
    }
    let is_decimal = types.contains(&L::Decimal) || function == "sparql.div";
    is_decimal.then_some(L::Decimal)
}

/// A sum, a product and the like.
pub(super) fn computed_of(function: &str, args: Vec<Typed>) -> Typed {
    let ty = computed_type(function, &args);
    // A float comes of any two numbers.
    let certain = ty == Some(LogicalType::Float) && args.iter().all(|arg| arg.certain);
    let expr = call(function, args.into_iter().map(|arg| arg.expr).collect());
    match ty {
        Some(ty) => Typed { expr, shape: Shape::Plain(ty), certain },
        None => Typed::term(expr),
    }
}

pub(super) fn is_moment(ty: LogicalType) -> bool {
    matches!(ty, LogicalType::DateTime | LogicalType::LocalDateTime | LogicalType::Date)
}

/// A literal in term form, as an expression of its type where it has one.
pub(super) fn constant(value: Value) -> Typed {
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
pub(super) fn as_number(typed: Typed) -> Typed {
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

pub(super) fn is_iri(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Value::Iri(_)))
}

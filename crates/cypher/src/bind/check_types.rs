//! Static types, and the checks that no run could pass.
//!
//! A type is what every non-null value of an expression is known to be. `Any` passes every check.

use trimorph_base::{ErrorKind, Span};
use trimorph_types::LogicalType;

use super::report::{Bound, of_kind, semantic};

/// What is known of a value: its logical type and, for lists, that of its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) is: LogicalType,
    pub(super) element: LogicalType,
}

impl Type {
    pub(super) const ANY: Self = Self::of(LogicalType::Any);
    pub(super) const BOOL: Self = Self::of(LogicalType::Bool);
    pub(super) const NODE: Self = Self::of(LogicalType::Node);
    pub(super) const RELATIONSHIP: Self = Self::of(LogicalType::Relationship);
    pub(super) const RELATIONSHIPS: Self = Self::list(LogicalType::Relationship);

    pub(super) const fn of(is: LogicalType) -> Self {
        Self { is, element: LogicalType::Any }
    }

    pub(super) const fn list(element: LogicalType) -> Self {
        Self { is: LogicalType::List, element }
    }

    /// The type of a value that is of one of two types.
    pub(super) fn or(self, other: Self) -> Self {
        let element = if self.element == other.element { self.element } else { LogicalType::Any };
        if self.is == other.is { Self { is: self.is, element } } else { Self::ANY }
    }

    /// The type of an element, if this is a list.
    pub(super) fn item(self) -> Self {
        if self.is == LogicalType::List { Self::of(self.element) } else { Self::ANY }
    }

    /// Whether a value of this type may be of one of these.
    pub(super) fn may_be(self, allowed: &[LogicalType]) -> bool {
        self.is == LogicalType::Any || allowed.contains(&self.is)
    }

    fn is_temporal(self) -> bool {
        use LogicalType as L;
        matches!(self.is, L::Date | L::LocalTime | L::Time | L::LocalDateTime | L::DateTime | L::Duration)
    }
}

/// `what` must be of one of the types in `allowed`.
pub(super) fn expect(ty: Type, allowed: &[LogicalType], what: &str, span: Span) -> Bound<()> {
    if ty.may_be(allowed) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(|t| t.name()).collect();
    let primary = format!("{what} must be {}, not {}", names.join(" or "), ty.is);
    Err(semantic("InvalidArgumentType", primary, span))
}

/// A predicate must be a truth value.
pub(super) fn expect_predicate(ty: Type, what: &str, span: Span) -> Bound<()> {
    expect(ty, &[LogicalType::Bool], what, span)
}

/// What is looked into with `.key` must have properties.
pub(super) fn expect_properties(ty: Type, key: &str, span: Span) -> Bound<()> {
    use LogicalType as L;
    if ty.may_be(&[L::Node, L::Relationship, L::Map]) || ty.is_temporal() {
        return Ok(());
    }
    // openCypher calls this a syntax error for paths and a type error for everything else.
    let kind = if ty.is == L::Path { ErrorKind::SyntaxError } else { ErrorKind::TypeError };
    let primary = format!("a value of type {} has no property \"{key}\"", ty.is);
    Err(of_kind(kind, "InvalidArgumentType", primary, span))
}

/// An operand of `-`, `*`, `/`, `%`, `^` or a sign must be a number or, where that has a meaning, temporal.
pub(super) fn expect_number(ty: Type, symbol: &str, span: Span) -> Bound<()> {
    use LogicalType as L;
    if ty.is_temporal() && matches!(symbol, "-" | "*" | "/") {
        return Ok(());
    }
    expect(ty, &[L::Int, L::Float], &format!("an operand of \"{symbol}\""), span)
}

/// The type of `left symbol right` for arithmetic other than `+`.
pub(super) fn arithmetic(left: Type, right: Type, symbol: &str) -> Type {
    use LogicalType as L;
    match (left.is, right.is) {
        (L::Int | L::Float, L::Int | L::Float) if symbol == "^" => Type::of(L::Float),
        (L::Int, L::Int) => Type::of(L::Int),
        (L::Int | L::Float, L::Int | L::Float) => Type::of(L::Float),
        _ => Type::ANY,
    }
}

/// The type of `left + right`.
pub(super) fn addition(left: Type, right: Type) -> Type {
    use LogicalType as L;
    match (left.is, right.is) {
        (L::List, L::List) => left.or(right),
        (L::List, _) | (_, L::List) => Type::of(L::List),
        (L::String, L::String) => left,
        _ => arithmetic(left, right, "+"),
    }
}

/// What the first argument of a function must be, for the functions where openCypher wants it checked early.
pub(super) fn argument_types(function: &str) -> Option<&'static [LogicalType]> {
    use LogicalType as L;
    Some(match function {
        "type" | "startnode" | "endnode" => &[L::Relationship],
        "labels" => &[L::Node],
        "length" | "nodes" | "relationships" => &[L::Path],
        "size" => &[L::List, L::String, L::Map],
        "properties" | "keys" => &[L::Map, L::Node, L::Relationship],
        "id" => &[L::Node, L::Relationship],
        "head" | "last" | "tail" => &[L::List],
        "reverse" => &[L::List, L::String],
        "toupper" | "upper" | "tolower" | "lower" | "trim" | "btrim" | "ltrim" | "rtrim" | "left"
        | "right" | "substring" | "replace" | "split" | "char_length" | "character_length" => &[L::String],
        "abs" | "sign" | "round" | "ceil" | "ceiling" | "floor" | "sqrt" | "exp" | "log" | "ln" | "log10"
        | "sin" | "cos" | "tan" | "cot" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh"
        | "coth" | "degrees" | "radians" | "haversin" => &[L::Int, L::Float, L::Decimal],
        _ => return None,
    })
}

/// What is known of a function's result beyond its logical type.
pub(super) fn result_type(function: &str, args: &[Type], is: LogicalType) -> Type {
    use LogicalType as L;
    let element = match function {
        "nodes" => L::Node,
        "relationships" => L::Relationship,
        "labels" | "keys" | "split" => L::String,
        "range" => L::Int,
        "tail" | "reverse" => args.first().map_or(L::Any, |a| a.element),
        _ => L::Any,
    };
    match (function, args.first()) {
        ("head" | "last", Some(list)) if is == L::Any => list.item(),
        _ => Type { is, element: if is == L::List { element } else { L::Any } },
    }
}

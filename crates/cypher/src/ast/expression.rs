//! Expressions.

use trimorph_base::Span;

use super::{Ident, LabelExpr, Name, PathPattern, Pattern, QualifiedName, Query};

/// An expression and where it stands.
///
/// Parentheses leave no node: the span of `(1 + 2)` includes them, its kind is that of `1 + 2`.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, own parentheses included.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `1`, `'a'`, `true`, `null`. A minus sign right before a number is part of the literal.
    Literal(Literal),
    /// `n`.
    Variable(String),
    /// `$name`, without `$`.
    Parameter(String),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{a: 1, b: 2}`.
    Map(Vec<MapEntry>),
    /// `base.key`.
    Property {
        /// What is looked into.
        base: Box<Expr>,
        /// The key.
        key: Name,
    },
    /// `base[index]`: an element of a list, or a property whose key is computed.
    Index {
        /// What is looked into.
        base: Box<Expr>,
        /// Position or key.
        index: Box<Expr>,
    },
    /// `base[from..to]`.
    Slice {
        /// The list.
        base: Box<Expr>,
        /// First position; the start without it.
        from: Option<Box<Expr>>,
        /// One past the last position; the end without it.
        to: Option<Box<Expr>>,
    },
    /// `base:Label`.
    HasLabels {
        /// A node or relationship.
        base: Box<Expr>,
        /// What it must have.
        labels: Box<LabelExpr>,
    },
    /// `-x` and `+x`.
    Unary {
        /// The sign.
        op: UnaryOp,
        /// What it stands before.
        operand: Box<Expr>,
    },
    /// Arithmetic, `IN`, string predicates: all left-associative.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where the operator stands.
        op_span: Span,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `first op right op right …` for arithmetic of one precedence, from left to right: a chain too long to
    /// be a tree.
    Chain {
        /// The first operand.
        first: Box<Expr>,
        /// The operators and the operands after them.
        rest: Vec<ChainPart>,
    },
    /// `first op right op right …`, such as `1 < x <= 3`: true if every neighbouring pair is.
    Comparison {
        /// The first operand.
        first: Box<Expr>,
        /// The operators and the operands after them; at least one.
        rest: Vec<ComparisonPart>,
    },
    /// `NOT x`.
    Not(Box<Expr>),
    /// `a AND b AND …`; at least two.
    And(Vec<Expr>),
    /// `a OR b OR …`; at least two.
    Or(Vec<Expr>),
    /// `a XOR b XOR …`; at least two.
    Xor(Vec<Expr>),
    /// `x IS NULL` and `x IS NOT NULL`.
    IsNull {
        /// What is looked at.
        operand: Box<Expr>,
        /// Whether `NOT` is written.
        negated: bool,
    },
    /// `CASE … END`.
    Case(Box<Case>),
    /// `name(arguments)`.
    Function(Box<FunctionCall>),
    /// `count(*)`.
    CountStar,
    /// `[x IN list WHERE predicate | value]`.
    ListComprehension(Box<ListComprehension>),
    /// `[p = (a)-->(b) WHERE predicate | value]`.
    PatternComprehension(Box<PatternComprehension>),
    /// `all(x IN list WHERE predicate)` and its like.
    Quantifier(Box<Quantifier>),
    /// `reduce(total = 0, x IN list | total + x)`.
    Reduce(Box<Reduce>),
    /// `n {.name, .*, other, key: value}`.
    MapProjection(Box<MapProjection>),
    /// `(a)-->(b)` as a predicate: whether such a path exists. The parser lets it stand only where a truth
    /// value is asked for: under `WHERE` or `WHEN`, as an operand of `AND`, `OR`, `XOR`, `NOT`, and in
    /// `exists(…)`.
    Pattern(Box<PathPattern>),
    /// `shortestPath((a)-[*]->(b))` as a value; `search` says which kind.
    ShortestPath(Box<PathPattern>),
    /// `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.
    Subquery(Box<Subquery>),
}

/// A value written out.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A finite number with point or exponent.
    Float(f64),
    /// A string, escapes resolved.
    String(String),
}

/// `key: value`.
#[derive(Clone, PartialEq, Debug)]
pub struct MapEntry {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: Expr,
}

/// A sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
}

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `^`.
    Power,
    /// `IN`.
    In,
    /// `STARTS WITH`.
    StartsWith,
    /// `ENDS WITH`.
    EndsWith,
    /// `CONTAINS`.
    Contains,
    /// `=~`.
    Regex,
}

/// An operator of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonOp {
    /// `=`.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// One link of a chain of arithmetic.
#[derive(Clone, PartialEq, Debug)]
pub struct ChainPart {
    /// The operator.
    pub op: BinaryOp,
    /// Where the operator stands.
    pub op_span: Span,
    /// The operand after it.
    pub right: Expr,
}

/// One link of a comparison chain.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparisonPart {
    /// The operator.
    pub op: ComparisonOp,
    /// Where the operator stands.
    pub op_span: Span,
    /// The operand after it.
    pub right: Expr,
}

/// `CASE [subject] WHEN … THEN … [ELSE …] END`.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// What the arms compare with; without it they are predicates.
    pub subject: Option<Expr>,
    /// The arms in order; at least one.
    pub arms: Vec<CaseArm>,
    /// The value if no arm fits; null without it.
    pub default: Option<Expr>,
}

/// `WHEN when, … THEN then`.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseArm {
    /// Values to equal one of, or a predicate; at least one.
    pub when: Vec<Expr>,
    /// The value of the arm.
    pub then: Expr,
}

/// `name([DISTINCT] arguments)`.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionCall {
    /// The function.
    pub name: QualifiedName,
    /// Whether `DISTINCT` is written.
    pub distinct: bool,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// `[variable IN list WHERE predicate | value]`.
#[derive(Clone, PartialEq, Debug)]
pub struct ListComprehension {
    /// The variable each element is bound to.
    pub variable: Ident,
    /// The list.
    pub list: Expr,
    /// Which elements; all without it.
    pub predicate: Option<Expr>,
    /// What becomes of each; itself without it.
    pub value: Option<Expr>,
}

/// `[pattern WHERE predicate | value]`.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternComprehension {
    /// The path to find, its variable included.
    pub path: PathPattern,
    /// Which matches; all without it.
    pub predicate: Option<Expr>,
    /// What becomes of each.
    pub value: Expr,
}

/// How many elements must satisfy a quantifier's predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuantifierKind {
    /// Every one.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// Exactly one.
    Single,
}

/// `all(variable IN list WHERE predicate)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantifier {
    /// How many.
    pub kind: QuantifierKind,
    /// The variable each element is bound to.
    pub variable: Ident,
    /// The list.
    pub list: Expr,
    /// What is counted; the element's own truth without it.
    pub predicate: Option<Expr>,
}

/// `reduce(accumulator = init, variable IN list | body)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduce {
    /// The variable that holds the result so far.
    pub accumulator: Ident,
    /// Its first value.
    pub init: Expr,
    /// The variable each element is bound to.
    pub variable: Ident,
    /// The list.
    pub list: Expr,
    /// The next result.
    pub body: Expr,
}

/// `subject {items}`.
#[derive(Clone, PartialEq, Debug)]
pub struct MapProjection {
    /// The node, relationship or map.
    pub subject: Ident,
    /// What the new map holds.
    pub items: Vec<MapProjectionItem>,
}

/// One item of a map projection.
#[derive(Clone, PartialEq, Debug)]
pub enum MapProjectionItem {
    /// `.*`.
    All(Span),
    /// `.key`.
    Property(Name),
    /// `other`: the variable under its own name.
    Variable(Ident),
    /// `key: value`.
    Entry(MapEntry),
}

/// What a subquery's rows become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubqueryKind {
    /// Whether there is one.
    Exists,
    /// How many there are.
    Count,
    /// A list of their only column.
    Collect,
}

/// `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Subquery {
    /// What the rows become.
    pub kind: SubqueryKind,
    /// What makes the rows.
    pub body: SubqueryBody,
}

/// What stands in the braces of a subquery.
#[derive(Clone, PartialEq, Debug)]
pub enum SubqueryBody {
    /// `{ pattern [WHERE predicate] }`.
    Pattern {
        /// What to find.
        pattern: Pattern,
        /// Which matches.
        predicate: Option<Expr>,
    },
    /// `{ query }`. Without updating clauses, as the parser has checked; `EXISTS` and `COUNT` need no
    /// `RETURN`.
    Query(Query),
}

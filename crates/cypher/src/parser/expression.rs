//! Expressions by precedence climbing: an operand, then operators as long as they bind tightly enough.
//!
//! From loosest to tightest: `OR`, `XOR`, `AND`, `NOT`, comparisons, predicates on strings, lists and null,
//! `+ -`, `* / %`, `^`, signs, postfix. All binary operators are left-associative, `^` too.
//!
//! Source: openCypher 9 grammar, from `Expression` to `UnaryAddOrSubtractExpression`.

use trimorph_base::Span;

use super::error::{syntax, with_hint};
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, ChainPart, ComparisonOp, ComparisonPart, Expr, ExprKind};
use crate::token::{Keyword, TokenKind};

/// Operators of one precedence that become a tree; more of them become one node, so that a long sum is not a
/// deep one.
const TREE_MAX: usize = 8;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Or,
    Xor,
    And,
    Not,
    Comparison,
    Predicate,
    Sum,
    Product,
    Power,
    Sign,
}

/// What may follow an operand.
#[derive(Clone, Copy)]
enum Operator {
    Logical(Keyword, Level),
    Comparison,
    NullPredicate,
    Binary(BinaryOp, Level),
}

impl Operator {
    fn level(self) -> Level {
        match self {
            Self::Logical(_, level) | Self::Binary(_, level) => level,
            Self::Comparison => Level::Comparison,
            Self::NullPredicate => Level::Predicate,
        }
    }
}

impl Level {
    /// The level of a right operand: one tighter, for left-associative operators.
    fn tighter(self) -> Self {
        match self {
            Self::Or => Self::Xor,
            Self::Xor => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Predicate,
            Self::Predicate => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Power,
            Self::Power | Self::Sign => Self::Sign,
        }
    }
}

impl Parser<'_> {
    /// An expression where a truth value is asked for, so that a bare path may stand.
    pub(super) fn predicate(&mut self) -> Parsed<Expr> {
        self.expression_with_bar(false)
    }

    /// An expression where any value may stand, but no bare path.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        let value = self.expression_with_bar(false)?;
        self.refuse_path(&value)?;
        Ok(value)
    }

    /// A predicate after which a `|` belongs to what surrounds it.
    pub(super) fn predicate_before_bar(&mut self) -> Parsed<Expr> {
        self.expression_with_bar(true)
    }

    /// A value after which a `|` belongs to what surrounds it.
    pub(super) fn value_before_bar(&mut self) -> Parsed<Expr> {
        let value = self.expression_with_bar(true)?;
        self.refuse_path(&value)?;
        Ok(value)
    }

    fn expression_with_bar(&mut self, bar_ends: bool) -> Parsed<Expr> {
        let outer = std::mem::replace(&mut self.bar_ends, bar_ends);
        let expr = self.expression_at(Level::Or)?;
        self.bar_ends = outer;
        Ok(expr)
    }

    /// A bare path is a predicate, not a value.
    pub(super) fn refuse_path(&self, expr: &Expr) -> Parsed<()> {
        if !matches!(expr.kind, ExprKind::Pattern(_)) {
            return Ok(());
        }
        let error = syntax("UnexpectedSyntax", "a pattern cannot be used as a value", expr.span);
        Err(with_hint(
            error,
            "test it with exists(…), count it with COUNT { … }, or collect from it with [pattern | value]",
        ))
    }

    /// An expression whose operators bind at least as tightly as `level`.
    pub(super) fn expression_at(&mut self, level: Level) -> Parsed<Expr> {
        let outer = self.enter(1)?;
        let mut left = self.operand(level)?;
        while let Some(operator) = self.operator() {
            if operator.level() < level {
                break;
            }
            left = match operator {
                Operator::Logical(keyword, level) => self.logical(left, keyword, level)?,
                Operator::Comparison => self.comparison(left)?,
                Operator::NullPredicate => self.null_predicate(left)?,
                Operator::Binary(_, level @ (Level::Sum | Level::Product | Level::Power)) => {
                    self.arithmetic(left, level)?
                }
                Operator::Binary(op, level) => self.binary(left, op, level)?,
            };
            self.grow()?;
        }
        self.leave(outer);
        Ok(left)
    }

    /// The operator at the current place.
    fn operator(&self) -> Option<Operator> {
        use TokenKind as T;
        Some(match self.kind() {
            T::Word(Some(Keyword::Or)) => Operator::Logical(Keyword::Or, Level::Or),
            T::Word(Some(Keyword::Xor)) => Operator::Logical(Keyword::Xor, Level::Xor),
            T::Word(Some(Keyword::And)) => Operator::Logical(Keyword::And, Level::And),
            T::Word(Some(Keyword::Is)) => Operator::NullPredicate,
            T::Word(Some(Keyword::In)) => Operator::Binary(BinaryOp::In, Level::Predicate),
            T::Word(Some(Keyword::Starts)) => Operator::Binary(BinaryOp::StartsWith, Level::Predicate),
            T::Word(Some(Keyword::Ends)) => Operator::Binary(BinaryOp::EndsWith, Level::Predicate),
            T::Word(Some(Keyword::Contains)) => Operator::Binary(BinaryOp::Contains, Level::Predicate),
            T::EqualTilde => Operator::Binary(BinaryOp::Regex, Level::Predicate),
            T::Equal | T::NotEqual | T::Less | T::LessEqual | T::Greater | T::GreaterEqual => {
                Operator::Comparison
            }
            T::Plus => Operator::Binary(BinaryOp::Add, Level::Sum),
            T::Minus => Operator::Binary(BinaryOp::Subtract, Level::Sum),
            T::Star => Operator::Binary(BinaryOp::Multiply, Level::Product),
            T::Slash => Operator::Binary(BinaryOp::Divide, Level::Product),
            T::Percent => Operator::Binary(BinaryOp::Modulo, Level::Product),
            T::Caret => Operator::Binary(BinaryOp::Power, Level::Power),
            _ => return None,
        })
    }

    /// `left AND b AND c …` as one node.
    #[inline(never)]
    fn logical(&mut self, left: Expr, keyword: Keyword, level: Level) -> Parsed<Expr> {
        let start = left.span.start;
        let mut operands = vec![left];
        while self.eat_keyword(keyword) {
            operands.push(self.expression_at(level.tighter())?);
        }
        let kind = match keyword {
            Keyword::Or => ExprKind::Or(operands),
            Keyword::Xor => ExprKind::Xor(operands),
            _ => ExprKind::And(operands),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// `left < b <= c …` as one node.
    #[inline(never)]
    fn comparison(&mut self, left: Expr) -> Parsed<Expr> {
        self.refuse_path(&left)?;
        let start = left.span.start;
        let mut rest = Vec::new();
        while let Some(op) = self.comparison_op() {
            let op_span = self.bump().span();
            let right = self.expression_at(Level::Comparison.tighter())?;
            self.refuse_path(&right)?;
            rest.push(ComparisonPart { op, op_span, right });
        }
        Ok(Expr { kind: ExprKind::Comparison { first: Box::new(left), rest }, span: self.span_from(start) })
    }

    fn comparison_op(&self) -> Option<ComparisonOp> {
        Some(match self.kind() {
            TokenKind::Equal => ComparisonOp::Equal,
            TokenKind::NotEqual => ComparisonOp::NotEqual,
            TokenKind::Less => ComparisonOp::Less,
            TokenKind::LessEqual => ComparisonOp::LessOrEqual,
            TokenKind::Greater => ComparisonOp::Greater,
            TokenKind::GreaterEqual => ComparisonOp::GreaterOrEqual,
            _ => return None,
        })
    }

    /// `left IS [NOT] NULL`.
    #[inline(never)]
    fn null_predicate(&mut self, left: Expr) -> Parsed<Expr> {
        self.refuse_path(&left)?;
        let start = left.span.start;
        self.bump();
        let negated = self.eat_keyword(Keyword::Not);
        self.expect_keyword(Keyword::Null, if negated { " after IS NOT" } else { " or NOT NULL after IS" })?;
        let kind = ExprKind::IsNull { operand: Box::new(left), negated };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// `left + b - c …` with all operators that bind as tightly: a tree of its few operators, or one node of
    /// many.
    #[inline(never)]
    fn arithmetic(&mut self, mut left: Expr, level: Level) -> Parsed<Expr> {
        let mut rest = Vec::new();
        self.refuse_path(&left)?;
        while let Some(Operator::Binary(op, next)) = self.operator()
            && next == level
        {
            let op_span = self.bump().span();
            let right = self.expression_at(level.tighter())?;
            self.refuse_path(&right)?;
            rest.push(ChainPart { op, op_span, right });
        }
        let start = left.span.start;
        let span = |right: &Expr| Span::new(start, right.span.end);
        if rest.len() > TREE_MAX {
            let span = rest.last().map_or(left.span, |last| span(&last.right));
            return Ok(Expr { kind: ExprKind::Chain { first: Box::new(left), rest }, span });
        }
        for (index, ChainPart { op, op_span, right }) in rest.into_iter().enumerate() {
            if index > 0 {
                self.grow()?;
            }
            let span = span(&right);
            let (l, r) = (Box::new(left), Box::new(right));
            left = Expr { kind: ExprKind::Binary { op, op_span, left: l, right: r }, span };
        }
        Ok(left)
    }

    #[inline(never)]
    fn binary(&mut self, left: Expr, op: BinaryOp, level: Level) -> Parsed<Expr> {
        self.refuse_path(&left)?;
        let first = self.bump();
        if matches!(op, BinaryOp::StartsWith | BinaryOp::EndsWith) {
            self.expect_keyword(
                Keyword::With,
                if op == BinaryOp::StartsWith { " after STARTS" } else { " after ENDS" },
            )?;
        }
        let op_span = self.span_from(first.start);
        let right = self.expression_at(level.tighter())?;
        self.refuse_path(&right)?;
        let span = self.span_from(left.span.start);
        Ok(Expr {
            kind: ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right) },
            span,
        })
    }
}

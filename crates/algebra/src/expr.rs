//! Typed expressions over variables.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_base::Span;
use trimorph_types::Value;

use crate::{LabelExpr, UserFunction, VarId};

/// An operator. Semantics: `trimorph-functions`, `operators`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the operators'")]
pub enum Op {
    Or,
    Xor,
    And,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Neg,
    In,
    /// `a <> b AND a <> c AND …`: whether the first of any number of operands is none of the others
    Differs,
    StartsWith,
    EndsWith,
    Contains,
    Regex,
    IsNull,
    IsNotNull,
    /// `list[i]`, `map[key]`, `node[key]`
    Index,
    /// `list[from..to]`; three arguments, absent bounds are `Const(Null)` under [`Expr::Default`]
    Slice,
}

impl Op {
    /// The comparison that says the same with its operands swapped; any other operator as it is.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }
}

/// Which elements of a list must satisfy a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the keywords")]
pub enum QuantifierKind {
    All,
    Any,
    None,
    Single,
}

/// An expression whose names are bound to variables.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A literal.
    Const(Value),
    /// A query parameter, read when the plan starts.
    Param(Arc<str>),
    /// A variable of the row, or of an enclosing comprehension.
    Var(VarId),
    /// `subject.key` of a node, relationship, map, temporal value or duration.
    Property(Box<Expr>, Arc<str>, Span),
    /// An operator.
    Op(Op, Vec<Expr>, Span),
    /// `a + b - c + …`: arithmetic from left to right, for chains too long to be operators within operators.
    Chain(Box<Expr>, Vec<(Op, Expr, Span)>),
    /// A scalar function, by its name in the registry (lower case).
    Call(Arc<str>, Vec<Expr>, Span),
    /// A function that the program gave.
    UserCall(Arc<dyn UserFunction>, Vec<Expr>, Span),
    /// `n:Label` on a node (a label expression) or relationship (its type).
    HasLabel(Box<Expr>, LabelExpr),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{k: v}`
    Map(Vec<(Arc<str>, Expr)>),
    /// `base {.*, k: v}`: all properties of the base first when `all`, then the entries over them; null if
    /// the base is null.
    MapProjection {
        /// The node, relationship or map.
        base: Box<Expr>,
        /// Whether `.*` was written.
        all: bool,
        /// The entries.
        entries: Vec<(Arc<str>, Expr)>,
    },
    /// `CASE WHEN … THEN … ELSE … END`; the simple form is bound to equalities.
    Case {
        /// Conditions and results.
        branches: Vec<(Expr, Expr)>,
        /// `ELSE`, `Const(Null)` when absent.
        otherwise: Box<Expr>,
    },
    /// `[var IN list WHERE filter | map]`
    ListComprehension {
        /// The element.
        var: VarId,
        /// The list.
        list: Box<Expr>,
        /// Elements for which this is true stay.
        filter: Option<Box<Expr>>,
        /// What becomes of an element.
        map: Option<Box<Expr>>,
    },
    /// `all(var IN list WHERE predicate)` and its kin.
    Quantifier {
        /// Which.
        kind: QuantifierKind,
        /// The element.
        var: VarId,
        /// The list.
        list: Box<Expr>,
        /// The predicate.
        predicate: Box<Expr>,
    },
    /// `reduce(acc = init, var IN list | body)`
    Reduce {
        /// The accumulator.
        acc: VarId,
        /// Its first value.
        init: Box<Expr>,
        /// The element.
        var: VarId,
        /// The list.
        list: Box<Expr>,
        /// The accumulator's next value.
        body: Box<Expr>,
    },
    /// A path value from its bound parts, alternating node, relationship (or list of relationships), node.
    Path(Vec<Expr>),
}

impl Expr {
    /// `true`
    pub fn truth() -> Self {
        Self::Const(Value::Bool(true))
    }

    /// A binary or unary operator without a place.
    pub fn op(op: Op, args: Vec<Self>) -> Self {
        Self::Op(op, args, Span::default())
    }

    /// This expression with variables in the place of properties whose values they have: of which variable,
    /// its key, and the variable that has the value.
    #[must_use]
    pub fn with_values(self, values: &[(VarId, Arc<str>, VarId)]) -> Self {
        if let Self::Property(base, key, _) = &self
            && let Self::Var(var) = **base
            && let Some((.., value)) = values.iter().find(|(of, known, _)| *of == var && known == key)
        {
            return Self::Var(*value);
        }
        self.map_children(&mut |child| child.with_values(values))
    }

    /// Calls `visit` on this expression's direct children.
    pub fn for_each_child<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        match self {
            Self::Const(_) | Self::Param(_) | Self::Var(_) => {}
            Self::Property(e, _, _) | Self::HasLabel(e, _) => visit(e),
            Self::Op(_, args, _)
            | Self::Call(_, args, _)
            | Self::UserCall(_, args, _)
            | Self::List(args)
            | Self::Path(args) => args.iter().for_each(visit),
            Self::Chain(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, e, _)| visit(e));
            }
            Self::Map(entries) => entries.iter().for_each(|(_, e)| visit(e)),
            Self::MapProjection { base, entries, .. } => {
                visit(base);
                entries.iter().for_each(|(_, e)| visit(e));
            }
            Self::Case { branches, otherwise } => {
                for (when, then) in branches {
                    visit(when);
                    visit(then);
                }
                visit(otherwise);
            }
            Self::ListComprehension { list, filter, map, .. } => {
                visit(list);
                filter.iter().chain(map).for_each(|e| visit(e));
            }
            Self::Quantifier { list, predicate, .. } => {
                visit(list);
                visit(predicate);
            }
            Self::Reduce { init, list, body, .. } => {
                visit(init);
                visit(list);
                visit(body);
            }
        }
    }

    /// The same with every direct child replaced by what `change` gives for it.
    pub fn map_children(self, change: &mut dyn FnMut(Self) -> Self) -> Self {
        let boxed = |e: Box<Self>, change: &mut dyn FnMut(Self) -> Self| Box::new(change(*e));
        match self {
            Self::Const(_) | Self::Param(_) | Self::Var(_) => self,
            Self::Property(e, key, span) => Self::Property(boxed(e, change), key, span),
            Self::HasLabel(e, labels) => Self::HasLabel(boxed(e, change), labels),
            Self::Op(op, args, span) => Self::Op(op, args.into_iter().map(change).collect(), span),
            Self::Chain(first, rest) => {
                let first = boxed(first, change);
                Self::Chain(first, rest.into_iter().map(|(op, e, span)| (op, change(e), span)).collect())
            }
            Self::Call(name, args, span) => Self::Call(name, args.into_iter().map(change).collect(), span),
            Self::UserCall(function, args, span) => {
                Self::UserCall(function, args.into_iter().map(change).collect(), span)
            }
            Self::List(args) => Self::List(args.into_iter().map(change).collect()),
            Self::Path(args) => Self::Path(args.into_iter().map(change).collect()),
            Self::Map(entries) => Self::Map(entries.into_iter().map(|(k, e)| (k, change(e))).collect()),
            Self::MapProjection { base, all, entries } => Self::MapProjection {
                base: boxed(base, change),
                all,
                entries: entries.into_iter().map(|(k, e)| (k, change(e))).collect(),
            },
            Self::Case { branches, otherwise } => Self::Case {
                branches: branches.into_iter().map(|(w, t)| (change(w), change(t))).collect(),
                otherwise: boxed(otherwise, change),
            },
            Self::ListComprehension { var, list, filter, map } => Self::ListComprehension {
                var,
                list: boxed(list, change),
                filter: filter.map(|e| boxed(e, change)),
                map: map.map(|e| boxed(e, change)),
            },
            Self::Quantifier { kind, var, list, predicate } => {
                Self::Quantifier { kind, var, list: boxed(list, change), predicate: boxed(predicate, change) }
            }
            Self::Reduce { acc, init, var, list, body } => Self::Reduce {
                acc,
                init: boxed(init, change),
                var,
                list: boxed(list, change),
                body: boxed(body, change),
            },
        }
    }

    /// Calls `visit` on the free variables of this expression (those of comprehensions excluded), as often as
    /// they stand in it.
    pub fn for_each_free_var(&self, visit: &mut dyn FnMut(VarId)) {
        match self {
            Self::Var(v) => visit(*v),
            Self::ListComprehension { var, .. } | Self::Quantifier { var, .. } => {
                self.for_each_child(&mut |child| {
                    child.for_each_free_var(&mut |v| {
                        if v != *var {
                            visit(v);
                        }
                    });
                });
            }
            Self::Reduce { acc, var, .. } => {
                self.for_each_child(&mut |child| {
                    child.for_each_free_var(&mut |v| {
                        if v != *var && v != *acc {
                            visit(v);
                        }
                    });
                });
            }
            _ => self.for_each_child(&mut |child| child.for_each_free_var(visit)),
        }
    }

    /// Adds the free variables of this expression to `out`, each once and in the order they stand in.
    ///
    /// **Cost**: linear in the expression and in what `out` has already: for many expressions use
    /// [`Self::for_each_free_var`].
    pub fn free_vars(&self, out: &mut Vec<VarId>) {
        let mut seen: Option<HashSet<VarId>> = None;
        self.for_each_free_var(&mut |v| {
            if out.len() <= LOOKED_THROUGH_MAX {
                if !out.contains(&v) {
                    out.push(v);
                }
            } else if seen.get_or_insert_with(|| out.iter().copied().collect()).insert(v) {
                out.push(v);
            }
        });
    }
}

/// Variables up to which looking through a list is faster than a set.
const LOOKED_THROUGH_MAX: usize = 16;

/// What an aggregate computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[expect(missing_docs, reason = "the names are the functions'")]
pub enum AggregateKind {
    /// `count(*)`
    CountStar,
    Count,
    Sum,
    /// SPARQL's sum of numbers: integers have no end (beyond 64 bits they are literals of `xsd:integer`),
    /// decimals stay exact, and literals of `xsd:float` count. A sum of too many digits is null.
    NumberSum,
    Avg,
    Min,
    Max,
    Collect,
    StDev,
    StDevP,
    PercentileCont,
    PercentileDisc,
}

/// One aggregate of an [`crate::Plan::Aggregate`].
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// What it computes.
    pub kind: AggregateKind,
    /// Its argument; none for `count(*)`.
    pub arg: Option<Expr>,
    /// Second argument: the percentile.
    pub parameter: Option<Expr>,
    /// Whether equivalent arguments count once.
    pub distinct: bool,
    /// Of `collect`: the order of its lists, if it is not that of the rows.
    pub order: Option<ListOrder>,
    /// Where it stands in the query.
    pub span: Span,
}

/// The order of the lists that `collect` makes, equal ones in any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListOrder {
    /// Elements by themselves.
    Elements {
        /// Whether larger ones come first.
        descending: bool,
    },
    /// The argument is a map: its first entry is the element, nulls left out, and the others are what
    /// elements are ordered by; of each of these, whether larger comes first.
    Keys(Arc<[bool]>),
}

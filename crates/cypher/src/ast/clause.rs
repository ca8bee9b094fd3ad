//! Clauses: the steps of a query.

use trimorph_base::Span;

use super::{Expr, Ident, LabelExpr, PathPattern, Pattern, QualifiedName, Query};

/// One clause.
#[derive(Clone, PartialEq, Debug)]
pub enum Clause {
    /// `MATCH` and `OPTIONAL MATCH`.
    Match(Match),
    /// `UNWIND list AS x`.
    Unwind(Unwind),
    /// `WITH …`.
    With(With),
    /// `RETURN …`.
    Return(Projection),
    /// `CREATE pattern`.
    Create(Create),
    /// `MERGE path`.
    Merge(Merge),
    /// `SET …`.
    Set(Set),
    /// `REMOVE …`.
    Remove(Remove),
    /// `DELETE …` and `DETACH DELETE …`.
    Delete(Delete),
    /// `FOREACH (x IN list | …)`.
    Foreach(Foreach),
    /// `CALL procedure(…)`.
    CallProcedure(CallProcedure),
    /// `CALL { … }`.
    CallSubquery(CallSubquery),
}

impl Clause {
    /// From the clause's keyword to its end.
    pub fn span(&self) -> Span {
        match self {
            Self::Match(c) => c.span,
            Self::Unwind(c) => c.span,
            Self::With(c) => c.span,
            Self::Return(c) => c.span,
            Self::Create(c) => c.span,
            Self::Merge(c) => c.span,
            Self::Set(c) => c.span,
            Self::Remove(c) => c.span,
            Self::Delete(c) => c.span,
            Self::Foreach(c) => c.span,
            Self::CallProcedure(c) => c.span,
            Self::CallSubquery(c) => c.span,
        }
    }

    /// The keywords the clause begins with, as an error message writes them.
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::Match(c) if c.optional => "OPTIONAL MATCH",
            Self::Match(_) => "MATCH",
            Self::Unwind(_) => "UNWIND",
            Self::With(_) => "WITH",
            Self::Return(_) => "RETURN",
            Self::Create(_) => "CREATE",
            Self::Merge(_) => "MERGE",
            Self::Set(_) => "SET",
            Self::Remove(_) => "REMOVE",
            Self::Delete(c) if c.detach => "DETACH DELETE",
            Self::Delete(_) => "DELETE",
            Self::Foreach(_) => "FOREACH",
            Self::CallProcedure(_) | Self::CallSubquery(_) => "CALL",
        }
    }

    /// Whether the clause itself changes the graph; what a called procedure or subquery does is not looked
    /// at.
    pub fn is_updating(&self) -> bool {
        matches!(
            self,
            Self::Create(_)
                | Self::Merge(_)
                | Self::Set(_)
                | Self::Remove(_)
                | Self::Delete(_)
                | Self::Foreach(_)
        )
    }
}

/// `[OPTIONAL] MATCH pattern [WHERE predicate]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Match {
    /// Whether a row without a match stays, with nulls.
    pub optional: bool,
    /// What to find.
    pub pattern: Pattern,
    /// The predicate of `WHERE`.
    pub predicate: Option<Expr>,
    /// The whole clause.
    pub span: Span,
}

/// `UNWIND list AS variable`.
#[derive(Clone, PartialEq, Debug)]
pub struct Unwind {
    /// The list.
    pub list: Expr,
    /// The variable each element is bound to.
    pub variable: Ident,
    /// The whole clause.
    pub span: Span,
}

/// `WITH projection [WHERE predicate]`.
#[derive(Clone, PartialEq, Debug)]
pub struct With {
    /// What the next part sees.
    pub projection: Projection,
    /// The predicate of `WHERE`.
    pub predicate: Option<Expr>,
    /// The whole clause.
    pub span: Span,
}

/// The body that `WITH` and `RETURN` share.
#[derive(Clone, PartialEq, Debug)]
pub struct Projection {
    /// Whether equal rows become one.
    pub distinct: bool,
    /// The `*`, if there is one. It comes before all of `items`.
    pub star: Option<Span>,
    /// The columns in the order written, `*` aside.
    pub items: Vec<ProjectionItem>,
    /// The sort keys; empty without `ORDER BY`.
    pub order_by: Vec<SortItem>,
    /// Rows to leave out first (`SKIP` or `OFFSET`).
    pub skip: Option<Expr>,
    /// Rows to give at most.
    pub limit: Option<Expr>,
    /// From `RETURN` or `WITH` to the end of the body, `WHERE` excluded.
    pub span: Span,
}

/// One column.
#[derive(Clone, PartialEq, Debug)]
pub struct ProjectionItem {
    /// The value.
    pub expr: Expr,
    /// What follows `AS`.
    pub alias: Option<Ident>,
    /// The expression as written, parentheses included: a column without an alias is named after this text.
    pub source: Span,
}

/// One sort key.
#[derive(Clone, PartialEq, Debug)]
pub struct SortItem {
    /// The value sorted by.
    pub expr: Expr,
    /// Whether `DESC` or `DESCENDING` follows.
    pub descending: bool,
}

/// `CREATE pattern`.
///
/// The parser has checked that every relationship has one direction, a fixed length and one type (or a
/// variable and no type: then the binder must refuse it), that labels are plain names and that nothing in it
/// is a predicate or a shortest path.
#[derive(Clone, PartialEq, Debug)]
pub struct Create {
    /// What to make.
    pub pattern: Pattern,
    /// The whole clause.
    pub span: Span,
}

/// `MERGE path [ON CREATE SET …] [ON MATCH SET …]`.
///
/// Checked like [`Create`], except that a relationship may point either way.
#[derive(Clone, PartialEq, Debug)]
pub struct Merge {
    /// What to find or make.
    pub path: PathPattern,
    /// What to do after it was made or found, in the order written.
    pub actions: Vec<MergeAction>,
    /// The whole clause.
    pub span: Span,
}

/// `ON CREATE SET …` or `ON MATCH SET …`.
#[derive(Clone, PartialEq, Debug)]
pub struct MergeAction {
    /// When to do it.
    pub on: MergeEvent,
    /// What to do.
    pub items: Vec<SetItem>,
    /// From `ON` to the end.
    pub span: Span,
}

/// What `MERGE` did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeEvent {
    /// Made the path.
    Create,
    /// Found it.
    Match,
}

/// `SET item, …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Set {
    /// The changes, in order.
    pub items: Vec<SetItem>,
    /// The whole clause.
    pub span: Span,
}

/// One change of `SET`.
#[derive(Clone, PartialEq, Debug)]
pub enum SetItem {
    /// `n.key = value` and `n[key] = value`.
    Property {
        /// An expression of kind `Property` or `Index`.
        target: Expr,
        /// The new value; null takes the property away.
        value: Expr,
        /// The whole item.
        span: Span,
    },
    /// `n = map`: these properties and no others.
    Replace {
        /// The node or relationship.
        variable: Ident,
        /// The map, node or relationship to copy from.
        value: Expr,
        /// The whole item.
        span: Span,
    },
    /// `n += map`: these properties as well.
    Merge {
        /// The node or relationship.
        variable: Ident,
        /// The map, node or relationship to copy from.
        value: Expr,
        /// The whole item.
        span: Span,
    },
    /// `n:A:B`: a name or a conjunction of names.
    Labels {
        /// The node.
        variable: Ident,
        /// The labels to add.
        labels: LabelExpr,
        /// The whole item.
        span: Span,
    },
}

/// `REMOVE item, …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Remove {
    /// The changes, in order.
    pub items: Vec<RemoveItem>,
    /// The whole clause.
    pub span: Span,
}

/// One change of `REMOVE`.
#[derive(Clone, PartialEq, Debug)]
pub enum RemoveItem {
    /// `n.key` and `n[key]`: an expression of kind `Property` or `Index`.
    Property(Expr),
    /// `n:A:B`: a name or a conjunction of names.
    Labels {
        /// The node.
        variable: Ident,
        /// The labels to take away.
        labels: LabelExpr,
        /// The whole item.
        span: Span,
    },
}

/// `[DETACH] DELETE expression, …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Delete {
    /// Whether the relationships of a deleted node go with it.
    pub detach: bool,
    /// The nodes, relationships and paths to delete.
    pub targets: Vec<Expr>,
    /// The whole clause.
    pub span: Span,
}

/// `FOREACH (variable IN list | updating clauses)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreach {
    /// The variable each element is bound to.
    pub variable: Ident,
    /// The list.
    pub list: Expr,
    /// What to do for each element: updating clauses only, at least one.
    pub body: Vec<Clause>,
    /// The whole clause.
    pub span: Span,
}

/// `CALL procedure(arguments) YIELD … WHERE …`.
///
/// A call is standalone if it is the only clause of the only single query of a statement; only then may the
/// arguments be implicit and `YIELD *` be written, which the parser has checked.
#[derive(Clone, PartialEq, Debug)]
pub struct CallProcedure {
    /// The procedure.
    pub name: QualifiedName,
    /// The arguments; `None` if there are no parentheses: they come from the parameters of the query.
    pub arguments: Option<Vec<Expr>>,
    /// The columns asked for.
    pub yields: Yield,
    /// The predicate of `WHERE` after `YIELD`.
    pub predicate: Option<Expr>,
    /// The whole clause.
    pub span: Span,
}

/// What a procedure call gives on.
#[derive(Clone, PartialEq, Debug)]
pub enum Yield {
    /// No `YIELD`: everything if standalone, nothing otherwise.
    Unsaid,
    /// `YIELD *`.
    Star(Span),
    /// `YIELD a, b AS c`.
    Items(Vec<YieldItem>),
}

/// `a` or `a AS b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YieldItem {
    /// The procedure's column.
    pub field: Ident,
    /// The variable to bind, if renamed.
    pub alias: Option<Ident>,
}

/// `CALL { query }` and `CALL (a, b) { query }`.
#[derive(Clone, PartialEq, Debug)]
pub struct CallSubquery {
    /// Which outer variables the query sees.
    pub imports: Imports,
    /// The query.
    pub query: Box<Query>,
    /// The whole clause.
    pub span: Span,
}

/// Which outer variables a called subquery sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Imports {
    /// `CALL { … }`: those that its first `WITH` names.
    ByWith,
    /// `CALL (*) { … }`: all.
    All,
    /// `CALL (a, b) { … }`: these.
    Listed(Vec<Ident>),
}

//! Names: variables and aliases, labels and keys that may have a prefix, label expressions.

use trimorph_base::Span;

/// A plain name: a variable, an alias, a prefix. Case counts; backticks are already taken off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub text: String,
    /// Where it stands, backticks included.
    pub span: Span,
}

/// A label, relationship type or property key, such as `name`, `` `first name` `` or `foaf::name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// What stands before `::`.
    pub prefix: Option<Box<Ident>>,
    /// The name itself, without prefix and backticks.
    pub text: String,
    /// Where it stands, prefix and backticks included.
    pub span: Span,
}

/// A function's or procedure's name with its namespace, such as `date.truncate`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualifiedName {
    /// The parts in the order written; at least one. Case as written.
    pub parts: Vec<String>,
    /// From the first part to the last.
    pub span: Span,
}

impl QualifiedName {
    /// The parts joined by dots, case as written.
    pub fn dotted(&self) -> String {
        self.parts.join(".")
    }
}

/// Which labels of a node, or which type of a relationship: `A`, `A&B`, `A:B`, `A|B`, `!A`, `%`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelExpr {
    /// The operator or name.
    pub kind: LabelExprKind,
    /// Where it stands, without the leading `:` or `IS`.
    pub span: Span,
}

/// The operators of a label expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LabelExprKind {
    /// Has this label.
    Name(Name),
    /// `%`: has any label.
    Any,
    /// `!A`.
    Not(Box<LabelExpr>),
    /// `A&B` or `A:B`: all of them; at least two.
    And(Vec<LabelExpr>),
    /// `A|B` or `A|:B`: one of them; at least two.
    Or(Vec<LabelExpr>),
}

impl LabelExpr {
    /// The names, if this is one name or names joined by `:` or `&` alone: what `CREATE` and `SET` accept.
    pub fn conjunction(&self) -> Option<Vec<&Name>> {
        match &self.kind {
            LabelExprKind::And(parts) => names(parts),
            _ => self.single().map(|name| vec![name]),
        }
    }

    /// The names, if this is one name or names joined by `|` alone: the types of an openCypher 9
    /// relationship.
    pub fn disjunction(&self) -> Option<Vec<&Name>> {
        match &self.kind {
            LabelExprKind::Or(parts) => names(parts),
            _ => self.single().map(|name| vec![name]),
        }
    }

    /// The name, if this is one name.
    pub fn single(&self) -> Option<&Name> {
        match &self.kind {
            LabelExprKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

fn names(parts: &[LabelExpr]) -> Option<Vec<&Name>> {
    parts.iter().map(LabelExpr::single).collect()
}

//! What a part of a plan binds: variables by their names, in which form, and whether in every row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spargebra::term::NamedNodePattern;
use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_base::Span;
use trimorph_types::LogicalType;

/// The name of a variable; of a blank node in a pattern `_:` and its label; of what the binder needs itself
/// something that no text has.
pub(super) type Name = Arc<str>;

/// Which graph patterns are matched against.
#[derive(Clone, Debug)]
pub(super) enum Active {
    Default,
    Named(NamedNodePattern),
    /// The graph whose name this variable of an apply around has.
    Given(VarId),
}

impl Active {
    /// The variable of an apply around that a pattern needs to ask its graph.
    pub(super) fn given(&self) -> Option<VarId> {
        match self {
            Self::Given(var) => Some(*var),
            Self::Default | Self::Named(_) => None,
        }
    }
}

/// What the values of a variable are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Nodes.
    Node,
    /// Relationships with properties, which reify the statements that they are.
    Edge,
    /// Literals of one type, as the store holds them.
    Plain(LogicalType),
    /// Any terms, in term form.
    Term,
}

impl Shape {
    /// The one type of literals.
    pub(super) fn plain(self) -> Option<LogicalType> {
        if let Self::Plain(ty) = self { Some(ty) } else { None }
    }

    /// The type of what is equal exactly for the same terms of this shape.
    pub(super) fn key_type(self) -> LogicalType {
        match self {
            Self::Plain(LogicalType::Float) => LogicalType::Int,
            Self::Plain(ty) => ty,
            _ => LogicalType::Any,
        }
    }
}

/// Where a value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// In a variable of the plan.
    Var(VarId),
    /// It is a property of the node or relationship in a variable, and read where it is asked for: late, and
    /// by what knows more of properties than of variables.
    Property(VarId, Arc<str>),
    /// It is given with the text: the value of the parameter of this name.
    Given(Name),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) source: Source,
    pub(super) shape: Shape,
    /// Whether it is bound in every row.
    pub(super) certain: bool,
}

/// A part of a plan, and what it binds.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) plan: Plan,
    pub(super) slots: BTreeMap<Name, Slot>,
}

impl Relation {
    /// One row that binds nothing.
    pub(super) fn unit() -> Self {
        Self { plan: Plan::Unit, slots: BTreeMap::new() }
    }

    /// The same to ask a graph: with its name, where an apply around gives it.
    pub(super) fn start(active: &Active) -> Self {
        match active.given() {
            None => Self::unit(),
            Some(var) => Self { plan: Plan::Argument(vec![var]), slots: BTreeMap::new() },
        }
    }

    /// The rows of an apply around, with all they bind, and the graph that is asked.
    pub(super) fn argument(&self, active: &Active) -> Self {
        Self { plan: Plan::Argument(self.carried(active)), slots: self.slots.clone() }
    }

    /// The variables of the plan that what is bound is in, and the graph that is asked.
    pub(super) fn carried(&self, active: &Active) -> Vec<VarId> {
        let slots = self.slots.values().filter_map(Slot::carrier);
        let all: BTreeSet<VarId> = slots.chain(active.given()).collect();
        all.into_iter().collect()
    }

    /// The rows of an apply around, each with all rows of a plan.
    pub(super) fn beside(&self, plan: Plan, active: &Active) -> Self {
        let mut beside = self.argument(active);
        beside.grow(|left| Plan::HashJoin { left, right: Box::new(plan), on: Vec::new() });
        beside
    }

    /// Whether nothing was asked yet.
    pub(super) fn is_unit(&self) -> bool {
        matches!(self.plan, Plan::Unit)
    }

    /// Puts an operator on top.
    pub(super) fn grow(&mut self, operator: impl FnOnce(Box<Plan>) -> Plan) {
        let input = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
        self.plan = operator(input);
    }

    /// Adds variables.
    pub(super) fn extra(&mut self, items: Vec<(VarId, Expr)>) {
        if !items.is_empty() {
            self.grow(|input| Plan::Extra { input, items });
        }
    }

    /// Keeps the rows for which this is true.
    pub(super) fn filter(&mut self, predicate: Expr) {
        self.grow(|input| Plan::Filter { input, predicate });
    }
}

/// A call of a function.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call(name.into(), args, Span::default())
}

/// The value of a parameter of a type, and what it is.
pub(super) fn given_value(name: &Name, ty: LogicalType) -> (Expr, Shape) {
    use LogicalType as L;
    let value = Expr::Param(Arc::clone(name));
    match ty {
        L::Bool | L::Int | L::Float | L::String | L::Date | L::LocalDateTime | L::DateTime => {
            (value, Shape::Plain(ty))
        }
        _ => (call("sparql.entity", vec![call("sparql.term", vec![value])]), Shape::Term),
    }
}

/// `a = b`.
pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    Expr::op(Op::Eq, vec![a, b])
}

/// `a IS NULL`.
pub(super) fn is_null(a: Expr) -> Expr {
    Expr::op(Op::IsNull, vec![a])
}

/// `a IS NOT NULL`.
pub(super) fn is_not_null(a: Expr) -> Expr {
    Expr::op(Op::IsNotNull, vec![a])
}

/// The opposite of a condition that is never null.
pub(super) fn negated(condition: Expr) -> Expr {
    match condition {
        Expr::Op(Op::IsNotNull, args, span) => Expr::Op(Op::IsNull, args, span),
        other => Expr::op(Op::Not, vec![other]),
    }
}

impl Slot {
    /// What a variable of the plan holds in every row.
    pub(super) fn certain(var: VarId, shape: Shape) -> Self {
        Self { source: Source::Var(var), shape, certain: true }
    }

    /// A property of a node or relationship that every row has. Of literals that the store has no type for
    /// the terms are asked.
    pub(super) fn property(node: VarId, name: Arc<str>, ty: LogicalType) -> Self {
        let shape = if ty == LogicalType::Literal { Shape::Term } else { Shape::Plain(ty) };
        Self { source: Source::Property(node, name), shape, certain: true }
    }

    /// The variable of the plan that its value comes from.
    pub(super) fn carrier(&self) -> Option<VarId> {
        match &self.source {
            Source::Var(var) | Source::Property(var, _) => Some(*var),
            Source::Given(_) => None,
        }
    }

    /// Whether a variable of the plan holds it.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.source, Source::Var(_))
    }

    /// The value as it is.
    pub(super) fn value(&self) -> Expr {
        match &self.source {
            Source::Var(var) => Expr::Var(*var),
            Source::Property(node, name) => {
                let value = Expr::Property(Box::new(Expr::Var(*node)), Arc::clone(name), Span::default());
                if self.shape == Shape::Term { call("sparql.term", vec![value]) } else { value }
            }
            Source::Given(name) => Expr::Param(Arc::clone(name)),
        }
    }

    /// The value in term form.
    pub(super) fn term(&self) -> Expr {
        match self.shape {
            Shape::Plain(ty) if !is_term_form(ty) => call("sparql.term", vec![self.value()]),
            _ => self.value(),
        }
    }

    /// What is equal exactly for the same terms, in this variable and in one of another shape.
    pub(super) fn key(&self, other: Shape) -> Expr {
        if self.shape == other { term_key(self.value(), self.shape) } else { self.term() }
    }
}

/// What is equal exactly for the same terms, of values of one shape.
pub(super) fn term_key(value: Expr, shape: Shape) -> Expr {
    match shape {
        Shape::Plain(LogicalType::Float) => call("sparql.double_key", vec![value]),
        _ => value,
    }
}

/// What tells terms of a slot apart that are equal values: zero and minus zero. None where there are none.
pub(super) fn told_apart(slot: &Slot) -> Option<Expr> {
    let is_float = matches!(slot.shape, Shape::Plain(LogicalType::Float));
    (is_float && slot.carrier().is_some()).then(|| term_key(slot.value(), slot.shape))
}

/// Whether values of a type are their own term form.
fn is_term_form(ty: LogicalType) -> bool {
    use LogicalType as L;
    matches!(
        ty,
        L::Bool | L::Int | L::String | L::Date | L::LocalTime | L::LocalDateTime | L::Literal | L::Iri
    )
}

//! What a part of a plan binds: variables by their names, in which form, and whether in every row.

use std::collections::BTreeMap;
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
    /// Literals of one type, as the store holds them.
    Plain(LogicalType),
    /// Any terms, in term form.
    Term,
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) var: VarId,
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
        let slots = self.slots.values().map(|slot| slot.var);
        let vars = slots.chain(active.given()).collect();
        Self { plan: Plan::Argument(vars), slots: self.slots.clone() }
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

/// The value of a parameter as a term.
pub(super) fn given_term(name: &Name) -> Expr {
    call("sparql.entity", vec![call("sparql.term", vec![Expr::Param(Arc::clone(name))])])
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

impl Slot {
    /// The value as it is.
    pub(super) fn value(&self) -> Expr {
        Expr::Var(self.var)
    }

    /// The value in term form.
    pub(super) fn term(&self) -> Expr {
        match self.shape {
            Shape::Plain(ty) if !is_term_form(ty) => call("sparql.term", vec![self.value()]),
            _ => self.value(),
        }
    }

    /// Whether values of this and of another variable are the same terms exactly if they are equal as they
    /// are.
    pub(super) fn compares_plainly(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

/// Whether values of a type are their own term form.
fn is_term_form(ty: LogicalType) -> bool {
    use LogicalType as L;
    matches!(
        ty,
        L::Bool | L::Int | L::String | L::Date | L::LocalTime | L::LocalDateTime | L::Literal | L::Iri
    )
}

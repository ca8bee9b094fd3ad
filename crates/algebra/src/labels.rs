//! Conditions on labels.

use std::sync::Arc;

/// A condition on a node's label set (or on a relationship's type).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum LabelExpr {
    /// Anything.
    True,
    /// Has this label.
    Label(Arc<str>),
    /// All of them. Flat: a node that is named in thousands of places may have a label in each.
    And(Vec<LabelExpr>),
    /// Either.
    Or(Box<LabelExpr>, Box<LabelExpr>),
    /// Not.
    Not(Box<LabelExpr>),
}

/// Label conditions up to which one that comes again is left out.
const COMPARED_MAX: usize = 16;

impl LabelExpr {
    /// Labels that whatever satisfies this has.
    pub fn demanded(&self) -> Vec<&str> {
        match self {
            Self::Label(name) => vec![name],
            Self::And(parts) => parts.iter().filter_map(Self::label).collect(),
            Self::True | Self::Or(..) | Self::Not(_) => Vec::new(),
        }
    }

    /// The label, if it is just one.
    fn label(&self) -> Option<&str> {
        match self {
            Self::Label(name) => Some(name),
            _ => None,
        }
    }

    /// Whether a node with a label set for which `has` answers satisfies this.
    pub fn matches(&self, has: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::True => true,
            Self::Label(name) => has(name),
            Self::And(parts) => parts.iter().all(|part| part.matches(has)),
            Self::Or(a, b) => a.matches(has) || b.matches(has),
            Self::Not(a) => !a.matches(has),
        }
    }

    /// The conjunction, without needless `True`.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, x) | (x, Self::True) => x,
            (a, b) => {
                let parts = |labels| match labels {
                    Self::And(parts) => parts,
                    other => vec![other],
                };
                let (mut all, more) = (parts(a), parts(b));
                for part in more {
                    // Long conjunctions are not looked through.
                    if all.len() > COMPARED_MAX || !all.contains(&part) {
                        all.push(part);
                    }
                }
                if all.len() == 1 { all.swap_remove(0) } else { Self::And(all) }
            }
        }
    }
}

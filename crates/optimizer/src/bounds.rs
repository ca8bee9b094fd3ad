//! Takes conditions on rows of two sides, gives a value of one side and its bounds on the other, by which a
//! range join finds the rows of each.

use trimorph_algebra::{BandKind, Expr, Op, VarId};

use crate::heads::is_same;
use crate::vars_of;

/// A value of one side and its bounds on the other, with the conditions that they are taken from.
pub(crate) struct Bounds {
    pub(crate) key: Expr,
    pub(crate) low: Option<(Expr, bool)>,
    pub(crate) high: Option<(Expr, bool)>,
    pub(crate) kind: BandKind,
    pub(crate) places: Vec<usize>,
}

impl Bounds {
    /// How much they leave out: a beginning as much as two bounds.
    pub(crate) fn weight(&self) -> usize {
        self.places.len() + usize::from(self.kind == BandKind::BeginsWith)
    }

    /// The bounds of the first value of `right` that has some of `left`.
    pub(crate) fn of<'e>(
        conditions: impl Iterator<Item = (usize, &'e Expr)>,
        left: &dyn Fn(&VarId) -> bool,
        right: &dyn Fn(&VarId) -> bool,
    ) -> Option<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (place, expr) in conditions {
            let Some((asked, key, bound)) = bounded(expr, left, right) else { continue };
            let none = |kind| Self { key: key.clone(), low: None, high: None, kind, places: Vec::new() };
            let (is_low, may_equal) = match asked {
                Asked::Low(may_equal) => (true, may_equal),
                Asked::High(may_equal) => (false, may_equal),
                Asked::Text(kind) => {
                    found.push(Self { low: Some((bound.clone(), true)), places: vec![place], ..none(kind) });
                    continue;
                }
            };
            let known = |b: &Self| b.kind == BandKind::Between && is_same(&b.key, key);
            let at = found.iter().position(known).unwrap_or_else(|| {
                found.push(none(BandKind::Between));
                found.len() - 1
            });
            let bounds = &mut found[at];
            let side = if is_low { &mut bounds.low } else { &mut bounds.high };
            // A second one of a kind stays a condition.
            if side.is_none() {
                *side = Some((bound.clone(), may_equal));
                bounds.places.push(place);
            }
        }
        let most = found.iter().map(Self::weight).max()?;
        found.into_iter().find(|b| b.weight() == most)
    }
}

/// What a condition asks of a value and its bound.
enum Asked {
    /// The value is not below the bound, and may be equal.
    Low(bool),
    High(bool),
    Text(BandKind),
}

/// A comparison of a value of `right` with one of `left`, the value first.
fn bounded<'e>(
    expr: &'e Expr,
    left: &dyn Fn(&VarId) -> bool,
    right: &dyn Fn(&VarId) -> bool,
) -> Option<(Asked, &'e Expr, &'e Expr)> {
    let Expr::Op(op, args, _) = expr else { return None };
    let [a, b] = &args[..] else { return None };
    let (as_it_is, swapped) = match op {
        Op::Lt => (Asked::High(false), Asked::Low(false)),
        Op::Le => (Asked::High(true), Asked::Low(true)),
        Op::Gt => (Asked::Low(false), Asked::High(false)),
        Op::Ge => (Asked::Low(true), Asked::High(true)),
        Op::StartsWith => (Asked::Text(BandKind::BeginsWith), Asked::Text(BandKind::BeginningOf)),
        _ => return None,
    };
    let is_of = |expr: &Expr, side: &dyn Fn(&VarId) -> bool| {
        let vars = vars_of([expr]);
        !vars.is_empty() && vars.iter().all(side)
    };
    if is_of(a, right) && is_of(b, left) {
        return Some((as_it_is, a, b));
    }
    (is_of(b, right) && is_of(a, left)).then_some((swapped, b, a))
}

//! What several expressions of one operator have in common is computed once: `max(size(m.content))` and
//! `avg(size(m.content))` read and measure a content once. A new variable below the operator has its value.
//!
//! 1. Only what is computed for every row anyway is taken out, so that no error comes that did not: an
//!    expression must stand at least once where nothing decides whether it is asked.
//! 2. Asking whether a property is there, or how long it is, reads no value, and one part of a text that is
//!    split is found without the others: such questions are no reason to share what they are asked of.
//! 3. Of a filter, what is asked first decides what is asked at all: only expressions of the first condition
//!    are shared, below it. Comparisons of a property, or of its year or date, with constants come before
//!    that and stay, and so do those with texts in alternatives: they are asked of encoded values. Where
//!    texts have to be taken out to be asked, they are taken out once.

use std::collections::{HashMap, HashSet};

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId, Vars};
use trimorph_catalog::CatalogView;
use trimorph_types::{LogicalType, Value};

use crate::asked_first::has_many_texts;
use crate::heads::{Head, head};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, conjunction, conjuncts, vars_of};

/// Expressions, parts of others included, that are compared in one operator; of more, none is.
const EXPRESSIONS_MAX: usize = 4_096;

/// The pass.
pub(crate) fn share_expressions(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (vars, catalog) = (&mut *planning.vars, planning.catalog);
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Project { input, mut items } => {
                let input = shared(input, items.iter_mut().map(|(_, e)| e).collect(), vars);
                Plan::Project { input, items }
            }
            Plan::Extra { input, mut items } => {
                let input = shared(input, items.iter_mut().map(|(_, e)| e).collect(), vars);
                Plan::Extra { input, items }
            }
            Plan::Aggregate { input, mut keys, mut aggregates } => {
                let has_keys = !keys.is_empty();
                let arguments =
                    aggregates.iter_mut().filter(|(_, a)| has_keys || !is_bounded(a, vars, catalog));
                let arguments = arguments.filter_map(|(_, a)| a.arg.as_mut());
                let exprs = keys.iter_mut().map(|(_, e)| e).chain(arguments).collect();
                let input = shared(input, exprs, vars);
                Plan::Aggregate { input, keys, aggregates }
            }
            Plan::Filter { input, predicate } => filter(input, predicate, vars, catalog),
            other => other,
        })
    })
}

/// `input` with what `exprs` share, which becomes variables of it.
fn shared(input: Box<Plan>, exprs: Vec<&mut Expr>, vars: &mut Vars) -> Box<Plan> {
    let mut shapes = Shapes::new(vars);
    for expr in &exprs {
        shapes.add(expr, true);
    }
    let mut items = shapes.take_out(exprs);
    if items.is_empty() {
        return input;
    }
    // What these share in turn.
    let input = shared(input, items.iter_mut().map(|(_, e)| e).collect(), vars);
    Box::new(Plan::Extra { input, items })
}

/// A filter whose first condition shares with itself or with the others.
fn filter(input: Box<Plan>, predicate: Expr, vars: &mut Vars, catalog: &CatalogView<'_>) -> Plan {
    let mut all = Vec::new();
    conjuncts(predicate.clone(), &mut all);
    let is_encoded = |expr: &Expr| is_encoded(expr, vars) && !is_taken_out(expr, catalog);
    let (encoded, mut rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_encoded);
    let mut shapes = Shapes::new(vars);
    for (i, expr) in rest.iter().enumerate() {
        shapes.add(expr, i == 0);
    }
    let mut items = shapes.take_out(rest.iter_mut().collect());
    if items.is_empty() {
        return Plan::Filter { input, predicate };
    }
    let whole = |input: Box<Plan>, all: Vec<Expr>| match conjunction(all) {
        Some(predicate) => Box::new(Plan::Filter { input, predicate }),
        None => input,
    };
    let input = shared(whole(input, encoded), items.iter_mut().map(|(_, e)| e).collect(), vars);
    *whole(Box::new(Plan::Extra { input, items }), rest)
}

/// Whether a condition is one that is asked of encoded values.
fn is_encoded(expr: &Expr, vars: &Vars) -> bool {
    if let Expr::Op(Op::And | Op::Or | Op::Not, parts, _) = expr {
        return parts.iter().all(|part| is_encoded(part, vars) && (asks_text(part) || is_logic(part)));
    }
    let is_property = |e: &Expr| is_own_property(e, vars);
    // The same for all rows: computed before the first.
    let is_constant = |e: &Expr| vars_of([e]).is_empty();
    let is_compared = |e: &Expr| is_property(e) || is_step(e, vars);
    match expr {
        Expr::Op(_, args, _) => match &args[..] {
            [one] => is_property(one),
            [a, b] => is_compared(a) && is_constant(b) || is_constant(a) && is_compared(b),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a condition asks texts of which no dictionary is made, so that all are taken out: those that are
/// to contain something are not, but where it has some of its letters.
fn is_taken_out(expr: &Expr, catalog: &CatalogView<'_>) -> bool {
    match expr {
        Expr::Op(Op::Not, parts, _) => parts.iter().any(|part| {
            matches!(part, Expr::Op(Op::Contains, args, _) if are_many(args, catalog))
                || is_taken_out(part, catalog)
        }),
        Expr::Op(Op::And | Op::Or, parts, _) => parts.iter().any(|part| is_taken_out(part, catalog)),
        Expr::Op(Op::EndsWith | Op::Regex, args, _) => are_many(args, catalog),
        _ => false,
    }
}

/// Whether one of two operands is a property that has so many different texts.
fn are_many(args: &[Expr], catalog: &CatalogView<'_>) -> bool {
    args.iter().any(|arg| matches!(arg, Expr::Property(_, name, _) if has_many_texts(catalog, name)))
}

fn is_logic(expr: &Expr) -> bool {
    matches!(expr, Expr::Op(Op::And | Op::Or | Op::Not, ..))
}

/// Whether a condition compares with a text that is the same for all rows: it is asked of each entry of a
/// dictionary, or of texts as they lie.
fn asks_text(expr: &Expr) -> bool {
    use Op::{Contains, EndsWith, Eq, Ge, Gt, Le, Lt, Ne, Regex, StartsWith};
    let is_text = |arg: &Expr| matches!(arg, Expr::Const(Value::String(_)));
    match expr {
        Expr::Op(Contains | EndsWith | Eq | Ge | Gt | Le | Lt | Ne | Regex | StartsWith, args, _) => {
            args.iter().any(is_text)
        }
        _ => false,
    }
}

/// Whether an expression asks what is known without the value of its first argument: whether a property of a
/// node or relationship is there, how long it is, or for one part of a text that is split.
fn is_asked_apart(expr: &Expr, vars: &Vars) -> bool {
    match expr {
        Expr::Op(Op::IsNull | Op::IsNotNull, args, _) => {
            matches!(&args[..], [property] if is_own_property(property, vars))
        }
        Expr::Call(name, args, _) if &**name == "size" => {
            matches!(&args[..], [property] if is_own_property(property, vars))
        }
        Expr::Op(Op::Index, args, _) => match &args[..] {
            [Expr::Call(name, ..), Expr::Const(Value::Int(_))] => &**name == "split",
            _ => false,
        },
        _ => false,
    }
}

/// Whether an aggregate is the least or largest of a property that zone maps know the bounds of: of all rows
/// it is mostly known without reading what is no better.
fn is_bounded(aggregate: &Aggregate, vars: &Vars, catalog: &CatalogView<'_>) -> bool {
    let is_in_order = |ty: Option<LogicalType>| {
        use LogicalType as T;
        matches!(ty, Some(T::Int | T::Date | T::LocalTime | T::LocalDateTime | T::DateTime))
    };
    let (AggregateKind::Min | AggregateKind::Max, Some(Expr::Property(base, name, _))) =
        (aggregate.kind, &aggregate.arg)
    else {
        return false;
    };
    let Expr::Var(var) = **base else { return false };
    let names = Some(std::slice::from_ref(name));
    match vars.get(var).ty {
        LogicalType::Node => {
            let mut columns = catalog.node_columns(names).into_iter();
            columns.all(|(table, column)| is_in_order(catalog.column_type(table, column)))
        }
        LogicalType::Relationship => {
            let mut columns = catalog.edge_columns(names).into_iter();
            columns.all(|(table, column)| is_in_order(catalog.edge_column_type(table, column)))
        }
        _ => false,
    }
}

/// Whether an expression is the year, the date or the begin of a unit of a property: compared with a
/// constant, it is a range of the property.
fn is_step(expr: &Expr, vars: &Vars) -> bool {
    match expr {
        Expr::Property(base, part, _) => &**part == "year" && is_own_property(base, vars),
        Expr::Call(name, args, _) => match &args[..] {
            [of] => &**name == "date" && is_own_property(of, vars),
            [Expr::Const(_), of] => name.ends_with(".truncate") && is_own_property(of, vars),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression is a property of a node or relationship.
fn is_own_property(expr: &Expr, vars: &Vars) -> bool {
    let is_entity = |var| matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship);
    matches!(expr, Expr::Property(base, _, _) if matches!(**base, Expr::Var(var) if is_entity(var)))
}

/// What is known of an expression, and how often it stands in an operator.
#[derive(Default)]
struct Uses {
    /// Where it is computed for every row.
    sure: usize,
    all: usize,
    /// Where it is part of no other that is shared.
    outermost: usize,
    /// Whether it is worth a variable: it takes work, and rows decide it.
    takes_work: bool,
    /// Whether it has a variable of rows in it; else it is computed once in any case.
    of_rows: bool,
    /// Its variable, once it has one.
    var: Option<VarId>,
}

impl Uses {
    fn is_shared(&self) -> bool {
        self.takes_work && self.sure > 0 && self.all > 1
    }
}

/// Whether an expression is of a kind that takes work.
fn takes_work(expr: &Expr) -> bool {
    matches!(expr, Expr::Property(..) | Expr::Op(..) | Expr::Chain(..) | Expr::Call(..))
}

/// All expressions of an operator by what they are, wherever they stand in the text.
struct Shapes<'v> {
    vars: &'v mut Vars,
    known: HashMap<(Head, Vec<usize>), usize>,
    uses: Vec<Uses>,
    /// Variables of comprehensions, which rows do not have.
    local: HashSet<VarId>,
    /// Expressions that were looked at.
    seen: usize,
}

impl<'v> Shapes<'v> {
    fn new(vars: &'v mut Vars) -> Self {
        Self { vars, known: HashMap::new(), uses: Vec::new(), local: HashSet::new(), seen: 0 }
    }

    /// Adds an expression and its parts; `sure` if it is computed for every row. Gives its number, if it is
    /// of a kind that is told apart.
    fn add(&mut self, expr: &Expr, sure: bool) -> Option<usize> {
        self.seen += 1;
        if self.seen > EXPRESSIONS_MAX {
            return None;
        }
        let decides = match expr {
            Expr::Op(op, _, _) => matches!(op, Op::And | Op::Or),
            Expr::Call(name, _, _) => &**name == "coalesce",
            Expr::ListComprehension { var, .. } | Expr::Quantifier { var, .. } => {
                self.local.insert(*var);
                true
            }
            Expr::Reduce { acc, var, .. } => {
                self.local.extend([*acc, *var]);
                true
            }
            Expr::Case { .. } => true,
            _ => false,
        };
        let is_asked_apart = is_asked_apart(expr, self.vars);
        let (mut parts, mut are_known, mut is_first) = (Vec::new(), true, true);
        expr.for_each_child(&mut |child| {
            // The first is asked in any case.
            let sure = sure && (!decides || is_first);
            is_first = false;
            match self.add(child, sure) {
                Some(part) => {
                    if is_asked_apart && parts.is_empty() {
                        // It is not computed, and there is nothing to share.
                        let uses = &mut self.uses[part];
                        uses.all -= 1;
                        uses.sure -= usize::from(sure);
                    }
                    parts.push(part);
                }
                None => are_known = false,
            }
        });
        let head = head(expr).filter(|_| are_known)?;
        if matches!(&head, Head::Var(var) if self.local.contains(var)) {
            return None;
        }
        let of_rows = matches!(head, Head::Var(_)) || parts.iter().any(|part| self.uses[*part].of_rows);
        let next = self.uses.len();
        let number = *self.known.entry((head, parts)).or_insert(next);
        if number == next {
            self.uses.push(Uses { takes_work: of_rows && takes_work(expr), of_rows, ..Uses::default() });
        }
        let uses = &mut self.uses[number];
        uses.all += 1;
        uses.sure += usize::from(sure);
        Some(number)
    }

    /// The number of an expression that was added.
    fn find(&self, expr: &Expr) -> Option<usize> {
        let (mut parts, mut are_known) = (Vec::new(), true);
        expr.for_each_child(&mut |child| {
            if are_known {
                match self.find(child) {
                    Some(part) => parts.push(part),
                    None => are_known = false,
                }
            }
        });
        let head = head(expr).filter(|_| are_known)?;
        self.known.get(&(head, parts)).copied()
    }

    /// Whether anything is shared.
    fn any_shared(&self) -> bool {
        self.seen <= EXPRESSIONS_MAX && self.uses.iter().any(Uses::is_shared)
    }

    /// The number of an expression that is shared.
    fn find_shared(&self, expr: &Expr) -> Option<usize> {
        if takes_work(expr) { self.find(expr).filter(|n| self.uses[*n].is_shared()) } else { None }
    }

    fn count_outermost(&mut self, expr: &Expr) {
        match self.find_shared(expr) {
            Some(number) => self.uses[number].outermost += 1,
            None => expr.for_each_child(&mut |child| self.count_outermost(child)),
        }
    }

    /// `expr` with what is shared replaced by variables; `items` gets each of these once.
    fn replaced(&mut self, expr: Expr, items: &mut Vec<(VarId, Expr)>) -> Expr {
        match self.find_shared(&expr).filter(|n| self.uses[*n].outermost > 1) {
            Some(number) => {
                let vars = &mut *self.vars;
                let var = *self.uses[number].var.get_or_insert_with(|| {
                    let var = vars.anonymous(LogicalType::Any);
                    items.push((var, expr));
                    var
                });
                Expr::Var(var)
            }
            None => expr.map_children(&mut |child| self.replaced(child, items)),
        }
    }

    /// Takes what is shared out of expressions that were added; gives the variables that have it.
    fn take_out(&mut self, exprs: Vec<&mut Expr>) -> Vec<(VarId, Expr)> {
        let mut items = Vec::new();
        if self.any_shared() {
            exprs.iter().for_each(|expr| self.count_outermost(expr));
            for expr in exprs {
                *expr = self.replaced(std::mem::replace(expr, Expr::truth()), &mut items);
            }
        }
        items
    }
}

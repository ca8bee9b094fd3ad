//! `WITH` and `RETURN`.

use super::writer::{Kind, Variable, Writer};
use crate::graphs::PropertyKind;

/// Columns being written.
#[derive(Default)]
struct Columns {
    /// `expression AS name`
    texts: Vec<String>,
    variables: Vec<Variable>,
    /// Whether a float is a sum.
    inexact: bool,
}

impl Columns {
    fn push(&mut self, text: &str, name: &str, kind: Kind) {
        self.texts.push(if text == name { name.into() } else { format!("{text} AS {name}") });
        self.variables.push(Variable { name: name.into(), kind });
    }

    fn has_bag(&self) -> bool {
        self.variables.iter().any(|v| v.kind == Kind::Bag)
    }
}

impl Writer {
    pub(super) fn with(&mut self) -> String {
        let mut columns = Columns::default();
        let aggregates = self.random.chance(50);
        // Aggregated lists have no determined order, so bags are no keys.
        let kept: Vec<Variable> =
            self.scope.iter().filter(|v| !aggregates || v.kind != Kind::Bag).cloned().collect();
        let keep = if aggregates { 35 } else { 75 };
        for variable in kept {
            if self.random.chance(keep) {
                columns.push(&variable.name, &variable.name, variable.kind);
            }
        }
        if aggregates {
            for _ in 0..=self.random.below(2) {
                let (text, kind) = loop {
                    let mut inexact = false;
                    let aggregate = self.aggregate(false, &mut inexact);
                    if !inexact {
                        break aggregate;
                    }
                };
                let name = self.fresh("a");
                columns.push(&text, &name, kind);
            }
        } else if columns.texts.is_empty() || self.random.chance(40) {
            let (text, kind) = self.value();
            let name = self.fresh("v");
            columns.push(&text, &name, kind);
        }
        let distinct =
            if !aggregates && !columns.has_bag() && self.random.chance(20) { "DISTINCT " } else { "" };
        let order = if self.random.chance(25) { self.order_and_limit(&columns, true) } else { String::new() };
        let items = columns.texts.join(", ");
        self.scope = columns.variables;
        let condition =
            if self.random.chance(30) { format!(" WHERE {}", self.predicate(1)) } else { String::new() };
        format!("WITH {distinct}{items}{order}{condition}")
    }

    /// `RETURN`, with exactly `columns` columns `c0`, `c1`, … of determined values if that is given.
    pub(super) fn return_clause(&mut self, columns: Option<usize>) -> String {
        let plain = columns.is_some();
        let count = columns.unwrap_or_else(|| 1 + self.random.below(4));
        let aggregates = self.random.chance(45);
        let mut written = Columns::default();
        for place in 0..count {
            let (text, kind) =
                self.column(plain, aggregates && place + 1 == count, aggregates, &mut written.inexact);
            written.push(&text, &format!("c{place}"), kind);
        }
        let distinct =
            if !aggregates && !written.has_bag() && self.random.chance(25) { "DISTINCT " } else { "" };
        let order = match !plain && self.random.chance(35) {
            true => self.order_and_limit(&written, false),
            false => String::new(),
        };
        self.comparison.ordered = !order.is_empty();
        self.comparison.bags = written.variables.iter().map(|v| v.kind == Kind::Bag).collect();
        if written.inexact {
            self.comparison.tolerance = 1e-9;
        }
        format!("RETURN {distinct}{}{order}", written.texts.join(", "))
    }

    /// One column of `RETURN`.
    fn column(
        &mut self,
        plain: bool,
        must_aggregate: bool,
        may_aggregate: bool,
        inexact: &mut bool,
    ) -> (String, Kind) {
        if must_aggregate || may_aggregate && self.random.chance(30) {
            return self.aggregate(plain, inexact);
        }
        // A column used with an aggregate is a grouping key, and one of a union is told apart: no
        // undetermined lists.
        let exact = plain || may_aggregate;
        let whole = self.variable(|kind| !exact || kind != Kind::Bag);
        match whole {
            Some(variable) if self.random.chance(35) => (variable.name, variable.kind),
            _ => loop {
                let (text, kind) = self.value();
                if !exact || kind != Kind::Bag {
                    return (text, kind);
                }
            },
        }
    }

    /// An aggregate; an `exact` one is neither a sum of floats nor, in a union, a list.
    fn aggregate(&mut self, exact: bool, inexact: &mut bool) -> (String, Kind) {
        let number = Kind::Value(PropertyKind::SmallInt);
        let (argument, kind) = match self.property() {
            Some((text, kind)) => (text, Kind::Value(kind)),
            None => (self.small_number(), number),
        };
        match self.random.below(10) {
            0 | 1 => ("count(*)".into(), number),
            2 => (format!("count({argument})"), number),
            3 => (format!("count(DISTINCT {argument})"), number),
            4 => (format!("sum({})", self.small_number()), number),
            5 => (format!("min({argument})"), kind),
            6 => (format!("max({argument})"), kind),
            7 if !exact => {
                let Some(subject) = self.variable(|kind| kind == Kind::Node) else {
                    return ("count(*)".into(), number);
                };
                *inexact = true;
                let name = *self.random.pick(&["sum", "avg"]);
                (format!("{name}({}.score)", subject.name), Kind::Value(PropertyKind::Float))
            }
            8 | 9 if !exact => {
                let distinct = if self.random.chance(40) { "DISTINCT " } else { "" };
                (format!("collect({distinct}{argument})"), Kind::Bag)
            }
            8 => (format!("size(collect({argument}))"), number),
            _ => match self.variable(|kind| kind == Kind::Node) {
                Some(node) => (format!("count(DISTINCT {})", node.name), number),
                None => ("count(*)".into(), number),
            },
        }
    }

    /// `ORDER BY` all columns, so that rows in the same place are equivalent, and perhaps a limit; nothing
    /// where columns have no determined place. Rows that go on (`WITH`) need no order but for the limit.
    fn order_and_limit(&mut self, columns: &Columns, limit: bool) -> String {
        if columns.has_bag() || columns.inexact {
            return String::new();
        }
        let mut keys: Vec<String> = Vec::new();
        for variable in &columns.variables {
            let descending = if self.random.chance(40) { " DESC" } else { "" };
            keys.push(format!("{}{descending}", variable.name));
        }
        let skip =
            if self.random.chance(25) { format!(" SKIP {}", self.random.below(4)) } else { String::new() };
        let limit = match limit || self.random.chance(60) {
            true => format!(" LIMIT {}", self.random.below(12)),
            false => String::new(),
        };
        format!(" ORDER BY {}{skip}{limit}", keys.join(", "))
    }
}

//! Comparisons that are never true: a finished plan in, notices out.
//!
//! A property that is a number in all nodes is never equal to a text, whatever the text says. Looked for when
//! somebody asks for the notices of a result, with the values that its parameters have.
//!
//! Only what is certain is said: the property of a node or relationship, whose columns all have one type, or
//! a function whose result has one, compared with a literal, a parameter, a list of these, or such a property
//! or function.

use std::sync::Arc;

use trimorph_algebra::{Expr, LookupBy, Op, Plan, VarId, Vars};
use trimorph_base::{Notice, Span};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_types::{LogicalType, Value};

use crate::params::Params;

/// Notices of one query.
const NOTICES_MAX: usize = 10;

/// What is compared, and has one type.
struct Known {
    /// As messages name it: `"born"`, `date(…)`.
    name: String,
    ty: LogicalType,
    span: Span,
    is_property: bool,
}

/// What it is compared with.
struct Other {
    ty: LogicalType,
    /// The value, if it is known.
    value: Option<Value>,
    /// How it is written, if it is a parameter.
    parameter: Option<Arc<str>>,
    /// As messages name it, if it is a property.
    property: Option<String>,
    /// Whether the property is asked for what it begins with, and the like.
    is_test: bool,
}

/// What the search goes by.
struct Search<'a> {
    catalog: CatalogView<'a>,
    vars: &'a Vars,
    params: &'a Params,
    found: Vec<Notice>,
}

/// The comparisons of a plan that are never true, in the order of the text.
pub(crate) fn odd_comparisons(plan: &Plan, vars: &Vars, snapshot: &Snapshot, params: &Params) -> Vec<Notice> {
    let catalog = CatalogView::new(snapshot.catalog());
    let mut search = Search { catalog, vars, params, found: Vec::new() };
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        plan.for_each_expr(&mut |expr| search.expression(expr));
        if let Plan::KeyLookup { lookup, .. } = plan
            && let Some(other) = match lookup.by {
                LookupBy::Equal | LookupBy::Prefix => search.other(&lookup.key),
                LookupBy::AnyOf | LookupBy::Between { .. } => search.items(&lookup.key),
                _ => None,
            }
        {
            // A look-up has no place in the text: the property's name says which it is.
            let span = Span { start: 0, end: 0 };
            if let Some(known) = search.property(lookup.var, &lookup.property, span) {
                search.compare(&known, &other);
            }
        }
        left.extend(plan.children());
    }
    let mut found = search.found;
    found.sort_by_key(|notice| notice.span.start);
    found.dedup();
    found.truncate(NOTICES_MAX);
    found
}

impl Search<'_> {
    fn expression(&mut self, expr: &Expr) {
        let mut left = vec![expr];
        while let Some(expr) = left.pop() {
            if let Expr::Op(op, args, _) = expr
                && let [a, b] = &args[..]
            {
                self.operator(*op, a, b);
            }
            expr.for_each_child(&mut |child| left.push(child));
        }
    }

    fn operator(&mut self, op: Op, a: &Expr, b: &Expr) {
        match op {
            Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge => match (self.known(a), self.known(b)) {
                // A property is what is wrong rather than a function around it.
                (Some(a), Some(b)) if b.is_property && !a.is_property => self.compare(&b, &Other::of(&a)),
                (Some(a), Some(b)) => self.compare(&a, &Other::of(&b)),
                (Some(known), None) => self.compare_with(&known, self.other(b)),
                (None, Some(known)) => self.compare_with(&known, self.other(a)),
                (None, None) => {}
            },
            Op::In => {
                if let Some(known) = self.known(a) {
                    self.compare_with(&known, self.items(b));
                }
            }
            Op::StartsWith | Op::EndsWith | Op::Contains | Op::Regex => {
                if let Some(known) = self.known(a) {
                    self.compare(&known, &Other { is_test: true, ..Other::typed(LogicalType::String) });
                }
            }
            _ => {}
        }
    }

    /// An expression that has one type wherever it has a value.
    fn known(&self, expr: &Expr) -> Option<Known> {
        match expr {
            Expr::Property(of, name, span) => match &**of {
                Expr::Var(var) => self.property(*var, name, *span),
                _ => None,
            },
            Expr::Call(name, _, span) => {
                let function = trimorph_functions::lookup(name).filter(|f| !f.name.contains('.'))?;
                let ty = (function.result)(&[]);
                let name = format!("{}(…)", function.name);
                (kind(ty) != Kind::Unknown).then_some(Known { name, ty, span: *span, is_property: false })
            }
            _ => None,
        }
    }

    fn property(&self, var: VarId, name: &Arc<str>, span: Span) -> Option<Known> {
        let ty = match self.vars.get(var).ty {
            LogicalType::Node => self.type_in_nodes(name)?,
            LogicalType::Relationship => self.type_in_edges(name)?,
            _ => return None,
        };
        Some(Known { name: format!("\"{name}\""), ty, span, is_property: true })
    }

    /// What an expression is, if its type is certain.
    fn other(&self, expr: &Expr) -> Option<Other> {
        let of = |value: &Value, parameter| {
            let other = Other { value: Some(value.clone()), parameter, ..Other::typed(value.logical_type()) };
            (!value.is_null()).then_some(other)
        };
        match expr {
            Expr::Const(value) => of(value, None),
            Expr::Param(name) => of(self.params.get(name)?, Some(Arc::clone(name))),
            Expr::Call(..) => self.known(expr).map(|known| Other::of(&known)),
            _ => None,
        }
    }

    /// What all items of a list are.
    fn items(&self, expr: &Expr) -> Option<Other> {
        let all = |items: Vec<Option<Other>>| {
            let mut items = items.into_iter();
            let first = items.next()??;
            items.all(|item| item.is_some_and(|item| kind(item.ty) == kind(first.ty))).then_some(first)
        };
        match expr {
            Expr::List(items) => all(items.iter().map(|item| self.other(item)).collect()),
            Expr::Const(Value::List(items)) => {
                all(items.iter().map(|item| self.other(&Expr::Const(item.clone()))).collect())
            }
            Expr::Param(name) => match self.params.get(name)? {
                Value::List(items) => {
                    let parameter = Some(Arc::clone(name));
                    let found =
                        all(items.iter().map(|item| self.other(&Expr::Const(item.clone()))).collect())?;
                    Some(Other { parameter, ..found })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The type that a property has in all nodes that have it.
    fn type_in_nodes(&self, name: &Arc<str>) -> Option<LogicalType> {
        let columns = self.catalog.node_columns(Some(std::slice::from_ref(name)));
        one_type(columns.into_iter().map(|(table, column)| {
            let ty = self.catalog.column_type(table, column)?;
            self.catalog.has_one_type(table, column).then_some(ty)
        }))
    }

    /// The same of relationships.
    fn type_in_edges(&self, name: &Arc<str>) -> Option<LogicalType> {
        let columns = self.catalog.edge_columns(Some(std::slice::from_ref(name)));
        one_type(columns.into_iter().map(|(table, column)| {
            let ty = self.catalog.edge_column_type(table, column)?;
            self.catalog.has_one_edge_type(table, column).then_some(ty)
        }))
    }

    fn compare_with(&mut self, known: &Known, other: Option<Other>) {
        if let Some(other) = other {
            self.compare(known, &other);
        }
    }

    fn compare(&mut self, known: &Known, other: &Other) {
        let Known { name, ty, span, .. } = known;
        if kind(*ty) == kind(other.ty) || kind(other.ty) == Kind::Unknown {
            return;
        }
        let given = match (&other.parameter, &other.property) {
            (Some(parameter), _) => format!(", and the parameter \"${parameter}\" is {}", other.ty.name()),
            (None, Some(property)) => format!(" and {property} is {}", other.ty.name()),
            (None, None) => format!(" and is compared with {}", other.ty.name()),
        };
        let primary = format!("{name} is {}{given}: this is never true", ty.name());
        let hint = match &other.property {
            Some(property) => hint_of_two(known, property, other.ty),
            None => hint(*ty, other),
        };
        self.found.push(Notice { detail: "NeverTrue", primary, hint, span: *span });
    }
}

impl Other {
    fn typed(ty: LogicalType) -> Self {
        Self { ty, value: None, parameter: None, property: None, is_test: false }
    }

    fn of(known: &Known) -> Self {
        let property = known.is_property.then(|| known.name.clone());
        Self { property, ..Self::typed(known.ty) }
    }
}

/// The type that all columns have.
fn one_type(columns: impl Iterator<Item = Option<LogicalType>>) -> Option<LogicalType> {
    let mut known = None;
    for ty in columns {
        let ty = ty.filter(|ty| kind(*ty) != Kind::Unknown)?;
        if known.is_some_and(|known| kind(known) != kind(ty)) {
            return None;
        }
        known = Some(ty);
    }
    known
}

/// Types of which values may be equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Number,
    One(LogicalType),
}

fn kind(ty: LogicalType) -> Kind {
    match ty {
        LogicalType::Any => Kind::Unknown,
        LogicalType::Int | LogicalType::Float | LogicalType::Decimal => Kind::Number,
        other => Kind::One(other),
    }
}

/// Whether the text of a date, a time or a duration may begin so.
fn is_of_times(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, 'P' | '-' | '+')
}

/// What to write so that a comparison of two properties can be true.
fn hint_of_two(one: &Known, other: &str, ty: LogicalType) -> Option<String> {
    match (one.ty, ty) {
        (LogicalType::String, _) => Some(format!("write toString(…) around {other}")),
        (_, LogicalType::String) => Some(format!("write toString(…) around {}", one.name)),
        _ => None,
    }
}

/// What to write so that the comparison can be true.
fn hint(property: LogicalType, other: &Other) -> Option<String> {
    if other.is_test {
        return Some("write toString(…) around the property".to_owned());
    }
    let written = match (&other.parameter, &other.value) {
        (Some(name), _) => format!("${name}"),
        (None, Some(Value::String(text))) if text.len() <= 40 && text.starts_with(is_of_times) => {
            format!("'{text}'")
        }
        (None, Some(Value::Int(number))) => number.to_string(),
        _ => "…".to_owned(),
    };
    let is_text = other.ty == LogicalType::String;
    match property {
        LogicalType::Date
        | LogicalType::DateTime
        | LogicalType::LocalDateTime
        | LogicalType::Time
        | LogicalType::LocalTime
        | LogicalType::Duration => {
            Some(format!("write {}({written})", property.name().replace(' ', "").to_lowercase()))
        }
        LogicalType::Int | LogicalType::Float | LogicalType::Decimal if is_text => match &other.value {
            Some(Value::String(text)) if other.parameter.is_none() && text.trim().parse::<f64>().is_ok() => {
                Some(format!("write {} without quotes", text.trim()))
            }
            _ => Some(format!("pass a number, or write toInteger({written})")),
        },
        LogicalType::String if matches!(kind(other.ty), Kind::Number) => {
            match (&other.parameter, &other.value) {
                (None, Some(Value::Int(number))) => Some(format!("write '{number}'")),
                _ => Some(format!("pass a text, or write toString({written})")),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Database};
    use trimorph_types::Value;

    #[test]
    fn what_is_never_true_is_said_with_what_to_write() {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        let make = "UNWIND range(1, 9) AS i CREATE (:A {id: i, name: 'n' + i, born: date('2000-01-01'), mixed: i}), \
                    (:B {mixed: 'text', half: i / 2.0})";
        connection.query(make, &[]).unwrap();
        let edges = "MATCH (a:A), (b:B) CREATE (a)-[:R {since: date('2020-01-01'), w: 1.5}]->(b)";
        connection.query(edges, &[]).unwrap();
        let params = [
            ("text", Value::string("7")),
            ("number", Value::Int(7)),
            ("list", Value::list(vec![Value::string("7")])),
        ];
        for (condition, expected) in [
            (
                "a.id = '7'",
                &[
                    "\"id\" is INTEGER and is compared with STRING: this is never true (write 7 without quotes)",
                ][..],
            ),
            (
                "'x' < a.id",
                &[
                    "\"id\" is INTEGER and is compared with STRING: this is never true (pass a number, or write toInteger(…))",
                ],
            ),
            (
                "a.id = $text",
                &[
                    "\"id\" is INTEGER, and the parameter \"$text\" is STRING: this is never true (pass a number, or write toInteger($text))",
                ],
            ),
            (
                "a.id IN $list",
                &[
                    "\"id\" is INTEGER, and the parameter \"$list\" is STRING: this is never true (pass a number, or write toInteger($list))",
                ],
            ),
            (
                "a.name = 7",
                &["\"name\" is STRING and is compared with INTEGER: this is never true (write '7')"],
            ),
            (
                "a.name = $number",
                &[
                    "\"name\" is STRING, and the parameter \"$number\" is INTEGER: this is never true (pass a text, or write toString($number))",
                ],
            ),
            (
                "a.born >= '2000-01-01'",
                &[
                    "\"born\" is DATE and is compared with STRING: this is never true (write date('2000-01-01'))",
                ],
            ),
            (
                "a.born STARTS WITH '2000'",
                &[
                    "\"born\" is DATE and is compared with STRING: this is never true (write toString(…) around the property)",
                ],
            ),
            ("a.id = 7.0 AND a.half = 1 AND a.id <> 'x' AND a.name = 'n1'", &[]),
            ("a.mixed = 'text' OR a.mixed = 1 OR a.born = date('2000-01-01')", &[]),
            ("a.id IN [] OR a.id IN [1, 'x'] OR a.id = a.half OR a.id = $none", &[]),
            ("a.id = a.mixed OR toString(a.id) = a.name OR date(a.name) = a.born", &[]),
            (
                "a.id = a.name",
                &[
                    "\"id\" is INTEGER and \"name\" is STRING: this is never true (write toString(…) around \"id\")",
                ],
            ),
            ("a.born = a.half", &["\"born\" is DATE and \"half\" is FLOAT: this is never true ()"]),
            (
                "date(a.name) > '2020-01-01'",
                &[
                    "date(…) is DATE and is compared with STRING: this is never true (write date('2020-01-01'))",
                ],
            ),
            ("a.name = date()", &["\"name\" is STRING and is compared with DATE: this is never true ()"]),
            (
                "COUNT { (a)-[r:R]->() WHERE r.since > '2020-01-01' } > 0",
                &[
                    "\"since\" is DATE and is compared with STRING: this is never true (write date('2020-01-01'))",
                ],
            ),
            ("COUNT { (a)-[r:R]->() WHERE r.since > date('2020-01-01') AND r.w = 1 } > 0", &[]),
        ] {
            let text = format!("MATCH (a) WHERE {condition} RETURN count(*)");
            let all = [&params[..], &[("none", Value::Null)]].concat();
            let result = connection.query(&text, &all).unwrap();
            let found: Vec<String> = result
                .notices()
                .iter()
                .map(|n| format!("{} ({})", n.message, n.hint.as_deref().unwrap_or_default()))
                .collect();
            assert_eq!(found, expected, "{condition}");
        }
    }

    /// A key that is looked up: by one value, by any of a list, and by a range.
    #[test]
    fn keys_are_compared_with_what_they_are_looked_up_by() {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        connection.query("CREATE CONSTRAINT FOR (a:A) REQUIRE a.id IS UNIQUE", &[]).unwrap();
        connection.query("UNWIND range(1, 9) AS i CREATE (:A {id: i})", &[]).unwrap();
        let params = [
            ("number", Value::Int(7)),
            ("text", Value::string("7")),
            ("numbers", Value::list(vec![Value::Int(7), Value::Int(8)])),
            ("texts", Value::list(vec![Value::string("7")])),
        ];
        for (condition, expected) in [
            ("a.id = $number", 0),
            ("a.id IN $numbers", 0),
            ("a.id IN [7, 8]", 0),
            ("a.id > 3 AND a.id <= 5", 0),
            ("a.id = $text", 1),
            ("a.id IN $texts", 1),
            ("a.id IN ['7']", 1),
        ] {
            let text = format!("MATCH (a:A) WHERE {condition} RETURN count(*)");
            let result = connection.query(&text, &params).unwrap();
            assert_eq!(result.notices().len(), expected, "{condition}: {:?}", result.notices());
        }
    }

    #[test]
    fn an_empty_database_says_so() {
        let database = Database::in_memory(Config::default());
        let connection = database.connect();
        let notices = |text: &str| connection.query(text, &[]).unwrap().notices().len();
        assert_eq!(notices("MATCH (n:A) RETURN n"), 1);
        assert_eq!(notices("MATCH (n)-->() RETURN count(*)"), 1);
        assert_eq!(notices("RETURN 1"), 0);
        assert_eq!(notices("MATCH (n) DETACH DELETE n"), 0);
        assert_eq!(notices("MERGE (:A)"), 0);
        assert_eq!(notices("MATCH (n:A) RETURN n"), 0);
    }
}

//! Expressions that are not predicates.

use super::writer::{Kind, Writer};
use crate::graphs::{PROPERTIES, PropertyKind, WORDS, random_value};

impl Writer {
    /// A property and the kind of its values.
    pub(super) fn property_name(&mut self) -> (&'static str, PropertyKind) {
        match self.random.below(16) {
            0 => ("id", PropertyKind::SmallInt),
            1 => ("code", PropertyKind::Word),
            2..6 => *self.random.pick(&[PROPERTIES[0], PROPERTIES[3], PROPERTIES[5]]),
            _ => *self.random.pick(&PROPERTIES),
        }
    }

    /// `x.property` of a node or relationship in scope.
    pub(super) fn property(&mut self) -> Option<(String, PropertyKind)> {
        let subject = self.variable(|kind| matches!(kind, Kind::Node | Kind::Edge))?;
        let (name, kind) = self.property_name();
        Some((format!("{}.{name}", subject.name), kind))
    }

    /// `x.age`: the one property whose values are always small integers.
    pub(super) fn small_number(&mut self) -> String {
        match self.variable(|kind| matches!(kind, Kind::Node | Kind::Edge)) {
            Some(subject) => format!("{}.age", subject.name),
            None => self.random.below(5).to_string(),
        }
    }

    /// A literal of a kind, or a parameter.
    pub(super) fn literal(&mut self, kind: PropertyKind) -> String {
        use PropertyKind as K;
        if self.random.chance(20) {
            let value = random_value(&mut self.random, kind);
            return self.parameter(value);
        }
        let random = &mut self.random;
        match kind {
            K::SmallInt => random.between(-3, 6).to_string(),
            K::Float => (*random.pick(&["1.5", "-1.5", "0.0", "(0.0 / 0.0)", "1", "1e300", "-0.25"])).into(),
            K::Word => quoted(random.pick::<&str>(&WORDS)),
            K::Bool => (*random.pick(&["true", "false"])).into(),
            K::Date => {
                (*random.pick(&["date('2000-02-29')", "date('1970-01-01')", "date('2000-03-01')"])).into()
            }
            K::LocalTime => format!("localtime('{:02}:00')", random.below(24)),
            K::LocalDateTime => format!("localdatetime('1970-01-01T00:00:0{}')", random.below(6)),
            K::DateTime => format!("datetime('1970-01-01T00:00:0{}Z')", random.below(6)),
            K::Duration => {
                (*random.pick(&["duration('P1D')", "duration('PT24H')", "duration('P1M-2D')"])).into()
            }
            K::List => (*random.pick(&["[]", "[1, 'ann']", "[null]", "[2]", "[1, null]"])).into(),
            K::Map => (*random.pick(&["{}", "{a: 1}", "{a: null, b: 'ann'}"])).into(),
            K::WideInt | K::Text => {
                let value = random_value(random, kind);
                self.parameter(value)
            }
            K::Mixed => {
                let kind = *random.pick(&[K::SmallInt, K::Float, K::Word, K::Bool, K::Date, K::List]);
                self.literal(kind)
            }
        }
    }

    /// An expression and the kind of its values.
    pub(super) fn value(&mut self) -> (String, Kind) {
        use PropertyKind as K;
        if self.nests(8) {
            return self.subquery_value();
        }
        let node = self.variable(|kind| kind == Kind::Node);
        let path = self.variable(|kind| kind == Kind::Path);
        let edge = self.variable(|kind| kind == Kind::Edge);
        let scalar = self.variable(|kind| matches!(kind, Kind::Value(_)));
        let edges = self.variable(|kind| kind == Kind::Edges);
        let number = Kind::Value(K::SmallInt);
        match (self.random.below(20), node, edge) {
            (0, Some(node), _) => (format!("labels({})", node.name), Kind::Value(K::Mixed)),
            (1, Some(node), _) => (format!("id({})", node.name), Kind::Value(K::WideInt)),
            (2, _, Some(edge)) => (format!("type({})", edge.name), Kind::Value(K::Word)),
            (3, _, Some(edge)) => (format!("startNode({})", edge.name), Kind::Node),
            (4, _, _) => (format!("{} + {}", self.small_number(), self.random.below(4)), number),
            (5, Some(node), _) => (format!("size({}.tags)", node.name), number),
            (6, Some(node), _) => (format!("toUpper({}.name)", node.name), Kind::Value(K::Word)),
            (7, Some(node), _) => (format!("coalesce({0}.name, {0}.age)", node.name), Kind::Value(K::Mixed)),
            (8, Some(node), _) => (format!("{} {{.name, .age, three: 3}}", node.name), Kind::Value(K::Map)),
            (9, Some(node), _) => {
                (format!("[x IN {}.tags WHERE x IS NOT NULL | [x]]", node.name), Kind::Value(K::List))
            }
            (10, Some(node), _) => (self.comprehension(&node.name), Kind::Bag),
            (11, _, _) => {
                let condition = self.predicate(1);
                (format!("CASE WHEN {condition} THEN 1 ELSE {} END", self.small_number()), number)
            }
            (12, Some(node), _) => {
                (format!("CASE {}.name WHEN 'ann' THEN 1 WHEN null THEN 2 ELSE 0 END", node.name), number)
            }
            (13, _, _) => match (path, edges) {
                (Some(path), _) => (format!("length({})", path.name), number),
                (_, Some(edges)) => (format!("size({})", edges.name), number),
                _ => (self.literal(K::Mixed), Kind::Value(K::Mixed)),
            },
            (14, Some(node), _) => (format!("reduce(s = 0, x IN {}.tags | s + 1)", node.name), number),
            (15, _, _) if scalar.is_some() => {
                let Some(scalar) = scalar else { return (self.small_number(), number) };
                (scalar.name, scalar.kind)
            }
            _ => match self.property() {
                Some((text, kind)) => (text, Kind::Value(kind)),
                None => (self.literal(K::SmallInt), number),
            },
        }
    }

    /// `[(n)-[:T]->(x) WHERE … | x.age]`
    pub(super) fn comprehension(&mut self, node: &str) -> String {
        let (inner, name) = (format!("[{}]", self.types()), self.fresh("x"));
        let (step, labels) = (self.directed(&inner), self.labels());
        let (property, kind) = self.property_name();
        let condition = match self.random.chance(40) {
            true => format!(" WHERE {name}.{property} {} {}", self.comparison_symbol(), self.literal(kind)),
            false => String::new(),
        };
        format!("[({node}){step}({name}{labels}){condition} | {name}.{property}]")
    }
}

/// A string literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "\\'"))
}

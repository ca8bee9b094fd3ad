//! Conditions.

use super::writer::{Kind, Writer};
use crate::graphs::PropertyKind;

impl Writer {
    pub(super) fn comparison_symbol(&mut self) -> &'static str {
        self.random.pick::<&'static str>(&["=", "=", "<>", "<", "<=", ">", ">="])
    }

    /// A condition with at most `depth` connectives within each other.
    pub(super) fn predicate(&mut self, depth: usize) -> String {
        if self.nests(10) {
            return self.subquery_test();
        }
        let node = self.variable(|kind| kind == Kind::Node);
        match (self.random.below(if depth > 0 { 20 } else { 13 }), node) {
            (0..3, _) => self.property_comparison(),
            (3, _) => {
                let (text, _) = self.value();
                format!("{text} IS {}NULL", if self.random.chance(50) { "NOT " } else { "" })
            }
            (4, _) => self.membership(),
            (5, Some(node)) => {
                let word = *self.random.pick(&["STARTS WITH", "ENDS WITH", "CONTAINS"]);
                let property = *self.random.pick(&["name", "text", "mix"]);
                format!("{}.{property} {word} {}", node.name, self.literal(PropertyKind::Word))
            }
            (6, Some(node)) => {
                let labels = self.labels();
                if labels.is_empty() {
                    format!("{}:Person", node.name)
                } else {
                    format!("{}{labels}", node.name)
                }
            }
            (7, Some(node)) => {
                let (inner, other) = (format!("[{}]", self.types()), self.labels());
                format!("({}){}({other})", node.name, self.directed(&inner))
            }
            (8, Some(node)) => self.exists(&node.name),
            (9, Some(node)) => {
                let kind = *self.random.pick(&["any", "all", "none", "single"]);
                format!(
                    "{kind}(x IN {}.tags WHERE x {} {})",
                    node.name,
                    self.comparison_symbol(),
                    self.literal(PropertyKind::Mixed)
                )
            }
            (10, Some(node)) => format!("{}.flag", node.name),
            (11, Some(node)) => {
                format!("size({}) > {}", self.comprehension(&node.name), self.random.below(2))
            }
            (12, _) => self.scalar_comparison(),
            (13..16, _) => format!("({} AND {})", self.predicate(depth - 1), self.predicate(depth - 1)),
            (16 | 17, _) => format!("({} OR {})", self.predicate(depth - 1), self.predicate(depth - 1)),
            (18, _) => format!("NOT ({})", self.predicate(depth - 1)),
            (19, _) => format!("({} XOR {})", self.predicate(depth - 1), self.predicate(depth - 1)),
            _ => self.property_comparison(),
        }
    }

    /// A property against a literal or another property.
    fn property_comparison(&mut self) -> String {
        let Some((left, kind)) = self.property() else { return self.scalar_comparison() };
        let symbol = self.comparison_symbol();
        let right = match (self.random.below(10), self.property()) {
            (0, Some((right, _))) => right,
            (1, Some((right, _))) => right.split('.').next().map_or_else(
                || right.clone(),
                |subject| format!("{subject}.{}", left.rsplit('.').next().unwrap_or("age")),
            ),
            (2, _) => self.literal(PropertyKind::Mixed),
            _ => self.literal(kind),
        };
        format!("{left} {symbol} {right}")
    }

    fn scalar_comparison(&mut self) -> String {
        let (left, kind) = match self.variable(|kind| matches!(kind, Kind::Value(_))) {
            Some(scalar) => (scalar.name, scalar.kind),
            None => (self.small_number(), Kind::Value(PropertyKind::SmallInt)),
        };
        let kind = if let Kind::Value(kind) = kind { kind } else { PropertyKind::Mixed };
        format!("{left} {} {}", self.comparison_symbol(), self.literal(kind))
    }

    fn membership(&mut self) -> String {
        let Some((left, kind)) = self.property() else { return self.scalar_comparison() };
        let mut items: Vec<String> = (0..self.random.below(4)).map(|_| self.literal(kind)).collect();
        if self.random.chance(15) {
            items.push("null".into());
        }
        format!("{left} IN [{}]", items.join(", "))
    }

    fn exists(&mut self, node: &str) -> String {
        let (inner, name) = (format!("[{}]", self.types()), self.fresh("y"));
        let (step, labels) = (self.directed(&inner), self.labels());
        let (property, kind) = self.property_name();
        let condition = format!("{name}.{property} {} {}", self.comparison_symbol(), self.literal(kind));
        match self.random.below(3) {
            0 => format!("EXISTS {{ MATCH ({node}){step}({name}{labels}) WHERE {condition} }}"),
            1 => format!("EXISTS {{ ({node}){step}({name}{labels}) }}"),
            _ => format!("COUNT {{ ({node}){step}({name}{labels}) }} = {}", self.random.below(3)),
        }
    }
}

//! What is in scope while a query is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_types::Value;

use crate::Random;
use crate::compare::Comparison;
use crate::graphs::PropertyKind;

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Node,
    Edge,
    /// A list of relationships.
    Edges,
    Path,
    /// A value such as properties of this kind have, or null.
    Value(PropertyKind),
    /// A list whose order is not determined.
    Bag,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Writes queries.
pub(super) struct Writer {
    pub(super) random: Random,
    pub(super) scope: Vec<Variable>,
    pub(super) parameters: BTreeMap<Arc<str>, Value>,
    pub(super) comparison: Comparison,
    names: usize,
    /// How many queries may stand in each other here.
    pub(super) nesting: usize,
}

impl Writer {
    pub(super) fn new(random: Random) -> Self {
        let comparison = Comparison::default();
        Self { random, scope: Vec::new(), parameters: BTreeMap::new(), comparison, names: 0, nesting: 0 }
    }

    /// A name that was not used before.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Adds a variable.
    pub(super) fn define(&mut self, name: &str, kind: Kind) {
        self.scope.push(Variable { name: name.into(), kind });
    }

    /// A variable of the scope that `wanted` accepts.
    pub(super) fn variable(&mut self, wanted: impl Fn(Kind) -> bool) -> Option<Variable> {
        let fitting: Vec<&Variable> = self.scope.iter().filter(|v| wanted(v.kind)).collect();
        if fitting.is_empty() { None } else { Some((*self.random.pick(&fitting)).clone()) }
    }

    /// A parameter with this value.
    pub(super) fn parameter(&mut self, value: Value) -> String {
        let name = format!("p{}", self.parameters.len());
        self.parameters.insert(Arc::from(name.as_str()), value);
        format!("${name}")
    }

    /// Clauses from the first to `RETURN`.
    pub(super) fn single_query(&mut self, columns: Option<usize>) -> String {
        self.scope.clear();
        let mut clauses = Vec::new();
        if self.random.chance(10) {
            clauses.push(self.unwind());
        }
        clauses.push(self.match_clause(4, false));
        for _ in 0..self.random.below(3) {
            let clause = match self.random.below(5) {
                0 | 1 => self.with(),
                2 => self.match_clause(2, true),
                3 => self.match_clause(2, false),
                _ => self.unwind(),
            };
            clauses.push(clause);
            if self.nests(30) {
                clauses.push(self.call());
            }
        }
        if self.nests(30) {
            clauses.push(self.call());
        }
        if self.nests(25) {
            clauses.push(self.shortest());
        }
        clauses.push(self.return_clause(columns));
        clauses.join(" ")
    }

    pub(super) fn match_clause(&mut self, nodes_max: usize, optional: bool) -> String {
        let pattern = self.pattern(nodes_max);
        let condition =
            if self.random.chance(40) { format!(" WHERE {}", self.predicate(2)) } else { String::new() };
        format!("{}MATCH {pattern}{condition}", if optional { "OPTIONAL " } else { "" })
    }

    pub(super) fn unwind(&mut self) -> String {
        let (list, kind) = match self.variable(|kind| kind == Kind::Bag) {
            Some(bag) if self.random.chance(50) => (bag.name, PropertyKind::Mixed),
            _ => match self.variable(|kind| kind == Kind::Node) {
                Some(node) if self.random.chance(30) => (format!("{}.tags", node.name), PropertyKind::Mixed),
                _ => {
                    let kind =
                        *self.random.pick(&[PropertyKind::SmallInt, PropertyKind::Word, PropertyKind::Mixed]);
                    let items: Vec<String> = (0..self.random.below(4)).map(|_| self.literal(kind)).collect();
                    (format!("[{}]", items.join(", ")), kind)
                }
            },
        };
        let name = self.fresh("u");
        self.define(&name, Kind::Value(kind));
        format!("UNWIND {list} AS {name}")
    }
}

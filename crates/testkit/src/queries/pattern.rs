//! Patterns: chains, stars, cycles.

use super::writer::{Kind, Writer};
use crate::graphs::{LABELS, TYPES};

impl Writer {
    /// One or two paths of at most `nodes_max` nodes in all; what they name is in scope afterwards.
    pub(super) fn pattern(&mut self, nodes_max: usize) -> String {
        let nodes = 1 + self.random.below(nodes_max);
        let mut named: Vec<String> = Vec::new();
        let text = match self.random.below(6) {
            0 if nodes > 2 => self.star(nodes, &mut named),
            1 if nodes > 1 => {
                let start = self.fresh("n");
                let path = self.chain(Some(&start), nodes, Some(&start), &mut named);
                self.define(&start, Kind::Node);
                path
            }
            2 if nodes > 1 => {
                let first = self.chain(None, nodes - 1, None, &mut named);
                format!("{first}, {}", self.node(&mut named))
            }
            _ => {
                let path = self.chain(None, nodes, None, &mut named);
                if self.random.chance(12) {
                    let name = self.fresh("path");
                    self.define(&name, Kind::Path);
                    format!("{name} = {path}")
                } else {
                    path
                }
            }
        };
        named.iter().for_each(|name| self.define(name, Kind::Node));
        text
    }

    /// Paths from one node.
    fn star(&mut self, nodes: usize, named: &mut Vec<String>) -> String {
        let centre = self.fresh("n");
        let arms: Vec<String> = (1..nodes).map(|_| self.chain(Some(&centre), 2, None, named)).collect();
        named.push(centre);
        arms.join(", ")
    }

    /// A path of `nodes` nodes, the first and last of these names if they are given.
    fn chain(
        &mut self,
        first: Option<&str>,
        nodes: usize,
        last: Option<&str>,
        named: &mut Vec<String>,
    ) -> String {
        let mut text = match first {
            Some(name) => format!("({name}{})", self.labels()),
            None => self.node(named),
        };
        for place in 1..nodes.max(2).min(if first.is_some() { usize::MAX } else { nodes }) {
            text.push_str(&self.relationship());
            match last {
                Some(name) if place + 1 == nodes => text.push_str(&format!("({name})")),
                _ => text.push_str(&self.node(named)),
            }
        }
        text
    }

    /// A node, new or of the scope, named or not.
    pub(super) fn node(&mut self, named: &mut Vec<String>) -> String {
        let known = self.variable(|kind| kind == Kind::Node);
        let name = match (known, self.random.below(10)) {
            (Some(known), 0..4) => known.name,
            (_, 9) => String::new(),
            _ => {
                let name = self.fresh("n");
                named.push(name.clone());
                name
            }
        };
        let labels = self.labels();
        let properties = if self.random.chance(6) { self.property_map() } else { String::new() };
        format!("({name}{labels}{properties})")
    }

    fn property_map(&mut self) -> String {
        let (name, kind) = self.property_name();
        format!(" {{{name}: {}}}", self.literal(kind))
    }

    pub(super) fn labels(&mut self) -> String {
        let (a, b) = (*self.random.pick(&LABELS), *self.random.pick(&LABELS));
        match self.random.below(16) {
            0..4 => format!(":{}", ["Person", "Company", "Tag", "Admin"][self.random.below(4)]),
            4 => format!(":{a}"),
            5 => ":Person:Admin".into(),
            6 => format!(":{a}|{b}"),
            7 => format!(":!{a}"),
            8 => format!(":{a}&!{b}"),
            _ => String::new(),
        }
    }

    /// A relationship between its two dashes, named or not.
    fn relationship(&mut self) -> String {
        let types = self.types();
        let (name, length) = match self.random.below(10) {
            0 => (self.edge_name(Kind::Edges), *self.random.pick(&["*0..2", "*1..2", "*2", "*..2", "*0..1"])),
            1..6 => (self.edge_name(Kind::Edge), ""),
            _ => (String::new(), ""),
        };
        let properties = if self.random.chance(4) { self.property_map() } else { String::new() };
        let inner = format!("{name}{types}{length}{properties}");
        let inner = if inner.is_empty() { inner } else { format!("[{inner}]") };
        self.directed(&inner)
    }

    fn edge_name(&mut self, kind: Kind) -> String {
        let name = self.fresh("r");
        self.define(&name, kind);
        name
    }

    pub(super) fn types(&mut self) -> String {
        let (a, b) = (*self.random.pick(&TYPES), *self.random.pick(&TYPES));
        match self.random.below(8) {
            0..3 => format!(":{}", self.random.pick(&TYPES[..3])),
            3 => format!(":{a}"),
            4 => format!(":{a}|{b}"),
            _ => String::new(),
        }
    }

    pub(super) fn directed(&mut self, inner: &str) -> String {
        match self.random.below(5) {
            0 | 1 => format!("-{inner}->"),
            2 | 3 => format!("<-{inner}-"),
            _ => format!("-{inner}-"),
        }
    }
}

//! What older seeds do not have. Shortest paths; queries within queries: `CALL { … }`, `EXISTS`, `COUNT`,
//! `COLLECT`, with unions of branches that see the outer row.

use super::writer::{Kind, Variable, Writer};
use crate::graphs::PropertyKind;

/// How the branches of a `CALL` come by outer names.
enum Imports {
    /// `CALL (n) { … }`, or an expression: they see them.
    Seen,
    /// `WITH n` begins each branch.
    With(String),
}

impl Writer {
    /// Whether a query within the query is to come here.
    pub(super) fn nests(&mut self, percent: usize) -> bool {
        self.nesting > 0 && self.random.chance(percent)
    }

    /// `CALL { … }`; its column is in scope afterwards.
    pub(super) fn call(&mut self) -> String {
        let column = self.fresh("c");
        let outer = self.scope.clone();
        // A list without a determined order goes into no branch: what is made of it would have none.
        let plain: Vec<Variable> = outer.iter().filter(|v| v.kind != Kind::Bag).cloned().collect();
        let mut imported: Vec<Variable> = Vec::new();
        for variable in plain {
            if imported.len() < 3 && self.random.chance(60) {
                imported.push(variable);
            }
        }
        let names = imported.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", ");
        let listed = self.random.chance(50);
        let imports = match listed || imported.is_empty() {
            true => Imports::Seen,
            false => Imports::With(format!("WITH {names} ")),
        };
        self.scope = imported;
        let body = self.branches(&column, &imports);
        self.scope = outer;
        self.define(&column, Kind::Value(PropertyKind::Mixed));
        if listed { format!("CALL ({names}) {{ {body} }}") } else { format!("CALL {{ {body} }}") }
    }

    /// Shortest paths, with conditions on the whole.
    pub(super) fn shortest(&mut self) -> String {
        let path = self.fresh("path");
        let mut named = Vec::new();
        let (from, types) = (self.node(&mut named), self.types());
        let length = *self.random.pick::<&str>(&["*..3", "*0..3", "*", "*1..2"]);
        let to = self.node(&mut named);
        let step = self.directed(&format!("[{types}{length}]"));
        named.iter().for_each(|name| self.define(name, Kind::Node));
        let all = self.random.chance(60);
        let function = if all { "allShortestPaths" } else { "shortestPath" };
        let mut conditions = Vec::new();
        for _ in 0..self.random.below(3) {
            let kind = *self.random.pick::<&str>(&["all", "none", "any", "single"]);
            let part = *self.random.pick::<&str>(&["nodes", "relationships"]);
            let (symbol, number) = (self.comparison_symbol(), self.random.below(4));
            conditions.push(match self.random.below(4) {
                0 => format!("length({path}) {symbol} {number}"),
                1 => format!("size({part}({path})) + 0 {symbol} {number}"),
                _ => format!("{kind}(x IN {part}({path}) WHERE x.age {symbol} {number})"),
            });
        }
        if self.random.chance(30) {
            conditions.push(self.predicate(1));
        }
        // Which of several one is does not matter where only its length is looked at.
        let text = format!("MATCH {path} = {function}({from}{step}{to})");
        if all {
            self.define(&path, Kind::Path);
        }
        match conditions.is_empty() {
            true => text,
            false => format!("{text} WHERE {}", conditions.join(" AND ")),
        }
    }

    /// A condition on the rows of a query.
    pub(super) fn subquery_test(&mut self) -> String {
        let body = self.inner_query();
        match self.random.below(3) {
            0 => format!("EXISTS {{ {body} }}"),
            1 => format!("COUNT {{ {body} }} > {}", self.random.below(3)),
            _ => format!("size(COLLECT {{ {body} }}) > {}", self.random.below(3)),
        }
    }

    /// A number or a list made of the rows of a query.
    pub(super) fn subquery_value(&mut self) -> (String, Kind) {
        let body = self.inner_query();
        let number = Kind::Value(PropertyKind::SmallInt);
        match self.random.below(3) {
            0 => (format!("COUNT {{ {body} }}"), number),
            1 => (format!("EXISTS {{ {body} }}"), Kind::Value(PropertyKind::Bool)),
            _ => (format!("COLLECT {{ {body} }}"), Kind::Bag),
        }
    }

    fn inner_query(&mut self) -> String {
        let column = self.fresh("c");
        let outer = self.scope.clone();
        self.scope.retain(|v| v.kind != Kind::Bag);
        let body = self.branches(&column, &Imports::Seen);
        self.scope = outer;
        body
    }

    /// One to three branches with this column.
    fn branches(&mut self, column: &str, imports: &Imports) -> String {
        self.nesting -= 1;
        let joint = if self.random.chance(40) { " UNION " } else { " UNION ALL " };
        let count = 1 + self.random.below(3);
        let scope = self.scope.clone();
        let branches: Vec<String> = (0..count)
            .map(|_| {
                self.scope.clone_from(&scope);
                let with = if let Imports::With(text) = imports { text.as_str() } else { "" };
                format!("{with}{}", self.branch(column))
            })
            .collect();
        self.nesting += 1;
        branches.join(joint)
    }

    fn branch(&mut self, column: &str) -> String {
        let rows = match self.random.below(6) {
            0 => String::new(),
            1 => format!("{} ", self.unwind()),
            2 if self.nesting > 0 => format!("{} ", self.call()),
            3 => format!("{} {} ", self.match_clause(2, false), self.match_clause(2, true)),
            _ => format!("{} ", self.match_clause(2, false)),
        };
        if self.random.chance(15) {
            return format!("{rows}RETURN count(*) AS {column}");
        }
        let value = loop {
            let (text, kind) = self.value();
            if kind != Kind::Bag {
                break text;
            }
        };
        let distinct = if self.random.chance(15) { "DISTINCT " } else { "" };
        let order = match self.random.below(8) {
            0 => format!(" ORDER BY {column} LIMIT {}", self.random.below(4)),
            1 => format!(" ORDER BY {column} SKIP {}", self.random.below(2)),
            _ => String::new(),
        };
        format!("{rows}RETURN {distinct}{value} AS {column}{order}")
    }
}

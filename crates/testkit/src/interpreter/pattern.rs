//! Query graphs by backtracking.
//!
//! 1. Nodes bound before must have the labels asked for; a null one matches nothing.
//! 2. Each edge of length one is tried with every edge of the graph.
//! 3. Nodes that no such edge touches are tried with every node.
//! 4. Each edge of variable length is tried with every trail between its two nodes, shortest paths last.
//! 5. No two edges of a `distinct` pair may share an edge; paths are made; every predicate must be true.

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, PathPattern, PathStep, QueryGraph, VarId};
use trimorph_base::{Diagnostic, ErrorKind, NodeId};
use trimorph_types::{Value, equivalent};

use super::walk::{Walk, relationships};
use super::{Edge, Interpreter, Row, Rows, internal};

/// A pattern being matched.
struct Matching<'q> {
    graph: &'q QueryGraph,
    /// Edges of length one, in the order they are tried.
    single: Vec<&'q EdgePattern>,
    /// Edges of variable length.
    variable: Vec<&'q EdgePattern>,
}

impl Interpreter<'_> {
    /// The rows that `graph` makes of one input row.
    pub(super) fn matches(&self, graph: &QueryGraph, row: Row) -> Rows {
        let (single, variable) = graph.edges.iter().partition(|edge| edge.range == EdgeRange::One);
        let single = connected_order(single, &row);
        let mut variable: Vec<&EdgePattern> = variable;
        // What is asked of shortest paths may speak of the others.
        variable.sort_by_key(|e| matches!(e.range, EdgeRange::Variable { shortest: Some(_), .. }));
        let matching = Matching { graph, single, variable };
        for node in &graph.nodes {
            match row.get(&node.var) {
                Some(Value::Node(id)) if !self.accepts(graph, node.var, *id) => return Ok(Vec::new()),
                Some(Value::Null) => return Ok(Vec::new()),
                None | Some(Value::Node(_)) => {}
                Some(other) => {
                    let primary = format!("expected a NODE, not {}", other.logical_type());
                    return Err(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary));
                }
            }
        }
        let mut out = Vec::new();
        self.match_single(&matching, 0, row, &mut out)?;
        Ok(out)
    }

    /// Step 2, from the edge at `place` on.
    fn match_single(
        &self,
        matching: &Matching<'_>,
        place: usize,
        row: Row,
        out: &mut Vec<Row>,
    ) -> Result<(), Diagnostic> {
        let Some(pattern) = matching.single.get(place) else { return self.match_nodes(matching, row, out) };
        for edge in &self.graph.edges {
            self.step()?;
            if !has_type(edge, pattern) {
                continue;
            }
            for (from, to) in readings(edge, pattern.direction) {
                let parts = [
                    (pattern.from, Value::Node(from)),
                    (pattern.to, Value::Node(to)),
                    (pattern.var, edge.value()),
                ];
                if let Some(row) = bound(&row, &parts)
                    && self.accepts(matching.graph, pattern.from, from)
                    && self.accepts(matching.graph, pattern.to, to)
                {
                    self.match_single(matching, place + 1, row, out)?;
                }
            }
        }
        Ok(())
    }

    /// Step 3.
    fn match_nodes(&self, matching: &Matching<'_>, row: Row, out: &mut Vec<Row>) -> Result<(), Diagnostic> {
        let Some(free) = matching.graph.nodes.iter().find(|node| !row.contains_key(&node.var)) else {
            return self.match_variable(matching, 0, row, out);
        };
        for node in &self.graph.nodes {
            self.step()?;
            if self.accepts(matching.graph, free.var, node.id)
                && let Some(row) = bound(&row, &[(free.var, Value::Node(node.id))])
            {
                self.match_nodes(matching, row, out)?;
            }
        }
        Ok(())
    }

    /// Step 4, from the edge at `place` on.
    fn match_variable(
        &self,
        matching: &Matching<'_>,
        place: usize,
        row: Row,
        out: &mut Vec<Row>,
    ) -> Result<(), Diagnostic> {
        let Some(pattern) = matching.variable.get(place) else {
            return self.finish(matching.graph, row, out);
        };
        let (Some(Value::Node(from)), Some(Value::Node(to))) = (row.get(&pattern.from), row.get(&pattern.to))
        else {
            return Err(internal("an edge pattern between variables that are not among the nodes"));
        };
        for trail in self.trails(pattern, *from, *to, &row)? {
            let list = Value::list(trail.iter().map(|edge| edge.value()).collect());
            if let Some(row) = bound(&row, &[(pattern.var, list)]) {
                self.match_variable(matching, place + 1, row, out)?;
            }
        }
        Ok(())
    }

    /// Step 5.
    fn finish(&self, graph: &QueryGraph, mut row: Row, out: &mut Vec<Row>) -> Result<(), Diagnostic> {
        for (a, b) in &graph.distinct {
            if share_an_edge(&row, *a, *b)? {
                return Ok(());
            }
        }
        for path in &graph.paths {
            let value = path_of(path, &row)?;
            row.insert(path.var, value);
        }
        for predicate in &graph.predicates {
            if !self.is_true(predicate, &row)? {
                return Ok(());
            }
        }
        out.push(row);
        Ok(())
    }

    /// Whether node `id` has the labels that the pattern asks of `var`.
    fn accepts(&self, graph: &QueryGraph, var: VarId, id: NodeId) -> bool {
        let Some(node) = self.graph.node(id) else { return false };
        let has = |label: &str| node.labels.iter().any(|name| &**name == label);
        graph.nodes.iter().filter(|pattern| pattern.var == var).all(|pattern| pattern.labels.matches(&has))
    }
}

/// The edges in an order in which each touches what is bound already, where that can be.
fn connected_order<'q>(mut left: Vec<&'q EdgePattern>, row: &Row) -> Vec<&'q EdgePattern> {
    let mut known: Vec<VarId> = row.keys().copied().collect();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let touching = left.iter().position(|edge| known.contains(&edge.from) || known.contains(&edge.to));
        let edge = left.remove(touching.unwrap_or(0));
        known.extend([edge.from, edge.to]);
        ordered.push(edge);
    }
    ordered
}

/// Whether an edge has one of the types asked for.
pub(super) fn has_type(edge: &Edge, pattern: &EdgePattern) -> bool {
    pattern.types.is_empty() || pattern.types.contains(&edge.ty)
}

/// The ends of an edge as read in a direction. A self loop reads the same both ways, so undirected it is read
/// once.
pub(super) fn readings(edge: &Edge, direction: Direction) -> Vec<(NodeId, NodeId)> {
    let (out, back) = ((edge.start, edge.end), (edge.end, edge.start));
    match direction {
        Direction::Out => vec![out],
        Direction::In => vec![back],
        Direction::Both if edge.start == edge.end => vec![out],
        Direction::Both => vec![out, back],
    }
}

/// The row with these variables; none if one of them has another value already.
fn bound(row: &Row, parts: &[(VarId, Value)]) -> Option<Row> {
    let mut row = row.clone();
    for (var, value) in parts {
        match row.get(var) {
            Some(known) if !equivalent(known, value) => return None,
            Some(_) => {}
            None => {
                row.insert(*var, value.clone());
            }
        }
    }
    Some(row)
}

fn share_an_edge(row: &Row, a: VarId, b: VarId) -> Result<bool, Diagnostic> {
    let edges = |var| {
        row.get(&var)
            .and_then(relationships)
            .ok_or_else(|| internal("a distinct pair of variables that are no edges"))
    };
    let (a, b) = (edges(a)?, edges(b)?);
    Ok(a.iter().any(|x| b.iter().any(|y| x.id == y.id)))
}

fn path_of(path: &PathPattern, row: &Row) -> Result<Value, Diagnostic> {
    let broken = || internal("a path whose steps do not alternate or do not connect");
    let mut walk: Option<Walk> = None;
    let mut over = Vec::new();
    for step in &path.steps {
        match step {
            PathStep::Edge(var) => over = row.get(var).and_then(relationships).ok_or_else(broken)?,
            PathStep::Node(var) => {
                let Some(Value::Node(node)) = row.get(var) else { return Err(broken()) };
                let connected = match &mut walk {
                    None => {
                        walk = Some(Walk::new(*node));
                        true
                    }
                    Some(walk) => walk.over_all(&over, *node),
                };
                if !connected {
                    return Err(broken());
                }
            }
        }
    }
    walk.map(Walk::value).ok_or_else(broken)
}

//! Trails: the ways from a node to a node on which no edge is walked twice.

use trimorph_algebra::{EdgePattern, EdgeRange, ShortestKind};
use trimorph_base::{Diagnostic, NodeId};
use trimorph_types::Value;

use super::pattern::{has_type, readings};
use super::{Edge, Interpreter, Row, internal};

/// A search for trails.
struct Search<'s, 'g> {
    pattern: &'s EdgePattern,
    row: &'s Row,
    to: NodeId,
    min: usize,
    max: usize,
    /// Edges walked so far.
    walked: Vec<&'g Edge>,
    found: Vec<Vec<&'g Edge>>,
}

impl<'a> Interpreter<'a> {
    /// The trails from `from` to `to` that the pattern asks for, each in walking order.
    pub(super) fn trails(
        &self,
        pattern: &EdgePattern,
        from: NodeId,
        to: NodeId,
        row: &Row,
    ) -> Result<Vec<Vec<&'a Edge>>, Diagnostic> {
        let (min, max, shortest) = match pattern.range {
            EdgeRange::One => return Err(internal("a single edge where a trail is wanted")),
            EdgeRange::Variable { min, max, shortest } => (min, max, shortest),
            EdgeRange::Reachable { min, max, trail } => {
                let is_reached = match trail {
                    true => {
                        let max = max.map_or(usize::MAX, |max| max as usize).min(self.graph.edges.len());
                        !self.trails_between(pattern, from, to, row, min as usize, max)?.is_empty()
                    }
                    false => self.is_reached(pattern, from, to, (min, max))?,
                };
                return Ok(if is_reached { vec![Vec::new()] } else { Vec::new() });
            }
        };
        let (min, edges) = (min as usize, self.graph.edges.len());
        let max = max.map_or(edges, |max| (max as usize).min(edges));
        let Some(kind) = shortest else { return self.trails_between(pattern, from, to, row, min, max) };
        // The shortest are those of the first length for which there are any that meet the conditions on the
        // whole; where the shortest of all is shorter than asked for, there are none. In order, those of all
        // lengths follow.
        let mut ordered = Vec::new();
        let mut is_reached = false;
        for len in 0..=max {
            let mut found = self.trails_between(pattern, from, to, row, len, len)?;
            is_reached |= !found.is_empty();
            if is_reached && len < min {
                return Ok(Vec::new());
            }
            let mut met = Vec::new();
            for trail in found {
                if self.meets_whole(pattern, &trail, row)? {
                    met.push(trail);
                }
            }
            found = met;
            if kind == ShortestKind::Ordered {
                ordered.append(&mut found);
            }
            if !found.is_empty() {
                if kind == ShortestKind::One {
                    found.truncate(1);
                }
                return Ok(found);
            }
        }
        Ok(ordered)
    }

    /// Whether a walk of so many edges, which may take edges twice, leads from `from` to `to`.
    fn is_reached(
        &self,
        pattern: &EdgePattern,
        from: NodeId,
        to: NodeId,
        (min, max): (u32, Option<u32>),
    ) -> Result<bool, Diagnostic> {
        let mut level = vec![from];
        // A walk that is longer has a shorter one in it.
        for depth in
            0..=max.unwrap_or(u32::MAX).min(u32::try_from(self.graph.nodes.len()).unwrap_or(u32::MAX))
        {
            if depth >= min && level.contains(&to) {
                return Ok(true);
            }
            let mut next = Vec::new();
            for edge in self.graph.edges.iter().filter(|edge| has_type(edge, pattern)) {
                self.step()?;
                for (start, end) in readings(edge, pattern.direction) {
                    if level.contains(&start) && !next.contains(&end) {
                        next.push(end);
                    }
                }
            }
            level = next;
        }
        Ok(false)
    }

    /// Whether a path satisfies the conditions on it as a whole.
    fn meets_whole(&self, pattern: &EdgePattern, trail: &[&Edge], row: &Row) -> Result<bool, Diagnostic> {
        let mut row = row.clone();
        row.insert(pattern.var, Value::list(trail.iter().map(|edge| edge.value()).collect()));
        for condition in &pattern.whole {
            if !self.is_true(condition, &row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn trails_between(
        &self,
        pattern: &EdgePattern,
        from: NodeId,
        to: NodeId,
        row: &Row,
        min: usize,
        max: usize,
    ) -> Result<Vec<Vec<&'a Edge>>, Diagnostic> {
        let mut search = Search { pattern, row, to, min, max, walked: Vec::new(), found: Vec::new() };
        self.walk_on(&mut search, from)?;
        Ok(search.found)
    }

    fn walk_on(&self, search: &mut Search<'_, 'a>, here: NodeId) -> Result<(), Diagnostic> {
        if here == search.to && search.walked.len() >= search.min {
            search.found.push(search.walked.clone());
        }
        if search.walked.len() >= search.max {
            return Ok(());
        }
        let graph = self.graph;
        for edge in &graph.edges {
            self.step()?;
            if !has_type(edge, search.pattern) || search.walked.iter().any(|walked| walked.id == edge.id) {
                continue;
            }
            for (start, end) in readings(edge, search.pattern.direction) {
                if start == here && self.holds_for(search, edge)? {
                    search.walked.push(edge);
                    self.walk_on(search, end)?;
                    search.walked.pop();
                }
            }
        }
        Ok(())
    }

    /// Whether an edge on the way satisfies the condition on each.
    fn holds_for(&self, search: &Search<'_, '_>, edge: &Edge) -> Result<bool, Diagnostic> {
        let Some((var, condition)) = &search.pattern.each else { return Ok(true) };
        let mut row = search.row.clone();
        row.insert(*var, edge.value());
        self.is_true(condition, &row)
    }
}

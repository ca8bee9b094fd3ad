//! Leaves that nobody looks at become counting steps that hang at their neighbour.
//!
//! A node is such a leaf when it is not needed above, has one edge (a single one that is not needed either
//! and need not differ from another edge), and no predicate but on that edge. Taken off, its neighbour may
//! become a leaf in turn: a whole acyclic pattern under `count(*)` becomes one scan with a tree of counts.
//! Counts below the first step are made for all nodes of a table, so steps nest only where the pattern is not
//! anchored at a few nodes.
//!
//! The leaves are kept in the order they are taken in; when one is taken, only its neighbour is looked at
//! again.
//!
//! Source: GF-CL §6.2 (counting without enumerating), generalised.

use std::collections::{BTreeSet, HashMap};

use trimorph_algebra::{CountStep, Direction, EdgePattern, EdgeRange, Extend, Plan, QueryGraph, VarId};

use crate::edge_lookups::edge_lookup;
use crate::needed::{bottom_up, made_of};
use crate::planning::Planning;
use crate::selectivity::{Statistics, is_anchored};
use crate::tables::{Tables, edge_tables};
use crate::{Halt, VarSet, conjunction, set_of, vars_of};

/// The pass.
pub(crate) fn hang_counts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if !planning.options.count {
        return Ok(plan);
    }
    let known = planning.statistics();
    bottom_up(plan, &planning.needed, &mut |mut plan, needed| {
        if let Plan::Match { input, graph } = &mut plan {
            let made = made_of(graph, needed);
            let has_paths = graph.paths.iter().any(|p| made.contains(&p.var));
            if !has_paths && graph.edges.iter().any(|e| e.range == EdgeRange::One) {
                let bound: VarSet = input.vars().into_iter().collect();
                let anchored = !matches!(**input, Plan::Unit) || is_anchored(known, graph);
                let mut made = made;
                made.extend(looked_up(known, graph, &bound));
                made.extend(single_and_asked(known, graph));
                Leaves::new(std::mem::take(graph), made, bound, anchored).take_off(graph);
            }
        }
        Ok(plan)
    })
}

/// The edges that an index finds: they are found, not counted at each node.
fn looked_up(known: Statistics<'_>, graph: &QueryGraph, bound: &VarSet) -> Vec<VarId> {
    if graph.predicates.is_empty() || known.catalog.has_no_indexes() {
        return Vec::new();
    }
    let is_found = |edge: &&EdgePattern| {
        let ends = [edge.from, edge.to];
        let conditions = graph.predicates.iter().map(|predicate| (0, predicate));
        !ends.iter().any(|end| bound.contains(end)) && edge_lookup(known, conditions, edge, bound).is_some()
    };
    graph.edges.iter().filter(is_found).map(|edge| edge.var).collect()
}

/// The edges of which a node has one at most, and of which something is asked: to count them is to read them,
/// and they are read best many at once.
fn single_and_asked(known: Statistics<'_>, graph: &QueryGraph) -> Vec<VarId> {
    let is_asked = |edge: &&EdgePattern| graph.predicates.iter().any(|p| vars_of([p]).contains(&edge.var));
    let is_single = |edge: &&EdgePattern| {
        let tables = edge_tables(known.catalog, edge);
        edge.direction != Direction::Both
            && !tables.is_empty()
            && tables.iter().all(|t| known.catalog.is_single(*t))
    };
    graph.edges.iter().filter(is_asked).filter(is_single).map(|edge| edge.var).collect()
}

/// What decides which of two leaves is taken off first, smallest first; its place last.
///
/// Seen from the neighbour: properties are read in order forward only, and counts that need a pass of their
/// own come last.
type Rank = (bool, bool, bool, usize);

/// A pattern whose leaves are taken off.
struct Leaves {
    graph: QueryGraph,
    /// What is looked at above, or joins things.
    kept: VarSet,
    bound: VarSet,
    anchored: bool,
    /// Where each node is in the graph.
    places: HashMap<VarId, usize>,
    /// Edges at each node, those taken off too.
    at: HashMap<VarId, Vec<usize>>,
    /// Edges left at each node; one from a node to itself counts once.
    degree: HashMap<VarId, usize>,
    taken: Vec<bool>,
    /// Predicates that look at one variable alone.
    alone: HashMap<VarId, Vec<usize>>,
    /// Variables that a predicate with several looks at.
    joined: VarSet,
    hanging: HashMap<VarId, Vec<(usize, CountStep)>>,
}

impl Leaves {
    fn new(graph: QueryGraph, mut kept: VarSet, bound: VarSet, anchored: bool) -> Self {
        let mut alone: HashMap<VarId, Vec<usize>> = HashMap::new();
        let mut joined = VarSet::new();
        for (i, predicate) in graph.predicates.iter().enumerate() {
            let vars = vars_of([predicate]);
            match vars.first() {
                Some(var) if vars.len() == 1 => alone.entry(*var).or_default().push(i),
                // Predicates that join things keep them.
                _ => joined.extend(vars),
            }
        }
        joined.append(&mut set_of(graph.distinct.iter().flat_map(|(a, b)| [*a, *b])));
        kept.extend(&joined);
        let (mut at, mut degree) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, usize>::new());
        for (i, edge) in graph.edges.iter().enumerate() {
            for end in BTreeSet::from([edge.from, edge.to]) {
                at.entry(end).or_default().push(i);
                *degree.entry(end).or_default() += 1;
            }
        }
        let places = graph.nodes.iter().enumerate().map(|(i, n)| (n.var, i)).collect();
        let taken = vec![false; graph.edges.len()];
        let hanging = HashMap::new();
        Self { graph, kept, bound, anchored, places, at, degree, taken, alone, joined, hanging }
    }

    /// Takes all leaves off, and gives what is left and what hangs.
    fn take_off(mut self, out: &mut QueryGraph) {
        let mut leaves: BTreeSet<Rank> =
            (0..self.graph.nodes.len()).filter_map(|place| Some(self.leaf(place)?.0)).collect();
        let mut gone = vec![false; self.graph.nodes.len()];
        let (mut left, mut steps) = (gone.len(), 0);
        while left > 1
            && let Some(rank) = leaves.pop_first()
        {
            // What was a leaf may have lost its edge to one that was.
            let Some((now, edge)) = self.leaf(rank.3) else { continue };
            if now != rank {
                leaves.insert(now);
                continue;
            }
            let neighbour = self.hang(rank.3, edge, steps);
            (left, steps) = (left - 1, steps + 1);
            gone[rank.3] = true;
            if let Some(place) = self.places.get(&neighbour)
                && let Some((rank, _)) = self.leaf(*place)
            {
                leaves.insert(rank);
            }
        }
        let mut counts: Vec<(usize, VarId, CountStep)> = (self.hanging.into_iter())
            .flat_map(|(at, steps)| steps.into_iter().map(move |(i, step)| (i, at, step)))
            .collect();
        counts.sort_by_key(|(i, ..)| *i);
        let mut graph = self.graph;
        graph.counts = counts.into_iter().map(|(_, at, step)| (at, step)).collect();
        let mut gone = gone.into_iter();
        graph.nodes.retain(|_| !gone.next().unwrap_or(false));
        let asked: VarSet =
            (graph.edges.iter().zip(&self.taken)).filter(|(_, taken)| **taken).map(|(e, _)| e.var).collect();
        let mut taken = self.taken.into_iter();
        graph.edges.retain(|_| !taken.next().unwrap_or(false));
        if !asked.is_empty() {
            graph.predicates.retain(|p| vars_of([p]).is_disjoint(&asked));
        }
        *out = graph;
    }

    /// Takes one leaf off; gives the node it hangs at.
    fn hang(&mut self, place: usize, edge: usize, order: usize) -> VarId {
        self.taken[edge] = true;
        let node = self.graph.nodes[place].var;
        let pattern = &self.graph.edges[edge];
        for end in [pattern.from, pattern.to] {
            self.degree.entry(end).and_modify(|d| *d -= 1);
        }
        let predicates = self.alone.get(&pattern.var).into_iter().flatten();
        let predicate = conjunction(predicates.map(|i| self.graph.predicates[*i].clone()));
        let next = self.hanging.remove(&node).unwrap_or_default().into_iter().map(|(_, s)| s).collect();
        let step = step(pattern, node, predicate.is_some(), &self.graph.tables);
        let from = step.from;
        self.hanging.entry(from).or_default().push((order, CountStep { step, predicate, next }));
        from
    }

    /// The rank of a node if it is a leaf, and its edge.
    fn leaf(&self, place: usize) -> Option<(Rank, usize)> {
        let var = self.graph.nodes[place].var;
        let loaded = self.hanging.contains_key(&var);
        let is_used = |v: &VarId| self.alone.contains_key(v) || self.joined.contains(v);
        if self.degree.get(&var) != Some(&1)
            || self.kept.contains(&var)
            || self.bound.contains(&var)
            || (self.anchored && loaded)
            // A predicate on the node is a reason to start there.
            || is_used(&var)
        {
            return None;
        }
        let place_of = self.at.get(&var)?.iter().copied().find(|i| !self.taken[*i])?;
        let edge = &self.graph.edges[place_of];
        let is_free = edge.from != edge.to
            && edge.range == EdgeRange::One
            && !self.kept.contains(&edge.var)
            && !self.joined.contains(&edge.var);
        let filtered = self.alone.contains_key(&edge.var);
        let backward = (edge.to == var) == (edge.direction == Direction::In);
        is_free.then_some(((loaded, filtered && backward, backward, place), place_of))
    }
}

/// The step that counts the matches of an edge to a leaf.
fn step(edge: &EdgePattern, leaf: VarId, keeps_edge: bool, tables: &Tables) -> Extend {
    let from = if edge.from == leaf { edge.to } else { edge.from };
    Extend {
        from,
        edge: keeps_edge.then_some(edge.var),
        to: leaf,
        types: edge.types.clone(),
        direction: if edge.from == from { edge.direction } else { edge.direction.reversed() },
        to_tables: tables.get(&leaf).cloned(),
    }
}

//! Lists of many nodes that changes touched: the nodes in any order, what changed found for some of them
//! together.
//!
//! 1. Who goes over nodes tells which come next; for those whose lists changes touched these are found
//!    together, so that misses of the cache are waited for together.
//! 2. Then each is asked for in the same order. A list that takes long to put together is kept for who asks
//!    again when it is asked for a second time.
//!
//! Invariant: what was found is what the snapshot sees, whenever it is asked for.

use trimorph_base::{EdgeId, NodeId};
use trimorph_delta::ListChanges;

use super::Neighbours;
use super::list::NeighbourList;
use super::patch::{KEPT_CHANGES, Main};

/// Nodes that are told at first, and at most: who stops early has not looked far.
const FIRST: usize = 2;
const MOST: usize = 16;

/// Changes that are found ahead, whatever the number of nodes: a list is found whole. Chosen: 100 KB.
const CHANGES_MAX: usize = 1 << 12;

/// Long lists that are remembered for a second look. A power of two.
const LONG: usize = 128;

/// What changed in lists of nodes that come next.
#[derive(Debug)]
pub struct ListsAhead {
    /// Those that come next, and whether changes were looked for.
    nodes: Vec<(NodeId, bool)>,
    next: usize,
    /// Rows of those that were looked for, and what was found.
    rows: Vec<u64>,
    found: ListChanges,
    next_found: usize,
    /// How many nodes are told next.
    count: usize,
    /// Nodes that had a long list, by their lowest bits.
    long: Vec<NodeId>,
    main: Main,
}

impl Default for ListsAhead {
    fn default() -> Self {
        let (nodes, rows, found, long, main) = Default::default();
        Self { nodes, next: 0, rows, found, next_found: 0, count: FIRST, long, main }
    }
}

impl ListsAhead {
    /// Other nodes come now.
    pub fn clear(&mut self) {
        self.nodes.clear();
        (self.next, self.count) = (0, FIRST);
    }

    /// Whether all that was told has been asked for.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.next >= self.nodes.len()
    }

    /// Whether the list of a node was long before; it is from now on.
    fn was_long(&mut self, node: NodeId) -> bool {
        // No node has this id.
        self.long.resize(LONG, NodeId(u64::MAX));
        let place = self.long.get_mut(node.row() as usize % LONG);
        place.is_some_and(|place| std::mem::replace(place, node) == node)
    }
}

impl Neighbours<'_, '_> {
    /// Whether changes touched lists, so that it is worth looking ahead.
    #[inline]
    pub fn looks_ahead(&self) -> bool {
        self.changes.is_some()
    }

    /// Finds what changed in the lists of the first of `nodes`, all of the table walked from, for who then
    /// asks [`Self::append_ahead`] for them in this order.
    pub fn look_ahead(&self, nodes: impl Iterator<Item = NodeId>, ahead: &mut ListsAhead) {
        ahead.nodes.clear();
        ahead.rows.clear();
        ahead.found.clear();
        (ahead.next, ahead.next_found) = (0, 0);
        let Some((moment, marks)) = self.changes else { return };
        for node in nodes.take(ahead.count) {
            let looks = marks.meet(node.row(), 1) && moment.kept_patch(&self.patch_key(node)).is_none();
            ahead.nodes.push((node, looks));
            if looks {
                ahead.rows.push(node.row());
            }
        }
        ahead.count = (ahead.count * 2).min(MOST);
        if ahead.rows.len() > 1 {
            let (topology, reading) = (moment.topology(), moment.reading());
            let of = (self.from, &ahead.rows[..]);
            let (table, direction) = (self.table.id, self.direction());
            topology.changes_of_each(of, table, direction, &reading, CHANGES_MAX, &mut ahead.found);
        }
    }

    /// As [`Self::append`], of the next node that was told.
    pub fn append_ahead(
        &self,
        node: NodeId,
        ahead: &mut ListsAhead,
        nodes: &mut Vec<NodeId>,
        edges: Option<&mut Vec<EdgeId>>,
    ) {
        let told = ahead.nodes.get(ahead.next).filter(|(told, _)| *told == node).copied();
        ahead.next += 1;
        let place = match told {
            Some((_, true)) => {
                ahead.next_found += 1;
                ahead.next_found - 1
            }
            // Not told, or nothing was looked for.
            _ => return self.append(node, nodes, edges),
        };
        // Rows that were too many to be found are asked for by themselves.
        if place >= ahead.found.len() {
            return self.append(node, nodes, edges);
        }
        if ahead.found.of(place).len() >= KEPT_CHANGES && ahead.was_long(node) {
            return self.append(node, nodes, edges);
        }
        self.note(node.row(), 1);
        let ListsAhead { found, main, .. } = ahead;
        match found.of(place) {
            [] => NeighbourList { along: *self, node, form: self.main_form(node) }.append(nodes, edges),
            changes => self.append_changed(node, changes.iter(), main, nodes, edges),
        }
    }
}

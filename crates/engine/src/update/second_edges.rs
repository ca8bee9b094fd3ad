//! Edges that were put in, in; the facts that a node has one edge at most, broken where one of them may be a
//! second.
//!
//! Plans rely on such a fact, and it is true of every view as long as whoever puts an edge in finds that all
//! others of the node are gone for him: then who sees his edge sees that, too. So an edge that takes the
//! place of another one breaks nothing, whether the other went in the same transaction or before.
//!
//! Two that put edges in at one node at the same time do not see each other's; both have put theirs into the
//! tree before they look, so one of them meets the other, and breaks the fact before he can commit. A bulk
//! load puts its edges into main, and takes the fact back where anything was written.

use std::collections::BTreeSet;

use trimorph_base::EdgeTableId;
use trimorph_delta::{Direction, EdgeEnds};
use trimorph_store::Reader;
use trimorph_store::neighbours::Neighbours;

use super::{Statement, Writing};
use crate::Error;
use crate::facts::{Several, have_one, let_have_several};

impl Statement<'_> {
    /// Breaks what is not true any more of the ends of edges, which have just been put in.
    ///
    /// **Cost**: a look at the other edges of each end that is said to have one, some 200 ns; else none.
    pub(super) fn break_single(
        &self,
        writing: &Writing,
        table: EdgeTableId,
        edges: &[EdgeEnds],
    ) -> Result<(), Error> {
        let targets: BTreeSet<_> = edges.iter().map(|edge| edge.target.table()).collect();
        let ends = std::iter::once(Several::Sources).chain(targets.into_iter().map(Several::Targets));
        let single: Vec<Several> =
            self.shared.in_newest(|main| ends.filter(|ends| have_one(main, table, *ends)).collect());
        if single.is_empty() {
            return Ok(());
        }
        let newest = self.shared.base();
        let reader = Reader::new(&newest);
        let mut broken = Vec::new();
        for ends in single {
            let is_second = self.has_second(writing, &reader, (table, ends), edges)?;
            // What cannot be read now may have any.
            if is_second || reader.failure().is_some() {
                broken.push(ends);
            }
        }
        if broken.is_empty() {
            return Ok(());
        }
        self.shared.change_schema(|main| {
            broken.into_iter().for_each(|ends| let_have_several(main, table, ends));
            Ok(())
        })
    }

    /// Whether an end of one of the edges may have another.
    fn has_second(
        &self,
        writing: &Writing,
        reader: &Reader<'_>,
        (table, ends): (EdgeTableId, Several),
        edges: &[EdgeEnds],
    ) -> Result<bool, Error> {
        let (topology, writer) = (writing.live().delta.topology(), writing.writer());
        let (mut nodes, mut ids) = (Vec::new(), Vec::new());
        let mut lists = None;
        for (at, edge) in edges.iter().enumerate() {
            self.check(at)?;
            let (direction, node) = match ends {
                Several::Sources => (Direction::Forward, edge.source),
                Several::Targets(of) if edge.target.table() == of => (Direction::Backward, edge.target),
                Several::Targets(_) => continue,
            };
            let forward = direction == Direction::Forward;
            let lists: &Neighbours<'_, '_> = lists
                .get_or_insert_with(|| Neighbours::all(reader, usize::from(table.0), forward, node.table()));
            nodes.clear();
            ids.clear();
            lists.append(node, &mut nodes, Some(&mut ids));
            if ids.len() > 1 || topology.is_beside_another(&writer, *edge, direction, ids.first().copied()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

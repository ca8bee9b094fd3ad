//! The adjacencies that a step visits from the nodes of a table, resolved once for the rows at hand and not
//! for each.

use trimorph_base::TableId;
use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::Neighbours;

use crate::Context;

/// Tables that are remembered: walks go to and fro between few.
const TABLES_MAX: usize = 8;

/// The adjacencies of a step, by the table of the nodes that they are of.
pub(super) struct Resolved<'r, 's> {
    step: &'r EdgeAccess,
    /// Those that were asked for.
    tables: Vec<(TableId, Vec<Neighbours<'r, 's>>)>,
    /// The place of the one asked for last, which mostly is asked for next.
    last: usize,
}

impl<'r, 's> Resolved<'r, 's> {
    /// None yet.
    pub(super) fn new(step: &'r EdgeAccess) -> Self {
        Self { step, tables: Vec::new(), last: 0 }
    }

    /// Those from nodes of `table`, in their order.
    #[inline]
    pub(super) fn of(&mut self, table: TableId, cx: &'r Context<'s>) -> &[Neighbours<'r, 's>] {
        if self.tables.get(self.last).is_none_or(|(last, _)| *last != table) {
            self.find(table, cx);
        }
        self.tables.get(self.last).map_or(&[], |(_, along)| along)
    }

    #[inline(never)]
    fn find(&mut self, table: TableId, cx: &'r Context<'s>) {
        if let Some(place) = self.tables.iter().position(|(known, _)| *known == table) {
            self.last = place;
            return;
        }
        if self.tables.len() == TABLES_MAX {
            self.tables.clear();
        }
        self.last = self.tables.len();
        self.tables.push((table, self.step.neighbours(table, &cx.reader).collect()));
    }
}

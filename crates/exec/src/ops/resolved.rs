//! The adjacencies that a step visits from the nodes of a table, resolved once for all rows of it that follow
//! each other and not for each.

use trimorph_base::TableId;
use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::Neighbours;

use crate::Context;

/// The adjacencies of a step from the nodes of one table, which mostly is that of the row before.
pub(super) struct Resolved<'r, 's> {
    step: &'r EdgeAccess,
    table: Option<TableId>,
    along: Vec<Neighbours<'r, 's>>,
}

impl<'r, 's> Resolved<'r, 's> {
    /// None yet.
    pub(super) fn new(step: &'r EdgeAccess) -> Self {
        Self { step, table: None, along: Vec::new() }
    }

    /// Those from nodes of `table`, in their order.
    #[inline]
    pub(super) fn of(&mut self, table: TableId, cx: &'r Context<'s>) -> &[Neighbours<'r, 's>] {
        if self.table != Some(table) {
            self.table = Some(table);
            self.along.clear();
            self.along.extend(self.step.neighbours(table, &cx.reader));
        }
        &self.along
    }
}

//! Lowering of spools: what makes the rows is lowered once, and stands below each place that reads them.

use std::sync::Arc;

use trimorph_algebra::{Plan, VarId};

use super::lowering::{Lowered, Lowering, Vars, internal, rows_layout};
use crate::ExecError;
use crate::ops;
use crate::physical::Spec;

impl Lowering<'_> {
    /// A query and what makes the rows of its spool, with the variables that are read and its number.
    pub(super) fn lower_spool(
        &mut self,
        input: &Plan,
        (rows, vars, number): (&Plan, &[VarId], u32),
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let vars: Vars = vars.iter().copied().collect();
        let lowered = self.child(1, rows, &vars)?;
        let Lowered { node, layout } = self.gather(lowered, &vars, false)?;
        self.spools.insert(number, (Arc::new(node), layout));
        self.child(0, input, needed)
    }

    /// A place that reads the rows: variables here, and those there.
    pub(super) fn lower_spool_read(
        &mut self,
        columns: &[(VarId, VarId)],
        number: u32,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let (rows, layout) = self.spools.get(&number).ok_or_else(|| internal("a spool that is not there"))?;
        let wanted: Vec<&(VarId, VarId)> = columns.iter().filter(|(own, _)| needed.contains(own)).collect();
        let keep = wanted.iter().map(|(_, from)| self.slot(layout, *from)).collect::<Result<_, _>>()?;
        let spec = ops::SpoolSpec { number, slots: layout.groups[0].slots, keep };
        let rows = Arc::clone(rows);
        let mut node = self.node(Spec::SpoolRead(Arc::new(spec)), []);
        node.inputs.push(rows);
        let own: Vec<VarId> = wanted.iter().map(|(own, _)| *own).collect();
        Ok(Lowered { node, layout: rows_layout(&own) })
    }
}

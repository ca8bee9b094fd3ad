//! Small statements: those that are kept, and look up few rows by key, are run at once, and their rows are
//! there when the call returns. Who calls from Python does without what stands by to stop a long one, which
//! is a system call.

use std::sync::Arc;

use trimorph_base::{CancelToken, return_spare_memory};
use trimorph_cypher::ast::Mode;

use super::{Connection, Made};
use crate::params::Params;
use crate::planned::Planned;
use crate::result::QueryResult;
use crate::update::{Program, Statement};
use crate::{Entities, Error};

impl Connection {
    /// Runs an openCypher query if it is known to be done in microseconds, but for what it may wait for:
    /// others who write the same or publish, the log, room under the memory limit. `None` where that is not
    /// known, within transactions too: nothing was done, and [`Self::execute_until`] does it.
    ///
    /// **Errors**: as [`Self::execute`].
    pub fn execute_small(
        &self,
        text: &str,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Option<Result<QueryResult, Error>> {
        if self.shared.can_be_read_here().is_err() || self.in_transaction() {
            return None;
        }
        let procedures = self.shared.procedures();
        match self.shared.plans.kept(text, &procedures)? {
            Made::Read(planned) if planned.mode == Mode::Normal && planned.physical.may_be_few() => {
                self.shared.count_written();
                return_spare_memory();
                self.read_few(text, &planned, &procedures, params, cancel).map(Ok)
            }
            Made::Write(program) if program.mode == Mode::Normal && program.is_small() => {
                self.shared.count_written();
                return_spare_memory();
                let holds = self.shared.in_newest(|main| program.holds_in(&main.catalog, &procedures));
                if holds { self.write_few(text, &program, params, cancel) } else { None }
            }
            _ => None,
        }
    }

    fn read_few(
        &self,
        text: &str,
        planned: &Planned,
        procedures: &Arc<trimorph_algebra::Procedures>,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Option<QueryResult> {
        let snapshot = self.shared.snapshot();
        if planned.query.columns.is_empty() || !planned.holds_in(snapshot.catalog(), procedures) {
            return None;
        }
        self.watch(cancel);
        let settings = self.settings(params, cancel.clone());
        let rows = planned.physical.few_rows(None, &snapshot, &settings)?;
        let entities = Entities::new(snapshot);
        Some(QueryResult::new(text, None, planned.clone(), Arc::clone(params), entities).with_rows(rows))
    }

    fn write_few(
        &self,
        text: &str,
        program: &Program,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Option<Result<QueryResult, Error>> {
        let cancel = self.limited(cancel.clone());
        self.watch(&cancel);
        let settings = Arc::new(self.settings(params, cancel.clone()));
        let done = self.committed(&cancel, |writing| {
            let plain = self.statement(text, program, params, &settings);
            Statement { is_small: true, ..plain }.run(writing)
        });
        // It was found to be more than that, and is undone.
        if matches!(done, Err(Error::Cancelled)) && !cancel.is_cancelled() {
            return None;
        }
        let given = done.and_then(|done| self.is_written(text, program, Arc::clone(params), settings, done));
        Some(given.map_err(|error| error.stopped_by(&cancel)))
    }
}

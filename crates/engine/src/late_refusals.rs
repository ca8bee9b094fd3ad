//! Rows that storage refuses while it builds, in; the report of the load that names them, out.
//!
//! Storage knows a row by its file and line, and what the row was only the loader's report can tell. So rows
//! are collected while the load goes on and handed over when it is built.

use std::sync::{Arc, Mutex, PoisonError};

use trimorph_loader::{LoadError, LoadReport, Phase, Progress, ProgressState};
use trimorph_store::bulk::{Rejected, Verdict};

/// The rows that were refused so far.
#[derive(Clone, Default)]
pub(crate) struct LateRefusals(Arc<Mutex<Vec<Rejected>>>);

impl LateRefusals {
    /// What decides about a row that is refused: it is left out, or ends the load.
    pub(crate) fn judge(&self, skip: bool) -> Box<dyn FnMut(Rejected) -> Verdict + Send> {
        let rows = self.clone();
        Box::new(move |row| {
            if !skip {
                return Verdict::Abort;
            }
            rows.0.lock().unwrap_or_else(PoisonError::into_inner).push(row);
            Verdict::Skip
        })
    }

    /// Adds the rows to the report, with their texts, and brings its file to disk.
    ///
    /// **Errors**: what writing that file fails with.
    pub(crate) fn settle(&self, report: &mut LoadReport) -> Result<(), LoadError> {
        let rows = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        report.rejects.refuse_late(rows);
        report.rejects.flush()?;
        report.rejected = report.rejects.count();
        Ok(())
    }
}

/// Says that all is read, and that storage builds now.
pub(crate) fn says_it_builds(progress: &dyn Progress, report: &LoadReport) {
    progress.update(&ProgressState {
        bytes_done: report.bytes,
        bytes_total: report.bytes,
        rows: report.rows,
        rejected: report.rejected,
        phase: Phase::Build,
    });
}

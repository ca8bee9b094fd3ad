//! A bulk load into a database that has nothing: nobody writes beside it, and what it makes becomes the main
//! version as it is.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use trimorph_base::CancelToken;
use trimorph_loader::{LoadError, LoadOptions, LoadReport, Progress};
use trimorph_store::bulk::BulkBuilder;
use trimorph_store::{Main, open_checkpoint};
use trimorph_vfs::RegionOptions;

use crate::Error;
use crate::late_refusals::{LateRefusals, says_it_builds};
use crate::shared::Shared;
use crate::value_indexes::index_first;

/// A bulk load that goes on: until it is dropped nobody may write.
pub(crate) struct Loading<'a>(&'a Shared);

impl<'a> Loading<'a> {
    /// None where the database has data, or is being written to.
    ///
    /// **Errors**: another load into an empty database.
    pub(crate) fn begin(shared: &'a Shared) -> Result<Option<Self>, Error> {
        let is_empty = || {
            shared.live.transactions.list().is_empty()
                && !shared.live.was_written()
                && shared.base().main().node_tables.is_empty()
                && shared.base().catalog().definitions.is_empty()
        };
        // Writers beside a load into data are not told that there is one.
        if !is_empty() {
            return Ok(None);
        }
        if shared.is_loading.swap(true, Ordering::SeqCst) {
            let text = "another bulk load is at work; wait until it is done";
            return Err(Error::Storage(text.to_owned()));
        }
        let loading = Self(shared);
        Ok(is_empty().then_some(loading))
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.0.is_loading.store(false, Ordering::SeqCst);
    }
}

/// The nodes and edges of a main version.
fn made(main: &Main) -> (u64, u64) {
    let (schema, statistics) = (&main.catalog.schema, &main.catalog.statistics);
    let edges = schema.edge_table_ids().map(|table| statistics.edges(table)).sum();
    (main.node_tables.iter().map(|table| table.rows).sum(), edges)
}

impl Shared {
    /// Load options that follow the configuration.
    pub(crate) fn load_options(&self) -> LoadOptions {
        LoadOptions { threads: self.config.threads, budget: self.budget.clone(), ..LoadOptions::default() }
    }

    /// Loads what `read` gives: as the first data, or beside whoever reads and writes.
    pub(crate) fn fill(
        self: &Arc<Self>,
        options: &LoadOptions,
        progress: &dyn Progress,
        read: impl FnOnce(&BulkBuilder<'_>, &LoadOptions) -> Result<LoadReport, LoadError>,
    ) -> Result<LoadReport, Error> {
        let Some(_loading) = Loading::begin(self)? else {
            return self.load_beside(options, progress, read);
        };
        let refused = LateRefusals::default();
        let judge = refused.judge(options.skip_bad_rows);
        let builder = BulkBuilder::new(self.regions_of_load(), options.cancel.clone(), judge)
            .with_budget(&options.budget);
        let mut report = read(&builder, options)?;
        says_it_builds(progress, &report);
        let main = builder.finish(options.threads).map_err(|e| report.rejects.explain(e))?;
        refused.settle(&mut report)?;
        (report.nodes, report.edges) = made(&main);
        self.publish_first(main, &options.cancel)?;
        Ok(report)
    }

    /// Where the pieces of a load into an empty database lie.
    pub(crate) fn regions_of_load(&self) -> RegionOptions {
        // What is written to files next is not worth a copy into huge pages.
        RegionOptions { huge_pages: self.config.huge_pages && self.dir.is_none() }
    }

    /// Makes what a load has built the main version: durable first, then seen by all.
    ///
    /// **Errors**: [`Error::Cancelled`] while indexes are made; what writing fails with.
    pub(crate) fn publish_first(&self, mut main: Main, cancel: &CancelToken) -> Result<(), Error> {
        index_first(&mut main, &self.live.delta, cancel)?;
        if let Some(dir) = &self.dir {
            let fs = &*self.fs;
            let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody writes meanwhile: it has all that was ever committed.
            let start = self.log_start(checkpoint.log_start())?;
            checkpoint.write_from(fs, dir, &main, start)?;
            // From here on it is read from its files, as a database that was opened is: what is touched stays
            // in memory, the rest does not.
            drop(main);
            (main, *checkpoint) = open_checkpoint(fs, dir, &self.pool)?;
        }
        let snapshot = self.snapshot_of(Arc::new(main));
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }
}

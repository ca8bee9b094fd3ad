//! A bulk load into a live database: files in; more rows and edges, published at one commit, out.
//!
//! ```text
//! mod      the load from start to end
//! target   the database as the load sees it: keys that are there; tables, rows and positions it is given
//! touched  which nodes a load found, and which ends its edges have
//! ```
//!
//! 1. Files are read beside writers and readers; keys are looked up in what was committed when the load
//!    began.
//! 2. What is committed now is merged; until the load is published nobody else merges. Tables and columns are
//!    declared, rows and positions given.
//! 3. New columns and edges are written to a folder and synced.
//! 4. The next main version is made of the current one and what is new, and asked whether constraints hold.
//! 5. Under the turn, so that nobody else commits: what was committed since the load began is asked whether
//!    it meets the load. Then the load is logged, by the name of its folder, and published with its
//!    timestamp.
//! 6. A checkpoint takes over what is in the folder.
//!
//! What fails before the record is in the log leaves nothing but names and tables without rows.
//!
//! Source: `docs/design/loading.md`, "Into a live database".

mod target;
mod touched;

use std::sync::Arc;
use std::time::Duration;

use trimorph_base::CancelToken;
use trimorph_catalog::{Definition, Rule};
use trimorph_delta::Commits;
use trimorph_loader::{LoadError, LoadOptions, LoadReport, Progress};
use trimorph_log::Operation;
use trimorph_mvcc::{Intent, Isolation, Timestamp};
use trimorph_store::bulk::{BulkBuilder, Increment, LoadPart};
use trimorph_store::{Main, RewriteError};
use trimorph_vfs::RegionOptions;

use crate::Error;
use crate::database::Database;
use crate::late_refusals::{LateRefusals, says_it_builds};
use crate::load_folders::{Folder, logged};
use crate::merged_pieces::MERGED;
use crate::shared::Shared;
use crate::update::Writing;
use crate::value_indexes::index_all;
use crate::waiting::lock_until;
use target::Target;

/// The turn of a load that is published: others wait with their commits, for milliseconds as a rule.
const TURN: Duration = Duration::from_secs(3600);

fn put_failed(error: RewriteError) -> Error {
    Error::rewrite(error, "the load")
}

/// The nodes and edges that an increment has; nodes that were there are not among them.
fn made_by(increment: &Increment) -> (u64, u64) {
    let (mut nodes, mut edges) = (0, 0);
    for (part, table) in increment.parts.iter().zip(&increment.main.node_tables) {
        match part {
            LoadPart::Nodes { .. } => nodes += table.rows,
            LoadPart::Edges { .. } => edges += table.rows,
        }
    }
    (nodes, edges)
}

impl Shared {
    /// Loads what `read` gives beside whoever reads and writes.
    pub(crate) fn load_beside(
        self: &Arc<Self>,
        options: &LoadOptions,
        progress: &dyn Progress,
        read: impl FnOnce(&BulkBuilder<'_>, &LoadOptions) -> Result<LoadReport, LoadError>,
    ) -> Result<LoadReport, Error> {
        self.ready_to_write()?;
        self.start_merging();
        let cancel = &options.cancel;
        let mut writing = Writing::begin(self, (Isolation::Snapshot, Intent::Write), cancel.clone(), None);
        let snapshot = writing.snapshot(writing.base(self));
        let target = Target::new(self, snapshot);
        let refused = LateRefusals::default();
        let judge = refused.judge(options.skip_bad_rows);
        let builder = BulkBuilder::new(RegionOptions { huge_pages: false }, cancel.clone(), judge)
            .with_budget(&options.budget)
            .with_beside(&target, options.on_conflict);
        let mut report = read(&builder, options)?;
        says_it_builds(progress, &report);
        // What the load sees is in main from here on, and no other merge comes between.
        let mut merging = lock_until(&self.merging, cancel)?;
        self.merge_within(&mut merging, cancel)?;
        let made = builder.finish_beside(options.threads);
        let increment = made.map_err(|error| match target.failure() {
            Some(failure) => failure,
            None => report.rejects.explain(error).into(),
        })?;
        refused.settle(&mut report)?;
        (report.nodes, report.edges) = made_by(&increment);
        writing.set_loaded(self, &increment)?;
        self.publish_load(writing, increment, &target, cancel)?;
        target.stays();
        drop(merging);
        // The log has it: a checkpoint that fails now is made later.
        let taken_over = self.checkpoint(cancel).or_else(|_| self.checkpoint(&CancelToken::default()));
        if self.dir.is_some() && !self.is_logged() {
            taken_over?;
        }
        Ok(report)
    }

    /// Steps 3 to 5.
    fn publish_load(
        self: &Arc<Self>,
        writing: Writing,
        increment: Increment,
        target: &Target<'_>,
        cancel: &CancelToken,
    ) -> Result<(), Error> {
        let Increment { main: mut new, parts, specs, .. } = increment;
        let (mut changes, hashes) = target.changes(&new, &parts)?;
        let mut folder: Option<Folder> = None;
        if let Some(dir) = self.dir.as_ref().filter(|_| self.is_logged()) {
            let made = Folder::write(Arc::clone(&self.fs), dir, writing.number(), &new)?;
            // From its files on, as a database that was opened is.
            new = made.open(&self.pool)?;
            folder = Some(made);
        }
        let base = self.base();
        let mut next = base.main().clone();
        next.put_load(&new, &parts, MERGED, cancel).map_err(put_failed)?;
        index_all(&mut next, &self.live.delta)?;
        drop(new);
        let definitions = base.catalog().definitions.clone();
        self.check_definitions(&next, cancel)?;
        for definition in definitions.iter() {
            target.watch(definition, &mut changes);
        }
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let turn = self.live.transactions.take_turn(TURN);
        let to = self.live.transactions.settle();
        let commits = Commits { from: writing.read(), to };
        let merged = Commits { from: Timestamp(base.main().merged_at), to };
        target.meet(commits, merged, &hashes, &changes)?;
        let record = folder.as_ref().map(|folder| Operation::Load {
            directory: folder.name().into(),
            checksum: folder.checksum(),
            parts: parts.iter().map(logged).collect(),
        });
        drop(specs);
        let done = writing.commit_load(self, &turn, (record, changes), (next, &parts));
        drop(turn);
        if done.is_err()
            && self.sync().is_err()
            && let Some(folder) = folder.take()
        {
            // A log that failed may have the record all the same: who opens the database finds out.
            let _ = folder.stays();
        }
        let at = done?;
        if let Some(folder) = folder {
            self.loads.hold(at.0, folder.stays());
        }
        target.note_keys();
        Ok(())
    }

    /// Whether all constraints hold in a main version that is about to be published.
    fn check_definitions(self: &Arc<Self>, next: &Main, cancel: &CancelToken) -> Result<(), Error> {
        let is_constraint = |one: &&Arc<Definition>| one.rule != Rule::Index;
        let constraints: Vec<Definition> =
            next.catalog.definitions.iter().filter(is_constraint).map(|one| (**one).clone()).collect();
        if constraints.is_empty() {
            return Ok(());
        }
        let database = Database::of_main(self, next.clone());
        let connection = database.connect();
        for one in constraints {
            if let Some(what) = connection.violation(&one, &next.catalog.schema, cancel)? {
                let text = format!("the load violates constraint \"{}\": {what}", one.name);
                return Err(Error::Storage(text));
            }
        }
        Ok(())
    }
}

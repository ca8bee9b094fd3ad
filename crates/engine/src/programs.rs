//! Statements without a text of openCypher as programs: what a plan or given statements are run by.

use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Plan, Vars};
use trimorph_catalog::CatalogView;
use trimorph_cypher::ast::Mode;
use trimorph_store::Snapshot;

use crate::Connection;
use crate::update::Program;

impl Connection {
    /// The program of a bound query that writes.
    pub(crate) fn program_of(
        &self,
        bound: BoundQuery,
        mode: Mode,
        catalog: &CatalogView<'_>,
        snapshot: &Snapshot,
    ) -> Arc<Program> {
        let procedures = self.shared().procedures();
        Arc::new(Program::new(bound, mode, catalog.reliances(), snapshot.catalog(), procedures))
    }

    /// What has no rows: an update of statements that are given. It is made once.
    pub(crate) fn program_of_nothing(&self) -> Arc<Program> {
        const KEY: &str = "sparql";
        let base = self.shared().base();
        let procedures = self.shared().procedures();
        if let Some(program) = self.shared().plans.program(KEY, base.catalog(), &procedures) {
            return program;
        }
        let query = BoundQuery::new(Plan::Unit, Vec::new(), Vars::default());
        let catalog = CatalogView::new(base.catalog());
        let program = self.program_of(query, Mode::Normal, &catalog, &base);
        self.shared().plans.put_program(KEY, Arc::clone(&program));
        program
    }
}

//! Plans of query texts, kept while the catalog they were made for is the current one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trimorph_algebra::BoundQuery;
use trimorph_catalog::Catalog;
use trimorph_cypher::ast::Mode;

/// A planned query.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) mode: Mode,
    pub(crate) catalog: Arc<Catalog>,
}

/// Plans by text. When full it is emptied: a workload with more texts than this has literals where parameters belong.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Mutex<HashMap<String, Planned>>);

const PLANS_MAX: usize = 1024;

impl PlanCache {
    pub(crate) fn get(&self, text: &str, catalog: &Arc<Catalog>) -> Option<Planned> {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.get(text).filter(|p| Arc::ptr_eq(&p.catalog, catalog)).cloned()
    }

    pub(crate) fn put(&self, text: &str, planned: Planned) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= PLANS_MAX {
            plans.clear();
        }
        plans.insert(text.to_owned(), planned);
    }
}

//! Plans of query texts, kept while the catalog and the procedures they were made for are the current ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trimorph_algebra::{BoundQuery, Procedures};
use trimorph_catalog::Catalog;
use trimorph_cypher::ast::Mode;

/// What names stand for. A plan holds for the basis it was made on.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) procedures: Arc<Procedures>,
}

impl Basis {
    /// Whether nothing has changed between the two.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.catalog, &other.catalog) && Arc::ptr_eq(&self.procedures, &other.procedures)
    }
}

/// A planned query.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) mode: Mode,
    pub(crate) basis: Basis,
}

/// Plans by text, all made on one basis: what it held must not be held any longer once it has changed.
/// When full it is emptied: a workload with more texts than this has literals where parameters belong.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Mutex<Plans>);

#[derive(Debug, Default)]
struct Plans {
    basis: Option<Basis>,
    by_text: HashMap<String, Planned>,
}

const PLANS_MAX: usize = 1024;

impl Plans {
    /// The plans made on `basis`; others are forgotten.
    fn on(&mut self, basis: &Basis) -> &mut HashMap<String, Planned> {
        if !self.basis.as_ref().is_some_and(|known| known.is(basis)) {
            self.by_text.clear();
            self.basis = Some(basis.clone());
        }
        &mut self.by_text
    }
}

impl PlanCache {
    /// The plan of a text on the current basis.
    pub(crate) fn get(&self, text: &str, basis: &Basis) -> Option<Planned> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.on(basis).get(text).cloned()
    }

    pub(crate) fn put(&self, text: &str, planned: Planned) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let by_text = plans.on(&planned.basis);
        if by_text.len() >= PLANS_MAX {
            by_text.clear();
        }
        by_text.insert(text.to_owned(), planned);
    }
}

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
/// When full, the plan that was used longest ago goes.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Mutex<Plans>);

#[derive(Debug, Default)]
struct Plans {
    basis: Option<Basis>,
    by_text: HashMap<String, Kept>,
    /// Counts looks.
    now: u64,
}

#[derive(Debug)]
struct Kept {
    planned: Planned,
    used: u64,
}

const PLANS_MAX: usize = 1024;

impl Plans {
    /// The plans made on `basis`; others are forgotten.
    fn on(&mut self, basis: &Basis) -> (&mut HashMap<String, Kept>, u64) {
        if !self.basis.as_ref().is_some_and(|known| known.is(basis)) {
            self.by_text.clear();
            self.basis = Some(basis.clone());
        }
        self.now += 1;
        (&mut self.by_text, self.now)
    }
}

impl PlanCache {
    /// The plan of a text on the current basis.
    pub(crate) fn get(&self, text: &str, basis: &Basis) -> Option<Planned> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (by_text, now) = plans.on(basis);
        let kept = by_text.get_mut(text)?;
        kept.used = now;
        Some(kept.planned.clone())
    }

    /// Keeps the plan of a text. **Cost**: a look at all plans when the cache is full, far less than planning
    /// takes.
    pub(crate) fn put(&self, text: &str, planned: Planned) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (by_text, used) = plans.on(&planned.basis);
        if by_text.len() >= PLANS_MAX
            && !by_text.contains_key(text)
            && let Some(oldest) =
                by_text.iter().min_by_key(|(_, kept)| kept.used).map(|(text, _)| text.clone())
        {
            by_text.remove(&oldest);
        }
        by_text.insert(text.to_owned(), Kept { planned, used });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedures::Registry;

    #[test]
    fn the_plan_used_longest_ago_goes() {
        let registry = Registry::default();
        let basis = Basis { catalog: Arc::default(), procedures: registry.current() };
        let query = Arc::new(BoundQuery {
            plan: trimorph_algebra::Plan::Unit,
            columns: Vec::new(),
            vars: trimorph_algebra::Vars::default(),
            parameters: Vec::new(),
            notices: Vec::new(),
            depth: None,
        });
        let planned = || Planned { query: Arc::clone(&query), mode: Mode::Normal, basis: basis.clone() };
        let cache = PlanCache::default();
        let text = |i: usize| format!("RETURN {i}");
        (0..PLANS_MAX).for_each(|i| cache.put(&text(i), planned()));
        // The first is used again, so the second goes.
        assert!(cache.get(&text(0), &basis).is_some());
        cache.put(&text(PLANS_MAX), planned());
        assert!(cache.get(&text(0), &basis).is_some() && cache.get(&text(1), &basis).is_none());
        assert!(cache.get(&text(2), &basis).is_some() && cache.get(&text(PLANS_MAX), &basis).is_some());
        // Another basis: none of them holds.
        let other = Basis { catalog: Arc::default(), procedures: registry.current() };
        assert!(cache.get(&text(0), &other).is_none() && cache.get(&text(0), &basis).is_none());
    }
}

//! Plans of query texts, kept while what they relied on is true: takes a text and a snapshot's catalog, gives
//! a plan that is right there.
//!
//! A new main version drops no plan by itself. When a plan is asked for, what it relied on is looked at in
//! the catalog of the snapshot that it will run on; once for each version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use trimorph_algebra::{BoundQuery, Procedures};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_cypher::ast::Mode;
use trimorph_exec::PhysicalPlan;

/// A planned query.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) physical: Arc<PhysicalPlan>,
    pub(crate) mode: Mode,
    basis: Arc<Basis>,
}

/// What a plan relied on.
#[derive(Debug)]
struct Basis {
    procedures: Arc<Procedures>,
    reliances: Reliances,
    /// The catalog that it was last found true in.
    true_in: Mutex<Weak<Catalog>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Planned {
    /// A plan made for a catalog and procedures, and what it relied on of the catalog.
    pub(crate) fn new(
        query: Arc<BoundQuery>,
        physical: Arc<PhysicalPlan>,
        mode: Mode,
        reliances: Reliances,
        catalog: &Arc<Catalog>,
        procedures: Arc<Procedures>,
    ) -> Self {
        let true_in = Mutex::new(Arc::downgrade(catalog));
        Self { query, physical, mode, basis: Arc::new(Basis { procedures, reliances, true_in }) }
    }

    /// Whether both are the same plan, and not only alike.
    #[cfg(test)]
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.query, &other.query)
    }

    /// Whether the plan is right for what a catalog describes, and for these procedures.
    ///
    /// **Cost**: nothing to speak of for the catalog that was asked about before, else that of
    /// [`Reliances::hold_in`].
    pub(crate) fn holds_in(&self, catalog: &Arc<Catalog>, procedures: &Arc<Procedures>) -> bool {
        let basis = &*self.basis;
        if !Arc::ptr_eq(&basis.procedures, procedures) {
            return false;
        }
        // While it is pointed to weakly, no other catalog can be at the same place.
        if std::ptr::eq(lock(&basis.true_in).as_ptr(), Arc::as_ptr(catalog)) {
            return true;
        }
        let holds = basis.reliances.hold_in(catalog);
        if holds {
            *lock(&basis.true_in) = Arc::downgrade(catalog);
        }
        holds
    }
}

/// Plans by text, all made with the same procedures: what these hold must not be held any longer once they
/// have changed. When full, the plan that was used longest ago goes.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Mutex<Plans>);

#[derive(Debug, Default)]
struct Plans {
    procedures: Option<Arc<Procedures>>,
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
    /// The plans made with `procedures`; others are forgotten.
    fn with(&mut self, procedures: &Arc<Procedures>) -> (&mut HashMap<String, Kept>, u64) {
        if !self.procedures.as_ref().is_some_and(|known| Arc::ptr_eq(known, procedures)) {
            self.by_text.clear();
            self.procedures = Some(Arc::clone(procedures));
        }
        self.now += 1;
        (&mut self.by_text, self.now)
    }
}

impl PlanCache {
    /// The plan of a text, if one is kept that is right for what `catalog` describes.
    pub(crate) fn get(
        &self,
        text: &str,
        catalog: &Arc<Catalog>,
        procedures: &Arc<Procedures>,
    ) -> Option<Planned> {
        let planned = {
            let mut plans = lock(&self.0);
            let (by_text, now) = plans.with(procedures);
            let kept = by_text.get_mut(text)?;
            kept.used = now;
            kept.planned.clone()
        };
        planned.holds_in(catalog, procedures).then_some(planned)
    }

    /// Keeps the plan of a text, in place of an older one. **Cost**: a look at all plans when the cache is
    /// full, far less than planning takes.
    pub(crate) fn put(&self, text: &str, planned: Planned) {
        let mut plans = lock(&self.0);
        let (by_text, used) = plans.with(&planned.basis.procedures);
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
    use trimorph_catalog::CatalogView;
    use trimorph_exec::PhysicalOptions;

    use super::*;
    use crate::procedures::Registry;

    #[test]
    fn the_plan_used_longest_ago_goes() {
        let registry = Registry::default();
        let (catalog, procedures) = (Arc::new(Catalog::default()), registry.current());
        let query = Arc::new(BoundQuery {
            plan: trimorph_algebra::Plan::Unit,
            columns: Vec::new(),
            vars: trimorph_algebra::Vars::default(),
            parameters: Vec::new(),
            notices: Vec::new(),
            depth: None,
        });
        let view = CatalogView::new(&catalog);
        let physical = Arc::new(PhysicalPlan::new(&query, &view, PhysicalOptions::default()).unwrap());
        let planned = || {
            let (query, physical) = (Arc::clone(&query), Arc::clone(&physical));
            let procedures = Arc::clone(&procedures);
            Planned::new(query, physical, Mode::Normal, Reliances::default(), &catalog, procedures)
        };
        let cache = PlanCache::default();
        let text = |i: usize| format!("RETURN {i}");
        let has = |i: usize| cache.get(&text(i), &catalog, &procedures).is_some();
        (0..PLANS_MAX).for_each(|i| cache.put(&text(i), planned()));
        // The first is used again, so the second goes.
        assert!(has(0));
        cache.put(&text(PLANS_MAX), planned());
        assert!(has(0) && !has(1) && has(2) && has(PLANS_MAX));
        // Another catalog, in which all is true that they relied on: nothing.
        assert!(cache.get(&text(0), &Arc::default(), &procedures).is_some());
        // Other procedures: none of them is kept.
        let other = Registry::default().current();
        assert!(cache.get(&text(0), &catalog, &other).is_none() && !has(0));
    }

    /// A load into an empty database is another catalog to every plan, and changes what few rely on.
    #[test]
    fn a_plan_stays_while_what_it_relied_on_does() {
        let db = crate::Database::in_memory(crate::Config::default());
        let connection = db.connect();
        let texts = [
            ("UNWIND [1, 2] AS x RETURN x", true),
            ("MATCH (n) RETURN count(*)", false),
            ("MATCH (p:Person) RETURN p.firstName", false),
            // Unknown before and after, but the notice that says so comes with data only.
            ("MATCH (x:Nobody) RETURN x", false),
        ];
        let before = texts.map(|(text, _)| connection.prepare(text).unwrap());
        db.generate_snb(0.001, 1).unwrap();
        let after = texts.map(|(text, _)| connection.prepare(text).unwrap());
        for ((text, stays), (before, after)) in texts.iter().zip(before.iter().zip(&after)) {
            assert_eq!(before.planned().is(after.planned()), *stays, "{text}");
            let rows =
                |prepared| connection.execute_prepared(prepared, Arc::default()).unwrap().rows().unwrap();
            assert_eq!(format!("{:?}", rows(before)), format!("{:?}", rows(after)), "{text}");
        }
        assert!(after[3].notices().len() == 1 && before[3].notices().is_empty());
    }
}

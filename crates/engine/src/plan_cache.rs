//! Plans of query texts, kept while what they relied on is true: takes a text and a snapshot's catalog, gives
//! a plan that is right there.
//!
//! A new main version drops no plan by itself. When a plan is asked for, what it relied on is looked at in
//! the catalog of the snapshot that it will run on; once for each version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use trimorph_algebra::Procedures;
use trimorph_catalog::Catalog;
use trimorph_cypher::ast::Mode;

use crate::planned::Planned;
use crate::update::Program;

/// What becomes of a text.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// A plan that reads.
    Read(Planned),
    /// A statement that writes, whose parts are planned when they run.
    Write(Arc<Program>),
}

impl Made {
    fn procedures(&self) -> &Arc<Procedures> {
        match self {
            Self::Read(planned) => planned.procedures(),
            Self::Write(program) => program.procedures(),
        }
    }

    /// Whether it is right for what a catalog describes, and for these procedures.
    pub(crate) fn holds_in(&self, catalog: &Arc<Catalog>, procedures: &Arc<Procedures>) -> bool {
        match self {
            Self::Read(planned) => planned.holds_in(catalog, procedures),
            Self::Write(program) => program.holds_in(catalog, procedures),
        }
    }

    /// How it is to be run.
    pub(crate) fn mode(&self) -> Mode {
        match self {
            Self::Read(planned) => planned.mode,
            Self::Write(program) => program.mode,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plans by text, all made with the same procedures: what these hold must not be held any longer once they
/// have changed. When full, the plan that was used longest ago goes.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Mutex<Plans>);

#[derive(Debug, Default)]
struct Plans {
    procedures: Option<Arc<Procedures>>,
    by_text: HashMap<String, Kept, RandomState>,
    /// Counts looks.
    now: u64,
}

#[derive(Debug, Default)]
struct Kept {
    /// What it is by itself.
    alone: Option<Made>,
    /// What it is within a transaction: also a text that only reads is a program there.
    within: Option<Arc<Program>>,
    used: u64,
}

const PLANS_MAX: usize = 1024;

impl Plans {
    /// The plans made with `procedures`; others are forgotten.
    fn with(&mut self, procedures: &Arc<Procedures>) -> (&mut HashMap<String, Kept, RandomState>, u64) {
        if !self.procedures.as_ref().is_some_and(|known| Arc::ptr_eq(known, procedures)) {
            self.by_text.clear();
            self.procedures = Some(Arc::clone(procedures));
        }
        self.now += 1;
        (&mut self.by_text, self.now)
    }
}

impl PlanCache {
    /// What becomes of a text by itself, if it is kept and right for what `catalog` describes.
    pub(crate) fn get(
        &self,
        text: &str,
        catalog: &Arc<Catalog>,
        procedures: &Arc<Procedures>,
    ) -> Option<Made> {
        self.look(text, catalog, procedures, |kept| kept.alone.clone())
    }

    /// What became of a text by itself, if it is kept: whether it is right is to be looked at.
    pub(crate) fn kept(&self, text: &str, procedures: &Arc<Procedures>) -> Option<Made> {
        self.kept_as(text, procedures, |kept| kept.alone.clone())
    }

    /// The program of a text within a transaction, if it is kept and right for what `catalog` describes.
    pub(crate) fn program(
        &self,
        text: &str,
        catalog: &Arc<Catalog>,
        procedures: &Arc<Procedures>,
    ) -> Option<Arc<Program>> {
        match self.look(text, catalog, procedures, |kept| kept.within.clone().map(Made::Write))? {
            Made::Write(program) => Some(program),
            Made::Read(_) => None,
        }
    }

    fn look(
        &self,
        text: &str,
        catalog: &Arc<Catalog>,
        procedures: &Arc<Procedures>,
        choose: impl FnOnce(&Kept) -> Option<Made>,
    ) -> Option<Made> {
        let made = self.kept_as(text, procedures, choose)?;
        made.holds_in(catalog, procedures).then_some(made)
    }

    fn kept_as(
        &self,
        text: &str,
        procedures: &Arc<Procedures>,
        choose: impl FnOnce(&Kept) -> Option<Made>,
    ) -> Option<Made> {
        let mut plans = lock(&self.0);
        let (by_text, now) = plans.with(procedures);
        let kept = by_text.get_mut(text)?;
        kept.used = now;
        choose(kept)
    }

    /// Keeps what becomes of a text by itself, in place of an older one. **Cost**: a look at all plans when
    /// the cache is full, far less than planning takes.
    pub(crate) fn put(&self, text: &str, made: Made) {
        let procedures = Arc::clone(made.procedures());
        self.keep(text, &procedures, |kept| {
            if let Made::Write(program) = &made {
                kept.within = Some(Arc::clone(program));
            }
            kept.alone = Some(made);
        });
    }

    /// Keeps the program of a text that reads, for transactions.
    pub(crate) fn put_program(&self, text: &str, program: Arc<Program>) {
        let procedures = Arc::clone(program.procedures());
        self.keep(text, &procedures, |kept| kept.within = Some(program));
    }

    fn keep(&self, text: &str, procedures: &Arc<Procedures>, put: impl FnOnce(&mut Kept)) {
        let mut plans = lock(&self.0);
        let (by_text, used) = plans.with(procedures);
        if by_text.len() >= PLANS_MAX
            && !by_text.contains_key(text)
            && let Some(oldest) =
                by_text.iter().min_by_key(|(_, kept)| kept.used).map(|(text, _)| text.clone())
        {
            by_text.remove(&oldest);
        }
        let kept = by_text.entry(text.to_owned()).or_default();
        kept.used = used;
        put(kept);
    }
}

#[cfg(test)]
mod tests {
    use trimorph_algebra::{BoundQuery, Plan, Vars};
    use trimorph_catalog::{CatalogView, Reliances};
    use trimorph_exec::{PhysicalOptions, PhysicalPlan};

    use super::*;
    use crate::procedures::Registry;

    #[test]
    fn the_plan_used_longest_ago_goes() {
        let registry = Registry::default();
        let (catalog, procedures) = (Arc::new(Catalog::default()), registry.current());
        let query = Arc::new(BoundQuery::new(Plan::Unit, Vec::new(), Vars::default()));
        let view = CatalogView::new(&catalog);
        let physical = Arc::new(PhysicalPlan::new(&query, &view, PhysicalOptions::default()).unwrap());
        let planned = || {
            let (query, physical) = (Arc::clone(&query), Arc::clone(&physical));
            let procedures = Arc::clone(&procedures);
            let basis = Reliances::default();
            Made::Read(Planned::new(query, physical, Mode::Normal, basis, &catalog, procedures))
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

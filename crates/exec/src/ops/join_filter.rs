//! Join filter: leaves out nodes or edges that no row of a join's build side can be joined with, where the
//! probe side first has them. The join finds the others, so it may let any pass.
//!
//! The build side is complete before the join asks its probe side for rows; its keys are a set by then
//! (`expr/key_set.rs`), which encoded columns are asked for, zone maps first. Texts of a column without a
//! dictionary are read for it, which pays where few pass. Where most rows pass, or the column cannot be
//! asked, it stops asking.

use std::sync::Arc;

use trimorph_store::access::PropertyAccess;
use trimorph_types::LogicalType;
use trimorph_vector::{Chunk, Selection, Values};

use crate::counters::Counters;
use crate::expr::{Ex, PassedKeys, PropertyFilter, TestState, evaluate};
use crate::layout::Place;
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// Rows after which it is known how many pass.
const ROWS_SEEN: usize = 16_384;
/// Of a hundred that pass, more are not worth the asking: what a row costs here and in the join is about 1 to
/// 5 where a column is asked.
const PASSED_MAX: usize = 70;
/// The same of texts that are read for it: those that pass are read again.
const READ_SEEN: usize = 1_024;
const READ_PASSED_MAX: usize = 25;

/// What is asked, of what.
#[derive(Debug)]
pub(crate) struct JoinFilterSpec {
    /// The node or edge.
    pub(crate) place: Place,
    /// Its property that is the key; none where the node itself is.
    pub(crate) columns: Option<Arc<PropertyAccess>>,
    /// The same as an expression.
    pub(crate) property: Option<Ex>,
    /// The number of the keys that the join passes.
    pub(crate) keys: usize,
}

/// Join filter.
pub(crate) struct JoinFilter<'s> {
    child: BoxOperator<'s>,
    spec: Arc<JoinFilterSpec>,
    keys: PassedKeys,
    asking: Asking,
    state: TestState,
    seen: usize,
    passed: usize,
    /// Whether values are read for it, and how many texts were.
    reads: bool,
    texts: usize,
    counters: Option<Arc<Counters>>,
}

enum Asking {
    /// Nobody has asked for rows yet.
    NotYet,
    Property(Box<PropertyFilter>),
    Nodes,
    /// Everything passes.
    Nothing,
}

impl<'s> JoinFilter<'s> {
    pub(crate) fn new(
        child: BoxOperator<'s>,
        spec: Arc<JoinFilterSpec>,
        keys: PassedKeys,
        counters: Option<Arc<Counters>>,
    ) -> Self {
        let (asking, state) = (Asking::NotYet, TestState::default());
        Self { child, spec, keys, asking, state, seen: 0, passed: 0, reads: false, texts: 0, counters }
    }

    fn begin(&mut self) {
        let set = self.keys.get().and_then(Option::as_ref);
        self.asking = match (set, &self.spec.columns) {
            (Some(set), Some(columns)) => Asking::Property(Box::new(PropertyFilter::of_keys(
                self.spec.place,
                Arc::clone(columns),
                Arc::clone(set),
            ))),
            (Some(set), None) if set.nodes().is_some() => Asking::Nodes,
            _ => Asking::Nothing,
        };
    }

    /// The positions that pass; `None` where they cannot be asked.
    fn ask(&mut self, chunk: &Chunk<'s>, cx: &Context<'s>) -> Option<Vec<u32>> {
        let Place { group, slot } = self.spec.place;
        let number = group;
        let group = &chunk.groups[group];
        let mut out = Vec::new();
        match &self.asking {
            Asking::Property(_) if self.reads => return self.read(chunk, number, cx),
            Asking::Property(test) => match test.select(group, &mut self.state, cx, &mut out) {
                Some(()) => {}
                None => {
                    self.reads = true;
                    return self.read(chunk, number, cx);
                }
            },
            Asking::Nodes => {
                let nodes = self.keys.get()?.as_ref()?.nodes()?;
                let vector = &group.vectors[slot];
                let has = |p: &u32| vector.node(*p as usize).is_some_and(|node| nodes.contains(node));
                out = group.positions();
                out.retain(has);
            }
            Asking::NotYet | Asking::Nothing => return None,
        }
        Some(out)
    }
}

impl<'s> JoinFilter<'s> {
    /// The positions whose texts may be keys; `None` where they are no texts. Nulls, which no join has a key
    /// for, were not worth the reading.
    fn read(&mut self, chunk: &Chunk<'s>, group: usize, cx: &Context<'s>) -> Option<Vec<u32>> {
        let keys = self.keys.get()?.as_ref().filter(|keys| keys.is_asked_of(LogicalType::String))?;
        let read = evaluate(self.spec.property.as_ref()?, chunk, group, cx).ok()?;
        let vector = read.vector()?;
        let Values::String(texts) = &vector.values else { return None };
        let mut positions = chunk.groups[group].positions();
        positions.retain(|p| !vector.is_null(*p as usize));
        self.texts += positions.len();
        positions.retain(|p| keys.has_text(texts.get(*p as usize)));
        Some(positions)
    }
}

impl<'s> Operator<'s> for JoinFilter<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while self.child.next(chunk, cx)? {
            cx.check()?;
            if let Asking::NotYet = self.asking {
                self.begin();
            }
            let group = &chunk.groups[self.spec.place.group];
            if matches!(self.asking, Asking::Nothing) || group.flat.is_some() {
                return Ok(true);
            }
            let came = group.selection.count(group.len);
            let Some(passed) = self.ask(chunk, cx) else {
                self.asking = Asking::Nothing;
                return Ok(true);
            };
            self.seen += came;
            self.passed += passed.len();
            if let Some(counters) = &self.counters {
                counters.asked(came, passed.len());
            }
            let pays = match self.reads {
                true => self.seen < READ_SEEN || self.passed * 100 <= self.texts * READ_PASSED_MAX,
                false => self.seen < ROWS_SEEN || self.passed * 100 <= self.seen * PASSED_MAX,
            };
            if !pays {
                self.asking = Asking::Nothing;
            }
            if passed.is_empty() {
                continue;
            }
            if passed.len() < came {
                chunk.groups[self.spec.place.group].selection = Selection::List(passed);
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        // The keys depend on nothing that changes between the arguments of a subplan.
        self.child.reset();
    }
}

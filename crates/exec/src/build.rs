//! Takes the nodes of a physical plan, gives operators: a spec each, with its state. A thread's operators are
//! built from the same nodes as the others'; what such twins share is made once, and found by the node's
//! number.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

use trimorph_base::{Diagnostic, SmallMap};
use trimorph_store::Snapshot;

use crate::expr::PassedKeys;
use crate::operator::{BoxOperator, MakeTwin, Pipeline};
use crate::ops::{
    self, ArgumentCell, BuildSide, CountTarget, Dealer, NodeScanSpec, ScanRows, Settled, SharedRows,
    SharedSet, SortedSide, SpoolRows, WeakDealer,
};
use crate::physical::{Bound, Node, Spec};
use crate::profile::ProfileCell;
use crate::{ExecError, GivenRows, Settings};

/// Rows of a morsel: 8 vectors, enough that the dispenser is not felt, few enough that two cores end
/// together.
const MORSEL_ROWS: usize = 16_384;

/// Morsels that each thread should get at least, and how small they may be for it. Four took SNB at scale 1,
/// messages by city, from 1.07 to 1.81 times one thread; of eleven thousand persons they were five for two
/// threads. Eight, and 64 rows, are chosen.
const MORSELS_PER_THREAD: usize = 8;
const MORSEL_ROWS_MIN: usize = 64;

/// Rows of a scan from which on its morsels are enough to share, whatever a condition leaves of them; of
/// fewer, what is left is dealt, since one thread scans them in about a millisecond: 16,000 names are asked
/// whether they contain a word in 0.3.
const DEALT_ROWS_MAX: u64 = 1 << 15;

/// What the twins of one operator share.
#[derive(Clone)]
enum Shared<'s> {
    Scan(Arc<ScanRows>),
    /// Whether the one row was given.
    Given(Arc<AtomicBool>),
    /// The next of the rows that the execution was given.
    Next(Arc<AtomicUsize>),
    Counts(Arc<CountTarget>),
    BuildSide(BuildSide<'s>),
    SortedSide(SortedSide<'s>),
    Set(SharedSet),
    FewRows(SharedRows<'s>),
    /// Held by the operators that deal: its pipeline may hold what makes twins, and so this map.
    Dealer(WeakDealer<'s>),
    Keys(PassedKeys),
}

/// What all operators of one execution are built with, within subplans and outside.
struct Whole<'s> {
    settings: Arc<Settings>,
    snapshot: &'s Snapshot,
    /// What the execution has in the place of specs of the plan, and the rows it starts from.
    bound: Bound,
    rows: Option<Arc<GivenRows>>,
    profile: Option<ProfileCell>,
    /// The rows of spools, by their numbers.
    spools: Mutex<SmallMap<u32, SpoolRows<'s>>>,
    /// Of joins in subplans, the build sides that do not depend on the rows of an apply.
    sides: Mutex<SmallMap<usize, BuildSide<'s>>>,
}

/// Builds the operators of one execution, or those of one subplan.
#[derive(Clone)]
pub(crate) struct Builder<'s> {
    whole: Arc<Whole<'s>>,
    shared: Arc<Mutex<SmallMap<usize, Shared<'s>>>>,
    /// Where the rows of the apply around are left.
    argument: Option<ArgumentCell<'s>>,
    /// How the operator that takes the shortest of walks tells the search below it to end, where there is
    /// one.
    settled: Option<Settled>,
}

fn internal(text: &str) -> ExecError {
    ExecError::Query(Diagnostic::internal(text))
}

/// What twins of a node share, made where it is the first of them.
macro_rules! shared {
    ($builder:expr, $node:expr, $kind:ident, $make:expr) => {{
        let mut all = $builder.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match all.or_insert_with($node.number, || Shared::$kind($make)) {
            Shared::$kind(found) => found.clone(),
            _ => return Err(internal("two operators of one number")),
        }
    }};
}

impl<'s> Builder<'s> {
    pub(crate) fn new(
        settings: Arc<Settings>,
        snapshot: &'s Snapshot,
        (bound, rows): (Bound, Option<Arc<GivenRows>>),
        profile: Option<ProfileCell>,
    ) -> Self {
        let (spools, sides) = Default::default();
        let whole = Whole { settings, snapshot, bound, rows, profile, spools, sides };
        Self { whole: Arc::new(whole), shared: Arc::default(), argument: None, settled: None }
    }

    /// The operator of a node, and those below it.
    pub(crate) fn build(&self, node: &Node) -> Result<BoxOperator<'s>, ExecError> {
        let mut op = self.plain(node)?;
        if let Some(profile) = &self.whole.profile {
            for (path, groups) in &node.gives {
                op = profile.wrap(path.to_vec(), *groups, op);
            }
        }
        Ok(op)
    }

    fn input(&self, node: &Node, i: usize) -> Result<BoxOperator<'s>, ExecError> {
        self.build(node.inputs.get(i).ok_or_else(|| internal("an operator without its input"))?)
    }

    /// The first input, for an operator that may run twins of it.
    fn pipeline(&self, node: &Node, parallel: bool) -> Result<Pipeline<'s>, ExecError> {
        let op = self.input(node, 0)?;
        let input = node.inputs.first().filter(|_| parallel && self.whole.settings.threads > 1);
        let twin = input.filter(|input| self.has_morsels(input)).map(|input| {
            let (builder, input) = (self.clone(), Arc::clone(input));
            Arc::new(move || builder.build(&input)) as MakeTwin<'s>
        });
        let source = node.inputs.first().and_then(|input| self.source_of(input)).map(|source| source.number);
        Ok(Pipeline { op, twin, source })
    }

    /// The node that the rows of a pipeline that was built come from, if they come from one.
    fn source_of<'n>(&self, mut node: &'n Arc<Node>) -> Option<&'n Node> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let deals = |node: &Node| matches!(shared.get(&node.number), Some(Shared::Dealer(_)));
        while node.spec.is_pipelined() && !deals(node) {
            node = node.inputs.first()?;
        }
        Some(node)
    }

    /// The rows of the apply around.
    fn argument(&self) -> Result<ops::Argument<'s>, ExecError> {
        let cell = self.argument.as_ref();
        Ok(cell.ok_or_else(|| internal("an argument outside of an apply"))?.leaf())
    }

    /// Whether a scan that conditions may leave few rows of is small enough to be dealt.
    fn is_small_scan(&self, mut node: &Node) -> bool {
        while let Some(input) = node.inputs.first() {
            node = input;
        }
        let Spec::NodeScan(scan) = self.whole.bound.spec(node) else { return false };
        // For tests, either by chance.
        let is_small = self.scanned_rows(scan) <= DEALT_ROWS_MAX;
        is_small && (self.whole.settings.patient || node.number.is_multiple_of(2))
    }

    fn scanned_rows(&self, spec: &NodeScanSpec) -> u64 {
        spec.tables.iter().map(|t| self.whole.snapshot.rows(*t)).sum()
    }

    /// Whether there is work for several below a pipeline that was built: a scan of more than one morsel, or
    /// what deals.
    fn has_morsels(&self, node: &Arc<Node>) -> bool {
        let Some(source) = self.source_of(node) else { return false };
        if let Spec::Union(_) = source.spec {
            return source.forkable && source.inputs.iter().any(|input| self.has_morsels(input));
        }
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.get(&source.number) {
            Some(Shared::Scan(rows)) => rows.morsels.count() > 1,
            Some(Shared::Dealer(_)) => true,
            _ => false,
        }
    }

    /// What deals the rows below a node, the same for all twins.
    fn dealer(&self, node: &Node, slots: usize) -> Result<Dealer<'s>, ExecError> {
        let shared = || self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |shared: &SmallMap<usize, Shared<'s>>| match shared.get(&node.number) {
            Some(Shared::Dealer(dealer)) => dealer.get(),
            _ => None,
        };
        if let Some(dealer) = known(&shared()) {
            return Ok(dealer);
        }
        let dealer = Dealer::new(self.input(node, 0)?, slots);
        // Another twin may have been faster.
        let mut shared = shared();
        let known = known(&shared);
        Ok(known.unwrap_or_else(|| {
            shared.insert(node.number, Shared::Dealer(dealer.weak()));
            dealer
        }))
    }

    /// Where a join leaves its keys, by their number.
    fn passed_keys(&self, number: usize) -> Result<PassedKeys, ExecError> {
        let mut all = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match all.or_insert_with(number, || Shared::Keys(PassedKeys::default())) {
            Shared::Keys(keys) => Ok(Arc::clone(keys)),
            _ => Err(internal("two operators of one number")),
        }
    }

    fn scan_rows(&self, spec: &NodeScanSpec) -> ScanRows {
        let rows = self.scanned_rows(spec);
        // Few rows may still be much work: each thread is to have several morsels.
        let share = usize::try_from(rows).unwrap_or(MORSEL_ROWS)
            / (self.whole.settings.threads.max(1) * MORSELS_PER_THREAD);
        let size = match self.whole.settings.threads {
            0 | 1 => MORSEL_ROWS,
            _ if !self.whole.settings.patient => 1,
            _ => share.next_power_of_two().clamp(MORSEL_ROWS_MIN, MORSEL_ROWS),
        };
        ScanRows::new(spec, size, self.whole.snapshot)
    }

    fn plain(&self, node: &Node) -> Result<BoxOperator<'s>, ExecError> {
        let below = || self.input(node, 0);
        Ok(match self.whole.bound.spec(node) {
            Spec::Unit => Box::new(ops::Unit::new(shared!(self, node, Given, Arc::default()))),
            Spec::Empty => Box::new(ops::Empty),
            Spec::Argument => Box::new(self.argument()?),
            Spec::Given(vars) => {
                let rows = self.whole.rows.clone().unwrap_or_default();
                let next = shared!(self, node, Next, Arc::default());
                let given = ops::Given::new(rows, vars, next);
                Box::new(given.ok_or_else(|| internal("rows without a variable of the plan"))?)
            }
            Spec::NodeScan(spec) => {
                let rows = shared!(self, node, Scan, Arc::new(self.scan_rows(spec)));
                Box::new(ops::NodeScan::new(spec.place, rows, node.number))
            }
            Spec::KeyLookup(spec) => {
                let counters = self.whole.profile.as_ref().map(|p| p.counters(node.path.to_vec()));
                Box::new(ops::KeyLookup::new(below()?, Arc::clone(spec), counters))
            }
            Spec::EdgeLookup(spec) => Box::new(ops::EdgeLookup::new(below()?, Arc::clone(spec))),
            Spec::IdLookup(spec) => Box::new(ops::IdLookup::new(below()?, Arc::clone(spec))),
            Spec::ListExtend(spec) => Box::new(ops::ListExtend::new(below()?, Arc::clone(spec))),
            Spec::ColumnExtend(spec) => Box::new(ops::ColumnExtend::new(below()?, Arc::clone(spec))),
            Spec::BatchExtend(spec) => Box::new(ops::BatchExtend::new(below()?, Arc::clone(spec))),
            Spec::ScanExtend(spec) => Box::new(ops::ScanExtend::new(below()?, Arc::clone(spec))),
            Spec::CountExtend(spec) => {
                let target = shared!(self, node, Counts, Arc::new(CountTarget::new(&spec.step)));
                Box::new(ops::CountExtend::new(below()?, Arc::clone(spec), target))
            }
            Spec::VarExtend(spec) => {
                let settled = self.settled.clone().unwrap_or_default();
                Box::new(ops::VarExtend::new(below()?, Arc::clone(spec), settled))
            }
            Spec::ChainExtend(spec) => Box::new(ops::ChainExtend::new(below()?, Arc::clone(spec))),
            Spec::ExpandInto(spec) => Box::new(ops::ExpandInto::new(below()?, Arc::clone(spec))),
            Spec::Intersect(spec) => Box::new(ops::Intersect::new(below()?, Arc::clone(spec))),
            Spec::SemiJoin(spec) => {
                let set = shared!(self, node, Set, SharedSet::default());
                Box::new(ops::SemiJoin::new(below()?, self.input(node, 1)?, Arc::clone(spec), set))
            }
            Spec::RowProduct(spec) => {
                let rows = shared!(self, node, FewRows, SharedRows::default());
                Box::new(ops::RowProduct::new(below()?, self.input(node, 1)?, Arc::clone(spec), rows))
            }
            Spec::HashJoin(shape) => {
                let side = match &self.argument {
                    // Each twin of the apply would build the same. Keys that are passed down are a twin's.
                    Some(_) if shape.constant && shape.passed.is_none() => {
                        let mut all = self.whole.sides.lock().unwrap_or_else(PoisonError::into_inner);
                        all.or_default(node.number).clone()
                    }
                    _ => shared!(self, node, BuildSide, BuildSide::default()),
                };
                let keys = match shape.passed {
                    Some((_, number)) => self.passed_keys(number)?,
                    None => PassedKeys::default(),
                };
                Box::new(ops::HashJoin::new(below()?, self.input(node, 1)?, Arc::clone(shape), side, keys))
            }
            Spec::JoinFilter(spec) => {
                let counters = self.whole.profile.as_ref().map(|p| p.counters(node.path.to_vec()));
                let keys = self.passed_keys(spec.keys)?;
                Box::new(ops::JoinFilter::new(below()?, Arc::clone(spec), keys, counters))
            }
            Spec::RangeJoin(spec) => {
                let side = shared!(self, node, SortedSide, SortedSide::default());
                Box::new(ops::RangeJoin::new(below()?, self.input(node, 1)?, Arc::clone(spec), side))
            }
            Spec::Filter(steps) => Box::new(ops::Filter::new(below()?, steps)),
            Spec::Compact(place) => Box::new(ops::Compact::new(below()?, *place)),
            Spec::Compute(spec) => Box::new(ops::Compute::new(below()?, Arc::clone(spec))),
            Spec::Flatten(spec) => Box::new(ops::Flatten::new(below()?, spec.clone())),
            Spec::Pack(spec) => Box::new(ops::Pack::new(below()?, Arc::clone(spec))),
            Spec::Aggregate(spec, parallel) => {
                Box::new(ops::Aggregate::new(self.pipeline(node, *parallel)?, Arc::clone(spec)))
            }
            Spec::RunAggregate(spec) => Box::new(ops::RunAggregate::new(below()?, Arc::clone(spec))),
            Spec::Sort(spec, parallel) => {
                let child = self.pipeline(node, *parallel)?;
                let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
                let scan = match spec.leads.as_ref().and_then(|(scan, _)| shared.get(scan)) {
                    Some(Shared::Scan(rows)) => Some(Arc::clone(rows)),
                    _ => None,
                };
                drop(shared);
                Box::new(ops::Sort::new(child, Arc::clone(spec), scan))
            }
            Spec::Deal(_) if self.whole.settings.threads < 2 => below()?,
            Spec::DealFew(_) if self.whole.settings.threads < 2 || !self.is_small_scan(node) => below()?,
            Spec::Deal(slots) | Spec::DealFew(slots) => {
                Box::new(ops::Deal::new(self.dealer(node, *slots)?, node.number))
            }
            Spec::Gather(spec) => {
                ops::Gather::over(self.pipeline(node, true)?, *spec, self.whole.settings.threads)
            }
            Spec::Thin(_) if self.whole.settings.threads < 2 => below()?,
            Spec::Thin(slots) => Box::new(ops::Thin::new(below()?, Arc::clone(slots))),
            Spec::Distinct(slots) => Box::new(ops::Distinct::new(below()?, Arc::clone(slots))),
            Spec::EachRow(spec) => Box::new(ops::EachRow::new(below()?, self.argument()?, Arc::clone(spec))),
            Spec::Skip(count, None) => Box::new(ops::Limit::new(below()?, count.rows(), u64::MAX)),
            Spec::Skip(count, Some(number)) => {
                Box::new(ops::LimitEach::new(below()?, *number, count.rows(), u64::MAX))
            }
            Spec::Limit(count, None) => Box::new(ops::Limit::new(below()?, 0, count.rows())),
            Spec::Limit(count, Some(number)) => {
                Box::new(ops::LimitEach::new(below()?, *number, 0, count.rows()))
            }
            Spec::Shortest(spec) => {
                let settled = Settled::default();
                let within = Self { settled: Some(settled.clone()), ..self.clone() };
                Box::new(ops::Shortest::new(within.input(node, 0)?, *spec, settled))
            }
            Spec::SpoolRead(spec) => {
                let rows = self.whole.spools.lock().unwrap_or_else(PoisonError::into_inner);
                let rows = { rows }.or_default(spec.number).clone();
                let input = node.inputs.first().ok_or_else(|| internal("an operator without its input"))?;
                // Nothing of it is shared with the places that read it: one of them runs it.
                let within = Self { argument: None, shared: Arc::default(), ..self.clone() };
                let input = Arc::clone(input);
                let input = Arc::new(move || within.build(&input)) as MakeTwin<'s>;
                Box::new(ops::SpoolRead::new(Arc::clone(spec), rows, input))
            }
            Spec::Unwind(spec) => Box::new(ops::Unwind::new(below()?, Arc::clone(spec))),
            Spec::ProcedureCall(spec) => Box::new(ops::ProcedureCall::new(below()?, Arc::clone(spec))),
            Spec::Statements(spec) => Box::new(ops::Statements::new(below()?, Arc::clone(spec))),
            Spec::Union(specs) => {
                let inputs = node.inputs.iter().map(|input| self.build(input));
                let inputs = inputs.collect::<Result<Vec<_>, ExecError>>()?;
                Box::new(ops::Union::new(inputs.into_iter().zip(specs.iter().cloned())))
            }
            Spec::Apply(spec) => {
                // Of a subplan nothing but build sides is shared: each twin's has the rows that its apply
                // leaves it.
                let cell = ArgumentCell::default();
                let within = Self { argument: Some(cell.clone()), shared: Arc::default(), ..self.clone() };
                let subplan = within.input(node, 1)?;
                Box::new(ops::Apply::new(below()?, subplan, cell, Arc::clone(spec)))
            }
        })
    }
}

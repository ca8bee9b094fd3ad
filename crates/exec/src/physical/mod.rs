//! The physical plan: which operator does each step of an algebra plan, and with what. Plain data without a
//! snapshot, kept as long as the catalog it was made for.
//!
//! ```text
//! mod        the tree: a node for each operator, with its spec
//! bind       a plan and what one execution is run with, to the specs that are built
//! few        the rows of a plan of look-ups by key, where they are few
//! plan_path  the place of an operator in the algebra plan
//! text       what operators are called and read by: what EXPLAIN shows
//! ```
//!
//! `lower` makes it, `build` makes operators of it: for each thread its own, from the same nodes.

mod bind;
mod few;
mod plan_path;
mod text;

use std::sync::Arc;

use trimorph_algebra::VarId;
use trimorph_store::access::Choice;

use crate::expr::Count;
use crate::layout::Place;
use crate::ops::{
    AggregateSpec, ApplySpec, BatchExtendSpec, CallSpec, ColumnExtendSpec, ComputeSpec, CountExtendSpec,
    CursorSpec, EachRowSpec, EdgeLookupSpec, ExpandIntoSpec, FilterStep, GatherSpec, IntersectSpec,
    JoinFilterSpec, JoinShape, ListExtendSpec, LookupSpec, NodeScanSpec, PackSpec, RangeJoinSpec,
    RowProductSpec, ScanExtendSpec, SemiJoinSpec, ShortestSpec, SortSpec, SpoolSpec, StatementsSpec,
    UnionInput, UnwindSpec, VarSpec,
};
use crate::stack::Stack;

pub(crate) use bind::{Bound, Start};
pub(crate) use few::Few;
pub(crate) use plan_path::PlanPath;
pub use text::Form;

/// What the choice of operators depends on besides the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalOptions {
    /// Whether extends may keep lists factorised.
    pub factorise: bool,
    /// Whether reads go by index or by relation.
    pub access: Choice,
}

impl Default for PhysicalOptions {
    fn default() -> Self {
        Self { factorise: true, access: Choice::Cost }
    }
}

/// The plan of a query, ready to be run any number of times.
#[derive(Debug)]
pub struct PhysicalPlan {
    pub(crate) root: Arc<Node>,
    /// The nodes whose specs each execution has its own of, by their numbers.
    bound_anew: Vec<Arc<Node>>,
    /// How many of its operators keep rows.
    pub(crate) breakers: usize,
    /// Slots of the one group of the root's chunks, and which of them are the columns.
    pub(crate) group_slots: usize,
    pub(crate) columns: Vec<usize>,
    /// What it is made, run and dropped on.
    pub(crate) stack: Stack,
    /// How its rows are made where they are few, if it is of such a kind.
    few: Option<Few>,
}

/// One operator, and what its rows come from.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) spec: Spec,
    pub(crate) inputs: Vec<Arc<Node>>,
    /// Whether twins of it may share its work: it is a scan, or a pipeline over one.
    pub(crate) forkable: bool,
    /// Tells the nodes of a plan apart.
    pub(crate) number: usize,
    /// The place in the algebra plan of the operator that it is for.
    pub(crate) path: PlanPath,
    /// Operators of the algebra plan whose rows are those it gives, innermost first, and how many groups
    /// their chunks have.
    pub(crate) gives: Vec<(PlanPath, usize)>,
}

/// An operator without its state.
#[derive(Clone, Debug)]
pub(crate) enum Spec {
    Unit,
    Empty,
    /// The rows of the apply around.
    Argument,
    /// Rows that the execution is given, of these variables.
    Given(Arc<[VarId]>),
    NodeScan(Arc<NodeScanSpec>),
    KeyLookup(Arc<LookupSpec>),
    EdgeLookup(Arc<EdgeLookupSpec>),
    IdLookup(Arc<LookupSpec>),
    ListExtend(Arc<ListExtendSpec>),
    ColumnExtend(Arc<ColumnExtendSpec>),
    BatchExtend(Arc<BatchExtendSpec>),
    ScanExtend(Arc<ScanExtendSpec>),
    CountExtend(Arc<CountExtendSpec>),
    VarExtend(Arc<VarSpec>),
    ChainExtend(Arc<VarSpec>),
    ExpandInto(Arc<ExpandIntoSpec>),
    Intersect(Arc<IntersectSpec>),
    SemiJoin(Arc<SemiJoinSpec>),
    RowProduct(Arc<RowProductSpec>),
    HashJoin(Arc<JoinShape>),
    JoinFilter(Arc<JoinFilterSpec>),
    RangeJoin(Arc<RangeJoinSpec>),
    Filter(Arc<[FilterStep]>),
    /// Puts scanned nodes that are few into full vectors.
    Compact(Place),
    Compute(Arc<ComputeSpec>),
    Flatten(CursorSpec),
    Pack(Arc<PackSpec>),
    /// `true`: runs twins of its input, here and in a sort.
    Aggregate(Arc<AggregateSpec>, bool),
    /// Of groups that come one after the other.
    RunAggregate(Arc<AggregateSpec>),
    Sort(Arc<SortSpec>, bool),
    /// Slots that are compared.
    Distinct(Arc<[usize]>),
    /// Leaves out what a thread gave before, by these slots: below a distinct.
    Thin(Arc<[usize]>),
    /// One row of an aggregation for each row of the apply around.
    EachRow(Arc<EachRowSpec>),
    /// In a subplan that several rows go through at once of the rows of each, whose number is in this slot;
    /// here and in a limit.
    Skip(Count, Option<usize>),
    Limit(Count, Option<usize>),
    /// The first of walks in order of length, or all as long as it.
    Shortest(ShortestSpec),
    /// The rows of its input, which other places read, too: these have the same input.
    SpoolRead(Arc<SpoolSpec>),
    Unwind(Arc<UnwindSpec>),
    ProcedureCall(Arc<CallSpec>),
    Statements(Arc<StatementsSpec>),
    /// Deals the rows of its input, of so many slots, to twins of what is above.
    Deal(usize),
    /// The same of few rows of a scan of one morsel or few, which a condition may have left close together;
    /// other scans are shared. Steps from each may be much work.
    DealFew(usize),
    /// Runs twins of its input, for what is serial above.
    Gather(GatherSpec),
    Union(Arc<[UnionInput]>),
    /// The second input is the subplan.
    Apply(Arc<ApplySpec>),
}

impl Spec {
    /// Whether it keeps rows, or groups of them, while others of the plan are at work: what memory it takes
    /// grows with them.
    pub(crate) fn keeps_rows(&self) -> bool {
        match self {
            Self::HashJoin(_) | Self::RangeJoin(_) | Self::Sort(..) | Self::Distinct(_) => true,
            Self::SpoolRead(_) => true,
            Self::Aggregate(spec, _) => !spec.keys.is_empty() || spec.keeps_values(),
            // Rows around are put together.
            Self::Apply(spec) => spec.number.is_some(),
            _ => false,
        }
    }

    /// Whether rows go through it as they come, so that twins may share the work where those of its first
    /// input do.
    pub(crate) fn is_pipelined(&self) -> bool {
        match self {
            Self::Unit
            | Self::Empty
            | Self::Argument
            | Self::Given(_)
            | Self::NodeScan(_)
            | Self::Aggregate(..)
            | Self::Sort(..)
            | Self::Distinct(_)
            | Self::EachRow(_)
            | Self::Skip(..)
            | Self::Limit(..)
            | Self::Shortest(_)
            | Self::SpoolRead(_)
            | Self::Deal(_)
            | Self::Gather(_)
            | Self::Union(_) => false,
            Self::KeyLookup(_)
            | Self::EdgeLookup(_)
            | Self::IdLookup(_)
            | Self::ListExtend(_)
            | Self::ColumnExtend(_)
            | Self::BatchExtend(_)
            | Self::ScanExtend(_)
            | Self::CountExtend(_)
            | Self::VarExtend(_)
            | Self::ChainExtend(_)
            | Self::ExpandInto(_)
            | Self::Intersect(_)
            | Self::SemiJoin(_)
            | Self::RowProduct(_)
            | Self::HashJoin(_)
            | Self::JoinFilter(_)
            | Self::RangeJoin(_)
            | Self::Filter(_)
            | Self::Compact(_)
            | Self::Compute(_)
            | Self::Flatten(_)
            | Self::Pack(_)
            | Self::RunAggregate(_)
            | Self::Thin(_)
            | Self::DealFew(_)
            | Self::Unwind(_)
            | Self::ProcedureCall(_)
            | Self::Statements(_)
            | Self::Apply(_) => true,
        }
    }
}

impl Drop for PhysicalPlan {
    /// Nodes drop their inputs, which is calls within calls.
    fn drop(&mut self) {
        if self.stack.0.is_some() {
            let leaf = Node {
                spec: Spec::Empty,
                inputs: Vec::new(),
                forkable: false,
                number: 0,
                path: PlanPath::default(),
                gives: Vec::new(),
            };
            let nodes = std::mem::take(&mut self.bound_anew);
            self.stack.drop((nodes, std::mem::replace(&mut self.root, Arc::new(leaf))));
        }
    }
}

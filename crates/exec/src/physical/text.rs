//! Takes a physical plan, gives what its operators are called and read by: what EXPLAIN shows.

use std::collections::{HashMap, HashSet};

use trimorph_algebra::LookupBy;
use trimorph_store::access::{Bound, Choice, Frontier, Kind, Pattern};

use super::{Node, PhysicalPlan, Spec};
use crate::ops::CountStepSpec;

/// The operators for one operator of the algebra plan.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// What they are called, in the order that rows go through them.
    pub operators: Vec<&'static str>,
    /// What they read by.
    pub patterns: Vec<Pattern>,
}

impl PhysicalPlan {
    /// The operators for those of the algebra plan, by their place in it (child indices from the root).
    pub fn forms(&self) -> HashMap<Vec<usize>, Form> {
        let mut forms: HashMap<Vec<usize>, Form> = HashMap::new();
        let mut left = vec![&*self.root];
        let mut spools = HashSet::new();
        while let Some(Node { spec, inputs, path, .. }) = left.pop() {
            let form = forms.entry(path.to_vec()).or_default();
            form.operators.insert(0, spec.name());
            form.patterns.extend(spec.patterns());
            // What makes the rows of a spool stands below each place that reads them.
            let is_known = matches!(spec, Spec::SpoolRead(spool) if !spools.insert(spool.number));
            left.extend(inputs.iter().map(|input| &**input).filter(|_| !is_known));
        }
        forms
    }
}

impl Spec {
    fn name(&self) -> &'static str {
        match self {
            Self::Unit => "one row",
            Self::Empty => "no row",
            Self::Argument => "argument",
            Self::Given(_) => "rows so far",
            Self::NodeScan(_) => "node scan",
            Self::KeyLookup(spec) if spec.by_scan => "key look-up by scan",
            Self::KeyLookup(spec) if spec.together.is_some() => "index look-up",
            Self::KeyLookup(spec) => match spec.by {
                LookupBy::Equal => "key look-up",
                LookupBy::AnyOf => "look-up of keys",
                LookupBy::Between { .. } | LookupBy::Prefix | LookupBy::First { .. } => "index look-up",
            },
            Self::EdgeLookup(spec) if matches!(spec.by, LookupBy::First { .. }) => {
                "relationships in the order of an index"
            }
            Self::EdgeLookup(_) => "relationship look-up",
            Self::IdLookup(_) => "id look-up",
            Self::ListExtend(_) => "list extend",
            Self::ColumnExtend(_) => "column extend",
            Self::BatchExtend(_) => "batch extend",
            // By cost it is decided for each vector.
            Self::ScanExtend(spec) if spec.choice == Choice::Cost => "scan or batch extend",
            Self::ScanExtend(_) => "scan extend",
            Self::CountExtend(_) => "counting extend",
            Self::VarExtend(_) => "var extend",
            Self::ChainExtend(_) => "chain extend",
            Self::ExpandInto(_) => "expand into",
            Self::Intersect(_) => "intersect",
            Self::SemiJoin(spec) if spec.anti => "anti-join",
            Self::SemiJoin(_) => "semi-join",
            Self::RowProduct(_) => "product with few rows",
            Self::HashJoin(shape) if shape.once => "hash semi-join",
            Self::HashJoin(_) => "hash join",
            Self::JoinFilter(_) => "keys of a join",
            Self::RangeJoin(_) => "range join",
            Self::Filter(_) => "filter",
            Self::Compute(_) => "compute",
            Self::Flatten(_) => "flatten",
            Self::Pack(_) => "pack",
            Self::Aggregate(_, true) => "aggregate on threads",
            Self::Aggregate(_, false) => "aggregate",
            Self::RunAggregate(_) => "aggregate in runs",
            Self::Sort(spec, _) if spec.leads.is_some() => "top-k that leads the scan",
            Self::Sort(spec, _) if spec.limit.is_some() => "top-k",
            Self::Sort(spec, _) if spec.of_group.is_some() => "sort of the first of groups",
            Self::Sort(..) => "sort",
            Self::Compact(_) => "compact",
            Self::Distinct(_) => "distinct",
            Self::Thin(_) => "thin",
            Self::EachRow(_) => "one of each row",
            Self::Skip(_, None) => "skip",
            Self::Skip(_, Some(_)) => "skip of each row",
            Self::Limit(_, None) => "limit",
            Self::Limit(_, Some(_)) => "limit of each row",
            Self::Shortest(_) => "shortest",
            Self::SpoolRead(_) => "spool read",
            Self::Unwind(_) => "unwind",
            Self::ProcedureCall(_) => "procedure call",
            Self::Statements(_) => "statements",
            Self::Deal(_) => "deal",
            Self::DealFew(_) => "deal few",
            Self::Gather(_) => "gather",
            Self::Union(_) => "union",
            Self::Apply(spec) if spec.number.is_none() => "apply row by row",
            Self::Apply(spec) if spec.pair.is_some() => "apply by pairs",
            Self::Apply(_) => "apply",
        }
    }

    /// The patterns it reads by, in the terse notation (`docs/design/access.md`).
    fn patterns(&self) -> Vec<Pattern> {
        match self {
            Self::NodeScan(_) => {
                vec![Pattern::labels().objects(Bound::Terms(Vec::new())).project(true, false, false, false)]
            }
            Self::KeyLookup(spec) => {
                let property = spec.property.as_deref().unwrap_or_default();
                let pattern = Pattern::property(Kind::Node, property);
                vec![pattern.object_frontier(Frontier::Later(1.0)).project(true, false, false, false)]
            }
            Self::EdgeLookup(spec) => {
                let pattern = Pattern::property(Kind::Statement, &spec.property);
                vec![pattern.object_frontier(Frontier::Later(1.0)).project(true, false, false, false)]
            }
            Self::ListExtend(spec) => spec.step.patterns.clone(),
            Self::ColumnExtend(spec) => spec.step.patterns.clone(),
            Self::BatchExtend(spec) => spec.step.patterns.clone(),
            Self::ScanExtend(spec) => spec.lists.step.patterns.clone(),
            Self::VarExtend(spec) | Self::ChainExtend(spec) => spec.step.patterns.clone(),
            Self::Intersect(spec) => spec.lists.iter().flat_map(|(_, step)| step.patterns.clone()).collect(),
            Self::CountExtend(spec) => counted(&spec.step),
            Self::ExpandInto(spec) => {
                let both = |p: &Pattern| {
                    p.clone()
                        .subject_frontier(Frontier::Later(1.0))
                        .object_frontier(Frontier::Later(1.0))
                        .project(false, false, false, spec.want_edge)
                };
                spec.step.patterns.iter().map(both).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn counted(step: &CountStepSpec) -> Vec<Pattern> {
    let own = step.step.patterns.iter().cloned().map(Pattern::count);
    own.chain(step.next.iter().flat_map(counted)).collect()
}

//! Operators, one per file: a spec, which plans hold, and an operator over it.
//!
//! Two kinds. *Factorised* operators work in place on the chunk of their pipeline, whatever its groups: scan,
//! list and column extend, counting extend, filter, compute, flatten. *Row* operators stand at a layout
//! boundary: they own the chunk below them and give chunks of one group; `pack` turns any chunk into that
//! form.

mod aggregate;
mod apply;
mod batch_extend;
mod best_edges;
mod chain_extend;
mod column_extend;
mod compact;
mod compute;
mod count_extend;
mod deal;
mod distinct;
mod edge_lookup;
mod expand_into;
mod filter;
mod flatten;
mod gather;
mod given;
mod hash_join;
mod intersect;
mod join_filter;
mod key_lookup;
mod limit;
mod list_extend;
mod lookup;
mod marks;
mod pack;
mod procedure_call;
mod property_path;
mod range_join;
mod resolved;
mod row_product;
mod scan;
mod scan_extend;
mod semi_join;
mod shortest;
mod sort;
mod source;
mod statements;
mod thin;
mod union;
mod unwind;
mod var_extend;

pub(crate) use aggregate::{Aggregate, AggregateEx, AggregateSpec, RunAggregate};
pub(crate) use apply::{Apply, ApplyMode, ApplySpec};
pub(crate) use batch_extend::{BatchExtend, BatchExtendSpec};
pub(crate) use chain_extend::ChainExtend;
pub(crate) use column_extend::{ColumnExtend, ColumnExtendSpec};
pub(crate) use compact::Compact;
pub(crate) use compute::{Compute, ComputeSpec};
pub(crate) use count_extend::{CountExtend, CountExtendSpec, CountStepSpec, CountTarget};
pub(crate) use deal::{Deal, Dealer, WeakDealer};
pub(crate) use distinct::Distinct;
pub(crate) use edge_lookup::{EdgeLookup, EdgeLookupSpec};
pub(crate) use expand_into::{ExpandInto, ExpandIntoSpec};
pub(crate) use filter::{Filter, FilterStep};
pub(crate) use flatten::{CursorSpec, Flatten};
pub(crate) use gather::{Gather, GatherSpec};
pub(crate) use given::Given;
pub(crate) use hash_join::{BuildSide, HashJoin, Shape as JoinShape};
pub(crate) use intersect::{Intersect, IntersectSpec};
pub(crate) use join_filter::{JoinFilter, JoinFilterSpec};
pub(crate) use key_lookup::KeyLookup;
pub(crate) use limit::Limit;
pub(crate) use list_extend::{ListExtend, ListExtendSpec};
pub(crate) use lookup::{IdLookup, LookupSpec, TogetherSpec};
pub(crate) use pack::{Pack, PackSpec};
pub(crate) use procedure_call::{CallSpec, ProcedureCall};
pub(crate) use range_join::{RangeJoin, RangeJoinSpec, SortedSide};
pub(crate) use row_product::{RowProduct, RowProductSpec, SharedRow};
pub(crate) use scan::{NodeScan, NodeScanSpec, ScanRows};
pub(crate) use scan_extend::{ScanExtend, ScanExtendSpec};
pub(crate) use semi_join::{SemiJoin, SemiJoinSpec, SharedSet};
pub(crate) use shortest::{Settled, Shortest, ShortestSpec};
pub(crate) use sort::{GroupLimitSpec, Sort, SortSpec};
pub(crate) use source::{ArgumentCell, Empty, Unit};
pub(crate) use statements::{Between, GraphPlace, Place as StatementPlace, Statements, StatementsSpec};
pub(crate) use thin::Thin;
pub(crate) use union::{Union, UnionInput};
pub(crate) use unwind::{Unwind, UnwindSpec};
pub(crate) use var_extend::{VarExtend, VarSpec};

//! Operators, one per file.
//!
//! Two kinds. *Factorised* operators work in place on the chunk of their pipeline, whatever its groups: scan,
//! list and column extend, counting extend, filter, compute, flatten. *Row* operators stand at a layout
//! boundary: they own the chunk below them and give chunks of one group; `pack` turns any chunk into that
//! form.

mod aggregate;
mod apply;
mod batch_extend;
mod chain_extend;
mod column_extend;
mod compute;
mod count_extend;
mod distinct;
mod expand_into;
mod filter;
mod flatten;
mod hash_join;
mod intersect;
mod limit;
mod list_extend;
mod lookup;
mod pack;
mod procedure_call;
mod scan;
mod scan_extend;
mod semi_join;
mod sort;
mod source;
mod union;
mod unwind;
mod var_extend;

pub(crate) use aggregate::{Aggregate, AggregateEx, AggregateSpec};
pub(crate) use apply::{Apply, ApplyMode, ApplyParts};
pub(crate) use batch_extend::{Batch, BatchExtend};
pub(crate) use chain_extend::ChainExtend;
pub(crate) use column_extend::ColumnExtend;
pub(crate) use compute::Compute;
pub(crate) use count_extend::{CountExtend, CountTarget};
pub(crate) use distinct::Distinct;
pub(crate) use expand_into::{ExpandInto, Hub};
pub(crate) use filter::{Filter, FilterSpec};
pub(crate) use flatten::{Cursor, Flatten};
pub(crate) use hash_join::{HashJoin, Shape as JoinShape};
pub(crate) use intersect::Intersect;
pub(crate) use limit::Limit;
pub(crate) use list_extend::ListExtend;
pub(crate) use lookup::{IdLookup, KeyLookup};
pub(crate) use pack::Pack;
pub(crate) use procedure_call::{CallSpec, ProcedureCall};
pub(crate) use scan::NodeScan;
pub(crate) use scan_extend::{ScanExtend, ScanExtendSpec};
pub(crate) use semi_join::SemiJoin;
pub(crate) use sort::{Sort, SortSpec};
pub(crate) use source::{ArgumentCell, Empty, Unit};
pub(crate) use union::Union;
pub(crate) use unwind::Unwind;
pub(crate) use var_extend::{VarExtend, VarSpec};

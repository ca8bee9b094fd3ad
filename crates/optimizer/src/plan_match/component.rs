//! A connected part of a pattern: what an order of joins is made for.

use trimorph_algebra::{EdgePattern, VarId};
use trimorph_base::CancelToken;
use trimorph_catalog::CatalogView;

use super::reads::Read;
use crate::HashJoins;
use crate::tables::Tables;

/// What the order is made for.
#[derive(Clone, Copy)]
pub(super) struct Component<'a> {
    pub(super) catalog: &'a CatalogView<'a>,
    pub(super) nodes: &'a [VarId],
    pub(super) edges: &'a [EdgePattern],
    pub(super) tables: &'a Tables,
    /// For each node, the part that its own predicates let through.
    pub(super) selectivity: &'a [f64],
    /// For each edge, the same.
    pub(super) edge_parts: &'a [f64],
    /// For each node that can be looked up by key or id, how many a row finds.
    pub(super) lookup: &'a [Option<f64>],
    /// For each node, whether the input rows have it.
    pub(super) bound: &'a [bool],
    /// For each edge, whether it is looked at: by its properties, mostly.
    pub(super) looked_at: &'a [bool],
    /// For each node, which of its properties are read.
    pub(super) reads: &'a [Read],
    /// A node of many that rows are grouped by, and what each costs where those of one node do not come
    /// together.
    pub(super) grouped: Option<(usize, f64)>,
    /// The only node to start from, if it is given.
    pub(super) only: Option<usize>,
    /// Equalities of values of several nodes: these, of the first 64, and the part of rows that pass.
    pub(super) equal: &'a [(u64, f64)],
    /// Input rows.
    pub(super) rows: f64,
    /// Whether parts may be planned by themselves and joined.
    pub(super) bushy: HashJoins,
    /// Keep the order of the text.
    pub(super) textual: bool,
    pub(super) cancel: &'a CancelToken,
}

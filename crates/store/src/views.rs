//! Views of tables, as a reader touches them: those of a table are made when it is first asked for, so a
//! reader costs what it reads, and a word for each table once it reads of one, not what there is.

use std::cell::OnceCell;
use std::sync::Arc;

use elsa::FrozenVec;
use trimorph_base::TableId;
use trimorph_delta::{MarkedEdges, Marks, NodeDelta};
use trimorph_storage::column::ColumnView;
use trimorph_storage::{EdgeTable, EdgeTableView, KeyIndexView, NodeTable, ValueIndexView};

use crate::overlay::Overlay;

/// What is made when it is first asked for, and stays where it is.
pub(crate) type Late<T> = OnceCell<Box<T>>;

/// As many as there are of something, none made yet.
fn late<T>(count: usize) -> Box<[Late<T>]> {
    (0..count).map(|_| OnceCell::new()).collect()
}

/// One of each table, by its place. Who asks for none has no word for any: a statement has several readers,
/// most of which look at nodes or edges of few tables among hundreds.
pub(crate) struct Tables<T> {
    all: OnceCell<Box<[Late<T>]>>,
    count: usize,
}

impl<T> Tables<T> {
    pub(crate) fn new(count: usize) -> Self {
        Self { all: OnceCell::new(), count }
    }

    /// That of a table.
    #[inline(always)]
    pub(crate) fn of(&self, table: usize, make: impl FnOnce() -> T) -> &T {
        let all = match self.all.get() {
            Some(all) => all,
            None => self.begin(),
        };
        all[table].get_or_init(|| Box::new(make()))
    }

    #[cold]
    fn begin(&self) -> &[Late<T>] {
        self.all.get_or_init(|| late(self.count))
    }

    /// That of a table, if it was asked for.
    pub(crate) fn get(&self, table: usize) -> Option<&T> {
        self.all.get()?.get(table)?.get().map(AsRef::as_ref)
    }

    /// Those that were asked for.
    pub(crate) fn made(&self) -> impl Iterator<Item = &T> {
        self.all.get().into_iter().flatten().filter_map(OnceCell::get).map(AsRef::as_ref)
    }
}

/// The views of a node table, and what the snapshot sees of its changes.
pub(crate) struct NodeViews<'s> {
    pub(crate) columns: Box<[Late<ColumnView<'s>>]>,
    pub(crate) key_index: Late<KeyIndexView<'s>>,
    pub(crate) value_indexes: Box<[Late<ValueIndexView<'s>>]>,
    pub(crate) composite_indexes: Box<[Late<ValueIndexView<'s>>]>,
    /// Labels of rows with others than their table's.
    pub(crate) labels: Late<ColumnView<'s>>,
    /// Which rows are missing.
    pub(crate) missing: Late<ColumnView<'s>>,
    pub(crate) changes: OnceCell<Option<Arc<NodeDelta>>>,
    /// Of columns, what the delta has of them.
    pub(crate) overlays: Box<[Late<Overlay<'s>>]>,
}

impl NodeViews<'_> {
    /// `has_delta` says whether anything may have been changed.
    pub(crate) fn of(table: &NodeTable, has_delta: bool) -> Self {
        Self {
            columns: late(table.columns.len()),
            key_index: OnceCell::new(),
            value_indexes: late(table.value_indexes.len()),
            composite_indexes: late(table.composite_indexes.len()),
            labels: OnceCell::new(),
            missing: OnceCell::new(),
            changes: OnceCell::new(),
            overlays: late(if has_delta { table.columns.len() } else { 0 }),
        }
    }

    /// Lets everything go that was touched.
    pub(crate) fn forget(&self) {
        let columns = self.columns.iter().chain([&self.labels, &self.missing]);
        columns.filter_map(OnceCell::get).for_each(|column| column.forget());
        self.key_index.get().into_iter().for_each(|index| index.forget());
        let indexes = self.value_indexes.iter().chain(&self.composite_indexes);
        indexes.filter_map(OnceCell::get).for_each(|index| index.forget());
    }
}

/// The views of an edge table, and what the snapshot sees of its changes.
pub(crate) struct EdgeViews<'s> {
    pub(crate) topology: Late<EdgeTableView<'s>>,
    pub(crate) columns: Box<[Late<ColumnView<'s>>]>,
    pub(crate) value_indexes: Box<[Late<ValueIndexView<'s>>]>,
    /// Whether edges or properties of edges of the table were ever written.
    pub(crate) is_changed: OnceCell<bool>,
    /// The edges of which properties were.
    pub(crate) marked: OnceCell<Option<MarkedEdges>>,
    /// The lists that changes touched, from the sources and from the nodes of each target table: found
    /// without a hash, since walks ask for each node.
    pub(crate) forward: OnceCell<Option<Marks>>,
    pub(crate) backward: FrozenVec<Box<(TableId, Option<Marks>)>>,
    /// Of columns, what the delta has of them.
    pub(crate) overlays: Box<[Late<Overlay<'s>>]>,
}

impl EdgeViews<'_> {
    /// `has_delta` says whether anything may have been changed.
    pub(crate) fn of(table: &EdgeTable, has_delta: bool) -> Self {
        Self {
            topology: OnceCell::new(),
            columns: late(table.columns.len()),
            value_indexes: late(table.value_indexes.len()),
            is_changed: OnceCell::new(),
            marked: OnceCell::new(),
            forward: OnceCell::new(),
            backward: FrozenVec::new(),
            overlays: late(if has_delta { table.columns.len() } else { 0 }),
        }
    }

    /// Lets everything go that was touched.
    pub(crate) fn forget(&self) {
        self.columns.iter().filter_map(OnceCell::get).for_each(|column| column.forget());
        self.value_indexes.iter().filter_map(OnceCell::get).for_each(|index| index.forget());
        self.topology.get().into_iter().for_each(|topology| topology.forget());
    }
}

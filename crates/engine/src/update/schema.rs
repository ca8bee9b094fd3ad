//! Tables and columns that changes need and main does not have yet; facts that changes may break. Both are
//! made, or broken, outside of transactions and before anybody can see the change.
//!
//! Source: `docs/design/transactions.md`, "Tables that are made".

use std::sync::{Arc, PoisonError};

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_catalog::PropertyInfo;
use trimorph_store::Main;
use trimorph_types::LogicalType;
use trimorph_types::iri_names::is_hidden;

use super::Writing;
use crate::durable::declared;
use crate::shared::Shared;
use crate::value_indexes::index_all;
use crate::{Error, facts};

/// Node tables from which on a new label set gets none of its own: its nodes are in the table of nodes
/// without labels, which then have theirs by the row. A table costs kilobytes and a look from every scan,
/// whatever is in it.
const OWN_TABLES_MAX: usize = 256;

/// Node tables, and edge tables, that there may be.
const TABLES_MAX: usize = 1 << 16;

/// Labels, and relationship types, that there may be: their ids have 16 bits.
const NAMES_MAX: usize = 1 << 16;

/// The type of a column for values of a type; `Any` where they have none of their own.
fn column_type(ty: LogicalType) -> LogicalType {
    use LogicalType as L;
    match ty {
        L::Bool | L::Int | L::Float | L::String | L::Date | L::LocalTime | L::LocalDateTime | L::DateTime => {
            ty
        }
        // Of names, and of literals that have no type of their own, it is worth knowing that all are such:
        // what they have in common is kept once (IRIs were two fifths of what inserted statements take).
        L::Iri | L::Literal => ty,
        _ => L::Any,
    }
}

fn id32(id: usize) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

/// The node table of a label set, sorted.
fn table_of(main: &Main, labels: &[Arc<str>]) -> Option<TableId> {
    let schema = &main.catalog.schema;
    // Without a look at tables where one of the labels is new.
    let ids: Option<Vec<usize>> = labels.iter().map(|label| schema.labels.id(label)).collect();
    let ids = ids?;
    schema.table_ids().find(|table| {
        let own = schema.node_tables.get(usize::from(table.0)).map(|info| &info.labels);
        own.is_some_and(|own| {
            own.len() == ids.len() && own.iter().all(|label| ids.contains(&usize::from(label.0)))
        })
    })
}

impl Shared {
    /// Publishes a main version that differs by `change`, and logs before what it has more.
    ///
    /// **Errors**: what `change` says; what logging fails with. Then nothing has changed.
    pub(crate) fn change_schema<T>(
        &self,
        change: impl FnOnce(&mut Main) -> Result<T, Error>,
    ) -> Result<T, Error> {
        // Held until it is published: declarations stand in the log in the order of ids.
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let before = snapshot.shared_main();
        let mut main = (**before).clone();
        let made = change(&mut main)?;
        // What comes new has nothing in it; labels that come to vary may make indexes of what is there.
        if before.catalog.definitions.is_same(&main.catalog.definitions) {
            index_all(&mut main, &self.live.delta)?;
        }
        let schema = &main.catalog.schema;
        if schema.labels.iter().len().max(schema.types.iter().len()) > NAMES_MAX {
            let text = "there are 65,536 different labels or relationship types; no more are possible";
            return Err(Error::Storage(text.into()));
        }
        if let Some(journal) = self.journal.get().filter(|journal| journal.is_kept())
            && let Some(declarations) = declared(before, &main)
        {
            journal.declare(&declarations)?;
        }
        *snapshot = self.snapshot_of(Arc::new(main));
        Ok(made)
    }

    /// The node table for nodes with a label set, sorted, and whether these have their labels by the row.
    pub(super) fn node_table(
        &self,
        writing: &mut Writing,
        labels: &[Arc<str>],
    ) -> Result<(TableId, bool), Error> {
        let (found, count) = self.in_newest(|main| (table_of(main, labels), main.node_tables.len()));
        // What users do not see is told by its table.
        let is_own = labels.iter().any(|label| is_hidden(label));
        match found {
            Some(table) => Ok((table, false)),
            None if labels.is_empty() || count < OWN_TABLES_MAX || is_own => {
                Ok((self.own_node_table(labels)?, false))
            }
            None => {
                let mixed = self.own_node_table(&[])?;
                self.let_labels_vary(writing, mixed, labels)?;
                Ok((mixed, true))
            }
        }
    }

    /// The node table of a label set, made if there is none.
    fn own_node_table(&self, labels: &[Arc<str>]) -> Result<TableId, Error> {
        if let Some(table) = self.in_newest(|main| table_of(main, labels)) {
            return Ok(table);
        }
        self.change_schema(|main| match table_of(main, labels) {
            Some(table) => Ok(table),
            None if main.node_tables.len() >= TABLES_MAX => {
                Err(Error::Storage("there are 65,536 different label sets; no more are possible".into()))
            }
            None => {
                let names = &mut Arc::make_mut(&mut main.catalog).schema.labels;
                let ids = labels.iter().map(|label| LabelId(id32(names.intern(label)) as _)).collect();
                Ok(main.add_node_table(ids))
            }
        })
    }

    /// Rows of a node table may differ from the table by these labels.
    pub(super) fn let_labels_vary(
        &self,
        writing: &mut Writing,
        table: TableId,
        labels: &[Arc<str>],
    ) -> Result<(), Error> {
        // Before the fact is looked at: it may be about to become true again.
        writing.break_facts();
        let is_ready = |main: &Main| {
            let names = &main.catalog.schema.labels;
            let ids: Option<Vec<LabelId>> =
                labels.iter().map(|label| names.id(label).map(|id| LabelId(id as u16))).collect();
            ids.is_some_and(|ids| facts::labels_vary(main, table, &ids))
        };
        if self.in_newest(|main| is_ready(main)) {
            return Ok(());
        }
        self.change_schema(|main| {
            let names = &mut Arc::make_mut(&mut main.catalog).schema.labels;
            let ids: Vec<LabelId> =
                labels.iter().map(|label| LabelId(id32(names.intern(label)) as u16)).collect();
            facts::let_labels_vary(main, table, &ids);
            Ok(())
        })
    }

    /// Rows of a node table may lack its key.
    pub(super) fn let_keys_lack(&self, table: TableId) -> Result<(), Error> {
        if self.in_newest(|main| facts::is_keyless(main, table)) {
            return Ok(());
        }
        self.change_schema(|main| {
            facts::let_keys_lack(main, table);
            Ok(())
        })
    }

    /// The edge table of a type out of a node table, which may get edges to `target` and between any two
    /// nodes.
    pub(super) fn edge_table(
        &self,
        edge_type: &str,
        source: TableId,
        target: TableId,
    ) -> Result<EdgeTableId, Error> {
        let find = |main: &Main| {
            let schema = &main.catalog.schema;
            let of = |table: &EdgeTableId| {
                schema.edge_tables.get(usize::from(table.0)).is_some_and(|info| info.source == source)
                    && *schema.type_name(*table) == *edge_type
            };
            schema.edge_table_ids().find(of)
        };
        let is_ready = |main: &Main, table: EdgeTableId| facts::edges_vary(main, table, target);
        let ready = |main: &Main| find(main).filter(|table| is_ready(main, *table));
        if let Some(table) = self.in_newest(|main| ready(main)) {
            return Ok(table);
        }
        self.change_schema(|main| {
            let table = match find(main) {
                Some(table) => table,
                None if main.edge_tables.len() >= TABLES_MAX => {
                    let text = "there are 65,536 relationship types by node table; no more are possible";
                    return Err(Error::Storage(text.into()));
                }
                None => {
                    let types = &mut Arc::make_mut(&mut main.catalog).schema.types;
                    let ty = TypeId(id32(types.intern(edge_type)) as _);
                    main.add_edge_table(ty, source)
                }
            };
            if !is_ready(main, table) {
                facts::let_edges_vary(main, table, target);
            }
            Ok(table)
        })
    }

    /// An edge table may get edges from a node to itself.
    pub(super) fn let_have_loops(&self, table: EdgeTableId) -> Result<(), Error> {
        if self.in_newest(|main| facts::may_have_loops(main, table)) {
            return Ok(());
        }
        self.change_schema(|main| {
            facts::let_have_loops(main, table);
            Ok(())
        })
    }

    /// The column of a property of a node table, which may get values of a type from now on.
    pub(crate) fn node_column(
        &self,
        writing: &mut Writing,
        table: TableId,
        key: &str,
        ty: LogicalType,
    ) -> Result<usize, Error> {
        let at = usize::from(table.0);
        let mut find = |main: &Main| {
            let column = main.catalog.schema.node_property(table, key)?;
            let has = main.catalog.schema.node_tables[at].properties[column].ty;
            let facts = main.catalog.unrecorded_facts().node_tables.get(at)?;
            takes(writing, (has, ty), facts.one_type.get(column)).then_some(column)
        };
        if let Some(column) = self.in_newest(|main| find(main)) {
            return Ok(column);
        }
        self.change_schema(|main| {
            let is_ready = find(main).is_some();
            let catalog = Arc::make_mut(&mut main.catalog);
            Ok(match catalog.schema.node_property(table, key) {
                Some(column) => {
                    if !is_ready {
                        facts::let_node_types_vary(main, table, column);
                    }
                    column
                }
                None => {
                    let id = PropertyId(id32(catalog.schema.properties.intern(key)));
                    main.add_node_column(table, PropertyInfo { id, ty: column_type(ty) })
                }
            })
        })
    }

    /// The same of an edge table.
    pub(super) fn edge_column(
        &self,
        writing: &mut Writing,
        table: EdgeTableId,
        key: &str,
        ty: LogicalType,
    ) -> Result<usize, Error> {
        let at = usize::from(table.0);
        let mut find = |main: &Main| {
            let column = main.catalog.schema.edge_property(table, key)?;
            let has = main.catalog.schema.edge_tables[at].properties[column].ty;
            let facts = main.catalog.unrecorded_facts().edge_tables.get(at)?;
            takes(writing, (has, ty), facts.one_type.get(column)).then_some(column)
        };
        if let Some(column) = self.in_newest(|main| find(main)) {
            return Ok(column);
        }
        self.change_schema(|main| {
            let is_ready = find(main).is_some();
            let catalog = Arc::make_mut(&mut main.catalog);
            Ok(match catalog.schema.edge_property(table, key) {
                Some(column) => {
                    if !is_ready {
                        facts::let_edge_types_vary(main, table, column);
                    }
                    column
                }
                None => {
                    let id = PropertyId(id32(catalog.schema.properties.intern(key)));
                    main.add_edge_column(table, PropertyInfo { id, ty: column_type(ty) })
                }
            })
        })
    }
}

/// Whether a column of type `has` may get values of type `ty` with the facts as they are; `Any` is of nulls.
/// Who writes others says so before the fact is looked at.
fn takes(writing: &mut Writing, (has, ty): (LogicalType, LogicalType), one_type: Option<&bool>) -> bool {
    let is_other = has != ty && ty != LogicalType::Any;
    if is_other && has != LogicalType::Any {
        writing.break_facts();
    }
    !is_other || one_type != Some(&true)
}

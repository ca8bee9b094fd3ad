//! Facts that were broken and may be true again beside those who read and write: which of them main's data
//! allow, and those that are said again.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::LabelsVary;
use trimorph_types::LogicalType;

use crate::Main;
use crate::column::Column;

/// A column, by its table and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnPlace {
    /// Of a node table.
    Nodes(TableId, usize),
    /// Of an edge table.
    Edges(EdgeTableId, usize),
}

/// What may be true again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FactsAgain {
    /// Columns whose values are all of their type, which is given.
    pub one_type: Vec<(ColumnPlace, LogicalType)>,
    /// Node tables, and by which labels their rows differ from them.
    pub labels: Vec<(TableId, LabelsVary)>,
}

impl FactsAgain {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.one_type.is_empty() && self.labels.is_empty()
    }
}

impl Main {
    /// What facts deny and main's data bear out: somebody wrote something else, or was about to. Of labels,
    /// tables whose rows have no others in main.
    ///
    /// **Cost**: a look at all tables and columns, and at the segments of columns that may have other types.
    pub fn facts_again(&self) -> FactsAgain {
        let mut again = FactsAgain::default();
        let facts = self.catalog.unrecorded_facts();
        let nodes = self.catalog.schema.table_ids().zip(facts.node_tables.iter().zip(&self.node_tables));
        for (id, (facts, table)) in nodes {
            let broken = broken(&facts.one_type, &table.columns);
            again.one_type.extend(broken.map(|(at, ty)| (ColumnPlace::Nodes(id, at), ty)));
            if facts.labels_vary.do_vary() && table.labels.is_none() {
                again.labels.push((id, LabelsVary::No));
            }
        }
        let edges = self.catalog.schema.edge_table_ids().zip(facts.edge_tables.iter().zip(&self.edge_tables));
        for (id, (facts, table)) in edges {
            let broken = broken(&facts.one_type, &table.columns);
            again.one_type.extend(broken.map(|(at, ty)| (ColumnPlace::Edges(id, at), ty)));
        }
        again
    }

    /// Says what is true again, as far as main's data bear it out. Right where nobody who reads by these
    /// facts finds anything else in a delta, or in an older version.
    pub fn say_again(&mut self, again: &FactsAgain) {
        let catalog = Arc::make_mut(&mut self.catalog);
        catalog.facts_restored += 1;
        let facts = catalog.facts_mut();
        for (column, _) in &again.one_type {
            let (one_type, columns, at) = match *column {
                ColumnPlace::Nodes(table, at) => {
                    let table = usize::from(table.0);
                    let facts = facts.node_tables.get_mut(table).map(|facts| &mut facts.one_type);
                    (facts, self.node_tables.get(table).map(|table| &table.columns), at)
                }
                ColumnPlace::Edges(table, at) => {
                    let table = usize::from(table.0);
                    let facts = facts.edge_tables.get_mut(table).map(|facts| &mut facts.one_type);
                    (facts, self.edge_tables.get(table).map(|table| &table.columns), at)
                }
            };
            if let Some(one) = one_type.and_then(|one_type| one_type.get_mut(at))
                && let Some(column) = columns.and_then(|columns| columns.get(at))
            {
                *one = column.has_one_type();
            }
        }
        for (table, vary) in &again.labels {
            let at = usize::from(table.0);
            if let (Some(facts), Some(table)) = (facts.node_tables.get_mut(at), self.node_tables.get(at))
                && table.labels.is_none()
            {
                facts.labels_vary = vary.clone();
            }
        }
    }

    /// Rows that have other labels than their tables in `data`, whose data these are, may have them here:
    /// what became true with a later version need not hold of this one.
    pub fn keep_labels_varying(&mut self, data: &Self) {
        let known = &data.catalog.unrecorded_facts().node_tables;
        let vary = || known.iter().zip(&data.node_tables).filter(|(_, table)| table.labels.is_some());
        if vary().next().is_none() {
            return;
        }
        let facts = Arc::make_mut(&mut self.catalog).facts_mut();
        for (facts, (known, table)) in facts.node_tables.iter_mut().zip(known.iter().zip(&data.node_tables)) {
            if table.labels.is_some() {
                facts.labels_vary.add_all(&known.labels_vary);
            }
        }
    }
}

/// The columns of a table of which the fact is broken and holds of main.
fn broken<'t>(
    one_type: &'t [bool],
    columns: &'t [Arc<Column>],
) -> impl Iterator<Item = (usize, LogicalType)> + 't {
    let columns = one_type.iter().zip(columns).enumerate();
    columns
        .filter(|(_, (one, column))| !**one && column.has_one_type())
        .map(|(at, (_, column))| (at, column.ty))
}

//! Constraints, kept to by who writes: what a clause wrote in, an error if it violates one out.
//!
//! 1. What a clause writes is noted where a constraint may be about it ([`Touched`]).
//! 2. When the clause is over, types and uniqueness are looked at: a swap of two values within one clause is
//!    none of anybody's business. Who has the same values and is not seen is met in the delta, or meets this
//!    one, since both are found by their values before either of them looks: one of the two gets a conflict,
//!    at every level.
//! 3. What must be there is looked at again when the transaction commits: until then it may be missing.
//!
//! Labels and properties are one thing where a constraint is about both: who changes one of them asks whether
//! somebody changes the other.
//!
//! Source: `docs/design/transactions.md`, "Who conflicts with whom".

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{self, fence};

use trimorph_base::{EdgeId, LabelId, NodeId, TableId};
use trimorph_catalog::{Definition, Rule, Subject};
use trimorph_delta::LABELS;
use trimorph_store::{PropertyColumn, Reader, Snapshot};
use trimorph_types::{Value, order};

use super::constraint_errors::{described, property_names, violated, wrong_type};
use super::edge_constraints::InEdgeTable;
use super::touched::{Lacking, Touched};
use super::writing::conflicting;
use super::{Statement, Writing};
use crate::Error;
use crate::shared::Shared;

/// A definition in one node table.
struct InTable<'r, 's> {
    definition: &'r Definition,
    label: LabelId,
    table: TableId,
    /// Whether rows may have other labels than the table.
    labels_vary: bool,
    columns: Vec<Option<usize>>,
    reader: &'r Reader<'s>,
}

impl<'r, 's> InTable<'r, 's> {
    /// None where no row of the table can have the label.
    fn of(
        definition: &'r Definition,
        label: LabelId,
        table: TableId,
        reader: &'r Reader<'s>,
    ) -> Option<Self> {
        let schema = reader.schema();
        let info = schema.node_tables.get(usize::from(table.0))?;
        let labels_vary = reader.labels_vary(table);
        let column = |id| info.properties.iter().position(|property| property.id == id);
        let columns = definition.properties.iter().map(|id| column(*id)).collect();
        let may = reader.labels_vary_by(table, label) || info.labels.contains(&label);
        may.then_some(Self { definition, label, table, labels_vary, columns, reader })
    }

    fn has_label(&self, row: u64) -> bool {
        let schema = self.reader.schema();
        let name = schema.labels.name(self.label.0.into());
        !self.labels_vary
            || name.is_some_and(|name| self.reader.labels(NodeId::new(self.table, row)).contains(name))
    }

    fn exists(&self, row: u64) -> bool {
        self.reader.node_exists(NodeId::new(self.table, row))
    }

    fn value(&self, place: usize, row: u64) -> Value {
        match self.columns.get(place).copied().flatten() {
            Some(column) => PropertyColumn::of_nodes(self.table, column, self.reader).value(row),
            None => Value::Null,
        }
    }

    fn values(&self, row: u64) -> Values {
        let rest = (1..self.columns.len()).map(|place| self.value(place, row)).collect();
        Values { first: self.value(0, row), rest }
    }

    /// Asks whether somebody who is not seen changes what the definition is about at a row.
    fn meet(&self, writing: &Writing, row: u64) -> Result<(), Error> {
        let Some(delta) = writing.live().delta.nodes(self.table) else { return Ok(()) };
        let labels = self.labels_vary.then_some(LABELS);
        let columns = self.columns.iter().flatten().map(|column| *column as u32).chain(labels);
        for column in columns {
            delta.meets(&writing.writer(), row, column).map_err(|conflict| conflicting(&conflict))?;
        }
        Ok(())
    }
}

/// What a row has in the columns that a definition is about. One value, as most have, takes no memory of its
/// own.
struct Values {
    first: Value,
    rest: Vec<Value>,
}

impl Values {
    fn iter(&self) -> impl Iterator<Item = &Value> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// By one value after the other.
    fn order(&self, other: &Self) -> Ordering {
        let rest = || self.rest.iter().zip(&other.rest).map(|(a, b)| order(a, b)).find(|o| o.is_ne());
        order(&self.first, &other.first).then_with(|| rest().unwrap_or(Ordering::Equal))
    }
}

impl Statement<'_> {
    /// Looks at what a clause wrote.
    ///
    /// **Errors**: a constraint is violated; somebody else is about to write what would violate it together
    /// with this. **Cost**: nothing where no constraint is about it.
    pub(super) fn check_definitions(&self, writing: &mut Writing) -> Result<(), Error> {
        let touched = std::mem::take(&mut writing.touched);
        if touched.is_empty() {
            return Ok(());
        }
        // A constraint is asked for itself: nothing of it is a read.
        let snapshot = writing.snapshot_within(writing.base(self.shared)).noting(None);
        let reader = Reader::new(&snapshot);
        // What is written can be found from here on, by who looks after this.
        fence(atomic::Ordering::SeqCst);
        let mut lacking = std::mem::take(&mut writing.lacking);
        for definition in snapshot.catalog().definitions.iter() {
            match definition.subject {
                Subject::Label(label) => {
                    for table in touched.tables() {
                        if let Some(own) = InTable::of(definition, label, table, &reader) {
                            self.check_nodes(writing, &own, &touched, &mut lacking, &snapshot)?;
                        }
                    }
                }
                Subject::Type(_) => {
                    self.check_edges(writing, definition, &touched, &mut lacking, &snapshot, &reader)?;
                }
            }
        }
        writing.lacking = lacking;
        Ok(())
    }

    fn check_nodes(
        &self,
        writing: &Writing,
        own: &InTable<'_, '_>,
        touched: &Touched,
        lacking: &mut Lacking,
        snapshot: &Snapshot,
    ) -> Result<(), Error> {
        let definition = own.definition;
        if definition.rule == Rule::Index {
            return Ok(());
        }
        let tables = snapshot.schema().table_ids();
        let of = |table| InTable::of(definition, own.label, table, own.reader);
        let all: Vec<InTable<'_, '_>> = match definition.rule.is_unique() {
            true => tables.filter_map(of).collect(),
            false => Vec::new(),
        };
        // A part at a time: those of other parts are found by their values, as anybody else's. Of several
        // values many rows may have the first one: they are looked for side by side.
        let rows = touched.rows(own.table, &own.columns);
        let together = if own.columns.len() == 1 { ROWS_TOGETHER } else { rows.len().max(1) };
        rows.chunks(together)
            .try_for_each(|rows| self.check_rows(writing, (own, &all), rows, lacking, snapshot))
    }

    /// Some of the rows that a clause wrote keep to a definition.
    fn check_rows(
        &self,
        writing: &Writing,
        (own, all): (&InTable<'_, '_>, &[InTable<'_, '_>]),
        rows: &[u64],
        lacking: &mut Lacking,
        snapshot: &Snapshot,
    ) -> Result<(), Error> {
        let definition = own.definition;
        let mut unique: Vec<(u64, Values)> = Vec::new();
        for (at, row) in rows.iter().copied().enumerate() {
            self.check(at)?;
            own.meet(writing, row)?;
            if !own.exists(row) || !own.has_label(row) {
                continue;
            }
            let values = own.values(row);
            if let (Rule::Typed(ty), Values { first, rest }) = (&definition.rule, &values)
                && rest.is_empty()
                && !ty.accepts(first)
            {
                return Err(self.wrong_type(definition, first, snapshot));
            }
            if values.iter().any(Value::is_null) {
                if definition.rule.demands() {
                    lacking.nodes.or_default(own.table).push(row);
                }
                continue;
            }
            if definition.rule.is_unique() {
                unique.push((row, values));
            }
        }
        // Those that have a value in common are looked for together.
        unique.sort_unstable_by(|(_, a), (_, b)| a.order(b));
        unique
            .chunks(ROWS_TOGETHER)
            .try_for_each(|rows| self.check_unique(writing, (own, all), rows, snapshot))
    }

    /// No other node of any table has the values of one of these rows, which are in the order of what they
    /// have.
    ///
    /// **Cost**: a look-up for each of the first values, from value to value in their order, and a search
    /// among the rows for each node that has one of them.
    fn check_unique(
        &self,
        writing: &Writing,
        (own, all): (&InTable<'_, '_>, &[InTable<'_, '_>]),
        rows: &[(u64, Values)],
        snapshot: &Snapshot,
    ) -> Result<(), Error> {
        // Rows that have the same are told at once: each of them would find all others.
        if let Some([(_, values), _]) = rows.array_windows().find(|[(_, a), (_, b)]| a.order(b).is_eq()) {
            return Err(self.there_already(own, values, snapshot));
        }
        let mut firsts: Vec<Value> = rows.iter().map(|(_, values)| values.first.clone()).collect();
        firsts.dedup_by(|a, b| order(a, b).is_eq());
        let mut own_rows: Vec<u64> = rows.iter().map(|(row, _)| *row).collect();
        own_rows.sort_unstable();
        for other in all {
            for (at, (number, candidate)) in candidates(writing, other, &firsts).into_iter().enumerate() {
                self.check(at)?;
                // As a rule who has the value is who wrote it.
                let is_itself = |row: Option<&(u64, Values)>| row.is_some_and(|(row, _)| *row == candidate);
                if other.table == own.table
                    && (is_itself(rows.get(number as usize)) || own_rows.binary_search(&candidate).is_ok())
                {
                    continue;
                }
                other.meet(writing, candidate)?;
                if !other.exists(candidate) {
                    continue;
                }
                let values = other.values(candidate);
                let same = rows.binary_search_by(|(_, wanted)| wanted.order(&values));
                if same.is_ok() && other.has_label(candidate) {
                    return Err(self.there_already(own, &values, snapshot));
                }
            }
        }
        Ok(())
    }

    fn there_already(&self, own: &InTable<'_, '_>, values: &Values, snapshot: &Snapshot) -> Error {
        let label = snapshot.schema().labels.name(own.label.0.into()).cloned().unwrap_or_default();
        let values: Vec<Value> = values.iter().cloned().collect();
        let has = described(own.definition, &values, snapshot);
        let name = &own.definition.name;
        let text = format!("there is a node (:{label}) with {has} already: constraint \"{name}\"");
        self.wrong(violated(text, "MERGE finds a node that is there, or makes it"))
    }

    fn wrong_type(&self, definition: &Definition, value: &Value, snapshot: &Snapshot) -> Error {
        self.wrong(wrong_type(definition, value, snapshot.schema()))
    }
}

/// Rows that are looked for together, so that what is found of them is bounded.
const ROWS_TOGETHER: usize = 1 << 14;

/// Rows that may have one of some values, seen or not, in the first column of what a definition is about,
/// each with the number of the value: ascending.
fn candidates(writing: &Writing, other: &InTable<'_, '_>, values: &[Value]) -> Vec<(u32, u64)> {
    let Some(Some(column)) = other.columns.first() else { return Vec::new() };
    let (table, column) = (other.table, *column);
    let mut found = Vec::new();
    if !other.reader.find_all_values(table, column, values, &mut found) {
        // Nobody has made the index where this transaction reads, as it was when it began.
        let mut sorted: Vec<(u32, &Value)> = (0_u32..).zip(values).collect();
        sorted.sort_by(|(_, a), (_, b)| order(a, b));
        for row in 0..other.reader.rows(table) {
            let value = other.value(0, row);
            let first = sorted.partition_point(|(_, wanted)| order(wanted, &value).is_lt());
            let same = sorted[first..].iter();
            let same = same.take_while(|(_, wanted)| order(wanted, &value).is_eq());
            found.extend(same.map(|(number, _)| (*number, row)));
        }
    }
    let delta = writing.live().delta.nodes(table);
    if let Some(index) = delta.and_then(|delta| delta.index(u32::try_from(column).unwrap_or(u32::MAX))) {
        index.rows_of_each((0_u32..).zip(values), |number, row| found.push((number, row)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl Writing {
    /// What must be there is there, now that nothing more is written.
    ///
    /// **Errors**: a node or relationship lacks a property that a constraint demands.
    pub(super) fn check_lacking(&self, shared: &Shared) -> Result<(), Error> {
        if self.lacking.is_empty() {
            return Ok(());
        }
        let snapshot = self.snapshot_within(self.base(shared)).noting(None);
        let reader = Reader::new(&snapshot);
        let schema = snapshot.schema();
        let wrong = |definition: &Definition, what: &str, name: Option<&Arc<str>>| {
            let name = name.cloned().unwrap_or_default();
            let text = format!(
                "a {what} lacks \"{}\", which constraint \"{}\" demands",
                property_names(definition, schema),
                definition.name
            );
            let hint = format!("give every {name} one before the transaction ends");
            Error::query(violated(text, &hint), "")
        };
        for definition in snapshot.catalog().definitions.iter().filter(|one| one.rule.demands()) {
            match definition.subject {
                Subject::Label(label) => {
                    let name = schema.labels.name(label.0.into());
                    for (table, rows) in &self.lacking.nodes {
                        let Some(own) = InTable::of(definition, label, *table, &reader) else { continue };
                        let lacks = |row: &u64| {
                            own.exists(*row)
                                && own.has_label(*row)
                                && own.values(*row).iter().any(Value::is_null)
                        };
                        if rows.iter().any(lacks) {
                            let what = format!("node (:{})", name.cloned().unwrap_or_default());
                            return Err(wrong(definition, &what, name));
                        }
                    }
                }
                Subject::Type(ty) => {
                    let name = schema.types.name(ty.0.into());
                    for (table, edges) in &self.lacking.edges {
                        let Some(own) = InEdgeTable::of(definition, *table, &reader) else { continue };
                        let lacks = |edge: &EdgeId| {
                            reader.edge_exists(*edge) && own.values(*edge).iter().any(Value::is_null)
                        };
                        if edges.iter().any(lacks) {
                            let what = format!("relationship [:{}]", name.cloned().unwrap_or_default());
                            return Err(wrong(definition, &what, name));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

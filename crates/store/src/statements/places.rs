//! Where statements may be: a predicate, a table or a node in; out, the columns and edge tables that are
//! asked.
//!
//! 1. The schema tells which columns and edge tables there are, by predicate and by table.
//! 2. Where those of a table are many, a node is asked for those that have something of it: main's
//!    characteristic sets tell, once they were made, and the delta what was written.
//! 3. Who notes what he reads asks all of them: what is not there is read as well.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_catalog::{EdgeShape, OwnPlaces, Places};
use trimorph_delta::{Direction, LABELS};
use trimorph_storage::column::SEGMENT_ROWS;
use trimorph_storage::{EdgeTable, PLACES_MIN, Place};

use super::matching::{Asking, Leading, Statements};
use crate::Reader;

/// Edge tables of one predicate beyond which a node is asked which of them lead to it: a look costs some
/// 50 ns, and asking as much as several.
const TABLES_MANY: usize = 16;

impl<'a> From<&'a OwnPlaces> for Asking<'a> {
    fn from(own: &'a OwnPlaces) -> Self {
        Self { predicate: &own.predicate, columns: &own.columns, edges: &own.edges }
    }
}

impl Reader<'_> {
    /// Appends the places to which something of a node was written since the last merge, whoever sees it:
    /// its columns and the lists from it, or the lists that lead to it.
    fn places_written(&self, node: NodeId, forward: bool, places: &mut Vec<Place>) {
        let Some(moment) = self.moment() else { return };
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        if forward && let Some(changes) = self.node_changes(node.table()) {
            changes.columns_written(node.row(), |column| {
                if column != LABELS {
                    places.push(Place::Column(column));
                }
            });
        }
        let topology = moment.topology();
        topology.marked_at(node.table(), direction, node.row(), |edges| {
            places.push(Place::Edges(edges.0.into()))
        });
    }
}

impl Statements<'_, '_> {
    /// The predicates that are meant, with their places.
    pub(super) fn places<'a>(
        &'a self,
        predicate: Option<&'a Arc<str>>,
    ) -> impl Iterator<Item = (&'a Arc<str>, &'a Places)> {
        let (all, is_meant) = match (predicate, self.among) {
            (Some(one), _) => (std::slice::from_ref(one), true),
            (None, Some(among)) if among.is_in => (&among.iris[..], true),
            (None, among) => (&self.shape().predicates[..], among.is_none()),
        };
        let meant = all.iter().filter(move |iri| is_meant || self.is_meant(iri));
        meant.filter_map(|iri| Some((iri, self.shape().places(iri)?)))
    }

    /// Calls `visit` with where the statements about a node may be, of the predicates that are meant.
    pub(super) fn each_own<B>(
        &self,
        subject: NodeId,
        predicate: Option<&Arc<str>>,
        mut visit: impl FnMut(Asking<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let table = subject.table();
        let named = match (predicate, self.among) {
            (Some(one), _) => Some(std::slice::from_ref(one)),
            (None, Some(among)) if among.is_in => Some(&among.iris[..]),
            (None, _) => None,
        };
        if let Some(named) = named {
            let mut own = named.iter().filter_map(|iri| self.shape().own(table, iri));
            return own.try_for_each(|own| visit(own.into()));
        }
        let all = self.shape().of_table(table);
        if let Some(few) = self.few_places(subject, true, || all.len()) {
            let mut few = few.into_iter().filter_map(|place| self.asking(table, place));
            return few.try_for_each(|own| match self.is_meant(own.predicate) {
                true => visit(own),
                false => ControlFlow::Continue(()),
            });
        }
        all.iter().filter(|own| self.is_meant(&own.predicate)).try_for_each(|own| visit(own.into()))
    }

    /// A place about nodes of a table; none where it says nothing.
    fn asking(&self, table: TableId, place: Place) -> Option<Asking<'_>> {
        match place {
            Place::Column(column) => {
                let own = self.shape().of_column(table, column as usize)?;
                let at = own.columns.iter().position(|own| *own == column as usize)?;
                Some(Asking { columns: own.columns.get(at..=at)?, edges: &[], ..own.into() })
            }
            Place::Edges(edges) => {
                let (predicate, edges) = self.shape().of_edges(edges as usize)?;
                Some(Asking { predicate, columns: &[], edges: std::slice::from_ref(edges) })
            }
        }
    }

    /// Of `all` places that statements about a node may be in, or lists that may lead to it, those that may
    /// have something of it; none where all are to be asked.
    fn few_places(&self, node: NodeId, forward: bool, all: impl FnOnce() -> usize) -> Option<Vec<Place>> {
        let reader = self.reader();
        if reader.notes_reads() {
            return None;
        }
        let all = all();
        if all < PLACES_MIN {
            return None;
        }
        let mut places = Vec::new();
        // Of a row behind main's last main has nothing.
        if node.row() < reader.main_table(node.table())?.rows {
            self.extend_by_main(node, forward, all, &mut places)?;
        }
        reader.places_written(node, forward, &mut places);
        places.sort_unstable();
        places.dedup();
        Some(places)
    }

    /// Appends those that may have something of a node in main; none where nobody knows.
    fn extend_by_main(&self, node: NodeId, forward: bool, all: usize, places: &mut Vec<Place>) -> Option<()> {
        let (reader, rows) = (self.reader(), (node.table(), node.row() / SEGMENT_ROWS as u64, forward));
        let mut known = self.known.sets.borrow_mut();
        if let Some(sets) = known.get(&rows) {
            places.extend(sets.of(node.row()));
            return Some(());
        }
        let sets = reader.main().places_of_rows(node, forward, all, || reader.pins().room())?;
        places.extend(sets.of(node.row()));
        // Who looks at places that have changed says so each time.
        if !sets.have_changed() {
            known.insert(rows, sets);
        }
        Some(())
    }

    /// Calls `along` with the edge tables, and their predicates, whose edges may lead to a node.
    pub(super) fn each_leading<B>(
        &self,
        end: NodeId,
        predicate: Option<&Arc<str>>,
        mut along: impl FnMut(&Arc<str>, &EdgeShape) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let tables = |one: &Arc<str>| self.shape().places(one).map_or(0, |places| places.edges.len());
        if predicate.is_none_or(|one| tables(one) >= TABLES_MANY)
            && let Some(few) = self.few_places(end, false, || self.leading_count(end.table()))
        {
            let mut few = few.into_iter().filter_map(|place| match place {
                Place::Edges(edges) => self.shape().of_edges(edges as usize),
                Place::Column(_) => None,
            });
            return few.try_for_each(|(iri, shape)| match self.asks(predicate, iri) {
                true => along(iri, shape),
                false => ControlFlow::Continue(()),
            });
        }
        if predicate.is_none() {
            let leading = self.leading_to(end.table());
            let mut leading = leading.iter().filter(|(iri, _)| self.is_meant(iri));
            return leading.try_for_each(|(iri, shape)| along(iri, shape));
        }
        for (iri, places) in self.places(predicate) {
            let mut leading =
                places.edges.iter().filter(|shape| self.reader().may_lead_to(shape.at, end.table()));
            leading.try_for_each(|shape| along(iri, shape))?;
        }
        ControlFlow::Continue(())
    }

    /// How many edge tables lead to nodes of a table in main. **Cost**: a look at each edge table, once.
    fn leading_count(&self, table: TableId) -> usize {
        let leads = |edges: &&Arc<EdgeTable>| edges.backward.iter().any(|(to, _)| *to == table);
        let count = || self.reader().main().edge_tables.iter().filter(leads).count();
        *self.known.leading_counts.borrow_mut().entry(table).or_insert_with(count)
    }

    /// The predicates and edge tables whose edges may lead to nodes of a table.
    fn leading_to(&self, table: TableId) -> Leading {
        let find = || {
            // Of all predicates: it is kept for whoever asks next.
            let shape = self.shape();
            let places = shape.predicates.iter().filter_map(|iri| Some((iri, shape.places(iri)?)));
            let all = places.flat_map(|(iri, places)| places.edges.iter().map(move |shape| (iri, shape)));
            let leading = all.filter(|(_, shape)| self.reader().may_lead_to(shape.at, table));
            leading.map(|(iri, shape)| (Arc::clone(iri), shape.clone())).collect()
        };
        let mut known = self.known.leading.borrow_mut();
        Arc::clone(known.entry(table).or_insert_with(find))
    }
}

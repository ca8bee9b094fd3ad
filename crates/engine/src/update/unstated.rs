//! Nodes of which nothing is stated any more: what a statement has deleted RDF statements of, in; those that
//! have nothing left but their name go.
//!
//! To RDF there is no node, only what is stated. Without this, what comes and goes by SPARQL Update would
//! leave a node for each IRI, and for each literal that stood for itself, that there ever was. Two
//! transactions that delete the last two statements of a node beside each other leave it; it goes with the
//! next that is deleted of it.

use trimorph_base::NodeId;
use trimorph_store::Reader;
use trimorph_store::neighbours::Neighbours;
use trimorph_types::iri_names::{ID, LITERAL_VALUE, is_hidden};

use super::{Statement, Writing};
use crate::Error;

impl Statement<'_> {
    /// Deletes those nodes of [`Writing::unstated`] that have nothing but a name.
    ///
    /// **Errors**: as deleting nodes: who states something of one beside this conflicts.
    pub(super) fn delete_unstated(&self, writing: &mut Writing) -> Result<(), Error> {
        let mut nodes = std::mem::take(&mut writing.unstated);
        if nodes.is_empty() {
            return Ok(());
        }
        nodes.sort_unstable();
        nodes.dedup();
        {
            let snapshot = writing.snapshot_within(writing.base(self.shared));
            let reader = Reader::new(&snapshot);
            let mut at = 0;
            let mut stopped = Ok(());
            nodes.retain(|node| {
                at += 1;
                stopped.is_ok() && {
                    stopped = self.check(at);
                    is_only_named(&reader, *node)
                }
            });
            stopped?;
            // What could not be read would be taken for nothing.
            if let Some(failure) = reader.failure() {
                return Err(Error::from(failure));
            }
        }
        if nodes.is_empty() {
            return Ok(());
        }
        writing.has_deleted = true;
        self.delete_nodes(writing, &nodes)?;
        writing.end_clause();
        self.shared.charge_clause(writing, &self.settings.cancel)
    }
}

/// Whether a node has an IRI, is a blank node, a triple term or a literal, and nothing is stated of it.
fn is_only_named(reader: &Reader<'_>, node: NodeId) -> bool {
    if !reader.node_exists(node) || reader.labels(node).iter().any(|label| !is_hidden(label)) {
        return false;
    }
    let properties = reader.node_properties(node);
    let is_named = properties.contains_key(ID) || properties.contains_key(LITERAL_VALUE);
    if !is_named || properties.keys().any(|key| **key != *ID && **key != *LITERAL_VALUE) {
        return false;
    }
    let has_edges =
        |at: usize, forward: bool| Neighbours::all(reader, at, forward, node.table()).degree(node.row()) > 0;
    let mut tables = reader.schema().edge_tables.iter().enumerate();
    !tables.any(|(at, info)| info.source == node.table() && has_edges(at, true) || has_edges(at, false))
}

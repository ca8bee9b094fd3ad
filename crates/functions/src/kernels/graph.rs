//! Functions of nodes and edges: what depends on the table alone is asked for once a table.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_types::{Relationship, Value};
use trimorph_vector::{Dictionary, Edges, Lists, Nodes, Nulls, Positions, Texts, Values, Vector};

use crate::context::Context;
use crate::kernel::Argument;

/// Answers by table, the last one first: most vectors are of one table.
struct ByTable<T> {
    known: Vec<(u16, T)>,
    last: usize,
}

impl<T> ByTable<T> {
    fn new() -> Self {
        Self { known: Vec::new(), last: 0 }
    }

    /// The answer for a table, asked for once; `None` where there is none.
    fn get(&mut self, table: u16, ask: impl FnOnce() -> Option<T>) -> Option<&T> {
        if self.known.get(self.last).is_none_or(|(t, _)| *t != table) {
            self.last = match self.known.iter().position(|(t, _)| *t == table) {
                Some(k) => k,
                None => {
                    self.known.push((table, ask()?));
                    self.known.len() - 1
                }
            };
        }
        self.known.get(self.last).map(|(_, answer)| answer)
    }
}

pub(crate) fn id<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let mut out = vec![0i64; at.len];
    match &vector.values {
        Values::Node(nodes) => at.for_each(|i| out[i] = nodes.id(i).0.cast_signed()),
        Values::Edge(edges) if is_known(edges) => at.for_each(|i| out[i] = edges.id(i).0.cast_signed()),
        _ => return None,
    }
    Some(Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
}

/// Whether edges have ids: scans that read properties only know no more than slots.
fn is_known(edges: &Edges<'_>) -> bool {
    match edges {
        Edges::Slots { pages, .. } => pages.places.is_some(),
        Edges::Run(_) | Edges::Ids(_) => true,
    }
}

pub(crate) fn labels<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(Vector { values: Values::Node(nodes), nulls })) = args.first() else {
        return None;
    };
    let (mut runs, mut names) = (vec![(0, 0); at.len], Texts::default());
    let (mut tables, mut ok) = (ByTable::new(), true);
    // Those of the table that came last, whose nodes have the same labels.
    let mut last = None;
    at.for_each(|i| {
        if !nulls.get(i) {
            let node = nodes.id(i);
            if let Some((table, run)) = last
                && table == node.table()
            {
                runs[i] = run;
                return;
            }
            let mut ask = || {
                let (labels, start) = (context.graph.labels(node).ok()?, names.len());
                labels.iter().for_each(|label| names.push(label));
                Some((u32::try_from(start).ok()?, u32::try_from(labels.len()).ok()?))
            };
            let vary = context.graph.labels_vary(node);
            let run = if vary && context.graph.has_own_labels(node) {
                ask()
            } else {
                let run = tables.get(node.table().0, ask).copied();
                last = run.filter(|_| !vary).map(|run| (node.table(), run));
                run
            };
            ok &= run.is_some();
            runs[i] = run.unwrap_or_default();
        }
    });
    let lists = ok.then(|| Lists::new(runs.into_iter(), Vector::new(Values::String(names))))??;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// Edges that have ids, and which are null.
fn edges<'a, 's>(args: &[Argument<'a, 's>]) -> Option<(&'a Edges<'s>, &'a Nulls)> {
    match args.first() {
        Some(Argument::Each(Vector { values: Values::Edge(edges), nulls })) if is_known(edges) => {
            Some((edges, nulls))
        }
        _ => None,
    }
}

pub(crate) fn relationship_type<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (edges, nulls) = edges(args)?;
    // Codes of the names, of which there is one for each table.
    let (mut tables, mut names) = (ByTable::<u32>::new(), Texts::default());
    let (mut codes, mut ok) = (vec![0u32; at.len], true);
    at.for_each(|i| {
        if !nulls.get(i) {
            let edge = edges.id(i);
            let ask = || {
                let relationship = context.graph.relationship(edge)?;
                names.push(&context.graph.relationship_type(&relationship).ok()?);
                u32::try_from(names.len() - 1).ok()
            };
            match tables.get(edge.table().0, ask) {
                Some(code) => codes[i] = *code,
                None => ok = false,
            }
        }
    });
    if names.is_empty() {
        // Positions that are null or not meant have a code as well.
        names.push("");
    }
    let values = Values::String(Texts::coded(codes, &Arc::new(Dictionary::new(names))));
    ok.then(|| Vector { values, nulls: nulls.clone() })
}

/// An end of each edge.
fn ends<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    end: impl Fn(Relationship) -> NodeId,
) -> Option<Vector<'s>> {
    let (edges, nulls) = edges(args)?;
    let (mut ids, mut ok) = (vec![NodeId(0); at.len], true);
    let (mut table, mut same) = (None, true);
    at.for_each(|i| {
        if !nulls.get(i) {
            match context.graph.relationship(edges.id(i)) {
                Some(relationship) => {
                    ids[i] = end(relationship);
                    same &= *table.get_or_insert(ids[i].table()) == ids[i].table();
                }
                None => ok = false,
            }
        }
    });
    let table = table.filter(|_| same);
    ok.then(|| Vector { values: Values::Node(Nodes::Ids { table, ids }), nulls: nulls.clone() })
}

pub(crate) fn start_node<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    ends(context, args, at, |relationship| relationship.start)
}

pub(crate) fn end_node<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    ends(context, args, at, |relationship| relationship.end)
}

pub(crate) fn element_id<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let entity: Box<dyn Fn(usize) -> Option<Value> + '_> = match &vector.values {
        Values::Node(nodes) => Box::new(|i| Some(Value::Node(nodes.id(i)))),
        Values::Edge(edges) if is_known(edges) => {
            Box::new(|i| context.graph.relationship(edges.id(i)).map(Value::Relationship))
        }
        _ => return None,
    };
    let mut ok = true;
    let out = Vector::of_texts(at, |i| {
        if vector.nulls.get(i) {
            return None;
        }
        let text = entity(i).and_then(|entity| context.graph.element_id(&entity).ok());
        ok &= text.is_some();
        text
    });
    ok.then_some(out)
}

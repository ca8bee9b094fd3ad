//! A label or a relationship type in, the query that asks for all there is of it out.
//!
//! Nodes are their properties. Relationships are the keys of their ends, `from` and `to`, and their
//! properties: what a mapping of a load takes. An end is named by the key property of its nodes, and by
//! `id()` where some of them have none.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::{Diagnostic, EdgeTableId, ErrorKind, Span, TableId, nearest};
use trimorph_catalog::{Catalog, NodeTableInfo, PropertyInfo};
use trimorph_types::iri_names::is_hidden;

use crate::copy_statement::wrong;
use crate::quoted::quoted;

/// The query for all nodes of a label, or all relationships of a type.
///
/// **Errors**: a name that nothing has, or that is both; a property that none of them has.
pub(super) fn query(
    catalog: &Catalog,
    name: &str,
    columns: Option<&[(String, Span)]>,
    span: Span,
) -> Result<String, Diagnostic> {
    let schema = &catalog.schema;
    let is_label = schema.labels.id(name).is_some() && !is_hidden(name);
    let is_type = schema.types.id(name).is_some();
    match (is_label, is_type) {
        (true, false) => nodes(catalog, name, columns),
        (false, true) => relationships(catalog, name, columns),
        (true, true) => {
            let primary = format!("\"{name}\" is a label and a relationship type");
            let hint = "say which by a query: COPY (MATCH (n:Label) RETURN n.name) TO 'file'";
            Err(wrong("InvalidCopy", primary, span).hint(hint))
        }
        (false, false) => {
            let primary = format!("there is no label and no relationship type \"{name}\"");
            let error = Diagnostic::compile(ErrorKind::LabelNotFound, "UnknownLabel", primary).at(span);
            let labels = (0..).map_while(|id| schema.labels.name(id)).filter(|label| !is_hidden(label));
            let known = labels.chain((0..).map_while(|id| schema.types.name(id)));
            Err(match nearest(name, known.map(|name| &**name)) {
                Some(near) => error.hint(format!("did you mean \"{near}\"?")),
                None => error.hint("a query stands in parentheses: COPY (MATCH … RETURN …) TO 'file'"),
            })
        }
    }
}

/// The names of properties, in the order in which they were first met.
fn names<'c>(catalog: &'c Catalog, tables: impl Iterator<Item = &'c Vec<PropertyInfo>>) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut seen = BTreeSet::new();
    for property in tables.flatten() {
        let name = catalog.schema.property_name(property.id);
        if !is_hidden(&name) && seen.insert(property.id) {
            names.push(name);
        }
    }
    names
}

/// Those that are asked for, or all.
fn chosen(
    all: Vec<Arc<str>>,
    columns: Option<&[(String, Span)]>,
    of: &str,
) -> Result<Vec<Arc<str>>, Diagnostic> {
    let Some(columns) = columns else { return Ok(all) };
    let chosen = columns.iter().map(|(name, span)| {
        all.iter().find(|known| ***known == **name).cloned().ok_or_else(|| {
            let primary = format!("no {of} has property \"{name}\"");
            let error =
                Diagnostic::compile(ErrorKind::PropertyNotFound, "UnknownProperty", primary).at(*span);
            match nearest(name, all.iter().map(|known| &**known)) {
                Some(near) => error.hint(format!("did you mean \"{near}\"?")),
                None => error.hint(format!("there are {}", all.join(", "))),
            }
        })
    });
    chosen.collect()
}

/// The tables of nodes with a label.
fn tables_of<'c>(catalog: &'c Catalog, label: &str) -> impl Iterator<Item = &'c NodeTableInfo> {
    let schema = &catalog.schema;
    let tables = schema.table_ids().filter(move |table| schema.has_label(*table, label));
    tables.filter_map(|table| schema.node_tables.get(usize::from(table.0)))
}

/// The properties that nodes of a label have.
pub(super) fn properties_of_label(catalog: &Catalog, label: &str) -> Vec<String> {
    let all = names(catalog, tables_of(catalog, label).map(|table| &table.properties));
    all.iter().map(|name| name.to_string()).collect()
}

/// The properties that relationships of a type have.
pub(super) fn properties_of_type(catalog: &Catalog, name: &str) -> Vec<String> {
    let schema = &catalog.schema;
    let tables = schema.edge_table_ids().filter(|table| *schema.type_name(*table) == *name);
    let tables = tables.filter_map(|table| schema.edge_tables.get(usize::from(table.0)));
    names(catalog, tables.map(|table| &table.properties)).iter().map(|name| name.to_string()).collect()
}

/// The property by which nodes of a label are found, where all have the same.
pub(super) fn key(catalog: &Catalog, label: &str) -> Option<String> {
    let mut keys = tables_of(catalog, label).map(|table| {
        let key = table.properties.get(table.key?)?;
        Some(catalog.schema.property_name(key.id))
    });
    let first = keys.next()??;
    keys.all(|key| key.as_ref() == Some(&first)).then(|| first.to_string())
}

/// The labels of the nodes that relationships of a type leave and go to.
///
/// **Errors**: these are several, or they have no label.
pub(super) fn ends(catalog: &Catalog, name: &str, span: Span) -> Result<[String; 2], Diagnostic> {
    let schema = &catalog.schema;
    let label = |table: TableId| schema.label_names(table).into_iter().find(|label| !is_hidden(label));
    let mut found: BTreeSet<[Option<Arc<str>>; 2]> = BTreeSet::new();
    let tables = || schema.edge_table_ids().filter(|table| *schema.type_name(*table) == *name);
    let at = |table: EdgeTableId| usize::from(table.0);
    // Of tables that all relationships have left, nothing is known where others have some.
    let has_some = tables().any(|table| known(catalog, at(table)).next().is_some());
    for table in tables().map(at).filter(|at| !has_some || known(catalog, *at).next().is_some()) {
        let Some(source) = schema.edge_tables.get(table).map(|info| info.source) else { continue };
        found.extend(targets(catalog, table).map(|target| [label(source), label(target)]));
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some([Some(from), Some(to)]), None) => Ok([from.to_string(), to.to_string()]),
        _ => {
            let primary = format!("relationships of type \"{name}\" are between several kinds of nodes");
            Err(wrong("InvalidCopy", primary, span).hint("say between which: (FROM Label, TO Label)"))
        }
    }
}

/// The node tables that relationships of an edge table go to; where there are none left, those they went to.
fn targets(catalog: &Catalog, at: usize) -> impl Iterator<Item = TableId> {
    let counted = catalog.statistics.edge_tables.get(at).filter(|_| known(catalog, at).next().is_none());
    let counted = counted.map_or(&[][..], |stats| &stats.backward);
    known(catalog, at).chain(counted.iter().map(|(table, _)| *table))
}

/// The node tables that relationships of an edge table go to.
fn known(catalog: &Catalog, at: usize) -> impl Iterator<Item = TableId> {
    let facts = catalog.unrecorded_facts().edge_tables.get(at);
    facts.into_iter().flat_map(|facts| &facts.targets).map(|target| target.table)
}

fn nodes(catalog: &Catalog, label: &str, columns: Option<&[(String, Span)]>) -> Result<String, Diagnostic> {
    let all = names(catalog, tables_of(catalog, label).map(|table| &table.properties));
    let chosen = chosen(all, columns, &format!("node with label \"{label}\""))?;
    let mut items: Vec<String> =
        chosen.iter().map(|name| format!("n.{} AS {}", quoted(name), quoted(name))).collect();
    if items.is_empty() {
        items.push("id(n) AS id".to_owned());
    }
    Ok(format!("MATCH (n:{}) RETURN {}", quoted(label), items.join(", ")))
}

fn relationships(
    catalog: &Catalog,
    name: &str,
    columns: Option<&[(String, Span)]>,
) -> Result<String, Diagnostic> {
    let schema = &catalog.schema;
    let mut ends: [BTreeSet<TableId>; 2] = Default::default();
    let mut properties = Vec::new();
    for table in schema.edge_table_ids().filter(|table| *schema.type_name(*table) == *name) {
        let at = usize::from(table.0);
        ends[0].extend(schema.edge_tables.get(at).map(|info| info.source));
        ends[1].extend(targets(catalog, at));
        properties.extend(schema.edge_tables.get(at).map(|info| &info.properties));
    }
    let all = names(catalog, properties.into_iter());
    let chosen = chosen(all, columns, &format!("relationship of type \"{name}\""))?;
    let [from, to] = ends;
    let free = |wanted: &str| {
        let mut name = wanted.to_owned();
        while chosen.iter().any(|taken| **taken == *name) {
            name.insert(0, '_');
        }
        quoted(&name)
    };
    let mut items = vec![
        format!("{} AS {}", end(catalog, "a", &from), free("from")),
        format!("{} AS {}", end(catalog, "b", &to), free("to")),
    ];
    items.extend(chosen.iter().map(|name| format!("r.{} AS {}", quoted(name), quoted(name))));
    Ok(format!("MATCH (a)-[r:{}]->(b) RETURN {}", quoted(name), items.join(", ")))
}

/// What names the nodes of an end.
fn end(catalog: &Catalog, var: &str, tables: &BTreeSet<TableId>) -> String {
    let schema = &catalog.schema;
    let mut keys: Vec<Arc<str>> = Vec::new();
    for table in tables {
        let info = schema.node_tables.get(usize::from(table.0));
        let key =
            info.and_then(|info| info.properties.get(info.key?)).map(|key| schema.property_name(key.id));
        match key {
            None => return format!("id({var})"),
            Some(key) if keys.contains(&key) => {}
            Some(key) => keys.push(key),
        }
    }
    match &keys[..] {
        [] => format!("id({var})"),
        [key] => format!("{var}.{}", quoted(key)),
        keys => {
            let all: Vec<String> = keys.iter().map(|key| format!("{var}.{}", quoted(key))).collect();
            format!("coalesce({})", all.join(", "))
        }
    }
}

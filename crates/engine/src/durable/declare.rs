//! Two schemas in, declarations of what the later one has more; and declarations back into a main version.
//!
//! Ids are places in lists that only grow, and declarations stand in the log in the order of ids: a main
//! version has some of them already, the next one is its next id, and anything else makes no sense.

use std::borrow::Cow;

use trimorph_base::{LabelId, PropertyId, TypeId};
use trimorph_catalog::{Names, PropertyInfo};
use trimorph_log::{Declaration, DeclarationBytes, Name, Owner};
use trimorph_store::Main;

fn names<'a>(before: &Names, after: &'a Names) -> impl Iterator<Item = (usize, &'a str)> {
    after.iter().enumerate().skip(before.iter().len()).map(|(id, name)| (id, &**name))
}

/// What `after` has and `before`, an earlier version of the same database, has not; none if nothing.
pub(crate) fn declared(before: &Main, after: &Main) -> Option<DeclarationBytes> {
    let (old, new) = (&before.catalog.schema, &after.catalog.schema);
    let mut out = DeclarationBytes::default();
    let mut name = |name: Name, text: &str| {
        out.push(&Declaration::Name { name, text: Cow::Borrowed(text) });
    };
    // Ids of labels have 16 bits, those of properties 32: the catalog has no more.
    names(&old.labels, &new.labels).for_each(|(id, text)| name(Name::Label(LabelId(id as u16)), text));
    names(&old.types, &new.types).for_each(|(id, text)| name(Name::Type(TypeId(id as u16)), text));
    names(&old.properties, &new.properties)
        .for_each(|(id, text)| name(Name::Property(PropertyId(id as u32)), text));
    for (table, info) in new.table_ids().zip(&new.node_tables).skip(old.node_tables.len()) {
        out.push(&Declaration::NodeTable { table, labels: info.labels.clone() });
    }
    for (table, info) in new.edge_table_ids().zip(&new.edge_tables).skip(old.edge_tables.len()) {
        let position_bits = after.edge_tables[usize::from(table.0)].places().bits();
        out.push(&Declaration::EdgeTable { table, label: info.ty, source: info.source, position_bits });
    }
    let mut columns = |owner: Owner, old: &[PropertyInfo], new: &[PropertyInfo]| {
        for (column, info) in new.iter().enumerate().skip(old.len()) {
            let (property, logical_type) = (info.id, info.ty);
            out.push(&Declaration::Column { owner, column: column as u32, property, logical_type });
        }
    };
    for (at, (table, info)) in new.table_ids().zip(&new.node_tables).enumerate() {
        let old = old.node_tables.get(at).map_or(&[][..], |info| &info.properties);
        columns(Owner::Nodes(table), old, &info.properties);
    }
    for (at, (table, info)) in new.edge_table_ids().zip(&new.edge_tables).enumerate() {
        let old = old.edge_tables.get(at).map_or(&[][..], |info| &info.properties);
        columns(Owner::Edges(table), old, &info.properties);
    }
    (!out.as_slice().is_empty()).then_some(out)
}

/// Puts a declaration into a main version, unless it has it already.
///
/// **Errors**: what makes no sense.
pub(super) fn declare(main: &mut Main, declaration: &Declaration<'_>) -> Result<(), &'static str> {
    match declaration {
        Declaration::Name { name, text } => declare_name(main, *name, text),
        Declaration::NodeTable { table, labels } => {
            let schema = &main.catalog.schema;
            match schema.node_tables.get(usize::from(table.0)) {
                Some(there) if there.labels == *labels => Ok(()),
                Some(_) => Err("a node table that has other labels"),
                None if labels.iter().any(|label| schema.labels.name(label.0.into()).is_none()) => {
                    Err("a node table with a label that there is not")
                }
                None if main.node_tables.len() == usize::from(table.0) => {
                    main.add_node_table(labels.clone());
                    Ok(())
                }
                None => Err("a node table that is not the next one"),
            }
        }
        Declaration::EdgeTable { table, label, source, position_bits } => {
            let schema = &main.catalog.schema;
            let at = usize::from(table.0);
            match schema.edge_tables.get(at) {
                Some(there)
                    if (there.ty, there.source) == (*label, *source)
                        && main.edge_tables[at].places().bits() == *position_bits =>
                {
                    Ok(())
                }
                Some(_) => Err("an edge table that is another one"),
                None if schema.types.name(label.0.into()).is_none()
                    || usize::from(source.0) >= main.node_tables.len() =>
                {
                    Err("an edge table of a label or out of a node table that there is not")
                }
                None if main.edge_tables.len() == at => {
                    let made = main.add_stored_edge_table(*label, *source, *position_bits);
                    made.map(drop).ok_or("an edge table with other positions than there can be")
                }
                None => Err("an edge table that is not the next one"),
            }
        }
        Declaration::Column { owner, column, property, logical_type } => {
            declare_column(main, *owner, *column, PropertyInfo { id: *property, ty: *logical_type })
        }
    }
}

fn declare_name(main: &mut Main, name: Name, text: &str) -> Result<(), &'static str> {
    let schema = &mut std::sync::Arc::make_mut(&mut main.catalog).schema;
    let (names, id) = match name {
        Name::Label(LabelId(id)) => (&mut schema.labels, usize::from(id)),
        Name::Type(TypeId(id)) => (&mut schema.types, usize::from(id)),
        Name::Property(PropertyId(id)) => (&mut schema.properties, id as usize),
    };
    let there = names.id(text).unwrap_or(names.iter().len());
    match there == id {
        true => {
            names.intern(text);
            Ok(())
        }
        false => Err("a name that has another id"),
    }
}

fn declare_column(
    main: &mut Main,
    owner: Owner,
    column: u32,
    info: PropertyInfo,
) -> Result<(), &'static str> {
    let schema = &main.catalog.schema;
    let there = match owner {
        Owner::Nodes(table) => schema.node_tables.get(usize::from(table.0)).map(|info| &info.properties),
        Owner::Edges(table) => schema.edge_tables.get(usize::from(table.0)).map(|info| &info.properties),
    };
    let there = there.ok_or("a column of a table that there is not")?;
    match there.get(column as usize) {
        Some(there) if (there.id, there.ty) == (info.id, info.ty) => Ok(()),
        Some(_) => Err("a column that is another one"),
        None if schema.properties.name(info.id.0 as usize).is_none() => {
            Err("a column of a property that there is not")
        }
        None if there.len() == column as usize => {
            match owner {
                Owner::Nodes(table) => main.add_node_column(table, info),
                Owner::Edges(table) => main.add_edge_column(table, info),
            };
            Ok(())
        }
        None => Err("a column that is not the next one"),
    }
}

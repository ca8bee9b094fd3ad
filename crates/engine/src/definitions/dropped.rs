//! A definition that is dropped: takes a main version, gives it without the definition, and without the keys
//! that say the same.
//!
//! A load gives a table a key, by which relationships find its nodes, and which is unique in that table.
//! Where a constraint said that as well and is dropped, nothing says it any more, in whatever table a node
//! is: else it would be for the table to decide whether a second node can have the same. With the key its
//! index goes.

use std::sync::Arc;

use trimorph_catalog::Definition;
use trimorph_store::Main;

/// Takes a definition away by its name, if it is there.
pub(crate) fn take_away(main: &mut Main, name: &str) {
    let definitions = &mut Arc::make_mut(&mut main.catalog).definitions;
    let gone = definitions.get(name).cloned();
    definitions.remove(name);
    if let Some(gone) = gone.filter(|one| one.rule.is_unique()) {
        take_keys(main, &gone);
    }
}

fn take_keys(main: &mut Main, gone: &Definition) {
    let (Some(label), [property]) = (gone.label(), &gone.properties[..]) else { return };
    let schema = &mut Arc::make_mut(&mut main.catalog).schema;
    for (info, table) in schema.node_tables.iter_mut().zip(&mut main.node_tables) {
        let key = info.key.and_then(|key| info.properties.get(key));
        if key.is_some_and(|key| key.id == *property) && info.labels.contains(&label) {
            info.key = None;
            Arc::make_mut(table).key_index = None;
        }
    }
}

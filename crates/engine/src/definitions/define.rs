//! Definitions that come and go: published, checked, logged.

use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, LabelId, PropertyId, TypeId};
use trimorph_catalog::{Catalog, Definition, Rule, Schema, Subject};
use trimorph_cypher::ast::{self, SchemaItem};
use trimorph_log::{Operation, TransactionWriter};
use trimorph_mvcc::{Changes, Failed, Intent, Isolation, ReadSet};
use trimorph_types::iri_names::ANY_LABEL;

use super::dropped::take_away;
use super::operation_of;
use super::shown::subject_name;
use crate::Error;
use crate::connection::Connection;
use crate::shared::Shared;
use crate::waiting::lock_until;

/// Indexes and constraints that there may be: each is looked at by who writes.
pub(crate) const DEFINITIONS_MAX: usize = 4_096;

/// An error about a definition by its name.
fn wrong(detail: &'static str, primary: String, hint: &str, text: &str) -> Error {
    let error = Diagnostic::runtime(ErrorKind::ConstraintVerificationFailed, detail, primary);
    Error::query(if hint.is_empty() { error } else { error.hint(hint) }, text)
}

impl Connection {
    /// Makes an index or a constraint; false if one is there that makes it needless, and that may be so.
    pub(super) fn define(
        &self,
        asked: &ast::Definition,
        text: &str,
        cancel: &CancelToken,
    ) -> Result<bool, Error> {
        let shared = self.shared();
        self.ready_to_write()?;
        // One is made at a time, and no manifest is written meanwhile.
        let _checkpoints = lock_until(&shared.checkpoint, cancel)?;
        if let Some(known) = known(asked, shared.base().catalog(), text)? {
            return match asked.if_not_exists {
                true => Ok(false),
                false => {
                    let primary = format!("{} \"{}\" does the same already", noun(&known.rule), known.name);
                    let hint = "add IF NOT EXISTS to leave it as it is";
                    Err(wrong("EquivalentSchemaRuleAlreadyExists", primary, hint, text))
                }
            };
        }
        // Had before anybody sees the definition: who is stopped while he waits has done nothing.
        let merging = lock_until(&shared.merging, cancel)?;
        let definition = shared.publish_definition(asked)?;
        let indexed = shared.index_defined(&merging, cancel);
        drop(merging);
        let made = indexed.and_then(|()| self.stand(&definition, text, cancel));
        if made.is_err() {
            shared.change_definitions(|definitions| definitions.remove(&definition.name))?;
            shared.index_defined(&shared.merging(), &CancelToken::default())?;
        }
        made.map(|()| true)
    }

    /// Looks at what is there, and logs a definition that was published and has its indexes.
    fn stand(&self, definition: &Definition, text: &str, cancel: &CancelToken) -> Result<(), Error> {
        let shared = self.shared();
        // Who has its timestamp may have looked before the definition was there.
        shared.live.transactions.settle();
        let schema = &shared.base().catalog().schema.clone();
        if let Some(what) = self.violation(definition, schema, cancel)? {
            let primary = format!("the constraint cannot be made: {what}");
            return Err(wrong(
                "ConstraintCreationFailed",
                primary,
                "mend the data, then make it again",
                text,
            ));
        }
        shared.log_definition(&operation_of(definition))
    }

    /// Drops an index or a constraint; false if there is none, and that may be so.
    pub(super) fn drop_definition(
        &self,
        what: SchemaItem,
        name: &ast::Ident,
        if_exists: bool,
        text: &str,
        cancel: &CancelToken,
    ) -> Result<bool, Error> {
        let shared = self.shared();
        self.ready_to_write()?;
        let _checkpoints = lock_until(&shared.checkpoint, cancel)?;
        let base = shared.base();
        let definitions = &base.catalog().definitions;
        let is_wanted = |one: &Definition| (one.rule == Rule::Index) == (what == SchemaItem::Index);
        match definitions.get(&name.text) {
            Some(one) if is_wanted(one) => {}
            Some(one) => {
                let primary = format!("\"{}\" is {}", one.name, article(&one.rule));
                let hint = match one.rule {
                    Rule::Index => "write DROP INDEX",
                    _ => "write DROP CONSTRAINT: its index goes with it",
                };
                return Err(wrong("SchemaRuleDropFailed", primary, hint, text));
            }
            None if if_exists => return Ok(false),
            None => {
                let word = if what == SchemaItem::Index { "index" } else { "constraint" };
                let names = definitions.iter().filter(|one| is_wanted(one)).map(|one| &*one.name);
                let hint = match trimorph_base::nearest(&name.text, names) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => {
                        format!("SHOW {} lists them", if word == "index" { "INDEXES" } else { "CONSTRAINTS" })
                    }
                };
                let error = Diagnostic::runtime(
                    ErrorKind::ConstraintVerificationFailed,
                    "SchemaRuleDoesNotExist",
                    format!("there is no {word} \"{}\"", name.text),
                );
                return Err(Error::query(error.at(name.span).hint(hint), text));
            }
        }
        // A merge that is at work would bring keys back.
        let merging = lock_until(&shared.merging, cancel)?;
        // Logged first: a constraint that is said to be gone stays gone.
        shared.log_definition(&Operation::Dropped { name: name.text.as_str().into() })?;
        shared.change_schema(|main| {
            take_away(main, &name.text);
            Ok(())
        })?;
        shared.index_defined(&merging, &CancelToken::default())?;
        Ok(true)
    }
}

/// "index" or "constraint".
fn noun(rule: &Rule) -> &'static str {
    if *rule == Rule::Index { "index" } else { "constraint" }
}

fn article(rule: &Rule) -> &'static str {
    if *rule == Rule::Index { "an index" } else { "a constraint" }
}

/// The definition that is there and does what is asked for, or has the name and may keep it.
///
/// **Errors**: another definition has the name; there are too many.
fn known(asked: &ast::Definition, catalog: &Catalog, text: &str) -> Result<Option<Arc<Definition>>, Error> {
    let rule = rule_of(&asked.rule);
    let schema = &catalog.schema;
    let is_like = |one: &&Arc<Definition>| {
        let names: Vec<Arc<str>> = one.properties.iter().map(|id| schema.property_name(*id)).collect();
        one.rule == rule
            && one.label().is_none() == asked.is_of_edges
            && *subject_name(one, schema) == *asked.label.text
            && names.iter().map(|name| &**name).eq(asked.properties.iter().map(|p| p.text.as_str()))
    };
    if let Some(like) = catalog.definitions.iter().find(is_like) {
        return Ok(Some(Arc::clone(like)));
    }
    if let Some(name) = &asked.name
        && let Some(other) = catalog.definitions.get(&name.text)
    {
        if asked.if_not_exists {
            return Ok(Some(Arc::clone(other)));
        }
        let primary =
            format!("there is {} \"{}\" already, and it is another one", article(&other.rule), name.text);
        let error =
            Diagnostic::runtime(ErrorKind::ConstraintVerificationFailed, "SchemaRuleNameTaken", primary);
        return Err(Error::query(error.at(name.span).hint("give it another name"), text));
    }
    if catalog.definitions.iter().len() >= DEFINITIONS_MAX {
        let primary = format!("there are {DEFINITIONS_MAX} indexes and constraints; no more are possible");
        return Err(wrong("TooManySchemaRules", primary, "drop some first", text));
    }
    Ok(None)
}

fn rule_of(rule: &ast::Rule) -> Rule {
    match rule {
        ast::Rule::Index => Rule::Index,
        ast::Rule::Unique => Rule::Unique,
        ast::Rule::Key => Rule::Key,
        ast::Rule::Exists => Rule::Exists,
        ast::Rule::Typed(ty) => Rule::Typed(ty.clone()),
    }
}

/// A name that no definition has: `person_email_unique`.
fn free_name(asked: &ast::Definition, catalog: &Catalog) -> Arc<str> {
    let label = Some(&asked.label).filter(|label| label.text != ANY_LABEL);
    let words = label.into_iter().chain(&asked.properties);
    let words: Vec<String> = words.map(|name| name.text.to_lowercase()).collect();
    let what = match asked.rule {
        ast::Rule::Index => "index",
        ast::Rule::Unique => "unique",
        ast::Rule::Key => "key",
        ast::Rule::Exists => "exists",
        ast::Rule::Typed(_) => "type",
    };
    let name = format!("{}_{what}", words.join("_"));
    let is_free = |name: &String| catalog.definitions.get(name).is_none();
    let numbered = (2..).map(|n: usize| format!("{name}_{n}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or_default().into()
}

impl Shared {
    /// Puts a definition into the catalog, and the names that it uses.
    fn publish_definition(&self, asked: &ast::Definition) -> Result<Definition, Error> {
        self.change_schema(|main| {
            let catalog = Arc::make_mut(&mut main.catalog);
            let schema = &mut catalog.schema;
            // The catalog has 65,536 labels and types at most, which is looked at when it is published.
            let subject = match asked.is_of_edges {
                false => Subject::Label(LabelId(schema.labels.intern(&asked.label.text) as u16)),
                true => Subject::Type(TypeId(schema.types.intern(&asked.label.text) as u16)),
            };
            let properties = asked.properties.iter().map(|name| property_id(schema, &name.text)).collect();
            let name = match &asked.name {
                Some(name) => name.text.as_str().into(),
                None => free_name(asked, catalog),
            };
            let definition = Definition { name, subject, properties, rule: rule_of(&asked.rule) };
            catalog.definitions.add(definition.clone());
            Ok(definition)
        })
    }

    fn change_definitions(
        &self,
        change: impl FnOnce(&mut trimorph_catalog::Definitions),
    ) -> Result<(), Error> {
        self.change_schema(|main| {
            change(&mut Arc::make_mut(&mut main.catalog).definitions);
            Ok(())
        })
    }

    /// Logs that a definition was made or dropped, as a transaction of its own: also where nothing is logged
    /// it has a time, so that the next checkpoint knows that something is new.
    fn log_definition(&self, operation: &Operation<'_>) -> Result<(), Error> {
        let mut operations = TransactionWriter::new();
        operations.push(operation).map_err(|error| Error::Storage(error.to_string()))?;
        let transactions = &self.live.transactions;
        let nothing = (transactions.published(), Intent::Read);
        let (open, _registered) =
            transactions.begin(Isolation::Snapshot, nothing, CancelToken::default(), None);
        let handle = open.handle().number();
        let log = |at| match self.journal.get().filter(|journal| journal.is_kept()) {
            Some(journal) => journal.commit(operations, handle, at),
            None => Ok(()),
        };
        match transactions.commit(open, Changes::default(), ReadSet::default, log, |_| ()) {
            Ok(_) => Ok(()),
            Err(Failed::Log(error)) => Err(error),
            Err(Failed::Conflict(_)) => Err(Error::Conflict("a definition met a conflict; try again".into())),
        }
    }
}

fn property_id(schema: &mut Schema, name: &str) -> PropertyId {
    PropertyId(u32::try_from(schema.properties.intern(name)).unwrap_or(u32::MAX))
}

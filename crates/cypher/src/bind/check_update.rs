//! Updating clauses: only checked, because there are no transactions to run them in yet.

use super::Binder;
use super::bind_expression::undefined;
use super::check_types::{Type, expect};
use super::report::{Bound, already_bound, semantic, with_hint};
use super::scope::Scope;
use crate::ast::{self, Clause, Ident, PathPattern, RemoveItem, SetItem};
use trimorph_types::LogicalType;

impl<'q> Binder<'q> {
    /// Checks an updating clause; gives the names after it.
    pub(super) fn check_update(&mut self, mut scope: Scope, clause: &'q Clause) -> Bound<Scope> {
        match clause {
            Clause::Create(c) => {
                for path in &c.pattern {
                    self.check_created_path(&mut scope, path)?;
                }
            }
            Clause::Merge(c) => {
                self.check_created_path(&mut scope, &c.path)?;
                for action in &c.actions {
                    self.check_set(&scope, &action.items)?;
                }
            }
            Clause::Set(c) => self.check_set(&scope, &c.items)?,
            Clause::Remove(c) => {
                for item in &c.items {
                    match item {
                        RemoveItem::Property(target) => self.check_value(target, &scope).map(drop)?,
                        RemoveItem::Labels { variable, .. } => check_defined(variable, &scope)?,
                    }
                }
            }
            Clause::Delete(c) => {
                use LogicalType as L;
                for target in &c.targets {
                    let ty = self.check_value(target, &scope)?;
                    expect(ty, &[L::Node, L::Relationship, L::Path], "what is deleted", target.span)?;
                }
            }
            Clause::Foreach(c) => {
                let list = self.check_value(&c.list, &scope)?;
                expect(list, &[LogicalType::List], "what FOREACH goes through", c.list.span)?;
                let mut inner = scope.clone();
                let var = self.named(&c.variable.text, list.item());
                inner.insert(&c.variable.text, var);
                for clause in &c.body {
                    inner = self.check_update(inner, clause)?;
                }
            }
            _ => {}
        }
        Ok(scope)
    }

    /// A path to create or merge: what is created has a new name, bound names stand only at its ends.
    fn check_created_path(&mut self, scope: &mut Scope, path: &'q PathPattern) -> Bound<()> {
        let lonely = path.steps.is_empty();
        let mut properties = Vec::new();
        for node in std::iter::once(&path.start).chain(path.steps.iter().map(|step| &step.node)) {
            properties.extend(&node.properties);
            let Some(name) = &node.variable else { continue };
            let described = node.labels.is_some() || node.properties.is_some();
            match scope.get(&name.text).map(|entry| self.type_of(entry.var)) {
                Some(_) if lonely || described => return Err(already_bound(&name.text, name.span)),
                Some(ty) if !ty.may_be(&[LogicalType::Node]) => {
                    let primary = format!("variable \"{}\" is of type {}, not NODE", name.text, ty.is);
                    return Err(semantic("VariableTypeConflict", primary, name.span));
                }
                Some(_) => {}
                None => self.declare(scope, name, Type::NODE),
            }
        }
        for step in &path.steps {
            let relationship = &step.relationship;
            properties.extend(&relationship.properties);
            if let Some(name) = &relationship.variable {
                if scope.get(&name.text).is_some() {
                    return Err(already_bound(&name.text, name.span));
                }
                self.declare(scope, name, Type::RELATIONSHIP);
            }
            if relationship.types.is_none() {
                let primary = "a created relationship needs exactly one type";
                let error = semantic("NoSingleRelationshipType", primary, relationship.span);
                return Err(with_hint(error, "write it as -[:TYPE]->"));
            }
        }
        for properties in properties {
            match properties {
                ast::Properties::Map { entries, .. } => {
                    for entry in entries {
                        self.check_value(&entry.value, scope)?;
                    }
                }
                ast::Properties::Parameter { name, .. } => drop(self.parameter(name)),
            }
        }
        if let Some(name) = &path.variable {
            if scope.get(&name.text).is_some() {
                return Err(already_bound(&name.text, name.span));
            }
            self.declare(scope, name, Type::of(LogicalType::Path));
        }
        Ok(())
    }

    fn check_set(&mut self, scope: &Scope, items: &'q [SetItem]) -> Bound<()> {
        for item in items {
            match item {
                SetItem::Property { target, value, .. } => {
                    self.check_value(target, scope)?;
                    self.check_value(value, scope)?;
                }
                SetItem::Replace { variable, value, .. } | SetItem::Merge { variable, value, .. } => {
                    check_defined(variable, scope)?;
                    self.check_value(value, scope)?;
                }
                SetItem::Labels { variable, .. } => check_defined(variable, scope)?,
            }
        }
        Ok(())
    }

    fn check_value(&mut self, value: &'q ast::Expr, scope: &Scope) -> Bound<Type> {
        Ok(self.row_expression(value, scope)?.0.ty)
    }

    fn declare(&mut self, scope: &mut Scope, name: &Ident, ty: Type) {
        let var = self.named(&name.text, ty);
        scope.insert(&name.text, var);
    }
}

fn check_defined(name: &Ident, scope: &Scope) -> Bound<()> {
    match scope.get(&name.text) {
        Some(_) => Ok(()),
        None => Err(undefined(&name.text, name.span, scope.names())),
    }
}

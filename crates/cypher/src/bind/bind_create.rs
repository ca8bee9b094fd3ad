//! `CREATE`: what a pattern says is made. What a later part of the pattern reads of an earlier one is made
//! before, by an update of its own.

use std::sync::Arc;

use trimorph_algebra::{Change, Expr, NewProperties, Plan, VarId};
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::Typed;
use super::bind_update::Making;
use super::check_types::Type;
use super::part::Part;
use super::report::{Bound, already_bound, semantic, with_hint};
use super::scope::Scope;
use crate::ast::{self, NodePattern, RelationshipPattern};

/// A node of a path that is made.
pub(super) enum Named {
    /// It was there before.
    Bound(VarId),
    /// It is new.
    New(VarId),
}

impl<'q> Binder<'q> {
    pub(super) fn create_clause(&mut self, part: Part, create: &'q ast::Create) -> Bound<Part> {
        let Part { mut plan, mut scope } = part;
        let mut making = Making::default();
        for path in &create.pattern {
            plan = self.created_path(plan, &mut scope, &mut making, path)?;
        }
        Ok(Part { plan: self.updated(plan, making)?, scope })
    }

    fn created_path(
        &mut self,
        mut plan: Plan,
        scope: &mut Scope,
        making: &mut Making,
        path: &'q ast::PathPattern,
    ) -> Bound<Plan> {
        let lonely = path.steps.is_empty();
        let mut from = self.created_node(&mut plan, scope, making, &path.start, lonely)?;
        let mut steps = vec![from];
        for step in &path.steps {
            let relationship = &step.relationship;
            let properties =
                self.new_properties(&mut plan, scope, making, relationship.properties.as_ref())?;
            let var = self.new_edge(scope, relationship)?;
            let edge_type = self.created_type(relationship)?;
            let to = self.created_node(&mut plan, scope, making, &step.node, false)?;
            let (source, target) = ends(relationship, from, to);
            making.push(Change::CreateEdge { var, edge_type, from: source, to: target, properties });
            steps.extend([var, to]);
            from = to;
        }
        if let Some(var) = self.new_path(scope, path)? {
            making.push(Change::CreatePath { var, steps });
        }
        Ok(plan)
    }

    fn created_node(
        &mut self,
        plan: &mut Plan,
        scope: &mut Scope,
        making: &mut Making,
        node: &'q NodePattern,
        lonely: bool,
    ) -> Bound<VarId> {
        let properties = self.new_properties(plan, scope, making, node.properties.as_ref())?;
        match self.new_node(scope, node, lonely)? {
            Named::Bound(var) => Ok(var),
            Named::New(var) => {
                let labels = self.plain_labels(node.labels.as_ref())?;
                making.push(Change::CreateNode { var, labels, properties });
                Ok(var)
            }
        }
    }

    /// The properties of what is made. Where they read what the update makes, it ends here.
    fn new_properties(
        &mut self,
        plan: &mut Plan,
        scope: &Scope,
        making: &mut Making,
        properties: Option<&'q ast::Properties>,
    ) -> Bound<NewProperties> {
        let entries = match properties {
            None => return Ok(NewProperties::Named(Vec::new())),
            Some(ast::Properties::Parameter { name, .. }) => {
                let value = Typed::new(Expr::Param(self.parameter(name)), Type::ANY);
                return Ok(NewProperties::Map(self.value_var(value, Vec::new(), making)));
            }
            Some(ast::Properties::Map { entries, .. }) => entries,
        };
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.full_name(&entry.key)?;
            let (value, hoists) = self.row_expression(&entry.value, scope)?;
            if making.is_read_by(&value, &hoists) {
                // Values of this element that were computed for the update that ends are in its rows no more.
                let before = std::mem::take(making);
                let own = without(before, &named, making);
                *plan = self.updated(std::mem::replace(plan, Plan::Unit), own)?;
            }
            named.push((key, self.value_var(value, hoists, making)));
        }
        Ok(NewProperties::Named(named))
    }

    /// The name of a node that is made: what is made has a new name, bound names stand only at the ends of
    /// relationships.
    pub(super) fn new_node(
        &mut self,
        scope: &mut Scope,
        node: &'q NodePattern,
        lonely: bool,
    ) -> Bound<Named> {
        let Some(name) = &node.variable else { return Ok(Named::New(self.anonymous(Type::NODE))) };
        let described = node.labels.is_some() || node.properties.is_some();
        match scope.get(&name.text).map(|entry| (entry.var, self.type_of(entry.var))) {
            Some(_) if lonely || described => Err(already_bound(&name.text, name.span)),
            Some((_, ty)) if !ty.may_be(&[LogicalType::Node]) => {
                let primary = format!("variable \"{}\" is of type {}, not NODE", name.text, ty.is);
                Err(semantic("VariableTypeConflict", primary, name.span))
            }
            Some((var, _)) => Ok(Named::Bound(var)),
            None => {
                let var = self.named(&name.text, Type::NODE);
                scope.insert(&name.text, var);
                Ok(Named::New(var))
            }
        }
    }

    /// The variable of a relationship that is made.
    pub(super) fn new_edge(
        &mut self,
        scope: &mut Scope,
        relationship: &'q RelationshipPattern,
    ) -> Bound<VarId> {
        let Some(name) = &relationship.variable else { return Ok(self.anonymous(Type::RELATIONSHIP)) };
        if scope.get(&name.text).is_some() {
            return Err(already_bound(&name.text, name.span));
        }
        let var = self.named(&name.text, Type::RELATIONSHIP);
        scope.insert(&name.text, var);
        Ok(var)
    }

    /// The one type of a relationship that is made.
    pub(super) fn created_type(&mut self, relationship: &'q RelationshipPattern) -> Bound<Arc<str>> {
        let types = match &relationship.types {
            Some(types) => self.type_names(types)?.unwrap_or_default(),
            None => Vec::new(),
        };
        match <[Arc<str>; 1]>::try_from(types) {
            Ok([one]) => Ok(one),
            Err(_) => {
                let primary = "a created relationship needs exactly one type";
                let error = semantic("NoSingleRelationshipType", primary, relationship.span);
                Err(with_hint(error, "write it as -[:TYPE]->"))
            }
        }
    }

    /// The variable of a path that is made, if it has a name.
    pub(super) fn new_path(&mut self, scope: &mut Scope, path: &'q ast::PathPattern) -> Bound<Option<VarId>> {
        let Some(name) = &path.variable else { return Ok(None) };
        if scope.get(&name.text).is_some() {
            return Err(already_bound(&name.text, name.span));
        }
        let var = self.named(&name.text, Type::of(LogicalType::Path));
        scope.insert(&name.text, var);
        Ok(Some(var))
    }
}

/// Source and target of a relationship that is made between two nodes in reading order; one without direction
/// is made that way round.
pub(super) fn ends(relationship: &RelationshipPattern, from: VarId, to: VarId) -> (VarId, VarId) {
    if relationship.direction == ast::Direction::Left { (to, from) } else { (from, to) }
}

/// An update without the values of an element that the next one makes, which gets them.
fn without(mut before: Making, named: &[(Arc<str>, VarId)], next: &mut Making) -> Making {
    let is_next = |var: &VarId| named.iter().any(|(_, own)| own == var);
    let values = std::mem::take(&mut before.update.values);
    let (moved, stay): (Vec<_>, Vec<_>) = values.into_iter().partition(|(var, _)| is_next(var));
    before.update.values = stay;
    next.update.values.extend(moved);
    before
}

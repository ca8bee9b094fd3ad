//! Notes for each node of a pattern which tables it can be in: what its labels allow and the properties that
//! it must have, and the patterns that it was found by where rows bring it, narrowed along edges. A pattern
//! with a node that no table can have, or a trail longer than there are edges, matches nothing. An edge asked
//! for in both directions that these tables have in one only is asked for in that one.

use std::cell::RefCell;

use trimorph_algebra::{ApplyKind, Direction, EdgePattern, EdgeRange, Expr, Plan, QueryGraph, VarId, Vars};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::Halt;
use crate::listed_nodes::listed_nodes;
use crate::needed::bottom_up_within;
use crate::planning::Planning;
use crate::property_tables::Required;
use crate::tables::{Tables, is_too_long, joined_tables, tables_among};

/// The one direction that an edge asked for in both can have between the tables of its ends, if it is one.
fn only_direction(catalog: &CatalogView<'_>, edge: &EdgePattern, tables: &Tables) -> Option<Direction> {
    if edge.direction != Direction::Both || edge.range != EdgeRange::One {
        return None;
    }
    let (from, to) = (tables.get(&edge.from)?, tables.get(&edge.to)?);
    let has = |direction| {
        let pairs = joined_tables(catalog, &EdgePattern { direction, ..edge.clone() });
        pairs.iter().any(|(a, b, _)| from.contains(a) && to.contains(b))
    };
    match (has(Direction::Out), has(Direction::In)) {
        (true, false) => Some(Direction::Out),
        (false, true) => Some(Direction::In),
        _ => None,
    }
}

/// Where labels of rows may be others than their table's, rows are asked.
fn ask_rows(graph: &mut QueryGraph, catalog: &CatalogView<'_>) {
    if catalog.varying().is_empty() {
        return;
    }
    for node in &graph.nodes {
        let varying = catalog.varying_where(|has| node.labels.matches(has));
        let may_vary = |tables: &Vec<TableId>| tables.iter().any(|table| varying.contains(table));
        if !varying.is_empty() && graph.tables.get(&node.var).is_none_or(may_vary) {
            let asked = Expr::HasLabel(Box::new(Expr::Var(node.var)), node.labels.clone());
            graph.predicates.push(asked);
        }
    }
}

/// The tables that a node of the rows of `plan` can be in, where a pattern says so. `outer` has those of the
/// rows that applies around the plan hand in.
fn known_tables(mut plan: &Plan, mut var: VarId, vars: &Vars, outer: &[Tables]) -> Option<Vec<TableId>> {
    loop {
        plan = match plan {
            Plan::Match { input, graph } => match graph.tables.get(&var) {
                Some(tables) => return Some(tables.clone()),
                None => input,
            },
            Plan::Project { input, items } | Plan::Aggregate { input, keys: items, .. } => {
                let (_, expr) = items.iter().find(|(item, _)| *item == var)?;
                let Expr::Var(of) = expr else { return None };
                var = *of;
                input
            }
            Plan::Extra { input, items } => {
                if let Some((_, expr)) = items.iter().find(|(item, _)| *item == var) {
                    let Expr::Var(of) = expr else { return None };
                    var = *of;
                }
                input
            }
            Plan::Apply { input, subplan, kind: ApplyKind::Inner } => {
                if let Some(tables) = known_tables(subplan, var, vars, &[]) {
                    return Some(tables);
                }
                input
            }
            // Rows stay for which the subplan found nothing: what it says holds of others.
            Plan::Apply { input, .. } => input,
            Plan::Unwind { input, list, var: own } if *own == var => {
                let nodes = listed_nodes(list, input, vars)?;
                var = nodes.node;
                nodes.rows
            }
            Plan::Filter { input, .. }
            | Plan::Distinct { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. }
            | Plan::Shortest { input, .. }
            | Plan::Unwind { input, .. }
            | Plan::ProcedureCall { input, .. }
            | Plan::Update { input, .. } => input,
            Plan::Argument(_) => return outer.iter().rev().find_map(|tables| tables.get(&var).cloned()),
            _ => return None,
        }
    }
}

/// The pass.
pub(crate) fn narrow_tables(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, cancel, vars) = (planning.catalog, planning.cancel, &*planning.vars);
    let outer: RefCell<Vec<Tables>> = RefCell::default();
    let mut within = |input: Option<&Plan>| {
        let mut outer = outer.borrow_mut();
        match input {
            Some(input) => {
                let nodes = input.vars().into_iter().filter(|var| vars.get(*var).ty == LogicalType::Node);
                let known =
                    nodes.filter_map(|var| Some((var, known_tables(input, var, vars, &outer)?))).collect();
                outer.push(known);
            }
            None => drop(outer.pop()),
        }
    };
    bottom_up_within(&mut plan, &planning.needed, &mut within, &mut |mut plan, _| {
        let mut is_empty = false;
        if let Plan::Match { graph, input } = &mut plan {
            crate::planning::poll(cancel)?;
            let outer = outer.borrow();
            let required = Required::of(&graph.predicates, &input.vars().into_iter().collect());
            let known = |var| known_tables(input, var, vars, &outer);
            graph.tables = tables_among(catalog, graph, &known, &required);
            let QueryGraph { edges, tables, .. } = graph;
            for edge in edges {
                edge.direction = only_direction(catalog, edge, tables).unwrap_or(edge.direction);
            }
            ask_rows(graph, catalog);
            is_empty = graph.tables.values().any(Vec::is_empty)
                || graph.edges.iter().any(|e| is_too_long(catalog, e));
        }
        Ok(if is_empty { Plan::Empty(plan.vars()) } else { plan })
    })?;
    Ok(plan)
}

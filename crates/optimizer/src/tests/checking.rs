//! The checker finds what is wrong with plans, and nothing with those that are right.

use trimorph_algebra::{
    Direction, Expr, Extend, LabelExpr, NodeScan, Plan, ShortestKind, VarExtend, VarExtendMode, VarId,
};
use trimorph_base::{CancelToken, TableId};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use super::small::{Small, catalog};
use crate::planning::Planning;
use crate::samples::Samples;
use crate::{Options, VarSet, check};

fn scan(var: VarId, tables: Vec<TableId>) -> Plan {
    Plan::NodeScan(NodeScan { var, labels: LabelExpr::True, tables, prune: Vec::new() })
}

fn extend(input: Plan, from: VarId, edge: VarId, to: VarId) -> Plan {
    let step =
        Extend { from, edge: Some(edge), to, types: Vec::new(), direction: Direction::Out, to_tables: None };
    Plan::Extend { input: Box::new(input), step }
}

/// All paths in order of length.
fn ordered(input: Plan, (from, edge, to): (VarId, VarId, VarId), into: bool) -> Plan {
    let step =
        Extend { from, edge: Some(edge), to, types: Vec::new(), direction: Direction::Out, to_tables: None };
    let mode = VarExtendMode::Shortest(ShortestKind::Ordered);
    let (max, each, walk, reversed) = (None, None, Box::default(), false);
    let step = VarExtend { step, min: 1, max, each, walk, into, reversed, mode };
    Plan::VarExtend { input: Box::new(input), step }
}

#[test]
fn what_is_wrong_is_named() {
    let mut s = Small::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| s.var(name, LogicalType::Node));
    let (e, x) = (s.var("e", LogicalType::Relationship), s.var("x", LogicalType::Int));
    let list = s.var("list", LogicalType::List);
    let shortest = |input: Plan| Plan::Shortest { input: Box::new(input), edges: list, all: true };
    let one = || scan(a, vec![TableId(0)]);
    let step = || extend(one(), a, e, b);
    let filter = |input: Plan, var| Plan::Filter { input: Box::new(input), predicate: Expr::Var(var) };
    let join =
        |left: Plan, right: Plan, on| Plan::HashJoin { left: Box::new(left), right: Box::new(right), on };
    for (plan, needed, expected) in [
        (step(), vec![a, e, b], Ok(())),
        (step(), vec![c], Err("the result has lost variable \"c\"")),
        (filter(step(), c), vec![a], Err("Filter looks at variable \"c\", which is not there")),
        (scan(a, vec![TableId(3)]), vec![a], Err("NodeScan has node table 3, which does not exist")),
        (scan(x, vec![TableId(0)]), vec![x], Err("NodeScan has variable \"x\" as NODE, which is INTEGER")),
        (extend(one(), a, x, b), vec![a], Err("a step has variable \"x\" as RELATIONSHIP, which is INTEGER")),
        (extend(one(), b, e, c), vec![a], Err("Extend looks at variable \"b\", which is not there")),
        (extend(one(), a, e, a), vec![a], Err("Extend makes variable \"a\" again")),
        (
            join(one(), scan(b, vec![]), vec![a]),
            vec![a],
            Err("HashJoin looks at variable \"a\", which is not there"),
        ),
        (join(one(), one(), vec![]), vec![a], Err("both inputs of a HashJoin give variable \"a\"")),
        (Plan::Argument(vec![a]), vec![a], Ok(())),
        (
            Plan::Union { inputs: vec![one(), Plan::Unit], vars: vec![a] },
            vec![a],
            Err("Union looks at variable \"a\", which is not there"),
        ),
        (shortest(ordered(one(), (a, list, a), true)), vec![a, list], Ok(())),
        (shortest(step()), vec![a], Err("Shortest looks at variable \"list\", which is not there")),
        (
            ordered(one(), (a, list, b), false),
            vec![a],
            Err("a VarExtend asks about whole walks to an end that is not there"),
        ),
    ] {
        let catalog = catalog();
        let planning = Planning {
            catalog: &CatalogView::new(&catalog),
            samples: &Samples::default(),
            options: Options::default(),
            cancel: &CancelToken::default(),
            vars: &mut s.vars.clone(),
            needed: needed.into_iter().collect::<VarSet>(),
        };
        let found = check::check(&plan, &planning);
        assert_eq!(found, expected.map_err(str::to_owned), "{plan:?}");
    }
}

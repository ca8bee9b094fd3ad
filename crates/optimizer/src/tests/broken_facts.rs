//! Plans without a fact: what each pass takes for true is one, is noted, and the plan is another where it
//! does not hold. What only costs ask changes no reliance.

use trimorph_algebra::{EdgeRange, Expr, Op, Plan};
use trimorph_base::Span;
use trimorph_catalog::{Catalog, CatalogView, NodeTableFacts, NodeTableInfo, NodeTableStats, TargetFacts};
use trimorph_types::LogicalType;

use super::small::{Small, catalog};
use crate::Options;

const PASSES: &[&str] = &[
    "merge_patterns",
    "count_trails",
    "push_filters",
    "ask_bound",
    "narrow_tables",
    "tell_apart",
    "hang_counts",
    "plan_match",
];

/// Makes a plan, and gives it with what is needed of it.
type Query = fn(&mut Small) -> (Plan, Vec<&'static str>);

type Break = fn(&mut Catalog);

fn planned(query: Query, catalog: &CatalogView<'_>) -> Plan {
    let mut s = Small::default();
    let (plan, needed) = query(&mut s);
    // In the order of the text: whether a fact is of use does not hang on costs.
    s.plan_in(catalog, PASSES, plan, &needed, Options { reorder: false, ..Options::default() })
}

fn chain(s: &mut Small) -> Plan {
    s.matched(&["a", "b", "c"], &["a e:KNOWS b", "b f:KNOWS c"])
}

/// A walk of at least so many edges.
fn walk(s: &mut Small, min: u32) -> Plan {
    s.var("e", LogicalType::List);
    let mut graph = s.graph(&["a", "b"], &["a e:KNOWS b"]);
    graph.edges[0].range = EdgeRange::Variable { min, max: None, shortest: None };
    Plan::Match { input: Box::new(Plan::Unit), graph }
}

#[test]
fn a_plan_without_a_fact_is_another() {
    let cases: [(&str, Query, Break); 5] = [
        (
            "edges in a chain differ by themselves: no loops",
            |s| (chain(s), vec!["a", "c"]),
            |catalog| {
                catalog.facts_mut().edge_tables[0].self_loops_max = 1;
            },
        ),
        (
            "a chain is counted as it is: no loops",
            |s| {
                let chain = chain(s);
                (s.counted(chain), vec!["count"])
            },
            |catalog| catalog.facts_mut().edge_tables[0].self_loops_max = 1,
        ),
        (
            "tables narrowed along an edge: targets",
            |s| (s.matched(&["a", "b"], &["a e:LIVES_IN b"]), vec!["a", "b"]),
            |catalog| {
                let table = catalog.schema.table_ids().last().unwrap();
                catalog.facts_mut().edge_tables[1].targets.push(TargetFacts { table, single: true });
            },
        ),
        (
            "a trail longer than there are edges",
            |s| (walk(s, 2_000_000), vec!["a", "b"]),
            |catalog| {
                catalog.facts_mut().edge_tables[0].edges_max = u64::MAX;
            },
        ),
        (
            "a subtree that is asked once: single",
            |s| {
                let plan = s.matched(&["p", "q", "c"], &["p e:KNOWS q", "q f:LIVES_IN c"]);
                (s.filtered(plan, "c", "name"), vec!["p", "q"])
            },
            |catalog| catalog.facts_mut().edge_tables[1].single = false,
        ),
    ];
    for (what, query, break_fact) in cases {
        let held = catalog();
        let view = CatalogView::new(&held);
        let with = planned(query, &view);
        let mut broken = catalog();
        break_fact(&mut broken);
        let without = planned(query, &CatalogView::new(&broken));
        assert_ne!(format!("{with:?}"), format!("{without:?}"), "{what}");
        assert!(view.reliances().hold_in(&catalog()), "{what}");
        assert!(!view.reliances().hold_in(&broken), "{what}");
    }
}

/// Facts of tables that a query does not ask of may break.
#[test]
fn a_plan_relies_on_its_own_tables_only() {
    let held = catalog();
    let view = CatalogView::new(&held);
    planned(|s| (chain(s), vec!["a", "c"]), &view);
    let mut changed = catalog();
    let likes = &mut changed.facts_mut().edge_tables[2];
    (likes.self_loops_max, likes.edges_max, likes.single) = (1, u64::MAX, !likes.single);
    changed.statistics.edge_tables[2].forward.edges *= 100;
    let (info, stats) =
        (NodeTableInfo { labels: Vec::new(), properties: Vec::new(), key: None }, NodeTableStats::default());
    assert!(view.reliances().hold_in(&changed));
    // Nodes without a label are asked for as well.
    changed.add_node_table(info, NodeTableFacts::default(), stats);
    assert!(!view.reliances().hold_in(&changed));
}

/// With false statistics a plan may be slow; it relies on the same, and is as empty as it was.
#[test]
fn statistics_are_no_truth() {
    let mut nothing = catalog();
    for stats in &mut nothing.statistics.edge_tables {
        stats.forward = Default::default();
        stats.backward.clear();
    }
    // Properties that came after the statistics were counted.
    for stats in &mut nothing.statistics.node_tables {
        stats.properties.clear();
        stats.characteristic_sets.clear();
    }
    let having: Query = |s| {
        let mut graph = s.graph(&["a:Person"], &[]);
        for name in ["id", "name"] {
            let property =
                Expr::Property(Box::new(Expr::Var(graph.nodes[0].var)), name.into(), Span::default());
            graph.predicates.push(Expr::op(Op::IsNotNull, vec![property]));
        }
        (Plan::Match { input: Box::new(Plan::Unit), graph }, vec!["a"])
    };
    assert!(!matches!(planned(having, &CatalogView::new(&nothing)), Plan::Empty(_)));
    nothing.statistics.node_tables.iter_mut().for_each(|stats| stats.rows = 0);
    let queries: [Query; 4] = [
        having,
        |s| (chain(s), vec!["a", "c"]),
        |s| (walk(s, 1), vec!["a", "b"]),
        |s| (s.matched(&["a:Person"], &[]), vec!["a"]),
    ];
    for query in queries {
        let plan = planned(query, &CatalogView::new(&nothing));
        assert!(!matches!(plan, Plan::Empty(_)), "{plan:?}");
    }
}

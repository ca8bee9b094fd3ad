//! What conditions say beyond what they ask: which of them others imply, and which tables a node can be in.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId};
use trimorph_base::{Span, TableId};
use trimorph_catalog::{Catalog, CatalogView, NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo};
use trimorph_types::{LogicalType, Value};

use super::small::{Small, catalog};
use crate::Options;

fn property(s: &mut Small, node: &str, name: &str) -> Expr {
    let var = Box::new(Expr::Var(s.var(node, LogicalType::Node)));
    Expr::Property(var, name.into(), Span::default())
}

fn is_there(of: Expr) -> Expr {
    Expr::op(Op::IsNotNull, vec![of])
}

/// The conditions that a pattern of one node keeps.
fn kept(conditions: &dyn Fn(&mut Small) -> Vec<Expr>) -> Vec<String> {
    let mut s = Small::default();
    let mut graph = s.graph(&["a:Person", "b:Person"], &[]);
    graph.predicates = conditions(&mut s);
    let plan = Plan::Match { input: Box::new(Plan::Unit), graph };
    let plan = s.plan(&["implied_conditions"], plan, &["a"], Options::default());
    let Plan::Match { graph, .. } = plan else { panic!("no pattern") };
    let op = |condition: &Expr| match condition {
        Expr::Op(op, ..) => format!("{op:?}"),
        _ => String::new(),
    };
    graph.predicates.iter().map(op).collect()
}

#[test]
fn what_is_compared_is_there() {
    let one = || Expr::Const(Value::Int(1));
    let compared = |s: &mut Small, op| Expr::op(op, vec![property(s, "a", "name"), one()]);
    for op in [Op::Eq, Op::Ne, Op::Lt, Op::Ge, Op::StartsWith, Op::Contains] {
        let found = kept(&|s| vec![is_there(property(s, "a", "name")), compared(s, op)]);
        assert_eq!(found, [format!("{op:?}")]);
    }
    let list = || Expr::Const(Value::list(vec![Value::Int(1)]));
    let found = kept(&|s| {
        let member = Expr::op(Op::In, vec![property(s, "a", "name"), list()]);
        vec![member, is_there(property(s, "a", "name"))]
    });
    assert_eq!(found, ["In"]);
    // Another property, another node, the list, and what may be true of null.
    let found = kept(&|s| vec![is_there(property(s, "a", "id")), compared(s, Op::Eq)]);
    assert_eq!(found, ["IsNotNull", "Eq"]);
    let found = kept(&|s| vec![is_there(property(s, "b", "name")), compared(s, Op::Eq)]);
    assert_eq!(found, ["IsNotNull", "Eq"]);
    let found = kept(&|s| {
        vec![is_there(property(s, "a", "name")), Expr::op(Op::In, vec![one(), property(s, "a", "name")])]
    });
    assert_eq!(found, ["IsNotNull", "In"]);
    let found = kept(&|s| {
        let either = vec![compared(s, Op::Eq), Expr::op(Op::IsNull, vec![property(s, "a", "name")])];
        vec![is_there(property(s, "a", "name")), Expr::op(Op::Or, either)]
    });
    assert_eq!(found, ["IsNotNull", "Or"]);
    // Two of the same do not drop each other.
    let found = kept(&|s| vec![is_there(property(s, "a", "name")), is_there(property(s, "a", "name"))]);
    assert_eq!(found, ["IsNotNull", "IsNotNull"]);
}

/// How many conditions stay below an aggregation, and the kinds of its aggregates.
fn aggregated(kinds: &[(AggregateKind, &str)], keys: bool) -> (usize, Vec<String>) {
    let mut s = Small::default();
    let mut graph = s.graph(&["a:Person"], &[]);
    graph.predicates = vec![is_there(property(&mut s, "a", "name"))];
    let input = Box::new(Plan::Match { input: Box::new(Plan::Unit), graph });
    let all: Vec<(VarId, Aggregate)> = (kinds.iter().enumerate())
        .map(|(i, (kind, name))| {
            let arg = (!name.is_empty()).then(|| property(&mut s, "a", name));
            let var = s.var(&format!("x{i}"), LogicalType::Any);
            (
                var,
                Aggregate {
                    kind: *kind,
                    arg,
                    parameter: None,
                    distinct: false,
                    order: None,
                    span: Span::default(),
                },
            )
        })
        .collect();
    let node = s.var("a", LogicalType::Node);
    let keys = if keys { vec![(node, Expr::Var(node))] } else { Vec::new() };
    let plan = Plan::Aggregate { input, keys, aggregates: all };
    let plan = s.plan(&["implied_conditions"], plan, &["x0"], Options::default());
    let Plan::Aggregate { input, aggregates, .. } = plan else { panic!("no aggregation") };
    let Plan::Match { graph, .. } = *input else { panic!("no pattern") };
    (graph.predicates.len(), aggregates.iter().map(|(_, own)| format!("{:?}", own.kind)).collect())
}

#[test]
fn aggregates_leave_out_what_is_not_there() {
    use AggregateKind as K;
    let check = |kinds: &[(K, &str)], keys, left, expected: &[&str]| {
        let (conditions, found) = aggregated(kinds, keys);
        assert_eq!(
            (conditions, &found[..]),
            (left, &expected.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>()[..])
        );
    };
    check(&[(K::Min, "name"), (K::Max, "name"), (K::CountStar, "")], false, 0, &["Min", "Max", "Count"]);
    check(&[(K::Avg, "name")], false, 0, &["Avg"]);
    // Groups without a value would be new; another property, lists and rows alone need the condition.
    check(&[(K::Min, "name")], true, 1, &["Min"]);
    check(&[(K::Min, "name"), (K::Max, "id")], false, 1, &["Min", "Max"]);
    check(&[(K::Collect, "name")], false, 1, &["Collect"]);
    check(&[(K::CountStar, "")], false, 1, &["CountStar"]);
}

/// The small catalog, and a table of persons that alone have a title.
fn with_titles() -> Catalog {
    let mut catalog = catalog();
    let person = catalog.schema.node_tables[0].labels.clone();
    let title = catalog.schema.properties.intern("title");
    let properties = vec![PropertyInfo {
        id: trimorph_base::PropertyId(u32::try_from(title).unwrap()),
        ty: LogicalType::Int,
    }];
    let info = NodeTableInfo { labels: person, properties, key: None };
    let facts = NodeTableFacts { one_type: vec![true], ..NodeTableFacts::default() };
    catalog.add_node_table(info, facts, NodeTableStats::default());
    catalog
}

#[test]
fn nodes_are_in_tables_that_have_what_is_asked() {
    let catalog = with_titles();
    let view = CatalogView::new(&catalog);
    let tables = |node: &str, name: Option<&str>, given: bool| {
        let mut s = Small::default();
        let mut graph = s.graph(&[node], &[]);
        let short = node.split(':').next().unwrap();
        graph.predicates = name.map(|name| s.equal(short, name, 1)).into_iter().collect();
        let var = s.var(short, LogicalType::Node);
        let input = if given { Plan::Argument(vec![var]) } else { Plan::Unit };
        let plan = Plan::Match { input: Box::new(input), graph };
        match s.plan_in(&view, &["narrow_tables"], plan, &[short], Options::default()) {
            Plan::Match { graph, .. } => graph.tables[&var].clone(),
            other => panic!("{other:?}"),
        }
    };
    let all: Vec<TableId> = (0..4).map(TableId).collect();
    assert_eq!(tables("a", None, false), all);
    assert_eq!(tables("a", Some("title"), false), [TableId(3)]);
    assert_eq!(tables("a:Person", Some("title"), false), [TableId(3)]);
    assert_eq!(tables("a", Some("name"), false), all[..3]);
    // What no table has may be no property of the store; what rows bring is where it is.
    assert_eq!(tables("a", Some("nothing"), false), all);
    assert_eq!(tables("a", Some("title"), true), all);
}

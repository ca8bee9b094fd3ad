//! A small catalog, and plans over it written by hand: what the tests of passes start from.

use std::sync::Arc;

use trimorph_algebra::{
    Aggregate, AggregateKind, Direction, EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, Op, Plan,
    QueryGraph, VarId, Vars,
};
use trimorph_base::{CancelToken, LabelId, PropertyId, Span, TableId, TypeId};
use trimorph_catalog::{
    Catalog, CatalogView, CharacteristicSet, DegreeStats, EdgeTableFacts, EdgeTableInfo, EdgeTableStats,
    NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo, PropertyStats, TargetFacts,
};
use trimorph_types::{LogicalType, Value};

use crate::passes::PASSES;
use crate::planning::Planning;
use crate::samples::Samples;
use crate::{Options, VarSet};

/// 1,000 persons with a key, 10 cities, 5,000 messages; persons know 10 others, live in one city, like 20
/// messages.
pub(super) fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    for (label, rows) in [("Person", 1_000), ("City", 10), ("Message", 5_000)] {
        let label = u16::try_from(catalog.schema.labels.intern(label)).unwrap();
        let properties = ["id", "name"].map(|name| PropertyInfo {
            id: PropertyId(u32::try_from(catalog.schema.properties.intern(name)).unwrap()),
            ty: LogicalType::Int,
        });
        let counted = PropertyStats { nulls: 0, distinct: rows, range: Some((0, 999)) };
        let stats = NodeTableStats {
            rows,
            properties: vec![counted; 2],
            characteristic_sets: vec![CharacteristicSet { properties: vec![0, 1], count: rows }],
        };
        let info =
            NodeTableInfo { labels: vec![LabelId(label)], properties: properties.into(), key: Some(0) };
        catalog.add_node_table(
            info,
            NodeTableFacts { one_type: vec![true; 2], ..NodeTableFacts::default() },
            stats,
        );
    }
    for (ty, target, edges, single) in
        [("KNOWS", 0, 10_000, false), ("LIVES_IN", 1, 1_000, true), ("LIKES", 2, 20_000, false)]
    {
        let ty = u16::try_from(catalog.schema.types.intern(ty)).unwrap();
        let degree_max = if single { 1 } else { 100 };
        let target = TableId(target);
        let facts = EdgeTableFacts {
            single,
            edges_max: edges,
            targets: vec![TargetFacts { table: target, single: false }],
            ..EdgeTableFacts::default()
        };
        let stats = EdgeTableStats {
            properties: Vec::new(),
            forward: DegreeStats { edges, degree_max, nonempty: 1_000 },
            backward: vec![(target, DegreeStats { edges, degree_max: 100, nonempty: 10 })],
        };
        let info = EdgeTableInfo { ty: TypeId(ty), source: TableId(0), properties: Vec::new() };
        catalog.add_edge_table((info, facts, stats));
    }
    catalog
}

/// Variables by name, as a binder would make them.
#[derive(Default)]
pub(super) struct Small {
    pub(super) vars: Vars,
    names: Vec<(String, VarId)>,
}

impl Small {
    pub(super) fn var(&mut self, name: &str, ty: LogicalType) -> VarId {
        if let Some((_, var)) = self.names.iter().find(|(known, _)| known == name) {
            return *var;
        }
        let var = self.vars.named(name, ty);
        self.names.push((name.to_owned(), var));
        var
    }

    /// `a:Person` or `a`.
    fn node(&mut self, text: &str) -> NodePattern {
        let (name, label) = text.split_once(':').map_or((text, None), |(name, label)| (name, Some(label)));
        let labels = label.map_or(LabelExpr::True, |label| LabelExpr::Label(label.into()));
        NodePattern { var: self.var(name, LogicalType::Node), labels }
    }

    /// A pattern of nodes (`a:Person`) and edges (`a e:KNOWS b`, directed), all pairs of which must differ.
    pub(super) fn graph(&mut self, nodes: &[&str], edges: &[&str]) -> QueryGraph {
        let nodes = nodes.iter().map(|n| self.node(n)).collect();
        let edges: Vec<EdgePattern> = (edges.iter())
            .map(|text| {
                let parts: Vec<&str> = text.split([' ', ':']).collect();
                let [from, name, ty, to] = parts[..] else { panic!("{text}") };
                EdgePattern {
                    var: self.var(name, LogicalType::Relationship),
                    from: self.var(from, LogicalType::Node),
                    to: self.var(to, LogicalType::Node),
                    types: if ty.is_empty() { Vec::new() } else { vec![ty.into()] },
                    direction: Direction::Out,
                    range: EdgeRange::One,
                    each: None,
                    whole: Vec::new(),
                }
            })
            .collect();
        let pairs = |i: usize| edges[i + 1..].iter().map(move |b| b.var);
        let distinct = (0..edges.len()).flat_map(|i| pairs(i).map(|b| (i, b)).collect::<Vec<_>>());
        let distinct = distinct.map(|(i, b)| (edges[i].var, b)).collect();
        QueryGraph { nodes, edges, distinct, ..QueryGraph::default() }
    }

    pub(super) fn matched(&mut self, nodes: &[&str], edges: &[&str]) -> Plan {
        Plan::Match { input: Box::new(Plan::Unit), graph: self.graph(nodes, edges) }
    }

    /// `a.name = 1`
    pub(super) fn equal(&mut self, node: &str, property: &str, value: i64) -> Expr {
        let var = Box::new(Expr::Var(self.var(node, LogicalType::Node)));
        let property: Arc<str> = property.into();
        Expr::op(Op::Eq, vec![Expr::Property(var, property, Span::default()), Expr::Const(Value::Int(value))])
    }

    pub(super) fn filtered(&mut self, input: Plan, node: &str, property: &str) -> Plan {
        Plan::Filter { input: Box::new(input), predicate: self.equal(node, property, 1) }
    }

    /// `count(*)`
    pub(super) fn counted(&mut self, input: Plan) -> Plan {
        let count = self.var("count", LogicalType::Int);
        let star = Aggregate {
            kind: AggregateKind::CountStar,
            arg: None,
            parameter: None,
            distinct: false,
            order: None,
            span: Span::default(),
        };
        Plan::Aggregate { input: Box::new(input), keys: Vec::new(), aggregates: vec![(count, star)] }
    }

    /// Runs some passes, with what is needed above, and the checker after each; gives the plan as EXPLAIN
    /// shows it.
    pub(super) fn run(&mut self, passes: &[&str], plan: Plan, needed: &[&str]) -> String {
        let plan = self.plan(passes, plan, needed, Options::default());
        trimorph_algebra::explain(&plan, &self.vars, &mut |_| String::new())
    }

    pub(super) fn plan(&mut self, passes: &[&str], plan: Plan, needed: &[&str], options: Options) -> Plan {
        self.plan_in(&CatalogView::new(&catalog()), passes, plan, needed, options)
    }

    /// The same for another catalog.
    pub(super) fn plan_in(
        &mut self,
        catalog: &CatalogView<'_>,
        passes: &[&str],
        mut plan: Plan,
        needed: &[&str],
        options: Options,
    ) -> Plan {
        let cancel = CancelToken::default();
        let needed: VarSet = needed.iter().map(|name| self.var(name, LogicalType::Any)).collect();
        for name in passes {
            let pass = PASSES.iter().find(|pass| pass.name == *name).unwrap_or_else(|| panic!("{name}"));
            let mut planning = Planning {
                catalog,
                samples: &Samples::default(),
                options,
                cancel: &cancel,
                vars: &mut self.vars,
                needed: needed.clone(),
            };
            plan = (pass.run)(plan, &mut planning).unwrap();
            crate::check::check(&plan, &planning).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
        plan
    }
}

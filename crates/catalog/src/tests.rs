//! Names and tables by themselves, and what a view notes of them.

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;

use crate::{
    Catalog, CatalogView, DegreeStats, EdgeTableFacts, EdgeTableInfo, EdgeTableStats, LabelsVary, NameKind,
    Names, NodeTableFacts, NodeTableInfo, NodeTableStats, PropertyInfo, PropertyStats, TargetFacts,
};

#[test]
fn names_have_dense_ids() {
    let mut names = Names::default();
    for (name, id) in [("a", 0), ("b", 1), ("a", 0), ("", 2), ("é", 3), ("b", 1)] {
        assert_eq!(names.intern(name), id, "{name}");
        assert_eq!(names.id(name), Some(id), "{name}");
    }
    assert_eq!(names.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["a", "b", "", "é"]);
    assert_eq!((names.id("c"), names.name(4)), (None, None));
}

/// Tables of `:A {x}`, `:A:B {y, x}` and of no label, and `T` from the first to the second.
fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let labels = ["A", "B"].map(|name| LabelId(u16::try_from(catalog.schema.labels.intern(name)).unwrap()));
    let ids = ["x", "y", "since"]
        .map(|name| PropertyId(u32::try_from(catalog.schema.properties.intern(name)).unwrap()));
    let properties = |places: &[usize]| -> Vec<PropertyInfo> {
        let info = |place: &usize| PropertyInfo { id: ids[*place], ty: LogicalType::Int };
        places.iter().map(info).collect()
    };
    for (own, places) in [(&labels[..1], &[0][..]), (&labels[..], &[1, 0]), (&[], &[])] {
        let stats = NodeTableStats {
            rows: 10_000,
            properties: vec![PropertyStats::default(); places.len()],
            characteristic_sets: Vec::new(),
        };
        let key = (places.len() == 1).then_some(0);
        let info = NodeTableInfo { labels: own.to_vec(), properties: properties(places), key };
        catalog.add_node_table(
            info,
            NodeTableFacts { one_type: vec![true; places.len()], ..NodeTableFacts::default() },
            stats,
        );
    }
    catalog.schema.types.intern("T");
    catalog.add_edge_table((
        EdgeTableInfo { ty: TypeId(0), source: TableId(0), properties: properties(&[2]) },
        EdgeTableFacts {
            single: true,
            edges_max: 10_000,
            self_loops_max: 0,
            targets: vec![TargetFacts { table: TableId(1), single: true }],
            one_type: vec![true],
        },
        EdgeTableStats {
            properties: vec![PropertyStats::default()],
            forward: DegreeStats { edges: 10_000, degree_max: 1, nonempty: 10_000 },
            backward: Vec::new(),
        },
    ));
    catalog
}

#[test]
fn tables_are_found_by_labels() {
    let catalog = catalog().schema;
    for (asked, expected) in [
        (&[][..], &[0, 1, 2][..]),
        (&[("A", true)], &[0, 1]),
        (&[("A", true), ("B", false)], &[0]),
        (&[("A", false)], &[2]),
        (&[("C", true)], &[]),
    ] {
        let found = catalog.tables_where(|has| asked.iter().all(|(label, wanted)| has(label) == *wanted));
        assert_eq!(found.into_iter().map(|t| t.0).collect::<Vec<_>>(), expected, "{asked:?}");
    }
    assert!(!catalog.has_label(TableId(9), "A"), "a table that does not exist");
    let names = |table| catalog.label_names(TableId(table)).iter().map(|n| n.to_string()).collect::<Vec<_>>();
    assert_eq!((names(1), names(2), names(9)), (vec!["A".into(), "B".into()], vec![], vec![]));
}

#[test]
fn columns_are_found_by_names() {
    let catalog = catalog().schema;
    for (table, name, place) in [
        (0, "x", Some(0)),
        (1, "x", Some(1)),
        (1, "y", Some(0)),
        (0, "y", None),
        (2, "x", None),
        (9, "x", None),
    ] {
        assert_eq!(catalog.node_property(TableId(table), name), place, "{table} {name}");
    }
    assert_eq!(catalog.edge_property(EdgeTableId(0), "since"), Some(0));
    assert_eq!(catalog.edge_property(EdgeTableId(0), "x"), None);
    assert_eq!(catalog.edge_property(EdgeTableId(1), "since"), None);
    assert_eq!(&*catalog.type_name(EdgeTableId(0)), "T");
    assert_eq!(&*catalog.type_name(EdgeTableId(7)), "", "a table that does not exist");
    let since = catalog.property_id("since").unwrap();
    assert_eq!((since, &*catalog.property_name(since)), (PropertyId(2), "since"));
    assert_eq!((catalog.property_id("z"), &*catalog.property_name(PropertyId(9))), (None, ""));
    assert_eq!((catalog.table_ids().count(), catalog.edge_table_ids().count()), (3, 1));
}

fn add_nodes(catalog: &mut Catalog, label: &str) {
    let label = LabelId(u16::try_from(catalog.schema.labels.intern(label)).unwrap());
    let info = NodeTableInfo { labels: vec![label], properties: Vec::new(), key: None };
    catalog.add_node_table(info, NodeTableFacts::default(), NodeTableStats::default());
}

fn add_edges(catalog: &mut Catalog, ty: &str) {
    let ty = TypeId(u16::try_from(catalog.schema.types.intern(ty)).unwrap());
    let info = EdgeTableInfo { ty, source: TableId(0), properties: Vec::new() };
    catalog.add_edge_table((info, EdgeTableFacts::default(), EdgeTableStats::default()));
}

fn add_column(catalog: &mut Catalog, table: usize, name: &str) {
    let id = PropertyId(u32::try_from(catalog.schema.properties.intern(name)).unwrap());
    catalog.schema.node_tables[table].properties.push(PropertyInfo { id, ty: LogicalType::Int });
    catalog.facts_mut().node_tables[table].one_type.push(true);
    catalog.statistics.node_tables[table].properties.push(PropertyStats::default());
}

type Change = fn(&mut Catalog);

/// What may happen to the catalog: each breaks some reliances and no others.
const CHANGES: &[(&str, Change)] = &[
    ("nothing", |_| {}),
    ("label C", |c| add_nodes(c, "C")),
    ("label A", |c| add_nodes(c, "A")),
    ("type U", |c| add_edges(c, "U")),
    ("type T", |c| add_edges(c, "T")),
    ("column x", |c| add_column(c, 2, "x")),
    ("column z", |c| add_column(c, 2, "z")),
    ("loops", |c| c.facts_mut().edge_tables[0].self_loops_max = 1),
    ("single", |c| c.facts_mut().edge_tables[0].single = false),
    ("single into", |c| c.facts_mut().edge_tables[0].targets[0].single = false),
    ("targets", |c| {
        c.facts_mut().edge_tables[0].targets.push(TargetFacts { table: TableId(2), single: true });
    }),
    ("edges", |c| c.facts_mut().edge_tables[0].edges_max += 1),
    ("types of x", |c| c.facts_mut().node_tables[0].one_type[0] = false),
    ("keys of A", |c| c.facts_mut().node_tables[0].keyless = true),
    ("types of since", |c| c.facts_mut().edge_tables[0].one_type[0] = false),
    ("rows of A, slightly", |c| c.statistics.node_tables[0].rows *= 3),
    ("rows of A", |c| c.statistics.node_tables[0].rows *= 4),
    ("rows of B", |c| c.statistics.node_tables[1].rows = 0),
    ("edges of T", |c| c.statistics.edge_tables[0].forward.edges = 0),
];

type Ask = fn(&CatalogView<'_>) -> bool;

#[test]
fn what_is_asked_is_relied_on() {
    let types: [std::sync::Arc<str>; 1] = ["T".into()];
    assert_eq!(CatalogView::new(&catalog()).edge_tables(Some(&types))[..], [EdgeTableId(0)]);
    // What is asked, and which changes a plan that was made of the answer does not survive.
    let cases: &[(&str, Ask, &[&str])] = &[
        ("nothing", |_| true, &[]),
        ("an unknown label", |v| !v.is_known(NameKind::Label, "C"), &["label C"]),
        ("an unknown property", |v| !v.is_known(NameKind::Property, "z"), &["column z"]),
        ("a known name", |v| v.is_known(NameKind::Label, "A"), &[]),
        ("all types", |v| v.names(NameKind::Type).iter().len() == 1, &["type U"]),
        (
            "nodes of a label",
            |v| v.node_tables_where(|has| has("A")) == [TableId(0), TableId(1)],
            &["label A", "rows of A", "rows of B"],
        ),
        (
            "nodes of two labels",
            |v| v.node_tables_where(|has| has("A") && has("B")) == [TableId(1)],
            &["label A", "rows of B"],
        ),
        (
            "nodes without a label",
            |v| v.node_tables_where(|has| !has("A")) == [TableId(2)],
            &["label C", "label A"],
        ),
        ("nodes of an unknown label", |v| v.node_tables_where(|has| has("C")).is_empty(), &["label C"]),
        ("all tables", |v| v.are_all(3), &["label C", "label A"]),
        ("not all tables", |v| !v.are_all(2), &[]),
        ("edges of a type", |v| v.edge_tables(Some(&["T".into()])).len() == 1, &["type T", "edges of T"]),
        ("edges", |v| v.edge_tables(None).len() == 1, &["type U", "type T", "edges of T"]),
        ("columns", |v| v.node_columns(Some(&["x".into()])).len() == 2, &["column x"]),
        ("all columns", |v| v.edge_columns(None).len() == 1, &["column x", "column z"]),
        ("loops", |v| !v.may_have_loops(EdgeTableId(0)), &["loops", "edges of T"]),
        ("single", |v| v.is_single(EdgeTableId(0)), &["single", "edges of T"]),
        ("single into", |v| v.is_single_into(EdgeTableId(0), TableId(1)), &["single into", "edges of T"]),
        ("targets", |v| v.targets(EdgeTableId(0)).count() == 1, &["targets", "edges of T"]),
        ("few edges", |v| v.have_fewer_edges(&[EdgeTableId(0)], 10_001), &["edges"]),
        ("not few edges", |v| !v.have_fewer_edges(&[EdgeTableId(0)], 10), &[]),
        ("one type", |v| v.has_one_type(TableId(0), 0), &["types of x"]),
        ("full key", |v| v.is_full_key(TableId(0), "x"), &["keys of A"]),
        ("no full key", |v| !v.is_full_key(TableId(0), "y"), &[]),
        ("one type of edges", |v| v.has_one_edge_type(EdgeTableId(0), 0), &["types of since"]),
        (
            "names of properties of edges",
            |v| v.edge_property_names(EdgeTableId(0)).len() == 1,
            &["column x", "column z"],
        ),
    ];
    for (what, ask, broken_by) in cases {
        let before = catalog();
        let view = CatalogView::new(&before);
        assert!(ask(&view), "{what}");
        for (change, apply) in CHANGES {
            let mut after = catalog();
            apply(&mut after);
            let expected = !broken_by.contains(change);
            assert_eq!(view.reliances().hold_in(&after), expected, "{what}, {change}");
        }
    }
}

/// Tables whose rows differ by labels that decide are found, whatever is asked first; others are not.
#[test]
fn rows_differ_by_the_labels_that_are_asked() {
    let mut catalog = Catalog::default();
    ["A", "B", "C"].iter().for_each(|label| add_nodes(&mut catalog, label));
    let id = |catalog: &Catalog, label: &str| LabelId(catalog.schema.labels.id(label).unwrap() as u16);
    let (a, b) = (id(&catalog, "A"), id(&catalog, "B"));
    let view = CatalogView::new(&catalog);
    assert_eq!(view.varying_where(|has| has("A")), []);
    let relied = view.reliances();
    catalog.facts_mut().node_tables[0].labels_vary.add([b]);
    assert!(!relied.hold_in(&catalog) && relied.concerns_labels(TableId(0), &LabelsVary::By([b].into())));
    assert!(!relied.concerns_labels(TableId(1), &LabelsVary::No));
    let view = CatalogView::new(&catalog);
    let (first, none) = (vec![TableId(0)], Vec::new());
    for (tables, keep) in [
        (&none, (|has| has("A")) as fn(&dyn Fn(&str) -> bool) -> bool),
        (&first, |has| has("B")),
        (&first, |has| !has("B")),
        (&none, |has| has("A") || has("B")),
        (&first, |has| has("B") || has("A")),
        (&first, |has| has("A") && has("B")),
        (&none, |has| has("C") && has("B")),
        (&none, |has| has("D")),
        (&none, |_| true),
    ] {
        assert_eq!(view.varying_where(keep), *tables);
    }
    assert_eq!(view.node_tables_where(|has| has("B")), [TableId(0), TableId(1)]);
    assert_eq!(view.node_tables_where(|has| has("A")), [TableId(0)]);
    assert_eq!(view.node_tables_where(|has| has("C")), [TableId(2)]);
    assert_eq!(view.varying(), [TableId(0)]);
    let relied = view.reliances();
    assert!(relied.hold_in(&catalog));
    catalog.facts_mut().node_tables[0].labels_vary.add([a]);
    assert!(!relied.hold_in(&catalog));
    catalog.facts_mut().node_tables[2].labels_vary = LabelsVary::Any;
    let view = CatalogView::new(&catalog);
    assert_eq!(view.varying_where(|has| has("A")), [TableId(0), TableId(2)]);
    assert_eq!(view.varying_where(|has| has("C")), [TableId(2)]);
    // Too many to tell them apart.
    let mut vary = LabelsVary::No;
    vary.add((0..2_000).map(LabelId));
    assert_eq!(vary, LabelsVary::Any);
}

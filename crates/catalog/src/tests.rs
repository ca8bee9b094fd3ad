//! Names and tables by themselves.

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;

use crate::{Catalog, EdgeTableInfo, Names, NodeTableInfo, PropertyInfo, PropertyStats};

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
    let labels = ["A", "B"].map(|name| LabelId(u16::try_from(catalog.labels.intern(name)).unwrap()));
    let ids =
        ["x", "y", "since"].map(|name| PropertyId(u32::try_from(catalog.properties.intern(name)).unwrap()));
    let properties = |places: &[usize]| -> Vec<PropertyInfo> {
        let info = |place: &usize| PropertyInfo {
            id: ids[*place],
            ty: LogicalType::Int,
            stats: PropertyStats::default(),
        };
        places.iter().map(info).collect()
    };
    for (own, places) in [(&labels[..1], &[0][..]), (&labels[..], &[1, 0]), (&[], &[])] {
        catalog.node_tables.push(NodeTableInfo {
            labels: own.to_vec(),
            properties: properties(places),
            key: None,
            rows: 1,
            characteristic_sets: Vec::new(),
        });
    }
    catalog.types.intern("T");
    catalog.edge_tables.push(EdgeTableInfo {
        ty: TypeId(0),
        source: TableId(0),
        properties: properties(&[2]),
        edges: 1,
        single: true,
        degree_max: 1,
        nonempty: 1,
        self_loops: 0,
        backward: Vec::new(),
    });
    catalog
}

#[test]
fn tables_are_found_by_labels() {
    let catalog = catalog();
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
    let catalog = catalog();
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

//! The types that expressions have, as far as the columns say that they read: for passes that do something
//! with values of some types only.

use trimorph_algebra::{Expr, Vars};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

/// Whether an expression is of one of these types, or null. All columns that it may read are of the same.
pub(crate) fn is_of_one_of(
    expr: &Expr,
    types: &[LogicalType],
    vars: &Vars,
    catalog: &CatalogView<'_>,
) -> bool {
    let is_one = |ty: Option<LogicalType>| ty.is_some_and(|ty| types.contains(&ty));
    match expr {
        Expr::Var(var) => types.contains(&vars.get(*var).ty),
        Expr::Property(base, key, _) => {
            let names = Some(std::slice::from_ref(key));
            let of_nodes = |(table, column)| {
                is_one(catalog.column_type(table, column)) && catalog.has_one_type(table, column)
            };
            let of_edges = |(table, column)| {
                is_one(catalog.edge_column_type(table, column)) && catalog.has_one_edge_type(table, column)
            };
            let (nodes, edges) = (catalog.node_columns(names), catalog.edge_columns(names));
            let of_all = nodes.iter().map(|(t, c)| catalog.column_type(*t, *c));
            let mut of_all = of_all.chain(edges.iter().map(|(t, c)| catalog.edge_column_type(*t, *c)));
            let first = of_all.next();
            let are_same = of_all.all(|ty| Some(ty) == first);
            let is_entity = |ty| matches!(ty, LogicalType::Node | LogicalType::Relationship);
            matches!(&**base, Expr::Var(var) if is_entity(vars.get(*var).ty))
                && are_same
                && nodes.into_iter().all(of_nodes)
                && edges.into_iter().all(of_edges)
        }
        _ => false,
    }
}

//! The one optimizer: a bound plan in, a plan of scans, extends and joins out.
//!
//! The passes, in the order they run (`passes.rs` has the list; each has one file):
//!
//! 1. `optional_conditions` an `OPTIONAL MATCH` of which a condition keeps some rows becomes another clause
//! 2. `call_once`      a subquery that reads nothing of its rows is run once
//! 3. `call_groups`    a subquery that is run for each row becomes part of the query, grouped by the row
//! 4. `group_by_nodes` keys of groupings that follow from a node with a key of its own become the node
//! 5. `optional_groups` what is grouped over an `OPTIONAL MATCH` is grouped apart of what matches
//! 6. `merge_patterns` patterns that follow each other become one
//! 7. `path_parts`     what is asked of a path and known of its parts is asked of these
//! 8. `fixed_walks`   a walk of a fixed, small number of edges becomes so many edges
//! 9. `bound_edges`   the ends of a relationship that rows bring are taken from it
//! 10. `count_lists`    lists of which only the size is looked at are counted
//! 11. `count_rows`     counts of what no row lacks become counts of rows
//! 12. `count_calls`    a subquery that gives a count becomes `COUNT { … }`
//! 13. `count_optional` an `OPTIONAL MATCH` that is only counted becomes a sum of counts
//! 14. `count_trails`   a lone `count(*)` whose edges must differ becomes a sum of counts that need not look
//! 15. `plain_conditions` negations are taken in, what all alternatives ask is asked before
//! 16. `push_filters`   a filter on a pattern becomes part of it
//! 17. `fold_lists`     lists of which only conditions on elements, or sums, are looked at are folded
//! 18. `empty_groups`   what all aggregates ask of rows is asked before, where groups of none are left out
//! 19. `list_members`   a pattern of which a node is in a list begins at the nodes of the list
//! 20. `narrow_types`   what is asked of the type of a relationship becomes its types
//! 21. `unroll_quantifiers` what is asked of any, all or none of a few constants is asked of each
//! 22. `in_lists`       equalities of one property, any of which will do, become a list that it is in
//! 23. `predicate_sets` what is asked of the predicate of statements becomes part of their pattern
//! 24. `drop_unused`    what is computed and never looked at is not computed
//! 25. `compound_keys`  keys of groupings that are maps or lists become their parts
//! 26. `constant_keys`  keys of groupings that are the same in all rows are given to the groups
//! 27. `parts_of_texts` one part of a text that was split is taken of the text
//! 28. `group_limit`   a sort of which the first rows of each group are looked at is told so
//! 29. `late_projection` what a top-k does not order by is computed for the rows that are left
//! 30. `ask_bound`      what a pattern asks of nodes that rows bring becomes predicates
//! 31. `narrow_tables` which node tables each node can be in, narrowed along edges; a node without any
//!     empties the pattern
//! 32. `implied_conditions` what a pattern asks to be there and asks more of as well is asked once
//! 33. `both_ways`     edges asked for in both directions at nodes nobody looks at: those out, and those in
//! 34. `group_branches` what is counted of several queries is counted of each, and merged
//! 35. `count_by_table` counts by labels or type become a count for each table, other aggregates over
//!     relationships of several types one for each type
//! 36. `count_statements` statements of RDF of which only the number counts are counted where they lie
//! 37. `walks`         what is asked of walks as wholes becomes part of the search for them
//! 38. `tell_apart`    which edges must differ because they could be the same
//! 39. `reach_once`    walks of which only the ends count, and these once, reach each node once
//! 40. `hang_counts`   leaves that nobody looks at become counting steps
//! 41. `plan_match`    each pattern becomes scans, extends and joins
//! 42. `exists_extremes` `EXISTS` of something greater asks for the greatest of each group
//! 43. `join_groups`    what subqueries ask of rows that they join by values is asked of groups of these
//! 44. `same_aggregates` an aggregate that a grouping has twice is made once
//! 45. `row_keys`      keys of groupings that one row beside all others has are given to the groups
//! 46. `join_reads`    what is asked of many pairs of joined rows is read before they are joined
//! 47. `order_edges`   the first rows by an indexed property of relationships are looked up
//! 48. `scan_both_ways` relationships in both directions of which few pass are read out, and in
//! 49. `share_expressions` what several expressions of an operator have in common is computed once
//! 50. `distinct_once` different values of which there are several aggregates are told apart once
//! 51. `share_subplans` what several places of the plan compute in the same way is computed once
//! 52. `reduce_joins`  subqueries that join by value are joined with the keys that rows around have
//!
//! Every pass is timed, those that a plan can do without can be switched off ([`Options::without`]), and
//! after each `check` looks whether the plan still holds together ([`Options::check`]). No pass runs another;
//! what several need has files of its own: `needed` (what is looked at above), `how_often`, `tables`,
//! `property_tables`, `counted`, `listed_nodes`, `list_sizes`, `names`, `merging`, `asked_first`, `moments`,
//! `value_counts`, `value_keys`, `lookups`, `edge_lookups`, `selectivity`, `samples`, `degrees` and
//! `estimate`; and passes ask `count_rows`, `count_optional` and `fixed_walks` what these know.
//!
//! Source: design §7; GF-CL §7; Poseidon §8.
#![forbid(unsafe_code)]

mod ask_bound;
mod asked_first;
mod both_ways;
mod bound_edges;
mod bounded_calls;
mod bounds;
mod call_groups;
mod call_once;
mod cannot_fail;
mod carried_values;
mod check;
mod column_types;
mod compound_keys;
mod constant_keys;
mod count_by_table;
mod count_calls;
mod count_lists;
mod count_optional;
mod count_rows;
mod count_statements;
mod count_trails;
mod counted;
mod degrees;
mod distinct_once;
mod drop_unused;
mod edge_lookups;
mod empty_groups;
mod estimate;
mod exists_edges;
mod exists_extremes;
mod expressions;
mod fixed_walks;
mod fold_lists;
mod group_branches;
mod group_by_nodes;
mod group_limit;
mod hang_counts;
mod heads;
mod how_often;
mod implied_conditions;
mod in_lists;
mod join_apart;
mod join_groups;
mod join_reads;
mod late_projection;
mod late_subqueries;
mod list_members;
mod list_sizes;
mod listed_nodes;
mod lookups;
mod merge_patterns;
mod merging;
mod moments;
mod names;
mod narrow_tables;
mod narrow_types;
mod needed;
mod null_arguments;
mod optional_conditions;
mod optional_groups;
mod options;
mod order_edges;
mod order_lists;
mod parts_of_texts;
mod passes;
mod path_parts;
mod plain_conditions;
mod plan_match;
mod planning;
mod predicate_sets;
mod property_tables;
mod push_filters;
mod reach_once;
mod reduce_joins;
mod row_keys;
mod same_aggregates;
mod samples;
mod scan_both_ways;
mod selectivity;
mod share_expressions;
mod share_subplans;
mod split_windows;
mod tables;
mod tell_apart;
#[cfg(test)]
mod tests;
mod unroll_quantifiers;
mod value_counts;
mod value_keys;
mod walks;

use trimorph_algebra::BoundQuery;
use trimorph_base::{CancelToken, Diagnostic};
use trimorph_catalog::{Catalog, CatalogView};

pub use estimate::estimate_all;
pub use options::{HashJoins, Options, Switches};
pub use passes::{Optimized, PLAN_DEPTH_MAX, PassRun, pass_names};
pub use samples::Estimator;

pub(crate) use expressions::{
    VarSet, asked_properties, calls_volatile, conjunction, conjuncts, equality, is_constant, is_random,
    refuses_null, replaced, set_of, vars_of,
};
pub(crate) use planning::Halt;

/// Plans `query` for data described by `catalog`, to be run on just these; `estimator` knows more than the
/// catalog tells.
///
/// **Errors**: a query whose plan would be too deep to run.
pub fn optimize(
    query: BoundQuery,
    catalog: &Catalog,
    estimator: Option<&dyn Estimator>,
    options: Options,
) -> Result<BoundQuery, Diagnostic> {
    Ok(optimize_until(query, &CatalogView::new(catalog), estimator, options, &CancelToken::default())?.query)
}

/// As [`optimize`], until `cancel` says stop; what the plan relies on is noted in `catalog`.
///
/// **Errors**: also that it was stopped.
pub fn optimize_until(
    query: BoundQuery,
    catalog: &CatalogView<'_>,
    estimator: Option<&dyn Estimator>,
    options: Options,
    cancel: &CancelToken,
) -> Result<Optimized, Diagnostic> {
    passes::run(query, catalog, estimator, options, cancel).map_err(|halt| *halt)
}

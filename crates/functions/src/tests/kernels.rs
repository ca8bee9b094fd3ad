//! Which functions have a kernel, by name: a function that is computed value by value is seen here.

use crate::function::Function;
use crate::kernel::Kernel;
use crate::{lookup, names};

fn named(is: impl Fn(&Function) -> bool) -> Vec<&'static str> {
    names().filter(|name| lookup(name).is_some_and(&is)).collect()
}

#[test]
fn these_functions_are_computed_value_by_value() {
    assert_eq!(named(|f| matches!(f.kernel, Kernel::General)), GENERAL);
}

#[test]
fn the_evaluator_has_the_kernels_of_these() {
    assert_eq!(named(|f| matches!(f.kernel, Kernel::ByNeed)), ["coalesce"]);
    assert_eq!(named(|f| matches!(f.kernel, Kernel::ByEquality)), ["nullIf"]);
}

/// Functions of lists, maps and paths, and those that make another value at every call.
const GENERAL: &[&str] = &[
    "e",
    "pi",
    "randomUUID",
    "coll.flatten",
    "coll.indexOf",
    "coll.insert",
    "coll.remove",
    "valueType",
    "properties",
    "keys",
    "nodes",
    "relationships",
    "length",
    "timestamp",
    "date.transaction",
    "date.statement",
    "date.realtime",
    "localtime.transaction",
    "localtime.statement",
    "localtime.realtime",
    "time.transaction",
    "time.statement",
    "time.realtime",
    "localdatetime.transaction",
    "localdatetime.statement",
    "localdatetime.realtime",
    "datetime.transaction",
    "datetime.statement",
    "datetime.realtime",
    "time.truncate",
];

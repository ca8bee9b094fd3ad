//! The function registry as the binder sees it.

use trimorph_cypher::{FunctionInfo, Functions};

/// The scalar functions of `trimorph-functions`.
pub(crate) struct Registry;

impl Functions for Registry {
    fn lookup(&self, lower_case_name: &str) -> Option<FunctionInfo> {
        let f = trimorph_functions::lookup(lower_case_name)?;
        Some(FunctionInfo { min_args: f.min_args, max_args: f.max_args, result: f.result })
    }

    fn names(&self) -> Vec<&'static str> {
        trimorph_functions::names().collect()
    }
}

/// Names of the scalar functions that queries may call, for completion.
pub fn function_names() -> Vec<&'static str> {
    trimorph_functions::names().collect()
}

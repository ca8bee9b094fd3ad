//! What the binder must know of scalar functions. The engine answers from the registry of
//! `trimorph-functions`.

use trimorph_types::LogicalType;

/// The signature of a scalar function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionInfo {
    /// Fewest arguments.
    pub min_args: usize,
    /// Most arguments; `usize::MAX` if any number.
    pub max_args: usize,
    /// The result's type, given the arguments' types.
    pub result: fn(&[LogicalType]) -> LogicalType,
}

/// All scalar functions. Aggregates are not among them: the binder knows those itself.
pub trait Functions {
    /// The function of this name, which is in lower case, namespaces included (`date.truncate`).
    fn lookup(&self, lower_case_name: &str) -> Option<FunctionInfo>;

    /// All names in their usual spelling, for suggestions.
    fn names(&self) -> Vec<&'static str>;

    /// How a function or an aggregate of this name, in lower case, is called, such as `left(text, length)`;
    /// for errors.
    fn signature(&self, lower_case_name: &str) -> Option<&'static str> {
        let _ = lower_case_name;
        None
    }
}

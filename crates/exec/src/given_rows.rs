//! Rows that an execution starts from: made before, by somebody else.

use trimorph_algebra::VarId;
use trimorph_types::Value;

/// Rows by column.
#[derive(Clone, Debug, Default)]
pub struct GivenRows {
    /// The variables of the columns.
    pub vars: Vec<VarId>,
    /// The values of each variable, one a row.
    pub columns: Vec<Vec<Value>>,
    /// How many rows there are: without columns too.
    pub len: usize,
}

//! Scalar functions that a program has given: what an expression may call beside the functions of the
//! language. A binder looks a name up in [`crate::Procedures`] and puts what it finds into the expression; an
//! executor calls it for the rows of a vector at once. A plan keeps the function it was bound to.

use std::fmt;

use trimorph_base::{CancelToken, Diagnostic};
use trimorph_types::{LogicalType, Value};

/// The detail word of the error of a query whose function failed: what it did is not done again to tell which
/// row is to blame.
pub const FUNCTION_FAILED: &str = "FunctionFailed";

/// A scalar function of a program.
pub trait UserFunction: fmt::Debug + Send + Sync {
    /// Its name as it was given; it is found whatever its case.
    fn name(&self) -> &str;

    /// Fewest and most arguments; `usize::MAX` if any number.
    fn arguments(&self) -> (usize, usize);

    /// The type of what it gives; `Any` if it may be of several.
    fn result(&self) -> LogicalType;

    /// Whether equal arguments may give another result at another time: then it is called for each row anew,
    /// and never ahead of time.
    fn is_volatile(&self) -> bool;

    /// The results of `rows` rows, of which each argument has a value.
    ///
    /// **Errors**: what the function fails with; `cancel` that says stop.
    fn call(
        &self,
        arguments: &[Vec<Value>],
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Value>, Diagnostic>;
}

//! Functions of temporal values, all kinds of instant through the same steps.
//!
//! `kind` names the kinds · `fields` reads maps · `construct` makes instants of fields, text, other instants
//! and the clock · `truncate` · `durations` · `functions` is the table.
//!
//! Source: CIP2015-08-06.

mod construct;
mod durations;
mod fields;
mod functions;
mod kind;
mod truncate;

use crate::function::Function;

/// All tables.
pub(crate) fn families() -> impl Iterator<Item = &'static [Function]> {
    [functions::CONSTRUCTORS, functions::CLOCKS, functions::TRUNCATIONS, durations::FUNCTIONS].into_iter()
}

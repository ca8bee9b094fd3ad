//! The parameters of a query.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_types::Value;

/// Query parameters by name.
pub type Params = BTreeMap<Arc<str>, Value>;

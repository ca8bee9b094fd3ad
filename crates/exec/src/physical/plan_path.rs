//! Where an operator is in the algebra plan. What is above it is shared with all others below that: a plan
//! may be as deep as it is long, and places as lists would take the square of that.

use std::sync::Arc;

/// Child indices from the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanPath(Option<Arc<(PlanPath, usize)>>);

impl PlanPath {
    /// The place of a child.
    pub(crate) fn child(&self, index: usize) -> Self {
        Self(Some(Arc::new((self.clone(), index))))
    }

    /// The indices.
    pub(crate) fn to_vec(&self) -> Vec<usize> {
        let (mut indices, mut path) = (Vec::new(), self);
        while let Some(above) = &path.0 {
            indices.push(above.1);
            path = &above.0;
        }
        indices.reverse();
        indices
    }
}

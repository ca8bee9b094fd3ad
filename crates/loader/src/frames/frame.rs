//! What a caller hands over: frames of nodes and of edges.

use std::fmt;

use arrow_array::RecordBatchReader;
use trimorph_types::Value;

use crate::LoadError;

/// Where the rows of a frame come from.
pub enum Rows {
    /// Arrow's record batches, read once.
    Batches(Box<dyn RecordBatchReader + Send>),
    /// Columns of values by name, all equally long. Integers and floats together become floats.
    Values(Vec<(String, Vec<Value>)>),
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Batches(_) => "Batches",
            Self::Values(_) => "Values",
        })
    }
}

/// A table that is not in a file.
#[derive(Debug)]
pub struct Frame {
    /// What messages and the report call it.
    pub name: String,
    /// Its rows.
    pub rows: Rows,
    /// How many bytes its columns have, for progress, if that is known.
    pub bytes: Option<u64>,
}

/// A frame of nodes: every column is a property.
#[derive(Debug)]
pub struct NodeFrame {
    /// The rows.
    pub frame: Frame,
    /// The labels of all of them.
    pub labels: Vec<String>,
    /// The column with the key. Without one it is the column `id`, if there is one; else there is no key, and
    /// edges cannot name these nodes.
    pub key: Option<String>,
    /// The key only tells nodes of this load apart, and is no property.
    pub hides_key: bool,
    /// The key space; unless told, that of the first label.
    pub space: Option<String>,
}

/// One end of the edges of a frame.
#[derive(Debug)]
pub struct FrameEnd {
    /// A label of the nodes that are meant, of the load or of the database; or a key space.
    pub label: String,
    /// The column with their keys. Without one it is `source` and `target`, if both are there; else the first
    /// column and the second.
    pub column: Option<String>,
}

/// A frame of edges: every column but the ends' is a property.
#[derive(Debug)]
pub struct EdgeFrame {
    /// The rows.
    pub frame: Frame,
    /// The relationship type.
    pub label: String,
    /// The sources.
    pub from: FrameEnd,
    /// The targets.
    pub to: FrameEnd,
}

/// Frames that are loaded together.
#[derive(Debug, Default)]
pub struct Frames {
    /// Frames of nodes, one for each set of labels.
    pub nodes: Vec<NodeFrame>,
    /// Frames of edges.
    pub edges: Vec<EdgeFrame>,
}

/// An error that names a frame.
pub(super) fn wrong(frame: &str, reason: impl Into<String>) -> LoadError {
    LoadError::Format { path: Some(frame.into()), reason: reason.into(), hint: None }
}

//! What a function may know besides its arguments: the time, chance and the graph.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use trimorph_base::{CancelToken, Diagnostic, EdgeId, ErrorKind, NodeId};
use trimorph_types::temporal::ZoneId;
use trimorph_types::{Map, Relationship, Value};
use trimorph_vector::Texts;

use crate::steps::Steps;

/// Reads labels, types and properties of the snapshot the query runs on.
///
/// **Errors**: an entity deleted in the same transaction is `EntityNotFound` / `DeletedEntityAccess` (see
/// [`deleted_entity`](Self::deleted_entity)).
pub trait GraphAccess {
    /// Labels of a node.
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, Diagnostic>;

    /// Whether nodes of the same table as this one may have other labels, or none to be read.
    fn labels_vary(&self, _: NodeId) -> bool {
        false
    }
    /// Whether a node may have other labels than its table, where [`Self::labels_vary`] says that some may.
    fn has_own_labels(&self, _: NodeId) -> bool {
        true
    }
    /// Type of a relationship.
    fn relationship_type(&self, relationship: &Relationship) -> Result<Arc<str>, Diagnostic>;
    /// The relationship that an edge is; `None` where it is not known.
    fn relationship(&self, _: EdgeId) -> Option<Relationship> {
        None
    }
    /// Property `name` of a node or relationship, null if it has none.
    fn property(&self, entity: &Value, name: &str) -> Result<Value, Diagnostic>;
    /// All properties of a node or relationship.
    fn properties(&self, entity: &Value) -> Result<Map, Diagnostic>;

    /// Names of the properties a node or relationship has.
    fn keys(&self, entity: &Value) -> Result<Vec<Arc<str>>, Diagnostic> {
        Ok(self.properties(entity)?.shared_keys().to_vec())
    }

    /// Text id of a node or relationship.
    fn element_id(&self, entity: &Value) -> Result<Arc<str>, Diagnostic> {
        Ok(match entity {
            Value::Node(node) => node.0.to_string(),
            Value::Relationship(relationship) => relationship.id.0.to_string(),
            _ => String::new(),
        }
        .into())
    }

    /// The RDF term of a node or relationship: an IRI, a blank node or a triple term as `Value::Iri`, or, for
    /// a node that stands for a literal, that literal.
    fn resource(&self, entity: &Value) -> Result<Value, Diagnostic> {
        let kind = if matches!(entity, Value::Node(_)) { "node" } else { "relationship" };
        Ok(Value::iri(format!("trimorph:{kind}/{}", self.element_id(entity)?)))
    }

    /// The names of nodes none of which stands for a literal, as [`resource`](Self::resource) tells them: for
    /// each position of a vector of `len` its node, others are left empty. `None` where they must be asked
    /// for one by one.
    fn names(&self, _nodes: &[(usize, NodeId)], _len: usize) -> Option<Texts<'static>> {
        None
    }

    /// The node that an IRI, a blank node (`_:label`) or a triple term (its N-Triples text) is the name of.
    fn entity_of(&self, _: &str) -> Result<Option<Value>, Diagnostic> {
        Ok(None)
    }

    /// The names of the named graphs, each once.
    fn graph_names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Whether a node stands for a literal.
    fn is_literal(&self, _: &Value) -> bool {
        false
    }

    /// Whether a node stands for a triple term.
    fn is_triple(&self, _: &Value) -> bool {
        false
    }

    /// The error for reading a deleted entity.
    fn deleted_entity(&self, what: &str) -> Diagnostic {
        Diagnostic::runtime(
            ErrorKind::EntityNotFound,
            "DeletedEntityAccess",
            format!("{what} was deleted in this transaction"),
        )
    }
}

/// A graph without anything: for constant folding and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGraph;

impl GraphAccess for NoGraph {
    fn labels(&self, _: NodeId) -> Result<Vec<Arc<str>>, Diagnostic> {
        Ok(Vec::new())
    }

    fn relationship_type(&self, _: &Relationship) -> Result<Arc<str>, Diagnostic> {
        Ok("".into())
    }

    fn property(&self, _: &Value, _: &str) -> Result<Value, Diagnostic> {
        Ok(Value::Null)
    }

    fn properties(&self, _: &Value) -> Result<Map, Diagnostic> {
        Ok(Map::new())
    }
}

/// An instant: seconds and nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Clock {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanos: u32,
}

impl Clock {
    /// The system's time now.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
    }
}

/// What functions see of their statement. One per worker thread: the random source is not shared.
pub struct Context<'a> {
    /// When the statement started; `datetime()` is this throughout the statement.
    pub statement: Clock,
    /// When the transaction started.
    pub transaction: Clock,
    /// The zone for text and components that name none.
    pub zone: ZoneId,
    /// The graph.
    pub graph: &'a dyn GraphAccess,
    cancel: Option<&'a CancelToken>,
    random: Cell<u64>,
}

impl<'a> Context<'a> {
    /// A context whose clocks stand at `statement`, in UTC, drawing from `seed`.
    pub fn new(graph: &'a dyn GraphAccess, statement: Clock, seed: u64) -> Self {
        Self {
            statement,
            transaction: statement,
            zone: ZoneId::UTC,
            graph,
            cancel: None,
            random: Cell::new(seed),
        }
    }

    /// The same, in which long loops stop when `cancel` says so.
    #[must_use]
    pub fn until(self, cancel: &'a CancelToken) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// For a loop over a long value.
    pub(crate) fn steps(&self) -> Steps<'a> {
        Steps::new(self.cancel)
    }

    /// What stops the query, if something can.
    pub(crate) fn cancel(&self) -> Option<&'a CancelToken> {
        self.cancel
    }

    /// The next 64 random bits.
    ///
    /// **Source**: SplitMix64, Steele, Lea, Flood 2014.
    pub fn random_bits(&self) -> u64 {
        let state = self.random.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.random.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A random float, 0 ≤ x < 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a float holds exactly")]
    pub fn random_float(&self) -> f64 {
        (self.random_bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("statement", &self.statement).field("zone", &self.zone).finish()
    }
}

//! What operators of one thread share: the reader, the clock, parameters, budget, cancellation.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trimorph_base::{CancelToken, Diagnostic, EdgeId, ErrorKind, MemoryBudget, NodeId, Opening, Workers};
use trimorph_functions::{Clock, Context as FunctionContext, GraphAccess};
use trimorph_store::access::Choice;
use trimorph_store::statements::{Known, Statements};
use trimorph_store::{Pins, Reader, Snapshot};
use trimorph_types::{Map, Relationship, Value};
use trimorph_vector::Texts;

use crate::ExecError;
use crate::expr::OuterLists;
use crate::spill::{SpillArea, Spilling};

/// How a query is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads that work on it, the caller's included.
    pub threads: usize,
    /// Where the others come from.
    pub workers: Workers,
    /// Whether they come only where there is work for some time, and get enough at once that handing it out
    /// is not felt; off, they come always, for a row as well (for tests).
    pub patient: bool,
    /// Positions a scan fills at once.
    pub vector_size: usize,
    /// Whether extends may keep lists factorised; off makes every extend a flat batch (for tests and the
    /// bench).
    pub factorise: bool,
    /// Whether reads go by index or by relation.
    pub access: Choice,
    /// What the query may use.
    pub budget: MemoryBudget,
    /// Where rows go that there is no memory for; without it they are an error.
    pub spill: Option<Arc<SpillArea>>,
    /// How it is stopped.
    pub cancel: CancelToken,
    /// Query parameters.
    pub parameters: Arc<BTreeMap<Arc<str>, Value>>,
    /// The statement's clock.
    pub clock: Clock,
    /// Whether operators count rows and time.
    pub profile: bool,
    /// Bytes of stack that the query's threads have; none for what threads have anyway. Set when a query
    /// starts.
    pub stack_bytes: Option<usize>,
    /// Operators of the plan that keep rows (pipeline breakers), which share the budget. Set when a query
    /// starts.
    pub breakers: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            workers: Workers::default(),
            patient: true,
            vector_size: trimorph_vector::VECTOR_SIZE,
            factorise: true,
            access: Choice::Cost,
            budget: MemoryBudget::unlimited(),
            spill: None,
            cancel: CancelToken::default(),
            parameters: Arc::default(),
            clock: Clock::now(),
            profile: false,
            stack_bytes: None,
            breakers: 0,
        }
    }
}

/// A seed that no other context of any process has: what is drawn at random may name something for good.
fn seed() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(NEXT.fetch_add(1, Ordering::Relaxed));
    hasher.finish()
}

/// Anything, to be freed.
pub(crate) trait Leftover: Send {}

impl<T: Send> Leftover for T {}

pub(crate) type Leftovers<'s> = Vec<Box<dyn Leftover + 's>>;

/// One per thread.
pub struct Context<'s> {
    /// The snapshot.
    pub snapshot: &'s Snapshot,
    /// The snapshot, resolved into slices.
    pub reader: Reader<'s>,
    /// How the query is run.
    pub settings: Arc<Settings>,
    /// What functions draw from; none before the first that may.
    random: Cell<Option<u64>>,
    left: RefCell<Leftovers<'s>>,
    /// Bytes that single values took to be gone through since the flag that cancels was looked at.
    worked_bytes: Cell<u64>,
    /// What counts the bytes that go to files.
    pub(crate) spilling: Spilling,
    /// The scan or dealer whose parts rows are told apart by, and the part that the last chunk is of.
    order: Cell<(Option<usize>, u64)>,
    /// Lists of outer rows that `IN` looked through.
    pub(crate) outer_lists: OuterLists<'s>,
    /// Calls other threads to what this one is at, once that has taken some time.
    opening: RefCell<Option<Opening>>,
    is_opening: Cell<bool>,
}

/// Bytes of single values that are gone through between two looks at the flag that cancels: some
/// milliseconds.
const BYTES_UNCHECKED: u64 = 4 << 20;

impl<'s> Context<'s> {
    /// A context of its own for one thread.
    pub fn new(snapshot: &'s Snapshot, settings: Arc<Settings>) -> Self {
        Self::with(snapshot, Reader::new(snapshot), settings)
    }

    /// A context for a thread that works for the one of `leader`.
    pub fn following(snapshot: &'s Snapshot, leader: &Arc<Pins<'s>>, settings: Arc<Settings>) -> Self {
        Self::with(snapshot, Reader::following(snapshot, leader), settings)
    }

    fn with(snapshot: &'s Snapshot, reader: Reader<'s>, settings: Arc<Settings>) -> Self {
        Self {
            snapshot,
            reader,
            settings,
            random: Cell::default(),
            left: RefCell::default(),
            worked_bytes: Cell::new(0),
            spilling: Spilling::default(),
            order: Cell::default(),
            outer_lists: OuterLists::default(),
            opening: RefCell::default(),
            is_opening: Cell::new(false),
        }
    }

    /// Calls `own`; has the offer opened when it is due, as [`Self::check`] finds out.
    pub(crate) fn until_due<T>(&self, offer: Opening, own: impl FnOnce() -> T) -> T {
        let before = self.opening.replace(Some(offer));
        self.is_opening.set(true);
        let made = own();
        // One that was made before it may not be due yet.
        self.is_opening.set(before.is_some());
        self.opening.replace(before);
        made
    }

    /// Stops the query if somebody asked, or something could not be read; lets go of what is pinned without
    /// need; calls other threads when it is time. Looked at once per chunk, where nothing but vectors is held
    /// of what was read.
    #[inline(always)]
    pub fn check(&self) -> Result<(), ExecError> {
        if self.is_opening.get() {
            self.open_if_due();
        }
        if self.settings.cancel.is_cancelled() || !self.reader.is_well() { self.look_again() } else { Ok(()) }
    }

    #[cold]
    fn open_if_due(&self) {
        if self.opening.borrow().as_ref().is_none_or(Opening::if_due) {
            self.opening.replace(None);
            self.is_opening.set(false);
        }
    }

    #[cold]
    fn look_again(&self) -> Result<(), ExecError> {
        if self.settings.cancel.is_cancelled() {
            return Err(ExecError::Cancelled);
        }
        self.reader.let_go();
        self.reader.failure().map_or(Ok(()), |error| Err(error.into()))
    }

    /// What was made of what was read, unless something could not be read: whatever else went wrong may be
    /// because of that.
    pub(crate) fn settle<T>(&self, made: Result<T, ExecError>) -> Result<T, ExecError> {
        self.reader.failure().map_or(made, |error| Err(error.into()))
    }

    /// Tells the parts of rows apart, by the source of that number; gives what was told apart before, for
    /// [`Self::restore_order`].
    pub(crate) fn keep_order(&self, source: Option<usize>) -> (Option<usize>, u64) {
        self.order.replace((source, 0))
    }

    /// Goes on as before [`Self::keep_order`].
    pub(crate) fn restore_order(&self, before: (Option<usize>, u64)) {
        self.order.set(before);
    }

    /// Whether operators that put chunks together must keep those of several parts apart.
    #[inline]
    pub(crate) fn keeps_order(&self) -> bool {
        self.order.get().0.is_some()
    }

    /// What a source gives now is of that part; parts of lower numbers come before it. One thread gives all
    /// of a part.
    #[inline]
    pub(crate) fn begin_part(&self, source: usize, part: u64) {
        if self.order.get().0 == Some(source) {
            self.set_part(part);
        }
    }

    /// The part that the last chunk is of.
    #[inline]
    pub(crate) fn part(&self) -> u64 {
        self.order.get().1
    }

    /// What is given next is of a part that was read before.
    pub(crate) fn set_part(&self, part: u64) {
        self.order.set((self.order.get().0, part));
    }

    /// Takes what a query that was stopped has made: it is freed together with the query, which may be on
    /// another thread.
    pub(crate) fn leave(&self, leftover: impl Send + 's) {
        if self.settings.cancel.is_cancelled() {
            self.left.borrow_mut().push(Box::new(leftover));
        }
    }

    /// What was left here, for the context of another thread.
    pub(crate) fn take_left(&self) -> Leftovers<'s> {
        self.left.take()
    }

    /// Counts bytes of values that are about to be gone through, and stops the query if somebody asked: one
    /// row may take long.
    #[inline]
    pub(crate) fn work(&self, bytes: u64) -> Result<(), Diagnostic> {
        let worked = self.worked_bytes.get().saturating_add(bytes);
        self.worked_bytes.set(if worked < BYTES_UNCHECKED { worked } else { 0 });
        if worked < BYTES_UNCHECKED || !self.settings.cancel.is_cancelled() {
            Ok(())
        } else {
            Err(*Diagnostic::cancelled())
        }
    }

    /// An edge as a value.
    pub fn edge_value(&self, id: EdgeId) -> Value {
        self.reader.relationship(id)
    }

    /// What scalar functions see.
    pub fn functions<'a>(&'a self, graph: &'a Graph<'a, 's>) -> FunctionContext<'a> {
        let last = self.random.get().unwrap_or_else(seed);
        let seed = last.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.random.set(Some(seed));
        FunctionContext::new(graph, self.settings.clock, seed).until(&self.settings.cancel)
    }

    /// Makes sure that a node whose properties are read was not deleted by its own transaction.
    ///
    /// **Errors**: it was. **Cost**: a load where nothing was deleted.
    #[inline]
    pub(crate) fn check_node(&self, node: NodeId) -> Result<(), Diagnostic> {
        if self.is_gone(node) {
            return Err(deleted("node", "properties"));
        }
        Ok(())
    }

    /// Whether a node was deleted by its own transaction. **Cost**: a load where nothing was.
    #[inline]
    pub(crate) fn is_gone(&self, node: NodeId) -> bool {
        self.reader.is_after_deletion() && !self.reader.node_exists(node)
    }

    /// The same of an edge.
    #[inline]
    pub(crate) fn is_edge_gone(&self, edge: EdgeId) -> bool {
        self.reader.is_after_deletion() && !self.reader.edge_exists(edge)
    }

    /// Makes sure that an edge whose properties are read was not deleted by its own transaction.
    ///
    /// **Errors**: it was. **Cost**: a load where nothing was.
    #[inline]
    pub(crate) fn check_edge(&self, edge: EdgeId) -> Result<(), Diagnostic> {
        if self.is_edge_gone(edge) {
            return Err(deleted("relationship", "properties"));
        }
        Ok(())
    }

    /// The graph as scalar functions see it.
    pub fn graph(&self) -> Graph<'_, 's> {
        Graph(&self.reader)
    }
}

#[cold]
fn deleted(what: &str, read: &str) -> Diagnostic {
    let text = format!("a {what} that was deleted has no {read} to be read");
    Diagnostic::runtime(ErrorKind::EntityNotFound, "DeletedEntityAccess", text)
        .hint("read what is needed before DELETE, with WITH")
}

/// The graph as scalar functions see it.
pub struct Graph<'a, 's>(&'a Reader<'s>);

impl Graph<'_, '_> {
    /// Makes sure that what is read of an entity is there: its own transaction may have deleted it.
    fn check(&self, entity: &Value, read: &str) -> Result<(), Diagnostic> {
        if !self.0.is_after_deletion() {
            return Ok(());
        }
        match entity {
            Value::Node(node) if !self.0.node_exists(*node) => Err(deleted("node", read)),
            Value::Relationship(r) if !self.0.edge_exists(r.id) => Err(deleted("relationship", read)),
            _ => Ok(()),
        }
    }
}

impl GraphAccess for Graph<'_, '_> {
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, Diagnostic> {
        self.check(&Value::Node(node), "labels")?;
        Ok(self.0.labels(node))
    }

    /// After a deletion each node is asked for by itself: it may be gone.
    fn labels_vary(&self, node: NodeId) -> bool {
        self.0.is_after_deletion() || self.0.labels_vary(node.table())
    }

    fn has_own_labels(&self, node: NodeId) -> bool {
        self.0.is_after_deletion() || self.0.may_have_own_labels(node, 1)
    }

    fn relationship_type(&self, relationship: &Relationship) -> Result<Arc<str>, Diagnostic> {
        Ok(self.0.schema().type_name(relationship.id.table()))
    }

    fn relationship(&self, id: EdgeId) -> Option<Relationship> {
        match self.0.relationship(id) {
            Value::Relationship(relationship) => Some(relationship),
            _ => None,
        }
    }

    fn property(&self, entity: &Value, name: &str) -> Result<Value, Diagnostic> {
        self.check(entity, "properties")?;
        Ok(match entity {
            Value::Node(n) => self.0.node_property(*n, name),
            Value::Relationship(r) => self.0.edge_property(r.id, name),
            _ => Value::Null,
        })
    }

    fn resource(&self, entity: &Value) -> Result<Value, Diagnostic> {
        Ok(self.0.term_of(entity))
    }

    fn entity_of(&self, iri: &str) -> Result<Option<Value>, Diagnostic> {
        Ok(self.0.entity_of_iri(iri))
    }

    fn names(&self, nodes: &[(usize, NodeId)], len: usize) -> Option<Texts<'static>> {
        Some(self.0.names_of_nodes(nodes, len))
    }

    fn graph_names(&self) -> Vec<Arc<str>> {
        Statements::new(self.0, &Known::of(self.0)).graph_names()
    }

    fn is_literal(&self, node: &Value) -> bool {
        matches!(node, Value::Node(node) if self.0.stands_for_literals(node.table()))
    }

    fn is_triple(&self, node: &Value) -> bool {
        matches!(node, Value::Node(node) if self.0.stands_for_triples(node.table()))
    }

    fn properties(&self, entity: &Value) -> Result<Map, Diagnostic> {
        self.check(entity, "properties")?;
        Ok(match entity {
            Value::Node(n) => self.0.node_properties(*n),
            Value::Relationship(r) => self.0.edge_properties(r.id),
            _ => Map::new(),
        })
    }
}

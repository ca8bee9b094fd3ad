//! Statements: each row is repeated for the statements of RDF that agree with it, or for the pairs of terms
//! that a property path connects.
//!
//! 1. What the row has of subject, predicate, object and graph is given, the rest is found.
//! 2. With a subject or an object what is found is kept until it is handed out. Without either, the places
//!    where statements are are gone through some steps at a time, so that a scan of all keeps few of them.
//!    What lies there in columns is handed out as vectors.
//! 3. The first rows are handed out before there are many, each time twice as many: who asks whether there is
//!    one, or wants a few, waits for no more.
//!
//! Source: `store/src/statements`; Poseidon §6 (index scan and relation scan).

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::{PathExpr, PredicateSet};
use trimorph_base::{NodeId, Reservation, TableId};
use trimorph_functions::{Argument, Kernel, lookup};
use trimorph_store::statements::{Asked, Batch, Found, Graphs, Known, Part, Statements as Finder};
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Values, Vector};

use super::property_path::Walk;
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Subjects that are gone through between two looks at what is to be handed out.
const SUBJECTS: u64 = 1_024;

/// Rows that name a graph before all graphs are asked for: that costs as much as some looks.
const GRAPHS_ASKED: usize = 16;

/// Rows that are handed out first, and about so many subjects are gone through for them.
const FIRST_ROWS: usize = 32;

/// What a place of the pattern is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The value of this slot.
    Given(usize),
    /// Found, and put into this column of what is new, if anybody wants it.
    Found(Option<usize>),
}

/// The graphs, as lowered.
#[derive(Clone, Debug)]
pub(crate) enum GraphPlace {
    Default,
    Union(Arc<[Arc<str>]>),
    Named(Place, Option<Arc<[Arc<str>]>>),
}

/// What is between subject and object.
#[derive(Clone, Debug)]
pub(crate) enum Between {
    Iri(Arc<str>),
    /// Found, or given; and which ones are meant.
    Predicate(Place, Option<PredicateSet>),
    /// And whether one of no steps counts for terms of the graph only.
    Path(PathExpr, bool),
}

/// What is looked for. Input slots `keep` become output slots `0..`; what is found follows.
#[derive(Debug)]
pub(crate) struct StatementsSpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) subject: Place,
    pub(crate) between: Between,
    pub(crate) object: Place,
    pub(crate) graph: GraphPlace,
    /// How many columns are found.
    pub(crate) columns: usize,
    /// The column of how many statements a row stands for. Then nobody asks for subjects, nor for objects but
    /// classes.
    pub(crate) count: Option<usize>,
}

/// Subjects that are left to be gone through.
struct Scan {
    asked: Asked,
    graphs: Graphs,
    places: Places,
    row: u64,
}

/// What a scan goes through, the next one last.
enum Places {
    Parts(Vec<Part>),
    /// Where a statement is found once though it is in several places: subject by subject.
    Tables(Vec<TableId>),
}

/// Bytes of a value of a vector, about: the view of a text.
const READY_BYTES: usize = 16;

/// Statements of a scan as vectors, of which those from `from` on are not handed out yet.
struct Ready<'s> {
    columns: Vec<Vector<'s>>,
    len: usize,
    from: usize,
}

/// Names of predicates and graphs as terms: the same few again and again.
#[derive(Default)]
struct NameTerms {
    known: FxHashMap<Arc<str>, Value>,
    last: Option<(Arc<str>, Value)>,
}

/// Names that are remembered; there may be as many graphs as statements.
const NAMES_MAX: usize = 4_096;

impl NameTerms {
    /// The node that has this name, if there is one, else the name.
    fn term(&mut self, iri: &Arc<str>, cx: &Context<'_>) -> Value {
        if let Some((last, term)) = &self.last
            && Arc::ptr_eq(last, iri)
        {
            return term.clone();
        }
        if self.known.len() >= NAMES_MAX {
            self.known.clear();
        }
        let make = || cx.reader.entity_of_iri(iri).unwrap_or_else(|| Value::Iri(Arc::clone(iri)));
        let term = self.known.entry(Arc::clone(iri)).or_insert_with(make).clone();
        self.last = Some((Arc::clone(iri), term.clone()));
        term
    }
}

/// Statements.
pub(crate) struct Statements<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<StatementsSpec>,
    rest: Vec<u32>,
    cursor: usize,
    /// Whether the current row was looked for.
    is_open: bool,
    scan: Option<Scan>,
    /// What was found for the current row and is not handed out yet.
    found: VecDeque<Box<[Value]>>,
    /// The same as vectors: after what was found, before what will be.
    ready: VecDeque<Ready<'s>>,
    names: NameTerms,
    /// Rows that are handed out next, at most.
    wanted: usize,
    /// Of the first row on.
    known: Option<Known>,
    /// Rows that named a graph.
    graphs_asked: usize,
    held: Option<Reservation>,
}

impl<'s> Statements<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<StatementsSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self {
            child,
            inner,
            spec,
            rest: Vec::new(),
            cursor: 0,
            is_open: false,
            scan: None,
            found: VecDeque::new(),
            ready: VecDeque::new(),
            names: NameTerms::default(),
            wanted: FIRST_ROWS,
            known: None,
            graphs_asked: 0,
            held: None,
        }
    }

    fn given(&self, place: Place, position: u32, cx: &Context<'s>) -> Option<Value> {
        match place {
            Place::Given(slot) => {
                let vector = &self.inner.groups[0].vectors[slot];
                Some(vector.value(position as usize, &|id| cx.edge_value(id)))
            }
            Place::Found(_) => None,
        }
    }

    /// The graphs that a row asks; none where what it has for the graph is no name of one that is asked.
    fn graphs(&self, position: u32, cx: &Context<'s>) -> Option<Graphs> {
        Some(match &self.spec.graph {
            GraphPlace::Default => Graphs::Default,
            GraphPlace::Union(all) => Graphs::Union(Arc::clone(all)),
            GraphPlace::Named(place, among) => match self.given(*place, position, cx) {
                None => Graphs::Named(among.clone()),
                Some(graph) => match cx.reader.term_of(&graph) {
                    Value::Iri(name) if among.as_ref().is_none_or(|all| all.contains(&name)) => {
                        Graphs::One(name)
                    }
                    _ => return None,
                },
            },
        })
    }

    /// Whether what a row has for the graph is the name of none. It is known once some rows had one: a graph
    /// that may be any node of a table is none as a rule.
    fn is_no_graph(&mut self, graphs: &Graphs, finder: &Finder<'_, 's>) -> bool {
        let (Graphs::One(name), GraphPlace::Named(..)) = (graphs, &self.spec.graph) else { return false };
        // A path of no steps is in every graph.
        if matches!(self.spec.between, Between::Path(..)) {
            return false;
        }
        self.graphs_asked += 1;
        self.graphs_asked > GRAPHS_ASKED && finder.few_graphs().is_some_and(|all| !all.contains(name))
    }

    /// Looks for the statements of a row, or of the next subjects of its scan.
    fn look(&mut self, position: u32, cx: &Context<'s>) -> Result<(), ExecError> {
        let known = self.known.take().unwrap_or_else(|| Known::of(&cx.reader));
        let spec = Arc::clone(&self.spec);
        let among = match &spec.between {
            Between::Predicate(_, among) => among.as_ref(),
            Between::Iri(_) | Between::Path(..) => None,
        };
        let finder = Finder::new(&cx.reader, &known).among(among);
        let done = match self.scan.is_some() {
            true => self.look_on(&finder, cx),
            false => self.look_for(position, &finder, cx),
        };
        self.known = Some(known);
        done
    }

    fn look_for(
        &mut self,
        position: u32,
        finder: &Finder<'_, 's>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let spec = Arc::clone(&self.spec);
        self.is_open = true;
        let Some(graphs) = self.graphs(position, cx) else { return Ok(()) };
        let subject = self.given(spec.subject, position, cx);
        let object = self.given(spec.object, position, cx);
        if [&subject, &object].into_iter().flatten().any(Value::is_null) {
            return Ok(());
        }
        if self.is_no_graph(&graphs, finder) {
            return Ok(());
        }
        let predicate = match &spec.between {
            Between::Path(path, within) => {
                let walk = Walk { finder, cx, within: *within };
                let (found, names) = (&mut self.found, &mut self.names);
                return walk.connect(path, (subject, object), &graphs, &mut |from, to, graph| {
                    let mut row = vec![Value::Null; spec.columns];
                    put(&mut row, spec.subject, || from.clone());
                    put(&mut row, spec.object, || to.clone());
                    put_graph(&mut row, &spec, graph, names, cx);
                    found.push_back(row.into());
                });
            }
            Between::Iri(iri) => Some(Arc::clone(iri)),
            Between::Predicate(place, among) => match self.given(*place, position, cx) {
                None => None,
                Some(predicate) => match cx.reader.term_of(&predicate) {
                    Value::Iri(iri) if among.as_ref().is_none_or(|among| among.has(&iri)) => Some(iri),
                    _ => return Ok(()),
                },
            },
        };
        let asked = Asked { subject, predicate, object };
        if asked.subject.is_none() && asked.object.is_none() {
            let places = match finder.parts(asked.predicate.as_ref(), &graphs) {
                Some(parts) => Places::Parts(parts),
                None => Places::Tables(finder.subject_tables(asked.predicate.as_ref(), &graphs)),
            };
            self.scan = Some(Scan { asked, graphs, places, row: 0 });
            return self.look_on(finder, cx);
        }
        let (found, names) = (&mut self.found, &mut self.names);
        let mut failed = None;
        let _ = finder.find(&asked, &graphs, &mut |one| {
            found.push_back(row_of(&spec, one, 1, names, cx));
            if found.len().is_multiple_of(4096)
                && let Err(error) = cx.check()
            {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        failed.map_or(Ok(()), Err)
    }

    /// The next subjects of a scan.
    fn look_on(&mut self, finder: &Finder<'_, 's>, cx: &Context<'s>) -> Result<(), ExecError> {
        let Some(scan) = &mut self.scan else { return Ok(()) };
        // Once all is wanted, in runs that begin where zones do.
        let count = match (self.spec.count, &scan.places) {
            (Some(_), Places::Parts(parts)) => {
                parts.last().map_or(SUBJECTS, |part| finder.counted_together(part, SUBJECTS))
            }
            _ => (self.wanted as u64).min(SUBJECTS - scan.row % SUBJECTS),
        };
        let rows = (scan.row, count);
        // Where little is found it goes on as fast as where all is.
        self.wanted = self.wanted.saturating_mul(2);
        let (spec, found, names, ready) = (&self.spec, &mut self.found, &mut self.names, &mut self.ready);
        let steps = match &scan.places {
            Places::Parts(parts) if spec.count.is_some() => parts.last().map(|part| {
                finder.count_of_part(part, rows, &scan.graphs, &mut |one, count| {
                    if count > 0 {
                        found.push_back(row_of(spec, one, count, names, cx));
                    }
                });
                finder.steps_of(part)
            }),
            Places::Parts(parts) => parts.last().map(|part| {
                let with_objects = !matches!(spec.object, Place::Found(None));
                let batches = finder.batches_of_part(part, rows, &scan.graphs, with_objects);
                let made = batches.and_then(|batches| {
                    let some = batches.into_iter().filter(|batch| batch.len > 0);
                    some.map(|batch| ready_of(spec, batch, names, cx)).collect::<Option<VecDeque<_>>>()
                });
                if let Some(made) = made {
                    *ready = made;
                    return finder.steps_of(part);
                }
                let _ = finder.of_part(part, rows, &scan.graphs, with_objects, &mut |one| {
                    found.push_back(row_of(spec, one, 1, names, cx));
                    ControlFlow::Continue(())
                });
                finder.steps_of(part)
            }),
            Places::Tables(tables) => tables.last().map(|table| {
                let first = NodeId::new(*table, scan.row);
                let _ = finder.of_subjects(first, count, &scan.asked, &scan.graphs, &mut |one| {
                    found.push_back(row_of(spec, one, 1, names, cx));
                    ControlFlow::Continue(())
                });
                cx.reader.rows(*table)
            }),
        };
        let Some(steps) = steps else {
            self.scan = None;
            return Ok(());
        };
        scan.row += count;
        if scan.row >= steps {
            scan.row = 0;
            match &mut scan.places {
                Places::Parts(parts) => drop(parts.pop()),
                Places::Tables(tables) => _ = tables.pop(),
            }
        }
        cx.check()
    }

    /// Hands statements out that are vectors, for a row; false if there are none.
    fn hand_out(&mut self, parent: u32, room: usize, chunk: &mut Chunk<'s>) -> bool {
        let Some(mut ready) = self.ready.pop_front() else { return false };
        let taken = ready.len.saturating_sub(ready.from).min(room);
        if taken == 0 {
            return false;
        }
        let out = &mut chunk.groups[0];
        out.reset(taken);
        repeat(&self.inner.groups[0], &self.spec.keep, &vec![parent; taken], out);
        let is_whole = taken == ready.len;
        let places = self.spec.keep.len()..;
        if is_whole {
            places.zip(ready.columns).for_each(|(place, column)| out.vectors[place] = column);
            return true;
        }
        // A batch is of some thousand subjects: positions have 32 bits.
        let positions: Vec<u32> = (ready.from as u32..(ready.from + taken) as u32).collect();
        for (place, column) in places.zip(&ready.columns) {
            out.vectors[place] = column.gather(&positions);
        }
        ready.from += taken;
        if ready.from < ready.len {
            self.ready.push_front(ready);
        }
        true
    }

    fn charge(&mut self, cx: &Context<'s>) -> Result<(), ExecError> {
        let found = self.found.len() * (size_of::<Box<[Value]>>() + self.spec.columns * size_of::<Value>());
        let ready: usize = self.ready.iter().map(|ready| ready.len * self.spec.columns * READY_BYTES).sum();
        let bytes = found + ready;
        if bytes > 1 << 20 || self.held.is_some() {
            let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
            held.resize(bytes)?;
        }
        Ok(())
    }
}

/// A batch as the columns that are wanted; `None` where a literal has no kernel that makes it a term.
fn ready_of<'s>(
    spec: &StatementsSpec,
    batch: Batch<'s>,
    names: &mut NameTerms,
    cx: &Context<'s>,
) -> Option<Ready<'s>> {
    let mut columns = vec![Vector::empty(); spec.columns];
    let mut put = |place: Place, vector: Vector<'s>| {
        if let Place::Found(Some(column)) = place {
            columns[column] = vector;
        }
    };
    put(spec.subject, batch.subjects);
    if let Between::Predicate(place @ Place::Found(Some(_)), _) = &spec.between {
        put(*place, Vector::constant(&names.term(&batch.predicate, cx), batch.len));
    }
    if let (Place::Found(Some(_)), Some(objects)) = (spec.object, batch.objects) {
        put(spec.object, in_term_form(objects, batch.len, cx)?);
    }
    if let (GraphPlace::Named(place @ Place::Found(Some(_)), _), Some(graphs)) = (&spec.graph, batch.graphs) {
        let terms = graphs.iter().map(|graph| names.term(graph, cx)).collect();
        put(*place, Vector::of_values(terms, Positions::all(batch.len)));
    }
    Some(Ready { columns, len: batch.len, from: 0 })
}

/// Literals as a column has them, as terms.
fn in_term_form<'s>(objects: Vector<'s>, len: usize, cx: &Context<'s>) -> Option<Vector<'s>> {
    use Values as V;
    if let V::Bool(_)
    | V::Int(_)
    | V::String(_)
    | V::Date(_)
    | V::LocalTime(_)
    | V::LocalDateTime(_)
    | V::Node(_)
    // Of several types: they are terms already.
    | V::Any(_) = objects.values
    {
        return Some(objects);
    }
    let Kernel::Typed(kernel) = lookup("sparql.term")?.kernel else { return None };
    kernel(&cx.functions(&cx.graph()), &[Argument::Each(&objects)], Positions::all(len))
}

fn put(row: &mut [Value], place: Place, value: impl FnOnce() -> Value) {
    if let Place::Found(Some(column)) = place {
        row[column] = value();
    }
}

fn put_graph(
    row: &mut [Value],
    spec: &StatementsSpec,
    graph: Option<&Arc<str>>,
    names: &mut NameTerms,
    cx: &Context<'_>,
) {
    if let (GraphPlace::Named(place, _), Some(graph)) = (&spec.graph, graph) {
        put(row, *place, || names.term(graph, cx));
    }
}

/// A row for a statement, or for so many of them.
fn row_of(
    spec: &StatementsSpec,
    found: Found,
    count: u64,
    names: &mut NameTerms,
    cx: &Context<'_>,
) -> Box<[Value]> {
    let mut row = vec![Value::Null; spec.columns];
    if let Some(column) = spec.count {
        row[column] = Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
    }
    put(&mut row, spec.subject, || found.subject);
    if let Between::Predicate(place, _) = &spec.between {
        put(&mut row, *place, || names.term(&found.predicate, cx));
    }
    put_graph(&mut row, spec, found.graph.as_ref(), names, cx);
    put(&mut row, spec.object, || found.object);
    row.into()
}

impl<'s> Operator<'s> for Statements<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size.min(self.wanted);
        self.wanted = self.wanted.saturating_mul(2);
        loop {
            cx.check()?;
            if self.cursor >= self.rest.len() {
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                (self.cursor, self.is_open) = (0, false);
            }
            let mut parents = Vec::new();
            let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.spec.columns];
            while self.cursor < self.rest.len() && parents.len() < room {
                let parent = self.rest[self.cursor];
                if self.found.is_empty() {
                    if !self.ready.is_empty() {
                        // What is here already is handed out first.
                        if parents.is_empty() && self.hand_out(parent, room, chunk) {
                            return Ok(true);
                        }
                        if !parents.is_empty() {
                            break;
                        }
                        continue;
                    }
                    if self.is_open && self.scan.is_none() {
                        (self.cursor, self.is_open) = (self.cursor + 1, false);
                        continue;
                    }
                    self.look(parent, cx)?;
                    self.charge(cx)?;
                }
                let taken = self.found.len().min(room - parents.len());
                for row in self.found.drain(..taken) {
                    parents.push(parent);
                    row.into_vec()
                        .into_iter()
                        .zip(&mut columns)
                        .for_each(|(value, column)| column.push(value));
                }
            }
            if parents.is_empty() {
                continue;
            }
            let out = &mut chunk.groups[0];
            out.reset(parents.len());
            repeat(&self.inner.groups[0], &self.spec.keep, &parents, out);
            for (place, values) in columns.into_iter().enumerate() {
                let len = values.len();
                out.vectors[self.spec.keep.len() + place] = Vector::of_values(values, Positions::all(len));
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.found.clear();
        self.ready.clear();
        self.scan = None;
        self.wanted = FIRST_ROWS;
        (self.cursor, self.is_open) = (0, false);
    }
}

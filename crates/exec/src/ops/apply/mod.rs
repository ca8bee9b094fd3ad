//! Apply: for each input row, the rows of a subplan. A whole vector of input rows goes through the subplan at
//! once, each with its number; what comes out is sent back to its row by that number. What aggregates, sorts
//! or deduplicates in a subplan does so by that number (`lower/apply.rs`). Only subplans that end at the
//! first rows they find, or find much for each, get one row at a time.
//!
//! Whether there is a row for a node that comes more than once (`EXISTS` below an extend) is found once for
//! it.
//!
//! Where many rows share a node and the subplan finds the other one, it is run once for each that is shared
//! (`pairs`).
//!
//! What is collected (`lists`) or grouped for all rows of a vector may need more memory than there is: then
//! the vector is halved and begun again, down to one row, for which there must be room. Later vectors are as
//! short. The first vectors are short where the subplan takes all rows before it gives one: whoever asks may
//! want no more. Where the subplan reads from files, vectors are put together (`widened`).

mod lists;
mod pairs;
mod widened;

use std::sync::Arc;

use trimorph_base::{NodeId, Reservation};
use trimorph_store::access::NodeSet;
use trimorph_vector::{Chunk, Group, Nodes, Selection, Values, Vector};

use self::lists::RowLists;
pub(crate) use self::pairs::Pair;
use self::pairs::Pairs;
use self::widened::Widened;
use super::ArgumentCell;
use crate::expr::{Ex, evaluate};
use crate::operator::{BoxOperator, Operator};
use crate::rows::{general_bytes, overflow};
use crate::{Context, ExecError};

/// What becomes of the subplan's rows.
#[derive(Clone, Debug)]
pub(crate) enum ApplyMode {
    /// Input row × subplan rows: these slots of the subplan follow the kept ones. `optional`: a row without
    /// any appears once with nulls.
    Join { slots: Arc<[usize]>, optional: bool },
    /// Rows that have at least one, or none.
    Semi { anti: bool },
    /// A Boolean: whether there is one.
    Mark,
    /// How many there are.
    Count,
    /// The list of this expression's values.
    Collect(Ex),
}

/// Apply over rows of one group. Output slots: the input's `keep`, then what the mode adds.
pub(crate) struct Apply<'s> {
    child: Widened<'s>,
    inner: Chunk<'s>,
    spec: Arc<ApplySpec>,
    subplan: BoxOperator<'s>,
    sub_chunk: Chunk<'s>,
    cell: ArgumentCell<'s>,
    /// Positions of the input not handed out yet, and those in the subplan now.
    rest: Vec<u32>,
    current: Vec<u32>,
    /// Which of these rows, or of their pairs, have a row of the subplan.
    matched: Vec<bool>,
    pairs: Pairs<'s>,
    draining: bool,
    /// Rows that go through the subplan at once.
    rows_max: usize,
    /// Whether there was no memory for more.
    is_short: bool,
    /// Whether rows were given of those in the subplan now, and what the lists among them own.
    has_given: bool,
    given_bytes: u64,
    known: Known,
}

/// What is known of nodes that came before: whether the subplan has rows for them.
#[derive(Default)]
struct Known {
    asked: NodeSet,
    have: NodeSet,
    held: Option<Reservation>,
}

/// What is applied.
#[derive(Debug)]
pub(crate) struct ApplySpec {
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) sub_slots: usize,
    /// Input slots handed to the subplan; its argument's next slot is the row number.
    pub(crate) arguments: Vec<usize>,
    /// The slot of the row number in the subplan's output; none where rows come one at a time.
    pub(crate) number: Option<usize>,
    pub(crate) mode: ApplyMode,
    /// Where rows are answered by pairs of the argument, a node, and something else.
    pub(crate) pair: Option<Pair>,
    /// Whether the only argument is a node that comes more than once: what is found for it is kept.
    pub(crate) once_a_node: bool,
    /// Whether the subplan takes all rows before it gives one.
    pub(crate) is_whole: bool,
}

/// Rows that go through such a subplan first; then twice as many each time. Chosen.
const ROWS_FIRST: usize = 8;
/// Bytes of lists made for the rows that go through it together above which no more go. Chosen: lists cannot
/// go to files, and other threads have theirs.
const LIST_BYTES: u64 = 1 << 20;

/// The values of a slot at some positions. Where these are all in order, in the form that they have: nodes of
/// a scan are read as such.
fn picked<'s>(group: &Group<'s>, slot: usize, positions: &[u32]) -> Vector<'s> {
    let vector = &group.vectors[slot];
    let are_all = positions.len() == group.len && (0..).zip(positions).all(|(i, p)| i == *p);
    if are_all { vector.clone() } else { vector.gather(positions) }
}

impl<'s> Apply<'s> {
    /// `cell` is where the operators of the subplan get their rows.
    pub(crate) fn new(
        child: BoxOperator<'s>,
        subplan: BoxOperator<'s>,
        cell: ArgumentCell<'s>,
        spec: Arc<ApplySpec>,
    ) -> Self {
        let is_whole = spec.is_whole;
        let mut looked_at = [&spec.keep[..], &spec.arguments].concat();
        looked_at.extend(spec.pair.map(|pair| pair.of_rows));
        looked_at.sort_unstable();
        looked_at.dedup();
        Self {
            child: Widened::new(child, spec.slots, looked_at),
            inner: Chunk::with_slots(&[spec.slots]),
            subplan,
            sub_chunk: Chunk::with_slots(&[spec.sub_slots]),
            cell,
            spec,
            rest: Vec::new(),
            current: Vec::new(),
            matched: Vec::new(),
            pairs: Pairs::default(),
            draining: false,
            rows_max: if is_whole { ROWS_FIRST } else { usize::MAX },
            is_short: false,
            has_given: false,
            given_bytes: 0,
            known: Known::default(),
        }
    }

    /// As `next`, where each node is asked about once: the subplan gets those of the next rows that did not
    /// come before, each once.
    fn next_once_a_node(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let slot = self.spec.arguments.first().copied().unwrap_or(0);
        loop {
            cx.check()?;
            if !self.child.next(&mut self.inner, cx)? {
                return Ok(false);
            }
            let positions = self.inner.groups[0].positions();
            let nodes: Vec<Option<NodeId>> =
                positions.iter().map(|p| self.inner.groups[0].vectors[slot].node(*p as usize)).collect();
            // A row without a node is asked about by itself.
            let is_new = |known: &mut Known, node: Option<NodeId>| match node {
                Some(node) => !known.asked.contains(node) && known.asked.insert(node),
                None => true,
            };
            let mut open = Vec::new();
            for (k, node) in nodes.iter().enumerate() {
                if is_new(&mut self.known, *node) {
                    open.push(k);
                }
            }
            let mut of_null = vec![false; positions.len()];
            let mut open = &open[..];
            while !open.is_empty() {
                self.current = open.iter().take(self.rows_at_once()).map(|k| positions[*k]).collect();
                self.begin();
                let asked = loop {
                    match self.summarise(cx) {
                        Err(failed) => drop(self.halve(failed, cx)?),
                        Ok(_) => break &open[..self.current.len()],
                    }
                };
                open = &open[asked.len()..];
                for (k, matched) in asked.iter().zip(&self.matched) {
                    match nodes[*k] {
                        Some(node) if *matched => drop(self.known.have.insert(node)),
                        Some(_) => {}
                        None => of_null[*k] = *matched,
                    }
                }
                let bytes = self.known.asked.bytes() + self.known.have.bytes();
                let held = self.known.held.get_or_insert_with(|| cx.settings.budget.reservation());
                held.resize(bytes)?;
            }
            let has = |k: usize| nodes[k].map_or(of_null[k], |node| self.known.have.contains(node));
            let has: Vec<bool> = (0..positions.len()).map(has).collect();
            self.current = positions;
            let all = 0..u32::try_from(has.len()).unwrap_or(0);
            if let ApplyMode::Semi { anti } = self.spec.mode {
                let kept: Vec<u32> = all.filter(|n| has[*n as usize] != anti).collect();
                if kept.is_empty() {
                    continue;
                }
                self.output(&kept, chunk, |_| 1);
            } else {
                self.output(&all.collect::<Vec<_>>(), chunk, |_| 1);
                chunk.groups[0].vectors[self.spec.keep.len()] = Vector::new(Values::Bool(has));
            }
            return Ok(true);
        }
    }

    /// Hands the next rows to the subplan; `false` when there are none left.
    fn feed(&mut self, cx: &Context<'s>) -> Result<bool, ExecError> {
        // A chunk may have no rows: of a scan whose nodes are all deleted.
        while self.rest.is_empty() {
            cx.check()?;
            if !self.child.next(&mut self.inner, cx)? {
                return Ok(false);
            }
            self.rest = self.inner.groups[0].positions();
        }
        let rows = self.rows_at_once();
        self.current = if rows >= self.rest.len() {
            std::mem::take(&mut self.rest)
        } else {
            self.rest.drain(..rows).collect()
        };
        self.begin();
        Ok(true)
    }

    /// How many rows go through the subplan next.
    fn rows_at_once(&mut self) -> usize {
        if self.spec.number.is_none() {
            return 1;
        }
        let rows = self.rows_max;
        if self.given_bytes > LIST_BYTES {
            self.rows_max = (rows / 2).max(1);
        } else if !self.is_short && self.given_bytes <= LIST_BYTES / 2 {
            self.rows_max = rows.saturating_mul(2);
        }
        self.given_bytes = 0;
        rows
    }

    /// Begins again with the first half of the rows, where there was no memory for all, and gives the others.
    fn halve(&mut self, failed: ExecError, cx: &Context<'s>) -> Result<Vec<u32>, ExecError> {
        if !matches!(failed, ExecError::Memory(_)) || self.current.len() < 2 || self.has_given {
            return Err(failed);
        }
        cx.check()?;
        (self.rows_max, self.is_short) = (self.current.len() / 2, true);
        let others = self.current.split_off(self.rows_max);
        self.begin();
        Ok(others)
    }

    /// Hands the current rows to the subplan, from the start.
    fn begin(&mut self) {
        self.has_given = false;
        let group = &self.inner.groups[0];
        let (mut vectors, len, asked): (Vec<Vector<'s>>, usize, usize) = match self.spec.pair {
            Some(pair) => {
                let shared = self.spec.arguments.first().copied().unwrap_or(0);
                let ids = self.pairs.take(group, (shared, pair), &self.current);
                let (table, len) = (ids.first().map(|id| id.table()), ids.len());
                let table = table.filter(|table| ids.iter().all(|id| id.table() == *table));
                (vec![Vector::new(Values::Node(Nodes::Ids { table, ids }))], len, self.pairs.len())
            }
            None => {
                let arguments = self.spec.arguments.iter();
                let vectors = arguments.map(|slot| picked(group, *slot, &self.current)).collect();
                (vectors, self.current.len(), self.current.len())
            }
        };
        vectors.push(Vector::new(Values::Int((0..len as i64).collect())));
        self.matched = vec![false; asked];
        self.cell.put(Group { len, vectors, ..Group::default() });
        self.subplan.reset();
    }

    /// As [`Self::summarise`], of the first half of the rows as long as there is no memory for all.
    fn summarise_some(&mut self, cx: &Context<'s>) -> Result<Vector<'s>, ExecError> {
        loop {
            match self.summarise(cx) {
                Ok(made) => return Ok(made),
                Err(failed) => self.put_back(failed, cx)?,
            }
        }
    }

    /// As [`Self::halve`]; the others come next.
    fn put_back(&mut self, failed: ExecError, cx: &Context<'s>) -> Result<(), ExecError> {
        let mut others = self.halve(failed, cx)?;
        others.append(&mut self.rest);
        self.rest = others;
        Ok(())
    }

    /// The next rows of the subplan: which input row, or pair, each belongs to.
    fn pull(&mut self, cx: &Context<'s>) -> Result<Option<Vec<(u32, u32)>>, ExecError> {
        cx.check()?;
        if !self.subplan.next(&mut self.sub_chunk, cx)? {
            return Ok(None);
        }
        let group = &self.sub_chunk.groups[0];
        if self.spec.is_whole {
            let bytes = group.vectors.iter().map(general_bytes);
            self.given_bytes = bytes.fold(self.given_bytes, u64::saturating_add);
        }
        let numbers = match self.spec.number.map(|slot| &group.vectors[slot].values) {
            Some(Values::Int(numbers)) => Some(numbers),
            _ => None,
        };
        let number = |p: u32| numbers.map_or(Some(0), |n| u32::try_from(n[p as usize]).ok());
        let pairs: Vec<(u32, u32)> = match self.spec.pair {
            None => group.positions().into_iter().filter_map(|p| Some((number(p)?, p))).collect(),
            Some(pair) => self.pairs.find(group, self.spec.number, pair),
        };
        for (number, _) in &pairs {
            self.matched[*number as usize] = true;
        }
        Ok(Some(pairs))
    }

    /// Puts kept input slots of `parents` (numbers of current rows) into the output.
    fn output(&self, parents: &[u32], chunk: &mut Chunk<'s>, own: impl Fn(usize) -> u64) {
        let group = &self.inner.groups[0];
        let positions: Vec<u32> = parents.iter().map(|n| self.current[*n as usize]).collect();
        let out = &mut chunk.groups[0];
        out.reset(parents.len());
        out.selection = Selection::All;
        for (slot, from) in self.spec.keep.iter().enumerate() {
            out.vectors[slot] = picked(group, *from, &positions);
        }
        let multiplicity = (positions.iter().enumerate())
            .map(|(k, p)| group.multiplicity_at(*p as usize).saturating_mul(own(k)))
            .collect::<Vec<_>>();
        out.multiplicity = multiplicity.iter().any(|m| *m != 1).then_some(multiplicity);
    }

    fn next_join(
        &mut self,
        chunk: &mut Chunk<'s>,
        cx: &Context<'s>,
        slots: &[usize],
        optional: bool,
    ) -> Result<bool, ExecError> {
        loop {
            if !self.draining {
                if !self.feed(cx)? {
                    return Ok(false);
                }
                self.draining = true;
            }
            let pulled = match self.pull(cx) {
                Err(failed) => {
                    self.put_back(failed, cx)?;
                    continue;
                }
                Ok(pulled) => pulled,
            };
            if let Some(pairs) = pulled {
                if pairs.is_empty() {
                    continue;
                }
                self.has_given = true;
                let (parents, positions): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
                let from = &self.sub_chunk.groups[0];
                self.output(&parents, chunk, |k| from.multiplicity_at(positions[k] as usize));
                let out = &mut chunk.groups[0];
                for (k, slot) in slots.iter().enumerate() {
                    out.vectors[self.spec.keep.len() + k] = from.vectors[*slot].gather(&positions);
                }
                return Ok(true);
            }
            self.draining = false;
            if optional {
                let missing: Vec<u32> = (0..u32::try_from(self.matched.len()).unwrap_or(0))
                    .filter(|n| !self.matched[*n as usize])
                    .collect();
                if !missing.is_empty() {
                    self.output(&missing, chunk, |_| 1);
                    for k in 0..slots.len() {
                        chunk.groups[0].vectors[self.spec.keep.len() + k] = Vector::nulls(missing.len());
                    }
                    return Ok(true);
                }
            }
        }
    }

    /// Runs the subplan to its end and gives one value for each current row.
    fn summarise(&mut self, cx: &Context<'s>) -> Result<Vector<'s>, ExecError> {
        let mut counts = vec![0u64; self.matched.len()];
        let mut lists = RowLists::new(self.current.len(), cx);
        while let Some(pairs) = self.pull(cx)? {
            let group = &self.sub_chunk.groups[0];
            match &self.spec.mode {
                ApplyMode::Collect(ex) => {
                    let values = evaluate(ex, &self.sub_chunk, 0, cx)?.into_vector(group.len);
                    lists.take(&values, group, &pairs, cx)?;
                }
                ApplyMode::Count => {
                    for (number, p) in pairs {
                        let count = &mut counts[number as usize];
                        *count = count.saturating_add(group.multiplicity_at(p as usize));
                    }
                }
                // Whether there is a row is known as soon as every row has one.
                _ => {
                    if self.matched.iter().all(|m| *m) {
                        break;
                    }
                }
            }
        }
        if let ApplyMode::Collect(_) = self.spec.mode {
            return Ok(lists.finish());
        }
        if self.spec.pair.is_some() {
            self.matched = self.pairs.for_rows(&self.matched);
            counts = self.pairs.for_rows(&counts);
        }
        Ok(Vector::new(match &self.spec.mode {
            ApplyMode::Count => Values::Int(
                counts
                    .into_iter()
                    .map(|c| i64::try_from(c).map_err(|_| overflow()))
                    .collect::<Result<_, _>>()?,
            ),
            _ => Values::Bool(self.matched.clone()),
        }))
    }
}

impl<'s> Operator<'s> for Apply<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        if let ApplyMode::Join { slots, optional } = self.spec.mode.clone() {
            return self.next_join(chunk, cx, &slots, optional);
        }
        if self.spec.once_a_node {
            return self.next_once_a_node(chunk, cx);
        }
        while self.feed(cx)? {
            let summary = self.summarise_some(cx)?;
            let all: Vec<u32> = (0..u32::try_from(self.current.len()).unwrap_or(0)).collect();
            if let ApplyMode::Semi { anti } = self.spec.mode {
                let kept: Vec<u32> = all.into_iter().filter(|n| self.matched[*n as usize] != anti).collect();
                if kept.is_empty() {
                    continue;
                }
                self.output(&kept, chunk, |_| 1);
            } else {
                self.output(&all, chunk, |_| 1);
                chunk.groups[0].vectors[self.spec.keep.len()] = summary;
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.subplan.reset();
        self.rest.clear();
        self.current.clear();
        self.draining = false;
        // What is known holds for the whole execution: the subplan looks at nothing else.
    }
}

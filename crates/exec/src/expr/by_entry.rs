//! What is computed of one text property alone, where its texts are entries of a dictionary: once for each
//! entry.
//!
//! `split(m.locationIP, '.')[0]` of three million rows with two hundred thousand addresses is computed as
//! often as there are addresses, once as many rows have come, and looked up by code. Texts that come of it
//! are a dictionary again, so that what groups or joins by them looks up codes as well.
//!
//! 1. What is computed, over slot 0 of a group of its own, is found when the first rows come.
//! 2. A dictionary's rows are counted. Fewer rows than entries are computed one by one; so are the first rows
//!    of a column, which come without codes until that is worth it.
//! 3. An entry that no row has may fail where none that is there does, and results may be large: then rows
//!    are computed one by one too.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_vector::{Chunk, Dictionary, Entries, Nulls, Positions, Texts, Values, Vector};

use super::Ex;
use super::bodies::rewrite;
use super::by_number::{NumberMemo, calls_by_value};
use super::evaluated::{Evaluated, Outcome, Over};
use super::kept_results::{ResultBytes, lone};
use super::vector::{compares, evaluate, evaluate_over, is_length};
use crate::layout::Place;
use crate::rows::append;
use crate::{Context, ExecError};

/// Positions from which on their dictionary is looked at.
const ROWS_MIN: usize = 16;
/// Entries up to which a dictionary's results are kept.
const ENTRIES_MAX: usize = 1 << 20;
/// Rows without codes after which a column is taken to have no dictionary.
const UNCODED_MAX: usize = 1 << 19;
/// Dictionaries whose results are kept: a column has one, and a label may have several tables.
const KEPT_MAX: usize = 4;

/// The only slot that a body reads.
const TEXT: Place = Place { group: 0, slot: 0 };

/// What an expression gives for the entries of dictionaries. Of one expression of one operator.
#[derive(Default)]
pub(crate) struct EntryMemo<'s> {
    form: Form,
    kept: Vec<Kept<'s>>,
    /// Rows that came without codes.
    uncoded: usize,
    /// Where it is computed of integers.
    numbers: Option<Box<NumberMemo<'s>>>,
}

#[derive(Default)]
enum Form {
    #[default]
    Unknown,
    /// Not computed of one property, or of none that has a dictionary or integers.
    Other,
    /// The property and what is computed of it.
    OfProperty(Box<(Ex, Ex)>),
}

/// One dictionary.
struct Kept<'s> {
    entries: Entries<'s>,
    /// Rows that came so far.
    met: usize,
    results: Results<'s>,
    /// For the results.
    held: ResultBytes,
}

enum Results<'s> {
    NotYet,
    Failed,
    /// Of each entry, and of null behind them.
    Values(Vector<'s>),
    /// The same, texts.
    Texts(Entries<'s>, Nulls),
}

/// The property of what a slot of `group` has that an expression is computed of, and the expression over
/// [`TEXT`]; `None` where it reads anything else, or is as cheap without.
pub(crate) fn of_one_property(ex: &Ex, group: usize) -> Option<(Ex, Ex)> {
    let (mut property, mut is_other): (Option<Ex>, bool) = (None, false);
    let body = rewrite(ex, &mut |part| match part {
        Ex::Property { base, key, .. } if matches!(**base, Ex::Slot(place) if place.group == group) => {
            let place = |ex: &Ex| if let Ex::Slot(place) = ex { Some(*place) } else { None };
            match &property {
                None => property = Some(part.clone()),
                Some(Ex::Property { base: first, key: name, .. })
                    if name == key && place(first) == place(base) => {}
                Some(_) => is_other = true,
            }
            Some(Ex::Slot(TEXT))
        }
        Ex::Call(function, ..) if function.deterministic => None,
        Ex::Slot(_)
        | Ex::Path(_)
        | Ex::Call(..)
        | Ex::User(..)
        | Ex::HasLabel { .. }
        | Ex::MapProjection { .. } => {
            is_other = true;
            Some(part.clone())
        }
        _ => None,
    });
    let is_cheap = match &body {
        Ex::Slot(_) => true,
        // Which are null is known without the texts, what compares with one is asked of texts as they lie.
        Ex::Op(Op::IsNull | Op::IsNotNull, args, _) => matches!(args[..], [Ex::Slot(_)]),
        Ex::Op(op, args, _) if compares(*op) => {
            matches!(
                args[..],
                [Ex::Slot(_), Ex::Const(_) | Ex::Param(_)] | [Ex::Const(_) | Ex::Param(_), Ex::Slot(_)]
            )
        }
        Ex::Call(function, args, _) => is_length(function) && matches!(args[..], [Ex::Slot(_)]),
        _ => false,
    };
    property.filter(|_| !is_other && !is_cheap && !is_no_text(&body)).map(|property| (property, body))
}

/// Whether a body does with what it reads what nobody does with a text: takes a component, as of a date, or
/// calculates.
fn is_no_text(body: &Ex) -> bool {
    let is_read = |ex: &Ex| matches!(ex, Ex::Slot(_));
    let mut found = false;
    rewrite(body, &mut |part| {
        found |= match part {
            Ex::Property { base, .. } => is_read(base),
            Ex::Op(Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Pow | Op::Neg, args, _) => {
                args.iter().any(is_read)
            }
            _ => false,
        };
        None
    });
    found
}

impl<'s> EntryMemo<'s> {
    /// Of an expression that is evaluated once.
    pub(crate) fn off() -> Self {
        Self { form: Form::Other, ..Self::default() }
    }

    /// As [`evaluate`], always of the same expression.
    pub(crate) fn evaluate<'a>(
        &mut self,
        ex: &Ex,
        chunk: &'a Chunk<'s>,
        group: usize,
        cx: &Context<'s>,
    ) -> Outcome<'a, 's> {
        let at = Positions::of(&chunk.groups[group]);
        // A few rows are not worth the look at what is computed.
        if at.count() < ROWS_MIN {
            return evaluate(ex, chunk, group, cx);
        }
        if matches!(self.form, Form::Unknown) {
            self.form =
                of_one_property(ex, group).map_or(Form::Other, |parts| Form::OfProperty(Box::new(parts)));
        }
        let Form::OfProperty(parts) = &self.form else { return evaluate(ex, chunk, group, cx) };
        let (property, body) = &**parts;
        // Rows whose property cannot be read may not be asked for it.
        let Ok(Evaluated::Own(vector)) = evaluate(property, chunk, group, cx) else {
            return evaluate(ex, chunk, group, cx);
        };
        let len = at.len;
        // The texts are at hand already.
        let of_texts = |vector: Vector<'s>| {
            let texts = lone(vector, len);
            match evaluate_over(body, Over { chunk: &texts, group: 0, at }, cx) {
                Ok(out) => Ok(Evaluated::Own(out.into_vector(len))),
                Err(_) => evaluate(ex, chunk, group, cx),
            }
        };
        let (codes, entries) = match &vector.values {
            Values::String(texts) => match texts.codes() {
                Some((codes, entries)) if entries.len() <= ENTRIES_MAX => (codes, entries),
                Some(_) => return of_texts(vector),
                None => {
                    self.uncoded += at.count();
                    let out = of_texts(vector);
                    if self.uncoded > UNCODED_MAX {
                        self.form = Form::Other;
                    }
                    return out;
                }
            },
            Values::Int(_) if self.numbers.is_some() || calls_by_value(body) => {
                let numbers = self.numbers.get_or_insert_with(|| Box::new(NumberMemo::new()));
                let Some(out) = numbers.evaluate(body, &vector, at, cx) else {
                    *self = Self::off();
                    return evaluate(ex, chunk, group, cx);
                };
                return Ok(Evaluated::Own(out));
            }
            _ => {
                self.form = Form::Other;
                return evaluate(ex, chunk, group, cx);
            }
        };
        let place = match self.kept.iter().position(|kept| Arc::ptr_eq(&kept.entries, entries)) {
            Some(place) => place,
            None if self.kept.len() == KEPT_MAX => return of_texts(vector),
            None => {
                let (entries, results) = (Arc::clone(entries), Results::NotYet);
                self.kept.push(Kept { entries, met: 0, results, held: ResultBytes::default() });
                self.kept.len() - 1
            }
        };
        let kept = &mut self.kept[place];
        kept.met = kept.met.saturating_add(at.count());
        if matches!(kept.results, Results::NotYet) && kept.met >= kept.entries.len() {
            kept.compute(body, cx)?;
        }
        if let Some(out) = kept.look_up(codes, &vector.nulls) {
            return Ok(Evaluated::Own(out));
        }
        of_texts(vector)
    }
}

impl<'s> Kept<'s> {
    /// Computes all entries' results, a vector of them at a time; none are kept where they are large, or
    /// there is no memory for them.
    ///
    /// **Errors**: that the query was stopped.
    fn compute(&mut self, body: &Ex, cx: &Context<'s>) -> Result<(), ExecError> {
        self.results = Results::Failed;
        let entries = self.entries.len();
        let (mut held, mut results) = (ResultBytes::default(), Vector::empty());
        for first in (0..=entries).step_by(cx.settings.vector_size.max(1)) {
            cx.check()?;
            let len = cx.settings.vector_size.min(entries + 1 - first);
            // Entries are numbered by 32 bits. That of null, behind the last, is any.
            let codes = (first..first + len).map(|code| if code < entries { code as u32 } else { 0 });
            let mut nulls = Nulls::NONE;
            if first + len > entries {
                nulls.set(len - 1, len);
            }
            let texts = Texts::coded(codes.collect(), &self.entries);
            let chunk = lone(Vector { values: Values::String(texts), nulls }, len);
            let Ok(out) = evaluate_over(body, Over::group(&chunk, 0), cx) else { return Ok(()) };
            let out = out.into_vector(len);
            if !held.take(&out, len, cx) {
                return Ok(());
            }
            let positions = Positions::all(len).to_vec();
            append(&mut results, &out, &positions, &|id| cx.edge_value(id));
        }
        self.held = held;
        self.results = match results {
            Vector { values: Values::String(texts), nulls } => {
                Results::Texts(Arc::new(Dictionary::new(texts)), nulls)
            }
            other => Results::Values(other),
        };
        Ok(())
    }

    /// The results of rows with these codes, if there are any; that of null where `nulls` are.
    fn look_up(&self, codes: &[u32], nulls: &Nulls) -> Option<Vector<'s>> {
        let of_null = self.entries.len() as u32;
        let places = || -> Vec<u32> {
            match nulls.is_none() {
                true => codes.to_vec(),
                false => {
                    (0..).zip(codes).map(|(i, code)| if nulls.get(i) { of_null } else { *code }).collect()
                }
            }
        };
        match &self.results {
            Results::NotYet | Results::Failed => None,
            Results::Values(values) => Some(values.gather(&places())),
            Results::Texts(texts, absent) => {
                let places = places();
                let nulls = if absent.is_none() { Nulls::NONE } else { absent.gather(&places) };
                Some(Vector { values: Values::String(Texts::coded(places, texts)), nulls })
            }
        }
    }
}

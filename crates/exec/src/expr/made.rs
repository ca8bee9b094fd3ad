//! What an expression may make: values are bounded before and while they are made, so that none of them ends
//! the process.
//!
//! 1. No value is larger or deeper than [`EXTENT_MAX`], shared parts counted: whoever walks it afterwards is
//!    done in bounded time, on a bounded stack.
//! 2. What is about to be much larger than its operands is held from the memory budget before it is made.
//! 3. What many small steps make, in a list comprehension or for the rows of a vector, is held while it
//!    grows.

use trimorph_algebra::Op;
use trimorph_base::{Diagnostic, ErrorKind, OverBudget, Reservation, Stop, free_elsewhere};
use trimorph_types::{EXTENT_MAX, Value};

use crate::{Context, ExecError};

/// Bytes that are not worth asking the budget for: it is shared between threads.
const SMALL: u64 = 1 << 20;

/// Refuses a value beyond [`EXTENT_MAX`].
#[inline]
pub(crate) fn bounded(value: Value) -> Result<Value, Diagnostic> {
    check_extent(&value).map(|()| value)
}

/// Whether a value is no larger than any may be.
pub(crate) fn check_extent(value: &Value) -> Result<(), Diagnostic> {
    let extent = value.extent();
    if extent.bytes <= EXTENT_MAX.bytes && extent.depth <= EXTENT_MAX.depth {
        return Ok(());
    }
    Err(if extent.depth > EXTENT_MAX.depth { too_deep() } else { too_large() })
}

#[cold]
fn too_large() -> Diagnostic {
    let text = format!("a value of more than {} bytes cannot be made", EXTENT_MAX.bytes);
    Diagnostic::runtime(ErrorKind::ArgumentError, "ValueTooLarge", text)
        .hint("keep parts in rows of their own, or aggregate them, in place of one list, map or string")
}

#[cold]
fn too_deep() -> Diagnostic {
    let text =
        format!("a value of more than {} lists and maps in each other cannot be made", EXTENT_MAX.depth);
    Diagnostic::runtime(ErrorKind::ArgumentError, "ValueTooLarge", text)
        .hint("put elements next to each other, as in list + [element]")
}

fn over(over: OverBudget) -> Diagnostic {
    Diagnostic {
        stop: Some(Stop::Memory(over)),
        ..Diagnostic::runtime(ErrorKind::ArgumentError, "MemoryLimitExceeded", over.to_string())
    }
}

/// Holds what is about to be made, if it is worth it.
fn hold(bytes: u64, cx: &Context<'_>) -> Result<Option<Reservation>, Diagnostic> {
    if bytes <= SMALL {
        return Ok(None);
    }
    let mut held = cx.settings.budget.reservation();
    held.grow(usize::try_from(bytes).unwrap_or(usize::MAX)).map_err(over)?;
    if bytes > EXTENT_MAX.bytes { Err(too_large()) } else { Ok(Some(held)) }
}

/// Holds what an operator is about to make.
#[inline]
pub(crate) fn hold_operator(
    op: Op,
    values: &[Value],
    cx: &Context<'_>,
) -> Result<Option<Reservation>, Diagnostic> {
    let bytes = values.iter().fold(0, |sum, v| v.extent().bytes.saturating_add(sum));
    cx.work(bytes)?;
    match (op, values) {
        (Op::Add, [Value::String(_) | Value::List(_), _] | [_, Value::List(_)]) => hold(bytes, cx),
        _ => Ok(None),
    }
}

/// Holds what a function is about to make.
pub(crate) fn hold_call(
    name: &str,
    args: &[Value],
    cx: &Context<'_>,
) -> Result<Option<Reservation>, Diagnostic> {
    cx.work(args.iter().fold(0, |sum, v| v.extent().bytes.saturating_add(sum)))?;
    hold(call_bytes(name, args), cx)
}

/// Whether a call makes so much that it is to be held from the budget of the query.
pub(crate) fn is_large_call(name: &str, args: &[Value]) -> bool {
    call_bytes(name, args) > SMALL
}

/// Bytes of a call's result where it can be far larger than the arguments: all such functions are here. 0
/// elsewhere.
fn call_bytes(name: &str, args: &[Value]) -> u64 {
    let cell = size_of::<Value>() as u64;
    let occurrences = |text: &str, part: &str| {
        if part.is_empty() { text.len() as u64 + 1 } else { text.matches(part).count() as u64 }
    };
    match (name, args) {
        ("range", [Value::Int(from), Value::Int(to), rest @ ..]) => {
            let step = if let [Value::Int(step)] = rest { *step } else { 1 };
            // A step away from the end makes nothing, and one of zero an error.
            let is_empty = step == 0 || (from < to && step < 0) || (from > to && step > 0);
            let count = if is_empty { 0 } else { from.abs_diff(*to) / step.unsigned_abs() };
            count.saturating_mul(cell)
        }
        // The most it can be first; only if that is much, what it is.
        ("replace", [Value::String(text), Value::String(part), Value::String(with), ..]) => {
            match (text.len() as u64 + 1).saturating_mul(with.len() as u64) {
                most @ 0..=SMALL => most,
                _ => occurrences(text, part)
                    .saturating_mul(with.len() as u64)
                    .saturating_add(text.len() as u64),
            }
        }
        // Each part has a cell, and two counts besides its text.
        ("split", [Value::String(text), delimiters]) => {
            let (each, most) = (cell + 16, text.len() as u64 + 1);
            let parts = match delimiters {
                Value::String(part) if most.saturating_mul(each) > SMALL => occurrences(text, part) + 1,
                _ => most,
            };
            parts.saturating_mul(each).saturating_add(text.len() as u64)
        }
        _ => 0,
    }
}

/// A value that grows in place: holds from the budget what it has grown to.
#[derive(Default)]
pub(crate) struct Growing {
    held: Option<Reservation>,
    bytes: u64,
}

impl Growing {
    /// Holds what the value is about to be, if it is worth it.
    #[inline]
    pub(crate) fn hold(&mut self, bytes: u64, cx: &Context<'_>) -> Result<(), Diagnostic> {
        if bytes <= self.bytes.max(SMALL) { Ok(()) } else { self.hold_more(bytes, cx) }
    }

    #[cold]
    fn hold_more(&mut self, bytes: u64, cx: &Context<'_>) -> Result<(), Diagnostic> {
        // Not for each element.
        let more = (bytes - self.bytes).max(SMALL);
        let held = self.held.get_or_insert_with(|| cx.settings.budget.reservation());
        held.grow(usize::try_from(more).unwrap_or(usize::MAX)).map_err(over)?;
        self.bytes += more;
        if bytes > EXTENT_MAX.bytes { Err(too_large()) } else { Ok(()) }
    }
}

/// Lets go of operands; of what is large, on another thread where somebody asked the query to stop.
#[inline]
pub(crate) fn leave_operands(values: Vec<Value>, cx: &Context<'_>) {
    if cx.settings.cancel.is_cancelled() && values.iter().any(|v| v.extent().bytes > SMALL) {
        free_elsewhere(values);
    }
}

/// Values made one after the other and kept: holds what they own from the budget, and stops where the query
/// is cancelled.
pub(crate) struct Made<'a, 's> {
    cx: &'a Context<'s>,
    held: Option<Reservation>,
    /// Made and not held yet.
    bytes: u64,
    count: u32,
}

impl<'a, 's> Made<'a, 's> {
    pub(crate) fn new(cx: &'a Context<'s>) -> Self {
        Self { cx, held: None, bytes: 0, count: 0 }
    }

    /// A step of a loop.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Diagnostic> {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(4096) { self.check() } else { Ok(()) }
    }

    #[cold]
    fn check(&self) -> Result<(), Diagnostic> {
        self.cx.check().map_err(|_: ExecError| *Diagnostic::cancelled())
    }

    /// A value that is kept.
    #[inline]
    pub(crate) fn add(&mut self, value: &Value) -> Result<(), Diagnostic> {
        self.bytes += value.owned_bytes();
        if self.bytes > SMALL { self.hold() } else { Ok(()) }
    }

    #[cold]
    fn hold(&mut self) -> Result<(), Diagnostic> {
        let bytes = usize::try_from(std::mem::take(&mut self.bytes)).unwrap_or(usize::MAX);
        let held = self.held.get_or_insert_with(|| self.cx.settings.budget.reservation());
        held.grow(bytes).map_err(over)
    }
}

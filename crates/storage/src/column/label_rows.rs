//! Labels by row: a segment of a column of labels in; out, the sets of labels that its rows have, which row
//! has which, and the rows of each.
//!
//! A row whose labels came later has them as a text of its own ([`crate::row_labels`]). Rows of a table have
//! few different sets, so that a condition on labels is asked once of each set, and a row costs a look at its
//! code: taking the names out of the text costs a hundred times as much. And the rows of a set are found
//! without a look at the others.
//!
//! It takes four bytes a row, is made once who asked has asked for about as much as making it costs, and goes
//! with what was read of the segment.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use trimorph_base::Reservation;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use crate::row_labels;

/// Different sets above which codes do not fit: nothing is gained where nearly every row has its own.
const SETS_MAX: usize = 1 << 15;
/// Rows that are taken from their texts in the time that one row takes here.
const COST: u64 = 16;

/// The labels of the rows of a segment.
pub struct LabelRows {
    /// The different sets, from code 1 on; 0 is that the row has its table's labels.
    sets: Box<[Box<[Arc<str>]>]>,
    /// The code of each row.
    codes: Box<[u16]>,
    /// The rows in the order of their codes, and where those of each code begin; one more at the end.
    rows: Box<[u16]>,
    starts: Box<[u32]>,
    _held: Reservation,
}

impl LabelRows {
    /// The code of a row of the segment; none past the last.
    #[inline]
    pub fn code(&self, row: usize) -> Option<u16> {
        self.codes.get(row).copied()
    }

    /// The codes of rows of the segment; none where some are past the last.
    pub fn codes_of(&self, rows: Range<usize>) -> Option<&[u16]> {
        self.codes.get(rows)
    }

    /// How many codes there are.
    pub fn codes(&self) -> usize {
        self.sets.len() + 1
    }

    /// The labels that a code stands for; none where they are the table's.
    pub fn labels(&self, code: u16) -> Option<&[Arc<str>]> {
        self.sets.get(usize::from(code).checked_sub(1)?).map(|set| &**set)
    }

    /// The rows of the segment with a code, in order.
    pub fn rows(&self, code: u16) -> &[u16] {
        let start = |code: usize| self.starts.get(code).map_or(self.rows.len(), |start| *start as usize);
        self.rows.get(start(code.into())..start(usize::from(code) + 1)).unwrap_or_default()
    }
}

/// The same, once it was made.
#[derive(Default)]
pub(super) struct Labels {
    /// Rows that were asked for.
    asked: AtomicU64,
    /// None where there are too many sets.
    made: OnceLock<Option<LabelRows>>,
}

impl Labels {
    pub(super) fn get(&self) -> Option<&LabelRows> {
        self.made.get()?.as_ref()
    }

    /// Whether what was asked for, of so many rows once more, would have paid for them. One of the threads
    /// that ask is told.
    pub(super) fn pays(&self, asked: u64, rows: u64) -> bool {
        if self.made.get().is_some() {
            return false;
        }
        let asked = asked.saturating_mul(COST);
        let before = self.asked.fetch_add(asked, Ordering::Relaxed);
        before < rows && before.saturating_add(asked) >= rows
    }

    /// Asking pays anew: they could not be made.
    pub(super) fn pays_later(&self) {
        self.asked.store(0, Ordering::Relaxed);
    }

    /// Has what was collected, if `held` has room for it.
    pub(super) fn make(&self, collected: Collected, mut held: Reservation) {
        let Collected { sets, codes, is_many, .. } = collected;
        if is_many {
            _ = self.made.set(None);
            return;
        }
        let names = sets.iter().flatten().map(|name| name.len() + size_of::<Arc<str>>());
        let bytes = names.sum::<usize>() + sets.len() * 24 + codes.len() * 4;
        if held.resize(bytes).is_err() {
            return self.pays_later();
        }
        let mut starts = vec![0u32; sets.len() + 2];
        codes.iter().for_each(|code| starts[usize::from(*code) + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let (mut next, mut rows) = (starts.clone(), vec![0u16; codes.len()]);
        for (row, code) in (0..=u16::MAX).zip(&codes) {
            let at = &mut next[usize::from(*code)];
            rows[*at as usize] = row;
            *at += 1;
        }
        let (sets, codes) = (sets.into_boxed_slice(), codes.into_boxed_slice());
        let (rows, starts) = (rows.into_boxed_slice(), starts.into_boxed_slice());
        _ = self.made.set(Some(LabelRows { sets, codes, rows, starts, _held: held }));
    }
}

/// What is known of a segment's rows so far.
#[derive(Default)]
pub(super) struct Collected {
    sets: Vec<Box<[Arc<str>]>>,
    codes: Vec<u16>,
    /// The codes of texts, and of sets.
    texts: HashMap<Box<str>, u16>,
    numbers: HashMap<Box<[Arc<str>]>, u16>,
    is_many: bool,
}

impl Collected {
    /// The different sets, but for that of the table; none where they are too many.
    pub(super) fn into_sets(self) -> Option<Vec<Box<[Arc<str>]>>> {
        (!self.is_many).then_some(self.sets)
    }

    /// Takes the next rows.
    pub(super) fn take(&mut self, values: &Vector<'_>, len: usize) {
        for i in 0..len {
            let code = match &values.values {
                _ if values.is_null(i) => 0,
                Values::String(texts) => match self.texts.get(texts.get(i)) {
                    Some(code) => *code,
                    None => {
                        let code = self.code(&Value::string(texts.get(i)));
                        self.texts.insert(texts.get(i).into(), code);
                        code
                    }
                },
                // Columns of older files are lists.
                _ => self.code(&values.value(i, &|_| Value::Null)),
            };
            self.codes.push(code);
        }
    }

    /// Whether there are more sets than there are codes.
    pub(super) fn are_many(&self) -> bool {
        self.is_many
    }

    fn code(&mut self, value: &Value) -> u16 {
        let Some(labels) = row_labels(value).map(Vec::into_boxed_slice) else { return 0 };
        if let Some(code) = self.numbers.get(&labels) {
            return *code;
        }
        self.is_many |= self.sets.len() >= SETS_MAX;
        let code = u16::try_from(self.sets.len() + 1).unwrap_or(0);
        self.sets.push(labels.clone());
        self.numbers.insert(labels, code);
        code
    }
}

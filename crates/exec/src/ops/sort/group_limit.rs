//! Rows of which only the first and the last of each group are looked at: those that have so many others of
//! their group before them, and so many behind them, are left out as they come, and are not sorted.
//!
//! Invariant: a row that is left out comes after `first` rows that stay and before `last` that do, by the
//! first key alone by which rows of a group differ. Rows that stay and need not have are no harm: what looks
//! at the ends of each group finds them in order, or `group_first` leaves them out.
//!
//! 1. Each group has, for either end, a heap of its best keys as words of 64 bits that order as the keys do;
//!    what is worse than the worst of them at both ends is left out. Keys whose words are equal stay.
//!    But for a sort that gives no others and has no further key: then one of the rows with equal keys is as
//!    good as another, and those that come once there are enough are left out.
//! 2. Where each row is better than those before it, all stay when they come. So rows that are kept are asked
//!    again whenever they have become twice as many.
//!
//! Hot loop: [`GroupLimit::leave_out`], a look-up of the row's group and a comparison with the top of its
//! heap, before the chunk's rows are in the heaps and after it.
//!
//! It gives up where most rows stay, there are many groups, keys have no words, or memory is short: then all
//! rows are sorted.

use trimorph_base::Reservation;
use trimorph_vector::order::words_at;
use trimorph_vector::{Chunk, Selection, Values, Vector};

use crate::expr::{Ex, evaluate};
use crate::keys::{KeyTable, POSITIONS_UNCHECKED};
use crate::{Context, ExecError};

/// Groups above which a heap for each costs more than it saves.
const GROUPS_MAX: usize = 1 << 22;
/// Rows that are kept before they are asked again for the first time.
const ROWS_UNCUT: usize = 1 << 16;
/// Rows after which it is looked how many stay.
const ROWS_TRIED: usize = 1 << 18;

/// The words of nulls, of what a heap has not got yet, and the least and greatest of values, which some
/// values share.
const NULL_FIRST: u64 = 0;
const LEAST: u64 = 1;
const GREATEST: u64 = u64::MAX - 2;
const NULL_LAST: u64 = u64::MAX - 1;
const MISSING: u64 = u64::MAX;

/// What groups are made by, and which of their rows are looked at.
#[derive(Debug)]
pub(crate) struct GroupLimitSpec {
    pub(crate) keys: Vec<Ex>,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) present: Vec<Ex>,
    /// The place among the keys of the sort of the first by which rows of a group differ.
    pub(crate) key: usize,
    /// Whether no other rows may come: then the first keys of the sort are those of the groups.
    pub(crate) exact: bool,
}

impl GroupLimitSpec {
    /// The same with changed expressions.
    pub(crate) fn map<E>(&self, mut change: impl FnMut(&Ex) -> Result<Ex, E>) -> Result<Self, E> {
        let mut all = |exprs: &[Ex]| exprs.iter().map(&mut change).collect::<Result<_, E>>();
        let (keys, present) = (all(&self.keys)?, all(&self.present)?);
        Ok(Self { keys, present, ..*self })
    }
}

/// The best keys of each group at one end of the order.
struct End {
    /// Of a group, a heap of this many words with the worst at the top; those that are missing are worse than
    /// all.
    count: usize,
    heaps: Vec<u64>,
    /// Whether the greatest words are the best, as at the end of the order.
    last: bool,
}

impl End {
    /// A row's word as one whose least are the best.
    fn word(&self, word: u64) -> u64 {
        if self.last { NULL_LAST - word } else { word }
    }

    /// The worst word of a group, by which others are left out.
    fn worst(&self, group: u32) -> u64 {
        self.heaps[group as usize * self.count]
    }

    /// Takes in a row's word if it is one of the best.
    fn take(&mut self, group: u32, word: u64) {
        let word = self.word(word);
        let heap = &mut self.heaps[group as usize * self.count..][..self.count];
        if word < heap[0] {
            replace_top(heap, word);
        }
    }
}

/// The best keys of each group so far.
pub(super) struct GroupLimit<'s> {
    groups: KeyTable<'s>,
    ends: Vec<End>,
    /// Of the first key: words of two types do not order as their values do.
    like: Option<std::mem::Discriminant<Values<'s>>>,
    held: Reservation,
    /// Of each row that was kept, its group and word.
    kept: Vec<(u32, u64)>,
    /// The same of the rows that were not left out last.
    coming: Vec<(u32, u64)>,
    /// How many rows are kept before they are asked again.
    cut_at: usize,
    came: usize,
    /// Rows that were kept and are in files now.
    forgotten: usize,
    numbers: Vec<u32>,
    words: Vec<u64>,
}

impl<'s> GroupLimit<'s> {
    pub(super) fn new(spec: &GroupLimitSpec, cx: &Context<'s>) -> Self {
        let ends = [(spec.first, false), (spec.last, true)].into_iter().filter(|(count, _)| *count > 0);
        Self {
            groups: KeyTable::default(),
            ends: ends.map(|(count, last)| End { count, heaps: Vec::new(), last }).collect(),
            like: None,
            held: cx.settings.budget.reservation(),
            kept: Vec::new(),
            coming: Vec::new(),
            cut_at: ROWS_UNCUT,
            came: 0,
            forgotten: 0,
            numbers: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Leaves out positions of a chunk, and of its selection, whose rows are not looked at; `key` has the
    /// first key at these positions, and may be the `only` one by which rows of a group differ. `false`, with
    /// nothing left out, once it does not pay.
    pub(super) fn leave_out(
        &mut self,
        positions: &mut Vec<u32>,
        chunk: &mut Chunk<'s>,
        (key, descending, only): (&Vector<'s>, bool, bool),
        spec: &GroupLimitSpec,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        self.words.clear();
        let like = std::mem::discriminant(&key.values);
        let mut is_exact = true;
        if positions.iter().all(|p| key.is_null(*p as usize)) {
            self.words.resize(positions.len(), 0);
        } else if *self.like.get_or_insert(like) != like {
            return Ok(false);
        } else {
            match words_at(key, positions, &mut self.words) {
                Some(exact) => is_exact = exact,
                None => return Ok(false),
            }
        }
        let one_of_equals = spec.exact && only && is_exact;
        let len = chunk.groups[0].len;
        let keys: Vec<Vector<'s>> = (spec.keys.iter())
            .map(|ex| Ok(evaluate(ex, chunk, 0, cx)?.into_vector(len)))
            .collect::<Result<_, ExecError>>()?;
        self.number(&keys, positions, cx)?;
        if !self.has_room() {
            return Ok(false);
        }
        let turned = if descending { u64::MAX } else { 0 };
        for (word, p) in self.words.iter_mut().zip(&*positions) {
            // Nulls come last, or first where the order descends.
            *word = match (key.is_null(*p as usize), turned) {
                (true, 0) => NULL_LAST,
                (true, _) => NULL_FIRST,
                (false, _) => (*word ^ turned).clamp(LEAST, GREATEST),
            };
        }
        self.came += positions.len();
        let (words, numbers, ends) = (&self.words, &self.numbers, &mut self.ends);
        let may_tie = |word: u64| !one_of_equals || matches!(word, LEAST | GREATEST | MISSING);
        let is_good = |k: usize, end: &End| {
            let (word, worst) = (end.word(words[k]), end.worst(numbers[k]));
            word < worst || word == worst && may_tie(worst)
        };
        let mut stay: Vec<usize> = (0..positions.len()).collect();
        // Mostly there is one end: a loop of its own.
        match &ends[..] {
            [end] => stay.retain(|k| is_good(*k, end)),
            ends => stay.retain(|k| ends.iter().any(|end| is_good(*k, end))),
        }
        let select = |stay: &[usize], chunk: &mut Chunk<'s>| {
            let selected: Vec<u32> = stay.iter().map(|k| positions[*k]).collect();
            if chunk.groups[0].flat.is_none() {
                chunk.groups[0].selection = Selection::List(selected);
            }
        };
        select(&stay, chunk);
        let present: Vec<Vector<'s>> = (spec.present.iter())
            .map(|ex| Ok(evaluate(ex, chunk, 0, cx)?.into_vector(len)))
            .collect::<Result<_, ExecError>>()?;
        let are_present = !present.iter().any(Vector::may_have_nulls);
        let is_present = |k: usize| present.iter().all(|vector| !vector.is_null(positions[k] as usize));
        match &mut ends[..] {
            // The best of each group, without a branch.
            [end] if end.count == 1 && are_present && !one_of_equals => {
                for k in &stay {
                    let best = &mut end.heaps[numbers[*k] as usize];
                    *best = (*best).min(if end.last { NULL_LAST - words[*k] } else { words[*k] });
                }
                stay.retain(|k| end.word(words[*k]) <= end.worst(numbers[*k]));
            }
            [end] => {
                stay.retain(|k| {
                    let is_better = end.word(words[*k]) < end.worst(numbers[*k]) && is_present(*k);
                    if is_better {
                        end.take(numbers[*k], words[*k]);
                    }
                    is_better || may_tie(words[*k])
                });
                stay.retain(|k| end.word(words[*k]) <= end.worst(numbers[*k]));
            }
            ends => {
                stay.retain(|k| {
                    let is_some = |end: &End| end.word(words[*k]) < end.worst(numbers[*k]);
                    let is_better = ends.iter().any(is_some) && is_present(*k);
                    if is_better {
                        ends.iter_mut().for_each(|end| end.take(numbers[*k], words[*k]));
                    }
                    is_better || may_tie(words[*k])
                });
                stay.retain(|k| ends.iter().any(|end| end.word(words[*k]) <= end.worst(numbers[*k])));
            }
        }
        select(&stay, chunk);
        self.coming.clear();
        self.coming.extend(stay.iter().map(|k| (numbers[*k], words[*k])));
        *positions = stay.iter().map(|k| positions[*k]).collect();
        Ok(true)
    }

    /// The rows that were not left out are kept now, behind the others.
    pub(super) fn keep_coming(&mut self) {
        self.kept.append(&mut self.coming);
    }

    /// Whether the rows that were kept are to be asked again.
    pub(super) fn wants_cut(&self) -> bool {
        self.kept.len() >= self.cut_at
    }

    /// Of the rows that were kept, those that still are; `false` where it did not pay to look.
    pub(super) fn cut(&mut self) -> (Vec<u32>, bool) {
        let is_good = |end: &End, (group, word): (u32, u64)| end.word(word) <= end.worst(group);
        let stays = |kept: &(u32, u64)| self.ends.iter().any(|end| is_good(end, *kept));
        // Rows have numbers of 32 bits.
        let rows: Vec<u32> =
            (0u32..).zip(&self.kept).filter(|(_, kept)| stays(kept)).map(|(k, _)| k).collect();
        // Those that were left out as they came count as well: where rows come in order, these are all.
        let pays = self.came < ROWS_TRIED || rows.len() + self.forgotten <= self.came / 8 * 7;
        self.kept.retain(stays);
        self.cut_at = (2 * self.kept.len()).max(ROWS_UNCUT);
        (rows, pays)
    }

    /// Forgets the rows that were kept: they are in a file.
    pub(super) fn forget_rows(&mut self) {
        self.forgotten += self.kept.len();
        self.kept.clear();
        self.cut_at = ROWS_UNCUT;
    }

    /// The groups of positions.
    fn number(&mut self, keys: &[Vector<'s>], positions: &[u32], cx: &Context<'s>) -> Result<(), ExecError> {
        self.numbers.clear();
        let (keys, mut fresh): (Vec<&Vector<'s>>, _) = (keys.iter().collect(), Vec::new());
        for positions in positions.chunks(POSITIONS_UNCHECKED) {
            cx.check()?;
            self.groups.number_all(&keys, positions, &mut self.numbers, &mut fresh);
        }
        Ok(())
    }

    /// Makes heaps for new groups; `false` where there is no room for them.
    fn has_room(&mut self) -> bool {
        let groups = self.groups.len().max(1);
        let cells = groups * self.ends.iter().map(|end| end.count).sum::<usize>();
        let bytes = cells * size_of::<u64>() + self.kept.capacity() * size_of::<(u32, u64)>();
        if groups > GROUPS_MAX || self.held.resize(self.groups.bytes() + bytes).is_err() {
            return false;
        }
        self.ends.iter_mut().for_each(|end| end.heaps.resize(groups * end.count, MISSING));
        true
    }
}

/// Puts a word in the place of the greatest of a heap.
fn replace_top(heap: &mut [u64], word: u64) {
    let mut place = 0;
    loop {
        let left = 2 * place + 1;
        let Some(first) = heap.get(left) else { break };
        let greater = match heap.get(left + 1) {
            Some(second) if second > first => left + 1,
            _ => left,
        };
        if heap[greater] <= word {
            break;
        }
        heap[place] = heap[greater];
        place = greater;
    }
    heap[place] = word;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_keeps_the_least() {
        let mut random = trimorph_base::Random::new(1);
        for count in 1..9 {
            let mut heap = vec![u64::MAX; count];
            let mut all = Vec::new();
            for _ in 0..60 {
                let word = random.below(40) as u64;
                all.push(word);
                if word < heap[0] {
                    replace_top(&mut heap, word);
                }
                all.sort_unstable();
                let worst = all.get(count - 1).copied().unwrap_or(u64::MAX);
                assert_eq!(heap[0], worst, "{heap:?} of {all:?}");
            }
        }
    }
}

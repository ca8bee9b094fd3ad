//! Texts sorted a word at a time: rows by the first eight bytes of their text, then rows of equal words by
//! the next seven, and so on. A text is looked at as often as it is long in words that others share, and only
//! words are compared; to compare texts would be two cache misses each time.
//!
//! Invariant: rows lie in order of the words so far, those of equal words by when they came; `starts` says
//! where a row's words differ from those of the row before.
//!
//! Source: Bentley and Sedgewick, Fast Algorithms for Sorting and Searching Strings, 1997.

use super::prefix::Prefixed;
use crate::parallel::on_each;
use crate::{Context, ExecError};

/// Bytes of the first word.
const FIRST: usize = 8;
/// Bytes of the others: in the last byte is how many there are.
const OTHERS: usize = 7;
/// Bytes from which on whole texts are compared: what is equal so far is mostly equal.
const DEPTH_MAX: usize = FIRST + 8 * OTHERS;
/// Rows that a worker takes at least.
const ROWS_OF_PIECE: usize = 1 << 14;

/// Of rows in order of the first words of their texts, and of when they came: puts them in order of the
/// texts, and instead of the words gives the places that the texts have among all different ones.
///
/// **Cost**: a byte a row, and 16 for each row of the longest run of equal words. On all the threads of the
/// settings.
pub(super) fn rank<'a>(
    rows: &mut [Prefixed],
    descending: bool,
    text: &(impl Fn(u32) -> &'a str + Sync),
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    let mut starts: Vec<bool> = Vec::with_capacity(rows.len());
    starts.extend((0..rows.len()).map(|k| k == 0 || rows[k - 1].prefix() != rows[k].prefix()));
    let mut pieces = Vec::new();
    let (mut rest, mut rest_starts) = (&mut *rows, &mut starts[..]);
    while !rest.is_empty() {
        let first = rest.len().min(ROWS_OF_PIECE);
        let end = (first..rest.len()).find(|k| rest_starts[*k]).unwrap_or(rest.len());
        let (piece, after) = rest.split_at_mut(end);
        let (piece_starts, after_starts) = rest_starts.split_at_mut(end);
        pieces.push((piece, piece_starts));
        (rest, rest_starts) = (after, after_starts);
    }
    on_each(pieces, cx, |(rows, starts), cx| sort_piece(rows, starts, descending, text, cx))?;
    let mut rank = 0;
    for (row, is_first) in rows.iter_mut().zip(&starts) {
        rank += u64::from(*is_first);
        *row = Prefixed::new(rank, row.came());
    }
    Ok(())
}

fn sort_piece<'a>(
    rows: &mut [Prefixed],
    starts: &mut [bool],
    descending: bool,
    text: &impl Fn(u32) -> &'a str,
    cx: &Context<'_>,
) -> Result<(), ExecError> {
    let turned = |word: u64| if descending { !word } else { word };
    // Runs of equal words: where they lie, and how many bytes are equal.
    let mut runs = Vec::new();
    push_runs(starts, 0, rows.len(), FIRST, &mut runs);
    while let Some((first, end, depth)) = runs.pop() {
        cx.check()?;
        let (run, run_starts) = (&mut rows[first..end], &mut starts[first..end]);
        if depth >= DEPTH_MAX {
            run.sort_unstable_by(|a, b| {
                let order = text(a.came()).cmp(text(b.came()));
                if descending { order.reverse() } else { order }.then(a.cmp(b))
            });
            for k in 1..run.len() {
                run_starts[k] = text(run[k - 1].came()) != text(run[k].came());
            }
            continue;
        }
        for row in &mut *run {
            *row = Prefixed::new(turned(word_at(text(row.came()), depth)), row.came());
        }
        run.sort_unstable();
        for k in 1..run.len() {
            run_starts[k] = run[k - 1].prefix() != run[k].prefix();
        }
        // Of texts that have ended, equal words are equal texts.
        let goes_on = |k: usize| turned(rows[first + k].prefix()) & 0xff == GOES_ON;
        let mut k = 0;
        while k < end - first {
            let next = (k + 1..end - first).find(|next| starts[first + next]).unwrap_or(end - first);
            if next - k > 1 && goes_on(k) {
                runs.push((first + k, first + next, depth + OTHERS));
            }
            k = next;
        }
    }
    Ok(())
}

/// Runs of at least two rows.
fn push_runs(starts: &[bool], first: usize, end: usize, depth: usize, runs: &mut Vec<(usize, usize, usize)>) {
    let mut k = first;
    while k < end {
        let next = (k + 1..end).find(|next| starts[*next]).unwrap_or(end);
        if next - k > 1 {
            runs.push((k, next, depth));
        }
        k = next;
    }
}

/// The last byte of a word whose text has more bytes than the word: of others it is less.
const GOES_ON: u64 = 16;

/// Seven bytes of a text from `depth` on, the first of them highest, then how many bytes it has from eight
/// before `depth` on, at most 16: of texts that are equal as far as they go before, the shorter comes first.
#[inline]
fn word_at(text: &str, depth: usize) -> u64 {
    let bytes = text.as_bytes();
    if let Some(next) = bytes.get(depth..).and_then(|bytes| bytes.first_chunk::<8>()) {
        return u64::from_be_bytes(*next) & !0xff | GOES_ON;
    }
    let rest = bytes.get(depth..).unwrap_or_default();
    let word = rest.iter().enumerate().fold(0, |word, (i, byte)| word | u64::from(*byte) << (56 - 8 * i));
    word | bytes.len().saturating_sub(depth - FIRST) as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trimorph_base::Random;
    use trimorph_store::Snapshot;

    use super::*;
    use crate::Settings;
    use trimorph_vector::order::first_bytes;

    /// Texts that share many bytes, end with zeros, and are each other's beginnings.
    fn texts(random: &mut Random, rows: usize) -> Vec<String> {
        let parts =
            ["", "\0", "\0\0\0\0\0\0\0\0", "a", "ab", "abcdefg", "abcdefgh", "é", "The_longest_of_all_"];
        (0..rows).map(|_| (0..random.below(12)).map(|_| *random.pick(&parts)).collect()).collect()
    }

    #[test]
    fn rows_are_in_order_of_their_texts() {
        let mut random = Random::new(23);
        let snapshot = Snapshot::default();
        for round in 0..60 {
            let settings = Settings { threads: 1 + round % 3, ..Settings::default() };
            let cx = Context::new(&snapshot, Arc::new(settings));
            let rows = [0, 1, 2, 50, 3_000, 50_000][round % 6];
            let few = [usize::MAX, 40][random.below(2)].min(rows);
            let different = texts(&mut random, few);
            let texts: Vec<&str> = (0..rows).map(|_| &**random.pick(&different)).collect();
            let descending = random.below(2) == 0;
            let word = |k: u32| {
                let word = first_bytes(texts[k as usize]);
                if descending { !word } else { word }
            };
            let mut ours: Vec<Prefixed> = (0..rows as u32).map(|k| Prefixed::new(word(k), k)).collect();
            ours.sort_unstable();
            rank(&mut ours, descending, &|k| texts[k as usize], &cx).unwrap();
            let mut theirs: Vec<u32> = (0..rows as u32).collect();
            theirs.sort_by(|a, b| {
                let order = texts[*a as usize].cmp(texts[*b as usize]);
                if descending { order.reverse() } else { order }
            });
            assert_eq!(ours.iter().map(|p| p.came()).collect::<Vec<_>>(), theirs);
            for pair in ours.windows(2) {
                let equal = texts[pair[0].came() as usize] == texts[pair[1].came() as usize];
                assert_eq!(pair[0].prefix() + u64::from(!equal), pair[1].prefix());
            }
        }
    }
}

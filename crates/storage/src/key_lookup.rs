//! Look-ups of many keys at once: takes keys of a vector, gives the row of each.
//!
//! 1. Keys are hashed, and the entries where their search begins asked for, a block of keys together.
//! 2. Entries are read: the rows whose keys may be those, by their tags.
//! 3. Keys of these rows are gathered from the column together, so that their cache misses are waited for
//!    together, and compared. Where it is another key, the next entry is looked at, in the next round.
//!
//! Keys in the order of the index, so that it is read from its beginning to its end, were no faster in any
//! length up to a million (`keys_by_length`): waiting for an entry is hidden, and the column is read at
//! random in any order. Where keys are so many, reading the whole column is what a longer vector is good for;
//! that is up to who has the keys.
//!
//! Source: Erling, "Virtuoso, a Hybrid RDBMS/Graph Column Store", "Vectored Execution".

use trimorph_types::Value;
use trimorph_types::number::exact_int;
use trimorph_vector::{Values, Vector};

use crate::column::ColumnView;
use crate::key_index::{EntriesView, KeyIndexView, hash_int, hash_of, hash_text};

#[cfg(test)]
mod tests;

/// The row of a key that no row has.
pub const NO_ROW: u32 = u32::MAX;

/// Keys whose entries are asked for together: with their rows and values, some 50 KB.
const BLOCK: usize = 1024;

/// A key on its way through the entries.
#[derive(Clone, Copy)]
struct Search<'s> {
    hash: u64,
    entries: &'s EntriesView<'s>,
    at: u32,
    /// Its place in the answer.
    key: u32,
}

/// The keys of a block.
struct Keys<'k, 't> {
    vector: &'k Vector<'t>,
    positions: &'k [u32],
}

impl Keys<'_, '_> {
    /// Whether the key at `k` is what the column has at `i`.
    #[inline]
    fn is(&self, k: u32, found: &Vector<'_>, i: usize) -> bool {
        let p = self.positions[k as usize] as usize;
        match (&self.vector.values, &found.values) {
            (Values::String(keys), Values::String(v)) => keys.get(p) == v.get(i),
            (Values::String(keys), Values::Any(v)) => {
                matches!(&v[i], Value::String(v) if **v == *keys.get(p))
            }
            (Values::Any(keys), Values::String(v)) => {
                matches!(&keys[p], Value::String(key) if **key == *v.get(i))
            }
            (Values::Any(keys), Values::Any(v)) => match (&keys[p], &v[i]) {
                (Value::String(key), Value::String(v)) => key == v,
                (key, Value::Int(v)) => integer(key) == Some(*v),
                _ => false,
            },
            (Values::Any(keys), Values::Int(v)) => integer(&keys[p]) == Some(v[i]),
            (Values::Decimal(keys), Values::Int(v)) => keys.at(p).exact_int() == Some(v[i]),
            (Values::Decimal(keys), Values::Any(v)) => {
                matches!(&v[i], Value::Int(v) if keys.at(p).exact_int() == Some(*v))
            }
            (Values::Int(keys), Values::Any(v)) => matches!(&v[i], Value::Int(v) if *v == keys[p]),
            (Values::Float(keys), Values::Any(v)) => {
                matches!(&v[i], Value::Int(v) if exact_int(keys[p]) == Some(*v))
            }
            _ => false,
        }
    }
}

/// The integer that a key equals.
fn integer(key: &Value) -> Option<i64> {
    match key {
        Value::Int(i) => Some(*i),
        Value::Float(f) => exact_int(*f),
        Value::Decimal(d) => d.exact_int(),
        _ => None,
    }
}

impl<'s> KeyIndexView<'s> {
    /// The rows whose keys are those at `positions` of a vector, read from `column`: one a position,
    /// [`NO_ROW`] where there is none, as of null.
    ///
    /// **Cost**: a cache miss of the index and one of the column a key, waited for together.
    pub fn find_all(
        &self,
        keys: &Vector<'_>,
        positions: &[u32],
        column: &ColumnView<'_>,
        rows: &mut Vec<u32>,
    ) {
        rows.clear();
        rows.resize(positions.len(), NO_ROW);
        let mut searches = Vec::with_capacity(BLOCK.min(positions.len()));
        for (positions, rows) in positions.chunks(BLOCK).zip(rows.chunks_mut(BLOCK)) {
            searches.clear();
            self.ask_for(keys, positions, &mut searches);
            find_block(&mut searches, &Keys { vector: keys, positions }, column, rows);
        }
    }

    /// Asks for the entries of keys that may be in the index.
    fn ask_for(&self, keys: &Vector<'_>, positions: &[u32], searches: &mut Vec<Search<'s>>) {
        let mut ask = |(key, hash): (u32, u64)| {
            if let Some((entries, at)) = self.start(hash) {
                entries.prefetch(at);
                searches.push(Search { hash, entries, at: at as u32, key });
            }
        };
        let there = (0u32..).zip(positions).filter(|(_, p)| !keys.is_null(**p as usize));
        match &keys.values {
            Values::Int(v) => there.map(|(k, p)| (k, hash_int(v[*p as usize]))).for_each(ask),
            Values::Float(v) => {
                there.filter_map(|(k, p)| Some((k, hash_int(exact_int(v[*p as usize])?)))).for_each(ask);
            }
            Values::Decimal(v) => {
                there.filter_map(|(k, p)| Some((k, hash_int(v.at(*p as usize).exact_int()?)))).for_each(ask);
            }
            Values::String(v) => {
                there.map(|(k, p)| (k, hash_text(v.get(*p as usize).as_bytes()))).for_each(ask);
            }
            Values::Any(v) => {
                for (k, p) in there {
                    let key = &v[*p as usize];
                    if let Some(hash) = integer(key).map(hash_int).or_else(|| hash_of(key)) {
                        ask((k, hash));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Finds the rows of keys whose entries were asked for.
fn find_block<'s>(
    searches: &mut Vec<Search<'s>>,
    keys: &Keys<'_, '_>,
    column: &ColumnView<'_>,
    rows: &mut [u32],
) {
    let mut candidates: Vec<u64> = Vec::with_capacity(searches.len());
    while !searches.is_empty() {
        candidates.clear();
        // An empty entry ends the search.
        searches.retain_mut(|search| {
            let found = search.entries.next(search.hash, search.at as usize);
            if let Some((at, row)) = found {
                search.at = at as u32;
                candidates.push(u64::from(row));
            }
            found.is_some()
        });
        let found = column.gather_rows(&candidates);
        match (&keys.vector.values, &found.values) {
            (Values::Int(_) | Values::Float(_), Values::Int(v)) if found.nulls.is_none() => {
                // A hash is of one integer.
                settle(searches, &candidates, rows, |search, i| search.hash == hash_int(v[i]));
            }
            _ => settle(searches, &candidates, rows, |search, i| {
                !found.nulls.get(i) && keys.is(search.key, &found, i)
            }),
        }
    }
}

/// Notes the rows of those that are found, and keeps the others, which go on to the next entry. Whether it is
/// the one is a guess the processor would lose: nothing branches on it.
#[inline]
fn settle<'s>(
    searches: &mut Vec<Search<'s>>,
    candidates: &[u64],
    rows: &mut [u32],
    is: impl Fn(&Search<'s>, usize) -> bool,
) {
    let mut left = 0;
    for i in 0..searches.len().min(candidates.len()) {
        let mut search = searches[i];
        let is_found = is(&search, i);
        rows[search.key as usize] = if is_found { candidates[i] as u32 } else { NO_ROW };
        search.at = search.entries.after(search.at as usize) as u32;
        searches[left] = search;
        left += usize::from(!is_found);
    }
    searches.truncate(left);
}

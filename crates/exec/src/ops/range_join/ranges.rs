//! Where keys lie within the bounds of many probe rows, of one type: one loop over words.

use trimorph_vector::{Values, Vector};

/// Narrows the range of each position, of keys in order, to those within its bounds; each bound with whether
/// it may be equal. `false`, and nothing done, where they are of other types. Of what is null nothing is
/// found.
pub(super) fn narrow(
    keys: &Values<'_>,
    [low, high]: [Option<(&Vector<'_>, bool)>; 2],
    positions: &[u32],
    ranges: &mut [(u32, u32)],
) -> bool {
    let is_like =
        |bound: &(&Vector<'_>, bool)| std::mem::discriminant(keys) == std::mem::discriminant(&bound.0.values);
    if ![low, high].iter().flatten().all(is_like) {
        return false;
    }
    for (bound, _) in [low, high].into_iter().flatten() {
        if bound.may_have_nulls() {
            for (p, range) in positions.iter().zip(&mut *ranges) {
                if bound.is_null(*p as usize) {
                    *range = (0, 0);
                }
            }
        }
    }
    match keys {
        Values::Int(k) | Values::LocalTime(k) | Values::LocalDateTime(k) | Values::DateTime(k) => {
            let [low, high] = [low, high].map(|bound| bound.and_then(|(v, equal)| Some((words(v)?, equal))));
            search(k, low, high, positions, ranges);
        }
        Values::Date(k) => {
            let [low, high] = [low, high].map(|bound| bound.and_then(|(v, equal)| Some((days(v)?, equal))));
            search(k, low, high, positions, ranges);
        }
        _ => return false,
    }
    true
}

fn words<'a>(vector: &'a Vector<'_>) -> Option<&'a [i64]> {
    match &vector.values {
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => Some(v),
        _ => None,
    }
}

fn days<'a>(vector: &'a Vector<'_>) -> Option<&'a [i32]> {
    match &vector.values {
        Values::Date(v) => Some(v),
        _ => None,
    }
}

fn search<T: Copy + Ord>(
    keys: &[T],
    low: Option<(&[T], bool)>,
    high: Option<(&[T], bool)>,
    positions: &[u32],
    ranges: &mut [(u32, u32)],
) {
    for (p, range) in positions.iter().zip(ranges) {
        let (start, mut end) = (range.0 as usize, range.1 as usize);
        let mut from = start;
        if let Some((low, may_equal)) = low {
            let low = low[*p as usize];
            from += match may_equal {
                true => keys[start..end].partition_point(|key| *key < low),
                false => keys[start..end].partition_point(|key| *key <= low),
            };
        }
        if let Some((high, may_equal)) = high {
            let high = high[*p as usize];
            let own = &keys[from..end];
            end = from
                + match may_equal {
                    true => end_of(own, low.is_some(), |key| *key <= high),
                    false => end_of(own, low.is_some(), |key| *key < high),
                };
        }
        // Positions of a vector have 32 bits.
        *range = (from as u32, end as u32);
    }
}

/// How many of the first keys are `within`; where it is expected to be few, in steps that double.
#[inline]
fn end_of<T>(keys: &[T], is_near: bool, within: impl Fn(&T) -> bool) -> usize {
    let (mut from, mut to) = (0, keys.len());
    if is_near {
        let mut step = 1;
        while from + step <= keys.len() && within(&keys[from + step - 1]) {
            from += step;
            step *= 2;
        }
        to = keys.len().min(from + step);
    }
    from + keys[from..to].partition_point(within)
}

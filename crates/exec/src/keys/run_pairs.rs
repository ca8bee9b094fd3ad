//! Pairs of a node and another key to numbers, where all rows of a node come one after the other: what a node
//! is paired with is forgotten when the next node comes, so that the map stays in a cache whatever the rows.
//! In place of nodes there may be the numbers of rows of an apply.
//!
//! Hot loop: a comparison with the row before, and a probe of a few lines of a cache where it differs.

use trimorph_vector::{Values, Vector};

use super::KeyColumn;
use super::run_map::RunMap;
use super::words::KeyWords;

/// From pairs to numbers `0, 1, 2, …` in the order of first sight.
#[derive(Debug, Default)]
pub(crate) struct RunPairs<'s> {
    other: KeyColumn<'s>,
    words: KeyWords,
    /// What the node at hand was paired with, and the numbers.
    map: RunMap<u32>,
    node: Option<u64>,
    /// The row before: its other key and its number.
    last: Option<((u8, u64), u32)>,
    count: u32,
    /// Pairs that were let go: numbers begin behind them.
    gone: u32,
}

impl<'s> RunPairs<'s> {
    /// The numbers of the pairs at `positions`, appended to `numbers`; positions of new ones to `fresh`.
    ///
    /// **Cost**: a look-up a row at most; a text is hashed once, an entry of a dictionary once in all.
    pub(crate) fn number_all(
        &mut self,
        node: &Vector<'s>,
        other: &Vector<'s>,
        positions: &[u32],
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        self.other.intern(other, positions, &mut self.words);
        let mut next = 0;
        let number = |p: usize, node: Option<u64>| {
            if self.node != node || !self.map.has_begun() {
                (self.node, self.last) = (node, None);
                self.map.begin();
            }
            let word = self.words.get(next);
            next += 1;
            let number = match self.last {
                Some((same, number)) if same == word => number,
                _ => self.map.get_or_insert(word, self.count).unwrap_or_else(|| {
                    self.count += 1;
                    // A position of a vector.
                    fresh.push(p as u32);
                    self.count - 1
                }),
            };
            self.last = Some((word, number));
            numbers.push(number - self.gone);
        };
        each_of_runs(node, positions, number);
    }

    /// Lets the first `gone` pairs go, which are those of nodes whose rows have all come: what goes on with
    /// the others, whose numbers begin at 0. What is left knows how many there were, and nothing else.
    pub(crate) fn go_on(&mut self, gone: u32) -> Self {
        let before = Self { count: self.count, gone: self.gone, ..Self::default() };
        let mut all = std::mem::replace(self, before);
        all.gone += gone;
        all
    }

    /// How many pairs have a number.
    pub(crate) fn len(&self) -> usize {
        (self.count - self.gone) as usize
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        self.other.bytes() + self.map.bytes()
    }

    /// Bytes that may be allocated before `more` pairs have a number, texts left out.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        self.other.growth_bytes(more) + self.map.growth_bytes(more)
    }
}

/// Calls `visit` with each position and the bits of the node there, or of the number of a row; none is null.
pub(crate) fn each_of_runs(
    vector: &Vector<'_>,
    positions: &[u32],
    mut visit: impl FnMut(usize, Option<u64>),
) {
    let positions = positions.iter().map(|p| *p as usize);
    match &vector.values {
        Values::Node(nodes) if vector.nulls.is_none() => {
            nodes.for_each(positions, |p, node| visit(p, Some(node.0)));
        }
        Values::Int(numbers) => positions.for_each(|p| visit(p, Some(numbers[p] as u64))),
        _ => positions.for_each(|p| visit(p, vector.node(p).map(|node| node.0))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use trimorph_base::{NodeId, Random, TableId};
    use trimorph_types::Value;
    use trimorph_vector::Nodes;

    use super::*;

    /// Against a map of all pairs: nodes in runs, nulls among them and among the other keys, and pairs that
    /// are let go in between.
    #[test]
    fn pairs_have_the_numbers_of_a_map() {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let (mut pairs, mut model, mut gone) = (RunPairs::default(), HashMap::new(), 0);
            let mut node = 0u64;
            for _ in 0..20 {
                let len = 1 + random.below(200);
                let ids: Vec<u64> = (0..len)
                    .map(|_| {
                        node += u64::from(random.below(6) == 0);
                        node
                    })
                    .collect();
                let other: Vec<Value> = (0..len)
                    .map(|_| match random.below(4) {
                        0 => Value::Null,
                        1 => Value::Int(random.below(5) as i64),
                        2 => Value::String(["a", "b"][random.below(2)].into()),
                        _ => Value::Float(random.below(3) as f64),
                    })
                    .collect();
                let nodes = ids.iter().map(|id| NodeId::new(TableId(1), *id)).collect();
                let mut first = Vector::new(Values::Node(Nodes::Ids { table: None, ids: nodes }));
                if seed % 2 == 1 {
                    (0..len).filter(|k| ids[*k] % 7 == 3).for_each(|k| first.nulls.set(k, len));
                }
                let second = Vector::new(Values::Any(other.clone()));
                let positions: Vec<u32> = (0..len as u32).collect();
                let (mut numbers, mut fresh) = (Vec::new(), Vec::new());
                pairs.number_all(&first, &second, &positions, &mut numbers, &mut fresh);
                for k in 0..len {
                    let key = match &other[k] {
                        Value::Float(f) if f.fract() == 0.0 => format!("{}", *f as i64),
                        Value::Int(i) => format!("{i}"),
                        value => format!("{value:?}"),
                    };
                    let next = model.len() as u32;
                    let number = *model.entry((ids[k], key)).or_insert(next);
                    assert_eq!(numbers[k] + gone, number, "seed {seed}");
                    assert_eq!(fresh.contains(&(k as u32)), number == next, "seed {seed}");
                }
                assert_eq!(pairs.len() + gone as usize, model.len());
                if random.below(3) == 0 {
                    // All but those of the last node.
                    let more = model.iter().filter(|((id, _), n)| *id != node && **n >= gone).count() as u32;
                    let all = pairs.len();
                    let rest = pairs.go_on(more);
                    assert_eq!(pairs.len(), all);
                    (pairs, gone) = (rest, gone + more);
                }
            }
        }
    }
}

//! Values seen, for each of many groups: what DISTINCT inside an aggregate needs.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_store::access::NodeSet;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use super::owners::{Owners, owner_of};
use crate::ExecError;
use crate::charge::{table_bytes, table_growth_bytes};
use crate::keys::{
    DenseSet, NumberForm, RunMap, TextTable, cell_key, decode_text, encode, encode_text, fixed_bits,
};

/// Pairs of group and value.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctSet {
    /// Whether there is no group but 0.
    one_group: bool,
    /// How numbers are words here, once there are any; others get and give them in the common form.
    form: Option<NumberForm>,
    /// Of the one group: its nodes, a bit a row.
    nodes: NodeSet,
    /// Of the one group: the words of the first tag that came.
    words: DenseSet<u64>,
    words_tag: Option<u8>,
    /// Group and tag, and the word.
    fixed: DenseSet<(u64, u64)>,
    /// The same of the group at hand only, where groups come one after the other.
    run: Option<RunValues>,
    /// All texts, whatever their groups.
    texts: TextTable<'static>,
    /// Groups, and the numbers of their texts: of the one group these are all.
    texts_of: DenseSet<u64>,
    /// All other values, encoded and numbered, whatever their groups.
    general: FxHashMap<Arc<[u8]>, u32>,
    general_bytes: usize,
    /// Groups, and the numbers of these.
    general_of: DenseSet<u64>,
    scratch: Vec<u8>,
}

/// The values of the group at hand.
#[derive(Clone, Debug, Default)]
struct RunValues {
    group: u32,
    values: RunMap<()>,
}

impl RunValues {
    /// Takes a value in; `false` if the group has it. Groups come in order.
    #[inline]
    fn insert(&mut self, group: u32, tag: u8, bits: u64) -> bool {
        if group != self.group || !self.values.has_begun() {
            self.group = group;
            self.values.begin();
        }
        self.values.get_or_insert((tag, bits), ()).is_none()
    }

    /// Group, tag and bits of each.
    fn all(&self) -> impl Iterator<Item = (u32, u8, u64)> {
        self.values.keys().map(|(tag, bits)| (self.group, tag, bits))
    }
}

/// Pairs that leave a set.
#[derive(Default)]
pub(super) struct DistinctValues {
    nodes: NodeSet,
    fixed: Vec<(u32, u8, u64)>,
    general: Vec<(u32, Arc<[u8]>)>,
}

/// A group and the number of a text as one word.
fn text_key(group: u32, text: u32) -> u64 {
    u64::from(group) << 32 | u64::from(text)
}

/// A group and a tag as one word.
fn group_key(group: u32, tag: u8) -> u64 {
    u64::from(group) << 8 | u64::from(tag)
}

/// What [`group_key`] was made of.
#[expect(clippy::cast_possible_truncation, reason = "40 bits: a group and a tag")]
fn group_and_tag(key: u64) -> (u32, u8) {
    ((key >> 8) as u32, key as u8)
}

/// The encoded form of a text.
fn bytes_of(text: &str) -> Arc<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 9);
    encode_text(text, &mut bytes);
    bytes.into()
}

impl DistinctSet {
    /// No values; `one_group` if there will be no other group than 0.
    pub(super) fn new(one_group: bool) -> Self {
        Self { one_group, ..Self::default() }
    }

    /// The same where groups come one after the other, and values are counted only.
    pub(super) fn in_runs() -> Self {
        Self { run: Some(RunValues::default()), ..Self::default() }
    }

    /// Takes in the values at `positions`, nulls left out, each of its group; calls `fresh` with the groups
    /// and positions of those that are new.
    ///
    /// **Cost**: a look-up a value; a text is hashed once.
    pub(super) fn insert_all(
        &mut self,
        groups: &[u32],
        positions: &[u32],
        vector: &Vector<'_>,
        mut fresh: impl FnMut(u32, u32),
    ) {
        let (mut kept_groups, mut kept) = (Vec::new(), Vec::new());
        let (groups, positions) = if vector.may_have_nulls() {
            for (group, p) in groups.iter().zip(positions).filter(|(_, p)| !vector.is_null(**p as usize)) {
                kept_groups.push(*group);
                kept.push(*p);
            }
            (&kept_groups[..], &kept[..])
        } else {
            (groups, positions)
        };
        let mut bits = Vec::new();
        match &vector.values {
            Values::Node(nodes) if self.one_group => {
                for p in positions {
                    if self.nodes.insert(nodes.id(*p as usize)) {
                        fresh(0, *p);
                    }
                }
            }
            Values::String(texts) => {
                let (before, mut found) = (self.texts.texts().len(), Vec::with_capacity(positions.len()));
                self.texts.number_read(texts, positions, |number| found.push(number));
                if self.one_group {
                    let mut next = before as u32;
                    for (number, p) in found.iter().zip(positions) {
                        if *number == next {
                            next += 1;
                            fresh(0, *p);
                        }
                    }
                    return;
                }
                let keys: Vec<u64> = groups.iter().zip(found).map(|(g, n)| text_key(*g, n)).collect();
                self.texts_of.insert_all(&keys, |k| fresh(groups[k], positions[k]));
            }
            _ => match self.bits(vector, positions, &mut bits) {
                Some(tag) if self.one_group && *self.words_tag.get_or_insert(tag) == tag => {
                    self.words.insert_all(&bits, |k| fresh(0, positions[k]));
                }
                Some(tag) if let Some(run) = &mut self.run => {
                    for ((group, bits), p) in groups.iter().zip(bits).zip(positions) {
                        if run.insert(*group, tag, bits) {
                            fresh(*group, *p);
                        }
                    }
                }
                Some(tag) => {
                    let keys: Vec<_> =
                        groups.iter().zip(bits).map(|(g, bits)| (group_key(*g, tag), bits)).collect();
                    self.fixed.insert_all(&keys, |k| fresh(groups[k], positions[k]));
                }
                None => {
                    for (group, p) in groups.iter().zip(positions) {
                        if self.insert(*group, vector, *p as usize) {
                            fresh(*group, *p);
                        }
                    }
                }
            },
        }
    }

    /// The bits of the values at `positions`, none of which is null, if all have the same tag.
    fn bits(&mut self, vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<u8> {
        if self.form.is_none() && !positions.is_empty() {
            self.form = Some(NumberForm::for_values(vector, positions));
        }
        let form = self.form.unwrap_or(NumberForm::Common);
        form.float_bits(vector, positions, out).or_else(|| {
            let tag = fixed_bits(vector, positions, out)?;
            // Those of the other form are told apart one by one.
            (form.of((tag, 0)).0 == tag).then_some(tag)
        })
    }

    /// Whether the value at `i`, which is not null, is new to `group`.
    fn insert(&mut self, group: u32, vector: &Vector<'_>, i: usize) -> bool {
        if self.one_group
            && let Some(node) = vector.node(i)
        {
            return self.nodes.insert(node);
        }
        if let Some((tag, bits)) = cell_key(vector, i) {
            return self.insert_fixed(group, tag, bits);
        }
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        encode(vector, i, &mut bytes);
        let is_new = self.insert_general(group, &bytes);
        self.scratch = bytes;
        is_new
    }

    /// Whether a word of the common form is new to a group.
    fn insert_fixed(&mut self, group: u32, tag: u8, bits: u64) -> bool {
        let (tag, bits) = self.form.get_or_insert(NumberForm::Common).of((tag, bits));
        if self.one_group && *self.words_tag.get_or_insert(tag) == tag {
            return self.words.insert(bits);
        }
        match &mut self.run {
            Some(run) => run.insert(group, tag, bits),
            None => self.fixed.insert((group_key(group, tag), bits)),
        }
    }

    fn insert_general(&mut self, group: u32, bytes: &[u8]) -> bool {
        if let Some(text) = decode_text(bytes) {
            let next = self.texts.texts().len() as u32;
            let number = self.texts.number_one(text);
            if self.one_group {
                return number == next;
            }
            return self.texts_of.insert(text_key(group, number));
        }
        let number = match self.general.get(bytes) {
            Some(number) => *number,
            None => {
                let number = self.general.len() as u32;
                self.general_bytes += bytes.len() + 32;
                self.general.insert(bytes.into(), number);
                number
            }
        };
        self.general_of.insert(text_key(group, number))
    }

    /// The other values of groups.
    #[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
    fn general(&self) -> impl Iterator<Item = (u32, Arc<[u8]>)> {
        let mut values: Vec<Option<&Arc<[u8]>>> = vec![None; self.general.len()];
        for (bytes, number) in &self.general {
            values[*number as usize] = Some(bytes);
        }
        let of = move |key: u64| values.get(key as u32 as usize).copied().flatten().cloned();
        self.general_of.iter().filter_map(move |key| Some(((key >> 32) as u32, of(key)?)))
    }

    /// The values of a fixed size: group, tag and bits, in the common form. Where groups come one after the
    /// other, those of the group at hand.
    fn fixed(&self) -> impl Iterator<Item = (u32, u8, u64)> {
        let words = self.words.iter().map(|bits| (0, self.words_tag.unwrap_or(0), bits));
        let fixed = self.fixed.iter().map(|(key, bits)| {
            let (group, tag) = group_and_tag(key);
            (group, tag, bits)
        });
        let form = self.form.unwrap_or(NumberForm::Common);
        words.chain(fixed).chain(self.run.iter().flat_map(RunValues::all)).map(move |(group, tag, bits)| {
            let (tag, bits) = form.common((tag, bits));
            (group, tag, bits)
        })
    }

    /// The texts of groups.
    #[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
    fn texts(&self) -> impl Iterator<Item = (u32, &str)> {
        let texts = self.texts.texts();
        let all = if self.one_group { texts.len() } else { 0 };
        let pairs = self.texts_of.iter().map(|key| ((key >> 32) as u32, texts.get(key as u32 as usize)));
        (0..all).map(|number| (0, texts.get(number))).chain(pairs)
    }

    /// Everything.
    pub(super) fn into_values(mut self) -> DistinctValues {
        let texts = self.texts().map(|(group, text)| (group, bytes_of(text))).collect::<Vec<_>>();
        DistinctValues {
            fixed: self.fixed().collect(),
            nodes: std::mem::take(&mut self.nodes),
            general: self.general().chain(texts).collect(),
        }
    }

    /// What goes to each owner with its groups; what is copied stays behind too, where nobody looks at it.
    pub(super) fn copy_to(&self, owners: &Owners) -> Vec<DistinctValues> {
        let mut out: Vec<DistinctValues> = (0..owners.count()).map(|_| DistinctValues::default()).collect();
        for (group, tag, bits) in self.fixed() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].fixed.push((place, tag, bits));
            }
        }
        for (group, text) in self.texts() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].general.push((place, bytes_of(text)));
            }
        }
        for (group, bytes) in self.general() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].general.push((place, bytes));
            }
        }
        out
    }

    /// Where there is one group: leaves the values that hash to `own`, gives those of the other owners. Nodes
    /// are all worker 0's: sets of bits are merged as fast as they are read.
    pub(super) fn split(&mut self, own: usize, count: usize) -> Vec<DistinctValues> {
        let mut out: Vec<DistinctValues> = (0..count).map(|_| DistinctValues::default()).collect();
        if own != 0 {
            out[0].nodes = std::mem::take(&mut self.nodes);
        }
        let left = Self { nodes: std::mem::take(&mut self.nodes), ..Self::new(self.one_group) };
        let all = std::mem::replace(self, left);
        for (group, tag, bits) in all.fixed() {
            match owner_of([tag.into(), bits], count) {
                o if o == own => drop(self.insert_fixed(group, tag, bits)),
                o => out[o].fixed.push((group, tag, bits)),
            }
        }
        let texts = all.texts().map(|(group, text)| (group, bytes_of(text)));
        for (group, bytes) in texts.chain(all.general()) {
            match owner_of(bytes.iter().map(|b| u64::from(*b)), count) {
                o if o == own => drop(self.insert_general(group, &bytes)),
                o => out[o].general.push((group, bytes)),
            }
        }
        out
    }

    /// Takes other values in, their groups renumbered; calls `fresh` with a group and how many values are new
    /// to it.
    pub(super) fn merge(&mut self, other: DistinctValues, renumber: &[u32], mut fresh: impl FnMut(u32, u64)) {
        if self.one_group {
            let before = self.nodes.len();
            self.nodes.merge(&other.nodes);
            fresh(0, self.nodes.len() - before);
        }
        for (group, tag, bits) in other.fixed {
            let group = renumber[group as usize];
            fresh(group, self.insert_fixed(group, tag, bits).into());
        }
        for (group, bytes) in other.general {
            let group = renumber[group as usize];
            fresh(group, self.insert_general(group, &bytes).into());
        }
    }

    /// Calls `visit` with the values that are no bits of nodes, some at a time: their groups, tags, bits, and
    /// the bytes of those that have no fixed size.
    pub(super) fn listed(
        &self,
        most: usize,
        mut visit: impl FnMut(&[u32], Vec<i64>, Vec<i64>, Vec<Value>) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let fixed = self.fixed().map(|(group, tag, bits)| (group, tag.into(), bits, Value::Null));
        let general = self.general().map(|(group, bytes)| (group, -1, 0, Value::Bytes(bytes)));
        let texts = self.texts();
        let texts = texts.map(|(group, text)| (group, -1, 0, Value::Bytes(bytes_of(text))));
        let mut all = fixed.chain(general).chain(texts);
        loop {
            let (mut groups, mut tags, mut bits, mut bytes) = (vec![], vec![], vec![], vec![]);
            for (group, tag, word, value) in all.by_ref().take(most) {
                groups.push(group);
                tags.push(tag);
                bits.push(word.cast_signed());
                bytes.push(value);
            }
            if groups.is_empty() {
                return Ok(());
            }
            visit(&groups, tags, bits, bytes)?;
        }
    }

    /// Forgets those.
    pub(super) fn forget_listed(&mut self) {
        *self = Self { nodes: std::mem::take(&mut self.nodes), ..Self::new(self.one_group) };
    }

    /// How many pairs there are.
    /// Those of a group that others come after are not counted.
    pub(super) fn len(&self) -> u64 {
        let texts = if self.one_group { self.texts.texts().len() } else { self.texts_of.len() };
        let run = self.run.as_ref().map_or(0, |run| run.values.len());
        self.nodes.len() + (self.words.len() + self.fixed.len() + run + texts + self.general_of.len()) as u64
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.words.bytes()
            + self.fixed.bytes()
            + self.run.as_ref().map_or(0, |run| run.values.bytes())
            + self.texts.bytes()
            + self.texts_of.bytes()
            + table_bytes::<(Arc<[u8]>, u32)>(self.general.capacity())
            + self.general_bytes
            + self.general_of.bytes()
    }

    /// Bytes that may be allocated before `more` values have come, texts left out: what moves is given back.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        // What has come says what will: of most kinds there is none.
        let words = if self.words.len() > 0 { self.words.growth_bytes(more) } else { 0 };
        let fixed = if self.fixed.len() > 0 { self.fixed.growth_bytes(more) } else { 0 };
        let texts = if self.texts.texts().is_empty() { 0 } else { self.texts.growth_bytes(more) };
        let texts_of = if self.texts_of.len() > 0 { self.texts_of.growth_bytes(more) } else { 0 };
        let general = (self.general.len(), self.general.capacity());
        let general = match general.0 {
            0 => 0,
            len => {
                table_growth_bytes::<(Arc<[u8]>, u32)>(len, general.1, more)
                    + self.general_of.growth_bytes(more)
            }
        };
        let run = self.run.as_ref().map_or(0, |run| run.values.growth_bytes(more));
        words + fixed + run + texts + texts_of + general
    }
}

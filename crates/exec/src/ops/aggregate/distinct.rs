//! Values seen, for each of many groups: what DISTINCT inside an aggregate needs.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use trimorph_store::access::NodeSet;
use trimorph_types::Value;
use trimorph_vector::{Texts, Values, Vector};

use super::owners::{Owners, owner_of};
use crate::ExecError;
use crate::charge::{table_bytes, table_growth_bytes};
use crate::keys::{
    Bits, DenseSet, NO_NUMBER, NumberForm, RunMap, TextTable, block_of, cell_key, decode_text, encode,
    encode_text, fixed_bits, words_of,
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
    /// Words that lie side by side: group, tag, block and its words.
    blocks: Vec<(u32, u8, u64, Bits)>,
    /// Each once, and the groups that have them: group and place in `texts`.
    texts: Texts<'static>,
    texts_of: Vec<(u32, u32)>,
    general: Vec<(u32, Arc<[u8]>)>,
}

/// Pairs that are taken in at once: what is made of them stays in the nearest cache.
const MERGED_AT_ONCE: usize = 1 << 10;

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

/// What [`text_key`] was made of.
#[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
fn group_and_text(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// The encoded form of a text.
fn bytes_of(text: &str) -> Arc<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 9);
    encode_text(text, &mut bytes);
    bytes.into()
}

impl DistinctValues {
    fn push_text(&mut self, group: u32, text: &str) {
        // Numbers are 32 bits.
        self.texts_of.push((group, self.texts.len() as u32));
        self.texts.push(text);
    }

    /// Copies the texts whose numbers among `texts` are in the pairs, and gives the pairs their places here.
    /// `places` has nothing of any of them, before and after.
    fn take_texts(&mut self, texts: &Texts<'_>, places: &mut [u32]) {
        let mut taken = Vec::new();
        for (_, text) in &mut self.texts_of {
            let place = &mut places[*text as usize];
            if *place == NO_NUMBER {
                // Numbers are 32 bits.
                *place = self.texts.len() as u32;
                self.texts.push(texts.get(*text as usize));
                taken.push(*text);
            }
            *text = *place;
        }
        taken.into_iter().for_each(|text| places[text as usize] = NO_NUMBER);
    }
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
            // The one group has what there is.
            Some(_) if self.one_group => return false,
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
        let of_block = |(group, tag, block, bits): (u32, u8, u64, &Bits)| {
            words_of(block, bits).map(move |bits| (group, tag, bits))
        };
        self.singles().chain(self.blocks().flat_map(of_block))
    }

    /// Those of them that are kept as words of blocks, and are the same in the common form.
    fn blocks(&self) -> impl Iterator<Item = (u32, u8, u64, &Bits)> {
        let form = self.form.unwrap_or(NumberForm::Common);
        self.all_blocks().filter(move |(_, tag, ..)| form.is_common(*tag))
    }

    /// The others of them.
    fn singles(&self) -> impl Iterator<Item = (u32, u8, u64)> {
        let words = self.words.keys().map(|bits| (0, self.words_tag.unwrap_or(0), bits));
        let fixed = self.fixed.keys().map(|(key, bits)| {
            let (group, tag) = group_and_tag(key);
            (group, tag, bits)
        });
        let form = self.form.unwrap_or(NumberForm::Common);
        let others = self.all_blocks().filter(move |(_, tag, ..)| !form.is_common(*tag));
        let others = others
            .flat_map(|(group, tag, block, bits)| words_of(block, bits).map(move |bits| (group, tag, bits)));
        let run = self.run.iter().flat_map(RunValues::all);
        words.chain(fixed).chain(others).chain(run).map(move |(group, tag, bits)| {
            let (tag, bits) = form.common((tag, bits));
            (group, tag, bits)
        })
    }

    /// Group, tag, block and words of each block.
    fn all_blocks(&self) -> impl Iterator<Item = (u32, u8, u64, &Bits)> {
        let words = self.words.blocks().map(|(block, bits)| (0, self.words_tag.unwrap_or(0), block, bits));
        words.chain(self.fixed.blocks().map(|((key, block), bits)| {
            let (group, tag) = group_and_tag(key);
            (group, tag, block, bits)
        }))
    }

    /// The groups of texts and the numbers of these.
    fn texts_of(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = if self.one_group { self.texts.texts().len() } else { 0 };
        // Numbers are 32 bits.
        (0..all).map(|number| (0, number as u32)).chain(self.texts_of.iter().map(group_and_text))
    }

    /// The texts of groups.
    fn texts(&self) -> impl Iterator<Item = (u32, &str)> {
        let texts = self.texts.texts();
        self.texts_of().map(|(group, number)| (group, texts.get(number as usize)))
    }

    /// Everything.
    pub(super) fn into_values(mut self) -> DistinctValues {
        DistinctValues {
            fixed: self.singles().collect(),
            blocks: self.blocks().map(|(group, tag, block, bits)| (group, tag, block, *bits)).collect(),
            nodes: std::mem::take(&mut self.nodes),
            texts_of: self.texts_of().collect(),
            general: self.general().collect(),
            texts: self.texts.into_texts(),
        }
    }

    /// What goes to each owner with its groups; what is copied stays behind too, where nobody looks at it.
    pub(super) fn copy_to(&self, owners: &Owners) -> Vec<DistinctValues> {
        let mut out: Vec<DistinctValues> = (0..owners.count()).map(|_| DistinctValues::default()).collect();
        for (group, tag, bits) in self.singles() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].fixed.push((place, tag, bits));
            }
        }
        for (group, tag, block, bits) in self.blocks() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].blocks.push((place, tag, block, *bits));
            }
        }
        for (group, number) in self.texts_of() {
            let (owner, place) = owners.of(group);
            if owner != owners.own {
                out[owner].texts_of.push((place, number));
            }
        }
        let mut places = vec![NO_NUMBER; self.texts.texts().len()];
        out.iter_mut().for_each(|values| values.take_texts(self.texts.texts(), &mut places));
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
        // A worker may have words one by one that another has as a block.
        for (group, tag, bits) in all.singles() {
            out[owner_of([tag.into(), block_of(bits)], count)].fixed.push((group, tag, bits));
        }
        for (group, tag, block, bits) in all.blocks() {
            out[owner_of([tag.into(), block], count)].blocks.push((group, tag, block, *bits));
        }
        for (group, text) in all.texts() {
            out[owner_of([FxBuildHasher.hash_one(text)], count)].push_text(group, text);
        }
        for (group, bytes) in all.general() {
            let owner = owner_of(bytes.iter().map(|b| u64::from(*b)), count);
            out[owner].general.push((group, bytes));
        }
        drop(all);
        let kept = std::mem::take(&mut out[own]);
        self.merge(kept, &[0], |_, _| {});
        out
    }

    /// Takes other values in, their groups renumbered; calls `fresh` with a group and how many values are new
    /// to it.
    ///
    /// **Cost**: a look-up a value, of which many are waited for at once; a text is hashed once, whatever
    /// groups have it.
    pub(super) fn merge(&mut self, other: DistinctValues, renumber: &[u32], mut fresh: impl FnMut(u32, u64)) {
        if self.one_group {
            let before = self.nodes.len();
            self.nodes.merge(&other.nodes);
            fresh(0, self.nodes.len() - before);
        }
        for (group, tag, block, bits) in &other.blocks {
            self.merge_block(renumber[*group as usize], (*tag, *block, bits), &mut fresh);
        }
        other.fixed.chunks(MERGED_AT_ONCE).for_each(|values| self.merge_fixed(values, renumber, &mut fresh));
        let before = self.texts.texts().len();
        let mut numbers = Vec::with_capacity(other.texts.len());
        // Numbers are 32 bits.
        let all: Vec<u32> = (0..other.texts.len() as u32).collect();
        self.texts.number_read(&other.texts, &all, |number| numbers.push(number));
        if self.one_group {
            fresh(0, (self.texts.texts().len() - before) as u64);
        } else {
            for pairs in other.texts_of.chunks(MERGED_AT_ONCE) {
                let key =
                    |(group, text): &(u32, u32)| text_key(renumber[*group as usize], numbers[*text as usize]);
                let keys: Vec<u64> = pairs.iter().map(key).collect();
                self.texts_of.insert_all(&keys, |k| fresh(group_and_text(keys[k]).0, 1));
            }
        }
        for (group, bytes) in other.general {
            let group = renumber[group as usize];
            fresh(group, self.insert_general(group, &bytes).into());
        }
    }

    /// The same of a block of words of the common form.
    fn merge_block(
        &mut self,
        group: u32,
        (tag, block, bits): (u8, u64, &Bits),
        fresh: &mut impl FnMut(u32, u64),
    ) {
        let is_common = self.form.get_or_insert(NumberForm::Common).is_common(tag);
        if is_common && self.one_group && *self.words_tag.get_or_insert(tag) == tag {
            fresh(group, self.words.insert_block(block, bits));
        } else if is_common && !self.one_group && self.run.is_none() {
            fresh(group, self.fixed.insert_block((group_key(group, tag), block), bits));
        } else {
            words_of(block, bits).for_each(|word| fresh(group, self.insert_fixed(group, tag, word).into()));
        }
    }

    /// The same of some words of the common form.
    fn merge_fixed(&mut self, values: &[(u32, u8, u64)], renumber: &[u32], fresh: &mut impl FnMut(u32, u64)) {
        let Some((_, tag, _)) = values.first() else { return };
        let form = *self.form.get_or_insert(NumberForm::Common);
        if self.one_group && values.iter().all(|(_, other, _)| other == tag) {
            let words: Vec<(u8, u64)> = values.iter().map(|(_, tag, bits)| form.of((*tag, *bits))).collect();
            let own = *self.words_tag.get_or_insert(words[0].0);
            if words.iter().all(|(tag, _)| *tag == own) {
                let bits: Vec<u64> = words.iter().map(|(_, bits)| *bits).collect();
                return self.words.insert_all(&bits, |_| fresh(0, 1));
            }
        }
        if self.one_group || self.run.is_some() {
            for (group, tag, bits) in values {
                let group = renumber[*group as usize];
                fresh(group, self.insert_fixed(group, *tag, *bits).into());
            }
            return;
        }
        let key = |(group, tag, bits): &(u32, u8, u64)| {
            let (tag, bits) = form.of((*tag, *bits));
            (group_key(renumber[*group as usize], tag), bits)
        };
        let keys: Vec<(u64, u64)> = values.iter().map(key).collect();
        self.fixed.insert_all(&keys, |k| fresh(group_and_tag(keys[k].0).0, 1));
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

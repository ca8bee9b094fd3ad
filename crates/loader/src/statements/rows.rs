//! Classes and predicates in, the table and row of each term out.
//!
//! 1. Each set of classes is a table (`label_sets.rs`); terms without a class, and those of sets that are too
//!    many, are in one table.
//! 2. Rows are in the order in which terms came, but for those of that table: these lie by their classes and
//!    their characteristic set, the set of predicates that they are subjects of. So most segments of that
//!    table's many columns are empty or full.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use trimorph_base::{NodeId, TableId};
use trimorph_store::bulk::NumberedLabels;
use trimorph_types::iri_names::{LITERAL_LABEL, TRIPLE_LABEL};

use super::dictionary::Dictionary;
use super::gathered::Predicate;
use super::label_sets::{EDGE_TABLES_MAX, LabelSets};

/// Most characteristic sets of a table that statistics know.
const SETS_MAX: usize = 1_024;

/// Characteristic sets: predicates by their numbers, and how many rows have exactly these.
pub(super) type CountedSets = Vec<(Vec<u32>, u64)>;

/// Which table and row each term has.
pub(super) struct Tables {
    /// By number: rows of all tables, one table's behind those of the one before.
    places: Vec<u32>,
    /// The first place of each table.
    firsts: Vec<u64>,
    labels: Vec<Vec<String>>,
    rows: Vec<u64>,
    sets: Vec<CountedSets>,
    /// The labels that rows of the first table have by themselves.
    row_labels: Option<NumberedLabels>,
}

/// Terms of each table, in the order of rows.
pub(super) type TermsOfTables = Vec<Vec<u32>>;

impl Tables {
    /// Of terms, their classes (sorted), and the predicates' statements.
    pub(super) fn of(
        terms: &Dictionary,
        types: Vec<(u32, u32)>,
        classes: &[String],
        predicates: &[Predicate],
    ) -> (Self, TermsOfTables) {
        let count = terms.len();
        let label_sets = LabelSets::of(count, &types, classes, predicates, EDGE_TABLES_MAX);
        let LabelSets { mut labels, mut table_of, by_row, set_of } = label_sets;
        drop(types);
        let mut triples = None;
        for (number, table) in (0..).zip(&mut table_of) {
            if *table == 0 && terms.starts_with(number, "<<(") {
                *table = *triples.get_or_insert_with(|| {
                    labels.push(vec![TRIPLE_LABEL.to_owned()]);
                    (labels.len() - 1) as u16
                });
            }
        }
        let marks = marks(count, &table_of, predicates);
        let mut counts = vec![0; labels.len()];
        table_of.iter().for_each(|table| counts[usize::from(*table)] += 1);
        let mut members: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
        (0..).zip(&table_of).for_each(|(number, table)| members[usize::from(*table)].push(number));
        by_set(&mut members[0], &marks, &set_of);
        let mut sets = sets(&members, &marks, &table_of, predicates);
        drop(marks);
        let row_labels = (!by_row.is_empty()).then(|| NumberedLabels {
            names: classes.to_vec(),
            sets: by_row,
            rows: members[0].iter().map(|number| set_of[*number as usize]).collect(),
        });
        drop((set_of, table_of));
        // No table where no term is without a class.
        if members[0].is_empty() && members.len() > 1 {
            labels.remove(0);
            sets.remove(0);
            members.remove(0);
        }
        let mut places = vec![0; count];
        let (mut firsts, mut next) = (Vec::with_capacity(members.len()), 0u32);
        for members in &members {
            firsts.push(next.into());
            for number in members {
                // There are fewer terms than numbers of 32 bits.
                places[*number as usize] = next;
                next += 1;
            }
        }
        let rows = members.iter().map(|members| members.len() as u64).collect();
        (Self { places, firsts, labels, rows, sets, row_labels }, members)
    }

    /// How many tables there are.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The node of a term.
    #[inline]
    pub(super) fn node(&self, term: u32) -> NodeId {
        let place = u64::from(self.places[term as usize]);
        let table = self.firsts.partition_point(|first| *first <= place).saturating_sub(1);
        NodeId::new(TableId(table as u16), place - self.firsts[table])
    }

    /// The rows of a table.
    pub(super) fn rows(&self, table: usize) -> u64 {
        self.rows[table]
    }

    /// Adds the table of nodes that stand for literals.
    pub(super) fn add_literals(&mut self, rows: u64) -> TableId {
        self.labels.push(vec![LITERAL_LABEL.to_owned()]);
        self.rows.push(rows);
        self.sets.push(Vec::new());
        TableId((self.labels.len() - 1) as u16)
    }

    /// The labels that rows of the first table have by themselves.
    pub(super) fn take_row_labels(&mut self) -> Option<NumberedLabels> {
        self.row_labels.take()
    }

    /// Labels, rows and characteristic sets of all tables.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (Vec<String>, u64, CountedSets)> {
        let parts = self.labels.into_iter().zip(self.rows).zip(self.sets);
        parts.map(|((labels, rows), sets)| (labels, rows, sets))
    }
}

/// A number for each term that two have in common, as good as surely, exactly if they are subjects of the
/// same predicates; 0 for terms that are no subject.
fn marks(count: usize, table_of: &[u16], predicates: &[Predicate]) -> Vec<u64> {
    let mut marks = vec![0u64; count];
    // One more than the predicate that was counted last.
    let mut last = vec![0u32; count];
    for (at, predicate) in (1u32..).zip(predicates) {
        let salt = u64::from(at).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut mark = |subject: usize| {
            if last[subject] != at {
                last[subject] = at;
                marks[subject] =
                    (marks[subject] ^ salt).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(29) | 1;
            }
        };
        predicate.literals.subjects.each(|subject| mark(subject as usize));
        // Of terms with a class, only properties are columns of theirs.
        predicate.edges.subjects.each(|subject| {
            if table_of[subject as usize] == 0 {
                mark(subject as usize);
            }
        });
    }
    marks
}

/// Puts the terms of each label set and characteristic set together, sets in the order in which they came;
/// terms that are no subject come last.
fn by_set(members: &mut Vec<u32>, marks: &[u64], set_of: &[u32]) {
    let set = |number: u32| (set_of.get(number as usize).copied().unwrap_or(0), marks[number as usize]);
    let mut order: HashMap<(u32, u64), u32, RandomState> = HashMap::default();
    for number in members.iter() {
        let next = order.len() as u32;
        order.entry(set(*number)).or_insert(next);
    }
    let last = order.len() as u32;
    order.insert((0, 0), last);
    // Where the members of each set go: they come in the order of their numbers.
    let orders: Vec<u32> = members.iter().map(|number| order[&set(*number)]).collect();
    let mut starts = vec![0u32; last as usize + 2];
    orders.iter().for_each(|own| starts[*own as usize + 1] += 1);
    (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let mut sorted = vec![0; members.len()];
    for (number, own) in members.iter().zip(orders) {
        let at = &mut starts[own as usize];
        sorted[*at as usize] = *number;
        *at += 1;
    }
    *members = sorted;
}

/// The most frequent characteristic sets of each table.
fn sets(members: &[Vec<u32>], marks: &[u64], table_of: &[u16], predicates: &[Predicate]) -> Vec<CountedSets> {
    // One term stands for its set.
    let mut stands: HashMap<u32, usize, RandomState> = HashMap::default();
    let mut sets: Vec<CountedSets> = Vec::new();
    for members in members {
        let mut counts: HashMap<u64, (u32, u64), RandomState> = HashMap::default();
        for number in members {
            counts.entry(marks[*number as usize]).or_insert((*number, 0)).1 += 1;
        }
        let mut counts: Vec<(u32, u64)> = counts.into_values().collect();
        counts.sort_unstable_by_key(|(first, count)| (std::cmp::Reverse(*count), *first));
        counts.truncate(SETS_MAX);
        stands.extend(counts.iter().enumerate().map(|(at, (first, _))| (*first, at)));
        sets.push(counts.into_iter().map(|(_, count)| (Vec::new(), count)).collect());
    }
    let mut is_one = vec![false; marks.len()];
    stands.keys().for_each(|number| is_one[*number as usize] = true);
    for (at, predicate) in (0u32..).zip(predicates) {
        predicate.literals.subjects.each(|subject| {
            if !is_one[subject as usize] {
                return;
            }
            let Some(set) = stands.get(&(subject as u32)) else { return };
            let own = &mut sets[usize::from(table_of[subject as usize])][*set].0;
            if own.last() != Some(&at) {
                own.push(at);
            }
        });
    }
    sets
}

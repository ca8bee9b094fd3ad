//! Subjects and their classes in; out, the label sets that get tables of their own, and what all others have.
//!
//! 1. Subjects with the same classes have one label set.
//! 2. The most frequent sets get tables, as many as may be: beyond [`TABLES_MAX`] each costs more than it
//!    gains, and every predicate out of every table is an edge table, of which ids tell 65,536 apart.
//! 3. Subjects of the other sets are in the table of terms without a class, and have their labels by the
//!    row, as in a database that such nodes are inserted into.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::gathered::Predicate;

/// Most label sets that get a table of their own, terms without a class among them.
const TABLES_MAX: usize = 250;
/// Most edge tables out of tables of label sets: half of those that ids tell apart.
pub(super) const EDGE_TABLES_MAX: usize = 1 << 15;

/// Which labels each term has.
pub(super) struct LabelSets {
    /// The label set of each table, that of terms without a class first.
    pub(super) labels: Vec<Vec<String>>,
    /// By term.
    pub(super) table_of: Vec<u16>,
    /// Sets without a table, as numbers of classes in the order of their names.
    pub(super) by_row: Vec<Vec<u32>>,
    /// By term, one more than the index of its set among these; 0 where its table says it. Empty where
    /// every set has a table.
    pub(super) set_of: Vec<u32>,
}

impl LabelSets {
    /// Of so many terms, subjects and their classes in order, and the statements of predicates.
    pub(super) fn of(
        count: usize,
        types: &[(u32, u32)],
        classes: &[String],
        predicates: &[Predicate],
        edge_tables_max: usize,
    ) -> Self {
        // One more than the set of each term.
        let mut set_of = vec![0u32; count];
        let mut known: HashMap<Vec<u32>, u32, RandomState> = HashMap::default();
        let mut terms: Vec<u64> = Vec::new();
        for own in types.chunk_by(|a, b| a.0 == b.0) {
            let classes: Vec<u32> = own.iter().map(|(_, class)| *class).collect();
            let next = terms.len() as u32;
            let set = *known.entry(classes).or_insert(next);
            if set == next {
                terms.push(0);
            }
            terms[set as usize] += 1;
            set_of[own[0].0 as usize] = set + 1;
        }
        let has_table = with_tables(&terms, &set_of, predicates, edge_tables_max);
        let mut sets = vec![Vec::new(); terms.len()];
        for (mut set, number) in known {
            set.sort_by(|a, b| classes[*a as usize].cmp(&classes[*b as usize]));
            sets[number as usize] = set;
        }
        let (mut labels, mut by_row) = (vec![Vec::new()], Vec::new());
        // The table of each set, or its number among those that have none.
        let places: Vec<Result<u16, u32>> = (sets.into_iter().zip(has_table))
            .map(|(set, has_table)| {
                if has_table {
                    labels.push(set.iter().map(|class| classes[*class as usize].clone()).collect());
                    return Ok((labels.len() - 1) as u16);
                }
                by_row.push(set);
                Err(by_row.len() as u32)
            })
            .collect();
        let mut table_of = vec![0u16; count];
        for (set, table) in set_of.iter_mut().zip(&mut table_of) {
            let place = (*set as usize).checked_sub(1).map_or(Ok(0), |set| places[set]);
            (*table, *set) = place.map_or_else(|number| (0, number), |table| (table, 0));
        }
        if by_row.is_empty() {
            set_of = Vec::new();
        }
        Self { labels, table_of, by_row, set_of }
    }
}

/// Which sets get tables: the most frequent, as many as may be.
fn with_tables(terms: &[u64], set_of: &[u32], predicates: &[Predicate], edge_tables_max: usize) -> Vec<bool> {
    let sets = terms.len();
    let edge_tables = match (sets + 1).saturating_mul(predicates.len()) <= edge_tables_max {
        true => vec![0; sets],
        false => edge_tables(sets, set_of, predicates),
    };
    let mut order: Vec<usize> = (0..sets).collect();
    order.sort_by_key(|set| (std::cmp::Reverse(terms[*set]), *set));
    let mut has_table = vec![false; sets];
    // The table of terms without a class may have an edge table for each predicate.
    let mut left = edge_tables_max.saturating_sub(predicates.len());
    for set in order.into_iter().take(TABLES_MAX - 1) {
        let Some(rest) = left.checked_sub(edge_tables[set]) else { break };
        left = rest;
        has_table[set] = true;
    }
    has_table
}

/// How many predicates give edges out of each set.
fn edge_tables(sets: usize, set_of: &[u32], predicates: &[Predicate]) -> Vec<usize> {
    let mut counts = vec![0; sets];
    // The predicate that was counted last of each set, and the one that each term had a literal of.
    let (mut last, mut first) = (vec![u32::MAX; sets], vec![u32::MAX; set_of.len()]);
    for (at, predicate) in (0u32..).zip(predicates) {
        let mut count = |subject: usize| {
            let Some(set) = (set_of[subject] as usize).checked_sub(1) else { return };
            if last[set] != at {
                last[set] = at;
                counts[set] += 1;
            }
        };
        predicate.edges.subjects.each(|subject| count(subject as usize));
        predicate.graph_edges.subjects.each(|subject| count(subject as usize));
        predicate.graph_literals.subjects.each(|subject| count(subject as usize));
        // A second literal is an edge.
        predicate.literals.subjects.each(|subject| {
            if std::mem::replace(&mut first[subject as usize], at) == at {
                count(subject as usize);
            }
        });
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(iri: &str, subjects: &[u32]) -> Predicate {
        let mut predicate = Predicate::new(iri);
        subjects.iter().for_each(|subject| predicate.edges.push(*subject, 0));
        predicate
    }

    /// Terms 0 to 5; A: 1, 2, 3; B: 4, 5; A and B: 6.
    const TYPES: [(u32, u32); 7] = [(1, 1), (2, 1), (3, 1), (4, 0), (5, 0), (6, 0), (6, 1)];

    fn check(predicates: &[Predicate], edge_tables_max: usize, labels: &[&[&str]], set_of: &[u32]) {
        let classes = ["B".to_owned(), "A".to_owned()];
        let sets = LabelSets::of(7, &TYPES, &classes, predicates, edge_tables_max);
        assert_eq!(sets.labels, labels);
        assert_eq!(sets.set_of, set_of);
    }

    #[test]
    fn the_most_frequent_sets_have_tables() {
        check(&[], 10, &[&[], &["A"], &["B"], &["A", "B"]], &[]);
        // Two predicates out of three sets, and out of terms without a class.
        let predicates = [edges("p", &[0, 1, 4, 6]), edges("q", &[1, 2, 4, 5, 6])];
        check(&predicates, 8, &[&[], &["A"], &["B"], &["A", "B"]], &[]);
        check(&predicates, 7, &[&[], &["A"], &["B"]], &[0, 0, 0, 0, 0, 0, 1]);
        check(&predicates, 5, &[&[], &["A"]], &[0, 0, 0, 0, 1, 1, 2]);
        check(&predicates, 1, &[&[]], &[0, 1, 1, 1, 2, 2, 3]);
        // What gives no edges costs none.
        check(&[Predicate::new("p"), Predicate::new("q")], 2, &[&[], &["A"], &["B"], &["A", "B"]], &[]);
    }
}

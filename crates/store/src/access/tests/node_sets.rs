//! Node sets against sets of the standard library.

use std::collections::BTreeSet;

use trimorph_base::{NodeId, Random, TableId};

use crate::access::NodeSet;

fn random_node(random: &mut Random) -> NodeId {
    let table = TableId(random.below(4) as u16 * 3);
    let rows = *random.pick(&[3, 200, 100_000]);
    NodeId::new(table, random.below(rows) as u64)
}

fn check(set: &NodeSet, known: &BTreeSet<NodeId>) {
    assert_eq!((set.len(), set.is_empty()), (known.len() as u64, known.is_empty()));
    for table in (0..12).map(TableId) {
        let expected: Vec<NodeId> = known.iter().copied().filter(|n| n.table() == table).collect();
        assert_eq!(set.nodes_of(table).collect::<Vec<_>>(), expected);
        assert_eq!(set.len_of(table), expected.len() as u64);
    }
}

#[test]
fn they_hold_what_was_put_in() {
    for seed in 0..30 {
        println!("random seed {seed}");
        let mut random = Random::new(seed);
        let (mut sets, mut known) =
            ([NodeSet::default(), NodeSet::default()], [BTreeSet::new(), BTreeSet::new()]);
        for _ in 0..300 {
            let (which, node) = (random.below(2), random_node(&mut random));
            assert_eq!(sets[which].insert(node), known[which].insert(node));
            let other = random_node(&mut random);
            assert_eq!(sets[which].contains(other), known[which].contains(&other));
        }
        let [mut one, two] = sets;
        check(&one, &known[0]);
        check(&two, &known[1]);
        one.merge(&two);
        let both: BTreeSet<NodeId> = known[0].union(&known[1]).copied().collect();
        check(&one, &both);
        check(&two.nodes_of(TableId(0)).chain(two.nodes_of(TableId(3))).collect(), &{
            let mut some = known[1].clone();
            some.retain(|n| n.table().0 <= 3);
            some
        });
        assert!(one.bytes() >= both.iter().map(|n| n.row() as usize / 8).max().unwrap_or(0));
    }
    check(&NodeSet::default(), &BTreeSet::new());
}

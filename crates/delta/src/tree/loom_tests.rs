//! All interleavings of two or three threads on a small tree, as the model checker makes them:
//! `RUSTFLAGS="--cfg loom" cargo test --release -p trimorph-delta loom`.
#![cfg(loom)]

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Arena, Entry, Key, Tree};

fn model(program: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    // Bugs of lock-free code show with two switches away from a thread (Musuvathi and Qadeer 2007).
    builder.preemption_bound = Some(2);
    builder.check(program);
}

fn entries(tree: Tree<'_, 4>) -> Vec<Entry> {
    let mut all = Vec::new();
    let _ = tree.scan(0, Key::MAX, &mut |entries: &[Entry]| {
        all.extend_from_slice(entries);
        ControlFlow::Continue(())
    });
    all
}

/// What ranges have that are read together, one after the other.
fn together(tree: Tree<'_, 4>, ranges: &[(Key, Key)]) -> Vec<Entry> {
    let mut all = Vec::new();
    tree.scan_together(ranges, &mut all, &mut |_, _| true);
    all
}

/// A tree with the keys 10, 20, …; its root is 0.
fn tree_of(keys: u128) -> Arc<Arena<4>> {
    let arena = Arc::new(Arena::default());
    let tree = Tree::new(&arena);
    (1..=keys).for_each(|k| tree.insert(k * 10, k as u32).unwrap());
    assert_eq!(tree.root(), 0);
    arena
}

fn beside(
    arena: &Arc<Arena<4>>,
    work: impl Fn(Tree<'_, 4>) + Send + 'static,
) -> loom::thread::JoinHandle<()> {
    let arena = Arc::clone(arena);
    loom::thread::spawn(move || work(Tree::at(&arena, 0)))
}

#[test]
fn loom_an_insertion_that_splits_hides_nothing() {
    model(|| {
        let arena = tree_of(4);
        let writer = beside(&arena, |tree| tree.insert(25, 9).unwrap());
        let tree = Tree::at(&arena, 0);
        assert_eq!(tree.get(40), Some(4));
        let all = entries(tree);
        assert!(all.len() >= 4 && all.is_sorted_by(|a, b| a.0 < b.0));
        writer.join().unwrap();
        assert_eq!(entries(tree).len(), 5);
    });
}

#[test]
fn loom_two_insertions_into_a_full_leaf_are_both_there() {
    model(|| {
        let arena = tree_of(4);
        let writer = beside(&arena, |tree| tree.insert(25, 9).unwrap());
        let tree = Tree::at(&arena, 0);
        tree.insert(35, 8).unwrap();
        writer.join().unwrap();
        assert_eq!(entries(tree).len(), 6);
    });
}

#[test]
fn loom_keys_in_order_beside_an_insertion_are_all_there() {
    model(|| {
        // A full leaf: both split it, and the three go into both halves.
        let arena = tree_of(4);
        let writer = beside(&arena, |tree| {
            let mut left = Vec::new();
            tree.insert_all(&[(15, 7), (25, 8), (40, 9)], &mut left);
            assert_eq!(left, [(40, 9)]);
        });
        let tree = Tree::at(&arena, 0);
        tree.insert(35, 6).unwrap();
        writer.join().unwrap();
        let keys: Vec<Key> = entries(tree).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [10, 15, 20, 25, 30, 35, 40]);
    });
}

#[test]
fn loom_a_reader_beside_keys_in_order_misses_nothing() {
    model(|| {
        let arena = tree_of(4);
        let writer = beside(&arena, |tree| tree.insert_all(&[(15, 7), (25, 8)], &mut Vec::new()));
        let all = entries(Tree::at(&arena, 0));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        assert!([10, 20, 30, 40].iter().all(|key| all.iter().any(|(k, _)| k == key)));
        writer.join().unwrap();
    });
}

#[test]
fn loom_a_leaf_that_goes_takes_nothing_with_it() {
    model(|| {
        // Two leaves; the second has one key.
        let arena = tree_of(5);
        let writer = beside(&arena, |tree| assert_eq!(tree.remove(50), Some(5)));
        let tree = Tree::at(&arena, 0);
        tree.insert(60, 6).unwrap();
        assert_eq!(tree.get(60), Some(6));
        writer.join().unwrap();
        let keys: Vec<Key> = entries(tree).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [10, 20, 30, 40, 60]);
    });
}

#[test]
fn loom_a_reader_of_a_leaf_that_goes_starts_over() {
    model(|| {
        let arena = tree_of(5);
        let writer = beside(&arena, |tree| {
            tree.remove(50).unwrap();
            // Takes the number that was given back, with other keys.
            (21..24).for_each(|key| tree.insert(key, 7).unwrap());
        });
        let all = entries(Tree::at(&arena, 0));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        assert!([10, 20, 30, 40].iter().all(|key| all.iter().any(|(k, _)| k == key)));
        writer.join().unwrap();
    });
}

#[test]
fn loom_keys_that_go_together_take_nothing_with_them() {
    model(|| {
        // Two leaves: the second goes with all it has; at 40 stands something else.
        let arena = tree_of(5);
        let writer = beside(&arena, |tree| {
            let mut left = Vec::new();
            tree.remove_all(&[(40, 9), (50, 5)], &mut left);
            assert_eq!(left, [(40, 9)]);
        });
        let tree = Tree::at(&arena, 0);
        tree.insert(60, 6).unwrap();
        writer.join().unwrap();
        let keys: Vec<Key> = entries(tree).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [10, 20, 30, 40, 60]);
    });
}

#[test]
fn loom_a_reader_beside_keys_that_go_together_misses_nothing() {
    model(|| {
        let arena = tree_of(4);
        let writer = beside(&arena, |tree| tree.remove_all(&[(10, 1), (30, 3)], &mut Vec::new()));
        let all = entries(Tree::at(&arena, 0));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        assert!([20, 40].iter().all(|key| all.iter().any(|(k, _)| k == key)));
        writer.join().unwrap();
    });
}

#[test]
fn loom_ranges_read_together_beside_a_split_miss_nothing() {
    model(|| {
        // Two leaves; the first is full.
        let arena = tree_of(6);
        let writer = beside(&arena, |tree| tree.insert(15, 9).unwrap());
        let all = together(Tree::at(&arena, 0), &[(30, 50), (10, 30)]);
        let keys: Vec<Key> = all.iter().map(|(key, _)| *key).filter(|key| *key != 15).collect();
        assert_eq!(keys, [30, 40, 50, 10, 20, 30]);
        writer.join().unwrap();
    });
}

#[test]
fn loom_ranges_read_together_beside_a_leaf_that_goes_miss_nothing() {
    model(|| {
        let arena = tree_of(5);
        let writer = beside(&arena, |tree| {
            tree.remove(50).unwrap();
            // Takes the number that was given back, with other keys.
            (21..24).for_each(|key| tree.insert(key, 7).unwrap());
        });
        let all = together(Tree::at(&arena, 0), &[(40, 50), (10, 50)]);
        let keys: Vec<Key> = all
            .iter()
            .filter(|(_, value)| *value != 7)
            .map(|(key, _)| *key)
            .filter(|key| *key != 50)
            .collect();
        assert_eq!(keys, [40, 10, 20, 30, 40]);
        writer.join().unwrap();
    });
}

#[test]
fn loom_a_reader_that_goes_on_beside_a_leaf_that_gives_some_misses_nothing() {
    model(|| {
        // Two leaves, of which the first is full and gives to the second.
        let arena = tree_of(6);
        Tree::at(&arena, 0).remove(60).unwrap();
        let writer = beside(&arena, |tree| tree.insert(35, 9).unwrap());
        let all = entries(Tree::at(&arena, 0));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        assert!([10, 20, 30, 40, 50].iter().all(|key| all.iter().any(|(k, _)| k == key)));
        writer.join().unwrap();
    });
}

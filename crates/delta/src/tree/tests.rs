//! The tree against a sorted map, alone and beside others.
#![cfg(not(loom))]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use trimorph_base::Random;

use super::{Arena, Direction, EdgeKey, Entry, Key, TOGETHER, Tree};

/// How much shorter programs are where each step takes a hundred times as long.
const SHORTER: usize = if cfg!(miri) { 60 } else { 1 };

fn entries<const F: usize>(tree: Tree<'_, F>, first: Key, last: Key) -> Vec<Entry> {
    let mut all = Vec::new();
    let _ = tree.scan(first, last, &mut |entries: &[Entry]| {
        all.extend_from_slice(entries);
        ControlFlow::Continue(())
    });
    all
}

/// What ranges have, read together; each part is taken away once it was seen.
fn together<const F: usize>(tree: Tree<'_, F>, ranges: &[(Key, Key)]) -> Vec<Vec<Entry>> {
    let (mut all, mut own, mut room) = (Vec::new(), Vec::new(), Vec::new());
    for ranges in ranges.chunks(TOGETHER) {
        tree.scan_together(ranges, &mut room, &mut |part, is_over| {
            own.append(part);
            if is_over {
                all.push(std::mem::take(&mut own));
            }
            true
        });
    }
    all
}

fn random_program<const F: usize>(seed: u64, steps: usize) {
    let arena = Arena::<F>::default();
    let tree = Tree::new(&arena);
    let mut model: BTreeMap<Key, u32> = BTreeMap::new();
    let mut random = Random::new(seed);
    let spread = [50, 2_000, 1 << 40][random.below(3)];
    let (mut ascending, mut most): (u128, usize) = (0, steps);
    for step in 0..steps {
        let key = match random.below(8) {
            0 => Key::MAX - random.below(spread) as u128,
            1..4 => {
                ascending += 1 + random.below(3) as u128;
                ascending << 30
            }
            _ => (random.below(spread) as u128) << (random.below(3) * 20),
        };
        match random.below(7) {
            6 => {
                // Of what is there from a key on, some; and some that is not there, or that something else is
                // at.
                let longest = [8, 3 * F][usize::from(random.below(8) == 0)];
                let mut batch: Vec<Entry> = Vec::new();
                for (own, value) in model.range(key..).take(random.below(longest)) {
                    match random.below(8) {
                        0 => {}
                        1 => batch.push((*own, value.wrapping_add(1))),
                        2 => batch.extend([(*own, *value), (own.saturating_add(1), *value)]),
                        3 => batch.extend([(*own, *value), (*own, *value)]),
                        _ => batch.push((*own, *value)),
                    }
                }
                batch.sort_unstable();
                let mut left = Vec::new();
                tree.remove_all(&batch, &mut left);
                let mut stayed = Vec::new();
                let mut gone = BTreeMap::new();
                for (key, value) in batch {
                    if model.get(&key) == Some(&value) {
                        gone.insert(key, value);
                        model.remove(&key);
                    } else if gone.get(&key) != Some(&value) {
                        stayed.push((key, value));
                    }
                }
                left.sort_unstable();
                assert_eq!(left, stayed, "seed {seed} step {step}");
            }
            5 => {
                let near = |random: &mut Random| key.saturating_add(random.below(spread) as u128);
                let longest = [8, 3 * F][usize::from(random.below(8) == 0)];
                let mut keys: Vec<Key> = (0..random.below(longest)).map(|_| near(&mut random)).collect();
                keys.sort_unstable();
                let batch: Vec<Entry> = keys.into_iter().map(|key| (key, step as u32)).collect();
                let mut left = Vec::new();
                tree.insert_all(&batch, &mut left);
                let wanted: Vec<Entry> = (batch.iter())
                    .filter(|(key, value)| {
                        let is_there = model.contains_key(key);
                        model.entry(*key).or_insert(*value);
                        is_there
                    })
                    .copied()
                    .collect();
                assert_eq!(left, wanted, "seed {seed} step {step}");
                most += batch.len();
            }
            0 | 1 => assert_eq!(tree.remove(key), model.remove(&key), "seed {seed} step {step}"),
            2 => assert_eq!(tree.get(key), model.get(&key).copied(), "seed {seed} step {step}"),
            _ => {
                let value = step as u32;
                let there = tree.insert(key, value).err();
                assert_eq!(there, model.get(&key).copied(), "seed {seed} step {step}");
                model.entry(key).or_insert(value);
            }
        }
        if step % 97 == 0 {
            let (a, b) = (key, (random.below(spread) as u128) << 20);
            let (first, last) = (a.min(b), a.max(b));
            let wanted: Vec<Entry> = model.range(first..=last).map(|(k, v)| (*k, *v)).collect();
            assert_eq!(entries(tree, first, last), wanted, "seed {seed} step {step}");
            let mut draw = || match random.below(4) {
                0 => (first, last),
                1 => (0, key),
                _ => {
                    let first = (random.below(spread) as u128) << (random.below(3) * 20);
                    (first, first.saturating_add(1 << random.below(60)))
                }
            };
            let ranges: Vec<(Key, Key)> = (0..TOGETHER + 5).map(|_| draw()).collect();
            let one_by_one: Vec<Vec<Entry>> =
                ranges.iter().map(|(first, last)| entries(tree, *first, *last)).collect();
            assert_eq!(together(tree, &ranges), one_by_one, "seed {seed} step {step}");
            let mut some = 0;
            tree.scan_together(&ranges[..TOGETHER], &mut Vec::new(), &mut |_, is_over| {
                some += usize::from(is_over);
                some < 3
            });
            assert_eq!(some, 3, "seed {seed} step {step}: who wants no more gets no more");
        }
    }
    let wanted: Vec<Entry> = model.iter().map(|(k, v)| (*k, *v)).collect();
    assert_eq!(entries(tree, 0, Key::MAX), wanted, "seed {seed}");
    for (key, value) in &model {
        assert_eq!(tree.remove(*key), Some(*value), "seed {seed}");
    }
    assert!(entries(tree, 0, Key::MAX).is_empty());
    let left = arena.in_use();
    assert!(left <= 2 + 2 * most / (F / 2), "seed {seed}: {left} nodes for nothing");
    tree.free();
    assert_eq!(arena.in_use(), 0);
}

#[test]
fn a_tree_is_a_sorted_map() {
    for seed in 0..60 / SHORTER.min(60) as u64 {
        random_program::<4>(seed, 3_000 / SHORTER);
        random_program::<7>(seed, 3_000 / SHORTER);
        random_program::<128>(seed, 6_000 / SHORTER);
    }
}

#[test]
fn ascending_keys_fill_leaves() {
    let arena = Arena::<128>::default();
    let tree = Tree::new(&arena);
    let keys = 100_000 / SHORTER as u32;
    for key in 0..keys {
        tree.insert(key.into(), key).unwrap();
    }
    assert!(arena.in_use() < keys as usize / 120 + 3, "{}", arena.in_use());
    assert_eq!(entries(tree, 700, 1_000).len(), 301);
}

/// Leaves that are only split are two thirds full.
#[test]
#[cfg_attr(miri, ignore = "says how full leaves are, and takes long")]
fn keys_at_random_leave_leaves_nearly_four_fifths_full() {
    let (arena, mut random) = (Arena::<128>::default(), Random::new(7));
    let tree = Tree::new(&arena);
    let mut count = 0;
    for _ in 0..40_000 {
        count += usize::from(tree.insert(Key::from(random.below(1 << 30) as u64) << 40, 1).is_ok());
    }
    let places = arena.in_use() * 128;
    assert!(count * 100 >= places * 74, "{count} keys in {places} places");
}

#[test]
fn keys_come_back_and_are_in_the_order_of_lists() {
    let mut random = Random::new(1);
    for _ in 0..10_000 / SHORTER {
        let mut draw = || EdgeKey {
            row: random.bits() >> 20 >> random.below(44),
            direction: [Direction::Forward, Direction::Backward][random.below(2)],
            local: (random.bits() >> 48) as u16,
            other: random.bits() >> 20 >> random.below(44),
            ordinal: random.below(EdgeKey::ORDINALS as usize) as u32,
        };
        let (a, b) = (draw(), draw());
        assert_eq!(EdgeKey::of(a.key()), a);
        let order = |k: EdgeKey| (k.row, k.direction, k.local, k.other, k.ordinal);
        assert_eq!(a.key().cmp(&b.key()), order(a).cmp(&order(b)));
        let (first, last) = EdgeKey::list(a.row, a.direction, a.local);
        assert!(
            (first..=last).contains(&a.key())
                && !(first..=last).contains(&EdgeKey { row: a.row ^ 1, ..a }.key())
        );
        let (first, last) = EdgeKey::between(a.row, a.direction, a.local, a.other);
        assert!((first..=last).contains(&a.key()));
        assert!(!(first..=last).contains(&EdgeKey { other: a.other ^ 1, ..a }.key()));
        let (first, last) = EdgeKey::rows(a.row & !7, 8);
        assert!(
            (first..=last).contains(&a.key())
                && !(first..=last).contains(&EdgeKey { row: a.row ^ 8, ..a }.key())
        );
    }
}

/// Writers that insert and remove keys of their own, some that only insert, and readers: what is never
/// removed is found from its insertion on, in order; nothing is found that was never there.
fn beside_each_other<const F: usize>(seed: u64) {
    const WRITERS: u64 = 3;
    const KEYS: u64 = 1_500 / SHORTER as u64;
    let arena = Arena::<F>::default();
    let tree = Tree::new(&arena);
    let inserted = [const { AtomicUsize::new(0) }; WRITERS as usize];
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let inserted = &inserted[writer as usize];
            scope.spawn(move || {
                let mut random = Random::new(seed + writer);
                for i in 0..KEYS {
                    // Scattered, so that writers meet in leaves; the lowest bits say what a key is for.
                    let mixed = u128::from(i.wrapping_mul(0x9E37_79B9) % 65_536) << 32 | u128::from(i);
                    let key = mixed << 8 | u128::from(writer) << 1;
                    if i % 2 == 0 {
                        let mut left = Vec::new();
                        tree.insert_all(&[(key, i as u32), (key | 1, i as u32)], &mut left);
                        assert_eq!(left, []);
                        inserted.store(i as usize + 1, Ordering::Release);
                    } else {
                        tree.insert(key, i as u32).unwrap();
                        inserted.store(i as usize + 1, Ordering::Release);
                        tree.insert(key | 1, i as u32).unwrap();
                    }
                    if random.below(4) > 0 {
                        assert_eq!(tree.remove(key | 1), Some(i as u32));
                    }
                }
            });
        }
        let (inserted, done) = (&inserted, &done);
        let reader = scope.spawn(move || {
            while !done.load(Ordering::Acquire) {
                let before: usize = inserted.iter().map(|n| n.load(Ordering::Acquire)).sum();
                let all = entries(tree, 0, Key::MAX);
                assert!(all.is_sorted_by(|a, b| a.0 < b.0), "seed {seed}");
                let kept = all.iter().filter(|(key, _)| key & 1 == 0);
                assert!(kept.clone().all(|(key, value)| (key >> 8) as u32 == *value), "seed {seed}");
                assert!(kept.count() >= before, "seed {seed}");
            }
        });
        // Ranges side by side have what all have together.
        scope.spawn(move || {
            let mut random = Random::new(seed);
            while !done.load(Ordering::Acquire) {
                let before: usize = inserted.iter().map(|n| n.load(Ordering::Acquire)).sum();
                let parts = 2 + random.below(2 * TOGETHER);
                let border = |part: usize| (65_536_u128 << 40) / parts as u128 * part as u128;
                let range = |part| (border(part), border(part + 1) - 1);
                let ranges: Vec<(Key, Key)> = (0..=parts).map(range).collect();
                let parts = together(tree, &ranges);
                for (part, (first, last)) in parts.iter().zip(&ranges) {
                    assert!(part.iter().all(|(key, _)| (first..=last).contains(&key)), "seed {seed}");
                }
                let all = parts.concat();
                assert!(all.is_sorted_by(|a, b| a.0 < b.0), "seed {seed}");
                let kept = all.iter().filter(|(key, _)| key & 1 == 0);
                assert!(kept.clone().all(|(key, value)| (key >> 8) as u32 == *value), "seed {seed}");
                assert!(kept.count() >= before, "seed {seed}");
            }
        });
        scope.spawn(move || {
            while inserted.iter().any(|n| n.load(Ordering::Acquire) < KEYS as usize) {
                std::thread::yield_now();
            }
            done.store(true, Ordering::Release);
        });
        reader.join().unwrap();
    });
    let kept = entries(tree, 0, Key::MAX).iter().filter(|(key, _)| key & 1 == 0).count();
    assert_eq!(kept, (WRITERS * KEYS) as usize);
}

#[test]
fn readers_and_writers_beside_each_other() {
    for seed in 0..6 / SHORTER.min(6) as u64 {
        beside_each_other::<4>(seed);
        beside_each_other::<16>(seed);
    }
}

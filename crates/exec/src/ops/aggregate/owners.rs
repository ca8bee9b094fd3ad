//! Which worker merges which groups: by a hash of their keys, the same whatever form the keys came in.

use trimorph_vector::Vector;

use crate::keys::{cell_key, encode, fixed_bits};

/// The groups of one worker's table by owner.
pub(super) struct Owners {
    /// The worker whose table it is.
    pub(super) own: usize,
    /// For each owner, its groups.
    pub(super) members: Vec<Vec<u32>>,
    /// For each group, its owner and its place among the owner's.
    places: Vec<(u32, u32)>,
}

fn mix(hash: u64, word: u64) -> u64 {
    // The multiplier of FxHash: its upper bits, which are used, are mixed well.
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Hashes lie between 0 and 2^32; each owner has an equal part of that.
fn part(hash: u64, count: usize) -> usize {
    (((hash >> 32) * count as u64) >> 32) as usize
}

/// The owner of a value made of these words.
pub(super) fn owner_of(words: impl IntoIterator<Item = u64>, count: usize) -> usize {
    part(words.into_iter().fold(0, mix), count)
}

impl Owners {
    /// Of `groups` groups with these keys, in the table of worker `own` of `count`.
    pub(super) fn new(keys: &[Vector<'_>], groups: usize, own: usize, count: usize) -> Self {
        let mut hashes = vec![0u64; groups];
        // Group numbers are 32 bits.
        let all: Vec<u32> = (0..groups as u32).collect();
        let (mut bits, mut bytes) = (Vec::new(), Vec::new());
        for key in keys {
            match fixed_bits(key, &all, &mut bits) {
                Some(tag) => {
                    hashes.iter_mut().zip(&bits).for_each(|(h, b)| *h = mix(mix(*h, tag.into()), *b));
                }
                None => {
                    for (i, hash) in hashes.iter_mut().enumerate() {
                        if let Some((tag, bits)) = cell_key(key, i) {
                            *hash = mix(mix(*hash, tag.into()), bits);
                        } else {
                            bytes.clear();
                            encode(key, i, &mut bytes);
                            *hash = bytes.iter().fold(*hash, |h, b| mix(h, (*b).into()));
                        }
                    }
                }
            }
        }
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        let places = (all.iter().zip(hashes)).map(|(group, hash)| {
            let owner = part(hash, count);
            let place = members[owner].len() as u32;
            members[owner].push(*group);
            (owner as u32, place)
        });
        let places = places.collect();
        Self { own, members, places }
    }

    /// The owner of a group, and its place among the owner's.
    pub(super) fn of(&self, group: u32) -> (usize, u32) {
        let (owner, place) = self.places[group as usize];
        (owner as usize, place)
    }

    /// How many owners there are.
    pub(super) fn count(&self) -> usize {
        self.members.len()
    }
}

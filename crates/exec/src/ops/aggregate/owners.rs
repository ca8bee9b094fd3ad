//! Which worker merges which groups: by a hash of their keys, the same whatever form the keys came in.

use trimorph_vector::Vector;

use crate::spill::hashes;

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

/// Positions in the order of their owners.
#[derive(Default)]
pub(super) struct Owned {
    positions: Vec<u32>,
    /// Where the positions of each owner begin, and where the last one's end.
    starts: Vec<usize>,
    hashes: Vec<u64>,
}

impl Owned {
    /// Finds which of `positions` each of `count` owners owns, by these keys.
    ///
    /// **Cost**: a hash a key and position; nothing is allocated once there is room for a chunk.
    pub(super) fn find(&mut self, keys: &[&Vector<'_>], positions: &[u32], count: usize) {
        hashes(keys, positions, &mut self.hashes);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for hash in &self.hashes {
            self.starts[part(*hash, count) + 1] += 1;
        }
        for owner in 0..count {
            self.starts[owner + 1] += self.starts[owner];
        }
        self.positions.resize(positions.len(), 0);
        let mut next = self.starts.clone();
        for (p, hash) in positions.iter().zip(&self.hashes) {
            let next = &mut next[part(*hash, count)];
            self.positions[*next] = *p;
            *next += 1;
        }
    }

    /// The positions of each owner.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.positions[ends[0]..ends[1]])
    }
}

impl Owners {
    /// Of `groups` groups with these keys, in the table of worker `own` of `count`.
    pub(super) fn new(keys: &[Vector<'_>], groups: usize, own: usize, count: usize) -> Self {
        // Group numbers are 32 bits.
        let all: Vec<u32> = (0..groups as u32).collect();
        let mut hashed = Vec::new();
        hashes(&keys.iter().collect::<Vec<_>>(), &all, &mut hashed);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        let places = (all.iter().zip(hashed)).map(|(group, hash)| {
            let owner = part(hash, count);
            let place = members[owner].len() as u32;
            members[owner].push(*group);
            (owner as u32, place)
        });
        let places = places.collect();
        Self { own, members, places }
    }

    /// The first groups are the table's own, those from `rest` on are the second owner's.
    pub(super) fn but_from(rest: usize, groups: usize) -> Self {
        // Group numbers are 32 bits.
        let (rest, groups) = (rest as u32, groups as u32);
        let places = (0..groups).map(|group| if group < rest { (0, group) } else { (1, group - rest) });
        Self {
            own: 0,
            members: vec![(0..rest).collect(), (rest..groups).collect()],
            places: places.collect(),
        }
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

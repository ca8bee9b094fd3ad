//! Node set: a frontier of nodes; one bit per row of each table it touches, so that asking costs one load.

use trimorph_base::{NodeId, TableId};

/// A set of nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeSet {
    /// By table: bits of rows, as far as the last one set.
    tables: Vec<Vec<u64>>,
    len: u64,
}

impl NodeSet {
    /// Adds a node; false if it was there.
    pub fn insert(&mut self, node: NodeId) -> bool {
        let table = node.table().0 as usize;
        if table >= self.tables.len() {
            self.tables.resize_with(table + 1, Vec::new);
        }
        let (word, bit) = (node.row() as usize / 64, 1u64 << (node.row() % 64));
        let words = &mut self.tables[table];
        if word >= words.len() {
            words.resize(word + 1, 0);
        }
        let fresh = words[word] & bit == 0;
        words[word] |= bit;
        self.len += u64::from(fresh);
        fresh
    }

    /// Adds all nodes of another set.
    ///
    /// **Cost**: a load and a store for each 64 rows.
    pub fn merge(&mut self, other: &Self) {
        if self.tables.len() < other.tables.len() {
            self.tables.resize_with(other.tables.len(), Vec::new);
        }
        for (words, more) in self.tables.iter_mut().zip(&other.tables) {
            if words.len() < more.len() {
                words.resize(more.len(), 0);
            }
            for (word, bits) in words.iter_mut().zip(more) {
                self.len += u64::from((bits & !*word).count_ones());
                *word |= bits;
            }
        }
    }

    /// Whether a node is in it.
    #[inline]
    pub fn contains(&self, node: NodeId) -> bool {
        self.words(node.table())
            .get(node.row() as usize / 64)
            .is_some_and(|word| word >> (node.row() % 64) & 1 == 1)
    }

    /// The bits of one table's rows, 64 to a word; rows past the end are not in it.
    #[inline]
    pub fn words(&self, table: TableId) -> &[u64] {
        self.tables.get(table.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// How many nodes there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many of one table.
    pub fn len_of(&self, table: TableId) -> u64 {
        self.words(table).iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// The nodes of one table, ascending.
    pub fn nodes_of(&self, table: TableId) -> impl Iterator<Item = NodeId> + '_ {
        self.words(table).iter().enumerate().flat_map(move |(i, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then(|| NodeId::new(table, i as u64 * 64 + u64::from(bit)))
            })
        })
    }

    /// What it holds, in bytes.
    pub fn bytes(&self) -> usize {
        self.tables.iter().map(|t| t.capacity() * 8).sum()
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let mut set = Self::default();
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

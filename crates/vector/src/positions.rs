//! Which positions of a group a kernel computes: all, one, or some.
//!
//! An evaluation begins with the positions a group means and goes on with fewer, where a condition has
//! decided the rest. Values at other positions are arbitrary.

/// Positions that are meant, ascending.
#[derive(Clone, Copy, Debug)]
pub enum Chosen<'a> {
    /// Every one.
    All,
    /// The one of a flat group.
    One(usize),
    /// These.
    List(&'a [u32]),
}

/// Positions that are meant among the first `len`.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// How many positions vectors have.
    pub len: usize,
    /// Those that are meant.
    pub chosen: Chosen<'a>,
}

impl<'a> Positions<'a> {
    /// All of `len` positions.
    pub fn all(len: usize) -> Self {
        Self { len, chosen: Chosen::All }
    }

    /// Those of a list, as many as there are positions being all of them.
    pub fn among(self, list: &'a [u32]) -> Self {
        let chosen = if list.len() == self.len { Chosen::All } else { Chosen::List(list) };
        Self { len: self.len, chosen }
    }

    /// Calls `visit` on each, ascending.
    #[inline(always)]
    pub fn for_each(self, mut visit: impl FnMut(usize)) {
        match self.chosen {
            Chosen::All => (0..self.len).for_each(visit),
            Chosen::One(i) => visit(i),
            Chosen::List(list) => list.iter().for_each(|i| visit(*i as usize)),
        }
    }

    /// As a list.
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn to_vec(self) -> Vec<u32> {
        match self.chosen {
            Chosen::All => (0..self.len as u32).collect(),
            Chosen::One(i) => vec![i as u32],
            Chosen::List(list) => list.to_vec(),
        }
    }

    /// Those for which `keep` holds, as a list. **Cost**: a store each, no branch on what is kept.
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn filter(self, mut keep: impl FnMut(usize) -> bool) -> Vec<u32> {
        let mut kept = vec![0u32; self.count()];
        let mut end = 0;
        self.for_each(|i| {
            kept[end] = i as u32;
            end += usize::from(keep(i));
        });
        kept.truncate(end);
        kept
    }

    /// How many they are.
    #[inline]
    pub fn count(self) -> usize {
        match self.chosen {
            Chosen::All => self.len,
            Chosen::One(_) => 1,
            Chosen::List(list) => list.len(),
        }
    }

    /// Whether every position is meant.
    #[inline]
    pub fn is_all(self) -> bool {
        matches!(self.chosen, Chosen::All)
    }

    /// Whether so many are meant that computing all of them in a loop the compiler vectorises costs less than
    /// visiting those that are. A vectorised step costs a third to an eighth of a visit, by type.
    #[inline]
    pub fn is_dense(self) -> bool {
        match self.chosen {
            Chosen::All => true,
            Chosen::One(_) => false,
            Chosen::List(list) => list.len() >= self.len / 4,
        }
    }
}

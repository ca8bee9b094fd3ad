//! Selection: which positions of a group are meant. "All selected" is a state, not a list.

/// The selected positions of a group of some length, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Every position.
    #[default]
    All,
    /// These positions.
    List(Vec<u32>),
}

impl Selection {
    /// How many of `len` positions are selected.
    #[inline]
    pub fn count(&self, len: usize) -> usize {
        match self {
            Self::All => len,
            Self::List(list) => list.len(),
        }
    }

    /// The `k`-th selected position.
    #[inline]
    pub fn position(&self, k: usize) -> usize {
        match self {
            Self::All => k,
            Self::List(list) => list[k] as usize,
        }
    }

    /// Calls `visit` on every selected position, ascending.
    #[inline]
    pub fn for_each(&self, len: usize, mut visit: impl FnMut(usize)) {
        match self {
            Self::All => (0..len).for_each(visit),
            Self::List(list) => {
                for i in list {
                    visit(*i as usize);
                }
            }
        }
    }

    /// The selected positions as a list.
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn to_vec(&self, len: usize) -> Vec<u32> {
        match self {
            Self::All => (0..len as u32).collect(),
            Self::List(list) => list.clone(),
        }
    }

    /// Appends the selected positions to `out`.
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn append_to(&self, len: usize, out: &mut Vec<u32>) {
        match self {
            Self::All => out.extend(0..len as u32),
            Self::List(list) => out.extend_from_slice(list),
        }
    }

    /// Keeps the positions for which `keep` holds. **Cost**: a store each, no branch on what is kept.
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn retain(&mut self, len: usize, mut keep: impl FnMut(usize) -> bool) {
        let mut end = 0;
        match self {
            Self::All => {
                let mut kept = vec![0u32; len];
                for i in 0..len {
                    kept[end] = i as u32;
                    end += usize::from(keep(i));
                }
                if end < len {
                    kept.truncate(end);
                    *self = Self::List(kept);
                }
            }
            Self::List(list) => {
                for k in 0..list.len() {
                    let i = list[k];
                    list[end] = i;
                    end += usize::from(keep(i as usize));
                }
                list.truncate(end);
            }
        }
    }

    /// Keeps the positions that have a flag. **Cost**: a look at eight flags at once where none is set; else
    /// as [`Self::retain`].
    #[expect(clippy::cast_possible_truncation, reason = "groups are far shorter than 2^32")]
    pub fn retain_flagged(&mut self, len: usize, flags: &[bool]) {
        let flags = &flags[..len.min(flags.len())];
        if let Self::List(_) = self {
            return self.retain(len, |i| flags.get(i) == Some(&true));
        }
        let (eights, rest) = flags.as_chunks::<8>();
        // Room for a whole eight behind the last that is kept.
        let (mut kept, mut end) = (Vec::new(), 0);
        for (k, eight) in eights.iter().enumerate() {
            if u64::from_le_bytes(eight.map(u8::from)) == 0 {
                continue;
            }
            if kept.len() < end + 8 {
                kept.resize((2 * end + 64).min(len + 8), 0u32);
            }
            let room = &mut kept[end..end + 8];
            let mut found = 0;
            for (i, flag) in eight.iter().enumerate() {
                room[found] = (k * 8 + i) as u32;
                found += usize::from(*flag);
            }
            end += found;
        }
        kept.truncate(end);
        let first = eights.len() * 8;
        kept.extend((first..).zip(rest).filter(|(_, flag)| **flag).map(|(i, _)| i as u32));
        if kept.len() < len {
            *self = Self::List(kept);
        }
    }
}

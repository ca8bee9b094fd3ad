//! Needed: the commits whose versions somebody sees, or must meet; all other versions can go.
//!
//! A reader of a main version with the commits up to *m*, at read timestamp *r*, sees those versions that
//! were committed above *m* and up to *r*: what is older main has, what is later he does not see. So between
//! an old reader and the newest main version nothing need be kept.

use crate::{AtomicStamp, Stamp, Timestamp};

/// Ranges of commits that are needed as versions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needed {
    /// What is above this is needed by who comes.
    merged: Timestamp,
    /// Above the first and up to the second: ascending, apart from each other, none above `merged`.
    ranges: Vec<(Timestamp, Timestamp)>,
}

impl Needed {
    /// What those need who have main versions up to the first and read up to the second, and who comes later,
    /// with what is committed above `merged`.
    pub fn new(merged: Timestamp, views: impl Iterator<Item = (Timestamp, Timestamp)>) -> Self {
        let views = views.map(|(main, read)| (main, read.min(merged)));
        let mut all: Vec<_> = views.filter(|(main, read)| main < read).collect();
        all.sort_unstable();
        let mut ranges: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (main, read) in all {
            match ranges.last_mut() {
                Some((_, end)) if main <= *end => *end = (*end).max(read),
                _ => ranges.push((main, read)),
            }
        }
        Self { merged, ranges }
    }

    /// What all main versions have that are read.
    pub fn merged(&self) -> Timestamp {
        self.merged
    }

    /// Whether nobody needs anything that the newest main version has.
    pub fn is_newest_only(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether something with this stamp is needed: it was not undone, and is not committed, or is by a
    /// commit that is.
    ///
    /// **Cost**: a comparison as a rule; a binary search where there are old readers.
    #[inline]
    pub fn has(&self, stamp: Stamp) -> bool {
        let Some(at) = stamp.timestamp() else { return stamp != Stamp::NEVER };
        if at > self.merged {
            return true;
        }
        let after = self.ranges.partition_point(|(main, _)| *main < at);
        after.checked_sub(1).and_then(|last| self.ranges.get(last)).is_some_and(|(_, read)| at <= *read)
    }

    /// As [`Self::has`], of a stamp that others may be changing.
    #[inline]
    pub fn has_stamp(&self, stamp: &AtomicStamp) -> bool {
        self.has(stamp.load())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_old_readers_and_main_is_not_needed() {
        let ranges = [(2, 4), (9, 12), (3, 6), (5, 5), (20, 30)];
        let views = ranges.map(|(main, read)| (Timestamp(main), Timestamp(read)));
        let needed = Needed::new(Timestamp(22), views.into_iter());
        for at in 1..40 {
            let wanted = at > 22 || ranges.iter().any(|(main, read)| (*main + 1..=*read).contains(&at));
            assert_eq!(needed.has(Timestamp(at).into()), wanted, "{at}");
        }
        assert!(!needed.has(Stamp::NEVER));
        assert!(!needed.has(Stamp::ALWAYS));
        assert!(!needed.is_newest_only());
        assert!(Needed::new(Timestamp(9), [(Timestamp(9), Timestamp(12))].into_iter()).is_newest_only());
    }
}

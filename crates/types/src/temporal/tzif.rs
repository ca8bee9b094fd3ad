//! Reads a compiled time zone (TZif version 2 or later): bytes in, transitions and the rule for the time
//! after out.
//!
//! Layout: header of 44 bytes · data block in 32-bit times (skipped) · header · data block in 64-bit times ·
//! "\n" + POSIX rule + "\n".
//!
//! Source: RFC 9636.

use std::ops::Range;

use super::posix_zone::PosixRule;

/// The offsets of one named zone over time.
#[derive(Debug)]
pub(super) struct ZoneRules {
    /// UTC second at which each offset starts, ascending.
    starts: Vec<i64>,
    /// Seconds east of UTC from the start of the same position on.
    offsets: Vec<i32>,
    /// The offset before the first start.
    initial: i32,
    /// The rule after the last start.
    rule: Option<PosixRule>,
}

const HEADER_BYTES: usize = 44;

impl ZoneRules {
    /// Reads a zone; `None` if the bytes are not a TZif file of version 2 or later.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (_, first_block_bytes) = block(bytes, 4)?;
        let second = bytes.get(HEADER_BYTES + first_block_bytes..)?;
        let (counts, second_block_bytes) = block(second, 8)?;
        let mut data = second.get(HEADER_BYTES..)?;
        let mut take = |n: usize| {
            let (head, tail) = data.split_at_checked(n)?;
            data = tail;
            Some(head)
        };
        let times = take(counts.times * 8)?;
        let kinds = take(counts.times)?;
        let types = take(counts.types * 6)?;
        let offset_of =
            |kind: usize| types.get(kind * 6..kind * 6 + 4)?.try_into().ok().map(i32::from_be_bytes);
        let starts =
            times.chunks_exact(8).filter_map(|c| c.try_into().ok().map(i64::from_be_bytes)).collect();
        let offsets = kinds.iter().map(|kind| offset_of(usize::from(*kind))).collect::<Option<Vec<_>>>()?;
        let footer = second.get(HEADER_BYTES + second_block_bytes..)?;
        let rule = std::str::from_utf8(footer).ok().and_then(|text| PosixRule::read(text.trim_matches('\n')));
        Some(Self { starts, offsets, initial: offset_of(0)?, rule })
    }

    /// Seconds east of UTC at the UTC second `utc`.
    pub(super) fn offset_at(&self, utc: i64) -> i32 {
        let after = self.starts.partition_point(|start| *start <= utc);
        if after == self.starts.len()
            && let Some(rule) = &self.rule
        {
            return rule.offset_at(utc);
        }
        after.checked_sub(1).and_then(|i| self.offsets.get(i)).copied().unwrap_or(self.initial)
    }
}

impl ZoneRules {
    /// The offset at the UTC second `utc`, and seconds around it that have the same: as many as are known
    /// without a search.
    pub(super) fn run_at(&self, utc: i64) -> (i32, Range<i64>) {
        let after = self.starts.partition_point(|start| *start <= utc);
        let start = after.checked_sub(1).and_then(|i| self.starts.get(i)).copied().unwrap_or(i64::MIN);
        if let Some(end) = self.starts.get(after) {
            return (self.offset_at(utc), start..*end);
        }
        match &self.rule {
            Some(rule) => {
                let (offset, run) = rule.run_at(utc);
                (offset, run.start.max(start)..run.end)
            }
            None => (self.offset_at(utc), start..i64::MAX),
        }
    }
}

struct Counts {
    times: usize,
    types: usize,
}

/// The counts of the header at the start of `bytes` and the size of the data block that follows it.
fn block(bytes: &[u8], time_bytes: usize) -> Option<(Counts, usize)> {
    let header = bytes.get(..HEADER_BYTES)?;
    if !header.starts_with(b"TZif") || header[4] < b'2' {
        return None;
    }
    let count = |i: usize| {
        let at = 20 + i * 4;
        header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes).and_then(|n| usize::try_from(n).ok())
    };
    let (ut, std, leap, times, types, chars) =
        (count(0)?, count(1)?, count(2)?, count(3)?, count(4)?, count(5)?);
    let size = times * time_bytes + times + types * 6 + chars + leap * (time_bytes + 4) + std + ut;
    Some((Counts { times, types }, size))
}

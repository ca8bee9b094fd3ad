//! Bytes of data in, the length of the log's segments out: how long a log becomes before a checkpoint.
//!
//! As many segments as are written before the next checkpoint hold a quarter of the data, or twice that,
//! since their length is a power of two; some more are there while a checkpoint is made. Where all of the
//! data changes, checkpoints write anew up to four times what is logged.

use crate::Config;

/// Segments of the log after which a checkpoint is made. Of 16 MiB each, they are read in some two seconds.
pub(crate) const SEGMENTS_MAX: u64 = 4;
/// They hold this part of the data. Where all of 200,000 nodes with 400,000 relationships was replaced three
/// times, the directory at rest took 1.5 times a fresh one (2.3 where they hold all of it), CPU was the same,
/// and 1.6 times what was logged was written to pieces (1.25).
const SHARE: u64 = 4;
/// The shortest segments: so many are written in a moment by who writes much, and a checkpoint of a small
/// database takes little beside that.
const SEGMENT_BYTES_MIN: u64 = 1 << 20;

/// How long segments are beside data of so many bytes, unless told: a power of two, so that most are used
/// again. The log has a longest.
pub(crate) fn segment_bytes(config: &Config, data: usize) -> u32 {
    if let Some(told) = config.log_segment_bytes {
        return told;
    }
    let len = (data as u64 / SHARE / SEGMENTS_MAX).max(SEGMENT_BYTES_MIN).checked_next_power_of_two();
    len.and_then(|len| u32::try_from(len).ok()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::segment_bytes;
    use crate::Config;

    #[test]
    fn four_segments_hold_a_quarter_of_the_data() {
        let of = |mib: usize| segment_bytes(&Config::new(), mib << 20) >> 20;
        assert_eq!([0, 1, 16, 17, 32, 129, 256, 4_000].map(of), [1, 1, 1, 2, 2, 16, 16, 256]);
        assert_eq!(segment_bytes(&Config::new(), usize::MAX), u32::MAX);
        assert_eq!(segment_bytes(&Config::new().log_segment_bytes(7), 1 << 30), 7);
    }
}

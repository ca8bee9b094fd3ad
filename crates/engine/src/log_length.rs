//! Bytes of data in, the length of the log's segments out: how long a log becomes before a checkpoint.
//!
//! As many segments as are written before the next checkpoint hold as much as the data. So a small database
//! has a small log, and what checkpoints write anew stays below what is logged.

use crate::Config;

/// Segments of the log after which a checkpoint is made. Of 16 MiB each, they are read in some two seconds.
pub(crate) const SEGMENTS_MAX: u64 = 4;
/// The shortest segments: so many are written in a moment by who writes much, and a checkpoint of a small
/// database takes little beside that.
const SEGMENT_BYTES_MIN: u64 = 1 << 20;

/// How long segments are beside data of so many bytes, unless told: a power of two, so that most are used
/// again. The log has a longest.
pub(crate) fn segment_bytes(config: &Config, data: usize) -> u32 {
    if let Some(told) = config.log_segment_bytes {
        return told;
    }
    let len = (data as u64 / SEGMENTS_MAX).max(SEGMENT_BYTES_MIN).checked_next_power_of_two();
    len.and_then(|len| u32::try_from(len).ok()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::segment_bytes;
    use crate::Config;

    #[test]
    fn four_segments_hold_as_much_as_the_data() {
        let of = |mib: usize| segment_bytes(&Config::new(), mib << 20) >> 20;
        assert_eq!([0, 1, 4, 5, 8, 33, 64, 1_000].map(of), [1, 1, 1, 2, 2, 16, 16, 256]);
        assert_eq!(segment_bytes(&Config::new(), usize::MAX), u32::MAX);
        assert_eq!(segment_bytes(&Config::new().log_segment_bytes(7), 1 << 30), 7);
    }
}

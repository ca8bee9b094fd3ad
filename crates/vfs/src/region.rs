//! Memory for topology and columns: anonymous maps, aligned to 2 MiB, with huge pages when switched on.
//!
//! Two uses. A *filled* region is written once, while it is built, and only read after; it may also be memory
//! that is filled already, of the heap. A *reserved* one is
//! address space for a file: pieces are read into their places as they are touched, given back when they are
//! dropped, and read into the same places again; its 2 MiB pages are made one by one, once all of their bytes
//! are there, so that what is resident is what was touched.
//!
//! Independent random reads gain from 2 MiB pages once the data is beyond what the TLB covers (BI-HW §5); how
//! much depends on the machine, so `bench/gfcl` measures it there.
//!
//! Invariant: bytes of a reserved region are written and given back only by the pool that it belongs to, and
//! only while the piece they belong to is neither resident nor pinned (`pool`).
//!
//! Source: design §3, "Memory"; `live.md` §1.
#![expect(
    unsafe_code,
    reason = "memory that is read and given back piece by piece, while others read next to it"
)]

use std::sync::Arc;

use memmap2::{Advice, MmapOptions, MmapRaw};

/// The huge page size on x86-64 and the usual one on aarch64.
pub(crate) const HUGE_PAGE_BYTES: usize = 2 << 20;
/// What is given back to the system, and counted: the page size of x86-64. Where pages are larger, giving
/// back takes whole ones and leaves the rest.
pub(crate) const PAGE_BYTES: usize = 4 << 10;

/// How regions get their memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionOptions {
    /// Ask for 2 MiB pages.
    pub huge_pages: bool,
}

impl Default for RegionOptions {
    fn default() -> Self {
        Self { huge_pages: true }
    }
}

/// A run of memory: of a map, starting at a 2 MiB boundary if it is at least that large, else at a page
/// boundary; or of the heap.
#[derive(Debug)]
pub struct Region {
    memory: Memory,
    start: usize,
    len: usize,
}

#[derive(Debug)]
enum Memory {
    Map(MmapRaw),
    /// Filled when the region is made, and only read after.
    Heap(Box<[u8]>),
}

impl Memory {
    #[inline]
    fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Map(map) => map.as_ptr(),
            Self::Heap(bytes) => bytes.as_ptr(),
        }
    }
}

impl Region {
    fn new(len: usize, reserve: bool) -> std::io::Result<Self> {
        let large = len >= HUGE_PAGE_BYTES;
        let slack = if large { HUGE_PAGE_BYTES } else { 0 };
        let mut options = MmapOptions::new();
        if reserve {
            options.no_reserve_swap();
        }
        let map = MmapRaw::from(options.len((len + slack).max(1)).map_anon()?);
        let start = if large { map.as_ptr().align_offset(HUGE_PAGE_BYTES) } else { 0 };
        Ok(Self { memory: Memory::Map(map), start, len })
    }

    /// The map of a region that is one.
    fn map(&self) -> Option<&MmapRaw> {
        match &self.memory {
            Memory::Map(map) => Some(map),
            Memory::Heap(_) => None,
        }
    }

    /// Bytes as they are, only read from now on; `None` unless they start at a multiple of 8, which all
    /// readers need.
    pub fn of(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        // What is let go of may move the rest.
        let bytes = bytes.into_boxed_slice();
        if !bytes.as_ptr().addr().is_multiple_of(8) {
            return Err(bytes.into_vec());
        }
        let len = bytes.len();
        Ok(Self { memory: Memory::Heap(bytes), start: 0, len })
    }

    /// A kernel without transparent huge pages answers with an error; ordinary pages do as well.
    #[cfg(target_os = "linux")]
    fn advise(&self, advice: Advice, start: usize, len: usize) {
        if let Some(map) = self.map() {
            let _ = map.advise_range(advice, self.start + start, len);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn advise(&self, _: Advice, _: usize, _: usize) {}

    /// Zeroed memory of `len` bytes, to be filled and then only read.
    ///
    /// **Errors**: the system's, when it has no memory to give.
    pub fn zeroed(len: usize, options: RegionOptions) -> std::io::Result<Self> {
        let region = Self::new(len, false)?;
        if len >= HUGE_PAGE_BYTES {
            let advice = if options.huge_pages { Advice::HugePage } else { Advice::NoHugePage };
            region.advise(advice, 0, len);
        }
        Ok(region)
    }

    /// Address space of `len` bytes, of which nothing is resident yet.
    ///
    /// **Errors**: the system's, when it has no address space to give.
    pub(crate) fn reserved(len: usize) -> std::io::Result<Self> {
        let region = Self::new(len, true)?;
        region.advise(Advice::NoHugePage, 0, len);
        Ok(region)
    }

    /// The bytes of a filled region.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory has these bytes, and lives as long as `self`; a filled region is written through
        // `&mut self` only.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(self.start), self.len) }
    }

    /// The bytes, while they are being written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.memory {
            // SAFETY: the map has these bytes, and lives as long as `self`, which is borrowed alone.
            Memory::Map(map) => unsafe {
                std::slice::from_raw_parts_mut(map.as_mut_ptr().add(self.start), self.len)
            },
            Memory::Heap(bytes) => bytes,
        }
    }

    /// Some bytes of a reserved region, to be written.
    ///
    /// # Safety
    ///
    /// Nobody else reads or writes them as long as the slice lives.
    #[expect(clippy::mut_from_ref, reason = "who calls answers for nobody else being there")]
    pub(crate) unsafe fn slice_mut(&self, start: usize, len: usize) -> &mut [u8] {
        assert!(start.checked_add(len).is_some_and(|end| end <= self.len));
        // What is reserved is a map.
        let Some(map) = self.map() else { return &mut [] };
        // SAFETY: checked to be within the map; alone by the caller's word.
        unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr().add(self.start + start), len) }
    }

    /// Gives whole pages of a reserved region back to the system: they read as zero after.
    ///
    /// # Safety
    ///
    /// Nobody reads or writes them meanwhile, or relies on what they held.
    pub(crate) unsafe fn give_back(&self, start: usize, len: usize) {
        #[cfg(unix)]
        if let Some(map) = self.map() {
            // SAFETY: whole pages of an anonymous map that nobody looks at, by the caller's word. What fails
            // leaves them as they are.
            unsafe {
                let _ =
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, self.start + start, len);
            }
        }
        #[cfg(not(unix))]
        let _ = (start, len);
    }

    /// Makes one huge page of the 2 MiB at `start`, whose bytes are all there. A kernel that cannot leaves
    /// them as they are.
    pub(crate) fn collapse(&self, start: usize) {
        assert!(start.is_multiple_of(HUGE_PAGE_BYTES) && start + HUGE_PAGE_BYTES <= self.len);
        self.advise(Advice::HugePage, start, HUGE_PAGE_BYTES);
        #[cfg(target_os = "linux")]
        if let Some(map) = self.map() {
            // SAFETY: within the map; the advice changes no byte, also for who reads or writes meanwhile.
            unsafe {
                let at = map.as_mut_ptr().add(self.start + start).cast();
                libc::madvise(at, HUGE_PAGE_BYTES, libc::MADV_COLLAPSE);
            }
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A shared run of bytes of a region. Of a reserved one it may be read while its piece is pinned.
#[derive(Clone, Debug)]
pub struct Bytes {
    region: Arc<Region>,
    start: usize,
    len: usize,
}

impl Bytes {
    /// `region[start..start + len]`, if it is within.
    pub fn new(region: Arc<Region>, start: usize, len: usize) -> Option<Self> {
        (start.checked_add(len)? <= region.len()).then_some(Self { region, start, len })
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: checked to be within the memory, which lives as long as `self`. Of a filled region nobody
        // has a `&mut` once it is shared; those of a reserved one are written only while their piece is not
        // pinned, and whoever reads has pinned it.
        unsafe {
            let first = self.region.memory.as_ptr().add(self.region.start + self.start);
            std::slice::from_raw_parts(first, self.len)
        }
    }

    /// `self[start..start + len]`, if it is within.
    pub fn part(&self, start: usize, len: usize) -> Option<Self> {
        let within = start.checked_add(len)? <= self.len;
        within.then(|| Self { region: Arc::clone(&self.region), start: self.start + start, len })
    }

    /// Where it starts in its region.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

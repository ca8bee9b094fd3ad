//! Memory for topology and columns: anonymous maps, aligned to 2 MiB, advised to use huge pages when switched
//! on.
//!
//! Independent random reads gain from 2 MiB pages once the data is beyond what the TLB covers (BI-HW §5); how
//! much depends on the machine, so `bench/gfcl` measures it there. A region is written once, while it is
//! built, and only read after.
//!
//! Source: design §3, "Memory".

use std::sync::Arc;

use memmap2::MmapMut;

/// The huge page size on x86-64 and the usual one on aarch64.
const HUGE_PAGE_BYTES: usize = 2 << 20;

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

/// A run of memory that starts at a 2 MiB boundary if it is at least that large, else at a page boundary.
#[derive(Debug)]
pub struct Region {
    map: MmapMut,
    start: usize,
    len: usize,
}

impl Region {
    /// Zeroed memory of `len` bytes.
    ///
    /// **Errors**: the system's, when it has no memory to give.
    pub fn zeroed(len: usize, options: RegionOptions) -> std::io::Result<Self> {
        let large = len >= HUGE_PAGE_BYTES;
        let slack = if large { HUGE_PAGE_BYTES } else { 0 };
        let map = MmapMut::map_anon((len + slack).max(1))?;
        let start = if large { map.as_ptr().align_offset(HUGE_PAGE_BYTES) } else { 0 };
        #[cfg(target_os = "linux")]
        if large {
            // A kernel without transparent huge pages answers with an error; ordinary pages do as well.
            let advice =
                if options.huge_pages { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage };
            let _ = map.advise_range(advice, start, len);
        }
        Ok(Self { map, start, len })
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.map[self.start..self.start + self.len]
    }

    /// The bytes, while they are being written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.map[self.start..self.start + self.len]
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

/// A shared, immutable run of bytes of a region.
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
        &self.region.as_slice()[self.start..self.start + self.len]
    }

    /// `self[start..start + len]`, if it is within.
    pub fn part(&self, start: usize, len: usize) -> Option<Self> {
        let within = start.checked_add(len)? <= self.len;
        within.then(|| Self { region: Arc::clone(&self.region), start: self.start + start, len })
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

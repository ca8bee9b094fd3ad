//! Content <-> a block: what one write appends. `docs/design/log.md`, "Segments and blocks", has the layout.
//!
//! The header has a checksum of its own, so that what a block says of how far the log was synced can be
//! trusted even where its content is torn, and is found in one pass over a segment.

use trimorph_vfs::checksum;

use crate::Position;

/// Blocks begin at multiples of this.
pub(crate) const ALIGN: u32 = 64;
/// Bytes before the content.
pub(crate) const HEADER_BYTES: usize = 48;
/// Most bytes of content: a reader holds one block, and what is torn is searched header by header.
pub(crate) const CONTENT_MAX: usize = 1 << 20;

/// The first bytes go on with a transaction of the block before.
pub(crate) const GOES_ON: u32 = 1;
/// The first block after the log was opened: a transaction that was not whole before it is left out.
pub(crate) const OPENED: u32 = 2;
/// The database was closed.
pub(crate) const CLOSED: u32 = 4;

/// What the header of a block says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockHeader {
    /// Bytes of content.
    pub(crate) len: usize,
    pub(crate) flags: u32,
    /// How far the log was synced when the block was written.
    pub(crate) synced: Position,
    /// All commits up to this timestamp lie before `synced`.
    pub(crate) committed: u64,
    content_sum: u64,
}

/// What a block says of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Mark {
    /// How far the log is synced.
    pub(crate) synced: Position,
    /// All commits up to this timestamp lie before that.
    pub(crate) committed: u64,
}

/// Bytes of a block with so much content, up to where the next begins.
pub(crate) fn block_bytes(content: usize) -> usize {
    (HEADER_BYTES + content).next_multiple_of(ALIGN as usize)
}

fn header_sum(at: Position, header: &[u8]) -> u64 {
    checksum(&[&at.segment.to_le_bytes(), &u64::from(at.offset).to_le_bytes(), header])
}

/// Writes the header of `block`, whose content of `len` bytes, and the zeros behind it, are there.
pub(crate) fn seal(block: &mut [u8], at: Position, len: usize, flags: u32, Mark { synced, committed }: Mark) {
    let (header, content) = block.split_at_mut(HEADER_BYTES);
    // Content is at most CONTENT_MAX.
    header[0..4].copy_from_slice(&u32::try_from(len).unwrap_or(0).to_le_bytes());
    header[4..8].copy_from_slice(&flags.to_le_bytes());
    header[8..16].copy_from_slice(&synced.segment.to_le_bytes());
    header[16..20].copy_from_slice(&synced.offset.to_le_bytes());
    header[20..24].fill(0);
    header[24..32].copy_from_slice(&committed.to_le_bytes());
    header[32..40].copy_from_slice(&checksum(&[content]).to_le_bytes());
    let sum = header_sum(at, &header[..40]);
    header[40..48].copy_from_slice(&sum.to_le_bytes());
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

impl BlockHeader {
    /// The header in the first of `bytes`, if one was written there.
    pub(crate) fn read(bytes: &[u8], at: Position) -> Option<Self> {
        let header = bytes.get(..HEADER_BYTES)?;
        let len = u32_at(header, 0) as usize;
        // What most places that are searched hold is told from a header without its checksum.
        if len > CONTENT_MAX || u32_at(header, 4) > 7 || u32_at(header, 20) != 0 {
            return None;
        }
        (u64_at(header, 40) == header_sum(at, &header[..40])).then(|| Self {
            len,
            flags: u32_at(header, 4),
            synced: Position::new(u64_at(header, 8), u32_at(header, 16)),
            committed: u64_at(header, 24),
            content_sum: u64_at(header, 32),
        })
    }

    /// Whether what is behind the header, with the zeros up to the next block, is what was written.
    pub(crate) fn has(&self, content_and_zeros: &[u8]) -> bool {
        checksum(&[content_and_zeros]) == self.content_sum
    }
}

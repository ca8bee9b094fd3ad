//! Records in, blocks out: what was appended and not yet taken by a writer, laid out as it will be on disk,
//! so that the place of a record is known when it is appended. Headers are filled when the buffer is taken,
//! by the writer, without the log's lock.

use std::collections::BTreeMap;

use crate::Position;
use crate::block::{ALIGN, CONTENT_MAX, GOES_ON, HEADER_BYTES, Mark, OPENED, block_bytes, seal};
use crate::segment::HEADER_LEN;

/// A block of the buffer.
#[derive(Debug)]
struct Laid {
    /// Byte of the buffer at which it begins.
    start: usize,
    at: Position,
    len: usize,
    /// Content that fits.
    room: usize,
    flags: u32,
}

/// Blocks to be written.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    bytes: Vec<u8>,
    blocks: Vec<Laid>,
}

/// What was appended.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    blocks: Vec<Laid>,
    /// Whether the last block takes more.
    is_open: bool,
    /// Where the next block begins.
    next: Position,
    /// Of the block that comes next: `OPENED` until it is there.
    flags: u32,
    /// Lengths of the segments from that of the next block on, as far as they were made.
    lens: BTreeMap<u64, u32>,
}

impl Buffer {
    /// Nothing yet; the next block begins at `next`.
    pub(crate) fn new(next: Position) -> Self {
        Self {
            bytes: Vec::new(),
            blocks: Vec::new(),
            is_open: false,
            next,
            flags: OPENED,
            lens: BTreeMap::new(),
        }
    }

    /// A segment was made. All that is appended lies in some that were.
    pub(crate) fn made(&mut self, segment: u64, len: u32) {
        self.lens.insert(segment, len);
    }

    /// The length of a segment that was made, from that of the next block on.
    pub(crate) fn segment_len(&self, segment: u64) -> u32 {
        self.lens.get(&segment).copied().unwrap_or(HEADER_LEN)
    }

    /// Bytes for blocks of the segments behind that of the next block.
    pub(crate) fn bytes_behind(&self) -> u64 {
        let behind = self.lens.range(self.end().segment + 1..);
        behind.map(|(_, len)| u64::from(len - HEADER_LEN)).sum()
    }

    /// The length of the shortest segment that is or will be written.
    pub(crate) fn shortest(&self) -> Option<u32> {
        self.lens.values().copied().min()
    }

    /// Bytes to be written.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Behind the last record.
    pub(crate) fn end(&self) -> Position {
        match self.blocks.last() {
            Some(last) if self.is_open => {
                Position::new(last.at.segment, last.at.offset + short(HEADER_BYTES + last.len))
            }
            _ => self.next,
        }
    }

    /// Bytes of the segment of the next block from there on, those that an open one may take included.
    pub(crate) fn rest_of_segment(&self) -> u64 {
        let end = self.end();
        u64::from(self.segment_len(end.segment).saturating_sub(end.offset.next_multiple_of(ALIGN)))
    }

    /// Ends the open block: what comes next begins one. Gives its place.
    pub(crate) fn seal_off(&mut self) -> Position {
        if std::mem::take(&mut self.is_open)
            && let Some(last) = self.blocks.last()
        {
            let bytes = block_bytes(last.len);
            self.bytes.resize(last.start + bytes, 0);
            self.next = Position::new(last.at.segment, last.at.offset + short(bytes));
        }
        self.next
    }

    fn begin(&mut self, flags: u32) {
        if self.next.offset >= self.segment_len(self.next.segment) {
            self.next = Position::new(self.next.segment + 1, HEADER_LEN);
        }
        let room = (self.segment_len(self.next.segment) - self.next.offset) as usize - HEADER_BYTES;
        self.blocks.push(Laid {
            start: self.bytes.len(),
            at: self.next,
            len: 0,
            room: room.min(CONTENT_MAX),
            flags: flags | std::mem::take(&mut self.flags),
        });
        self.bytes.resize(self.bytes.len() + HEADER_BYTES, 0);
        self.is_open = true;
    }

    /// Appends `records`, or as much of them as makes the buffer `bytes_max` long, and says how much.
    /// `goes_on`: they go on with a transaction whose first part was appended before.
    pub(crate) fn put(&mut self, records: &[u8], goes_on: bool, bytes_max: usize) -> usize {
        let mut done = 0;
        while done < records.len() && (done == 0 || self.bytes.len() < bytes_max) {
            if !self.is_open {
                self.begin(if goes_on || done > 0 { GOES_ON } else { 0 });
            }
            let Some(last) = self.blocks.last_mut() else { break };
            let some = (records.len() - done).min(last.room - last.len);
            self.bytes.extend_from_slice(&records[done..done + some]);
            (last.len, done) = (last.len + some, done + some);
            if last.len == last.room {
                self.seal_off();
            }
        }
        done
    }

    /// Appends a block without content.
    pub(crate) fn put_empty(&mut self, flags: u32) {
        self.seal_off();
        self.begin(flags);
        self.seal_off();
    }

    /// Takes all blocks; `spare` is filled next.
    pub(crate) fn take(&mut self, spare: Taken) -> Taken {
        self.seal_off();
        self.lens = self.lens.split_off(&self.next.segment);
        let Taken { mut bytes, mut blocks } = spare;
        bytes.clear();
        blocks.clear();
        Taken {
            bytes: std::mem::replace(&mut self.bytes, bytes),
            blocks: std::mem::replace(&mut self.blocks, blocks),
        }
    }
}

/// Lengths of blocks and places in segments are below 4 GiB.
fn short(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl Taken {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Fills the headers.
    pub(crate) fn seal(&mut self, mark: Mark) {
        let ends: Vec<usize> =
            self.blocks.iter().skip(1).map(|b| b.start).chain([self.bytes.len()]).collect();
        for (block, end) in self.blocks.iter().zip(ends) {
            seal(&mut self.bytes[block.start..end], block.at, block.len, block.flags, mark);
        }
    }

    /// What is to be written, for each segment in one piece.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Position, &[u8])> {
        self.blocks.chunk_by(|a, b| a.at.segment == b.at.segment).filter_map(|blocks| {
            let (first, last) = (blocks.first()?, blocks.last()?);
            let end = last.start + block_bytes(last.len);
            Some((first.at, self.bytes.get(first.start..end)?))
        })
    }

    /// Gives back the room of what was large.
    pub(crate) fn trimmed(mut self, bytes_max: usize) -> Self {
        if self.bytes.capacity() > bytes_max {
            self.bytes = Vec::new();
        }
        self
    }
}

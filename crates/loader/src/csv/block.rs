//! Records of one shape in, where their fields end out: some hundred records at a time, of a chunk without
//! quotes.
//!
//! So a column is parsed in one loop that knows its type, while the text is in the first cache. A block is
//! all or nothing: where a record has another number of fields, or a value is not one, the records are taken
//! one by one (`table`), which tells what is wrong.

use super::structural::Structural;

/// Fields of a block, about: their text and positions stay in the first cache.
const BLOCK_FIELDS: usize = 2_048;
/// Records of a block at most.
pub(super) const BLOCK_ROWS: usize = 256;

/// Where the fields of some records end.
pub(crate) struct Block<'a> {
    text: &'a [u8],
    /// The first byte of the first record.
    start: usize,
    /// The line end or delimiter behind each field, record by record.
    ends: Vec<u32>,
    fields: usize,
    rows: usize,
}

impl<'a> Block<'a> {
    /// An empty one, for records of so many fields.
    pub(super) fn new(text: &'a [u8], fields: usize) -> Self {
        Self { text, start: 0, ends: Vec::new(), fields, rows: 0 }
    }

    /// Takes the next records, which begin at `start`; `false` if one of them has another number of fields,
    /// if the last one does not end, or if there are none. Then nothing is taken off `structural`.
    pub(super) fn fill(&mut self, start: usize, structural: &mut Structural<'a>) -> bool {
        let most = (BLOCK_FIELDS / self.fields.max(1)).clamp(1, BLOCK_ROWS) * self.fields;
        let mut ahead = structural.clone();
        self.ends.clear();
        ahead.take(most, &mut self.ends);
        (self.start, self.rows) = (start, 0);
        let records = self.ends.chunks_exact(self.fields.max(1));
        let whole = !self.ends.is_empty() && records.remainder().is_empty();
        let has_shape = |record: &[u32]| {
            let (last, others) = record.split_last().unwrap_or((&0, &[]));
            let is_end = |at: &u32| self.text[*at as usize] == b'\n';
            is_end(last) && !others.iter().any(is_end)
        };
        // An empty line is passed over; only one of a single field could be taken for a record.
        let is_taken = whole && records.clone().all(has_shape) && (self.fields > 1 || !self.has_empty_line());
        if is_taken {
            self.rows = records.len();
            *structural = ahead;
        }
        is_taken
    }

    fn has_empty_line(&self) -> bool {
        let starts = std::iter::once(self.start).chain(self.ends.iter().map(|end| *end as usize + 1));
        starts.zip(&self.ends).any(|(start, end)| matches!(&self.text[start..*end as usize], b"" | b"\r"))
    }

    /// Records.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// One past the line end of the last record.
    pub(super) fn end(&self) -> usize {
        self.ends.last().map_or(self.start, |end| *end as usize + 1)
    }

    /// Bytes of all records.
    pub(super) fn bytes(&self) -> usize {
        self.end() - self.start
    }

    /// The texts of a field, record by record.
    #[inline]
    pub(crate) fn texts(&self, field: usize) -> impl Iterator<Item = &'a [u8]> {
        let is_last = field + 1 == self.fields;
        (0..self.rows).map(move |row| {
            let at = row * self.fields + field;
            let start = at.checked_sub(1).map_or(self.start, |before| self.ends[before] as usize + 1);
            let text = &self.text[start..self.ends[at] as usize];
            if is_last { text.strip_suffix(b"\r").unwrap_or(text) } else { text }
        })
    }
}

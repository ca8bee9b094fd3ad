//! A text read from the left: characters and numbers of so many digits.

/// The text not yet read.
pub(super) struct Reader<'a>(pub(super) &'a str);

impl Reader<'_> {
    pub(super) fn at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        self.0.strip_prefix(expected).map(|rest| self.0 = rest).is_some()
    }

    pub(super) fn digit_count(&self) -> usize {
        self.0.bytes().take_while(u8::is_ascii_digit).count()
    }

    /// The next `count` digits as a number.
    pub(super) fn digits(&mut self, count: usize) -> Option<i64> {
        if count == 0 || self.digit_count() < count {
            return None;
        }
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.parse().ok()
    }
}

//! Numbers, texts and runs of numbers <-> bytes. Every read is checked; a run of equal steps may be longer
//! than its bytes, up to [`ROWS_MAX`].

use trimorph_vfs::CodecError;

/// Rows that one record may have: what a few forged bytes can make a reader allocate is 8 bytes for each.
pub const ROWS_MAX: usize = 1 << 20;

/// Appends a LEB128 number.
#[inline]
pub(crate) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(low_byte(n) | 0x80);
        n >>= 7;
    }
    out.push(low_byte(n));
}

#[inline]
fn low_byte(n: u64) -> u8 {
    n.to_le_bytes()[0]
}

/// Appends a length and UTF-8.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn zigzag(n: i64) -> u64 {
    (n.cast_unsigned() << 1) ^ (n >> 63).cast_unsigned()
}

fn unzigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -(n & 1).cast_signed()
}

/// Appends a run of numbers: count, first, and 1 and the step where all steps are equal, else 0 and the
/// steps.
pub(crate) fn put_run(out: &mut Vec<u8>, run: &[u64]) {
    put_number(out, run.len() as u64);
    let Some(first) = run.first() else { return };
    put_number(out, *first);
    let steps = || run.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
    let Some(step) = steps().next() else { return };
    let is_even = steps().all(|s| s == step);
    out.push(u8::from(is_even));
    for step in steps().take(if is_even { 1 } else { run.len() }) {
        put_number(out, zigzag(step.cast_signed()));
    }
}

/// Reads what the functions above wrote.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// An error at the current place.
    pub(crate) fn error(&self, expected: &'static str) -> CodecError {
        CodecError { offset: self.at, expected }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(crate) fn take(&mut self, len: usize, expected: &'static str) -> Result<&'a [u8], CodecError> {
        let taken = self.rest().get(..len).ok_or_else(|| self.error(expected))?;
        self.at += len;
        Ok(taken)
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<(), CodecError> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the end of the record")) }
    }

    pub(crate) fn u8(&mut self) -> Result<u8, CodecError> {
        Ok(self.take(1, "a byte")?[0])
    }

    pub(crate) fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], CodecError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, expected)?);
        Ok(out)
    }

    /// A LEB128 number of up to 64 bits.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, CodecError> {
        let mut n = 0_u64;
        for (k, byte) in self.rest().iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7f);
            if k == 9 && bits > 1 {
                break;
            }
            n |= bits << (7 * k);
            if byte & 0x80 == 0 {
                self.at += k + 1;
                return Ok(n);
            }
        }
        Err(self.error("a number of up to 64 bits"))
    }

    /// A number that fits a smaller type.
    pub(crate) fn id<T: TryFrom<u64>>(&mut self, expected: &'static str) -> Result<T, CodecError> {
        let here = self.error(expected);
        T::try_from(self.number()?).map_err(|_| here)
    }

    /// How many things of at least `bytes` bytes each follow.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<usize, CodecError> {
        let here = self.error("a count of what follows");
        let n = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if n.checked_mul(bytes).is_some_and(|all| all <= self.rest().len()) { Ok(n) } else { Err(here) }
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, CodecError> {
        let len = self.count(1)?;
        let here = self.error("UTF-8 text");
        std::str::from_utf8(self.take(len, "text")?).map_err(|_| here)
    }

    /// A run of numbers, at most [`ROWS_MAX`].
    pub(crate) fn run(&mut self) -> Result<Vec<u64>, CodecError> {
        let here = self.error("a count of rows");
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > ROWS_MAX {
            return Err(here);
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut n = self.number()?;
        if count == 1 {
            return Ok(vec![n]);
        }
        if self.u8()? == 1 {
            let step = unzigzag(self.number()?).cast_unsigned();
            let mut run = Vec::with_capacity(count);
            for _ in 0..count {
                run.push(n);
                n = n.wrapping_add(step);
            }
            return Ok(run);
        }
        if count - 1 > self.rest().len() {
            return Err(here);
        }
        let mut run = Vec::with_capacity(count);
        run.push(n);
        for _ in 1..count {
            n = n.wrapping_add(unzigzag(self.number()?).cast_unsigned());
            run.push(n);
        }
        Ok(run)
    }
}

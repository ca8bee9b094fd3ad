//! Where bytes go: a file, compressed as its name or its writer says.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

/// What a file is compressed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// Nothing.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
    /// bzip2.
    Bzip2,
}

impl Compression {
    /// What the name of a file says by `.gz`, `.zst` or `.bz2`, and the name without that.
    pub fn of_name(name: &str) -> (&str, Self) {
        let suffixes = [(".gz", Self::Gzip), (".zst", Self::Zstd), (".bz2", Self::Bzip2)];
        let has = |suffix: &str| {
            let at = name.len().checked_sub(suffix.len())?;
            let (stem, end) = (name.get(..at)?, name.get(at..)?);
            end.eq_ignore_ascii_case(suffix).then_some(stem)
        };
        let found = suffixes.iter().find_map(|(suffix, kind)| Some((has(suffix)?, *kind)));
        found.unwrap_or((name, Self::None))
    }
}

/// A file that is written.
pub struct Sink(Kind);

enum Kind {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    Zstd(Box<ZstdEncoder<'static, BufWriter<File>>>),
    Bzip2(Box<BzEncoder<BufWriter<File>>>),
}

impl Sink {
    /// A sink into `file`; `name` says by `.gz`, `.zst` or `.bz2` what it is compressed with.
    ///
    /// **Errors**: what the system says.
    pub fn new(file: File, name: &Path) -> io::Result<Self> {
        let name = name.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        Self::compressed(file, Compression::of_name(&name).1)
    }

    /// A sink into `file`, compressed so.
    ///
    /// **Errors**: what the system says.
    pub fn compressed(file: File, with: Compression) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 17, file);
        Ok(Self(match with {
            Compression::Gzip => Kind::Gzip(Box::new(GzEncoder::new(out, flate2::Compression::default()))),
            Compression::Zstd => Kind::Zstd(Box::new(ZstdEncoder::new(out, 0)?)),
            Compression::Bzip2 => Kind::Bzip2(Box::new(BzEncoder::new(out, bzip2::Compression::default()))),
            Compression::None => Kind::Plain(out),
        }))
    }

    /// Writes what is still to be written, and asks the system to keep it.
    ///
    /// **Errors**: what the system says.
    pub fn finish(self) -> io::Result<()> {
        let mut out = match self.0 {
            Kind::Plain(out) => out,
            Kind::Gzip(encoder) => encoder.finish()?,
            Kind::Zstd(encoder) => encoder.finish()?,
            Kind::Bzip2(encoder) => encoder.finish()?,
        };
        out.flush()?;
        let file = out.get_ref();
        // A pipe or a device keeps nothing.
        if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(out) => out.write(bytes),
            Kind::Gzip(out) => out.write(bytes),
            Kind::Zstd(out) => out.write(bytes),
            Kind::Bzip2(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(out) => out.flush(),
            Kind::Gzip(out) => out.flush(),
            Kind::Zstd(out) => out.flush(),
            Kind::Bzip2(out) => out.flush(),
        }
    }
}

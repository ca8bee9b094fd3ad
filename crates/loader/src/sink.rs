//! Where bytes go: a file, compressed as its name says.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

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
        let out = BufWriter::with_capacity(1 << 17, file);
        let suffix = name.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        Ok(Self(match suffix.to_ascii_lowercase().as_str() {
            "gz" => Kind::Gzip(Box::new(GzEncoder::new(out, flate2::Compression::default()))),
            "zst" => Kind::Zstd(Box::new(ZstdEncoder::new(out, 0)?)),
            "bz2" => Kind::Bzip2(Box::new(BzEncoder::new(out, bzip2::Compression::default()))),
            _ => Kind::Plain(out),
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
        out.get_ref().sync_all()
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

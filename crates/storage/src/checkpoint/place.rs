//! Where a piece is on disk, and the headers of the files of a database directory.
//!
//! ```text
//! a piece file                          the manifest
//!   0  magic "TRIMORPH"     8             0  magic "TRIMORPH"      8
//!   8  format version       4             8  format version        4
//!  12  kind: 1              4            12  kind: 3               4
//!  16  number               8            16  checkpoint number     8
//!  24  zero                32            24  payload length        8
//!  56  XXH3-64 of 0..56     8            32  XXH3-64 of bytes 0..32, then of the payload   8
//!  64  pieces                            40  payload
//! ```

use std::path::{Path, PathBuf};

use trimorph_vfs::{CodecError, Decoder, Encoder, PIECE_ALIGN, checksum};

const MAGIC: &[u8; 8] = b"TRIMORPH";
/// The format version this build writes.
pub(crate) const VERSION: u32 = 14;
/// The oldest that can be opened: what came since is something more.
const OLDEST: u32 = 9;
const PIECES: u32 = 1;
const MANIFEST: u32 = 3;
pub(super) const FILE_HEADER_BYTES: usize = 64;
const MANIFEST_HEADER_BYTES: usize = 40;
/// The number of a manifest, or file, ends here.
pub(super) const NUMBER_END: usize = 24;
const _: () = assert!(FILE_HEADER_BYTES.is_multiple_of(PIECE_ALIGN));

/// Where a piece is, and what its bytes add up to. 20 bytes: file number (4), offset and length in units of
/// 64 bytes (4 + 4), checksum (8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceRef {
    pub(crate) file: u32,
    /// In units of [`PIECE_ALIGN`].
    pub(crate) offset: u32,
    /// In units of [`PIECE_ALIGN`].
    pub(crate) len: u32,
    pub(crate) checksum: u64,
}

impl PieceRef {
    pub(super) fn write(self, meta: &mut Encoder) {
        meta.u32(self.file);
        meta.u32(self.offset);
        meta.u32(self.len);
        meta.u64(self.checksum);
    }

    pub(super) fn read(meta: &mut Decoder<'_>) -> Result<Self, CodecError> {
        Ok(Self { file: meta.u32()?, offset: meta.u32()?, len: meta.u32()?, checksum: meta.u64()? })
    }

    /// The first byte, and the number of bytes.
    pub(crate) fn range(self) -> (usize, usize) {
        (self.offset as usize * PIECE_ALIGN, self.len as usize * PIECE_ALIGN)
    }
}

/// The folder of the piece files.
pub(super) fn folder(dir: &Path) -> PathBuf {
    dir.join("checkpoint")
}

/// The piece file of a number.
pub(super) fn piece_file(dir: &Path, number: u32) -> PathBuf {
    folder(dir).join(format!("{number}.pieces"))
}

/// The number in the name of a piece file.
pub(super) fn number_of(name: &str) -> Option<u32> {
    name.strip_suffix(".pieces")?.parse().ok()
}

/// What is wrong with a header: the byte, and in words.
pub(super) type Wrong = (usize, String);

/// Checks the magic, the version, which it gives, and the kind.
fn check_start(bytes: &[u8], kind: u32) -> Result<u32, Wrong> {
    let number = |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|raw| u32::from_le_bytes(*raw));
    if bytes.get(..8) != Some(MAGIC) {
        return Err((0, "damaged header (not a Trimorph file)".into()));
    }
    let version = match number(8) {
        Some(version @ OLDEST..=VERSION) => version,
        Some(version) if version > VERSION => {
            let text =
                format!("format version {version} is newer than {VERSION}, the newest this build can open");
            return Err((8, text));
        }
        Some(version) => {
            let text = format!(
                "format version {version} is older than {OLDEST}, the oldest this build can open: load the data again"
            );
            return Err((8, text));
        }
        None => return Err((8, "damaged header (cut short)".into())),
    };
    if number(12) != Some(kind) {
        return Err((12, "damaged header (a file of another kind)".into()));
    }
    Ok(version)
}

fn start(version: u32, kind: u32, number: u64) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&version.to_le_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    out
}

/// The header of a piece file.
pub(super) fn file_header(number: u32) -> Vec<u8> {
    file_header_of(VERSION, number)
}

/// The same as builds of a version wrote it.
fn file_header_of(version: u32, number: u32) -> Vec<u8> {
    let mut out = start(version, PIECES, number.into());
    out.resize(56, 0);
    out.extend_from_slice(&checksum(&[&out]).to_le_bytes());
    out
}

/// Whether the header is that of piece file `number`.
pub(super) fn check_file(bytes: &[u8], number: u32) -> Result<(), Wrong> {
    let version = check_start(bytes, PIECES)?;
    if bytes.get(..FILE_HEADER_BYTES) != Some(&file_header_of(version, number)[..]) {
        return Err((16, "damaged header".into()));
    }
    Ok(())
}

/// The bytes of a manifest.
pub(super) fn manifest(number: u64, payload: &[u8]) -> Vec<u8> {
    manifest_of(VERSION, number, payload)
}

fn manifest_of(version: u32, number: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = start(version, MANIFEST, number);
    out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    out.extend_from_slice(&checksum(&[&out, payload]).to_le_bytes());
    out.extend_from_slice(payload);
    out
}

/// A manifest whose header is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Manifest<'b> {
    pub(super) version: u32,
    pub(super) number: u64,
    pub(super) payload: &'b [u8],
}

/// Reads the header of a manifest. `verify` is off in tests that forge one.
pub(super) fn check_manifest(bytes: &[u8], verify: bool) -> Result<Manifest<'_>, Wrong> {
    let version = check_start(bytes, MANIFEST)?;
    let number = |at: usize| bytes.get(at..at + 8)?.first_chunk().map(|raw| u64::from_le_bytes(*raw));
    let (Some(checkpoint), Some(len), Some(sum)) = (number(16), number(24), number(32)) else {
        return Err((bytes.len(), "damaged header (cut short)".into()));
    };
    let payload = &bytes[MANIFEST_HEADER_BYTES..];
    if verify {
        if payload.len() as u64 != len {
            return Err((24, "damaged length (the file is cut short or has grown)".into()));
        }
        if checksum(&[&bytes[..32], payload]) != sum {
            return Err((32, "damaged manifest".into()));
        }
    }
    Ok(Manifest { version, number: checkpoint, payload })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_refused_by_number() {
        for version in [VERSION + 1, OLDEST - 1, 0, u32::MAX] {
            let mut bytes = manifest(1, b"payload");
            bytes[8..12].copy_from_slice(&version.to_le_bytes());
            let (at, text) = check_manifest(&bytes, true).unwrap_err();
            assert!(at == 8 && text.contains(&version.to_string()), "{text}");
        }
    }

    #[test]
    fn older_versions_are_read() {
        for version in OLDEST..=VERSION {
            assert_eq!(check_file(&file_header_of(version, 7), 7), Ok(()));
            let list = manifest_of(version, 9, b"payload");
            assert_eq!(check_manifest(&list, true), Ok(Manifest { version, number: 9, payload: b"payload" }));
        }
        assert!(check_file(&file_header_of(OLDEST - 1, 7), 7).is_err());
    }

    #[test]
    fn every_flipped_bit_of_a_header_is_found() {
        let (file, list) = (file_header(7), manifest(9, b"payload"));
        assert!(
            file.len() == FILE_HEADER_BYTES && check_file(&file, 7).is_ok() && check_file(&file, 8).is_err()
        );
        assert_eq!(
            check_manifest(&list, true),
            Ok(Manifest { version: VERSION, number: 9, payload: b"payload" })
        );
        for at in 0..file.len().max(list.len()) {
            for bit in 0..8 {
                for (good, is_file) in [(&file, true), (&list, false)] {
                    let mut bad = good.clone();
                    let Some(byte) = bad.get_mut(at) else { continue };
                    *byte ^= 1 << bit;
                    let found = if is_file {
                        check_file(&bad, 7).is_err()
                    } else {
                        check_manifest(&bad, true).is_err()
                    };
                    assert!(found, "byte {at}");
                }
            }
        }
        (0..list.len()).for_each(|len| assert!(check_manifest(&list[..len], true).is_err()));
    }
}

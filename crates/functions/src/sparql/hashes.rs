//! MD5 and the SHA family, of a text's UTF-8, in small hexadecimal digits.

use std::fmt::Write as _;

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use trimorph_types::Value;

use super::found::{Found, of_terms};
use super::texts::Text;
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("md5", (1, 1), result::string, digest::<Md5>, "md5(text): the MD5 checksum"),
    of_terms!("sha1", (1, 1), result::string, digest::<Sha1>, "sha1(text): the SHA-1 checksum"),
    of_terms!("sha256", (1, 1), result::string, digest::<Sha256>, "sha256(text): the SHA-256 checksum"),
    of_terms!("sha384", (1, 1), result::string, digest::<Sha384>, "sha384(text): the SHA-384 checksum"),
    of_terms!("sha512", (1, 1), result::string, digest::<Sha512>, "sha512(text): the SHA-512 checksum"),
];

/// Bytes between two looks at the flag that cancels.
const BLOCK_BYTES: usize = 1 << 20;

fn digest<D: Digest>(context: &Context<'_>, args: &[Value]) -> Found {
    let mut hasher = D::new();
    let mut steps = context.steps();
    for (i, block) in Text::plain(&args[0])?.as_bytes().chunks(BLOCK_BYTES).enumerate() {
        if i > 0 {
            steps.look()?;
        }
        hasher.update(block);
    }
    let mut out = String::new();
    for byte in hasher.finalize().as_slice() {
        _ = write!(out, "{byte:02x}");
    }
    Ok(Value::string(out))
}

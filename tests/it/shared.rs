//! Where the shared data lies, beside the repository. A user's clone has none: then tests say what they skip.

use std::io::{Write as _, stderr};
use std::path::PathBuf;

/// The path of something shared, if it is there. Absent in CI, it is a failure.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "CI needs shared/{path}");
    // Not by `println!`: what a test prints so is not shown where it passes.
    let _ = writeln!(stderr(), "skipped: shared/{path} is not beside this clone");
    None
}

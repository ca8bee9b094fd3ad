//! Rows to bytes and back, files and what goes wrong with them, sets larger than memory.

mod codec;
mod hash;

//! Main: the read-optimised, immutable half of the store (design §3; GF-CL §4–5).
#![forbid(unsafe_code)]

pub mod bulk;

//! Tests of whole loads, through a sink that records everything.

pub(crate) mod recorder;
mod snb;

//! Tests of whole loads, through a sink that records everything.

mod recorder;
mod snb;

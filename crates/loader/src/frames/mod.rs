//! Frames in, a filled sink and a report out: tables that a caller has in memory, or computes batch by batch.
//!
//! 1. [`plan`] asks each frame for its columns, says what they mean and declares tables.
//! 2. [`feed`] takes record batches, checks them, and cuts them into units of some ten thousand rows.
//! 3. [`crate::arrays`] makes columns of a unit, on any thread; values are columns already.
//!
//! Rows have numbers from 0, as frames have them.

mod feed;
mod frame;
mod plan;
mod values;

use std::path::PathBuf;

use trimorph_store::bulk::BulkSink;

pub use frame::{EdgeFrame, Frame, FrameEnd, Frames, NodeFrame, Rows};

use crate::load::{Run, columns_of};
use crate::report::Described;
use crate::{Format, LoadError, LoadOptions, LoadReport, Progress};

/// Loads frames into `sink`: declares tables, then appends all rows, as [`crate::load`] does with files.
///
/// **Errors**: see [`LoadError`]; a frame is named as the caller named it.
pub fn load_frames(
    frames: Frames,
    options: &LoadOptions,
    sink: &impl BulkSink,
    progress: &dyn Progress,
) -> Result<LoadReport, LoadError> {
    let run = Run::new(options, sink, progress);
    let frames = plan::plan(frames, sink)?;
    let described = |f: &plan::Planned| Described {
        path: PathBuf::from(&f.name),
        table: f.plan.name.clone(),
        quote: b'"',
    };
    let described: Vec<Described> = frames.iter().map(described).collect();
    // Unknown as a whole where it is of one.
    let bytes_total = frames.iter().map(|f| f.bytes).sum::<Option<u64>>().unwrap_or(0);
    let columns: Vec<_> = frames.iter().map(|f| columns_of(&f.plan)).collect();
    let mut feed = feed::FrameFeed::new(frames);
    let mut report = run.feed(&mut feed, &described, bytes_total, Format::Frames)?;
    report.files.iter_mut().zip(columns).for_each(|(frame, columns)| frame.columns = columns);
    Ok(report)
}

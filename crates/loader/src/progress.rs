//! How far a load or a generation is: states out, at a bounded rate.

use std::time::{Duration, Instant};

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// Headers and labels are looked at before anything is declared.
    Scan,
    /// Rows are read, parsed and appended.
    Load,
    /// Storage builds its structures out of what was appended (reported by whoever drives the sink).
    Build,
    /// The generator makes rows.
    Generate,
}

impl Phase {
    /// One word for a progress line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scanning",
            Self::Load => "loading",
            Self::Build => "building",
            Self::Generate => "generating",
        }
    }
}

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgressState {
    /// Bytes of the files (as stored, compressed or not) that were read; in `Generate`, persons done.
    pub bytes_done: u64,
    /// Bytes there are; 0 when unknown.
    pub bytes_total: u64,
    /// Rows taken so far.
    pub rows: u64,
    /// Rows refused so far.
    pub rejected: u64,
    /// What is going on.
    pub phase: Phase,
}

/// Takes progress. Called from the thread that called `load`, 5 to 20 times a second and once at the end.
pub trait Progress {
    /// The state now.
    fn update(&self, state: &ProgressState);
}

/// Progress that nobody looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn update(&self, _: &ProgressState) {}
}

/// Numbers for a progress line, from a state and the time since the phase began.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// 0 to 100; `None` when the total is unknown.
    pub percent: Option<f64>,
    /// Rows per second so far.
    pub rows_per_second: f64,
    /// Seconds left if it goes on like this; `None` before 1 % is done.
    pub seconds_left: Option<f64>,
}

impl Rates {
    /// The numbers of `state` after `elapsed`.
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    pub fn of(state: &ProgressState, elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs_f64().max(1e-6);
        let share = (state.bytes_total > 0)
            .then(|| (state.bytes_done as f64 / state.bytes_total as f64).clamp(0.0, 1.0));
        Self {
            percent: share.map(|s| s * 100.0),
            rows_per_second: state.rows as f64 / seconds,
            seconds_left: share.filter(|s| *s >= 0.01).map(|s| seconds * (1.0 - s) / s),
        }
    }
}

/// Lets a state through every 60 ms (17 times a second), which is between the 5 and 20 promised.
pub(crate) struct Meter<'a> {
    progress: &'a dyn Progress,
    last: Option<Instant>,
}

impl<'a> Meter<'a> {
    const INTERVAL: Duration = Duration::from_millis(60);

    pub(crate) fn new(progress: &'a dyn Progress) -> Self {
        Self { progress, last: None }
    }

    /// Whether it is time to report.
    pub(crate) fn is_due(&self) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= Self::INTERVAL)
    }

    /// Reports.
    pub(crate) fn report(&mut self, state: &ProgressState) {
        self.last = Some(Instant::now());
        self.progress.update(state);
    }
}

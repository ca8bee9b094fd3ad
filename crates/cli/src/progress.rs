//! The engine's progress as a bar on stderr: nothing if that is no terminal.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use trimorph::{LoadPhase, Progress, ProgressState, Rates};

use crate::terminal::Terminal;
use crate::text::quantity;

/// A progress bar for loads and generators.
pub(crate) struct Bar {
    bar: ProgressBar,
    phase: Cell<Option<(LoadPhase, Instant)>>,
}

impl Bar {
    /// A bar that is not shown before the first state arrives.
    pub(crate) fn new(terminal: &Terminal) -> Self {
        let bar = ProgressBar::new(1000);
        let template = if terminal.err.on {
            "  {prefix:<10} {bar:30.cyan/black.bright} {percent:>3} %  {msg:.dim}"
        } else {
            "  {prefix:<10} {bar:30} {percent:>3} %  {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, phase: Cell::new(None) }
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for Bar {
    fn update(&self, state: &ProgressState) {
        let since = match self.phase.get() {
            Some((phase, since)) if phase == state.phase => since,
            _ => {
                let now = Instant::now();
                self.phase.set(Some((state.phase, now)));
                now
            }
        };
        let rates = Rates::of(state, since.elapsed());
        self.bar.set_prefix(state.phase.name());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        self.bar.set_position((rates.percent.unwrap_or(0.0) * 10.0) as u64);
        self.bar.set_message(describe(state, &rates));
        if state.phase == LoadPhase::Build {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }
}

fn describe(state: &ProgressState, rates: &Rates) -> String {
    let mut text = format!("{} rows", quantity::grouped(state.rows));
    if state.phase != LoadPhase::Build {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display")]
        let rate = rates.rows_per_second as u64;
        text.push_str(&format!(", {} rows/s", quantity::short(rate)));
        if let Some(left) = rates.seconds_left.filter(|s| *s >= 1.0) {
            text.push_str(&format!(", {left:.0} s left"));
        }
    }
    if state.rejected > 0 {
        text.push_str(&format!(", {} rejected", quantity::grouped(state.rejected)));
    }
    text
}

//! Numbers of rows, or positions, to be given to what comes: those of what went first, then the next.

use std::sync::{Mutex, PoisonError};

/// Numbers that are given and come back.
#[derive(Debug, Default)]
pub(crate) struct Places {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    end: u64,
    free: Vec<u64>,
}

impl Places {
    /// Numbers below `end` are in use but for those that are `free`.
    pub(crate) fn from(end: u64, free: Vec<u64>) -> Self {
        Self { state: Mutex::new(State { end, free }) }
    }

    /// Gives `count` numbers: those that came back, in no order, then ascending ones.
    pub(crate) fn take(&self, count: usize, out: &mut Vec<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let again = state.free.len().min(count);
        let from = state.free.len() - again;
        out.extend(state.free.drain(from..));
        let fresh = (count - again) as u64;
        out.extend(state.end..state.end + fresh);
        state.end += fresh;
    }

    /// Gives `count` numbers that follow each other, all of them new; gives the first.
    pub(crate) fn take_run(&self, count: u64) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.end += count;
        state.end - count
    }

    /// Takes numbers back.
    pub(crate) fn give_back(&self, numbers: impl IntoIterator<Item = u64>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free.extend(numbers);
    }

    /// Takes a run back that nobody has used.
    pub(crate) fn give_back_run(&self, run: std::ops::Range<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.end == run.end {
            state.end = run.start;
        } else {
            state.free.extend(run);
        }
    }

    /// Numbers below `end` are in use, but for those in `free`: a log said so.
    pub(crate) fn restore(&self, end: u64, free: Vec<u64>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State { end, free };
    }

    /// Numbers below `end` may be in use.
    pub(crate) fn reach(&self, end: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.end = state.end.max(end);
    }

    /// How many of those that were given are free.
    #[cfg(test)]
    pub(crate) fn free_count(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free.len() as u64
    }

    /// One past the largest that was ever given.
    pub(crate) fn end(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).end
    }
}

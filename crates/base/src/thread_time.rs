//! A thread in, what it has taken of a core out, where the system tells: what a test bounds that must hold
//! however many others want the core. By the clock elsewhere.
//!
//! Source: proc(5), `schedstat`. The system counts on at its ticks: some milliseconds may be missing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a thread has had a core since this was made; any thread may ask.
#[derive(Debug)]
pub struct ThreadTime {
    place: Option<PathBuf>,
    before: Duration,
    began: Instant,
}

impl ThreadTime {
    /// Of the thread that calls this, from now on.
    pub fn of_this_thread() -> Self {
        let place = std::fs::read_link("/proc/thread-self").ok();
        let place = place.map(|link| Path::new("/proc").join(link).join("schedstat"));
        let before = place.as_deref().and_then(told);
        Self { place: before.and(place), before: before.unwrap_or_default(), began: Instant::now() }
    }

    /// What it has taken.
    pub fn taken(&self) -> Duration {
        match self.place.as_deref().and_then(told) {
            Some(now) => now.saturating_sub(self.before),
            None => self.began.elapsed(),
        }
    }
}

fn told(place: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(place).ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_takes_nothing_and_who_works_does() {
        let time = ThreadTime::of_this_thread();
        std::thread::sleep(Duration::from_millis(300));
        let slept = time.taken();
        assert!(time.place.is_none() || slept < Duration::from_millis(200), "{slept:?}");
        // Where it took nothing this would not end.
        while time.taken() < slept + Duration::from_millis(30) {
            std::hint::spin_loop();
        }
        let from_elsewhere = std::thread::scope(|scope| scope.spawn(|| time.taken()).join().unwrap());
        assert!(from_elsewhere > slept);
    }
}

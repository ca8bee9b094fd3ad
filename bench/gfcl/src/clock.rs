//! CPU time of the process, in alternating repetitions. Everything runs on one thread, so process time is
//! that thread's, and a helper thread could not hide from it.

use rustix::time::{ClockId, clock_gettime};

/// Repetitions of every figure.
pub(crate) const REPETITIONS: usize = 5;

/// CPU seconds so far.
pub(crate) fn now() -> f64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

/// The middle of a few figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// One warm-up of each, then [`REPETITIONS`] rounds in which the contestants take turns; the median seconds
/// of each. What a contestant returns must be the same every time and is returned too.
pub(crate) fn race(contestants: &mut [&mut dyn FnMut() -> u64]) -> Vec<(f64, u64)> {
    let answers: Vec<u64> = contestants.iter_mut().map(|c| c()).collect();
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..REPETITIONS {
        for (i, contestant) in contestants.iter_mut().enumerate() {
            let start = now();
            let answer = std::hint::black_box(contestant());
            times[i].push(now() - start);
            assert_eq!(answer, answers[i], "an answer changed between repetitions");
        }
    }
    times.into_iter().map(median).zip(answers).collect()
}

/// The CPU seconds of one run, and what it returned.
pub(crate) fn once(contestant: &mut dyn FnMut() -> u64) -> (f64, u64) {
    let start = now();
    let answer = std::hint::black_box(contestant());
    (now() - start, answer)
}

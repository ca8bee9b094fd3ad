//! Takes work that is calls within calls, runs it on a stack that is large enough, gives what it gave.
//!
//! Plans and expressions are as deep as the texts they come from, up to the limits of parser and optimizer; a
//! caller's thread may have little stack left. Only what is deep is worth a thread: starting one takes 20
//! microseconds.

/// Calls `work` on a thread with a stack of so many bytes, and waits for it. A panic goes on in the caller.
///
/// **Errors**: `None` if the system gives no thread; `work` was not called.
pub fn on_stack_of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).ok()?;
        Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: usize) -> usize {
        let filler = std::hint::black_box([levels; 64]);
        if levels == 0 { 0 } else { 1 + depth(filler[63] - 1) }
    }

    #[test]
    fn deep_calls_fit() {
        // About 50 MB of calls.
        assert_eq!(on_stack_of(256 << 20, || depth(50_000)), Some(50_000));
    }
}

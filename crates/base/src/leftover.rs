//! Takes what takes long to free, frees it on a thread of its own: whoever stopped a query does not wait
//! until millions of values are gone.

/// Frees `leftover` on a thread of its own; here if there is none.
///
/// **Cost**: starting a thread takes some 20 microseconds, in which half a megabyte of small values is freed.
pub fn free_elsewhere<T: Send + 'static>(leftover: T) {
    // A closure that no thread takes is dropped, and what it holds with it.
    drop(std::thread::Builder::new().name("trimorph-free".into()).spawn(move || drop(leftover)));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    use super::*;

    struct Noted(Sender<ThreadId>);

    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.send(current().id()).unwrap();
        }
    }

    #[test]
    fn another_thread_frees() {
        let (sender, freed) = channel();
        free_elsewhere(Noted(sender));
        assert_ne!(freed.recv().unwrap(), current().id());
    }
}

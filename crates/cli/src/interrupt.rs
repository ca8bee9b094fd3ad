//! Ctrl-C: the first asks whatever runs to stop, the second ends the process. Where nothing runs it ends the
//! process too, but for the shell on a terminal.
//!
//! The handler is a thread of its own and may come late: after what was to be stopped has ended by itself, or
//! after the program whose Ctrl-C it was. In the shell such a late one does nothing.

use std::sync::{Mutex, Once, PoisonError};

use trimorph::CancelToken;

type Action = Box<dyn Fn() + Send>;

/// What Ctrl-C does now.
struct Waiting {
    /// Called once.
    action: Option<Action>,
    /// Whether something runs that was asked to stop.
    was_asked: bool,
    /// So many want Ctrl-C to be somebody else's: the process does not end by it.
    held: usize,
    /// Whether the process goes on when Ctrl-C comes while nothing runs.
    stays: bool,
}

impl Waiting {
    /// What one Ctrl-C does.
    fn next(&mut self) -> Next {
        match self.action.take() {
            Some(action) => {
                self.was_asked = true;
                Next::Ask(action)
            }
            None if self.held > 0 || (self.stays && !self.was_asked) => Next::Nothing,
            None => Next::End,
        }
    }
}

enum Next {
    Ask(Action),
    Nothing,
    End,
}

static WAITING: Mutex<Waiting> =
    Mutex::new(Waiting { action: None, was_asked: false, held: 0, stays: false });
static HANDLER: Once = Once::new();

/// While this lives, Ctrl-C calls its action once instead of ending the process.
pub(crate) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.action = None;
        waiting.was_asked = false;
    }
}

/// While this lives, Ctrl-C does not end the process, however often it comes.
pub(crate) struct Held(());

impl Drop for Held {
    fn drop(&mut self) {
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).held -= 1;
    }
}

/// Makes Ctrl-C call `action`. There is one such action at a time.
pub(crate) fn on_interrupt(action: impl Fn() + Send + 'static) -> Guard {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.action = Some(Box::new(action));
    waiting.was_asked = false;
    drop(waiting);
    handle();
    Guard(())
}

/// A flag that Ctrl-C sets, for what is run next: also one that comes before it has begun, which
/// [`trimorph::Connection::interrupt`] would not stop.
pub(crate) fn interrupted() -> (Guard, CancelToken) {
    let cancel = CancelToken::default();
    let watched = cancel.clone();
    (on_interrupt(move || watched.cancel()), cancel)
}

/// Leaves Ctrl-C to another program that reads the terminal.
pub(crate) fn hold_interrupts() -> Held {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).held += 1;
    handle();
    Held(())
}

/// From now on Ctrl-C does not end the process where nothing runs.
pub(crate) fn stay_when_idle() {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).stays = true;
    handle();
}

fn handle() {
    HANDLER.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the process, as it does by default.
        let _ = ctrlc::set_handler(|| {
            let next = WAITING.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Next::Ask(action) => action(),
                Next::Nothing => {}
                Next::End => std::process::exit(130),
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::{Next, Waiting};

    fn waiting(stays: bool) -> Waiting {
        Waiting { action: None, was_asked: false, held: 0, stays }
    }

    #[test]
    fn the_second_ends_what_does_not_stop() {
        for stays in [false, true] {
            let mut waiting = Waiting { action: Some(Box::new(|| {})), ..waiting(stays) };
            assert!(matches!(waiting.next(), Next::Ask(_)));
            assert!(matches!(waiting.next(), Next::End));
        }
    }

    #[test]
    fn a_late_one_ends_no_shell() {
        assert!(matches!(waiting(true).next(), Next::Nothing));
        assert!(matches!(waiting(false).next(), Next::End));
    }

    #[test]
    fn one_for_another_program_does_nothing() {
        for stays in [false, true] {
            assert!(matches!(Waiting { held: 1, ..waiting(stays) }.next(), Next::Nothing));
            assert!(matches!(Waiting { held: 1, was_asked: true, ..waiting(stays) }.next(), Next::Nothing));
        }
    }
}

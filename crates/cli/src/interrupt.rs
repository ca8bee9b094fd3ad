//! Ctrl-C: the first asks whatever runs to stop, the second ends the process.

use std::sync::{Mutex, Once, PoisonError};

type Action = Box<dyn Fn() + Send>;

/// What Ctrl-C does now.
struct Waiting {
    /// Called once.
    action: Option<Action>,
    /// So many want Ctrl-C to be somebody else's: the process does not end by it.
    held: usize,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { action: None, held: 0 });
static HANDLER: Once = Once::new();

/// While this lives, Ctrl-C calls its action once instead of ending the process.
pub(crate) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).action = None;
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
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).action = Some(Box::new(action));
    handle();
    Guard(())
}

/// Leaves Ctrl-C to another program that reads the terminal.
pub(crate) fn hold_interrupts() -> Held {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).held += 1;
    handle();
    Held(())
}

fn handle() {
    HANDLER.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the process, as it does by default.
        let _ = ctrlc::set_handler(|| {
            let (action, held) = {
                let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
                (waiting.action.take(), waiting.held)
            };
            match action {
                Some(action) => action(),
                None if held > 0 => {}
                None => std::process::exit(130),
            }
        });
    });
}

//! Ctrl-C: the first asks whatever runs to stop, the second ends the process.

use std::sync::{Mutex, Once, PoisonError};

type Action = Box<dyn Fn() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);
static HANDLER: Once = Once::new();

/// While this lives, Ctrl-C calls its action once instead of ending the process.
pub(crate) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Makes Ctrl-C call `action`. There is one such action at a time.
pub(crate) fn on_interrupt(action: impl Fn() + Send + 'static) -> Guard {
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
    HANDLER.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the process, as it does by default.
        let _ = ctrlc::set_handler(|| {
            let action = ACTION.lock().unwrap_or_else(PoisonError::into_inner).take();
            match action {
                Some(action) => action(),
                None => std::process::exit(130),
            }
        });
    });
    Guard(())
}

//! Takes a pattern of `fancy-regex` and a text, gives whether the text matches; can be stopped on the way.
//!
//! Between two times that it goes back, such a match may walk over the whole text, and it asks nobody whether
//! to go on. All it does ask for are the bytes of the text:
//! 1. the text that it is given looks at the flag that cancels whenever it is asked for its bytes;
//! 2. where the flag is set, it leaves the match by unwinding. That is no panic: no message is printed, and
//!    nothing but the match is between it and the place where it is caught. The scratch space that is left
//!    over is emptied before each match.
//!
//! What one step hands to `regex`, a part of the pattern without any of the above, is not stopped: it goes
//! over the text once.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fancy_regex::{Input, Regex};
use trimorph_base::CancelToken;

/// How a match went.
pub(crate) enum Outcome {
    Is(bool),
    Cancelled,
    TooManySteps,
}

/// Whether `regex` matches.
pub(crate) fn is_match(regex: &Regex, text: &str, cancel: Option<&CancelToken>) -> Outcome {
    let Some(cancel) = cancel else { return outcome(regex.is_match(text)) };
    let text = Watched { text, cancel };
    match catch_unwind(AssertUnwindSafe(|| regex.is_match(&text))) {
        Ok(answer) => outcome(answer),
        Err(payload) if payload.is::<Stopped>() => Outcome::Cancelled,
        Err(other) => resume_unwind(other),
    }
}

fn outcome(answer: Result<bool, fancy_regex::Error>) -> Outcome {
    answer.map_or(Outcome::TooManySteps, Outcome::Is)
}

/// What unwinds.
struct Stopped;

/// A text that looks at the flag.
struct Watched<'t> {
    text: &'t str,
    cancel: &'t CancelToken,
}

impl Input for Watched<'_> {
    type Match<'t>
        = ()
    where
        Self: 't;

    fn len(&self) -> usize {
        self.text.len()
    }

    fn as_bytes(&self) -> &[u8] {
        if self.cancel.is_cancelled() {
            resume_unwind(Box::new(Stopped));
        }
        self.text.as_bytes()
    }

    fn is_char_boundary(&self, at: usize) -> bool {
        self.text.is_char_boundary(at)
    }

    fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn prev_codepoint_ix(&self, at: usize) -> usize {
        Input::prev_codepoint_ix(self.text, at)
    }

    fn make_match<'t>(&'t self, _: usize, _: usize) -> Self::Match<'t> {}

    fn advance_position(&self, at: usize) -> usize {
        Input::advance_position(self.text, at)
    }
}

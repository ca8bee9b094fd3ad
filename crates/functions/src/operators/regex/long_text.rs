//! Takes a pattern of `regex` and a long text, gives whether the text matches; can be stopped on the way.
//!
//! The lazy automaton that `regex` uses itself is driven byte by byte, its states made as they are met. It
//! gives up at a Unicode word boundary next to a letter beyond ASCII.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::{Anchored, Input};
use trimorph_base::Diagnostic;

use crate::steps::Steps;

/// Bytes of a compiled pattern, and of what a thread keeps to run it: with the number of patterns that it
/// keeps they bound what is outside of the budget.
pub(crate) const COMPILED_BYTES_MAX: usize = 4 << 20;

/// An automaton and its states so far; none where the pattern is too large for one.
pub(crate) struct Automaton(Option<(DFA, Cache)>);

impl Automaton {
    /// For a pattern that begins with `\A` and ends with `\z`. It and its states take about `limit` bytes.
    pub(crate) fn new(pattern: &str, limit: usize) -> Self {
        let config = DFA::config().cache_capacity(limit).unicode_word_boundary(true);
        let dfa = DFA::builder()
            .configure(config)
            .thompson(regex_automata::nfa::thompson::Config::new().nfa_size_limit(Some(limit)))
            .build(pattern);
        Self(dfa.ok().map(|dfa| {
            let cache = dfa.create_cache();
            (dfa, cache)
        }))
    }

    /// Whether the whole text matches; `None` where this cannot tell.
    pub(crate) fn is_match(&mut self, text: &str, steps: &mut Steps<'_>) -> Result<Option<bool>, Diagnostic> {
        let Some((dfa, cache)) = &mut self.0 else { return Ok(None) };
        let input = Input::new(text).anchored(Anchored::Yes);
        let Ok(mut state) = dfa.start_state_forward(cache, &input) else { return Ok(None) };
        for byte in text.bytes() {
            steps.step()?;
            match dfa.next_state(cache, state, byte) {
                // Nothing that follows can make it match.
                Ok(next) if next.is_dead() => return Ok(Some(false)),
                Ok(next) if !next.is_quit() => state = next,
                _ => return Ok(None),
            }
        }
        Ok(dfa.next_eoi_state(cache, state).ok().map(|end| end.is_match()))
    }
}

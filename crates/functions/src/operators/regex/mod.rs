//! `text =~ pattern`: a pattern of Java's in, whether the whole text matches out.
//!
//! 1. `translate` writes the pattern in the syntax of the crates `regex` and `fancy-regex`, with all that
//!    Java means by it spelled out.
//! 2. What needs no look-around, back-reference, atomic group or possessive quantifier is compiled by
//!    `regex`, which takes time linear in the text; the rest by `fancy-regex`, which backtracks [`STEPS_MAX`]
//!    times at most.
//! 3. A long text goes through the automaton of `regex` byte by byte (`long_text`), so that the match can
//!    be stopped; boundaries between letters beyond ASCII it cannot tell. What backtracks looks at the flag
//!    whenever it looks at the text (`backtracking`).
//! 4. Each thread keeps the patterns it compiled last.
//!
//! Source: the documentation of `java.util.regex.Pattern`, version 21.

mod backtracking;
mod class;
mod long_text;
mod property;
mod required;
mod state;
mod translate;

use std::cell::RefCell;
use std::sync::Arc;

use memchr::memmem::Finder;
use trimorph_base::{CancelToken, Diagnostic, ErrorKind};
use trimorph_types::Value;

use crate::error::Answer;
use crate::steps::Steps;
pub(crate) use backtracking::{Outcome, is_match as is_match_until};
pub(crate) use long_text::{Automaton, COMPILED_BYTES_MAX};

/// Compiled patterns a thread keeps: enough for every `=~` of a query, few enough to search one by one.
const PATTERNS_MAX: usize = 16;
/// Times that a match may go back: some tens of milliseconds for most patterns. Where what lies between takes
/// long, over a long text, it may be minutes, which the flag that cancels ends.
pub(crate) const STEPS_MAX: usize = 200_000;
/// Bytes from which a text is long: the slowest of `regex`'s engines take some tens of milliseconds for it.
pub(crate) const LONG_TEXT_BYTES: usize = 1 << 20;
/// Bytes of a pattern: what is longer is no pattern, and the compilers take several hundred times its length.
const PATTERN_BYTES_MAX: usize = 1 << 16;

/// A compiled pattern.
enum Compiled {
    Plain {
        regex: regex::Regex,
        /// As it was given to `regex`.
        pattern: String,
        /// Made for the first long text.
        automaton: Option<Box<Automaton>>,
        /// What searches for a text that each match contains.
        required: Option<Box<Finder<'static>>>,
    },
    Backtracking(fancy_regex::Regex),
}

thread_local! {
    /// Most recently used last.
    static PATTERNS: RefCell<Vec<(Arc<str>, Compiled)>> = const { RefCell::new(Vec::new()) };
}

/// `text =~ pattern`: whether the whole text matches, by Java's rules.
///
/// **Cost**: time linear in the text, or bounded backtracking where the pattern has look-around,
/// back-references, atomic groups or possessive quantifiers. **Errors**: `ArgumentError` /
/// `InvalidArgumentValue` for a pattern that is none or too large, and for a match that takes too many steps.
pub fn regex_match(text: &Value, pattern: &Value) -> Answer {
    regex_match_until(text, pattern, None)
}

/// The same; over a long text the match stops when `cancel` says so.
pub fn regex_match_until(text: &Value, pattern: &Value, cancel: Option<&CancelToken>) -> Answer {
    match (text, pattern) {
        (Value::String(text), Value::String(pattern)) => matches(text, pattern, cancel).map(Value::Bool),
        _ => Ok(Value::Null),
    }
}

/// Runs `of` with the compiled pattern.
///
/// **Errors**: what is wrong with the pattern.
fn with_pattern<R>(pattern: &str, of: impl FnOnce(&mut Compiled) -> R) -> Result<R, Diagnostic> {
    PATTERNS.with_borrow_mut(|patterns| {
        // The last used is the one that a column is tested with.
        if patterns.last().is_none_or(|(known, _)| **known != *pattern) {
            let entry = match patterns.iter().position(|(known, _)| **known == *pattern) {
                Some(at) => patterns.remove(at),
                None => {
                    let compiled = compile(pattern).map_err(|reason| {
                        fault(format!("invalid regular expression \"{}\": {reason}", shown(pattern)))
                    })?;
                    if patterns.len() == PATTERNS_MAX {
                        patterns.remove(0);
                    }
                    (pattern.into(), compiled)
                }
            };
            patterns.push(entry);
        }
        match patterns.last_mut() {
            Some((_, compiled)) => Ok(of(compiled)),
            None => Err(Diagnostic::internal("a pattern that was kept is gone")),
        }
    })
}

fn matches(text: &str, pattern: &str, cancel: Option<&CancelToken>) -> Result<bool, Diagnostic> {
    let mut steps = Steps::new(cancel);
    with_pattern(pattern, |compiled| match compiled {
        Compiled::Plain { regex, pattern, automaton, required } => {
            if required.as_ref().is_some_and(|required| required.find(text.as_bytes()).is_none()) {
                return Ok(false);
            }
            if text.len() >= LONG_TEXT_BYTES {
                let automaton =
                    automaton.get_or_insert_with(|| Box::new(Automaton::new(pattern, COMPILED_BYTES_MAX)));
                if let Some(found) = automaton.is_match(text, &mut steps)? {
                    return Ok(found);
                }
            }
            Ok(regex.is_match(text))
        }
        Compiled::Backtracking(regex) => match backtracking::is_match(regex, text, cancel) {
            Outcome::Is(found) => Ok(found),
            Outcome::Cancelled => Err(*Diagnostic::cancelled()),
            Outcome::TooManySteps => Err(fault("regular expression takes too many steps".into())
                .hint("make inner repetitions possessive, as in (a++b)*, or do without look-around")),
        },
    })?
}

/// Runs `of` with what tells whether a text that is not long matches; `None` for a pattern that is none, and
/// for one that may go back: these have messages, and can be stopped.
pub(crate) fn regex_matches<R>(
    pattern: &str,
    of: impl FnOnce(&dyn Fn(&str) -> Option<bool>) -> R,
) -> Option<R> {
    let asked = with_pattern(pattern, |compiled| {
        let Compiled::Plain { regex, required, .. } = compiled else { return None };
        Some(of(&|text| {
            if required.as_ref().is_some_and(|required| required.find(text.as_bytes()).is_none()) {
                return Some(false);
            }
            (text.len() < LONG_TEXT_BYTES).then(|| regex.is_match(text))
        }))
    });
    asked.ok().flatten()
}

fn fault(primary: String) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentValue", primary)
}

/// A pattern in a message, cut where it gets long.
fn shown(pattern: &str) -> String {
    const LETTERS_MAX: usize = 100;
    match pattern.char_indices().nth(LETTERS_MAX) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.to_owned(),
    }
}

/// **Errors**: what is wrong with the pattern, as a clause.
fn compile(pattern: &str) -> Result<Compiled, String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("it has more than {PATTERN_BYTES_MAX} bytes"));
    }
    match translate::translate(pattern)? {
        translate::Translated::Plain(pattern) => {
            let mut builder = regex::RegexBuilder::new(&pattern);
            builder.size_limit(COMPILED_BYTES_MAX).dfa_size_limit(COMPILED_BYTES_MAX);
            let required = required::required(&pattern).map(Box::new);
            let compiled = |regex| Compiled::Plain { regex, pattern, automaton: None, required };
            builder.build().map(compiled).map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => TOO_LARGE.to_owned(),
                other => last_line(&other.to_string()),
            })
        }
        translate::Translated::Backtracking(pattern) => {
            let mut builder = fancy_regex::RegexBuilder::new(&pattern);
            builder.backtrack_limit(STEPS_MAX).max_prog_size(COMPILED_BYTES_MAX / 64);
            builder.delegate_size_limit(COMPILED_BYTES_MAX).delegate_dfa_size_limit(COMPILED_BYTES_MAX);
            builder.build().map(Compiled::Backtracking).map_err(|error| {
                if is_too_large(&error) { TOO_LARGE.to_owned() } else { last_line(&error.to_string()) }
            })
        }
    }
}

fn is_too_large(error: &fancy_regex::Error) -> bool {
    let fancy_regex::Error::CompileError(error) = error else { return false };
    match &**error {
        fancy_regex::CompileError::InnerError(inner) => inner.size_limit().is_some(),
        fancy_regex::CompileError::PatternTooComplex => true,
        _ => false,
    }
}

const TOO_LARGE: &str = "it is too large when compiled";

fn last_line(reason: &str) -> String {
    reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

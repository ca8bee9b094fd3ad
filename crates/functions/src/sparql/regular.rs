//! REGEX and REPLACE: regular expressions of XPath.
//!
//! Each thread keeps the patterns it compiled last. A pattern that is none is SPARQL's error, and so is a
//! match that would go back too often.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Positions, Values, Vector};

use super::found::{Found, Miss, found, of_terms};
use super::pattern::translate;
use super::texts::{Text, alike};
use crate::context::Context;
use crate::function::{Function, result};
use crate::kernel::Argument;
use crate::kernels::texts::{map, texts_of};
use crate::operators::{Automaton, COMPILED_BYTES_MAX, LONG_TEXT_BYTES, Outcome, STEPS_MAX, is_match_until};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("regex", (2, 3), result::bool, regex, "regex(text, pattern[, flags]): whether a part matches")
        .typed(regex_of_texts),
    of_terms!(
        "replace",
        (3, 4),
        alike,
        replace,
        "replace(text, pattern, replacement[, flags]): with all parts that match replaced"
    ),
];

/// Compiled patterns a thread keeps.
const PATTERNS_MAX: usize = 16;
/// Bytes of a pattern.
const PATTERN_BYTES_MAX: usize = 1 << 16;

enum Engine {
    Plain {
        regex: regex::Regex,
        /// As it was given to `regex`, with its flags.
        pattern: String,
        /// Made for the first long text.
        automaton: Option<Box<Automaton>>,
    },
    Backtracking(Box<fancy_regex::Regex>),
}

struct Kept {
    pattern: Arc<str>,
    flags: Arc<str>,
    /// `None` for what is no pattern.
    engine: Option<Engine>,
}

thread_local! {
    /// Most recently used last.
    static PATTERNS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Runs `of` with the compiled pattern.
fn with_pattern<R>(pattern: &str, flags: &str, of: impl FnOnce(&mut Engine) -> Found<R>) -> Found<R> {
    PATTERNS.with_borrow_mut(|patterns| {
        let is_it = |kept: &Kept| *kept.pattern == *pattern && *kept.flags == *flags;
        if !patterns.last().is_some_and(is_it) {
            let kept = match patterns.iter().position(is_it) {
                Some(at) => patterns.remove(at),
                None => {
                    if patterns.len() == PATTERNS_MAX {
                        patterns.remove(0);
                    }
                    Kept { pattern: pattern.into(), flags: flags.into(), engine: compile(pattern, flags) }
                }
            };
            patterns.push(kept);
        }
        let engine = patterns.last_mut().and_then(|kept| kept.engine.as_mut());
        of(found(engine)?)
    })
}

fn compile(pattern: &str, flags: &str) -> Option<Engine> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return None;
    }
    let translated = translate(pattern, flags)?;
    let mut inner = String::new();
    if translated.caseless {
        inner.push_str("(?i)");
    }
    if translated.multi_line {
        inner.push_str("(?m)");
    }
    inner.push_str(&translated.pattern);
    if translated.backtracks {
        let mut builder = fancy_regex::RegexBuilder::new(&inner);
        builder.backtrack_limit(STEPS_MAX).max_prog_size(COMPILED_BYTES_MAX / 64);
        builder.delegate_size_limit(COMPILED_BYTES_MAX).delegate_dfa_size_limit(COMPILED_BYTES_MAX);
        return builder.build().ok().map(Box::new).map(Engine::Backtracking);
    }
    let mut builder = regex::RegexBuilder::new(&inner);
    builder.size_limit(COMPILED_BYTES_MAX).dfa_size_limit(COMPILED_BYTES_MAX);
    let regex = builder.build().ok()?;
    Some(Engine::Plain { regex, pattern: inner, automaton: None })
}

fn flags_of(args: &[Value], at: usize) -> Found<&str> {
    args.get(at).map_or(Ok(""), Text::plain)
}

fn regex(context: &Context<'_>, args: &[Value]) -> Found {
    let Text { text, .. } = Text::of(&args[0])?;
    let matches = with_pattern(Text::plain(&args[1])?, flags_of(args, 2)?, |engine| match engine {
        Engine::Plain { regex, pattern, automaton } => {
            if text.len() >= LONG_TEXT_BYTES {
                let automaton = automaton.get_or_insert_with(|| {
                    // The automaton asks whether the whole text matches.
                    let whole = format!(r"\A(?s:.)*?(?:{pattern})(?s:.)*\z");
                    Box::new(Automaton::new(&whole, COMPILED_BYTES_MAX))
                });
                if let Some(matches) = automaton.is_match(text, &mut context.steps())? {
                    return Ok(matches);
                }
            }
            Ok(regex.is_match(text))
        }
        Engine::Backtracking(regex) => match is_match_until(regex, text, context.cancel()) {
            Outcome::Is(matches) => Ok(matches),
            Outcome::Cancelled => Err((*trimorph_base::Diagnostic::cancelled()).into()),
            Outcome::TooManySteps => Err(Miss::Error),
        },
    })?;
    Ok(Value::Bool(matches))
}

/// The same of texts without languages, by one pattern; long ones are left to who can be stopped within them.
fn regex_of_texts<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    let constant = |place: usize| match args.get(place) {
        None => Some(""),
        Some(Argument::One(Value::String(text))) => Some(&**text),
        Some(_) => None,
    };
    let (pattern, flags) = (constant(1)?, constant(2)?);
    let matches = with_pattern(pattern, flags, |engine| {
        let Engine::Plain { regex, .. } = engine else { return Err(Miss::Error) };
        let mut are_short = true;
        let matches = map(texts, nulls, at, |text| {
            are_short &= text.len() < LONG_TEXT_BYTES;
            are_short && regex.is_match(text)
        });
        found(are_short.then_some(matches))
    });
    Some(Vector { values: Values::Bool(matches.ok()?), nulls: nulls.clone() })
}

/// A part of a replacement.
enum Piece<'a> {
    Text(Cow<'a, str>),
    /// What a group of the pattern matched.
    Group(usize),
}

/// `$1` is a group, `\$` and `\\` are these letters; any other `$` or backslash is an error. Of several
/// digits as many count as there are groups.
fn pieces(replacement: &str, groups: usize) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find(['$', '\\']) {
        let (before, special) = rest.split_at(at);
        pieces.push(Piece::Text(before.into()));
        let after = &special[1..];
        if special.starts_with('\\') {
            let letter = after.get(..1).filter(|letter| matches!(*letter, "$" | "\\"))?;
            pieces.push(Piece::Text(letter.into()));
            rest = &after[1..];
            continue;
        }
        let mut group = after.chars().next()?.to_digit(10)? as usize;
        let mut length = 1;
        while let Some(digit) = after[length..].chars().next().and_then(|c| c.to_digit(10)) {
            let longer = group * 10 + digit as usize;
            if longer > groups {
                break;
            }
            (group, length) = (longer, length + 1);
        }
        pieces.push(Piece::Group(group));
        rest = &after[length..];
    }
    pieces.push(Piece::Text(rest.into()));
    Some(pieces)
}

fn replace(context: &Context<'_>, args: &[Value]) -> Found {
    let text = Text::of(&args[0])?;
    let (pattern, replacement) = (Text::plain(&args[1])?, Text::plain(&args[2])?);
    let flags = flags_of(args, 3)?;
    let out = with_pattern(pattern, flags, |engine| {
        let groups = match engine {
            Engine::Plain { regex, .. } => regex.captures_len() - 1,
            Engine::Backtracking(regex) => regex.captures_len() - 1,
        };
        let pieces = if flags.contains('q') {
            vec![Piece::Text(replacement.into())]
        } else {
            found(pieces(replacement, groups))?
        };
        let mut out = Replaced { text: text.text, out: String::new(), end: 0 };
        let mut steps = context.steps();
        match engine {
            Engine::Plain { regex, .. } => {
                for captures in regex.captures_iter(text.text) {
                    steps.step()?;
                    out.replace(&pieces, |i| captures.get(i).map(|m| m.range()));
                }
            }
            Engine::Backtracking(regex) => {
                for captures in regex.captures_iter(text.text) {
                    steps.look()?;
                    let captures = found(captures.ok())?;
                    out.replace(&pieces, |i| captures.get(i).map(|m| m.range()));
                }
            }
        }
        out.out.push_str(&text.text[out.end..]);
        Ok(out.out)
    })?;
    Ok(text.like(out))
}

struct Replaced<'a> {
    text: &'a str,
    out: String,
    /// How far the text is in `out`.
    end: usize,
}

impl Replaced<'_> {
    /// Takes one match, which may be empty: XPath 3.1 has an error where a pattern matches the empty text,
    /// its next version and other engines do not.
    fn replace(&mut self, pieces: &[Piece<'_>], group: impl Fn(usize) -> Option<std::ops::Range<usize>>) {
        let Some(whole) = group(0) else { return };
        self.out.push_str(&self.text[self.end..whole.start]);
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Group(i) => self.out.push_str(group(*i).map_or("", |range| &self.text[range])),
            }
        }
        self.end = whole.end;
    }
}

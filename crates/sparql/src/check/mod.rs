//! What is wrong with a text: takes a text of SPARQL, gives the first mistake with its place, in plain words.
//!
//! ```text
//! cursor       the text and a place in it: spaces, keywords, brackets
//! token        variables, IRIs, prefixed names, literals, blank nodes
//! problem      mistakes in words: what stands there, what was expected, what was perhaps meant
//! words        keywords, functions with the number of their arguments, well-known prefixes
//! query        the four forms, SELECT and what may be said of it, solution modifiers
//! pattern      groups and what stands in them
//! triples      triples, annotations, triple terms
//! path         property paths
//! expression   expressions, calls, aggregates
//! update       operations of updates, quads
//! ```
//!
//! The grammar of SPARQL 1.1 and 1.2 by recursive descent: one look ahead, no way back, so in linear time. It
//! makes no tree. It runs before the parser (`spargebra`), which is laxer than the standard in some places,
//! narrower in others, and tries some alternatives by turns: it takes twice as long for each level then.
//!
//! Invariant: what the parser takes is taken here, but for what [`Checker::strict`] refuses by the standard.
//! Where both differ, it is written down at the place; the parser knows no tokens, so that `GROUPBY` and
//! `LIMIT10` are words for it.
//!
//! Along the way it notes edits: changes of the text which let the parser take what the standard allows, and
//! mean what the standard says.

mod cursor;
mod expression;
mod path;
mod pattern;
mod problem;
mod query;
#[cfg(test)]
mod tests;
mod token;
mod triples;
mod update;
mod words;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use oxiri::Iri;
use trimorph_base::{Diagnostic, Span};

pub use words::{FUNCTIONS, KEYWORDS, WELL_KNOWN};

/// Levels of recursion. Brackets are counted before; this is for what counts them differently.
const DEPTH_MAX: usize = 300;

/// Nothing, or what is wrong.
type Checked<T = ()> = Result<T, Box<Diagnostic>>;

/// A change of a text: what stands in the range is replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    /// Bytes of the text.
    pub place: Range<usize>,
    /// What is to stand there.
    pub text: String,
}

/// A text that has no mistake.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Sound {
    /// Edits without which the parser refuses what the standard allows.
    pub needed: Vec<Edit>,
    /// Edits that change no meaning and spare the parser a second try.
    pub faster: Vec<Edit>,
    /// The IRIs that are called as functions, and where.
    pub calls: Vec<(String, Span)>,
    /// The prologues of an update, if it has more than one: each is for the operations behind it, too.
    pub prologues: Vec<Range<usize>>,
}

impl Sound {
    /// Whether the parser refuses the text as it is.
    pub(crate) fn needs_edits(&self) -> bool {
        !self.needed.is_empty() || !self.prologues.is_empty()
    }

    /// A part of the text with the edits within it.
    pub(crate) fn edited(&self, text: &str, part: Range<usize>, faster: bool) -> String {
        let others: &[Edit] = if faster { &self.faster } else { &[] };
        let mut edits: Vec<&Edit> = self.needed.iter().chain(others).collect();
        edits.retain(|edit| part.start <= edit.place.start && edit.place.end <= part.end);
        edits.sort_by_key(|edit| (edit.place.start, edit.place.end));
        let (mut out, mut at) = (String::with_capacity(part.len() + 32 * edits.len()), part.start);
        for edit in edits {
            out.push_str(text.get(at..edit.place.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = edit.place.end;
        }
        out.push_str(text.get(at..part.end).unwrap_or_default());
        out
    }
}

/// What a text is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `SELECT`, `ASK`, `CONSTRUCT`, `DESCRIBE`.
    Query,
    /// Operations.
    Update,
}

/// Looks for the first mistake in a text from `offset` on.
///
/// **Errors**: the mistake, with its place. `Ok(None)`: nesting is too deep to tell.
pub(crate) fn check(
    text: &str,
    offset: usize,
    form: Form,
    known: &[(&str, &str)],
    base: &str,
    strict: bool,
) -> Result<Option<Sound>, Box<Diagnostic>> {
    let mut checker = Checker::new(text, offset, known, base, strict);
    let found = match form {
        Form::Query => checker.query_unit(),
        Form::Update => checker.update_unit(),
    };
    match found {
        _ if checker.gave_up => Ok(None),
        Ok(()) => Ok(Some(checker.sound)),
        Err(found) => Err(match checker.if_fails {
            Some(earlier) if start(&earlier) <= start(&found) => earlier,
            _ => found,
        }),
    }
}

fn start(error: &Diagnostic) -> u32 {
    error.span.map_or(u32::MAX, |span| span.start)
}

/// What statements of data may not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ground {
    /// The operation, as it is written.
    operation: &'static str,
    variables: bool,
    blanks: bool,
}

/// What is known of one `SELECT`.
#[derive(Default, Debug)]
struct Level {
    /// The first aggregate, outside of sub-queries.
    aggregate: Option<Span>,
}

/// Whether an aggregate may stand where an expression is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aggregates {
    /// In `SELECT`, `HAVING`, `ORDER BY`.
    Allowed,
    /// In patterns and in `GROUP BY`.
    Elsewhere,
    /// In an aggregate.
    Nested,
}

/// A variable of an expression, outside of aggregates and `EXISTS`.
#[derive(Clone, Copy, Debug)]
struct Used<'a> {
    name: &'a str,
    place: Span,
    how: How,
}

/// How a variable is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Plainly,
    /// In `COALESCE`, where it may be unbound.
    Guarded,
    /// As that of `BOUND`.
    Bound,
}

/// Variables that a pattern binds.
type Scope<'a> = HashSet<&'a str>;

/// A text, a place in it, and what was seen before.
struct Checker<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    gave_up: bool,
    /// Refuse what the parser takes and the standard does not.
    strict: bool,
    /// What names begin with, and what it stands for.
    prefixes: HashMap<&'a str, String>,
    base: Option<Iri<String>>,
    levels: Vec<Level>,
    /// Variables that the group binds so far.
    scope: Scope<'a>,
    /// Blank nodes of basic graph patterns that are over, and of this one.
    blanks_used: HashSet<&'a str>,
    blanks_here: HashSet<&'a str>,
    /// Those of the patterns of operations that are over.
    where_blanks: HashSet<&'a str>,
    /// Blank nodes of `INSERT DATA`: each operation has its own.
    data_blanks: HashSet<&'a str>,
    ground: Option<Ground>,
    /// Variables of an expression that stand in no aggregate or `EXISTS`.
    bare: Vec<Used<'a>>,
    /// Whether such variables are noted.
    note_bare: bool,
    /// Whether the expression stands in `COALESCE`.
    is_guarded: bool,
    aggregates: Aggregates,
    /// What is to blame if the text turns out to be wrong behind it.
    if_fails: Option<Box<Diagnostic>>,
    sound: Sound,
}

impl<'a> Checker<'a> {
    fn new(text: &'a str, at: usize, known: &[(&'a str, &str)], base: &str, strict: bool) -> Self {
        Checker {
            text,
            at,
            depth: 0,
            gave_up: false,
            strict,
            prefixes: known.iter().map(|(prefix, iri)| (*prefix, (*iri).to_owned())).collect(),
            base: Iri::parse(base.to_owned()).ok(),
            levels: Vec::new(),
            scope: Scope::new(),
            blanks_used: HashSet::new(),
            blanks_here: HashSet::new(),
            where_blanks: HashSet::new(),
            data_blanks: HashSet::new(),
            ground: None,
            bare: Vec::new(),
            note_bare: false,
            is_guarded: false,
            aggregates: Aggregates::Elsewhere,
            if_fails: None,
            sound: Sound::default(),
        }
    }

    /// One level deeper, as long as there are some left.
    fn deeper<T>(&mut self, then: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.depth >= DEPTH_MAX {
            self.gave_up = true;
            return Err(self.wrong("nested too deep", self.here(), ""));
        }
        self.depth += 1;
        let found = then(self);
        self.depth -= 1;
        found
    }

    fn needs(&mut self, place: Range<usize>, text: impl Into<String>) {
        self.sound.needed.push(Edit { place, text: text.into() });
    }

    /// What the parser is to read for a part of the text that is over.
    fn as_parsed(&self, part: Range<usize>) -> String {
        self.sound.edited(self.text, part, false)
    }

    /// Whether an aggregate may stand in what is read; gives what held before.
    fn set_aggregates(&mut self, aggregates: Aggregates) -> Aggregates {
        std::mem::replace(&mut self.aggregates, aggregates)
    }

    /// Remembers what is to blame if something behind it is wrong.
    fn blame_later(&mut self, problem: Box<Diagnostic>) {
        self.if_fails.get_or_insert(problem);
    }
}

//! The one error enum, and how an error of a text is shown: message, line, caret, hint.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use trimorph_base::{CancelToken, Diagnostic, OverBudget, Span};
use trimorph_exec::{ExecError, SpillError};
use trimorph_loader::LoadError;
use trimorph_log::LogError;
use trimorph_store::{DatabaseError, RewriteError};
use trimorph_types::WrongType;
use trimorph_vfs::{ReadError, same_answer};
use unicode_width::UnicodeWidthChar as _;

/// Anything that can go wrong.
///
/// The text says what was wrong, where, and what to do. Programs match on the variant, and for files on the
/// system's own answer:
///
/// ```
/// use std::io::ErrorKind;
/// use trimorph::{Config, Database, Error};
///
/// match Database::open("/no/such/folder/social.tm", Config::new().must_exist(true)) {
///     Ok(_) => println!("it is there"),
///     Err(Error::Locked { .. }) => println!("somebody else writes to it"),
///     Err(Error::Damaged { path, .. }) => println!("restore {} from a backup", path.display()),
///     Err(error) if error.io_kind() == Some(ErrorKind::NotFound) => println!("nobody has made it yet"),
///     Err(error) => println!("{error}"),
/// }
/// ```
///
/// [`std::error::Error::source`] gives what is behind it: the [`io::Error`] of [`Self::Io`] and of a load's
/// file. The text has it already.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query, or a value it met.
    #[error("{}", render(diagnostic, text))]
    Query {
        /// What is wrong and where.
        diagnostic: Box<Diagnostic>,
        /// The query's text.
        text: String,
    },
    /// A load gave up.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The system refused something about a file of the database: it is not there, may not be read or
    /// written, the disk is full.
    #[error("{text}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
        /// What is wrong, with path and answer.
        text: String,
    },
    /// A file of the database is missing, or is not as it was written.
    #[error("{text}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        text: String,
    },
    /// Another process has the database open for writing.
    #[error("{text}")]
    Locked {
        /// The directory.
        path: PathBuf,
        /// Who has it, and what to do.
        text: String,
    },
    /// What else is wrong with a database and its files: a directory that is no database, a database that was
    /// closed, more tables than there may be.
    #[error("{0}")]
    Storage(String),
    /// The memory limit.
    #[error("{0}; raise the memory limit or ask for less at once")]
    Memory(#[source] OverBudget),
    /// The memory limit, of a database that is followed: what its writer has committed since the last
    /// checkpoint does not fit.
    #[error(
        "{0}, for what was committed since the last checkpoint; open the database with a larger memory limit, \
         or make a checkpoint where it is written: CHECKPOINT, or open it for writing and close it"
    )]
    MemoryOfLog(#[source] OverBudget),
    /// The memory limit, where rows could not be put into temporary files: a full disk, the spill limit, a
    /// directory that cannot be written to.
    #[error("{0}")]
    Spill(#[source] SpillError),
    /// Somebody asked the query to stop.
    #[error("the query was cancelled")]
    Cancelled,
    /// The query took longer than the timeout it was given.
    #[error("the query took longer than its timeout")]
    Timeout,
    /// Another transaction was first; the statement, or its transaction, may be tried again.
    #[error("TransactionConflict: {0}")]
    Conflict(String),
    /// A transaction that was to be begun, or ended, and cannot be.
    #[error("{0}")]
    Transaction(String),
    /// A row that is not what a program asked for.
    #[error("{0}")]
    Row(String),
    /// The database was opened read-only.
    #[error("the database was opened read-only")]
    ReadOnly,
}

impl Error {
    pub(crate) fn query(diagnostic: Diagnostic, text: &str) -> Self {
        Self::Query { diagnostic: Box::new(diagnostic), text: text.to_owned() }
    }

    pub(crate) fn exec(error: ExecError, text: &str) -> Self {
        match error {
            ExecError::Query(d) => Self::query(d, text),
            ExecError::Memory(o) => Self::Memory(o),
            ExecError::Spill(e) => Self::Spill(e),
            ExecError::Storage(error) => Self::of_database(&error),
            _ => Self::Cancelled,
        }
    }

    /// The same, which was brought about by `cancel`: by its time, as it may be.
    pub(crate) fn stopped_by(self, cancel: &CancelToken) -> Self {
        match self {
            Self::Cancelled if cancel.is_over_time() => Self::Timeout,
            other => other,
        }
    }

    /// The system refused something about a file.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let text = format!("{}: {source}", path.display());
        Self::Io { path: path.to_owned(), source, text }
    }

    fn of_database(error: &DatabaseError) -> Self {
        let text = error.to_string();
        match error {
            DatabaseError::Memory(over) => Self::Memory(*over),
            DatabaseError::Io { path, error } => {
                Self::Io { path: path.clone(), source: same_answer(error), text }
            }
            DatabaseError::Damaged { path, .. } | DatabaseError::ManifestLost { dir: path } => {
                Self::Damaged { path: path.clone(), text }
            }
            _ => Self::Storage(text),
        }
    }

    /// What a change of the main version gave up with; `what` says what was not done.
    pub(crate) fn rewrite(error: RewriteError, what: &str) -> Self {
        let text = format!("{what} failed, and nothing has changed: {error}");
        match error {
            RewriteError::Cancelled => Self::Cancelled,
            RewriteError::Read(ReadError::Io { path, error }) => {
                Self::Io { path, source: same_answer(&error), text }
            }
            RewriteError::Read(ReadError::Damaged { path, .. }) => Self::Damaged { path, text },
            RewriteError::Read(ReadError::OverBudget(over)) => Self::Memory(over),
            _ => Self::Storage(text),
        }
    }

    /// The kind of what the system said, if it was the system that refused: not there, not allowed, no room.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::Load(LoadError::Io { error, .. }) => Some(error.kind()),
            Self::Spill(SpillError::System { kind, .. }) => Some(*kind),
            _ => None,
        }
    }

    /// Line and column, both from 1 and in characters, of the place that is to blame.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::Query { diagnostic, text } => diagnostic.span.map(|s| position(text, s)),
            _ => None,
        }
    }
}

/// So that `Value::try_from(n)?` and `i64::try_from(value)?` can stand where queries are asked.
impl From<WrongType> for Error {
    fn from(error: WrongType) -> Self {
        Self::Row(error.to_string())
    }
}

impl From<LogError> for Error {
    fn from(e: LogError) -> Self {
        let text = e.to_string();
        match e {
            LogError::Io { path, error }
            | LogError::NoRoom { path, error }
            | LogError::Poisoned { path, error } => Self::Io { path, source: same_answer(&error), text },
            LogError::Damaged { path, .. } | LogError::Missing { path } => Self::Damaged { path, text },
            _ => Self::Storage(text),
        }
    }
}

impl From<DatabaseError> for Error {
    fn from(e: DatabaseError) -> Self {
        Self::of_database(&e)
    }
}

/// Start of the character that byte `at` of `text` is in.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Line and column of a place, both from 1 and in characters.
pub(crate) fn position(text: &str, span: Span) -> (usize, usize) {
    let before = &text[..boundary(text, span.start as usize)];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Longest part of a line that is shown.
const SHOWN_CHARS: usize = 100;

/// What stands for a character in a message: control characters have pictures, tabs are blanks, and nothing
/// turns the text around.
fn visible(c: char) -> char {
    match c {
        '\t' | '\r' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(' '),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}

/// A blank that is as wide as a character on most terminals.
fn blank(c: char) -> char {
    if c.width() == Some(2) { '\u{3000}' } else { ' ' }
}

/// How many columns a text takes on most terminals.
pub fn text_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The message with the source line, a caret under the place, and the hint.
pub fn render(diagnostic: &Diagnostic, text: &str) -> String {
    show(diagnostic.kind.name(), &diagnostic.primary, diagnostic.span, diagnostic.hint.as_deref(), text)
}

/// What errors and notices have in common: `head: primary`, the source line with a caret, the hint.
pub(crate) fn show(head: &str, primary: &str, span: Option<Span>, hint: Option<&str>, text: &str) -> String {
    let primary: String = primary.chars().map(visible).collect();
    let mut out = format!("{head}: {primary}");
    if let Some(span) = span {
        let (line, column) = position(text, span);
        let start = boundary(text, span.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        // A long line is cut to what is around the place.
        let skip = (column - 1).saturating_sub(SHOWN_CHARS / 2);
        let mut rest = text[line_start..line_end].chars().skip(skip);
        let shown: String = rest.by_ref().take(SHOWN_CHARS).collect();
        let (left, right) = (if skip > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
        let before: String = left.chars().chain(shown.chars().take(column - 1 - skip)).map(blank).collect();
        let shown: String = shown.chars().map(visible).collect();
        let end = boundary(text, (span.end as usize).clamp(start, line_end));
        let width =
            text[start..end].chars().count().clamp(1, SHOWN_CHARS.saturating_sub(column - 1 - skip).max(1));
        let number = line.to_string();
        let _ = write!(
            out,
            "\n {number} | {left}{shown}{right}\n {} | {before}{}",
            " ".repeat(number.len()),
            "^".repeat(width)
        );
        let _ = write!(out, " line {line}, column {column}");
    }
    if let Some(hint) = hint {
        let _ = write!(out, "\n hint: {hint}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trimorph_base::ErrorKind;

    #[test]
    fn shows_the_line_and_the_place() {
        let text = "MATCH (n)\nRETURN nmae";
        let d = Diagnostic::compile(
            ErrorKind::SyntaxError,
            "UndefinedVariable",
            "variable \"nmae\" is not defined",
        )
        .at(Span::new(17, 21))
        .hint("did you mean \"name\"?");
        assert_eq!(
            render(&d, text),
            "SyntaxError: variable \"nmae\" is not defined\n 2 | RETURN nmae\n   |        ^^^^ line 2, column 8\n hint: did you mean \"name\"?"
        );
    }

    /// What the system says of a file is there for programs, through every layer.
    #[test]
    fn what_the_system_said_can_be_asked_for() {
        use std::error::Error as _;
        use std::io::ErrorKind;

        use crate::{Config, Database, NoProgress};

        let dir = std::env::temp_dir().join(format!("trimorph-io-{}", std::process::id()));
        let missing = Database::open(&dir, Config::new().must_exist(true)).unwrap_err();
        assert_eq!(missing.io_kind(), Some(ErrorKind::NotFound), "{missing}");
        assert!(missing.to_string().ends_with("there is no database here"), "{missing}");
        // A folder within a file.
        std::fs::write(&dir, "").unwrap();
        let within = Database::open(dir.join("b"), Config::new()).unwrap_err();
        std::fs::remove_file(&dir).unwrap();
        let Error::Io { path, source, .. } = &within else { panic!("{within}") };
        assert!(path.ends_with("b") && source.raw_os_error().is_some());
        let source = within.source().and_then(|e| e.downcast_ref::<io::Error>());
        assert_eq!(source.map(io::Error::kind), within.io_kind());

        let database = Database::in_memory(Config::new());
        let load = |name: &str| {
            database.load(&[dir.join(name)], None, &database.load_options(), &NoProgress).unwrap_err()
        };
        let unread = load("people.csv");
        assert_eq!(unread.io_kind(), Some(ErrorKind::NotFound), "{unread}");
        assert!(unread.source().is_some_and(|e| e.is::<io::Error>()), "{unread}");

        let text = database.connect().query("RETURN x", &[]).unwrap_err();
        assert!(text.io_kind().is_none() && text.source().is_none());
    }

    #[test]
    fn damage_and_locks_are_kinds_of_their_own() {
        use crate::{Config, Database};

        let dir = std::env::temp_dir().join(format!("trimorph-kinds-{}", std::process::id()));
        let database = Database::open(&dir, Config::new()).unwrap();
        database.connect().query("CREATE (:A {x: 1})", &[]).unwrap();
        database.close().unwrap();
        let manifest = std::fs::read(dir.join("MANIFEST")).unwrap();
        let cut = &manifest[..manifest.len() / 2];
        std::fs::write(dir.join("MANIFEST"), cut).unwrap();
        let damaged = Database::open(&dir, Config::new()).unwrap_err();
        assert!(matches!(&damaged, Error::Damaged { path, .. } if path.ends_with("MANIFEST")), "{damaged}");
        std::fs::write(dir.join("MANIFEST"), manifest).unwrap();
        // The lock is one of processes; a file that is open by another handle stands for another process.
        let lock = std::fs::File::options().write(true).open(dir.join("LOCK")).unwrap();
        lock.lock().unwrap();
        let locked = Database::open(&dir, Config::new()).unwrap_err();
        assert!(matches!(&locked, Error::Locked { path, .. } if path == &dir), "{locked}");
        drop(lock);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn odd_characters_do_no_harm() {
        let text = "RETURN '\u{65e5}\u{672c}', \x1b[2Jx\u{202e}y";
        let at = Span::new(u32::try_from(text.find('\x1b').unwrap()).unwrap(), 17);
        let d = Diagnostic::compile(ErrorKind::SyntaxError, "X", "found \"\x1b\"").at(at);
        assert_eq!(
            render(&d, text),
            "SyntaxError: found \"\u{241b}\"\n 1 | RETURN '\u{65e5}\u{672c}', \u{241b}[2Jx\u{fffd}y\n   |         \u{3000}\u{3000}   ^ line 1, column 14"
        );
    }

    /// The line shown for a place in a text, and what stands above the first caret.
    fn excerpt(text: &str, start: usize, end: usize) -> (String, char) {
        let span = Span::new(u32::try_from(start).unwrap(), u32::try_from(end).unwrap());
        let shown = render(&Diagnostic::compile(ErrorKind::SyntaxError, "X", "x").at(span), text);
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        let (_, line) = lines[1].split_once(" | ").unwrap();
        (line.to_owned(), lines[1].chars().nth(caret).unwrap())
    }

    #[test]
    fn a_cut_line_says_on_which_side() {
        let (a, b) = ("a".repeat(200), "b".repeat(200));
        for (text, place, left, right) in [
            (format!("x{}", "a".repeat(99)), 0, false, false),
            (format!("{}x", "a".repeat(50)), 50, false, false),
            (format!("x{b}"), 0, false, true),
            (format!("{a}x"), 200, true, false),
            (format!("{a}x{b}"), 200, true, true),
            (format!("first\n{a}x{b}\nlast"), 206, true, true),
            (format!("{}\n", a.replace('a', "é") + "x"), 400, true, false),
        ] {
            let (line, above) = excerpt(&text, place, place + 1);
            assert_eq!(above, 'x', "{text}");
            assert_eq!((line.starts_with('…'), line.ends_with('…')), (left, right), "{text}\n{line}");
            assert!(line.chars().count() <= SHOWN_CHARS + 2, "{line}");
        }
    }

    #[test]
    fn any_span_is_shown_without_a_panic() {
        let text = "é\u{1F600}\n\tx";
        for start in 0..12 {
            for end in 0..12 {
                let d = Diagnostic::compile(ErrorKind::SyntaxError, "X", "x").at(Span::new(start, end));
                assert!(render(&d, text).contains('^'));
            }
        }
    }
}

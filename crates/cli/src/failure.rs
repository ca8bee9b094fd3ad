//! What ends a command early: an error in, text on stderr and an exit code out.

use std::io;
use std::process::ExitCode;

use crate::terminal::Terminal;

/// Exit code of a program that Ctrl-C ended: 128 and the signal's number.
const CANCELLED: u8 = 130;

/// What ends a command early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine refused; its message is shown as it is.
    Engine(trimorph::Error),
    /// Something of the command line's own, in one line.
    Message(String),
    /// A statement of many failed: its file and line, and how.
    Statement(String, Box<Failure>),
    /// Nobody reads the output any more.
    NoReader,
}

/// Where statements come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The name of a file, or `stdin`.
    pub(crate) name: &'a str,
    /// The line of the text's first, from 1.
    pub(crate) line: usize,
}

impl Source<'_> {
    /// The failure of `statement`, a part of `text`. The engine knows the statement only: where it begins
    /// elsewhere than the source, that is said too.
    pub(crate) fn blame(&self, failure: Failure, text: &str, statement: &str) -> Failure {
        let at = statement.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        let before = text.get(..at).unwrap_or_default();
        let line = self.line + before.matches('\n').count();
        match failure {
            Failure::Engine(trimorph::Error::Query { .. }) if line > 1 || !before.trim().is_empty() => {
                Failure::Statement(format!("{}:{line}", self.name), Box::new(failure))
            }
            other => other,
        }
    }
}

impl Failure {
    /// A failure of the command line's own.
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Prints what went wrong and gives the exit code.
    pub(crate) fn report(&self, terminal: &Terminal) -> ExitCode {
        // If stderr is closed, the exit code has to do.
        let _ = self.write(&mut io::stderr().lock(), terminal);
        match self {
            Self::NoReader => ExitCode::SUCCESS,
            Self::Engine(
                trimorph::Error::Cancelled | trimorph::Error::Load(trimorph::LoadError::Cancelled),
            ) => ExitCode::from(CANCELLED),
            _ => ExitCode::FAILURE,
        }
    }

    /// Prints what went wrong.
    pub(crate) fn write(&self, out: &mut dyn io::Write, terminal: &Terminal) -> io::Result<()> {
        let paint = terminal.err;
        let error = paint.red("error:");
        match self {
            Self::NoReader => Ok(()),
            Self::Message(text) => writeln!(out, "{error} {text}"),
            Self::Statement(place, failure) => {
                writeln!(out, "{place}: in the statement that begins here:")?;
                failure.write(out, terminal)
            }
            Self::Engine(e @ trimorph::Error::Query { .. }) => {
                let text = e.to_string();
                let (kind, rest) = text.split_once(": ").unwrap_or(("error", &text));
                writeln!(out, "{} {rest}", paint.red(format!("{kind}:")))
            }
            // Editors jump to `file:line:`, so nothing comes before it.
            Self::Engine(e @ trimorph::Error::Load(trimorph::LoadError::Rejected { .. })) => {
                writeln!(out, "{e}")?;
                writeln!(out, "nothing was loaded; --skip-bad-rows leaves bad rows out and goes on")
            }
            Self::Engine(e) => writeln!(out, "{error} {e}"),
        }
    }
}

impl From<trimorph::Error> for Failure {
    fn from(error: trimorph::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<trimorph::LoadError> for Failure {
    fn from(error: trimorph::LoadError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::NoReader
        } else {
            Self::Message(error.to_string())
        }
    }
}

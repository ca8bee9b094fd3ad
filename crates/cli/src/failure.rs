//! What ends a command early: an error in, text on stderr and an exit code out.

use std::io;
use std::process::ExitCode;

use trimorph::{Diagnostic, Span};

use crate::terminal::Terminal;

/// Exit code of a program that Ctrl-C ended: 128 and the signal's number.
const CANCELLED: u8 = 130;

const BAD_ROW: &str = "--skip-bad-rows leaves bad rows out and goes on";
const CONFLICT: &str = "--on-conflict skip leaves nodes that are there as they are, --on-conflict merge sets their \
                        properties";

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
    /// Something failed and was told then.
    Told,
}

/// Where statements come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The name of a file, or `stdin`.
    pub(crate) name: &'a str,
    /// The line of the text's first, from 1.
    pub(crate) line: usize,
    /// Whether it is a file, which is named also where there is nothing else it could be.
    pub(crate) is_file: bool,
}

impl Source<'_> {
    /// The failure of `statement`, a part of `text`. The engine knows the statement only: where the source
    /// has more than that, or is a file, lines are the source's, and it is named.
    pub(crate) fn blame(&self, failure: Failure, text: &str, statement: &str) -> Failure {
        let at = statement.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        let before = text.get(..at).unwrap_or_default();
        let line = self.line + before.matches('\n').count();
        let Failure::Engine(error) = failure else { return failure };
        if line == 1 && before.trim().is_empty() && !self.is_file {
            return Failure::Engine(error);
        }
        let error = match error {
            trimorph::Error::Query { diagnostic, text: asked } if asked == statement => {
                // As many lines before it as the source has.
                let lines = "\n".repeat(self.line - 1);
                let shift = u32::try_from(lines.len() + at).unwrap_or_default();
                let moved = |span: Span| Span {
                    start: span.start.saturating_add(shift),
                    end: span.end.saturating_add(shift),
                };
                let span = diagnostic.span.map(moved);
                let diagnostic = Box::new(Diagnostic { span, ..*diagnostic });
                trimorph::Error::Query { diagnostic, text: lines + text }
            }
            other => other,
        };
        let place = match error.position() {
            Some((line, column)) => format!("{}:{line}:{column}", self.name),
            None => format!("{}:{line}", self.name),
        };
        Failure::Statement(place, Box::new(Failure::Engine(error)))
    }
}

impl Source<'_> {
    /// The failure of a line that is a command of the shell.
    pub(crate) fn blame_line(&self, failure: Failure) -> Failure {
        match failure {
            Failure::NoReader | Failure::Told | Failure::Statement(..) => failure,
            other => Failure::Statement(format!("{}:{}", self.name, self.line), Box::new(other)),
        }
    }
}

impl Failure {
    /// Whether it concerns one statement or command, so that the next may be tried.
    pub(crate) fn is_of_statement(&self) -> bool {
        match self {
            Self::NoReader | Self::Told => false,
            Self::Statement(_, failure) => failure.is_of_statement(),
            Self::Engine(
                trimorph::Error::Cancelled | trimorph::Error::Load(trimorph::LoadError::Cancelled),
            ) => false,
            Self::Engine(_) | Self::Message(_) => true,
        }
    }

    /// A failure of the command line's own.
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Prints what went wrong and gives the exit code.
    pub(crate) fn report(&self, terminal: &Terminal) -> ExitCode {
        // If stderr is closed, the exit code has to do.
        let _ = self.write(&mut io::stderr().lock(), terminal);
        self.exit_code()
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            Self::NoReader => ExitCode::SUCCESS,
            Self::Statement(_, failure) => failure.exit_code(),
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
            Self::NoReader | Self::Told => Ok(()),
            Self::Message(text) => writeln!(out, "{error} {text}"),
            Self::Statement(place, failure) => {
                // Editors and terminals jump to `file:line:column:`, so nothing comes before it.
                write!(out, "{}: ", paint.bold(place))?;
                failure.write(out, terminal)
            }
            Self::Engine(e @ trimorph::Error::Query { .. }) => {
                let text = e.to_string();
                let (kind, rest) = text.split_once(": ").unwrap_or(("error", &text));
                writeln!(out, "{} {rest}", paint.red(format!("{kind}:")))
            }
            // Editors jump to `file:line:`, so nothing comes before it.
            Self::Engine(e @ trimorph::Error::Load(trimorph::LoadError::Rejected { rejected, hint, .. })) => {
                writeln!(out, "{e}")?;
                match hint {
                    Some(_) => writeln!(out, "nothing was loaded"),
                    None if rejected.is_of_known_node() => writeln!(out, "nothing was loaded; {CONFLICT}"),
                    None => writeln!(out, "nothing was loaded; {BAD_ROW}"),
                }
            }
            Self::Engine(e) => writeln!(out, "{error} {e}"),
        }
    }
}

impl From<trimorph::Error> for Failure {
    fn from(error: trimorph::Error) -> Self {
        match error {
            trimorph::Error::Load(trimorph::LoadError::Io { error, .. })
                if error.kind() == io::ErrorKind::BrokenPipe =>
            {
                Self::NoReader
            }
            other => Self::Engine(other),
        }
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

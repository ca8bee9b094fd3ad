//! What is at the other end of stdout and stderr: a terminal of some width, with colours or without.

use std::fmt::Display;
use std::io::{IsTerminal as _, stderr, stdout};

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// What is at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Colours for stdout.
    pub(crate) out: Paint,
    /// Colours for stderr.
    pub(crate) err: Paint,
    /// Whether stdout is a terminal.
    pub(crate) is_terminal: bool,
}

impl Terminal {
    /// Looks at the environment.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let paint = |is_terminal: bool| Paint {
            on: match choice {
                ColorChoice::Auto => is_terminal && !unwanted,
                ColorChoice::Always => true,
                ColorChoice::Never => false,
            },
        };
        let is_terminal = stdout().is_terminal();
        Self { out: paint(is_terminal), err: paint(stderr().is_terminal()), is_terminal }
    }

    /// Columns of the terminal that stdout is; `None` if it is none.
    pub(crate) fn width(&self) -> Option<usize> {
        if !self.is_terminal {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(20)).or(Some(80))
    }

    /// Lines of the terminal that stdout is; `None` if it is none.
    pub(crate) fn height(&self) -> Option<usize> {
        if !self.is_terminal {
            return None;
        }
        terminal_size::terminal_size().map(|(_, height)| usize::from(height.0).max(5)).or(Some(24))
    }
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether to use them.
    pub(crate) on: bool,
}

impl Paint {
    fn code(self, code: &str, text: impl Display) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// What matters.
    pub(crate) fn bold(self, text: impl Display) -> String {
        self.code("1", text)
    }

    /// What is there for those who look.
    pub(crate) fn dim(self, text: impl Display) -> String {
        self.code("2", text)
    }

    /// What went wrong.
    pub(crate) fn red(self, text: impl Display) -> String {
        self.code("1;31", text)
    }

    /// What went well.
    pub(crate) fn green(self, text: impl Display) -> String {
        self.code("32", text)
    }

    /// Numbers and bars.
    pub(crate) fn cyan(self, text: impl Display) -> String {
        self.code("36", text)
    }

    /// Words of the language.
    pub(crate) fn blue(self, text: impl Display) -> String {
        self.code("34", text)
    }

    /// Names of the schema, and notices.
    pub(crate) fn yellow(self, text: impl Display) -> String {
        self.code("33", text)
    }
}

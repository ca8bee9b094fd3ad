//! What a shell remembers between statements, and how it runs them.

use std::io::Write;
use std::sync::Arc;

use trimorph::Database;

use crate::answer::{Asking, ROWS_DEFAULT};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::output::{Format, Limits};
use crate::terminal::Terminal;

/// A shell's state.
pub(super) struct Session {
    /// The database.
    pub(super) database: Database,
    /// Parameters, format, limits.
    pub(super) asking: Asking,
    /// What stdout is.
    pub(super) terminal: Terminal,
    /// The last statement that was run.
    pub(super) last: Option<String>,
}

/// Whether the shell goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// It does.
    Continue,
    /// It ends.
    Quit,
}

impl Session {
    /// A session that shows tables.
    pub(super) fn new(database: Database, language: Language, terminal: &Terminal) -> Self {
        let limits = Limits {
            rows: terminal.is_terminal.then_some(ROWS_DEFAULT),
            rows_hint: ":rows 0 shows all",
            width: terminal.width(),
            is_sparql: false,
            is_file: false,
            color: terminal.out.on,
        };
        let asking = Asking {
            connection: Arc::new(database.connect()),
            language,
            params: Arc::default(),
            format: Format::Table,
            limits,
            timer: true,
            err: terminal.err,
        };
        Self { database, asking, terminal: *terminal, last: None }
    }

    /// Runs all statements of `text`, which comes from `source` unless it was typed in.
    pub(super) fn statements(
        &mut self,
        text: &str,
        source: Option<&Source<'_>>,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        for statement in self.asking.language.statements(text) {
            self.last = Some(statement.to_owned());
            // The window may have been resized.
            self.asking.limits.width = self.terminal.width();
            let answered = self.asking.answer(statement, out).map_err(|e| match source {
                Some(source) => source.blame(e, text, statement),
                None => e,
            });
            let flushed = out.flush();
            answered?;
            flushed?;
        }
        Ok(())
    }
}

/// Whether a line is a command of the shell, `:x` or `.x`.
pub(super) fn is_command(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    matches!(letters.next(), Some(':' | '.'))
        && letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '?')
}

//! A line in: a command of the shell, or statements.

use std::io::Write;

use super::command;
use super::session::{Next, Session, is_command};
use crate::failure::{Failure, Source};

impl Session {
    /// Runs a command or all statements of `text`, which comes from `source` unless it was typed in.
    pub(super) fn take(
        &mut self,
        text: &str,
        source: Option<&Source<'_>>,
        out: &mut (dyn Write + Send),
    ) -> Result<Next, Failure> {
        if is_command(text) {
            return command::run(self, text, out).map_err(|failure| match source {
                Some(source) => source.blame_line(failure),
                None => failure,
            });
        }
        self.statements(text, source, out)?;
        Ok(Next::Continue)
    }
}

//! A line in: a command of the shell, or statements.

use std::io::Write;

use super::command;
use super::session::{Next, Session, is_command};
use crate::failure::Failure;

impl Session {
    /// Runs a command or all statements of `text`.
    pub(super) fn take(&mut self, text: &str, out: &mut (dyn Write + Send)) -> Result<Next, Failure> {
        if is_command(text) {
            return command::run(self, text, out);
        }
        self.statements(text, None, out)?;
        Ok(Next::Continue)
    }
}

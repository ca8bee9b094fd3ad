//! `:!` and `:edit`: programs of the system.

use std::io::Write;
use std::process::{Command, ExitStatus};

use super::session::{Next, Session};
use crate::failure::Failure;
use crate::interrupt::hold_interrupts;

/// Runs a command line in the system's shell and waits for it.
fn wait(line: &str) -> Result<ExitStatus, Failure> {
    // Ctrl-C is the program's.
    let _held = hold_interrupts();
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let status = Command::new(shell).arg(flag).arg(line).status();
    status.map_err(|e| Failure::message(format!("{shell}: {e}")))
}

/// Runs a command of the system.
pub(super) fn run(line: &str) -> Result<(), Failure> {
    if line.is_empty() {
        return Err(Failure::message("write :! COMMAND, such as :! ls"));
    }
    let status = wait(line)?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::message(format!("the command ended with {status}"))),
    }
}

/// Lets a statement be written in an editor, and runs it; one that is empty is not run.
pub(super) fn edit(session: &mut Session, text: &str, out: &mut (dyn Write + Send)) -> Result<Next, Failure> {
    let text = if text.is_empty() { session.last.clone().unwrap_or_default() } else { text.to_owned() };
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let path = std::env::temp_dir().join(format!("trimorph-{}.cypher", std::process::id()));
    let failed = |e: std::io::Error| Failure::message(format!("{}: {e}", path.display()));
    std::fs::write(&path, format!("{text}\n")).map_err(failed)?;
    let status = wait(&format!("{editor} '{}'", path.display()));
    let written = std::fs::read_to_string(&path).map_err(failed);
    // The system clears the directory if we cannot.
    let _ = std::fs::remove_file(&path);
    if !status?.success() {
        return Err(Failure::message(format!("{editor} failed; nothing was run")));
    }
    let written = written?;
    if written.trim().is_empty() {
        return Ok(Next::Continue);
    }
    writeln!(out, "{}", session.terminal.out.dim(written.trim_end()))?;
    session.history.push(written.trim_end().to_owned());
    session.take(&written, None, out)
}

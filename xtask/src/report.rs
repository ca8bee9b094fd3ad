//! What a check found: problems fail, notes are only shown.

use std::fmt;

/// Findings of all checks.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) problems: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// A problem at a line of a file, and what to do about it. Line 0 is the whole file.
    pub(crate) fn problem(&mut self, path: &str, line: usize, what: &str, advice: &str) {
        let place = if line == 0 { path.to_owned() } else { format!("{path}:{line}") };
        self.problems.push(format!("{place}: {what} ({advice})"));
    }

    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// One line for the end.
    pub(crate) fn verdict(&self) -> String {
        match self.problems.len() {
            0 => format!("ok, {} notes", self.notes.len()),
            1 => "1 problem".to_owned(),
            n => format!("{n} problems"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|n| writeln!(f, "note: {n}"))?;
        self.problems.iter().try_for_each(|p| writeln!(f, "{p}"))
    }
}

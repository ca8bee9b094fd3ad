//! Commands and statements from a file or a pipe: each runs when its semicolon has come, the last at the end.
//! The first error ends it, unless `:bail off` was said.

use std::io::{BufRead, Write, stderr};
use std::path::Path;

use super::session::{Next, Session, is_command};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::text::scan::{self, Kind};

/// Files that read each other may do so this deep.
const DEPTH_MAX: usize = 16;

impl Session {
    /// Runs what a file has.
    pub(super) fn script(&mut self, path: &Path, out: &mut (dyn Write + Send)) -> Result<Next, Failure> {
        let name = path.display().to_string();
        if self.depth >= DEPTH_MAX {
            return Err(Failure::message(format!(
                "{name}: files read each other more than {DEPTH_MAX} deep"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(|e| Failure::message(format!("{name}: {e}")))?;
        let language = self.asking.language;
        if let Some(of_file) = Language::of_suffix(path) {
            of_file.require()?;
            self.asking.language = of_file;
        }
        self.depth += 1;
        let done = self.lines(&name, true, &mut text.as_bytes(), out);
        self.depth -= 1;
        self.asking.language = language;
        done
    }

    /// Runs what `lines` have.
    pub(super) fn lines(
        &mut self,
        name: &str,
        is_file: bool,
        lines: &mut dyn BufRead,
        out: &mut (dyn Write + Send),
    ) -> Result<Next, Failure> {
        let mut pending = String::new();
        let mut source = Source { name, line: 1, is_file };
        for (number, line) in (1..).zip(lines.lines()) {
            let line = line.map_err(|e| Failure::message(format!("{name}: {e}")))?;
            // Comments before a command are none of a statement.
            if scan::statements(&pending).is_empty() {
                source.line = number;
                pending.clear();
                if is_command(&line) {
                    let next = self.take(&line, Some(&source), out);
                    out.flush()?;
                    match next {
                        Ok(Next::Quit) => return Ok(Next::Quit),
                        Ok(Next::Continue) => {}
                        Err(failure) if !self.bail && failure.is_of_statement() => {
                            self.has_failed = true;
                            // If stderr is closed there is nobody to tell.
                            let _ = failure.write(&mut stderr().lock(), &self.terminal);
                        }
                        Err(failure) => return Err(failure),
                    }
                    continue;
                }
            }
            pending.push_str(&line);
            pending.push('\n');
            let ends = match self.asking.language {
                Language::Sparql => crate::rdf::ends_sparql_statement(&pending),
                Language::Cypher | Language::Sql => ends_with_semicolon(&pending),
            };
            if line.contains(';') && ends {
                self.statements(&pending, Some(&source), out)?;
                pending.clear();
            }
        }
        self.statements(&pending, Some(&source), out)?;
        out.flush()?;
        Ok(Next::Continue)
    }
}

fn ends_with_semicolon(text: &str) -> bool {
    let tokens = scan::tokens(text);
    let last = tokens.iter().rev().find(|t| !matches!(t.kind, Kind::Space | Kind::Comment));
    last.is_some_and(|t| t.kind == Kind::Semicolon)
}

//! Statements from a pipe: each runs when its semicolon has come, the last at the end. The first error ends
//! it.

use std::io::{BufRead as _, BufWriter, Write as _, stdin, stdout};

use super::session::{Next, Session, is_command};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::text::scan::{self, Kind};

/// Runs what stdin has.
pub(super) fn run(session: &mut Session) -> Result<(), Failure> {
    let mut out = BufWriter::new(stdout());
    let mut pending = String::new();
    let mut source = Source { name: "stdin", line: 1 };
    for (number, line) in (1..).zip(stdin().lock().lines()) {
        let line = line.map_err(|e| Failure::message(format!("stdin: {e}")))?;
        if pending.trim().is_empty() && is_command(&line) {
            let next = session.take(&line, &mut out);
            out.flush()?;
            if next? == Next::Quit {
                return Ok(());
            }
            continue;
        }
        if pending.is_empty() {
            source.line = number;
        }
        pending.push_str(&line);
        pending.push('\n');
        let ends = match session.asking.language {
            Language::Sparql => trimorph::ends_sparql_statement(&pending),
            Language::Cypher | Language::Sql => ends_with_semicolon(&pending),
        };
        if line.contains(';') && ends {
            session.statements(&pending, Some(&source), &mut out)?;
            pending.clear();
        }
    }
    session.statements(&pending, Some(&source), &mut out)?;
    Ok(out.flush()?)
}

fn ends_with_semicolon(text: &str) -> bool {
    let tokens = scan::tokens(text);
    let last = tokens.iter().rev().find(|t| !matches!(t.kind, Kind::Space | Kind::Comment));
    last.is_some_and(|t| t.kind == Kind::Semicolon)
}

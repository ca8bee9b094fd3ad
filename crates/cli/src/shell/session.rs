//! What a shell remembers between statements, and how it runs them.

use std::fs::File;
use std::io::{BufWriter, Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph::Database;

use crate::answer::{Asking, Notices, ROWS_DEFAULT, write_notices};
use crate::database::{NewDirectory, Resources};
use crate::failure::{Failure, Source};
use crate::language::Language;
use crate::output::{Format, Limits};
use crate::pager::Pager;
use crate::terminal::Terminal;

/// A database, where it is, and how it was opened.
pub(super) struct Place {
    /// Directory, or `:memory:`.
    pub(super) path: PathBuf,
    /// The database.
    pub(super) database: Database,
    /// Whether nothing is written to it.
    pub(super) is_read_only: bool,
    /// The directory, if it was made for this shell.
    pub(super) made: NewDirectory,
}

/// Where answers go instead of the screen.
pub(super) struct Output {
    /// The file's name.
    pub(super) name: String,
    /// The file.
    pub(super) file: BufWriter<File>,
    /// Whether it is for one answer only.
    pub(super) is_once: bool,
}

/// How much is shown, as it was asked for: by the screen's size, unless somebody said so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// What the screen has room for.
    Auto,
    /// All.
    All,
    /// So many.
    Most(usize),
}

/// A shell's state.
pub(super) struct Session {
    /// The database and where it is.
    pub(super) place: Place,
    /// How databases are opened.
    pub(super) resources: Resources,
    /// Parameters, format, limits.
    pub(super) asking: Asking,
    /// What stdout is.
    pub(super) terminal: Terminal,
    /// The last statement that was run.
    pub(super) last: Option<String>,
    /// Rows of a table.
    pub(super) rows: Extent,
    /// Columns of a table.
    pub(super) width: Extent,
    /// Whether statements are shown before their answers.
    pub(super) echo: bool,
    /// Whether the first error ends what comes from a file or a pipe.
    pub(super) bail: bool,
    /// What stands before what is typed in.
    pub(super) prompt: String,
    /// What long answers go through.
    pub(super) pager: Pager,
    /// Where answers go, if not to the screen.
    pub(super) output: Option<Output>,
    /// What was typed in, the oldest first.
    pub(super) history: Vec<String>,
    /// Whether labels, types or properties may have come since they were last looked at.
    pub(super) is_schema_old: bool,
    /// Whether notices wait until the screen is free again.
    pub(super) is_interactive: bool,
    /// Notices that wait.
    pub(super) notices: Notices,
    /// Whether something failed and was gone on from.
    pub(super) has_failed: bool,
    /// Files that are being read, one because of the other.
    pub(super) depth: usize,
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
    pub(super) fn new(place: Place, resources: &Resources, language: Language, terminal: &Terminal) -> Self {
        let limits = Limits {
            rows: None,
            rows_hint: ":rows 0 shows all",
            width: terminal.width(),
            width_hint: ":mode line shows all",
            is_sparql: false,
            is_file: false,
            color: terminal.out.on,
            types: terminal.is_terminal,
            null: None,
        };
        let asking = Asking {
            connection: Arc::new(place.database.connect()),
            language,
            params: Arc::default(),
            format: Format::Table,
            limits,
            timer: true,
            err: terminal.err,
        };
        Self {
            place,
            resources: resources.clone(),
            asking,
            terminal: *terminal,
            last: None,
            rows: Extent::Auto,
            width: Extent::Auto,
            echo: false,
            bail: true,
            prompt: "trimorph> ".to_owned(),
            pager: Pager::On,
            output: None,
            history: Vec::new(),
            is_schema_old: true,
            is_interactive: false,
            notices: Vec::new(),
            has_failed: false,
            depth: 0,
        }
    }

    /// Rows and columns that the screen has room for now, or what was asked for.
    fn measure(&mut self) {
        let screen = self.terminal.height().map(|height| height.saturating_sub(9).clamp(10, ROWS_DEFAULT));
        self.asking.limits.rows = match self.rows {
            Extent::Auto => screen,
            Extent::All => None,
            Extent::Most(rows) => Some(rows),
        };
        self.asking.limits.width = match self.width {
            Extent::Auto => self.terminal.width(),
            Extent::All => None,
            Extent::Most(columns) => Some(columns),
        };
    }

    /// Runs all statements of `text`, which comes from `source` unless it was typed in.
    pub(super) fn statements(
        &mut self,
        text: &str,
        source: Option<&Source<'_>>,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        for statement in self.asking.language.statements(text) {
            let answered = self.statement(statement, out).map_err(|e| match source {
                Some(source) => source.blame(e, text, statement),
                None => e,
            });
            let flushed = out.flush();
            match answered {
                Err(failure) if source.is_some() && !self.bail && failure.is_of_statement() => {
                    self.has_failed = true;
                    // If stderr is closed there is nobody to tell.
                    let _ = failure.write(&mut stderr().lock(), &self.terminal);
                }
                other => other?,
            }
            flushed?;
        }
        Ok(())
    }

    /// Runs a statement and writes its answer to the screen, or where answers go.
    fn statement(&mut self, statement: &str, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
        self.last = Some(statement.to_owned());
        // Statements may make labels.
        self.is_schema_old = true;
        if self.echo {
            writeln!(out, "{statement};")?;
        }
        self.ask(statement, out)
    }

    /// Asks, and writes the answer to the screen, or where answers go.
    pub(super) fn ask(&mut self, statement: &str, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
        self.measure();
        let asking = self.asking.clone();
        let notices = match &mut self.output {
            None => asking.answer(statement, out)?,
            Some(output) => {
                let limits = Limits { is_file: true, null: asking.limits.null.clone(), ..Limits::default() };
                // What a file's name says counts, as with `-o`; of many answers in a `.txt` the mode does.
                let format = Format::of_suffix(Path::new(&output.name))
                    .filter(|format| output.is_once || *format != Format::Table);
                let asking = Asking { limits, format: format.unwrap_or(asking.format), ..asking };
                let answered = asking.answer(statement, &mut output.file);
                let flushed = output.file.flush();
                if output.is_once {
                    self.output = None;
                }
                flushed?;
                answered?
            }
        };
        match self.is_interactive {
            true => self.notices.extend(notices),
            false => {
                out.flush()?;
                write_notices(&notices);
            }
        }
        Ok(())
    }

    /// A file's name as it was typed in: `~/` is the home directory.
    pub(super) fn file_name(typed: &str) -> PathBuf {
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
        match (typed.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Path::new(&home).join(rest),
            _ if typed == "~" => std::env::var_os("HOME").map_or_else(|| typed.into(), PathBuf::from),
            _ => typed.into(),
        }
    }
}

/// Whether a text is a command of the shell: `:x`, `.x`, or one of the words that everybody tries first.
pub(super) fn is_command(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    let has_mark = matches!(letters.next(), Some(':' | '.'))
        && letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '?' || c == '!');
    has_mark || is_bare(text)
}

/// Whether a text is a command without its colon: `quit`, `exit`, `help`, `help TOPIC`, `\q`.
fn is_bare(text: &str) -> bool {
    let text = text.trim().trim_end_matches(';').trim_end();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is = |word: &str, names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    match words[..] {
        [word] => is(word, &["quit", "exit", "help", "\\q", "\\h", "\\?"]),
        // No topic has more words.
        [word, _] | [word, _, _] => is(word, &["help"]),
        _ => false,
    }
}

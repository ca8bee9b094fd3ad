//! One statement in, its answer out: what `query` and `shell` have in common.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use trimorph::{Connection, Params, PlanForm, QueryResult};

use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::language::Language;
use crate::output::{self, Format, Limits};
use crate::rdf;
use crate::terminal::Paint;
use crate::text::{quantity, scan};

/// Rows of a table on a terminal.
pub(crate) const ROWS_DEFAULT: usize = 40;

/// How statements are asked and answered.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    /// Where to.
    pub(crate) connection: Arc<Connection>,
    /// In which language.
    pub(crate) language: Language,
    /// Parameters.
    pub(crate) params: Arc<Params>,
    /// How answers are written.
    pub(crate) format: Format,
    /// How much of them.
    pub(crate) limits: Limits,
    /// Whether the footer of a table says how long it took.
    pub(crate) timer: bool,
    /// Colours of notices.
    pub(crate) err: Paint,
}

/// What to do with notices: texts about a statement that was answered.
pub(crate) type Notices = Vec<String>;

impl Asking {
    /// Runs one statement, writes its answer and gives what is to be said about it. Ctrl-C stops it.
    pub(crate) fn answer(&self, text: &str, out: &mut (dyn Write + Send)) -> Result<Notices, Failure> {
        let (_guard, cancel) = interrupted();
        let start = Instant::now();
        let mut result = match self.language {
            Language::Sparql => rdf::ask(&self.connection, text, self.given(text), cancel)?,
            Language::Cypher | Language::Sql => {
                self.connection.execute_until(text, Arc::clone(&self.params), cancel)?
            }
        };
        let is_plan = asks_for_plan(text);
        if is_plan && self.format.is_for_people() {
            write_plan(&mut result, out)?;
        } else if is_plan && matches!(self.format, Format::Html | Format::Json) {
            // A plan has these forms itself.
            let form = if self.format == Format::Html { PlanForm::Html } else { PlanForm::Json };
            out.write_all(result.plan_tree().write(form).as_bytes())?;
        } else {
            self.write_rows(&mut result, start, out)?;
        }
        self.write_effects(&result, text, start, out)?;
        Ok(self.notices(&result))
    }

    /// The parameters that a SPARQL text has a variable for: those of a session are for all its texts.
    fn given(&self, text: &str) -> Params {
        let asked = self.params.iter().filter(|(name, _)| rdf::has_sparql_variable(text, name));
        asked.map(|(name, value)| (Arc::clone(name), value.clone())).collect()
    }

    /// The rows, with a footer if they are for people.
    fn write_rows(
        &self,
        result: &mut QueryResult,
        start: Instant,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        let columns = result.columns().len() as u64;
        let limits = Limits { is_sparql: self.language == Language::Sparql, ..self.limits.clone() };
        let rows = output::write(result, self.format, &limits, out)?;
        if self.format.has_footer() && columns > 0 {
            let rows = quantity::plural(rows, "row", "rows");
            let columns = quantity::plural(columns, "column", "columns");
            let time =
                if self.timer { format!(" {}", quantity::duration(start.elapsed())) } else { String::new() };
            let paint = Paint { on: self.limits.color };
            writeln!(out, "{}", paint.dim(format!("({rows}, {columns}){time}")))?;
        }
        Ok(())
    }

    /// What a statement changed, for people.
    fn write_effects(
        &self,
        result: &QueryResult,
        text: &str,
        start: Instant,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        let effects = result.side_effects();
        if !self.format.has_footer() || (effects.is_empty() && !result.columns().is_empty()) {
            return Ok(());
        }
        let changes = [
            "INSERT", "DELETE", "CLEAR", "PREFIX", "CREATE", "DROP", "MATCH", "MERGE", "UNWIND", "WITH",
            "OPTIONAL", "FOREACH", "CALL",
        ];
        let done = match effects.is_empty() {
            true if begins_with(text, &changes) => "nothing changed".to_owned(),
            true => "done".to_owned(),
            false => effects.to_string(),
        };
        let with_time = result.columns().is_empty() && self.timer;
        let time =
            if with_time { format!(" {}", quantity::duration(start.elapsed())) } else { String::new() };
        let paint = Paint { on: self.limits.color };
        writeln!(out, "{}", paint.dim(format!("({done}){time}")))?;
        Ok(())
    }

    /// Names that nothing has, and the like.
    fn notices(&self, result: &QueryResult) -> Notices {
        let text = |notice: &trimorph::Notice| {
            let text = notice.to_string();
            let rest = text.strip_prefix("notice:").unwrap_or(&text);
            format!("{}{rest}", self.err.yellow("notice:"))
        };
        result.notices().iter().map(text).collect()
    }
}

/// Writes notices to stderr. If that is closed, the answers stand all the same.
pub(crate) fn write_notices(notices: &Notices) {
    let mut err = io::stderr().lock();
    for notice in notices {
        let _ = writeln!(err, "{notice}");
    }
}

/// Whether the statement asks for its plan.
fn asks_for_plan(text: &str) -> bool {
    begins_with(text, &["EXPLAIN", "PROFILE"])
}

/// Whether the first word of a statement is one of these.
fn begins_with(text: &str, words: &[&str]) -> bool {
    let first =
        scan::tokens(text).into_iter().find(|t| !matches!(t.kind, scan::Kind::Space | scan::Kind::Comment));
    first.is_some_and(|t| words.iter().any(|word| word.eq_ignore_ascii_case(&text[t.start..t.end])))
}

/// A plan is a text, not a table.
fn write_plan(result: &mut QueryResult, out: &mut dyn Write) -> Result<(), Failure> {
    while let Some(row) = result.next_row()? {
        for line in &row {
            writeln!(out, "{}", result.format(line))?;
        }
    }
    Ok(())
}

//! `:read`, `:load`, `:export`, `:once`, `:output`: what comes from files and goes to them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use clap::Parser as _;

use super::session::{Next, Output, Session};
use super::words;
use crate::answer::write_notices;
use crate::commands::load;
use crate::failure::Failure;
use crate::output::{Format, Limits};
use crate::text::quantity;

/// Runs the commands and statements of a file; the first error ends it.
pub(super) fn read(
    session: &mut Session,
    argument: &str,
    out: &mut (dyn Write + Send),
) -> Result<Next, Failure> {
    let name = words::one(argument, ":read FILE")?;
    session.script(&Session::file_name(&name), out)
}

/// What `:load` may be given: what `trimorph load` may, without the database.
#[derive(clap::Parser)]
#[command(name = ":load", no_binary_name = true, about = "Load files into this database")]
struct LoadLine {
    #[command(flatten)]
    what: load::What,
}

/// Loads files into the database.
pub(super) fn load(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let words = words::split(argument)?;
    let words = words.iter().map(|word| Session::file_name(word).into_os_string());
    let line = match LoadLine::try_parse_from(words) {
        Ok(line) => line,
        Err(help) if !help.use_stderr() => {
            write!(out, "{help}")?;
            return Ok(());
        }
        Err(wrong) => {
            let text = wrong.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            // Clap's own "for more information" says how to call a program.
            let text = text.split("\n\nFor more information").next().unwrap_or(text);
            return Err(Failure::message(format!("{}\n(:load --help says more)", text.trim_end())));
        }
    };
    session.is_schema_old = true;
    load::into(&session.place.database, &session.place.path, &line.what, &session.terminal, out)
}

/// Runs the last statement again and writes its answer to a file, in the format of its suffix.
pub(super) fn export(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let name = words::one(argument, ":export FILE")?;
    let path = Session::file_name(&name);
    let format = Format::of_output(&path)?;
    let Some(last) = session.last.clone() else {
        return Err(Failure::message("there is no answer yet; ask something first"));
    };
    let failed = |e: std::io::Error| Failure::message(format!("{name}: {e}"));
    let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
    let mut asking = session.asking.clone();
    asking.format = format;
    asking.limits = Limits { is_file: true, null: asking.limits.null, ..Limits::default() };
    let notices = asking.answer(&last, &mut file)?;
    let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
    let bytes = file.metadata().map_err(failed)?.len();
    writeln!(out, "{} in {name}", quantity::bytes(bytes))?;
    out.flush()?;
    write_notices(&notices);
    Ok(())
}

/// Writes answers to a file from now on, or the next one only; without a name to the screen again.
pub(super) fn output(session: &mut Session, argument: &str, is_once: bool) -> Result<(), Failure> {
    if let Some(mut before) = session.output.take() {
        before.file.flush().map_err(|e| Failure::message(format!("{}: {e}", before.name)))?;
    }
    if argument.is_empty() && !is_once {
        return Ok(());
    }
    let usage = if is_once { ":once FILE" } else { ":output FILE, or :output alone for the screen" };
    let name = words::one(argument, usage)?;
    let path = Session::file_name(&name);
    if is_once {
        Format::of_output(&path)?;
    } else if Format::of_suffix(Path::new(&name)).is_some_and(Format::is_binary) {
        return Err(Failure::message(format!("{name} holds one answer; use :once or :export")));
    }
    let file = File::create(&path).map_err(|e| Failure::message(format!("{name}: {e}")))?;
    session.output = Some(Output { name, file: BufWriter::new(file), is_once });
    Ok(())
}

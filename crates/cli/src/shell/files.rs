//! `:read` and `:export`: statements from a file, the last answer to a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::session::Session;
use crate::failure::{Failure, Source};
use crate::output::{Format, Limits};
use crate::text::quantity;

/// Runs the statements of a file; the first error ends it.
pub(super) fn read(session: &mut Session, name: &str, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
    if name.is_empty() {
        return Err(Failure::message("write :read FILE"));
    }
    let text = std::fs::read_to_string(name).map_err(|e| Failure::message(format!("{name}: {e}")))?;
    session.statements(&text, Some(&Source { name, line: 1 }), out)
}

/// Runs the last statement again and writes its answer to a file, in the format of its suffix.
pub(super) fn export(session: &mut Session, name: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if name.is_empty() {
        return Err(Failure::message("write :export FILE"));
    }
    let format = Format::of_suffix(Path::new(name)).ok_or_else(|| {
        Failure::message(
            "the file's suffix must be .csv, .json, .jsonl, .arrow, .parquet, .md or .txt; \
             of SPARQL also .xml, .tsv, .ttl, .trig, .nt, .nq, .rdf or .jsonld",
        )
    })?;
    let Some(last) = session.last.clone() else {
        return Err(Failure::message("there is no answer yet; ask something first"));
    };
    let failed = |e: std::io::Error| Failure::message(format!("{name}: {e}"));
    let mut file = BufWriter::new(File::create(name).map_err(failed)?);
    let mut asking = session.asking.clone();
    asking.format = format;
    asking.limits = Limits { is_file: true, ..Limits::default() };
    asking.answer(&last, &mut file)?;
    let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
    let bytes = file.metadata().map_err(failed)?.len();
    writeln!(out, "{} in {name}", quantity::bytes(bytes))?;
    Ok(())
}

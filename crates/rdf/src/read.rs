//! The two ways into a text: as a stream, or as lines that are in memory.

use std::io::Read;

use crate::error::ReadError;
use crate::format::Format;
use crate::lines::{read_lines, whole_lines};
use crate::parse::{
    BadStatements, Failure, ParseOptions, Reading, Report, read_deep_documents, read_documents,
};
use crate::skip::read_skipping;
use crate::statement::Statement;

/// Reads all statements.
///
/// **Cost**: nothing is allocated for a line of N-Triples or N-Quads in the usual form, which takes a tenth
/// of the library's time (`examples/read_speed.rs`); of other formats, the library makes a text for each
/// term. **Errors**: see [`Failure`]; what was handed out before stays so.
pub fn parse<E>(
    reader: impl Read + Send,
    options: &ParseOptions,
    mut take: impl FnMut(Statement<'_>) -> Result<(), E>,
) -> Result<Report, Failure<E>> {
    let mut reading = Reading::new(options, &mut take)?;
    match options.format {
        Format::NTriples | Format::NQuads => read_lines(reader, options, &mut reading)?,
        Format::JsonLd => read_deep_documents(reader, options, &mut reading)?,
        Format::Turtle | Format::TriG if options.bad == BadStatements::Skip => {
            read_skipping(reader, options, &mut reading)?;
        }
        _ => read_documents(reader, options, &mut reading)?,
    }
    Ok(reading.finish())
}

/// Reads whole lines of N-Triples or N-Quads, of which the first has number `first`: parts of one text can be
/// read by several threads.
///
/// **Errors**: as [`parse`], and that the format has no lines.
pub fn parse_lines<E>(
    text: &[u8],
    first: u64,
    options: &ParseOptions,
    mut take: impl FnMut(Statement<'_>) -> Result<(), E>,
) -> Result<Report, Failure<E>> {
    if !matches!(options.format, Format::NTriples | Format::NQuads) {
        let reason = format!("{} is not written in lines", options.format.name());
        return Err(Failure::Read(ReadError::Option(reason)));
    }
    let mut reading = Reading::new(options, &mut take)?;
    whole_lines(text, first, options, &mut reading)?;
    Ok(reading.finish())
}

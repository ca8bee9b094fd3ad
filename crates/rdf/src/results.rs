//! Results of queries in, a text of one of SPARQL's result formats out, and back.

use std::cell::Cell;
use std::io::{Read, Write};
use std::rc::Rc;

use oxrdf::{Term, Variable};
use sparesults::{
    QueryResultsParseError, QueryResultsParser, QueryResultsSerializer, ReaderQueryResultsParserOutput,
    WriterSolutionsSerializer,
};
use trimorph_types::Value;

use crate::convert::{term, value};
use crate::error::{ReadError, WriteError};
use crate::format::ResultFormat;
use crate::guard::{Guard, Refusal, Syntax};

/// Writes the answer of an `ASK` query.
pub fn write_boolean<W: Write>(out: W, format: ResultFormat, answer: bool) -> Result<W, WriteError> {
    let serializer = QueryResultsSerializer::from_format(format.library());
    Ok(serializer.serialize_boolean_to_writer(out, answer)?)
}

/// Writes solutions, row by row.
pub struct SolutionWriter<W: Write> {
    variables: Vec<Variable>,
    inner: WriterSolutionsSerializer<W>,
}

impl<W: Write> SolutionWriter<W> {
    /// A writer of solutions with these variables.
    ///
    /// **Errors**: a name that SPARQL cannot have for a variable.
    pub fn new<'n>(
        out: W,
        format: ResultFormat,
        variables: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, WriteError> {
        let named = |name: &str| {
            Variable::new(name)
                .map_err(|_| WriteError::Format(format!("invalid name of a variable: \"{name}\"")))
        };
        let variables = variables.into_iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let inner = QueryResultsSerializer::from_format(format.library())
            .serialize_solutions_to_writer(out, variables.clone())?;
        Ok(Self { variables, inner })
    }

    /// Writes a solution: a value for each variable, null where it is unbound.
    ///
    /// **Errors**: a value that is no term by itself.
    pub fn write(&mut self, row: &[Value]) -> Result<(), WriteError> {
        let mut terms = Vec::with_capacity(row.len());
        for (variable, value) in self.variables.iter().zip(row) {
            if !value.is_null() {
                terms.push((variable.as_ref(), term(value)?));
            }
        }
        self.inner.serialize(terms.iter().map(|(variable, term)| (*variable, term.as_ref())))?;
        Ok(())
    }

    /// Writes what is still to be written; gives back where it was written to.
    pub fn finish(self) -> Result<W, WriteError> {
        Ok(self.inner.finish()?)
    }
}

/// Results that were read.
#[derive(Clone, Debug)]
pub enum Results {
    /// The answer of an `ASK` query.
    Boolean(bool),
    /// Solutions.
    Solutions {
        /// Names of variables, without `?`.
        variables: Vec<String>,
        /// A value for each variable, null where it is unbound.
        rows: Vec<Vec<Value>>,
    },
}

/// Reads results. CSV cannot be read: it does not say which terms its texts are.
///
/// Blank nodes get `blank_prefix` before their labels.
pub fn read_results(
    reader: impl Read,
    format: ResultFormat,
    blank_prefix: &str,
) -> Result<Results, ReadError> {
    let syntax = match format {
        ResultFormat::Json => Syntax::Json,
        ResultFormat::Xml => Syntax::Xml,
        // Terms of Turtle.
        ResultFormat::Tsv => Syntax::Turtle,
        ResultFormat::Csv => return Err(ReadError::Option("results in CSV cannot be read".into())),
    };
    let lines = Rc::new(Cell::new(0));
    let guarded = Guard::new(reader, syntax, &lines);
    let failed = |error| {
        let line = (syntax == Syntax::Xml).then(|| lines.get().max(1));
        read_error(error, line)
    };
    match QueryResultsParser::from_format(format.library()).for_reader(guarded).map_err(failed)? {
        ReaderQueryResultsParserOutput::Boolean(answer) => Ok(Results::Boolean(answer)),
        ReaderQueryResultsParserOutput::Solutions(solutions) => {
            let variables = solutions.variables().iter().map(|name| name.as_str().to_owned()).collect();
            let mut rows = Vec::new();
            for solution in solutions {
                let solution = solution.map_err(failed)?;
                rows.push(
                    solution
                        .values()
                        .iter()
                        .map(|term| cell(term, blank_prefix))
                        .collect::<Result<Vec<_>, _>>()?,
                );
            }
            Ok(Results::Solutions { variables, rows })
        }
    }
}

fn cell(term: &Option<Term>, blank_prefix: &str) -> Result<Value, ReadError> {
    let Some(term) = term else { return Ok(Value::Null) };
    value(term, blank_prefix).ok_or_else(|| ReadError::Syntax {
        line: None,
        column: None,
        reason: Refusal::TooDeep.to_string(),
    })
}

fn read_error(error: QueryResultsParseError, line: Option<u64>) -> ReadError {
    match error {
        QueryResultsParseError::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<Refusal>()) => {
            ReadError::Syntax { line, column: None, reason: error.to_string() }
        }
        QueryResultsParseError::Io(error) => ReadError::Io(error),
        QueryResultsParseError::Syntax(error) => {
            let place = error.location().map(|range| range.start);
            ReadError::Syntax {
                line: place.as_ref().map(|place| place.line + 1).or(line),
                column: place.as_ref().map(|place| place.column + 1),
                reason: error.to_string(),
            }
        }
    }
}

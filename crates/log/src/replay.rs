//! Contents of blocks in, declarations and whole transactions out, in order. A transaction is held back,
//! encoded, until its commit record is there.

use std::path::PathBuf;

use crate::block::{BlockHeader, GOES_ON, OPENED};
use crate::record::{self, Record, kind};
use crate::segment::path_of;
use crate::{Commit, Declaration, LogError, Operation, Position};

/// What is read from the log.
#[derive(Debug)]
pub enum Replayed<'a> {
    /// A name or a table.
    Declaration(Declaration<'a>, Place<'a>),
    /// What a transaction did.
    Transaction(Transaction<'a>),
    /// All commits up to this timestamp were given: the log says so, whose order need not be theirs.
    Certain(u64),
}

/// Where something was read: for errors.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    dir: &'a std::path::Path,
    /// The block in which it began.
    at: Position,
}

impl<'a> Place<'a> {
    /// In the block at `at` of the log in `dir`.
    pub fn new(dir: &'a std::path::Path, at: Position) -> Self {
        Self { dir, at }
    }

    /// The block in which it began.
    pub fn position(&self) -> Position {
        self.at
    }

    fn path(&self) -> PathBuf {
        path_of(self.dir, self.at.segment)
    }

    /// An error: what was read here makes no sense, such as a table that there is not.
    pub fn makes_no_sense(&self, what: impl Into<String>) -> LogError {
        LogError::meaningless(&self.path(), self.at.offset, what)
    }
}

/// A transaction that was committed.
#[derive(Clone, Copy, Debug)]
pub struct Transaction<'a> {
    /// Its end.
    pub commit: Commit,
    /// Where it began.
    pub place: Place<'a>,
    bytes: &'a [u8],
}

impl<'a> Transaction<'a> {
    /// One whose bytes were kept.
    pub fn new(commit: Commit, place: Place<'a>, bytes: &'a [u8]) -> Self {
        Self { commit, place, bytes }
    }

    /// Its operations as they stand in the log, for who keeps them to decode them later.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its operations, in order, decoded one by one.
    ///
    /// **Errors**: bytes that are no operation; nothing follows then.
    pub fn operations(&self) -> impl Iterator<Item = Result<Operation<'a>, LogError>> + use<'a> {
        let (mut rest, place) = (self.bytes, self.place);
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            Some(match record::decode(rest) {
                Ok((Record::Operation(operation), len)) => {
                    rest = &rest[len..];
                    Ok(operation)
                }
                other => {
                    rest = &[];
                    let what = other.err().map_or("a record that is no operation".into(), |e| e.to_string());
                    Err(place.makes_no_sense(what))
                }
            })
        })
    }
}

/// Takes what is read.
pub(crate) type Apply<'f> = dyn FnMut(Replayed<'_>) -> Result<(), LogError> + 'f;

/// What was read and is not whole yet.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    /// Records of the transaction that goes on, and the part of one that does.
    held: Vec<u8>,
    /// Whole records among it: how many, and their bytes.
    records: u64,
    framed: usize,
    /// The block in which it began.
    began: Position,
    /// How many transactions and declarations were read.
    pub(crate) transactions: u64,
    pub(crate) declarations: u64,
}

impl Assembler {
    /// Whether part of a transaction is held back.
    pub(crate) fn is_within(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes the content of the block at `at`.
    pub(crate) fn feed(
        &mut self,
        dir: &std::path::Path,
        at: Position,
        header: &BlockHeader,
        content: &[u8],
        apply: &mut Apply<'_>,
    ) -> Result<(), LogError> {
        let here = Place { dir, at };
        let goes_on = header.flags & GOES_ON != 0;
        if header.flags & OPENED != 0 && !goes_on {
            self.held.clear();
            (self.records, self.framed) = (0, 0);
        }
        if goes_on != self.is_within() && !content.is_empty() {
            let what =
                if goes_on { "no transaction to go on with" } else { "a transaction that does not go on" };
            return Err(here.makes_no_sense(what));
        }
        let mut held = std::mem::take(&mut self.held);
        let rest = if held.is_empty() {
            self.began = at;
            let start = self.read(here, content, apply)?;
            held.extend_from_slice(&content[start..]);
            held
        } else {
            held.extend_from_slice(content);
            let start = self.read(here, &held, apply)?;
            held.drain(..start);
            held
        };
        self.held = rest;
        Ok(())
    }

    /// Reads whole records of `bytes`; gives where the transaction begins that goes on.
    fn read(&mut self, here: Place<'_>, bytes: &[u8], apply: &mut Apply<'_>) -> Result<usize, LogError> {
        let (mut start, mut at) = (0, self.framed);
        let no_sense = |e: trimorph_vfs::CodecError| here.makes_no_sense(e.to_string());
        while let Some((kind, content, len)) = record::frame(&bytes[at..]).map_err(no_sense)? {
            let next = at + len;
            let place = Place { dir: here.dir, at: self.began };
            match kind {
                kind::NAME | kind::NODE_TABLE | kind::EDGE_TABLE | kind::COLUMN if self.records == 0 => {
                    if let Record::Declaration(declaration) =
                        record::decode_content(kind, content).map_err(no_sense)?
                    {
                        self.declarations += 1;
                        apply(Replayed::Declaration(declaration, place))?;
                    }
                    (start, self.began) = (next, here.at);
                }
                kind::COMMIT => {
                    let record = record::decode_content(kind, content).map_err(no_sense)?;
                    match record {
                        Record::Commit(commit, records) if records == self.records => {
                            self.transactions += 1;
                            let bytes = &bytes[start..at];
                            apply(Replayed::Transaction(Transaction { commit, place, bytes }))?;
                        }
                        _ => return Err(here.makes_no_sense("a commit of another number of records")),
                    }
                    (start, self.records, self.began) = (next, 0, here.at);
                }
                kind::NODES..=kind::EDGE_VALUES | kind::LOAD | kind::DEFINED | kind::DROPPED => {
                    self.records += 1
                }
                _ => return Err(here.makes_no_sense(format!("a record of kind {kind}"))),
            }
            at = next;
        }
        self.framed = at - start;
        Ok(start)
    }
}

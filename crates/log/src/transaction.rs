//! Operations in, the bytes of a whole transaction out; declarations likewise. So nothing half can be given
//! to the log.

use crate::record::{RecordError, put_commit, put_declaration, put_operation};
use crate::{Commit, Declaration, Operation};

/// The operations of a transaction that is not committed yet, as bytes.
#[derive(Debug, Default)]
pub struct TransactionWriter {
    bytes: Vec<u8>,
    records: u64,
}

/// How much a transaction had done at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogMark {
    len: usize,
    records: u64,
}

/// The records of a transaction with its commit record at the end.
#[derive(Clone, Debug)]
pub struct TransactionBytes {
    bytes: Vec<u8>,
    timestamp: u64,
}

/// Records of declarations.
#[derive(Clone, Debug, Default)]
pub struct DeclarationBytes(Vec<u8>);

impl TransactionWriter {
    /// Nothing was done yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an operation. **Cost**: one pass over its values.
    ///
    /// **Errors**: a batch that is not what [`Operation`] says; nothing is appended then.
    pub fn push(&mut self, operation: &Operation<'_>) -> Result<(), RecordError> {
        put_operation(&mut self.bytes, operation)?;
        self.records += 1;
        Ok(())
    }

    /// What was done until now, for [`Self::undo_to`].
    pub fn mark(&self) -> LogMark {
        LogMark { len: self.bytes.len(), records: self.records }
    }

    /// Takes back what was done since.
    pub fn undo_to(&mut self, LogMark { len, records }: LogMark) {
        if len <= self.bytes.len() {
            self.bytes.truncate(len);
            self.records = records;
        }
    }

    /// Whether nothing was done yet.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Bytes so far: what a transaction is charged for.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Ends the transaction.
    pub fn commit(mut self, commit: &Commit) -> TransactionBytes {
        put_commit(&mut self.bytes, commit, self.records);
        TransactionBytes { bytes: self.bytes, timestamp: commit.timestamp }
    }
}

impl TransactionBytes {
    /// The records, one after the other.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// When it commits.
    pub(crate) fn timestamp(&self) -> u64 {
        self.timestamp
    }
}

impl DeclarationBytes {
    /// Appends a declaration.
    pub fn push(&mut self, declaration: &Declaration<'_>) {
        put_declaration(&mut self.0, declaration);
    }

    /// The records, one after the other.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

//! Stands for Parquet in a build without it: says so, and has no files.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::LoadError;
use crate::pipeline::{Parsed, Work};
use crate::plan::{Parse, TablePlan};

/// A Parquet file, of which there are none.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) never: Infallible,
}

impl ParquetFile {
    pub(crate) fn open(
        path: &Path,
        _: &dyn Fn(&str) -> bool,
    ) -> Result<(Self, Vec<String>, Vec<Parse>), LoadError> {
        let error = LoadError::format(path, "this build of Trimorph reads no Parquet");
        Err(error.hint("build it with the feature \"parquet\", or give CSV"))
    }

    pub(crate) fn distinct_values(&self, _: usize, _: &dyn Fn() -> bool) -> Result<Vec<String>, LoadError> {
        match self.never {}
    }

    pub(crate) fn bytes_total(&self) -> u64 {
        match self.never {}
    }

    pub(crate) fn group_bytes(&self, _: usize) -> Option<(u64, usize)> {
        match self.never {}
    }
}

/// A row group, of which there are none.
pub(crate) struct ParquetWork(Infallible);

impl ParquetWork {
    pub(crate) fn new(file: &ParquetFile, _: u32, _: usize) -> Self {
        match file.never {}
    }
}

impl Work for ParquetWork {
    fn run(self: Box<Self>) -> Parsed {
        match self.0 {}
    }
}

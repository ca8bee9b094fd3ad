//! `COPY … FROM`: what to write instead, where files are loaded by a call of its own.

use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind};

use crate::copy_statement::From;
use crate::params::Params;
use crate::{Connection, Error, QueryResult};

impl Connection {
    pub(super) fn copy_from(
        &self,
        text: &str,
        from: &From,
        _params: &Arc<Params>,
        _cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        self.may_access_files(text, from.target.span())?;
        let primary = format!("COPY \"{}\" FROM is not supported: a load is no statement", from.name);
        let error = Diagnostic::compile(ErrorKind::Unsupported, "CopyFrom", primary).at(from.name_span);
        Err(Error::query(
            error.hint("load files by trimorph load, :load in the shell, db.load in Python"),
            text,
        ))
    }
}

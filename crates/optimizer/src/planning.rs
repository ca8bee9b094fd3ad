//! What passes work with, and how they stop.

use trimorph_algebra::Vars;
use trimorph_base::{CancelToken, Diagnostic};
use trimorph_catalog::CatalogView;

use crate::samples::Samples;
use crate::selectivity::Statistics;
use crate::{Options, VarSet};

/// Why planning stopped; boxed because it is rare and large.
pub(crate) type Halt = Box<Diagnostic>;

/// What passes work with.
pub(crate) struct Planning<'a> {
    pub(crate) catalog: &'a CatalogView<'a>,
    pub(crate) samples: &'a Samples<'a>,
    pub(crate) options: Options,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) vars: &'a mut Vars,
    /// The variables of the result.
    pub(crate) needed: VarSet,
}

impl<'a> Planning<'a> {
    pub(crate) fn statistics(&self) -> Statistics<'a> {
        Statistics { catalog: self.catalog, samples: self.samples }
    }

    /// Stops planning if somebody asked.
    pub(crate) fn poll(&self) -> Result<(), Halt> {
        poll(self.cancel)
    }
}

/// Stops planning if somebody asked.
pub(crate) fn poll(cancel: &CancelToken) -> Result<(), Halt> {
    if cancel.is_cancelled() { Err(Diagnostic::cancelled()) } else { Ok(()) }
}

//! What commands and the shell take of SPARQL and RDF: the engine's, or in a build without the feature `rdf`
//! what says that it is not there.

#[cfg(not(feature = "rdf"))]
mod absent;
#[cfg(feature = "rdf")]
mod present;

#[cfg(not(feature = "rdf"))]
pub(crate) use absent::*;
#[cfg(feature = "rdf")]
pub(crate) use present::*;

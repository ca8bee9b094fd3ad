//! Kernels of functions over typed vectors, a family a file: typed vectors in, a typed vector out, `None`
//! where the types or an error ask for the general path.

pub(crate) mod between;
mod calendar;
pub(crate) mod component;
pub(crate) mod construct;
pub(crate) mod conversion;
pub(crate) mod extremes;
pub(crate) mod graph;
pub(crate) mod lists;
pub(crate) mod maps;
pub(crate) mod math;
pub(crate) mod nearness;
pub(crate) mod predicate;
pub(crate) mod read;
pub(crate) mod texts;
pub(crate) mod truncate;
pub(crate) mod written;
mod zones;

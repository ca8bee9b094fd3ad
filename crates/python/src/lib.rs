//! Python bindings: Python calls in, engine calls with the GIL released, Python objects out.
//!
//! Data's way through the files: `database`, `connection` and `transaction` (verbs) over `execute`,
//! `handle` and `cell` (what is open) · `from_python` (parameters in) and `columns` (those that are
//! frames) · `interrupt` (Ctrl-C while the GIL is released) · `result` (rows out, lazily) and `arrow`
//! (columns) over `shared` (what computes them) · `to_python`, `entity`, `temporal`, `native`, `rdf`
//! (values) · `text` and `shown` (values as text) · `error`, `notice`; `load` of files and of `frames`,
//! which come by `arrow_in`; `forks` of the process.
//!
//! Invariants: nothing waits for a lock with the GIL held (a waiting thread detaches first), and nothing of
//! the engine that may take longer than a look-up runs with it held.
#![deny(unsafe_code)]

mod arrow;
mod arrow_in;
mod cell;
mod collector;
mod columns;
mod connection;
mod database;
mod entity;
mod entity_methods;
mod error;
mod execute;
mod forks;
mod frames;
mod from_python;
mod function;
mod handle;
mod interrupt;
mod load;
mod native;
mod notice;
mod rdf;
mod result;
mod shared;
mod shown;
mod temporal;
mod text;
mod to_python;
mod transaction;

use pyo3::prelude::*;

#[cfg(not(feature = "system-allocator"))]
#[global_allocator]
static ALLOCATOR: trimorph_allocator::Allocator = trimorph_allocator::Allocator;

#[pymodule]
fn _trimorph(m: &Bound<'_, PyModule>) -> PyResult<()> {
    trimorph_allocator::keep_freed_memory();
    trimorph::on_spare_memory(trimorph_allocator::give_back);
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<handle::Database>()?;
    m.add_class::<connection::Connection>()?;
    m.add_class::<connection::Prepared>()?;
    m.add_class::<transaction::Transaction>()?;
    m.add_class::<result::QueryResult>()?;
    m.add_class::<result::QueryStats>()?;
    m.add_class::<notice::Notice>()?;
    m.add_class::<load::LoadProgress>()?;
    m.add_class::<load::LoadReport>()?;
    m.add_class::<entity::Node>()?;
    m.add_class::<entity::Relationship>()?;
    m.add_class::<entity::Path>()?;
    m.add_class::<temporal::Date>()?;
    m.add_class::<temporal::LocalTime>()?;
    m.add_class::<temporal::Time>()?;
    m.add_class::<temporal::LocalDateTime>()?;
    m.add_class::<temporal::DateTime>()?;
    m.add_class::<temporal::Duration>()?;
    m.add_class::<rdf::Iri>()?;
    m.add_class::<rdf::BlankNode>()?;
    m.add_class::<rdf::RdfLiteral>()?;
    error::add_to(m)?;
    forks::register(m)?;
    m.add_function(wrap_pyfunction!(database::connect, m)?)?;
    m.add_function(wrap_pyfunction!(load::guess_mapping, m)?)?;
    m.add_function(wrap_pyfunction!(text::format_value, m)?)?;
    m.add_function(wrap_pyfunction!(text::format_literal, m)?)?;
    m.add_function(wrap_pyfunction!(text::text_width, m)?)?;
    Ok(())
}

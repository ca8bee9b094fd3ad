//! The words every other crate speaks: ids, spans, diagnostics, memory budget, cancellation.
//!
//! Nothing here knows a value, a vector or a file; everything may use it.
#![deny(unsafe_code)]

mod arity;
mod budget;
mod cancel;
mod diagnostic;
mod edge_places;
pub mod forks;
mod ids;
mod leftover;
mod notice;
mod process;
mod processor;
mod random;
mod small_map;
mod spare_memory;
mod stack;
mod suggest;
mod thread_time;
mod workers;

pub use arity::arguments_in_words;
pub use budget::{MemoryBudget, OverBudget, Reclaim, Reservation};
pub use cancel::CancelToken;
pub use diagnostic::{Diagnostic, ErrorKind, Phase, Span, Stop};
pub use edge_places::{EdgePlaces, OverflowPage, PAGE_ROWS};
pub use ids::{EdgeId, EdgeTableId, IdKind, LabelId, NodeId, PropertyId, TableId, TypeId};
pub use leftover::free_elsewhere;
pub use notice::Notice;
pub use process::Process;
pub use processor::counting_bits;
pub use random::Random;
pub use small_map::SmallMap;
pub use spare_memory::{much_was_freed, on_spare_memory, return_spare_memory};
pub use stack::on_stack_of;
pub use suggest::nearest;
pub use thread_time::ThreadTime;
pub use workers::{Opening, Workers};

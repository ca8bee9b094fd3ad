//! The one integration binary: many test binaries would cost several times the link time.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod access;
mod deep_walks;
mod differential;
mod fuzz;
mod grouping;
mod large_queries;
mod load_fuzz;
mod long_trails;
mod notices;
mod plans;
mod procedures;
mod products;
mod shared;
mod shortest_ends;
mod snb_bi;
mod tall_plans;
mod value_limits;

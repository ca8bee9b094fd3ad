//! The one integration binary: many test binaries would cost several times the link time.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod access;
mod ask;
mod budgets;
mod counts;
mod deep_walks;
mod differential;
mod estimates;
mod first_touch;
mod foreign_entities;
mod fuzz;
mod grouping;
mod large_queries;
mod led_scans;
mod load_fuzz;
mod long_trails;
mod neighbours;
mod notices;
mod physical;
mod plans;
mod procedures;
mod products;
mod shared;
mod shared_expressions;
mod shortest_ends;
mod snb_bi;
mod spill;
mod subplans;
mod tall_plans;
mod threads;
mod told_apart;
mod unwind_lists;
mod value_joins;
mod value_limits;
mod walks;
mod wrong_types;

//! Tests of the passes on small plans, each by itself, and of what runs them.

mod broken_facts;
mod checking;
mod conditions;
mod estimates;
mod passes;
mod running;
mod small;
mod walks;

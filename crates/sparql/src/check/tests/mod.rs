//! What is said about wrong texts, and that right ones are taken.

mod errors;
mod mutations;
mod repairs;
mod standard;

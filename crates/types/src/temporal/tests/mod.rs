//! Tests of the temporal types. The tables of the specification run in `functions`, through the functions'
//! own names.

mod calendar;
mod extremes;
mod text;
mod zones;

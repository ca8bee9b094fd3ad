//! shell
use crate::failure::Failure;
use crate::terminal::Terminal;
#[derive(clap::Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_: &Arguments, _: &Terminal) -> Result<(), Failure> { Ok(()) }

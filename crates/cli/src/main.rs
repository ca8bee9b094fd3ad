//! The command line: `trimorph`, one binary with subcommands, one file each below `commands`.
#![forbid(unsafe_code)]

mod answer;
mod commands;
mod database;
mod failure;
mod interrupt;
mod language;
mod output;
mod params;
mod progress;
mod shell;
mod terminal;
mod text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::terminal::{ColorChoice, Terminal};

#[global_allocator]
static ALLOCATOR: trimorph_allocator::Allocator = trimorph_allocator::Allocator;

const EXAMPLES: &str = "Examples:
  trimorph demo
  trimorph load social.tm data/social-network/
  trimorph query social.tm 'MATCH (p:Person) RETURN p.firstName, count(*)'
  trimorph shell social.tm

DB is a directory, or :memory: for an empty database that is forgotten at the end.";

/// One graph, three forms: an embeddable graph database that keeps its data in compressed columns
#[derive(Parser)]
#[command(name = "trimorph", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = EXAMPLES)]
struct Cli {
    /// Colours: by default on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN", display_order = 900)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Arguments),
    Load(commands::load::Arguments),
    Export(commands::export::Arguments),
    Query(commands::query::Arguments),
    Shell(shell::Arguments),
    Stats(commands::stats::Arguments),
    Check(commands::check::Arguments),
    Generate(commands::generate::Arguments),
    Bench(commands::bench::Arguments),
}

fn main() -> ExitCode {
    trimorph_allocator::keep_freed_memory();
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.color);
    let done = match cli.command {
        Command::Demo(arguments) => commands::demo::run(&arguments, &terminal),
        Command::Load(arguments) => commands::load::run(&arguments, &terminal),
        Command::Export(arguments) => commands::export::run(&arguments, &terminal),
        Command::Query(arguments) => commands::query::run(&arguments, &terminal),
        Command::Shell(arguments) => shell::run(&arguments, &terminal),
        Command::Stats(arguments) => commands::stats::run(&arguments, &terminal),
        Command::Check(arguments) => commands::check::run(&arguments, &terminal),
        Command::Generate(arguments) => commands::generate::run(&arguments, &terminal),
        Command::Bench(arguments) => commands::bench::run(&arguments, &terminal),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(&terminal),
    }
}

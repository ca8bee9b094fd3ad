//! The command line: `trimorph`, one binary with subcommands, one file each below `commands`.
#![forbid(unsafe_code)]

mod answer;
mod commands;
mod database;
mod failure;
mod interrupt;
mod language;
mod output;
mod pager;
mod params;
mod progress;
mod rdf;
mod shell;
mod terminal;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::failure::Failure;
use crate::terminal::{ColorChoice, Terminal};

#[global_allocator]
static ALLOCATOR: trimorph_allocator::Allocator = trimorph_allocator::Allocator;

const EXAMPLES: &str = "Examples:
  trimorph demo
  trimorph load social.tm data/social-network/
  trimorph query social.tm 'MATCH (p:Person) RETURN p.firstName, count(*)'
  trimorph social.tm
  trimorph social.tm 'MATCH (n) RETURN count(*)'

Without a command the shell is started, on DB or in memory.
DB is a directory, or :memory: for an empty database that is forgotten at the end.";

/// One graph, three forms: an embeddable graph database that keeps its data in compressed columns
#[derive(Parser)]
#[command(name = "trimorph", version, propagate_version = true, args_conflicts_with_subcommands = true)]
#[command(after_help = EXAMPLES)]
struct Cli {
    /// Colours: by default on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN", display_order = 900)]
    color: ColorChoice,
    /// Directory of the database, made if it does not exist; or :memory:, which is the default
    db: Option<PathBuf>,
    #[command(flatten)]
    shell: shell::Arguments,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Arguments),
    Load(commands::load::Arguments),
    Map(commands::map::Arguments),
    #[cfg(feature = "rdf")]
    Export(commands::export::Arguments),
    Query(commands::query::Arguments),
    Shell(shell::ShellArguments),
    Stats(commands::stats::Arguments),
    Check(commands::check::Arguments),
    Generate(commands::generate::Arguments),
    Bench(commands::bench::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

fn main() -> ExitCode {
    trimorph_allocator::keep_freed_memory();
    trimorph::on_spare_memory(trimorph_allocator::give_back);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    let terminal = Terminal::new(cli.color);
    let Some(command) = cli.command else {
        let db = cli.db.unwrap_or_else(|| PathBuf::from(":memory:"));
        return told(
            commands::or_a_typo(&db, &Cli::command()).and_then(|()| shell::run(&db, &cli.shell, &terminal)),
            &terminal,
        );
    };
    let done = match command {
        Command::Demo(arguments) => commands::demo::run(&arguments, &terminal),
        Command::Load(arguments) => commands::load::run(&arguments, &terminal),
        Command::Map(arguments) => commands::map::run(&arguments, &terminal),
        #[cfg(feature = "rdf")]
        Command::Export(arguments) => commands::export::run(&arguments, &terminal),
        Command::Query(arguments) => commands::query::run(&arguments, &terminal),
        Command::Shell(arguments) => shell::run_shell(&arguments, &terminal),
        Command::Stats(arguments) => commands::stats::run(&arguments, &terminal),
        Command::Check(arguments) => commands::check::run(&arguments, &terminal),
        Command::Generate(arguments) => commands::generate::run(&arguments, &terminal),
        Command::Bench(arguments) => commands::bench::run(&arguments, &terminal),
        Command::Completions(arguments) => commands::completions::run(&arguments, Cli::command()),
        Command::Man(arguments) => commands::man::run(&arguments, Cli::command()),
    };
    told(done, &terminal)
}

/// Says what is wrong with the arguments; where the first is almost a command, that rather than what clap
/// makes of what follows it.
fn refused(error: &clap::Error) -> ExitCode {
    if error.kind() == clap::error::ErrorKind::ArgumentConflict
        && let Some(first) = std::env::args_os().nth(1)
        && let Err(failure) = commands::or_a_typo(Path::new(&first), &Cli::command())
    {
        return failure.report(&Terminal::new(ColorChoice::Auto));
    }
    error.exit()
}

fn told(done: Result<(), Failure>, terminal: &Terminal) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(terminal),
    }
}

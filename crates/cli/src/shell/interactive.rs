//! The shell on a terminal: an editor with history, completion and colours.

use std::io::{BufWriter, Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, DefaultHinter, EditCommand, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder as _, Reedline, ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};

use super::complete::Words;
use super::edit::{Colors, Complete, ShellPrompt};
use super::session::{Next, Session};
use crate::failure::Failure;
use crate::language::Language;
use crate::text::quantity;

/// Statements kept between sessions.
const HISTORY_MAX: usize = 10_000;

const MENU: &str = "completion";

/// Runs the shell.
pub(super) fn run(session: &mut Session, path: &Path, is_read_only: bool) -> Result<(), Failure> {
    greet(session, path, is_read_only)?;
    let is_sparql = Arc::new(AtomicBool::new(false));
    let mut editor = editor(session, &is_sparql);
    loop {
        is_sparql.store(session.asking.language == Language::Sparql, Ordering::Relaxed);
        match editor.read_line(&ShellPrompt) {
            Ok(Signal::Success(text)) => {
                if text.trim().is_empty() {
                    continue;
                }
                let mut out = BufWriter::new(stdout());
                let next = session.take(&text, &mut out);
                // If stdout is gone there is nobody to tell.
                let _ = out.flush();
                match next {
                    Ok(Next::Continue) => {}
                    Ok(Next::Quit) | Err(Failure::NoReader) => return Ok(()),
                    Err(failure) => _ = failure.write(&mut stderr().lock(), &session.terminal),
                }
            }
            Ok(Signal::CtrlD) => return Ok(()),
            Ok(_) => {}
            Err(e) => return Err(Failure::message(format!("the terminal cannot be read: {e}"))),
        }
    }
}

fn greet(session: &Session, path: &Path, is_read_only: bool) -> Result<(), Failure> {
    let stats = session.database.stats();
    let paint = session.terminal.out;
    let mut out = stdout().lock();
    let holds = match stats.nodes() {
        0 => "empty".to_owned(),
        nodes => format!(
            "{}, {}",
            quantity::plural(nodes, "node", "nodes"),
            quantity::plural(stats.edges(), "relationship", "relationships")
        ),
    };
    let mode = if is_read_only { ", read-only: what another process commits is followed" } else { "" };
    let version = paint.bold(format!("Trimorph {}", env!("CARGO_PKG_VERSION")));
    writeln!(out, "{version}  {} {}", path.display(), paint.dim(format!("({holds}{mode})")))?;
    writeln!(out, "{}", paint.dim("openCypher, ended by a semicolon or an empty line; :help for commands"))?;
    Ok(())
}

fn editor(session: &Session, is_sparql: &Arc<AtomicBool>) -> Reedline {
    let mut keys = default_emacs_keybindings();
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]),
    );
    keys.add_binding(
        KeyModifiers::ALT,
        KeyCode::Enter,
        ReedlineEvent::Edit(vec![EditCommand::InsertNewline]),
    );
    let menu = ColumnarMenu::default().with_name(MENU).with_marker("> ");
    let colors = session.terminal.out.on;
    let mut editor = Reedline::create()
        .with_completer(Box::new(Words::new(&session.database.stats(), Arc::clone(is_sparql))))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_validator(Box::new(Complete))
        .use_bracketed_paste(true)
        .with_ansi_colors(colors);
    if colors {
        let hint = Style::new().fg(Color::DarkGray);
        editor = editor
            .with_highlighter(Box::new(Colors))
            .with_hinter(Box::new(DefaultHinter::default().with_style(hint)));
    }
    // A history that cannot be kept is no reason not to start.
    match history_path().map(|path| FileBackedHistory::with_file(HISTORY_MAX, path)) {
        Some(Ok(history)) => editor.with_history(Box::new(history)),
        _ => editor,
    }
}

/// `$TRIMORPH_HISTORY`, or `trimorph/history` in the directory for state.
fn history_path() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    variable("TRIMORPH_HISTORY").or_else(|| {
        let state =
            variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
        state.map(|dir| dir.join("trimorph").join("history"))
    })
}

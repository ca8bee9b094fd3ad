//! The shell on a terminal: an editor with history, completion and colours.

use std::io::{Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, EditCommand, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder as _, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};

use super::complete::Words;
use super::edit::{Colors, Complete, ShellPrompt};
use super::hint::Hints;
use super::known::Known;
use super::session::{Next, Session};
use crate::answer::write_notices;
use crate::failure::Failure;
use crate::interrupt::stay_when_idle;
use crate::language::Language;
use crate::pager::Screen;

/// Statements kept between sessions.
const HISTORY_MAX: usize = 10_000;

const MENU: &str = "completion";

/// Runs the shell.
pub(super) fn run(session: &mut Session) -> Result<(), Failure> {
    greet(session)?;
    session.is_interactive = true;
    stay_when_idle();
    session.history = history_path().map(|path| read_history(&path)).unwrap_or_default();
    let known = Arc::new(Mutex::new(Known::default()));
    let mut editor = editor(session, &known);
    loop {
        refresh(session, &known);
        match editor.read_line(&ShellPrompt(session.prompt.clone())) {
            Ok(Signal::Success(text)) => {
                if text.trim().is_empty() {
                    continue;
                }
                session.history.push(text.clone());
                let mut screen = Screen::new(&session.pager, session.terminal.height());
                let next = session.take(&text, None, &mut screen);
                let is_left = screen.finish();
                write_notices(&std::mem::take(&mut session.notices));
                match next {
                    Ok(Next::Continue) => {}
                    Ok(Next::Quit) => return Ok(()),
                    // Who leaves the pager has seen enough.
                    Err(Failure::NoReader) if is_left => {}
                    Err(Failure::NoReader) => return Ok(()),
                    Err(failure) => _ = failure.write(&mut stderr().lock(), &session.terminal),
                }
            }
            Ok(Signal::CtrlD) => return Ok(()),
            Ok(_) => {}
            Err(e) => return Err(Failure::message(format!("the terminal cannot be read: {e}"))),
        }
    }
}

/// Looks for new names, where there may be some.
fn refresh(session: &mut Session, known: &Mutex<Known>) {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut session.is_schema_old) {
        *known = Known::of(&session.place.database.stats());
    }
    known.is_sparql = session.asking.language == Language::Sparql;
    known.parameters = session.asking.params.keys().map(ToString::to_string).collect();
}

fn greet(session: &Session) -> Result<(), Failure> {
    let paint = session.terminal.out;
    let mut out = stdout().lock();
    let version = paint.bold(format!("Trimorph {}", env!("CARGO_PKG_VERSION")));
    let path = session.place.path.display();
    writeln!(out, "{version}  {path} {}", paint.dim(session.place.holds()))?;
    if crate::database::is_memory(&session.place.path) {
        writeln!(out, "{}", paint.dim("in memory: forgotten at the end; :open DB for one that stays"))?;
    }
    writeln!(out, "{}", paint.dim("openCypher, ended by a semicolon or an empty line; :help for commands"))?;
    Ok(())
}

fn editor(session: &Session, known: &Arc<Mutex<Known>>) -> Reedline {
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
        .with_completer(Box::new(Words::new(Arc::clone(known))))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_validator(Box::new(Complete))
        .use_bracketed_paste(true)
        .with_ansi_colors(colors);
    if colors {
        let hints = Hints::new(Style::new().fg(Color::DarkGray));
        editor = editor.with_highlighter(Box::new(Colors)).with_hinter(Box::new(hints));
    }
    // A history that cannot be kept is no reason not to start.
    match history_path().map(|path| FileBackedHistory::with_file(HISTORY_MAX, path)) {
        Some(Ok(history)) => editor.with_history(Box::new(history)),
        _ => editor,
    }
}

/// What was typed in before.
fn read_history(path: &Path) -> Vec<String> {
    // Within a statement the editor writes line ends so.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| line.replace("<\\n>", "\n")).collect()
}

/// `$TRIMORPH_HISTORY`, or `trimorph/history` in the directory for state.
fn history_path() -> Option<PathBuf> {
    variable("TRIMORPH_HISTORY").or_else(|| {
        let state =
            variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
        state.map(|dir| dir.join("trimorph").join("history"))
    })
}

/// `$TRIMORPH_RC`, or `trimorph/rc` in the directory for configuration.
pub(super) fn rc_path() -> Option<PathBuf> {
    variable("TRIMORPH_RC").or_else(|| {
        let config =
            variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
        config.map(|dir| dir.join("trimorph").join("rc"))
    })
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

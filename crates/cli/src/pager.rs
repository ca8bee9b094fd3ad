//! Answers on a terminal: what is taller than the screen goes through a pager, the rest straight out.
//!
//! Text is held until it ends (`flush`) or has more lines than the screen; then the pager is started and gets
//! what there is and what comes, as it comes. Who leaves the pager early ends the answer.

use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::process::{Child, Command, Stdio};

use crate::interrupt::{Held, hold_interrupts};

/// Options of `less`, unless `$LESS` has some: leave colours and the screen as they are, cut long lines.
const LESS: &str = "FRSX";

/// Bytes held at most before a pager is asked for, however few lines they have.
const HELD_MAX: usize = 1 << 20;

/// When answers go through a pager.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pager {
    /// Never.
    Off,
    /// When they are taller than the screen, through `$TRIMORPH_PAGER`, `$PAGER` or `less`.
    On,
    /// When they are taller than the screen, through this.
    Command(String),
}

impl Pager {
    /// The name of the setting.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "on" => Self::On,
            "off" => Self::Off,
            command => Self::Command(command.to_owned()),
        }
    }

    /// What [`Self::parse`] reads.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Command(command) => command,
        }
    }

    fn command(&self) -> Option<OsString> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        match self {
            Self::Off => None,
            Self::On => {
                Some(variable("TRIMORPH_PAGER").or_else(|| variable("PAGER")).unwrap_or("less".into()))
            }
            Self::Command(command) => Some(command.into()),
        }
    }
}

/// Where the answers of one input go.
pub(crate) struct Screen {
    command: Option<OsString>,
    /// Lines that need no pager.
    height: usize,
    held: Vec<u8>,
    lines: usize,
    pager: Option<(Child, Held)>,
    /// Whether there was a pager, and nobody reads it any more.
    is_left: bool,
}

impl Screen {
    /// A screen with so many lines; without a number everything goes straight out.
    pub(crate) fn new(pager: &Pager, height: Option<usize>) -> Self {
        let command = height.and_then(|_| pager.command());
        Self { command, height: height.unwrap_or(0), held: Vec::new(), lines: 0, pager: None, is_left: false }
    }

    /// Writes what is held and waits until the pager is left. Gives whether it was left before the end.
    pub(crate) fn finish(mut self) -> bool {
        // If nobody reads any more there is nobody to tell.
        let _ = self.flush();
        if let Some((mut child, _guard)) = self.pager.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
        self.is_left
    }

    /// Starts the pager, if there is one that can be started.
    fn start(&mut self) {
        let Some(command) = self.command.take() else { return };
        let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
        shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            shell.env("LESS", LESS);
        }
        if let Ok(child) = shell.spawn() {
            // Ctrl-C is the pager's.
            self.pager = Some((child, hold_interrupts()));
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.lines = 0;
        let written = match &mut self.pager {
            Some((child, _)) => match &mut child.stdin {
                Some(stdin) => stdin.write_all(&held).and_then(|()| stdin.flush()),
                None => Ok(()),
            },
            None => stdout().write_all(&held).and_then(|()| stdout().flush()),
        };
        if let Err(error) = &written
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            self.is_left = self.pager.is_some();
        }
        written
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        self.lines += bytes.iter().filter(|b| **b == b'\n').count();
        if self.pager.is_none() && self.command.is_some() {
            if self.lines < self.height && self.held.len() < HELD_MAX {
                return Ok(bytes.len());
            }
            self.start();
        }
        // Not each line by itself.
        if self.held.len() >= 1 << 13 {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()
    }
}

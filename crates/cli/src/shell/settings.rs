//! Settings: a table of names, values and what they do, which `:set`, `:NAME VALUE`, `:help` and completion
//! read.

use std::io::Write;
use std::sync::Arc;

use clap::ValueEnum as _;

use super::session::{Extent, Session};
use crate::failure::Failure;
use crate::language::Language;
use crate::output::Format;
use crate::pager::Pager;
use crate::terminal::Terminal;
use crate::text::columns::{Align, align};
use crate::text::near::nearest;

/// A setting.
pub(super) struct Setting {
    /// Its name.
    pub(super) name: &'static str,
    /// What may be written behind it.
    pub(super) values: &'static str,
    /// What it does.
    pub(super) does: &'static str,
    /// What it is now.
    get: fn(&Session) -> String,
    /// Changes it; an error is what to write instead.
    set: fn(&mut Session, &str) -> Result<(), Failure>,
}

const SWITCH: &str = "on|off";

/// All of them.
pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "mode",
        values: "MODE",
        does: "how answers look; :help mode lists the modes",
        get: |s| s.asking.format.name(),
        set: set_mode,
    },
    Setting {
        name: "rows",
        values: "N|auto",
        does: "rows of a table that are shown, from its begin and its end; 0 for all",
        get: |s| extent(s.rows),
        set: |s, value| set_extent(&mut s.rows, "rows", value),
    },
    Setting {
        name: "width",
        values: "N|auto",
        does: "columns that a table may take; 0 for any number",
        get: |s| extent(s.width),
        set: |s, value| set_extent(&mut s.width, "width", value),
    },
    Setting {
        name: "columntypes",
        values: SWITCH,
        does: "whether the head of a table says the types",
        get: |s| switch(s.asking.limits.types),
        set: |s, value| set_switch(&mut s.asking.limits.types, "columntypes", value),
    },
    Setting {
        name: "null",
        values: "TEXT",
        does: "what stands for null; '' for what the mode has by itself",
        get: |s| s.asking.limits.null.as_deref().unwrap_or("''").to_owned(),
        set: |s, value| {
            let value = unquoted(value);
            s.asking.limits.null = (!value.is_empty()).then(|| Arc::from(value));
            Ok(())
        },
    },
    Setting {
        name: "timer",
        values: SWITCH,
        does: "whether times are shown",
        get: |s| switch(s.asking.timer),
        set: |s, value| set_switch(&mut s.asking.timer, "timer", value),
    },
    Setting {
        name: "pager",
        values: "on|off|COMMAND",
        does: "what tall answers go through; on: $TRIMORPH_PAGER, $PAGER or less",
        get: |s| s.pager.name().to_owned(),
        set: |s, value| {
            s.pager = Pager::parse(unquoted(value));
            Ok(())
        },
    },
    Setting {
        name: "lang",
        values: "cypher|sparql",
        does: "language of the statements",
        get: |s| s.asking.language.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned()),
        set: set_language,
    },
    Setting {
        name: "prompt",
        values: "TEXT",
        does: "what stands before what is typed in",
        get: |s| format!("'{}'", s.prompt),
        set: |s, value| {
            unquoted(value).clone_into(&mut s.prompt);
            Ok(())
        },
    },
    Setting {
        name: "echo",
        values: SWITCH,
        does: "whether statements are shown before their answers",
        get: |s| switch(s.echo),
        set: |s, value| set_switch(&mut s.echo, "echo", value),
    },
    Setting {
        name: "bail",
        values: SWITCH,
        does: "whether the first error ends what comes from a file or a pipe",
        get: |s| switch(s.bail),
        set: |s, value| set_switch(&mut s.bail, "bail", value),
    },
];

impl Setting {
    /// Values that may be completed.
    pub(super) fn choices(&self) -> Vec<String> {
        match self.name {
            "mode" => Format::value_variants().iter().filter(|f| !f.is_binary()).map(|f| f.name()).collect(),
            _ => {
                let words = self.values.split('|').filter(|v| v.chars().all(|c| c.is_ascii_lowercase()));
                words.map(str::to_owned).collect()
            }
        }
    }
}

/// The setting of a name, or of another name that people know it by.
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    let name = match name {
        "maxrows" => "rows",
        "nullvalue" => "null",
        "format" => "mode",
        "maxwidth" => "width",
        other => other,
    };
    SETTINGS.iter().find(|s| s.name.eq_ignore_ascii_case(name))
}

/// `:set`, `:set NAME`, `:set NAME VALUE`, also with `=` between.
pub(super) fn run(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if argument.is_empty() {
        return list(session, &session.terminal.clone(), out);
    }
    let (name, value) =
        argument.split_once(|c: char| c.is_whitespace() || c == '=').unwrap_or((argument, ""));
    let value = value.trim_start().trim_start_matches('=').trim();
    match find(name) {
        Some(setting) => one(session, setting, value, out),
        None => {
            let near = nearest(name, SETTINGS.iter().map(|s| s.name));
            let near = near.map_or(String::new(), |n| format!("; did you mean \"{n}\"?"));
            Err(Failure::message(format!("there is no setting \"{name}\"{near} (:set lists all)")))
        }
    }
}

/// Shows or changes one setting.
pub(super) fn one(
    session: &mut Session,
    setting: &Setting,
    value: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if value.is_empty() {
        writeln!(out, "{}", (setting.get)(session))?;
        return Ok(());
    }
    (setting.set)(session, value)
}

fn list(session: &Session, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Failure> {
    let rows = SETTINGS
        .iter()
        .map(|s| vec![terminal.out.bold(s.name), (s.get)(session), terminal.out.dim(s.values)]);
    let rows: Vec<Vec<String>> = rows.collect();
    out.write_all(align(&rows, &[Align::Left; 3], 2).as_bytes())?;
    Ok(())
}

fn switch(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn set_switch(to: &mut bool, name: &str, value: &str) -> Result<(), Failure> {
    *to = match value.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => true,
        "off" | "false" | "no" | "0" => false,
        _ => return Err(Failure::message(format!("write :{name} on or :{name} off"))),
    };
    Ok(())
}

fn extent(extent: Extent) -> String {
    match extent {
        Extent::Auto => "auto".to_owned(),
        Extent::All => "0".to_owned(),
        Extent::Most(number) => number.to_string(),
    }
}

fn set_extent(to: &mut Extent, name: &str, value: &str) -> Result<(), Failure> {
    *to = match (value, value.parse::<usize>()) {
        ("auto", _) => Extent::Auto,
        ("all", _) | (_, Ok(0)) => Extent::All,
        (_, Ok(number)) => Extent::Most(number),
        _ => return Err(Failure::message(format!("write :{name} N, :{name} 0 for all, or :{name} auto"))),
    };
    Ok(())
}

fn set_mode(session: &mut Session, value: &str) -> Result<(), Failure> {
    match Format::from_str(value, true) {
        Ok(format) if !format.is_binary() => session.asking.format = format,
        Ok(format) => {
            let name = format.name();
            return Err(Failure::message(format!("{name} is not for a screen; use :export FILE.{name}")));
        }
        Err(_) => {
            let modes = find("mode").map(Setting::choices).unwrap_or_default().join(", ");
            return Err(Failure::message(format!("unknown mode \"{value}\"; one of {modes}")));
        }
    }
    Ok(())
}

fn set_language(session: &mut Session, value: &str) -> Result<(), Failure> {
    match Language::from_str(value, true) {
        Ok(language) => {
            language.require()?;
            session.asking.language = language;
            Ok(())
        }
        Err(_) => Err(Failure::message(format!("unknown language \"{value}\"; one of cypher, sparql, sql"))),
    }
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).unwrap_or(value)
}

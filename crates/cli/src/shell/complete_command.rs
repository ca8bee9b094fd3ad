//! Completion of the shell's own commands: their names, settings and values, files, topics.

use std::collections::HashSet;
use std::path::{MAIN_SEPARATOR, Path};

use super::help::{Takes, commands};
use super::known::{Candidate, Known};
use super::session::Session;
use super::settings::{SETTINGS, find};

/// What there is to complete.
pub(super) enum Found {
    /// Words, from a place in the text on.
    Words(usize, Vec<Candidate>),
    /// A statement, from a place in the text on.
    Statement(usize),
}

/// What the word at the end of a command may become.
pub(super) fn candidates(known: &Known, text: &str) -> Found {
    let command = text.trim_start();
    let offset = text.len() - command.len();
    let mark = usize::from(command.starts_with([':', '.', '\\']));
    let Some((name, _)) = command[mark..].split_once(char::is_whitespace) else {
        let names = commands().map(|c| (c.name, c.does)).chain(SETTINGS.iter().map(|s| (s.name, s.does)));
        let all = names.map(|(name, does)| Candidate::new(name).described(does));
        return words(offset + mark, &command[mark..], all);
    };
    let start = word_start(text);
    let word = &text[start..];
    let before: Vec<&str> = text[..start].split_whitespace().skip(1).collect();
    let takes = match find(name) {
        Some(setting) => return words(start, word, setting.choices().into_iter().map(Candidate::new)),
        None => commands().find(|c| c.name.eq_ignore_ascii_case(name)).map(|c| c.takes),
    };
    match takes {
        Some(Takes::Statement) => Found::Statement(offset + mark + name.len() + 1),
        Some(Takes::Setting) => match before[..] {
            [] => {
                words(start, word, SETTINGS.iter().map(|s| Candidate::new(s.name).described(s.does).spaced()))
            }
            [name] => {
                let choices = find(name).map(super::settings::Setting::choices).unwrap_or_default();
                words(start, word, choices.into_iter().map(Candidate::new))
            }
            _ => words(start, word, []),
        },
        Some(Takes::Topic) => {
            let names = commands().map(|c| c.name).chain(SETTINGS.iter().map(|s| s.name)).map(Candidate::new);
            let functions = trimorph::functions();
            let functions = functions.iter().map(|f| Candidate::new(f.name).described(f.signature));
            let clauses = trimorph::clauses();
            // Some names are of both languages.
            let mut seen = HashSet::new();
            let clauses = clauses.iter().filter(|doc| seen.insert(doc.name));
            let clauses = clauses.map(|doc| Candidate::new(doc.name).described(doc.syntax));
            words(start, word, names.chain(clauses).chain(functions))
        }
        Some(Takes::Name) => words(start, word, known.labels.iter().chain(&known.types).map(Candidate::new)),
        Some(Takes::File) => Found::Words(start, files(word)),
        _ => words(start, word, []),
    }
}

/// Those that begin with the word, whatever its case.
fn words(start: usize, word: &str, all: impl IntoIterator<Item = Candidate>) -> Found {
    let fits = |c: &Candidate| c.value.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
    Found::Words(start, all.into_iter().filter(fits).collect())
}

/// Where the last word begins; a blank after a backslash is part of it.
fn word_start(text: &str) -> usize {
    let mut start = 0;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() && !is_escaped {
            start = at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped && cfg!(unix);
    }
    start
}

/// Files and directories that begin with the word; what is hidden only where the word begins so.
fn files(word: &str) -> Vec<Candidate> {
    let typed = word.replace("\\ ", " ");
    let cut = typed.rfind(['/', MAIN_SEPARATOR]).map_or(0, |at| at + 1);
    let (directory, begin) = typed.split_at(cut);
    let place = if directory.is_empty() { Path::new(".").to_owned() } else { Session::file_name(directory) };
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<Candidate> = Vec::new();
    for entry in entries.flatten() {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if !name.starts_with(begin) || (name.starts_with('.') && !begin.starts_with('.')) {
            continue;
        }
        let value = format!("{directory}{name}").replace(' ', "\\ ");
        let is_database = entry.path().join("MANIFEST").exists();
        let is_directory = entry.path().is_dir();
        found.push(match (is_directory, is_database) {
            (true, true) => Candidate::new(value).described("database").spaced(),
            (true, false) => Candidate::new(format!("{value}/")),
            (false, _) => Candidate::new(value).spaced(),
        });
    }
    found.sort_by(|a, b| a.value.cmp(&b.value));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_begin() {
        let dir = std::env::temp_dir().join(format!("trimorph-complete-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("sub dir")).unwrap();
        std::fs::create_dir_all(dir.join("some.tm")).unwrap();
        for name in ["sub dir/in.csv", "some.tm/MANIFEST", "some.csv", ".hidden"] {
            std::fs::write(dir.join(name), "").unwrap();
        }
        let complete = |text: &str| match candidates(&Known::default(), text) {
            Found::Words(start, words) => words
                .into_iter()
                .map(|c| format!("{}{}", &text[..start], c.value).replace(&*dir.to_string_lossy(), "D"))
                .collect::<Vec<_>>(),
            Found::Statement(_) => Vec::new(),
        };
        let here = dir.display();
        assert_eq!(
            complete(&format!(":read {here}/s")),
            [":read D/some.csv", ":read D/some.tm", ":read D/sub\\ dir/"]
        );
        assert_eq!(complete(&format!(":load a {here}/sub\\ dir/")), [":load a D/sub\\ dir/in.csv"]);
        assert_eq!(complete(&format!(":read {here}/.h")), [":read D/.hidden"]);
        assert_eq!(complete(":read /nowhere/at/all"), [""; 0]);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}

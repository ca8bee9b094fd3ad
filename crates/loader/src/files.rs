//! Names of files with wildcards in, the files that have such names out.
//!
//! `*` stands for any characters of a name, `?` for one, `[a-c]` for one of some, `[!a-c]` for one of the
//! others, and `**` as a whole part of a path for any number of folders. A file that has just this name is
//! meant alone. Files that a load wrote its bad rows into are never meant.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// Folders within folders that `**` looks into.
const DEPTH_MAX: usize = 32;

/// The first line of a file that a load wrote its bad rows into.
pub(crate) const REJECTS_HEADER: &str = "file,line,reason,row";

/// Whether a load wrote its bad rows into a file: by its name, or by its first line.
pub(crate) fn is_rejects(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if name.ends_with(".rejects.csv") {
        return true;
    }
    let mut head = [0; REJECTS_HEADER.len() + 1];
    let mut has_header = || {
        File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
            && head.strip_suffix(b"\n") == Some(REJECTS_HEADER.as_bytes())
    };
    name.ends_with(".csv") && path.is_file() && has_header()
}

/// The files that a name in `directory` means, by name, numbers in names by their size; at least one.
///
/// **Errors**: a clause that says that there are none, or which folder cannot be read.
pub(crate) fn files_of(directory: &Path, name: &str) -> Result<Vec<PathBuf>, String> {
    let path = directory.join(name);
    if !name.contains(['*', '?', '[']) || path.exists() {
        // Whether it is there is told when it is opened.
        return Ok(vec![path]);
    }
    let mut found = vec![PathBuf::new()];
    let parts: Vec<Component<'_>> = path.components().collect();
    for (at, part) in parts.iter().enumerate() {
        let pattern = part.as_os_str().to_string_lossy();
        let is_last = at + 1 == parts.len();
        let mut next = Vec::new();
        for folder in found {
            match part {
                Component::Normal(_) if pattern == "**" => below(&folder, 0, &mut next)?,
                Component::Normal(_) if pattern.contains(['*', '?', '[']) => {
                    for (name, path) in entries(&folder)? {
                        let is_kind =
                            if is_last { path.is_file() && !is_rejects(&path) } else { path.is_dir() };
                        let is_hidden = name.starts_with('.') && !pattern.starts_with('.');
                        if is_kind && !is_hidden && matches(&pattern, &name) {
                            next.push(path);
                        }
                    }
                }
                other => next.push(folder.join(other)),
            }
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    sort(&mut found);
    found.dedup();
    if found.is_empty() { Err(format!("no file matches \"{name}\"")) } else { Ok(found) }
}

/// The same; where nothing matches, the last part of the name is a regular expression, as it is for
/// `neo4j-admin`.
///
/// **Errors**: as [`files_of`].
pub(crate) fn files_or_pattern(directory: &Path, name: &str) -> Result<Vec<PathBuf>, String> {
    let (folder, last) = name.rsplit_once('/').map_or(("", name), |(folder, last)| (folder, last));
    let folder =
        if name.starts_with('/') && folder.is_empty() { Path::new("/") } else { &directory.join(folder) };
    let is_plain = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    let found = files_of(directory, name);
    if last.chars().all(is_plain) || found.as_ref().is_ok_and(|found| found.iter().all(|path| path.exists()))
    {
        return found;
    }
    let none = || format!("no file matches \"{name}\"");
    let pattern = regex::Regex::new(&format!("^(?:{last})$")).map_err(|_| none())?;
    let mut found: Vec<PathBuf> = entries(folder)?
        .into_iter()
        .filter(|(name, path)| pattern.is_match(name) && path.is_file() && !is_rejects(path))
        .map(|(_, path)| path)
        .collect();
    sort(&mut found);
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

/// By name, digits by the number that they are: `part2` before `part10`.
pub(crate) fn sort(paths: &mut [PathBuf]) {
    paths.sort_by(|a, b| by_numbers(&a.to_string_lossy(), &b.to_string_lossy()));
}

fn by_numbers(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (n, m) = (digits(x), digits(y));
        if n > 0 && m > 0 {
            let (p, q) = (x[..n].trim_start_matches('0'), y[..m].trim_start_matches('0'));
            let order = p.len().cmp(&q.len()).then_with(|| p.cmp(q));
            if order.is_ne() {
                return order;
            }
            (x, y) = (&x[n..], &y[m..]);
            continue;
        }
        match (x.chars().next(), y.chars().next()) {
            (Some(c), Some(d)) if c == d => (x, y) = (&x[c.len_utf8()..], &y[d.len_utf8()..]),
            (None, None) => return a.cmp(b),
            (c, d) => return c.cmp(&d),
        }
    }
}

fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let failed = |error: std::io::Error| format!("could not list \"{}\": {error}", at.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(at).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        found.push((name.clone(), folder.join(name)));
    }
    Ok(found)
}

/// A folder and all folders in it, links aside.
fn below(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<(), String> {
    out.push(folder.to_owned());
    if depth == DEPTH_MAX {
        return Ok(());
    }
    for (name, path) in entries(folder)? {
        if !name.starts_with('.') && path.is_dir() && !path.is_symlink() {
            below(&path, depth + 1, out)?;
        }
    }
    Ok(())
}

/// Whether a name is of a pattern.
///
/// **Cost**: the product of their lengths at most.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // The last star, and where the name went on behind it.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if n == name.len() {
            return pattern[p..].iter().all(|c| *c == '*');
        }
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some('?') => Some(p + 1),
            Some('[') => class(&pattern, p, name[n]),
            Some(c) if *c == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => (p, n) = (next, n + 1),
            (None, Some((behind, from))) => {
                star = Some((behind, from + 1));
                (p, n) = (behind, from + 1);
            }
            (None, None) => return false,
        }
    }
}

/// One past the class at `at` if it has the character; a bracket that is never closed is itself.
fn class(pattern: &[char], at: usize, c: char) -> Option<usize> {
    let negated = matches!(pattern.get(at + 1), Some('!' | '^'));
    let first = at + 1 + usize::from(negated);
    let Some(end) = pattern.iter().skip(first + 1).position(|c| *c == ']').map(|i| first + 1 + i) else {
        return (c == '[').then_some(at + 1);
    };
    let (mut i, mut has) = (first, false);
    while i < end {
        if pattern.get(i + 1) == Some(&'-') && i + 2 < end {
            has |= (pattern[i]..=pattern[i + 2]).contains(&c);
            i += 3;
        } else {
            has |= pattern[i] == c;
            i += 1;
        }
    }
    (has != negated).then_some(end + 1)
}

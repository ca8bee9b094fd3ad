//! Circles of files: modules of one crate that use each other cannot be read one after the other.
//!
//! 1. Every path in code that begins with `crate`, `super`, `self` or a child module is looked up: the
//!    longest module it names, and where that only hands a name on (`pub use`), the module that has it.
//! 2. Files that reach each other are one circle. There are none.

use std::collections::{BTreeMap, BTreeSet};

use super::File;
use crate::report::Report;

pub(super) fn check(files: &[File], report: &mut Report) {
    for name in files.iter().filter_map(|f| f.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")) {
        for circle in Crate::new(name, files).circles() {
            let what = format!("files that use each other: {circle}");
            let hint = "move what both sides need to a file of its own";
            report.problem(&format!("crates/{name}/src"), 0, &what, hint);
        }
    }
}

/// The modules of a crate by their paths, such as `["ops", "sort"]`.
struct Crate {
    modules: BTreeMap<Vec<String>, Module>,
}

/// What one file says.
struct Module {
    /// Paths that it names, from the root of the crate.
    paths: Vec<Vec<String>>,
    /// Names that it hands on, and where from.
    handed: BTreeMap<String, Vec<String>>,
}

impl Crate {
    fn new(name: &str, files: &[File]) -> Self {
        let prefix = format!("crates/{name}/src/");
        let of = |file: &File| -> Option<(Vec<String>, Vec<String>)> {
            let path = file.path.strip_prefix(&prefix).filter(|_| !file.test)?.strip_suffix(".rs")?;
            let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
            if parts.last().is_some_and(|l| matches!(l.as_str(), "mod" | "lib" | "main")) {
                parts.pop();
            }
            let source = file.source.as_ref()?;
            let code = source.lines.iter().zip(&source.test).filter(|(_, test)| !**test);
            Some((parts, tokens(code.map(|(line, _)| line.as_str()))))
        };
        let read: BTreeMap<Vec<String>, Vec<String>> = files.iter().filter_map(of).collect();
        let modules = read.iter().map(|(at, tokens)| {
            let children = read.keys().filter(|m| m.len() == at.len() + 1 && m.starts_with(at));
            let children = children.filter_map(|m| m.last()).map(String::as_str).collect();
            (at.clone(), Module::read(at, tokens, &children))
        });
        Self { modules: modules.collect() }
    }

    /// The module that has what `path` names.
    fn owner(&self, path: &[String], hops: usize) -> Option<&Vec<String>> {
        let (at, module) = (0..=path.len()).rev().find_map(|n| self.modules.get_key_value(&path[..n]))?;
        let handed = path.get(at.len()).and_then(|name| module.handed.get(name));
        match handed {
            Some(to) if hops > 0 => {
                let rest = path.get(at.len() + 1..).unwrap_or_default();
                self.owner(&[to.as_slice(), rest].concat(), hops - 1)
            }
            _ => Some(at),
        }
    }

    /// Modules that reach each other, as text.
    fn circles(&self) -> Vec<String> {
        let uses = |at: &Vec<String>| -> BTreeSet<&Vec<String>> {
            let paths = self.modules.get(at).map_or(&[][..], |m| m.paths.as_slice());
            paths.iter().filter_map(|path| self.owner(path, 4)).filter(|to| *to != at).collect()
        };
        let edges: BTreeMap<_, _> = self.modules.keys().map(|at| (at, uses(at))).collect();
        let reach = |from: &Vec<String>| {
            let mut seen = BTreeSet::new();
            let mut open: Vec<&Vec<String>> = edges.get(from).into_iter().flatten().copied().collect();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(edges.get(next).into_iter().flatten());
                }
            }
            seen
        };
        let reached: BTreeMap<_, _> = self.modules.keys().map(|at| (at, reach(at))).collect();
        let mut circles = Vec::new();
        let mut done = BTreeSet::new();
        for (at, all) in reached.iter().filter(|(at, all)| all.contains(*at)) {
            if done.contains(at) {
                continue;
            }
            let circle: Vec<_> = all.iter().filter(|to| reached[**to].contains(at)).copied().collect();
            let name = |m: &Vec<String>| if m.is_empty() { "the root".to_owned() } else { m.join("::") };
            circles.push(circle.iter().map(|m| name(m)).collect::<Vec<_>>().join(", "));
            done.extend(circle);
        }
        circles
    }
}

impl Module {
    fn read(at: &[String], tokens: &[String], children: &BTreeSet<&str>) -> Self {
        let mut module = Self { paths: Vec::new(), handed: BTreeMap::new() };
        let mut i = 0;
        while i < tokens.len() {
            let before = i.checked_sub(1).map_or("", |b| tokens[b].as_str());
            let word = tokens[i].as_str();
            let is_root = matches!(word, "crate" | "super" | "self") || children.contains(word);
            let is_path = tokens.get(i + 1).is_some_and(|t| t == "::") && before != "::";
            if !(is_root && is_path) {
                i += 1;
                continue;
            }
            let is_use = before == "use";
            let is_public = is_use && is_public_use(&tokens[..i - 1]);
            let mut found = Vec::new();
            i = tree(tokens, i, &mut Vec::new(), &mut found);
            for path in found {
                let Some(path) = absolute(at, &path) else { continue };
                // A name that is brought in is also handed on, if only to this file's children.
                let name = path.last().cloned().unwrap_or_default();
                if is_use && path.len() > 1 {
                    module.handed.insert(name, path.clone());
                }
                // What only hands on the names of a child does not use it.
                if !is_public {
                    module.paths.push(path);
                }
            }
        }
        module
    }
}

/// Whether the `use` behind these tokens is `pub`, or `pub` within something.
fn is_public_use(before: &[String]) -> bool {
    match before {
        [.., last] if last == "pub" => true,
        [.., public, open, _, close] => public == "pub" && open == "(" && close == ")",
        _ => false,
    }
}

/// A path, with `crate`, `super` and `self` resolved at module `at`; children stand for themselves.
fn absolute(at: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut here = at.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (here, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        _ => {}
    }
    while rest.first().is_some_and(|p| p == "super") {
        here.pop()?;
        rest = &rest[1..];
    }
    Some([here.as_slice(), rest].concat())
}

/// Reads a path, or a tree of paths in braces, that begins at token `i`; gives the token after it.
fn tree(tokens: &[String], mut i: usize, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let depth = prefix.len();
    loop {
        match tokens.get(i).map(String::as_str) {
            Some("{") => {
                i += 1;
                while let Some(token) = tokens.get(i).filter(|t| *t != "}") {
                    if token == "," {
                        i += 1;
                    } else {
                        let next = tree(tokens, i, prefix, found);
                        // `as name`, `*`: nothing that names a module.
                        i = next.max(i + 1);
                    }
                }
                i += 1;
                break;
            }
            Some(word) if is_word(word) => {
                prefix.push(word.to_owned());
                i += 1;
                if tokens.get(i).is_some_and(|t| t == "::") {
                    i += 1;
                } else {
                    found.push(prefix.clone());
                    break;
                }
            }
            _ => {
                found.push(prefix.clone());
                break;
            }
        }
    }
    prefix.truncate(depth);
    i
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words, `::`, and other characters one by one.
fn tokens<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            if c.is_alphanumeric() || c == '_' {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                out.push(word);
            } else if c == ':' && chars.next_if_eq(&':').is_some() {
                out.push("::".into());
            } else if !c.is_whitespace() {
                out.push(c.into());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File {
            path: format!("crates/c/src/{path}"),
            text: (*text).to_owned(),
            source: Some(Source::new(text)),
            test: false,
        };
        Crate::new("c", &files.iter().map(file).collect::<Vec<_>>()).circles()
    }

    #[test]
    fn files_that_use_each_other() {
        let root = ("lib.rs", "mod a; mod b;");
        let a = ("a.rs", "use crate::b::X;");
        assert_eq!(circles(&[root, a, ("b.rs", "")]), [""; 0]);
        assert_eq!(circles(&[root, a, ("b.rs", "fn f() { super::a::g() }")]), ["a, b"]);
        // A parent that hands on its children's names is in no circle; one that they take from is.
        let handed = [
            ("lib.rs", "mod m;"),
            ("m/mod.rs", "mod a; mod b; pub(crate) use a::{A, X as Y}; pub use self::b::B;"),
            ("m/a.rs", "use super::B;"),
            ("m/b.rs", ""),
        ];
        assert_eq!(circles(&handed), [""; 0]);
        let parent = ("m/mod.rs", "mod a; struct P; fn f() { a::g() }");
        let parent = [("lib.rs", "mod m;"), parent, ("m/a.rs", "use super::P;")];
        assert_eq!(circles(&parent), ["m, m::a"]);
    }
}

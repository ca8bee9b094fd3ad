//! What the checks read out of TOML files, with the lines where they found it.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

/// A file that is read.
pub(crate) struct Toml<'t> {
    text: &'t str,
    table: DeTable<'t>,
}

impl<'t> Toml<'t> {
    /// **Errors**: what is wrong with the text, in one line.
    pub(crate) fn parse(text: &'t str) -> Result<Self, String> {
        match DeTable::parse(text) {
            Ok(table) => Ok(Self { text, table: table.into_inner() }),
            Err(error) => Err(error.message().to_owned()),
        }
    }

    fn line(&self, span: &Range<usize>) -> usize {
        self.text.get(..span.start).map_or(0, |before| before.matches('\n').count() + 1)
    }

    fn section(&self, name: &str) -> Option<&DeTable<'t>> {
        self.table.get(name)?.get_ref().as_table()
    }

    /// The string elements of every `key = […]` in `[section]`, in file order, with the lines of the keys.
    pub(crate) fn lists(&self, section: &str) -> Vec<List> {
        let mut found: Vec<(usize, List)> = Vec::new();
        for (key, value) in self.section(section).into_iter().flatten() {
            let Some(list) = value.get_ref().as_array() else { continue };
            let items = list.iter().filter_map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
            let list = List { key: key.get_ref().to_string(), items, line: self.line(&key.span()) };
            found.push((key.span().start, list));
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, list)| list).collect()
    }

    /// The text of `key = "text"` in `[section]`.
    pub(crate) fn text(&self, section: &str, key: &str) -> Option<&str> {
        self.section(section)?.get(key)?.get_ref().as_str()
    }

    /// The keys of all tables called `dependencies`, `dev-dependencies` or `build-dependencies`, also those
    /// of one target, with their lines.
    pub(crate) fn dependencies(&self) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        self.dependencies_in(&self.table, &mut found);
        found.sort_by_key(|(_, line)| *line);
        found
    }

    fn dependencies_in(&self, table: &DeTable<'t>, found: &mut Vec<(String, usize)>) {
        for (key, value) in table {
            let Some(inner) = value.get_ref().as_table() else { continue };
            if key.get_ref().ends_with("dependencies") {
                let line = |key: &Spanned<_>| self.line(&key.span());
                found.extend(inner.keys().map(|key| (key.get_ref().to_string(), line(key))));
            } else if key.get_ref() == "target" {
                let targets = inner.values().filter_map(|t| t.get_ref().as_table());
                targets.for_each(|target| self.dependencies_in(target, found));
            }
        }
    }
}

/// A list of texts.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct List {
    pub(crate) key: String,
    pub(crate) items: Vec<String>,
    pub(crate) line: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_a_section() {
        let toml = "[a]\nx = [\"1\"] # one\ny = [\n  \"2\",\n  \"3\", # a # b\n]\nz = 1\n[b]\nx = [\"4\"]\n";
        let list = |key: &str, items: &[&str], line| List {
            key: key.into(),
            items: items.iter().map(|i| (*i).to_owned()).collect(),
            line,
        };
        let want = [list("x", &["1"], 2), list("y", &["2", "3"], 3)];
        assert_eq!(Toml::parse(toml).unwrap().lists("a"), want);
        assert!(Toml::parse("a = [").is_err());
    }

    #[test]
    fn dependencies_of_all_kinds() {
        let toml = "[package]\nname = \"n\"\n[dependencies]\na.workspace = true\nb = \"1\"\n\n\
            [dev-dependencies.d]\npath = \"x\"\n[target.'cfg(unix)'.dependencies]\nc = \"2\"\n";
        let toml = Toml::parse(toml).unwrap();
        let found = toml.dependencies();
        let names: Vec<_> = found.iter().map(|(n, line)| (n.as_str(), *line)).collect();
        assert_eq!(names, [("a", 4), ("b", 5), ("d", 7), ("c", 10)]);
        assert_eq!(toml.text("package", "name"), Some("n"));
    }
}

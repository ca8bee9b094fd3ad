//! The little of TOML that our own files use: sections, `key = "text"`, `key = […]` over several lines, comments.

/// The string elements of every `key = […]` in `[section]`, in file order.
pub(crate) fn lists(text: &str, section: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let (mut inside, mut open) = (false, false);
    for line in text.lines() {
        let line = without_comment(line);
        if open {
            if let Some((_, list)) = found.last_mut() {
                list.extend(quoted(line));
            }
            open = !line.contains(']');
        } else if line.starts_with('[') {
            inside = line == format!("[{section}]");
        } else if let (true, Some((key, value))) = (inside, line.split_once('='))
            && value.trim_start().starts_with('[')
        {
            found.push((key.trim().to_owned(), quoted(value)));
            open = !value.contains(']');
        }
    }
    found
}

/// The keys of all sections whose last part is `dependencies`, `dev-dependencies` or `build-dependencies`, with their lines.
pub(crate) fn dependencies(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        let line = without_comment(line);
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            inside = section.ends_with("dependencies");
            // `[dependencies.name]`
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.push((name.to_owned(), i + 1));
            }
        } else if let (true, Some((key, _))) = (inside, line.split_once('=')) {
            let name = key.trim().split('.').next().unwrap_or_default();
            found.push((name.to_owned(), i + 1));
        }
    }
    found
}

/// The text of `key = "text"` at the start of a line.
pub(crate) fn text(toml: &str, key: &str) -> Option<String> {
    let value = toml.lines().find_map(|l| l.strip_prefix(key)?.trim_start().strip_prefix('='))?;
    quoted(value).into_iter().next()
}

/// No value of ours has a `#` in it.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_a_section() {
        let toml = "[a]\nx = [\"1\"] # one\ny = [\n  \"2\",\n  \"3\",\n]\nz = 1\n[b]\nx = [\"4\"]\n";
        let want =
            [("x".to_owned(), vec!["1".to_owned()]), ("y".to_owned(), vec!["2".to_owned(), "3".to_owned()])];
        assert_eq!(lists(toml, "a"), want);
    }

    #[test]
    fn dependencies_of_all_kinds() {
        let toml = "[package]\nname = \"n\"\n[dependencies]\na.workspace = true\nb = \"1\"\n[target.'cfg(unix)'.dependencies]\nc = \"2\"\n";
        let names: Vec<_> = dependencies(toml).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(text(toml, "name").as_deref(), Some("n"));
    }
}

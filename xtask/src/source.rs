//! Rust source in, the same source with comments and literals blanked and test-only lines known out.
//!
//! 1. A small lexer blanks comments, strings and characters, so that words in them are not taken for code.
//! 2. Items under `#[cfg(test)]` are found by matching brackets; `mod name;` under it names a test file.

/// A file's text, made easy to search.
pub(crate) struct Source {
    /// Lines of code, each as long as in the file.
    pub(crate) lines: Vec<String>,
    /// Whether each line is under `#[cfg(test)]`.
    pub(crate) test: Vec<bool>,
    /// Names of modules in files of their own that are under `#[cfg(test)]`.
    pub(crate) test_modules: Vec<String>,
}

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        let code = blank(text);
        let mut test = vec![false; code.lines().count()];
        let mut test_modules = Vec::new();
        let mut from = 0;
        while let Some(found) = code[from..].find("#[cfg(test)]") {
            let start = from + found;
            let end = item_end(&code, start + "#[cfg(test)]".len());
            let (first, last) = (line_of(&code, start), line_of(&code, end));
            test[first..=last].fill(true);
            let item = code[start..end].trim_end();
            if let Some(name) = item.strip_suffix(';').and_then(|i| i.split("mod ").nth(1)) {
                test_modules.push(name.trim().to_owned());
            }
            from = end;
        }
        Self { lines: code.lines().map(str::to_owned).collect(), test, test_modules }
    }
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count()
}

/// One past the `;` or the closing brace of the item that begins at `at`.
fn item_end(code: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (i, c) in code[at..].char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && c == '}' {
                    return at + i + 1;
                }
            }
            ';' if depth == 0 => return at + i + 1,
            _ => {}
        }
    }
    code.len()
}

/// Blanks comments and the insides of literals; line ends stay.
fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = literal_end(&chars, i);
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(chars[i..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    out
}

/// One past the comment or literal that begins at `i`; `i` itself if none does.
fn literal_end(chars: &[char], i: usize) -> usize {
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let word_before = i > 0 && (at(i - 1).is_alphanumeric() || at(i - 1) == '_');
    match (at(i), at(i + 1)) {
        ('/', '/') => (i..chars.len()).find(|j| at(*j) == '\n').unwrap_or(chars.len()),
        ('/', '*') => comment_end(chars, i),
        ('r', '"' | '#') if !word_before => raw_end(chars, i + 1).unwrap_or(i),
        ('b', 'r') if !word_before => raw_end(chars, i + 2).unwrap_or(i),
        ('"', _) => quote_end(chars, i, '"'),
        // A character, not a lifetime: one (escaped) character and a quote.
        ('\'', '\\') => quote_end(chars, i, '\''),
        ('\'', _) if at(i + 2) == '\'' => i + 3,
        _ => i,
    }
}

fn comment_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0_usize, start);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

/// `at` is after the `r`. `None` if this is a raw identifier or nothing of the kind.
fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    (chars.get(at + hashes) == Some(&'"')).then_some(())?;
    let mut i = at + hashes + 1;
    while i < chars.len() {
        let closing =
            chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
        if closing {
            return Some(i + 1 + hashes);
        }
        i += 1;
    }
    Some(chars.len())
}

fn quote_end(chars: &[char], start: usize, quote: char) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != quote {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (code, want) in [
            ("a // b\nc", "a     \nc"),
            ("/* a /* b */ */ c", "                c"),
            (r#"f("x.unwrap()")"#, "f(            )"),
            ("r#\"a\"b\"# c", "         c"),
            ("'a' 'b: &'c str", "    'b: &'c str"),
            ("'\\'' d", "     d"),
            ("\"\\\"\" d", "     d"),
        ] {
            assert_eq!(blank(code), want, "{code}");
        }
    }

    #[test]
    fn test_items_are_known() {
        let source = Source::new(
            "fn a() {}\n#[cfg(test)]\nmod b;\nfn c() {}\n#[cfg(test)]\nmod d {\n    fn e() {}\n}\nfn f() {}\n",
        );
        assert_eq!(source.test, [false, true, true, false, true, true, true, true, false]);
        assert_eq!(source.test_modules, ["b"]);
    }
}

//! What is shown behind the cursor: the arguments of the function that is being called, else what the history
//! goes on with.

use nu_ansi_term::Style;
use reedline::{DefaultHinter, Hinter, History};
use trimorph::FunctionDoc;

/// The hinter of the shell.
pub(super) struct Hints {
    history: DefaultHinter,
    style: Style,
    functions: Vec<FunctionDoc>,
    is_history: bool,
}

impl Hints {
    /// Hints in this style.
    pub(super) fn new(style: Style) -> Self {
        Self {
            history: DefaultHinter::default().with_style(style),
            style,
            functions: trimorph::functions(),
            is_history: false,
        }
    }

    /// What a text that ends with the bracket of a call goes on with.
    fn arguments(&self, text: &str) -> Option<String> {
        let before = text.strip_suffix('(')?;
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let start = before
            .rfind(|c| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        let function = self.functions.iter().find(|f| f.name.eq_ignore_ascii_case(name))?;
        let (_, arguments) = function.signature.split_once('(')?;
        Some(format!("{arguments}  {}", function.summary))
    }
}

impl Hinter for Hints {
    fn handle(&mut self, line: &str, pos: usize, history: &dyn History, colors: bool, cwd: &str) -> String {
        let from_history = self.history.handle(line, pos, history, colors, cwd);
        self.is_history = !from_history.is_empty();
        if self.is_history || pos < line.len() {
            return from_history;
        }
        match self.arguments(line) {
            Some(hint) if colors => self.style.paint(hint).to_string(),
            Some(hint) => hint,
            None => String::new(),
        }
    }

    fn complete_hint(&self) -> String {
        if self.is_history { self.history.complete_hint() } else { String::new() }
    }

    fn next_hint_token(&self) -> String {
        if self.is_history { self.history.next_hint_token() } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_shows_its_arguments() {
        let hints = Hints::new(Style::new());
        let shown = |text: &str| hints.arguments(text).unwrap_or_default();
        assert!(shown("RETURN round(").starts_with("x[, digits[, mode]])  "), "{}", shown("RETURN round("));
        assert!(shown("RETURN date.truncate(").starts_with("unit"), "{}", shown("RETURN date.truncate("));
        assert_eq!(shown("RETURN nothing("), "");
        assert_eq!(shown("é("), "");
        assert_eq!(shown("("), "");
        assert_eq!(shown("round"), "");
    }
}

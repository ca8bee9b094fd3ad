//! How a line looks and when it is complete: prompt, highlighter and validator for the editor.

use std::borrow::Cow;

use nu_ansi_term::{Color, Style};
use reedline::{
    Highlighter, Prompt, PromptEditMode, PromptHistorySearch, StyledText, ValidationResult, Validator,
};

use super::session::is_command;
use crate::text::columns::width;
use crate::text::scan::{Kind, is_complete, tokens};

/// What stands before what is typed in.
pub(super) struct ShellPrompt(pub(super) String);

impl Prompt for ShellPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        self.0.as_str().into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        // As wide as the prompt.
        format!("{}… ", " ".repeat(width(&self.0).saturating_sub(2))).into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        format!("(history: {}) ", search.term).into()
    }
}

/// Colours of openCypher.
pub(super) struct Colors;

impl Highlighter for Colors {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        let mut text = StyledText::new();
        if is_command(line) {
            text.push((Style::new().bold(), line.to_owned()));
            return text;
        }
        for token in tokens(line) {
            text.push((style(token.kind), line[token.start..token.end].to_owned()));
        }
        text
    }
}

fn style(kind: Kind) -> Style {
    match kind {
        Kind::Keyword => Style::new().fg(Color::Blue).bold(),
        Kind::Label | Kind::Function => Style::new().fg(Color::Yellow),
        Kind::Text | Kind::Number | Kind::Parameter => Style::new().fg(Color::Green),
        Kind::Unclosed => Style::new().fg(Color::Red),
        Kind::Comment => Style::new().dimmed(),
        _ => Style::new(),
    }
}

/// A command is complete with its line, a statement with a semicolon or an empty line.
pub(super) struct Complete;

impl Validator for Complete {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_command(line) || is_complete(line) {
            ValidationResult::Complete
        } else {
            ValidationResult::Incomplete
        }
    }
}

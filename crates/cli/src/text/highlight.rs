//! A query with colours.

use super::scan::{Kind, tokens};
use crate::terminal::Paint;

/// `text` with escape sequences around its words; as it is if there are no colours.
pub(crate) fn highlight(text: &str, paint: Paint) -> String {
    if !paint.on {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    for token in tokens(text) {
        let word = &text[token.start..token.end];
        match token.kind {
            Kind::Keyword => out.push_str(&paint.blue(word)),
            Kind::Label | Kind::Function => out.push_str(&paint.yellow(word)),
            Kind::Text | Kind::Number | Kind::Parameter => out.push_str(&paint.green(word)),
            Kind::Comment => out.push_str(&paint.dim(word)),
            _ => out.push_str(word),
        }
    }
    out
}

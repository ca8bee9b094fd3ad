//! A statement in, the form of plan that it asks for out: `EXPLAIN (JSON) …`, `PROFILE (CODES) …`.

use std::borrow::Cow;

use trimorph_base::{Diagnostic, ErrorKind, Span};

use super::tree::PlanForm;

/// The statement without its form, which blanks stand for so that places stay places, and the form.
///
/// **Errors**: a form that there is not.
pub(crate) fn asked(text: &str) -> Result<(Cow<'_, str>, PlanForm), Diagnostic> {
    let plain = Ok((Cow::Borrowed(text), PlanForm::Text));
    let rest = text.trim_start();
    let Some(word) =
        rest.get(..7).filter(|w| ["EXPLAIN", "PROFILE"].iter().any(|k| k.eq_ignore_ascii_case(w)))
    else {
        return plain;
    };
    let Some(inner) = rest[word.len()..].trim_start().strip_prefix('(') else { return plain };
    let Some((name, after)) = inner.split_once(')') else { return plain };
    let name = name.trim();
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic());
    if !is_word {
        return plain;
    }
    let start = text.len() - inner.len() - 1;
    let end = text.len() - after.len();
    let form = match name.to_ascii_uppercase().as_str() {
        "TEXT" => PlanForm::Text,
        "CODES" => PlanForm::Codes,
        "JSON" => PlanForm::Json,
        "HTML" => PlanForm::Html,
        _ => {
            let span = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            let primary = format!("a plan has no form \"{name}\"");
            let error = Diagnostic::compile(ErrorKind::SyntaxError, "UnknownPlanForm", primary);
            let error = error.at(Span { start: span(start + 1), end: span(end - 1) });
            return Err(error.hint("write TEXT, CODES, JSON or HTML"));
        }
    };
    let blank = format!("{}{}{after}", &text[..start], " ".repeat(end - start));
    Ok((Cow::Owned(blank), form))
}

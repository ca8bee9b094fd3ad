//! Making diagnostics.

use trimorph_base::{Diagnostic, ErrorKind, Span, nearest};

/// What binding gives; the error is boxed because it is rare and large.
pub(super) type Bound<T> = Result<T, Box<Diagnostic>>;

/// An error of the kind that openCypher gives to nearly all mistakes found before a query runs.
pub(super) fn semantic(detail: &'static str, primary: impl Into<String>, span: Span) -> Box<Diagnostic> {
    of_kind(ErrorKind::SyntaxError, detail, primary, span)
}

/// An error of any kind.
pub(super) fn of_kind(
    kind: ErrorKind,
    detail: &'static str,
    primary: impl Into<String>,
    span: Span,
) -> Box<Diagnostic> {
    Box::new(Diagnostic::compile(kind, detail, primary).at(span))
}

/// A query that is legal but too large for the binder. The clause that asked for too much gives the place.
pub(super) fn too_complex(primary: impl Into<String>, hint: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::compile(ErrorKind::Unsupported, "QueryTooComplex", primary).hint(hint))
}

/// The same error with an action to take.
pub(super) fn with_hint(mut error: Box<Diagnostic>, hint: &str) -> Box<Diagnostic> {
    error.hint = Some(hint.to_owned());
    error
}

/// The same error with an action to take, if there is one.
pub(super) fn with_suggestion(error: Box<Diagnostic>, hint: Option<String>) -> Box<Diagnostic> {
    match hint {
        Some(hint) => with_hint(error, &hint),
        None => error,
    }
}

/// `did you mean "…"?`, if one of the candidates is near. Names of one or two letters are near to everything.
pub(super) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let short = name.chars().count() < 3;
    let candidates = candidates.into_iter().filter(|c| !short || c.eq_ignore_ascii_case(name));
    nearest(name, candidates).map(|near| format!("did you mean \"{near}\"?"))
}

/// A name that is in use and cannot be given again.
pub(super) fn already_bound(name: &str, span: Span) -> Box<Diagnostic> {
    let primary = format!("variable \"{name}\" is already bound");
    with_hint(semantic("VariableAlreadyBound", primary, span), "choose another name")
}

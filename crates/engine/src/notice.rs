//! Notices as users see them: words, place, and the same text form as errors.

use std::fmt;

use crate::error::{position, show};

/// What a user should know of a query that is right: a label, type or property that nothing has, or a column
/// that had to become text. It changes no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The kind of notice: `UnknownLabel`, `UnknownRelationshipType`, `UnknownProperty`, `NeverTrue`,
    /// `ShadowedVariable`, `EmptyDatabase`, `ColumnAsText`, or of `COPY … FROM` also `NewName` and
    /// `WithoutEnd`.
    pub detail: &'static str,
    /// What is odd, in one short clause.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The line, from 1; 0 where no place in the text is to blame.
    pub line: usize,
    /// The column, from 1, in characters; 0 where the line is.
    pub column: usize,
    shown: String,
}

impl Notice {
    /// The notices of `text`.
    pub(crate) fn list(notices: &[trimorph_base::Notice], text: &str) -> Vec<Self> {
        let of = |notice: &trimorph_base::Notice| {
            if notice.span.start == notice.span.end {
                let hint = notice.hint.as_deref();
                return Self::of_result(notice.detail, notice.primary.clone(), hint.unwrap_or_default());
            }
            let (line, column) = position(text, notice.span);
            Self {
                detail: notice.detail,
                message: notice.primary.clone(),
                hint: notice.hint.clone(),
                line,
                column,
                shown: show("notice", &notice.primary, Some(notice.span), notice.hint.as_deref(), text),
            }
        };
        notices.iter().map(of).collect()
    }

    /// A notice of a result, which no place in the text is to blame for.
    pub(crate) fn of_result(detail: &'static str, message: String, hint: &str) -> Self {
        let hint = Some(hint).filter(|hint| !hint.is_empty());
        let shown = show("notice", &message, None, hint, "");
        Self { detail, message, hint: hint.map(str::to_owned), line: 0, column: 0, shown }
    }
}

/// `notice: ` and the message, the source line, a caret under the place, and the hint.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

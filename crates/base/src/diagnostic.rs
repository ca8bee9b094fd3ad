//! What went wrong with a text a user wrote: kind, words, hint and place.
//!
//! Wording: `primary` is short, lower case, without a full stop, names the kind of object and quotes it;
//! `hint` is an action. The position is rendered once, in `engine`, with the source line and a caret.

use std::fmt;

use crate::OverBudget;

/// A half-open byte range of the query text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    pub fn join(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// When an error is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Before the first row: lexing, parsing, binding, planning.
    Compile,
    /// While rows flow.
    Runtime,
}

/// The class of an error, named as the openCypher TCK names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the TCK's own")]
pub enum ErrorKind {
    SyntaxError,
    SemanticError,
    ArgumentError,
    TypeError,
    ArithmeticError,
    ParameterMissing,
    ConstraintVerificationFailed,
    ConstraintValidationFailed,
    EntityNotFound,
    PropertyNotFound,
    LabelNotFound,
    ProcedureError,
    Unsupported,
    /// A bug of ours, whatever the text.
    InternalError,
}

impl ErrorKind {
    /// The name as users and the TCK see it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SyntaxError => "SyntaxError",
            Self::SemanticError => "SemanticError",
            Self::ArgumentError => "ArgumentError",
            Self::TypeError => "TypeError",
            Self::ArithmeticError => "ArithmeticError",
            Self::ParameterMissing => "ParameterMissing",
            Self::ConstraintVerificationFailed => "ConstraintVerificationFailed",
            Self::ConstraintValidationFailed => "ConstraintValidationFailed",
            Self::EntityNotFound => "EntityNotFound",
            Self::PropertyNotFound => "PropertyNotFound",
            Self::LabelNotFound => "LabelNotFound",
            Self::ProcedureError => "ProcedureError",
            Self::Unsupported => "Unsupported",
            Self::InternalError => "InternalError",
        }
    }
}

/// One error in a text a user wrote or in its evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The class.
    pub kind: ErrorKind,
    /// Compile or runtime.
    pub phase: Phase,
    /// The TCK's detail word, such as `UndefinedVariable`.
    pub detail: &'static str,
    /// What is wrong, in one short clause.
    pub primary: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Where, if a place in the text is to blame.
    pub span: Option<Span>,
    /// Why the query had to stop, where the text is not to blame.
    pub stop: Option<Stop>,
}

/// What stops a query whose text is not to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A charge that did not fit.
    Memory(OverBudget),
    /// Somebody asked for it.
    Cancelled,
}

impl Diagnostic {
    /// A compile-time error.
    pub fn compile(kind: ErrorKind, detail: &'static str, primary: impl Into<String>) -> Self {
        Self {
            kind,
            phase: Phase::Compile,
            detail,
            primary: primary.into(),
            hint: None,
            span: None,
            stop: None,
        }
    }

    /// Somebody asked for it to stop. Boxed, and never part of its caller: rules that call each other keep
    /// their frames small.
    #[cold]
    #[inline(never)]
    pub fn cancelled() -> Box<Self> {
        let stopped = Self::compile(ErrorKind::SemanticError, "Cancelled", "the query was cancelled");
        Box::new(Self { stop: Some(Stop::Cancelled), ..stopped })
    }

    /// A run-time error.
    pub fn runtime(kind: ErrorKind, detail: &'static str, primary: impl Into<String>) -> Self {
        Self {
            kind,
            phase: Phase::Runtime,
            detail,
            primary: primary.into(),
            hint: None,
            span: None,
            stop: None,
        }
    }

    /// A bug of ours: what cannot be, as far as we know.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::runtime(ErrorKind::InternalError, "InternalError", format!("internal error: {what}"))
            .hint("this is a bug of Trimorph: please report it with the query")
    }

    /// The same with a place, unless it already has one.
    pub fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The same with an action to take.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.primary)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

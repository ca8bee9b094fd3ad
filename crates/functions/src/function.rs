//! What a scalar function is: its name, arguments, result and kernel.

use trimorph_base::{Diagnostic, ErrorKind, arguments_in_words};
use trimorph_types::{LogicalType, Value};

use crate::context::Context;
use crate::error::Answer;
use crate::kernel::{Kernel, TypedKernel};

/// One scalar function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name, in its usual spelling; it is found whatever its case.
    pub name: &'static str,
    /// Fewest arguments.
    pub min_args: usize,
    /// Most arguments; `usize::MAX` if any number.
    pub max_args: usize,
    /// Whether equal arguments give an equal result throughout a statement, so that a constant call can be
    /// folded once the statement's clock stands. `rand` and the `realtime` clocks are not.
    pub deterministic: bool,
    /// Whether it looks at the graph: then it is not folded before the graph is there, but equal arguments
    /// give equal results as long as nothing is written.
    pub reads_graph: bool,
    /// Whether a null argument makes the result null; then `call` is never to be given one (see
    /// [`Self::invoke`]).
    pub null_in_null_out: bool,
    /// The result's type, given the arguments' types.
    pub result: fn(&[LogicalType]) -> LogicalType,
    /// Computes one value. The number of arguments must be right and, if `null_in_null_out`, none may be
    /// null.
    pub call: fn(&Context<'_>, &[Value]) -> Result<Value, Diagnostic>,
    /// How it is computed for a vector.
    pub kernel: Kernel,
    /// One line for users: signature and meaning.
    pub doc: &'static str,
}

impl Function {
    /// A deterministic function of `min_args..=max_args` arguments that is null if one of them is.
    pub(crate) const fn new(
        name: &'static str,
        (min_args, max_args): (usize, usize),
        result: fn(&[LogicalType]) -> LogicalType,
        call: fn(&Context<'_>, &[Value]) -> Answer,
        doc: &'static str,
    ) -> Self {
        let (deterministic, null_in_null_out, kernel) = (true, true, Kernel::General);
        let reads_graph = false;
        Self {
            name,
            min_args,
            max_args,
            deterministic,
            reads_graph,
            null_in_null_out,
            result,
            call,
            kernel,
            doc,
        }
    }

    /// The same, able to look at nulls.
    pub(crate) const fn sees_null(mut self) -> Self {
        self.null_in_null_out = false;
        self
    }

    /// The same, with a kernel over typed vectors.
    pub(crate) const fn typed(mut self, kernel: TypedKernel) -> Self {
        self.kernel = Kernel::Typed(kernel);
        self
    }

    /// The same, with arguments that are evaluated only where those before do not decide.
    pub(crate) const fn by_need(mut self) -> Self {
        self.kernel = Kernel::ByNeed;
        self
    }

    /// The same, by the comparisons of whoever evaluates.
    pub(crate) const fn by_equality(mut self) -> Self {
        self.kernel = Kernel::ByEquality;
        self
    }

    /// The same, looking at the graph.
    pub(crate) const fn of_graph(mut self) -> Self {
        self.reads_graph = true;
        self
    }

    /// The same, different at every call.
    pub(crate) const fn not_deterministic(mut self) -> Self {
        self.deterministic = false;
        self
    }

    /// Calls the function: checks the number of arguments, answers null for a null argument where that is the
    /// rule.
    pub fn invoke(&self, context: &Context<'_>, args: &[Value]) -> Result<Value, Diagnostic> {
        if !self.accepts(args.len()) {
            return Err(self.arity_error(args.len()));
        }
        if self.null_in_null_out && args.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        (self.call)(context, args)
    }

    /// Whether the function can be called with `count` arguments.
    pub const fn accepts(&self, count: usize) -> bool {
        self.min_args <= count && count <= self.max_args
    }

    /// The error for a call with `count` arguments.
    pub fn arity_error(&self, count: usize) -> Diagnostic {
        let expected = arguments_in_words(self.min_args, self.max_args);
        let primary = format!("function \"{}\" takes {expected}, not {count}", self.name);
        Diagnostic::compile(ErrorKind::SyntaxError, "InvalidNumberOfArguments", primary).hint(self.doc)
    }
}

/// Result types that do not depend on the arguments.
pub(crate) mod result {
    use trimorph_types::LogicalType;

    macro_rules! constant {
        ($($name:ident $kind:ident),* $(,)?) => {
            $(pub(crate) fn $name(_: &[LogicalType]) -> LogicalType { LogicalType::$kind })*
        };
    }
    constant!(
        any Any, bool Bool, int Int, float Float, string String, date Date, local_time LocalTime, time Time,
        local_datetime LocalDateTime, datetime DateTime, duration Duration, list List, map Map, node Node,
    );

    /// The type of the first argument.
    pub(crate) fn first(args: &[LogicalType]) -> LogicalType {
        args.first().copied().unwrap_or(LogicalType::Any)
    }
}

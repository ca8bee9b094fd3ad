//! Procedures: what `CALL` may name. A binder looks a name up in [`Procedures`] and puts what it finds into
//! the plan; an executor calls it for each row. A plan keeps the procedure it was bound to.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, Span};
use trimorph_types::Value;

use crate::{Expr, FieldType, UserFunction, VarId};

/// An input or output of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// What it may be.
    pub ty: FieldType,
}

/// A procedure's name, what it takes and what columns its rows have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name with its namespace.
    pub name: Arc<str>,
    /// Inputs, in the order of arguments.
    pub inputs: Vec<Field>,
    /// Outputs, in the order of a row's values.
    pub outputs: Vec<Field>,
}

impl Signature {
    /// Whether the procedure gives no columns. It is called for its effect, and the row it is called for
    /// stays.
    pub fn is_void(&self) -> bool {
        self.outputs.is_empty()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = |fields: &[Field]| {
            fields
                .iter()
                .map(|field| format!("{} :: {}", field.name, field.ty))
                .collect::<Vec<_>>()
                .join(", ")
        };
        write!(f, "{}({}) :: ({})", self.name, fields(&self.inputs), fields(&self.outputs))
    }
}

/// The rows of one call, each with a value for every output.
pub type ProcedureRows = Box<dyn Iterator<Item = Arc<[Value]>> + Send>;

/// A procedure.
pub trait Procedure: fmt::Debug + Send + Sync {
    /// Its signature.
    fn signature(&self) -> &Signature;

    /// The rows for these arguments, of which there is one for every input, of the declared type.
    ///
    /// **Errors**: what is wrong with the arguments beyond their types.
    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic>;

    /// The same of what takes a while, and ends early where `cancel` says so.
    ///
    /// **Errors**: as [`Self::call`]; that it was stopped.
    fn call_until(&self, arguments: &[Value], _: &CancelToken) -> Result<ProcedureRows, Diagnostic> {
        self.call(arguments)
    }

    /// The same where it tells of the graph: what the query sees that calls it is `seen`, the snapshot, as
    /// the executor and who offers the procedure know it.
    ///
    /// **Errors**: as [`Self::call_until`].
    fn call_within(
        &self,
        arguments: &[Value],
        cancel: &CancelToken,
        _seen: &dyn Any,
    ) -> Result<ProcedureRows, Diagnostic> {
        self.call_until(arguments, cancel)
    }
}

/// Procedures and the program's own functions, by name. A table is never changed once plans are bound to it:
/// a changed copy takes its place.
#[derive(Clone, Debug, Default)]
pub struct Procedures {
    procedures: BTreeMap<Arc<str>, Arc<dyn Procedure>>,
    /// By their names in lower case.
    functions: BTreeMap<String, Arc<dyn UserFunction>>,
}

impl Procedures {
    /// The procedure of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Procedure>> {
        self.procedures.get(name)
    }

    /// Adds a procedure under its name, in the place of one that has it.
    pub fn insert(&mut self, procedure: Arc<dyn Procedure>) {
        self.procedures.insert(Arc::clone(&procedure.signature().name), procedure);
    }

    /// Takes the procedure of this name out.
    pub fn remove(&mut self, name: &str) -> Option<Arc<dyn Procedure>> {
        self.procedures.remove(name)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.procedures.keys().map(AsRef::as_ref)
    }

    /// The function of this name, whatever its case.
    pub fn function(&self, name: &str) -> Option<&Arc<dyn UserFunction>> {
        if self.functions.is_empty() { None } else { self.functions.get(&name.to_lowercase()) }
    }

    /// Adds a function under its name, in the place of one that has it.
    pub fn insert_function(&mut self, function: Arc<dyn UserFunction>) {
        self.functions.insert(function.name().to_lowercase(), function);
    }

    /// Takes the function of this name out.
    pub fn remove_function(&mut self, name: &str) -> Option<Arc<dyn UserFunction>> {
        self.functions.remove(&name.to_lowercase())
    }

    /// The names of all functions, as they were given.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.values().map(|function| function.name())
    }
}

/// A call of a procedure for each input row.
#[derive(Clone, Debug)]
pub struct ProcedureCall {
    /// The procedure.
    pub procedure: Arc<dyn Procedure>,
    /// A value for every input, over the input's variables.
    pub arguments: Vec<Expr>,
    /// Columns of the procedure's rows and the variables that hold them.
    pub outputs: Vec<(usize, VarId)>,
    /// The call's place in the text.
    pub span: Span,
}

//! Functions of a program's own, called by their names in openCypher: a closure over columns of values in, a
//! function that plans may call out.
//!
//! They belong to the database while it is open, for all its connections, and are not kept in its files.
//! Plans are bound to the table of functions that there is; a changed table takes its place, and plans made
//! with the old one are made again.

use std::fmt;
use std::sync::Arc;

use trimorph_algebra::{FUNCTION_FAILED, FieldType, UserFunction};
use trimorph_base::{CancelToken, Diagnostic, ErrorKind};
use trimorph_functions::aggregate::AggregateFunction;
use trimorph_types::{LogicalType, Value};

use crate::running_functions::Running;
use crate::{Connection, Error};

/// What a function does: columns of arguments, and how many rows they have, in; a value for each row out.
pub type FunctionBody =
    dyn Fn(&[Vec<Value>], usize, &CancelToken) -> Result<Vec<Value>, Diagnostic> + Send + Sync;

/// A function of a program's own.
///
/// ```
/// use trimorph::{Config, Database, ScalarFunction, Value};
///
/// # fn main() -> Result<(), trimorph::Error> {
/// let connection = Database::in_memory(Config::default()).connect();
/// let twice = ScalarFunction::of_one("twice", |value| match value {
///     Value::Int(i) => Ok(Value::Int(i.wrapping_mul(2))),
///     other => Err(format!("{other:?} is no integer")),
/// });
/// connection.create_function(twice)?;
/// let (six,): (i64,) = connection.query("RETURN twice(3) AS six", &[])?.one()?;
/// assert_eq!(six, 6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ScalarFunction {
    /// Its name, found whatever its case; dots are part of it.
    pub name: String,
    /// The types of its arguments as procedures declare them (`INTEGER`, `LIST<STRING>`, `ANY`); none for any
    /// arguments, as many as [`Self::arguments`] says.
    pub parameters: Option<Vec<String>>,
    /// Fewest and most arguments, where no types are declared.
    pub arguments: (usize, usize),
    /// The type of what it gives, as for arguments; none if it may give anything.
    pub returns: Option<String>,
    /// Whether it is called for rows with a null among the arguments; else they give null.
    pub sees_nulls: bool,
    /// Whether equal arguments may give another result at another time.
    pub is_volatile: bool,
    /// What it does.
    pub body: Arc<FunctionBody>,
}

impl ScalarFunction {
    /// A function of any arguments.
    pub fn new(
        name: impl Into<String>,
        body: impl Fn(&[Vec<Value>], usize, &CancelToken) -> Result<Vec<Value>, Diagnostic>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            parameters: None,
            arguments: (0, usize::MAX),
            returns: None,
            sees_nulls: false,
            is_volatile: false,
            body: Arc::new(body),
        }
    }

    /// A function of one argument, value by value; what it fails with is the query's error.
    pub fn of_one(
        name: impl Into<String>,
        body: impl Fn(&Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let called = name.clone();
        let all = move |columns: &[Vec<Value>], _: usize, cancel: &CancelToken| {
            let mut out = Vec::new();
            for value in columns.iter().flatten() {
                if cancel.is_cancelled() {
                    return Err(*Diagnostic::cancelled());
                }
                out.push(body(value).map_err(|why| function_failed(&called, &why))?);
            }
            Ok(out)
        };
        Self { arguments: (1, 1), ..Self::new(name, all) }
    }
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalarFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The error of a query whose function failed.
pub fn function_failed(name: &str, why: &str) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ProcedureError, FUNCTION_FAILED, format!("function \"{name}\": {why}"))
}

/// A function as plans call it.
struct Registered {
    function: ScalarFunction,
    parameters: Option<Vec<FieldType>>,
    returns: FieldType,
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}

fn wrong(primary: String) -> Error {
    Error::query(Diagnostic::compile(ErrorKind::ArgumentError, "InvalidFunction", primary), "")
}

fn type_of(text: &str, function: &str) -> Result<FieldType, Error> {
    // Null is let through where it is looked at at all.
    let found = FieldType::parse(text).map(|ty| FieldType { nullable: true, ..ty });
    found.ok_or_else(|| {
        let known = "BOOLEAN, INTEGER, FLOAT, NUMBER, DECIMAL, STRING, DATE, TIME, LOCALTIME, DATETIME, LOCALDATETIME, DURATION, MAP, LIST<…>, ANY";
        wrong(format!("function \"{function}\": there is no type \"{text}\"; there are {known}"))
    })
}

impl Registered {
    fn new(function: ScalarFunction) -> Result<Self, Error> {
        let name = &function.name;
        let is_part = |part: &str| {
            let mut letters = part.chars();
            letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
                && letters.all(|c| c.is_alphanumeric() || c == '_')
        };
        if !name.split('.').all(is_part) {
            return Err(wrong(format!(
                "\"{name}\" is no name of a function: letters, digits and _, with dots between"
            )));
        }
        let is_aggregate = AggregateFunction::NAMED.iter().any(|f| f.name().eq_ignore_ascii_case(name));
        let is_syntax = ["exists", "all", "any", "none", "single", "reduce", "count", "collect", "case"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(name));
        if trimorph_functions::lookup(name).is_some() || is_aggregate || is_syntax {
            return Err(wrong(format!(
                "function \"{name}\" is there already, as one of openCypher's; take another name"
            )));
        }
        let parameters = function
            .parameters
            .as_ref()
            .map(|all| all.iter().map(|text| type_of(text, name)).collect::<Result<Vec<_>, _>>());
        let parameters = parameters.transpose()?;
        let returns = function.returns.as_deref().map_or(Ok(FieldType::ANY), |text| type_of(text, name))?;
        Ok(Self { function, parameters, returns })
    }

    /// A value as its declared type has it.
    fn checked(&self, value: Value, ty: &FieldType, what: &dyn Fn() -> String) -> Result<Value, Diagnostic> {
        if *ty == FieldType::ANY {
            return Ok(value);
        }
        ty.assign(&value).ok_or_else(|| {
            let (name, found) = (&self.function.name, value.logical_type());
            let text = format!("function \"{name}\": {} is {found}, not {ty}", what());
            Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text)
        })
    }
}

impl UserFunction for Registered {
    fn name(&self) -> &str {
        &self.function.name
    }

    fn arguments(&self) -> (usize, usize) {
        match &self.parameters {
            Some(all) => (all.len(), all.len()),
            None => self.function.arguments,
        }
    }

    fn result(&self) -> LogicalType {
        self.returns.logical()
    }

    fn is_volatile(&self) -> bool {
        self.function.is_volatile
    }

    fn call(
        &self,
        arguments: &[Vec<Value>],
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Value>, Diagnostic> {
        let has_null = |row: &usize| arguments.iter().any(|column| column[*row].is_null());
        let meant: Vec<usize> = match self.function.sees_nulls {
            true => (0..rows).collect(),
            false => (0..rows).filter(|row| !has_null(row)).collect(),
        };
        let mut out = vec![Value::Null; rows];
        if meant.is_empty() {
            return Ok(out);
        }
        let mut columns = Vec::with_capacity(arguments.len());
        for (place, column) in arguments.iter().enumerate() {
            let mut taken = Vec::with_capacity(meant.len());
            for row in &meant {
                let value = column[*row].clone();
                taken.push(match self.parameters.as_ref().and_then(|all| all.get(place)) {
                    Some(ty) => self.checked(value, ty, &|| format!("argument {}", place + 1))?,
                    None => value,
                });
            }
            columns.push(taken);
        }
        let values = {
            let _running = Running::new();
            (self.function.body)(&columns, meant.len(), cancel)?
        };
        if values.len() != meant.len() {
            let why = format!("it gave {} values for {} rows", values.len(), meant.len());
            return Err(function_failed(&self.function.name, &why));
        }
        for (row, value) in meant.into_iter().zip(values) {
            out[row] = self.checked(value, &self.returns, &|| "what it gave".to_owned())?;
        }
        Ok(out)
    }
}

impl Connection {
    /// Gives the database a function of the program's own, in the place of one of its name, for all
    /// connections and while it is open.
    ///
    /// **Errors**: a name that openCypher has, or that is none; a type that there is not.
    pub fn create_function(&self, function: ScalarFunction) -> Result<(), Error> {
        let registered = Registered::new(function)?;
        self.shared().procedures.insert_function(Arc::new(registered));
        Ok(())
    }

    /// Takes a function away that the program gave; whether there was one.
    pub fn remove_function(&self, name: &str) -> bool {
        self.shared().procedures.remove_function(name)
    }
}

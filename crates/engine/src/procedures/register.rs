//! `tck.register(name, inputs, outputs, rows)` and `tck.unregister(name)`: procedures by which a test makes
//! procedures of its own.
//!
//! Inputs and outputs are lists of `[name, type]`; a row has a value for each input and then for each output.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use trimorph_algebra::{Content, Field, FieldType, Procedure, ProcedureRows, Signature};
use trimorph_base::{Diagnostic, ErrorKind, MemoryBudget, OverBudget, Reservation, Stop};
use trimorph_types::{LogicalType, Value};

use super::registry::Registry;
use super::table::Table;

const REGISTER: &str = "tck.register";
const UNREGISTER: &str = "tck.unregister";

/// Longest name and longest type of a procedure or column: they stand in messages.
const NAME_BYTES_MAX: usize = 1000;

/// Most inputs and most outputs.
const FIELDS_MAX: usize = 1000;

/// Bytes that a row is charged with besides its values: two vectors, their place in the table.
const ROW_BYTES: u64 = 160;

/// `tck.register`.
#[derive(Debug)]
pub(super) struct Register {
    signature: Signature,
    registry: Weak<Registry>,
    budget: MemoryBudget,
}

/// `tck.unregister`.
#[derive(Debug)]
pub(super) struct Unregister {
    signature: Signature,
    registry: Weak<Registry>,
}

impl Register {
    pub(super) fn new(registry: &Arc<Registry>, budget: MemoryBudget) -> Self {
        let list = || Content::List(Box::new(FieldType::ANY));
        let inputs = [
            ("name", Content::Plain(LogicalType::String)),
            ("inputs", list()),
            ("outputs", list()),
            ("rows", list()),
        ];
        Self { signature: effect(REGISTER, inputs), registry: Arc::downgrade(registry), budget }
    }

    /// The procedure that the arguments describe.
    fn table(
        &self,
        name: &str,
        inputs: &Value,
        outputs: &Value,
        rows: &[Value],
    ) -> Result<Table, Diagnostic> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX || [REGISTER, UNREGISTER].contains(&name) {
            return Err(invalid("a procedure cannot have this name")
                .hint("give one of 1 to 1000 bytes that no procedure of the system has"));
        }
        let signature = Signature {
            name: name.into(),
            inputs: fields(inputs, "input")?,
            outputs: fields(outputs, "output")?,
        };
        let mut held = self.budget.reservation();
        let mut checked = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            checked.push(row_of(&signature, row, index + 1, &mut held)?);
        }
        Ok(Table::new(signature, checked, held))
    }
}

impl Procedure for Register {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        let [Value::String(name), inputs, outputs, Value::List(rows)] = arguments else {
            return Err(invalid("a procedure is registered by a name and three lists"));
        };
        let table = self.table(name, inputs, outputs, rows)?;
        open(&self.registry)?.insert(Arc::new(table));
        Ok(Box::new(std::iter::empty()))
    }
}

impl Unregister {
    pub(super) fn new(registry: &Arc<Registry>) -> Self {
        let inputs = [("name", Content::Plain(LogicalType::String))];
        Self { signature: effect(UNREGISTER, inputs), registry: Arc::downgrade(registry) }
    }
}

impl Procedure for Unregister {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        let [Value::String(name)] = arguments else {
            return Err(invalid("a procedure is unregistered by its name"));
        };
        if [REGISTER, UNREGISTER].contains(&&**name) {
            return Err(invalid(format!("procedure \"{name}\" cannot be taken away")));
        }
        if !open(&self.registry)?.remove(name) {
            let primary = match name.len() <= NAME_BYTES_MAX {
                true => format!("procedure \"{name}\" is not known"),
                false => "no procedure has a name so long".to_owned(),
            };
            return Err(Diagnostic::runtime(ErrorKind::ProcedureError, "ProcedureNotFound", primary));
        }
        Ok(Box::new(std::iter::empty()))
    }
}

/// The signature of a procedure that gives nothing.
fn effect<const N: usize>(name: &str, inputs: [(&str, Content); N]) -> Signature {
    let inputs = inputs.map(|(name, content)| Field { name: name.into(), ty: FieldType::required(content) });
    Signature { name: name.into(), inputs: inputs.into(), outputs: Vec::new() }
}

fn open(registry: &Weak<Registry>) -> Result<Arc<Registry>, Diagnostic> {
    registry.upgrade().ok_or_else(|| {
        Diagnostic::runtime(ErrorKind::ProcedureError, "DatabaseClosed", "the database is closed")
    })
}

fn invalid(primary: impl Into<String>) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentValue", primary)
}

fn over_budget(over: OverBudget) -> Diagnostic {
    let error = Diagnostic::runtime(ErrorKind::Unsupported, "MemoryLimitExceeded", over.to_string());
    Diagnostic { stop: Some(Stop::Memory(over)), ..error }
}

/// The fields of a list of `[name, type]`. No two have the same name.
fn fields(list: &Value, what: &str) -> Result<Vec<Field>, Diagnostic> {
    let Value::List(items) = list else {
        return Err(invalid(format!("the {what}s of a procedure must be a list")));
    };
    if items.len() > FIELDS_MAX {
        return Err(invalid(format!("a procedure has at most {FIELDS_MAX} {what}s")));
    }
    let mut names = HashSet::new();
    let mut fields = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let number = index + 1;
        let pair = match item {
            Value::List(pair) => pair.as_slice(),
            _ => &[],
        };
        let [Value::String(name), Value::String(ty)] = pair else {
            return Err(invalid(format!("{what} {number} of the procedure is no name with a type"))
                .hint("give a list of pairs such as [['id', 'INTEGER?']]"));
        };
        if name.is_empty() || name.len() > NAME_BYTES_MAX || ty.len() > NAME_BYTES_MAX {
            let primary = format!("{what} {number} of the procedure has no name and type of 1 to 1000 bytes");
            return Err(invalid(primary));
        }
        let Some(read) = FieldType::parse(ty) else {
            return Err(invalid(format!("type \"{ty}\" of {what} \"{name}\" is not known")).hint(
                "types are STRING, INTEGER, FLOAT, NUMBER, BOOLEAN and so on, with ? where null may be",
            ));
        };
        if !names.insert(name) {
            return Err(invalid(format!("two {what}s of the procedure are called \"{name}\"")));
        }
        fields.push(Field { name: name.clone(), ty: read });
    }
    Ok(fields)
}

/// The inputs and the outputs of a row, which is the `number`th. What it takes is charged.
fn row_of(
    signature: &Signature,
    row: &Value,
    number: usize,
    held: &mut Reservation,
) -> Result<(Vec<Value>, Vec<Value>), Diagnostic> {
    let Value::List(values) = row else {
        return Err(invalid(format!("row {number} of the procedure is no list")));
    };
    let columns = signature.inputs.len() + signature.outputs.len();
    if values.len() != columns {
        let primary = format!("row {number} of the procedure has {} values, not {columns}", values.len());
        return Err(invalid(primary));
    }
    let bytes = row.extent().bytes.saturating_add(ROW_BYTES);
    held.grow(usize::try_from(bytes).unwrap_or(usize::MAX)).map_err(over_budget)?;
    let (inputs, outputs) = values.split_at(signature.inputs.len());
    Ok((assigned(&signature.inputs, inputs, number)?, assigned(&signature.outputs, outputs, number)?))
}

/// Values as their fields declare them.
fn assigned(fields: &[Field], values: &[Value], number: usize) -> Result<Vec<Value>, Diagnostic> {
    let assign = |(field, value): (&Field, &Value)| {
        field.ty.assign(value).ok_or_else(|| {
            let given = if value.is_null() { "null" } else { value.logical_type().name() };
            invalid(format!("column \"{}\" of row {number} is {}, not {given}", field.name, field.ty))
        })
    };
    fields.iter().zip(values).map(assign).collect()
}

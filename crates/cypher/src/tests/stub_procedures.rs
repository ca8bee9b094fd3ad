//! Procedures of a signature and without rows, for tests of the binder.

use std::sync::Arc;

use trimorph_algebra::{Field, FieldType, Procedure, ProcedureRows, Procedures, Signature};
use trimorph_base::Diagnostic;
use trimorph_types::Value;

#[derive(Debug)]
struct Stub(Signature);

impl Procedure for Stub {
    fn signature(&self) -> &Signature {
        &self.0
    }

    fn call(&self, _arguments: &[Value]) -> Result<ProcedureRows, Diagnostic> {
        Ok(Box::new(std::iter::empty()))
    }
}

/// Procedures declared as the TCK does: `name(input :: TYPE, …) :: (output :: TYPE, …)`.
pub(super) fn declared<T: AsRef<str>>(declarations: &[T]) -> Procedures {
    let mut procedures = Procedures::default();
    for declaration in declarations {
        procedures.insert(Arc::new(Stub(signature(declaration.as_ref()).expect("a declaration"))));
    }
    procedures
}

fn signature(declaration: &str) -> Option<Signature> {
    let (name, rest) = declaration.split_once('(')?;
    let (inputs, rest) = rest.split_once(')')?;
    let (_, outputs) = rest.split_once('(')?;
    let (outputs, _) = outputs.split_once(')')?;
    Some(Signature { name: name.trim().into(), inputs: fields(inputs)?, outputs: fields(outputs)? })
}

fn fields(text: &str) -> Option<Vec<Field>> {
    let written = text.split(',').filter(|field| !field.trim().is_empty());
    let field = |field: &str| {
        let (name, ty) = field.split_once("::")?;
        Some(Field { name: name.trim().into(), ty: FieldType::parse(ty)? })
    };
    written.map(field).collect()
}

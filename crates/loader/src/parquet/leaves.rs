//! The columns of a Parquet file in, those that properties can hold out: a struct is its fields, each named
//! with a dot, `home.city`, because no property holds a map.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Fields};

use crate::arrays::parse_of;
use crate::plan::Parse;

/// Structs within structs that are looked into.
const DEPTH_MAX: usize = 16;

/// A column: the place of the outermost, and those of fields within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) root: usize,
    pub(crate) path: Vec<usize>,
    pub(crate) parse: Parse,
}

/// The columns of a schema. Those that `is_skipped` names are skipped as a whole.
///
/// **Errors**: a column, and its type, that no property holds.
pub(super) fn leaves(
    fields: &Fields,
    is_skipped: &dyn Fn(&str) -> bool,
) -> Result<Vec<Leaf>, (String, String)> {
    let mut out = Vec::new();
    for (root, field) in fields.iter().enumerate() {
        add(field.name().clone(), field.data_type(), (root, Vec::new()), is_skipped, &mut out)?;
    }
    Ok(out)
}

fn add(
    name: String,
    kind: &DataType,
    (root, path): (usize, Vec<usize>),
    is_skipped: &dyn Fn(&str) -> bool,
    out: &mut Vec<Leaf>,
) -> Result<(), (String, String)> {
    if is_skipped(&name) {
        out.push(Leaf { name, root, path, parse: Parse::Skip });
        return Ok(());
    }
    if let DataType::Struct(fields) = kind
        && path.len() < DEPTH_MAX
    {
        for (place, field) in fields.iter().enumerate() {
            let within = path.iter().copied().chain([place]).collect();
            add(format!("{name}.{}", field.name()), field.data_type(), (root, within), is_skipped, out)?;
        }
        return Ok(());
    }
    match parse_of(kind) {
        Some(parse) => {
            out.push(Leaf { name, root, path, parse });
            Ok(())
        }
        None => Err((name, kind.to_string())),
    }
}

/// The field at a path within a column; null where one of the structs around it is.
///
/// **Errors**: the array is not of the type that was promised.
pub(super) fn leaf_of(column: &ArrayRef, path: &[usize]) -> Result<ArrayRef, String> {
    let mut found = column.clone();
    for place in path {
        let outer = found.as_struct_opt().ok_or("column is no struct")?;
        let inner = outer.columns().get(*place).ok_or("a struct lacks a field")?;
        let nulls = NullBuffer::union(outer.nulls(), inner.nulls());
        let data = inner.to_data().into_builder().nulls(nulls).build().map_err(|e| e.to_string())?;
        found = make_array(data);
    }
    Ok(found)
}

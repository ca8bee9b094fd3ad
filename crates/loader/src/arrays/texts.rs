//! Arrow's texts and bytes in; texts end to end, IRIs and bytes out.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayAccessor};
use arrow_schema::DataType;
use trimorph_store::bulk::ColumnData;
use trimorph_types::Value;

use crate::parse::parse_iri;
use crate::shown::shown;

/// Calls `one` with the text of each row, `None` where it is null.
fn each_text<'a>(array: &'a dyn Array, one: &mut dyn FnMut(Option<&'a str>)) -> Result<(), String> {
    fn all<'a, A: ArrayAccessor<Item = &'a str>>(array: A, one: &mut dyn FnMut(Option<&'a str>)) {
        for row in 0..array.len() {
            one(array.is_valid(row).then(|| array.value(row)));
        }
    }
    let what = || format!("column holds {}, not text", array.data_type());
    match array.data_type() {
        DataType::LargeUtf8 => all(array.as_string_opt::<i64>().ok_or_else(what)?, one),
        DataType::Utf8View => all(array.as_string_view_opt().ok_or_else(what)?, one),
        _ => all(array.as_string_opt::<i32>().ok_or_else(what)?, one),
    }
    Ok(())
}

pub(super) fn strings(array: &dyn Array) -> Result<ColumnData, String> {
    let mut bytes = Vec::new();
    let mut ends = Vec::with_capacity(array.len());
    let mut is_too_long = false;
    each_text(array, &mut |text| {
        bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        ends.push(u32::try_from(bytes.len()).unwrap_or_else(|_| {
            is_too_long = true;
            0
        }));
    })?;
    if is_too_long {
        return Err("more than 4 GiB of text in one piece".to_owned());
    }
    Ok(ColumnData::String { bytes, ends })
}

pub(super) fn iris(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let mut values = Vec::with_capacity(array.len());
    each_text(array, &mut |text| {
        let iri = text.map(|text| (text, parse_iri(text.as_bytes())));
        values.push(match iri {
            None => Value::Null,
            Some((_, Some(iri))) => Value::Iri(iri.into()),
            Some((text, None)) => {
                fail(values.len(), &format!("\"{}\" is not a valid IRI", shown(text.as_bytes())));
                Value::Null
            }
        });
    })?;
    Ok(values)
}

pub(super) fn bytes(array: &dyn Array) -> Result<Vec<Value>, String> {
    fn all<'a>(array: impl ArrayAccessor<Item = &'a [u8]>) -> Vec<Value> {
        let one = |row| if array.is_null(row) { Value::Null } else { Value::Bytes(array.value(row).into()) };
        (0..array.len()).map(one).collect()
    }
    let what = || format!("column holds {}, not bytes", array.data_type());
    Ok(match array.data_type() {
        DataType::LargeBinary => all(array.as_binary_opt::<i64>().ok_or_else(what)?),
        DataType::BinaryView => all(array.as_binary_view_opt().ok_or_else(what)?),
        DataType::FixedSizeBinary(_) => all(array.as_fixed_size_binary_opt().ok_or_else(what)?),
        _ => all(array.as_binary_opt::<i32>().ok_or_else(what)?),
    })
}

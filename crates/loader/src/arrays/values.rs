//! Arrow arrays in, general values out: also structs and maps, which no property holds but a parameter does.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use trimorph_types::{Shape, Value};

use super::{DEPTH_MAX, convert, items_of, parse_of, unencoded, value_at};

/// Most values of an array that has no memory for each of them, so that a few bytes do not take all there is.
const REPEATED_MAX: usize = 1 << 24;

/// The values of an array: structs and maps are maps.
///
/// **Errors**: a type that no value has; a number that does not fit; an array that breaks Arrow's rules.
pub fn values_of(array: &dyn Array) -> Result<Vec<Value>, String> {
    array.to_data().validate_full().map_err(|e| e.to_string())?;
    values_within(array, 0)
}

fn values_within(array: &dyn Array, depth: usize) -> Result<Vec<Value>, String> {
    if depth > DEPTH_MAX {
        return Err(format!("values are nested deeper than {DEPTH_MAX} levels"));
    }
    let is_repeated = matches!(array.data_type(), DataType::Null | DataType::RunEndEncoded(..));
    if is_repeated && array.len() > REPEATED_MAX {
        return Err(format!("{} nulls or values in runs are more than {REPEATED_MAX}", array.len()));
    }
    let unless_null = |row: usize, value: Value| if array.is_null(row) { Value::Null } else { value };
    match array.data_type() {
        DataType::Null => Ok(vec![Value::Null; array.len()]),
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
            let plain = unencoded::of(array)?.ok_or("it is not encoded")?;
            values_within(plain.as_ref(), depth + 1)
        }
        DataType::Struct(fields) => {
            let shape = Shape::new(fields.iter().map(|field| field.name().as_str().into()).collect());
            let columns = array.as_struct().columns().iter();
            let columns = columns.map(|column| values_within(column.as_ref(), depth + 1));
            let maps = shape.maps(columns.collect::<Result<_, _>>()?, array.len()).enumerate();
            Ok(maps.map(|(row, map)| unless_null(row, Value::map(map))).collect())
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            let keys = values_within(maps.keys().as_ref(), depth + 1)?;
            let values = values_within(maps.values().as_ref(), depth + 1)?;
            let mut out = Vec::with_capacity(array.len());
            for (row, ends) in maps.value_offsets().windows(2).enumerate() {
                let [from, to] = ends else { continue };
                let range = usize::try_from(*from).unwrap_or(0)..usize::try_from(*to).unwrap_or(0);
                let mut entries = Vec::with_capacity(range.len());
                for (key, value) in keys[range.clone()].iter().zip(&values[range]) {
                    let Value::String(key) = key else { return Err("keys of a map must be texts".into()) };
                    entries.push((Arc::clone(key), value.clone()));
                }
                out.push(unless_null(row, Value::map(entries.into_iter().collect())));
            }
            Ok(out)
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            let (items, ends) = items_of(array).ok_or("it is no list")?;
            let items = values_within(items.as_ref(), depth + 1)?;
            let mut start = 0;
            let mut out = Vec::with_capacity(array.len());
            for (row, end) in ends.into_iter().enumerate() {
                out.push(unless_null(row, Value::list(items[start..end].to_vec())));
                start = end;
            }
            Ok(out)
        }
        kind => {
            let parse = parse_of(kind).ok_or_else(|| format!("values of type {kind} are not supported"))?;
            let mut bad = vec![None; array.len()];
            let column = convert(array, parse, "", &mut bad)?;
            if let Some((row, why)) = bad.iter().enumerate().find_map(|(row, why)| Some((row, why.as_ref()?)))
            {
                return Err(format!("row {row}: {}", why.trim_start_matches("column \"\": ")));
            }
            Ok((0..array.len()).map(|row| value_at(&column, row)).collect())
        }
    }
}

//! Settled types in, what users should know of them out: values that had to become text.

use trimorph_types::LogicalType;

use super::column_type::ColumnType;
use crate::Notice;

/// Notices of one column.
const NOTICES_MAX: usize = 3;

/// What a column of this type shows as text. In answers of SPARQL terms of all kinds are one column, and
/// their texts are no surprise.
pub(super) fn notices(name: &str, ty: &ColumnType, has_terms: bool) -> Vec<Notice> {
    if has_terms && *ty == ColumnType::Text {
        return Vec::new();
    }
    let mut out = Vec::new();
    find(ty, &mut Vec::new(), &mut |path, of| {
        if out.len() < NOTICES_MAX {
            out.push(notice(name, path, of));
        }
    });
    out
}

/// Calls `visit` for each part that is text, with the way to it; the type is `Any` where there are several.
fn find(ty: &ColumnType, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String], LogicalType)) {
    match ty {
        ColumnType::Spelled(of) => visit(path, *of),
        ColumnType::Text => visit(path, LogicalType::Any),
        _ => ty.for_each_part(&mut |part, of| {
            path.push(part.to_owned());
            find(of, path, visit);
            path.pop();
        }),
    }
}

fn notice(name: &str, path: &[String], of: LogicalType) -> Notice {
    use LogicalType::{Any, Date, Decimal, Duration, List, Map, Node, Path, Relationship, Time};
    let place = match path {
        [] => format!("column \"{name}\" is text"),
        _ => format!("column \"{name}\" has text for its {}", path.join(".")),
    };
    let why = match of {
        Any => "values are of several types".to_owned(),
        List | Map | Node | Relationship | Path => {
            format!("its {} values are nested too deep or have too many keys", of.name())
        }
        _ => format!("no Arrow type holds all its {} values", of.name()),
    };
    let hint = match of {
        Any => "convert them in the query, such as with toString() or toFloat()",
        Date => "choose dates within 5 million years of 1970",
        Duration => "those of months have no length: take their parts, d.months, d.days and d.seconds",
        Decimal => "convert them in the query, such as with toFloat()",
        Time => "take localtime(t) and t.offset",
        List | Map | Node | Relationship | Path => "take the parts that are needed, or fetch rows",
        _ => "cut their fractions of a second, as with datetime.truncate('microsecond', t)",
    };
    Notice::of_result("ColumnAsText", format!("{place}: {why}"), hint)
}

//! Labels of a row that has others than its table: takes their names, gives the text that the column of
//! labels keeps of them, and back.
//!
//! Each name is followed by the character U+0001; where a name has that, or U+0002, these are written as
//! U+0002 and U+0003, and as U+0002 twice. So a row without labels has the empty text, and a text is a
//! column's best kept kind: rows of the same few labels are codes of a dictionary, and names that differ in a
//! number share their symbols. Files of format version 10 have lists of texts instead; such a column stays
//! one of lists.

use std::sync::Arc;

use trimorph_types::{LogicalType, Value};

const END: char = '\u{1}';
const ESCAPE: char = '\u{2}';
/// Behind [`ESCAPE`]: stands for [`END`].
const ESCAPED_END: char = '\u{3}';

/// Whether a list of names, each once, has the labels of the table, `own`, and no others.
pub(crate) fn are_own(labels: &Value, own: &[Arc<str>]) -> bool {
    let Value::List(names) = labels else { return false };
    let is_own = |name: &Value| matches!(name, Value::String(name) if own.contains(name));
    names.len() == own.len() && names.iter().all(is_own)
}

/// Makes of a list of names what a column of a type keeps of it; null is that the row has its table's labels.
pub(crate) fn store(labels: &mut Value, ty: LogicalType) {
    let (Value::List(names), LogicalType::String) = (&*labels, ty) else { return };
    let mut text = String::new();
    for name in names.iter() {
        let Value::String(name) = name else { continue };
        write(name, &mut text);
    }
    *labels = Value::string(text);
}

/// The text of some names.
pub(crate) fn text_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut text = String::new();
    names.into_iter().for_each(|name| write(name, &mut text));
    text
}

fn write(name: &str, text: &mut String) {
    for c in name.chars() {
        match c {
            END => text.extend([ESCAPE, ESCAPED_END]),
            ESCAPE => text.extend([ESCAPE, ESCAPE]),
            _ => text.push(c),
        }
    }
    text.push(END);
}

/// The names that a value of the column of labels stands for; none where the row has its table's labels.
pub fn row_labels(value: &Value) -> Option<Vec<Arc<str>>> {
    match value {
        Value::String(text) => Some(text.split_terminator(END).map(name).collect()),
        Value::List(names) => {
            let text = |name: &Value| match name {
                Value::String(name) => Some(Arc::clone(name)),
                _ => None,
            };
            Some(names.iter().filter_map(text).collect())
        }
        _ => None,
    }
}

fn name(written: &str) -> Arc<str> {
    if !written.contains(ESCAPE) {
        return written.into();
    }
    let (mut name, mut chars) = (String::with_capacity(written.len()), written.chars());
    while let Some(c) = chars.next() {
        match c {
            ESCAPE if chars.next() == Some(ESCAPED_END) => name.push(END),
            // An escape stands twice for itself.
            c => name.push(c),
        }
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use trimorph_vfs::RegionOptions;

    use super::*;
    use crate::column::{Column, ColumnView};
    use crate::{Main, NodeChanges};

    fn list(names: &[&str]) -> Value {
        Value::list(names.iter().map(|name| Value::string(*name)).collect())
    }

    /// A column of lists, as older files have it, goes on as one; any other is of texts.
    #[test]
    fn columns_of_older_files_go_on() {
        for ty in [LogicalType::List, LogicalType::String] {
            let mut main = Main::default();
            let table = main.add_node_table(Vec::new());
            if ty == LogicalType::List {
                let of_lists = Column::new(ty, Vec::new(), Default::default(), None);
                Arc::make_mut(&mut main.node_tables[0]).labels = Some(Arc::new(of_lists));
            }
            let mut model: BTreeMap<u64, Vec<String>> = BTreeMap::new();
            for round in 0..4 {
                let came: Vec<u64> = (round * 2_000..(round + 1) * 2_000).collect();
                // Some rows of before get others, some lose what they had.
                let mut written = BTreeMap::new();
                for row in (round..(round + 1) * 2_000).step_by(7) {
                    let names = [format!("L{}", row % 50), format!("R{round}")];
                    written.insert(row, names[..(row % 3) as usize].to_vec());
                }
                model.extend(written.clone());
                let zones: BTreeSet<u64> = written.keys().map(|row| row / 1_024).collect();
                let values =
                    |column: Option<usize>, rows: std::ops::Range<u64>, put: &mut dyn FnMut(u64, Value)| {
                        assert_eq!(column, None);
                        for (row, names) in written.range(rows) {
                            put(*row, list(&names.iter().map(|name| &**name).collect::<Vec<_>>()));
                        }
                    };
                let changes = NodeChanges {
                    came: &came,
                    went: &[],
                    columns: &BTreeMap::new(),
                    labels: Some(&zones),
                    values: &values,
                };
                main.merge_nodes(table, &changes, RegionOptions::default()).unwrap();
                let column = main.node_tables[0].labels.clone().unwrap();
                assert_eq!(column.ty, ty);
                let view = ColumnView::new(&column);
                for row in 0..(round + 1) * 2_000 {
                    let kept = row_labels(&view.value(row));
                    let kept: Option<Vec<String>> =
                        kept.map(|names| names.iter().map(|name| name.to_string()).collect());
                    // Who has no labels has those of the table.
                    let own = model.get(&row).filter(|names| !names.is_empty());
                    assert_eq!(kept.as_ref(), own, "{ty:?} round {round} row {row}");
                    // The same of all rows together, and each row among those of its code.
                    let all = view.label_rows(row, 1 << 20).unwrap();
                    let code = all.code(row as usize).unwrap();
                    let names = |set: &[Arc<str>]| set.iter().map(|name| name.to_string()).collect();
                    assert_eq!(all.labels(code).map(names), kept, "{ty:?} round {round} row {row}");
                    assert!(all.rows(code).binary_search(&(row as u16)).is_ok());
                }
                let all = view.label_rows(0, 1).unwrap();
                let codes = 0..all.codes() as u16;
                assert_eq!(codes.map(|code| all.rows(code).len() as u64).sum::<u64>(), (round + 1) * 2_000);
                assert_eq!(all.code(8_000), None);
                {}
            }
        }
    }

    #[test]
    fn names_come_back_whatever_is_in_them() {
        let parts = ["", "A", "B C", "\u{1}", "\u{2}", "\u{3}", "\u{2}\u{3}", "x\u{1}\u{2}y", "ä\u{1}"];
        let mut all: Vec<Vec<&str>> = vec![vec![]];
        for a in parts {
            all.push(vec![a]);
            all.extend(parts.map(|b| vec![a, b]));
            all.push(vec![a, "A", a]);
        }
        let mut texts = BTreeSet::new();
        for names in &all {
            for ty in [LogicalType::String, LogicalType::List] {
                let mut kept = list(names);
                store(&mut kept, ty);
                assert_eq!(matches!(kept, Value::String(_)), ty == LogicalType::String);
                let back = row_labels(&kept).unwrap();
                assert_eq!(back.iter().map(|name| &**name).collect::<Vec<_>>(), *names, "{kept:?}");
                if let Value::String(text) = kept {
                    assert!(texts.insert(text.clone()), "{names:?} as {text:?} are others', too");
                }
            }
        }
        let mut none = Value::Null;
        store(&mut none, LogicalType::String);
        assert_eq!(row_labels(&none), None);
    }
}

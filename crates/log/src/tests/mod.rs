//! What tests share: small transactions that can be told apart, and what a log gives when it is opened.

mod bench;
mod crashes;
mod followers;
mod records;
mod recovery;
mod threads;

use std::path::Path;
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_vector::{Values, Vector};
use trimorph_vfs::{FileSystem, MemoryFileSystem};

use crate::*;

const DATABASE: u128 = 7;

fn dir() -> &'static Path {
    Path::new("db/log")
}

fn options() -> LogOptions {
    LogOptions { segment_bytes: 4 << 10, database: DATABASE, buffer_bytes: 2 << 10, ..LogOptions::default() }
}

/// A transaction with a handle, of some bytes.
fn transaction(handle: u64, bytes: usize) -> TransactionBytes {
    let mut writer = TransactionWriter::new();
    let value = handle.cast_signed();
    let columns = vec![Column { column: 1, values: Vector::new(Values::Int(vec![value; bytes / 8])) }];
    let rows: Vec<u64> = (handle..handle + (bytes / 8) as u64).collect();
    writer.push(&Operation::Nodes { table: TableId(3), rows: rows.into(), columns: columns.into() }).unwrap();
    writer.push(&Operation::Dropped { name: format!("of {handle}").into() }).unwrap();
    writer.commit(&Commit { handle, timestamp: handle + 1, micros: -5 })
}

fn name(text: &str) -> DeclarationBytes {
    let mut bytes = DeclarationBytes::default();
    bytes.push(&Declaration::Name { name: Name::Label(trimorph_base::LabelId(9)), text: text.into() });
    bytes
}

/// What was given, one word for each; all values are looked at.
#[derive(Default, Debug, PartialEq, Eq, Clone)]
struct Seen(Vec<String>);

impl Seen {
    fn take(&mut self, replayed: Replayed<'_>) -> Result<(), LogError> {
        match replayed {
            Replayed::Declaration(Declaration::Name { text, .. }, _) => self.0.push(text.into_owned()),
            Replayed::Declaration(..) => panic!("not a name"),
            Replayed::Certain(_) => {}
            Replayed::Transaction(t) => {
                let (handle, mut operations) = (t.commit.handle, 0);
                for operation in t.operations() {
                    match operation? {
                        Operation::Nodes { rows, columns, .. } => {
                            let Values::Int(v) = &columns[0].values.values else { panic!("{columns:?}") };
                            assert!(v.iter().all(|v| v.cast_unsigned() == handle) && v.len() == rows.len());
                        }
                        Operation::Dropped { name } => assert_eq!(name, format!("of {handle}")),
                        other => panic!("{other:?}"),
                    }
                    operations += 1;
                }
                assert_eq!((operations, t.commit.timestamp), (2, handle + 1));
                self.0.push(handle.to_string());
            }
        }
        Ok(())
    }
}

fn open_with(
    fs: &Arc<dyn FileSystem>,
    from: Position,
    options: LogOptions,
    how: Recover,
) -> Result<(Log, Recovered, Seen), LogError> {
    let mut seen = Seen::default();
    let (log, recovered) = Log::open(Arc::clone(fs), dir(), from, options, how, &mut |r| seen.take(r))?;
    Ok((log, recovered, seen))
}

fn open(fs: &Arc<dyn FileSystem>) -> Result<(Log, Recovered, Seen), LogError> {
    open_with(fs, Position::default(), options(), Recover::Whole)
}

fn memory() -> (Arc<MemoryFileSystem>, Arc<dyn FileSystem>) {
    let files = Arc::new(MemoryFileSystem::default());
    (Arc::clone(&files), files)
}

/// Appends and waits.
fn commit(log: &Log, handle: u64, bytes: usize) -> Position {
    let position = log.append(&transaction(handle, bytes)).unwrap();
    log.wait(position).unwrap();
    position
}

fn commit_all(log: &Log, handles: std::ops::Range<u64>) {
    for handle in handles {
        commit(log, handle, 64);
    }
}

fn words(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|n| n.to_string()).collect()
}

/// A file system with the same files.
fn copy(files: &MemoryFileSystem) -> (Arc<MemoryFileSystem>, Arc<dyn FileSystem>) {
    let (copied, fs) = memory();
    for (path, bytes) in files.all() {
        copied.write_synced(&path, &[&bytes]).unwrap();
    }
    (copied, fs)
}

/// Changes the bytes of a segment.
fn change(files: &MemoryFileSystem, number: u64, change: impl FnOnce(&mut Vec<u8>)) {
    let path = crate::segment::path_of(dir(), number);
    let mut bytes = files.all().into_iter().find(|(p, _)| *p == path).unwrap().1;
    change(&mut bytes);
    files.write_synced(&path, &[&bytes]).unwrap();
}

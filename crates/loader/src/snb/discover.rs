//! A directory in, entity directories and their parts out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::LoadError;
use crate::source::Source;

/// How deep below the given directory a snapshot is looked for (Datagen puts it at
/// `graphs/csv/bi/LAYOUT/initial_snapshot`).
const DEPTH_MAX: usize = 5;

/// All parts of one entity, such as `Person`.
pub(crate) struct Entity {
    pub(crate) name: String,
    pub(crate) parts: Vec<Source>,
}

/// The directory that holds `static/` and `dynamic/`: `path` itself or the only one below it.
pub(crate) fn find_snapshot(path: &Path) -> Option<PathBuf> {
    let mut found = Vec::new();
    collect_snapshots(path, 0, &mut found);
    (found.len() == 1).then(|| found.remove(0))
}

fn collect_snapshots(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if is_snapshot(path) {
        found.push(path.to_path_buf());
    } else if depth < DEPTH_MAX {
        for child in children(path).unwrap_or_default() {
            if child.is_dir() {
                collect_snapshots(&child, depth + 1, found);
            }
        }
    }
}

fn is_snapshot(path: &Path) -> bool {
    path.join("dynamic").join("Person").is_dir() || path.join("static").join("Place").is_dir()
}

/// The entities of the snapshot at `path`, by name, parts by name.
pub(crate) fn list_entities(path: &Path) -> Result<Vec<Entity>, LoadError> {
    let mut entities = Vec::new();
    for half in ["static", "dynamic"] {
        let directory = path.join(half);
        if !directory.is_dir() {
            continue;
        }
        for child in children(&directory).map_err(|e| LoadError::io(&directory, "list", e))? {
            let name = file_name(&child);
            if !child.is_dir() || name.starts_with(['.', '_']) {
                continue;
            }
            let parts = children(&child).map_err(|e| LoadError::io(&child, "list", e))?;
            let parts: Vec<Source> = parts.into_iter().filter(|p| is_part(p)).map(Source::File).collect();
            entities.push(Entity { name, parts });
        }
    }
    Ok(entities)
}

/// The entities of files held in memory, named `…/ENTITY/part-….csv`.
pub(crate) fn from_memory(files: Vec<(PathBuf, Vec<u8>)>) -> Vec<Entity> {
    let mut entities: Vec<Entity> = Vec::new();
    for (path, bytes) in files {
        let name = path.parent().map(file_name).unwrap_or_default();
        let part = Source::Memory(path, Arc::new(bytes));
        match entities.iter_mut().find(|e| e.name == name) {
            Some(entity) => entity.parts.push(part),
            None => entities.push(Entity { name, parts: vec![part] }),
        }
    }
    entities
}

fn is_part(path: &Path) -> bool {
    let name = file_name(path);
    !name.starts_with(['.', '_']) && [".csv", ".csv.gz", ".csv.zst"].iter().any(|end| name.ends_with(end))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn children(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(path)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

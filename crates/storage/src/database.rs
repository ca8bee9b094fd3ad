//! A main version as files: one image per table and a manifest that names them.
//!
//! ```text
//! MANIFEST              image, kind 3: metadata is the catalog, the sizes and the name of the checkpoint folder
//! checkpoint/N/nodes-T  image, kind 1
//! checkpoint/N/edges-T  image, kind 2
//! ```
//!
//! 1. Tables are written and synced into a fresh folder. 2. The manifest is replaced by rename. 3. Older folders are removed.
//!
//! A crash before 2 leaves the old version whole, after 2 the new one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_catalog::{
    BackwardStats, Catalog, CharacteristicSet, EdgeTableInfo, Names, NodeTableInfo, PropertyInfo,
    PropertyStats,
};
use trimorph_vfs::{CodecError, Decoder, Encoder, FileSystem, Image, ImageError, ImageWriter, RegionOptions};

use crate::column::{type_code, type_from_code};
use crate::edge_table::EDGE_TABLE_KIND;
use crate::node_table::NODE_TABLE_KIND;
use crate::{ComponentBytes, EdgeTable, Main, NodeTable};

const MANIFEST: &str = "MANIFEST";
const MANIFEST_KIND: u32 = 3;

/// What is wrong with one table's image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableError {
    Image(ImageError),
    Metadata(CodecError),
}

impl From<ImageError> for TableError {
    fn from(e: ImageError) -> Self {
        Self::Image(e)
    }
}

impl From<CodecError> for TableError {
    fn from(e: CodecError) -> Self {
        Self::Metadata(e)
    }
}

/// Why a database directory could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The system's answer about a file.
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        error: std::io::Error,
    },
    /// A file is not what was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong in it, and where.
        what: String,
    },
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Damaged { path, what } => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for DatabaseError {}

fn damaged(path: &Path, error: impl Into<TableError>) -> DatabaseError {
    let what = match error.into() {
        TableError::Image(e) => e.to_string(),
        TableError::Metadata(e) => e.to_string(),
    };
    DatabaseError::Damaged { path: path.to_owned(), what }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> DatabaseError {
    let path = path.to_owned();
    move |error| DatabaseError::Io { path, error }
}

/// Writes `main` into directory `dir` as its new main version.
pub fn write_main(fs: &dyn FileSystem, dir: &Path, main: &Main) -> Result<(), DatabaseError> {
    let checkpoints = dir.join("checkpoint");
    fs.create_dir(&checkpoints).map_err(io(&checkpoints))?;
    let old = fs.list(&checkpoints).map_err(io(&checkpoints))?;
    let number = old.iter().filter_map(|n| n.parse::<u64>().ok()).max().map_or(1, |n| n + 1);
    let folder = checkpoints.join(number.to_string());
    fs.create_dir(&folder).map_err(io(&folder))?;
    let images = (main.node_tables.iter().enumerate().map(|(i, t)| (format!("nodes-{i}"), &t.image)))
        .chain(main.edge_tables.iter().enumerate().map(|(i, t)| (format!("edges-{i}"), &t.image)));
    for (name, image) in images {
        let path = folder.join(name);
        fs.write_atomic(&path, image.as_slice()).map_err(io(&path))?;
    }
    let mut meta = Encoder::new();
    meta.u64(number);
    write_catalog(&main.catalog, &main.bytes, &mut meta);
    let path = dir.join(MANIFEST);
    let image = ImageWriter::new()
        .finish(MANIFEST_KIND, &meta.finish(), RegionOptions::default())
        .map_err(|e| damaged(&path, e))?;
    fs.write_atomic(&path, image.as_slice()).map_err(io(&path))?;
    for name in old {
        let folder = checkpoints.join(&name);
        for file in fs.list(&folder).unwrap_or_default() {
            // What cannot be removed now is removed by the next checkpoint.
            let _ = fs.remove(&folder.join(file));
        }
        let _ = fs.remove_dir(&folder);
    }
    Ok(())
}

/// Reads the main version of directory `dir`, verifying every checksum.
///
/// **Errors**: the first file that is missing or damaged, by name, with what is wrong and where.
pub fn read_main(fs: &dyn FileSystem, dir: &Path, options: RegionOptions) -> Result<Main, DatabaseError> {
    read_with(fs, dir, options, &mut Err)
}

/// Reads as [`read_main`] does, and does not stop at what is wrong.
///
/// **Errors**: every file that is missing or damaged. Where that is the manifest, which says which files there are, the files that are
/// there are looked at by themselves.
pub fn check_main(
    fs: &dyn FileSystem,
    dir: &Path,
    options: RegionOptions,
) -> Result<Main, Vec<DatabaseError>> {
    let mut found = Vec::new();
    let read = read_with(fs, dir, options, &mut |error| {
        found.push(error);
        Ok(())
    });
    match read {
        Ok(main) if found.is_empty() => Ok(main),
        Ok(_) => Err(found),
        Err(error) => {
            found.push(error);
            found.extend(check_folders(fs, dir, options));
            Err(found)
        }
    }
}

/// The damaged images of all checkpoint folders, without knowing which are meant.
fn check_folders(fs: &dyn FileSystem, dir: &Path, options: RegionOptions) -> Vec<DatabaseError> {
    let mut found = Vec::new();
    let checkpoints = dir.join("checkpoint");
    for folder in fs.list(&checkpoints).unwrap_or_default() {
        let folder = checkpoints.join(folder);
        for name in fs.list(&folder).unwrap_or_default() {
            let kind = match name.split_once('-') {
                Some(("nodes", _)) => NODE_TABLE_KIND,
                Some(("edges", _)) => EDGE_TABLE_KIND,
                _ => continue,
            };
            let path = folder.join(name);
            match fs.read(&path, options) {
                Ok(region) => found.extend(Image::open(region, kind).err().map(|e| damaged(&path, e))),
                Err(e) => found.push(io(&path)(e)),
            }
        }
    }
    found
}

/// Reads a main version; `failed` is told of each table that cannot be read and says whether to go on.
fn read_with(
    fs: &dyn FileSystem,
    dir: &Path,
    options: RegionOptions,
    failed: &mut dyn FnMut(DatabaseError) -> Result<(), DatabaseError>,
) -> Result<Main, DatabaseError> {
    let path = dir.join(MANIFEST);
    let region = fs.read(&path, options).map_err(io(&path))?;
    let image = Image::open(region, MANIFEST_KIND).map_err(|e| damaged(&path, e))?;
    let mut meta = Decoder::new(image.metadata());
    let number = meta.u64().map_err(|e| damaged(&path, e))?;
    let (catalog, bytes) = read_catalog(&mut meta).map_err(|e| damaged(&path, e))?;
    let folder = dir.join("checkpoint").join(number.to_string());
    let mut main = Main { bytes, ..Main::default() };
    for (i, info) in catalog.node_tables.iter().enumerate() {
        match read_nodes(fs, &folder.join(format!("nodes-{i}")), options, info) {
            Ok(table) => main.node_tables.push(Arc::new(table)),
            Err(error) => failed(error)?,
        }
    }
    for (id, info) in catalog.edge_table_ids().zip(&catalog.edge_tables) {
        match read_edges(fs, &folder.join(format!("edges-{}", id.0)), options, id, &catalog, info) {
            Ok(table) => main.edge_tables.push(Arc::new(table)),
            Err(error) => failed(error)?,
        }
    }
    main.catalog = Arc::new(catalog);
    Ok(main)
}

fn read_nodes(
    fs: &dyn FileSystem,
    path: &Path,
    options: RegionOptions,
    info: &NodeTableInfo,
) -> Result<NodeTable, DatabaseError> {
    let region = fs.read(path, options).map_err(io(path))?;
    let table = NodeTable::open(region).map_err(|e| damaged(path, e))?;
    if table.rows != info.rows || table.columns.len() != info.properties.len() {
        let what = "rows or columns differ from the manifest".into();
        return Err(DatabaseError::Damaged { path: path.to_owned(), what });
    }
    Ok(table)
}

fn read_edges(
    fs: &dyn FileSystem,
    path: &Path,
    options: RegionOptions,
    id: EdgeTableId,
    catalog: &Catalog,
    info: &EdgeTableInfo,
) -> Result<EdgeTable, DatabaseError> {
    let region = fs.read(path, options).map_err(io(path))?;
    let targets: Vec<TableId> = info.backward.iter().map(|b| b.target).collect();
    let rows = |t: TableId| catalog.node_tables.get(t.0 as usize).map(|t| t.rows);
    let table = EdgeTable::open(region, id, info.source, &targets, &rows).map_err(|e| damaged(path, e))?;
    if table.columns.len() != info.properties.len() {
        let what = "columns differ from the manifest".into();
        return Err(DatabaseError::Damaged { path: path.to_owned(), what });
    }
    Ok(table)
}

fn write_names(names: &Names, meta: &mut Encoder) {
    meta.u64(names.iter().len() as u64);
    names.iter().for_each(|n| meta.str(n));
}

fn read_names(meta: &mut Decoder<'_>) -> Result<Names, CodecError> {
    let mut names = Names::default();
    for i in 0..meta.count(meta.remaining())? {
        let name = meta.str()?;
        if names.intern(name) != i {
            return Err(meta.error("distinct names"));
        }
    }
    Ok(names)
}

fn write_properties(properties: &[PropertyInfo], meta: &mut Encoder) {
    meta.u64(properties.len() as u64);
    for p in properties {
        meta.u32(p.id.0);
        meta.u8(type_code(p.ty));
        meta.u64(p.stats.nulls);
        meta.u64(p.stats.distinct);
        let (low, high) = p.stats.range.unwrap_or((1, 0));
        meta.i64(low);
        meta.i64(high);
    }
}

fn read_properties(meta: &mut Decoder<'_>, names: &Names) -> Result<Vec<PropertyInfo>, CodecError> {
    let count = meta.count(meta.remaining())?;
    let mut properties = Vec::with_capacity(count);
    for _ in 0..count {
        let id = PropertyId(meta.u32()?);
        let ty = type_from_code(meta.u8()?).ok_or(meta.error("a type"))?;
        let (nulls, distinct, low, high) = (meta.u64()?, meta.u64()?, meta.i64()?, meta.i64()?);
        if names.name(id.0 as usize).is_none() {
            return Err(meta.error("a property of the catalog"));
        }
        let range = (low <= high).then_some((low, high));
        properties.push(PropertyInfo { id, ty, stats: PropertyStats { nulls, distinct, range } });
    }
    Ok(properties)
}

fn write_catalog(catalog: &Catalog, bytes: &ComponentBytes, meta: &mut Encoder) {
    for names in [&catalog.labels, &catalog.types, &catalog.properties] {
        write_names(names, meta);
    }
    meta.u64(catalog.node_tables.len() as u64);
    for t in &catalog.node_tables {
        meta.u64(t.labels.len() as u64);
        t.labels.iter().for_each(|l| meta.u16(l.0));
        write_properties(&t.properties, meta);
        meta.u64(t.key.map_or(0, |k| k as u64 + 1));
        meta.u64(t.rows);
        meta.u64(t.characteristic_sets.len() as u64);
        for set in &t.characteristic_sets {
            meta.u64(set.properties.len() as u64);
            set.properties.iter().for_each(|p| meta.u32(*p));
            meta.u64(set.count);
        }
    }
    meta.u64(catalog.edge_tables.len() as u64);
    for t in &catalog.edge_tables {
        meta.u16(t.ty.0);
        meta.u16(t.source.0);
        write_properties(&t.properties, meta);
        meta.u64(t.edges);
        meta.u8(u8::from(t.single));
        meta.u64(t.degree_max);
        meta.u64(t.nonempty);
        meta.u64(t.self_loops);
        meta.u64(t.backward.len() as u64);
        for b in &t.backward {
            meta.u16(b.target.0);
            meta.u64(b.edges);
            meta.u8(u8::from(b.single));
            meta.u64(b.degree_max);
            meta.u64(b.nonempty);
        }
    }
    bytes.rows().iter().for_each(|(_, b)| meta.u64(*b as u64));
}

fn read_catalog(meta: &mut Decoder<'_>) -> Result<(Catalog, ComponentBytes), CodecError> {
    let mut catalog = Catalog {
        labels: read_names(meta)?,
        types: read_names(meta)?,
        properties: read_names(meta)?,
        ..Catalog::default()
    };
    for _ in 0..meta.count(usize::from(u16::MAX))? {
        let labels = (0..meta.count(meta.remaining())?)
            .map(|_| Ok(LabelId(meta.u16()?)))
            .collect::<Result<Vec<_>, CodecError>>()?;
        if labels.iter().any(|l| catalog.labels.name(l.0 as usize).is_none()) {
            return Err(meta.error("labels of the catalog"));
        }
        let properties = read_properties(meta, &catalog.properties)?;
        let key = meta.count(properties.len())?.checked_sub(1);
        let rows = meta.u64()?;
        let mut characteristic_sets = Vec::new();
        for _ in 0..meta.count(meta.remaining())? {
            let set =
                (0..meta.count(meta.remaining())?).map(|_| meta.u32()).collect::<Result<Vec<_>, _>>()?;
            characteristic_sets.push(CharacteristicSet { properties: set, count: meta.u64()? });
        }
        catalog.node_tables.push(NodeTableInfo { labels, properties, key, rows, characteristic_sets });
    }
    let table = |meta: &mut Decoder<'_>, tables: usize| {
        let id = TableId(meta.u16()?);
        if (id.0 as usize) < tables { Ok(id) } else { Err(meta.error("a node table of the catalog")) }
    };
    let tables = catalog.node_tables.len();
    for _ in 0..meta.count(usize::from(trimorph_base::EdgeId::TABLE_END))? {
        let ty = TypeId(meta.u16()?);
        if catalog.types.name(ty.0 as usize).is_none() {
            return Err(meta.error("an edge label of the catalog"));
        }
        let source = table(meta, tables)?;
        let properties = read_properties(meta, &catalog.properties)?;
        let (edges, single) = (meta.u64()?, meta.u8()? != 0);
        let (degree_max, nonempty, self_loops) = (meta.u64()?, meta.u64()?, meta.u64()?);
        let mut backward = Vec::new();
        for _ in 0..meta.count(meta.remaining())? {
            let target = table(meta, tables)?;
            let (edges, single) = (meta.u64()?, meta.u8()? != 0);
            backward.push(BackwardStats {
                target,
                edges,
                single,
                degree_max: meta.u64()?,
                nonempty: meta.u64()?,
            });
        }
        let info = EdgeTableInfo {
            ty,
            source,
            properties,
            edges,
            single,
            degree_max,
            nonempty,
            self_loops,
            backward,
        };
        catalog.edge_tables.push(info);
    }
    let mut next = || meta.count(usize::MAX);
    let bytes = ComponentBytes {
        node_properties: next()?,
        edge_properties: next()?,
        nulls: next()?,
        forward: next()?,
        backward: next()?,
        key_indexes: next()?,
        overhead: next()?,
    };
    Ok((catalog, bytes))
}

//! Takes a database directory, gives its main version: the manifest, then the directories that it names.
//! Pieces are read when they are touched.
//!
//! A reader may meet a writer that has just published a newer version and removed a file: then the newer
//! manifest is taken. Files are open before the version is used: one that is removed later stays readable.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_base::{EdgePlaces, EdgeTableId, OverflowPage, TableId};
use trimorph_catalog::Catalog;
use trimorph_vfs::{CodecError, Decoder, FileSystem, Piece, PieceFile, Pins, Pool, RegionOptions};

use super::catalog::read_catalog;
use super::directory::{Fetch, read_adjacency, read_column, read_key_index, read_pages, read_value_index};
use super::place::{
    FILE_HEADER_BYTES, Manifest, NUMBER_END, PieceRef, check_file, check_manifest, piece_file,
};
use super::{Checkpoint, DatabaseError, LogStart};
use crate::adjacency::{Adjacency, Targets};
use crate::column::{Column, segment_lengths};
use crate::grow::keyless;
use crate::value_index::Of;
use crate::{EdgeTable, Main, NodeTable};

/// How often a newer manifest is taken because a file is gone.
const RETRIES: usize = 10;

/// Where a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PiecePlace {
    /// The file.
    pub path: PathBuf,
    /// Its first byte there.
    pub offset: usize,
    /// How many bytes.
    pub len: usize,
}

/// Opens the main version of directory `dir`, and tells what its files hold, for the next checkpoint. Pieces
/// come into `pool` when they are touched.
///
/// **Errors**: the manifest, a file or a directory of pieces that is missing or damaged, by name, with what
/// is wrong and where. **Cost**: the manifest and the directories, some 30 bytes a piece.
pub fn open_checkpoint(
    fs: &dyn FileSystem,
    dir: &Path,
    pool: &Arc<Pool>,
) -> Result<(Main, Checkpoint), DatabaseError> {
    let mut seen = None;
    for _ in 0..RETRIES {
        let mut reading = Reading::new(fs, dir, pool, true);
        match reading.run(&mut Err) {
            Err(DatabaseError::Io { path, error })
                if error.kind() == ErrorKind::NotFound
                    && reading.number.is_some()
                    && reading.number != seen =>
            {
                seen = reading.number;
                // The last try tells what is missing.
                drop((path, error));
            }
            Ok(main) => return Ok((main, reading.into_checkpoint())),
            Err(error) => return Err(error),
        }
    }
    let mut reading = Reading::new(fs, dir, pool, true);
    reading.run(&mut Err).map(|main| (main, reading.into_checkpoint()))
}

/// The number of the manifest of directory `dir`, which every checkpoint makes a greater one.
///
/// **Errors**: one that is missing or cut short. **Cost**: some bytes of it are read.
pub fn manifest_number(fs: &dyn FileSystem, dir: &Path) -> Result<u64, DatabaseError> {
    let path = dir.join("MANIFEST");
    let mut header = [0; NUMBER_END];
    let read = fs.open(&path).and_then(|file| file.read_exact_at(&mut header, 0));
    read.map_err(|error| DatabaseError::io(&path, error))?;
    let mut number = [0; 8];
    number.copy_from_slice(&header[NUMBER_END - 8..]);
    Ok(u64::from_le_bytes(number))
}

/// Reads everything that `main` has; the first that cannot be had.
fn load(main: Main) -> Result<Main, DatabaseError> {
    let wrong = main.slots().find_map(|slot| slot.load().err());
    match wrong {
        None => Ok(main),
        Some(error) => Err(error.into()),
    }
}

/// Reads the main version of directory `dir`, verifying every checksum.
///
/// **Errors**: the first file that is missing or damaged, by name, with what is wrong and where.
pub fn read_main(fs: &dyn FileSystem, dir: &Path, options: RegionOptions) -> Result<Main, DatabaseError> {
    read_checkpoint(fs, dir, options).map(|(main, _)| main)
}

/// Reads as [`read_main`] does, and tells what the files hold, for the next checkpoint.
pub fn read_checkpoint(
    fs: &dyn FileSystem,
    dir: &Path,
    options: RegionOptions,
) -> Result<(Main, Checkpoint), DatabaseError> {
    let (main, checkpoint) = open_checkpoint(fs, dir, &Pool::unlimited(options))?;
    Ok((load(main)?, checkpoint))
}

/// Reads without a look at checksums: what tests need to try what is behind them.
///
/// **Errors**: as [`read_main`].
pub fn read_unverified(
    fs: &dyn FileSystem,
    dir: &Path,
    options: RegionOptions,
) -> Result<Main, DatabaseError> {
    load(Reading::new(fs, dir, &Pool::unlimited(options), false).run(&mut Err)?)
}

/// Reads as [`read_main`] does, and does not stop at what is wrong. Pieces come and go within `pool`.
///
/// **Errors**: every file that is missing, and every piece that is damaged.
pub fn check_main(fs: &dyn FileSystem, dir: &Path, pool: &Arc<Pool>) -> Result<Main, Vec<DatabaseError>> {
    let mut found: Vec<DatabaseError> = Vec::new();
    let mut note = |error: DatabaseError| {
        if found.iter().all(|other| other.to_string() != error.to_string()) {
            found.push(error);
        }
    };
    let read = Reading::new(fs, dir, pool, true).run(&mut |error| {
        note(error);
        Ok(())
    });
    let main = match read {
        Ok(main) => {
            main.slots().filter_map(|slot| slot.load().err()).for_each(|error| note(error.into()));
            Some(main)
        }
        Err(error) => {
            note(error);
            None
        }
    };
    main.filter(|_| found.is_empty()).ok_or(found)
}

/// Where all pieces are, directories included, in the order of a reader.
///
/// **Errors**: as [`read_main`].
pub fn pieces_of(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<PiecePlace>, DatabaseError> {
    let pool = Pool::unlimited(RegionOptions::default());
    let mut reading = Reading::new(fs, dir, &pool, true);
    reading.run(&mut Err)?;
    Ok((reading.order.iter())
        .map(|place| {
            let (offset, len) = place.range();
            PiecePlace { path: piece_file(dir, place.file), offset, len }
        })
        .collect())
}

/// Is told what cannot be read and says whether to go on.
type Failed<'a> = dyn FnMut(DatabaseError) -> Result<(), DatabaseError> + 'a;

/// One reading of a directory.
struct Reading<'a> {
    fs: &'a dyn FileSystem,
    dir: &'a Path,
    pool: &'a Arc<Pool>,
    verify: bool,
    number: Option<u64>,
    log_start: LogStart,
    lengths: BTreeMap<u32, u64>,
    files: HashMap<u32, Arc<PieceFile>>,
    pieces: HashMap<u64, PieceRef>,
    directories: HashMap<Vec<u8>, PieceRef>,
    order: Vec<PieceRef>,
}

impl<'a> Reading<'a> {
    fn new(fs: &'a dyn FileSystem, dir: &'a Path, pool: &'a Arc<Pool>, verify: bool) -> Self {
        Self {
            fs,
            dir,
            pool,
            verify,
            number: None,
            log_start: LogStart::default(),
            lengths: BTreeMap::new(),
            files: HashMap::new(),
            pieces: HashMap::new(),
            directories: HashMap::new(),
            order: Vec::new(),
        }
    }

    fn into_checkpoint(self) -> Checkpoint {
        Checkpoint {
            number: self.number.unwrap_or(0),
            pieces: self.pieces,
            directories: self.directories,
            files: self.lengths,
            log_start: self.log_start,
            may_have_published: false,
        }
    }

    fn run(&mut self, failed: &mut Failed<'_>) -> Result<Main, DatabaseError> {
        let path = self.dir.join("MANIFEST");
        let options = RegionOptions { huge_pages: false };
        let region = self.fs.read(&path, options).map_err(|e| DatabaseError::io(&path, e))?;
        let Manifest { version, number, payload } =
            check_manifest(region.as_slice(), self.verify).map_err(|w| DatabaseError::wrong(&path, w))?;
        self.number = Some(number);
        let damaged = |e| DatabaseError::codec(&path, 40, e);
        let mut meta = Decoder::new(payload);
        self.log_start = LogStart::read(&mut meta).map_err(damaged)?;
        for _ in 0..meta.count(meta.remaining()).map_err(damaged)? {
            let (file, len) = (meta.u32().map_err(damaged)?, meta.u64().map_err(damaged)?);
            self.lengths.insert(file, len);
        }
        for file in self.lengths.keys().copied().collect::<Vec<_>>() {
            match self.open_file(file) {
                Ok(opened) => drop(self.files.insert(file, opened)),
                Err(error) => failed(error)?,
            }
        }
        let (mut catalog, bytes) = read_catalog(&mut meta, version).map_err(damaged)?;
        // Rows are numbered in 32 bits. More would ask for room for segments that nobody wrote.
        if catalog.statistics.node_tables.iter().any(|table| table.rows >= u64::from(u32::MAX)) {
            return Err(damaged(meta.error("fewer than 2^32 rows of a node table")));
        }
        let merged_at = meta.u64().map_err(damaged)?;
        let mut main = Main { bytes, merged_at, ..Main::default() };
        let tables = main_tables(&mut meta, &catalog).map_err(damaged)?;
        for (stats, places) in catalog.statistics.node_tables.iter().zip(tables.nodes) {
            if let Some(table) = self.read_nodes(stats.rows, &places, failed)? {
                main.node_tables.push(Arc::new(table));
            }
        }
        for (at, places) in tables.edges.into_iter().enumerate() {
            if let Some(table) = self.read_edges(&catalog, at, places, failed)? {
                main.edge_tables.push(Arc::new(table));
            }
        }
        let lacking = keyless(&catalog);
        let schema = &catalog.schema;
        let vary = (schema.node_tables.iter().zip(&main.node_tables))
            .map(|(info, table)| table.labels_vary(&schema.labels, &info.labels))
            .collect::<Vec<_>>();
        let facts = catalog.facts_mut();
        (facts.node_tables.iter_mut().zip(lacking)).for_each(|(facts, lacks)| facts.keyless = lacks);
        let one_type = |columns: &[Arc<Column>]| columns.iter().map(|column| column.has_one_type()).collect();
        for (facts, table) in facts.node_tables.iter_mut().zip(&main.node_tables) {
            facts.one_type = one_type(&table.columns);
        }
        (facts.node_tables.iter_mut().zip(vary)).for_each(|(facts, vary)| facts.labels_vary = vary);
        for (facts, table) in facts.edge_tables.iter_mut().zip(&main.edge_tables) {
            facts.one_type = one_type(&table.columns);
        }
        main.catalog = Arc::new(catalog);
        main.forget_empty_targets();
        Ok(main)
    }

    fn open_file(&self, number: u32) -> Result<Arc<PieceFile>, DatabaseError> {
        let path = piece_file(self.dir, number);
        let file = self.pool.open(self.fs, &path, self.verify).map_err(|e| DatabaseError::io(&path, e))?;
        let header = file.read_at(0, FILE_HEADER_BYTES.min(file.size()))?;
        check_file(&header, number).map_err(|w| DatabaseError::wrong(&path, w))?;
        if self.verify && self.lengths.get(&number) != Some(&(file.size() as u64)) {
            let what = "damaged length (the file is cut short or has grown)".to_owned();
            return Err(DatabaseError::wrong(&path, (file.size(), what)));
        }
        Ok(file)
    }

    /// The piece at a place, which is not read yet.
    fn piece(&mut self, place: PieceRef) -> Option<Arc<Piece>> {
        let (offset, len) = place.range();
        let piece = Piece::stored(self.files.get(&place.file)?, offset, len, place.checksum)?;
        self.order.push(place);
        Some(piece)
    }

    /// Reads a directory and what it names; what is wrong goes to `failed`, `None` if that says to go on.
    fn directory<T>(
        &mut self,
        place: PieceRef,
        failed: &mut Failed<'_>,
        read: impl FnOnce(&Piece, &mut Fetch<'_>) -> Result<T, CodecError>,
    ) -> Result<Option<T>, DatabaseError> {
        match self.try_directory(place, read) {
            Ok(found) => Ok(Some(found)),
            Err(error) => failed(error).map(|()| None),
        }
    }

    fn try_directory<T>(
        &mut self,
        place: PieceRef,
        read: impl FnOnce(&Piece, &mut Fetch<'_>) -> Result<T, CodecError>,
    ) -> Result<T, DatabaseError> {
        let elsewhere = |this: &Self, place: PieceRef| {
            let what = "a piece that is not there (a missing or short file)".to_owned();
            DatabaseError::wrong(&piece_file(this.dir, place.file), (place.range().0, what))
        };
        let directory = self.piece(place).ok_or_else(|| elsewhere(self, place))?;
        let pins = Pins::default();
        if !pins.pin(&directory) {
            let untold =
                || DatabaseError::internal("a directory of pieces could not be read, and nobody said why");
            return Err(pins.failure().map_or_else(untold, DatabaseError::from));
        }
        self.directories.insert(directory.as_slice().to_vec(), place);
        let mut missing = None;
        let found = read(&directory, &mut |place| match self.piece(place) {
            Some(piece) => {
                self.pieces.insert(piece.id(), place);
                Ok(piece)
            }
            None => {
                missing = Some(place);
                Err(CodecError { offset: 0, expected: "a piece that is there" })
            }
        });
        match missing {
            Some(place) => Err(elsewhere(self, place)),
            None => found.map_err(|e| directory.damaged(e).into()),
        }
    }

    fn read_columns(
        &mut self,
        places: &[PieceRef],
        rows: &[usize],
        whole: bool,
        failed: &mut Failed<'_>,
    ) -> Result<Option<Vec<Arc<Column>>>, DatabaseError> {
        let mut columns = Vec::with_capacity(places.len());
        for place in places {
            let read = self.directory(*place, failed, |d, pieces| read_column(d, rows, whole, pieces))?;
            columns.extend(read.map(Arc::new));
        }
        Ok((columns.len() == places.len()).then_some(columns))
    }

    fn read_nodes(
        &mut self,
        rows: u64,
        places: &NodePlaces,
        failed: &mut Failed<'_>,
    ) -> Result<Option<NodeTable>, DatabaseError> {
        let segments: Vec<usize> = segment_lengths(rows).collect();
        let columns = self.read_columns(&places.columns, &segments, true, failed)?;
        let key_index = match places.key_index {
            None => Some(None),
            Some(place) => self.directory(place, failed, |d, p| read_key_index(d, rows, p))?.map(Some),
        };
        let mut value_indexes = Vec::with_capacity(places.value_indexes.len());
        for (column, place) in &places.value_indexes {
            let read = self.directory(*place, failed, |d, p| read_value_index(d, Of::Rows(rows), rows, p))?;
            value_indexes.extend(read.map(|index| (*column, index)));
        }
        let mut composite_indexes = Vec::with_capacity(places.composite_indexes.len());
        for (columns, place) in &places.composite_indexes {
            let read = self.directory(*place, failed, |d, p| read_value_index(d, Of::Rows(rows), rows, p))?;
            composite_indexes.extend(read.map(|index| (columns.clone(), index)));
        }
        let mut optional = |place: Option<PieceRef>| match place {
            None => Ok(Some(None)),
            Some(place) => {
                let read = self.directory(place, failed, |d, p| read_column(d, &segments, true, p))?;
                Ok::<_, DatabaseError>(read.map(|column| Some(Arc::new(column))))
            }
        };
        let (labels, missing) = (optional(places.labels)?, optional(places.missing)?);
        let (Some(columns), Some(key_index), Some(labels), Some(missing)) =
            (columns, key_index, labels, missing)
        else {
            return Ok(None);
        };
        if value_indexes.len() != places.value_indexes.len()
            || composite_indexes.len() != places.composite_indexes.len()
        {
            return Ok(None);
        }
        let table = NodeTable { rows, columns, key_index, value_indexes, composite_indexes, labels, missing };
        Ok(Some(table))
    }

    fn read_edges(
        &mut self,
        catalog: &Catalog,
        at: usize,
        places: EdgeTablePlaces,
        failed: &mut Failed<'_>,
    ) -> Result<Option<EdgeTable>, DatabaseError> {
        let (info, facts) = (&catalog.schema.edge_tables[at], &catalog.unrecorded_facts().edge_tables[at]);
        let rows_of = |t: TableId| catalog.statistics.rows(t);
        let targets: Targets =
            facts.targets.iter().map(|target| (target.table, rows_of(target.table))).collect();
        let own: Targets = [(info.source, rows_of(info.source))].into();
        let forward =
            self.directory(places.forward, failed, |d, p| read_adjacency(d, own[0].1, &targets, p))?;
        let mut backward = Vec::new();
        for (place, (target, rows)) in places.backward.iter().zip(targets.iter()) {
            let read = self.directory(*place, failed, |d, p| read_adjacency(d, *rows, &own, p))?;
            backward.extend(read.map(|adjacency| (*target, adjacency)));
        }
        let pages = match places.pages {
            None => Some(None),
            Some(place) => {
                // Without the lists nothing tells which pages there are.
                let Some(forward) = &forward else { return Ok(None) };
                let segment_rows = forward.form().segment_rows();
                self.directory(place, failed, |d, p| read_pages(d, own[0].1, segment_rows, p))?.map(Some)
            }
        };
        let (Some(forward), Some(pages)) = (forward, pages) else { return Ok(None) };
        // Neighbours that are all the same take no bytes, so that a few bytes could claim lists of 4 billion
        // of them.
        let edges_back: u64 = backward.iter().map(|(_, a)| a.edges()).sum();
        if backward.len() == targets.len() && (forward.edges() != edges_back || facts.edges_max != edges_back)
        {
            let what = "damaged: expected as many edges backward as forward, in what begins".to_owned();
            let path = piece_file(self.dir, places.forward.file);
            failed(DatabaseError::wrong(&path, (places.forward.range().0, what)))?;
            return Ok(None);
        }
        let mut table = EdgeTable::new(places.ids, info.source, forward, backward, pages);
        let rows = table.column_rows(own[0].1);
        // By source row where forward is a vertex column.
        let by_slot = matches!(table.forward, Adjacency::Csr(_));
        let columns = self.read_columns(&places.columns, &rows, by_slot, failed)?;
        let edges = table.forward.edges();
        for (column, place) in &places.value_indexes {
            let read = self.directory(*place, failed, |d, p| read_value_index(d, Of::Edges, edges, p))?;
            table.value_indexes.extend(read.map(|index| (*column, index)));
        }
        let whole = columns.is_some()
            && table.backward.len() == targets.len()
            && table.value_indexes.len() == places.value_indexes.len();
        table.columns = columns.unwrap_or_default();
        Ok(whole.then_some(table))
    }
}

/// The directories of a node table.
struct NodePlaces {
    columns: Vec<PieceRef>,
    key_index: Option<PieceRef>,
    value_indexes: Vec<(usize, PieceRef)>,
    composite_indexes: Vec<(Vec<usize>, PieceRef)>,
    labels: Option<PieceRef>,
    missing: Option<PieceRef>,
}

/// The directories of an edge table.
struct EdgeTablePlaces {
    ids: EdgePlaces,
    forward: PieceRef,
    backward: Vec<PieceRef>,
    pages: Option<PieceRef>,
    columns: Vec<PieceRef>,
    value_indexes: Vec<(usize, PieceRef)>,
}

struct Tables {
    nodes: Vec<NodePlaces>,
    edges: Vec<EdgeTablePlaces>,
}

fn read_optional(meta: &mut Decoder<'_>) -> Result<Option<PieceRef>, CodecError> {
    match meta.u8()? {
        0 => Ok(None),
        _ => PieceRef::read(meta).map(Some),
    }
}

fn read_as_many(meta: &mut Decoder<'_>, wanted: usize) -> Result<Vec<PieceRef>, CodecError> {
    if meta.count(wanted)? != wanted {
        return Err(meta.error("a directory for each column of the catalog"));
    }
    (0..wanted).map(|_| PieceRef::read(meta)).collect()
}

/// The indexes of a table of so many columns.
fn read_indexes(meta: &mut Decoder<'_>, columns: usize) -> Result<Vec<(usize, PieceRef)>, CodecError> {
    let mut indexes: Vec<(usize, PieceRef)> = Vec::new();
    for _ in 0..meta.count(columns)? {
        let column = meta.count(columns.saturating_sub(1))?;
        if indexes.iter().any(|(known, _)| *known == column) {
            return Err(meta.error("one value index of a column"));
        }
        indexes.push((column, PieceRef::read(meta)?));
    }
    Ok(indexes)
}

/// The indexes of several columns together of a table of so many.
fn read_composite_indexes(
    meta: &mut Decoder<'_>,
    columns: usize,
) -> Result<Vec<(Vec<usize>, PieceRef)>, CodecError> {
    let mut indexes: Vec<(Vec<usize>, PieceRef)> = Vec::new();
    for _ in 0..meta.count(meta.remaining())? {
        let mut of = Vec::new();
        for _ in 0..meta.count(columns)? {
            of.push(meta.count(columns.saturating_sub(1))?);
        }
        if of.len() < 2 || indexes.iter().any(|(known, _)| *known == of) {
            return Err(meta.error("one index of several columns"));
        }
        indexes.push((of, PieceRef::read(meta)?));
    }
    Ok(indexes)
}

/// What the manifest says of each table of the catalog.
fn main_tables(meta: &mut Decoder<'_>, catalog: &Catalog) -> Result<Tables, CodecError> {
    let mut tables = Tables { nodes: Vec::new(), edges: Vec::new() };
    let schema = &catalog.schema;
    for info in &schema.node_tables {
        let columns = read_as_many(meta, info.properties.len())?;
        let key_index = read_optional(meta)?;
        let value_indexes = read_indexes(meta, info.properties.len())?;
        let composite_indexes = read_composite_indexes(meta, info.properties.len())?;
        let (labels, missing) = (read_optional(meta)?, read_optional(meta)?);
        let places = NodePlaces { columns, key_index, value_indexes, composite_indexes, labels, missing };
        tables.nodes.push(places);
    }
    let facts = &catalog.unrecorded_facts().edge_tables;
    for ((id, info), facts) in schema.edge_table_ids().zip(&schema.edge_tables).zip(facts) {
        let ids = read_ids(meta, id)?;
        let forward = PieceRef::read(meta)?;
        let backward = facts.targets.iter().map(|_| PieceRef::read(meta)).collect::<Result<_, _>>()?;
        let pages = read_optional(meta)?;
        let columns = read_as_many(meta, info.properties.len())?;
        let value_indexes = read_indexes(meta, info.properties.len())?;
        tables.edges.push(EdgeTablePlaces { ids, forward, backward, pages, columns, value_indexes });
    }
    match meta.remaining() {
        0 => Ok(tables),
        _ => Err(meta.error("the end of the manifest")),
    }
}

fn read_ids(meta: &mut Decoder<'_>, id: EdgeTableId) -> Result<EdgePlaces, CodecError> {
    let bits = meta.u8()?;
    let overflow = (0..meta.count(meta.remaining())?)
        .map(|_| Ok(OverflowPage { page: meta.u64()?, part: meta.u64()? }))
        .collect::<Result<_, CodecError>>()?;
    EdgePlaces::stored(id, bits, overflow).ok_or(meta.error("pages and positions of edge ids"))
}

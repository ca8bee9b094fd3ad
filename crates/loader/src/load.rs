//! Paths in, a filled sink and a report out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use trimorph_store::bulk::BulkSink;

use crate::detect::detect;
use crate::feed::{CsvFile, FileFeed, InputFile};
use crate::pipeline::{self, Feed};
use crate::plan::{FieldPlan, Parse, TablePlan};
use crate::progress::Meter;
use crate::report::Described;
use crate::{
    ColumnReport, FileReport, Format, LoadError, LoadOptions, LoadReport, Progress, Rejects, TableFile,
    mapping, neo4j, snb,
};

/// Loads files into `sink`: declares tables, then appends all rows. The caller then finishes the sink, giving
/// what that refuses to [`LoadReport::rejects`].
///
/// `paths` is a directory for `LdbcSnb`, one mapping file for `Csv` and `Parquet`, and data files for
/// `Neo4jCsv`; a directory may stand for what is in it, also without a mapping: then it is loaded as
/// [`guess_mapping`](crate::guess_mapping) proposes. Without a `format` it is guessed, see `detect`.
///
/// **Cost**: a bounded number of chunks (`options.chunk_bytes`) in memory at a time, besides what the sink
/// keeps.
/// **Errors**: see [`LoadError`]; after any, the sink holds a part of the rows and should be dropped.
pub fn load(
    paths: &[PathBuf],
    format: Option<Format>,
    options: &LoadOptions,
    sink: &impl BulkSink,
    progress: &dyn Progress,
) -> Result<LoadReport, LoadError> {
    let mut run = Run::new(options, sink, progress);
    let (paths, format) = match (options.groups.is_empty(), paths) {
        (true, _) => detect(paths, format)?,
        (false, []) => (Vec::new(), Format::Neo4jCsv),
        (false, [path, ..]) => {
            return Err(LoadError::format(path, "it stands beside groups of files that say what they hold")
                .hint("give it to --nodes or --relationships, too"));
        }
    };
    let files: Vec<InputFile> = match format {
        Format::LdbcSnb => {
            let path = only(&paths, "LDBC SNB data is one directory")?;
            plan_snb(path, options, sink)?.into_iter().map(InputFile::Csv).collect()
        }
        Format::Csv | Format::Parquet | Format::Frames => {
            let path = only(&paths, "give one mapping file, which names the data files")?;
            mapping::plan(path, options, sink)?
        }
        Format::Neo4jCsv => {
            let files = neo4j::plan(&paths, options, sink, &mut run.meter)?;
            files.into_iter().map(InputFile::Csv).collect()
        }
    };
    let guessed = paths
        .first()
        .filter(|path| matches!(format, Format::Csv | Format::Parquet) && path.is_dir())
        .cloned();
    Ok(LoadReport { guessed, ..run.files(&files, format)? })
}

/// Loads files of one label or of one relationship type into `sink`, as [`load`] does.
pub fn load_table(
    table: &TableFile,
    options: &LoadOptions,
    sink: &impl BulkSink,
    progress: &dyn Progress,
) -> Result<LoadReport, LoadError> {
    let run = Run::new(options, sink, progress);
    let files = mapping::plan_table(table, options, sink)?;
    run.files(&files, Format::Csv)
}

fn plan_snb(path: &Path, options: &LoadOptions, sink: &impl BulkSink) -> Result<Vec<CsvFile>, LoadError> {
    let Some(snapshot) = snb::find_snapshot(path) else {
        let reason = "not one LDBC SNB snapshot: no single directory with static/ and dynamic/ here";
        return Err(LoadError::format(path, reason)
            .hint("give the layout's directory, such as composite-merged-fk, or its initial_snapshot"));
    };
    let entities = snb::list_entities(&snapshot)?;
    snb::plan(&snapshot, &entities, options.field_bytes_max, sink)
}

/// The only one of the paths.
fn only<'p>(paths: &'p [PathBuf], hint: &str) -> Result<&'p Path, LoadError> {
    match paths {
        [path] => Ok(path),
        _ => {
            let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
            Err(LoadError::format(path, "several paths were given").hint(hint))
        }
    }
}

/// The fields that are kept, for reports.
pub(crate) fn columns_of(plan: &TablePlan) -> Vec<ColumnReport> {
    let kept = plan.fields.iter().filter(|field| field.parse != Parse::Skip);
    let column = |field: &FieldPlan| ColumnReport {
        name: field.name.clone(),
        ty: field.parse.logical_type(),
        fell: field.fell.clone(),
    };
    kept.map(column).collect()
}

/// A load from its start on: where rows go, and how.
pub(crate) struct Run<'a, S> {
    start: Instant,
    options: &'a LoadOptions,
    sink: &'a S,
    meter: Meter<'a>,
}

impl<'a, S: BulkSink> Run<'a, S> {
    /// It starts now.
    pub(crate) fn new(options: &'a LoadOptions, sink: &'a S, progress: &'a dyn Progress) -> Self {
        Self { start: Instant::now(), options, sink, meter: Meter::new(progress) }
    }

    /// Loads files that are planned.
    fn files(self, files: &[InputFile], format: Format) -> Result<LoadReport, LoadError> {
        let described: Vec<Described> = files.iter().map(InputFile::described).collect();
        let bytes_total = files.iter().map(InputFile::bytes_total).sum();
        let mut feed = FileFeed::new(files, self.options.chunk_bytes, !self.options.skip_bad_rows);
        let mut report = self.feed(&mut feed, &described, bytes_total, format)?;
        for (file, described) in files.iter().zip(&mut report.files) {
            described.columns = columns_of(file.plan());
        }
        Ok(report)
    }

    /// Takes a feed through the pipeline; `files` are what it is of.
    pub(crate) fn feed(
        mut self,
        feed: &mut dyn Feed,
        files: &[Described],
        bytes_total: u64,
        format: Format,
    ) -> Result<LoadReport, LoadError> {
        let options = self.options;
        let paths = files.iter().map(|file| file.path.clone()).collect();
        let mut rejects = Rejects::new(paths, options.skip_bad_rows, options.rejects_path.clone())
            .with_quotes(files.iter().map(|file| file.quote).collect());
        if format == Format::Frames {
            rejects = rejects.of_frames();
        }
        let rejects = Arc::new(rejects);
        let meter = &mut self.meter;
        let totals = pipeline::run(feed, files.len(), bytes_total, self.sink, options, &rejects, meter);
        let flushed = rejects.flush();
        let totals = totals?;
        flushed?;
        let reports = files.iter().zip(&totals.rows_by_file).map(|(file, rows)| FileReport {
            path: file.path.clone(),
            table: file.table.clone(),
            rows: *rows,
            columns: Vec::new(),
        });
        Ok(LoadReport {
            format,
            files: reports.collect(),
            rows: totals.rows,
            rejected: rejects.count(),
            nodes: totals.nodes,
            edges: totals.edges,
            without_end: totals.without_end,
            values: totals.values,
            bytes: totals.bytes,
            seconds: self.start.elapsed().as_secs_f64(),
            rejects,
            guessed: None,
        })
    }
}

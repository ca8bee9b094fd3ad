//! A path in, a file that is whole or not there out: it is written beside its place and moved there when it
//! is whole, so that no failure leaves half a file or takes an old one.
//!
//! What is no file, such as `/dev/stdout` or a pipe, is written to as it is. A symbolic link stays one: what
//! it points to is replaced.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use trimorph_loader::{Compression, Sink};

use crate::{Error, LoadError};

/// Tells files apart that one process writes at the same time.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A file that is taken away unless it is kept.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    file: File,
    /// Where it is until it is whole, and where it goes then; none if it is written in place.
    part: Option<(PathBuf, PathBuf)>,
}

impl Place {
    /// Makes a file beside `path`.
    ///
    /// **Errors**: what the system says; a directory of this name.
    pub(crate) fn beside(path: &Path) -> Result<Self, Error> {
        let failed = |operation| move |error| Error::Load(LoadError::io(path, operation, error));
        let found = std::fs::metadata(path).ok();
        if found.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            let error = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory");
            return Err(failed("write")(error));
        }
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed("open"))?;
            return Ok(Self { path: path.to_owned(), file, part: None });
        }
        // Where a link points to; a file that is not there has no other name.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".{}.{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let part = target.with_file_name(name);
        let file = File::create(&part).map_err(failed("create"))?;
        let place = Self { path: path.to_owned(), file, part: Some((part, target)) };
        if let Some(found) = found {
            // Who may read the old one may read the new one.
            place.file.set_permissions(found.permissions()).map_err(failed("create"))?;
        }
        Ok(place)
    }

    /// The path that was asked for.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A writer into it.
    pub(crate) fn sink(&self, compression: Compression) -> io::Result<Sink> {
        Sink::compressed(self.file.try_clone()?, compression)
    }

    /// Moves it to its place.
    pub(crate) fn keep(mut self) -> Result<(), Error> {
        if let Some((part, target)) = self.part.take()
            && let Err(error) = std::fs::rename(&part, &target)
        {
            let failed = LoadError::io(&self.path, "write", error);
            self.part = Some((part, target));
            return Err(failed.into());
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.part {
            // Best effort: the error that is on its way says more.
            let _ = std::fs::remove_file(part);
        }
    }
}

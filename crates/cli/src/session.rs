//! What commands begin with: parameters from a file, an engine, objects from files.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::write::{Access, Pending};
use cyclotron_engine::CpuEngine;
use cyclotron_schemes::files::{self, Stored};
use cyclotron_schemes::vector::{VectorContext, VectorParameters};
use std::path::Path;
use std::sync::Arc;

/// The CPU engine with the threads asked for.
pub fn engine(global: &Global) -> Result<Arc<CpuEngine>> {
    let builder = CpuEngine::builder();
    let builder = match global.threads {
        Some(threads) => builder.threads(threads),
        None => builder,
    };
    Ok(builder.open()?)
}

/// Parameters from a file.
pub fn parameters(path: &Path) -> Result<VectorParameters> {
    check_readable(path)?;
    // Whatever is wrong with the parameters, the file is to blame.
    files::load_parameters(path).map_err(|error| from_file(path, error))
}

/// An object from a file.
pub fn load<T: Stored>(context: &VectorContext, path: &Path) -> Result<T> {
    check_readable(path)?;
    T::load(context, path).map_err(|error| from_file(path, error))
}

/// Writes an object beside its place; `commit` puts it there.
pub fn pending<T: Stored>(
    context: &VectorContext,
    object: &T,
    path: &Path,
    force: bool,
) -> Result<Pending> {
    let access = if T::SECRET { Access::Owner } else { Access::Default };
    Pending::write(path, access, force, |out| {
        object.write(context, out).map_err(|error| from_file(path, error))
    })
}

/// Missing files are told apart from files with something wrong in them.
pub fn check_readable(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Err(error) => Err(Failure::io(path, &error)),
        Ok(metadata) if metadata.is_dir() => {
            Err(Failure::file("is_directory", path, "is a directory; name a file"))
        }
        Ok(_) => Ok(()),
    }
}

/// An error about a file's contents, naming the file once.
pub fn from_file(path: &Path, error: cyclotron_schemes::Error) -> Failure {
    let failure = Failure::from(error);
    if failure.message.contains(&path.display().to_string()) {
        return failure;
    }
    failure.in_file(path)
}

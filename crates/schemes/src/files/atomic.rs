//! Files that are there whole or not at all.

use super::{file_error, in_file};
use crate::error::Result;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file under a temporary name in the same folder, makes sure that it is on the disk, and
/// renames it; when anything fails the temporary file is removed and `path` is as it was.
///
/// # Errors
/// [`crate::Error::File`] with the path; what `write` refuses.
pub(super) fn save(
    path: &Path,
    secret: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let failed = |action: &str, error: &std::io::Error| {
        file_error(&path.display().to_string(), format!("{action}: {error}"))
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cyclotron-").suffix(".part");
    set_mode(&mut builder, secret);
    let temporary = builder.tempfile_in(folder).map_err(|error| {
        let action = format!("no file can be made in {}", folder.display());
        failed(&action, &error)
    })?;
    // A buffer would keep a copy of the secret.
    let capacity = if secret { 0 } else { 1 << 16 };
    let mut out = BufWriter::with_capacity(capacity, temporary);
    write(&mut out).map_err(|error| in_file(path, error))?;
    let temporary = out.into_inner().map_err(|error| failed("cannot be written", error.error()))?;
    temporary.as_file().sync_all().map_err(|error| failed("cannot be written", &error))?;
    temporary.persist(path).map_err(|error| failed("cannot be put in its place", &error.error))?;
    sync_folder(folder);
    Ok(())
}

/// Secrets for their owner alone; other files as the process's mask says (the crate's own default
/// would be 0600 for all).
#[cfg(unix)]
fn set_mode(builder: &mut tempfile::Builder<'_, '_>, secret: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = if secret { 0o600 } else { 0o666 };
    builder.permissions(std::fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn set_mode(_: &mut tempfile::Builder<'_, '_>, _secret: bool) {}

/// Makes the new name last through a loss of power, where the system can: some file systems
/// refuse, and the file itself is safe already.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = std::fs::File::open(folder) {
        let _ = handle.sync_all();
    }
}

//! Files that are whole or not there: written beside their place, then renamed.

use crate::failure::{Failure, Result};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whom the system's mask lets.
    Default,
    /// The owner alone (mode 0600 where there are modes).
    Owner,
}

/// A file written but not yet in its place; gone when dropped.
#[derive(Debug)]
pub struct Pending {
    file: NamedTempFile,
    path: PathBuf,
    force: bool,
}

/// Refuses a path where something is, unless forced. Asked before long work; [`Pending::commit`]
/// asks again.
pub fn check_free(path: &Path, force: bool) -> Result<()> {
    if path.is_dir() {
        return Err(Failure::file("is_directory", path, "is a directory; name a file"));
    }
    if !force && path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    Ok(())
}

fn exists(path: &Path) -> Failure {
    Failure::file("exists", path, "exists already").remedy("another path, or --force to replace it")
}

impl Pending {
    /// Writes a file beside its place.
    pub fn write(
        path: &Path,
        access: Access,
        force: bool,
        contents: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<Self> {
        check_free(path, force)?;
        let failed = |error: &io::Error| Failure::io(path, error);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cyclotron-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if access == Access::Owner { 0o600 } else { 0o666 };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let mut file = builder.tempfile_in(folder).map_err(|error| Failure::io(folder, &error))?;
        // A buffer would keep a copy of a secret.
        let capacity = if access == Access::Owner { 0 } else { 1 << 16 };
        let mut writer = io::BufWriter::with_capacity(capacity, file.as_file_mut());
        contents(&mut writer)?;
        writer.flush().map_err(|error| failed(&error))?;
        drop(writer);
        // A rename must not overtake the data.
        file.as_file().sync_all().map_err(|error| failed(&error))?;
        Ok(Self { file, path: path.to_owned(), force })
    }

    /// Bytes written.
    pub fn bytes(&self) -> Result<u64> {
        let metadata = self.file.as_file().metadata();
        Ok(metadata.map_err(|error| Failure::io(&self.path, &error))?.len())
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in its place.
    pub fn commit(self) -> Result<()> {
        let Self { file, path, force } = self;
        let done = if force { file.persist(&path) } else { file.persist_noclobber(&path) };
        match done {
            Ok(_) => Ok(()),
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(exists(&path))
            }
            Err(failed) => Err(Failure::io(&path, &failed.error)),
        }
    }
}

/// A folder for outputs: made when missing, and removed again when nothing came into it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    made: bool,
}

impl Folder {
    /// Makes the folder when it is missing.
    pub fn open(path: &Path) -> Result<Self> {
        let made = !path.exists();
        fs::create_dir_all(path).map_err(|error| Failure::io(path, &error))?;
        Ok(Self { path: path.to_owned(), made })
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made {
            // Fails when there is something in it, as it should.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, force: bool, text: &str) -> Result<()> {
        let contents = |out: &mut dyn Write| {
            out.write_all(text.as_bytes()).map_err(|error| Failure::io(path, &error))
        };
        Pending::write(path, Access::Default, force, contents)?.commit()
    }

    #[test]
    fn refuses_to_replace_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        put(&path, false, "first").unwrap();
        assert_eq!(put(&path, false, "second").unwrap_err().kind, "exists");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        put(&path, true, "third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
        assert_eq!(put(folder.path(), true, "").unwrap_err().kind, "is_directory");
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let pending = Pending::write(&path, Access::Default, false, |_| Ok(())).unwrap();
        fs::write(&path, "other").unwrap();
        assert_eq!(pending.commit().unwrap_err().kind, "exists");
        assert_eq!(fs::read_to_string(&path).unwrap(), "other");
    }

    #[test]
    fn nothing_is_left_when_writing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("new");
        {
            let made = Folder::open(&inner).unwrap();
            let path = made.file("a");
            let failing = |out: &mut dyn Write| {
                out.write_all(b"half").unwrap();
                Err(Failure::refused("test", "no"))
            };
            assert!(Pending::write(&path, Access::Default, false, failing).is_err());
        }
        assert!(!inner.exists());
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_for_the_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        Pending::write(&path, Access::Owner, false, |_| Ok(())).unwrap().commit().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

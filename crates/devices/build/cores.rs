//! File lists from the `.core` files (FuseSoC CAPI2), parameters from `configs.yaml`.

use saphyr::{LoadableYamlNode, Yaml};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The SystemVerilog files of a block in reading order, and the `.core` files they come from.
#[derive(Debug, Default)]
pub struct Sources {
    pub verilog: Vec<PathBuf>,
    pub cores: Vec<PathBuf>,
}

fn load(path: &Path) -> Result<Yaml<'static>, Box<dyn Error>> {
    let text = fs::read_to_string(path)
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
    // A document that outlives its text: build scripts end soon enough.
    let documents = Yaml::load_from_str(Box::leak(text.into_boxed_str()))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(documents.into_iter().next().ok_or_else(|| format!("{}: empty", path.display()))?)
}

/// `>=vendor:library:name:1.0` without comparison and version.
fn short_name(vlnv: &str) -> String {
    let plain = vlnv.trim_start_matches(['<', '>', '=', '^', '~', ' ']);
    plain.split(':').take(3).collect::<Vec<_>>().join(":")
}

/// All cores of the repository: name and file.
fn library(rtl: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut found = Vec::new();
    for folder in fs::read_dir(rtl)? {
        let folder = folder?.path();
        let Ok(files) = fs::read_dir(&folder) else { continue };
        for file in files {
            let path = file?.path();
            if path.extension().is_some_and(|e| e == "core") {
                let name = load(&path)?
                    .as_mapping_get("name")
                    .and_then(Yaml::as_str)
                    .map(short_name)
                    .ok_or_else(|| format!("{}: no name", path.display()))?;
                found.push((name, path));
            }
        }
    }
    Ok(found)
}

fn visit(
    library: &[(String, PathBuf)],
    core: &Path,
    sources: &mut Sources,
) -> Result<(), Box<dyn Error>> {
    if sources.cores.iter().any(|seen| seen == core) {
        return Ok(());
    }
    sources.cores.push(core.to_owned());
    let data = load(core)?;
    let rtl = data
        .as_mapping_get("filesets")
        .and_then(|sets| sets.as_mapping_get("rtl"))
        .ok_or_else(|| format!("{}: no fileset rtl", core.display()))?;
    for needed in rtl.as_mapping_get("depend").and_then(Yaml::as_sequence).into_iter().flatten() {
        let name = short_name(needed.as_str().unwrap_or_default());
        let (_, path) = library
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("{}: depends on {name}, which is not there", core.display()))?;
        visit(library, path, sources)?;
    }
    for entry in rtl.as_mapping_get("files").and_then(Yaml::as_sequence).into_iter().flatten() {
        // A plain name, or a mapping of one name to its attributes.
        let name = entry.as_str().or_else(|| {
            entry.as_mapping().and_then(|m| m.keys().next()).and_then(|key| key.as_str())
        });
        let name = name.ok_or_else(|| format!("{}: a file without a name", core.display()))?;
        if matches!(Path::new(name).extension().and_then(|e| e.to_str()), Some("sv" | "v")) {
            let path = core.with_file_name("").join(name);
            if !sources.verilog.contains(&path) {
                sources.verilog.push(path);
            }
        }
    }
    Ok(())
}

/// The files of `rtl/BLOCK/BLOCK.core` and of the cores it depends on.
pub fn sources(rtl: &Path, block: &str) -> Result<Sources, Box<dyn Error>> {
    let mut sources = Sources::default();
    visit(&library(rtl)?, &rtl.join(block).join(format!("{block}.core")), &mut sources)?;
    Ok(sources)
}

/// One named configuration of a block.
#[derive(Debug)]
pub struct Configuration {
    pub name: String,
    pub full: bool,
    pub parameters: Vec<(String, i64)>,
}

/// The configurations of `block` in `configs.yaml`, in order.
pub fn configurations(rtl: &Path, block: &str) -> Result<Vec<Configuration>, Box<dyn Error>> {
    let path = rtl.join("configs.yaml");
    let data = load(&path)?;
    let named = data
        .as_mapping_get(block)
        .and_then(Yaml::as_mapping)
        .ok_or_else(|| format!("{}: no block {block}", path.display()))?;
    let mut found = Vec::new();
    for (name, content) in named {
        let name = name.as_str().unwrap_or_default().to_owned();
        let full = content.as_mapping_get("full").and_then(Yaml::as_bool).unwrap_or(false);
        let parameters = content
            .as_mapping()
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.as_integer()?)))
            .filter(|(key, _)| key.starts_with(|c: char| c.is_ascii_uppercase()))
            .collect();
        found.push(Configuration { name, full, parameters });
    }
    Ok(found)
}

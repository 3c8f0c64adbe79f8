#!/usr/bin/env python3
"""Imports go one way: ring <- engine <- schemes <- circuits <- cli, python.

`devices` and `cuda` stand on engine and ring, and on schemes for its device traits. The check fails
when a crate depends on a layer that is not below it (normal, build or dev dependency, renamed or
not) or names one in its Rust sources.

    python3 tools/check_layers.py [WORKSPACE]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Layer -> the layers it may use. A layer is the name of a crate's package without the prefix.
MAY_USE: dict[str, frozenset[str]] = {
    "ring": frozenset(),
    "engine": frozenset({"ring"}),
    "schemes": frozenset({"ring", "engine"}),
    "circuits": frozenset({"ring", "engine", "schemes"}),
    "devices": frozenset({"ring", "engine", "schemes"}),
    "cuda": frozenset({"ring", "engine", "schemes"}),
    "cli": frozenset({"ring", "engine", "schemes", "circuits", "devices", "cuda"}),
    "python": frozenset({"ring", "engine", "schemes", "circuits", "devices", "cuda"}),
}
PREFIX = "cyclotron-"

# `use cyclotron_x` and `extern crate cyclotron_x` count everywhere, also in the code of doc
# comments; a path `cyclotron_x::...` counts outside comments.
IMPORT = re.compile(r"\b(?:use|extern\s+crate)\s+(?:::)?cyclotron_(\w+)")
PATH = re.compile(r"\bcyclotron_(\w+)\s*::")
LINE_COMMENT = re.compile(r"//.*")


def workspace_metadata(workspace: Path) -> dict[str, Any]:
    """What cargo says about the members of the workspace."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"check_layers: {' '.join(command)} failed:\n{done.stderr}")
    metadata: dict[str, Any] = json.loads(done.stdout)
    return metadata


def layer_of(package: str) -> str | None:
    """The layer a package belongs to; None for a package that is not ours."""
    return package[len(PREFIX) :] if package.startswith(PREFIX) else None


def fault(user: str, used: str, where: str) -> str | None:
    """Why `user` may not use `used`, or None when it may."""
    if user == used or used in MAY_USE[user]:
        return None
    allowed = ", ".join(sorted(MAY_USE[user])) or "nothing"
    return f"{where}: {user} may not use {used} (it may use: {allowed})"


def dependency_faults(package: dict[str, Any], layer: str) -> Iterator[str]:
    for dependency in package["dependencies"]:
        used = layer_of(dependency["name"])
        if used is not None:
            where = f"{package['manifest_path']}: {dependency['kind'] or 'normal'} dependency"
            found = fault(layer, used, where)
            if found:
                yield found


def source_faults(folder: Path, layer: str) -> Iterator[str]:
    for source in sorted(folder.rglob("*.rs")):
        if "target" in source.relative_to(folder).parts:
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
            names = {match[1] for match in IMPORT.finditer(line)}
            names |= {match[1] for match in PATH.finditer(LINE_COMMENT.sub("", line))}
            for used in sorted(names & MAY_USE.keys()):
                found = fault(layer, used, f"{source}:{number}")
                if found:
                    yield found


def faults(metadata: dict[str, Any]) -> Iterator[str]:
    """Every upward import of the workspace, as one line each."""
    for package in metadata["packages"]:
        layer = layer_of(package["name"])
        if layer not in MAY_USE:
            yield (
                f"{package['manifest_path']}: {package['name']} is in no layer: "
                "give it a row in MAY_USE of tools/check_layers.py"
            )
            continue
        yield from dependency_faults(package, layer)
        yield from source_faults(Path(package["manifest_path"]).parent, layer)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("workspace", nargs="?", type=Path, default=Path(__file__).parents[1])
    metadata = workspace_metadata(parser.parse_args().workspace)
    found = list(faults(metadata))
    for line in found:
        print(line, file=sys.stderr)
    print(f"check_layers: {len(metadata['packages'])} crates, {len(found)} upward imports")
    return 1 if found or not metadata["packages"] else 0


if __name__ == "__main__":
    sys.exit(main())

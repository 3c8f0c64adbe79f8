"""Writes `rtl/README.md`, the catalogue of the hardware, and `docs/rtl-resources.md`.

Both come from what is committed: the `.core` files, `rtl/configs.yaml`, `rtl/goals.yaml`, the
synthesis results and the lists of benches, mutants and proofs. `--check` compares instead.

    python tools/rtl/catalogue.py [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml

from configurations import configurations
from core_files import REPOSITORY, Core, CoreError, Library
from synth import Result, load_results, results_file, targets

_HEAD = """# Hardware

The catalogue of `rtl/`. Written by `tools/rtl/catalogue.py` (`make rtl-catalogue`): do not edit.

One block a folder: `<block>.core` (FuseSoC CAPI2) is the only list of its files, `tb/` holds its
benches, `formal/` its proofs, `README.md` says what it computes. Named sizes are in
`configs.yaml`, cycle goals in `goals.yaml`. `make test-rtl` runs the benches, `make lint-rtl`,
`make formal`, `make mutants`, `make coverage-rtl` and `make synth` the rest.
"""
_RESOURCES_HEAD = """# Hardware resources

Written by `make synth` through `tools/rtl/catalogue.py`: do not edit. Yosys' own counts after
synthesis, hierarchical: a module repeated many times is synthesised once. They are estimates: no
vendor tool was run, and LUTs that only feed a carry chain are not counted. LUTRAM is LUTs used as
memory or shift register, BRAM is in units of 36 Kbit (xc7; an 18 Kbit one counts half) or 18 Kbit
(ecp5). Fmax is nextpnr's after place and route, for the slowest clock, of the configurations that
`rtl/syn/targets.yaml` names (these are synthesised flat): it takes hours for large ones.
"""


def _count(folder: Path, pattern: str) -> int:
    return len(list(folder.glob(pattern)))


def _mutants(folder: Path) -> int:
    path = folder / "tb" / "mutants.yaml"
    return len(yaml.safe_load(path.read_text(encoding="utf-8")) or ()) if path.is_file() else 0


def _description(core: Core) -> str:
    data = yaml.safe_load(core.path.read_text(encoding="utf-8"))
    return str(data.get("description") or "").strip()


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def _lacks(counts: dict[str, float], room: dict[str, int]) -> list[str]:
    """What a design needs more of than its device has."""
    needed = counts | {"lut": counts["lut"] + counts["lutram"]}
    return [
        f"{needed[name]:,} {name.upper()} of {there:,}"
        for name, there in room.items()
        if needed[name] > there
    ]


def _figures(result: Result, rules: dict[str, Any]) -> list[str]:
    counts = result["counts"]
    cells = [f"{counts[name]:,}" for name in ("lut", "lutram", "ff", "bram", "dsp")]
    lacks = result.get("unplaced") or ", ".join(_lacks(counts, rules.get("room", {})))
    if lacks:
        return [*cells, f"no room: {lacks}"]
    if "place" not in rules:
        return [*cells, ""]
    fmax = result["fmax_mhz"]
    return [*cells, f"{fmax:.0f}" if fmax else "not placed"]


def _parts(parts: dict[str, dict[str, float]]) -> str:
    columns = ["lut", "lutram", "ff", "bram", "dsp"]
    largest = sorted(parts.items(), key=lambda item: -item[1]["lut"])
    rows = [
        [f"`{name}`", str(part["instances"]), *(f"{part[column]:,}" for column in columns)]
        for name, part in largest
    ]
    return _table(["module", "instances", "LUT", "LUTRAM", "FF", "BRAM", "DSP"], rows)


def _parameters(given: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in given.items())


def catalogue(library: Library) -> str:
    """The text of `rtl/README.md`."""
    rtl = library.root / "rtl"
    blocks = [
        [
            f"[`{core.block}`]({core.block}/)" if core.path.stem == core.block else core.path.stem,
            _description(core),
            ", ".join(f"`{top}`" for top in core.tops),
            str(_count(core.path.parent, "tb/test_*.py")),
            str(_mutants(core.path.parent)),
            str(_count(core.path.parent, "formal/*.sby")),
        ]
        for core in library.cores.values()
    ]
    text = _HEAD + "\n## Blocks\n\n"
    text += _table(["block", "what", "tops", "benches", "mutants", "proofs"], blocks)
    results = load_results(library.root)
    rules = targets(library.root) if results else {}
    named = [
        [
            *(f"`{one.block}`", f"`{one.name}`", _parameters(one.parameters), target),
            *_figures(result, rules[target]),
        ]
        for one in configurations(root=library.root)
        for result in results.values()
        for target in [result["target"]]
        if (result["block"], result["configuration"]) == (one.block, one.name)
    ]
    if named:
        text += "\n## Sizes\n\nMore in [docs/rtl-resources.md](../docs/rtl-resources.md).\n\n"
        columns = ["block", "configuration", "parameters", "target", "LUT", "LUTRAM", "FF"]
        text += _table([*columns, "BRAM", "DSP", "Fmax (MHz)"], named)
    path = rtl / "goals.yaml"
    goals = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    if goals:
        text += "\n## Cycles\n\nLimits that the benches hold the simulated RTL to.\n\n"
        rows = [
            [
                f"`{goal['block']}`",
                f"`{goal['configuration']}`",
                goal["operation"],
                f"{goal['limit']:,}",
                f"{goal['paper']:,}" if goal.get("paper") else "",
                f"{goal['floor']:,}" if goal.get("floor") else "",
                goal["per"],
            ]
            for goal in goals
        ]
        columns = ["block", "configuration", "operation", "limit", "paper", "floor", "per"]
        text += _table(columns, rows)
    return text


def resources(library: Library) -> str:
    """The text of `docs/rtl-resources.md`."""
    path = results_file(library.root)
    data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    text = _RESOURCES_HEAD
    for what, version in (data.get("made_with") or {}).items():
        text += f"\n- {what}: {version}"
    rules = targets(library.root)
    for target, rule in rules.items():
        text += f"\n- {target}: {rule['device']}"
        if room := rule.get("room"):
            has = ", ".join(f"{number:,} {name.upper()}" for name, number in room.items())
            text += f", which has {has}"
    rows = [
        [
            f"`{found['block']}`",
            f"`{found['configuration']}`",
            f"`{found['top']}`",
            _parameters(found["parameters"]),
            found["target"],
            *_figures(found, rules[found["target"]]),
            found["date"],
        ]
        for found in (data.get("results") or {}).values()
    ]
    columns = ["block", "configuration", "top", "parameters", "target", "LUT", "LUTRAM", "FF"]
    text += "\n\n" + _table([*columns, "BRAM", "DSP", "Fmax (MHz)", "date"], rows)
    for name, found in (data.get("results") or {}).items():
        if parts := found.get("parts"):
            text += (
                f"\nParts of `{name}`, each without those inside it, all instances together:\n\n"
            )
            text += _parts(parts)
    left_out = [
        f"- `{name}` for {target}: {reason}\n"
        for target, rule in rules.items()
        for name, reason in rule.get("skip", {}).items()
    ]
    if left_out:
        text += "\nLeft out:\n\n" + "".join(left_out)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with what is committed")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    try:
        library = Library.load(root)
        texts = {root / "rtl" / "README.md": catalogue(library)}
        if results_file(root).is_file():
            texts[root / "docs" / "rtl-resources.md"] = resources(library)
    except CoreError as fault:
        print(f"catalogue: {fault}", file=sys.stderr)
        return 1
    old = [p for p, text in texts.items() if not p.is_file() or p.read_text("utf-8") != text]
    for path in old:
        if options.check:
            print(f"{path}: out of date: make rtl-catalogue", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return 1 if old and options.check else 0


if __name__ == "__main__":
    sys.exit(main())

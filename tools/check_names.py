#!/usr/bin/env python3
"""No file names a package host, a private address, a credential or a path of somebody's machine.

Where packages come from and where a checkout lies is the business of each machine. Names that only
one place knows can be added there: CYCLOTRON_FORBIDDEN_NAMES holds a regular expression.

    python3 tools/check_names.py [FOLDER]
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import tree

FORBIDDEN: dict[str, str] = {
    "package host": r"(?:test\.)?pypi\.org|pythonhosted\.org|(?:index|static)\.crates\.io"
    r"|registry\.npmjs\.|proxy\.golang\.|conda\.anaconda\.|\bartifactory\b|\bdevpi\b",
    "package index option": r"--(?:extra-)?index-url[ =]\S|--find-links[ =]\S|--trusted-host[ =]\S"
    r"|\b(?:PIP|UV)_(?:EXTRA_)?INDEX_URL\s*[=:]|^\s*replace-with\s*=",
    "private address": r"https?://(?:10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    r"|https?://[\w.-]+\.(?:internal|corp|lan|intranet)\b",
    "credential": r"https?://[^\s/:@]+:[^\s/@]+@|-----BEGIN [A-Z ]*PRIVATE KEY",
    "machine path": r"(?<![\w.$}~*-])/(?:root|work)/[\w.]|(?<![\w.$}~*-])/(?:home|Users)/\w+/",
}


def patterns() -> dict[str, re.Pattern[str]]:
    compiled = {kind: re.compile(text, re.MULTILINE) for kind, text in FORBIDDEN.items()}
    local = os.environ.get("CYCLOTRON_FORBIDDEN_NAMES")
    if local:
        compiled["name forbidden here"] = re.compile(local, re.IGNORECASE)
    return compiled


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    forbidden = patterns()
    found = 0
    count = 0
    for path in tree.files(root):
        count += 1
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = ""  # a binary file: only its name is looked at
        for kind, pattern in forbidden.items():
            hits = [(0, match[0]) for match in pattern.finditer(name)]
            hits += [(text.count("\n", 0, m.start()) + 1, m[0]) for m in pattern.finditer(text)]
            for line, hit in hits:
                print(f"{name}:{line}: {kind}: {hit.strip()!r}", file=sys.stderr)
                found += 1
    print(f"check_names: {count} files, {found} forbidden names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

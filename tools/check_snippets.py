#!/usr/bin/env python3
"""Runs the Python snippets of README.md and docs/: what people copy must work.

The ```python blocks of one file run in order in one interpreter, each file in a fresh one. A block
opened with ```python no-run is shown, not run. Rust snippets are doc tests: `cargo test` runs them.

    .venv/bin/python tools/check_snippets.py [FILE ...]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def program(text: str) -> tuple[str, int]:
    """The blocks of a page as one program that keeps the page's line numbers, and their count."""
    lines: list[str] = []
    count = 0
    for match in BLOCK.finditer(text):
        first = text.count("\n", 0, match.start(1))
        lines += [""] * (first - len(lines))
        lines += match[1].splitlines()
        count += 1
    return "\n".join(lines) + "\n", count


def main() -> int:
    pages = [Path(name) for name in sys.argv[1:]]
    pages = pages or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    total = failed = 0
    for page in pages:
        if not page.exists():
            continue
        source, count = program(page.read_text(encoding="utf-8"))
        if count == 0:
            continue
        total += count
        code = f"exec(compile({source!r}, {str(page)!r}, 'exec'), {{'__name__': '__main__'}})"
        with tempfile.TemporaryDirectory() as folder:  # snippets may write files
            done = subprocess.run(
                [sys.executable, "-"], input=code, text=True, cwd=folder, check=False
            )
        if done.returncode != 0:
            print(f"check_snippets: {page} fails", file=sys.stderr)
            failed += 1
    print(f"check_snippets: {total} snippets, {failed} pages failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
